/**
 * The smallest receiver: checks each delivery with the reference library of Standard Webhooks and prints what it was.
 * Acknowledge first, work afterwards; `event_id` is the same on every repeat.
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
      console.error(`refused: ${error.message}`)
    }
  })
}).listen(port, "127.0.0.1", () => console.log(`receives on http://127.0.0.1:${port}`))
