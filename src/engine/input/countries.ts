/** Prohibited countries (ERROR-5). */
import { Effect } from "effect"
import { field, ProhibitedCountry } from "../ports/errors.ts"
import { countryName, prohibitedCountries } from "../reference/countries.ts"

/** Errors: `ProhibitedCountry` when `code`, the value of the field `name`, is on the list of prohibited countries. */
export const checkCountry = (name: string, code: string | undefined): Effect.Effect<void, ProhibitedCountry> =>
  code === undefined || !prohibitedCountries.has(code)
    ? Effect.void
    : Effect.fail(
        new ProhibitedCountry(
          field(name, "invalid_value", `${name} is ${code}. ${countryName(code)} is on the compliance list.`)
        )
      )
