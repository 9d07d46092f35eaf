/** Requests, answers and events as text: how each side writes them, and reads the other's. Pure. */
import { Exit, Result, Schema } from "effect"
import { Event } from "./events.ts"
import {
  toAnswerSchema,
  toBodySchema,
  hasId,
  type InputOf,
  type Operation,
  operationNames,
  operations,
  type ResultOf
} from "./operations.ts"
import { type Headers, signatureFault, signMessage } from "./signature.ts"

/** What signs and verifies. `secrets`: one, or the new and the old one during a rotation. `now_ms`: epoch milliseconds. */
export interface Signing {
  readonly secrets: ReadonlyArray<string>
  readonly now_ms: number
}

/** A request, ready to be sent. `path` begins with a slash and includes the query. */
export interface Request {
  readonly operation: Operation
  readonly id: string | null
  readonly request_id: string
  readonly method: "GET" | "PUT" | "POST"
  readonly path: string
  readonly headers: Headers
  /** Empty for a GET. */
  readonly body: string
}

/** An answer or a request as received. `body` is byte for byte. */
export interface Received {
  readonly headers: Headers
  readonly body: Uint8Array
}

/**
 * Why an answer does not count. The outcome of the request is then unknown.
 *
 * - `status`: the HTTP status is not 200.
 * - `unsigned`: a header is missing, or the signature is another's.
 * - `stale`: the timestamp is more than 300 s away.
 * - `malformed`: the body is not JSON, or not an answer of the operation.
 * - `mismatched`: it answers another request.
 */
export interface AnswerFault {
  readonly reason: "status" | "unsigned" | "stale" | "malformed" | "mismatched"
  readonly message: string
}

const addQuery = (path: string, input: object): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input)) if (typeof value === "string") query.set(name, value)
  return query.size === 0 ? path : `${path}?${query}`
}

/**
 * Writes and signs a request. `request_id` becomes its `webhook-id`; it is new for each attempt.
 *
 * Errors: throws `SchemaError` for an input that the operation does not take, and `TypeError` for an id that the operation does
 * not have, or for a missing one: a bug of the caller.
 */
