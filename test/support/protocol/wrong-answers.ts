/** Every way in which an answer of a connector can be wrong. */
import type { UnknownOutcome } from "../../../src/protocol/client.ts"
import { type Exchange, secretOf } from "./scripted-connector.ts"

/**
 * What releases money, if it counted: the look-up knows nothing, the submission is refused for ever.
 */
const releasing = ({ request }: Exchange) =>
  request.operation.endsWith("_status")
    ? { status: "absent" }
    : { status: "rejected", reason: "no such account", refundable: true }

/**
 * Wrong answers, each around a result that would release money, and why it does not count.
 */
export const wrongAnswers: ReadonlyArray<readonly [string, UnknownOutcome["reason"], (exchange: Exchange) => void]> = [
  [
    "unsigned",
    "unsigned",
    (exchange) =>
      exchange.answer(releasing(exchange), { change: (headers, body) => (delete headers["webhook-signature"], body) })
  ],
  [
    "signed with another secret",
    "unsigned",
    (exchange) => exchange.answer(releasing(exchange), { secrets: [secretOf(1)] })
  ],
  [
    "changed on the way",
    "unsigned",
    (exchange) => exchange.answer(releasing(exchange), { change: (_, body) => body.replace("status", "Status") })
  ],
  [
    "with two signatures in two headers",
    "unsigned",
    (exchange) =>
      exchange.answer(releasing(exchange), {
        change: (headers, body) => (
          Object.assign(headers, { "webhook-signature": ["v1,a", headers["webhook-signature"]] }), body
        )
      })
  ],
  ["stale", "stale", (exchange) => exchange.answer(releasing(exchange), { ahead_ms: -301_000 })],
  ["from the future", "stale", (exchange) => exchange.answer(releasing(exchange), { ahead_ms: 302_000 })],
  [
    "replayed from another request",
    "mismatched",
    (exchange) => exchange.answer(releasing(exchange), { as: { request_id: "req_0" } })
  ],
  [
    "for another command",
    "mismatched",
    (exchange) => exchange.answer(releasing(exchange), { as: { id: "off_2.payout" } })
  ],
  [
    "for another operation",
    "mismatched",
    (exchange) =>
      exchange.answer(releasing(exchange), {
        as: { operation: exchange.request.operation.endsWith("_status") ? "conversion_status" : "conversion" }
      })
  ],
  ...[201, 204, 301, 302, 307, 400, 401, 404, 409, 410, 422, 429, 500, 502, 503, 504].map(
    (status) =>
      [
        `with the status ${status}`,
        "status",
        (exchange: Exchange) =>
          exchange.answer(releasing(exchange), {
            status,
            change: (headers, body) =>
              status === 204
                ? ""
                : (Object.assign(headers, status < 400 && status >= 300 ? { location: "/base/payouts/elsewhere" } : {}),
                  body)
          })
      ] as const
  ),
  [
    "cut off",
    "disconnected",
    (exchange) =>
      exchange.answer(releasing(exchange), {
        change: (headers, body) => {
          headers["content-length"] = String(Buffer.byteLength(body) + 10)
          setImmediate(() => setImmediate(() => exchange.response.destroy()))
          return body
        }
      })
  ],
  ["that never comes: the connection is closed", "disconnected", ({ incoming }) => incoming.socket.destroy()],
  ["that never comes: silence", "timeout", () => {}],
  [
    "that drips",
    "timeout",
    ({ response }) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write(" "), 20)
      response.on("close", () => clearInterval(drip))
    }
  ],
  [
    "of 200 MB",
    "too_large",
    ({ response }) => {
      const chunk = Buffer.alloc(1024 * 1024, 32)
      let left = 200
      const more = (): void => {
        while (left-- > 0) if (!response.write(chunk)) return void response.once("drain", more)
        response.end()
      }
      response.writeHead(200, { "content-length": 200 * 1024 * 1024 })
      more()
    }
  ],
  [
    "that is not HTTP",
    "disconnected",
    ({ incoming }) => {
      incoming.socket.end("hello\r\n\r\n")
    }
  ]
]
