/** Beneficiaries (BENEFICIARY-1). */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Equal, Layer, Schema } from "effect"
import { Beneficiary, type BeneficiaryData, type BeneficiaryEvent } from "../../../machines/parties/beneficiary.ts"
import type { FiatDetails } from "../../../machines/parties/summaries.ts"
import type { Call } from "../../commit/call.ts"
import { begin } from "../../commit/steps.ts"
import { Conflict, invalid, type InvalidInput } from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { Routes } from "../../calls/Routes.ts"
import { normalizeAddress } from "../../input/addresses.ts"
import { isIban, toStoredAccountNumber } from "../../input/bank-accounts.ts"
import { findCurrency } from "../../input/amounts.ts"
import { beneficiaryBody } from "../../representations/parties/beneficiary.ts"
import { CurrencyCode, describe, listing, Metadata, Optional, Text, TextOrEmpty } from "../../input/schemas.ts"
import { inCurrency, label, merchantReference, ofCustomer, makeWordFilter, owner } from "../../input/members.ts"
import { EXACT_KEY, Storage } from "../../ports/Storage.ts"
import { ScreeningSetting } from "../../settings/settings.ts"
import {
  readBank,
  BankInput,
  readCryptoDetails,
  toPayoutDestination,
  DetailsInput,
  type FiatGiven,
  readFiatDetails,
  HolderDocumentInput,
  makeDetails
} from "./beneficiary-details.ts"
import { AddressInput, CustomerKind, defaultCustomerId } from "./customer.ts"
import { checkCountry } from "../../input/field-checks.ts"
import { checkVersion } from "../../calls/list.ts"
import { makeReads } from "../../calls/reads.ts"
import { awaitAnswer } from "../../calls/provider-call.ts"
import { recordRefusal, decideScreening } from "./screening.ts"

/**
 * The index key under which all beneficiaries of a customer with the same account or address are found. EVM addresses do not depend on
 * case.
 */
export const payeeKey = ({ customer_id, details }: Pick<BeneficiaryData, "customer_id" | "details">): string => {
  const to = "address" in details ? normalizeAddress(details.network, details.address) : details.account_number
  return `${EXACT_KEY}payee:${customer_id}:${to}`
}

export const BeneficiaryKind: ResourceKind<BeneficiaryData, BeneficiaryEvent> = {
  kind: "beneficiary",
  prefix: "ben",
  lifecycle: Beneficiary,
  indexKeys: (b) => [`type=${b.type}`, `currency=${b.currency}`, payeeKey(b)],
  searchValues: ({ details, merchant_reference, name }) => ({
    title: name,
    names: [name],
    references: [merchant_reference],
    ...("address" in details ? { addresses: [details.address] } : { accounts: [details.account_number] })
  }),
  derivedWrites: recordRefusal
}

const types = ["fiat", "crypto"] as const

const address = Optional(AddressInput, "The recipient's postal address, which some banks ask for.")

const purpose_code = Optional(
  Text(35),
  "fiat: the code of why the recipient is paid, from the list of its bank or regulator. Payouts have it from then on.",
  "SALA"
)

export const CreateBeneficiary = Schema.Struct({
  type: describe(
    Schema.Literals(types),
    "What the beneficiary is paid to. `fiat`: a bank account. `crypto`: a crypto address."
  ),
  name: describe(Text(255), "The name of the recipient.", "Ada Obi"),
  currency: describe(CurrencyCode, "The currency that the beneficiary receives.", "NGN"),
  address,
  purpose_code,
  label,
  customer_id: owner,
  merchant_reference: merchantReference,
  metadata: Optional(Metadata),
  details: DetailsInput
}).annotate({ identifier: "CreateBeneficiary" })
export type CreateBeneficiary = typeof CreateBeneficiary.Type

/** The details that an update can change: those of the bank account. With payshap, `provider_id` is ignored. */
const DetailsPatch = Schema.Struct({
  account_number: Optional(
    TextOrEmpty(128),
    "The account number; of EUR, the IBAN: another one without a bank beside it replaces the bank, too. With `rail` `payshap`, the proxy.",
    "0123456789"
  ),
  ...BankInput,
  account_name: Optional(Text(255), "The name of the account holder.", "ADA OBI"),
  holder_document: HolderDocumentInput
}).annotate({
  identifier: "UpdateDetails",
  description: "The account details to change. They are checked and screened again."
})
type DetailsPatch = typeof DetailsPatch.Type

export const UpdateBeneficiary = Schema.Struct({
  name: Optional(Text(255), "The name of the recipient. A change starts a new screening.", "Ada Obi"),
  address,
  purpose_code,
  label,
  merchant_reference: merchantReference,
  metadata: Optional(Metadata),
  details: Optional(DetailsPatch)
}).annotate({ identifier: "UpdateBeneficiary" })
export type UpdateBeneficiary = typeof UpdateBeneficiary.Type

