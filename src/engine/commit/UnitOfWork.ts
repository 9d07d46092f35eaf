/**
 * The only path of a write: decide from what is stored, commit the decision, and decide again when a row that was read
 * has changed since.
 */
import { Cause, Clock, Context, Duration, Effect, Layer, Random } from "effect"
import { makeAudit } from "./audit.ts"
import { ActLimits, ApprovedSums, listActs, sumTaken, addCounts, subtractGivenBack } from "./acts.ts"
import { toCanonicalJson } from "../ports/canonical-json.ts"
import { type ApplyResult, type Call, makeOrigin, type Source, addOrigin } from "./call.ts"
import { mergeChanges, type ChangeSet, type CounterGuard, type KeyScope } from "./changeset.ts"
import { type Stepped, step } from "./steps.ts"
import { Asked } from "../ports/asked.ts"
import { Cipher } from "../ports/Cipher.ts"
import { DryRun, type DryRunRecord } from "../ports/dry-run.ts"
import type { IdempotencyConflict, IdempotencyInProgress } from "../ports/errors.ts"
import {
  Conflict,
  DuplicateResource,
  InsufficientFunds,
  type InvalidInput,
  InvariantViolation,
  NotFound,
  type Refusal,
  StorageFault
} from "../ports/errors.ts"
import { type PastCall, makeIdempotency } from "./idempotency.ts"
import { Ids } from "../ports/Ids.ts"
import { type Kind, Kinds } from "./kind.ts"
import { MovedBooks } from "./moved-books.ts"
import { metrics, type Series } from "../ports/metrics.ts"
import { type Change, type IdempotencyWrite, type Row, Storage, type CommitResult } from "../ports/Storage.ts"
import { makePrefetch, PortAnswers, RowQueues, type RowRefs, rowName } from "./attempts.ts"
import { JobNotifier, type Written } from "../ports/JobNotifier.ts"

/** The decision of an operation: what to write, and its result. */
export interface Decision<A> {
  readonly changes: ReadonlyArray<ChangeSet>
  readonly result: A
  /** The response contains a secret: the stored response is encrypted (IDEM-8). */
  readonly secret?: boolean
  /**
   * The resource that an operator's action is about, for the audit log. Default: the resource that the path names if it is
   * written, otherwise the first that is.
   */
  readonly audited?: Pick<Row, "kind" | "id">
}

/** A decision as a generator function, as `Effect.gen` takes it. It may make ids. */
type Generated<Eff extends Effect.Effect<any, any, any>, D extends Decision<unknown>> = () => Generator<Eff, D, never>
type ServicesIn<Eff extends Effect.Effect<any, any, any>> = Exclude<Effect.Services<Eff>, Ids>

/** The series of the metric that counts commits with this result. */
const commitSeries = (verdict: string): Series => metrics.commits.of({ verdict })
const unanswered = commitSeries("fault")
const committing = metrics.committing.of({})
const verdicts: Readonly<Record<CommitResult["_tag"], Series>> = {
  Committed: commitSeries("committed"),
  Repeated: commitSeries("repeated"),
  LeaseLost: commitSeries("lease_lost"),
  VersionConflict: commitSeries("version_conflict"),
  Taken: commitSeries("taken"),
  InsufficientFunds: commitSeries("insufficient_funds"),
  LimitReached: commitSeries("limit_reached")
}

const attemptsMax = 12
const appliesMax = 48
const commitAttemptsMax = 6

/** One attempt at a write: done, or to be decided again, with the row that caused the conflict, if any. */
type Attempt<A> = { readonly _tag: "done"; readonly value: A } | { readonly _tag: "again"; readonly row?: string }

const finishWith = <A>(value: A): Attempt<A> => ({ _tag: "done", value })
const tryAgain = (row?: string): Attempt<never> => ({ _tag: "again", ...(row === undefined ? {} : { row }) })

/** The refusal of a call whose rows kept changing while it was decided. */
export const makeContentionConflict = (): Conflict =>
  new Conflict({
    message: "The resource was modified repeatedly by other requests. Read it again and repeat the request.",
    contended: true
  })

type Taken = Extract<CommitResult, { _tag: "Taken" }>

/** Finds how a write reacts to a taken key, as the scope of the key declares it. */
const findReaction = (scopes: ReadonlyArray<KeyScope>, { scope }: Taken): KeyScope["taken"] =>
  scopes.find(({ name }) => name === scope)?.taken ?? "defect"

