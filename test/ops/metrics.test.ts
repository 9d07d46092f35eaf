/** The dashboard and the alert rules: written from code, and about metrics that a server really has. */
import { existsSync, readFileSync } from "node:fs"
import { Effect, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, expect, it, vi } from "vitest"
import { alerts } from "../../scripts/ops/alerts.ts"
import { dashboard } from "../../scripts/ops/dashboard.ts"
import { files } from "../../scripts/ops.ts"
import { simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { adapter } from "../../src/engine/ports/adapter.ts"
import { Provider } from "../../src/engine/ports/Provider.ts"
import { type RunningServer, serve } from "../../src/http/index.ts"
import { corridor } from "../support/cli/command-line.ts"
import { parseQuery } from "../support/ops/promql.ts"
import { covers } from "../support/repository/covers.ts"
import { POLL_TIMEOUT_MS } from "../support/repository/poll-timeout.ts"

interface PanelJson {
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly panels?: ReadonlyArray<PanelJson>
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
  readonly fieldConfig?: {
    readonly defaults: { readonly unit?: string; readonly thresholds?: { readonly steps: ReadonlyArray<unknown> } }
  }
  readonly options?: { readonly legend?: { readonly showLegend: boolean } }
}

const panels = (JSON.parse(JSON.stringify(dashboard())).panels as ReadonlyArray<PanelJson>).flatMap((panel) =>
  panel.type === "row" ? (panel.panels ?? []) : [panel]
)
const rules = alerts.flatMap((group) => group.alerts)

/** The labels of each family, as a server exports them. Those of Prometheus itself are on every series. */
const exported = new Map<string, Set<string>>()
let server: RunningServer

/** A provider that reports what the platform has there, and whose events are read, as the chains do. */
const wallets = adapter(
  "provider",
  Layer.succeed(
    Provider,
    Provider.of({
      name: "wallets",
      manifest: { offers: [] },
      statements: {
        balances: Effect.succeed([{ currency: "USDC", network: "base", available: "12.5", pending: "0" }]),
        lines: () => Effect.succeed({ lines: [], cursor: null })
      },
      events: { after: () => Effect.succeed({ events: [], cursor: "" }) }
    })
  )
)

beforeAll(async () => {
  const providers = [simulatedProvider({ mode: "auto", delay_ms: 0 }), wallets]
  server = await serve({ port: 0, database: "memory:", providers, metricsIntervalSeconds: 1 })
  const env = { CORRIDOR_URL: server.url, CORRIDOR_API_KEY: server.apiKey! }
  for (const type of ["deposit.confirmed", "transfer.success", "offramp.success"])
    assert.strictEqual((await corridor(["trigger", type], env)).code, 0)
  const text = await vi.waitFor(
    async () => {
      const scraped = await (await fetch(`${server.url}/metrics`)).text()
      assert.match(scraped, /^corridor_float_balance\{/m)
      return scraped
    },
    { timeout: POLL_TIMEOUT_MS, interval: 200 }
  )
  for (const line of text.split("\n")) {
    const [, name, labels = ""] = /^([a-z_]+)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    if (name === undefined) continue
    const known = exported.get(name) ?? new Set(["instance", "job"])
    for (const [, label] of labels.matchAll(/([a-z_]+)="/g)) known.add(label!)
    exported.set(name, known)
  }
})
afterAll(() => server.close())

describe("what npm run ops writes", () => {
  covers("OPS-1")
  it.each(Object.entries(files()))("is what is in %s", (path, text) => {
    expect(readFileSync(path, "utf8")).toBe(text)
  })
})

describe("every query", () => {
  const queries = [
    ...rules.map(({ expr, name }) => [name, expr, ""] as const),
    ...panels.flatMap(({ targets = [], title }) =>
      targets.map(({ expr, legendFormat }) => [title, expr, legendFormat] as const)
    )
  ]
  covers("OPS-1")
  it.each(queries)("of %s is about metrics and labels that the server exports: %s", (_, expr, legend) => {
    const { grouping, metrics } = parseQuery(expr)
    expect(metrics.length).toBeGreaterThan(0)
    for (const { labels, name } of metrics) {
      expect([...exported.keys()]).toContain(name)
      expect([...exported.get(name)!]).toEqual(expect.arrayContaining([...labels, ...grouping]))
    }
    const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label)
    expect([...grouping, "instance"]).toEqual(expect.arrayContaining(shown))
  })

  it("uses every family that a person can act on", () => {
    const used = new Set(
      queries.flatMap(([, expr]) => parseQuery(expr).metrics.map(({ name }) => name.replace(/_bucket$/, "")))
    )
    const unused = [...exported.keys()]
      .filter((name) => name.startsWith("corridor_"))
      .map((name) => name.replace(/_(?:bucket|sum|count)$/, ""))
      .filter((name) => !used.has(name))
    expect([...new Set(unused)].toSorted()).toEqual(["corridor_forgotten_total", "corridor_http_requests_running"])
  })
})

describe("every panel", () => {
  it.each(panels.map((panel) => [panel.title, panel] as const))(
    "says what it shows, in which unit and from when on it is red: %s",
    (_, { description = "", fieldConfig, options, targets = [], type }) => {
      expect(description).toMatch(/^\S.*\.$/s)
      expect(fieldConfig?.defaults.unit).toMatch(/^\w+$/)
      expect(fieldConfig?.defaults.thresholds?.steps.length).toBeGreaterThan(0)
      if (type === "timeseries") {
        expect(options?.legend?.showLegend).toBe(true)
        for (const { legendFormat } of targets) expect(legendFormat).not.toBe("")
      }
    }
  )

  it("has a title of its own", () => {
    const titles = panels.map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
    expect(titles.length).toBeGreaterThan(25)
  })
})

describe("every alert", () => {
  covers("OPS-2")
  it.each(rules.map((rule) => [rule.name, rule] as const))(
    "says what is wrong, what to do first, and where to read on: %s",
    (_, { description, name, runbook, summary }) => {
      expect(name).toMatch(/^Corridor[A-Z]\w+$/)
      for (const text of [summary, description]) expect(text).toMatch(/^\S.*\.$/s)
      const page = `docs/runbooks/${runbook}.md`
      expect(existsSync(page), page).toBe(true)
      expect(readFileSync(page, "utf8")).toContain(name)
    }
  )
})
