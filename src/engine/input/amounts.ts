/** Validation of amounts and currencies, shared by operations. */
import { Effect } from "effect"
import { formatAmount, type Minor, toMinorUnits, parseAmount, splitAmount } from "../../machines/kernel/money.ts"
import type { Priced } from "../../machines/kernel/pricing.ts"
import type { Range } from "../ports/Pricing.ts"
import { makeFieldRefusal, invalid, InvalidAmountPrecision, type InvalidInput, NotFound } from "../ports/errors.ts"
import { type Currency, currencies, requireCurrency, isCurrencyCode } from "../reference/currencies.ts"
import { proposeNearest } from "./nearest.ts"

/** Converts a provider's amount to minor units. Null when its currency is unknown, when it has too many decimals, and for zero. */
export const toMinorOrNull = ({
  amount,
  currency
}: {
  readonly amount: string
  readonly currency: string
}): string | null => {
  if (!isCurrencyCode(currency)) return null
  const minor = parseAmount(amount, requireCurrency(currency).ledger_scale)
  return typeof minor === "string" ? null : minor.toString()
}

/**
 * What of an amount that arrived is booked, and what is not.
 *
 * `booked`: minor units, rounded down; null when nothing is, or its currency is unknown. `rest`: the exact part below the ledger's
 * smallest unit, as a decimal string; null when there is none. Source: DEPOSIT-15.
 */
interface Arrived {
  readonly booked: string | null
  readonly rest: string | null
}

export const splitArrival = ({ amount, currency }: { readonly amount: string; readonly currency: string }): Arrived => {
  const split = isCurrencyCode(currency) ? splitAmount(amount, requireCurrency(currency).ledger_scale) : undefined
  if (split === undefined) return { booked: null, rest: null }
  return { booked: split.kept === 0n ? null : split.kept.toString(), rest: split.rest }
}

/**
 * Parses a client's amount to minor units.
 *
 * Errors: `InvalidAmountPrecision` when it has more decimals than `precision` (default: the decimals of the currency);
 * `InvalidInput` when it is zero. Source: AMOUNT-2, AMOUNT-3.
 */
export const parseClientAmount = (
  name: string,
  text: string,
  currency: Currency,
  precision: number = currency.decimals
): Effect.Effect<Minor, InvalidAmountPrecision | InvalidInput> => {
  const amount = parseAmount(text, currency.ledger_scale, precision)
  switch (amount) {
    case "format":
      return Effect.fail(
        invalid(name, `${name} is ${JSON.stringify(text)}. It takes a decimal string such as "10.00".`)
      )
    case "zero":
      return Effect.fail(invalid(name, `${name} is ${JSON.stringify(text)}. It takes an amount above zero.`))
    case "precision":
      return Effect.fail(
        new InvalidAmountPrecision(
          makeFieldRefusal(
            name,
            "invalid_value",
            `${name} is ${JSON.stringify(text)}. ${currency.code} takes at most ${precision} decimals.`
          )
        )
      )
    default:
      return Effect.succeed(amount)
  }
}

/** Checks an amount against the outbound range of its currency's network. Errors: `InvalidInput` when it is outside. */
export const requireInRange = (
  name: string,
  amount: bigint,
  currency: Currency,
  { minimum, maximum }: Range
): Effect.Effect<void, InvalidInput> => {
  const format = (value: bigint | string): string => formatAmount(toMinorUnits(value), currency)
  if (minimum !== null && amount < BigInt(minimum))
    return Effect.fail(
      invalid(name, `${format(amount)} ${currency.code} is below the minimum of ${format(minimum)} ${currency.code}.`)
    )
  if (maximum !== null && amount > BigInt(maximum))
    return Effect.fail(
      invalid(name, `${format(amount)} ${currency.code} is above the maximum of ${format(maximum)} ${currency.code}.`)
    )
  return Effect.void
}

/** Checks a currency that the caller repeats. Errors: `InvalidInput` when it is not the one that applies. */
export const requireSameCurrency = (
  name: string,
  given: string | undefined,
  actual: string,
  what: string
): Effect.Effect<void, InvalidInput> =>
  given === undefined || given === actual
    ? Effect.void
    : Effect.fail(invalid(name, `${name} is ${JSON.stringify(given)}, but ${what} is ${actual}.`))

/** Makes the refusal of the field `name` for an amount that has no price. */
export const makePriceError = (
  priced: Exclude<Priced, { _tag: "priced" }>,
  name: string,
  destination: Currency
): InvalidInput => {
  switch (priced._tag) {
    case "nothing":
      return invalid(name, "The amount leaves nothing to receive after fees.")
    case "below":
      return invalid(
        name,
        `The received amount would be below the minimum payout of ${formatAmount(priced.limit, destination)} ${destination.code}.`
      )
    case "above":
      return invalid(
        name,
        `The received amount would be above the maximum payout of ${formatAmount(priced.limit, destination)} ${destination.code}.`
      )
  }
}

/** Says that a currency is unknown, and names the one that was probably meant. */
export const describeUnknownCurrency = (code: string): string => {
  const codes = currencies.map((one) => one.code)
  return `There is no currency ${code}.${proposeNearest(code, codes)}`
}

/** The first currency of a code, as {@link requireCurrency}. Errors: `NotFound` for an unknown code (CURRENCY-8). */
export const findCurrency = (code: string): Effect.Effect<Currency, NotFound> =>
  isCurrencyCode(code)
    ? Effect.succeed(requireCurrency(code))
    : Effect.fail(new NotFound({ message: describeUnknownCurrency(code) }))
