import { del, Deleted, get, type Given, list, patch, post, section, type Sections } from "../../calls/operation.ts"
import { ApprovalRuleKind } from "../../commit/approval.ts"
import { Id, Noted } from "../../input/schemas.ts"
import { ApprovalRuleBody } from "../../representations/controls/approval-rule.ts"
import {
  ApprovalRules,
  CreateApprovalRule,
  ListApprovalRules,
  UpdateApprovalRule
} from "../../resources/controls/approval-rule.ts"
import { controlsGroup, type Registration } from "../registration.ts"

const one = { id: Id("apl") }
const action = "approval_rule"
const role = "admin"

/** Merchants and operators do the same: the call says who. */
type OfOne = Pick<Given<typeof one, undefined>, "call" | "params">
const run = {
  create: ({ call, input }: Given<{}, typeof CreateApprovalRule>) => ApprovalRules.use((s) => s.create(call, input)),
  list: ({ call, input }: Given<{}, typeof ListApprovalRules>) => ApprovalRules.use((s) => s.list(call, input)),
  get: ({ call, params }: OfOne) => ApprovalRules.use((s) => s.get(call, params.id)),
  update: ({ call, params, input }: Given<typeof one, typeof UpdateApprovalRule>) =>
    ApprovalRules.use((s) => s.update(call, params.id, input)),
  end: ({ call, params }: OfOne) => ApprovalRules.use((s) => s.end(call, params.id))
}

const createAbout = {
  role,
  action,
  summary: "Create an approval rule",
  description:
    "From now on, the acts of these words wait until other people approve them. Once a rule covers `approval_rule`, changes of rules wait too.",
  input: CreateApprovalRule,
  output: ApprovalRuleBody,
  refusals: ["not_found", "invalid_status"]
} as const
const listAbout = { summary: "List the approval rules", input: ListApprovalRules, output: ApprovalRuleBody } as const
const getAbout = { summary: "Get an approval rule", params: one, output: ApprovalRuleBody } as const
const updateAbout = {
  role,
  action,
  summary: "Change or end an approval rule",
  description: "What waits already stays as it is.",
  params: one,
  input: UpdateApprovalRule,
  output: ApprovalRuleBody,
  examples: { end: { status: "ended" } },
  refusals: ["invalid_status"],
  readCurrent: run.get
} as const
const endAbout = {
  role,
  action,
  summary: "End an approval rule",
  params: one,
  output: Deleted,
  refusals: ["invalid_status"]
} as const

const operations = {
  merchant: section(
    { id: "approvals", title: "Approvals", description: "What waits for the approval of other people." },
    {
      approvalRules: {
        create: post(
          "createApprovalRule",
          "/v1/approval-rules",
          {
            ...createAbout,
            examples: {
              payouts: { operations: ["payout"], above: { amount: "10000", currency: "USDC" }, approvals: 1 }
            }
          },
          run.create
        ),
        list: list("listApprovalRules", "/v1/approval-rules", listAbout, run.list),
        get: get("getApprovalRule", "/v1/approval-rules/:id", getAbout, run.get),
        update: patch("updateApprovalRule", "/v1/approval-rules/:id", updateAbout, run.update),
        end: del("endApprovalRule", "/v1/approval-rules/:id", endAbout, run.end)
      }
    }
  ),
  operator: section(controlsGroup, {
    approvalRules: {
      create: post(
        "createOperatorApprovalRule",
        "/operator/v1/approval-rules",
        {
          ...createAbout,
          examples: {
            credits: { operations: ["exception_credit", "deposit_release"], approvals: 1, roles: ["treasury"] }
          }
        },
        run.create
      ),
      list: list("listOperatorApprovalRules", "/operator/v1/approval-rules", listAbout, run.list),
      get: get("getOperatorApprovalRule", "/operator/v1/approval-rules/:id", getAbout, run.get),
      update: patch("updateOperatorApprovalRule", "/operator/v1/approval-rules/:id", updateAbout, run.update),
      end: del("endOperatorApprovalRule", "/operator/v1/approval-rules/:id", { ...endAbout, input: Noted }, run.end)
    }
  })
} as const satisfies Sections

export const approvalRule = {
  kind: ApprovalRuleKind,
  layer: ApprovalRules.layer,
  operations
} satisfies Registration
