/**
 * The details of a beneficiary, the account or address that is paid: their validation, and their resolution by the provider
 * (BENEFICIARY-4, BENEFICIARY-5, BENEFICIARY-8, BENEFICIARY-9, PAYSHAP-1 to PAYSHAP-8, ZAR-1 to ZAR-5).
 */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Context, Effect, Schema } from "effect"
import type { CryptoDetails, FiatDetails, PayoutDestination } from "../../../machines/parties/summaries.ts"
import { accountNumberFault, needsBank, proxyFault, toStoredAccountNumber } from "../../input/bank-accounts.ts"
import { addressFault, explainLoss } from "../../input/addresses.ts"
import type { Call } from "../../commit/call.ts"
import {
  AccountResolutionFailed,
  BadRequest,
  ExternalServiceUnavailable,
  makeFieldRefusal,
  Forbidden,
  invalid,
  type InvalidInput,
  NotFound
} from "../../ports/errors.ts"
import { type HolderDocument, Providers } from "../../ports/Provider.ts"
import { makeDirectory } from "../reference/reference.ts"
import { type Currency, requireCurrency, resolveCurrency } from "../../reference/currencies.ts"
import { CountryCode, describe, hasPrefix, Optional, Secret, Text, TextOrEmpty } from "../../input/schemas.ts"
import { idTypes } from "./customer.ts"
import { Access } from "../access/access.ts"
import { checkCountry, requireOnNetwork } from "../../input/field-checks.ts"
import { compareNames } from "../../input/name-match.ts"
import { NameMatchPolicy } from "../../settings/settings.ts"

/** Whether payshap is enabled (PAYSHAP-6). The provider can disable it too. */
export const Payshap = Context.Reference<boolean>("corridor/engine/Payshap", { defaultValue: () => true })

/** The bank in a request: its id in `provider_id`, or `provider` as an object with the id, or as the id itself. */
export const BankInput = {
  provider_id: Optional(
    TextOrEmpty(64),
    "The id of the bank, from `GET /v1/providers`. Required for a bank account without an IBAN, and ignored with `rail` `payshap`.",
    "prov_01j9z3k4m5n6p7q8r9s0t1v2w3"
  ),
  provider: Optional(
    Schema.NullOr(
      Schema.Union([
        TextOrEmpty(64),
        Schema.Struct({
          id: describe(TextOrEmpty(64), "The id of the bank.", "prov_01j9z3k4m5n6p7q8r9s0t1v2w3"),
          name: Optional(TextOrEmpty(255), "The name of the bank. It is ignored.", "Access Bank"),
          code: Optional(TextOrEmpty(64), "The bank's code. It is ignored.", "044"),
          country_code: Optional(TextOrEmpty(64), "The bank's country. It is ignored.", "NG")
        }).annotate({ identifier: "BankInput", description: "A bank, as responses show it." })
      ])
    ).annotate({ expected: "an object with the id of a bank, or the id itself" }),
    "The bank as responses show it, or its id: another way to send `provider_id`.",
    { id: "prov_01j9z3k4m5n6p7q8r9s0t1v2w3" }
  )
} as const

interface BankInput {
  readonly provider_id?: string | null
  readonly provider?: string | { readonly id: string } | null
}

/** Reads the id of the bank; null when none is named. Errors: `InvalidInput` when the two fields name different banks. */
export const readBank = ({ provider, provider_id }: BankInput): Effect.Effect<string | null, InvalidInput> => {
  const fromProvider = (typeof provider === "string" ? provider : provider?.id) ?? null
  return fromProvider !== null && (provider_id ?? fromProvider) !== fromProvider
    ? Effect.fail(
        invalid(
          "details.provider",
          `details.provider is ${JSON.stringify(fromProvider)}, but details.provider_id is ${JSON.stringify(provider_id)}. Specify only one of them, or the same bank in both.`
        )
      )
    : Effect.succeed(provider_id ?? fromProvider)
}

/** It is sent to the provider with the question for the holder of the account, and stored nowhere. */
export const HolderDocumentInput = Optional(
  Schema.Struct({
    id_type: describe(
      Schema.Literals([...idTypes, "business_registration"]),
      "The type of the identity document.",
      "national_id"
    ),
    id_number: describe(Secret(64), "The number of the identity document. It is not stored.", "8001015009087")
  }).annotate({ identifier: "HolderDocumentInput", description: "The identity document of an account's holder." }),
  "fiat: the identity document of the account's holder, where the bank asks for one to say whose the account is (ZA). It is sent to the provider and not stored."
)

