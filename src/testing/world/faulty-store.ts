/**
 * The store as one process sees it: calls may fail or be slow, and the process may crash before or after each of them.
 */
import { Effect, Exit } from "effect"
import { StorageFault } from "../../engine/ports/errors.ts"
import {
  type Beat,
  type Change,
  type ClaimQuery,
  type Job,
  type ListQuery,
  type Row,
  Storage,
  type CommitResult
} from "../../engine/ports/Storage.ts"
import type { Faults } from "../program/program.ts"
import type { Chance } from "../program/random.ts"
import type { SimulatedProcess } from "./virtual-time.ts"

/** Whether a process is alive, before and after a port call. */
export interface Mortality {
  readonly before: () => boolean
  readonly after: () => boolean
}

interface FaultyStore {
  readonly store: Storage["Service"]
  readonly faults: Faults
  readonly chance: Chance
  readonly stormy: () => boolean
  /** Called after every commit that the store has decided, whether or not the process receives the verdict. */
  readonly committed: (change: Change, verdict: CommitResult) => void | Promise<void>
  readonly claimed: (query: ClaimQuery, jobs: ReadonlyArray<Job>) => void
  readonly beat: (beat: Beat) => void
  /** Receives the rows that the process has just read. */
  readonly read: (rows: ReadonlyArray<Row>) => void
  /** A list could not be read. */
  readonly unlisted: (query: ListQuery) => void
  readonly hinted: (hint: () => void) => void
}

const awaitHook = (done: void | Promise<void>): Effect.Effect<void> =>
  done === undefined ? Effect.void : Effect.promise(() => done)

/** Runs no call: the process receives a fault instead. */
const unasked = Effect.succeed(undefined) as unknown as Effect.Effect<never>

export const makeFaultyStore = (
  process: SimulatedProcess,
  mortality: Mortality,
  { beat, chance, claimed, committed, faults, hinted, read, store, stormy, unlisted }: FaultyStore
): Storage["Service"] => {
  const strikes = (rate: number): boolean => rate > 0 && stormy() && chance.happens(rate)
  const request = <A>(work: Effect.Effect<A, StorageFault>, ordered: boolean, failing: boolean) =>
    process.request(work, {
      ordered,
      latency_ms: strikes(faults.storage_slow) ? chance.between(1, 20_000) : chance.between(0, 3) >> 1,
      before: mortality.before,
      after: (exit: Exit.Exit<A, StorageFault>) =>
        mortality.after()
          ? failing
            ? Exit.fail(new StorageFault({ message: "the simulated store failed", retryable: true }))
            : exit
          : undefined
    })
  const ask = <A>(work: Effect.Effect<A, StorageFault>): Effect.Effect<A, StorageFault> =>
    Effect.suspend(() => {
      const failing = strikes(faults.storage_read)
      return request(failing ? unasked : work, false, failing)
    })
  const through = (method: unknown): unknown =>
    typeof method === "function"
      ? (...args: ReadonlyArray<unknown>) => ask(method(...args))
      : Effect.isEffect(method)
        ? ask(method as Effect.Effect<unknown, StorageFault>)
        : undefined
  /** Every method of the port, so that one that it gains is asked through the faults too. */
  const methods = Object.fromEntries(Object.entries(store).map(([name, method]) => [name, through(method)])) as object
  return Storage.of({
    ...(methods as Storage["Service"]),
    commit: (change) =>
      Effect.suspend(() => {
        const unsent = strikes(faults.storage_before)
        const unheard = strikes(faults.storage_after)
        const written = Effect.tap(store.commit(change), (verdict) => awaitHook(committed(change, verdict)))
        return request(unsent ? unasked : written, true, unsent || unheard)
      }),
    get: (keys) => ask(Effect.tap(store.get(keys), (rows) => Effect.sync(() => read(rows)))),
    list: (query) => Effect.tapError(ask(store.list(query)), () => Effect.sync(() => unlisted(query))),
    shards: store.shards,
    claim: (asked) =>
      ask(
        Effect.suspend(() => {
          const query = { ...asked, wall: process.timeline.now }
          return Effect.tap(store.claim(query), (jobs) => Effect.sync(() => claimed(query, jobs)))
        })
      ),
    heartbeat: (asked) =>
      ask(
        Effect.suspend(() => {
          const one = { ...asked, wall: process.timeline.now }
          return Effect.tap(store.heartbeat(one), () => Effect.sync(() => beat(one)))
        })
      ),
    // No store is restored here.
    identity: Effect.succeed({ found: null, recorded: null }),
    recordIdentity: () => Effect.void,
    watch: (hint) => Effect.sync(() => hinted(hint))
  })
}
