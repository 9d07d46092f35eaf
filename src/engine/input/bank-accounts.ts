/**
 * Validation of bank account numbers, IBANs and payshap proxies. It is structural only: it does not prove that an account
 * exists.
 */
import type { Bank } from "../ports/Provider.ts"
import { countryName } from "../reference/countries.ts"

/** The accepted number of digits of a bank's account numbers: a predicate, and its description. */
interface Digits {
  readonly accepts: (count: number) => boolean
  readonly description: string
}

const makeExactDigits = (...counts: ReadonlyArray<number>): Digits => ({
  accepts: (count) => counts.includes(count),
  description: counts.join(" or ")
})

const makeDigitRange = (least: number, most: number): Digits => ({
  accepts: (count) => count >= least && count <= most,
  description: `${least} to ${most}`
})

/** By universal branch code, which identifies a South African bank for every provider. */
const southAfrican: ReadonlyMap<string, Digits> = new Map([
  ["250655", makeExactDigits(11)], // FNB
  ["470010", makeExactDigits(10)], // Capitec
  ["198765", makeExactDigits(10)], // Nedbank
  ["051001", makeExactDigits(9, 11)], // Standard Bank
  ["632005", makeDigitRange(8, 11)] // Absa
])

const anySouthAfrican = makeDigitRange(8, 11)
const elsewhere = makeDigitRange(6, 20)

const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** How many characters the IBANs of a country have (ISO 13616), for each country that has its own. */
const ibanLengths: ReadonlyMap<string, number> = new Map(
  [
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18",
    "FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20",
    "LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24",
    "SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  ].flatMap((line) => line.split(" ").map((one) => [one.slice(0, 2), Number(one.slice(2))] as const))
)

/** Territories whose accounts have the IBANs of another country. */
const ibanCountries: ReadonlyMap<string, string> = new Map(
  ["FI AX", "FR BL GF GP MF MQ NC PF PM RE TF WF YT", "GB GG IM JE"].flatMap((line) => {
    const [country = "", ...territories] = line.split(" ")
    return territories.map((territory) => [territory, country] as const)
  })
)

const ibanCountryOf = (country_code: string): string => ibanCountries.get(country_code) ?? country_code

/** An IBAN in its electronic form: without spaces, in upper case. No account number and no payshap proxy has this form. */
const electronic = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/

/** Whether a text is meant as an IBAN: two letters and a digit. */
const isLikeIban = (text: string): boolean => /^[A-Z]{2}\d/.test(text)

/** Whether a text is an IBAN in its electronic form. Its check digits may be wrong. */
export const isIban = (text: string): boolean => electronic.test(text)

/** Whether accounts in the currency and country have an IBAN, which names their bank too. */
const hasIban = (currency: string, country_code: string): boolean =>
  currency === "EUR" && ibanLengths.has(ibanCountryOf(country_code))

/**
 * Converts an account number to the form that is stored, compared and sent to providers: an IBAN, of EUR alone, without spaces and in upper
 * case; any other text as it is.
 */
export const toStoredAccountNumber = (currency: string, account_number: string): string => {
  const text = account_number.replace(/\s/gu, "").toUpperCase()
  return currency === "EUR" && isLikeIban(text) ? text : account_number
}

/** Whether a stored account number needs its bank to identify an account. An IBAN does not, and an invalid one has its own error. */
export const needsBank = (currency: string, country_code: string, account_number: string): boolean =>
  !hasIban(currency, country_code) && !(currency === "EUR" && isLikeIban(account_number))

/** Formats an account number for responses: an IBAN in blocks of four. */
export const toShownAccountNumber = (account_number: string): string =>
  isIban(account_number) ? account_number.replace(/.{4}(?=.)/g, "$& ") : account_number

/** The fault of an IBAN in its electronic form; null when its length and check digits are right (ISO 13616). */
export const ibanFault = (iban: string): string | null => {
  if (!isIban(iban)) return "an IBAN is a country, two check digits and 11 to 30 letters and digits"
  const country = iban.slice(0, 2)
  const length = ibanLengths.get(country) ?? iban.length
  if (length !== iban.length) return `an IBAN of ${country} has ${length} characters; this one has ${iban.length}`
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) =>
    Number.parseInt(letter, 36).toString()
  )
  return BigInt(digits) % 97n === 1n ? null : "the check digits of the IBAN are wrong: a character was changed"
}

const describeCountry = (country_code: string): string =>
  `${countryName(country_code) ?? "a country"} (${country_code})`

/**
 * The fault of the account number of a bank beneficiary, as it is stored; null when it is valid. Not for the payshap rail, whose account
 * number is a proxy ({@link proxyFault}).
 *
 * An IBAN must be of the country. Otherwise only ASCII digits count, and no characters are stripped: the message names the bank, the
 * accepted number of digits and the number found. Source: ZAR-1, ZAR-2; BENEFICIARY-5 for every other currency (6 to 20 digits),
 * BENEFICIARY-10 for IBANs.
 */
export const accountNumberFault = (
  currency: string,
  country_code: string,
  bank: Pick<Bank, "name" | "code"> | null,
  account_number: string
): string | null => {
  if (currency === "EUR" && isLikeIban(account_number)) {
    const fault = ibanFault(account_number)
    const country = account_number.slice(0, 2)
    if (fault !== null || country === ibanCountryOf(country_code)) return fault
    return `this is an IBAN of ${describeCountry(country)}, but details.country_code is ${country_code}`
  }
  const digits = currency === "ZAR" ? (southAfrican.get(bank?.code ?? "") ?? anySouthAfrican) : elsewhere
  const found = account_number.replace(/[^0-9]/g, "").length
  const others = [...account_number].length - found
  if (bank === null && hasIban(currency, country_code))
    return `without provider_id it takes the IBAN of an account in ${describeCountry(country_code)}, or a bank beside an account number`
  if (others === 0 && digits.accepts(found)) return null
  const owner = bank === null ? "an account number has" : `${bank.name} account numbers have`
  const extra = others === 0 ? "" : ` and ${pluralize(others, "other character")}`
  return `${owner} ${digits.description} digits and nothing else; this one has ${pluralize(found, "digit")}${extra}`
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
