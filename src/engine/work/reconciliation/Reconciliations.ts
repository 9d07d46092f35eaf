/**
 * Matching with what it may decide (MATCH-8): a line that a provider signed under a command whose outcome is unknown is that outcome, on
 * the path of every provider's report. A person decides the same of a file's line, with `adopt` (BREAK-5).
 */
import { Clock, Context, Duration, Effect, Layer, Random, Semaphore } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { BreakData } from "../../../machines/reconciliation/break.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import { ActiveLimits } from "../../calls/ActiveLimits.ts"
import { checkVersion } from "../../calls/list.ts"
import { findOfAnyMerchant } from "../../calls/reads.ts"
import { toLimitedAct } from "../../commit/acts.ts"
import type { Call, EventResult, Source } from "../../commit/call.ts"
import { Kinds } from "../../commit/kind.ts"
import { type Decision, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { invalid, InvalidStatus, StorageFault, type Unavailable } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { DryRun } from "../../ports/dry-run.ts"
import { type MovementEvent, toSuccessOfLine } from "../../ports/provider-events.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { wallNow } from "../../ports/Time.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { breakActionsOf, type BreakBody, makeBreakVersion } from "../../representations/reconciliation/break.ts"
import { describeResource } from "../../resources/reconciliation/books.ts"
import { toResolutionAct, BreakKind } from "../../resources/reconciliation/break.ts"
import { ExternalAccountKind } from "../../resources/reconciliation/external-account.ts"
import { readMatchedAccount } from "../../resources/reconciliation/matched-account.ts"
import { Matchings, type Run } from "../../resources/reconciliation/matching.ts"
import { BreakResolutions, type ResolveBreak } from "../../resources/reconciliation/resolution.ts"
import { hasFewOpenLines, isOpen, StatementLineKind } from "../../resources/reconciliation/statement-line.ts"
import { Inbox } from "../providers/Inbox.ts"
import { eventKey } from "../providers/provider-events.ts"

/** The most repeats of a run, after another run has changed the same account or a line has decided an outcome. */
const RUNS_MAX = 8

/** The result of a run: how many lines it matched, how many have a proposal, and how many have neither. */
export interface MatchingResult {
  readonly matched: number
  readonly proposed: number
  readonly unmatched: number
}

const makeDeps = Effect.gen(function* () {
  return {
    ...(yield* Effect.all({ storage: Storage, kinds: Kinds, inbox: Inbox, matchings: Matchings })),
    ...(yield* Effect.all({ resolutions: BreakResolutions, limits: ActiveLimits, unitOfWork: UnitOfWork, ids: Ids })),
    /** One run at a time in a process: two would decide from the same books, and hold the lines of two accounts. */
    turns: yield* Semaphore.make(1),
    /** The accounts that this process looks at now. */
    looking: new Set<string>()
  }
})
type Deps = Effect.Success<typeof makeDeps>

const platform = { merchant_id: PLATFORM_MERCHANT } as const

/** The outcome report that a line implies for the movement that it pays. */
const readLineReport = Effect.fnUntraced(function* (
  { storage }: Deps,
  { data, id }: Row<StatementLineData>,
  resource_id: string
): Effect.fn.Return<{ readonly provider: string; readonly event: MovementEvent }, StorageFault> {
  const [account] = yield* storage.get([{ ...platform, kind: ExternalAccountKind.kind, id: data.external_account_id }])
  const { provider } = (account as Row<ExternalAccountData>).data
  const amount = displayAmount(data.amount, data.currency)
  return { provider, event: toSuccessOfLine({ ...data, id, amount }, resource_id) }
})

/** Applies the outcome that a line implies, on the path of a provider's report. */
const applyImplied = Effect.fnUntraced(function* (
  deps: Deps,
  line: Row<StatementLineData>,
  resource_id: string
): Effect.fn.Return<EventResult, Unavailable> {
  const { event, provider } = yield* readLineReport(deps, line, resource_id)
  return yield* deps.inbox.receive(provider, event)
})

/** Runs matching until nothing has changed under it. */
const matchUntilStable = Effect.fnUntraced(function* (
  deps: Deps,
  id: string,
  sweeps: boolean
): Effect.fn.Return<Run, Unavailable> {
  let matched = 0
  const reported = new Set<string>()
  for (let n = 0; n < RUNS_MAX; n++) {
    if (n > 0) yield* Effect.sleep(Duration.millis(yield* Random.nextIntBetween(1, 2 ** n * 10)))
    const run = yield* deps.turns.withPermits(1)(deps.matchings.match(id, sweeps))
    matched += run.matched
    const signed = run.signed.filter(({ line, resource_id }) => !reported.has(`${line.id} ${resource_id}`))
    for (const { line, resource_id } of signed) {
      reported.add(`${line.id} ${resource_id}`)
      yield* applyImplied(deps, line, resource_id)
    }
    if (!run.stale && signed.length === 0) return { ...run, matched }
  }
  return yield* new StorageFault({
    message: `the books of external account ${id} were matched repeatedly by other runs`,
    retryable: true
  })
})

/** Makes a write of the platform that may be made again. */
const apply = Effect.fnUntraced(function* <A, E, R>(
  { ids, unitOfWork }: Deps,
  what: string,
  decide: Effect.Effect<Decision<A>, E, R>
) {
  const deduplicationKey = `${what}/${yield* ids.make("mat")}`
  yield* unitOfWork.apply(PLATFORM_MERCHANT, { deduplicationKey, deduplication_ms: 3_600_000 }, decide)
})

/**
 * Matches the lines of an account that nothing accounts for. It may be repeated at any time.
 *
 * Errors: `StorageFault`; `ExternalServiceUnavailable` where an outcome cannot be applied now. What is written stays.
 */
const match = Effect.fnUntraced(function* (deps: Deps, id: string): Effect.fn.Return<MatchingResult, Unavailable> {
  const { matched, newest, proposed, unmatched } = yield* matchUntilStable(deps, id, false)
  if (newest !== undefined) {
    yield* apply(deps, "later", deps.matchings.wantedNow(id, newest))
  }
  return { matched, proposed, unmatched }
})

/** A run of the clock: it also finds movements that no statement has in time, and sets the next run. */
const runReconciliation = Effect.fnUntraced(function* (
  deps: Deps,
  id: string,
  source: Source
): Effect.fn.Return<void, Unavailable> {
  const { swept = { from: 0, until: 0, next: undefined, began: 0, newest: undefined } } = yield* matchUntilStable(
    deps,
    id,
    true
  )
  yield* deps.matchings.ended(id, swept, source)
})

/** Schedules matching of an account for the next free node. */
const scheduleMatching = Effect.fnUntraced(function* (deps: Deps, id: string, source: Source) {
  yield* deps.unitOfWork.apply(PLATFORM_MERCHANT, source, deps.matchings.wantedNow(id))
})

/** Has the open lines of an account looked at, after what a Change has moved at its provider. */
const requestLook = (deps: Deps, id: string) => apply(deps, "look", deps.matchings.requestLook(id))

const lookNow = Effect.fnUntraced(function* (deps: Deps, id: string): Effect.fn.Return<void, Unavailable> {
  const [began, wall] = [yield* Clock.currentTimeMillis, yield* wallNow]
  yield* match(deps, id)
  yield* apply(deps, "looked", deps.matchings.storeLook(id, began, (yield* wallNow) - wall))
})

/**
 * Looks at the open lines of an account, because something has moved at its provider. While another look is under way, or rests, it is asked
 * for again instead: looks that wait for each other would keep the workers of all jobs.
 */
const look = Effect.fnUntraced(function* (deps: Deps, id: string): Effect.fn.Return<void, Unavailable> {
  const { looking, matchings } = deps
  const isResting = (yield* matchings.readRest(id)) > (yield* Clock.currentTimeMillis)
  if (isResting || looking.has(id)) return yield* apply(deps, "look", matchings.requestLook(id, looking.has(id)))
  yield* Effect.acquireUseRelease(
    Effect.sync(() => looking.add(id)),
    () => lookNow(deps, id),
    () => Effect.sync(() => looking.delete(id))
  )
})

/** The most open lines of an account that are matched in the call that brings more of them. More are matched right after it. */
const TOGETHER_MAX = 5_000

/**
 * Matches what statements have brought: in the call where the open lines of the account are few, else as soon as a node has time. Never an error of the call: the
 * statements are taken, and the clock matches what this did not.
 */
const matchStatements = Effect.fnUntraced(function* (
  deps: Deps,
  statements: ReadonlyArray<{ readonly id: string; readonly external_account_id: string }>
): Effect.fn.Return<void> {
  if ((yield* DryRun) !== undefined) return
  for (const [id, own] of Map.groupBy(statements, (one) => one.external_account_id)) {
    const source = { deduplicationKey: `matched/${own.map((one) => one.id).join()}`.slice(0, 200) }
    const matching = Effect.flatMap(
      hasFewOpenLines(deps.storage, id, TOGETHER_MAX),
      (few): Effect.Effect<unknown, Unavailable> => (few ? match(deps, id) : scheduleMatching(deps, id, source))
    )
    yield* Effect.catchCause(Effect.asVoid(matching), (cause) =>
      Effect.logWarning(`the lines of external account ${id} are matched later`, cause)
    )
  }
})

/**
 * Reads a movement that exists, and whether it is paid, under way, returning or not paid at the account of the line that would decide it.
 */
const readMovementAndPayment = Effect.fnUntraced(function* (
  deps: Deps,
  { data }: Row<StatementLineData>,
  resource_id: string
) {
  const { account } = (yield* readMatchedAccount(deps, data.external_account_id))!
  const row = (yield* deps.storage.find(deps.kinds.ofId(resource_id)!.kind, resource_id))!
  return { row, payment: describeResource(deps, account, row).payment }
})

/**
 * Whether a movement has succeeded by the report of a line, and nothing else has the line: an adoption that ended before it was recorded.
 */
const hasAdoptedLine = Effect.fnUntraced(function* (deps: Deps, line: Row<StatementLineData>, resource_id: string) {
  const { payment, row } = yield* readMovementAndPayment(deps, line, resource_id)
  if (payment !== "paid") return false
  if (!isOpen(line) && !line.data.matches.some((one) => one.resource_id === resource_id)) return false
  const { event, provider } = yield* readLineReport(deps, line, resource_id)
  const at = yield* Clock.currentTimeMillis
  return (yield* deps.storage.idempotencyRecord(row.merchant_id, eventKey(provider, event), at)) !== undefined
})

/**
 * The line and the movement that `adopt` is about. `isDone`: the movement has succeeded by it. Errors: `InvalidStatus` where the break does
 * not offer it, nor was ended by matching since.
 */
const readAdoption = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row<BreakData>,
  { resource_id = row.data.adopt ?? "" }: ResolveBreak
) {
  const { action, adopt, line_ids } = row.data
  const isOffered = breakActionsOf(row.state, row.data).includes("adopt")
  const notOffered = new InvalidStatus({
    message: `Break ${row.id} is ${row.state}, and no line of it pays a movement whose outcome is unknown.`
  })
  if (!isOffered && (action !== "cleared" || adopt === null)) return yield* notOffered
  if (resource_id !== adopt)
    return yield* invalid("resource_id", `resource_id is ${resource_id}; the line names ${adopt}.`)
  const [found] = yield* deps.storage.get([{ ...platform, kind: StatementLineKind.kind, id: line_ids[0]! }])
  const line = found as Row<StatementLineData>
  const isDone = yield* hasAdoptedLine(deps, line, resource_id)
  return isOffered || isDone ? { line, resource_id, isDone } : yield* notOffered
})

