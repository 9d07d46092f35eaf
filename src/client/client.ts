/** The clients: their methods are those of an application that embeds the engine, made from the table of operations. */
import type { MerchantCalls, MerchantsCalls, OperatorCalls, SandboxCalls } from "./generated/calls.ts"
import type { Approval, DryRun } from "./generated/resources.ts"
import { merchant, merchants, operator, sandbox } from "./generated/operations.ts"
import { makeFeed, makeList, type Page, type Query } from "./list.ts"
import type { CallOptions, ClientOptions, CreateOptions, OperatorClientOptions } from "./options.ts"
import { makeTransport, type Request, type Response, type Send } from "./transport.ts"
import { type Webhooks, webhooks } from "./webhooks.ts"

/**
 * Sends any request to the service: for a route that is newer than the client. Returns the `data` of the response. An `input` that is a
 * `Uint8Array` is sent as the bytes of a file.
 */
export type SendRequest = (
  method: Request["method"],
  path: string,
  input?: object,
  options?: CreateOptions
) => Promise<unknown>

/** A client of a merchant. */
export interface Corridor extends MerchantCalls {
  readonly webhooks: MerchantCalls["webhooks"] & Webhooks
  /** Control of the simulated provider and of the clock, in the test environment. */
  readonly sandbox: SandboxCalls
  readonly request: SendRequest
}

/** A client of an operator. */
export interface CorridorOperator extends OperatorCalls {
  readonly merchants: MerchantsCalls
  readonly request: SendRequest
}

/** `METHOD /path/:id` with what follows it: `input` if the method takes one, otherwise the body as JSON, if it is always that. */
interface Table {
  readonly [name: string]: string | Table
}

const responses = new WeakMap<object, Response>()

const rememberResponse = (response: Response): unknown => {
  const { data } = response
  if (typeof data === "object" && data !== null) responses.set(data, response)
  return data
}

/** About the response that a call has returned. */
export interface ResponseInfo
  extends Pick<Response, "requestId" | "version" | "isReplayed" | "warnings" | "idempotencyKey" | "meta"> {}

/**
 * Returns the request id, version, warnings, idempotency key and whole `meta` of the response that returned `body`. Errors:
 * throws `TypeError` unless `body` is the object that a call returned, or a page of a list.
 */
export const responseOf = (body: object): ResponseInfo => {
  const response = responses.get(body)
  if (response === undefined)
    throw new TypeError("responseOf requires the object that a call returned, not a copy of it")
  const { requestId, version, isReplayed, warnings, idempotencyKey, meta } = response
  return { requestId, version, isReplayed, warnings, idempotencyKey, meta }
}

/**
 * The version of a resource, for `ifMatch`.
 * Errors: throws `TypeError` unless `body` is the object that a `get` returned.
 */
export const versionOf = (body: object): string => {
  const version = responses.get(body)?.version
  if (version === undefined) throw new TypeError("versionOf requires the object that get returned, not a copy of it")
  return version
}

/**
 * Returns the approval that the act of a call waits for. Undefined: the act does not wait. `body` is the object itself that the
 * call returned: a copy has none.
 */
export const approvalOf = (body: object): Approval | undefined =>
  responses.get(body)?.meta["approval"] as Approval | undefined

/**
 * Returns what a call with `dryRun: true` would do. Errors: throws `TypeError` unless `body` is the object that such a call
 * returned. The result of a repeated idempotency key has none.
 */
export const dryRunOf = (body: object): DryRun => {
  const found = responses.get(body)?.meta["dry_run"]
  if (found === undefined)
    throw new TypeError("dryRunOf requires the object that a call with dryRun returned, not a copy of it")
  return found as DryRun
}

/** Encodes an id as a segment of a path. Errors: throws `TypeError` for `.` and `..`, which URLs drop. */
const encodeSegment = (name: string, at: string, id: unknown): string => {
  if (typeof id === "string" && !/^\.{0,2}$/.test(id)) return encodeURIComponent(id)
  throw new TypeError(`${name} requires ${at}, a text that is not empty; it was given ${JSON.stringify(id)}`)
}

/** Encodes query parameters. `sign`: the character before them. */
const encodeQuery = (query: Query, sign = "?"): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) parameters.append(name, String(value))
  return parameters.size === 0 ? "" : `${sign}${parameters}`
}

/** Finds which options an operation takes besides its input: an idempotency key, a version. */
const findCallOptions = (method: string, path: string) => ({
  isKeyed: method === "POST" && !path.startsWith("/sandbox/"),
  takesVersion: method === "PATCH" || method === "DELETE" || /^\/operator\/v1\/breaks\/[^/]+\/resolve$/.test(path)
})

type Method = (...args: ReadonlyArray<unknown>) => unknown

