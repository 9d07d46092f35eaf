/**
 * A simulation: one store, the processes that run the engine over it, and their clients. It runs a {@link Program}
 * and reports to a {@link Observer}.
 */
import * as Engine from "../../engine/Engine.ts"
import { createHash } from "node:crypto"
import { Provider, Providers, type ProviderEvent } from "../../engine/ports/Provider.ts"
import { registerProviders } from "../../engine/ports/registered-providers.ts"
import { defaultOrder, Routing } from "../../engine/ports/Routing.ts"
import { chooseCallbackName, listPresent } from "./other-providers.ts"
import { Cause, Context, Effect, Exit, Fiber, Layer, Logger, References, Scope } from "effect"
import { Calls } from "../../embedded/calls.ts"
import { Dispatcher } from "../../engine/work/queue/Dispatcher.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import { Inbox } from "../../engine/work/providers/Inbox.ts"
import { makeKeeping, RetentionPolicy } from "../../engine/settings/retention.ts"
import {
  type Change,
  type ClaimQuery,
  type Job,
  Storage,
  type CommitResult,
  type Beat
} from "../../engine/ports/Storage.ts"
import { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import type { PayingBank } from "./bank.ts"
import { Clients } from "./clients.ts"
import { PeopleCalls } from "./people.ts"
import { ThirdParties, type SimulatedProviderLayer } from "./third-parties.ts"
import { cipher, makeClockLayers, makeIdsLayer } from "./ports.ts"
import { beginning, calm, type Faults, lifetime, minute, type Program, second } from "../program/program.ts"
import { Chance } from "../program/random.ts"
import { type Mortality, makeFaultyStore } from "./faulty-store.ts"
import { SimulatedProcess, Timeline } from "./virtual-time.ts"
import type { Node, ObservedServices, Observer } from "./observer.ts"
import { nameReleasedJob } from "../../engine/ports/Ids.ts"
import { NodeLease } from "../../engine/settings/settings.ts"

const nodeLeaseMs = Context.get(Context.empty(), NodeLease)

/** Parses the node of a claim's token; any other text if no node claimed it. */
const parseNode = (token: string): string => token.slice(0, token.indexOf("/"))

/** Times are those of the store. `process`: that runs the job. Undefined: the job waits, as intended. */
interface Held {
  readonly until: number
  readonly token: string
  readonly process: SimulatedProcess | undefined
}

class Leases {
  readonly #held = new Map<string, Held>()
  /** Until when each node counts as alive. */
  readonly #alive = new Map<string, number>()

  /** The earliest time at which a claimed job can be claimed again. */
  get first(): number | undefined {
    let first: number | undefined
    for (const { until } of this.#held.values()) if (first === undefined || until < first) first = until
    return first
  }

  beat({ lease_ms, node, wall }: Beat): void {
    this.#alive.set(node, wall + lease_ms)
  }

  /** Returns what is wrong with a claim. */
  claimed(
    process: SimulatedProcess,
    { lease_ms, released = [], token, wall }: ClaimQuery,
    jobs: ReadonlyArray<Job>
  ): ReadonlyArray<string> {
    const wrong: Array<string> = []
    for (const job of jobs) {
      const name = `${job.merchant_id} ${job.id}`
      const before = this.#held.get(name)
      // A process may take again what it has given back itself (SERVICE-27), and nothing of another.
      const isOwn =
        before?.process === process &&
        released.some((one) => one === before.token || one === nameReleasedJob(before.token, job))
      if (before !== undefined && wall < before.until && !isOwn) {
        if (before.process === undefined) wrong.push(`${process.name} has claimed ${job.id} before its time`)
        else if (wall < (this.#alive.get(parseNode(before.token)) ?? Infinity))
          wrong.push(`${process.name} has claimed ${job.id} of ${before.process.name}, which lives`)
      }
      this.#held.set(name, { until: wall + lease_ms, token, process })
    }
    return wrong
  }

  /** Returns the jobs that the commit claims for its process. */
  committed(process: SimulatedProcess, { cancels, jobs, lease, merchant_id }: Change): ReadonlyArray<Job> {
    for (const id of [...(lease === undefined ? [] : [lease.job]), ...cancels, ...jobs.map((job) => job.id)])
      this.#held.delete(`${merchant_id} ${id}`)
    const taken: Array<Job> = []
    for (const { lease: own, ...job } of jobs) {
      if (own === undefined) continue
      const node = parseNode(own.token)
      const isTaken = this.#alive.has(node)
      this.#held.set(`${merchant_id} ${job.id}`, {
        until: own.wall + own.lease_ms,
        token: own.token,
        process: isTaken ? process : undefined
      })
      if (isTaken) taken.push({ ...job, merchant_id, lease: own.token })
    }
    return taken
  }

  /** A process has stopped at a time: others look for what it has claimed when its node's lease has ended. */
  stopped(process: SimulatedProcess, at: number): void {
    for (const [name, held] of this.#held)
      if (held.process === process) this.#held.set(name, { ...held, until: Math.min(held.until, at + nodeLeaseMs) })
  }
}

/** Retention beyond the thirty days of a simulation, because the auditor reads everything at the end. */
const longMemory = Layer.succeed(RetentionPolicy, makeKeeping({ deliveries: 60, providerEvents: 60 }))

export interface SimulationOptions {
  readonly program: Program
  readonly storage: Layer.Layer<Storage, StorageFault>
  readonly provider: SimulatedProviderLayer
  readonly observer: Observer
  /** Ends the simulation early, after a violation. */
  readonly stop: () => boolean
  /** Final checks, while the store is still open. */
  readonly end: () => Promise<void>
  /** Services that replace the engine's own, for seeded defects. */
  readonly engine?: typeof Engine.layer
}

interface Doom {
  calls: number
  /** The event to wait for. `undefined`: counting has started. */
  on?: string | undefined
  readonly when: "before" | "after" | "pause"
  readonly ms: number
}

const queues = ["timer", "command", "simulated", "delivery"] as const

export class Simulation {
  readonly timeline: Timeline
  readonly program: Program
  readonly nodes: Array<Node> = []
  readonly clients: Clients
  readonly observer: Observer
  readonly #options: SimulationOptions
  readonly #outside: ThirdParties
  readonly #hash = createHash("sha256")
  readonly #dooms = new Map<SimulatedProcess, Doom>()
  readonly #hints = new Map<SimulatedProcess, () => void>()
  readonly #leases = new Leases()
  #store: Storage["Service"] | undefined
  #boots = 0

  constructor(options: SimulationOptions) {
    const { program, observer } = options
    this.#options = options
    this.program = program
    this.observer = observer
    this.timeline = new Timeline(beginning, new Chance(`timeline ${program.seed}`))
    this.#outside = new ThirdParties(program.seed, program.faults, {
      ...observer,
      stormy: () => this.stormy,
      callback: (event, after_ms, own) => this.clients.callback(event, after_ms, own)
    })
    this.clients = new Clients(this)
  }

  get #priorities(): Readonly<Record<string, number>> {
    return Object.fromEntries((this.faults.others ?? []).map(({ name, priority }) => [name, priority]))
  }

  /** How often each of the other providers has executed a command. */
  executions(command: string): ReadonlyArray<number> {
    return (this.faults.others ?? []).map(({ name }) => this.#outside.others.executions(name, command))
  }

  get bank(): PayingBank {
    return this.#outside.bank
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
    if (this.#store === undefined) throw new Error("the simulation has not started")
    return this.#store
  }

  /** The hash of the simulation's log. */
  get hash(): string {
    return this.#hash.copy().digest("hex")
  }

  log(what: string, about: unknown): void {
    this.#hash.update(`${this.age} ${what} ${JSON.stringify(about)}\n`)
    this.observer.log?.(this.age, what, about)
  }

  /** Runs the simulation to its end, or until it is stopped. */
  async live(): Promise<void> {
    const scope = Effect.runSync(Scope.make())
    const built = await Effect.runPromise(Layer.buildWithScope(this.#options.storage, scope))
    this.#store = Context.get(built, Storage)
    const { timeline } = this
    timeline.due = () => this.#due()
    for (const number of this.faults.nodes.keys()) this.#boot(number)
    for (const crash of this.faults.crashes)
      timeline.at(beginning + crash.at, () => this.#doom(crash.node, { ...crash, ms: crash.restart_ms }))
    for (const pause of this.faults.pauses)
      timeline.at(beginning + pause.at, () =>
        this.#doom(pause.node, { calls: pause.calls, when: "pause", ms: pause.for_ms })
      )
    for (const other of this.faults.others ?? [])
      for (const at of other.away.flat()) timeline.at(beginning + at, () => this.#configure())
    for (const { renamed } of this.faults.others ?? [])
      if (renamed !== undefined) timeline.at(beginning + renamed.at, () => this.#configure())
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

  /** The earliest wall time at which an unclaimed job can be claimed. */
  #due(): number | undefined | Promise<number | undefined> {
    const lease = this.#leases.first
    const earliest = (due: number | undefined): number | undefined => {
      const free = due === undefined ? undefined : due - this.timeline.ahead
      return free === undefined ? lease : lease === undefined ? free : Math.min(free, lease)
    }
    const fiber = Effect.runFork(this.store.nextDue(queues))
    const exit = fiber.pollUnsafe()
    const value = (result: Exit.Exit<number | undefined, StorageFault>) =>
      earliest(Exit.isSuccess(result) ? result.value : undefined)
    return exit === undefined ? Effect.runPromise(Fiber.await(fiber)).then(value) : value(exit)
  }

  /** The configuration has changed: every process is stopped, and started with it. */
  #configure(): void {
    for (const { process } of [...this.nodes]) if (process.alive && !process.paused) this.#kill(process, second)
  }

  #doom(number: number, doom: Doom): void {
    const node = this.nodes[number]
    if (node?.process.alive === true && !node.process.paused) this.#dooms.set(node.process, { ...doom })
  }

  /** Whether the process survives this port call. */
  #survives(process: SimulatedProcess, moment: "before" | "after"): boolean {
    const doom = this.#dooms.get(process)
    if (doom === undefined || !this.stormy) return true
    if (doom.on !== undefined) return true
    if (moment === "before") doom.calls--
    if (doom.calls > 0 || (doom.when !== "pause" && doom.when !== moment)) return true
    this.#dooms.delete(process)
    if (doom.when === "pause") {
      this.log("pause", process.name)
      process.paused = true
      this.#leases.stopped(process, this.timeline.now)
      this.timeline.at(this.timeline.now + doom.ms, () => {
        this.log("resume", process.name)
        process.resume()
      })
      return true
    }
    this.#kill(process, doom.ms)
    return false
  }

  /** Starts the counting of a fault that waits for an event. */
  #meet(process: SimulatedProcess, { rows }: Change): void {
    const doom = this.#dooms.get(process)
    if (doom?.on !== undefined && rows.some(({ via }) => via === doom.on)) doom.on = undefined
  }

  #kill(process: SimulatedProcess, restart_ms: number): void {
    const node = this.nodes.find((candidate) => candidate.process === process)!
    this.log("crash", process.name)
    process.die()
    this.#leases.stopped(process, this.timeline.now)
    this.#hints.delete(process)
    const at = this.timeline.processes.indexOf(process)
    this.timeline.processes.splice(at, 1)
    this.clients.lost(process)
    this.timeline.at(this.timeline.now + restart_ms, () => this.#boot(node.number))
  }

  #boot(number: number): void {
    const name = `node ${number}.${++this.#boots}`
    const process = new SimulatedProcess(name, this.timeline, this.faults.nodes[number]!.skew_ms)
    this.timeline.processes.push(process)
    const node: Node = { number, process, context: undefined }
    this.nodes[number] = node
    this.log("boot", name)
    const chance = new Chance(`${this.program.seed} ${name}`)
    const base = Context.merge(process.context(chance), this.#quiet)
    const scope = Effect.runSync(Scope.make())
    const started = Effect.gen({ self: this }, function* () {
      const context = yield* Layer.buildWithScope(this.#layer(process), scope)
      const merged = Context.merge(base, context) as Context.Context<ObservedServices>
      yield* Context.get(merged, Dispatcher).start().pipe(Scope.provide(scope), Effect.provideContext(merged))
      return merged
    })
    Effect.runForkWith(base)(started).addObserver((exit) => {
      if (Exit.isSuccess(exit)) {
        node.context = exit.value
      } else if (process.alive) this.#kill(process, second)
    })
  }

  /** Disables tracing, and reports logged defects. Faults of the store are not defects. */
  readonly #quiet: Context.Context<never> = Context.make(References.TracerEnabled, false).pipe(
    Context.add(
      References.CurrentLoggers,
      new Set([
        Logger.make(({ cause, logLevel, message }) => {
          if (logLevel !== "Error" && logLevel !== "Fatal") return
          if (Cause.hasDies(cause)) this.observer.defect(`${String(message)}: ${Cause.pretty(cause)}`)
        })
      ])
    )
  ) as Context.Context<never>

  #layer(process: SimulatedProcess): Layer.Layer<ObservedServices, StorageFault> {
    const { seed } = this.program
    const mortality = this.#mortal(process)
    const step = process.request(Effect.void, {
      ordered: false,
      latency_ms: 0,
      before: mortality.before,
      after: (exit) => (mortality.after() ? exit : undefined)
    })
    const storage = makeFaultyStore(process, mortality, {
      store: this.store,
      faults: this.faults,
      chance: new Chance(`storage ${seed} ${process.name}`),
      stormy: () => this.stormy,
      committed: (change, verdict) => this.#committed(process, change, verdict),
      claimed: (query, jobs) => this.#claimed(process, query, jobs),
      beat: (beat) => this.#leases.beat(beat),
      read: (rows) => this.observer.read(process, rows),
      unlisted: (query) => this.observer.unlisted(process, query),
      hinted: (hint) => void this.#hints.set(process, hint)
    })
    return Layer.merge(Calls.layer, PeopleCalls.layer).pipe(
      Layer.provideMerge(Engine.sandbox),
      Layer.provideMerge(this.#options.engine ?? Engine.layer),
      Layer.provideMerge(
        Layer.effect(
          Providers,
          Effect.flatMap(Provider, (simulated) => {
            const others = listPresent(this.faults, this.age)
            const all = [
              simulated,
              ...others.map((other) => this.#outside.others.provider(process, other, this.age, step))
            ]
            // The store is asked who they are only where that can change: each question moves what a seed draws.
            return (this.faults.others ?? []).some(({ renamed }) => renamed !== undefined)
              ? registerProviders(all)
              : Effect.succeed(Providers.from(all))
          })
        )
      ),
      Layer.provideMerge(Layer.succeed(Routing, { priorities: this.#priorities, order: defaultOrder })),
      Layer.provideMerge(this.#outside.provider(process, this.#options.provider, step)),
      Layer.provideMerge(Layer.mergeAll(this.#outside.sink(process, step), cipher, this.#outside.prices)),
      Layer.provideMerge(
        Layer.mergeAll(
          makeIdsLayer(new Chance(`ids ${seed} ${process.name}`)),
          JobNotifier.layer,
          makeClockLayers(process),
          longMemory
        )
      ),
      Layer.provideMerge(Layer.succeed(Storage, storage))
    ) as Layer.Layer<ObservedServices, StorageFault>
  }

  /** Lets the process crash before or after a port call. */
  #mortal(process: SimulatedProcess): Mortality {
    return { before: () => this.#survives(process, "before"), after: () => this.#survives(process, "after") }
  }

  #claimed(process: SimulatedProcess, query: ClaimQuery, jobs: ReadonlyArray<Job>): void {
    for (const wrong of this.#leases.claimed(process, query, jobs)) this.observer.defect(wrong)
    if (jobs.length > 0) this.observer.claimed(process, jobs)
  }

  #committed(process: SimulatedProcess, change: Change, verdict: CommitResult): void | Promise<void> {
    this.log("commit", { by: process.name, verdict, change })
    if (verdict._tag === "Committed") {
      const { jobs, events } = change
      const taken = this.#leases.committed(process, change)
      if (taken.length > 0) this.observer.claimed(process, taken)
      for (const row of change.rows) this.#outside.provoke(row)
      this.#outside.committed(change)
      this.#meet(process, change)
      if (jobs.length > 0 || events.length > 0)
        for (const [other, hint] of this.#hints)
          if (other !== process) this.timeline.at(this.timeline.now + 2, () => other.wake(hint), other)
    }
    try {
      return this.observer.committed(process, change, verdict, this.store)
    } catch (error) {
      // Otherwise the engine would treat the error as its own defect, and continue.
      this.observer.defect(`the observer failed: ${String((error as Error).stack ?? error)}`)
    }
  }

  /** A process that can be called: the preferred one, or another. */
  reachable(preferred: number): Node | undefined {
    const able = this.nodes.filter(({ context, process }) => context !== undefined && process.alive && !process.paused)
    return able.find(({ number }) => number === preferred) ?? able[0]
  }

  /** Runs an effect at the end of the simulation, when no fault occurs any more. */
  async ask<A, E>(question: Effect.Effect<A, E>): Promise<A> {
    let answer: Exit.Exit<A, E> | undefined
    Effect.runFork(question).addObserver((exit) => {
      answer = exit
    })
    await this.timeline.run(this.timeline.now + minute, () => answer !== undefined)
    if (answer === undefined || Exit.isFailure(answer))
      throw new Error("the final query of the simulation did not complete")
    return answer.value
  }

  /** Runs an effect in a process and reports its exit. Reports nothing if the process dies first. */
  run<A, E>(node: Node, effect: Effect.Effect<A, E, ObservedServices>, ended: (exit: Exit.Exit<A, E>) => void): void {
    node.process.schedule(() =>
      Effect.runForkWith(node.context as Context.Context<ObservedServices>)(effect).addObserver(ended)
    )
  }

  receive(node: Node, event: ProviderEvent, own: boolean, ended: (handled: boolean) => void): void {
    this.#outside.received(event)
    this.observer.spoken(event, own)
    this.run(
      node,
      Effect.flatMap(Inbox, (inbox) =>
        inbox.receive(chooseCallbackName(this.faults.others ?? [], event.event_id, this.age), event)
      ),
      (exit) => {
        if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) this.observer.defect(Cause.pretty(exit.cause))
        ended(Exit.isSuccess(exit))
      }
    )
  }
}
