/**
 * Answers in the envelope what Node's server would answer by itself with an empty body: bytes that are no HTTP request,
 * headers that are too large, a missing Host, an expectation it cannot meet, a tunnel (HTTP-14).
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { Clock, Effect } from "effect"
import { type Ids, spareRequestId } from "../engine/ports/Ids.ts"
import { renderError } from "./envelope.ts"
import type { Code } from "./errors.ts"
import { givenRequestId } from "./request.ts"
import { SharedPortServer } from "./listeners.ts"

export interface OwnAnswer {
  readonly status: number
  readonly code: Code
  readonly message: string
  readonly headers?: { readonly [name: string]: string }
}

const badRequest = (status: number, message: string): OwnAnswer => ({ status, code: "bad_request", message })

/** The statuses are Node's own for each of these errors. */
const unreadable = (code: string | undefined): OwnAnswer => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return badRequest(431, "The request's line and headers are too large. They take at most 16 KiB together.")
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return badRequest(413, "The extensions of the body's chunks are too large.")
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
const noExpectation = badRequest(417, "The Expect header takes 100-continue only.")
const noTunnel: OwnAnswer = { status: 404, code: "not_found", message: "The server opens no tunnel." }

export class EnvelopeServer extends SharedPortServer {
  #made: () => readonly [request_id: string, at: number] = () => [spareRequestId(), 0]
  #docs_url = ""

  constructor() {
    // What Node would refuse or hand over by itself comes in as a request.
    super({ requireHostHeader: false, shouldUpgradeCallback: () => false })
    this.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
      this.answer(request, response, noExpectation)
    )
    this.on("connect", (request: IncomingMessage, socket: Socket) =>
      this.#write(socket, noTunnel, givenRequestId(request.headers["x-request-id"]))
    )
    this.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
      const { _httpMessage: begun } = socket as { readonly _httpMessage?: ServerResponse | null }
      if (begun?.headersSent === true || !socket.writable) socket.destroy(error)
      else this.#write(socket, unreadable(error.code), undefined)
    })
  }

  /** Says what its own answers are made with. `run` gives the service's clock. */
  speak(ids: Ids["Service"], docs_url: string, run: <A>(effect: Effect.Effect<A>) => A): void {
    const made = Effect.suspend(() => Effect.all([ids.make("req"), Clock.currentTimeMillis]))
    this.#docs_url = docs_url
    this.#made = () => {
      try {
        return run(made)
      } catch {
        return [spareRequestId(), 0]
      }
    }
  }

  /** Answers a request that goes no further. */
  protected answer(request: IncomingMessage, response: ServerResponse, answer: OwnAnswer): void {
    const { text, headers } = this.#rendered(answer, givenRequestId(request.headers["x-request-id"]))
    response.writeHead(answer.status, headers)
    response.end(text)
  }

  #write(socket: Socket, answer: OwnAnswer, given: string | undefined): void {
    const { text, headers } = this.#rendered(answer, given)
    const lines = Object.entries({ ...headers, connection: "close" }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.on("error", () => {})
    socket.write(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join("")}\r\n${text}`)
    socket.destroySoon()
  }

  #rendered({ code, message, headers }: OwnAnswer, given: string | undefined) {
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

  override emit(event: string | symbol, ...given: Array<unknown>): boolean {
    if (event === "request" || event === "checkContinue") {
      const [request, response] = given as [IncomingMessage, ServerResponse]
      if (request.headers.host === undefined && request.httpVersionMinor > 0) {
        this.answer(request, response, noHost)
        return true
      }
    }
    return super.emit(event as "request", ...(given as [never, never]))
  }
}
