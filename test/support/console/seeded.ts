/** What the console's queues and merchant pages show: entries of every kind, some of them entered by strangers. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { HttpWebhookSink } from "../../../src/adapters/webhook/http.ts"
import type { Stock } from "../http/stocked-server.ts"
import { makeHeldDeposit, openException } from "../http/successful-requests.ts"
import { type Served, serveConsole } from "./served.ts"

/** What a stranger may enter. It is shown, and never runs. */
export const hostile = `<img src=x onerror="document.title='run'"><script>document.title="run"</script>`

export interface Receiver {
  readonly url: string
  /** The status with which it answers from now on. */
  answer: number
  readonly received: Array<{ readonly id: string; readonly body: string }>
  readonly close: () => void
}

const receiver = async (): Promise<Receiver> => {
  const received: Array<{ readonly id: string; readonly body: string }> = []
  const server: Server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      received.push({ id: String(request.headers["webhook-id"]), body })
      response.writeHead(it.answer).end(hostile)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const it: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    answer: 200,
    received,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
  return it
}

export interface Seeded extends Served {
  readonly receiver: Receiver
  /** An active endpoint at the receiver, with one delivery that failed and one that was acknowledged. */
  readonly endpoint: string
  readonly exception: string
  /** An exception whose money came to nobody: it can be credited and refunded. */
  readonly unmatched: string
  readonly deposit: string
  readonly request: string
  readonly review: string
}

/** A pay-in in another currency than its wallet's: the money waits in suspense. */
export const makeUnmatchedDeposit = async (s: Stock): Promise<string> => {
  await s.make("/sandbox/deposits", {
    deposit_address_id: s.address,
    amount: "75.5",
    currency: "USDT",
    narration: hostile,
    sender: { name: hostile }
  })
  const { json } = await s.operate("/operator/v1/exceptions?status=open")
  return json.data.find((one: any) => one.currency === "USDT").id
}

export const seedConsole = async (): Promise<Seeded> => {
  const target = await receiver()
  const served = await serveConsole({
    sink: HttpWebhookSink.layer({ environment: "test", timeout_ms: 2000, user_agent: "Corridor/test" })
  })
  const s = served.stock
  await s.make("/v1/beneficiaries", {
    type: "crypto",
    name: hostile,
    label: hostile,
    currency: "USDC",
    details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV", memo: "<b>1" }
  })
  await s.make("/v1/wallets", {
    currency: "USDT",
    customer_id: s.customer,
    label: hostile,
    metadata: { note: hostile }
  })
  await s.make("/v1/api-keys", { role: "viewer", label: hostile })
  const hooks = "/v1/notifications/webhooks"
  const { id: endpoint } = await s.make(hooks, { url: target.url, description: hostile })
  await s.make(`${hooks}/${endpoint}`, { active: true }, { method: "PATCH" })
  target.answer = 500
  await s.make("/sandbox/deposits", { wallet_id: s.wallet, amount: "12.50" })
  await s.settle()
  target.answer = 200
  await s.make(`${hooks}/${endpoint}/ping`, {})
  await s.settle()
  const { id: request } = await s.make("/v1/currencies/EUR/access-requests", { reason: hostile })
  const exception = await openException(s)
  await s.operate("/operator/v1/brakes", {
    method: "POST",
    body: { scope: "corridor", source_currency: "USDT", destination_currency: "KES", note: hostile }
  })
  // A verification that its customer has opened, which is under review.
  const person = {
    type: "individual",
    name: hostile,
    email: "eve@example.com",
    country_code: "NG",
    merchant_reference: hostile
  }
  const { id: customer } = await s.make("/v1/customers", person)
  const { id } = await s.make(`/v1/customers/${customer}/verifications`, {})
  await s.make(`/sandbox/verifications/${id}`, { outcome: "opened" })
  return {
    ...served,
    receiver: target,
    endpoint,
    exception,
    unmatched: await makeUnmatchedDeposit(s),
    deposit: await makeHeldDeposit(s),
    request,
    review: id,
    close: async () => {
      await served.close()
      target.close()
    }
  }
}
