/**
 * What the attempts of one write share, so that deciding again costs little: rows that were prefetched with the key of the call, the
 * answers of ports, and a queue for a row that other writes of this process change as well. All of it only saves work: consistency
 * depends on row versions alone.
 */
import { Context, Effect, Exit, Fiber, Semaphore } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import type { Row, RowKey, Storage } from "../ports/Storage.ts"
import { acquireUseReleaseSync } from "../ports/when-ended.ts"
import type { Kind } from "./kind.ts"

/** Rows of a merchant, by kind and id. */
export type RowRefs = ReadonlyArray<readonly [kind: Kind, id: string]>

/** The name of a row, for maps and queues of this process. */
export const rowName = ({ merchant_id, kind, id }: RowKey): string => `${merchant_id}/${kind}/${id}`

/** Prefetched rows that the decision has not read yet, by name. */
const Prefetch = Context.Reference<Map<string, Row> | undefined>("corridor/engine/Prefetch", {
  defaultValue: () => undefined
})

const listKeys = (merchant_id: string, refs: RowRefs): ReadonlyArray<RowKey> =>
  refs.map(([{ kind }, id]) => ({ merchant_id, kind, id }))

const mapByName = (rows: ReadonlyArray<Row>): Map<string, Row> => new Map(rows.map((row) => [rowName(row), row]))

export const makePrefetch = (storage: Storage["Service"]) => ({
  /** As `UnitOfWork.prefetch`. */
  prefetch: (merchant_id: string, refs: RowRefs) =>
    // A repeat needs no rows. Without them, a decision reads them itself.
    Effect.map(
      Effect.orElseSucceed(storage.get(listKeys(merchant_id, refs)), () => []),
      (rows) => Effect.provideService(Prefetch, mapByName(rows))
    ),
  /** As `UnitOfWork.decideFrom`. */
  decideFrom: (rows: ReadonlyArray<Row>) => Effect.provideService(Prefetch, mapByName(rows)),
  /** Forgets what a decision has not read. It may be decided again, and what it begins inherits the services of its fiber. */
  clear: (fiber: Fiber.Fiber<unknown, unknown>): void => fiber.getRef(Prefetch)?.clear(),
  /** Rows that exist: the prefetched ones if all of them were prefetched, otherwise as they are now. */
  rowsOf: (merchant_id: string, refs: RowRefs): Effect.Effect<ReadonlyArray<Row>, StorageFault> =>
    Effect.withFiber((fiber) => {
      const keys = listKeys(merchant_id, refs)
      const prefetched = fiber.getRef(Prefetch)
      if (prefetched === undefined || prefetched.size === 0) return storage.get(keys)
      const names = keys.map(rowName)
      const rows = names.flatMap((name) => prefetched.get(name) ?? [])
      for (const name of names) prefetched.delete(name)
      return rows.length === keys.length ? Effect.succeed(rows) : storage.get(keys)
    })
})

/**
 * Runs `other`, which cannot fail, concurrently with `self`, and returns both results. Unlike `Effect.all` with a concurrency of two, it
 * begins a fiber only for `other`.
 */
export const joinBeside = <A, E, R, B, S>(
  self: Effect.Effect<A, E, R>,
  other: Effect.Effect<B, never, S>
): Effect.Effect<readonly [A, B], E, R | S> =>
  Effect.flatMap(Effect.forkChild(other, { startImmediately: true }), (fiber) =>
    Effect.onExitPrimitive(
      Effect.flatMap(self, (a) => Effect.map(Fiber.join(fiber), (b) => [a, b] as const)),
      (exit) => (Exit.isSuccess(exit) ? undefined : Fiber.interrupt(fiber))
    )
  )

/** The results of port calls during one write, over all its attempts. */
export const PortAnswers = Context.Reference<Map<string, string> | undefined>("corridor/engine/PortAnswers", {
  defaultValue: () => undefined
})

/** Calls a port once per write: a repeated attempt reuses the result of the first. */
export const askOncePerWrite = <E, R>(name: string, ask: Effect.Effect<string, E, R>): Effect.Effect<string, E, R> =>
  Effect.flatMap(Effect.service(PortAnswers), (answers) => {
    const known = answers?.get(name)
    return known === undefined
      ? Effect.tap(ask, (answer) => Effect.sync(() => answers?.set(name, answer)))
      : Effect.succeed(known)
  })

/**
 * Queues of writes to the same row, within this process. A write first decides without queueing, and queues only after
 * it lost the row to another write. Of two hundred concurrent writes, each is then decided about twice instead of two
 * hundred times. The queues only save work: consistency depends on row versions alone, and nodes do not share queues.
 */
export class RowQueues {
  readonly #queues = new Map<string, { readonly semaphore: Semaphore.Semaphore; members: number }>()

  /** Whether a row of this key has a queue. */
  readonly queued = (key: string): boolean => this.#queues.has(key)

  /** Runs `self` after all writes that queued for `key` before it. */
  readonly take = <A, E, R>(key: string, self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    acquireUseReleaseSync(
      () => {
        const queue = this.#queues.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), members: 0 }
        this.#queues.set(key, queue)
        queue.members++
        return queue
      },
      ({ semaphore }) => semaphore.withPermit(self),
      (queue) => {
        queue.members--
        if (queue.members === 0) this.#queues.delete(key)
      }
    )
}
