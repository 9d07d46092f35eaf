/**
 * Exact money: integers of a currency's smallest unit, with one strict parser, one formatter and one multiplication.
 *
 * No JavaScript number holds an amount. A stored amount is a decimal integer string (`"1000000"`), an amount in code is
 * a branded `bigint`, and an amount in requests and responses is a decimal string (`"1.00"`).
 */

declare const minor: unique symbol

/** An integer count of a currency's smallest ledger unit (USDC: 10^-6, NGN: 10^-2). May be negative in a balance. */
export type Minor = bigint & { readonly [minor]: true }

/**
 * How to round a result between two units. `floor` rounds towards minus infinity, `ceiling` towards plus infinity, and
 * `exact` throws.
 */
export type Rounding = "floor" | "ceiling" | "exact"

/**
 * The precisions of a currency.
 *
 * `decimals` is the settlement precision: the decimals a payment may have. `ledger_scale` is the precision of balances,
 * never less than `decimals`. USDC settles 2 decimals and keeps 6.
 */
export interface Scales {
  readonly decimals: number
  readonly ledger_scale: number
}

/** Why a text is not a valid amount of a currency. */
type AmountFault = "format" | "zero" | "precision"

export const zero = 0n as Minor

const MINUS = 45
const DIGIT_ZERO = 48
const DIGIT_NINE = 57

/** Matches `^-?\d+$`. It reads characters because it runs several times for each posting. */
const isInteger = (text: string): boolean => {
  const first = text.charCodeAt(0) === MINUS ? 1 : 0
  for (let i = first; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < DIGIT_ZERO || code > DIGIT_NINE) return false
  }
  return text.length > first
}

/**
 * Brands an integer as minor units, for values that come from the ledger itself. Throws `RangeError` for a text that is
 * not a decimal integer; `BigInt` alone accepts the empty string as zero.
 */
export const toMinorUnits = (value: bigint | string): Minor => {
  if (typeof value === "string" && !isInteger(value))
    throw new RangeError(`${JSON.stringify(value)} is not a number of minor units`)
  return BigInt(value) as Minor
}

const amountPattern = /^\d{1,18}(\.\d{1,18})?$/

/** Whether a text has the form of an amount (AMOUNT-2), whatever the currency. */
export const isAmount = (text: string): boolean => amountPattern.test(text)

export const powerOfTen = (digits: number): bigint => 10n ** BigInt(digits)

/**
 * Parses a decimal string as minor units, exactly.
 *
 * Errors: `"format"` unless it matches `^\d{1,18}(\.\d{1,18})?$`; `"zero"` when it is 0; `"precision"` when it has more
 * significant decimals than `precision` allows (trailing zeros do not count).
 * Source: AMOUNT-2, AMOUNT-3.
 */
export const parseAmount = (text: string, scale: number, precision: number = scale): Minor | AmountFault => {
  if (!isAmount(text)) return "format"
  const [whole = "", fraction = ""] = text.split(".")
  const digits = fraction.replace(/0+$/, "")
  if (digits.length > precision || digits.length > scale) return "precision"
  const value = BigInt(whole + digits.padEnd(scale, "0"))
  return value === 0n ? "zero" : (value as Minor)
}

/** An amount as the ledger keeps it, rounded down, and the exact rest below its smallest unit: a decimal string, or null. */
interface SplitAmount {
  readonly kept: Minor
  readonly rest: string | null
}

/**
 * Splits a decimal string at the scale of the ledger. Undefined unless it matches `^\d{1,18}(\.\d{1,18})?$`.
 *
 * Law: `kept / 10^scale + rest` is the amount. Two texts of one amount split alike. Source: DEPOSIT-15.
 */
export const splitAmount = (text: string, scale: number): SplitAmount | undefined => {
  if (!isAmount(text)) return undefined
  const [whole = "", fraction = ""] = text.split(".")
  const below = fraction.slice(scale).replace(/0+$/, "")
  const kept = BigInt(whole + fraction.slice(0, scale).padEnd(scale, "0")) as Minor
  return { kept, rest: below === "" ? null : `0.${"0".repeat(scale)}${below}` }
}

/**
 * Parses a decimal string from this code's own tables (rates, limits). Throws `RangeError` for a text that is not an
 * amount.
 */
export const parseExactAmount = (text: string, scale: number): Minor => {
  const value = parseAmount(text, scale)
  if (value === "zero") return zero
  if (typeof value === "string") throw new RangeError(`${JSON.stringify(text)} is not an amount of scale ${scale}`)
  return value
}

/**
 * Formats minor units as a decimal string with at least `decimals` decimals, and more where the exact value has more.
 *
 * Law: `parseAmount(formatAmount(x, c), c.ledger_scale) = x` for every x > 0. Source: AMOUNT-2.
 */
export const formatAmount = (value: bigint, { decimals, ledger_scale }: Scales): string => {
  const sign = value < 0n ? "-" : ""
  const digits = (value < 0n ? -value : value).toString().padStart(ledger_scale + 1, "0")
  const whole = digits.slice(0, digits.length - ledger_scale)
  const fraction = digits.slice(digits.length - ledger_scale)
  const kept = fraction.slice(0, decimals) + fraction.slice(decimals).replace(/0+$/, "")
  return sign + whole + (kept === "" ? "" : `.${kept}`)
}

/**
 * `value * numerator / denominator`, rounded with `rounding`. Throws `RangeError` for a zero denominator, and for an
 * inexact result with `"exact"`.
 */
export const mulDiv = (value: bigint, numerator: bigint, denominator: bigint, rounding: Rounding): Minor => {
  if (denominator === 0n) throw new RangeError("mulDiv: the denominator is zero")
  let above = value * numerator
  let below = denominator
  if (below < 0n) [above, below] = [-above, -below]
  const quotient = above / below
  const rest = above % below
  if (rest === 0n) return quotient as Minor
  if (rounding === "exact") throw new RangeError("mulDiv: the result is not exact")
  if (rounding === "floor") return (rest < 0n ? quotient - 1n : quotient) as Minor
  return (rest > 0n ? quotient + 1n : quotient) as Minor
}

/** Rounds ledger units to the settlement precision of their currency. */
export const roundToSettlement = (value: bigint, { decimals, ledger_scale }: Scales, rounding: Rounding): Minor => {
  const unit = powerOfTen(ledger_scale - decimals)
  return (mulDiv(value, 1n, unit, rounding) * unit) as Minor
}
