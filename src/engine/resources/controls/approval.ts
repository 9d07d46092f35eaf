/**
 * Approvals: who allows or declines what waits, and what happens then (APPROVAL-2 to APPROVAL-5).
 *
 * A payout moves in the commit of the decision. An act of the API is done after the commit that allows it, as the call of its maker, under
 * a key of the approval: once. If the process ends meanwhile, a timer does it.
 */
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { ApprovalData, ApprovalEvent } from "../../../machines/controls/approval.ts"
import { expiryTimer, forgetTimer } from "../../../machines/controls/approval.ts"
import type { Payout } from "../../../machines/kernel/payout.ts"
import { ActiveApprovalRules, isSamePerson } from "../../calls/ActiveApprovalRules.ts"
import { ActiveLimits, recountAt } from "../../calls/ActiveLimits.ts"
import { codeOf, isContended, describeError, retryAfterMs } from "../../calls/codes.ts"
import { Auth, type Caller } from "../../calls/auth.ts"
import { scopeIdempotencyKey, makePerform } from "../../calls/executor.ts"
import { Operations } from "../../calls/operation.ts"
import { readAllRows, findOfAnyMerchant, listBodies } from "../../calls/reads.ts"
import { toLimitedAct } from "../../commit/acts.ts"
import {
  ApprovalKind,
  makeChangedEvent,
  makeEndEvent,
  type EndTimer,
  endTimers,
  listWaitingApprovals
} from "../../commit/approval.ts"
import {
  hasRole,
  type Call,
  hasOperatorRole,
  type OperatorRole,
  operatorRoles,
  type Role,
  type Source
} from "../../commit/call.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { type Kind, Kinds } from "../../commit/kind.ts"
import { isRefusal, makeNotFound, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { ofBeneficiary, makeWordFilter } from "../../input/members.ts"
import { describe, Id, listing, Optional, Text } from "../../input/schemas.ts"
import { Cipher } from "../../ports/Cipher.ts"
import { DryRun } from "../../ports/dry-run.ts"
import {
  type Fault,
  Forbidden,
  InvalidStatus,
  InvariantViolation,
  type Refusal,
  StorageFault
} from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type RowWrite, Storage } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import {
  type ApprovalBody,
  approvalBody,
  approvalSides,
  approvalStatuses,
  approvalBodyFor
} from "../../representations/controls/approval.ts"
import { controlledWords } from "../../../machines/controls/approval-rule.ts"
import { readPayee } from "../parties/screening.ts"

/** How long the maker of an act can read its response, milliseconds (APPROVAL-8). */
const readableMs = 24 * 60 * 60 * 1000

/** How long the rate of a payout is locked after its last approval, milliseconds: the time of a quote. */
const relockMs = 15 * 60 * 1000

export const DecideApproval = Schema.Struct({
  note: Optional(Text(500), "Why. The approval and the audit log show it.", "checked by phone")
}).annotate({ identifier: "DecideApproval" })
export type DecideApproval = typeof DecideApproval.Type

export const DeclineApproval = Schema.Struct({
  note: describe(Text(500), "Why. The approval and the audit log show it.", "Unknown recipient")
}).annotate({ identifier: "DeclineApproval" })
export type DeclineApproval = typeof DeclineApproval.Type

export const ListApprovals = Schema.Struct({
  status: makeWordFilter(approvalStatuses, "status"),
  operation: makeWordFilter(controlledWords, "operation"),
  resource_id: Optional(Schema.String, "Only approvals of this resource.", "tfr_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  beneficiary_id: ofBeneficiary,
  ...listing
})

/** A merchant's list: also of what operators decide. */
export const ListOwnApprovals = Schema.Struct({ ...ListApprovals.fields, side: makeWordFilter(approvalSides, "side") })
export type ListOwnApprovals = typeof ListOwnApprovals.Type

export const approvalId = Id("apr")

const makeDeps = Effect.gen(function* () {
  const storage = yield* Storage
  return {
    storage,
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, kinds: Kinds, cipher: Cipher, auth: Auth })),
    ...(yield* Effect.all({ rules: ActiveApprovalRules, limits: ActiveLimits, operations: Operations })),
    perform: yield* makePerform,
    ofMerchant: listBodies(storage, ApprovalKind, ListOwnApprovals, (row) => approvalBodyFor(row, { operator: null })),
    ofOperators: listBodies(storage, ApprovalKind, ListOwnApprovals, approvalBody)
  }
})
type Deps = Effect.Success<typeof makeDeps>

