/** A connector on loopback, whose every answer a test writes: signed and right, or wrong in any way that TCP allows. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Result } from "effect"
import { makeAnswer, readRequest, type RequestFault, type VerifiedRequest } from "../../../src/protocol/messages.ts"
import type { Operation, ResultOf } from "../../../src/protocol/operations.ts"
import { signMessage } from "../../../src/protocol/signature.ts"

export const secretOf = (fill: number): string => `whsec_${Buffer.alloc(32, fill).toString("base64")}`
export const secret = secretOf(7)

/** One exchange: the request as read, and the response to write. */
export interface Exchange {
  readonly request: VerifiedRequest
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  /** Signs and sends a result. `options` make it wrong. */
  readonly answer: (
    result: unknown,
    options?: {
      readonly status?: number
      readonly secrets?: ReadonlyArray<string>
      readonly ahead_ms?: number
      readonly as?: { readonly operation?: Operation; readonly id?: string | null; readonly request_id?: string }
      /** Changes the body before it is signed. */
      readonly resign?: (body: string) => string
      /** Changes the signed message before it is sent. */
      readonly change?: (headers: Record<string, string>, body: string) => string
    }
  ) => void
}

export interface ScriptedConnector {
  readonly url: string
  /** The requests that were valid, oldest first. */
  readonly received: ReadonlyArray<VerifiedRequest>
  /** Why others were not. */
  readonly refused: ReadonlyArray<RequestFault>
  script: (exchange: Exchange) => void
}

/** Starts a connector; it stops with the scope. */
export const makeScriptedConnector = (
  script: (exchange: Exchange) => void,
  secrets: ReadonlyArray<string> = [secret]
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<VerifiedRequest> = []
      const refused: Array<RequestFault> = []
      let made = 0
      const server = createServer((incoming, response) => {
        const chunks: Array<Buffer> = []
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
        incoming.on("end", () => {
          const now_ms = Date.now()
          const read = readRequest(
            {
              method: incoming.method!,
              path: incoming.url!.replace(/^\/base/, ""),
              headers: incoming.headers as Record<string, string>,
              body: Buffer.concat(chunks)
            },
            { secrets, now_ms }
          )
          if (Result.isFailure(read)) {
            refused.push(read.failure)
            response.writeHead(read.failure.status).end(read.failure.message)
            return
          }
          const request = read.success
          received.push(request)
          connector.script({
            request,
            incoming,
            response,
            answer: (result, { status = 200, secrets: own = secrets, ahead_ms = 0, as = {}, resign, change } = {}) => {
              const signing = { secrets: own, now_ms: now_ms + ahead_ms }
              const id = `ans_${++made}`
              const answer = makeAnswer({ ...request, ...as }, result as ResultOf<Operation>, id, signing)
              const text = resign?.(answer.body) ?? answer.body
              const signed = resign === undefined ? {} : signMessage(own, id, signing.now_ms, text)
              const headers = { ...answer.headers, ...signed } as Record<string, string>
              const body = change?.(headers, text) ?? text
              response.writeHead(status, headers).end(body)
            }
          })
        })
      })
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
      const { port } = server.address() as AddressInfo
      const connector: ScriptedConnector & { readonly stop: () => Promise<void> } = {
        url: `http://127.0.0.1:${port}/base`,
        received,
        refused,
        script,
        stop: () =>
          new Promise((stopped) => {
            server.close(() => stopped())
            server.closeAllConnections()
          })
      }
      return connector
    }),
    ({ stop }) => Effect.promise(stop)
  )
