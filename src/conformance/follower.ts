/** Reads the connector's events while the cases run, as Corridor does: on from the last cursor, again and again. */
import { sleep } from "./clock.ts"
import type { JsonMembers } from "./exchange.ts"
import { pages } from "./records.ts"

export interface FollowedEvent {
  readonly id: string
  readonly type: string
  readonly resource_id?: string
  readonly [member: string]: unknown
}

/** A cursor, and how many events of the run had been read when the connector gave it. */
export interface FollowerMark {
  readonly cursor: string | null
  readonly count: number
}

export class Follower {
  readonly #read: (after: string | null) => Promise<JsonMembers>
  readonly #interval_ms: number
  readonly #events: Array<FollowedEvent> = []
  readonly #marks: Array<FollowerMark> = []
  #isStopped = false
  #following: Promise<void> = Promise.resolve()
  #turn: Promise<unknown> = Promise.resolve()

  constructor(read: (after: string | null) => Promise<JsonMembers>, interval_ms: number) {
    this.#read = read
    this.#interval_ms = interval_ms
  }

  /** What was read since the beginning, in its order. */
  get events(): ReadonlyArray<FollowedEvent> {
    return this.#events
  }

  get marks(): ReadonlyArray<FollowerMark> {
    return this.#marks
  }

  /** Passes over the events before the run, then follows. A reading that fails is made again. */
  async begin(): Promise<void> {
    const { cursor } = await pages<FollowedEvent>(null, this.#read, "events")
    this.#marks.push({ cursor, count: 0 })
    this.#following = this.#follow()
  }

  async #follow(): Promise<void> {
    while (!this.#isStopped) {
      await sleep(this.#interval_ms)
      await this.readOn().catch(() => undefined)
    }
  }

  /** Reads on to the end of the list. */
  readOn(): Promise<ReadonlyArray<FollowedEvent>> {
    const reading = this.#turn.then(async () => {
      const { cursor: after } = this.#marks.at(-1) ?? { cursor: null }
      const { items, cursor } = await pages<FollowedEvent>(after, this.#read, "events")
      this.#events.push(...items)
      if (items.length > 0) this.#marks.push({ cursor, count: this.#events.length })
      return this.#events
    })
    this.#turn = reading.catch(() => undefined)
    return reading
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#following
  }
}