export const ListBeneficiaries = Schema.Struct({
  customer_id: ofCustomer,
  type: makeWordFilter(types, "type"),
  currency: inCurrency,
  status: makeWordFilter(["pending", "active", "blocked"], "status"),
  ...listing
})

/** The destination of a payment: the details without the result of the name match. */
const pickPayee = (details: BeneficiaryData["details"]) => ({ ...details, name_match: null })

/**
 * Computes the details after an update, and the holder's name as the client gave it. A change of the account drops the account name, and
 * the bank too if the new account is named by its IBAN. Sending back the stored account name is not a change.
 */
const patchDetails = (
  { currency, given_account_name = null }: BeneficiaryData,
  kept: FiatDetails,
  patch: DetailsPatch,
  bank: string | null
): { readonly given: FiatGiven; readonly given_account_name: string | null } => {
  const account_number = toStoredAccountNumber(currency, patch.account_number ?? kept.account_number)
  const isSameNumber = account_number === kept.account_number
  const keptBank = isSameNumber || !isIban(account_number) ? (kept.provider?.id ?? null) : null
  const provider_id = bank ?? keptBank
  const isSameAccount = isSameNumber && provider_id === (kept.provider?.id ?? null)
  const isSameName = patch.account_name === undefined || patch.account_name === kept.account_name
  const sent = patch.account_name ?? null
  return {
    given: {
      country_code: kept.country_code,
      network: kept.network,
      account_number,
      provider_id,
      account_name: isSameAccount && isSameName ? kept.account_name : sent,
      rail: kept.rail === "payshap" ? "payshap" : null,
      holder_document: patch.holder_document ?? null
    },
    given_account_name: isSameAccount && isSameName ? given_account_name : sent
  }
}

const makeDeps = Effect.all({
  unitOfWork: UnitOfWork,
  storage: Storage,
  routes: Routes,
  ids: Ids,
  details: makeDetails,
  screening: ScreeningSetting
})
type Deps = Effect.Success<typeof makeDeps>

/**
 * Requests a screening. Where no provider screens the destination, the beneficiary is cleared or refused, as the setting says (SERVICE-29).
 * The result resolves it with {@link decideScreening}, inside the write of the beneficiary. Errors: `InvalidInput` when screening is
 * required and no provider screens the destination.
 */
const requestScreening = Effect.fnUntraced(function* (
  { ids, screening, routes, storage }: Deps,
  merchant_id: string,
  resource_id: string,
  name: string,
  details: BeneficiaryData["details"]
) {
  const screening_id = yield* ids.make("scr")
  const destination = toPayoutDestination(details)
  const request = {
    operation: "screening",
    merchant_id,
    currency: null,
    country_code: destination.type === "fiat" ? destination.country_code : null,
    network: destination.network,
    amount: null
  } as const
  if (screening === "required") yield* routes.requireOrder("details", request)
  const provider = yield* routes.first(request)
  const result =
    provider === undefined
      ? "cleared"
      : yield* awaitAnswer(
          "a screening result",
          provider,
          provider.screening!.screen({ merchant_id, resource_id, screening_id, name, destination })
        )
  const asked = { provider: provider?.name, result }
  return Effect.map(decideScreening(storage, merchant_id, screening_id, asked), ({ changes, screening }) => ({
    changes,
    data: { name, details, screening_id, screening, ...(provider === undefined ? {} : { provider: provider.name }) }
  }))
})

/** Refuses a purpose code of a crypto beneficiary: no chain takes one. Errors: `InvalidInput`. */
const checkPurposeCode = (
  type: BeneficiaryData["type"],
  purpose_code: string | null | undefined
): Effect.Effect<void, InvalidInput> =>
  type === "fiat" || (purpose_code ?? null) === null
    ? Effect.void
    : Effect.fail(invalid("purpose_code", `purpose_code is ${purpose_code}. A crypto beneficiary has no purpose code.`))

/** Computes the details after an update of the details or the name. Undefined: they do not change. */
const updateDetails = Effect.fnUntraced(function* (
  { details }: Deps,
  call: Call,
  b: BeneficiaryData,
  name: string,
  patch: DetailsPatch | undefined
) {
  if (patch === undefined || Object.keys(patch).length === 0) {
    if (name === b.name || "address" in b.details) return undefined
    return { details: yield* details.matchHolderName(b.details, b.given_account_name ?? null, name) }
  }
  if ("address" in b.details)
    return yield* invalid("details", "The details of a crypto beneficiary cannot be updated. Create a new beneficiary.")
  const bank = b.details.rail === "payshap" ? null : yield* readBank(patch)
  const after = patchDetails(b, b.details, patch, bank)
  const resolved = yield* details.fiat(call, b.currency, after.given, name)
  return {
    details: yield* details.matchHolderName(resolved, after.given_account_name, name),
    given_account_name: after.given_account_name
  }
})

