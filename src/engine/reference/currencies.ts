/**
 * The currencies of this service, as data, and the resolution of currency codes.
 * Source: CURRENCY-1, CURRENCY-2.
 */
import { formatAmount, type Scales } from "../../machines/kernel/money.ts"

const chains = ["base", "ethereum", "solana"] as const
type Chain = (typeof chains)[number]
export type Network = Chain | "bank"

/** The operations that a currency allows, the same for every caller (CURRENCY-2). */
export const capabilities = ["can_deposit", "can_onramp", "can_offramp", "can_convert", "can_transfer"] as const
export type Capability = (typeof capabilities)[number]

/**
 * One currency of one country.
 *
 * `id` never changes. `country_code` is null for a currency that no single country issues (crypto, EUR). `decimals` is
 * the precision of payments, `ledger_scale` that of balances. `requires_access`: usable only with a grant.
 * Law: rows with one code differ only in their country; type, scales and rates belong to the code.
 */
export interface Currency extends Scales, Readonly<Record<Capability, boolean>> {
  readonly id: string
  readonly code: string
  readonly country_code: string | null
  readonly name: string
  readonly type: "fiat" | "crypto"
  readonly networks: ReadonlyArray<Network>
  readonly requires_access: boolean
}

const makeFiat = (
  id: string,
  code: string,
  country_code: string | null,
  name: string,
  decimals: number,
  differs: Partial<Pick<Currency, "requires_access" | "can_onramp">> = {}
): Currency => ({
  id,
  code,
  country_code,
  name,
  type: "fiat",
  decimals,
  ledger_scale: decimals,
  networks: ["bank"],
  can_deposit: true,
  can_onramp: true,
  can_offramp: true,
  can_convert: true,
  can_transfer: false,
  requires_access: false,
  ...differs
})

const makeStablecoin = (id: string, code: string, name: string): Currency => ({
  id,
  code,
  country_code: null,
  name,
  type: "crypto",
  decimals: 2,
  ledger_scale: 6,
  networks: chains,
  can_deposit: true,
  can_onramp: true,
  can_offramp: true,
  can_convert: true,
  can_transfer: true,
  requires_access: false
})

const gated = { requires_access: true }

/** All currencies, ordered by code, then country. */
export const currencies: ReadonlyArray<Currency> = [
  makeFiat("cur_01kdvdna00z1xycwsrbt3dkf0t", "EUR", null, "Euro", 2, gated),
  makeFiat("cur_01kdvdna003trnbtvbbdb476gd", "GHS", "GH", "Ghanaian cedi", 2),
  makeFiat("cur_01kdvdna00e5rc1pty47wmhgka", "KES", "KE", "Kenyan shilling", 2),
  makeFiat("cur_01kdvdna00p0avx4amzq4ftqd1", "NGN", "NG", "Nigerian naira", 2),
  makeFiat("cur_01kdvdna007v524pb96wnv4xwb", "UGX", "UG", "Ugandan shilling", 0, { can_onramp: false }),
  makeFiat("cur_01kdvdna00qxw520kxewz6bbc5", "USD", "US", "United States dollar", 2, gated),
  makeStablecoin("cur_01kdvdna007caayps7gfve99x9", "USDC", "USD Coin"),
  makeStablecoin("cur_01kdvdna004mdzfmxb9c00pwfc", "USDT", "Tether USD"),
  makeFiat("cur_01kdvdna00aqnej97tbp32y0ge", "XOF", "CI", "West African CFA franc", 0, gated),
  makeFiat("cur_01kdvdna00mpc673q6gczx8dj2", "XOF", "SN", "West African CFA franc", 0, gated),
  makeFiat("cur_01kdvdna00qsgg9jggd2t5r6tb", "ZAR", "ZA", "South African rand", 2)
]

/**
 * The currency of a code and, if given, a country.
 *
 * - `unknown`: no currency has that code, or not in that country (404 `not_found`).
 * - `ambiguous`: several countries have the code and none was given (400 `invalid_input`); `countries` lists them.
 */
type CurrencyResolution =
  | { readonly _tag: "currency"; readonly currency: Currency }
  | { readonly _tag: "unknown" }
  | { readonly _tag: "ambiguous"; readonly countries: ReadonlyArray<string> }

/**
 * Resolves an uppercase code. A country distinguishes the currencies of one code; a currency without a country is found
 * under any. Source: CURRENCY-8, ACCESS-3.
 */
export const resolveCurrency = (code: string, country?: string | null): CurrencyResolution => {
  const candidates = currencies.filter((one) => one.code === code)
  const found =
    country === undefined || country === null
      ? candidates
      : candidates.filter((one) => one.country_code === null || one.country_code === country)
  const [currency] = found
  if (currency === undefined) return { _tag: "unknown" }
  if (found.length === 1) return { _tag: "currency", currency }
  return { _tag: "ambiguous", countries: found.flatMap((one) => one.country_code ?? []) }
}

const byCode = new Map(currencies.map((one) => [one.code, one]))

/**
 * Returns any currency of a code that is known to exist, for its type, scales, name and networks, which all currencies of the code share.
 * Throws `RangeError` for an unknown code: stored codes are always known.
 */
export const requireCurrency = (code: string): Currency => {
  const found = byCode.get(code)
  if (found === undefined) throw new RangeError(`unknown currency ${code}`)
  return found
}

export const isCurrencyCode = (code: string): boolean => byCode.has(code)

/** Whether a currency is issued on a network (`bank` for fiat). */
export const isOnNetwork = (currency: Currency, network: string): network is Network =>
  (currency.networks as ReadonlyArray<string>).includes(network)

/** Formats minor units as decimal text with the decimals of their currency (AMOUNT-2). Errors: as {@link requireCurrency}. */
export const displayAmount = (minor: bigint | string, currency: string): string =>
  formatAmount(BigInt(minor), requireCurrency(currency))

/** Formats an amount as {@link displayAmount} does, and null as null. */
export const displayAmountOrNull = (minor: string | null, currency: string): string | null =>
  minor === null ? null : displayAmount(minor, currency)
