import { del, Deleted, get, list, patch, post, section, type Sections } from "../../calls/operation.ts"
import { ApprovalRuleKind } from "../../commit/approval.ts"
import { Id, Noted } from "../../input/schemas.ts"
import { ApprovalRuleBody } from "../../representations/controls/approval-rule.ts"
import {
  ApprovalRules,
  CreateApprovalRule,
  ListApprovalRules,
  UpdateApprovalRule
} from "../../resources/controls/approval-rule.ts"
import { controlsGroup } from "../groups.ts"
import type { Registration } from "../registration.ts"

const one = { id: Id("apl") }
const word = "approval_rule"
const role = "admin"

const createAbout = {
  role,
  word,
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
  word,
  summary: "Change or end an approval rule",
  description: "What waits already stays as it is.",
  params: one,
  input: UpdateApprovalRule,
  output: ApprovalRuleBody,
  examples: { end: { status: "ended" } },
  refusals: ["invalid_status"]
} as const
const endAbout = {
  role,
  word,
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
          ({ call, input }) => ApprovalRules.use((s) => s.create(call, input))
        ),
        list: list("listApprovalRules", "/v1/approval-rules", listAbout, ({ call, input }) =>
          ApprovalRules.use((s) => s.list(call, input))
        ),
        get: get("getApprovalRule", "/v1/approval-rules/:id", getAbout, ({ call, params }) =>
          ApprovalRules.use((s) => s.get(call, params.id))
        ),
        update: patch(
          "updateApprovalRule",
          "/v1/approval-rules/:id",
          { ...updateAbout, asIs: ({ call, params }) => ApprovalRules.use((s) => s.get(call, params.id)) },
          ({ call, params, input }) => ApprovalRules.use((s) => s.update(call, params.id, input))
        ),
        end: del("endApprovalRule", "/v1/approval-rules/:id", endAbout, ({ call, params }) =>
          ApprovalRules.use((s) => s.end(call, params.id))
        )
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
        ({ call, input }) => ApprovalRules.use((s) => s.create(call, input))
      ),
      list: list("listOperatorApprovalRules", "/operator/v1/approval-rules", listAbout, ({ call, input }) =>
        ApprovalRules.use((s) => s.list(call, input))
      ),
      get: get("getOperatorApprovalRule", "/operator/v1/approval-rules/:id", getAbout, ({ call, params }) =>
        ApprovalRules.use((s) => s.get(call, params.id))
      ),
      update: patch(
        "updateOperatorApprovalRule",
        "/operator/v1/approval-rules/:id",
        { ...updateAbout, asIs: ({ call, params }) => ApprovalRules.use((s) => s.get(call, params.id)) },
        ({ call, params, input }) => ApprovalRules.use((s) => s.update(call, params.id, input))
      ),
      end: del(
        "endOperatorApprovalRule",
        "/operator/v1/approval-rules/:id",
        { ...endAbout, input: Noted },
        ({ call, params }) => ApprovalRules.use((s) => s.end(call, params.id))
      )
    }
  })
} as const satisfies Sections

export const approvalRule = {
  kind: ApprovalRuleKind,
  layer: ApprovalRules.layer,
  operations
} satisfies Registration