const makeKeyDefect = ({ key, owner, scope }: Taken): InvariantViolation =>
  new InvariantViolation(`the key ${scope} ${key} belongs to ${owner}`)

/** The services of a commit. */
interface Committer {
  readonly storage: Storage["Service"]
  readonly jobNotifier: JobNotifier["Service"]
  readonly movedBooks: Context.Service.Shape<typeof MovedBooks>
}

const makeSelf = Effect.gen(function* () {
  const committer: Committer = {
    storage: yield* Storage,
    jobNotifier: yield* JobNotifier,
    movedBooks: yield* MovedBooks
  }
  const { storage } = committer
  const ids = yield* Ids
  const kinds = yield* Kinds
  return {
    ...committer,
    ids,
    keys: makeIdempotency({
      storage,
      cipher: yield* Cipher,
      ids,
      commit: (change) => Effect.map(commit(committer, change), ({ verdict }) => verdict)
    }),
    kinds,
    limits: yield* ActLimits,
    withAudit: makeAudit({ storage, ids, kinds }),
    rowQueues: new RowQueues(),
    ...makePrefetch(storage)
  }
})
type Self = Effect.Success<typeof makeSelf>

/** Makes a trial commit, and records in the dry run what would have been written (DRYRUN-1). */
const commitInDryRun = Effect.fnUntraced(function* (
  { storage }: Committer,
  change: Change,
  { changes, written }: DryRunRecord
): Effect.fn.Return<Written, StorageFault> {
  for (let attempts = 1; ; attempts++) {
    const outcome = yield* Effect.result(storage.trialCommit(change))
    if (outcome._tag === "Success") {
      if (outcome.success._tag === "Committed") {
        changes.push(change)
        written.push(change)
      }
      return { verdict: outcome.success, attempts }
    }
    if (!outcome.failure.retryable || attempts >= commitAttemptsMax) return yield* outcome.failure
    yield* Effect.sleep(Duration.millis(20 * 2 ** attempts))
  }
})

/** Commits a Change, and repeats it until the store returns a result: the answer of a commit may be lost. */
const commitWithRetry = ({ movedBooks, storage }: Committer, change: Change): Effect.Effect<Written, StorageFault> =>
  Clock.clockWith((clock) => {
    const began = clock.monotonicTimeNanosUnsafe()
    const ended = (verdict: Series): void => {
      verdict.record(1)
      committing.record(Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9)
    }
    const sent = (attempts: number): Effect.Effect<Written, StorageFault> =>
      Effect.matchEffect(storage.commit(change), {
        onSuccess: (verdict) => {
          ended(verdicts[verdict._tag])
          if (verdict._tag === "Committed") {
            for (const { type } of change.events) metrics.events.of({ type }).record(1)
            movedBooks?.written(change)
          }
          return Effect.succeed({ verdict, attempts })
        },
        onFailure: (fault) => {
          if (!fault.retryable || attempts >= commitAttemptsMax) {
            ended(unanswered)
            return Effect.fail(fault)
          }
          metrics.repeats.of({}).record(1)
          return Effect.andThen(Effect.sleep(Duration.millis(20 * 2 ** attempts)), () => sent(attempts + 1))
        }
      })
    return sent(1)
  })

/** Commits a Change, with the matching of the money that it moves. */
const commit = (self: Committer, decided: Change): Effect.Effect<Written, StorageFault> =>
  self.movedBooks === undefined || decided.postings.length === 0
    ? commitOrTry(self, decided)
    : self.movedBooks.committed(decided, (change) => commitOrTry(self, change))

/** Commits a Change or, in a dry run, makes a trial commit of it. */
const commitOrTry = (self: Committer, change: Change): Effect.Effect<Written, StorageFault> =>
  Effect.withFiber((fiber) => {
    const dryRun = fiber.getRef(DryRun)
    return dryRun === undefined
      ? self.jobNotifier.writing(change, (change) => commitWithRetry(self, change))
      : commitInDryRun(self, change, dryRun)
  })

