/** What a receiver keeps: which events it has handled, and each object as of its latest event. */
import type { ReceivedEvent } from "./event.ts"

/** An object, as its latest event shows it. */
export interface Held {
  readonly category: string
  readonly status: string
  /** Of the event it is held from. */
  readonly sequence: number
  readonly object: { readonly [member: string]: unknown }
}

/** What is known when an event comes. */
export interface Known {
  /** Whether this event has been handled. */
  readonly isHandled: boolean
  /** The object it is about, where an event of it has been handled. */
  readonly held: Held | undefined
}

/**
 * Where a receiver keeps what it knows. `Tx` is what a handler may write with, so that its own rows and these are one
 * transaction; in SQL: begin, lock the object's row, run `work`, write, commit.
 */
export interface ReceiverStore<Tx = undefined> {
  /**
   * Handles one event: gives `work` what is known, and keeps `event_id` as handled and, where `work` gives one, the
   * object it gives.
   *
   * Laws: no two calls about one object overlap, in any process; where `work` rejects, nothing is kept, and the call
   * rejects with it.
   */
  readonly handle: <A>(
    event: Pick<ReceivedEvent, "event_id" | "event_object_id">,
    work: (known: Known, tx: Tx) => Promise<{ readonly keep: Held | undefined; readonly result: A }>
  ) => Promise<A>
  /** The last event that was read from the feed. */
  readonly cursor: () => Promise<string | undefined>
  readonly setCursor: (event_id: string) => Promise<void>
}

export interface MemoryReceiverStore extends ReceiverStore {
  /** What is held, by object id. */
  readonly objects: ReadonlyMap<string, Held>
}

/** A store in memory: for tests, and for receivers that may read the whole feed again when they start. */
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
      // The next turn follows this one however it ends; whoever asked for this one hears how.
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