const makeMethod = (name: string, operation: string, send: Send): Method => {
  const [verb = "", template = "", input] = operation.split(" ")
  const names = template.match(/(?<=:)\w+/g) ?? []
  const method = (verb === "LIST" || verb === "FEED" ? "GET" : verb) as Request["method"]
  const isDated = input === "dated"
  const takesInput = input === "input" || input === "file" || isDated

  return (...args) => {
    const path = names.reduce(
      (path, at, index) => path.replace(`:${at}`, encodeSegment(name, at, args[index])),
      template
    )
    const given = (takesInput ? (args[names.length] ?? {}) : {}) as Query
    const options = (args[names.length + (takesInput ? 1 : 0)] ?? {}) as CallOptions
    const read = (query: Query, isFile = false): Promise<Response> =>
      send({ method, path: path + encodeQuery(query), isFile, isKeyed: false, takesVersion: false, options })
    switch (verb) {
      case "LIST": {
        const readPage = async (query: Query): Promise<Page<unknown>> => {
          const response = await read(query)
          const { page, per_page, total, has_more } = response.meta as unknown as Page<unknown>
          const found = { items: response.data as ReadonlyArray<unknown>, page, per_page, total, has_more }
          responses.set(found, response)
          return found
        }
        const readFile = async ({ page: _page, per_page: _perPage, ...query }: Query): Promise<string> =>
          String((await read(query, true)).data)
        // A list is newest first unless its query asks for another order.
        const isNewestFirst = isDated && (given["order"] ?? "newest") === "newest"
        return makeList(given, isNewestFirst, readPage, readFile)
      }
      case "FEED":
        return makeFeed(given, async (query) => rememberResponse(await read(query)) as ReadonlyArray<unknown>)
      case "GET":
        return read(given).then(rememberResponse)
      default: {
        if (input === "file") {
          const { file, ...query } = given as Query & { readonly file?: unknown }
          if (!(file instanceof Uint8Array))
            throw new TypeError(`${name} requires file, the bytes of the file as a Uint8Array`)
          const bytes = file as Uint8Array<ArrayBuffer>
          return send({
            method,
            path: path + encodeQuery(query),
            file: bytes,
            ...findCallOptions(method, path),
            options
          }).then(rememberResponse)
        }
        const body = takesInput ? given : input === undefined ? (verb === "DELETE" ? undefined : {}) : JSON.parse(input)
        return send({ method, path, input: body, ...findCallOptions(method, path), options }).then(rememberResponse)
      }
    }
  }
}

const makeMethods = (table: Table, send: Send, under = ""): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [
      name,
      typeof entry === "string" ? makeMethod(under + name, entry, send) : makeMethods(entry, send, `${under}${name}.`)
    ])
  )

const makeSendRequest =
  (send: Send): SendRequest =>
  async (method, path, input, options = {}) => {
    if (typeof path !== "string" || !/^\/[^?#]*(?:\?[^#]*)?$/.test(path))
      throw new TypeError(`request requires a path such as "/v1/me"; it was given ${JSON.stringify(path)}`)
    const isRead = method === "GET"
    const isFile = input instanceof Uint8Array
    if (isRead && isFile) throw new TypeError("request takes the bytes of a file with another method than GET")
    const query = isRead && input !== undefined ? encodeQuery(input as Query, path.includes("?") ? "&" : "?") : ""
    return rememberResponse(
      await send({
        method,
        path: path + query,
        ...(isRead ? {} : isFile ? { file: input as Uint8Array<ArrayBuffer> } : { input }),
        ...findCallOptions(method, path),
        options
      })
    )
  }

/**
 * A client of the API of a merchant: `corridor.transfers.create({…})`. Its methods have the names of the embedded engine's.
 *
 * Laws: each `POST` has an idempotency key, and a repeat sends the same key and the same bytes, so it has one effect. Reads and
 * keyed requests are repeated after a lost connection, a timeout, 408, 429, 5xx and `idempotency_in_progress`, with backoff and
 * jitter; `PATCH` and `DELETE` after 429 only.
 * Errors: throws `TypeError` or `RangeError` for a malformed option, and for one that does not exist; so does a call. Calls reject with a
 * `CorridorError` if the service refuses them, and with a `CorridorConnectionError` if it does not respond; both say whether the outcome
 * is unknown.
 */
export const createClient = (options: ClientOptions): Corridor => {
  const send = makeTransport("createClient", options, "apiKey")
  const calls = makeMethods(merchant, send) as unknown as MerchantCalls
  return {
    ...calls,
    webhooks: { ...calls.webhooks, ...webhooks },
    sandbox: makeMethods(sandbox, send, "sandbox.") as unknown as SandboxCalls,
    request: makeSendRequest(send)
  }
}

/** A client of the operator API, like {@link createClient}: `operator.exceptions.list()`. */
export const createOperatorClient = (options: OperatorClientOptions): CorridorOperator => {
  const send = makeTransport("createOperatorClient", options, "token")
  return {
    ...(makeMethods(operator, send) as unknown as OperatorCalls),
    merchants: makeMethods(merchants, send, "merchants.") as unknown as MerchantsCalls,
    request: makeSendRequest(send)
  }
}