/** Finds a key that two parts of a decision take, such as two movements with one reference. No store accepts such a Change. */
const findRepeatedKey = ({ unique_keys }: Pick<Change, "unique_keys">): Taken | undefined => {
  const twice = unique_keys.find(
    ({ key, scope }, at) => unique_keys.findIndex((one) => one.key === key && one.scope === scope) !== at
  )
  return twice === undefined ? undefined : { _tag: "Taken", ...twice }
}

/**
 * Finds why a full counter refuses a Change. Undefined when the Change fits by now, or when nobody refuses for this counter. The decision
 * has looked before: either another write was faster, or parts of one write are too much together.
 */
const findCounterRefusal = Effect.fnUntraced(function* (
  { storage }: Self,
  { counters, merchant_id }: Change,
  guards: ReadonlyArray<CounterGuard>,
  key: string
) {
  const guard = guards.find((one) => one.key === key)
  const [stored] = subtractGivenBack(yield* storage.counters(merchant_id, [key]), counters)
  const added = counters.reduce(
    (sum, one) => (one.key === key && BigInt(one.add) > 0n ? sum + BigInt(one.add) : sum),
    0n
  )
  return guard?.refusal(stored, added)
})

/** Adds the counts of a call's acts in limits to its change sets, and notes them in the first row of an act, to give them back later. */
const countActs = Effect.fnUntracedEager(function* (
  { kinds, limits }: Self,
  call: Call,
  changes: ReadonlyArray<ChangeSet>,
  at: number,
  dryRun: DryRunRecord | undefined
) {
  const acts = listActs(kinds, call, changes)
  if (dryRun !== undefined && acts !== undefined) dryRun.act = acts
  const approved = call.act === undefined ? undefined : yield* ApprovedSums
  const taken = sumTaken(acts?.sums ?? [])
  if (approved !== undefined && taken.length > 0 && toCanonicalJson(taken) !== toCanonicalJson(approved.taken)) {
    approved.other = taken
    return yield* makeContentionConflict()
  }
  if (acts === undefined || acts.limited.length === 0 || limits === undefined) return changes
  const given = changes.flatMap(({ counters = [] }) => counters)
  const counts = yield* limits(acts.limited, given, at)
  const { counted } = counts
  return [...addCounts(changes, acts.first, counted.length === 0 ? {} : { counted }), ...counts.changes]
})

const waitBetweenAttempts = (attempt: number) =>
  Effect.flatMap(Random.nextBetween(0.5, 1.5), (jitter) =>
    Effect.sleep(Duration.millis(Math.ceil(Math.min(2 ** attempt, 64) * jitter)))
  )

/** Finds the first row of a decision for which other writes queue. */
const findBusyRow = (
  { rowQueues }: Self,
  merchant_id: string,
  changes: ReadonlyArray<ChangeSet>
): string | undefined => {
  for (const { rows = [] } of changes) {
    for (const { kind, id } of rows) {
      const name = rowName({ merchant_id, kind, id })
      if (rowQueues.queued(name)) return name
    }
  }
  return undefined
}

/** Lets all attempts of a write share the answers of ports. */
const withPortAnswers = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(self, (context: Context.Context<R>) => Context.add(context, PortAnswers, new Map()))

/** Repeats a write whose first attempt has ended with `first`, until it is done or `max` attempts were made. */
const retryWrite = Effect.fnUntraced(function* <A, E, R, F>(
  { rowQueues }: Self,
  max: number,
  attempt: (inTurn: boolean) => Effect.Effect<Attempt<A>, E, R>,
  exhausted: () => Effect.Effect<never, F>,
  first: Attempt<A>
): Effect.fn.Return<A, E | F, R> {
  let made = 1
  const inTurnFor = (row: string) =>
    Effect.gen(function* () {
      for (;;) {
        const outcome = yield* attempt(true)
        made++
        if (outcome._tag === "done" || made >= max || outcome.row !== row) return outcome
        yield* waitBetweenAttempts(Math.min(made, 4))
      }
    })
  let outcome = first
  while (outcome._tag !== "done") {
    if (made >= max) return yield* exhausted()
    const { row } = outcome
    if (row === undefined) {
      yield* waitBetweenAttempts(Math.min(made, 6))
      made++
      outcome = yield* attempt(false)
    } else outcome = yield* rowQueues.take(row, inTurnFor(row))
  }
  return outcome.value
})

/**
 * Attempts a write up to `max` times, and fails with `exhausted` after the last. A write that lost a row to another queues for
 * it, and keeps its turn while it loses the same row again, then to another node.
 */
