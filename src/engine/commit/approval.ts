/**
 * The kinds of approval rules and of approvals, and how what waits ends with what it is about (APPROVAL-13). The write path, the executor and
 * their operations share them.
 */
import { Effect } from "effect"
import { ApprovalLifecycle, type ApprovalData, type ApprovalEvent } from "../../machines/controls/approval.ts"
import { ApprovalRule, type ApprovalRuleData, type ApprovalRuleEvent } from "../../machines/controls/approval-rule.ts"
import { toCanonicalJson } from "../ports/canonical-json.ts"
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
 * The timers by which the approvals end that the commit could not: those of operators about a merchant's resource lie in another cell, and
 * one that began while the commit was decided is not among those that it has read. They say whether acts can wait by now, or no more, or
 * that what they are about has become another.
 */
export const endTimers = {
  opened: "approvals_opened",
  closed: "approvals_closed",
  changed: "approvals_changed"
} as const
export type EndTimer = (typeof endTimers)[keyof typeof endTimers]
/** Whether a timer is one of {@link endTimers}. */
export const isEndTimer = (name: string): name is EndTimer => (Object.values(endTimers) as Array<string>).includes(name)

/** More approvals than wait for one resource: one for each maker and input. */
const waitingMax = 10_000

/** Lists the approvals of a merchant, or of the platform, that wait for acts on a resource. */
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

/** Makes the event that ends an approval whose resource can no longer accept the action. */
export const makeEndEvent = ({ id, status }: Pick<Row, "id" | "status">, at: number): ApprovalEvent => ({
  type: "ended",
  at,
  refusal: { code: "invalid_status", message: `${id} is ${status} by now.` }
})

/** Makes the event that ends an approval whose resource has changed since it was shown to the approvers (APPROVAL-18). */
export const makeChangedEvent = ({ id }: Pick<Row, "id">, at: number): ApprovalEvent => ({
  type: "ended",
  at,
  refusal: { code: "invalid_status", message: `${id} has become another since it was shown.` }
})

/**
 * For `Kind.derivedWrites`: a step into or out of the states in which acts on the resource can wait ends those that do, in the same commit,
 * and what is left of them right after it. So does one that makes it another than was shown. `waits`: whether a state is one of them.
 * `isSame`: whether it is about the same. `isOfOneState`: whether its state stays.
 */
export const makeApprovalEnding =
  <Data>(
    waits: (state: string) => boolean,
    isSame: (before: Data, after: Data, isOfOneState: boolean) => boolean = () => true
  ): NonNullable<Kind<Data>["derivedWrites"]> =>
  (before, after, at) => {
    const isChanged = waits(before.state) === waits(after.state)
    if (isChanged && isSame(before.data, after.data, before.state === after.state)) return Effect.succeed([])
    return Effect.gen(function* () {
      const { id, merchant_id } = after
      const approvals = yield* listWaitingApprovals(yield* Storage, merchant_id, id)
      const event = isChanged ? makeChangedEvent(after, at) : makeEndEvent(after, at)
      const ended = yield* Effect.forEach(approvals, (row) => step(ApprovalKind, row, event, at))
      const { changed, closed, opened } = endTimers
      const name = isChanged ? changed : waits(after.state) ? opened : closed
      const later = makeDueTimer({ id, kind: ApprovalKind.kind }, name, at)
      return [...ended.flatMap((one) => (one === undefined ? [] : [one.changes])), later]
    })
  }

/** For {@link makeApprovalEnding}: whether nothing of a resource has changed, where all of it is shown. */
export const isUnchanged = <Data>(before: Data, after: Data, isOfOneState: boolean): boolean =>
  isOfOneState && toCanonicalJson(before) === toCanonicalJson(after)

export const ApprovalRuleKind: ResourceKind<ApprovalRuleData, ApprovalRuleEvent> = {
  kind: "approval_rule",
  prefix: "apl",
  lifecycle: ApprovalRule,
  derivedWrites: makeApprovalEnding((state) => state === "active", isUnchanged),
  auditView: ({ data: { above, approvals, expires_after, operations, roles } }) => ({
    operations,
    above: above === null ? null : { ...above },
    approvals,
    roles,
    expires_after
  })
}
