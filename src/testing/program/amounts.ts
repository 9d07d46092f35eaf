/** Amounts of currencies, in decimal text and in the units of a ledger. */

/** Units of a currency per US dollar (CURRENCY-1), and the number of decimals in the ledger. */
const worth: Readonly<Record<string, readonly [perUsd: number, scale: number]>> = {
  EUR: [0.92, 2],
  GHS: [12.5, 2],
  KES: [129, 2],
  NGN: [1500, 2],
  UGX: [3700, 0],
  USD: [1, 2],
  USDC: [1, 6],
  USDT: [1, 6],
  XOF: [600, 0],
  ZAR: [18, 2]
}

/** Converts an amount to its approximate value in US dollars: exact enough to compare sums with a limit, unless they are within a cent of it. */
export const toUsd = (amount: bigint, currency: string): number => {
  const [perUsd, scale] = worth[currency]!
  return Number(amount) / 10 ** scale / perUsd
}

/** Parses decimal text to minor units. `undefined` when the text has more decimals than the ledger, or for an unknown currency. */
export const parseMinorUnits = (text: string, currency: string): bigint | undefined => {
  const scale = worth[currency]?.[1]
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text)
  if (scale === undefined || match === null) return undefined
  const decimals = (match[2] ?? "").replace(/0+$/, "")
  return decimals.length > scale ? undefined : BigInt(match[1]! + decimals.padEnd(scale, "0"))
}

/** Formats minor units as decimal text. */
export const formatMinorUnits = (amount: bigint | string, currency: string): string => {
  const scale = worth[currency]![1]
  const digits = String(amount).padStart(scale + 1, "0")
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/**
 * Splits an amount that arrived (DEPOSIT-15) into the booked minor units, rounded down, and the digits below them. `undefined`
 * for an unknown currency.
 */
export const bookAmount = (
  text: string,
  currency: string
): { readonly booked: bigint; readonly below: string } | undefined => {
  const scale = worth[currency]?.[1]
  if (scale === undefined) return undefined
  const [whole = "", decimals = ""] = text.split(".")
  return {
    booked: BigInt(whole + decimals.slice(0, scale).padEnd(scale, "0")),
    below: decimals.slice(scale).replace(/0+$/, "")
  }
}
