/** Sends a call, repeats it while that is safe, and returns the response of the service or the error. */
import { checkKinds, checkOptions, type TakesOf } from "../engine/input/options.ts"
import {
  adviseOnOutcome,
  type ConnectionFault,
  CorridorConnectionError,
  CorridorError,
  type Outcome
} from "./errors.ts"
import type { ErrorCode, FieldFault, NextSteps, Warning } from "./generated/resources.ts"
import type { ChangeOptions, ConnectionOptions, CreateOptions, Environment, Fetch } from "./options.ts"

export interface Request {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** The path, encoded, with the query. */
  readonly path: string
  /** Absent: the request has no body. */
  readonly input?: unknown
  /** The body, where it is a file. */
  readonly file?: Uint8Array<ArrayBuffer>
  /** Whether the response is to be a file of a list. */
  readonly isFile?: boolean
  /** Whether the operation takes an idempotency key. */
  readonly isKeyed: boolean
  /** Whether the operation takes the version that it is about. */
  readonly takesVersion: boolean
  readonly options: CreateOptions & ChangeOptions
}

/** A success, without its envelope. */
export interface Response {
  readonly data: unknown
  readonly meta: Readonly<Record<string, unknown>>
  readonly status: number
  readonly requestId: string
  /** The version of the resource, if the response has one. */
  readonly version: string | undefined
  /** Whether it is the response of an earlier request with the same idempotency key or reference. */
  readonly isReplayed: boolean
  readonly warnings: ReadonlyArray<Warning>
  readonly idempotencyKey: string | undefined
}

export type Send = (request: Request) => Promise<Response>

interface Envelope {
  readonly status: boolean
  readonly message: string
  readonly code: string
  readonly data?: unknown
  readonly meta: {
    readonly request_id: string
    readonly errors?: ReadonlyArray<FieldFault>
    readonly warnings?: ReadonlyArray<Warning>
    readonly next_steps?: NextSteps
  }
}

type Exchange =
  | { readonly _tag: "Ok"; readonly envelope: Envelope; readonly header: (name: string) => string | null }
  | {
      readonly _tag: "Refused"
      readonly envelope: Envelope
      readonly status: number
      readonly wait: number | undefined
    }
  | {
      readonly _tag: "Lost"
      readonly reason: ConnectionFault
      readonly status: number | undefined
      readonly wait: number | undefined
      readonly cause: unknown
    }

const defaults = { timeoutMs: 30_000, maxRetries: 3 }
/** The wait before the first repeat is at most this; it doubles with each repeat, up to `backoffMaxMs`. */
const backoffMs = 500
const backoffMaxMs = 8_000
/** A longer `Retry-After` ends the call. */
const retryAfterMaxMs = 60_000

const runtime: Environment = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
  // Not `randomUUID`: browsers have that on secure pages only.
  makeKey: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** Checks the value of a header. Without this, `fetch` reports a malformed one like a lost connection. */
const checkText = (name: string, value: unknown, pattern: RegExp, expected: string): string => {
  if (typeof value === "string" && pattern.test(value)) return value
  throw new TypeError(`${name} is ${value === undefined ? "missing" : "malformed"}; ${expected} required`)
}

const checkCount = (name: string, value: number, least: number, most: number): number => {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new RangeError(`${name} is ${String(value)}; a whole number from ${least} to ${most} is required`)
}

/** The longest time that a timer of JavaScript takes: it ends a longer one at once. */
const timeoutMaxMs = 2 ** 31 - 1

/** What the client sets itself: two values of one header would be joined, and a key that is always the same repeats one effect. */
const ownHeaders = [
  "accept",
  "authorization",
  "content-type",
  "idempotency-key",
  "if-match",
  "prefer",
  "x-request-id"
] as const

const checkHeaders = (given: Readonly<Record<string, unknown>> = {}): Record<string, string> => {
  // Those of a list, a Map or a `Headers` are no members: none would be sent.
  if (given === null || Symbol.iterator in given)
    throw new TypeError(
      `headers is ${given === null ? "null" : "a list"}; an object with the value of each name is required`
    )
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      checkText(`the name of the header ${JSON.stringify(name)}`, name, /^[\w!#$%&'*+.^`|~-]+$/, "a token is")
      if (ownHeaders.some((own) => own === name.toLowerCase()))
        throw new TypeError(`headers has ${name}, which the client sets itself; use its options`)
      return [
        name,
        checkText(`the header ${name}`, value, /^[\t\x20-\x7e]*$/, "a text of printable ASCII characters is")
      ]
    })
  )
}

