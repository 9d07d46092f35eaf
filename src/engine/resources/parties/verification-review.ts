/** Reviews by the staff of the operator: of what customers entered on our page, where no provider verifies (KYC-14). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { STAFF, type VerificationData } from "../../../machines/parties/verification.ts"
import type { CustomerData } from "../../../machines/parties/customer.ts"
import type { Call } from "../../commit/call.ts"
import { addNote } from "../../commit/changeset.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { type Listed, toIndexKeys, toTimeBounds } from "../../calls/list.ts"
import { findOfAnyMerchant } from "../../calls/reads.ts"
import { describe, Id, listing, Optional, toSlice, Text } from "../../input/schemas.ts"
import { InvalidStatus, type StorageFault } from "../../ports/errors.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import {
  declineOf,
  VerificationBody,
  verificationStatus,
  verificationStatuses
} from "../../representations/parties/verification.ts"
import { flagOf, idOf, orNull, textOf, times } from "../../representations/members.ts"
import { CustomerKind } from "./customer.ts"
import { reviewable, VerificationKind } from "./verification.ts"
import { VerificationOutcomes } from "./verification-outcome.ts"

const Submitted = Schema.Struct({
  name: textOf("The name that the customer entered.", "Ada Obi"),
  date_of_birth: orNull(textOf("The date of birth, MM/DD/YYYY. Null if it was not entered.", "01/31/1990")),
  document_type: orNull(textOf("The type of the document. Null if it was not entered.", "passport")),
  document_number: orNull(
    textOf("The number of the document, masked to its last four characters. Null if it was not entered.", "*****4567")
  )
}).annotate({ identifier: "SubmittedIdentity", description: "What the customer entered on the hosted page." })

export const ReviewBody = Schema.Struct({
  id: VerificationBody.fields.id,
  merchant_id: idOf("mer", "The merchant of the customer."),
  customer_id: VerificationBody.fields.customer_id,
  customer_name: orNull(
    textOf("The name of the customer, as the merchant gave it. Null if it is not known.", "Ada Obi")
  ),
  status: VerificationBody.fields.status,
  tier_requested: VerificationBody.fields.tier_requested,
  provider: orNull(textOf("The provider that verifies. Null: the staff of the operator.", "identity")),
  awaits_review: flagOf("Whether an operator has to decide."),
  submitted: describe(Schema.NullOr(Submitted), "What the customer entered. Null before."),
  failure_reason: VerificationBody.fields.failure_reason,
  ...times
}).annotate({ identifier: "VerificationReview", description: "A verification, as the staff that reviews it sees it." })
export type ReviewBody = typeof ReviewBody.Type

export const ListReviews = Schema.Struct({
  status: Optional(
    Schema.Literals(verificationStatuses),
    "Only sessions with this status. Default: the sessions that wait for a review."
  ),
  merchant_id: Optional(Id("mer"), "Only sessions of this merchant."),
  customer_id: Optional(Id("cust"), "Only sessions of this customer."),
  ...listing
})
export type ListReviews = typeof ListReviews.Type

export const ReviewVerification = Schema.Struct({
  decision: describe(Schema.Literals(["approve", "reject"]), "The verdict. `approve` gives the requested tier."),
  reason: Optional(declineOf("With `reject`: why. Default: `declined`.")),
  note: Optional(Text(500), "Why. The audit log shows it.", "Matches the passport")
}).annotate({ identifier: "ReviewVerification" })
export type ReviewVerification = typeof ReviewVerification.Type

const reviewBody = (row: Row<VerificationData>, customer: Row | undefined, at: number): ReviewBody => {
  const { customer_id, failure_reason, provider, submission, tier_requested } = row.data
  return {
    id: row.id,
    merchant_id: row.merchant_id,
    customer_id,
    customer_name: (customer?.data as CustomerData | undefined)?.name ?? null,
    status: verificationStatus(row, at),
    tier_requested,
    provider: provider === undefined || provider === STAFF ? null : provider,
    awaits_review: row.index_keys.includes(reviewable),
    submitted:
      submission === null
        ? null
        : {
            name: submission.name,
            date_of_birth: submission.profile.date_of_birth ?? null,
            document_type: submission.profile.id_type ?? null,
            document_number: submission.profile.id_number_masked ?? null
          },
    failure_reason,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at)
  }
}

export class VerificationReviews extends Context.Service<VerificationReviews>()("corridor/engine/VerificationReviews", {
  make: Effect.gen(function* () {
    const [unitOfWork, storage, outcomes] = yield* Effect.all([UnitOfWork, Storage, VerificationOutcomes])

    return {
      /** Verifications of all merchants, oldest first. Default: those that wait for a review. */
      list: Effect.fnUntraced(function* (input: ListReviews): Effect.fn.Return<Listed<ReviewBody>, StorageFault> {
        const { limit, offset, page, per_page } = toSlice(input)
        const { merchant_id, ...filters } = input
        const keys = toIndexKeys(ListReviews, filters as ListReviews)
        const query = {
          ...(merchant_id === undefined ? {} : { merchant_id }),
          kinds: [VerificationKind.kind],
          index_keys: input.status === undefined ? [...keys, reviewable] : keys,
          ...toTimeBounds(input)
        }
        // A store lists the newest first: the page is counted from the end.
        const { total } = yield* storage.list({ ...query, offset: 0, limit: 0 })
        const count = Math.min(limit, Math.max(0, total - offset))
        const { items } = yield* storage.list({ ...query, offset: Math.max(0, total - offset - count), limit: count })
        const rows = (items as ReadonlyArray<Row<VerificationData>>).toReversed()
        const customers = yield* storage.get(
          rows.map((row) => ({ merchant_id: row.merchant_id, kind: CustomerKind.kind, id: row.data.customer_id }))
        )
        const at = yield* Clock.currentTimeMillis
        const body = (row: Row<VerificationData>) =>
          reviewBody(
            row,
            customers.find(({ id }) => id === row.data.customer_id),
            at
          )
        return { items: rows.map(body), page, per_page, total }
      }),

      /**
       * Approves or rejects what a customer submitted. The effect is that of a provider's verdict.
       *
       * Errors: `NotFound`; `InvalidStatus` when nothing waits for a review: nothing was submitted, there is a verdict, or a
       * provider verifies; and for the approval of a business that has changed since its form was sent (KYC-14).
       */
      review: Effect.fnUntraced(function* (call: Call, id: string, { decision, note, reason }: ReviewVerification) {
        const { merchant_id } = yield* findOfAnyMerchant(storage, VerificationKind, id)
        return yield* unitOfWork.write({ ...call, merchant_id }, function* () {
          const at = yield* Clock.currentTimeMillis
          const row = yield* unitOfWork.load(VerificationKind, merchant_id, id)
          const { link, provider, submission } = row.data
          // The simulated provider's sessions may be decided before the form is sent
          const isOthers = link?.url_sealed !== undefined || (submission === null && provider === STAFF)
          const changes = isOthers
            ? undefined
            : yield* outcomes.review(row, { decision, reason: reason ?? "declined" }, at)
          if (changes === undefined)
            return yield* new InvalidStatus({
              message: `Verification ${id} is ${verificationStatus(row, at)}: there is nothing to review.`
            })
          const after = changes.flatMap(({ rows }) => rows ?? []).find((written) => written.id === id)
          const [customer] = yield* storage.get([{ merchant_id, kind: CustomerKind.kind, id: row.data.customer_id }])
          return {
            changes: addNote(changes, row, note ?? undefined),
            result: reviewBody({ ...row, ...after } as Row<VerificationData>, customer, at)
          }
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