const attemptWrite = <A, E, R, F>(
  self: Self,
  max: number,
  attempt: (inTurn: boolean) => Effect.Effect<Attempt<A>, E, R>,
  exhausted: () => Effect.Effect<never, F>
): Effect.Effect<A, E | F, R> =>
  withPortAnswers(
    Effect.flatMap(attempt(false), (first) =>
      first._tag === "done" ? Effect.succeed(first.value) : retryWrite(self, max, attempt, exhausted, first)
    )
  )

/** Makes the Change of an internal write. */
const makeChange = (
  merchant_id: string,
  at: number,
  { content, deduplicationKey: key, deduplication_ms, lease, origin }: Source,
  lists: Omit<Change, "merchant_id" | "at">
): Change =>
  addOrigin(
    {
      merchant_id,
      at,
      ...(key === undefined
        ? {}
        : {
            idempotency: {
              key,
              // The content itself tells a repeat from a reuse.
              fingerprint: "",
              response: content ?? null,
              expires_at: deduplication_ms === undefined ? null : at + deduplication_ms
            }
          }),
      ...(lease === undefined ? {} : { lease }),
      ...lists
    },
    origin
  )

/** Attempts an internal write once. Without a generator, because most writes of a node are internal. */
const attemptApply = <A>(
  self: Self,
  merchant_id: string,
  source: Source,
  decision: Decision<A>,
  inTurn: boolean
): Effect.Effect<Attempt<ApplyResult<A>>, StorageFault> => {
  const row = inTurn ? undefined : findBusyRow(self, merchant_id, decision.changes)
  if (row !== undefined) return Effect.succeed(tryAgain(row))
  const { scopes, guards: _, ...lists } = mergeChanges(decision.changes)
  return Effect.clockWith((clock) =>
    Effect.flatMap(
      commit(self, makeChange(merchant_id, clock.currentTimeMillisUnsafe(), source, lists)),
      ({ verdict }): Effect.Effect<Attempt<ApplyResult<A>>> => {
        switch (verdict._tag) {
          case "Committed":
            return Effect.succeed(finishWith({ _tag: "applied", result: decision.result }))
          case "Repeated": {
            const { content, isSame = (stored) => stored === content } = source
            const { response } = verdict.record
            const isRepeat = content === undefined || (response !== null && isSame(response))
            return Effect.succeed(finishWith({ _tag: isRepeat ? "duplicate" : "reused" }))
          }
          case "LeaseLost":
            return Effect.succeed(finishWith({ _tag: "duplicate" }))
          case "Taken":
            if (findReaction(scopes, verdict) === "decide_again") return Effect.succeed(tryAgain())
            return Effect.die(makeKeyDefect(verdict))
          case "InsufficientFunds":
            return Effect.die(new InvariantViolation(`${verdict.account} would go below zero`))
          case "LimitReached":
            return Effect.die(new InvariantViolation(`nobody is there to refuse for ${verdict.key}`))
          case "VersionConflict":
            return Effect.succeed(tryAgain(rowName({ merchant_id, ...verdict })))
        }
      }
    )
  )
}

/** Why a write of a call is not committed, or that what limits count of it cannot be priced. */
type CallError = WriteError | Effect.Error<ReturnType<typeof countActs>>

/** The complete change sets of a call, and the record of its key. */
interface Composed {
  readonly changes: ReadonlyArray<ChangeSet>
  readonly idempotency: IdempotencyWrite
}

/** What the attempts of a call share: when its key expires, once it is reserved. */
interface Reserved {
  expires_at: number | undefined
}

/** Composes the change sets and the idempotency record of a call. Undefined: the resource has changed since it was decided on. */
const composeChange = Effect.fnUntracedEager(function* (
  self: Self,
  call: Call,
  decision: Decision<unknown>,
  at: number,
  dryRun: DryRunRecord | undefined,
  reserved: Reserved
): Effect.fn.Return<Composed | undefined, CallError> {
  const { keys } = self
  const audited = yield* self.withAudit(call, decision, at)
  if (audited === undefined) return undefined
  const changes = yield* countActs(self, call, audited, at, dryRun)
  const response = call.idempotency === null ? "" : yield* keys.kept(call.reply(decision.result), decision.secret)
  reserved.expires_at ??= yield* keys.claim(call)
  const idempotency = yield* keys.idempotencyOf(call, at, response, reserved.expires_at)
  return { changes, idempotency }
})

