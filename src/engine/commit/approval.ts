/**
 * The kinds of approval rules and of approvals, and how what waits ends with what it is about (APPROVAL-13). The write path, the executor and
 * their operations share them.
 */
import { Effect } from "effect"
import { ApprovalLifecycle, type ApprovalData, type ApprovalEvent } from "../../machines/controls/approval.ts"
import { ApprovalRule, type ApprovalRuleData, type ApprovalRuleEvent } from "../../machines/controls/approval-rule.ts"
import type { StorageFault } from "../ports/errors.ts"
import { type Row, Storage } from "../ports/Storage.ts"
import type { Kind, ResourceKind } from "./kind.ts"
import { step, makeDueTimer } from "./steps.ts"

export const ApprovalKind: ResourceKind<ApprovalData, ApprovalEvent> = {
  kind: "approval",
  prefix: "apr",
  lifecycle: ApprovalLifecycle,
  status: (state) => (state === "executing" ? "approved" : state),
  indexKeys: ({ beneficiary_id, operation, resource_id, side, takes = [] }) => [
    `operation=${operation}`,
    // A payout is listed by either of its words.
    ...(operation === "transfer" || operation === "offramp" ? ["operation=payout"] : []),
    `side=${side}`,
    ...(beneficiary_id === undefined ? [] : [`beneficiary_id=${beneficiary_id}`]),
    ...(resource_id === null ? takes : [resource_id, ...takes]).map((id) => `resource_id=${id}`)
  ],
  auditView: ({ data: { approvals, declined, operation, refusal, resource_id } }) => ({
    operation,
    resource_id,
    approved_by: approvals.map(({ by }) => by.name),
    declined_by: declined?.by.name ?? null,
    refusal: refusal?.code ?? null
  })
}

/**
 * Timers that end approvals which the commit could not end: an operator's approval of a merchant's resource lies in another cell, and one
 * that began during the commit was not read. When they fire, they check whether the approvals can still wait.
 */
export const endTimers = { opened: "approvals_opened", closed: "approvals_closed" } as const

/** More approvals than wait for one resource: one for each maker and input. */
const waitingMax = 10_000

/** The approvals of a merchant, or of the platform, that wait for acts on a resource. */
export const listWaitingApprovals = (
  storage: Storage["Service"],
  merchant_id: string,
  resource_id: string
): Effect.Effect<ReadonlyArray<Row<ApprovalData>>, StorageFault> =>
  Effect.map(
    storage.list({
      merchant_id,
      kinds: [ApprovalKind.kind],
      index_keys: [`resource_id=${resource_id}`, "status=pending"],
      offset: 0,
      limit: waitingMax
    }),
    ({ items }) => items as ReadonlyArray<Row<ApprovalData>>
  )

/** Ends an approval whose resource can no longer accept the action. */
export const makeEndEvent = ({ id, status }: Pick<Row, "id" | "status">, at: number): ApprovalEvent => ({
  type: "ended",
  at,
  refusal: { code: "invalid_status", message: `${id} is ${status} by now.` }
})

/**
 * For `Kind.derivedWrites`: a step into or out of the states in which acts on the resource can wait ends those that do, in the same commit,
 * and what is left of them right after it. `waits`: whether a state is one of them.
 */
export const makeApprovalEnding =
  <Data>(waits: (state: string) => boolean): NonNullable<Kind<Data>["derivedWrites"]> =>
  (before, after, at) =>
    waits(before.state) === waits(after.state)
      ? Effect.succeed([])
      : Effect.gen(function* () {
          const { id, merchant_id } = after
          const approvals = yield* listWaitingApprovals(yield* Storage, merchant_id, id)
          const ended = yield* Effect.forEach(approvals, (row) => step(ApprovalKind, row, makeEndEvent(after, at), at))
          const { closed, opened } = endTimers
          const later = makeDueTimer({ id, kind: ApprovalKind.kind }, waits(after.state) ? opened : closed, at)
          return [...ended.flatMap((one) => (one === undefined ? [] : [one.changes])), later]
        })

export const ApprovalRuleKind: ResourceKind<ApprovalRuleData, ApprovalRuleEvent> = {
  kind: "approval_rule",
  prefix: "apl",
  lifecycle: ApprovalRule,
  derivedWrites: makeApprovalEnding((state) => state === "active"),
  auditView: ({ data: { above, approvals, expires_after, operations, roles } }) => ({
    operations,
    above: above === null ? null : { ...above },
    approvals,
    roles,
    expires_after
  })
}
