/** Checks of fields against what the service knows: its providers, the networks of currencies, prohibited countries (ERROR-5). */
import { Effect } from "effect"
import type { Providers } from "../ports/Provider.ts"
import { makeFieldRefusal, invalid, type InvalidInput, ProhibitedCountry } from "../ports/errors.ts"
import { countryName, prohibitedCountries } from "../reference/countries.ts"
import { type Currency, isOnNetwork } from "../reference/currencies.ts"

/**
 * The name under which the store has the books of a provider that is configured, or was.
 * Errors: `InvalidInput` for `field` when there is no such provider.
 */
export const findProviderKey = (
  { all, keyOf, keysByName, byName: named }: Providers["Service"],
  field: string,
  name: string
): Effect.Effect<string, InvalidInput> =>
  named(name) !== undefined || keysByName.has(name)
    ? Effect.succeed(keyOf(name))
    : Effect.fail(
        invalid(
          field,
          `There is no provider ${JSON.stringify(name)}. Configured: ${all.map((one) => one.name).join(", ")}.`
        )
      )

/** Errors: `InvalidInput` for `field` when the currency is not on the network. */
export const requireOnNetwork = (
  field: string,
  currency: Currency,
  network: string
): Effect.Effect<void, InvalidInput> =>
  isOnNetwork(currency, network)
    ? Effect.void
    : Effect.fail(
        invalid(
          field,
          `${field} is ${JSON.stringify(network)}. ${currency.code} takes ${currency.networks.length === 1 ? "" : "one of "}${currency.networks.join(", ")}.`
        )
      )

/** Errors: `ProhibitedCountry` when `code`, the value of the field `name`, is on the list of prohibited countries. */
export const checkCountry = (name: string, code: string | undefined): Effect.Effect<void, ProhibitedCountry> =>
  code === undefined || !prohibitedCountries.has(code)
    ? Effect.void
    : Effect.fail(
        new ProhibitedCountry(
          makeFieldRefusal(name, "invalid_value", `${name} is ${code}. ${countryName(code)} is on the compliance list.`)
        )
      )
