/** Requests for access to gated currencies, and their review by the operator (ACCESS-3, ACCESS-4, ACCESS-7). */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { AccessGrant, type AccessGrantData, type AccessGrantEvent } from "../../../machines/access/access-grant.ts"
import {
  AccessRequest,
  type AccessRequestData,
  type AccessRequestEvent
} from "../../../machines/access/access-request.ts"
import type { MerchantData } from "../../../machines/access/merchant.ts"
import type { Call } from "../../commit/call.ts"
import { begin } from "../../commit/steps.ts"
import {
  AccessAlreadyGranted,
  type InvalidInput,
  invalid,
  InvalidStatus,
  InvariantViolation
} from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import type { Kind, ResourceKind } from "../../commit/kind.ts"
import { isCountryCode } from "../../reference/countries.ts"
import { accessRequestBody, accessRequestStatuses } from "../../representations/access/access-request.ts"
import { CountryCode, describe, Id, listing, note, Optional, Text } from "../../input/schemas.ts"
import { makeWordFilter } from "../../input/members.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { Access, accessGrant } from "./access.ts"
import { findOfAnyMerchant, listBodies } from "../../calls/reads.ts"

export const AccessRequestKind: ResourceKind<AccessRequestData, AccessRequestEvent> = {
  kind: "access_request",
  prefix: "rar",
  lifecycle: AccessRequest,
  indexKeys: ({ resource_id }) => [`resource_id=${resource_id}`],
  auditView: ({ data: { country_code, resource_code, review_reason } }) => ({
    currency: resource_code,
    country_code,
    review_reason
  })
}

/** A merchant's grant for a currency. Its id is the currency's. */
export const AccessGrantKind: Kind<AccessGrantData, AccessGrantEvent> = {
  kind: accessGrant,
  lifecycle: AccessGrant
}

/** `country_code` means the same as `countryCode` (ACCESS-3). */
export const CreateAccessRequest = Schema.Struct({
  countryCode: Optional(CountryCode, "The country of the currency, where its code alone is ambiguous.", "SN"),
  country_code: Optional(Schema.String, "Another name of `countryCode`.", "SN"),
  reason: Optional(Text(1000), "Why you need the currency.", "Supplier payouts in Dakar")
}).annotate({ identifier: "CreateAccessRequest" })
export type CreateAccessRequest = typeof CreateAccessRequest.Type

export const ListAccessRequests = Schema.Struct({
  status: makeWordFilter(accessRequestStatuses, "status"),
  ...listing
})
export type ListAccessRequests = typeof ListAccessRequests.Type

/** The operator's list. */
export const ListAllAccessRequests = Schema.Struct({
  ...ListAccessRequests.fields,
  merchant_id: Optional(Id("mer"), "Only requests of this merchant.")
})
export type ListAllAccessRequests = typeof ListAllAccessRequests.Type

const reason = Optional(Text(1000), "Why. The merchant sees it.", "licence checked")

export const ReviewAccessRequest = Schema.Struct({
  decision: describe(Schema.Literals(["approve", "reject"]), "Whether the merchant can use the currency."),
  reason,
  note
}).annotate({ identifier: "ReviewAccessRequest" })
export type ReviewAccessRequest = typeof ReviewAccessRequest.Type

export const RevokeAccessRequest = Schema.Struct({ reason, note }).annotate({ identifier: "RevokeAccessRequest" })
export type RevokeAccessRequest = typeof RevokeAccessRequest.Type

const pastTense = { approve: "approved", reject: "rejected", revoke: "revoked" } as const
type Review = keyof typeof pastTense

/** Chooses the country from either of the two fields. Errors: `InvalidInput`, which names `countryCode` in both cases. */
const chooseCountry = ({
  countryCode,
  country_code
}: CreateAccessRequest): Effect.Effect<string | null, InvalidInput> => {
  const country = countryCode ?? country_code ?? null
  if (country !== null && !isCountryCode(country))
    return Effect.fail(
      invalid(
        "countryCode",
        `countryCode is ${JSON.stringify(country.slice(0, 60))}; it must be an ISO 3166-1 alpha-2 country code such as NG`
      )
    )
  if (country !== null && typeof country_code === "string" && country_code !== country)
    return Effect.fail(
      invalid("countryCode", "countryCode and country_code name different countries. Specify only one of them.")
    )
  return Effect.succeed(country)
}

const makeDeps = Effect.gen(function* () {
  const storage = yield* Storage
  const list = listBodies(storage, AccessRequestKind, ListAccessRequests, accessRequestBody)
  return { unitOfWork: yield* UnitOfWork, storage, access: yield* Access, ids: yield* Ids, list }
})
type Deps = Effect.Success<typeof makeDeps>

const readGrant = Effect.fnUntraced(function* ({ storage }: Deps, merchant_id: string, currency_id: string) {
  const [grant] = yield* storage.get([{ merchant_id, kind: accessGrant, id: currency_id }])
  return grant as Row<AccessGrantData> | undefined
})