const makeHeaders = ({ file, input, isFile, method, options }: Request, key: string | undefined, strict: boolean) => {
  const { ifMatch, requestId } = options
  const version = ifMatch === undefined || /^"|^\*$/.test(ifMatch) ? ifMatch : `"${ifMatch}"`
  return {
    accept: isFile === true ? "text/csv" : "application/json",
    ...(input === undefined ? {} : { "content-type": "application/json" }),
    ...(file === undefined ? {} : { "content-type": "application/octet-stream" }),
    ...(key === undefined ? {} : { "idempotency-key": key }),
    ...(version === undefined || method === "GET"
      ? {}
      : { "if-match": checkText("ifMatch", version, /^[\x21-\x7e]+$/, "a version from versionOf is") }),
    ...(requestId === undefined
      ? {}
      : {
          "x-request-id": checkText(
            "requestId",
            requestId,
            /^[\w-]{1,128}$/,
            "1 to 128 letters, digits, underscores and hyphens are"
          )
        }),
    ...(strict ? { prefer: "handling=strict" } : {})
  }
}

/** The media types of files, which the service sends without an envelope. */
const fileType = /^(?:text\/csv|application\/xml)\s*(?:;|$)/i

/** The largest response that is read, in bytes. */
const responseMax = 64 * 1024 * 1024

/** The same of a file: a list of 100,000 rows. */
const fileMax = 256 * 1024 * 1024

