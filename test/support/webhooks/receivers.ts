/** Receivers on loopback for delivery tests, and a watch on every connection this process tries to make. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Effect, type Scope } from "effect"

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly port: number
  readonly url: string
  readonly received: Array<Received>
  /** TCP connections it was offered. */
  readonly connections: () => number
}

const listening = (server: Server, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port))
  })

/** A receiver that records what comes and answers with `respond`; it is closed with the scope. */
export const receiver = (
  respond: RequestListener = (_, response) => void response.writeHead(204).end(),
  host = "127.0.0.1"
): Effect.Effect<Receiver, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<Received> = []
      let connections = 0
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          received.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() })
          respond(request, response)
        })
      }).on("connection", () => {
        connections += 1
      })
      const port = await listening(server, host)
      const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}/hook`
      return { server, port, url, received, connections: () => connections }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      })
  )

/** Counts the addresses that sockets of this process begin to connect to, until the scope ends. */
export const watchConnections: Effect.Effect<ReadonlyArray<string>, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const attempts: Array<string> = []
    const watch = (message: unknown): void => {
      const { socket } = message as { socket: Socket }
      socket.on("connectionAttempt", (address: string, port: number) => attempts.push(`${address}:${port}`))
      socket.on("connect", () => attempts.push(`${socket.remoteAddress}:${socket.remotePort}`))
    }
    subscribe("net.client.socket", watch)
    return { attempts, watch }
  }),
  ({ watch }) => Effect.sync(() => unsubscribe("net.client.socket", watch))
).pipe(Effect.map(({ attempts }) => attempts))
