/** Amounts of one currency, as decimal strings outside and integers of its smallest unit inside. */
import { currencies } from "../engine/reference/currencies.ts"
import { formatAmount, isAmount } from "../machines/kernel/money.ts"

/** Finds the decimals of payments in a currency. Currencies that Corridor does not know have two. */
export const findDecimals = (currency: string): number =>
  currencies.find(({ code }) => code === currency)?.decimals ?? 2

/** The scale of all comparisons: the most decimals that an amount can have. */
const SCALE = 18

/** Parses an amount, which may be negative, to integer units of 10^-18. Undefined for a text that is not an amount. */
export const parseSignedUnits = (text: unknown): bigint | undefined => {
  if (typeof text !== "string") return undefined
  const digits = text.replace(/^-/, "")
  if (!isAmount(digits)) return undefined
  const [whole = "", fraction = ""] = digits.split(".")
  const units = BigInt(whole + fraction.padEnd(SCALE, "0"))
  return text.startsWith("-") ? -units : units
}

/** Whether two texts are the same amount, as `5` and `5.00`. */
export const isSameAmount = (one: unknown, other: unknown): boolean => {
  const units = parseSignedUnits(one)
  return units !== undefined && units === parseSignedUnits(other)
}

/** Formats units as the shortest text with at least `decimals` decimals. */
export const formatUnits = (units: bigint, decimals: number): string =>
  formatAmount(units, { decimals, ledger_scale: SCALE })

/** Finds the smallest payable amount of a currency with these decimals, in units. */
export const findSmallestUnit = (decimals: number): bigint => 10n ** BigInt(SCALE - decimals)
