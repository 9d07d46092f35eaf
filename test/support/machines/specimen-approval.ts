/** What an approval begins with and hears: a part of the specimens. */
import type { ApprovalData, ApprovalEvent } from "../../../src/machines/controls/approval.ts"

const by = (name: string) => ({ id: `opr_${name}`, name, person: `${name}@example.com` })

const payout: ApprovalData = {
  side: "operator",
  operation: "transfer",
  resource_id: "tfr_1",
  made_by: by("ada"),
  approvals: [],
  declined: null,
  needed: 2,
  roles: [],
  expires_at: Date.UTC(2026, 0, 6, 12),
  amounts: [["40000000", "USDC"]],
  act: null,
  refusal: null
}

const act: ApprovalData = {
  ...payout,
  operation: "adjusting_entry",
  resource_id: null,
  needed: 1,
  act: {
    operation_id: "createAdjustingEntry",
    input: "s",
    request_id: "req_1",
    if_match: null,
    operator: { id: "opr_ada", name: "ada", role: "admin" },
    key_id: null,
    role: "admin",
    approved: [],
    taken: [["100", "NGN"]]
  }
}

const kept = { merchant_id: "mer_platform", key: "opr_ada/approval/apr_1", until: 86_400_000 }

/** A payout for two people and an act for one, and whatever is decided `at` a time. */
export const approvalAt = (
  at: number
): readonly [Readonly<Record<string, ApprovalData>>, ReadonlyArray<ApprovalEvent>] => [
  { payout, act },
  [
    { type: "approve", given: { by: by("bisi"), note: null, at } },
    { type: "decline", given: { by: by("chi"), note: "no", at } },
    { type: "timer.expiry", at: payout.expires_at },
    { type: "ended", at, refusal: { code: "invalid_status", message: "tfr_1 is failed by now." } },
    { type: "executed", resource_id: "adj_1", kept },
    { type: "executed", resource_id: null, kept },
    { type: "refused", at, refusal: { code: "invalid_status", message: "It is over." }, kept }
  ]
]
