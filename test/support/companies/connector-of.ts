/** A provider of the port behind the provider protocol, with the clock of a world. */
import { Effect } from "effect"
import { serveProvider } from "../../../src/cli/companies/connector.ts"
import type { Provider } from "../../../src/engine/ports/Provider.ts"
import { minutes, type PaystackWorld } from "./paystack-world.ts"

/** Before a statement is read, so much time passes that it has all rows. */
export const connectorOf = (
  provider: Provider["Service"],
  secret: string,
  { inWorld, pass }: Pick<PaystackWorld, "inWorld" | "pass">
) =>
  serveProvider(
    { provider, secret, hasStatements: true, beforeStatements: Effect.sync(() => pass(minutes(2))) },
    inWorld
  )
