/** The shape of approvals in `/v1` and in the operator API (APPROVAL-2). */
import { Schema } from "effect"
import { type ApprovalData, type Person } from "../../../machines/controls/approval.ts"
import { describe } from "../../input/schemas.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  amountOf,
  anyIdOf,
  bodyOf,
  countOf,
  createdAt,
  currencyCodeOf,
  idOf,
  orNull,
  textOf,
  timeOf,
  updatedAt,
  wordOf
} from "../members.ts"
import { Word } from "./approval-rule.ts"

const PersonBody = Schema.Struct({
  id: orNull(anyIdOf("The operator or API key. Null for the configured token and an embedding application.", "opr")),
  name: textOf(
    "The name of the operator. The label of the key; without one its `person`, where an admin named one, or its id.",
    "Ada Obi"
  )
}).annotate({ identifier: "ApprovalPerson", description: "Who made or decided something." })

const GivenBody = Schema.Struct({
  by: PersonBody,
  note: orNull(textOf("The note. Null without one.", "checked by phone")),
  at: timeOf("When.")
}).annotate({ identifier: "GivenApproval", description: "What one person has decided." })

export const approvalSides = ["merchant", "operator"] as const
export const approvalStatuses = ["pending", "approved", "declined", "expired"] as const

export const ApprovalBody = Schema.Struct({
  id: idOf("apr", "The id of the approval."),
  side: wordOf(approvalSides, "Who approves.", {
    operator: "operators, by a rule or a limit of theirs",
    merchant: "API keys of the merchant, by a rule of its own"
  }),
  operation: Word,
  resource_id: orNull(
    anyIdOf(
      "The resource that the act is about. Null before the act makes it, and where it has none. What a creation that waits shows in `data` has another id, which is not kept.",
      "tfr"
    )
  ),
  amounts: describe(
    Schema.Array(
      Schema.Struct({ amount: amountOf("The amount.", "25.00"), currency: currencyCodeOf("Its currency.") }).annotate({
        identifier: "ApprovalAmount",
        description: "An amount of an act that waits."
      })
    ),
    "What the act comes to: of a payout what it takes, and what its recipient receives in another currency; of a batch the sums of its rows. Empty where it has no amount.",
    [{ amount: "25.00", currency: "USDC" }]
  ),
  recipient: orNull(textOf("The name of whom a payout pays. Null for anything else.", "Chidi Okafor")),
  beneficiary_id: orNull(idOf("ben", "The beneficiary that a payout pays. Null for anything else.")),
  made_by: PersonBody,
  approvals: describe(Schema.Array(GivenBody), "Who has approved, in order."),
  declined_by: orNull(
    describe(GivenBody, "Who declined. Null: nobody.", {
      by: { id: null, name: "Bisi" },
      note: "unknown recipient",
      at: "2026-01-31T09:30:00.000Z"
    })
  ),
  needed: countOf("How many people have to approve.", 1),
  limit_ids: describe(
    Schema.Array(Schema.String),
    "The limits with the action `approve` over which the act is. Empty: a rule alone makes it wait.",
    ["lim_01j9z3k4m5n6p7q8r9s0t1v2w3"]
  ),
  expires_at: timeOf("Until when it waits, or waited.", "2026-02-01T09:30:00.000Z"),
  status: wordOf(approvalStatuses, "What became of it.", {
    pending: "the act waits",
    approved: "the act was allowed",
    declined: "somebody declined",
    expired: "not enough people approved in time, or the act can no longer be done: see `refusal`"
  }),
  refusal: orNull(
    describe(
      Schema.Struct({
        code: textOf("The code of the error.", "invalid_status"),
        message: textOf("The reason.", "The exception is resolved already.")
      }).annotate({ identifier: "ApprovalRefusal", description: "Why an act that waited was not done." }),
      "Why the act was refused after it was approved, or can no longer be done: what it needs may have changed, or what it is about may have ended meanwhile. Null: neither.",
      { code: "invalid_status", message: "Exception exc_01j9z3k4m5n6p7q8r9s0t1v2w3 is resolved." }
    )
  ),
  request: orNull(
    describe(
      Schema.Struct({
        name: textOf("The id of the operation in the OpenAPI document.", "resolveBreak"),
        body: describe(Schema.Record(Schema.String, Schema.Unknown), "The members of the body, as they were sent.", {
          action: "dismiss",
          note: "the bank mends it"
        })
      }).annotate({ identifier: "ApprovalRequest", description: "What an act was asked for with." }),
      "What was asked, in the response to a single approval, until the act is done. Null in lists, after that, and for a payout.",
      { name: "resolveBreak", body: { action: "dismiss", note: "the bank mends it" } }
    )
  ),
  result: orNull(
    describe(
      Schema.Record(Schema.String, Schema.Unknown),
      "The response of the act, secrets included, for 24 hours after it was done: for the operator or API key that made it, in the response to a single approval. Otherwise null.",
      { id: "adj_01j9z3k4m5n6p7q8r9s0t1v2w3" }
    )
  ),
  created_at: createdAt,
  updated_at: updatedAt
}).annotate({ identifier: "Approval", description: "An act that waits for the approval of other people, or waited." })
export type ApprovalBody = typeof ApprovalBody.Type

const personBody = ({ id, name }: Person) => ({ id, name })

type ApprovalRow = Pick<Row<ApprovalData>, "id" | "data" | "status" | "created_at" | "updated_at">

/** Without `request`, which is sealed, and `result`, which one caller alone may read. */
export const approvalBody = bodyOf(ApprovalBody, ({ data }: ApprovalRow) => {
  const given = ({ at, by, note }: ApprovalData["approvals"][number]) => ({ by: personBody(by), note, at: iso(at) })
  return {
    amounts: data.amounts.map(([minor, currency]) => ({ amount: displayAmount(minor, currency), currency })),
    made_by: personBody(data.made_by),
    approvals: data.approvals.map(given),
    declined_by: data.declined === null ? null : given(data.declined),
    limit_ids: data.limits ?? [],
    expires_at: iso(data.expires_at),
    request: null,
    result: null
  }
})

/** Hides the name and note of an operator from a merchant, as in a timeline (TIMELINE-2). */
const asOperator = ({ at }: ApprovalBody["approvals"][number]) => ({
  by: { id: null, name: "operator" },
  note: null,
  at
})

/** Shows an approval to a caller (APPROVAL-12). `operator`: null for a merchant. */
export const approvalBodyFor = (row: ApprovalRow, { operator }: { readonly operator: object | null }): ApprovalBody => {
  const body = approvalBody(row)
  if (operator !== null || body.side === "merchant") return body
  const { approvals, declined_by } = body
  return {
    ...body,
    approvals: approvals.map(asOperator),
    declined_by: declined_by === null ? null : asOperator(declined_by)
  }
}
