/**
 * Where a beneficiary is paid: what its details must hold, and what the provider says of them (BENEFICIARY-4,
 * BENEFICIARY-5, PAYSHAP-1 to PAYSHAP-8, ZAR-1 to ZAR-5).
 */
import { Context, Effect, Schema } from "effect"
import type { CryptoDetails, FiatDetails, PayoutDestination } from "../../../machines/parties/summaries.ts"
import { accountNumberFault, proxyFault } from "../../input/bank-accounts.ts"
import { addressFault } from "../../input/addresses.ts"
import type { Call } from "../../commit/call.ts"
import {
  AccountResolutionFailed,
  BadRequest,
  ExternalServiceUnavailable,
  field,
  Forbidden,
  invalid,
  type InvalidInput,
  NotFound
} from "../../ports/errors.ts"
import { Provider } from "../../ports/Provider.ts"
import { type Currency, currencyOf, resolveCurrency } from "../../reference/currencies.ts"
import { CountryCode, hasPrefix, Optional, Text, TextOrEmpty } from "../../input/schemas.ts"
import { Access } from "../access/access.ts"
import { notProhibited } from "../../input/countries.ts"
import { onNetwork } from "../../input/networks.ts"
import { answerOf } from "../../calls/provider-call.ts"

/** Whether payshap may be used at all (PAYSHAP-6). The provider may switch it off too. */
export const Payshap = Context.Reference<boolean>("corridor/engine/Payshap", { defaultValue: () => true })

/** Which bank, in a request: its id in `provider_id`, or `provider` as the resource shows it or as the id alone. */
export const BankInput = {
  provider_id: Optional(TextOrEmpty(64)),
  provider: Optional(
    Schema.NullOr(
      Schema.Union([
        TextOrEmpty(64),
        Schema.Struct({ id: TextOrEmpty(64), name: Optional(TextOrEmpty(255)), code: Optional(TextOrEmpty(64)) })
      ])
    ).annotate({ expected: "an object with the id of a bank, or that id" })
  )
} as const

interface BankInput {
  readonly provider_id?: string | null
  readonly provider?: string | { readonly id: string } | null
}

/** Errors: `InvalidInput` where the two name different banks. */
export const bankGiven = ({ provider, provider_id }: BankInput): Effect.Effect<string | null, InvalidInput> => {
  const shown = (typeof provider === "string" ? provider : provider?.id) ?? null
  return shown !== null && (provider_id ?? shown) !== shown
    ? Effect.fail(
        invalid(
          "details.provider",
          `details.provider is ${JSON.stringify(shown)} and details.provider_id ${JSON.stringify(provider_id)}. Give one of them, or the same.`
        )
      )
    : Effect.succeed(provider_id ?? shown)
}

/**
 * The details of either type. `fiat` requires country_code, network, account_number and, unless the rail is payshap,
 * provider_id or provider; `crypto` requires network and address.
 */
export const DetailsInput = Schema.Struct({
  country_code: Optional(CountryCode),
  network: Optional(Text(32)),
  account_number: Optional(TextOrEmpty(128)),
  ...BankInput,
  account_name: Optional(Text(255)),
  rail: Optional(Schema.Literals(["payshap"])),
  address: Optional(TextOrEmpty(128)),
  memo: Optional(Text(255))
}).annotate({
  description:
    "fiat: country_code, network (bank), account_number, provider_id or provider (not with rail payshap), account_name?, rail?. " +
    "crypto: network, address, memo?."
})
export type DetailsInput = typeof DetailsInput.Type

/** A bank account or payshap proxy as it was asked for, its form known to be right. */
export interface FiatGiven {
  readonly country_code: string
  readonly network: string
  readonly account_number: string
  readonly provider_id: string | null
  readonly account_name: string | null
  readonly rail: "payshap" | null
}

type CryptoGiven = CryptoDetails

