/**
 * The clients of a simulation: merchants, the operator, customers with a hosted link, and a provider that repeats callbacks
 * until they are acknowledged.
 */
import { Cause, Effect, Exit, Option } from "effect"
import { Calls } from "../../embedded/calls.ts"
import { isKeyed, hasInput } from "../../engine/calls/operation.ts"
import type { ProviderEvent } from "../../engine/ports/Provider.ts"
import { Sandbox } from "../../engine/ports/Sandbox.ts"
import { HostedVerifications, type HostedFields } from "../../engine/work/providers/hosted-verification.ts"
import { beginning, calm, type Faults, minute, type Op, type Program, second } from "../program/program.ts"
import { requireOperation } from "../program/operations.ts"
import type { PayingBank } from "./bank.ts"
import { BankDesk } from "./bank-desk.ts"
import { PeopleCalls } from "./people.ts"
import { hashToFraction } from "../program/random.ts"
import type { SimulatedProcess, Timeline } from "./virtual-time.ts"
import type { Answered, Node, ObservedServices, Observer } from "./observer.ts"

/** Errors after which a client repeats the call with the same key. */
const passing = new Set(["IdempotencyInProgress", "Conflict", "ExternalServiceUnavailable"])

const attemptsMax = 40

interface Running {
  readonly op: Op
  attempts: number
  process: SimulatedProcess | undefined
  /** The first response, when the key is used again. */
  first: string | undefined
}

/** A reference to a missing value. Its operation is skipped. */
const nothing = Symbol("nothing")

/** What clients see of the simulation that they live in. */
export interface Reachable {
  readonly program: Program
  readonly faults: Faults
  readonly timeline: Timeline
  readonly observer: Observer
  readonly bank: PayingBank
  /** The node of that number, or another one while it is down. `undefined`: all are down. */
  reachable(preferred: number): Node | undefined
  run<A, E>(node: Node, effect: Effect.Effect<A, E, ObservedServices>, ended: (exit: Exit.Exit<A, E>) => void): void
  receive(node: Node, event: ProviderEvent, own: boolean, ended: (acknowledged: boolean) => void): void
  log(what: string, about: unknown): void
}

export class Clients {
  readonly #simulation: Reachable
  readonly #answers = new Map<number, unknown>()
  readonly #running = new Set<Running>()
  /** The arguments of each operation, by its number. */
  readonly given = new Map<number, ReadonlyArray<unknown>>()
  readonly #callbacks = new Map<object, { readonly process: SimulatedProcess; readonly again: () => void }>()
  /** The ids of a merchant's rows of a kind in a state, to which `?` refers. The simulation's observer keeps them. */
  picks: (merchant: string | null, kind: string, state: string) => ReadonlyArray<string> = () => []

  readonly desk: BankDesk

  constructor(simulation: Reachable) {
    this.#simulation = simulation
    this.desk = new BankDesk(simulation.bank, (event) => simulation.observer.spoken(event, true))
  }

  /** Schedules every operation of the program. */
  begin(): void {
    for (const op of this.#simulation.program.ops) this.#later(beginning + op.at, () => this.#begun(op))
    this.#later(beginning + calm, () => this.#calmed())
  }

  #begun(op: Op): void {
    this.#ask({ op, attempts: 0, process: undefined, first: undefined })
  }

  /** Releases every pause, activates every merchant and makes the provider accept submissions, so that work can end. */
  #calmed(): void {
    const { ops } = this.#simulation.program
    const last = ops.at(-1)?.n ?? 0
    for (const { call, n } of ops) {
      if (call === "operator.brakes.create") this.#release(last + 2 * n)
      if (call !== "merchants.create" || !this.#answers.has(n)) continue
      const active = [`@${n}.merchant.id`, { status: "active" }]
      this.#begun({ n: last + 2 * n, at: calm, as: null, call: "merchants.update", args: active })
      const serving = {
        n: last + 2 * n + 1,
        at: calm,
        as: n,
        call: "sandbox.provider",
        args: [{ submissions: "accept" }]
      }
      this.#later(beginning + calm + minute, () => this.#begun(serving))
    }
  }

