/** A server that answers the manifest as a connector does, and nothing else: it records what it is sent. */
import { createServer } from "node:http"
import { makeAnswer } from "../../../src/protocol/messages.ts"
import type { ResultOf } from "../../../src/protocol/operations.ts"

export interface Recorded {
  readonly method: string
  readonly path: string
  /** Names and values, in the order in which they came. */
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: string
}

export interface Recorder {
  readonly url: string
  readonly requests: ReadonlyArray<Recorded>
  readonly close: () => Promise<void>
}

const manifest: ResultOf<"manifest"> = {
  protocol: "1",
  id: "recorder",
  offers: (["payout", "conversion", "payin", "issue", "verification", "rates", "statements"] as const).map(
    (operation) => ({
      operation,
      currency: "NGN",
      destination_currency: operation === "conversion" ? "USD" : null,
      country_code: null,
      network: null,
      minimum: null,
      maximum: null,
      cost: null
    })
  ),
  events: { callbacks: false, readable: false }
}

export const startRecorder = async (secret: string): Promise<Recorder> => {
  const requests: Array<Recorded> = []
  let count = 0
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    const { method = "", rawHeaders, url = "" } = request
    const record = (): void => {
      const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, i) => rawHeaders.slice(i * 2, i * 2 + 2))
      requests.push({
        method,
        path: url,
        headers: pairs.map(([name = "", value = ""]) => [name, value]),
        body: Buffer.concat(chunks).toString()
      })
    }
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => undefined)
    request.on("end", () => {
      record()
      if (url !== "/manifest") {
        response.writeHead(500).end()
        return
      }
      const about = { operation: "manifest", id: null, request_id: String(request.headers["webhook-id"]) } as const
      const signing = { secrets: [secret], now_ms: Date.now() }
      const { body, headers, status } = makeAnswer(about, manifest, `ans_${(count += 1)}`, signing)
      response.writeHead(status, headers as Record<string, string>).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  const { port } = server.address() as { readonly port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
