/**
 * A minimal receiver: verifies each delivery with the Standard Webhooks reference library and prints it. In production,
 * acknowledge first and work afterwards. `event_id` is the same on every retry.
 *
 *   WEBHOOK_SECRET=whsec_… node examples/webhook-receiver.mjs
 */
import { createServer } from "node:http"
import { Webhook } from "standardwebhooks"

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? "")
const port = Number(process.env.PORT ?? 4000)

createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (chunk) => (body += chunk))
  request.on("end", () => {
    try {
      const event = webhook.verify(body, request.headers)
      response.writeHead(204).end()
      console.log(`${event.event_type} #${event.event_sequence} ${event.event_object_id} ${event.event_object_status}`)
    } catch (error) {
      response.writeHead(400).end()
      console.error(`rejected: ${error.message}`)
    }
  })
}).listen(port, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${port}`))
