/** The examples that need a running service, against one that is served as `npm start` serves it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openApiDocument } from "../../../scripts/openapi.ts"
import { categories } from "../../../src/engine/reference/vocabulary.ts"
import { serveHere, type ServedHere } from "../../support/http/served-here.ts"
import { apiKey, operatorToken, startFile } from "../../support/http/served-process.ts"
import { covers } from "../../support/repository/covers.ts"

let server: ServedHere
beforeAll(async () => {
  server = await serveHere({ CORRIDOR_SANDBOX_DELAY_MS: "1000" })
})
afterAll(async () => {
  await server.stop()
})

/** What the newcomer's day takes beside transfers, offramps and deposits. */
const routes = [
  "/v1/onramps",
  "/v1/conversions",
  "/v1/wallets/{id}/credentials",
  "/v1/currencies/{code}/access-requests",
  "/verifications"
]

describe("examples/newcomer.ts", () => {
  covers("SANDBOX-17", "SANDBOX-9")
  it("uses every resource, and ends with a balanced ledger and every event delivered", async () => {
    const document = JSON.stringify(openApiDocument())
    const isWhole = routes.every((route) => document.includes(`${route}"`))
    const newcomer = startFile(
      "examples/newcomer.ts",
      { CORRIDOR_URL: server.url, CORRIDOR_OPERATOR_TOKEN: operatorToken },
      isWhole ? ["--all"] : []
    )
    expect(await newcomer.exit, newcomer.output()).toBe(0)
    expect(newcomer.output()).toContain("ok a balanced ledger, and nothing stuck")
    expect(newcomer.output()).toContain("ok every event of the feed was delivered")
    for (const category of categories) expect(newcomer.output()).toMatch(new RegExp(` ${category}\\.\\w+$`, "m"))
  })

  it("exits with 1 if a step fails", async () => {
    const slow = await serveHere({ CORRIDOR_RATE_LIMIT_PER_SECOND: "1" })
    const newcomer = startFile("examples/newcomer.ts", {
      CORRIDOR_URL: slow.url,
      CORRIDOR_OPERATOR_TOKEN: operatorToken
    })
    expect(await newcomer.exit).toBe(1)
    expect(newcomer.output()).toMatch(/!! .*429 rate_limited/)
    await slow.stop()
  })
})

describe("examples/webhook-consumer.ts", () => {
  const ask = async (path: string, body?: object): Promise<any> => {
    const answer = await fetch(server.url + path, {
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
    })
    return ((await answer.json()) as { data: unknown }).data
  }

  it("catches up, prints the events it receives, and deletes its endpoint", async () => {
    const wallet = await ask("/v1/wallets", { currency: "USDC" })
    const before = await ask("/sandbox/deposits", { wallet_id: wallet.id, amount: "1.00" })
    const consumer = startFile("examples/webhook-consumer.ts", {
      CORRIDOR_URL: server.url,
      CORRIDOR_API_KEY: apiKey,
      PORT: "0"
    })
    await consumer.printed(/listening on .*; caught up on 1 events/)
    const during = await ask("/sandbox/deposits", { wallet_id: wallet.id, amount: "2.00" })
    for (const { transaction_id } of [before, during]) {
      await consumer.printed(new RegExp(`deposit.confirmed of ${transaction_id} \\(applied\\): status confirmed`))
    }
    consumer.child.kill("SIGINT")
    expect(await consumer.exit).toBe(0)
    expect(await ask("/v1/notifications/webhooks")).toEqual([])
  })
})

describe("examples/paystack/demo.ts", () => {
  covers("COMPANY-1")
  it("pays to Lagos through a Paystack, in the words of the quickstart", async () => {
    const demo = startFile("examples/paystack/demo.ts", {})
    expect(await demo.exit, demo.output()).toBe(0)
    expect(demo.output()).toContain("ok a beneficiary at")
    expect(demo.output()).toMatch(/paystack answered the submission/)
    expect(demo.output()).toContain("ok a payout of 50000.00 NGN to 0001234567 is success")
  })
})
