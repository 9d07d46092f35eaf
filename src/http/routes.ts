/** Every endpoint that is served: one line for each resource's handlers. */
import { Effect } from "effect"
import type { Endpoint } from "./endpoint.ts"
import { merchantEndpoints } from "./handlers/merchant.ts"

export const allEndpoints: Effect.Effect<ReadonlyArray<Endpoint>, never, Effect.Services<typeof merchantEndpoints>> = Effect.map(
  Effect.all([merchantEndpoints]),
  (groups) => groups.flat()
)
