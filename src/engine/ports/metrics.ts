/**
 * The metrics of a process, in the registry of Effect's `Metric`, which all engines of the process share. A family is declared
 * once, here or in `src/http/observability/requests.ts`, and each of its series is made once: recording is a lookup and an addition.
 *
 * Units are those of Prometheus: seconds, and amounts of a currency in its major unit. Values are for people and alerts. They
 * are JavaScript numbers and therefore rounded: the ledger is the source of amounts.
 */
import { Context, Metric } from "effect"
import { breakKinds } from "../../machines/reconciliation/break.ts"
import { exceptionReasons } from "../../machines/deposits/exception.ts"
import { currencies } from "../reference/currencies.ts"

type Labels<L extends string> = { readonly [K in L]: string }

/** The names of the labels, each with its values if they are known beforehand; otherwise null. */
type Declared<L extends string> = { readonly [K in L]: ReadonlyArray<string> | null }

/** What is known of a family before any of its series exist. */
export interface Family {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly description: string
  readonly labels: ReadonlyArray<string>
}

/** `record` adds to a counter, sets a gauge, and observes a value of a histogram. `change` adds to a gauge. */
export interface Series {
  readonly record: (value: number) => void
  readonly change: (by: number) => void
}

interface FamilyOf<L extends string> extends Family {
  /** The series of these labels, which exists from then on: with zero until something is recorded. */
  readonly of: (labels: Labels<L>) => Series
}

/** A gauge whose value is read when the metrics are, and not before. */
interface ObservedFamilyOf<L extends string> extends Family {
  /** Replaces the series of these labels. */
  readonly observe: (labels: Labels<L>, read: () => number) => void
}

const registry = Context.empty()

/** Lists all combinations of the known label values. Empty if the values of a label are not known. */
const listCombinations = <L extends string>(declared: Declared<L>): ReadonlyArray<Labels<L>> =>
  Object.entries<ReadonlyArray<string> | null>(declared).reduce<ReadonlyArray<Labels<string>>>(
    (all, [name, values]) => all.flatMap((labels) => (values ?? []).map((value) => ({ ...labels, [name]: value }))),
    [{}]
  )

type Make = (name: string, description: string, attributes: Labels<string>) => Metric.Metric<number, unknown>

const declareFamily =
  (type: Family["type"], make: Make) =>
  <const L extends string = never>(
    name: string,
    description: string,
    declared: Declared<L> = {} as Declared<L>
  ): FamilyOf<L> => {
    const labels = Object.keys(declared) as Array<L>
    const known = new Map<string, Series>()
    const of = (given: Labels<L>): Series => {
      const key = labels.map((label) => given[label]).join("\u0000")
      const found = known.get(key)
      if (found !== undefined) return found
      const metric = make(name, description, Object.fromEntries(labels.map((label) => [label, given[label]])))
      metric.valueUnsafe(registry)
      const series = {
        record: (value: number) => metric.updateUnsafe(value, registry),
        change: (by: number) => metric.modifyUnsafe(by, registry)
      }
      known.set(key, series)
      return series
    }
    for (const one of listCombinations(declared)) of(one)
    return { name, type, description, labels, of }
  }

export const counter = declareFamily("counter", (name, description, attributes) =>
  Metric.counter(name, { description, attributes, incremental: true })
)

export const gauge = declareFamily("gauge", (name, description, attributes) =>
  Metric.gauge(name, { description, attributes })
)

export const makeHistogram = (boundaries: ReadonlyArray<number>) =>
  declareFamily("histogram", (name, description, attributes) =>
    Metric.histogram(name, { description, attributes, boundaries })
  )

