/**
 * Acts of the API: what limits count of them, and those that wait for approval (LIMITS-2, LIMITS-10, APPROVAL-3). An act that may wait is
 * tried as a dry run first, so that what would be refused does not wait, and rules can compare its amounts. Then its call is stored, and
 * nothing of it is done.
 */
import { Clock, Effect, Result } from "effect"
import type { ApprovalData } from "../../machines/controls/approval.ts"
import type { ActSum, ControlledAction, Money } from "../../machines/controls/approval-rule.ts"
import { sumActs, ApprovedSums, sumTaken } from "../commit/acts.ts"
import type { Call } from "../commit/call.ts"
import { type ChangeSet, type KeyScope, takeReleasedKey } from "../commit/changeset.ts"
import type { Kinds } from "../commit/kind.ts"
import { makeContentionConflict, type UnitOfWork } from "../commit/UnitOfWork.ts"
import { sha256 } from "../crypto/secrets.ts"
import type { Cipher } from "../ports/Cipher.ts"
import { DryRun, type DryRunRecord } from "../ports/dry-run.ts"
import { creationTimeOf, cutStem } from "../ports/Ids.ts"
import {
  BadRequest,
  type Conflict,
  type Fault,
  makeFieldRefusal,
  type InvalidInput,
  InvalidStatus,
  type Refusal,
  type StorageFault
} from "../ports/errors.ts"
import { toCanonicalJson, isWritable } from "../ports/canonical-json.ts"
import type { Row, Storage } from "../ports/Storage.ts"
import { displayAmount } from "../reference/currencies.ts"
import { approvalBodyFor } from "../representations/controls/approval.ts"
import type { ActiveApprovalRules, Demand, Side } from "./ActiveApprovalRules.ts"
import { type ActiveLimits, OverLimits } from "./ActiveLimits.ts"
import { isContended } from "./codes.ts"
import { makeDryRun } from "./dry-run.ts"
import { type AnyOperation, Deleted } from "./operation.ts"

/** The path parameters and the body of a call, as they were sent. */
export interface SentInput {
  readonly params: unknown
  readonly body: unknown
}

export interface GivenAct {
  readonly call: Call
  readonly params: Readonly<Record<string, unknown>>
  readonly input: unknown
}

/** Who has approved an act, and the limits that they were asked for. */
export interface Approved {
  readonly sides: ReadonlyArray<Side>
  readonly limits: ReadonlyArray<string>
  /** The ids of what it makes, as its maker was told them. */
  readonly ids?: ReadonlyArray<string> | undefined
  /** What they saw that it takes. Absent: they were not shown. */
  readonly taken?: ReadonlyArray<Money> | undefined
}

export const unapproved: Approved = { sides: [], limits: [] }

export interface ActDeps {
  readonly rules: ActiveApprovalRules["Service"]
  readonly limits: ActiveLimits["Service"]
  readonly unitOfWork: UnitOfWork["Service"]
  readonly cipher: Cipher["Service"]
  readonly kinds: Kinds["Service"]
  readonly storage: Storage["Service"]
}

type Failure = Refusal | Fault

/**
 * Lists the names of a call's controlled actions. Empty: it has none. The first always applies, the others where the call writes what they
 * are about: see {@link listActs}.
 */
const listControlledActions = ({ action: word }: AnyOperation, given: GivenAct): ReadonlyArray<ControlledAction> => {
  const words = typeof word === "function" ? word(given as never) : word
  return words === undefined ? [] : typeof words === "string" ? [words] : words
}

/** The most repeats of a trial, as what the act is about has changed meanwhile. */
const TRIALS_MAX = 8

/** The acts that return what there is already, and write nothing, when they are asked for again. */
const repeatable: ReadonlySet<ControlledAction> = new Set(["batch", "onramp", "conversion"])

/** Marks a call as that of an act, for limits and rules. A refusal by a limit names the field of the resource of the act. */
const toAct = (
  { call, input, params }: GivenAct,
  words: ReadonlyArray<ControlledAction>,
  { ids }: Approved
): GivenAct => {
  const field = Object.keys(params).at(-1) ?? Object.keys((input ?? {}) as object)[0] ?? "body"
  return { call: { ...call, act: { words, field }, ...(ids !== undefined && { ids }) }, params, input }
}

