/**
 * Batching queues in front of a store. Calls of all fibers are served together, so that they share a statement, and a
 * flush to disk. The first connection takes what waits; a further one waits for a crowd; and items that are `apart`
 * gather before they leave.
 */
import type { Touched } from "../change.ts"

interface Waiting<A, B> {
  readonly item: A
  readonly done: (answer: BatchResult<B>) => void
}

/** How long items wait for a running batch before they leave beside it, whatever their number, in milliseconds. */
const PATIENCE_MS = 20

/** Length of a queue. Admission limits calls to fewer; this bound holds for every other user of the store. */
const WAITING_MAX = 20_000

/**
 * Turns that the queues of several stores share, one for each of their connections. A queue takes a batch when it has a turn,
 * so that items gather while the other queues have theirs. Turns are given in the order in which they were asked for.
 */
export class Turns {
  private free: number
  private readonly line: Array<() => void> = []

  constructor(count: number) {
    this.free = count
  }

  /** Takes a turn. Where none is free, `given` is called once with a turn that the caller then has. */
  take(given: () => void): boolean {
    if (this.free === 0) {
      this.line.push(given)
      return false
    }
    this.free--
    return true
  }

  /** Gives a turn back. */
  end(): void {
    const next = this.line.shift()
    if (next === undefined) this.free++
    else next()
  }

  /** Turns of these, at most `most` at once. */
  share(most: number): Turns {
    return new Share(this, most)
  }
}

class Share extends Turns {
  private readonly all: Turns

  constructor(all: Turns, most: number) {
    super(most)
    this.all = all
  }

  override take(given: () => void): boolean {
    const isOwn = super.take(() => {
      if (this.all.take(given)) given()
    })
    return isOwn && this.all.take(given)
  }

  override end(): void {
    this.all.end()
    super.end()
  }
}

interface LineOptions {
  /** Most runs at once. */
  readonly concurrency: number
  /** Most items of a batch. */
  readonly size: number
  /** The number of waiting items at which a batch leaves beside a running one. Default: 1. */
  readonly crowd?: number
  /** The most items that may wait. */
  readonly most?: number
  /** What it shares with other queues. Each run takes a turn. */
  readonly turns?: Turns
}

export type BatchResult<B> = { readonly ok: true; readonly value: B } | { readonly ok: false; readonly error: unknown }

/**
 * Serves items in batches of at most `size`, with up to `concurrency` runs. `run` returns a result for each item
 * and never throws. While a batch is running, another leaves once `crowd` items wait: each statement has a fixed cost,
 * so that a larger next batch is cheaper.
 *
 * The first batch leaves when the current microtask ends: items queued in one tick travel together.
 */
export class BatchQueue<A, B> {
  protected waiting: Array<Waiting<A, B>> = []
  protected running = 0
  private scheduled = false
  private readonly run: (items: ReadonlyArray<A>) => Promise<ReadonlyArray<BatchResult<B>>>
  private readonly concurrency: number
  protected readonly size: number
  private readonly crowd: number
  private readonly most: number
  private readonly turns: Turns
  /** Whether it waits for a turn, or has one that it has not used yet. */
  private turn: "none" | "asked" | "had" = "none"
  private gatherTimer: NodeJS.Timeout | undefined
  private isImpatient = false

  constructor(run: (items: ReadonlyArray<A>) => Promise<ReadonlyArray<BatchResult<B>>>, options: LineOptions) {
    this.run = run
    this.concurrency = options.concurrency
    this.size = options.size
    this.crowd = options.crowd ?? 1
    this.most = options.most ?? WAITING_MAX
    this.turns = options.turns ?? new Turns(options.concurrency)
  }

  /**
   * Queues an item, or fails it when the queue is full. The returned function withdraws the item if it has not left
   * yet.
   */
  ask(item: A, done: (answer: BatchResult<B>) => void): () => void {
    if (this.waiting.length >= this.most) {
      // The error for a store whose queue is full. The statement was not sent.
      done({
        ok: false,
        error: Object.assign(new Error(`the store's queue is full: ${this.most} calls are waiting`), {
          code: "STORE_CROWDED"
        })
      })
      return () => {}
    }
    const waiting = { item, done }
    this.waiting.push(waiting)
    if (this.leaves(item)) this.schedule()
    return () => {
      const at = this.waiting.indexOf(waiting)
      if (at < 0) return
      this.waiting.splice(at, 1)
      this.withdrawn(item)
    }
  }

  /** Whether a new item leaves as soon as possible. */
  protected leaves(_item: A): boolean {
    return true
  }

  protected withdrawn(_item: A): void {}

  protected schedule(): void {
    if (this.scheduled || this.running >= this.concurrency) return
    this.scheduled = true
    queueMicrotask(() => {
      this.scheduled = false
      this.flush()
    })
  }

  private hasTurn(): boolean {
    if (this.turn === "none") {
      const given = (): void => {
        this.turn = "had"
        this.flush()
      }
      this.turn = this.turns.take(given) ? "had" : "asked"
    }
    return this.turn === "had"
  }

  private flush(): void {
    while (this.running < this.concurrency && this.waiting.length > 0 && this.hasTurn()) {
      const batch = this.next()
      if (batch.length === 0) break
      this.turn = "none"
      this.running++
      const items = batch.map((w) => w.item)
      void this.run(items).then((answers) => {
        this.running--
        this.ended(items)
        this.turns.end()
        batch.forEach((w, i) => w.done(answers[i]!))
        if (this.waiting.length > 0) this.schedule()
      })
    }
    if (this.turn !== "had") return
    this.turn = "none"
    this.turns.end()
  }

