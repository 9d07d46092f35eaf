/** Checks of fields against what the service knows: its providers, the networks of currencies, prohibited countries (ERROR-5). */
import { Effect } from "effect"
import type { Providers } from "../ports/Provider.ts"
import { makeFieldRefusal, invalid, type InvalidInput, ProhibitedCountry } from "../ports/errors.ts"
import { countryName, prohibitedCountries } from "../reference/countries.ts"
import { type Currency, isOnNetwork } from "../reference/currencies.ts"

/**
 * Finds the key under which the store has the data of a provider, by a name that is or was configured. Errors: `InvalidInput` for `field`
 * when there is no such provider.
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

/** Checks that a currency is issued on a network. Errors: `InvalidInput` for `field` when it is not. */
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

/** Checks the country code of the field `name`. Errors: `ProhibitedCountry` if it is on the list of prohibited countries. */
export const checkCountry = (name: string, code: string | undefined): Effect.Effect<void, ProhibitedCountry> =>
  code === undefined || !prohibitedCountries.has(code)
    ? Effect.void
    : Effect.fail(
        new ProhibitedCountry(
          makeFieldRefusal(name, "invalid_value", `${name} is ${code}. ${countryName(code)} is on the compliance list.`)
        )
      )