/** Members of responses that nobody may know before the act is done. */
const secrets = new Set(["token", "secret", "signing_secret"])

/** Replaces secrets in a response, which nobody may know before the act is done. */
const removeSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(removeSecrets)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secrets.has(name) ? "shown when the act is approved" : removeSecrets(member)
    ])
  )
}

/** Reads the response of a call that waits for approval: the resource as it is, or what the call would make. */
const readWaitingResponse = Effect.fnUntraced(function* (operation: AnyOperation, given: GivenAct, made: unknown) {
  if (operation.output === Deleted) return { id: given.call.subject, success: false }
  const read = operation.readCurrent as ((given: object) => Effect.Effect<unknown, Failure>) | undefined
  const shown = read === undefined ? made : yield* read(given)
  return (shown as { readonly body?: unknown }).body ?? shown
})

const idPrefixOf = (id: string): string => id.slice(0, id.indexOf("_"))

/**
 * Lists the ids of new resources that the response of a trial shows, and the reference that it makes. Where an act makes several resources
 * of one kind, none of their ids is kept.
 */
const listToldIds = ({ changes }: DryRunRecord, result: unknown): ReadonlyArray<string> => {
  const text = JSON.stringify(result) ?? ""
  const made = changes.flatMap(({ rows, unique_keys }) => [
    ...rows.filter(({ version }) => version === 1).map(({ id }) => id),
    ...unique_keys.map(({ key }) => key).filter((key) => creationTimeOf(key) !== undefined)
  ])
  const isSingle = (id: string): boolean => made.filter((one) => idPrefixOf(one) === idPrefixOf(id)).length === 1
  return made.filter((id) => text.includes(JSON.stringify(id)) && isSingle(id))
}

/**
 * Replaces the new ids in the response of a trial by those that an earlier trial of the same act has shown. Ids that are derived from them
 * have their stems.
 */
const tellKnownIds = (result: unknown, told: ReadonlyArray<string>, known: ReadonlyArray<string> = []): unknown => {
  let text = JSON.stringify(result) ?? "null"
  for (const id of told) {
    const earlier = known.find((one) => idPrefixOf(one) === idPrefixOf(id))
    if (earlier !== undefined) text = text.replaceAll(cutStem(id), cutStem(earlier))
  }
  return JSON.parse(text)
}

interface Tried {
  readonly result: unknown
  readonly sums: ReadonlyArray<ActSum>
  readonly demand: Demand
}

/** Whether an act replaces the token of its maker, who could not read the new one when the act is done (APPROVAL-8). */
const isOwnTokenReplaced = ({ operator }: Call, { changes }: DryRunRecord): boolean =>
  changes.some(({ rows }) =>
    rows.some(({ id, kind, via }) => kind === "operator" && id === operator?.id && via === "rotate")
  )

/**
 * Checks that the resources of an act are still as they were when the act was tried, so that nothing waits for what has ended
 * (APPROVAL-13), and has them note that an act waits. A merchant's resource lies in another cell than an operator's approval. Errors:
 * `Conflict` when they are not: the act is tried again.
 */
const recheckTrial = Effect.fnUntraced(function* (
  { kinds, storage, unitOfWork }: ActDeps,
  { merchant_id, subject }: Call,
  { changes }: DryRunRecord,
  taken: ReadonlyArray<Row>,
  at: number
): Effect.fn.Return<ReadonlyArray<ChangeSet>, Conflict | StorageFault> {
  const checks = changes
    .filter((change) => change.merchant_id === merchant_id)
    .flatMap(({ rows }) => rows)
    // An act in two commits writes a row twice: it is to be as it was before the first.
    .filter(({ id }, at, all) => all.findIndex((one) => one.id === id) === at)
    .filter(({ id }) => id === subject || taken.some((one) => one.id === id))
    .map(({ id, kind, version }) => ({ id, kind, version: version - 1 }))
  const rows = checks.length === 0 ? [] : yield* storage.get(checks.map(({ id, kind }) => ({ merchant_id, kind, id })))
  if (checks.some(({ id, version }) => rows.find((row) => row.id === id)?.version !== version))
    return yield* makeContentionConflict()
  const noted = yield* Effect.forEach(rows, (row) => {
    const kind = kinds.byName.get(row.kind)
    return kind?.waitEvent === undefined ? Effect.undefined : unitOfWork.step(kind, row, kind.waitEvent, at)
  })
  const stepped = noted.filter((one) => one !== undefined)
  const left = checks.filter(({ id }) => !stepped.some(({ row }) => row.id === id))
  return [{ checks: left }, ...stepped.map(({ changes }) => changes)]
})