/** Turns the result of a commit into that of a call's attempt. `result`: of the decision. `change`, `guards`, `scopes`: as written. */
const interpretResult = <A>(
  self: Self,
  result: A,
  change: Change & Pick<Composed, "idempotency">,
  { guards, scopes }: Pick<Required<ChangeSet>, "guards" | "scopes">,
  verdict: CommitResult
): Effect.Effect<Attempt<A>, CallError> => {
  switch (verdict._tag) {
    case "Committed":
      return Effect.succeed(finishWith(result))
    case "Repeated": {
      // The result of the first commit was lost and the Change repeated: the responses of two calls are never equal.
      const { key, response } = change.idempotency
      return verdict.record.key === key && verdict.record.response === response
        ? Effect.succeed(finishWith(result))
        : self.keys.refuseRepeat(change.idempotency, verdict)
    }
    case "Taken": {
      const answer = findReaction(scopes, verdict)
      if (answer === "decide_again") return Effect.succeed(tryAgain())
      if (answer === "defect") return Effect.die(makeKeyDefect(verdict))
      return new DuplicateResource({ message: answer(verdict.key) })
    }
    case "InsufficientFunds":
      return new InsufficientFunds({
        message: `The wallet's available ${verdict.currency} balance is below the amount.`
      })
    case "LimitReached":
      return Effect.flatMap(
        findCounterRefusal(self, change, guards, verdict.key),
        (refusal) => refusal ?? Effect.succeed(tryAgain())
      )
    case "LeaseLost":
      return Effect.die(new InvariantViolation("a call has no lease"))
    case "VersionConflict":
      return Effect.succeed(tryAgain(rowName({ merchant_id: change.merchant_id, ...verdict })))
  }
}

/** Attempts the write of a call once. Like {@link attemptApply}, without a generator, because every call passes here. */
const attemptCall = <A>(
  self: Self,
  call: Call,
  decision: Decision<A>,
  inTurn: boolean,
  reserved: Reserved
): Effect.Effect<Attempt<A>, CallError> =>
  Effect.withFiber((fiber) => {
    const { merchant_id } = call
    self.clear(fiber)
    const row = inTurn ? undefined : findBusyRow(self, merchant_id, decision.changes)
    if (row !== undefined) return Effect.succeed(tryAgain(row))
    const at = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
    return Effect.flatMap(
      composeChange(self, call, decision, at, fiber.getRef(DryRun), reserved),
      (parts): Effect.Effect<Attempt<A>, CallError> => {
        if (parts === undefined) return Effect.succeed(tryAgain())
        const { idempotency } = parts
        const { guards, scopes, ...lists } = mergeChanges(parts.changes)
        const origin = makeOrigin(call, fiber.getRef(Asked))
        const change = addOrigin({ merchant_id, at, idempotency, ...lists }, origin)
        const answer = (verdict: CommitResult) =>
          interpretResult(self, decision.result, change, { guards, scopes }, verdict)
        const taken = findRepeatedKey(change)
        return taken === undefined
          ? Effect.flatMap(commit(self, change), ({ verdict }) => answer(verdict))
          : answer(taken)
      }
    )
  })

const write = <A, E, R>(
  self: Self,
  call: Call,
  decide: Effect.Effect<Decision<A>, E, R>
): Effect.Effect<A, E | CallError, R> =>
  Effect.suspend(() => {
    const reserved: Reserved = { expires_at: undefined }
    return attemptWrite(
      self,
      attemptsMax,
      (inTurn) => Effect.flatMap(decide, (decision) => attemptCall(self, call, decision, inTurn, reserved)),
      makeContentionConflict
    )
  })

const apply = <A, E, R>(
  self: Self,
  merchant_id: string,
  source: Source,
  decide: Effect.Effect<Decision<A>, E, R>
): Effect.Effect<ApplyResult<A>, E | StorageFault, R> =>
  attemptWrite(
    self,
    appliesMax,
    (inTurn) => Effect.flatMap(decide, (decision) => attemptApply(self, merchant_id, source, decision, inTurn)),
    () => {
      const { deduplicationKey, lease } = source
      return new StorageFault({
        message: `rows of ${merchant_id} were modified repeatedly by other writes during ${JSON.stringify({ deduplicationKey, lease })}`,
        retryable: true
      })
    }
  )

