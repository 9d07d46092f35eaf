/** The lines that a served process writes. */
import { Cause, Effect, Logger } from "effect"
import { beforeAll, describe, expect, it, vi } from "vitest"
import { makeTerminalLogger } from "../../../src/http/observability/log-line.ts"
import { serveHere } from "../../support/http/served-here.ts"
import { apiKey, operatorToken, serve } from "../../support/http/served-process.ts"
import { covers } from "../../support/repository/covers.ts"
import { callerOf } from "../../support/telemetry/offramp.ts"

type Line = Readonly<Record<string, unknown>>

const linesOf = (output: string): ReadonlyArray<Line> =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line)

/** A wallet with a deposit, a read of a probe, and two requests that are refused. */
const use = async (url: string): Promise<void> => {
  const call = callerOf(url, apiKey)
  const wallet = await call("/v1/wallets", { currency: "USDC" }, { "x-request-id": "req_of_a_wallet" })
  await call("/sandbox/deposits", { wallet_id: wallet.data.id, amount: "5.00" })
  await call("/v1/wallets/wal_00000000000000000000000000")
  await callerOf(url, operatorToken)("/operator/v1/stuck")
  await fetch(`${url}/nothing/of-this-name`, { headers: { authorization: `Bearer ${apiKey}` } })
  await fetch(`${url}/health/live`)
}

/** What a server at a level writes to the console of this process. */
const linesAt = async (level: string): Promise<ReadonlyArray<Line>> => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {})
  try {
    const { stop, url } = await serveHere({ CORRIDOR_LOG_LEVEL: level })
    await use(url)
    await stop()
    return linesOf(log.mock.calls.join("\n"))
  } finally {
    log.mockRestore()
  }
}

describe("the log at a terminal", () => {
  covers("TELEMETRY-12")
  it("has short lines, and counts the repeats of a message instead of showing them", () => {
    const written: Array<string> = []
    const log = Effect.gen(function* () {
      for (let n = 0; n < 12_315; n++)
        yield* Effect.annotateLogs(Effect.logWarning("a delivery failed"), { id: `dlv_${n}` })
      yield* Effect.logError("a delivery failed")
      for (const status of [200, 404])
        yield* Effect.annotateLogs(Effect.logInfo("request"), {
          method: "GET",
          route: "/v1/wallets",
          status,
          request_id: "req_1"
        })
      yield* Effect.logWarning("it broke", Cause.fail(new Error("no more")))
    })
    Effect.runSync(log.pipe(Effect.provide(Logger.layer([makeTerminalLogger((line) => void written.push(line))]))))
    const seen = written.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ""))
    expect(seen).toEqual([
      "warn a delivery failed",
      "warn a delivery failed (10 times)",
      "warn a delivery failed (100 times)",
      "warn a delivery failed (1000 times)",
      "warn a delivery failed (10000 times)",
      "error a delivery failed",
      "info request GET /v1/wallets 200",
      "info request GET /v1/wallets 404",
      expect.stringMatching(/^warn it broke: Error: no more/)
    ])
  })
})

describe("the log of a server", () => {
  let output: string
  beforeAll(async () => {
    const served = await serve()
    await use(served.url)
    served.child.kill("SIGTERM")
    await served.exit
    output = served.output()
  })

  covers("TELEMETRY-7")
  it("has a line for each request, with what it was and how it ended", () => {
    const requests = linesOf(output).filter(({ message }) => message === "request")
    expect(requests).toHaveLength(5)
    for (const line of requests) {
      expect(line).toMatchObject({ level: "info", request_id: expect.stringMatching(/^req_/) })
      expect(line["duration_ms"]).toBeGreaterThan(0)
      expect(Date.parse(line["timestamp"] as string)).toBeGreaterThan(1_700_000_000_000)
    }
    expect(requests[0]).toMatchObject({
      method: "POST",
      route: "/v1/wallets",
      operation: "createWallet",
      status: 200,
      request_id: "req_of_a_wallet",
      merchant_id: expect.stringMatching(/^mer_/),
      key_id: expect.stringMatching(/^key_/),
      resource_id: expect.stringMatching(/^wal_/)
    })
    expect(requests[2]).toMatchObject({ method: "GET", route: "/v1/wallets/:id", status: 404, code: "not_found" })
    expect(requests[3]).toMatchObject({ operation: "listStuck", operator_id: "operator token" })
    expect(requests[3]).not.toHaveProperty("merchant_id")
    expect(requests[4]).toMatchObject({ status: 404, code: "not_found" })
    // The address and the key that the start printed stand before the lines.
    expect(output).toMatch(/^Corridor \S+ listens on/m)
  })

  it("has a line for each state change, with what caused it", () => {
    const changes = linesOf(output).filter(({ message }) => message === "state change")
    const [deposit] = changes.filter(({ kind }) => kind === "deposit")
    expect(deposit).toMatchObject({
      level: "info",
      id: expect.stringMatching(/^txn_/),
      movement_id: deposit!["id"],
      from: null,
      to: "confirmed",
      event: expect.any(String),
      merchant_id: expect.stringMatching(/^mer_/),
      cause: "event"
    })
  })

  it.each(["warn", "none"])("has neither at the level %s", async (level) => {
    expect(await linesAt(level)).toEqual([])
  })

  it("also has probes at the level debug", async () => {
    const probes = (await linesAt("debug")).filter(({ level }) => level === "debug")
    expect(probes).toMatchObject([{ message: "request", route: "/health/live", status: 200 }])
  })
})
