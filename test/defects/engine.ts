/** Defects of the engine that no simulation shows: gauges, reports, breakers, spans. */
import { of, type TestedDefect } from "./defect.ts"

export const engine: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/engine/work/Gauges.ts",
    ["test/engine/work/gauges.test.ts", "test/scenarios/work/gauges.test.ts", "test/http/document/metrics.test.ts"],
    ["a delivery under retry is not undelivered", "Math.max(age(due_since), age(retried_since))", "age(due_since)"],
    [
      "a delivery that was never attempted is not undelivered",
      "Math.max(age(due_since), age(retried_since))",
      "age(retried_since)"
    ],
    [
      "an exception that is resolved stays on its gauge",
      `open === 0 ? 0 : yield* exceptionsWith("status=open", \`reason=\${reason}\`)`,
      `yield* exceptionsWith(\`reason=\${reason}\`)`
    ],
    ["a balance that is gone stays", `for (const series of last) if (!values.has(series)) series.record(0)\n`, ""],
    ["a state that waits is not counted", `rerouted: "waiting",`, ""],
    ["a held movement counts as unknown", `held: "held",`, `held: "unknown",`],
    [
      "the brakes of merchants are not counted",
      `["all", "provider", "merchant", "corridor"] as const`,
      `["all", "provider", "corridor"] as const`
    ]
  ),
  ...of(
    "src/engine/reports/providers.ts",
    ["test/engine/reports/providers.test.ts"],
    [
      "a brake on everything pauses no provider",
      `brake.scope === "all" || brake.provider === name`,
      "brake.provider === name"
    ],
    [
      "a brake on the provider does not pause it",
      `brake.scope === "all" || brake.provider === name`,
      `brake.scope === "all"`
    ],
    [
      "callbacks are told of as reading",
      "readable: events?.after !== undefined",
      "readable: events?.decode !== undefined"
    ]
  ),
  ...of(
    "src/engine/reports/search.ts",
    [
      "test/scenarios/reports/search.test.ts",
      "test/engine/commit/search-terms.test.ts",
      "test/http/requests/search.test.ts"
    ],
    ["the merchant is not regarded", "&& (merchant_id === undefined || row.merchant_id === merchant_id)", ""],
    ["a hash is not found", `"provider_reference", "transaction_hash", "account"`, `"provider_reference", "account"`],
    ["grouped digits are not an amount", `whole.replaceAll(",", "") + fraction`, "whole + fraction"]
  ),
  ...of(
    "src/engine/reports/statistics.ts",
    ["test/scenarios/reports/statistics.test.ts", "test/adapters/storage/postgres-measures.test.ts"],
    ["the volume of failures is counted", `if (tags.outcome === "succeeded") {`, `if (tags.outcome !== "open") {`],
    ["an open movement has failed", `else if (tags.outcome === "failed") sum.failed`, "else sum.failed"]
  ),
  ...of(
    "src/engine/reports/operator-lists.ts",
    ["test/scenarios/reports/operator-lists.test.ts"],
    [
      "a customer of another merchant is listed",
      "merchant_id === undefined || merchant_id === customer?.merchant_id",
      "true"
    ],
    ["the currency of accounts is not regarded", "...(currency === undefined ? {} : { currency }),", ""]
  ),
  ...of(
    "src/engine/commit/observed-storage.ts",
    ["test/http/observability/traces.test.ts"],
    [
      "a commit's span names no movement",
      `"corridor.movement_id": oneOf(rows.filter(isMovement).map(({ id }) => id)),`,
      ""
    ],
    [
      "a commit's span counts rows as jobs",
      `"corridor.commit.jobs": jobs.length`,
      `"corridor.commit.jobs": rows.length`
    ]
  ),
  ...of(
    "src/engine/ports/tracing.ts",
    [
      "test/http/observability/traces.test.ts",
      "test/http/observability/log.test.ts",
      "test/embedded/telemetry.test.ts",
      "test/http/observability/sampling.test.ts"
    ],
    ["a traceparent of version 00 with more parts is read", `|| (version === "00" && more !== undefined)`, ""]
  )
]
