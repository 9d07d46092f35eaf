/** The receiver's storage: handled events, and each object as of its latest event. */
import type { ReceivedEvent } from "./event.ts"

/** An object, as its latest event shows it. */
export interface Held {
  readonly category: string
  readonly status: string
  /** The sequence number of the event that it comes from. */
  readonly sequence: number
  readonly object: { readonly [member: string]: unknown }
}

/** What the store knows when an event arrives. */
export interface Known {
  /** Whether this event was handled before. */
  readonly isHandled: boolean
  /** The event's object, if an event of it was handled. */
  readonly held: Held | undefined
}

/**
 * The storage of a receiver. `Tx` is what a handler writes with, so that its own rows are in the same transaction. In
 * SQL: begin, lock the object's row, run `work`, write, commit.
 */
export interface ReceiverStore<Tx = undefined> {
  /**
   * Handles one event: passes the known state to `work`, then records `event_id` as handled and stores the object that
   * `work` returns, if any.
   *
   * Laws: calls for one object never overlap, in any process. When `work` rejects, nothing is stored, and the call
   * rejects with the same error.
   */
  readonly handle: <A>(
    event: Pick<ReceivedEvent, "event_id" | "event_object_id">,
    work: (known: Known, tx: Tx) => Promise<{ readonly keep: Held | undefined; readonly result: A }>
  ) => Promise<A>
  /** The last event read from the feed. */
  readonly cursor: () => Promise<string | undefined>
  readonly setCursor: (event_id: string) => Promise<void>
}

export interface MemoryReceiverStore extends ReceiverStore {
  /** The stored objects, by id. */
  readonly objects: ReadonlyMap<string, Held>
}

/** A store in memory: for tests, and for receivers that can read the whole feed again at startup. */
export const memoryReceiverStore = (): MemoryReceiverStore => {
  const objects = new Map<string, Held>()
  const handled = new Set<string>()
  const turns = new Map<string, Promise<unknown>>()
  let cursor: string | undefined
  return {
    objects,
    handle: ({ event_id, event_object_id }, work) => {
      const turn = (turns.get(event_object_id) ?? Promise.resolve()).then(async () => {
        const known = { isHandled: handled.has(event_id), held: objects.get(event_object_id) }
        const { keep, result } = await work(known, undefined)
        handled.add(event_id)
        if (keep !== undefined) objects.set(event_object_id, keep)
        return result
      })
      // The next turn follows this one whether it succeeds or fails. Only the caller of this turn receives its error.
      const over = turn.then(
        () => undefined,
        () => undefined
      )
      turns.set(event_object_id, over)
      void over.then(() => {
        if (turns.get(event_object_id) === over) turns.delete(event_object_id)
      })
      return turn
    },
    cursor: () => Promise.resolve(cursor),
    setCursor: (event_id) => {
      cursor = event_id
      return Promise.resolve()
    }
  }
}