const loadApproval = ({ storage, unitOfWork }: Deps, call: Call, id: string) =>
  call.operator === null
    ? unitOfWork.load(ApprovalKind, call.merchant_id, id)
    : findOfAnyMerchant(storage, ApprovalKind, id)

/**
 * Reads an approval that the caller's side decides. Errors: `NotFound`; `Forbidden` for a merchant where the operators decide, who see none
 * of a merchant's (APPROVAL-12).
 */
const readOfOwnSide = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const row = yield* loadApproval(deps, call, id)
  if (row.data.side === (call.operator === null ? "merchant" : "operator")) return row
  if (call.operator !== null) return yield* makeNotFound(ApprovalKind, id)
  return yield* refuseApprover(`Approval ${id} is of the operators, who decide it.`)
})

/** Whether the caller has made the act, with the same token or key. The configured token and an application are known by their names. */
const hasMade = Effect.fnUntraced(function* ({ rules }: Deps, call: Call, { data, merchant_id }: Row<ApprovalData>) {
  const { id, name } = yield* rules.callerOf(call)
  const { made_by } = data
  return merchant_id === call.merchant_id && id === made_by.id && (id !== null || name === made_by.name)
})

/** Finds the lowest role that may approve if no rule names roles: the one that may do the act. */
const findLeastRole = ({ operations }: Deps, { act }: ApprovalData): OperatorRole => {
  const role = act === null ? "treasury" : operations.get(act.operation_id)?.role
  return operatorRoles.find((one) => one === role) ?? "treasury"
}

const isAllowed = (deps: Deps, call: Call, data: ApprovalData): boolean => {
  const { operator, role } = call
  const usual = [operator === null ? "approver" : findLeastRole(deps, data)]
  const sets = data.roles.length > 0 ? data.roles : [usual]
  return sets.every((roles) =>
    (roles.length > 0 ? roles : usual).some((least) =>
      operator === null ? hasRole(role, least as Role) : hasOperatorRole(operator.role, least as OperatorRole)
    )
  )
}

const refuseApprover = (message: string) => new Forbidden({ message })

/**
 * Identifies the decider, with the rights as they are stored now. Errors: `Forbidden` for a caller without a person, for the maker, for an
 * approver who has approved already, and for another role; `AuthenticationFailed` for a revoked key or operator.
 */
const identifyDecider = Effect.fnUntraced(function* (deps: Deps, caller: Call, { data, id, state }: Row<ApprovalData>) {
  const call = { ...caller, ...(yield* deps.auth.current(caller)) }
  const by = yield* deps.rules.callerOf(call)
  if (by.person === null)
    return yield* refuseApprover(
      "The configured operator token and an application are nobody in particular. Approve with the token of an operator, or with an API key."
    )
  if (isSamePerson(data.made_by, by)) {
    const made = data.made_by.id === by.id ? "what you made" : "what the same person made, with another token or key"
    return yield* refuseApprover(`Approval ${id} is of ${made}. Another person decides.`)
  }
  if (state === "pending" && data.approvals.some((given) => isSamePerson(given.by, by)))
    return yield* refuseApprover(`You have approved ${id} already. Another person decides.`)
  if (!isAllowed(deps, call, data)) return yield* refuseApprover(`Your role may not decide approval ${id}.`)
  return by
})