  /** Whether a batch may leave beside the running ones. */
  protected opens(running: number, waiting: number): boolean {
    if (running === 0 || waiting >= this.crowd || this.isImpatient) return true
    this.gatherTimer ??= setTimeout(() => {
      this.gatherTimer = undefined
      this.isImpatient = this.waiting.length > 0
      this.schedule()
    }, PATIENCE_MS)
    return false
  }

  /** A batch leaves: the timeout of the remaining items starts anew. */
  protected departed(): void {
    clearTimeout(this.gatherTimer)
    this.gatherTimer = undefined
    this.isImpatient = false
  }

  protected next(): Array<Waiting<A, B>> {
    if (!this.opens(this.running, this.waiting.length)) return []
    this.departed()
    return this.waiting.splice(0, this.size)
  }

  protected ended(_items: ReadonlyArray<A>): void {}
}

/**
 * An item of an {@link Exclusive} queue. A batch contains either items that are `apart`, which no caller waits for, or
 * others.
 */
export interface Touching {
  readonly merchant_id: string
  readonly touched: Touched
  readonly apart: boolean
}

/** How long `apart` items gather, in milliseconds, unless `GATHER_SIZE` of them wait. */
const GATHER_MS = 5
const GATHER_SIZE = 64

/**
 * A queue in which no two items that touch the same name run at once, unless both only read it. The later item waits
 * for its turn, and items behind it may pass. Items that are `apart` gather first, and run in one batch at a time.
 */
export class Exclusive<A extends Touching, B> extends BatchQueue<A, B> {
  /** Per name: the number of running readers, or -1 while a writer runs. */
  private readonly names = new Map<string, number>()
  /** Per merchant: the number of running readers of its subscriptions, or -1 while a writer runs. */
  private readonly readers = new Map<string, number>()
  /** Number of waiting items that are `apart`. */
  private parted = 0
  private isApartRunning = false
  private isGathered = false
  private gathering: NodeJS.Timeout | undefined

  protected override leaves({ apart }: A): boolean {
    if (!apart) return true
    if (++this.parted >= GATHER_SIZE) return !this.isApartRunning
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined
      this.isGathered = true
      this.schedule()
    }, GATHER_MS)
    return false
  }

  protected override withdrawn({ apart }: A): void {
    if (apart) this.parted--
  }

  protected override next(): Array<Waiting<A, B>> {
    const batch: Array<Waiting<A, B>> = []
    const left: Array<Waiting<A, B>> = []
    // Names of items passed over. An item that shares a name with them must not overtake them.
    const held = new Set<string>()
    const heldReads = new Set<string>()
    const heldMerchants = new Set<string>()
    const parts = !this.isApartRunning && (this.isGathered || this.parted >= GATHER_SIZE)
    const opens = this.opens(this.running - (this.isApartRunning ? 1 : 0), this.waiting.length - this.parted)
    // Nothing can leave, whatever it touches.
    if (!opens && !parts) return batch
    let i = 0
    for (; i < this.waiting.length && batch.length < this.size; i++) {
      const w = this.waiting[i]!
      const { names, reads, subscribers } = w.item.touched
      const merchant = w.item.merchant_id
      const readers = this.readers.get(merchant) ?? 0
      const free =
        (batch.length === 0 ? (w.item.apart ? parts : opens) : w.item.apart === batch[0]!.item.apart) &&
        names.every((name) => !this.names.has(name) && !held.has(name) && !heldReads.has(name)) &&
        reads.every((name) => (this.names.get(name) ?? 0) >= 0 && !held.has(name)) &&
        (subscribers === "none" ||
          (!heldMerchants.has(merchant) && (subscribers === "read" ? readers >= 0 : readers === 0)))
      if (free) {
        for (const name of names) this.names.set(name, -1)
        for (const name of reads) this.names.set(name, (this.names.get(name) ?? 0) + 1)
        if (subscribers !== "none") this.readers.set(merchant, subscribers === "read" ? readers + 1 : -1)
        batch.push(w)
      } else {
        for (const name of names) held.add(name)
        for (const name of reads) heldReads.add(name)
        if (subscribers === "write") heldMerchants.add(merchant)
        left.push(w)
      }
    }
    this.waiting = left.concat(this.waiting.slice(i))
    if (parts) this.parted = this.waiting.reduce((n, { item }) => (item.apart ? n + 1 : n), 0)
    if (batch[0]?.item.apart === true) {
      this.isApartRunning = true
      // The remaining items have gathered, and leave with the next batch.
      this.isGathered = this.parted > 0
    } else if (batch.length > 0) this.departed()
    return batch
  }

  #unread(name: string): void {
    const readers = this.names.get(name)!
    if (readers <= 1) this.names.delete(name)
    else this.names.set(name, readers - 1)
  }

  protected override ended(items: ReadonlyArray<A>): void {
    if (items[0]!.apart) this.isApartRunning = false
    for (const { merchant_id, touched } of items) {
      for (const name of touched.names) this.names.delete(name)
      for (const name of touched.reads) this.#unread(name)
      if (touched.subscribers === "none") continue
      const readers = this.readers.get(merchant_id)!
      if (readers <= 1) this.readers.delete(merchant_id)
      else this.readers.set(merchant_id, readers - 1)
    }
  }
}
