/** The form of bank account numbers and payshap proxies. Structural only: nothing proves that an account exists. */
import type { Bank } from "../ports/Provider.ts"

/** How many digits a bank's account numbers have, and how a person says it. */
interface Digits {
  readonly takes: (count: number) => boolean
  readonly description: string
}

const exactly = (...counts: ReadonlyArray<number>): Digits => ({
  takes: (count) => counts.includes(count),
  description: counts.join(" or ")
})

const between = (least: number, most: number): Digits => ({
  takes: (count) => count >= least && count <= most,
  description: `${least} to ${most}`
})

/** By universal branch code, which is what identifies a South African bank whoever the provider is. */
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
 * What is wrong with the account number of a bank beneficiary; null when nothing is. Not for the payshap rail, whose
 * account number is a proxy ({@link proxyFault}).
 *
 * Only ASCII digits count, and nothing is stripped. The message names the bank, the digits it takes and those found.
 * Source: ZAR-1, ZAR-2; BENEFICIARY-5 for every other currency (6 to 20 digits).
 */
export const accountNumberFault = (
  currency: string,
  bank: Pick<Bank, "name" | "code"> | null,
  account_number: string
): string | null => {
  const digits = currency === "ZAR" ? (southAfrican.get(bank?.code ?? "") ?? anySouthAfrican) : elsewhere
  const found = account_number.replace(/[^0-9]/g, "").length
  const others = [...account_number].length - found
  if (others === 0 && digits.takes(found)) return null
  const owner = bank === null ? "an account number has" : `${bank.name} account numbers have`
  const extra = others === 0 ? "" : ` and ${counted(others, "other character")}`
  return `${owner} ${digits.description} digits and nothing else; this one has ${counted(found, "digit")}${extra}`
}

/**
 * What is wrong with the form of a payshap proxy; null when nothing is. A proxy is a South African mobile number in
 * E.164 form (`+27` and nine digits), or `name@bank` with something on either side of one `@` and no space.
 *
 * The proxy is taken exactly as given. Source: PAYSHAP-3, PAYSHAP-5, ERROR-3.
 */
export const proxyFault = (proxy: string): string | null => {
  if (!proxy.includes("@"))
    return /^\+27\d{9}$/.test(proxy) ? null : "a payshap mobile number is +27 and nine digits, without spaces"
  if (/\s/.test(proxy)) return "a payshap identifier has no spaces"
  const parts = proxy.split("@")
  if (parts.length > 2) return "a payshap identifier has one @"
  return parts.every((part) => part !== "") ? null : "a payshap identifier has a name before its @ and a bank after it"
}
