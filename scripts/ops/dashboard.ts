/** The dashboard for Grafana. */
import {
  LegendDisplayMode,
  LegendPlacement,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder
} from "@grafana/grafana-foundation-sdk/common"
import {
  DashboardBuilder,
  DatasourceVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode
} from "@grafana/grafana-foundation-sdk/dashboard"
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus"
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat"
import { PanelBuilder as TimeseriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries"

/** `limit`: from where on it is red. */
interface Panel {
  readonly title: string
  readonly description: string
  readonly unit: "s" | "short" | "reqps" | "percentunit" | "cps"
  readonly queries: ReadonlyArray<readonly [expr: string, legend: string]>
  readonly limit?: number
}

const datasource = { type: "prometheus", uid: "${datasource}" }

const quantiles = (metric: string, by = ""): Panel["queries"] =>
  ([0.5, 0.99] as const).map(
    (q) =>
      [
        `histogram_quantile(${q}, sum by (le${by === "" ? "" : `, ${by}`}) (rate(${metric}_bucket[$__rate_interval])))`,
        `${by === "" ? "" : `{{${by}}} `}p${q * 100}`
      ] as const
  )

/** What is read first: one number each, red from the limit on. */
const stats: ReadonlyArray<Panel & { readonly limit: number }> = [
  {
    title: "Oldest unknown outcome",
    description: "How long the oldest payout has had an unknown outcome. It is not paid again meanwhile.",
    unit: "s",
    queries: [[`max(corridor_oldest_seconds{state="unknown"})`, ""]],
    limit: 900
  },
  {
    title: "Oldest submission that waits",
    description: "How long the oldest movement has waited to be submitted to a provider.",
    unit: "s",
    queries: [[`max(corridor_oldest_seconds{state="waiting"})`, ""]],
    limit: 1800
  },
  {
    title: "Open exceptions",
    description: "Reports of providers that fit no resource. An operator decides each.",
    unit: "short",
    queries: [["sum(max by (reason, severity) (corridor_exceptions_open))", ""]],
    limit: 1
  },
  {
    title: "Outbox lag",
    description: "How long the oldest due delivery has been due.",
    unit: "s",
    queries: [["max(corridor_outbox_lag_seconds)", ""]],
    limit: 60
  },
  {
    title: "Active pauses",
    description: "Pauses that stop money from going out.",
    unit: "short",
    queries: [["sum(max by (scope) (corridor_brakes_active))", ""]],
    limit: 1
  },
  {
    title: "Errors of the service",
    description: "The share of requests that end with 5xx.",
    unit: "percentunit",
    queries: [
      [
        `sum(rate(corridor_http_requests_total{status=~"5.."}[$__rate_interval])) / sum(rate(corridor_http_requests_total[$__rate_interval]))`,
        ""
      ]
    ],
    limit: 0.01
  }
]

const rows: ReadonlyArray<{ readonly title: string; readonly panels: ReadonlyArray<Panel> }> = [
  {
    title: "Money",
    panels: [
      {
        title: "Longest wait, by what is waited for",
        description: "Since when the movement, deposit or exception that has waited longest has made no progress.",
        unit: "s",
        queries: [["max by (state) (corridor_oldest_seconds)", "{{state}}"]],
        limit: 86_400
      },
      {
        title: "Stalled, by what is waited for",
        description: "Movements, deposits and exceptions that have made no progress for a minute.",
        unit: "short",
        queries: [["max by (state) (corridor_stalled)", "{{state}}"]]
      },
      {
        title: "Open breaks, by kind",
        description: "Differences between the books and the statements.",
        unit: "short",
        queries: [["max by (kind) (corridor_breaks_open) > 0", "{{kind}}"]],
        limit: 1
      },
      {
        title: "Open exceptions, by reason",
        description: "Reports of providers that fit no resource.",
        unit: "short",
        queries: [["max by (reason) (corridor_exceptions_open) > 0", "{{reason}}"]],
        limit: 1
      },
      {
        title: "In clearing",
        description: "Money handed to a provider whose outcome is not settled. Never below zero.",
        unit: "short",
        queries: [["max by (provider, currency) (corridor_clearing_balance) != 0", "{{provider}} {{currency}}"]]
      },
      {
        title: "In suspense",
        description: "Money that an operator must decide about.",
        unit: "short",
        queries: [["max by (currency) (corridor_suspense_balance) != 0", "{{currency}}"]],
        limit: 1
      },
      {
        title: "Float",
        description: "What the platform has available at providers and in hot wallets, as they report it.",
        unit: "short",
        queries: [
          ["max by (provider, network, currency) (corridor_float_balance)", "{{provider}} {{network}} {{currency}}"]
        ]
      },
      {
        title: "Published events",
        description: "What happens to movements, deposits and verifications.",
        unit: "cps",
        queries: [["sum by (type) (rate(corridor_events_total[$__rate_interval])) > 0", "{{type}}"]]
      }
    ]
  },
  {
    title: "Providers",
    panels: [
      {
        title: "Calls, by answer",
        description:
          "`fault` is no valid answer, `given_up` none in time: after a submission the outcome is then unknown.",
        unit: "cps",
        queries: [
          [
            "sum by (provider, call, answer) (rate(corridor_provider_calls_total[$__rate_interval])) > 0",
            "{{provider}} {{call}} {{answer}}"
          ]
        ]
      },
      {
        title: "Time of a call",
        description: "A call is given up after 30 seconds.",
        unit: "s",
        queries: quantiles("corridor_provider_call_duration_seconds", "provider"),
        limit: 10
      },
      {
        title: "Feeds that cannot be read",
        description: "How long the events of a provider, or the deposits of a chain, could not be read.",
        unit: "s",
        queries: [["max by (provider) (corridor_provider_feed_failing_seconds)", "{{provider}}"]],
        limit: 300
      },
      {
        title: "Open circuit breakers",
        description: "1: the provider does not answer, and submissions wait for a probe.",
        unit: "short",
        queries: [["max by (provider) (corridor_provider_circuit_open)", "{{provider}}"]],
        limit: 1
      },
      {
        title: "Rates outside their band",
        description: "1: nothing is priced with this rate until it is back or an operator accepts it.",
        unit: "short",
        queries: [["max by (rate) (corridor_rate_held) > 0", "{{rate}}"]],
        limit: 1
      }
    ]
  },
  {
    title: "Jobs and webhooks",
    panels: [
      {
        title: "Due jobs",
        description: "Jobs that are due and not completed, at most 10000 of a queue.",
        unit: "short",
        queries: [["max by (queue) (corridor_jobs_due)", "{{queue}}"]]
      },
      {
        title: "Lag",
        description: "How long the oldest due job of a queue has been due.",
        unit: "s",
        queries: [
          ["max by (queue) (corridor_job_lag_seconds)", "{{queue}}"],
          ["max(corridor_outbox_lag_seconds)", "delivery"]
        ],
        limit: 60
      },
      {
        title: "Oldest undelivered event",
        description: "The age of the oldest event that a receiver has not acknowledged and that is delivered again.",
        unit: "s",
        queries: [["max(corridor_oldest_undelivered_event_seconds)", "age"]],
        limit: 21_600
      },
      {
        title: "Delivery attempts",
        description: "By whether earlier attempts to the endpoint have failed, and by result.",
        unit: "cps",
        queries: [
          [
            "sum by (endpoint, result) (rate(corridor_deliveries_total[$__rate_interval])) > 0",
            "{{endpoint}} {{result}}"
          ]
        ]
      },
      {
        title: "Time of a delivery attempt",
        description: "Receivers have 15 seconds by default.",
        unit: "s",
        queries: quantiles("corridor_delivery_duration_seconds")
      },
      {
        title: "Jobs run",
        description: "A failed job is tried again after its lease.",
        unit: "cps",
        queries: [["sum by (queue, outcome) (rate(corridor_jobs_total[$__rate_interval]))", "{{queue}} {{outcome}}"]]
      }
    ]
  },
  {
    title: "Requests",
    panels: [
      {
        title: "Requests, by status",
        description: "Requests completed.",
        unit: "reqps",
        queries: [["sum by (status) (rate(corridor_http_requests_total[$__rate_interval])) > 0", "{{status}}"]]
      },
      {
        title: "Time of a request",
        description: "From the head of a request to its response.",
        unit: "s",
        queries: quantiles("corridor_http_request_duration_seconds"),
        limit: 1
      },
      {
        title: "Admission",
        description: "Calls that run, the limit that adapts to latency, and calls that were rejected per second.",
        unit: "short",
        queries: [
          ["sum by (sort) (corridor_admission_running)", "{{sort}} running"],
          ["sum by (sort) (corridor_admission_limit)", "{{sort}} limit"],
          ["sum by (sort) (rate(corridor_admission_rejected_total[$__rate_interval]))", "{{sort}} rejected"]
        ]
      }
    ]
  },
  {
    title: "Store",
    panels: [
      {
        title: "Commits, by verdict",
        description: "`fault` is a commit without a verdict.",
        unit: "cps",
        queries: [
          ["sum by (verdict) (rate(corridor_commits_total[$__rate_interval]))", "{{verdict}}"],
          ["sum(rate(corridor_commit_retries_total[$__rate_interval]))", "repeated: the store did not answer"]
        ]
      },
      {
        title: "Time of a commit",
        description: "From the decision to the verdict, with the wait for a batch.",
        unit: "s",
        queries: quantiles("corridor_commit_duration_seconds"),
        limit: 1
      },
      {
        title: "Changes in a statement",
        description: "How many changes are committed together.",
        unit: "short",
        queries: quantiles("corridor_commit_batch_changes")
      },
      {
        title: "Statements",
        description: "Round trips to the database, and those without an answer yet.",
        unit: "short",
        queries: [
          [
            "sum by (connection, result) (rate(corridor_store_round_trips_total[$__rate_interval]))",
            "{{connection}} {{result}} per second"
          ],
          ["sum by (connection) (corridor_store_statements_running)", "{{connection}} running"]
        ]
      },
      {
        title: "Time of a statement",
        description: "By the connections that it used.",
        unit: "s",
        queries: quantiles("corridor_store_round_trip_duration_seconds", "connection"),
        limit: 1
      },
      {
        title: "Clock skew",
        description: "How far a node is ahead of the database. Beyond five seconds it claims no work.",
        unit: "s",
        queries: [["corridor_clock_skew_seconds", "{{instance}}"]],
        limit: 2
      },
      {
        title: "Age of the gauges",
        description: "Since when the gauges about the store were not refreshed.",
        unit: "s",
        queries: [["max by (reading) (corridor_refresh_age_seconds)", "{{reading}}"]],
        limit: 300
      },
      {
        title: "Failed readings",
        description: "Readings of gauges that failed. Their gauges are as they were before.",
        unit: "cps",
        queries: [["sum by (reading) (rate(corridor_refresh_failed_total[$__rate_interval]))", "{{reading}}"]]
      }
    ]
  }
]

const thresholds = (limit: number | undefined) =>
  new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps([{ value: null, color: "green" }, ...(limit === undefined ? [] : [{ value: limit, color: "red" }])])

const query = ([expr, legend]: Panel["queries"][number], at: number, instant: boolean) => {
  const built = new DataqueryBuilder()
    .refId(String.fromCharCode(65 + at))
    .expr(expr)
    .legendFormat(legend)
  return instant ? built.instant() : built.range()
}

const stat = ({ description, limit, queries, title, unit }: Panel) => {
  const panel = new StatBuilder().title(title).description(description).unit(unit).datasource(datasource)
  panel.thresholds(thresholds(limit)).height(4).span(4)
  queries.forEach((one, at) => panel.withTarget(query(one, at, true)))
  return panel
}

const series = ({ description, limit, queries, title, unit }: Panel) => {
  const panel = new TimeseriesBuilder().title(title).description(description).unit(unit).datasource(datasource)
  panel
    .thresholds(thresholds(limit))
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.Table)
        .placement(LegendPlacement.Bottom)
        .showLegend(true)
        .calcs(["lastNotNull", "max"])
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi))
    .height(8)
    .span(8)
  queries.forEach((one, at) => panel.withTarget(query(one, at, false)))
  return panel
}

export const dashboard = () => {
  // oxlint-disable-next-line typescript/no-deprecated -- every Grafana in use imports this schema; its successor needs 12
  const built = new DashboardBuilder("Corridor")
    .uid("corridor")
    .description("Money in flight, providers, jobs, requests and the store of Corridor.")
    .tags(["corridor"])
    .refresh("30s")
    .time({ from: "now-6h", to: "now" })
    .timezone("utc")
    .withVariable(new DatasourceVariableBuilder("datasource").label("Prometheus").type("prometheus"))
  built.withRow(new RowBuilder("Now"))
  for (const panel of stats) built.withPanel(stat(panel))
  for (const { panels, title } of rows) {
    built.withRow(new RowBuilder(title))
    for (const panel of panels) built.withPanel(series(panel))
  }
  return built.build()
}