/** Lists the texts among the members of a value. */
const listTextMembers = (value: unknown): ReadonlyArray<string> =>
  Object.values((value ?? {}) as object).filter((member): member is string => typeof member === "string")

/**
 * Lists the rows without which a tried act can no longer be done, besides the one that its path names: a row that lasts until a time, as a
 * quote, and of an act that makes something, a row that this or its input names, as the break that ends with an entry (APPROVAL-13).
 */
const listTakenRows = (
  { kinds }: ActDeps,
  { call, input }: GivenAct,
  made: unknown,
  { changes }: DryRunRecord
): ReadonlyArray<Row> => {
  const named = new Set(call.subject === undefined ? [...listTextMembers(input), ...listTextMembers(made)] : [])
  return changes
    .flatMap(({ rows }) => rows)
    .filter((row) => row.version > 1 && (named.has(row.id) || findExpiry(kinds, row) < Infinity))
}

/** Finds when a row stops being usable, epoch milliseconds. Infinity: never by time. */
const findExpiry = ({ byName }: Kinds["Service"], { data, kind }: Row): number =>
  byName.get(kind)?.usableUntil?.(data) ?? Infinity

const runAct = (operation: AnyOperation, given: GivenAct) =>
  (operation.run as (given: object) => Effect.Effect<unknown, Failure>)(given)

/**
 * The limits that an act may pass: once the operators have approved it, those that they were asked for; before, each that can be approved,
 * which the trial notes (LIMITS-10).
 */
const listExemptLimits = ({ limits, sides }: Approved) => (sides.includes("operator") ? { named: limits } : {})

/**
 * Runs an act as a dry run, and returns what a side that has not approved it yet must approve. Undefined: it does not wait. Errors: those
 * of the act.
 */
const tryAct = Effect.fnUntraced(function* (
  { limits, rules }: ActDeps,
  operation: AnyOperation,
  words: ReadonlyArray<ControlledAction>,
  given: GivenAct,
  approved: Approved,
  record: DryRunRecord
): Effect.fn.Return<Tried | undefined, Failure> {
  const about = { merchant_id: given.call.merchant_id, words }
  const first = (demands: ReadonlyArray<Demand>) => demands.find(({ side }) => !approved.sides.includes(side))
  const isCovered = first(yield* rules.demands(about)) !== undefined
  if (!isCovered && (approved.sides.includes("operator") || !(yield* limits.mayWait(words)))) return undefined
  const over = new Set<string>()
  const result = yield* runAct(operation, {
    ...given,
    call: { ...given.call, reply: () => "", existing: () => {}, waits: () => {} }
  }).pipe(
    Effect.provideService(DryRun, record),
    Effect.provideService(OverLimits, { ...listExemptLimits(approved), over })
  )
  // What is asked for again is returned as it is: a batch that is confirmed (BATCH-4), a movement under its reference (REFERENCE-3).
  if (repeatable.has(words[0]!) && record.changes.every(({ rows }) => rows.length === 0)) return undefined
  const { sums = [], words: applied = words.slice(0, 1) } = record.act ?? {}
  const demand = first(yield* rules.demands({ ...about, words: applied, sums, over: [...over] }))
  return demand === undefined ? undefined : { result, demand, sums }
})

/**
 * Whether an act can be done only once, so that a repeat of it is the same act: its path or its input names a row that ends with it, or it
 * takes a unique key that its input gives, as the reference of an onramp.
 */
