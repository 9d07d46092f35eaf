/** HTTP: verifies each request, finds its operation, and signs the answer. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises"
import { administer } from "./admin.ts"
import { BadRequest, type Bank, type Body, isText, type Result } from "./commands.ts"
import { type Operations, routes } from "./operations.ts"
import { verificationPage } from "./page.ts"
import { isSigned, signed } from "./signatures.ts"

/** An answer as it is sent. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The parts of the server. */
export interface Parts {
  readonly bank: Bank
  readonly operations: Operations
  /** Whether Corridor signed the request. */
  readonly accepts: (headers: IncomingMessage["headers"], body: Uint8Array) => boolean
  /** Checks that a signed body is for this path: the signature covers neither method nor path. */
  readonly checks: (operation: string, id: string | null, body: Body) => void
  /** The signed answer, bound to its request. */
  readonly answers: (request_id: string, operation: string, id: string | null, result: Result) => Answer
}

export const partsOf = (bank: Bank, operations: Operations): Parts => ({
  bank,
  operations,
  accepts: (headers, body) => isSigned(bank.config.secrets, headers, body),
  checks: (operation, id, body) => {
    if (body["operation"] !== operation)
      throw new BadRequest(`operation: found ${JSON.stringify(body["operation"])}; the path takes ${operation}`)
    if (!isId(body["id"]) || (id !== null && body["id"] !== id))
      throw new BadRequest(
        `id: found ${JSON.stringify(body["id"])}; ${id === null ? "a text of 1 to 200 characters" : `the path takes ${id}`}`
      )
  },
  answers: (request_id, operation, id, result) => {
    const body = JSON.stringify({ request_id, operation, id, result })
    return {
      status: 200,
      headers: { "content-type": "application/json", ...signed(bank.config.secrets, body) },
      body
    }
  }
})

const most_bytes = 1_000_000

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > most_bytes) throw new BadRequest(`the body has more than ${most_bytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const objectIn = (bytes: Buffer): Body => {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"))
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Body
  } catch {
    // Not JSON: the same line says so.
  }
  throw new BadRequest("the body is no JSON object")
}

const isId = (id: unknown): id is string => isText(id, 200)

const idIn = (text: string): string => {
  try {
    const id = decodeURIComponent(text)
    if (isId(id)) return id
  } catch {
    // Not percent-encoded UTF-8: the same line says so.
  }
  throw new BadRequest(`id: found ${JSON.stringify(text)}; 1 to 200 characters, percent-encoded, are taken`)
}

/** Answers without a result. They are unsigned: Corridor takes them as unknown. */
const refusal = (status: number, error: string): Answer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ error })
})

/**
 * The time in which a submission that arrived together with its lookup is read. Timestamps are whole seconds, so that of a
 * submission in the same second does not show that it was sent first.
 */
const arrivals = async (): Promise<void> => {
  await pause(25)
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
}

const answerTo = async (parts: Parts, request: IncomingMessage, base_url: string): Promise<Answer> => {
  const { bank, operations } = parts
  const bytes = await bytesOf(request)
  const url = new URL(request.url ?? "/", "http://connector")
  const [, path = "", given, ...rest] = url.pathname.split("/")
  if (path === "admin") {
    const [what = "", id] = given === undefined ? [] : [given, ...rest]
    return administer(bank, request, { what, id: id === undefined ? "" : idIn(id) }, () => objectIn(bytes))
  }
  if (path === "verify" && given !== undefined) {
    const form = request.method === "POST" ? new URLSearchParams(bytes.toString("utf8")) : undefined
    const { html, location, status } = verificationPage(bank, idIn(given), url.searchParams.get("token"), form)
    const headers = { "content-type": "text/html; charset=utf-8", ...(location === undefined ? {} : { location }) }
    return { status, headers, body: html }
  }
  if (!parts.accepts(request.headers, bytes)) return refusal(401, "the signature does not hold")
  const route = routes.find(
    (one) =>
      one.method === request.method && one.path === path && one.hasId === (given !== undefined) && rest.length === 0
  )
  if (route === undefined) return refusal(404, `${request.method} ${url.pathname}: no such operation`)
  const pathId = given === undefined ? null : idIn(given)
  const body = request.method === "GET" ? {} : objectIn(bytes)
  if (request.method !== "GET") parts.checks(route.operation, pathId, body)
  const id: string | null = pathId ?? body["id"] ?? null
  const signed_at = Number(request.headers["webhook-timestamp"])
  const asked = { id: id ?? "", query: url.searchParams, body, signed_at, base_url }
  const ask = operations[route.operation]!
  const first = await ask(asked)
  const result = first["status"] === "absent" ? await arrivals().then(() => ask(asked)) : first
  return parts.answers(String(request.headers["webhook-id"]), route.operation, id, result)
}

const respond = async (parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const base_url = `http://${request.headers.host}`
  const { body, headers, status } = await answerTo(parts, request, base_url).catch((error: unknown) => {
    if (error instanceof BadRequest) return refusal(400, error.message)
    if (!request.destroyed) console.error(error)
    return refusal(500, "internal error")
  })
  // What is left of a body that is not read to its end must not be taken for the next request.
  if (!request.complete) response.setHeader("connection", "close")
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
}

export const serverOf = (parts: Parts): Server =>
  createServer((request, response) => void respond(parts, request, response))