/** Why a line can no longer decide a movement: another has the line, or the outcome is known. Undefined: it can. */
const explainDecision = Effect.fnUntraced(function* (deps: Deps, line: Row<StatementLineData>, resource_id: string) {
  if (!isOpen(line)) return `Line ${line.id} is ${line.state}: undo its match first.`
  const { payment, row } = yield* readMovementAndPayment(deps, line, resource_id)
  return payment === "under_way"
    ? undefined
    : `${resource_id} is ${row.status}: its outcome is known, and no line decides it again.`
})

/**
 * Records the success of the movement that a line pays. Limits count it before: a movement that has succeeded is not refused any more. Errors:
 * `InvalidStatus` where the line or the outcome was decided meanwhile; `InvalidInput` when a limit has no room for it.
 */
const recordSuccess = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  { data, id }: Row<BreakData>,
  line: Row<StatementLineData>,
  resource_id: string
) {
  const refuse = (message: string) => Effect.andThen(deps.resolutions.endAdoption(id), new InvalidStatus({ message }))
  const before = yield* explainDecision(deps, line, resource_id)
  if (before !== undefined) return yield* refuse(before)
  const at = yield* Clock.currentTimeMillis
  const act = toLimitedAct(call, toResolutionAct(line.data))
  const isCounted = data.adopting === true || (yield* deps.limits.admit([act], at)).counted.length > 0
  if (isCounted) yield* deps.resolutions.beginAdoption(call, id, line.data.amount)
  if ((yield* applyImplied(deps, line, resource_id)) === "ignored")
    return yield* refuse(`The outcome of ${resource_id} was decided while the line was adopted.`)
  return isCounted
})

