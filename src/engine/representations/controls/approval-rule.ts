/** The shape of approval rules in `/v1` and in the operator API (APPROVAL-1). */
import { Schema } from "effect"
import { type ApprovalRuleData, controlledWords } from "../../../machines/controls/approval-rule.ts"
import { describe } from "../../input/schemas.ts"
import type { Row } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  amountOf,
  bodyOf,
  countOf,
  createdAt,
  currencyCodeOf,
  idOf,
  orNull,
  textOf,
  updatedAt,
  wordOf
} from "../members.ts"

export const Word = wordOf(controlledWords, "The act.", {
  payout: "a transfer or an offramp",
  adjusting_entry: "an adjusting entry, or its reversal",
  break_resolution: "a break of the reconciliation that is resolved",
  approval_rule: "an approval rule that is created, changed or ended",
  fee_schedule: "a fee schedule that is created, changed or ended",
  api_key: "an API key that is created or revoked",
  exception_credit: "an exception that is resolved, by whichever action",
  deposit_release: "the release of a held deposit",
  brake_release: "the release of a pause"
})

export const AboveBody = Schema.Struct({
  amount: amountOf("Acts of more than this amount wait.", "10000.00"),
  currency: currencyCodeOf("The currency of the amount. An act in another currency waits.")
}).annotate({ identifier: "ApprovalAbove", description: "From which amount on acts wait." })

export const approvalRuleStatuses = ["active", "ended"] as const

export const ApprovalRuleBody = Schema.Struct({
  id: idOf("apl", "The id of the rule."),
  operations: describe(Schema.Array(Word), "The acts that wait.", ["payout"]),
  above: orNull(
    describe(AboveBody, "From which amount on acts wait. Null: always.", { amount: "10000.00", currency: "USDC" })
  ),
  approvals: countOf("How many people have to approve, from 1 to 3.", 1),
  roles: describe(
    Schema.Array(Schema.String),
    "Who may approve: these roles and those above them. Empty: those who may do the act, and for a merchant `approver` and `admin`.",
    ["approver"]
  ),
  expires_after: textOf("How long an act waits at most, ISO 8601.", "PT24H"),
  status: wordOf(approvalRuleStatuses, "Whether the rule covers acts."),
  created_at: createdAt,
  updated_at: updatedAt
}).annotate({ identifier: "ApprovalRule", description: "Which acts wait for the approval of other people." })
export type ApprovalRuleBody = typeof ApprovalRuleBody.Type

export const approvalRuleBody = bodyOf(ApprovalRuleBody, ({ data: { above } }: Row<ApprovalRuleData>) => ({
  above: above === null ? null : { amount: displayAmount(above.amount, above.currency), currency: above.currency }
}))
