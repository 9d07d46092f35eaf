/** What a run prints and how far it goes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { check, idsOf, type Report } from "../support/connectors/conformance.ts"
import { type Connector, startConnector } from "../support/connectors/launcher.ts"
import { startLyingProxy } from "../support/connectors/lying-proxy.ts"
import { covers } from "../support/repository/covers.ts"

let connector: Connector
beforeAll(async () => {
  connector = await startConnector("node", { CONNECTOR_DELAY_MS: "20" })
})
afterAll(() => connector.stop())

const run = (...args: ReadonlyArray<string>) =>
  check(["--url", connector.url, "--secret", connector.secret, "--watch", "50", ...args])
const reported = async (...args: ReadonlyArray<string>) => {
  const { code, out } = await run("--json", ...args)
  return { code, report: JSON.parse(out) as Report }
}

describe("a report", () => {
  covers("CONFORMANCE-6")
  it("says of a failure what was sent, what came, the rule, why it matters and how to repeat it, without the secret", async () => {
    const proxy = await startLyingProxy(connector.url, connector.secret, {
      result: (result, { operation }) =>
        operation === "payout" && result["status"] === "conflict" ? { status: "accepted" } : result
    })
    try {
      const { code, out } = await check([
        ...["--url", proxy.url, "--secret", connector.secret, "--watch", "50", "--seed", "s7"],
        ...["--only", "payouts/conflict,payouts/ends,refunds/restart"]
      ])
      expect(code).toBe(1)
      const lines = out.split("\n")
      expect(lines.filter((line) => [...line].length > 80)).toEqual([])
      expect(out).not.toContain(connector.secret.slice(6))
      expect(lines).toContain("ok       payouts/ends")
      expect(lines).toContain("FAILED   payouts/conflict")
      expect(lines).toContain("1 passed, 1 failed, 1 skipped, 0 not run")
      const failure = out.slice(out.indexOf("\nFAILED payouts/conflict\n"))
      const text = failure.replace(/\n\s+/g, " ")
      expect(text).toMatch(/found\s+Other content under an id that the connector has taken is answered "accepted"/)
      expect(text).toMatch(/rule\s+An id that is known with other content is answered `conflict`/)
      expect(text).toMatch(/why\s+The recipient is paid twice/)
      expect(failure.match(/^ {2}sent /gm)).toHaveLength(2)
      expect(failure.match(/^ {2}came /gm)).toHaveLength(2)
      expect(text).toMatch(/again\s+corridor check-provider --url \S+ --secret … --seed s7 --only payouts\/conflict/)
    } finally {
      await proxy.close()
    }
  })

  it("says before anything moves that it moves money, in which currency, how much, and the limits", async () => {
    const { out } = await run("--only", "manifest/well-formed", "--currency", "KES", "--max-amount", "20.50")
    const text = out.replace(/\n\s+/g, " ")
    expect(text).toMatch(/THIS RUN PAYS OUT .* of 1\.00 to 20\.50 KES each/)
    expect(text).toMatch(/limits\s+at most 5000 calls and 600 s/)
  })
})

describe("a run", () => {
  covers("CONFORMANCE-1", "CONFORMANCE-4", "CONFORMANCE-5")
  it("skips what it cannot judge, with the reason", async () => {
    const only = ["payouts/restart", "callbacks/signed", "refunds/repeat", "books/one-payment-each", "amounts/maximum"]
    const { code, report } = await reported("--only", only.join(","))
    expect(Object.fromEntries(report.verdicts.map(({ id, reason }) => [id, reason]))).toEqual({
      "payouts/restart": "--start or --restart is not given",
      "callbacks/signed": "the manifest has no callbacks",
      "refunds/repeat": "--pay-in is not given: there is no money to return",
      "books/one-payment-each": "no other case of this run moves money",
      "amounts/maximum": "the maximum, 50000000.00, is above --max-amount"
    })
    expect(code).toBe(0)
  })

  covers("CONFORMANCE-1")
  it("fails no connector whose manifest has no `id`, which is optional, and says what it means", async () => {
    const proxy = await startLyingProxy(connector.url, connector.secret, {
      result: (result, { operation }) => (operation === "manifest" ? { ...result, id: undefined } : result)
    })
    try {
      const { code, out } = await check([
        ...["--url", proxy.url, "--secret", connector.secret, "--watch", "50", "--json", "--only", "manifest"]
      ])
      const { verdicts } = JSON.parse(out) as Report
      expect(verdicts.filter(({ status }) => status === "failed")).toEqual([])
      const reason = verdicts.find(({ id }) => id === "manifest/identity-stays")?.reason
      expect(reason).toMatch(/^the manifest has no `id`: under another name, Corridor knows/)
      expect(code).toBe(0)
    } finally {
      await proxy.close()
    }
  })

  it("skips what the manifest does not offer", async () => {
    const offers = JSON.stringify([{ operation: "payout", currency: "NGN" }, { operation: "statements" }])
    const small = await startConnector("node", { CONNECTOR_DELAY_MS: "20", CONNECTOR_OFFERS: offers })
    try {
      const only = "payouts/repeat,conversions/repeat,issues/repeat,verifications/repeat,screening,directory,rates"
      const args = ["--url", small.url, "--secret", small.secret, "--watch", "50", "--json", "--only", only]
      const report = JSON.parse((await check(args)).out) as Report
      expect(idsOf(report, "passed")).toEqual(["payouts/repeat"])
      expect(report.verdicts.find(({ id }) => id === "conversions/repeat")?.reason).toBe("no conversion is offered")
      expect(idsOf(report, "failed")).toEqual([])
    } finally {
      await small.stop()
    }
  })

  it("pays no more than --max-amount at once", async () => {
    const before = connector.executions().length
    const { report } = await reported("--only", "payouts,amounts", "--max-amount", "30.00")
    expect(report.verdicts.filter(({ status }) => status === "failed")).toEqual([])
    const executed = connector.executions().slice(before)
    expect(executed.length).toBeGreaterThan(50)
    expect(executed.filter(({ minor }) => minor > 3000n)).toEqual([])
    expect(new Set(executed.map(({ minor }) => minor)).size).toBeGreaterThan(20)
  })

  it("ends at its limit of calls: what did not run is no pass", async () => {
    const { code, report } = await reported("--only", "payouts,signatures", "--max-calls", "60")
    expect(report.calls).toBeLessThanOrEqual(60)
    expect(idsOf(report, "not-run").length).toBeGreaterThan(0)
    expect(report.verdicts.find(({ status }) => status === "not-run")?.reason).toBe(
      "the limit of 60 calls is reached (--max-calls)"
    )
    expect(code).toBe(1)
  })

  it("ends at its limit of time", async () => {
    const { code, report } = await reported("--only", "payouts", "--max-seconds", "1")
    expect(code).toBe(1)
    expect(idsOf(report, "not-run").length).toBeGreaterThan(0)
  })
})
