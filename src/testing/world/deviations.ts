/**
 * How real providers deviate from their documentation: invalid responses and events, and additional ones. Each
 * deviation has a rate of its own, so that a simulation has only some of them.
 */
import { Context, Effect, Layer } from "effect"
import * as Engine from "../../engine/Engine.ts"
import { type Fees, Pricing, type Range } from "../../engine/ports/Pricing.ts"
import type {
  SubmissionResult,
  IssuedEvent,
  PayinEvent,
  PayoutCommand,
  RefundCommand,
  ScreeningCommand,
  ProviderEvent,
  CommandStatus
} from "../../engine/ports/Provider.ts"
import { Rates } from "../../engine/ports/Rates.ts"
import type { Change } from "../../engine/ports/Storage.ts"
import { Parted } from "./returns-in-parts.ts"
import { StatedAmounts } from "./stated-amounts.ts"
import { hour, minute, type deviationKinds } from "../program/program.ts"

type DeviationKind = (typeof deviationKinds)[number]

export interface Manners {
  /** Whether the named deviation occurs here. */
  readonly strikes: (rude: DeviationKind, about: string) => boolean
  /** A fraction in [0, 1) that depends on the arguments alone. */
  readonly fraction: (...of: ReadonlyArray<string | number>) => number
  /** Sends an event after a delay in milliseconds, and repeats it until it is acknowledged. */
  readonly send: (event: ProviderEvent, after_ms: number) => void
}

type Screened = ScreeningCommand

/** Values that no port defines, in place of a response. */
const nonsense: ReadonlyArray<unknown> = [{ _tag: "maybe" }, {}, null, "accepted", 42, { _tag: "ACCEPTED" }]
const noStatus: ReadonlyArray<unknown> = [
  ...nonsense,
  { _tag: "settled" },
  { _tag: "settled", outcome: { outcome: "exploded", reason: null, transaction_hash: null } }
]
const noRate: ReadonlyArray<string> = ["0", "-1.5", "NaN", "", "1e9", "Infinity", "0.000"]
const noFees: ReadonlyArray<unknown> = [
  { gateway: "-0.01", network: "0" },
  { gateway: "1.5", network: "0" },
  { gateway: "0.005", network: "-75000" },
  { gateway: "0.005", network: "0.5" },
  { gateway: "free", network: "0" },
  null
]
const noRange: ReadonlyArray<unknown> = [
  { minimum: "-1", maximum: null },
  { minimum: "0.5", maximum: "ten" },
  undefined
]

const invalidEvents: Readonly<Record<ProviderEvent["_tag"], object>> = {
  movement: { outcome: "exploded" },
  payin: { stage: "settled", amount: "-5" },
  refund: { outcome: "maybe" },
  issued: { target: 42 },
  screened: { cleared: "yes" },
  verification: { outcome: null }
}

/** Whether an event is one of the invalid ones. Its id is that of the event that it stands for. */
export const isGarbled = (event: ProviderEvent): boolean =>
  Object.entries(invalidEvents[event._tag]).every(([name, value]) => event[name as keyof ProviderEvent] === value)

const evm = /^0x[0-9a-fA-F]{40}$/

export class ProviderDeviations {
  readonly #manners: Manners
  readonly #asked = new Map<string, number>()
  /** Delayed submissions that have not arrived yet. */
  readonly #lost = new Set<string>()
  /** The screenings of each beneficiary, oldest first. */
  readonly #screenings = new Map<string, Array<Screened>>()
  /** Issued EVM addresses, in lower case, with their networks. */
  readonly #addresses = new Map<string, Set<string>>()
  /** By resource: the address that was reported instead of its own. */
  readonly #sentAddresses = new Map<string, string>()
  /** Destinations of pay-ins. */
  readonly #targets: Array<string> = []
  /** Event ids that were reused. */
  readonly #reused = new Set<string>()
  /** Events by id, as first reported. */
  readonly #events = new Map<string, ProviderEvent>()

  /** What the provider states of its outcomes. */
  readonly statements: StatedAmounts
  readonly #parted: Parted
  /** By command: what a refund sends back. */
  readonly #refunds = new Map<string, readonly [amount: string, currency: string]>()

  constructor(manners: Manners) {
    this.#manners = manners
    this.statements = new StatedAmounts((about) => manners.strikes("misstated", about), manners.fraction)
    this.#parted = new Parted({ ...manners, strikes: (about) => manners.strikes("parted", about) })
  }

  /** Notes what a refund sends back. */
  refunding(command: RefundCommand): RefundCommand {
    this.#refunds.set(command.id, [command.amount, command.currency])
    return command
  }