const requireAll = Effect.fnUntraced(function* (
  details: Readonly<Partial<Record<keyof DetailsInput, unknown>>>,
  names: ReadonlyArray<keyof DetailsInput>
) {
  const errors = names
    .filter((name) => details[name] === undefined || details[name] === null)
    .map((name) => ({ field: `details.${name}`, code: "required" as const, message: `details.${name} is missing.` }))
  const [first] = errors
  if (first !== undefined) return yield* new BadRequest({ message: first.message, errors })
})

/** Errors: `BadRequest` when a member that fiat details take is missing; `InvalidInput` for two banks. */
export const fiatGiven = Effect.fnUntraced(function* (details: DetailsInput) {
  const rail = details.rail ?? null
  const provider_id = rail === null ? yield* bankGiven(details) : null
  yield* requireAll({ ...details, provider_id }, [
    "country_code",
    "network",
    "account_number",
    ...(rail === null ? (["provider_id"] as const) : [])
  ])
  return {
    country_code: details.country_code ?? "",
    network: details.network ?? "",
    account_number: details.account_number ?? "",
    provider_id,
    account_name: details.account_name ?? null,
    rail
  } satisfies FiatGiven as FiatGiven
})

/** Errors: `BadRequest` when a member that crypto details take is missing; `InvalidInput` for a rail, which is a bank's. */
export const cryptoGiven = Effect.fnUntraced(function* (details: DetailsInput) {
  yield* requireAll(details, ["network", "address"])
  if ((details.rail ?? null) !== null) {
    return yield* invalid("details.rail", `details.rail is ${details.rail}. A crypto beneficiary has no rail.`)
  }
  return {
    network: details.network ?? "",
    address: details.address ?? "",
    memo: details.memo ?? null
  } satisfies CryptoGiven as CryptoGiven
})

/** What the provider is told of where the money goes. */
export const destinationOf = (details: FiatDetails | CryptoDetails): PayoutDestination =>
  "address" in details
    ? { type: "crypto", network: details.network, address: details.address, memo: details.memo }
    : {
        type: "fiat",
        country_code: details.country_code,
        network: "bank",
        account_number: details.account_number,
        account_name: details.account_name,
        provider_id: details.provider?.id ?? null,
        rail: details.rail ?? null
      }

/** Errors: `InvalidInput` when the beneficiary's currency is of the other type. */
const ofType = (currency: Currency, type: "fiat" | "crypto") =>
  currency.type === type
    ? Effect.void
    : Effect.fail(
        invalid("currency", `${currency.code} is a ${currency.type} currency, and the beneficiary is of type ${type}.`)
      )