const isDoneOnce = (
  operation: AnyOperation,
  { input }: GivenAct,
  taken: ReadonlyArray<Row>,
  { changes }: DryRunRecord
): boolean => {
  if (!operation.createsResource || taken.length > 0) return true
  const given = new Set(listTextMembers(input))
  return changes.some(({ unique_keys }) => unique_keys.some(({ key }) => given.has(key)))
}

/** The acts that wait. Of two calls that begin to wait at once, one finds the approval of the other. */
const waitingActs: KeyScope = { name: "waiting_act", taken: "decide_again" }

/**
 * Finds the approval for which the same act of the same maker waits already, if the act {@link isDoneOnce}; otherwise returns the change
 * set that takes the key of a new one (APPROVAL-11). `approval`: the one that would begin. An act that is done because one side has
 * approved it is not the one that waited for that side.
 */
const findWaitingApproval = Effect.fnUntraced(function* (
  { storage }: ActDeps,
  operation: AnyOperation,
  { body, params }: SentInput,
  approval: Row<ApprovalData>
): Effect.fn.Return<Row<ApprovalData> | ChangeSet, StorageFault> {
  const { act, made_by } = approval.data
  if (act === null) return {}
  const name = toCanonicalJson([made_by.id, made_by.name, operation.id, params, body ?? {}, act.if_match])
  return yield* takeReleasedKey<ApprovalData>(
    storage,
    waitingActs,
    yield* sha256(name),
    approval,
    ({ data, state }) => (state === "pending" || state === "executing") && !act.approved.includes(data.side)
  )
})

/**
 * Lets an act wait if rules cover it or it is over limits that ask for approval. Returns the response of the call then, and undefined if
 * the act does not wait.
 *
 * `dryRun`: of a dry run, which lets nothing wait. Errors: those of the act.
 */
const letWait = Effect.fnUntraced(function* (
  deps: ActDeps,
  operation: AnyOperation,
  given: GivenAct,
  sent: () => Result.Result<SentInput, BadRequest>,
  approved: Approved,
  dryRun: DryRunRecord | undefined
): Effect.fn.Return<{ readonly result: unknown } | undefined, Failure> {
  const { cipher, kinds, rules, unitOfWork } = deps
  const { call } = given
  const words = listControlledActions(operation, given)
  const record = { ...makeDryRun(dryRun), isTrial: dryRun === undefined }
  const found = yield* tryAct(deps, operation, words, given, approved, record)
  if (found === undefined) return undefined
  if (dryRun !== undefined) {
    dryRun.changes.push(...record.changes)
    dryRun.not_asked.push(...record.not_asked)
    dryRun.limits = record.limits
    if (record.awaits !== undefined) dryRun.awaits = record.awaits
  }
  const { demand, result: made, sums } = found
  if (isOwnTokenReplaced(call, record))
    return yield* new InvalidStatus({
      message:
        "The act waits for approval, and your token would end before you could read the new one. Another admin has to replace it."
    })
  const input = sent()
  if (Result.isFailure(input)) return yield* input.failure
  // What has no meaning in the call is kept with it.
  if (!isWritable(input.success))
    return yield* new BadRequest(
      makeFieldRefusal(
        "body",
        "invalid_type",
        "The input is nested too deeply, or is not JSON, and cannot wait for approval."
      )
    )
  const result = removeSecrets(yield* readWaitingResponse(operation, given, made))
  const ids = listToldIds(record, result)
  const { id, name, role } = call.operator ?? { id: null, name: "", role: "" }
  const act: ApprovalData["act"] = {
    operation_id: operation.id,
    input: yield* cipher.seal(JSON.stringify(input.success)),
    request_id: call.request_id,
    if_match: call.if_match,
    operator: call.operator === null ? null : { id, name, role },
    key_id: call.key_id,
    role: call.role,
    approved: approved.sides,
    taken: sumTaken(sums),
    ...(ids.length === 0 ? {} : { ids }),
    ...(approved.limits.length === 0 ? {} : { limits: approved.limits })
  }
  const made_by = yield* rules.callerOf(call)
  const taken = listTakenRows(deps, given, made, record)
  const until = Math.min(...taken.map((row) => findExpiry(kinds, row)))
  const decide = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const about = {
      ...{ operation: demand.word, resource_id: call.subject ?? null, amounts: sumActs(sums), act },
      ...(taken.length === 0 ? {} : { takes: taken.map(({ id }) => id), until })
    }
    const approval = yield* rules.begin(call.merchant_id, made_by, demand, about, at)
    const isOnce = isDoneOnce(operation, given, taken, record)
    const known = isOnce ? yield* findWaitingApproval(deps, operation, input.success, approval.row) : {}
    if ("id" in known) {
      call.waits?.(approvalBodyFor(known, call))
      return { changes: [], result: tellKnownIds(result, ids, known.data.act?.ids) }
    }
    // What waits already has changed what it is about: it is found first.
    const unchanged = yield* recheckTrial(deps, call, record, taken, at)
    call.waits?.(approvalBodyFor(approval.row, call))
    return { changes: [approval.changes, known, ...unchanged], result, audited: approval.row }
  })
  const { act: _, ...uncounted } = call
  return { result: yield* unitOfWork.write(uncounted, decide) }
})

