/** Readers for the parts of a request: ids, headers and the body. */
import { createHash, hash } from "node:crypto"
import { ByteSize, Effect, Option, Predicate, Result } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { decodeCsv } from "../engine/input/csv.ts"
import { type Ids, makeSpareRequestId } from "../engine/ports/Ids.ts"
import { BadRequest, makeFieldRefusal } from "../engine/ports/errors.ts"

export type Request = HttpServerRequest.HttpServerRequest
export type Response = HttpServerResponse.HttpServerResponse

// Where a text stops being JSON (RFC 8259). `JSON.parse` says it for some faults only, and then with a part of the text.

const space = /[ \t\n\r]*/y
const scalar =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** The length that a sticky expression matches at a place; 0 for no match. */
const matchLength = (expression: RegExp, text: string, at: number): number => {
  expression.lastIndex = at
  return expression.exec(text)?.[0].length ?? 0
}

/** What may come next: a value, the name of a member, the colon after it, or what follows a value. The first of an array or object may be its end. */
type Next = "value" | "first value" | "name" | "first name" | "colon" | "after"

/**
 * Finds the place of the first invalid character of a text that is not valid JSON, from 0. It is the text's length if the text ends too early.
 */
export const findJsonFault = (text: string): number => {
  const open: Array<"{" | "["> = []
  let next: Next = "value"
  let at = 0
  for (;;) {
    at += matchLength(space, text, at)
    const sign = text[at]
    if (sign === undefined) return at
    const top = open.at(-1)
    const isEnd = sign === (top === "{" ? "}" : "]") && top !== undefined
    if (isEnd && (next === "after" || next.startsWith("first"))) {
      open.pop()
      next = "after"
      at++
    } else if (next === "colon" && sign === ":") {
      next = "value"
      at++
    } else if (next === "after" && sign === "," && top !== undefined) {
      next = top === "{" ? "name" : "value"
      at++
    } else if (next.endsWith("value") && (sign === "{" || sign === "[")) {
      open.push(sign)
      next = sign === "{" ? "first name" : "first value"
      at++
    } else {
      const length =
        next.endsWith("value") || (next.endsWith("name") && sign === '"') ? matchLength(scalar, text, at) : 0
      if (length === 0) return at
      next = next.endsWith("name") ? "colon" : "after"
      at += length
    }
  }
}

/** Formats a place as a line and a column. */
export const formatPlace = (text: string, at: number): string => {
  const before = text.slice(0, at)
  const line = before.split("\n").length
  return `line ${line}, column ${at - before.lastIndexOf("\n")}`
}

interface Open {
  /** The path of the object or the array, with a dot at its end; empty for the body. */
  readonly path: string
  /** `undefined`: an array. */
  readonly names: Set<string> | undefined
  /** The member that the next value is of. */
  name: string
  index: number
  /** Whether the next string is the name of a member. */
  isName: boolean
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],]/g

/**
 * Finds the dotted path of a member that its object has twice; `undefined` if there is none. `text` is valid JSON: `JSON.parse`
 * takes the last of them, other parsers the first (RFC 7493, 2.3).
 */
export const findRepeatedMember = (text: string): string | undefined => {
  const open: Array<Open> = []
  for (const [token] of text.matchAll(tokens)) {
    const top = open.at(-1)
    if (token === "{" || token === "[") {
      const path = top === undefined ? "" : `${top.path}${top.names === undefined ? top.index : top.name}.`
      open.push({ path, names: token === "{" ? new Set() : undefined, name: "", index: 0, isName: token === "{" })
    } else if (token === "}" || token === "]") open.pop()
    else if (top === undefined) continue
    else if (token === ",") {
      top.index++
      top.isName = top.names !== undefined
    } else if (top.isName) {
      top.name = token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1)
      if (top.names!.has(top.name)) return top.path + top.name
      top.names!.add(top.name)
      top.isName = false
    }
  }
  return undefined
}

/** The maximum size of a body, in bytes (HTTP-8). */
export const bodyMax = 1024 * 1024

const requestIdPattern = /^[A-Za-z0-9_-]{1,128}$/
const bearerPattern = /^Bearer +(\S+)$/i

