/**
 * A simulated world: one store, the processes that run the engine over it, and those who call them. It lives through a
 * {@link Program}; what happens is told to a {@link Witness}.
 */
import { createHash } from "node:crypto"
import { Cause, Context, Effect, Exit, Fiber, Layer, Logger, References, Scope } from "effect"
import { Calls } from "../embedded/calls.ts"
import { Dispatcher } from "../engine/Dispatcher.ts"
import * as Engine from "../engine/Engine.ts"
import { StorageFault } from "../engine/errors.ts"
import { Inbox } from "../engine/Inbox.ts"
import type { ProviderEvent } from "../engine/Provider.ts"
import { type Change, type Job, Storage, type Verdict } from "../engine/Storage.ts"
import { Wake } from "../engine/Wake.ts"
import { Clients } from "./clients.ts"
import { Outside, type ProviderLayer, type Watch } from "./outside.ts"
import { cipher, clocksOf, idsOf } from "./ports.ts"
import { beginning, calm, type Faults, lifetime, minute, type Op, type Program, second } from "./program.ts"
import { Chance } from "./random.ts"
import { Process, Timeline } from "./timeline.ts"

/** Who looks on: every method is told of what has just happened. */
export interface Witness extends Omit<Watch, "stormy" | "callback"> {
  /** After every commit that the store has answered, whether or not the process heard of it. */
  readonly committed: (process: Process, change: Change, verdict: Verdict, store: Storage["Service"]) => void | Promise<void>
  readonly claimed: (process: Process, jobs: ReadonlyArray<Job>) => void
  /** What an operation came to. `attempts`: how often it was asked for. */
  readonly answered_op: (op: Op, answer: Answered, attempts: number) => void
  /** The engine logged an error, or a fiber of its ended in a defect. */
  readonly defect: (message: string) => void
  readonly log: ((line: string) => void) | undefined
}

export type Answered =
  | { readonly _tag: "success"; readonly body: unknown }
  | { readonly _tag: "refused"; readonly error: { readonly _tag: string; readonly message: string } }
  | { readonly _tag: "unknown" }

export interface WorldOptions {
  readonly program: Program
  readonly storage: Layer.Layer<Storage, StorageFault>
  readonly provider: ProviderLayer
  readonly witness: Witness
  /** Whether the world ends early: something was found. */
  readonly stop: () => boolean
  /** What is looked at when all is over, while the store is still open. */
  readonly end: () => Promise<void>
  /** Other services in place of the engine's own, for defects that are seeded on purpose. */
  readonly engine?: typeof Engine.layer
}

type Services = Layer.Success<typeof Engine.layer> | Calls | Storage | Wake

/** A process that runs the engine. */
export interface Node {
  readonly number: number
  readonly process: Process
  context: Context.Context<Services> | undefined
}

interface Doom {
  calls: number
  readonly when: "before" | "after" | "pause"
  readonly ms: number
}

const settled = (done: void | Promise<void>): Effect.Effect<void> =>
  done === undefined ? Effect.void : Effect.promise(() => done)

const queues = ["timer", "command", "simulated", "delivery"] as const

export class World {
  readonly timeline: Timeline
  readonly program: Program
  readonly nodes: Array<Node> = []
  readonly clients: Clients
  readonly witness: Witness
  readonly #options: WorldOptions
  readonly #outside: Outside
  readonly #hash = createHash("sha256")
  readonly #dooms = new Map<Process, Doom>()
  readonly #hints = new Map<Process, (() => void)>()
  /** Jobs that are claimed and not settled: when their leases end, wall time. */
  readonly #leases = new Map<string, { readonly token: string; readonly until: number }>()
  #store: Storage["Service"] | undefined
  #boots = 0

