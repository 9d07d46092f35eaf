/**
 * Virtual time and scheduling for the processes of a simulation, on one thread and from one seed.
 *
 * Nothing waits for real time. Runnable fibers of any process run first. Then one pending port call, picked at random,
 * is answered. Only when nothing else is left does the time advance, to the next timer.
 */
import { Clock, Context, Duration, Effect, type Exit, Fiber, Random, Scheduler } from "effect"
import type { Chance } from "../program/random.ts"

/** A sleep of this length counts as a poll: it lasts until something is due (`Timeline.due`), however long. */
const pollMs = 1000

/**
 * Sleeps of ten minutes, used for housekeeping, last six hours instead. Longer sleeps are allowed, and save thousands
 * of runs.
 */
const tidyMs = 600_000
const tidyingMs = 21_600_000

interface Timer {
  readonly at: number
  readonly order: number
  readonly run: () => void
  readonly process: SimulatedProcess | undefined
  cancelled: boolean
}

interface Request {
  readonly process: SimulatedProcess
  /** Ordered requests of a process are answered in order. */
  readonly ordered: boolean
  readonly answer: () => void | Promise<void>
}

const isEarlier = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** A binary heap with the earliest timer first. */
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
      if (!isEarlier(timer, heap[parent]!)) break
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
      if (child + 1 < heap.length && isEarlier(heap[child + 1]!, heap[child]!)) child++
      if (!isEarlier(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}

/**
 * One process: what Effect's runtime takes from the platform. After `die` its fibers never run again, not even to clean
 * up. While it is paused, its fibers and timers stand still.
 */
export class SimulatedProcess {
  readonly name: string
  readonly timeline: Timeline
  /** Skew of its clock, in milliseconds. */
  readonly skew: number
  alive = true
  paused = false
  readonly #tasks: Array<() => void> = []
  #next = 0
  /** Callbacks that fell due while it was paused. */
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

  /** Runs a callback of this process now, or when it resumes. */
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

  /** The wall time on this process's clock. */
  get wall(): number {
    return this.timeline.now + this.skew
  }

  /** The services that its fibers run with: the simulated scheduler, clock and random generator. */
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

  /** A port call. The timeline picks it, after `latency_ms`, and answers it. */
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
      /** False: the process crashed before the call. */
      readonly before: () => boolean
      /** The result that the caller receives instead of the exit. `undefined`: none, ever. */
      readonly after: (exit: Exit.Exit<A, E>) => Exit.Exit<A, E> | undefined
    }
  ): Effect.Effect<A, E> {
    return Effect.callback<A, E>((resume) => {
      const deliver = (exit: Exit.Exit<A, E>): void => {
        const received = after(exit)
        if (received !== undefined) this.wake(() => this.schedule(() => resume(received)))
      }
      const ask = () =>
        this.timeline.ask({
          process: this,
          ordered,
          answer: () => {
            if (!before()) return
            const fiber = Effect.runFork(work)
            const exit = fiber.pollUnsafe()
            return exit === undefined ? Effect.runPromise(Fiber.await(fiber)).then(deliver) : deliver(exit)
          }
        })
      if (latency_ms === 0) ask()
      else this.timeline.at(this.timeline.now + latency_ms, ask, this)
    })
  }
}

export class Timeline {
  /** The simulation's wall clock, epoch milliseconds. */
  now: number
  /** How far the service clock is ahead of the wall clock, in milliseconds. */
  ahead = 0
  /** The earliest wall time at which a poll would find something. Set by the simulation. */
  due: () => number | undefined | Promise<number | undefined> = () => undefined
  readonly processes: Array<SimulatedProcess> = []
  readonly #chance: Chance
  readonly #timers = new Timers()
  #polls: Array<Timer> = []
  readonly #requests: Array<Request> = []
  #order = 0
  /** Number of port calls answered. */
  steps = 0

  constructor(now: number, chance: Chance) {
    this.now = now
    this.#chance = chance
  }

  /** Schedules a callback. The returned function cancels it. */
  at(at: number, run: () => void, process?: SimulatedProcess): () => void {
    const timer: Timer = { at, order: this.#order++, run, process, cancelled: false }
    this.#timers.push(timer)
    return () => {
      timer.cancelled = true
    }
  }

  sleep(process: SimulatedProcess, millis: number, run: () => void): Effect.Effect<void> {
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

  #runnable(): SimulatedProcess | undefined {
    const able = this.processes.filter(({ runnable }) => runnable)
    return able.length < 2 ? able[0] : this.#chance.pick(able)
  }

  /** Runs the simulation until `end` (epoch milliseconds), or until `stop` returns true. */
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

  /** Advances to the next timer or poll. Returns false when that is after `end`. */
  #advance(end: number, due: number | undefined): boolean {
    this.#polls = this.#polls.filter((poll) => !poll.cancelled && poll.process?.alive !== false)
    const first = this.#timers.first
    let poll: number | undefined
    if (due !== undefined) {
      for (const candidate of this.#polls) {
        if (candidate.process?.paused === true) continue
        const at = Math.max(candidate.at, due)
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
      const woken = this.#polls.filter(({ at }) => at <= this.now)
      this.#polls = this.#polls.filter(({ at }) => at > this.now)
      for (const { run } of woken) run()
      return true
    }
    const timer = this.#timers.pop()!
    if (!timer.cancelled) timer.run()
    return true
  }
}