/** Reads the request id that the client sent, if it is valid. */
export const readRequestId = (given: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof given === "string" && requestIdPattern.test(given) ? given : undefined

/**
 * Chooses the request id: the client's, if it is valid; otherwise a new one (HTTP-10). It never fails: a defect of `Ids` must not
 * cause a response without an envelope.
 */
export const chooseRequestId = (request: Request, ids: Ids["Service"]): Effect.Effect<string> => {
  const given = readRequestId(request.headers["x-request-id"])
  if (given !== undefined) return Effect.succeed(given)
  return Effect.catchDefect(
    Effect.suspend(() => ids.make("req")),
    () => Effect.sync(makeSpareRequestId)
  )
}

export const sha256 = (text: string): string => hash("sha256", text)

/** Reads the token of `Authorization: Bearer <token>`; `undefined` if the header is missing or has another form. */
export const readBearerToken = (request: Request): string | undefined =>
  bearerPattern.exec(request.headers["authorization"] ?? "")?.[1]

/** Reads the path as it was sent, without the query. */
export const readPath = (request: Request): string => {
  const query = request.url.indexOf("?")
  return query < 0 ? request.url : request.url.slice(0, query)
}

/**
 * Whether a path has no route, although the router finds one. The router takes what follows a `;` for the query; in a URL it is
 * part of the path (RFC 3986, 3.3). And the router takes an empty segment of an API path for an id.
 */
export const isNoRoute = (request: Request): boolean => {
  const path = readPath(request)
  return path.includes(";") || /^\/(?:v1|operator\/v1|sandbox)\/(?:.*\/)?(?:\/|$)/.test(path)
}

/** Reads the path with the query, without `dry_run`: a dry run is the same call (DRYRUN-5). It identifies a call whose input is in its query. */
export const readCallUrl = (request: Request): string => {
  const path = readPath(request)
  const members = request.url.slice(path.length + 1).split("&")
  return `${path}?${members.filter((one) => !/^dry_run(?:=|$)/.test(one)).join("&")}`
}

/** Computes the fingerprint by which a repeat differs from another use of a key: a hash of the method, the path and the raw body (IDEM-7). */
export const computeFingerprint = (method: string, path: string, body: Uint8Array): string =>
  createHash("sha256").update(`${method} ${path}\n`).update(body).digest("base64url")

/** Whether to reject unknown members: `Prefer: handling=strict` (RFC 7240, HTTP-9). The first `handling` counts. */
export const prefersStrict = (request: Request): boolean => {
  const given = request.headers["prefer"]
  if (given === undefined) return false
  const plain = given.replace(/"([^"]*)"/g, (_, text: string) => (/^[\w-]*$/.test(text) ? text : "_"))
  return /(?:^|,)\s*handling\s*=\s*([\w-]*)/i.exec(plain)?.[1]?.toLowerCase() === "strict"
}

const makeTooLargeError = (max: number) =>
  new BadRequest(
    makeFieldRefusal(
      "body",
      "too_long",
      `The body is too large. The maximum is ${max} bytes (${max / 1024 / 1024} MiB).`
    )
  )

/** Headers that occur once (RFC 9110, 5.3; for Host RFC 9112, 3.2). Of several, Node keeps the first, the web joins them. */
const single = ["authorization", "content-type", "host"]