const loadRow = Effect.fnUntraced(function* <Data>(
  { rowsOf }: Self,
  kind: Kind<Data>,
  merchant_id: string,
  id: string
) {
  const [row] = yield* rowsOf(merchant_id, [[kind, id]])
  if (row === undefined) return yield* makeNotFound(kind, id)
  return row as Row<Data>
})

/** Why a write that is allowed is not committed. */
type WriteError =
  | Conflict
  | DuplicateResource
  | InsufficientFunds
  | InvalidInput
  | IdempotencyConflict
  | IdempotencyInProgress
  | StorageFault

export class UnitOfWork extends Context.Service<
  UnitOfWork,
  {
    /**
     * Makes one write for a call, and returns the result of the decision.
     *
     * Errors: those of `decide`; `Conflict` when rows kept changing; `DuplicateResource` when a unique key is taken;
     * `InsufficientFunds` when a guarded account would go below zero; `InvalidInput` when a limit has no room for it (LIMITS-3);
     * `IdempotencyConflict` and `IdempotencyInProgress`
     * when the call's key was used in the meantime; `StorageFault` when the store stayed unreachable: then repeat the
     * call with its key to learn the outcome.
     * Law: at most one effect per idempotency key; the response is stored in the same commit as the effect.
     * In a dry run, the store makes a trial commit (DRYRUN-1).
     */
    readonly write: {
      <Eff extends Effect.Effect<any, any, any>, D extends Decision<unknown>>(
        call: Call,
        decide: Generated<Eff, D>
      ): Effect.Effect<D["result"], Effect.Error<Eff> | WriteError, ServicesIn<Eff>>
      <A, E, R>(call: Call, decide: Effect.Effect<Decision<A>, E, R>): Effect.Effect<A, E | WriteError, R>
    }
    /**
     * The stored response for a call's key; `undefined` when the key is new. Errors: `IdempotencyConflict` for another
     * fingerprint.
     */
    readonly replay: (call: Call) => Effect.Effect<string | undefined, IdempotencyConflict | StorageFault>
    /** The stored response of a call that was made before; `undefined` when there is none, or it was forgotten. */
    readonly responseOf: (call: PastCall) => Effect.Effect<string | undefined, StorageFault>
    /** Stores the response of a call whose act has two commits, after the second. */
    readonly finish: (call: Call, response: string) => Effect.Effect<void, StorageFault>
    /** Deletes the stored response of a call. Its key stays used. */
    readonly forget: (call: PastCall) => Effect.Effect<void, StorageFault>
    /** The merchant for which an operator's call with the same key was begun, if it has not ended. */
    readonly pendingMerchantOf: (call: Call) => Effect.Effect<string | undefined, StorageFault>
    /** Stores the refusal of a call under its key, so that a repeat gets the same bytes. */
    readonly recordRefusal: (
      call: Call,
      reply: string
    ) => Effect.Effect<void, IdempotencyConflict | IdempotencyInProgress | StorageFault>
    /**
     * Makes one write for an internal cause: a provider's event, a due job. It is applied once per deduplication key or
     * lease. Insufficient funds or a taken key is a defect here, because there is no caller to refuse. When rows keep
     * changing, it fails with a retryable `StorageFault`: nothing was written, and the cause is processed again.
     */
    readonly apply: {
      <Eff extends Effect.Effect<any, any, any>, D extends Decision<unknown>>(
        merchant_id: string,
        source: Source,
        decide: Generated<Eff, D>
      ): Effect.Effect<ApplyResult<D["result"]>, Effect.Error<Eff> | StorageFault, ServicesIn<Eff>>
      <A, E, R>(
        merchant_id: string,
        source: Source,
        decide: Effect.Effect<Decision<A>, E, R>
      ): Effect.Effect<ApplyResult<A>, E | StorageFault, R>
    }
    /**
     * Reads rows for `self`, which makes one write: the first reads of its first decision ask no more if all their rows are among
     * them. Each is used once, so that a write that is decided again sees what has changed.
     */
    readonly prefetch: (
      merchant_id: string,
      keys: RowRefs
    ) => Effect.Effect<<A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>>
    /** Decides `self` from these rows: its reads ask no more if all their rows are among them. Each is used once. */
    readonly decideFrom: (rows: ReadonlyArray<Row>) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** One row of the merchant. Errors: `NotFound`. */
    readonly load: <Data>(
      kind: Kind<Data>,
      merchant_id: string,
      id: string
    ) => Effect.Effect<Row<Data>, NotFound | StorageFault>
    /** Several rows of the merchant, in one read. Errors: `NotFound` for the first that is missing. */
    readonly loadAll: <const Keys extends RowRefs>(
      merchant_id: string,
      ...keys: Keys
    ) => Effect.Effect<
      { readonly [I in keyof Keys]: Keys[I][0] extends Kind<infer Data> ? Row<Data> : never },
      NotFound | StorageFault
    >
    /** The next step of a row; `undefined` when its state does not accept the event. */
    readonly step: <Data, Event extends { readonly type: string }>(
      kind: Kind<Data, Event>,
      row: Row<Data>,
      event: Event,
      at: number
    ) => Effect.Effect<Stepped<Data> | undefined, StorageFault>
    /** The next step of a row, with an event that its state accepts. Dies if it does not. */
    readonly stepOrDie: <Data, Event extends { readonly type: string }>(
      kind: Kind<Data, Event>,
      row: Row<Data>,
      event: Event,
      at: number
    ) => Effect.Effect<Stepped<Data>, StorageFault>
  }