/** The outcome of an action. `waits`: nothing is done, and the response of the call is stored. */
export interface Acted {
  readonly result: unknown
  readonly waits: boolean
}

const formatAmounts = (some: ReadonlyArray<Money>): string =>
  some.map(([minor, currency]) => `${displayAmount(minor, currency)} ${currency}`).join(", ") || "nothing"

/** Runs an approved action. Errors: those of the action; `InvalidStatus` if its amount has changed since the approval. */
const performApproval = <A>(
  done: Effect.Effect<A, Failure>,
  taken: ReadonlyArray<Money> | undefined
): Effect.Effect<A, Failure> => {
  if (taken === undefined) return done
  const approved: ApprovedSums = { taken }
  return Effect.catchTag(
    Effect.provideService(done, ApprovedSums, approved),
    "Conflict",
    (conflict): Effect.Effect<never, Failure> =>
      approved.other === undefined
        ? Effect.fail(conflict)
        : Effect.fail(
            new InvalidStatus({
              message: `The act comes to ${formatAmounts(approved.other)} by now, and ${formatAmounts(taken)} was approved: nothing is done. Ask for it again.`
            })
          )
  )
}

/**
 * Does an act, or lets it wait for approval. `sent`: its path parameters and body as they are stored. A file may have many acts, some of
 * which may succeed: each is an act of its own, and counts and waits by itself.
 *
 * Errors: those of the operation; `InvalidInput` when a limit has no room for it.
 */
export const actOrWait = Effect.fnUntraced(function* (
  deps: ActDeps,
  operation: AnyOperation,
  plain: GivenAct,
  sent: () => Result.Result<SentInput, BadRequest>,
  approved: Approved,
  dryRun: DryRunRecord | undefined
): Effect.fn.Return<Acted, Failure> {
  const words = listControlledActions(operation, plain)
  if (words.length === 0 || operation.fileMax !== undefined)
    return { result: yield* runAct(operation, plain), waits: false }
  const given = toAct(plain, words, approved)
  const done = performApproval(
    Effect.map(runAct(operation, given), (result): Acted => ({ result, waits: false })),
    approved.taken
  )
  const waits = performApproval(letWait(deps, operation, given, sent, approved, dryRun), approved.taken)
  // What it is about may have changed since it was tried, also by others that begin to wait for it at once.
  const before = yield* Effect.retry(waits, { times: TRIALS_MAX, while: isContended })
  if (before !== undefined) return { ...before, waits: true }
  // Over a limit for which nobody was asked it is refused, and may be asked for again: it then waits for that, too.
  if (approved.sides.includes("operator"))
    return yield* Effect.provideService(done, OverLimits, { ...listExemptLimits(approved), over: new Set<string>() })
  // Others may have used the rest of a limit since the act was tried. The key of an operator's act may lie with a merchant by now.
  const { idempotency, operator } = given.call
  return yield* Effect.catchIf(
    done,
    (failure): failure is InvalidInput =>
      failure._tag === "InvalidInput" && (operator === null || idempotency === null),
    (refusal) =>
      Effect.gen(function* () {
        const after = (yield* deps.limits.canWaitForApproval(refusal)) ? yield* waits : undefined
        return after === undefined ? yield* refusal : { ...after, waits: true }
      })
  )
})