/** Shows in a dry run what a payout uses of the limits over which it is, as it counts there when it is approved. A rate may be missing. */
const showUseNow = (
  { limits }: Deps,
  kind: Kind,
  row: Row,
  { made_by }: ApprovalData,
  over: ReadonlyArray<string>,
  at: number
) => {
  const act = kind.controlledAction?.({ ...row, version: 1, via: "create", from: null })
  const call = { merchant_id: row.merchant_id, key_id: made_by.id, operator: null }
  return act === undefined ? Effect.void : Effect.ignore(limits.weigh([toLimitedAct(call, act)], at, [], over))
}

/** Plans the changes that end the approvals of a payout which has ended. `but`: the approval by which it has. */
const planApprovalEnds = Effect.fnUntraced(function* (
  { storage, unitOfWork }: Deps,
  row: Pick<Row, "id" | "merchant_id" | "status">,
  at: number,
  but?: string
): Effect.fn.Return<ReadonlyArray<ChangeSet>, StorageFault> {
  const others = (yield* listWaitingApprovals(storage, row.merchant_id, row.id)).filter(({ id }) => id !== but)
  const ended = yield* Effect.forEach(others, (one) =>
    unitOfWork.stepOrDie(ApprovalKind, one, makeEndEvent(row, at), at)
  )
  return ended.map(({ changes }) => changes)
})

/** Plans the step of the payout that waits, when its approval has ended. */
const stepMovement = Effect.fnUntraced(function* (
  deps: Deps,
  { data, id, merchant_id, state }: RowWrite<ApprovalData>,
  at: number
): Effect.fn.Return<ReadonlyArray<ChangeSet>, StorageFault> {
  const { kinds, unitOfWork } = deps
  const { act, resource_id } = data
  if (act !== null || resource_id === null || state === "pending" || state === "executing") return []
  const kind = kinds.ofId(resource_id)
  if (kind?.payout === undefined) return []
  const row = yield* Effect.catchTag(unitOfWork.load(kind, merchant_id, resource_id), "NotFound", () =>
    Effect.die(new InvariantViolation(`the movement ${resource_id} of an approval is there`))
  )
  const { awaiting, over } = row.data as Payout
  if (state === "approved" && awaiting === 1 && over !== undefined && (yield* DryRun) !== undefined)
    yield* showUseNow(deps, kind, row, data, over.limits, at)
  const counts = over === undefined ? {} : { counts: recountAt(over.counts, at) }
  const event =
    state === "approved"
      ? { type: "approval.approved", at, until: at + relockMs, ...counts }
      : { type: "approval.declined", at }
  const next = yield* unitOfWork.step(kind, row, event, at)
  if (next === undefined) return []
  if (state === "approved") return [next.changes]
  // What another side was asked for it is decided, too.
  return [next.changes, ...(yield* planApprovalEnds(deps, next.row, at, id))]
})

const actKey = (id: string): string => `approval/${id}`

/** Reads the maker of an approval's act, as the caller for whom it is done. */
const toMaker = ({ data: { act }, merchant_id }: Pick<Row<ApprovalData>, "data" | "merchant_id">): Caller => ({
  merchant_id: act!.operator === null ? merchant_id : PLATFORM_MERCHANT,
  role: act!.role as Role,
  key_id: act!.key_id,
  operator: act!.operator as Call["operator"]
})

const applyStep = (deps: Deps, row: Row<ApprovalData>, source: Source, event: ApprovalEvent) =>
  deps.unitOfWork.apply(
    row.merchant_id,
    source,
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const [now] = yield* deps.storage.get([{ merchant_id: row.merchant_id, kind: ApprovalKind.kind, id: row.id }])
      const next = yield* deps.unitOfWork.step(ApprovalKind, now as Row<ApprovalData>, event, at)
      return { changes: next === undefined ? [] : [next.changes], result: undefined }
    })
  )

/** What an act has returned, as its record has it. */
interface Performed {
  readonly result?: ApprovalBody["result"]
}

/** Wraps a failure that may be temporary as a fault, so that the act is tried again. */
const toFault = (failure: Refusal | Fault): StorageFault =>
  failure._tag === "StorageFault" ? failure : new StorageFault({ message: describeError(failure), retryable: true })

