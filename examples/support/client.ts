/** HTTP client of the examples: fetch, with an error that names the code. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Receiver } from "../../src/receiver/index.ts"

export class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(`${status} ${code}: ${message}`)
    this.status = status
    this.code = code
  }
}

/** Returns the `data` of the response. `any`, because its shape depends on the route. */
export type Call = (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object) => Promise<any>

/** A client with `token`, an API key or the operator token. Errors: rejects with {@link Refused}. */
export const callWith =
  (base_url: string, token: string): Call =>
  async (method, path, body) => {
    const answer = await fetch(base_url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const { code, data, message } = (await answer.json()) as { code: string; data: any; message: string }
    if (!answer.ok) throw new Refused(answer.status, code, `${method} ${path}: ${message}`)
    return data
  }

export interface Listening {
  readonly url: string
  readonly close: () => void
}

/**
 * Listens for deliveries and passes them to a receiver. An unhandled delivery is not acknowledged, and will be
 * repeated.
 */
export const listen = async (receiver: Receiver, port: number): Promise<Listening> => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      void receiver.receive(Buffer.concat(chunks), request.headers).then(
        ({ status }) => response.writeHead(status).end(),
        () => response.writeHead(500).end()
      )
    })
  }).listen(port, "127.0.0.1")
  await new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
