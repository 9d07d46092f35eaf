/**
 * Virtual time, and who runs next: the processes of a simulated world, on one thread and out of one seed.
 *
 * Nothing waits for real time. While any fiber of any process can go on it does; then one call to a port, drawn from those
 * that are waiting, is answered; and only when nothing is left to do does the time move, to the next thing that is due.
 */
import { Clock, Context, Duration, Effect, type Exit, Fiber, Random, Scheduler } from "effect"
import type { Chance } from "./random.ts"

/** Sleeps of this length are taken for polls: they last until something is due (`Timeline.due`), however long. */
const pollMs = 1000

/** Who tidies up every ten minutes does so every six hours: a sleep may last longer than was asked, and it saves thousands. */
const tidyMs = 600_000
const tidyingMs = 21_600_000

interface Timer {
  readonly at: number
  readonly order: number
  readonly run: () => void
  readonly process: Process | undefined
  cancelled: boolean
}

interface Request {
  readonly process: Process
  /** Requests in one order are answered as they were asked. */
  readonly ordered: boolean
  readonly answer: () => void | Promise<void>
}

const earlier = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** A binary heap, the earliest first. */
class Timers {
  readonly #heap: Array<Timer> = []

  get first(): Timer | undefined {
    while (this.#heap.length > 0 && (this.#heap[0]!.cancelled || this.#heap[0]!.process?.alive === false)) this.pop()
    return this.#heap[0]
  }

  push(timer: Timer): void {
    const heap = this.#heap
    let at = heap.push(timer) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!earlier(timer, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = timer
  }

  pop(): Timer | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && earlier(heap[child + 1]!, heap[child]!)) child++
      if (!earlier(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}

/**
 * One process: what Effect's runtime takes from the platform. Abandoned (`die`), its fibers never run again and nothing of
 * theirs is cleaned up; paused, they stand still and so do its timers.
 */
export class Process {
  readonly name: string
  readonly timeline: Timeline
  /** How far its clock is from the others', milliseconds. */
  readonly skew: number
  alive = true
  paused = false
  readonly #tasks: Array<() => void> = []
  #next = 0
  /** What fell due while it was paused. */
  #missed: Array<() => void> = []

  constructor(name: string, timeline: Timeline, skew: number) {
    this.name = name
    this.timeline = timeline
    this.skew = skew
  }

  get runnable(): boolean {
    return this.alive && !this.paused && this.#next < this.#tasks.length
  }

  schedule(task: () => void): void {
    if (this.alive) this.#tasks.push(task)
  }

  runOne(): void {
    const task = this.#tasks[this.#next++]!
    if (this.#next === this.#tasks.length) {
      this.#tasks.length = 0
      this.#next = 0
    }
    task()
  }

  /** Runs something of this process's now, or when it goes on. */
  wake(run: () => void): void {
    if (!this.alive) return
    if (this.paused) this.#missed.push(run)
    else run()
  }

  die(): void {
    this.alive = false
    this.#tasks.length = 0
    this.#missed = []
  }

  resume(): void {
    this.paused = false
    const missed = this.#missed
    this.#missed = []
    for (const run of missed) this.schedule(run)
  }

  /** Wall time as this process's clock shows it. */
  get wall(): number {
    return this.timeline.now + this.skew
  }

  /** What its fibers run under: scheduler, clock and randomness of the simulation. */
  context(chance: Chance): Context.Context<never> {
    const { timeline } = this
    const now = (): number => this.wall + timeline.ahead
    const clock: Clock.Clock = {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now),
      currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
      currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
      monotonicTimeNanosUnsafe: () => BigInt(timeline.now) * 1_000_000n,
      monotonicTimeNanos: Effect.sync(() => BigInt(timeline.now) * 1_000_000n),
      sleep: (duration) => this.sleep(Duration.toMillis(duration))
    }
    const scheduler: Scheduler.Scheduler = {
      executionMode: "async",
      shouldYield: (fiber) => fiber.currentOpCount >= 2048,
      makeDispatcher: () => ({ scheduleTask: (task) => this.schedule(task), flush: () => {} })
    }
    return Context.make(Clock.Clock, clock).pipe(
      Context.add(Scheduler.Scheduler, scheduler),
      Context.add(Random.Random, {
        nextIntUnsafe: () => chance.bits() - 2 ** 31,
        nextDoubleUnsafe: () => chance.fraction()
      })
    )
  }

  sleep(millis: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const wake = () => this.wake(() => resume(Effect.void))
      return this.timeline.sleep(this, Math.ceil(millis), wake)
    })
  }

