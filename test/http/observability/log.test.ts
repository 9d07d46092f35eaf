/** The lines that a served process writes. */
import { describe, expect, it } from "vitest"
import { apiKey, operatorToken, type Served, serve } from "../../support/http/served-process.ts"
import { covers } from "../../support/repository/covers.ts"
import { callerOf } from "../../support/telemetry/offramp.ts"

type Line = Readonly<Record<string, unknown>>

const linesOf = ({ output }: Served): ReadonlyArray<Line> =>
  output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line)

/** A wallet with a deposit, a read of a probe, and two requests that are refused. */
const run = async (level?: string): Promise<Served> => {
  const served = await serve(level === undefined ? {} : { CORRIDOR_LOG_LEVEL: level })
  const call = callerOf(served.url, apiKey)
  const wallet = await call("/v1/wallets", { currency: "USDC" }, { "x-request-id": "req_of_a_wallet" })
  await call("/sandbox/deposits", { wallet_id: wallet.data.id, amount: "5.00" })
  await call("/v1/wallets/wal_00000000000000000000000000")
  await callerOf(served.url, operatorToken)("/operator/v1/stuck")
  await fetch(`${served.url}/nothing/of-this-name`, { headers: { authorization: `Bearer ${apiKey}` } })
  await fetch(`${served.url}/health/live`)
  served.child.kill("SIGTERM")
  await served.exit
  return served
}

describe("the log of a server", () => {
  covers("TELEMETRY-7")
  it("has a line for each request, with what it was and how it ended", async () => {
    const served = await run()
    const lines = linesOf(served)
    const requests = lines.filter(({ message }) => message === "request")
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
    expect(served.output()).toMatch(/^Corridor \S+ listens on/m)
  })

  it("has a line for each state change, with what caused it", async () => {
    const changes = linesOf(await run()).filter(({ message }) => message === "state change")
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
    expect(linesOf(await run(level))).toEqual([])
  })

  it("also has probes at the level debug", async () => {
    const probes = linesOf(await run("debug")).filter(({ level }) => level === "debug")
    expect(probes).toMatchObject([{ message: "request", route: "/health/live", status: 200 }])
  })
})
