import { Context, Effect, Semaphore } from "effect"

/** What the ports answered to one write, over all its attempts. */
export const PortAnswers = Context.Reference<Map<string, string> | undefined>("corridor/engine/PortAnswers", {
  defaultValue: () => undefined
})

/** Asks once per write: a repeated attempt does not wait again for an answer that the first one got. */
export const askOncePerWrite = <E, R>(name: string, ask: Effect.Effect<string, E, R>): Effect.Effect<string, E, R> =>
  Effect.flatMap(Effect.service(PortAnswers), (answers) => {
    const known = answers?.get(name)
    return known === undefined
      ? Effect.tap(ask, (answer) => Effect.sync(() => answers?.set(name, answer)))
      : Effect.succeed(known)
  })

/**
 * Queues of writes that want the same row, within this process. A write first decides without queueing; only where it lost
 * its row to another does it queue for that row, so that of two hundred rivals each is decided twice and not two hundred
 * times. Rows are guarded by their versions alone: the queues save work, and other nodes do not share them.
 */
export class RowQueues {
  readonly #queues = new Map<string, { readonly semaphore: Semaphore.Semaphore; members: number }>()

  /** Whether a row of this key has a queue. */
  readonly queued = (key: string): boolean => this.#queues.has(key)

  /** Runs `self` after all that queued for `key` before it. */
  readonly take = <A, E, R>(key: string, self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const queue = this.#queues.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), members: 0 }
      this.#queues.set(key, queue)
      queue.members++
      return Effect.ensuring(
        queue.semaphore.withPermit(self),
        Effect.sync(() => {
          queue.members--
          if (queue.members === 0) this.#queues.delete(key)
        })
      )
    })
}
