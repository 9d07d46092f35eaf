/** The alert rules before Prometheus itself: for each, series that fire it, and series that do not. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { type Alert, alerts, runbookUrl } from "../../scripts/ops/alerts.ts"
import { covers } from "../support/repository/covers.ts"

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0
if (!hasPromtool) console.warn("promtool is not installed (Debian: apt-get install prometheus): its tests are skipped")

/** Series in the notation of promtool (`0+1x30`: from 0, by 1, 30 times), one value a minute. */
type Values = Readonly<Record<string, string>>

interface Case {
  readonly fires: Values
  readonly quiet: Values
  /** The labels of the alert, besides its severity. */
  readonly labels?: Readonly<Record<string, string>>
  /** After how long it has fired. */
  readonly at: string
}

const state = (name: string, fires: number, quiet: number, at: string): Case => {
  const series = `corridor_oldest_seconds{state="${name}"}`
  return { fires: { [series]: `${fires}x3000` }, quiet: { [series]: `${quiet}x3000` }, at }
}
const gauge = (series: string, fires: number, quiet: number, at: string, labels: Case["labels"] = {}): Case => ({
  fires: { [series]: `${fires}x3000` },
  quiet: { [series]: `${quiet}x3000` },
  at,
  labels
})

const float = `corridor_float_balance{provider="evm",network="base",currency="USDC"}`
const ofFloat = { provider: "evm", network: "base", currency: "USDC" }
const calls = (answer: string) =>
  `corridor_provider_calls_total{provider="bank",call="payout_submit",answer="${answer}"}`
const attempts = (result: string) => `corridor_deliveries_total{endpoint="healthy",result="${result}"}`
const requests = (status: number) => `corridor_http_requests_total{operation="createTransfer",status="${status}"}`
const bucket = (metric: string, le: string, labels = "") => `${metric}_bucket{${labels}le="${le}"}`

