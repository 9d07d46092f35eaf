/** The providers that serve a request, in the order of the routing policy, and which of them answer. */
import { Clock, Context, Effect, Layer } from "effect"
import { computeBackoff } from "../../machines/kernel/backoff.ts"
import type { BrakeData } from "../../machines/movements/brake.ts"
import { type PayoutRecipient, type ProviderOperation, Providers } from "../ports/Provider.ts"
import { type Candidate, findLowestCost, type RouteRequest, Routing } from "../ports/Routing.ts"
import { invalid } from "../ports/errors.ts"
import { metrics } from "../ports/metrics.ts"
import { ActiveBrakes, isBraked } from "./ActiveBrakes.ts"
import { askBriefly } from "./provider-call.ts"

// A circuit breaker for each provider, on each node (BRAKE-3). Source: Nygard, *Release It!*, "Circuit Breaker".
//
// Consecutive faults of submissions and refunds open it: further ones wait. After a delay one of them probes the provider;
// an answer closes the breaker, and a fault opens it again for twice the delay. Look-ups neither wait nor count.

/** `faults`: how many consecutive ones open it. The delay doubles from `delay_ms` up to `max_delay_ms`. */
interface BreakerSettings {
  readonly faults: number
  readonly delay_ms: number
  readonly max_delay_ms: number
}

export const CircuitBreaker = Context.Reference<BreakerSettings>("corridor/engine/CircuitBreaker", {
  defaultValue: () => ({ faults: 10, delay_ms: 30_000, max_delay_ms: 600_000 })
})

/** How long a probe may take before another one is admitted: longer than the timeout of a call. */
const probeMs = 60_000

interface Circuit {
  faults: number
  /** How often it has opened since it was last closed. */
  openings: number
  /** Epoch milliseconds of the service's clock. 0: it is closed. */
  openUntil: number
  isProbing: boolean
}