const isTransient = (failure: Refusal | Fault): boolean =>
  !isRefusal(failure) || retryAfterMs(failure) !== undefined || isContended(failure)

const openSent = ({ cipher }: Deps, { input }: NonNullable<ApprovalData["act"]>) =>
  Effect.map(cipher.open(input), (text) => JSON.parse(text) as { readonly params: unknown; readonly body: unknown })

/** What was asked, for whoever approves it: a dismissal is another act than an explanation (APPROVAL-2). Null once nobody decides it any more. */
const readRequest = Effect.fnUntraced(function* (deps: Deps, { data: { act }, state }: Row<ApprovalData>) {
  if (act === null || !["pending", "executing"].includes(state)) return null
  const { body } = yield* openSent(deps, act)
  return { name: act.operation_id, body: (body ?? {}) as Readonly<Record<string, unknown>> }
})

/** Does an approved act, and returns its result. Undefined: another call does it. Errors: a fault, or a failure that may be temporary. */
const performAct = Effect.fnUntraced(function* (
  deps: Deps,
  row: Pick<Row<ApprovalData>, "id" | "merchant_id" | "data">
): Effect.fn.Return<Pick<ApprovalData, "resource_id" | "refusal"> | undefined, StorageFault> {
  const { act, limits = [], side } = row.data
  const operation = act === null ? undefined : deps.operations.get(act.operation_id)
  if (act === null) return undefined
  if (operation === undefined) throw new InvariantViolation(`the operation ${act.operation_id} is there`)
  const sent = yield* openSent(deps, act)
  const performing = deps.perform(operation, {
    caller: toMaker(row),
    key: actKey(row.id),
    request_id: act.request_id,
    if_match: act.if_match,
    approved: {
      ...{ sides: [...act.approved, side], limits: [...(act.limits ?? []), ...limits] },
      ...{ taken: act.taken, ids: act.ids }
    },
    params: () => sent.params,
    body: () => Result.succeed(sent.body)
  })
  const outcome = yield* Effect.mapError(performing, toFault)
  if (outcome._tag === "Refused" && isTransient(outcome.failure)) return yield* toFault(outcome.failure)
  if (outcome._tag === "Refused")
    return { resource_id: null, refusal: { code: codeOf(outcome.failure), message: describeError(outcome.failure) } }
  const { result } = JSON.parse(outcome.text) as Performed
  // What waits for the other side has made nothing yet.
  return { resource_id: typeof result?.id === "string" ? result.id : null, refusal: null }
})

/**
 * Does an approved act, and records its end. Law: the act has one effect, however often and by whomever this is called. Errors: a fault, or
 * a failure that may be temporary: the act is then done later.
 */
const executeApproval = Effect.fnUntraced(function* (deps: Deps, row: Row<ApprovalData>, source: Source) {
  if (row.state !== "executing") return
  const end = yield* performAct(deps, row)
  if (end === undefined) return
  const { merchant_id, operator } = toMaker(row)
  const at = yield* Clock.currentTimeMillis
  const until = at + readableMs
  const kept = { merchant_id, key: scopeIdempotencyKey(actKey(row.id), operator), until }
  const { refusal, resource_id } = end
  yield* applyStep(
    deps,
    row,
    source,
    refusal === null ? { type: "executed", resource_id, kept } : { type: "refused", at, refusal, kept }
  )
})

/**
 * Approves or declines. The last approval does the act.
 *
 * Errors: `NotFound`; `Forbidden`, see {@link identifyDecider}; `InvalidStatus` when it is decided already, or its time is over.
 */
