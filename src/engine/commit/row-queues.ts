import { Context, Effect, Semaphore } from "effect"
import { acquireUseReleaseSync } from "../ports/when-ended.ts"

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