export class ProviderHealth extends Context.Service<ProviderHealth>()("corridor/engine/ProviderHealth", {
  make: Effect.gen(function* () {
    const { delay_ms, faults, max_delay_ms } = yield* CircuitBreaker
    const circuits = new Map<string, Circuit>()
    const circuitOf = (provider: string): Circuit => {
      const known = circuits.get(provider)
      if (known !== undefined) return known
      const made = { faults: 0, openings: 0, openUntil: 0, isProbing: false }
      circuits.set(provider, made)
      return made
    }
    const show = (provider: string, isOpen: boolean): void => metrics.circuit.of({ provider }).record(isOpen ? 1 : 0)
    for (const { name } of (yield* Providers).all) show(name, false)

    return {
      /** Records whether a submission or a refund had an answer, whatever the answer was. */
      observe: Effect.fnUntracedEager(function* (provider: string, hasAnswered: boolean) {
        const circuit = circuitOf(provider)
        if (hasAnswered) {
          const wasOpen = circuit.openUntil > 0
          Object.assign(circuit, { faults: 0, openings: 0, openUntil: 0, isProbing: false })
          if (!wasOpen) return
          // In the step that closes it: a call may be interrupted before the line is logged.
          show(provider, false)
          return yield* Effect.logInfo(`the provider ${provider} answers again: its circuit breaker is closed`)
        }
        circuit.faults++
        if (circuit.faults < faults) return
        const now = yield* Clock.currentTimeMillis
        // Of a call that was made before it opened.
        if (circuit.openUntil > now && !circuit.isProbing) return
        const isFirst = circuit.openUntil === 0
        circuit.isProbing = false
        const delay = computeBackoff(delay_ms, circuit.openings++, max_delay_ms)
        circuit.openUntil = now + delay
        if (!isFirst) return
        show(provider, true)
        yield* Effect.logWarning(
          `the provider ${provider} did not answer ${circuit.faults} calls in a row: its circuit breaker is open`
        )
      }),

      /** Milliseconds until a submission may be made; 0: now. While the breaker is open, one caller at a time gets 0. */
      wait: (provider: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const circuit = circuitOf(provider)
          if (circuit.openUntil === 0) return 0
          if (circuit.openUntil > now) return circuit.openUntil - now
          circuit.openUntil = now + probeMs
          circuit.isProbing = true
          return 0
        }),

      isFailing: (provider: string) => (circuits.get(provider)?.openUntil ?? 0) > 0
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const described: Readonly<Record<ProviderOperation, string>> = {
  payout: "pays out",
  conversion: "converts",
  payin: "receives",
  issue: "issues addresses or accounts for",
  directory: "knows the banks for",
  screening: "screens beneficiaries",
  verification: "verifies customers for"
}

const describeRequest = ({ amount, country_code, currency, destination_currency, network }: RouteRequest): string =>
  [
    amount,
    currency,
    destination_currency === null || destination_currency === undefined ? null : `to ${destination_currency}`,
    network === null ? null : `on ${network}`,
    country_code === null ? null : `in ${country_code}`
  ]
    .filter((part) => part !== null)
    .join(" ")

/** What providers have said of recipients already: of calls that make many payouts at once, as of their first (BATCH-3). */
export const KnownRecipients = Context.Reference<Map<string, Effect.Effect<boolean>> | undefined>(
  "corridor/engine/KnownRecipients",
  { defaultValue: () => undefined }
)

/** How long a provider that did not say whether it can pay a recipient is not asked again, milliseconds. */
const quietMs = 10_000

const requireFirst = ([first, ...others]: ReadonlyArray<string>, field: string, message: string) =>
  first === undefined ? Effect.fail(invalid(field, message)) : Effect.succeed([first, ...others] as const)

export class Routes extends Context.Service<Routes>()("corridor/engine/Routes", {
  make: Effect.gen(function* () {
    const [providers, policy, brakes, health] = yield* Effect.all([Providers, Routing, ActiveBrakes, ProviderHealth])
    /** While the pauses cannot be read, the work itself waits for them. */
    const known = Effect.orElseSucceed(brakes.current, () => [])

    const healthOf = (provider: string, request: RouteRequest, paused: ReadonlyArray<BrakeData>) => {
      const { currency, destination_currency = currency, merchant_id } = request
      const work = { provider, merchant_id, source_currency: currency, destination_currency }
      if (paused.some((brake) => isBraked(brake, work))) return "paused"
      return health.isFailing(provider) ? "failing" : "healthy"
    }

    const candidatesOf = (request: RouteRequest, paused: ReadonlyArray<BrakeData>): ReadonlyArray<Candidate> =>
      providers.all.flatMap((provider) => {
        const cost = findLowestCost(provider, request)
        const { name } = provider
        if (cost === undefined) return []
        return [{ name, cost, priority: policy.priorities[name] ?? 0, health: healthOf(name, request, paused) }]
      })

    const ordered = (request: RouteRequest, paused: ReadonlyArray<BrakeData>): ReadonlyArray<Candidate> => {
      const candidates = candidatesOf(request, paused)
      if (candidates.length < 2) return candidates
      return policy
        .order(request, candidates)
        .flatMap((name) => candidates.find((candidate) => candidate.name === name) ?? [])
    }

    const order = (request: RouteRequest) =>
      Effect.map(providers.all.length < 2 ? Effect.succeed([]) : known, (paused) =>
        ordered(request, paused).map(({ name }) => name)
      )

    const requireOrder = (field: string, request: RouteRequest) =>
      Effect.flatMap(order(request), (names) =>
        requireFirst(
          names,
          field,
          `No configured provider ${described[request.operation]} ${describeRequest(request)}.`
        )
      )

    /** Until when a provider that did not answer is not asked again, epoch milliseconds. */
    const quietUntil = new Map<string, number>()
    const askToPay = Effect.fnUntraced(function* (name: string, recipient: PayoutRecipient) {
      const provider = providers.byName(name)
      const serves = provider?.payouts?.serves
      if (provider === undefined || serves === undefined) return true
      if ((yield* Clock.currentTimeMillis) < (quietUntil.get(name) ?? 0)) return true
      const answer = yield* askBriefly(provider, serves(recipient))
      if (answer === undefined) quietUntil.set(name, (yield* Clock.currentTimeMillis) + quietMs)
      return answer !== "no"
    })
    const canPay = Effect.fnUntraced(function* (name: string, recipient: PayoutRecipient) {
      const known = yield* KnownRecipients
      const key = JSON.stringify([name, recipient])
      const answer = known?.get(key) ?? (yield* Effect.cached(askToPay(name, recipient)))
      known?.set(key, answer)
      return yield* answer
    })

    return {
      /** The names of the providers that serve a request, in order. Empty when there is none. */
      order,
      /** The providers of `order`, with what the policy decided on. */
      candidates: (request: RouteRequest) => Effect.map(known, (paused) => ordered(request, paused)),
      /** The first provider of `order`. */
      first: (request: RouteRequest) =>
        Effect.map(order(request), ([name]) => (name === undefined ? undefined : providers.byName(name))),
      /** Like `order`. Errors: `InvalidInput` about `field` when no provider serves the request. */
      requireOrder,
      /**
       * Like `requireOrder`, of a payout: without the providers that say that they cannot pay the recipient (ROUTE-12). Errors: also where all
       * say so.
       */
      requireOrderTo: Effect.fnUntraced(function* (field: string, request: RouteRequest, recipient: PayoutRecipient) {
        const names = yield* requireOrder(field, request)
        const serving = yield* Effect.filter(names, (name) => canPay(name, recipient), { concurrency: "unbounded" })
        return yield* requireFirst(
          serving,
          field,
          `No configured provider can pay this recipient: ${describeRequest(request)}.`
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
