/** `/metrics`: who may read it, what a fresh server shows, and that it reads nothing. */
import { networkInterfaces } from "node:os"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { sha256 } from "../../../src/http/request.ts"
import { families } from "../../../src/http/observability/requests.ts"
import { seriesOf } from "../../support/http/metrics.ts"
import { operatorToken, startApi } from "../../support/http/server.ts"
import { type Served, serve } from "../../support/http/served-process.ts"
import { covers } from "../../support/repository/covers.ts"

const outside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === "IPv4" && !address.internal)?.address

const metricsToken = "a-token-for-prometheus"

describe("the token of the metrics", () => {
  const given = { none: undefined, wrong: "another-token-of-somebody", operator: operatorToken, own: metricsToken }
  const own = { metrics_token_hash: sha256(metricsToken) }
  const live = { environment: "live" } as const
  const table = [
    ["127.0.0.1", "nothing", {}, { none: 200, wrong: 200, operator: 200, own: 200 }],
    ["127.0.0.1", "a token", own, { none: 401, wrong: 401, operator: 401, own: 200 }],
    ["127.0.0.1", "live", live, { none: 401, wrong: 401, operator: 200, own: 401 }],
    [
      "127.0.0.1",
      "live, and open",
      { ...live, open_metrics: true },
      { none: 200, wrong: 200, operator: 200, own: 200 }
    ],
    ["127.0.0.1", "closed", { open_metrics: false }, { none: 401, wrong: 401, operator: 200, own: 401 }],
    [
      "127.0.0.1",
      "a token, and open",
      { ...own, open_metrics: true },
      { none: 401, wrong: 401, operator: 401, own: 200 }
    ],
    [outside, "nothing", {}, { none: 401, wrong: 401, operator: 200, own: 401 }],
    [outside, "open", { open_metrics: true }, { none: 401, wrong: 401, operator: 200, own: 401 }],
    [outside, "a token", own, { none: 401, wrong: 401, operator: 401, own: 200 }]
  ] as const
  covers("SERVICE-12")
  it.each(table.filter(([host]) => host !== undefined))(
    "from %s, configured: %s",
    async (host, _, settings, expected) => {
      const api = await startApi(settings, undefined, { listen: "0.0.0.0" })
      try {
        const found: Record<string, number> = {}
        for (const [name, token] of Object.entries(given)) {
          const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
          const response = await fetch(`http://${host}:${api.port}/metrics`, { headers })
          found[name] = response.status
          if (response.status === 401) expect(await response.text()).toContain("authentication_failed")
        }
        expect(found).toEqual(expected)
        // The token opens nothing else.
        expect((await api.ask("/operator/v1/merchants", { key: metricsToken })).status).toBe(401)
      } finally {
        await api.close()
      }
    }
  )
})

describe("a server that has just started", () => {
  let served: Served
  let text: string
  beforeAll(async () => {
    served = await serve({ CORRIDOR_METRICS_TOKEN: metricsToken })
    text = await (await fetch(`${served.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })).text()
  })
  afterAll(async () => {
    served.child.kill("SIGTERM")
    await served.exit
  })

  covers("METRICS-1")
  it("shows every family, with the label values that are known beforehand", () => {
    for (const { description, name, type } of families) {
      expect(text).toContain(`# HELP ${name} ${description}\n# TYPE ${name} ${type}\n`)
    }
    const seconds = /^corridor_(?:refresh_age_seconds|build_info|admission_limit|http_|store_)/
    const shown = [...seriesOf(text)].filter(
      ([series]) => series.startsWith("corridor_") && !/_(?:bucket|sum)\b/.test(series) && !seconds.test(series)
    )
    // The start itself makes the first merchant.
    expect(shown.filter(([, value]) => value !== 0).map(([series]) => series.replace(/\{.*/, ""))).toEqual(
      expect.arrayContaining(["corridor_commits_total"])
    )
    expect(shown.map(([series]) => series).toSorted()).toMatchSnapshot()
  })

  it("counts the requests of each operation from zero", () => {
    const series = seriesOf(text)
    expect(series.get(`corridor_http_requests_total{operation="createTransfer",status="200"}`)).toBe(0)
    expect(series.get(`corridor_http_requests_total{operation="createTransfer",status="500"}`)).toBe(0)
    expect(series.get(`corridor_http_request_duration_seconds_count{operation="createTransfer"}`)).toBe(0)
  })
})

describe("a scrape", () => {
  covers("METRICS-2")
  it("asks the store nothing, and succeeds while the store does not answer", async () => {
    const asked: Array<string> = []
    let isSilent = false
    const silent = Layer.effect(
      Storage,
      Effect.map(Storage, (storage) => {
        const noted = (name: string, effect: Effect.Effect<unknown>) =>
          Effect.suspend(() => {
            asked.push(name)
            return isSilent ? Effect.never : effect
          })
        return Object.fromEntries(
          Object.entries(storage).map(([name, member]) => [
            name,
            typeof member === "function"
              ? (...args: ReadonlyArray<never>) =>
                  noted(name, (member as (...args: any) => Effect.Effect<unknown>)(...args))
              : Effect.isEffect(member)
                ? noted(name, member as Effect.Effect<unknown>)
                : member
          ])
        ) as unknown as Storage["Service"]
      })
    ).pipe(Layer.provide(MemoryStorage.layer))
    const api = await startApi({ metrics_token_hash: sha256(metricsToken) }, silent)
    try {
      isSilent = true
      // What else runs in the service may ask at the same moment: then it is scraped again.
      for (let scrapes = 1; scrapes === 1 || (asked.length > 0 && scrapes <= 5); scrapes++) {
        asked.length = 0
        const { status, text } = await api.ask("/metrics", { key: metricsToken })
        expect(status).toBe(200)
        expect(text).toContain("corridor_oldest_seconds")
      }
      expect(asked).toEqual([])
    } finally {
      isSilent = false
      await api.close()
    }
  })
})
