/** Sums of decimal texts. Amounts are never JavaScript numbers. */

const parseParts = (amount: string): readonly [value: bigint, scale: number] => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return [BigInt(whole + fraction), fraction.length]
}

/** `a + b`, or `a - b` with `sign` -1, with the decimals of the more precise one. Both are texts as the API has them. */
export const add = (a: string, b: string, sign: 1 | -1 = 1): string => {
  const [first, firstScale] = parseParts(a)
  const [second, secondScale] = parseParts(b)
  const scale = Math.max(firstScale, secondScale)
  const sum = first * 10n ** BigInt(scale - firstScale) + BigInt(sign) * second * 10n ** BigInt(scale - secondScale)
  const digits = (sum < 0n ? -sum : sum).toString().padStart(scale + 1, "0")
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return sum < 0n ? `-${text}` : text
}

export const isZero = (amount: string): boolean => /^-?0*(?:\.0*)?$/.test(amount)