>()("corridor/engine/UnitOfWork") {
  static readonly layer = Layer.effect(
    UnitOfWork,
    Effect.gen(function* () {
      const self = yield* makeSelf
      const { storage, ids, keys, prefetch, decideFrom, rowsOf } = self
      const { claimed, finish, forget, recordRefusal, replay, responseOf } = keys
      type Deciding = Effect.Effect<Decision<unknown>, any, any> | Generated<any, Decision<unknown>>
      const deciding = (decide: Deciding) =>
        typeof decide === "function" ? Effect.provideService(Effect.gen(decide), Ids, ids) : decide
      const nextOf: UnitOfWork["Service"]["step"] = (kind, row, event, at) =>
        step(kind, row, event, at).pipe(Effect.provideService(Ids, ids), Effect.provideService(Storage, storage))
      return UnitOfWork.of({
        write: ((call: Call, decide: Deciding) =>
          write(self, call, deciding(decide))) as UnitOfWork["Service"]["write"],
        replay,
        responseOf,
        finish,
        forget,
        pendingMerchantOf: claimed,
        recordRefusal,
        apply: ((merchant_id: string, source: Source, decide: Deciding) =>
          apply(self, merchant_id, source, deciding(decide))) as UnitOfWork["Service"]["apply"],
        prefetch,
        decideFrom,
        load: <Data>(kind: Kind<Data>, merchant_id: string, id: string) => loadRow(self, kind, merchant_id, id),
        loadAll: ((merchant_id: string, ...keys: RowRefs) =>
          Effect.flatMap(rowsOf(merchant_id, keys), (found) => {
            const rows: Array<Row> = []
            for (const [kind, id] of keys) {
              const row = found.find((r) => r.id === id && r.kind === kind.kind)
              if (row === undefined) return Effect.fail(makeNotFound(kind, id))
              rows.push(row)
            }
            return Effect.succeed(rows)
          })) as UnitOfWork["Service"]["loadAll"],
        step: nextOf,
        stepOrDie: (kind, row, event, at) =>
          Effect.flatMap(nextOf(kind, row, event, at), (next) =>
            next === undefined
              ? Effect.die(new InvariantViolation(`a ${kind.kind} that is ${row.state} accepts ${event.type}`))
              : Effect.succeed(next)
          )
      })
    })
  )
}

/** Makes the refusal of an unknown id of a kind. */
export const makeNotFound = (kind: Pick<Kind, "kind">, id: string): NotFound =>
  new NotFound({ message: `There is no ${kind.kind.replaceAll("_", " ")} ${JSON.stringify(id)}.` })

/** Whether an error is a refusal, which is returned to the caller as it is. */
export const isRefusal = (error: { readonly _tag: string }): error is Refusal =>
  error._tag !== "StorageFault" && error._tag !== "ProviderFault"

/** The first line of a failure, for the log of a job. */
export const summarizeCause = (cause: Cause.Cause<unknown>): string =>
  Cause.pretty(cause).split("\n", 1)[0] ?? "unknown"
