/**
 * Node's server, with what it lacks: one request of a connection at a time, an end that waits for requests alone, and an envelope where
 * it would send an empty body: for bytes that are not an HTTP request, headers that are too large, a missing Host, an unknown
 * expectation and a tunnel (HTTP-14).
 */
import { type IncomingMessage, type Server, type ServerOptions, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { Clock, Effect } from "effect"
import type { Admission } from "../engine/calls/Admission.ts"
import { type Ids, makeSpareRequestId } from "../engine/ports/Ids.ts"
import { renderError, computeRetryAfter } from "./envelope.ts"
import { type Code, codeOf } from "../engine/calls/codes.ts"
import { keepAliveSeconds, sendSeconds } from "./settings.ts"
import { SharedPortServer } from "./listeners.ts"
import { readRequestId } from "./request.ts"

// The requests of a connection, one at a time: the next one begins when the response to the one before has been sent (RFC 9112,
// 9.3.2). A peer that sends many requests and reads no response therefore costs one response, whatever it asks for.

interface Entry {
  /** `undefined`: bytes that are no request. */
  readonly request: IncomingMessage | undefined
  readonly begin: () => void
}

/** How long requests may begin, in milliseconds, before the event loop goes round. It accepts one connection in a round. */
const shareMs = 5

/** What waits for the next round of the event loop. Probes are before the others; each have a share of the round. */
const waiting = { probes: [] as Array<() => void>, others: [] as Array<() => void> }
/** When the first request of this round began. */
let began: number | undefined

/** Begins waiting requests in order, for a share of time: at least one, and only those that already waited. */
const runShare = (queue: Array<() => void>): void => {
  const until = performance.now() + shareMs
  for (let left = queue.length; left > 0; left--) {
    queue.shift()!()
    if (performance.now() >= until) return
  }
}

const runRound = (): void => {
  began = performance.now()
  try {
    runShare(waiting.probes)
    runShare(waiting.others)
  } finally {
    // Also after a defect: the process may go on, and what waits must not wait for ever.
    if (waiting.probes.length + waiting.others.length > 0) setImmediate(runRound)
    else began = undefined
  }
}

/**
 * Begins a request, at once or in one of the next rounds of the event loop, so that many requests on some connections leave time
 * for requests on others.
 */
const beginTurn = (request: IncomingMessage, begin: () => void): void => {
  if (began === undefined) {
    began = performance.now()
    setImmediate(runRound)
  } else if (waiting.others.length > 0 || performance.now() - began >= shareMs)
    // Who asks for the health wants to know whether the process responds, and not how many requests wait.
    return void waiting[request.url?.startsWith("/health/") === true ? "probes" : "others"].push(begin)
  begin()
}

/** The most bytes that are parsed at once. Requests in them are known before the first of them has begun: at most 56 (HTTP/1.0). */
const slice = 1024

class Turns {
  readonly #socket: Socket
  /** How many of the next bytes are certain to be of a body: no request is in them. */
  #body = 0
  readonly #waiting: Array<Entry> = []
  #current: IncomingMessage | undefined
  #isOver = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Whether no request is in hand. */
  get isIdle(): boolean {
    return this.#current === undefined && this.#waiting.length === 0
  }

  /** Whether what arrives next must wait: a request is in hand as a whole, or others wait already. */
  get isBusy(): boolean {
    return this.#waiting.length > 0 || this.#current?.complete === true
  }

  /** Whether nothing more is read: the peer has sent bytes that are no request. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** How many bytes may be parsed next, of some that have arrived. */
  admit(arrived: number): number {
    const size = Math.max(Math.min(this.#body, arrived), slice)
    this.#body = Math.max(this.#body - size, 0)
    return size
  }

  enter(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const begin = (): void => {
      if (this.#socket.destroyed) return
      // The host has answered while the request waited: its `close` has been, or comes by itself.
      if (response.closed) return this.#leave()
      response.once("close", () => this.#leave())
      if (!response.writableEnded) handle()
    }
    if (this.#current === undefined) this.#begin({ request, begin })
    else this.#waiting.push({ request, begin })
  }

  /** Responds to bytes that are no request, after the requests before them. Those of a body are the last of its request. */
  end(respond: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#waiting.at(-1)?.request?.complete === false) this.#waiting.pop()
    if (this.#current?.complete === true) this.#waiting.push({ request: undefined, begin: respond })
    else respond()
  }

  #begin({ begin, request }: Entry): void {
    this.#current = request
    if (request === undefined) return begin()
    // What of its body has been parsed was in one slice with its headers.
    this.#body = Math.max(Number(request.headers["content-length"] ?? 0) - slice, 0)
    beginTurn(request, begin)
  }

  #leave(): void {
    this.#current = undefined
    if (this.#socket.destroyed) return
    const next = this.#waiting.shift()
    if (next !== undefined) this.#begin(next)
    else if (this.#socket.isPaused()) this.#socket.resume()
  }
}

const connections = new WeakMap<Socket, Turns>()

const getTurns = (socket: Socket): Turns => {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const turns = new Turns(socket)
  connections.set(socket, turns)
  return turns
}

/** Handles a request after the earlier requests on its connection have been answered. A connection of HTTP/2 has streams instead. */
export const handleInTurn = (request: IncomingMessage, response: ServerResponse, handle: () => void): void => {
  if (request.httpVersionMajor === 1) getTurns(request.socket).enter(request, response, handle)
  else handle()
}

/**
 * Limits what the parser of a connection may parse: while a request is in progress, what arrives stays in the kernel, except for
 * a buffer. Node by itself parses everything that it has read, up to 3,600 requests.
 */
const paceSocket = (socket: Socket): void => {
  const turns = getTurns(socket)
  const [parse] = socket.listeners("data") as [(bytes: Buffer) => void]
  socket.removeListener("data", parse)
  socket.on("data", (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; ) {
      if (socket.destroyed || turns.isOver) return
      // Node pauses too: while a body is not read, and while the socket takes no more.
      const { _paused } = socket as { readonly _paused?: boolean }
      if (turns.isBusy || _paused === true || socket.isPaused()) {
        socket.pause()
        socket.unshift(bytes.subarray(at))
        return
      }
      const size = turns.admit(bytes.length - at)
      parse(bytes.subarray(at, at + size))
      at += size
    }
  })
}

interface ServerError {
  readonly status: number
  readonly code: Code
  readonly message: string
  readonly headers?: { readonly [name: string]: string }
}

const makeBadRequest = (status: number, message: string): ServerError => ({ status, code: "bad_request", message })

/** Makes the response to a request that cannot be parsed, with the status that Node uses for the error. */
const respondToUnparsed = (code: string | undefined): ServerError => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return makeBadRequest(431, "The request line and headers are larger than 16 KiB, the maximum.")
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return makeBadRequest(413, "The chunk extensions of the body are too large.")
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return makeBadRequest(408, "The request did not arrive in time.")
    default:
      return makeBadRequest(
        400,
        "The request is not valid HTTP/1.1. Check its request line, its URL (ASCII, percent-encoded) and its headers."
      )
  }
}

const noHost = makeBadRequest(400, "The request has no Host header. HTTP/1.1 requires one.")
const noExpectation = makeBadRequest(417, "The Expect header accepts 100-continue only.")
const defective: ServerError = { status: 500, code: "internal_error", message: "An internal error occurred." }
const noTunnel: ServerError = { status: 404, code: "not_found", message: "The server does not open tunnels." }

/** The events of a request that was parsed. */
const asked: ReadonlySet<string | symbol> = new Set(["request", "checkContinue", "checkExpectation"])

export class EnvelopeServer extends SharedPortServer {
  /** How long a peer may take to read a response. Then its connection ends. */
  sendTimeout = sendSeconds * 1000
  #made: () => readonly [request_id: string, at: number] = () => [makeSpareRequestId(), 0]
  #log: (defect: unknown) => void = () => {}
  #docs_url = ""

  constructor(options: ServerOptions = {}) {
    super({
      // Node then passes on as requests what it would otherwise reject or upgrade.
      requireHostHeader: false,
      shouldUpgradeCallback: () => false,
      keepAliveTimeout: keepAliveSeconds * 1000,
      ...options
    })
    this.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
      this.respond(request, response, noExpectation)
    )
    this.on("connection", paceSocket)
    this.on("connect", (request: IncomingMessage, socket: Socket) =>
      getTurns(socket).end(() => this.#write(socket, noTunnel, readRequestId(request.headers["x-request-id"])))
    )
    this.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
      if (!socket.writable) return void socket.destroy(error)
      getTurns(socket).end(() => {
        const { _httpMessage: started } = socket as { readonly _httpMessage?: ServerResponse | null }
        if (started?.headersSent === true) socket.destroy(error)
        else this.#write(socket, respondToUnparsed(error.code), undefined)
      })
    })
  }

  /** Sets what the envelopes need. `run` provides the clock of the service. */
  configure(ids: Ids["Service"], docs_url: string, run: <A>(effect: Effect.Effect<A>) => A): void {
    const made = Effect.suspend(() => Effect.all([ids.make("req"), Clock.currentTimeMillis]))
    this.#docs_url = docs_url
    this.#log = (defect) => run(Effect.logError("a request cannot be handled", defect))
    this.#made = () => {
      try {
        return run(made)
      } catch {
        return [makeSpareRequestId(), 0]
      }
    }
  }

  /** Responds to a request with an error, without passing it on. */
  protected respond(request: IncomingMessage, response: ServerResponse, error: ServerError): void {
    const { text, headers } = this.#rendered(error, readRequestId(request.headers["x-request-id"]))
    response.writeHead(error.status, headers)
    response.end(text)
  }

  #write(socket: Socket, error: ServerError, given: string | undefined): void {
    const { text, headers } = this.#rendered(error, given)
    const lines = Object.entries({ ...headers, connection: "close" }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.on("error", () => {})
    socket.write(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join("")}\r\n${text}`)
    socket.destroySoon()
  }

  #rendered({ code, message, headers }: ServerError, given: string | undefined) {
    const [made, at] = this.#made()
    const request_id = given ?? made
    const text = renderError(code, message, undefined, this.#docs_url, request_id, at)
    return {
      text,
      headers: {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(text)),
        "x-request-id": request_id,
        "cache-control": "no-store",
        ...headers
      }
    }
  }

  /** Whether the server itself has responded to a request. */
  protected isAnswered(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.headers.host !== undefined || request.httpVersionMinor === 0) return false
    this.respond(request, response, noHost)
    return true
  }

  /** Ends a connection whose peer does not read its response. */
  #sent(socket: Socket, response: ServerResponse): void {
    response.once("prefinish", () => {
      const late = setTimeout(() => socket.destroy(), this.sendTimeout).unref()
      response.once("close", () => clearTimeout(late))
    })
  }

  /** A defect is that of its request: the process goes on, and so does the connection if nothing was sent of the response. */
  #failed(request: IncomingMessage, response: ServerResponse, defect: unknown): void {
    this.#log(defect)
    if (response.headersSent) request.socket.destroy()
    else this.respond(request, response, defective)
  }

  override emit(event: string | symbol, ...given: Array<unknown>): boolean {
    if (!asked.has(event)) return super.emit(event as "request", ...(given as [never, never]))
    const [request, response] = given as [IncomingMessage, ServerResponse]
    handleInTurn(request, response, () => {
      this.#sent(request.socket, response)
      try {
        if (!this.isAnswered(request, response)) super.emit(event as "request", ...(given as [never, never]))
      } catch (defect) {
        this.#failed(request, response, defect)
      }
    })
    return true
  }
}

/** The paths whose requests are limited. Those of the operator API and of the system are never rejected. */
const limited = /^\/(?:v1|sandbox)\//

/**
 * Rejects excess requests at the socket, before the routes. Under overload, a cheap rejection leaves time for the admitted
 * requests.
 */
export class GatedServer extends EnvelopeServer {
  readonly #admission: Admission

  constructor(admission: Admission) {
    super()
    this.#admission = admission
  }

  #isRejected(request: IncomingMessage, response: ServerResponse): boolean {
    if (!limited.test(request.url ?? "")) return false
    const refusal = this.#admission.full(request.method === "GET" ? "reads" : "writes")
    if (refusal === undefined) return false
    this.respond(request, response, {
      status: 429,
      code: codeOf(refusal),
      message: refusal.message,
      headers: { "retry-after": String(computeRetryAfter(refusal)) }
    })
    return true
  }

  protected override isAnswered(request: IncomingMessage, response: ServerResponse): boolean {
    return this.#isRejected(request, response) || super.isAnswered(request, response)
  }
}

/** How long a stopping server waits for requests, deliveries and jobs. */
export const graceMs = 10_000

/**
 * Lets a server close without waiting for idle connections: kept-alive connections, and connections opened ahead of a request,
 * for which `server.close()` waits as if a request were running. Returns the function that starts to drain.
 */
export const makeDrainable = (server: Server): (() => void) => {
  const running = new Map<Socket, number>()
  let draining = false
  server.on("connection", (socket: Socket) => {
    if (draining) return void socket.destroy()
    running.set(socket, 0)
    socket.once("close", () => running.delete(socket))
  })
  const begin = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    running.set(socket, (running.get(socket) ?? 0) + 1)
    response.once("close", () => {
      const left = (running.get(socket) ?? 1) - 1
      if (running.has(socket)) running.set(socket, left)
      if (draining && left === 0 && getTurns(socket).isIdle) socket.destroySoon()
    })
  }
  server.on("request", begin)
  server.on("checkContinue", begin)
  return () => {
    draining = true
    for (const [socket, requests] of running) if (requests === 0 && getTurns(socket).isIdle) socket.destroy()
  }
}
