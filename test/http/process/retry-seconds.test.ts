/** The retry schedule of the running server: seconds, as `CORRIDOR_WEBHOOK_RETRY_SECONDS` says, by the clock that the sandbox moves. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { serveHere, type ServedHere } from "../../support/http/served-here.ts"
import { apiKey } from "../../support/http/served-process.ts"

let served: ServedHere
beforeAll(async () => {
  served = await serveHere({ CORRIDOR_WEBHOOK_RETRY_SECONDS: "100,5000" })
})
afterAll(async () => {
  await served.stop()
})

const call = async (method: string, path: string, body?: object): Promise<any> => {
  const answer = await fetch(served.url + path, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const reply = (await answer.json()) as { readonly data: unknown }
  expect(answer.status, JSON.stringify(reply)).toBe(200)
  return reply.data
}

it("retries a delivery after the configured seconds, within ten percent", async () => {
  // Nobody listens there.
  const endpoint = await call("POST", "/v1/notifications/webhooks", { url: "http://127.0.0.1:9/" })
  const path = `/v1/notifications/webhooks/${endpoint.id}`
  await call("PATCH", path, { active: true })
  const wallet = await call("POST", "/v1/wallets", { currency: "USDC" })
  await call("POST", "/sandbox/deposits", { wallet_id: wallet.id, amount: "10" })
  await call("POST", "/sandbox/settle", {})
  for (const [n, seconds] of [100, 5000].entries()) {
    const [delivery] = await call("GET", `${path}/deliveries`)
    expect(delivery.attempts.length).toBe(n + 1)
    const waits = (Date.parse(delivery.next_attempt_at) - Date.parse(delivery.attempts[n].at)) / 1000
    expect(waits).toBeGreaterThan(seconds * 0.9 - 1)
    expect(waits).toBeLessThan(seconds * 1.1 + 5)
    await call("POST", "/sandbox/clock/advance", { seconds: Math.floor(seconds * 0.8) })
    expect((await call("GET", `${path}/deliveries`))[0].attempts.length).toBe(n + 1)
    await call("POST", "/sandbox/clock/advance", { seconds: Math.ceil(seconds * 0.4) })
  }
  const [delivery] = await call("GET", `${path}/deliveries`)
  expect([delivery.status, delivery.attempts.length, delivery.next_attempt_at]).toEqual(["failed", 3, null])
})
