/**
 * The cost of telemetry: `npm run bench -- --telemetry`.
 *
 * A server that observes itself and one that does not create transfers over HTTP in alternating rounds, as in
 * `http/postgres/create`. The receiver of the export is a thread of its own; log lines are written to the null device.
 *
 * The rates of two runs on a busy machine differ by more than telemetry costs. The processor time of the server's thread does
 * not depend on what else runs: that is the figure to trust.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { devNull } from "node:os"
import { Console, Layer } from "effect"
import type { Config } from "../src/http/config/config.ts"
import type { Telemetry } from "../src/http/config/telemetry.ts"
import { makeObservability } from "../src/http/observability/layer.ts"
import { compare, type Contender } from "./measure.ts"
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
  // What a round has made is exported in that round.
  trace_interval_ms: 250,
  metric_interval_ms: 60_000,
  sampler: "parentbased_traceidratio",
  share
})

/** A contender that measures the processor time of this thread for each operation, after the first run. */
const metered = ({ close, run }: Contender): Contender & { readonly cpu_us: () => number } => {
  let isWarm = false
  let [spent, operations] = [0, 0]
  return {
    close,
    cpu_us: () => spent / operations,
    run: async (count, rate_per_s) => {
      const before = process.threadCpuUsage()
      const taken = await run(count, rate_per_s)
      const { system, user } = process.threadCpuUsage(before)
      if (isWarm) [spent, operations] = [spent + system + user, operations + count]
      isWarm = true
      return taken
    }
  }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000

/**
 * Rows `{name, on_per_s, off_per_s, share, on_cpu_us, off_cpu_us, cost}`: `share` is the rate with telemetry as a share of the rate
 * without it; `cost` is the processor time of a request with telemetry, relative to one without, less 1.
 */
export const measureTelemetry = async (fresh: () => Promise<string>, show: Show, scale: number) => {
  const sink = await startSink()
  const output = openSync(devNull, "w")
  const discarding = Layer.succeed(Console.Console, {
    ...console,
    log: (line: unknown) => void writeSync(output, `${String(line)}\n`)
  })
  const observed = (config: Pick<Config, "log_level" | "telemetry">): Layer.Layer<never> =>
    Layer.mergeAll(makeObservability(config), discarding)
  const ways: Readonly<Record<string, Layer.Layer<never>>> = {
    "log at warn": observed({ log_level: "Warn", telemetry: undefined }),
    "log at info": observed({ log_level: "Info", telemetry: undefined }),
    "OTLP, all traces, log at warn": observed({ log_level: "Warn", telemetry: telemetryTo(sink.url, 1) }),
    "OTLP, a tenth of the traces, log at warn": observed({ log_level: "Warn", telemetry: telemetryTo(sink.url, 0.1) })
  }
  const rows: Array<object> = []
  show(["http/postgres/create", "on/s", "off/s", "share", "on us", "off us", "cost", "p50 ms", "p99 ms"])
  try {
    for (const [name, local] of Object.entries(ways)) {
      const on = metered(await createOverHttp([await fresh(), WALLETS, CONNECTIONS], local))
      const off = metered(await createOverHttp([await fresh(), WALLETS, CONNECTIONS]))
      try {
        const count = Math.ceil(COUNT * scale)
        const measured = await compare({ ours: on, floor: off }, { warmup: count, count, rounds: ROUNDS })
        const [with_, without] = [measured.ours!, measured.floor!]
        const [on_cpu_us, off_cpu_us] = [Math.round(on.cpu_us()), Math.round(off.cpu_us())]
        const row = {
          name,
          on_per_s: Math.round(with_.per_s),
          off_per_s: Math.round(without.per_s),
          share: rounded(with_.per_s / without.per_s),
          on_cpu_us,
          off_cpu_us,
          cost: rounded(on_cpu_us / off_cpu_us - 1)
        }
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
