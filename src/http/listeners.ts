/**
 * Where connections come in. The event loop takes one new connection of a listener in each of its turns, however many wait:
 * under load a turn takes long, and who connects would wait for seconds behind those who are connected already. So a server
 * has many listeners on its port, among which the kernel divides who comes (`SO_REUSEPORT`), where there is such a thing.
 */
import { Server } from "node:http"
import { createServer, type ListenOptions, type Server as SocketServer } from "node:net"
import { Effect } from "effect"
import { ServeError } from "effect/http/HttpServerError"
import { sha256 } from "./request.ts"

export interface Address {
  readonly host: string
  readonly port: number
}

const reusePort = process.platform === "linux"
const LISTENERS = reusePort ? 32 : 1

/** How many connections may wait: who finds no place is only heard again after a second, or three, or seven. */
const backlog = 4096

/** How the server itself listens. */
export const listenOptions = ({ host, port }: Address) => ({ host, port, backlog, reusePort })

const listening = (server: SocketServer, options: ListenOptions): Effect.Effect<void, ServeError> =>
  Effect.callback((resume) => {
    server.once("error", (cause) => resume(Effect.fail(new ServeError({ cause }))))
    server.listen(options, () => resume(Effect.void))
  })

const closed = (server: SocketServer): Effect.Effect<void> =>
  Effect.callback((resume) => void server.close(() => resume(Effect.void)))

/**
 * The port to listen on, for this process alone: the one that is named, or any for 0. It stays this process' until it ends.
 *
 * Errors: `ServeError` where another process listens, or is about to. Of those that share a port none would notice another,
 * so it is taken by a name as well, which the kernel gives to one process at a time.
 */
export const claimPort = ({ host, port }: Address): Effect.Effect<number, ServeError> => {
  const claim = Effect.gen(function* () {
    const probe = createServer((socket) => void socket.destroy())
    yield* listening(probe, { host, port })
    const address = probe.address()
    const found = typeof address === "object" && address !== null ? address.port : port
    yield* closed(probe)
    if (reusePort) yield* listening(createServer().unref(), { path: `\0corridor ${sha256(`${host}:${found}`)}` })
    return found
  })
  return port === 0 ? Effect.retry(claim, { times: 8 }) : claim
}

/** An HTTP server that more than one listener may bring connections to. */
export class SharedPortServer extends Server {
  readonly #more = Array.from({ length: LISTENERS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void this.emit("connection", socket))
  )

  /** Begins to listen beside the server itself, which listens already. Errors: `ServeError`. */
  listenMore(at: Address): Effect.Effect<void, ServeError> {
    return Effect.forEach(this.#more, (server) => listening(server, listenOptions(at)), { discard: true })
  }

  /** As of any server, but of all its listeners: it has closed when the connections of each have ended. */
  override close(callback?: (error?: Error) => void): this {
    let left = this.#more.length
    let failure: Error | undefined
    const ended = (error?: Error): void => {
      failure ??= error
      if (left-- === 0) callback?.(failure)
    }
    for (const server of this.#more) server.close(() => ended())
    return super.close(ended)
  }
}