/**
 * Resolves a break, or undoes its resolution. `adopt`: the movement succeeds as its provider would report it, and then the break ends. If the process
 * ends between the two, a repeat of the request records the rest.
 *
 * Errors: those of {@link BreakResolutions}; `InvalidStatus` for `adopt` where the line or the outcome was decided meanwhile. The break then
 * says what differs now.
 */
const resolve = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: ResolveBreak) {
  if (input.action !== "adopt") return yield* deps.resolutions.resolve(call, id, input)
  const row = yield* findOfAnyMerchant(deps.storage, BreakKind, id)
  // Both commits of an adoption change the break's version, so a repeat that finishes one must not be refused for it.
  const isBegun = row.data.adopting === true
  if (!isBegun && breakActionsOf(row.state, row.data).includes("adopt"))
    yield* checkVersion(call, String(row.version), makeBreakVersion(row))
  const { isDone, line, resource_id } = yield* Effect.tapError(readAdoption(deps, row, input), ({ _tag }) =>
    isBegun && _tag === "InvalidStatus" ? deps.resolutions.endAdoption(id) : Effect.void
  )
  const matchedAgain =
    (yield* DryRun) === undefined
      ? Effect.asVoid(matchUntilStable(deps, row.data.external_account_id, false))
      : Effect.void
  const isCounted = isDone
    ? isBegun
    : yield* recordSuccess(deps, call, row, line, resource_id).pipe(
        Effect.tapError(({ _tag }) => (_tag === "InvalidStatus" ? matchedAgain : Effect.void))
      )
  // What limits have counted is no act again.
  const rest = isCounted ? { ...call, if_match: null, act: { words: [], field: "body" } } : { ...call, if_match: null }
  const body: BreakBody = yield* deps.resolutions.resolve(rest, id, input)
  yield* matchedAgain
  return body
})

/** Ends an adoption that limits have counted, and that nobody has finished, unless its movement has succeeded by it. */
const endUnfinished = Effect.fnUntraced(function* (deps: Deps, id: string): Effect.fn.Return<void, Unavailable> {
  const [row] = (yield* deps.storage.get([{ ...platform, kind: BreakKind.kind, id }])) as ReadonlyArray<Row<BreakData>>
  if (row?.data.adopting !== true) return
  const isDone = yield* readAdoption(deps, row, { action: "adopt", note: "" }).pipe(
    Effect.map((found) => found.isDone),
    Effect.catchTags({ InvalidStatus: () => Effect.succeed(false), InvalidInput: () => Effect.succeed(false) })
  )
  if (!isDone) yield* deps.resolutions.endAdoption(id)
})

export class Reconciliations extends Context.Service<Reconciliations>()("corridor/engine/Reconciliations", {
  make: Effect.map(makeDeps, (deps) =>
    bindFirst(deps, {
      match,
      run: runReconciliation,
      soon: scheduleMatching,
      taken: matchStatements,
      resolve,
      endUnfinished,
      requestLook,
      look
    })
  )
}) {
  static readonly layer = Layer.effect(this, this.make)
}
