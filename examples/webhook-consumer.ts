/**
 * A consumer of webhooks, whole: it makes itself an endpoint, catches up on what it missed, takes deliveries, and shows
 * each object as it stands. Stop it with Ctrl-C; its endpoint goes with it.
 *
 * Run it beside `npm start`: CORRIDOR_API_KEY=sk_test_… node examples/webhook-consumer.ts
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { feedOf, makeReceiver, memoryReceiverStore } from "../src/receiver/index.ts"

const base_url = process.env["CORRIDOR_URL"] ?? "http://127.0.0.1:8080"
const api_key = process.env["CORRIDOR_API_KEY"] ?? ""
const port = Number(process.env["PORT"] ?? 4000)

const call = async (method: string, path: string, body?: object): Promise<any> => {
  const answer = await fetch(base_url + path, {
    method,
    headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const { code, data, message } = (await answer.json()) as { code: string; data: any; message: string }
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${code}: ${message}`)
  return data
}

const secrets: Array<string> = []
const receiver = makeReceiver({
  secrets,
  store: memoryReceiverStore(),
  handler: (event, { effect, held }) =>
    console.log(`${event.event_type} of ${event.event_object_id} (${effect}): it is ${held.status}`)
})

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const received = receiver.receive(Buffer.concat(chunks), request.headers)
    // What could not be handled is not acknowledged, and comes again.
    void received.then(
      ({ status }) => response.writeHead(status).end(),
      () => response.writeHead(500).end()
    )
  })
}).listen(port, "127.0.0.1")
await new Promise((resolve) => server.once("listening", resolve))

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
const endpoint = await call("POST", "/v1/notifications/webhooks", { url, description: "examples/webhook-consumer.ts" })
secrets.push(endpoint.signing_secret)
await call("PATCH", `/v1/notifications/webhooks/${endpoint.id}`, { active: true })
console.log(`listens on ${url}, ${await receiver.catchUp(feedOf({ base_url, api_key }))} events behind it`)

await new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve))
await call("DELETE", `/v1/notifications/webhooks/${endpoint.id}`)
server.close()