/** Finds a header that a request has twice and may have once; `undefined` if there is none. */
export const findRepeatedHeader = ({ headers, source }: Request): string | undefined => {
  const { rawHeaders } = source as { readonly rawHeaders?: ReadonlyArray<string> }
  if (rawHeaders === undefined)
    return single.find((name) => headers[name]?.replace(/"[^"]*"/g, "").includes(",") === true)
  const seen = new Set<string>()
  return rawHeaders.find((name, at) => {
    if (at % 2 === 1) return false
    const lower = name.toLowerCase()
    return single.includes(lower) && (seen.has(lower) || !seen.add(lower))
  })
}

/** Reads the raw bytes of the body. Errors: `BadRequest` if the body has more than `max` bytes, or is incomplete or compressed. */
export const readBodyBytes = (request: Request, max = bodyMax): Effect.Effect<Uint8Array, BadRequest> => {
  const coding = request.headers["content-encoding"] ?? "identity"
  if (coding.trim().toLowerCase() !== "identity") {
    const message = `The Content-Encoding is ${JSON.stringify(coding.slice(0, 100))}; a body without a coding is required.`
    return Effect.fail(new BadRequest(makeFieldRefusal("body", "invalid_type", message)))
  }
  if (Number(request.headers["content-length"] ?? 0) > max) return Effect.fail(makeTooLargeError(max))
  const limited = Effect.provideService(request.arrayBuffer, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(max))
  return Effect.mapBoth(limited, {
    onSuccess: (buffer) => new Uint8Array(buffer),
    onFailure: (error: HttpServerError.HttpServerError) => {
      const { reason } = error
      return reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
        ? makeTooLargeError(max)
        : new BadRequest(makeFieldRefusal("body", "invalid_format", "The body could not be read."))
    }
  })
}

/** A byte order mark is ignored (RFC 8259, 8.1). */
const utf8 = new TextDecoder("utf-8", { fatal: true })
const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

const csvType = /^text\/csv\s*(?:;|$)/i

export const isCsv = (request: Request): boolean => csvType.test(request.headers["content-type"] ?? "")

type Members = { readonly [key: string]: unknown }

/** Parses the `charset` of a content type; `undefined` if it names none. */
const parseCharset = (type: string | undefined): string | undefined => {
  const [, quoted, charset = quoted] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(type ?? "") ?? []
  return charset
}

const readCharset = (request: Request): string | undefined => parseCharset(request.headers["content-type"])

/** Reads a body that is a CSV file, as the member `csv` beside the members of the query. */
export const readCsvBody = (
  request: Request,
  bytes: Uint8Array,
  members: Members
): Result.Result<Members, BadRequest> =>
  Result.map(decodeCsv(bytes, readCharset(request)), (csv) => ({ ...members, csv }))

/**
 * Reads a body that is a file, as the member `file` beside the members of the query. A CSV in another charset, named by its
 * content type, is converted to UTF-8.
 */
export const readFileBody = (
  request: Request,
  bytes: Uint8Array,
  isTable: boolean,
  members: Members
): Result.Result<Members, BadRequest> => {
  const charset = isTable ? readCharset(request) : undefined
  return charset === undefined
    ? Result.succeed({ ...members, file: bytes })
    : Result.map(decodeCsv(bytes, charset), (text) => ({ ...members, file: new TextEncoder().encode(text) }))
}

/**
 * Reads the body as an object. An empty body counts as `{}`, so that the error names the missing members (HTTP-8). `taken`: the
 * media types that the operation takes.
 */
export const readObjectBody = (
  request: Request,
  bytes: Uint8Array,
  taken = "application/json"
): Result.Result<{ readonly [key: string]: unknown }, BadRequest> => {
  if (bytes.length === 0) return Result.succeed({})
  const type = request.headers["content-type"]
  const refuse = (code: "invalid_type" | "invalid_format", message: string) =>
    Result.fail(new BadRequest(makeFieldRefusal("body", code, message)))
  if (type !== undefined && !jsonType.test(type)) {
    return refuse("invalid_type", `The body is ${JSON.stringify(type.slice(0, 100))}; ${taken} is required.`)
  }
  const charset = parseCharset(type)
  if (charset !== undefined && charset.toLowerCase() !== "utf-8") {
    return refuse(
      "invalid_type",
      `The charset of the body is ${JSON.stringify(charset.slice(0, 100))}; utf-8 is required.`
    )
  }
  let text: string
  let value: unknown
  try {
    text = utf8.decode(bytes)
  } catch {
    return refuse("invalid_format", "The body is not valid JSON: it is not UTF-8.")
  }
  try {
    value = JSON.parse(text)
  } catch {
    return refuse("invalid_format", `The body is not valid JSON: ${formatPlace(text, findJsonFault(text))}.`)
  }
  const twice = findRepeatedMember(text)
  if (twice !== undefined) {
    return Result.fail(
      new BadRequest(
        makeFieldRefusal(twice, "invalid_format", `${twice} occurs twice in the body; a member occurs once.`)
      )
    )
  }
  return Predicate.isReadonlyObject(value)
    ? Result.succeed(value)
    : refuse("invalid_type", "The body is not a JSON object.")
}

/** Reads the address of the direct peer of the connection; empty if it is not known. */
export const readPeerAddress = (request: Request): string => Option.getOrElse(request.peerAddress, () => "")

/** Whether the direct peer of the connection is this machine. */
export const isLoopback = (request: Request): boolean => {
  const address = readPeerAddress(request)
  return address === "::1" || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)
}

type Headers = { readonly [name: string]: string }

const makeResponse = (
  status: number,
  contentType: string,
  text: string,
  request_id: string,
  headers?: Headers
): Response =>
  HttpServerResponse.text(text, {
    status,
    contentType,
    headers: { "x-request-id": request_id, "cache-control": "no-store", ...headers }
  })

/** Makes a JSON response with the given text, request id and further headers. */
export const makeJsonResponse = (status: number, text: string, request_id: string, headers?: Headers) =>
  makeResponse(status, "application/json", text, request_id, headers)

/** Makes the response of a file of the given media type, without an envelope. */
export const makeFileResponse = (type: string, text: string, request_id: string, headers?: Headers) =>
  makeResponse(200, `${type}; charset=utf-8`, text, request_id, headers)
