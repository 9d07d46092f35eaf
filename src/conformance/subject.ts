/** What the kit can ask of a connector: what its manifest offers, narrowed by the options of the run. */
import { currencies } from "../engine/reference/currencies.ts"
import type { Service } from "../protocol/operations.ts"
import { Chance } from "../testing/program/random.ts"
import { findDecimals, findSmallestUnit, parseSignedUnits } from "./money.ts"
import type { JsonMembers } from "./exchange.ts"

/** An offer of the manifest. A member that is null means: all of them. */
export interface SubjectOffer {
  readonly operation: Service
  readonly currency: string | null
  readonly destination_currency: string | null
  readonly country_code: string | null
  readonly network: string | null
  readonly minimum: string | null
  readonly maximum: string | null
}

export interface SubjectManifest {
  readonly id: string | null
  readonly offers: ReadonlyArray<SubjectOffer>
  readonly events: { readonly callbacks: boolean; readonly readable: boolean }
}

/** Parses a manifest, even one that breaks the rules of its schema: a case reports that. */
export const parseManifest = (result: JsonMembers): SubjectManifest => {
  const list = Array.isArray(result["offers"]) ? (result["offers"] as ReadonlyArray<JsonMembers>) : []
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null)
  const events = (result["events"] ?? {}) as JsonMembers
  return {
    id: text(result["id"]),
    offers: list.map((offer) => ({
      operation: offer["operation"] as Service,
      currency: text(offer["currency"]),
      destination_currency: text(offer["destination_currency"]),
      country_code: text(offer["country_code"]),
      network: text(offer["network"]),
      minimum: text(offer["minimum"]),
      maximum: text(offer["maximum"])
    })),
    events: { callbacks: events["callbacks"] === true, readable: events["readable"] === true }
  }
}

/** Amounts in units of 10^-18, inclusive. */
export interface AmountRange {
  readonly decimals: number
  readonly least: bigint
  readonly most: bigint
  /** The limits of the offer; null: it has none. */
  readonly offered: { readonly least: bigint | null; readonly most: bigint | null }
}

/** What a run draws its commands from. */
export interface Wishes {
  readonly currency: string | undefined
  /** The largest amount that may move. */
  readonly max_amount: string | undefined
  /** Members of destinations that pay successfully. */
  readonly accounts: ReadonlyArray<Readonly<Record<string, string>>>
}

export interface PayoutTerms {
  readonly offer: SubjectOffer
  readonly currency: string
  readonly range: AmountRange
  readonly destinations: ReadonlyArray<JsonMembers>
}

export interface Pair {
  readonly offer: SubjectOffer
  readonly source: string
  readonly destination: string
  /** Units of the destination for one unit of the source. */
  readonly rate: string
  readonly range: AmountRange
}

/** How many units of a currency a dollar is worth, for amounts that are neither dust nor a fortune. Roughly. */
const perDollar: Readonly<Record<string, bigint>> = { NGN: 1000n, KES: 100n, GHS: 10n, UGX: 1000n, XOF: 100n, ZAR: 10n }

const parseUnits = (text: string | null | undefined): bigint | undefined =>
  text === null || text === undefined ? undefined : parseSignedUnits(text)

/**
 * Finds the range of amounts that cases draw: from the offer's minimum to about ten dollars above it, within the offer's maximum
 * and `max_amount`.
 */
const findAmountRange = (offer: SubjectOffer, currency: string, { max_amount }: Wishes): AmountRange => {
  const decimals = findDecimals(currency)
  const one = 10n ** 18n * (perDollar[currency] ?? 1n)
  const least = [parseUnits(offer.minimum) ?? 0n, findSmallestUnit(decimals)].reduce((a, b) => (a > b ? a : b))
  const limits = [parseUnits(offer.maximum), parseUnits(max_amount) ?? least + 10n * one].filter(
    (limit) => limit !== undefined
  )
  const most = limits.reduce((a, b) => (a < b ? a : b))
  return {
    decimals,
    least,
    most,
    offered: { least: parseUnits(offer.minimum) ?? null, most: parseUnits(offer.maximum) ?? null }
  }
}

/** Finds the first offer of an operation that has the currency; without a currency, the first offer. */
const findOffer = (
  manifest: SubjectManifest,
  operation: Service,
  currency: string | undefined
): SubjectOffer | undefined => {
  const all = manifest.offers.filter((offer) => offer.operation === operation)
  return currency === undefined
    ? (all.find((offer) => offer.currency !== null) ?? all[0])
    : all.find((offer) => offer.currency === currency || offer.currency === null)
}

/** Derives the id of a bank in the form that Corridor uses: it is the same each time. */
const deriveBankId = ({ code, country_code }: JsonMembers): string => {
  const chance = new Chance(`bank ${String(country_code)} ${String(code)}`)
  return `prov_${Array.from({ length: 26 }, () => chance.pick([..."0123456789abcdefghjkmnpqrstvwxyz"])).join("")}`
}

