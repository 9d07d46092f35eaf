/** `corridor webhooks`: how an endpoint does, and what failed is sent again. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { corridor } from "../support/cli/command-line.ts"
import { serveHere, type ServedHere } from "../support/http/served-here.ts"
import { apiKey, operatorToken } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"

let server: ServedHere
let receiver: Server
let answer = 200
let received = 0
beforeAll(async () => {
  server = await serveHere()
  receiver = createServer((request, response) => {
    request.resume().on("end", () => {
      received++
      response.writeHead(answer).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
})
afterAll(async () => {
  await server.stop()
  receiver.closeAllConnections()
  receiver.close()
})
const merchant = (...args: ReadonlyArray<string>) =>
  corridor(["webhooks", ...args], { CORRIDOR_URL: server.url, CORRIDOR_API_KEY: apiKey }, tmpdir())
const operator = (...args: ReadonlyArray<string>) =>
  corridor(["webhooks", ...args], { CORRIDOR_URL: server.url, CORRIDOR_OPERATOR_TOKEN: operatorToken }, tmpdir())

const ask = async (method: string, path: string, body?: object): Promise<any> => {
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const { data, message } = (await response.json()) as { readonly data: unknown; readonly message: string }
  expect([path, response.status, message]).toEqual([path, 200, message])
  return data
}

covers("CLI-27")
describe("corridor webhooks", () => {
  it("shows how an endpoint does, and sends all that failed again, once", async () => {
    const { port } = receiver.address() as AddressInfo
    const hooks = "/v1/notifications/webhooks"
    const { id } = await ask("POST", hooks, { url: `http://127.0.0.1:${port}/hook`, categories: ["deposit"] })
    expect((await merchant("health", id)).out).toBe("inactive\nNo delivery was attempted.\n")
    await ask("PATCH", `${hooks}/${id}`, { active: true })
    answer = 410
    const { id: wallet } = await ask("POST", "/v1/wallets", { currency: "USDC" })
    await ask("POST", "/sandbox/deposits", { wallet_id: wallet, amount: "5.00" })
    await ask("POST", "/sandbox/settle", {})
    await expect.poll(async () => (await merchant("health", id)).out).toMatch(/^inactive, switched off: gone\n/)
    const health = await operator("health", id)
    expect([health.code, health.out]).toEqual([0, expect.stringContaining("Last answer: returned HTTP 410, ")])
    expect(health.out).toMatch(/\nDelivered: 0\.0 % of 1 attempted, since \S+Z\n/)
    expect(health.out).toMatch(/deposit\.\w+: 1 attempts, 0 delivered, 1 failed, 0 pending\n$/)
    expect((await operator("replay-failed", id)).code).toBe(1)
    answer = 200
    await ask("PATCH", `${hooks}/${id}`, { active: true })
    const before = received
    const tried = await operator("replay-failed", id, "--dry-run", "--note", "back")
    expect([tried.code, tried.out]).toEqual([0, expect.stringMatching(/^Dry run: nothing is written\.\n[1-9]/)])
    expect(received).toBe(before)
    const sent = await operator("replay-failed", id, "--note", "back", "--json")
    expect(JSON.parse(sent.out)).toMatchObject({ id, remaining: 0 })
    await expect.poll(() => received).toBeGreaterThan(before)
    expect((await merchant("replay-failed", id)).out).toBe("0 events are sent again.\n")
  })
})