/**
 * The details of either type. `fiat` requires country_code, network, account_number and, unless the rail is payshap or the account has
 * an IBAN, provider_id or provider; `crypto` requires network and address.
 */
export const DetailsInput = Schema.Struct({
  country_code: Optional(CountryCode, "fiat: the country of the account, ISO 3166-1 alpha-2. Required."),
  network: Optional(Text(32), "Required. fiat: `bank`. crypto: a network of the currency.", "bank", "base"),
  account_number: Optional(
    TextOrEmpty(128),
    "fiat: the account number. Of EUR, the IBAN of the account, however it is spaced. With `rail` `payshap`, the recipient's mobile number in E.164 form, or name@bank. Required.",
    "0123456789",
    "DE89 3704 0044 0532 0130 00"
  ),
  ...BankInput,
  account_name: Optional(
    Text(255),
    "fiat: the name of the account holder. Default: as the bank resolves it.",
    "ADA OBI"
  ),
  rail: Optional(
    Schema.Literals(["payshap"]),
    "fiat: how the money reaches the account. `payshap` is for ZAR in ZA. Default: the country's default."
  ),
  address: Optional(
    TextOrEmpty(128),
    "crypto: the address on the network. Required.",
    "0x52908400098527886E0F7030069857D2E4169EE7"
  ),
  holder_document: HolderDocumentInput,
  memo: Optional(
    Text(255),
    "crypto: the memo that the recipient requires. Paid by Corridor's own wallets it has at most 724 bytes in UTF-8 on Solana, and there is none on `base` and `ethereum`.",
    "104277"
  )
}).annotate({
  identifier: "DetailsInput",
  description:
    "fiat: country_code, network (bank), account_number, provider_id or provider (not with rail payshap, nor needed with an IBAN), account_name?, rail?, holder_document?. " +
    "crypto: network, address, memo?."
})
export type DetailsInput = typeof DetailsInput.Type

/** A bank account or payshap proxy from a request that has all required members. `account_number`: as it is stored. */
export interface FiatGiven {
  readonly country_code: string
  readonly network: string
  readonly account_number: string
  readonly provider_id: string | null
  readonly account_name: string | null
  readonly rail: "payshap" | null
  /** Never stored. */
  readonly holder_document: HolderDocument | null
}

type CryptoGiven = CryptoDetails

const requireMembers = Effect.fnUntraced(function* (
  details: Readonly<Partial<Record<keyof DetailsInput, unknown>>>,
  names: ReadonlyArray<keyof DetailsInput>
) {
  const errors = names
    .filter((name) => details[name] === undefined || details[name] === null)
    .map((name) => ({ field: `details.${name}`, code: "required" as const, message: `details.${name} is missing.` }))
  const [first] = errors
  if (first !== undefined) return yield* new BadRequest({ message: first.message, errors })
})

/** Reads fiat details from a request. Errors: `BadRequest` when a required member is missing; `InvalidInput` for two different banks. */
export const readFiatDetails = Effect.fnUntraced(function* (currency: string, details: DetailsInput) {
  const rail = details.rail ?? null
  const provider_id = rail === null ? yield* readBank(details) : null
  const { country_code = "", network = "" } = details
  const account_number = toStoredAccountNumber(currency, details.account_number ?? "")
  yield* requireMembers({ ...details, provider_id }, [
    "country_code",
    "network",
    "account_number",
    ...(rail === null && needsBank(currency, country_code, account_number) ? (["provider_id"] as const) : [])
  ])
  const account_name = details.account_name ?? null
  const holder_document = details.holder_document ?? null
  return {
    ...{ country_code, network, account_number, provider_id, account_name, rail, holder_document }
  } satisfies FiatGiven as FiatGiven
})

/** Reads crypto details from a request. Errors: `BadRequest` when a required member is missing; `InvalidInput` for a rail. */
export const readCryptoDetails = Effect.fnUntraced(function* (details: DetailsInput) {
  yield* requireMembers(details, ["network", "address"])
  if ((details.rail ?? null) !== null)
    return yield* invalid("details.rail", `details.rail is ${details.rail}. A crypto beneficiary has no rail.`)
  return {
    network: details.network ?? "",
    address: details.address ?? "",
    memo: details.memo ?? null
  } satisfies CryptoGiven as CryptoGiven
})