const decide = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  id: string,
  type: "approve" | "decline",
  note: string | undefined
) {
  const { unitOfWork } = deps
  const found = yield* readOfOwnSide(deps, call, id)
  const { merchant_id } = found
  yield* identifyDecider(deps, call, found)
  let after: RowWrite<ApprovalData> | undefined
  const decided = yield* unitOfWork.write({ ...call, merchant_id }, function* () {
    const row = yield* unitOfWork.load(ApprovalKind, merchant_id, id)
    const by = yield* identifyDecider(deps, call, row)
    const at = yield* Clock.currentTimeMillis
    const given = { by, note: note ?? null, at }
    const isOver = row.state === "pending" && at >= row.data.expires_at
    const next = isOver ? undefined : yield* unitOfWork.step(ApprovalKind, row, { type, given }, at)
    if (next === undefined)
      return yield* new InvalidStatus({
        message: `Approval ${id} is ${isOver ? "expired" : row.status}. Only a pending one is decided.`
      })
    const changes = [next.changes, ...(yield* stepMovement(deps, next.row, at))]
    after = next.row
    return { changes, result: approvalBody(next.row), audited: next.row }
  })
  // In a dry run the act is decided too, from what is not stored. What fails here would be done by the timer.
  const end =
    after?.state !== "executing" || (yield* DryRun) === undefined
      ? undefined
      : yield* Effect.catch(performAct(deps, after), () => Effect.void)
  if (end === undefined) return decided
  const { refusal, resource_id } = end
  return refusal === null
    ? { ...decided, resource_id: decided.resource_id ?? resource_id }
    : { ...decided, status: "expired" as const, expires_at: iso(yield* Clock.currentTimeMillis), refusal }
})

/** Does the act that the last approval allows, and returns the approval afterwards. It may be repeated. Errors: `NotFound`. */
const finishAct = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const row = yield* readOfOwnSide(deps, call, id)
  // What fails here is done by the timer.
  if ((yield* DryRun) === undefined)
    yield* Effect.ignore(executeApproval(deps, row, { deduplicationKey: `${actKey(id)}/executed` }))
  const now = yield* readOfOwnSide(deps, call, id)
  return { result: approvalBody(now), isDone: now.state !== "executing" }
})

const approve = (deps: Deps, call: Call, id: string, { note }: DecideApproval) =>
  decide(deps, call, id, "approve", note)
const declineApproval = (deps: Deps, call: Call, id: string, { note }: DeclineApproval) =>
  decide(deps, call, id, "decline", note)

/** Reads the response of an act, as long as its maker may read it. */
const readKeptResponse = Effect.fnUntraced(function* ({ unitOfWork }: Deps, { kept }: ApprovalData) {
  if (kept === undefined || (yield* Clock.currentTimeMillis) >= kept.until) return null
  const { result = null } = JSON.parse((yield* unitOfWork.responseOf(kept)) ?? "{}") as Performed
  return result
})

const get = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const row = yield* loadApproval(deps, call, id)
  // Operators see nothing of what a merchant decides by itself.
  if (call.operator !== null && row.data.side === "merchant") return yield* makeNotFound(ApprovalKind, id)
  const result = (yield* hasMade(deps, call, row)) ? yield* readKeptResponse(deps, row.data) : null
  const request = yield* readRequest(deps, row)
  return { body: { ...approvalBodyFor(row, call), request, result }, version: String(row.version) }
})

/** Lists approvals, newest first: for a merchant, those of its acts; for an operator, those that operators decide. */
const list = ({ ofMerchant, ofOperators }: Deps, call: Call, input: ListOwnApprovals) =>
  call.operator === null ? ofMerchant(call.merchant_id, input) : ofOperators(null, { ...input, side: "operator" })

/**
 * Ends the approvals that waited for a resource before it changed, and that the commit has not ended (APPROVAL-13). For a closed resource,
 * nothing can wait any more, so that only what was asked for after another change is left, whatever the clocks of nodes.
 */