  /** Releases a pause that is active. There may be more than were asked for: the response to a creation may be lost. */
  #release(n: number): void {
    const args = ["?brake/active#0", {}]
    for (const number of [n, n + 1])
      this.#later(beginning + calm + number * second, () =>
        this.#begun({ n: number, at: calm, as: null, call: "operator.brakes.release", args })
      )
  }

  #later(at: number, run: () => void): void {
    this.#simulation.timeline.at(at, run)
  }

  #member(answer: unknown, path: ReadonlyArray<string>): unknown {
    let at = answer
    for (const name of path)
      at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined
    return at ?? nothing
  }

  /** Resolves the references in an argument. */
  #resolved(value: unknown, op: Op): unknown {
    if (typeof value === "string") {
      const named = /^@(\d+)((?:\.\w+)+)$/.exec(value)
      if (named !== null) return this.#member(this.#answers.get(Number(named[1])), named[2]!.slice(1).split("."))
      const picked = /^\?(\w+)\/(\w+)#(\d+)$/.exec(value)
      if (picked === null) return value
      const merchant = op.as === null ? null : this.#member(this.#answers.get(op.as), ["merchant", "id"])
      if (merchant === nothing) return nothing
      const found = this.picks(merchant as string | null, picked[1]!, picked[2]!)
      return found.length === 0 ? nothing : found[Number(picked[3]) % found.length]
    }
    if (Array.isArray(value)) {
      const all = value.map((item) => this.#resolved(item, op))
      return all.includes(nothing) ? nothing : all
    }
    if (typeof value !== "object" || value === null) return value
    const members = Object.entries(value).map(([name, item]) => [name, this.#resolved(item, op)] as const)
    return members.some(([, item]) => item === nothing) ? nothing : Object.fromEntries(members)
  }

  #effect(
    op: Op,
    args: ReadonlyArray<unknown>
  ): Effect.Effect<unknown, { readonly _tag: string }, ObservedServices> | undefined {
    if (op.call === "hosted.open" || op.call === "hosted.submit") {
      const token = String(args[0]).split("/").at(-1)!
      return Effect.flatMap(HostedVerifications, (hosted) =>
        op.call === "hosted.open" ? hosted.open(token) : hosted.submit(token, args[1] as HostedFields)
      )
    }
    if (op.call === "bank.statement") return this.#stated(op, args as readonly [string, object])
    if (op.call === "bank.resolve") return this.desk.resolve(op.n, Number(args[0]))
    const merchant = op.as === null ? null : this.#member(this.#answers.get(op.as), ["merchant", "id"])
    if (merchant === nothing) return undefined
    const operation = requireOperation(op.call)
    if (op.by !== undefined) {
      const token = this.#resolved(op.by, op)
      if (typeof token !== "string") return undefined
      const call = { operation, args, key: `key-of-op-${op.n}` }
      return Effect.flatMap(PeopleCalls, (people) => people.run(token, call)) as Effect.Effect<
        unknown,
        { readonly _tag: string },
        ObservedServices
      >
    }
    const options = isKeyed(operation) ? [{ idempotencyKey: `key-of-op-${op.n}` }] : []
    const { names } = operation
    const given = hasInput(operation) && args.length > names.length ? args : args.slice(0, names.length)
    const input = hasInput(operation) && args.length === names.length ? [{}] : []
    // An operator acts on what `as` owns, and not as that merchant.
    const caller = operation.area === "operator" ? null : (merchant as string | null)
    return Effect.flatMap(Calls, (calls) =>
      calls.run(caller, operation, [...given, ...input, ...options])
    ) as Effect.Effect<unknown, { readonly _tag: string }, ObservedServices>
  }

  /** An operator takes the statement that the bank has written. */
  #stated(
    op: Op,
    [currency, about]: readonly [string, object]
  ): Effect.Effect<unknown, { readonly _tag: string }, ObservedServices> {
    const { bank, timeline } = this.#simulation
    return Effect.gen(function* () {
      const { executions } = yield* Sandbox
      const file = yield* bank.statement(op.n, currency, timeline.now - beginning, executions)
      if (file === undefined) return []
      const take = requireOperation("operator.statements.take")
      const { format, text } = file
      const input = { file: new TextEncoder().encode(text), format, ...(format === "csv" ? about : {}) }
      const calls = yield* Calls
      const taken = yield* calls.run(null, take, [input, { idempotencyKey: `key-of-op-${op.n}` }])
      bank.taken.add(op.n)
      return taken
    }) as Effect.Effect<unknown, { readonly _tag: string }, ObservedServices>
  }

  #ask(running: Running, resolved?: ReadonlyArray<unknown>): void {
    const { op } = running
    const simulation = this.#simulation
    const args = resolved ?? this.#resolved(op.args, op)
    if (args === nothing) return
    if (op.call === "callback") {
      this.callback((args as ReadonlyArray<ProviderEvent>)[0]!, 0, false)
      return
    }
    const effect = this.#effect(op, args as ReadonlyArray<unknown>)
    if (effect === undefined) return
    const again = (after_ms: number): void =>
      this.#later(simulation.timeline.now + after_ms, () => this.#ask(running, args as ReadonlyArray<unknown>))
    const node = simulation.reachable(op.n % simulation.faults.nodes.length)
    if (node === undefined) {
      again(5 * second)
      return
    }
    running.attempts++
    running.process = node.process
    this.#running.add(running)
    this.#retries.set(running, again)
    if (running.attempts === 1) simulation.log("ask", [op.n, op.call, args])
    this.given.set(op.n, args as ReadonlyArray<unknown>)
    simulation.run(node, effect, (exit) => this.#answered(running, exit, again))
  }

  readonly #retries = new Map<Running, (after_ms: number) => void>()

  #answered(
    running: Running,
    exit: Exit.Exit<unknown, { readonly _tag: string }>,
    again: (after_ms: number) => void
  ): void {
    const { op, attempts } = running
    const { observer } = this.#simulation
    this.#running.delete(running)
    this.#retries.delete(running)
    if (Exit.isSuccess(exit)) {
      this.#concluded(running, { _tag: "success", body: exit.value })
      return
    }
    const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
    if (failure === undefined) {
      observer.defect(`operation ${op.n} ${op.call}: ${Cause.pretty(exit.cause)}`)
      return
    }
    const isFault = failure._tag === "StorageFault" || failure._tag === "ProviderFault"
    if ((isFault || passing.has(failure._tag)) && attempts < attemptsMax)
      again(Math.ceil((1 + hashToFraction(`again ${op.n} ${attempts}`) * 4) * second))
    else if (isFault || passing.has(failure._tag)) this.#concluded(running, { _tag: "unknown" })
    else
      this.#concluded(running, {
        _tag: "refused",
        error: { _tag: failure._tag, message: String((failure as { message?: unknown }).message) }
      })
  }

  #concluded(running: Running, answer: Answered): void {
    const { op } = running
    const simulation = this.#simulation
    simulation.log("answer", [op.n, answer])
    const bytes = JSON.stringify(answer)
    if (running.first !== undefined) {
      // Authorization comes before the lookup of the key.
      if (answer._tag === "refused" && answer.error._tag === "MerchantInactive") return
      if (bytes !== running.first)
        simulation.observer.defect(
          `operation ${op.n} ${op.call} returned another response to a repeat of its key: ${running.first} then ${bytes}`
        )
      return
    }
    if (answer._tag === "success") this.#answers.set(op.n, answer.body)
    simulation.observer.concluded(op, answer, running.attempts)
    if (op.again_ms !== undefined && answer._tag === "success")
      this.#later(simulation.timeline.now + op.again_ms, () =>
        this.#ask({ op, attempts: 0, process: undefined, first: bytes }, this.given.get(op.n))
      )
  }

  /** After a crash, clients of the process repeat their calls on another node, or when it is back. */
  lost(process: SimulatedProcess): void {
    for (const running of this.#running) {
      if (running.process !== process) continue
      this.#running.delete(running)
      const again = this.#retries.get(running)
      this.#retries.delete(running)
      if (running.attempts < attemptsMax)
        again?.(Math.ceil((1 + hashToFraction(`lost ${running.op.n} ${running.attempts}`) * 9) * second))
      else this.#concluded(running, { _tag: "unknown" })
    }
    for (const [key, { again, process: asked }] of this.#callbacks) {
      if (asked !== process) continue
      this.#callbacks.delete(key)
      again()
    }
  }

  /** Sends a provider callback, and repeats it until it is acknowledged. */
  callback(event: ProviderEvent, after_ms: number, own: boolean): void {
    const simulation = this.#simulation
    const key = {}
    const again = (): void =>
      this.#later(
        simulation.timeline.now +
          Math.ceil((5 + hashToFraction(`callback ${event.event_id} ${simulation.timeline.now}`) * 55) * second),
        send
      )
    const send = (): void => {
      const node: Node | undefined = simulation.reachable(event.event_id.length % simulation.faults.nodes.length)
      if (node === undefined) {
        again()
        return
      }
      this.#callbacks.set(key, { process: node.process, again })
      simulation.receive(node, event, own, (acknowledged) => {
        this.#callbacks.delete(key)
        if (!acknowledged) again()
      })
    }
    this.#later(simulation.timeline.now + Math.max(after_ms, 1), send)
  }
}
