import { Effect } from "effect"
import { invalid, type InvalidInput } from "../ports/errors.ts"
import { type Currency, isOnNetwork } from "../reference/currencies.ts"

/** Errors: `InvalidInput` for `field` when the currency is not on the network. */
export const onNetwork = (field: string, currency: Currency, network: string): Effect.Effect<void, InvalidInput> =>
  isOnNetwork(currency, network)
    ? Effect.void
    : Effect.fail(
        invalid(
          field,
          `${field} is ${JSON.stringify(network)}. ${currency.code} takes ${currency.networks.length === 1 ? "" : "one of "}${currency.networks.join(", ")}.`
        )
      )
