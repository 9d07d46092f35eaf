/**
 * Other providers of payouts and conversions, beside the simulated one. Their records survive the processes that call them.
 * They are honest about what they have executed, and answer late, never, or that they cannot take a command now.
 */
import { Effect } from "effect"
import { ProviderFault } from "../../engine/ports/errors.ts"
import {
  type CommandStatus,
  type ConversionCommand,
  type MovementEvent,
  type PayoutCommand,
  Provider,
  type ProviderEvent,
  type SubmissionResult,
  makeOpenManifest
} from "../../engine/ports/Provider.ts"
import { hour, type Faults, minute, type Other, second } from "../program/program.ts"
import type { SimulatedProcess } from "./virtual-time.ts"

type Command = PayoutCommand | ConversionCommand

/** Makes the id of an event. It begins with the provider's name, so that a callback says who sends it. */
export const makeEventId = (provider: string, rest: string): string => `${provider}/${rest}`
export const findSender = (others: ReadonlyArray<Other>, event_id: string): string =>
  others.find(({ name }) => event_id.startsWith(makeEventId(name, "")))?.name ?? "simulated"

/** Finds the configured name of another provider at a time. */
export const findNameAt = ({ name, renamed }: Other, age: number): string =>
  renamed !== undefined && age >= renamed.at ? renamed.name : name

/** Chooses the name in a callback: the present one, or any that the provider ever had. */
export const chooseCallbackName = (others: ReadonlyArray<Other>, event_id: string, age: number): string => {
  const sender = findSender(others, event_id)
  const other = others.find(({ name }) => name === sender)
  return other === undefined || event_id.length % 2 === 0 ? sender : findNameAt(other, age)
}

/** Draws, by a fraction, the id of an event that any of the providers may send. */
export const drawStrayId = (others: ReadonlyArray<Other>, fraction: number, event_id: string): string => {
  const sender = others[Math.floor(fraction * (others.length + 1)) - 1]
  return sender === undefined ? event_id : makeEventId(sender.name, event_id)
}

const success = { outcome: "success", reason: null, transaction_hash: null } as const
export const silence = new ProviderFault({ message: "the provider did not respond" })

interface Chances {
  readonly strikes: (fault: "slow" | "timeout_absent" | "timeout_executed" | "lookup", about: string) => boolean
  readonly fraction: (...of: ReadonlyArray<string | number>) => number
  readonly times: (what: string) => number
}

/** What a provider reports to the simulation. */
export interface CallWatch {
  /** Whether faults may occur now. */
  readonly stormy: () => boolean
  /** A process calls a provider with a payout, a conversion or a refund. */
  readonly submitted: (process: SimulatedProcess, provider: string, command: string) => void
  /** The response to submission number `attempt` (from 1), as the engine receives it. Null: none. */
  readonly answered: (
    process: SimulatedProcess,
    command: string,
    attempt: number,
    answer: SubmissionResult | null
  ) => void
  readonly looked: (process: SimulatedProcess, command: string, commandStatus: CommandStatus | null) => void
  /** Delivers a callback to any reachable process after a delay, and repeats it until it is acknowledged. */
  readonly callback: (event: ProviderEvent, after_ms: number, own: boolean) => void
}

export class OtherProviders {
  readonly #chances: Chances
  readonly #watch: CallWatch
  /** Executions by provider and command. */
  readonly #executed = new Map<string, number>()

  constructor(chances: Chances, watch: CallWatch) {
    this.#chances = chances
    this.#watch = watch
  }

  /** How often a provider has executed a command. */
  executions(name: string, command: string): number {
    return this.#executed.get(`${name} ${command}`) ?? 0
  }

