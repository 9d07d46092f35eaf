/** A short cache of stored settings: pauses, limits, approval rules (BRAKE-1, LIMITS-8, APPROVAL-1). */
import { Deferred, Effect, Exit } from "effect"
import { DryRun } from "../ports/dry-run.ts"
import type { StorageFault } from "../ports/errors.ts"
import { wallNow, withWallTime } from "../ports/Time.ts"

/** For how long what was read last is used while the store does not answer, milliseconds. */
const usableMs = 60 * 60 * 1000

/** How old it may be when the store ceases to answer, milliseconds: others may have changed what was read before. */
const recentMs = 15_000

/** For how long after a fault nobody waits for another read, milliseconds: a store that is silent takes seconds to fail. */
const awayMs = 10_000

export interface LastRead<A> {
  /**
   * What was read, as it was at most `fresh_ms` ago. While it cannot be read, what was read just before is used, for an hour: while its
   * schema is away, nobody changes it there.
   *
   * Errors: `StorageFault` when nothing was read just before, nor in the last hour.
   */
  readonly current: Effect.Effect<A, StorageFault>
  /** As it is now. */
  readonly refreshed: Effect.Effect<A, StorageFault>
  /** It was changed by this process: what was read before counts no more. */
  readonly forget: () => void
}

type Read<A> = Exit.Exit<A, StorageFault>

interface State<A> {
  readonly read: Effect.Effect<A, StorageFault>
  readonly fresh_ms: number
  known: { readonly value: A; readonly at: number; readonly result: Effect.Effect<A> } | undefined
  /** The first read that failed since one has succeeded, and when the last one failed. */
  failing_since: number | undefined
  failed_at: number | undefined
  /** The read that is under way. Its result is undefined when its fiber was interrupted or has died. */
  reading: { readonly began: number; readonly result: Deferred.Deferred<Read<A> | undefined> } | undefined
  /** Counts what was forgotten, so that a read that began before keeps nothing. */
  generation: number
}

const isRecent = (age: number, ms: number): boolean => age >= 0 && age < ms

/** Reads the value from the store and keeps it, or notes that the store does not answer. */
const readAndKeep = Effect.fnUntraced(function* <A>(state: State<A>, began: number) {
  const { generation, read } = state
  // It is kept for every call of the node: what a dry run would have written is not in it.
  const value = yield* Effect.tapError(Effect.provideService(read, DryRun, undefined), () =>
    Effect.map(wallNow, (now) => {
      state.failing_since ??= began
      state.failed_at = now
    })
  )
  if (generation !== state.generation) return value
  state.known = { value, at: began, result: Effect.succeed(value) }
  state.failing_since = undefined
  state.failed_at = undefined
  return value
})

/** Reads the value once for all callers that wait, because it grows old for every job of the node at the same moment. */
const readOnce = Effect.fnUntraced(function* <A>(state: State<A>, began: number): Effect.fn.Return<A, StorageFault> {
  while (state.reading !== undefined && isRecent(began - state.reading.began, state.fresh_ms)) {
    const result = yield* Deferred.await(state.reading.result)
    if (result !== undefined) return yield* result
  }
  // The others wait for this read, so that an interruption must not come before it tells them.
  return yield* Effect.uninterruptibleMask((restore) => {
    const own = { began, result: Deferred.makeUnsafe<Read<A> | undefined>() }
    state.reading = own
    return Effect.onExit(restore(readAndKeep(state, began)), (exit) =>
      Effect.sync(() => {
        if (state.reading === own) state.reading = undefined
        const isAnswer = Exit.isSuccess(exit) || exit.cause.reasons.every(({ _tag }) => _tag === "Fail")
        Deferred.doneUnsafe(own.result, Exit.succeed(isAnswer ? exit : undefined))
      })
    )
  })
})

/** The last value, if it may still be used at `now` while the store does not answer. */
const findUsable = <A>({ failing_since, known }: State<A>, now: number) =>
  known !== undefined &&
  failing_since !== undefined &&
  isRecent(failing_since - known.at, recentMs) &&
  isRecent(now - known.at, usableMs)
    ? known
    : undefined

/** Reads the value again. While the store does not answer, it returns the last one if that may still be used. */
const renewValue = Effect.fnUntraced(function* <A>(state: State<A>, now: number): Effect.fn.Return<A, StorageFault> {
  const { failed_at, reading } = state
  const last = findUsable(state, now)
  if (last !== undefined && failed_at !== undefined && isRecent(now - failed_at, awayMs)) {
    if (reading === undefined) yield* Effect.forkDetach(Effect.ignore(readOnce(state, now)), { startImmediately: true })
    return last.value
  }
  return yield* Effect.catchTag(readOnce(state, now), "StorageFault", (fault) => {
    const last = findUsable(state, now)
    return last === undefined ? Effect.fail(fault) : Effect.succeed(last.value)
  })
})

/** Makes a cache of one value. A value is read again after `fresh_ms`. */
export const makeLastRead = <A>(read: Effect.Effect<A, StorageFault>, fresh_ms: number): LastRead<A> => {
  const state: State<A> = {
    read,
    fresh_ms,
    known: undefined,
    failing_since: undefined,
    failed_at: undefined,
    reading: undefined,
    generation: 0
  }
  return {
    current: withWallTime((now) => {
      const { known } = state
      return known !== undefined && isRecent(now - known.at, fresh_ms) ? known.result : renewValue(state, now)
    }),
    refreshed: withWallTime((began) => readAndKeep(state, began)),
    forget: () => {
      state.known = undefined
      state.reading = undefined
      state.generation++
    }
  }
}
