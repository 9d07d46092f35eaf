/** Signed requests to a connector over sockets, and whether Corridor would take the answer. */
import { connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { Result } from "effect"
import { Client, Pool } from "undici"
import { readAnswer, type Request } from "../protocol/messages.ts"
import { type Headers, signMessage } from "../protocol/signature.ts"
import { DEFAULT_MAX_BYTES } from "../protocol/transport.ts"
import { CannotRun } from "./cannot-run.ts"
import { now, sleep } from "./clock.ts"

export type JsonMembers = Readonly<Record<string, unknown>>

/** A request and its answer, for the report. `status` is null when no answer came; `answer` then says why. */
export interface RecordedExchange {
  readonly request: Request
  readonly from_ms: number
  readonly to_ms: number
  readonly status: number | null
  readonly answer: string
}

/**
 * What Corridor makes of an answer: a `result` that it acts on, a refusal (4xx), or nothing that it can know anything
 * from. Only the first moves or releases money.
 */
export type WireResponse =
  | { readonly kind: "result"; readonly result: JsonMembers; readonly exchange: RecordedExchange }
  | { readonly kind: "refused"; readonly status: number; readonly exchange: RecordedExchange }
  | { readonly kind: "unknown"; readonly fault: string; readonly exchange: RecordedExchange }

/** Reads the status of a result; `refused` for a refusal, and undefined for an answer that proves nothing. */
export const readStatus = (answer: WireResponse): unknown =>
  answer.kind === "result" ? answer.result["status"] : answer.kind === "refused" ? "refused" : undefined

interface WireOptions {
  readonly url: URL
  readonly secret: string
  /** The longest wait for an answer. */
  readonly timeout_ms: number
  readonly max_calls: number
  /** Epoch milliseconds after which nothing more is sent. */
  readonly deadline: number
}

/** How the signature of a request differs from the right one. `headers`: values in place of the right ones; null leaves one out. */
export interface Forgery {
  readonly secret?: string
  /** Seconds added to the time of signing. */
  readonly skew_s?: number
  /** The body that is signed. Default: the body that is sent. */
  readonly signed_body?: string
  readonly headers?: Readonly<Record<string, string | null>>
  /** The signature header, made from the right one. */
  readonly signature?: (right: string) => string
}

/** Signs a request again as the forgery says. The headers keep their order. */
export const forgeSignature = (request: Request, secret: string, forgery: Forgery): Request => {
  const { skew_s = 0, signed_body = request.body } = forgery
  const signature = signMessage([forgery.secret ?? secret], request.request_id, now() + skew_s * 1000, signed_body)
  const right = signature["webhook-signature"]
  const changed: Readonly<Record<string, string | null | undefined>> = {
    ...signature,
    "webhook-signature": forgery.signature?.(right) ?? right,
    ...forgery.headers
  }
  const headers = Object.entries(request.headers).map(([name, value]) => [
    name,
    name in changed ? changed[name] : value
  ])
  return {
    ...request,
    headers: Object.fromEntries(headers.filter(([, value]) => value !== null && value !== undefined)) as Headers
  }
}

const closed: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE", "UND_ERR_DESTROYED"])

const describeCause = (error: unknown, timeout_ms: number): string => {
  const { code = "", message } = error as { readonly code?: string; readonly message: string }
  if (code.includes("TIMEOUT")) return `no answer within ${timeout_ms} ms`
  if (code === "ECONNREFUSED") return "the connection was refused"
  if (code === "ENOTFOUND") return "the host does not resolve to an address"
  if (closed.has(code)) return "the connection was closed before an answer"
  return `${code} ${message}`.trim()
}

interface Sending {
  readonly through?: Client
  /** The parts of the body, in place of all of it at once. */
  readonly parts?: AsyncIterable<Uint8Array>
}

/** Sends requests over a pool of connections, as Corridor does; and what is cut or slow over a socket of its own. */
export class Wire {
  readonly #options: WireOptions
  #pool: Pool
  #calls = 0
  /** The ids of the answers until now. */
  readonly #answers = new Set<string>()

  constructor(options: WireOptions) {
    this.#options = options
    this.#pool = this.#newPool()
  }

  get calls(): number {
    return this.#calls
  }

  get secret(): string {
    return this.#options.secret
  }

  #newPool(): Pool {
    const { url, timeout_ms } = this.#options
    const limits = { headersTimeout: 0, bodyTimeout: 0, maxResponseSize: DEFAULT_MAX_BYTES }
    return new Pool(url.origin, { connections: 64, ...limits, connect: { timeout: timeout_ms } })
  }

  /** Opens new connections: those to a connector that was stopped are of no use. */
  async renew(): Promise<void> {
    const old = this.#pool
    this.#pool = this.#newPool()
    await old.destroy()
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  #count(): void {
    const { max_calls, deadline } = this.#options
    if (this.#calls >= max_calls) throw new CannotRun(`the limit of ${max_calls} calls is reached (--max-calls)`)
    if (now() > deadline) throw new CannotRun("the time is over (--max-seconds)")
    this.#calls += 1
  }

  /** The path at the connector, whose URL may have a path of its own. */
  #path({ path }: Request): string {
    return this.#options.url.pathname.replace(/\/$/, "") + path
  }

  /** Sends a request and waits for its answer, no longer than the timeout. */
  async send(request: Request, { through, parts }: Sending = {}): Promise<WireResponse> {
    this.#count()
    const { timeout_ms } = this.#options
    const from_ms = now()
    const ended = (status: number | null, answer: string): RecordedExchange => ({
      ...{ request, from_ms, to_ms: now(), status, answer }
    })
    const length = parts === undefined ? {} : { "content-length": String(Buffer.byteLength(request.body)) }
    try {
      const answer = await (through ?? this.#pool).request({
        method: request.method,
        path: this.#path(request),
        headers: { ...request.headers, ...length },
        ...(request.method === "GET" ? {} : { body: (parts as unknown as string | undefined) ?? request.body }),
        signal: AbortSignal.timeout(timeout_ms)
      })
      const body = Buffer.from(await answer.body.arrayBuffer())
      const { statusCode: status } = answer
      const exchange = ended(status, body.toString())
      if (status >= 400 && status < 500) return { kind: "refused", status, exchange }
      const headers = Object.fromEntries(
        Object.entries(answer.headers).filter((entry): entry is [string, string] => typeof entry[1] === "string")
      )
      const signing = { secrets: [this.secret], now_ms: exchange.to_ms }
      const read = readAnswer(request, { status, headers, body }, signing)
      if (Result.isFailure(read)) return { kind: "unknown", fault: read.failure.message, exchange }
      const message_id = headers["webhook-id"] ?? ""
      if (message_id === request.request_id || this.#answers.has(message_id)) {
        const whose = message_id === request.request_id ? "its request" : "an earlier answer"
        return { kind: "unknown", fault: `the answer has the webhook-id of ${whose}, not one of its own`, exchange }
      }
      this.#answers.add(message_id)
      return { kind: "result", result: read.success as JsonMembers, exchange }
    } catch (error) {
      const fault =
        (error as Error).name === "TimeoutError"
          ? `no answer within ${timeout_ms} ms`
          : describeCause(error, timeout_ms)
      return { kind: "unknown", fault, exchange: ended(null, fault) }
    }
  }

  /** Sends requests at once on one connection, each before the one before it is answered. */
  async pipelined(requests: ReadonlyArray<Request>): Promise<ReadonlyArray<WireResponse>> {
    const { url, timeout_ms } = this.#options
    const client = new Client(url.origin, {
      pipelining: requests.length,
      headersTimeout: timeout_ms,
      maxResponseSize: DEFAULT_MAX_BYTES
    })
    try {
      return await Promise.all(requests.map((request) => this.send(request, { through: client })))
    } finally {
      await client.destroy()
    }
  }

  /** Sends the body in small parts, spread over `ms`. */
  slowly(request: Request, ms: number): Promise<WireResponse> {
    const body = Buffer.from(request.body)
    const count = Math.min(20, body.length)
    const size = Math.ceil(body.length / count)
    async function* parts() {
      for (let at = 0; at < body.length; at += size) {
        yield body.subarray(at, at + size)
        await sleep(ms / count)
      }
    }
    return this.send(request, { parts: parts() })
  }

  /**
   * Sends a share of the body (1: all of it) on a connection of its own, waits, and cuts the connection without reading an
   * answer.
   */
  async cut(request: Request, share: number, after_ms: number): Promise<void> {
    this.#count()
    const body = Buffer.from(request.body)
    const head = [
      `${request.method} ${this.#path(request)} HTTP/1.1`,
      `host: ${this.#options.url.host}`,
      "connection: keep-alive",
      ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${body.length}`
    ]
    const sent = Buffer.concat([
      Buffer.from(`${head.join("\r\n")}\r\n\r\n`),
      body.subarray(0, Math.floor(body.length * share))
    ])
    const socket = await this.#socket()
    await new Promise<void>((resolve) => {
      socket.once("error", () => resolve())
      socket.write(sent, () => resolve())
    })
    await sleep(after_ms)
    socket.destroy()
  }

  #socket(): Promise<Socket> {
    const { url } = this.#options
    const isTls = url.protocol === "https:"
    const at = { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || (isTls ? 443 : 80)) }
    return new Promise((resolve, reject) => {
      const socket = isTls ? connectTls({ ...at, servername: url.hostname }) : connect(at)
      socket.once(isTls ? "secureConnect" : "connect", () => resolve(socket))
      socket.once("error", reject)
    })
  }
}
