/**
 * Validation of bank account numbers and payshap proxies. It is structural only: it does not prove that an account
 * exists.
 */
import type { Bank } from "../ports/Provider.ts"

/** The accepted number of digits of a bank's account numbers: a predicate, and its description. */
interface Digits {
  readonly accepts: (count: number) => boolean
  readonly description: string
}

const exactly = (...counts: ReadonlyArray<number>): Digits => ({
  accepts: (count) => counts.includes(count),
  description: counts.join(" or ")
})

const between = (least: number, most: number): Digits => ({
  accepts: (count) => count >= least && count <= most,
  description: `${least} to ${most}`
})

/** By universal branch code, which identifies a South African bank for every provider. */
const southAfrican: ReadonlyMap<string, Digits> = new Map([
  ["250655", exactly(11)], // FNB
  ["470010", exactly(10)], // Capitec
  ["198765", exactly(10)], // Nedbank
  ["051001", exactly(9, 11)], // Standard Bank
  ["632005", between(8, 11)] // Absa
])

const anySouthAfrican = between(8, 11)
const elsewhere = between(6, 20)

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/**
 * The fault of the account number of a bank beneficiary; null when it is valid. Not for the payshap rail, whose account
 * number is a proxy ({@link proxyFault}).
 *
 * Only ASCII digits count, and no characters are stripped. The message names the bank, the accepted number of digits
 * and the number found. Source: ZAR-1, ZAR-2; BENEFICIARY-5 for every other currency (6 to 20 digits).
 */
export const accountNumberFault = (
  currency: string,
  bank: Pick<Bank, "name" | "code"> | null,
  account_number: string
): string | null => {
  const digits = currency === "ZAR" ? (southAfrican.get(bank?.code ?? "") ?? anySouthAfrican) : elsewhere
  const found = account_number.replace(/[^0-9]/g, "").length
  const others = [...account_number].length - found
  if (others === 0 && digits.accepts(found)) return null
  const owner = bank === null ? "an account number has" : `${bank.name} account numbers have`
  const extra = others === 0 ? "" : ` and ${counted(others, "other character")}`
  return `${owner} ${digits.description} digits and nothing else; this one has ${counted(found, "digit")}${extra}`
}

/**
 * The fault of a payshap proxy; null when it is valid. A proxy is a South African mobile number in E.164 form (`+27`
 * and nine digits), or `name@bank` with text on both sides of one `@` and no spaces.
 *
 * The proxy is used exactly as given. Source: PAYSHAP-3, PAYSHAP-5, ERROR-3.
 */
export const proxyFault = (proxy: string): string | null => {
  if (!proxy.includes("@"))
    return /^\+27\d{9}$/.test(proxy) ? null : "a payshap mobile number is +27 and nine digits, without spaces"
  if (/\s/.test(proxy)) return "a payshap identifier has no spaces"
  const parts = proxy.split("@")
  if (parts.length > 2) return "a payshap identifier has one @"
  return parts.every((part) => part !== "") ? null : "a payshap identifier has a name before its @ and a bank after it"
}

/** The fault of an IBAN in its electronic form; null when its check digits are right (ISO 13616). */
export const ibanFault = (iban: string): string | null => {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban))
    return "an IBAN is a country, two check digits and 11 to 30 letters and digits"
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) =>
    Number.parseInt(letter, 36).toString()
  )
  return BigInt(digits) % 97n === 1n ? null : "the check digits of the IBAN are wrong: a character was changed"
}
