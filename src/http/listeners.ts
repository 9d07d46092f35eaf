/**
 * Listeners of the server. In each turn, the event loop accepts one connection per listener. Under load a turn is long, and
 * new connections would wait for seconds. A server therefore has many listeners on its port, among which the kernel
 * distributes connections (`SO_REUSEPORT`), where the platform supports it.
 */
import { Server } from "node:http"
import { createServer, type ListenOptions, type Server as SocketServer } from "node:net"
import { Effect, type Scope } from "effect"
import { ServeError } from "effect/http/HttpServerError"
import { sha256 } from "./request.ts"

interface ListenAddress {
  readonly host: string
  readonly port: number
}

const reusePort = process.platform === "linux"
const LISTENERS = reusePort ? 32 : 1

/** The length of the accept queue. A client that finds it full retries only after one second, then three, then seven. */
const backlog = 4096

export const makeListenOptions = ({ host, port }: ListenAddress) => ({ host, port, backlog, reusePort })

const listen = (server: SocketServer, options: ListenOptions): Effect.Effect<void, ServeError> =>
  Effect.callback((resume) => {
    server.once("error", (cause) => resume(Effect.fail(new ServeError({ cause }))))
    server.listen(options, () => resume(Effect.void))
  })

/** Stops a server of `claimPort`, which probes the port or holds the name of its socket. It ends when that is closed. */
const stopListening = (server: SocketServer): Effect.Effect<void> =>
  Effect.callback((resume) => void server.close(() => resume(Effect.void)))

/**
 * Claims a port for this process until the scope closes: the given port, or any free port for 0.
 *
 * Errors: `ServeError` if another process listens on the port or is about to. With `SO_REUSEPORT`, two processes could share
 * a port unnoticed. The process therefore also binds an abstract socket name, which only one process can have.
 */
export const claimPort = ({ host, port }: ListenAddress): Effect.Effect<number, ServeError, Scope.Scope> => {
  const claim = Effect.gen(function* () {
    const probe = createServer((socket) => void socket.destroy())
    yield* listen(probe, { host, port })
    const address = probe.address()
    const found = typeof address === "object" && address !== null ? address.port : port
    yield* stopListening(probe)
    if (reusePort) {
      const name = createServer().unref()
      yield* listen(name, { path: `\0corridor ${sha256(`${host}:${found}`)}` })
      yield* Effect.addFinalizer(() => stopListening(name))
    }
    return found
  })
  return port === 0 ? Effect.retry(claim, { times: 8 }) : claim
}

/** An HTTP server with several listeners. */
export class SharedPortServer extends Server {
  readonly #more = Array.from({ length: LISTENERS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void this.emit("connection", socket))
  )

  /** Starts the other listeners. The server itself must listen already. Errors: `ServeError`. */
  listenMore(at: ListenAddress): Effect.Effect<void, ServeError> {
    return Effect.forEach(this.#more, (server) => listen(server, makeListenOptions(at)), { discard: true })
  }

  /** Closes all listeners. The callback runs when the connections of each have ended. */
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
