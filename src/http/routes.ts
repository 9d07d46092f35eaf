/** Every endpoint that is served: one line for each resource's handlers. */
import { Effect } from "effect"
import type { Endpoint } from "./endpoint.ts"
import { merchantEndpoints } from "./handlers/merchant.ts"
import { webhookEndpoints } from "./handlers/webhook-endpoint.ts"

const all = Effect.all([merchantEndpoints, webhookEndpoints])

export const allEndpoints: Effect.Effect<ReadonlyArray<Endpoint>, never, Effect.Services<typeof all>> = Effect.map(all, (groups) =>
  groups.flat()
)