export const makeDetails = Effect.gen(function* () {
  const provider = yield* Provider
  const access = yield* Access
  const isPayshapOn = yield* Payshap

  const bankOf = Effect.fnUntraced(function* (provider_id: string) {
    if (!hasPrefix("prov", provider_id)) {
      return yield* invalid("details.provider_id", "details.provider_id takes an id that begins with prov_.")
    }
    const banks = yield* answerOf("its list of banks", provider.banks(null))
    const bank = banks.find((one) => one.id === provider_id)
    return bank ?? (yield* new NotFound({ message: `There is no provider ${JSON.stringify(provider_id)}.` }))
  })

  /** The name a payshap proxy stands for. Errors: see PAYSHAP-5 and PAYSHAP-6. */
  const holderOfProxy = Effect.fnUntraced(function* (proxy: string) {
    const name = "details.account_number"
    if (!isPayshapOn) return yield* new Forbidden({ message: "Payshap is switched off." })
    const fault = proxyFault(proxy)
    if (fault !== null) return yield* invalid(name, `${name} is not a payshap proxy: ${fault}.`)
    const resolution = yield* answerOf("the holder of the payshap proxy", provider.resolveProxy(proxy))
    switch (resolution._tag) {
      case "resolved":
        return resolution.account_name
      case "unregistered":
        return yield* invalid(name, `${name} is a payshap proxy that is not registered.`)
      case "no_answer":
        return yield* invalid(name, `${name} could not be resolved: the recipient's bank does not answer.`)
      case "unavailable":
        return yield* new ExternalServiceUnavailable({
          message: "Payshap is unavailable. Nothing was written. Retry the request later."
        })
      case "switched_off":
        return yield* new Forbidden({ message: "Payshap is switched off." })
    }
  })

  /** Errors: `InvalidInput` where rail, currency and country do not fit together; `ResourceAccessRequired`. */
  const payable = Effect.fnUntraced(function* (call: Call, code: string, { country_code, network, rail }: FiatGiven) {
    yield* notProhibited("details.country_code", country_code)
    if (rail === "payshap" && (code !== "ZAR" || country_code !== "ZA" || network !== "bank")) {
      return yield* invalid("details.rail", "The payshap rail takes network bank, currency ZAR and country ZA.")
    }
    yield* ofType(currencyOf(code), "fiat")
    yield* onNetwork("details.network", currencyOf(code), network)
    if (resolveCurrency(code, country_code)._tag !== "currency") {
      return yield* invalid("details.country_code", `${code} is not paid to accounts in ${country_code}.`)
    }
    yield* access.currency(call, code, country_code)
  })

  return {
    /**
     * Fiat details, their holder resolved with the provider. `code` is a known currency's.
     *
     * Errors: `NotFound` for an unknown bank; `ProhibitedCountry`; `InvalidInput` for what does not fit together, an
     * account number of the wrong form, or a proxy that leads nowhere; `ResourceAccessRequired`; `Forbidden` while payshap
     * is switched off; `AccountResolutionFailed`; `ExternalServiceUnavailable`.
     */
    fiat: Effect.fnUntraced(function* (call: Call, code: string, given: FiatGiven) {
      const { country_code, network, account_number } = given
      const bank = given.rail === null ? yield* bankOf(given.provider_id ?? "") : null
      yield* payable(call, code, given)
      if (bank === null) {
        const account_name = yield* holderOfProxy(account_number)
        return {
          country_code,
          network,
          account_number,
          provider: null,
          rail: "payshap",
          account_name
        } satisfies FiatDetails as FiatDetails
      }
      if (bank.country_code !== country_code) {
        return yield* invalid(
          "details.provider_id",
          `${bank.name} is a bank of ${bank.country_code}, and the account is in ${country_code}.`
        )
      }
      const fault = accountNumberFault(code, bank, account_number)
      if (fault !== null) return yield* invalid("details.account_number", `details.account_number: ${fault}.`)
      const { account_name } = given
      const resolution = yield* answerOf(
        "the account holder",
        provider.resolveAccount({ country_code, bank, account_number, account_name })
      )
      if (resolution._tag === "unresolved") {
        return yield* new AccountResolutionFailed(
          field(
            "details.account_number",
            "invalid_value",
            `${bank.name} does not know the account number in details.account_number.`
          )
        )
      }
      const { id, name, code: bankCode } = bank
      return {
        country_code,
        network,
        account_number,
        provider: { id, name, code: bankCode },
        account_name: resolution.account_name
      } satisfies FiatDetails as FiatDetails
    }),

    /**
     * Crypto details. `code` is a known currency's.
     *
     * Errors: `InvalidInput` for a currency that is not crypto or not issued on the network, and for what is no address
     * of the network; `ResourceAccessRequired`.
     */
    crypto: Effect.fnUntraced(function* (call: Call, code: string, given: CryptoGiven) {
      const currency = currencyOf(code)
      yield* ofType(currency, "crypto")
      yield* onNetwork("details.network", currency, given.network)
      const fault = addressFault(given.network, given.address)
      if (fault !== null)
        return yield* invalid("details.address", `details.address is no address on ${given.network}: ${fault}.`)
      yield* access.currency(call, code, null)
      return given
    })
  }
})
