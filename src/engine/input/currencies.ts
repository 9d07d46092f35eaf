/** Currencies that an input names. */
import { Effect } from "effect"
import { NotFound } from "../ports/errors.ts"
import { type Currency, currencyOf, isCurrencyCode } from "../reference/currencies.ts"

/** The first currency of a code, as {@link currencyOf}. Errors: `NotFound` for an unknown code (CURRENCY-8). */
export const findCurrency = (code: string): Effect.Effect<Currency, NotFound> =>
  isCurrencyCode(code)
    ? Effect.succeed(currencyOf(code))
    : Effect.fail(new NotFound({ message: `There is no currency ${code}.` }))
