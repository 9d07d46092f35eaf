import { get, type Given, list, post, section, type Sections } from "../../calls/operation.ts"
import { ApprovalKind } from "../../commit/approval.ts"
import { ApprovalBody } from "../../representations/controls/approval.ts"
import {
  approvalId,
  Approvals,
  DecideApproval,
  DeclineApproval,
  ListApprovals,
  ListOwnApprovals
} from "../../resources/controls/approval.ts"
import { controlsGroup, type Registration } from "../registration.ts"

const one = { id: approvalId }

const listAbout = {
  summary: "List what waits for approval, and what waited",
  input: ListApprovals,
  output: ApprovalBody
} as const
const getAbout = { summary: "Get an approval", params: one, output: ApprovalBody } as const
const approveAbout = {
  summary: "Approve what somebody else made",
  description:
    "The last approval does the act, as the call of the one who made it, or lets the payout go on. Nobody approves what they made, whatever they call with, nor twice. The configured operator token approves nothing.",
  params: one,
  input: DecideApproval,
  output: ApprovalBody,
  examples: { approve: { note: "Checked by phone" } },
  refusals: ["forbidden", "invalid_status"]
} as const
const declineAbout = {
  ...approveAbout,
  input: DeclineApproval,
  summary: "Decline what somebody else made",
  description: "Nothing of the act is done. A payout fails with the reason `cancelled`, and its money goes back.",
  examples: { decline: { note: "Unknown recipient" } }
} as const

/** Merchants and operators do the same: the call says who. */
type Decided = Given<typeof one, typeof DecideApproval>
type Declined = Given<typeof one, typeof DeclineApproval>
const run = {
  list: ({ call, input }: Pick<Given<{}, typeof ListOwnApprovals>, "call" | "input">) =>
    Approvals.use((s) => s.list(call, input)),
  get: ({ call, params }: Given<typeof one, undefined>) => Approvals.use((s) => s.get(call, params.id)),
  /** The act is done in a second commit. */
  finish: ({ call, params }: Pick<Decided, "call" | "params">) => Approvals.use((s) => s.finish(call, params.id)),
  approve: ({ call, params, input }: Decided) => Approvals.use((s) => s.approve(call, params.id, input)),
  decline: ({ call, params, input }: Declined) => Approvals.use((s) => s.decline(call, params.id, input))
}

const operations = {
  merchant: section(
    {
      id: "approvals",
      title: "Approvals",
      description:
        "What waits for the approval of other people: of yours (`side` is `merchant`), or of the operators, who are not named."
    },
    {
      approvals: {
        list: list("listApprovals", "/v1/approvals", { ...listAbout, input: ListOwnApprovals }, run.list),
        get: get("getApproval", "/v1/approvals/:id", getAbout, run.get),
        approve: post(
          "approveApproval",
          "/v1/approvals/:id/approve",
          { ...approveAbout, role: "approver", finish: run.finish },
          run.approve
        ),
        decline: post(
          "declineApproval",
          "/v1/approvals/:id/decline",
          { ...declineAbout, role: "approver" },
          run.decline
        )
      }
    }
  ),
  operator: section(controlsGroup, {
    approvals: {
      list: list("listOperatorApprovals", "/operator/v1/approvals", listAbout, run.list),
      get: get("getOperatorApproval", "/operator/v1/approvals/:id", getAbout, run.get),
      approve: post(
        "approveOperatorApproval",
        "/operator/v1/approvals/:id/approve",
        { ...approveAbout, role: "support", finish: run.finish },
        run.approve
      ),
      decline: post(
        "declineOperatorApproval",
        "/operator/v1/approvals/:id/decline",
        { ...declineAbout, role: "support" },
        run.decline
      )
    }
  })
} as const satisfies Sections

export const approval = { kind: ApprovalKind, layer: Approvals.layer, operations } satisfies Registration