const observeFamily = <const L extends string = never>(
  name: string,
  description: string,
  declared: Declared<L>
): ObservedFamilyOf<L> => {
  const observe = (given: Labels<L>, read: () => number): void => {
    const attributes = Object.fromEntries(Object.keys(declared).map((label) => [label, given[label as L]]))
    Metric.registerUnsafe(Metric.gauge(name, { description, attributes }), registry, {
      get: () => ({ value: read() }),
      update: () => {},
      modify: () => {}
    })
  }
  for (const one of listCombinations(declared)) observe(one, () => 0)
  return { name, type: "gauge", description, labels: Object.keys(declared), observe }
}

/** From a millisecond to ten seconds. */
export const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** What {@link metrics.oldest} distinguishes. */
export const waits = ["waiting", "submitted", "unknown", "held", "refunding"] as const
export type WaitState = (typeof waits)[number]

/** What is refreshed apart: if one reading fails, the others go on. */
export const readings = [
  "waiting",
  "exceptions",
  "breaks",
  "balances",
  "queues",
  "brakes",
  "clock",
  "float",
  "feeds",
  "rates"
] as const
export type GaugeReading = (typeof readings)[number]

const currencyCodes = [...new Set(currencies.map(({ code }) => code))]

/**
 * The families of the engine. Gauges that are refreshed describe the store, and are the same on every node: take the maximum over
 * the nodes.
 */