const endWaiting = Effect.fnUntraced(function* (
  deps: Deps,
  { created_at: until, merchant_id }: Pick<Row, "created_at" | "merchant_id">,
  id: string,
  name: EndTimer,
  source: Source
) {
  const { kinds, storage, unitOfWork } = deps
  const kind = kinds.ofId(id)
  const [row] = kind === undefined ? [] : yield* storage.get([{ merchant_id, kind: kind.kind, id }])
  const places = row === undefined ? [] : new Set([merchant_id, PLATFORM_MERCHANT])
  const waiting = (yield* Effect.forEach(places, (place) => listWaitingApprovals(storage, place, id))).flat()
  const at = yield* Clock.currentTimeMillis
  const event =
    name === endTimers.changed ? makeChangedEvent({ id }, at) : makeEndEvent(row ?? { id, status: "gone" }, at)
  const isStill = name === endTimers.closed && row !== undefined && row.updated_at <= until
  for (const approval of waiting.filter(({ created_at }) => isStill || created_at <= until))
    yield* applyStep(deps, approval, { deduplicationKey: `${actKey(approval.id)}/ended` }, event)
  yield* unitOfWork.apply(merchant_id, source, Effect.succeed({ changes: [], result: undefined }))
})

const payoutKinds: ReadonlyArray<string> = ["transfer", "offramp"]

/** Of payouts that are under way: those that wait, for whatever they wait, have one of them. */
const openStatuses = ["created", "processing", "temporary_failure"]

/**
 * Ends the waiting payouts to a beneficiary that may not be paid any more, with their approvals: those that wait for approval or for their
 * submission, each in a commit of its own (APPROVAL-17, BENEFICIARY-7).
 */
const endPayoutsTo = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  beneficiary_id: string,
  source: Source
) {
  const { kinds, storage, unitOfWork } = deps
  const payouts = yield* Effect.forEach(openStatuses, (status) =>
    readAllRows(
      storage,
      { merchant_id, kinds: payoutKinds, index_keys: [`beneficiary_id=${beneficiary_id}`, `status=${status}`] },
      () => true,
      1_000
    )
  )
  for (const row of payouts.flat()) {
    const { id, kind } = row
    if ((yield* readPayee(storage, row))?.isBarred !== true) continue
    yield* unitOfWork.apply(
      merchant_id,
      { deduplicationKey: `${id}/barred/${source.lease?.token}` },
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const [row] = yield* storage.get([{ merchant_id, kind, id }])
        const next = yield* unitOfWork.step(kinds.byName.get(kind)!, row!, { type: "payout.blocked", at }, at)
        const changes = next === undefined ? [] : [next.changes, ...(yield* planApprovalEnds(deps, next.row, at))]
        return { changes, result: undefined }
      })
    )
  }
  yield* unitOfWork.apply(merchant_id, source, Effect.succeed({ changes: [], result: undefined }))
})

/** Handles a timer of an approval: its time is over, its act is to be done again, or its response is no longer kept. */
const fireTimer = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  id: string,
  name: string,
  source: Source
) {
  const { storage, unitOfWork } = deps
  const [found] = yield* storage.get([{ merchant_id, kind: ApprovalKind.kind, id }])
  const row = found as Row<ApprovalData> | undefined
  if (name !== expiryTimer && row?.state === "executing") return yield* executeApproval(deps, row, source)
  if (name === forgetTimer && row?.data.kept !== undefined) yield* unitOfWork.forget(row.data.kept)
  yield* unitOfWork.apply(
    merchant_id,
    source,
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const [now] = yield* storage.get([{ merchant_id, kind: ApprovalKind.kind, id }])
      const event: ApprovalEvent = { type: "timer.expiry", at }
      const next =
        now === undefined || name !== expiryTimer
          ? undefined
          : yield* unitOfWork.step(ApprovalKind, now as Row<ApprovalData>, event, at)
      const changes = next === undefined ? [] : [next.changes, ...(yield* stepMovement(deps, next.row, at))]
      return { changes, result: undefined }
    })
  )
})

export class Approvals extends Context.Service<Approvals>()("corridor/engine/Approvals", {
  make: Effect.map(makeDeps, (deps) =>
    bindFirst(deps, {
      approve,
      barred: endPayoutsTo,
      decline: declineApproval,
      ended: endWaiting,
      finish: finishAct,
      get,
      list,
      fire: fireTimer
    })
  )
}) {
  static readonly layer = Layer.effect(this, this.make)
}
