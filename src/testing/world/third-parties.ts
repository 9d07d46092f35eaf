/** Third parties with faults: a faulty provider before the real one, misbehaving banks, receivers. Its state survives crashes. */
import { Context, Effect, Layer } from "effect"
import type { Ids } from "../../engine/ports/Ids.ts"
import type { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import {
  type CommandStatus,
  type ConversionCommand,
  movementOutcomes,
  type PayinEvent,
  type PayoutCommand,
  Provider,
  type ProviderEvent,
  type RefundCommand,
  type SubmissionResult
} from "../../engine/ports/Provider.ts"
import { Sandbox } from "../../engine/ports/Sandbox.ts"
import type { Change, RowWrite, Storage } from "../../engine/ports/Storage.ts"
import type { WebhookSink } from "../../engine/ports/WebhookSink.ts"
import type { ProviderFault, StorageFault } from "../../engine/ports/errors.ts"
import { movements, passing } from "../program/kinds.ts"
import { day, type Faults, hour, type InjectedFault, minute, second } from "../program/program.ts"
import { hashToFraction } from "../program/random.ts"
import { PayingBank } from "./bank.ts"
import { ProviderDeviations } from "./deviations.ts"
import { type CallWatch, OtherProviders, silence, drawStrayId } from "./other-providers.ts"
import { type Delivered, makeReceiversLayer } from "./receivers.ts"
import type { SimulatedProcess } from "./virtual-time.ts"

const turnedAway: CommandStatus = {
  _tag: "settled",
  outcome: { outcome: "temporarily_unavailable", reason: null, transaction_hash: null }
}

/** Results of a provider that has the command. */
const taken: ReadonlySet<string> = new Set(["accepted", "settled"])

const accepted: SubmissionResult = { _tag: "accepted" }

const repeated = { _tag: "rejected", reason: "duplicate", refundable: true } as const

const settleRejection = ({ refundable, reason }: SubmissionResult & { readonly _tag: "rejected" }): CommandStatus => ({
  _tag: "settled",
  outcome: { outcome: refundable ? "failed" : "refund_failed", reason, transaction_hash: null }
})

/** A provider port and its sandbox, through which the simulation makes the provider report outcomes. */
export type SimulatedProviderLayer = Layer.Layer<Provider | Sandbox, StorageFault, Storage | Ids | JobNotifier>

/** What the simulation learns of third parties. */
export interface Watch extends CallWatch {
  /** The screening cleared a beneficiary at once. */
  readonly cleared: (screening_id: string) => void
  /** The response to a refund or to its look-up. Null: none. */
  readonly refunded: (
    process: SimulatedProcess,
    command: string,
    answer: SubmissionResult | CommandStatus | null
  ) => void
  /**
   * A provider event that the engine is about to receive, perhaps again. `own`: it follows from the provider's own
   * commands; otherwise the sandbox or somebody else caused it.
   */
  readonly spoken: (event: ProviderEvent, own: boolean) => void
  readonly delivered: (process: SimulatedProcess, ...sent: Delivered) => void
}

/** A provider as one process sees it. `step`: another may act between. */
interface Around {
  readonly process: SimulatedProcess
  readonly provider: Provider["Service"]
  readonly step: Effect.Effect<void>
}

export class ThirdParties {
  readonly #seed: number
  readonly #faults: Faults
  readonly #watch: Watch
  /** Commands rejected for good, with the rejection that every repeat gets. */
  readonly #refused = new Map<string, SubmissionResult & { readonly _tag: "rejected" }>()
  readonly #asked = new Map<string, number>()
  /** Events held back until the next one of the same movement. */
  readonly #kept = new Map<string, ProviderEvent>()
  /** Commands that the real provider received. Only it decides their outcome. */
  readonly #submitted = new Set<string>()
  readonly #rude: ProviderDeviations
  readonly others: OtherProviders
  readonly bank: PayingBank
  /** The latest report of each pay-in. */
  readonly #payins = new Map<string, PayinEvent>()

  constructor(seed: number, faults: Faults, watch: Watch) {
    this.#seed = seed
    this.#faults = faults
    this.#watch = watch
    const strikes = (fault: InjectedFault, about: string) => this.#strikes(fault, about)
    const fraction = (...of: ReadonlyArray<string | number>) => this.#fraction(...of)
    this.bank = new PayingBank(seed)
    this.others = new OtherProviders({ strikes, fraction, times: (what) => this.#times(what) }, watch)
    this.#rude = new ProviderDeviations({
      strikes,
      fraction,
      send: (event, after_ms) => watch.callback(event, after_ms, false)
    })
  }

  /** Rates and prices, sometimes invalid. */
  get prices(): ReturnType<ProviderDeviations["prices"]> {
    return this.#rude.prices()
  }

  committed(change: Change): void {
    this.#rude.committed(change)
  }

  /** Notes that an event was sent to a process. */
  received(event: ProviderEvent): void {
    this.#rude.received(event)
  }

  #fraction(...of: ReadonlyArray<string | number>): number {
    return hashToFraction(`${this.#seed} ${of.join(" ")}`)
  }

  #times(what: string): number {
    const n = (this.#asked.get(what) ?? 0) + 1
    this.#asked.set(what, n)
    return n
  }

  /** Whether the named fault occurs here. */
  #strikes(fault: InjectedFault, about: string): boolean {
    return this.#watch.stormy() && this.#fraction(fault, about) < (this.#faults[fault] ?? 0)
  }

  /** No response: either an immediate fault, or none before the caller's timeout. */
  #silent(about: string): Effect.Effect<never, ProviderFault> {
    return this.#fraction("hang", about) < 0.3 ? Effect.never : Effect.fail(silence)
  }

  /** The ports as one process sees them. `step`: a point at which the process may crash. */
  provider(process: SimulatedProcess, real: SimulatedProviderLayer, step: Effect.Effect<void>): SimulatedProviderLayer {
    const around = Effect.gen({ self: this }, function* () {
      const provider = yield* Provider
      const sandbox = yield* Sandbox
      const speaking = this.#speaking(sandbox, step)
      return Context.make(Provider, { ...this.#around({ process, provider, step }), sandbox: speaking }).pipe(
        Context.add(Sandbox, speaking)
      )
    })
    return Layer.effectContext(around).pipe(Layer.provide(real))
  }

  #question<A>(name: string, ask: Effect.Effect<A, ProviderFault>): Effect.Effect<A, ProviderFault> {
    return Effect.suspend(() => (this.#strikes("lookup", `${name} ${this.#times(name)}`) ? Effect.fail(silence) : ask))
  }

  #answering(
    { process, provider, step }: Around,
    command: { readonly id: string },
    send: (answer: SubmissionResult | null) => void,
    ask: Effect.Effect<SubmissionResult, ProviderFault>,
    /** The result that the watch records when a repeat is rejected. */
    meant: SubmissionResult = repeated
  ): Effect.Effect<SubmissionResult, ProviderFault> {
    const watch = this.#watch
    return Effect.gen({ self: this }, function* () {
      watch.submitted(process, provider.name, command.id)
      const times = this.#times(`submit ${command.id}`)
      const about = `${command.id} ${times}`
      const say = <A extends SubmissionResult>(answer: A): A => {
        send(answer)
        return answer
      }
      const saysNothing = Effect.suspend(() => {
        send(null)
        return this.#silent(about)
      })
      yield* step
      const { ahead } = process.timeline
      if (this.#strikes("slow", about))
        yield* Effect.sleep(Math.ceil(this.#fraction("slowness", about) ** 3 * 40 * second))
      // The look-up after a minute relies on it that nothing is under way for so long. When the clock leaps meanwhile, what is late is lost.
      if (process.timeline.ahead - ahead >= minute) return yield* saysNothing
      const known = this.#refused.get(command.id)
      if (known !== undefined) return say(known)
      if (this.#strikes("unavailable", about)) return say({ _tag: "unavailable" })
      // Retries may go on for a day; do not reject them after the first four.
      const refusal = times < 5 && (this.#strikes("refused", about) || this.#strikes("stranded", about))
      if (refusal && !this.#submitted.has(command.id)) {
        const answer = {
          _tag: "rejected",
          reason: "failed",
          refundable: !this.#strikes("stranded", about)
        } as const
        this.#refused.set(command.id, answer)
        return say(answer)
      }
      if (this.#strikes("timeout_absent", about)) return yield* saysNothing
      const arrived = this.#rude.submission(command, about)
      const garbled = this.#rude.garbled(about)
      if (arrived === "lost") return yield* saysNothing
      if (garbled !== undefined && this.#fraction("unread", about) < 0.5) {
        send(null)
        return garbled
      }
      this.#submitted.add(command.id)
      const answer = yield* Effect.result(ask)
      if (answer._tag === "Success" && answer.success._tag === "unavailable") this.#submitted.delete(command.id)
      yield* step
      const late = this.#rude.lateness(about)
      if (late > 0) yield* Effect.sleep(late)
      if (garbled !== undefined) {
        send(null)
        return garbled
      }
      if (arrived === "overtaken" && answer._tag === "Success" && taken.has(answer.success._tag)) {
        send(meant)
        return repeated
      }
      if (this.#strikes("timeout_executed", about) || answer._tag === "Failure") return yield* saysNothing
      return say(answer.success)
    })
  }

  #submitting<Command extends PayoutCommand | ConversionCommand>(
    around: Around,
    inner: {
      readonly submit: (command: Command) => Effect.Effect<SubmissionResult, ProviderFault>
      readonly lookup: (command: Command) => Effect.Effect<CommandStatus, ProviderFault>
    }
  ) {
    const watch = this.#watch
    const { process, step } = around
    return {
      submit: (command: Command) => {
        this.#rude.statements.submitted(command)
        if ("beneficiary" in command) this.bank.submitted(command)
        return this.#answering(
          around,
          command,
          (answer) => watch.answered(process, command.id, command.attempt + 1, answer),
          inner.submit(command)
        )
      },
      lookup: (command: Command) =>
        Effect.gen({ self: this }, function* () {
          const refused = this.#refused.get(command.id)
          const commandStatus =
            refused === undefined
              ? yield* Effect.result(this.#question(`lookup ${command.id}`, inner.lookup(command)))
              : undefined
          yield* step
          if (commandStatus?._tag === "Failure") {
            watch.looked(process, command.id, null)
            return yield* commandStatus.failure
          }
          const garbled = this.#rude.garbledStatus(command.id)
          if (garbled !== undefined) {
            watch.looked(process, command.id, null)
            return garbled
          }
          const known = this.#rude.statements.found(command, commandStatus?.success ?? settleRejection(refused!))
          // Not executed, and may be submitted again. Providers report this in two ways.
          const found =
            known._tag === "absent" && this.#strikes("unavailable", `say ${command.id}`) ? turnedAway : known
          watch.looked(process, command.id, found)
          return found
        })
    }
  }

  #around(around: Around): Provider["Service"] {
    const { process, provider } = around
    const watch = this.#watch
    const { directory, liquidity, payins, payouts, ready, screening } = provider as Required<Provider["Service"]>
    const refunded = (command: RefundCommand) => (answer: SubmissionResult | CommandStatus | null) =>
      watch.refunded(process, command.id, answer)
    return Provider.of({
      ...provider,
      // The bank of the simulation writes the statements: to wait for those of the provider would be to step through real time.
      statements: undefined,
      ready: (merchant_id) => this.#question("ready", ready(merchant_id)),
      payouts: this.#submitting(around, payouts),
      liquidity: this.#submitting(around, liquidity),
      payins: {
        refund: (command) =>
          this.#answering(around, this.#rude.refunding(command), refunded(command), payins.refund(command), accepted),
        lookupRefund: (command) =>
          Effect.tap(this.#question(`lookup ${command.id}`, payins.lookupRefund(command)), (found) =>
            Effect.sync(() => refunded(command)(found))
          ),
        issue: (command) => this.#question(`issue ${command.id}`, payins.issue(command)),
        instruct: (command) => this.#question("instruct", this.#rude.instead("instruct", payins.instruct!(command)))
      },
      screening: {
        screen: (beneficiary) =>
          Effect.tap(
            this.#strikes("deferred", `${beneficiary.resource_id} ${this.#times(`screen ${beneficiary.resource_id}`)}`)
              ? Effect.succeed("held" as const)
              : this.#question("screen", this.#rude.instead("screen", screening.screen(beneficiary))),
            (result) =>
              Effect.sync(() => {
                if (Object.is(result, "cleared")) watch.cleared(beneficiary.screening_id)
                this.#rude.screening(beneficiary)
              })
          )
      },
      directory: {
        ...directory,
        resolveAccount: (account) =>
          this.#question("resolve", this.#rude.instead("resolve", directory.resolveAccount(account)))
      }
    })
  }

  #speaking(sandbox: Sandbox["Service"], step: Effect.Effect<void>): Sandbox["Service"] {
    const watch = this.#watch
    const noted = <A extends { readonly event: ProviderEvent }, E>(scheduled: Effect.Effect<A, E>) =>
      Effect.tap(
        Effect.map(scheduled, (sent) => ({ ...sent, event: this.#rude.word(sent.event) })),
        ({ event }) =>
          Effect.andThen(
            Effect.sync(() => watch.spoken(event, false)),
            step
          )
      ) as Effect.Effect<A, E>
    return Sandbox.of({
      ...sandbox,
      outcome: (input) => noted(sandbox.outcome(input)),
      payin: (input) =>
        Effect.tap(noted(sandbox.payin(input)), ({ event }) =>
          Effect.sync(() => this.#payins.set(event.payin_id, event))
        ),
      issued: (command) => noted(sandbox.issued(command)),
      screened: (word) => noted(sandbox.screened(word)),
      verification: (word) => noted(sandbox.verification(word)),
      examine: (stated) => noted(sandbox.examine(stated)),
      run: (job) =>
        Effect.map(sandbox.run(job), (events) => {
          const now = events.flatMap((event) => this.#send(this.#rude.word(event)))
          for (const event of now) watch.spoken(event, true)
          return now
        })
    })
  }

  /** A delay of seconds, minutes or hours. */
  #anyTime(about: string): number {
    const often = [minute, hour, day][Math.floor(this.#fraction("often", about) * 3)]!
    return Math.ceil(this.#fraction("when", about) * often)
  }

  /** The events that are sent now. Others follow later as callbacks, or never. */
  #send(event: ProviderEvent): ReadonlyArray<ProviderEvent> {
    const watch = this.#watch
    const about = event.event_id
    if (event._tag === "refund" && this.#strikes("contradicted", about)) {
      const outcome = event.outcome === "success" ? "failed" : "success"
      watch.callback({ ...event, event_id: `${about}.other`, outcome }, this.#anyTime(about), false)
    }
    if (event._tag === "refund" && this.#strikes("never", about)) return []
    if (event._tag !== "movement") {
      if (this.#strikes("twice", about)) watch.callback(event, Math.ceil(this.#fraction("again", about) * hour), true)
      if (!this.#strikes("late", about)) return [event]
      watch.callback(event, Math.ceil(this.#fraction("delay", about) * 2 * hour), true)
      return []
    }
    if (this.#strikes("contradicted", about)) {
      const outcome = movementOutcomes[Math.floor(this.#fraction("other", about) * movementOutcomes.length)]!
      const other = { ...event, event_id: `${about}.other`, outcome, reason: null, parts: null }
      watch.callback(other, this.#anyTime(about), false)
    }
    if (this.#strikes("never", about)) return []
    const kept = this.#kept.get(event.resource_id)
    if (kept !== undefined) {
      this.#kept.delete(event.resource_id)
      return [event, kept]
    }
    if (this.#strikes("reversed", about)) {
      this.#kept.set(event.resource_id, event)
      watch.callback(event, day, true)
      return []
    }
    if (this.#strikes("late", about)) {
      watch.callback(event, Math.ceil(this.#fraction("delay", about) * 3 * day), true)
      return []
    }
    if (this.#strikes("twice", about)) watch.callback(event, Math.ceil(this.#fraction("again", about) * hour), true)
    return [event]
  }

  /** Sends an unrelated provider event just when a resource enters a new state. */
  provoke({ data, id, kind, state, version }: RowWrite): void {
    const about = `${id} ${version}`
    const soon = this.#fraction("soon", about)
    const after_ms = Math.ceil(soon < 0.5 ? soon * 8 : (soon - 0.5) * 8 * second)
    const drawn = this.#fraction("provoked by", about)
    const { attempts = 0 } = data as { readonly attempts?: number }
    const again = state === "submitting" && attempts > 1
    const often = again ? 4 : attempts > 3 ? 0.02 : passing.has(state) ? 3 : 0.1
    const rate = this.#faults.provoked * often
    if (!this.#watch.stormy() || this.#fraction("provoked", about) >= rate) return
    const event_id = `provoked.${id}.${version}`
    const payin = this.#payins.get(String((data as { readonly payin_id?: unknown }).payin_id))
    if (payin !== undefined && (kind === "deposit" || (kind === "onramp" && soon > 0.7))) {
      const stage = (["detected", "confirmed", "failed"] as const)[Math.floor(drawn * 3)]!
      this.#watch.callback({ ...payin, event_id, stage }, after_ms, false)
      return
    }
    if (movements.includes(kind)) {
      // After several submissions: does the event belong to this one or to an earlier one?
      const outcome =
        again && (drawn < 0.6 || attempts > 3)
          ? "temporarily_unavailable"
          : movementOutcomes[Math.floor(drawn * movementOutcomes.length)]!
      const from = drawStrayId(this.#faults.others ?? [], this.#fraction("sender", about), event_id)
      const sent = { _tag: "movement", event_id: from, merchant_id: null, resource_id: id, outcome } as const
      this.#watch.callback({ ...sent, reason: null, transaction_hash: null }, after_ms, false)
    }
  }

  /** Webhook receivers, each with the behaviour of its URL. */
  sink(process: SimulatedProcess, step: Effect.Effect<void>): Layer.Layer<WebhookSink> {
    return makeReceiversLayer({
      habitOf: (url) => (this.#watch.stormy() ? (this.#faults.receivers[url] ?? "healthy") : "healthy"),
      attempt: (url) => this.#times(`post ${url}`),
      fraction: (...of) => this.#fraction(...of),
      delivered: (...sent) => this.#watch.delivered(process, ...sent),
      step
    })
  }
}
