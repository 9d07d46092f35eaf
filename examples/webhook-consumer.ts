/**
 * A complete webhook consumer: creates an endpoint, catches up on missed events, receives deliveries, and prints the
 * status of each object. Stop it with Ctrl-C; it then deletes its endpoint.
 *
 * Run it beside `npm start`: CORRIDOR_API_KEY=sk_test_… node examples/webhook-consumer.ts
 */
import { feedOf, makeReceiver, memoryReceiverStore } from "../src/receiver/index.ts"
import { callWith, listen } from "./support/client.ts"

const base_url = process.env["CORRIDOR_URL"] ?? "http://127.0.0.1:8080"
const api_key = process.env["CORRIDOR_API_KEY"] ?? ""
const call = callWith(base_url, api_key)

const secrets: Array<string> = []
const receiver = makeReceiver({
  secrets,
  store: memoryReceiverStore(),
  handler: (event, { effect, held }) =>
    console.log(`${event.event_type} of ${event.event_object_id} (${effect}): status ${held.status}`)
})
const { close, url } = await listen(receiver, Number(process.env["PORT"] ?? 4000))

const endpoint = await call("POST", "/v1/notifications/webhooks", { url, description: "examples/webhook-consumer.ts" })
secrets.push(endpoint.signing_secret)
await call("PATCH", `/v1/notifications/webhooks/${endpoint.id}`, { active: true })
// Catch up after the endpoint is active, so that no event is missed in between.
console.log(`listening on ${url}; caught up on ${await receiver.catchUp(feedOf({ base_url, api_key }))} events`)

await new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve))
await call("DELETE", `/v1/notifications/webhooks/${endpoint.id}`)
close()
