/**
 * Sends an envelope where Node's server would send an empty body: for bytes that are not an HTTP request, headers that are
 * too large, a missing Host, an unknown expectation and a tunnel (HTTP-14).
 */
import { type IncomingMessage, type ServerOptions, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { Clock, Effect } from "effect"
import type { Admission } from "../engine/calls/Admission.ts"
import { type Ids, spareRequestId } from "../engine/ports/Ids.ts"
import { renderError } from "./envelope.ts"
import { type Code, codeOf, retryAfter } from "./errors.ts"
import { keepAliveSeconds, sendSeconds } from "./keep-alive.ts"
import { SharedPortServer } from "./listeners.ts"
import { givenRequestId } from "./request.ts"
import { inTurn, paceSocket, turnsOf } from "./turns.ts"

export interface ServerError {
  readonly status: number
  readonly code: Code
  readonly message: string
  readonly headers?: { readonly [name: string]: string }
}

const badRequest = (status: number, message: string): ServerError => ({ status, code: "bad_request", message })

/** The response to a request that cannot be parsed, with the status that Node uses for the error. */
const respondToUnparsed = (code: string | undefined): ServerError => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return badRequest(431, "The request line and headers are larger than 16 KiB, the maximum.")
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return badRequest(413, "The chunk extensions of the body are too large.")
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return badRequest(408, "The request did not arrive in time.")
    default:
      return badRequest(
        400,
        "The request is not valid HTTP/1.1. Check its request line, its URL (ASCII, percent-encoded) and its headers."
      )
  }
}

const noHost = badRequest(400, "The request has no Host header. HTTP/1.1 requires one.")
const noExpectation = badRequest(417, "The Expect header accepts 100-continue only.")
const defective: ServerError = { status: 500, code: "internal_error", message: "An internal error occurred." }
const noTunnel: ServerError = { status: 404, code: "not_found", message: "The server does not open tunnels." }

/** The events of a request that was parsed. */
const asked: ReadonlySet<string | symbol> = new Set(["request", "checkContinue", "checkExpectation"])

export class EnvelopeServer extends SharedPortServer {
  /** How long a peer may take to read a response. Then its connection ends. */
  sendTimeout = sendSeconds * 1000
  #made: () => readonly [request_id: string, at: number] = () => [spareRequestId(), 0]
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
      turnsOf(socket).end(() => this.#write(socket, noTunnel, givenRequestId(request.headers["x-request-id"])))
    )
    this.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
      if (!socket.writable) return void socket.destroy(error)
      turnsOf(socket).end(() => {
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
        return [spareRequestId(), 0]
      }
    }
  }

  /** Responds to a request with an error, without passing it on. */
  protected respond(request: IncomingMessage, response: ServerResponse, error: ServerError): void {
    const { text, headers } = this.#rendered(error, givenRequestId(request.headers["x-request-id"]))
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
    inTurn(request, response, () => {
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
      headers: { "retry-after": String(retryAfter(refusal)) }
    })
    return true
  }

  protected override isAnswered(request: IncomingMessage, response: ServerResponse): boolean {
    return this.#isRejected(request, response) || super.isAnswered(request, response)
  }
}