const cases: Readonly<Record<string, Case>> = {
  CorridorUnknownOutcome: state("unknown", 901, 900, "6m"),
  CorridorSubmissionsWait: state("waiting", 1801, 1800, "6m"),
  CorridorPayoutWithoutOutcome: state("submitted", 86_401, 86_400, "20m"),
  CorridorRefundWithoutOutcome: state("refunding", 86_401, 86_400, "20m"),
  CorridorDepositHeld: state("held", 172_801, 172_800, "20m"),
  CorridorRecordsContradict: {
    fires: { [`corridor_exceptions_open{reason="over_refund"}`]: "1x30" },
    quiet: {
      [`corridor_exceptions_open{reason="over_refund"}`]: "0x30",
      [`corridor_exceptions_open{reason="unknown_target"}`]: "5x30"
    },
    labels: { reason: "over_refund" },
    at: "6m"
  },
  CorridorMoneyAtRisk: {
    fires: {
      [`corridor_exceptions_open{reason="contradicts_state",severity="low"}`]: "0x30",
      [`corridor_exceptions_open{reason="contradicts_state",severity="high"}`]: "1x30"
    },
    quiet: {
      [`corridor_exceptions_open{reason="contradicts_state",severity="low"}`]: "3x30",
      [`corridor_exceptions_open{reason="contradicts_state",severity="high"}`]: "0x30"
    },
    labels: { reason: "contradicts_state" },
    at: "6m"
  },
  CorridorExceptionsOpen: {
    fires: { [`corridor_exceptions_open{reason="unknown_target"}`]: "1x90" },
    // Decided in time.
    quiet: { [`corridor_exceptions_open{reason="unknown_target"}`]: "1x50 0x40" },
    labels: { reason: "unknown_target" },
    at: "65m"
  },
  CorridorStatementMoneyAtRisk: {
    fires: {
      [`corridor_breaks_open{kind="executed_twice",severity="low"}`]: "0x30",
      [`corridor_breaks_open{kind="executed_twice",severity="high"}`]: "1x30"
    },
    quiet: {
      [`corridor_breaks_open{kind="executed_twice",severity="low"}`]: "3x30",
      [`corridor_breaks_open{kind="executed_twice",severity="high"}`]: "0x30"
    },
    labels: { kind: "executed_twice" },
    at: "6m"
  },
  CorridorBreaksOpen: gauge(`corridor_break_oldest_seconds{severity="low"}`, 172801, 172800, "20m", {}),
  CorridorClearingNegative: gauge(`corridor_clearing_balance{provider="bank",currency="NGN"}`, -1, 0, "6m", {
    provider: "bank",
    currency: "NGN"
  }),
  CorridorSuspense: gauge(`corridor_suspense_balance{currency="USDC"}`, 12.5, 0, "25h", { currency: "USDC" }),
  CorridorFloatRunsOut: {
    fires: { [float]: "1000-2x400" },
    quiet: { [float]: "1000-0.1x400" },
    labels: ofFloat,
    at: "6h"
  },
  CorridorFloatEmpty: {
    fires: { [float]: "1000x60 0x60" },
    // It never held any.
    quiet: { [float]: "0x120" },
    labels: ofFloat,
    at: "90m"
  },
  CorridorProviderFeedStopped: gauge(`corridor_provider_feed_failing_seconds{provider="base"}`, 301, 300, "3m", {
    provider: "base"
  }),
  CorridorProviderCircuitOpen: gauge(`corridor_provider_circuit_open{provider="bank"}`, 1, 0, "3m", {
    provider: "bank"
  }),
  CorridorProviderFaults: {
    fires: { [calls("fault")]: "0+20x40", [calls("accepted")]: "0+100x40" },
    quiet: { [calls("fault")]: "0+5x40", [calls("accepted")]: "0+100x40" },
    labels: { provider: "bank" },
    at: "30m"
  },
  CorridorProviderSlow: {
    fires: {
      [bucket("corridor_provider_call_duration_seconds", "10", `provider="bank",call="payout_submit",`)]: "0+90x60",
      [bucket("corridor_provider_call_duration_seconds", "30", `provider="bank",call="payout_submit",`)]: "0+100x60",
      [bucket("corridor_provider_call_duration_seconds", "+Inf", `provider="bank",call="payout_submit",`)]: "0+100x60"
    },
    quiet: {
      [bucket("corridor_provider_call_duration_seconds", "10", `provider="bank",call="payout_submit",`)]: "0+99x60",
      [bucket("corridor_provider_call_duration_seconds", "30", `provider="bank",call="payout_submit",`)]: "0+100x60",
      [bucket("corridor_provider_call_duration_seconds", "+Inf", `provider="bank",call="payout_submit",`)]: "0+100x60"
    },
    labels: { provider: "bank" },
    at: "40m"
  },
  CorridorFloatUnknown: gauge(`corridor_float_age_seconds{provider="bank"}`, 901, 900, "6m", { provider: "bank" }),
  CorridorRateHeld: gauge(`corridor_rate_held{rate="NGN"}`, 1, 0, "2m", { rate: "NGN" }),
  CorridorBrakeForgotten: {
    fires: { [`corridor_brakes_active{scope="provider"}`]: "1x300" },
    quiet: { [`corridor_brakes_active{scope="provider"}`]: "1x200 0x100" },
    labels: { scope: "provider" },
    at: "250m"
  },
  CorridorOutboxLag: gauge("corridor_outbox_lag_seconds", 61, 60, "6m"),
  CorridorJobsLate: gauge(`corridor_job_lag_seconds{queue="command"}`, 121, 120, "6m", { queue: "command" }),
  CorridorJobsFail: {
    fires: { [`corridor_jobs_total{queue="timer",outcome="failed"}`]: "0+1x40" },
    quiet: {
      [`corridor_jobs_total{queue="timer",outcome="failed"}`]: "0x40",
      [`corridor_jobs_total{queue="timer",outcome="done"}`]: "0+100x40"
    },
    labels: { queue: "timer" },
    at: "30m"
  },
  CorridorEventsUndelivered: gauge("corridor_oldest_undelivered_event_seconds", 21_601, 21_600, "20m"),
  CorridorDeliveriesFail: {
    fires: { [attempts("5xx")]: "0+60x60", [attempts("acknowledged")]: "0+40x60" },
    quiet: { [attempts("5xx")]: "0+40x60", [attempts("acknowledged")]: "0+60x60", [attempts("unsent")]: "0+900x60" },
    at: "45m"
  },
  CorridorAbsent: {
    fires: { another_metric: "1x30" },
    quiet: { [`corridor_build_info{version="0.1.0"}`]: "1x30" },
    at: "10m"
  },
  CorridorRequestErrors: {
    fires: { [requests(500)]: "0+2x30", [requests(200)]: "0+98x30" },
    quiet: { [requests(500)]: "0x30", [requests(200)]: "0+98x30", [requests(422)]: "0+50x30" },
    at: "15m"
  },
  CorridorDefect: {
    fires: { corridor_http_defects_total: "0x5 1x20" },
    quiet: { corridor_http_defects_total: "3x25" },
    at: "10m"
  },
  CorridorOverload: {
    fires: { [`corridor_admission_rejected_total{sort="writes"}`]: "0+120x40" },
    quiet: { [`corridor_admission_rejected_total{sort="writes"}`]: "0+30x40" },
    labels: { sort: "writes" },
    at: "30m"
  },
  CorridorStoreSlow: {
    fires: {
      [bucket("corridor_commit_duration_seconds", "1")]: "0+95x40",
      [bucket("corridor_commit_duration_seconds", "2.5")]: "0+100x40",
      [bucket("corridor_commit_duration_seconds", "+Inf")]: "0+100x40"
    },
    quiet: {
      [bucket("corridor_commit_duration_seconds", "1")]: "0+100x40",
      [bucket("corridor_commit_duration_seconds", "2.5")]: "0+100x40",
      [bucket("corridor_commit_duration_seconds", "+Inf")]: "0+100x40"
    },
    at: "30m"
  },
  CorridorStoreFaults: {
    fires: { [`corridor_commits_total{verdict="fault"}`]: "0x5 1+1x10" },
    quiet: {
      [`corridor_commits_total{verdict="fault"}`]: "4x15",
      [`corridor_commits_total{verdict="version_conflict"}`]: "0+50x15"
    },
    at: "12m"
  },
  CorridorGaugesStale: gauge(`corridor_refresh_age_seconds{reading="waiting"}`, 301, 300, "6m", { reading: "waiting" }),
  CorridorClockSkew: gauge(`corridor_clock_skew_seconds{instance="a"}`, -2.1, -2, "3m")
}