  constructor(options: WorldOptions) {
    const { program, witness } = options
    this.#options = options
    this.program = program
    this.witness = witness
    this.timeline = new Timeline(beginning, new Chance(`timeline ${program.seed}`))
    this.#outside = new Outside(program.seed, program.faults, {
      ...witness,
      stormy: () => this.stormy,
      callback: (event, after_ms, own) => this.clients.callback(event, after_ms, own)
    })
    this.clients = new Clients(this)
  }

  get faults(): Faults {
    return this.program.faults
  }

  /** Milliseconds since the beginning. */
  get age(): number {
    return this.timeline.now - beginning
  }

  get stormy(): boolean {
    return this.age < calm
  }

  get store(): Storage["Service"] {
    if (this.#store === undefined) throw new Error("the world has not begun")
    return this.#store
  }

  /** What the world's log comes to: equal logs, equal hashes. */
  get hash(): string {
    return this.#hash.copy().digest("hex")
  }

  log(what: string, about: unknown): void {
    const line = `${this.age} ${what} ${typeof about === "string" ? about : JSON.stringify(about)}`
    this.#hash.update(line)
    this.witness.log?.(line)
  }

  /** Lives to the end, or until it is stopped. */
  async live(): Promise<void> {
    const scope = Effect.runSync(Scope.make())
    const built = await Effect.runPromise(Layer.buildWithScope(this.#options.storage, scope))
    this.#store = Context.get(built, Storage)
    const { timeline } = this
    timeline.due = () => this.#due()
    for (const number of this.faults.nodes.keys()) this.#boot(number)
    for (const crash of this.faults.crashes)
      timeline.at(beginning + crash.at, () =>
        this.#doom(crash.node, { calls: crash.calls, when: crash.when, ms: crash.restart_ms })
      )
    for (const pause of this.faults.pauses)
      timeline.at(beginning + pause.at, () =>
        this.#doom(pause.node, { calls: pause.calls, when: "pause", ms: pause.for_ms })
      )
    for (const { at, by_ms } of this.faults.leaps)
      timeline.at(beginning + at, () => {
        timeline.ahead += by_ms
        this.log("leap", by_ms)
      })
    this.clients.begin()
    await timeline.run(beginning + lifetime, this.#options.stop)
    if (!this.#options.stop()) await this.#options.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }

  /** The earliest wall time at which a job can be claimed that nobody has. */
  #due(): number | undefined | Promise<number | undefined> {
    let lease: number | undefined
    for (const { until } of this.#leases.values()) if (lease === undefined || until < lease) lease = until
    const told = (due: number | undefined): number | undefined => {
      const free = due === undefined ? undefined : due - this.timeline.ahead
      return free === undefined ? lease : lease === undefined ? free : Math.min(free, lease)
    }
    const fiber = Effect.runFork(this.store.nextDue(queues))
    const exit = fiber.pollUnsafe()
    const value = (one: Exit.Exit<number | undefined, StorageFault>) => told(Exit.isSuccess(one) ? one.value : undefined)
    return exit === undefined ? Effect.runPromise(Fiber.await(fiber)).then(value) : value(exit)
  }

  #doom(number: number, doom: Doom): void {
    const node = this.nodes[number]
    if (node?.process.alive === true && !node.process.paused) this.#dooms.set(node.process, { ...doom })
  }

  /** Whether the process is still there for its next call; its doom may be this one. */
  #survives(process: Process, moment: "before" | "after"): boolean {
    const doom = this.#dooms.get(process)
    if (doom === undefined) return true
    if (moment === "before") doom.calls--
    if (doom.calls > 0 || (doom.when !== "pause" && doom.when !== moment)) return true
    this.#dooms.delete(process)
    if (doom.when === "pause") {
      this.log("pause", process.name)
      process.paused = true
      this.timeline.at(this.timeline.now + doom.ms, () => {
        this.log("resume", process.name)
        process.resume()
      })
      return true
    }
    this.#kill(process, doom.ms)
    return false
  }

  #kill(process: Process, restart_ms: number): void {
    const node = this.nodes.find((one) => one.process === process)!
    this.log("crash", process.name)
    process.die()
    this.#hints.delete(process)
    const at = this.timeline.processes.indexOf(process)
    this.timeline.processes.splice(at, 1)
    this.clients.lost(process)
    this.timeline.at(this.timeline.now + restart_ms, () => this.#boot(node.number))
  }

  #boot(number: number): void {
    const name = `node ${number}.${++this.#boots}`
    const process = new Process(name, this.timeline, this.faults.nodes[number]!.skew_ms)
    this.timeline.processes.push(process)
    const node: Node = { number, process, context: undefined }
    this.nodes[number] = node
    this.log("boot", name)
    const chance = new Chance(`${this.program.seed} ${name}`)
    const base = Context.merge(process.context(chance), this.#quiet)
    const scope = Effect.runSync(Scope.make())
    const started = Effect.gen({ self: this }, function* () {
      const context = yield* Layer.buildWithScope(this.#layer(process), scope)
      const merged = Context.merge(base, context) as Context.Context<Services>
      yield* Context.get(merged, Dispatcher).start().pipe(Scope.provide(scope), Effect.provideContext(merged))
      return merged
    })
    Effect.runForkWith(base)(started).addObserver((exit) => {
      if (Exit.isSuccess(exit)) {
        node.context = exit.value
      } else if (process.alive) this.#kill(process, second)
    })
  }

  /** No tracing, and a logger that keeps what is an error of ours: a store that fails is not. */
  readonly #quiet: Context.Context<never> = Context.make(References.TracerEnabled, false).pipe(
    Context.add(
      References.CurrentLoggers,
      new Set([
        Logger.make(({ cause, logLevel, message }) => {
          if (logLevel !== "Error" && logLevel !== "Fatal") return
          if (Cause.hasDies(cause)) this.witness.defect(`${String(message)}: ${Cause.pretty(cause)}`)
        })
      ])
    )
  ) as Context.Context<never>

  #layer(process: Process): Layer.Layer<Services, StorageFault> {
    const { seed } = this.program
    const step = process.request(Effect.void, this.#terms(process, false, () => undefined))
    return Calls.layer.pipe(
      Layer.provideMerge(Engine.sandbox),
      Layer.provideMerge(this.#options.engine ?? Engine.layer),
      Layer.provideMerge(this.#outside.provider(process, this.#options.provider, step)),
      Layer.provideMerge(Layer.mergeAll(this.#outside.sink(process, step), cipher, Engine.prices)),
      Layer.provideMerge(
        Layer.mergeAll(idsOf(new Chance(`ids ${seed} ${process.name}`)), Wake.layer, clocksOf(process))
      ),
      Layer.provideMerge(Layer.succeed(Storage, this.#storage(process)))
    ) as Layer.Layer<Services, StorageFault>
  }

  /** The terms of a call to a port: the process may die before and after it. */
  #terms<A, E>(process: Process, ordered: boolean, instead: (exit: Exit.Exit<A, E>) => Exit.Exit<A, E> | undefined) {
    return {
      ordered,
      latency_ms: 0,
      before: () => this.#survives(process, "before"),
      after: (exit: Exit.Exit<A, E>) => (this.#survives(process, "after") ? (instead(exit) ?? exit) : undefined)
    }
  }

  /** The store as one process reaches it. */
  #storage(process: Process): Storage["Service"] {
    const { store, faults } = this
    const chance = new Chance(`storage ${this.program.seed} ${process.name}`)
    const broken = (): Exit.Exit<never, StorageFault> =>
      Exit.fail(new StorageFault({ message: "the simulated store failed", retryable: true }))
    const strikes = (rate: number): boolean => rate > 0 && this.stormy && chance.happens(rate)
    const latency = (): number => (strikes(faults.storage_slow) ? chance.between(1, 20_000) : chance.between(0, 3) >> 1)
    const ask = <A>(work: Effect.Effect<A, StorageFault>, ordered = false): Effect.Effect<A, StorageFault> =>
      Effect.suspend(() => {
        const failing = strikes(faults.storage_read)
        return process.request(failing ? Effect.void as never as typeof work : work, {
          ...this.#terms<A, StorageFault>(process, ordered, () => (failing ? broken() : undefined)),
          latency_ms: latency()
        })
      })
    const through = <Args extends ReadonlyArray<unknown>, A>(method: (...args: Args) => Effect.Effect<A, StorageFault>) =>
      (...args: Args) => ask(method(...args))
    return Storage.of({
      commit: (change) =>
        Effect.suspend(() => {
          const unsent = strikes(faults.storage_before)
          const unheard = strikes(faults.storage_after)
          const work = unsent
            ? (Effect.void as never as Effect.Effect<Verdict, StorageFault>)
            : Effect.tap(store.commit(change), (verdict) => settled(this.#committed(process, change, verdict)))
          return process.request(work, {
            ...this.#terms<Verdict, StorageFault>(process, true, () => (unsent || unheard ? broken() : undefined)),
            latency_ms: latency()
          })
        }),
      get: through(store.get),
      find: through(store.find),
      list: through(store.list),
      descendants: through(store.descendants),
      accounts: through(store.accounts),
      applied: through(store.applied),
      claimed: through(store.claimed),
      alias: through(store.alias),
      event: through(store.event),
      events: through(store.events),
      feed: through(store.feed),
      claim: (query) =>
        ask(
          Effect.tap(store.claim(query), (jobs) =>
            Effect.sync(() => {
              for (const job of jobs)
                this.#leases.set(`${job.merchant_id} ${job.id}`, {
                  token: query.token,
                  until: query.wall + query.lease_ms - process.skew + 1
                })
              if (jobs.length > 0) this.witness.claimed(process, jobs)
            })
          )
        ),
      nextDue: through(store.nextDue),
      job: through(store.job),
      jobs: through(store.jobs),
      history: through(store.history),
      entries: through(store.entries),
      trialBalance: ask(store.trialBalance),
      idle: through(store.idle),
      take: through(store.take),
      setting: through(store.setting),
      define: through(store.define),
      assign: through(store.assign),
      ping: ask(store.ping),
      watch: (hint) => Effect.sync(() => void this.#hints.set(process, hint))
    })
  }

  #committed(process: Process, change: Change, verdict: Verdict): void | Promise<void> {
    this.log(process.name, [verdict._tag, change])
    if (verdict._tag === "Committed") {
      const { lease, jobs, cancels, merchant_id, events } = change
      for (const id of [...(lease === undefined ? [] : [lease.job]), ...cancels, ...jobs.map((job) => job.id)])
        this.#leases.delete(`${merchant_id} ${id}`)
      for (const job of jobs)
        if (job.lease !== undefined)
          this.#leases.set(`${merchant_id} ${job.id}`, { token: job.lease.token, until: job.lease.locked_until - process.skew + 1 })
      if (jobs.length > 0 || events.length > 0)
        for (const [other, hint] of this.#hints) if (other !== process) this.timeline.at(this.timeline.now + 2, () => other.wake(hint), other)
    }
    return this.witness.committed(process, change, verdict, this.store)
  }

  /** A process that can be called now: the one of this number, or another. */
  reachable(preferred: number): Node | undefined {
    const able = this.nodes.filter(({ context, process }) => context !== undefined && process.alive && !process.paused)
    return able.find(({ number }) => number === preferred) ?? able[0]
  }

  /** Asks something of a process's services at the end, when nothing fails any more; the world stands still meanwhile. */
  async ask<A, E>(question: Effect.Effect<A, E>): Promise<A> {
    let answer: Exit.Exit<A, E> | undefined
    Effect.runFork(question).addObserver((exit) => {
      answer = exit
    })
    await this.timeline.run(this.timeline.now + minute, () => answer !== undefined)
    if (answer === undefined || Exit.isFailure(answer)) throw new Error("the world did not answer at its end")
    return answer.value
  }

  /** Runs something in a process, and tells how it ended; never, when the process dies first. */
  run<A, E>(node: Node, effect: Effect.Effect<A, E, any>, ended: (exit: Exit.Exit<A, E>) => void): void {
    node.process.schedule(() =>
      Effect.runForkWith(node.context as Context.Context<any>)(effect).addObserver(ended)
    )
  }

  receive(node: Node, event: ProviderEvent, own: boolean, ended: (heard: boolean) => void): void {
    this.witness.spoken(event, own)
    this.run(node, Effect.flatMap(Inbox, (inbox) => inbox.receive(event)), (exit) => {
      if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) this.witness.defect(Cause.pretty(exit.cause))
      ended(Exit.isSuccess(exit))
    })
  }
}
