/** The alert rules: what each says, and when. `npm run ops` writes them for Prometheus. */
import packageJson from "../../package.json" with { type: "json" }

export interface Alert {
  readonly name: string
  readonly expr: string
  readonly for: string
  /** `page`: money or every merchant is concerned, now. `ticket`: in working hours. */
  readonly severity: "page" | "ticket"
  readonly summary: string
  /** What to do first. */
  readonly description: string
  /** A page of `docs/runbooks`. */
  readonly runbook: string
}

const repository = packageJson.repository.url.replace(/^git\+/, "").replace(/\.git$/, "")

export const runbookUrl = (page: string): string => `${repository}/blob/main/docs/runbooks/${page}.md`

/** Reasons whose exceptions say that the records of a provider and Corridor's differ about money. */
const contradictions = [
  "another_amount",
  "another_currency",
  "another_provider",
  "contradicts_state",
  "event_id_reused",
  "implausible_amount",
  "over_refund",
  "over_return",
  "over_settlement",
  "refund_bounced",
  "refund_failed",
  "short_settlement"
]

export const alerts: ReadonlyArray<{ readonly group: string; readonly alerts: ReadonlyArray<Alert> }> = [
  {
    group: "money",
    alerts: [
      {
        name: "CorridorUnknownOutcome",
        expr: `max(corridor_oldest_seconds{state="unknown"}) > 900`,
        for: "5m",
        severity: "page",
        summary: "A payout's outcome has been unknown for more than 15 minutes.",
        description:
          "Do not pay it again. List what is unknown with GET /operator/v1/stuck and ask the provider about the command ids.",
        runbook: "unknown-outcomes"
      },
      {
        name: "CorridorSubmissionsWait",
        expr: `max(corridor_oldest_seconds{state="waiting"}) > 1800`,
        for: "5m",
        severity: "page",
        summary: "A movement has waited for more than 30 minutes to be submitted.",
        description:
          "Look at the reason in GET /operator/v1/stuck: a pause, a provider that is not ready, or no dispatcher.",
        runbook: "provider-outage"
      },
      {
        name: "CorridorPayoutWithoutOutcome",
        expr: `max(corridor_oldest_seconds{state="submitted"}) > 86400`,
        for: "15m",
        severity: "ticket",
        summary: "A provider has accepted a payout and not reported its outcome for a day.",
        description: "Find it with GET /operator/v1/stuck and ask the provider about its command id.",
        runbook: "stuck-payout"
      },
      {
        name: "CorridorRefundWithoutOutcome",
        expr: `max(corridor_oldest_seconds{state="refunding"}) > 86400`,
        for: "15m",
        severity: "ticket",
        summary: "A refund has had no outcome for a day.",
        description: "Find it with GET /operator/v1/stuck and ask the provider about its command id.",
        runbook: "stuck-payout"
      },
      {
        name: "CorridorDepositHeld",
        expr: `max(corridor_oldest_seconds{state="held"}) > 172800`,
        for: "15m",
        severity: "ticket",
        summary: "A deposit has been held for more than two days.",
        description: "Release or reject it: GET /operator/v1/deposits lists what is held, the console shows why.",
        runbook: "exceptions"
      },
      {
        name: "CorridorRecordsContradict",
        expr: `max by (reason) (corridor_exceptions_open{reason=~"${contradictions.join("|")}"}) > 0`,
        for: "5m",
        severity: "page",
        summary: "A provider's report contradicts the ledger: {{ $labels.reason }}.",
        description:
          "Read the exception in the console before anything else moves: its exposure says how much is at risk.",
        runbook: "exceptions"
      },
      {
        name: "CorridorMoneyAtRisk",
        expr: `max by (reason) (corridor_exceptions_open{severity="high"}) > 0`,
        for: "1m",
        severity: "page",
        summary: "Money may have left twice, or a customer was told a success that was none: {{ $labels.reason }}.",
        description:
          "List them with GET /operator/v1/exceptions?status=open&severity=high. Ask the provider before anything else moves.",
        runbook: "exceptions"
      },
      {
        name: "CorridorExceptionsOpen",
        expr: "max by (reason) (corridor_exceptions_open) > 0",
        for: "1h",
        severity: "ticket",
        summary: "Exceptions have been open for an hour: {{ $labels.reason }}.",
        description: "Decide each in the console, or with POST /operator/v1/exceptions/{id}/resolve.",
        runbook: "exceptions"
      },
      {
        name: "CorridorStatementMoneyAtRisk",
        expr: `max by (kind) (corridor_breaks_open{severity="high"}) > 0`,
        for: "1m",
        severity: "page",
        summary: "A statement says that money left twice, or against the books: {{ $labels.kind }}.",
        description:
          "List them with GET /operator/v1/breaks?status=open&severity=high. Ask the bank before anything else moves.",
        runbook: "breaks"
      },
      {
        name: "CorridorBreaksOpen",
        expr: "max(corridor_break_oldest_seconds) > 172800",
        for: "15m",
        severity: "ticket",
        summary: "A difference between the books and the statements has been open for more than two days.",
        description: "Decide each in the console, or many with a file: GET /operator/v1/breaks?status=open&format=csv.",
        runbook: "breaks"
      },
      {
        name: "CorridorClearingNegative",
        expr: "min by (provider, currency) (corridor_clearing_balance) < 0",
        for: "5m",
        severity: "page",
        summary: "More {{ $labels.currency }} has been settled by {{ $labels.provider }} than it was handed.",
        description: "Pause the provider, then run corridor verify.",
        runbook: "clearing"
      },
      {
        name: "CorridorSuspense",
        expr: "max by (currency) (corridor_suspense_balance) > 0",
        for: "1d",
        severity: "ticket",
        summary: "{{ $labels.currency }} has been in suspense for a day.",
        description: "Each amount in suspense belongs to an open exception: decide it.",
        runbook: "clearing"
      },
      {
        name: "CorridorFloatRunsOut",
        expr: "min by (provider, network, currency) (predict_linear(corridor_float_balance[6h], 14400)) < 0 and max by (provider, network, currency) (corridor_float_balance) > 0",
        for: "15m",
        severity: "page",
        summary: "The {{ $labels.currency }} at {{ $labels.provider }} will last for less than four hours.",
        description: "Fund the account or the hot wallet. Until then payouts wait, and none is lost.",
        runbook: "hot-wallet-float"
      },
      {
        name: "CorridorFloatEmpty",
        expr: "max by (provider, network, currency) (corridor_float_balance) <= 0 and max by (provider, network, currency) (max_over_time(corridor_float_balance[1d])) > 0",
        for: "5m",
        severity: "page",
        summary: "There is no {{ $labels.currency }} left at {{ $labels.provider }}.",
        description: "Fund the account or the hot wallet. Payouts wait, and none is lost.",
        runbook: "hot-wallet-float"
      }
    ]
  },
  {
    group: "providers",
    alerts: [
      {
        name: "CorridorProviderCircuitOpen",
        expr: "max by (provider) (corridor_provider_circuit_open) == 1",
        for: "2m",
        severity: "page",
        summary: "{{ $labels.provider }} does not answer, and its circuit breaker is open.",
        description: "Look at the provider and its connector. Submissions wait and go on by themselves.",
        runbook: "provider-outage"
      },
      {
        name: "CorridorProviderFeedStopped",
        expr: "max by (provider) (corridor_provider_feed_failing_seconds) > 300",
        for: "2m",
        severity: "page",
        summary:
          "The events of {{ $labels.provider }} have not been read, or not all handled, for five minutes: deposits are not credited.",
        description:
          "corridor doctor says why. A chain's feed goes on by itself once a node gives all logs: ask another node, or configure one.",
        runbook: "stopped-feed"
      },
      {
        name: "CorridorProviderFaults",
        expr: `sum by (provider) (rate(corridor_provider_calls_total{answer=~"fault|given_up"}[10m])) / (sum by (provider) (rate(corridor_provider_calls_total[10m])) > 0) > 0.1`,
        for: "10m",
        severity: "ticket",
        summary: "More than a tenth of the calls to {{ $labels.provider }} have no valid answer.",
        description: "Look at the log for the faults. Outcomes that are unknown are looked up by themselves.",
        runbook: "provider-outage"
      },
      {
        name: "CorridorProviderSlow",
        expr: `histogram_quantile(0.95, sum by (provider, le) (rate(corridor_provider_call_duration_seconds_bucket{call=~".+_submit"}[10m]))) > 10`,
        for: "15m",
        severity: "ticket",
        summary: "{{ $labels.provider }} takes more than ten seconds for a submission.",
        description: "Ask the provider. After 30 seconds Corridor gives up a call, and its outcome is unknown.",
        runbook: "provider-outage"
      },
      {
        name: "CorridorFloatUnknown",
        expr: "max by (provider) (corridor_float_age_seconds) > 900",
        for: "5m",
        severity: "page",
        summary:
          "{{ $labels.provider }} has not reported its balances for 15 minutes, so the alerts about its float are blind.",
        description: "The log says why they cannot be read. The other providers are not concerned.",
        runbook: "provider-outage"
      },
      {
        name: "CorridorRateHeld",
        expr: "max by (rate) (corridor_rate_held) == 1",
        for: "1m",
        severity: "page",
        summary: "The rate {{ $labels.rate }} is outside its band, and nothing is priced with it.",
        description: "Check the rate at another source. Accept it with a note, or mend the source.",
        runbook: "held-rate"
      },
      {
        name: "CorridorBrakeForgotten",
        expr: "max by (scope) (corridor_brakes_active) > 0",
        for: "4h",
        severity: "ticket",
        summary: "A pause of scope {{ $labels.scope }} has been active for four hours.",
        description: "GET /operator/v1/brakes says who set it and why. Release it if the reason is gone.",
        runbook: "provider-outage"
      }
    ]
  },
  {
    group: "webhooks",
    alerts: [
      {
        name: "CorridorOutboxLag",
        expr: "max(corridor_outbox_lag_seconds) > 60",
        for: "5m",
        severity: "page",
        summary: "Deliveries of webhooks are late by more than a minute.",
        description: "Check that a node with a dispatcher runs, and whether the store is slow.",
        runbook: "outbox-lag"
      },
      {
        name: "CorridorJobsLate",
        expr: `max by (queue) (corridor_job_lag_seconds{queue=~"command|timer"}) > 120`,
        for: "5m",
        severity: "page",
        summary: "Jobs of the queue {{ $labels.queue }} are late by more than two minutes.",
        description: "Check that a node with a dispatcher runs: commands move money and timers end deadlines.",
        runbook: "outbox-lag"
      },
      {
        name: "CorridorJobsFail",
        expr: `sum by (queue) (increase(corridor_jobs_total{outcome="failed"}[15m])) > 5`,
        for: "5m",
        severity: "ticket",
        summary: "Jobs of the queue {{ $labels.queue }} fail. Each is tried again after its lease.",
        description: "Read the log for `a job failed and will be retried`.",
        runbook: "outbox-lag"
      },
      {
        name: "CorridorEventsUndelivered",
        expr: "max(corridor_oldest_undelivered_event_seconds) > 21600",
        for: "15m",
        severity: "ticket",
        summary: "An event has been undelivered for more than six hours.",
        description: "Tell the merchant whose endpoint fails. Each event is tried for three days.",
        runbook: "deliveries"
      },
      {
        name: "CorridorDeliveriesFail",
        expr: `sum(rate(corridor_deliveries_total{endpoint="healthy",result!~"acknowledged|unsent"}[15m])) / (sum(rate(corridor_deliveries_total{endpoint="healthy",result!="unsent"}[15m])) > 0) > 0.5`,
        for: "15m",
        severity: "page",
        summary: "More than half of the deliveries to endpoints that worked before fail.",
        description:
          "When many receivers fail at once, look at this side first: name resolution, outbound network, proxy.",
        runbook: "deliveries"
      }
    ]
  },
  {
    group: "service",
    alerts: [
      {
        name: "CorridorAbsent",
        expr: "absent(corridor_build_info)",
        for: "5m",
        severity: "page",
        summary: "No node of Corridor is scraped.",
        description: "Check the nodes, then the metrics token and the target of Prometheus.",
        runbook: "request-errors"
      },
      {
        name: "CorridorRequestErrors",
        expr: `sum(rate(corridor_http_requests_total{status=~"5.."}[5m])) / (sum(rate(corridor_http_requests_total[5m])) > 0) > 0.01`,
        for: "5m",
        severity: "page",
        summary: "More than one of a hundred requests ends with an error of the service.",
        description: "See by operation which. Callers repeat them with the same key, so nothing is done twice.",
        runbook: "request-errors"
      },
      {
        name: "CorridorDefect",
        expr: "sum(increase(corridor_http_defects_total[15m])) > 0",
        for: "0m",
        severity: "ticket",
        summary: "A request ended in a defect.",
        description: "Read the log for `a request ended in a defect` and report it with its request id.",
        runbook: "request-errors"
      },
      {
        name: "CorridorOverload",
        expr: "sum by (sort) (rate(corridor_admission_rejected_total[5m])) > 1",
        for: "10m",
        severity: "ticket",
        summary: "Requests are rejected because too many run at once ({{ $labels.sort }}).",
        description: "See whether the store or a caller is the reason. Add nodes if neither is.",
        runbook: "request-errors"
      },
      {
        name: "CorridorStoreSlow",
        expr: "histogram_quantile(0.99, sum by (le) (rate(corridor_commit_duration_seconds_bucket[5m]))) > 1",
        for: "10m",
        severity: "page",
        summary: "One of a hundred commits takes more than a second.",
        description: "Look at the database: locks, disk, connections, a vacuum that is behind.",
        runbook: "store-latency"
      },
      {
        name: "CorridorStoreFaults",
        expr: `sum(increase(corridor_commits_total{verdict="fault"}[5m])) > 0`,
        for: "2m",
        severity: "page",
        summary: "Commits end without a verdict.",
        description: "Check that the database is up and reachable. What was not acknowledged is repeated safely.",
        runbook: "store-latency"
      },
      {
        name: "CorridorGaugesStale",
        expr: "max by (reading) (corridor_refresh_age_seconds) > 300",
        for: "5m",
        severity: "page",
        summary: "The gauges of {{ $labels.reading }} are older than five minutes, so their alerts are blind.",
        description: "The log says why they cannot be read.",
        runbook: "store-latency"
      },
      {
        name: "CorridorClockSkew",
        expr: "max(abs(corridor_clock_skew_seconds)) > 2",
        for: "2m",
        severity: "page",
        summary: "The clock of a node and the database's differ by more than two seconds.",
        description: "Synchronize the clock. Beyond five seconds the node claims no work.",
        runbook: "clock-skew"
      }
    ]
  }
]