/** Reads the body as text. Errors: rejects when it has more than {@link responseMax} bytes, a file {@link fileMax}, and reads no further. */
const readBody = async (response: Awaited<ReturnType<Fetch>>): Promise<string> => {
  // A `fetch` of a test, or of a runtime without streams, has the whole text.
  const { body } = response as { readonly body?: unknown }
  if (!(body instanceof ReadableStream)) return response.text()
  const max = fileType.test(response.headers.get("content-type") ?? "") ? fileMax : responseMax
  const decoder = new TextDecoder()
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  let text = ""
  for (let size = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.length
    if (size > max) {
      await reader.cancel()
      throw new Error(`the response has more than ${max} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Parses the envelope of a response. Undefined: the text is not one. */
const parseEnvelope = (text: string): Envelope | undefined => {
  try {
    const { status, code, message, meta } = JSON.parse(text) as Partial<Envelope>
    const isWhole =
      typeof status === "boolean" &&
      typeof code === "string" &&
      typeof message === "string" &&
      typeof meta?.request_id === "string"
    return isWhole ? (JSON.parse(text) as Envelope) : undefined
  } catch {
    return undefined
  }
}

/** Parses `Retry-After`, in seconds or as a date, to milliseconds. */
const parseRetryAfter = (header: string | null, now: number): number | undefined => {
  if (header === null) return undefined
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/**
 * Whether the refusal of a repeat tells the outcome of the earlier attempts. Credentials, roles and rates are checked before the
 * idempotency key is read; a running request and a fault say nothing.
 */
const isDecidedRefusal = (status: number, code: string): boolean =>
  status < 500 && ![401, 403, 408, 429].includes(status) && code !== "idempotency_in_progress"

/** Whether a repeat can have another result. */
const isRetryable = (status: number, code: string): boolean =>
  status >= 500 || status === 408 || status === 429 || code === "idempotency_in_progress"

/** Adds `dry_run=true` to the path of a call with `dryRun`. */
const addDryRun = (request: Request): Request => {
  const { method, options, path } = request
  if (options.dryRun !== true || method === "GET") return request
  return { ...request, path: `${path}${path.includes("?") ? "&" : "?"}dry_run=true` }
}

const connectionTakes: TakesOf<ConnectionOptions> = {
  baseUrl: "any",
  timeoutMs: "number?",
  maxRetries: "number?",
  strict: "boolean?",
  headers: "object?",
  fetch: "function?",
  environment: "object?"
}

const environmentTakes: TakesOf<Partial<Environment>> = {
  now: "function?",
  after: "function?",
  random: "function?",
  makeKey: "function?"
}

/** The kinds of a call's options: those of an embedded call, and those of its connection. An unknown option would be ignored silently. */
const callOptionKinds = ({ isKeyed, takesVersion, method }: Request): TakesOf<Request["options"]> =>
  ({
    signal: "object?",
    timeoutMs: "number?",
    maxRetries: "number?",
    strict: "boolean?",
    requestId: "string?",
    ...(method !== "GET" && (isKeyed || method !== "POST") && { dryRun: "boolean?" }),
    ...((isKeyed || method !== "POST") && { idempotencyKey: "string?" }),
    ...(takesVersion && { ifMatch: "string?" })
  }) as TakesOf<Request["options"]>

const makeDeps = (owner: string, options: ConnectionOptions, secretName: string) => {
  checkOptions(owner, options, { ...connectionTakes, [secretName]: "any" })
  checkKinds("environment", options.environment ?? {}, environmentTakes)
  const secret = (options as ConnectionOptions & Readonly<Record<string, unknown>>)[secretName]
  const url =
    typeof options.baseUrl === "string" && URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : undefined
  // `fetch` takes no URL with credentials, and its error shows them.
  const hasCredentials = url !== undefined && url.username + url.password !== ""
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#]/.test(url.href) || hasCredentials) {
    const found = hasCredentials ? "has credentials" : `is ${JSON.stringify(options.baseUrl)}`
    throw new TypeError(`baseUrl ${found}; an http or https URL without credentials and a query is required`)
  }
  const base = url.href.replace(/\/+$/, "")
  const authorization = `Bearer ${checkText(secretName, secret, /^[\x21-\x7e]+$/, "a text without spaces is")}`
  const { now, after, random, makeKey } = { ...runtime, ...options.environment }
  const gateway = checkHeaders(options.headers)
  const ask: Fetch = options.fetch ?? ((url, init) => fetch(url, init))
  return { options, base, authorization, now, after, random, makeKey, gateway, ask }
}
type Deps = ReturnType<typeof makeDeps>

/** Rejects when the signal aborts, and resolves after `ms` milliseconds. */
const pause = ({ after }: Deps, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      cancel()
      signal?.removeEventListener("abort", end)
      resolve()
    }
    const cancel = after(ms, end)
    signal?.addEventListener("abort", end)
  })

const exchangeOnce = async (
  { after, ask, base, now }: Deps,
  { method, path }: Request,
  headers: Record<string, string>,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  timeoutMs: number,
  signal: AbortSignal | undefined
): Promise<Exchange> => {
  const controller = new AbortController()
  let reason: ConnectionFault = "network"
  let end: (why: ConnectionFault, cause: unknown) => void = () => {}
  // A `fetch` that does not heed its signal must not hold the call.
  const ended = new Promise<never>((_, reject) => {
    end = (why, cause) => {
      reason = why
      controller.abort(cause)
      reject(cause as Error)
    }
  })
  const abort = (): void => end("aborted", signal?.reason)
  signal?.addEventListener("abort", abort)
  const cancel = after(timeoutMs, () => end("timeout", new Error(`no response within ${timeoutMs} ms`)))
  try {
    const asked = ask(base + path, {
      method,
      headers,
      redirect: "manual",
      signal: controller.signal,
      ...(body === undefined ? {} : { body })
    }).then(async (response) => ({ response, text: await readBody(response) }))
    const { response, text } = await Promise.race([asked, ended])
    const { status } = response
    const envelope = parseEnvelope(text)
    const wait = parseRetryAfter(response.headers.get("retry-after"), now())
    if (envelope !== undefined && !envelope.status && status >= 400) return { _tag: "Refused", envelope, status, wait }
    if (envelope !== undefined && envelope.status && status === 200 && "data" in envelope)
      return { _tag: "Ok", envelope, header: (name) => response.headers.get(name) }
    const requestId = response.headers.get("x-request-id")
    if (status === 200 && requestId !== null && fileType.test(response.headers.get("content-type") ?? ""))
      return {
        _tag: "Ok",
        envelope: {
          status: true,
          message: "OK",
          code: "ok",
          data: text,
          meta: { request_id: requestId }
        },
        header: (name) => response.headers.get(name)
      }
    const cause = new Error(`HTTP status ${status} and no envelope of Corridor`)
    return { _tag: "Lost", reason: "invalid_response", status, wait, cause }
  } catch (cause) {
    return { _tag: "Lost", reason, status: undefined, wait: undefined, cause }
  } finally {
    cancel()
    signal?.removeEventListener("abort", abort)
  }
}

/**
 * Makes the function that sends requests and repeats them safely. `owner`: the function that took the options, in which
 * `secretName` is the credential.
 */
export const makeTransport = (owner: string, options: ConnectionOptions, secretName: string): Send => {
  const deps = makeDeps(owner, options, secretName)
  const { makeKey, gateway, authorization, random } = deps

  return async (asked) => {
    checkOptions("this call", asked.options, callOptionKinds(asked))
    const request = addDryRun(asked)
    const { method, path, isKeyed, options: given } = request
    const { signal, strict = options.strict ?? false } = given
    const maxRetries = checkCount("maxRetries", given.maxRetries ?? options.maxRetries ?? defaults.maxRetries, 0, 1000)
    const timeoutMs = checkCount(
      "timeoutMs",
      given.timeoutMs ?? options.timeoutMs ?? defaults.timeoutMs,
      1,
      timeoutMaxMs
    )
    const key = isKeyed
      ? checkText(
          "idempotencyKey",
          given.idempotencyKey ?? makeKey(),
          /^[\w-]{8,255}$/,
          "8 to 255 letters, digits, underscores and hyphens are"
        )
      : undefined
    const headers = { ...gateway, authorization, ...makeHeaders(request, key, strict) }
    // One text for all attempts: the service compares its bytes.
    const body = request.file ?? (request.input === undefined ? undefined : JSON.stringify(request.input))
    const isRead = method === "GET"
    const canRepeat = isRead || key !== undefined
    let outcome: Outcome = "none"

    const lost = (reason: ConnectionFault, cause: unknown, attempts: number, status?: number) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      const message = `${method} ${path.split("?")[0]}: ${reason.replace("_", " ")} (${why}) after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}.`
      return new CorridorConnectionError(message + adviseOnOutcome(outcome, key), {
        reason,
        status,
        attempts,
        idempotencyKey: key,
        outcome,
        cause
      })
    }

    for (let attempts = 1; ; attempts++) {
      if (signal?.aborted === true) throw lost("aborted", signal.reason, attempts - 1)
      const found = await exchangeOnce(deps, request, headers, body, timeoutMs, signal)
      if (found._tag === "Ok") {
        const { envelope, header } = found
        return {
          data: envelope.data,
          meta: envelope.meta,
          status: 200,
          requestId: envelope.meta.request_id,
          version: /^"(.*)"$/.exec(header("etag") ?? "")?.[1],
          isReplayed: header("idempotent-replayed") === "true",
          warnings: envelope.meta.warnings ?? [],
          idempotencyKey: key
        }
      }
      let error: Error
      let mayRepeat: boolean
      if (found._tag === "Refused") {
        const { envelope, status, wait } = found
        const { code, message, meta } = envelope
        if (isDecidedRefusal(status, code)) outcome = "none"
        else if (!isRead && (status >= 500 || status === 408 || code === "idempotency_in_progress")) outcome = "unknown"
        // Nothing has happened at 429, so a change without a key may be repeated too; a POST never is.
        mayRepeat = isRetryable(status, code) && (canRepeat || (status === 429 && method !== "POST"))
        error = new CorridorError(message + adviseOnOutcome(outcome, key), {
          code: code as ErrorCode,
          status,
          requestId: meta.request_id,
          errors: meta.errors ?? [],
          warnings: meta.warnings ?? [],
          nextSteps: meta.next_steps,
          retryAfterMs: wait,
          idempotencyKey: key,
          outcome
        })
      } else {
        const { reason, status, cause } = found
        if (!isRead) outcome = "unknown"
        const isPassingStatus = status === undefined || status < 300 || isRetryable(status, "")
        mayRepeat = canRepeat && reason !== "aborted" && isPassingStatus
        error = lost(reason, cause, attempts, status)
      }
      const wait = found.wait ?? 0
      if (!mayRepeat || attempts > maxRetries || wait > retryAfterMaxMs) throw error
      const backoff = random() * Math.min(backoffMaxMs, backoffMs * 2 ** (attempts - 1))
      await pause(deps, wait + backoff, signal)
    }
  }
}
