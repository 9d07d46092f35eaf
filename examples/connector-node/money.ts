/** Amounts: decimal strings outside, whole minor units inside (NGN 12.50 is 1250). Never a JavaScript number. */

const decimalsOf = (currency: string): number => ({ UGX: 0, XOF: 0, USDC: 6, USDT: 6 })[currency] ?? 2

/** Larger amounts would not fit SQLite's integers when they are added up. */
const most = 10n ** 17n

/** Whether the text has the form of an amount: digits, and perhaps a point and digits. */
export const isDecimal = (text: unknown): text is string =>
  typeof text === "string" && /^(?:0|[1-9]\d{0,29})(?:\.\d{1,18})?$/.test(text)

/** Undefined: the text is no positive amount of this currency; it has too many decimals, for example. */
export const minorOf = (text: string, currency: string): bigint | undefined => {
  const decimals = decimalsOf(currency)
  const [whole = "", fraction = ""] = text.split(".")
  const digits = fraction.replace(/0+$/, "")
  if (!isDecimal(text) || digits.length > decimals) return undefined
  const minor = BigInt(whole + digits.padEnd(decimals, "0"))
  return minor > 0n && minor <= most ? minor : undefined
}

/** At least the decimals of everyday money: 2 of USDC's 6, further ones where they are not zero. */
export const amountOf = (minor: bigint, currency: string): string => {
  const decimals = decimalsOf(currency)
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, "0")
  const whole = `${minor < 0n ? "-" : ""}${digits.slice(0, digits.length - decimals)}`
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  return decimals === 0 ? whole : `${whole}.${fraction.padEnd(2, "0")}`
}

/** What a payment costs: `fixed`, and `share` of the amount (`"0.005"` is 0.5 %), rounded up. */
export const feeOf = (minor: bigint, currency: string, cost: { fixed: string; share: string } | undefined): bigint => {
  if (cost === undefined) return 0n
  const [whole = "0", fraction = ""] = cost.share.split(".")
  const unit = 10n ** BigInt(fraction.length)
  return (minorOf(cost.fixed, currency) ?? 0n) + (minor * BigInt(whole + fraction) + unit - 1n) / unit
}
