/** The kinds of approval rules and of approvals. The write path, the executor and their operations share them. */
import { ApprovalLifecycle, type ApprovalData, type ApprovalEvent } from "../../machines/controls/approval.ts"
import { ApprovalRule, type ApprovalRuleData, type ApprovalRuleEvent } from "../../machines/controls/approval-rule.ts"
import type { ResourceKind } from "./kind.ts"

export const ApprovalRuleKind: ResourceKind<ApprovalRuleData, ApprovalRuleEvent> = {
  kind: "approval_rule",
  prefix: "apl",
  lifecycle: ApprovalRule,
  audited: ({ data: { above, approvals, expires_after, operations, roles } }) => ({
    operations,
    above: above === null ? null : { ...above },
    approvals,
    roles,
    expires_after
  })
}

export const ApprovalKind: ResourceKind<ApprovalData, ApprovalEvent> = {
  kind: "approval",
  prefix: "apr",
  lifecycle: ApprovalLifecycle,
  status: (state) => (state === "executing" ? "approved" : state),
  indexKeys: ({ operation, resource_id, side }) => [
    `operation=${operation}`,
    `side=${side}`,
    ...(resource_id === null ? [] : [`resource_id=${resource_id}`])
  ],
  audited: ({ data: { approvals, declined, operation, refusal, resource_id } }) => ({
    operation,
    resource_id,
    approved_by: approvals.map(({ by }) => by.name),
    declined_by: declined?.by.name ?? null,
    refusal: refusal?.code ?? null
  })
}