/** Converts details to the destination of a payout, as the provider receives it. */
export const toPayoutDestination = (details: FiatDetails | CryptoDetails): PayoutDestination =>
  "address" in details
    ? { type: "crypto", network: details.network, address: details.address, memo: details.memo }
    : {
        type: "fiat",
        country_code: details.country_code,
        network: "bank",
        account_number: details.account_number,
        account_name: details.account_name,
        provider_id: details.provider?.id ?? null,
        bank_code: details.provider?.code ?? null,
        rail: details.rail ?? null
      }

/** Requires the currency to be of the beneficiary's type. Errors: `InvalidInput`. */
const requireType = (currency: Currency, type: "fiat" | "crypto") =>
  currency.type === type
    ? Effect.void
    : Effect.fail(
        invalid(
          "currency",
          `${currency.code} is a ${currency.type} currency, but the beneficiary has the type ${type}.`
        )
      )

const makeDeps = Effect.all({
  directory: makeDirectory,
  access: Access,
  isPayshapOn: Payshap,
  policy: NameMatchPolicy,
  providers: Providers
})
type Deps = Effect.Success<typeof makeDeps>

const findBank = Effect.fnUntraced(function* ({ directory }: Deps, provider_id: string) {
  if (!hasPrefix("prov", provider_id))
    return yield* invalid("details.provider_id", "details.provider_id must be an id that starts with prov_.")
  return (
    (yield* directory.bank(provider_id)) ??
    (yield* new NotFound({ message: `There is no provider ${JSON.stringify(provider_id)}.` }))
  )
})

/** Asks the provider for the account name of a payshap proxy. Errors: see PAYSHAP-5 and PAYSHAP-6. */
const resolveProxyHolder = Effect.fnUntraced(function* (
  { isPayshapOn, directory }: Deps,
  merchant_id: string,
  proxy: string
) {
  const name = "details.account_number"
  if (!isPayshapOn) return yield* new Forbidden({ message: "Payshap is disabled." })
  const fault = proxyFault(proxy)
  if (fault !== null) return yield* invalid(name, `${name} is not a payshap proxy: ${fault}.`)
  const resolution = yield* directory.resolveProxy(merchant_id, proxy)
  switch (resolution._tag) {
    case "resolved":
      return resolution.account_name
    case "unregistered":
      return yield* invalid(name, `${name} is an unregistered payshap proxy.`)
    case "no_answer":
      return yield* invalid(name, `${name} could not be resolved: the recipient's bank did not respond.`)
    case "unavailable":
      return yield* new ExternalServiceUnavailable({
        message: "Payshap is unavailable. Nothing was written. Retry the request later."
      })
    case "switched_off":
      return yield* new Forbidden({ message: "Payshap is disabled." })
  }
})

/**
 * Checks that payouts in the currency can reach the country and network. Errors: `ProhibitedCountry`; `InvalidInput` when rail, network,
 * currency and country do not match; `ResourceAccessRequired`.
 */
const checkRoute = Effect.fnUntraced(function* (
  { access }: Deps,
  call: Call,
  code: string,
  { country_code, network, rail }: FiatGiven
) {
  yield* checkCountry("details.country_code", country_code)
  if (rail === "payshap" && (code !== "ZAR" || country_code !== "ZA" || network !== "bank"))
    return yield* invalid("details.rail", "The payshap rail requires network bank, currency ZAR and country ZA.")
  yield* requireType(requireCurrency(code), "fiat")
  yield* requireOnNetwork("details.network", requireCurrency(code), network)
  if (resolveCurrency(code, country_code)._tag !== "currency")
    return yield* invalid(
      "details.country_code",
      `Payouts in ${code} to accounts in ${country_code} are not supported.`
    )
  yield* access.currency(call, code, country_code)
})

/**
 * Adds to the details how well the holder's name matches the given one: `account_name`, or else the beneficiary's `name`. For an IBAN
 * without a bank, and an account whose provider cannot name the holder, no name is known. Errors: `AccountResolutionFailed` if the names
 * have nothing in common, and the policy refuses that.
 */
const matchHolderName = Effect.fnUntraced(function* (
  { policy }: Deps,
  details: FiatDetails,
  account_name: string | null,
  name: string
) {
  const isResolved = details.unchecked !== true && (details.provider !== null || details.rail === "payshap")
  const holder = isResolved ? details.account_name : null
  const given = account_name ?? name
  const name_match = holder === null ? null : compareNames(given, holder)
  if (name_match === "none" && policy === "refuse") {
    const path = account_name === null ? "name" : "details.account_name"
    return yield* new AccountResolutionFailed(
      makeFieldRefusal(
        path,
        "invalid_value",
        `${path} is ${JSON.stringify(given)}, but the account belongs to ${JSON.stringify(holder)}: the names have nothing in common.`
      )
    )
  }
  return { ...details, name_match } satisfies FiatDetails as FiatDetails
})