const reviewRequest = Effect.fnUntraced(function* (
  { storage, unitOfWork }: Deps,
  call: Call,
  id: string,
  verb: Review,
  reason: string | null | undefined
) {
  const found = yield* findOfAnyMerchant(storage, AccessRequestKind, id)
  const { merchant_id } = found
  const keys = [
    { merchant_id, kind: AccessRequestKind.kind, id },
    { merchant_id, kind: accessGrant, id: found.data.resource_id }
  ]
  return yield* unitOfWork.write({ ...call, merchant_id }, function* () {
    const at = yield* Clock.currentTimeMillis
    // One read for both rows: a review between two reads would make them inconsistent.
    const [row, grant] = (yield* storage.get(keys)) as unknown as [Row<AccessRequestData>, Row<AccessGrantData>]
    const next = yield* unitOfWork.step(
      AccessRequestKind,
      row,
      { type: verb, at, reviewer_id: call.operator?.id ?? "operator", reason: reason ?? null },
      at
    )
    if (next === undefined)
      return yield* new InvalidStatus({
        message: `Access request ${id} is ${row.status}: it cannot be ${pastTense[verb]}.`
      })
    const moved = yield* unitOfWork.step(AccessGrantKind, grant, { type: verb }, at)
    if (moved === undefined)
      throw new InvariantViolation(`the grant of access request ${id} has the status of the request`)
    return { changes: [next.changes, moved.changes], result: accessRequestBody(next.row) }
  })
})

/**
 * Requests access to a gated currency, or returns the pending request. After a rejection or a revocation, it creates
 * a new request.
 *
 * Errors: `NotFound` for an unknown currency; `InvalidInput` when the code requires a country; `ProhibitedCountry`;
 * `AccessAlreadyGranted` when the merchant can already use the currency, which includes every currency that is not gated.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, code: string, input: CreateAccessRequest) {
  const { access, unitOfWork, storage, ids } = deps
  const { merchant_id } = call
  const country = yield* chooseCountry(input)
  const currency = yield* access.resolve(code, country, "countryCode")
  return yield* unitOfWork.write(call, function* () {
    const at = yield* Clock.currentTimeMillis
    const grant = yield* readGrant(deps, merchant_id, currency.id)
    if (!currency.requires_access || grant?.status === "approved")
      return yield* new AccessAlreadyGranted({ message: `The merchant already has access to ${code}.` })
    const [merchant] = yield* storage.get([{ merchant_id, kind: "merchant", id: merchant_id }])
    if (grant?.state === "pending") {
      const pending = yield* unitOfWork.load(AccessRequestKind, merchant_id, grant.data.request_id)
      return { changes: [], result: accessRequestBody(pending) }
    }
    const id = yield* ids.make(AccessRequestKind.prefix)
    const request = yield* begin(
      AccessRequestKind,
      { merchant_id, id },
      {
        resource_id: currency.id,
        resource_code: currency.code,
        country_code: currency.country_code,
        merchant_name: (merchant as Row<MerchantData> | undefined)?.data.name ?? "",
        reason: input.reason ?? null,
        reviewer_id: null,
        review_reason: null,
        reviewed_at: null
      },
      at
    )
    const requested =
      grant === undefined
        ? yield* begin(AccessGrantKind, { merchant_id, id: currency.id }, { request_id: id }, at)
        : yield* unitOfWork.step(AccessGrantKind, grant, { type: "request", request_id: id }, at)
    if (requested === undefined)
      throw new InvariantViolation(`a currency whose grant is ${grant?.state} can be requested`)
    return { changes: [request.changes, requested.changes], result: accessRequestBody(request.row) }
  })
})

/** Lists the caller's requests, newest first. */
const list = ({ list }: Deps, call: Call, input: ListAccessRequests) => list(call.merchant_id, input)

/** Operator: lists the requests of every merchant, newest first. */
const listEveryRequest = ({ list }: Deps, { merchant_id, ...input }: ListAllAccessRequests) =>
  list(merchant_id ?? null, input)

/** Operator: revokes a grant. Errors: `NotFound`; `InvalidStatus` unless it is `approved`. */
const revoke = (deps: Deps, call: Call, id: string, input: RevokeAccessRequest) =>
  reviewRequest(deps, call, id, "revoke", input.reason)

export class AccessRequests extends Context.Service<AccessRequests>()("corridor/engine/AccessRequests", {
  make: Effect.map(makeDeps, (deps) => ({
    ...bindFirst(deps, { create, list, all: listEveryRequest, revoke }),

    /** Operator: approves or rejects a request. Errors: `NotFound`; `InvalidStatus` when it was already reviewed. */
    review: (call: Call, id: string, input: ReviewAccessRequest) =>
      reviewRequest(deps, call, id, input.decision, input.reason)
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
