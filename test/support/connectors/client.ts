/** Corridor's side of the provider protocol, and what a stranger may send instead. */
import { randomUUID } from "node:crypto"
import { Result } from "effect"
import { sign } from "../../../src/engine/crypto/signing.ts"
import { readAnswer } from "../../../src/protocol/messages.ts"
import type { Operation } from "../../../src/protocol/operations.ts"

export interface Sent {
  readonly request_id: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** What a test may do otherwise than Corridor does. */
export interface Otherwise {
  readonly secret?: string
  readonly timestamp_seconds?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text?: string
}

export interface ProtocolClient {
  /** Sends one signed request, and returns what comes back, whatever it is. */
  readonly send: (method: string, path: string, body?: object, otherwise?: Otherwise) => Promise<Sent>
  /** The result of a read, as it was sent: throws unless Corridor takes the answer. */
  readonly get: (path: string, operation: Operation, id?: string) => Promise<any>
  /** The result of a command by its id. `path` is without the id. */
  readonly put: (path: string, operation: Operation, id: string, members: object) => Promise<any>
  readonly post: (path: string, operation: Operation, id: string, members: object) => Promise<any>
}

export const protocolClient = (url: string, secret: string): ProtocolClient => {
  const send: ProtocolClient["send"] = async (method, path, body, otherwise = {}) => {
    const request_id = `msg_${randomUUID()}`
    const text = otherwise.text ?? (body === undefined ? "" : JSON.stringify(body))
    const timestamp = otherwise.timestamp_seconds ?? Math.floor(Date.now() / 1000)
    const response = await fetch(url + path, {
      method,
      headers: {
        "content-type": "application/json",
        "webhook-id": request_id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": sign([otherwise.secret ?? secret], request_id, timestamp, text),
        ...otherwise.headers
      },
      ...(text === "" ? {} : { body: text })
    })
    return { request_id, status: response.status, headers: response.headers, text: await response.text() }
  }
  const resultOf = (sent: Sent, operation: Operation, id: string | null): any => {
    const { request_id, status, text } = sent
    if (status !== 200) throw new Error(`${status}: ${text}`)
    const read = readAnswer(
      { operation, id, request_id, method: "GET", path: "", headers: {}, body: "" },
      { status, headers: Object.fromEntries(sent.headers), body: Buffer.from(text) },
      { secrets: [secret], now_ms: Date.now() }
    )
    if (Result.isFailure(read)) throw new Error(`${read.failure.reason}: ${read.failure.message}: ${text}`)
    return (JSON.parse(text) as { readonly result: unknown }).result
  }
  return {
    send,
    get: async (path, operation, id) => resultOf(await send("GET", path), operation, id ?? null),
    put: async (path, operation, id, members) =>
      resultOf(await send("PUT", `${path}/${encodeURIComponent(id)}`, { operation, id, ...members }), operation, id),
    post: async (path, operation, id, members) =>
      resultOf(await send("POST", path, { operation, id, ...members }), operation, id)
  }
}