/**
 * Validates fiat details and resolves the account holder with the provider; of an IBAN without a bank, the holder is as given. `code`: a
 * known currency; `beneficiary`: its name.
 *
 * Errors: `NotFound` for an unknown bank; `ProhibitedCountry`; `InvalidInput` when bank, rail, currency and country do not
 * match, for an invalid account number, and for a proxy that does not resolve; `ResourceAccessRequired`; `Forbidden` while
 * payshap is disabled; `AccountResolutionFailed`; `ExternalServiceUnavailable` when the provider does not respond.
 */
const resolveFiat = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  code: string,
  given: FiatGiven,
  beneficiary: string
) {
  const { directory } = deps
  const { account_name, account_number, country_code, network, provider_id, rail } = given
  if (rail === null && provider_id === null && needsBank(code, country_code, account_number))
    yield* requireMembers({}, ["provider_id"])
  const listed = rail === null && provider_id !== null ? yield* findBank(deps, provider_id) : null
  yield* checkRoute(deps, call, code, given)
  if (rail === "payshap") {
    const account_name = yield* resolveProxyHolder(deps, call.merchant_id, account_number)
    return {
      country_code,
      network,
      account_number,
      provider: null,
      rail: "payshap",
      account_name
    } satisfies FiatDetails as FiatDetails
  }
  const bank = listed?.bank ?? null
  if (bank !== null && bank.country_code !== country_code)
    return yield* invalid(
      "details.provider_id",
      `${bank.name} is a bank in ${bank.country_code}, but the account is in ${country_code}.`
    )
  const fault = accountNumberFault(code, country_code, bank, account_number)
  if (fault !== null) return yield* invalid("details.account_number", `details.account_number: ${fault}.`)
  if (listed === null || bank === null)
    return { country_code, network, account_number, provider: null, account_name } satisfies FiatDetails as FiatDetails
  const resolution = yield* directory.resolveAccount(listed.provider, {
    country_code,
    bank,
    account_number,
    account_name,
    name: beneficiary,
    ...(given.holder_document && { holder_document: given.holder_document })
  })
  if (resolution._tag === "unresolved")
    return yield* new AccountResolutionFailed(
      makeFieldRefusal(
        "details.account_number",
        "invalid_value",
        `${bank.name} has no account with the number in details.account_number.`
      )
    )
  const { id, name, code: bankCode } = bank
  return {
    country_code,
    network,
    account_number,
    provider: { id, name, code: bankCode },
    ...(resolution._tag === "unchecked"
      ? { account_name, unchecked: true as const }
      : { account_name: resolution.account_name })
  } satisfies FiatDetails as FiatDetails
})

/**
 * Validates crypto details. `code`: a known currency.
 *
 * Errors: `InvalidInput` for a currency that is not crypto or not issued on the network, for an invalid address, for one at which what
 * is paid would be lost, and for a memo that a provider of the network cannot send; `ResourceAccessRequired`.
 */
const resolveCrypto = Effect.fnUntraced(function* (
  { access, providers }: Deps,
  call: Call,
  code: string,
  given: CryptoGiven
) {
  const currency = requireCurrency(code)
  yield* requireType(currency, "crypto")
  yield* requireOnNetwork("details.network", currency, given.network)
  const fault = addressFault(given.network, given.address)
  if (fault !== null)
    return yield* invalid("details.address", `details.address is not a valid address on ${given.network}: ${fault}.`)
  const isToken = providers.all.some(({ addresses }) => addresses?.isToken?.(given.network, given.address) === true)
  const loss = explainLoss(given.network, given.address) ?? (isToken ? "the contract of a token itself" : null)
  if (loss !== null)
    return yield* invalid(
      "details.address",
      `details.address is ${JSON.stringify(given.address)}, ${loss}. What is paid to it is lost: take the recipient's own address.`
    )
  const { memo, network } = given
  const wrong = providers.all
    .flatMap(({ addresses }) => (memo && addresses?.memoFault?.(network, memo)) ?? [])
    .find(Boolean)
  if (wrong !== undefined) return yield* invalid("details.memo", `details.memo ${wrong}.`)
  yield* access.currency(call, code, null)
  return given
})

export const makeDetails = Effect.map(makeDeps, (deps) =>
  bindFirst(deps, { matchHolderName, fiat: resolveFiat, crypto: resolveCrypto })
)