  /** A provider as one process sees it. `step`: a point at which the process may crash. */
  provider(process: SimulatedProcess, other: Other, age: number, step: Effect.Effect<void>): Provider["Service"] {
    const { full, name, serves } = other
    const { fraction, strikes, times } = this.#chances
    const watch = this.#watch
    const silent = (about: string): Effect.Effect<never, ProviderFault> =>
      fraction("hang", about) < 0.3 ? Effect.never : Effect.fail(silence)
    const submit = (command: Command): Effect.Effect<SubmissionResult, ProviderFault> =>
      Effect.gen({ self: this }, function* () {
        const key = `${name} ${command.id}`
        const about = `${key} ${times(`submit ${key}`)}`
        const answer = (result: SubmissionResult | null) =>
          watch.answered(process, command.id, command.attempt + 1, result)
        watch.submitted(process, name, command.id)
        yield* step
        if (strikes("slow", about)) yield* Effect.sleep(Math.ceil(fraction("slowness", about) ** 3 * 40 * second))
        const isFull = watch.stormy() && fraction("full", about) < full
        if (isFull && !this.#executed.has(key)) {
          answer({ _tag: "unavailable" })
          this.#contradict(command, name)
          return { _tag: "unavailable" } as const
        }
        if (strikes("timeout_absent", about)) {
          answer(null)
          return yield* silent(about)
        }
        if (!this.#executed.has(key)) {
          this.#executed.set(key, 1)
          this.#report(command, name)
        }
        yield* step
        if (strikes("timeout_executed", about)) {
          answer(null)
          return yield* silent(about)
        }
        const result: SubmissionResult =
          fraction("at once", about) < 0.3 ? { _tag: "settled", outcome: success } : { _tag: "accepted" }
        answer(result)
        return result
      })
    const lookup = (command: Command): Effect.Effect<CommandStatus, ProviderFault> =>
      Effect.gen({ self: this }, function* () {
        const key = `${name} ${command.id}`
        const about = `${key} ${times(`lookup ${key}`)}`
        yield* step
        const fails = strikes("lookup", `lookup ${about}`)
        const pending = watch.stormy() && fraction("pending", about) < 0.3
        const found: CommandStatus = !this.#executed.has(key)
          ? { _tag: "absent" }
          : pending
            ? { _tag: "pending" }
            : { _tag: "settled", outcome: success }
        watch.looked(process, command.id, fails ? null : found)
        return fails ? yield* silence : found
      })
    const configured = findNameAt(other, age)
    return Provider.of({
      name: configured,
      ...(configured === name ? {} : { formerly: [name] }),
      identity: Effect.succeed({ id: `books of ${name}`, address: null }),
      manifest: makeOpenManifest(...serves),
      ...(serves.includes("payout") ? { payouts: { submit, lookup } } : {}),
      ...(serves.includes("conversion") ? { liquidity: { submit, lookup } } : {})
    })
  }

  #event(provider: string, { resource_id }: Command, what: string, outcome: MovementEvent["outcome"]): MovementEvent {
    const event_id = makeEventId(provider, `${resource_id}.${what}`)
    return { _tag: "movement", event_id, merchant_id: null, resource_id, outcome, reason: null, transaction_hash: null }
  }

  /** Half of the executions are reported in a callback; look-ups find the others. */
  #report(command: Command, provider: string): void {
    const when = this.#chances.fraction("report", provider, command.id)
    if (when < 0.5)
      this.#watch.callback(this.#event(provider, command, "done", "success"), Math.ceil(when * 2 * hour), true)
  }

  /** A provider that has refused a command reports later that it has paid it: it must not count. */
  #contradict(command: Command, provider: string): void {
    const when = this.#chances.fraction("contradict", provider, command.id)
    if (when < 0.1)
      this.#watch.callback(this.#event(provider, command, "late", "success"), Math.ceil(when * 100 * minute), false)
  }
}

/** Lists the providers that are configured in a process that starts at a time. */
export const listPresent = ({ others = [] }: Faults, age: number): ReadonlyArray<Other> =>
  others.filter(({ away }) => !away.some(([from, to]) => age >= from && age < to))