  /** A call to a port: answered when the timeline draws it, after `latency_ms`. */
  request<A, E>(
    work: Effect.Effect<A, E>,
    {
      ordered,
      latency_ms,
      before,
      after
    }: {
      readonly ordered: boolean
      readonly latency_ms: number
      /** False: the process died before it. */
      readonly before: () => boolean
      /** What the caller hears instead of the exit; `undefined`: nothing, ever. */
      readonly after: (exit: Exit.Exit<A, E>) => Exit.Exit<A, E> | undefined
    }
  ): Effect.Effect<A, E> {
    return Effect.callback<A, E>((resume) => {
      const told = (exit: Exit.Exit<A, E>): void => {
        const heard = after(exit)
        if (heard !== undefined) this.wake(() => this.schedule(() => resume(heard)))
      }
      const ask = () =>
        this.timeline.ask({
          process: this,
          ordered,
          answer: () => {
            if (!before()) return
            const fiber = Effect.runFork(work)
            const exit = fiber.pollUnsafe()
            return exit === undefined ? Effect.runPromise(Fiber.await(fiber)).then(told) : told(exit)
          }
        })
      if (latency_ms === 0) ask()
      else this.timeline.at(this.timeline.now + latency_ms, ask, this)
    })
  }
}

export class Timeline {
  /** Epoch milliseconds of the world's wall clock. */
  now: number
  /** How far the service's clock is ahead of the wall clock. */
  ahead = 0
  /** The earliest wall time at which somebody who polls would find something; set by the world. */
  due: () => number | undefined | Promise<number | undefined> = () => undefined
  readonly processes: Array<Process> = []
  readonly #chance: Chance
  readonly #timers = new Timers()
  #polls: Array<Timer> = []
  readonly #requests: Array<Request> = []
  #order = 0
  /** Port calls answered. */
  steps = 0

  constructor(now: number, chance: Chance) {
    this.now = now
    this.#chance = chance
  }

  /** Runs something at a time, unless it is taken back by the function given. */
  at(at: number, run: () => void, process?: Process): () => void {
    const timer: Timer = { at, order: this.#order++, run, process, cancelled: false }
    this.#timers.push(timer)
    return () => {
      timer.cancelled = true
    }
  }

  sleep(process: Process, millis: number, run: () => void): Effect.Effect<void> {
    const lasts = millis === tidyMs ? tidyingMs : millis
    const timer: Timer = { at: this.now + lasts, order: this.#order++, run, process, cancelled: false }
    if (millis === pollMs) this.#polls.push(timer)
    else this.#timers.push(timer)
    return Effect.sync(() => {
      timer.cancelled = true
    })
  }

  ask(request: Request): void {
    this.#requests.push(request)
  }

  #drawn(): Request {
    const requests = this.#requests
    let at = requests.length === 1 ? 0 : this.#chance.between(0, requests.length - 1)
    const drawn = requests[at]!
    if (drawn.ordered) at = requests.findIndex(({ ordered, process }) => ordered && process === drawn.process)
    return requests.splice(at, 1)[0]!
  }

  #runnable(): Process | undefined {
    const able = this.processes.filter(({ runnable }) => runnable)
    return able.length < 2 ? able[0] : this.#chance.pick(able)
  }

  /** Lets the world live until `end`, epoch milliseconds, or until `stop` says so. */
  async run(end: number, stop: () => boolean): Promise<void> {
    while (!stop()) {
      const process = this.#runnable()
      if (process !== undefined) {
        process.runOne()
        continue
      }
      if (this.#requests.length > 0) {
        const request = this.#drawn()
        if (!request.process.alive) continue
        this.steps++
        const answer = request.answer()
        if (answer !== undefined) await answer
        continue
      }
      const due = this.due()
      if (!this.#advance(end, due instanceof Promise ? await due : due)) return
    }
  }

  /** Moves to the next thing that is due; false when that is after `end`. */
  #advance(end: number, due: number | undefined): boolean {
    this.#polls = this.#polls.filter((poll) => !poll.cancelled && poll.process?.alive !== false)
    const first = this.#timers.first
    let poll: number | undefined
    if (due !== undefined) {
      for (const one of this.#polls) {
        if (one.process?.paused === true) continue
        const at = Math.max(one.at, due)
        if (poll === undefined || at < poll) poll = at
      }
    }
    const next = Math.min(first?.at ?? Infinity, poll ?? Infinity)
    if (next > end) {
      this.now = end
      return false
    }
    this.now = Math.max(this.now, next)
    if (poll !== undefined && poll <= this.now) {
      const woken = this.#polls.filter((one) => one.at <= this.now)
      this.#polls = this.#polls.filter((one) => one.at > this.now)
      for (const one of woken) one.run()
      return true
    }
    const timer = this.#timers.pop()!
    if (!timer.cancelled) timer.run()
    return true
  }
}