const makeDestination = (
  account: Readonly<Record<string, string>>,
  offer: SubjectOffer,
  currency: string,
  bank: JsonMembers | undefined
): JsonMembers => {
  const network = account["network"] ?? offer.network
  if (account["address"] !== undefined || (network ?? "bank") !== "bank")
    return { type: "crypto", network, address: account["address"] ?? null, memo: account["memo"] ?? null }
  const country = offer.country_code ?? currencies.find(({ code }) => code === currency)?.country_code ?? "NG"
  return {
    type: "fiat",
    country_code: account["country_code"] ?? country,
    network: "bank",
    account_number: account["account_number"] ?? "0690000031",
    account_name: account["account_name"] ?? null,
    bank_code: account["bank_code"] ?? bank?.["code"] ?? null,
    provider_id: account["provider_id"] ?? (bank === undefined ? null : deriveBankId(bank)),
    rail: account["rail"] ?? null
  }
}

/** What is known of the connector when the cases begin. */
export class Subject {
  readonly manifest: SubjectManifest
  readonly wishes: Wishes
  readonly #served: ReadonlySet<string>
  readonly #banks: ReadonlyArray<JsonMembers>
  readonly #rates: ReadonlyArray<JsonMembers>

  /** `served`: the operations without a command that the connector serves. */
  constructor(
    manifest: SubjectManifest,
    wishes: Wishes,
    found: {
      readonly served: ReadonlySet<string>
      readonly banks: ReadonlyArray<JsonMembers>
      readonly rates: ReadonlyArray<JsonMembers>
    }
  ) {
    this.manifest = manifest
    this.wishes = wishes
    this.#served = found.served
    this.#banks = found.banks
    this.#rates = found.rates
  }

  offers(service: Service): boolean {
    return this.manifest.offers.some(({ operation }) => operation === service)
  }

  /** Whether an operation without a command is served: `balances`, `statements`, `rates`, `banks`, `events`. */
  serves(operation: string): boolean {
    return this.#served.has(operation)
  }

  /** Why there are no payouts; otherwise their terms. */
  payouts(): PayoutTerms | string {
    const { currency: wished, accounts } = this.wishes
    const offer = findOffer(this.manifest, "payout", wished)
    if (offer === undefined) return wished === undefined ? "no payout is offered" : `no payout of ${wished} is offered`
    const currency = wished ?? offer.currency
    if (currency === null) return "the manifest names no currency of payouts: --currency chooses one"
    const given = accounts.length === 0 ? [{}] : accounts
    const destinations = given.map((account) => {
      const country = account["country_code"] ?? offer.country_code
      const bank = this.#banks.find((one) => country === null || one["country_code"] === country)
      return makeDestination(account, offer, currency, bank)
    })
    if (destinations.some((one) => one["type"] === "crypto" && one["address"] === null))
      return `a payout of ${currency} needs an address: --account network=…,address=… names one that may be paid`
    const range = findAmountRange(offer, currency, this.wishes)
    return range.least > range.most
      ? `--max-amount is less than the smallest payout, ${offer.minimum}`
      : { offer, currency, range, destinations }
  }

  /** The currency and the country of addresses and pay-ins. */
  payins(service: "issue" | "payin"): { readonly offer: SubjectOffer; readonly currency: string } | string {
    const { currency: wished } = this.wishes
    const offer = findOffer(this.manifest, service, wished) ?? findOffer(this.manifest, service, undefined)
    if (offer === undefined) return `${service === "issue" ? "no address" : "no pay-in"} is offered`
    const currency = offer.currency ?? wished
    return currency === undefined
      ? "the manifest names no currency of pay-ins: --currency chooses one"
      : { offer, currency }
  }

  /** The pair of a conversion, with its rate. */
  conversions(): Pair | string {
    const offer =
      findOffer(this.manifest, "conversion", this.wishes.currency) ?? findOffer(this.manifest, "conversion", undefined)
    if (offer === undefined) return "no conversion is offered"
    const source = offer.currency ?? this.wishes.currency
    const destination = offer.destination_currency ?? (source === "USDC" ? "NGN" : "USDC")
    if (source === undefined) return "the manifest names no currency of conversions: --currency chooses one"
    const rate = this.#rateOf(source, destination)
    if (rate === undefined) return `the connector has no rate from ${source} to ${destination}`
    const range = findAmountRange(offer, source, this.wishes)
    return range.least > range.most
      ? `--max-amount is less than the smallest conversion, ${offer.minimum}`
      : { offer, source, destination, rate, range }
  }

  /** Where money comes from and goes to, at the mid rates through USD, to twelve decimals. */
  #rateOf(source: string, destination: string): string | undefined {
    const perUsd = (currency: string): bigint | undefined => {
      if (currency === "USD") return 10n ** 18n
      const found = this.#rates.find((one) => one["base"] === "USD" && one["quote"] === currency)
      return parseSignedUnits(found?.["rate"])
    }
    const [given, taken] = [perUsd(source), perUsd(destination)]
    if (given === undefined || taken === undefined || given === 0n) return undefined
    const rate = (taken * 10n ** 12n) / given
    const text = rate.toString().padStart(13, "0")
    return `${text.slice(0, -12)}.${text.slice(-12)}`.replace(/\.?0+$/, "")
  }
}