const rules = alerts.flatMap((group) => group.alerts)

const filled = (text: string, labels: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? "")

const expected = ({ description, runbook, severity, summary }: Alert, { labels = {} }: Case) => ({
  exp_labels: { ...labels, severity },
  exp_annotations: {
    summary: filled(summary, labels),
    description: filled(description, labels),
    runbook_url: runbookUrl(runbook)
  }
})

const test = (rule: Alert, one: Case, values: Values, isFiring: boolean) => ({
  interval: "1m",
  input_series: Object.entries(values).map(([series, given]) => ({ series, values: given })),
  alert_rule_test: [{ eval_time: one.at, alertname: rule.name, exp_alerts: isFiring ? [expected(rule, one)] : [] }]
})

/** The file of rules with this one alone: Prometheus evaluates every rule that it has at each minute of a test. */
const fileOf = (name: string): string => {
  const { groups } = parse(readFileSync("ops/prometheus/alerts.yaml", "utf8")) as {
    readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<{ readonly alert: string }> }>
  }
  const alone = groups.map((group) => ({ ...group, rules: group.rules.filter(({ alert }) => alert === name) }))
  return JSON.stringify({ groups: alone })
}

describe.skipIf(!hasPromtool)("Prometheus", () => {
  covers("OPS-2")
  it("accepts the rules", () => {
    expect(execFileSync("promtool", ["check", "rules", "ops/prometheus/alerts.yaml"], { encoding: "utf8" })).toContain(
      `${rules.length} rules found`
    )
  })

  it.each(rules.map((rule) => [rule.name, rule] as const))(
    "fires when it should, and not otherwise: %s",
    (name, rule) => {
      const one = cases[name]
      if (one === undefined) throw new Error(`${name} has no case`)
      const folder = mkdtempSync(join(tmpdir(), "corridor-alerts-"))
      try {
        // JSON is YAML.
        writeFileSync(join(folder, "alerts.yaml"), fileOf(name))
        const file = join(folder, "test.yaml")
        const tests = [test(rule, one, one.fires, true), test(rule, one, one.quiet, false)]
        writeFileSync(file, JSON.stringify({ rule_files: ["alerts.yaml"], evaluation_interval: "1m", tests }))
        const { status, stderr, stdout } = spawnSync("promtool", ["test", "rules", file], { encoding: "utf8" })
        expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""])
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
  )
})

it("every alert has a case, and every case an alert", () => {
  expect(Object.keys(cases).toSorted()).toEqual(rules.map(({ name }) => name).toSorted())
})
