/** Amounts of one currency, as decimal strings outside and integers of its smallest unit inside. */
import { currencies } from "../engine/reference/currencies.ts"
import { formatAmount, isAmount } from "../machines/kernel/money.ts"

/** The decimals that a payment in a currency has. Currencies that Corridor does not know have two. */
export const decimalsOf = (currency: string): number => currencies.find(({ code }) => code === currency)?.decimals ?? 2

/** The scale of all comparisons: the most decimals that an amount can have. */
const SCALE = 18

/** Integer units of 10^-18, of an amount that may be negative. Undefined for a text that is no amount. */
export const parseSignedUnits = (text: unknown): bigint | undefined => {
  if (typeof text !== "string") return undefined
  const digits = text.replace(/^-/, "")
  if (!isAmount(digits)) return undefined
  const [whole = "", fraction = ""] = digits.split(".")
  const units = BigInt(whole + fraction.padEnd(SCALE, "0"))
  return text.startsWith("-") ? -units : units
}

/** Whether two texts are the same amount: `5` and `5.00` are. */
export const isSameAmount = (one: unknown, other: unknown): boolean => {
  const units = parseSignedUnits(one)
  return units !== undefined && units === parseSignedUnits(other)
}

/** The shortest text of units, with at least `decimals` decimals. */
export const formatUnits = (units: bigint, decimals: number): string =>
  formatAmount(units, { decimals, ledger_scale: SCALE })

/** One smallest payable unit of a currency with these decimals, in units. */
export const stepOf = (decimals: number): bigint => 10n ** BigInt(SCALE - decimals)