  #pick<A>(of: ReadonlyArray<A>, ...about: ReadonlyArray<string | number>): A {
    return of[Math.floor(this.#manners.fraction(...about) * of.length)]!
  }

  #times(what: string): number {
    const n = (this.#asked.get(what) ?? 0) + 1
    this.#asked.set(what, n)
    return n
  }

  #when(about: string): number {
    return Math.ceil(this.#manners.fraction("when", about) * this.#pick([minute, hour, 24 * hour], "how late", about))
  }

  /** An invalid value in place of a response. `undefined`: the response itself. */
  garbled(about: string): SubmissionResult | undefined {
    return this.#manners.strikes("garbled", about)
      ? (this.#pick(nonsense, "garbage", about) as SubmissionResult)
      : undefined
  }

  garbledStatus(about: string): CommandStatus | undefined {
    const n = this.#times(`look ${about}`)
    return this.#manners.strikes("garbled", `look ${about} ${n}`)
      ? (this.#pick(noStatus, "garbage", about, n) as CommandStatus)
      : undefined
  }

  /** An invalid value, or the provider's response. */
  instead<A, E>(name: string, ask: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const about = `${name} ${this.#times(name)}`
      return this.#manners.strikes("garbled", about) ? Effect.succeed(this.#pick(nonsense, about) as A) : ask
    })
  }

  /**
   * Delays a submission until just before the next one of its command. `lost`: this submission is delayed. `overtaken`:
   * the delayed one has arrived, so that this one is rejected as a repeat.
   */
  submission({ id }: Pick<PayoutCommand, "id">, about: string): "lost" | "overtaken" | undefined {
    if (this.#lost.delete(id)) return "overtaken"
    // Refunds are rare, so that each draws three times.
    const chances = id.endsWith(".refund") ? [about, `${about} again`, `${about} once more`] : [about]
    if (!chances.some((chance) => this.#manners.strikes("duplicated", chance))) return undefined
    this.#lost.add(id)
    return "lost"
  }

  /** The delay of a response after the provider has acted on the command, in milliseconds. */
  lateness(about: string): number {
    return this.#manners.strikes("overtaken", about)
      ? Math.ceil(this.#manners.fraction("overtaken by", about) * 33_000)
      : 0
  }

  /** A screening begins. A verdict on the previous one may still arrive. */
  screening(screened: Screened): void {
    const known = this.#screenings.get(screened.resource_id) ?? []
    const before = known.at(-1)
    this.#screenings.set(screened.resource_id, [...known, screened])
    const about = screened.screening_id
    if (before === undefined || !this.#manners.strikes("outdated", about)) return
    const { merchant_id, resource_id, screening_id } = before
    const cleared = this.#manners.fraction("cleared", about) < 0.6
    const word = { _tag: "screened", merchant_id, resource_id, screening_id, cleared } as const
    this.#manners.send({ ...word, event_id: `outdated.${about}` }, this.#when(about))
  }

  /** Rates and prices that are sometimes invalid. */
  prices(): Layer.Layer<Rates | Pricing> {
    const strikes = (name: string): boolean => this.#manners.strikes("mispriced", `${name} ${this.#times(name)}`)
    const drawn = <A>(of: ReadonlyArray<unknown>, name: string): Effect.Effect<A> =>
      Effect.sync(() => this.#pick(of, "price", name, this.#times(`price ${name}`)) as A)
    const around = Effect.gen(function* () {
      const rates = yield* Rates
      const pricing = yield* Pricing
      return Context.make(
        Rates,
        Rates.of({
          rate: (...pair) =>
            Effect.suspend(() => (strikes("rate") ? drawn<string>(noRate, "rate") : rates.rate(...pair))),
          perUsd: (code) =>
            Effect.suspend(() => (strikes("perUsd") ? drawn<string>(noRate, "perUsd") : rates.perUsd(code)))
        })
      ).pipe(
        Context.add(
          Pricing,
          Pricing.of({
            fees: (request) =>
              Effect.suspend(() => (strikes("fees") ? drawn<Fees>(noFees, "fees") : pricing.fees(request))),
            outbound: (...place) =>
              Effect.suspend(() => (strikes("range") ? drawn<Range>(noRange, "range") : pricing.outbound(...place)))
          })
        )
      )
    })
    return Layer.effectContext(around).pipe(Layer.provide(Engine.prices))
  }

  /**
   * An issued event whose address may also belong to another resource on another network, or may be spelled
   * differently.
   */
  #issued(event: IssuedEvent): IssuedEvent {
    const own = event.target
    if (!this.#targets.includes(own)) this.#targets.push(own)
    if (!("network" in event.details) || !evm.test(own)) return event
    const { network } = event.details
    const sent = this.#sentAddresses.get(event.resource_id) ?? this.#addressFor(event, network)
    this.#sentAddresses.set(event.resource_id, sent)
    return { ...event, target: sent, details: { ...event.details, address: sent } }
  }

  #addressFor({ resource_id, target }: IssuedEvent, network: string): string {
    const free = [...this.#addresses].filter(([, networks]) => !networks.has(network)).map(([address]) => address)
    const shares = free.length > 0 && this.#manners.strikes("shared", resource_id)
    const address = shares ? this.#pick(free, "shared", resource_id) : target
    const key = address.toLowerCase()
    this.#addresses.set(key, new Set([...(this.#addresses.get(key) ?? []), network]))
    return this.#manners.strikes("respelled", resource_id) ? key : address
  }

  #reported(event: ProviderEvent): ProviderEvent {
    switch (event._tag) {
      case "payin":
        return this.#payin(event)
      case "issued":
        return this.#issued(event)
      case "movement":
        return this.#parted.of(
          this.statements.of(event.resource_id, event, false),
          this.statements.back(event.resource_id)
        )
      case "refund":
        return this.#parted.of(event, this.#refunds.get(event.command_id ?? ""))
      default:
        return event
    }
  }

  /** An event as it is reported: the same each time. */
  word(event: ProviderEvent): ProviderEvent {
    const known = this.#events.get(event.event_id)
    if (known !== undefined) return known
    const sent = this.#reported(event)
    this.received(sent)
    const about = event.event_id
    // It comes before the event that it stands for, or after it.
    if (this.#manners.strikes("garbled", `word ${about}`))
      this.#manners.send(
        { ...sent, ...invalidEvents[event._tag] } as ProviderEvent,
        this.#manners.fraction("garbled first", about) < 0.5 ? 0 : this.#when(about)
      )
    return sent
  }

  /** Notes that an event was sent. */
  received(event: ProviderEvent): void {
    if (!this.#events.has(event.event_id)) this.#events.set(event.event_id, event)
  }

  /** A pay-in as it is reported: perhaps spelled differently, and perhaps with another version to follow. */
  #payin(event: PayinEvent): PayinEvent {
    const about = event.event_id
    if (!this.#targets.includes(event.target)) this.#targets.push(event.target)
    if (this.#manners.strikes("retold", about)) this.#manners.send(this.#otherwise(event), this.#when(about))
    return this.#manners.strikes("respelled", about)
      ? {
          ...event,
          target: evm.test(event.target) ? `0x${event.target.slice(2).toUpperCase()}` : ` ${event.target} `,
          currency: `${event.currency} `
        }
      : event
  }

  /** Another version of a pay-in, under the same id. */
  #otherwise(event: PayinEvent): PayinEvent {
    const about = event.event_id
    const stage = this.#pick(["detected", "confirmed", "confirmed", "failed"] as const, "otherwise stage", about)
    const pairs: Readonly<Record<string, string>> = { USDC: "USDT", USDT: "USDC", NGN: "KES", KES: "NGN" }
    const targets = this.#targets.filter((target) => target !== event.target)
    const versions: ReadonlyArray<Partial<PayinEvent>> = [
      { currency: pairs[event.currency] ?? "USD" },
      { amount: `1${event.amount}` },
      { target: targets.length === 0 ? "nobody's" : this.#pick(targets, "otherwise target", about) },
      { network: event.network === "base" ? "ethereum" : "base" }
    ]
    return { ...event, ...this.#pick(versions, "otherwise", about), stage, event_id: `${about}.otherwise` }
  }

  /** Notes a handled event. Its id may be reused for a different event. */
  committed({ idempotency }: Change): void {
    const [, event_id = ""] = /^provider\/[^/]+\/([^/]+)$/.exec(idempotency?.key ?? "") ?? []
    const event = this.#events.get(event_id)
    if (event === undefined || this.#reused.has(event_id) || !this.#manners.strikes("reused", event_id)) return
    this.#reused.add(event_id)
    this.#manners.send(this.#another(event), this.#when(event_id))
  }

  #another(event: ProviderEvent): ProviderEvent {
    switch (event._tag) {
      case "payin":
        return this.#manners.fraction("another", event.event_id) < 0.5
          ? { ...event, payin_id: `${event.payin_id}.again` }
          : { ...event, amount: `2${event.amount}`, stage: "confirmed" }
      case "movement":
        return { ...event, outcome: event.outcome === "success" ? "failed" : "success" }
      case "refund":
        return { ...event, outcome: event.outcome === "success" ? "failed" : "success" }
      case "screened":
        return { ...event, cleared: !event.cleared }
      case "issued":
        return { ...event, target: `${event.target}0` }
      case "verification":
        return { ...event, outcome: event.outcome === "approved" ? "rejected" : "approved" }
    }
  }
}