/**
 * Creates a beneficiary: `active` when the provider cleared it immediately, `pending` while it is being screened.
 *
 * Errors: `BadRequest` for details without a required member; `NotFound` for an unknown currency, customer or bank;
 * `InvalidInput` for details that do not match each other or do not resolve to an account; `ProhibitedCountry`;
 * `ResourceAccessRequired`; `Forbidden` while payshap is disabled; `AccountResolutionFailed`;
 * `ExternalServiceUnavailable` when the provider does not respond.
 * Law: an error leaves nothing behind. The provider is called once, before the write.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateBeneficiary) {
  const { unitOfWork, details, ids } = deps
  const { merchant_id } = call
  const { currency, name, type } = input
  const given =
    type === "fiat"
      ? ({ type, of: yield* readFiatDetails(currency, input.details) } as const)
      : ({ type, of: yield* readCryptoDetails(input.details) } as const)
  yield* findCurrency(currency)
  yield* checkCountry("address.country_code", input.address?.country_code)
  yield* checkPurposeCode(type, input.purpose_code)
  const customer_id = input.customer_id ?? defaultCustomerId(merchant_id)
  yield* unitOfWork.load(CustomerKind, merchant_id, customer_id)
  const payee =
    given.type === "fiat"
      ? {
          details: yield* details.matchHolderName(
            yield* details.fiat(call, currency, given.of, name),
            given.of.account_name,
            name
          ),
          given_account_name: given.of.account_name
        }
      : { details: yield* details.crypto(call, currency, given.of) }
  const id = yield* ids.make(BeneficiaryKind.prefix)
  const screened = yield* requestScreening(deps, merchant_id, id, name, payee.details)
  return yield* unitOfWork.write(call, function* () {
    const { data, changes } = yield* screened
    const beneficiary = yield* begin<BeneficiaryData>(
      BeneficiaryKind,
      { merchant_id, id, customer_id },
      {
        ...payee,
        ...data,
        customer_id,
        label: input.label ?? null,
        type,
        currency,
        address: input.address ?? null,
        purpose_code: input.purpose_code ?? null,
        metadata: input.metadata ?? {},
        merchant_reference: input.merchant_reference ?? null
      },
      yield* Clock.currentTimeMillis
    )
    return { changes: [beneficiary.changes, ...changes], result: beneficiaryBody(beneficiary.row) }
  })
})

/**
 * Replaces the given fields. A new account or name is checked, resolved and screened as in `create`, and can leave the
 * beneficiary `pending`. This applies to `blocked` beneficiaries too.
 *
 * Errors: those of `create`; `NotFound`; `InvalidInput` for details of a crypto beneficiary; `Conflict` when `If-Match`
 * does not match, or when the account or name was modified during the call to the provider.
 */
const update = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: UpdateBeneficiary) {
  const { unitOfWork } = deps
  const { merchant_id } = call
  const before = yield* unitOfWork.load(BeneficiaryKind, merchant_id, id)
  yield* checkCountry("address.country_code", input.address?.country_code)
  yield* checkPurposeCode(before.data.type, input.purpose_code)
  const name = input.name ?? before.data.name
  const after = yield* updateDetails(deps, call, before.data, name, input.details)
  const destination = after?.details ?? before.data.details
  const needsScreening =
    name !== before.data.name || !Equal.equals(pickPayee(destination), pickPayee(before.data.details))
  if (needsScreening) yield* checkVersion(call, String(before.version))
  const screened = needsScreening ? yield* requestScreening(deps, merchant_id, id, name, destination) : undefined
  return yield* unitOfWork.write(call, function* () {
    const row = yield* unitOfWork.load(BeneficiaryKind, merchant_id, id)
    yield* checkVersion(call, String(row.version))
    if (
      (needsScreening || after !== undefined) &&
      (row.data.name !== before.data.name ||
        row.data.given_account_name !== before.data.given_account_name ||
        !Equal.equals(row.data.details, before.data.details))
    ) {
      return yield* new Conflict({
        message: `Beneficiary ${id} was modified concurrently. Read it again and retry the request.`,
        contended: true
      })
    }
    const { details: _, name: __, ...others } = input
    const { data = {}, changes = [] } = (yield* screened ?? Effect.void) ?? {}
    const next = yield* unitOfWork.stepOrDie(
      BeneficiaryKind,
      row,
      { type: "update", patch: { ...others, ...after, ...data } },
      yield* Clock.currentTimeMillis
    )
    return { changes: [next.changes, ...changes], result: beneficiaryBody(next.row) }
  })
})

export class Beneficiaries extends Context.Service<Beneficiaries>()("corridor/engine/Beneficiaries", {
  make: Effect.gen(function* () {
    const deps = yield* makeDeps

    return {
      ...bindFirst(deps, { create, update }),

      ...(yield* makeReads(BeneficiaryKind, ListBeneficiaries, beneficiaryBody))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