export const metrics = {
  oldest: gauge(
    "corridor_oldest_seconds",
    "How long the movement, deposit or exception that has waited longest has made no progress, by what it waits for: to be submitted (waiting), for the provider's outcome (submitted), for an outcome that is unknown (unknown), for an operator's release (held) or for its refund (refunding). 0 below one minute.",
    { state: waits }
  ),
  stalled: gauge(
    "corridor_stalled",
    "Movements, deposits and exceptions that have made no progress for one minute, by what they wait for.",
    { state: waits }
  ),
  exceptions: gauge("corridor_exceptions_open", "Open exceptions, by reason and severity.", {
    reason: exceptionReasons,
    severity: ["low", "high"]
  }),
  breaks: gauge(
    "corridor_breaks_open",
    "Open breaks: differences between the books and the statements, by kind and severity.",
    { kind: breakKinds, severity: ["low", "high"] }
  ),
  oldestBreak: gauge(
    "corridor_break_oldest_seconds",
    "How long the oldest open break of a severity has been open. 0: none is.",
    { severity: ["low", "high"] }
  ),
  clearing: gauge(
    "corridor_clearing_balance",
    "Money handed to a provider whose outcome is not settled, over all merchants.",
    { provider: null, currency: currencyCodes }
  ),
  suspense: gauge("corridor_suspense_balance", "Money that an operator must decide about, over all merchants.", {
    currency: currencyCodes
  }),
  float: gauge(
    "corridor_float_balance",
    "What the platform has available at a provider or in a hot wallet, as the provider reports it. The network is empty if there is none.",
    { provider: null, network: null, currency: null }
  ),
  floatAge: observeFamily(
    "corridor_float_age_seconds",
    "Time since a provider last reported what the platform has there. 0 for one that reports no balances.",
    { provider: null }
  ),
  due: gauge("corridor_jobs_due", "Jobs that are due and not completed, by queue. At most 10000.", {
    queue: ["timer", "command", "simulated", "delivery"]
  }),
  lag: gauge("corridor_job_lag_seconds", "How long the oldest due job of a queue has been due.", {
    queue: ["timer", "command", "simulated"]
  }),
  outbox: gauge("corridor_outbox_lag_seconds", "How long the oldest due delivery has been due."),
  undelivered: gauge(
    "corridor_oldest_undelivered_event_seconds",
    "The age of the oldest delivery that has not been acknowledged and will be attempted."
  ),
  feed: gauge(
    "corridor_provider_feed_failing_seconds",
    "How long the events of a provider could not be read, or, on a chain, lacked a deposit that its addresses hold (nothing later is credited), or how long one of them could not be handled (it alone waits). 0: the last reading succeeded, and no event waits.",
    { provider: null }
  ),
  brakes: gauge("corridor_brakes_active", "Active pauses, by scope.", {
    scope: ["all", "provider", "merchant", "corridor"]
  }),
  rateHeld: gauge(
    "corridor_rate_held",
    "Whether a rate is outside its band on this node, so that nothing is priced with it: 1 or 0. The rate is that of a currency (NGN) or of a pair (USDC/NGN).",
    { rate: null }
  ),
  skew: gauge(
    "corridor_clock_skew_seconds",
    "How far the clock of this node is ahead of the store's; negative when it is behind."
  ),
  refreshFailed: counter("corridor_refresh_failed_total", "Readings of gauges that failed.", { reading: readings }),
  refreshAge: observeFamily(
    "corridor_refresh_age_seconds",
    "Time since the gauges of a reading were last refreshed, or since the start.",
    { reading: readings }
  ),
  deliveries: counter(
    "corridor_deliveries_total",
    "Delivery attempts, by whether earlier ones to the endpoint have failed, and by result. `unsent`: the endpoint is inactive or the event is not stored.",
    { endpoint: ["healthy", "failing"], result: ["acknowledged", "3xx", "4xx", "5xx", "no_answer", "unsent"] }
  ),
  delivering: makeHistogram(seconds)("corridor_delivery_duration_seconds", "Time of a delivery attempt."),
  jobs: counter("corridor_jobs_total", "Jobs that were run, by queue and outcome.", {
    queue: ["timer", "command", "simulated", "delivery"],
    outcome: ["done", "failed"]
  }),
  forgotten: counter("corridor_forgotten_total", "Expired records that were deleted, by sort.", {
    sort: ["keys", "jobs", "events"]
  }),
  events: counter("corridor_events_total", "Published events, by type.", { type: null }),
  calls: counter(
    "corridor_provider_calls_total",
    "Calls to a provider, by answer. `fault`: no valid answer; `given_up`: none in time.",
    { provider: null, call: null, answer: null }
  ),
  calling: makeHistogram([0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])(
    "corridor_provider_call_duration_seconds",
    "Time of a call to a provider.",
    { provider: null, call: null }
  ),
  circuit: gauge(
    "corridor_provider_circuit_open",
    "Whether the circuit breaker of a provider is open on this node: 1 or 0.",
    { provider: null }
  ),
  commits: counter("corridor_commits_total", "Commits, by verdict. `fault`: the outcome is not known.", {
    verdict: ["committed", "repeated", "lease_lost", "version_conflict", "taken", "insufficient_funds", "fault"]
  }),
  committing: makeHistogram(seconds)(
    "corridor_commit_duration_seconds",
    "Time from a decision to its verdict, with the wait for a batch and repetitions."
  ),
  repeats: counter("corridor_commit_retries_total", "Commits that were repeated because the store did not answer."),
  batches: makeHistogram([1, 2, 4, 8, 16, 32, 64])(
    "corridor_commit_batch_changes",
    "Changes that were committed in one statement."
  ),
  trips: counter(
    "corridor_store_round_trips_total",
    "Statements that the database has ended, by the connections that they used and by result.",
    { connection: ["commit", "query"], result: ["ok", "failed"] }
  ),
  tripping: makeHistogram(seconds)("corridor_store_round_trip_duration_seconds", "Time of a statement.", {
    connection: ["commit", "query"]
  }),
  statements: gauge("corridor_store_statements_running", "Statements that the database has not ended.", {
    connection: ["commit", "query"]
  }),
  admitted: observeFamily("corridor_admission_running", "Admitted calls that are running.", {
    sort: ["writes", "reads"]
  }),
  limit: observeFamily("corridor_admission_limit", "The current limit of concurrent calls, which adapts to latency.", {
    sort: ["writes", "reads"]
  }),
  rejected: counter("corridor_admission_rejected_total", "Calls that were rejected at the limit.", {
    sort: ["writes", "reads"]
  })
} as const