export const makeRequest = <O extends Operation>(
  operation: O,
  id: string | null,
  input: InputOf<O>,
  request_id: string,
  { secrets, now_ms }: Signing
): Request => {
  const { method, path, input: schema } = operations[operation]
  if (hasId(operation) !== (id !== null))
    throw new TypeError(`${operation} ${id === null ? "needs an id" : "has no id"}`)
  const members = Schema.encodeUnknownSync(schema as Schema.Codec<object, object>)(input)
  const body =
    method === "GET"
      ? ""
      : JSON.stringify(Schema.encodeUnknownSync(toBodySchema(operation))({ operation, id, ...members }))
  const filled = path.replace("{id}", encodeURIComponent(id ?? ""))
  return {
    operation,
    id,
    request_id,
    method,
    path: method === "GET" ? addQuery(filled, members) : filled,
    headers: {
      accept: "application/json",
      ...(body === "" ? {} : { "content-type": "application/json" }),
      ...signMessage(secrets, request_id, now_ms, body)
    },
    body
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Parses the JSON of a body. Fails with a sentence. */
const parseJson = (body: Uint8Array): Result.Result<unknown, string> => {
  try {
    return Result.succeed(JSON.parse(utf8.decode(body)))
  } catch {
    return Result.fail("the body is not JSON in UTF-8")
  }
}

const decodeWith = <A>(schema: Schema.Codec<A, unknown>, value: unknown): Result.Result<A, string> => {
  const exit = Schema.decodeUnknownExit(schema)(value)
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  const [first] = exit.cause.reasons
  const message = first !== undefined && "error" in first ? (first.error as Error).message : "it is invalid"
  return Result.fail(message.replaceAll(/\s*\n\s*/g, " "))
}

/**
 * Reads the result in the answer to a request, as sent. Law: a result is returned only from an answer with status 200 that one of
 * the secrets signed within 300 s, for this request, operation and id.
 */
export const readResult = (
  request: Request,
  { status, headers, body }: Received & { readonly status: number },
  { secrets, now_ms }: Signing
): Result.Result<unknown, AnswerFault> => {
  const fault = (reason: AnswerFault["reason"], message: string) => Result.fail({ reason, message })
  if (status !== 200) return fault("status", `the answer has the HTTP status ${status}; only 200 counts`)
  const unsigned = signatureFault(secrets, headers, body, now_ms)
  if (unsigned === "stale") return fault("stale", "the timestamp of the answer is more than 300 s away")
  if (unsigned !== null) return fault("unsigned", `the signature of the answer does not hold: ${unsigned}`)
  const json = parseJson(body)
  if (Result.isFailure(json)) return fault("malformed", json.failure)
  const envelope = json.success as { readonly [member: string]: unknown } | null
  for (const name of ["request_id", "operation", "id"] as const) {
    const found = envelope?.[name]
    if (found !== request[name]) {
      const shown = typeof found === "string" ? JSON.stringify(found.slice(0, 80)) : typeof found
      return fault(
        "mismatched",
        `the answer has the ${name} ${shown}; the request has ${JSON.stringify(request[name])}`
      )
    }
  }
  return Result.succeed(envelope?.["result"])
}

/** Decodes a result by the schema of its operation. */
export const decodeResult = <O extends Operation>(operation: O, result: unknown) =>
  Result.mapError(
    decodeWith(operations[operation].result as Schema.Codec<object, object>, result) as Result.Result<
      ResultOf<O>,
      string
    >,
    (message) => ({ reason: "malformed", message: `result: ${message}` }) as const
  )

/** Reads the answer to a request ({@link readResult}), and decodes it ({@link decodeResult}). */
export const readAnswer = <O extends Operation>(
  request: Request & { readonly operation: O },
  answer: Received & { readonly status: number },
  signing: Signing
): Result.Result<ResultOf<O>, AnswerFault> =>
  Result.flatMap(readResult(request, answer, signing), (result) => decodeResult(request.operation, result))

/** Signs the answer to a request. `message_id` becomes its `webhook-id`. */
export const makeAnswer = <O extends Operation>(
  request: { readonly operation: O; readonly id: string | null; readonly request_id: string },
  result: ResultOf<O>,
  message_id: string,
  { secrets, now_ms }: Signing
): { readonly status: 200; readonly headers: Headers; readonly body: string } => {
  const { operation, id, request_id } = request
  const body = JSON.stringify(
    Schema.encodeUnknownSync(toAnswerSchema(operation))({ request_id, operation, id, result })
  )
  return {
    status: 200,
    headers: { "content-type": "application/json", ...signMessage(secrets, message_id, now_ms, body) },
    body
  }
}

export type VerifiedRequest = {
  readonly [O in Operation]: {
    readonly operation: O
    readonly id: string | null
    readonly request_id: string
    readonly input: InputOf<O>
  }
}[Operation]

/** Why a server does not serve a request, and the HTTP status to respond with. */
export interface RequestFault {
  readonly status: 400 | 401 | 404
  readonly message: string
}

const routes = operationNames.map((operation) => {
  const { method, path } = operations[operation]
  return { operation, method, pattern: new RegExp(`^${path.replace("{id}", "([^/]+)")}$`) }
})

/** Finds the operation and id of a method and path, without the query. */
const findRoute = (method: string, path: string): { operation: Operation; id: string | null } | undefined => {
  for (const route of routes) {
    const [found, id] = route.method === method ? (route.pattern.exec(path) ?? []) : []
    try {
      if (found !== undefined)
        return { operation: route.operation, id: id === undefined ? null : decodeURIComponent(id) }
    } catch {
      return undefined
    }
  }
}

/**
 * Verifies and reads a request, as a server does. `path` is relative to the base URL and includes the query.
 *
 * Law: a request is returned only if one of the secrets signed its body within 300 s, and the body names the operation and the
 * id of the path.
 */
export const readRequest = (
  { method, path, headers, body }: Received & { readonly method: string; readonly path: string },
  { secrets, now_ms }: Signing
): Result.Result<VerifiedRequest, RequestFault> => {
  const fault = (status: RequestFault["status"], message: string) => Result.fail({ status, message })
  const unsigned = signatureFault(secrets, headers, body, now_ms)
  if (unsigned !== null) return fault(401, `the signature does not hold: ${unsigned}`)
  const { pathname, searchParams } = new URL(path, "http://connector.invalid")
  const route = findRoute(method, pathname)
  if (route === undefined) return fault(404, `there is no ${method} ${pathname}`)
  const { operation } = route
  const request_id = headers["webhook-id"]!
  if (method === "GET") {
    if (body.length > 0) return fault(400, "a GET has no body")
    const input = decodeWith(
      operations[operation].input as Schema.Codec<object, object>,
      Object.fromEntries(searchParams)
    )
    return Result.isFailure(input)
      ? fault(400, input.failure)
      : Result.succeed({ ...route, request_id, input: input.success } as VerifiedRequest)
  }
  const json = parseJson(body)
  if (Result.isFailure(json)) return fault(400, json.failure)
  const request = decodeWith(toBodySchema(operation) as Schema.Codec<{ readonly id: string }, unknown>, json.success)
  if (Result.isFailure(request)) return fault(400, request.failure)
  const { id } = request.success
  if (route.id !== null && route.id !== id) return fault(400, "the id of the body is not the one of the path")
  const { operation: _operation, id: _id, ...input } = request.success as { operation: Operation; id: string }
  return Result.succeed({ operation, id, request_id, input } as VerifiedRequest)
}

/**
 * Verifies and reads an event. Undefined: the signature does not hold, or the message is a request or an answer. A failure: the
 * signature holds, and the body is not an event; `json` is its value, absent where it is not JSON.
 */
export const readEvent = (
  { headers, body }: Received,
  { secrets, now_ms }: Signing
): Result.Result<Event, { readonly json?: unknown; readonly message: string }> | undefined => {
  if (signatureFault(secrets, headers, body, now_ms) !== null) return undefined
  const json = parseJson(body)
  // Whether a signed body can be one of Corridor's own requests, or an answer to one: the secret is the same.
  const { operation } = ((Result.isSuccess(json) ? json.success : null) ?? {}) as { readonly operation?: unknown }
  if (body.length === 0 || (operationNames as ReadonlyArray<unknown>).includes(operation)) return undefined
  if (Result.isFailure(json)) return Result.fail({ message: json.failure })
  return Result.mapError(decodeWith(Event, json.success), (message) => ({ json: json.success, message }))
}
