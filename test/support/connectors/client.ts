/** Corridor's side of the provider protocol: signs requests, and takes an answer only when it is signed and bound. */
import { randomUUID } from "node:crypto"
import { sign, verify } from "../../../src/engine/crypto/signing.ts"

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

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
  readonly signal?: AbortSignal
}

export interface ProtocolClient {
  /** Sends one signed request, and returns what comes back, whatever it is. */
  readonly send: (method: string, path: string, body?: object, otherwise?: Otherwise) => Promise<Sent>
  /** The result of a read: throws unless the answer has status 200, is signed, and is bound to the request. */
  readonly get: (path: string, operation: string, id?: string) => Promise<any>
  /** The result of a command by its id. `path` without the id. */
  readonly put: (path: string, operation: string, id: string, members: object) => Promise<any>
  readonly post: (path: string, operation: string, id: string, members: object) => Promise<any>
}

export const protocolClient = (url: string, secret: string): ProtocolClient => {
  const send: ProtocolClient["send"] = async (method, path, body, otherwise = {}) => {
    const request_id = `msg_${randomUUID()}`
    const text = otherwise.text ?? (body === undefined ? "" : JSON.stringify(body))
    const timestamp = otherwise.timestamp_seconds ?? nowSeconds()
    const response = await fetch(url + path, {
      method,
      headers: {
        "content-type": "application/json",
        "webhook-id": request_id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": sign([otherwise.secret ?? secret], request_id, timestamp, text),
        ...otherwise.headers
      },
      ...(text === "" ? {} : { body: text }),
      ...(otherwise.signal === undefined ? {} : { signal: otherwise.signal })
    })
    return { request_id, status: response.status, headers: response.headers, text: await response.text() }
  }
  const resultOf = ({ headers, request_id, status, text }: Sent, operation: string, id: string | null): any => {
    if (status !== 200) throw new Error(`${status}: ${text}`)
    const header = (name: string): string | undefined => headers.get(name) ?? undefined
    const given = {
      id: header("webhook-id"),
      timestamp: header("webhook-timestamp"),
      signature: header("webhook-signature")
    }
    const fault = verify([secret], given, text, nowSeconds())
    if (fault !== null) throw new Error(`the signature of the answer is ${fault}`)
    const { result, ...bound } = JSON.parse(text) as { readonly result: unknown }
    const expected = { request_id, operation, id }
    if (JSON.stringify(bound) !== JSON.stringify(expected)) throw new Error(`bound to ${JSON.stringify(bound)}`)
    return result
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
