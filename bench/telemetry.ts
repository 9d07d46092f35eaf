/**
 * The cost of telemetry: `npm run bench -- --telemetry`.
 *
 * A server that observes itself and one that does not create transfers over HTTP in alternating rounds, as in
 * `http/postgres/create`. The receiver of the export is a thread of its own; log lines are written to the null device.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { devNull } from "node:os"
import { Console, Layer } from "effect"
import type { Config } from "../src/http/config/config.ts"
import type { Telemetry } from "../src/http/config/telemetry.ts"
import { observability } from "../src/http/observability/layer.ts"
import { compare } from "./measure.ts"
import { createOverHttp } from "./ours.ts"
import type { Show } from "./results.ts"
import { startSink } from "./sink.ts"

const WALLETS = 2_000
const CONNECTIONS = 64
const COUNT = 3_000
const ROUNDS = 6

const telemetryTo = (endpoint: string, share: number): Telemetry => ({
  traces: { url: new URL("/v1/traces", endpoint).href, headers: {} },
  metrics: { url: new URL("/v1/metrics", endpoint).href, headers: {} },
  logs: { url: new URL("/v1/logs", endpoint).href, headers: {} },
  protocol: "http/json",
  service_name: "corridor",
  resource: {},
  trace_interval_ms: 5000,
  metric_interval_ms: 60_000,
  sampler: "parentbased_traceidratio",
  share
})

/** Rows `{name, on_per_s, off_per_s, share}`: `share` is the rate with telemetry as a share of the rate without it. */
export const measureTelemetry = async (fresh: () => Promise<string>, show: Show, scale: number) => {
  const sink = await startSink()
  const output = openSync(devNull, "w")
  const discarding = Layer.succeed(Console.Console, {
    ...console,
    log: (line: unknown) => void writeSync(output, `${String(line)}\n`)
  })
  const observed = (config: Pick<Config, "log_level" | "telemetry">): Layer.Layer<never> =>
    Layer.mergeAll(observability(config), discarding)
  const ways: Readonly<Record<string, Layer.Layer<never>>> = {
    "log at warn": observed({ log_level: "Warn", telemetry: undefined }),
    "log at info": observed({ log_level: "Info", telemetry: undefined }),
    "OTLP, all traces, log at warn": observed({ log_level: "Warn", telemetry: telemetryTo(sink.url, 1) }),
    "OTLP, a tenth of the traces, log at warn": observed({ log_level: "Warn", telemetry: telemetryTo(sink.url, 0.1) })
  }
  const rows: Array<object> = []
  show(["http/postgres/create", "on/s", "off/s", "share", "p50 ms", "p99 ms"])
  try {
    for (const [name, local] of Object.entries(ways)) {
      const on = await createOverHttp([await fresh(), WALLETS, CONNECTIONS], local)
      const off = await createOverHttp([await fresh(), WALLETS, CONNECTIONS])
      try {
        const count = Math.ceil(COUNT * scale)
        const measured = await compare({ ours: on, floor: off }, { warmup: count, count, rounds: ROUNDS })
        const [with_, without] = [measured.ours!, measured.floor!]
        const share = Math.round((with_.per_s / without.per_s) * 1000) / 1000
        const row = { name, on_per_s: Math.round(with_.per_s), off_per_s: Math.round(without.per_s), share }
        rows.push(row)
        show([...Object.values(row), Math.round(with_.p50_ms * 100) / 100, Math.round(with_.p99_ms * 100) / 100])
      } finally {
        await on.close()
        await off.close()
      }
    }
  } finally {
    closeSync(output)
    await sink.close()
  }
  return rows
}
