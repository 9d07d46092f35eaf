/** Webhook deliveries over HTTP, to hosts that any merchant may name. */
import { Effect, Layer } from "effect"
import { Agent } from "undici"
import { BoundedMap } from "../../engine/ports/bounded-map.ts"
import { checkOptions } from "../../engine/input/options.ts"
import { adapter, type WebhookAdapter } from "../../engine/ports/adapter.ts"
import { Environment } from "../../engine/settings/settings.ts"
import { sign } from "../../engine/crypto/signing.ts"
import {
  type Delivery,
  type DeliveryAnswer,
  RESPONSE_BODY_MAX,
  type SentRequest,
  UserAgent,
  WebhookSink
} from "../../engine/ports/WebhookSink.ts"
import { readIpAddress, findUrlFault } from "./address.ts"
import {
  AddressRefused,
  findConnectionTime,
  makeConnector,
  type Resolve,
  resolveAddresses,
  makeResolver
} from "./connector.ts"

export interface HttpWebhookOptions {
  /** Time limit for an attempt, from the DNS lookup to the last byte of the response. Default: 15000. */
  readonly timeout_ms?: number
  /** `live`: HTTPS and public addresses only. `test`: HTTP and loopback as well. */
  readonly environment: Environment
  /** `Corridor/<version>` (DELIVERY-1). */
  readonly user_agent: string
  /** Resolves host names. Default: DNS. Its results are always checked. */
  readonly resolve?: Resolve
}

/** The response body is discarded beyond its start. Beyond this size the connection is closed. */
const MAX_ANSWER_BYTES = 65_536

/** Longest wait for DNS when a merchant registers a URL, in milliseconds. */
const CHECK_MS = 3000

/** Idle connections close after this time, before common servers close theirs: a request never meets a closing connection. */
const IDLE_MS = 4000

/** Parses the delay that a receiver requests, in milliseconds: `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). */
export const parseRetryAfter = (value: string | undefined, now: number): number | null => {
  if (value === undefined) return null
  const text = value.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  // Accept HTTP dates only. Date.parse accepts many more forms, and its results differ between machines.
  if (!/^[A-Za-z]{3,9},? .*\d/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** Stale connections tolerated before the attempt fails. */
const MAX_STALE = 3

const closed = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

const describeError = (error: unknown, timeout_ms: number): string => {
  const { code = "", message, name } = error as { code?: string; message: string; name: string }
  if (error instanceof AddressRefused) return `not sent: the host has ${message}`
  if (code === "ENOTFOUND" || code === "ENODATA") return "the host does not resolve to an address"
  if (code === "ECONNREFUSED") return "the connection was refused"
  if (closed.has(code)) return "the connection was closed before a response"
  if (name === "HTTPParserError") return "the response is not HTTP"
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") return `no connection within ${timeout_ms} ms`
  if (code.startsWith("ERR_TLS_") || code.startsWith("CERT_") || code.includes("CERT") || code.startsWith("ERR_SSL_"))
    return `the TLS connection failed (${code})`
  return code === "" ? "the delivery failed" : `the delivery failed (${code})`
}

/** The time limit of an attempt. `stop` aborts the current step when the time is up. */
interface Limit {
  reached: boolean
  stop: (reason: Error) => void
}

interface Target {
  readonly fault: string | null
  readonly origin: string
  readonly path: string
}

/** Number of URLs in the target cache. */
const KNOWN_MAX = 2048

interface Answered {
  readonly statusCode: number
  readonly later: string | undefined
}

/** What an attempt sent, and the start of what came back. It is filled while the attempt runs. */
interface Exchanged {
  request?: SentRequest
  readonly start: Array<Uint8Array>
}

const outOfTime = new Error("out of time")
const stopAtLimit = (limit: Limit): void => {
  limit.reached = true
  limit.stop(outOfTime)
}
const enough = new Error("enough was read")

const makeDeps = (options: HttpWebhookOptions, agent: Agent) => {
  const { environment, timeout_ms = 15_000, user_agent, resolve = makeResolver(environment) } = options
  /** Cache of the check result and the target of each URL. The same few URLs recur. */
  const known = new BoundedMap<string, Target>(KNOWN_MAX)
  return { agent, environment, timeout_ms, user_agent, resolve, known }
}
type Deps = ReturnType<typeof makeDeps>

const resolveTarget = ({ known, environment }: Deps, url: string): Target => {
  const found = known.get(url)
  if (found !== undefined) return found
  const fault = findUrlFault(url, environment)
  const { origin, pathname, search } = fault === null ? new URL(url) : { origin: "", pathname: "", search: "" }
  const target = { fault, origin, path: pathname + search }
  known.set(url, target)
  return target
}

const postDelivery = (deps: Deps, delivery: Delivery, limit: Limit, exchanged: Exchanged) =>
  new Promise<Answered>((resolve, reject) => {
    const { origin, path } = resolveTarget(deps, delivery.url)
    const timestamp = Math.floor(Date.now() / 1000)
    const headers = {
      "content-type": "application/json",
      "user-agent": deps.user_agent,
      "webhook-id": delivery.message_id,
      "webhook-timestamp": String(timestamp),
      ...(delivery.traceparent === undefined ? {} : { traceparent: delivery.traceparent })
    }
    exchanged.start.length = 0
    let head: Answered | undefined
    let read = 0
    // The status decides the attempt. A body that stalls or breaks does not change it.
    const ended = (error: Error): void => (head === undefined ? reject(error) : resolve(head))
    limit.stop = ended
    deps.agent.dispatch(
      {
        origin,
        path,
        method: "POST",
        headersTimeout: 0,
        bodyTimeout: 0,
        headers: {
          ...headers,
          "webhook-signature": sign(delivery.secrets, delivery.message_id, timestamp, delivery.body)
        },
        body: delivery.body
      },
      {
        onRequestStart: (controller) => {
          if (limit.reached) return controller.abort(outOfTime)
          limit.stop = (reason) => controller.abort(reason)
          exchanged.request = { url: delivery.url, headers }
        },
        onResponseStart: (_, statusCode, headers) => {
          if (statusCode < 200) return
          const later = headers["retry-after"]
          head = { statusCode, later: Array.isArray(later) ? later[0] : later }
        },
        onResponseData: (controller, chunk) => {
          if (read < RESPONSE_BODY_MAX) exchanged.start.push(chunk)
          read += chunk.length
          if (read > MAX_ANSWER_BYTES) controller.abort(enough)
        },
        onResponseEnd: () => ended(enough),
        onResponseError: (_, error) => ended(error)
      }
    )
  })

/** Posts a delivery, and retries on another connection if a kept one was closed by the receiver: that says nothing about the receiver. */
const postWithStaleRetries = async (
  deps: Deps,
  delivery: Delivery,
  limit: Limit,
  exchanged: Exchanged,
  began: number
) => {
  for (let stale = 0; ; stale++) {
    try {
      return await postDelivery(deps, delivery, limit, exchanged)
    } catch (error) {
      // Whether the broken connection existed before the attempt began: the receiver had closed it while it was idle.
      if (
        limit.reached ||
        !(closed.has((error as { code?: string }).code ?? "") && (findConnectionTime(error) ?? began) < began) ||
        stale === MAX_STALE
      )
        throw error
    }
  }
}

const attemptDelivery = async (deps: Deps, delivery: Delivery, limit: Limit): Promise<DeliveryAnswer> => {
  const { timeout_ms } = deps
  const began = performance.now()
  const exchanged: Exchanged = { start: [] }
  const answer = (response_status: number | null, error: string | null, retry_after_ms: number | null = null) => ({
    response_status,
    error,
    retry_after_ms,
    duration_ms: Math.round(performance.now() - began),
    ...(exchanged.request === undefined ? {} : { request: exchanged.request }),
    // The start of a body as text. An incomplete last character is dropped. No store accepts U+0000 in every place,
    // so it is replaced as bytes that are not UTF-8 are.
    ...(response_status === null
      ? {}
      : {
          response_body:
            exchanged.start.length === 0
              ? ""
              : new TextDecoder()
                  .decode(Buffer.concat(exchanged.start).subarray(0, RESPONSE_BODY_MAX), { stream: true })
                  .replaceAll("\0", "\uFFFD")
        })
  })
  const { fault } = resolveTarget(deps, delivery.url)
  if (fault !== null) return answer(null, `not sent: ${fault}`)
  const deadline = setTimeout(stopAtLimit, timeout_ms, limit)
  try {
    const { statusCode, later } = await postWithStaleRetries(deps, delivery, limit, exchanged, began)
    const error =
      statusCode >= 200 && statusCode < 300
        ? null
        : statusCode >= 300 && statusCode < 400
          ? `returned HTTP ${statusCode}; redirects are not followed`
          : `returned HTTP ${statusCode}`
    return answer(statusCode, error, parseRetryAfter(later, Date.now()))
  } catch (error) {
    return answer(null, limit.reached ? `no response within ${timeout_ms} ms` : describeError(error, timeout_ms))
  } finally {
    clearTimeout(deadline)
  }
}

const checkEndpointUrl = async ({ environment, resolve }: Deps, url: string): Promise<string | null> => {
  const fault = findUrlFault(url, environment)
  const parsed = new URL(fault === null ? url : "https://localhost")
  if (fault !== null || readIpAddress(parsed) !== null) return fault
  let bound: NodeJS.Timeout | undefined
  try {
    const timeout = new Promise((done) => (bound = setTimeout(done, CHECK_MS)))
    await Promise.race([resolveAddresses(parsed.hostname, resolve, environment), timeout])
    return null
  } catch (error) {
    // A name without an address may get one later. Every delivery checks it again.
    return error instanceof AddressRefused ? `The url's host must not have ${error.message}.` : null
  } finally {
    clearTimeout(bound)
  }
}

/** The layer of a sink with one pool of kept connections for the process. The pool closes with the layer's scope. */
const layer = (options: HttpWebhookOptions): Layer.Layer<WebhookSink> =>
  Layer.effect(
    WebhookSink,
    Effect.acquireRelease(
      Effect.sync(
        () =>
          new Agent({
            pipelining: 1,
            keepAliveTimeout: IDLE_MS,
            keepAliveMaxTimeout: IDLE_MS,
            connect: makeConnector({
              environment: options.environment,
              resolve: options.resolve ?? makeResolver(options.environment),
              timeout_ms: options.timeout_ms ?? 15_000
            })
          })
      ),
      (agent) => Effect.promise(() => agent.destroy())
    ).pipe(
      Effect.map((agent) => {
        const deps = makeDeps(options, agent)
        const { timeout_ms } = deps

        return WebhookSink.of({
          deliver: (delivery) =>
            Effect.callback((resume) => {
              const limit: Limit = { reached: false, stop: () => {} }
              attemptDelivery(deps, delivery, limit).then(
                (answer) => resume(Effect.succeed(answer)),
                (defect: unknown) => resume(Effect.die(defect))
              )
              return Effect.sync(() => stopAtLimit(limit))
            }),
          check: (url) => Effect.promise(() => checkEndpointUrl(deps, url)),
          timeout_ms
        })
      })
    )
  )

export const HttpWebhookSink = { layer } as const

/**
 * A webhook sink that sends signed POST requests to the endpoints' URLs, under the rules of the environment.
 *
 * Errors: throws `TypeError` for an unknown option.
 */
export const httpWebhooks = (options: Partial<Omit<HttpWebhookOptions, "environment">> = {}): WebhookAdapter => {
  checkOptions("httpWebhooks", options, { timeout_ms: "number?", user_agent: "string?", resolve: "function?" })
  return adapter(
    "webhook",
    Layer.unwrap(
      Effect.gen(function* () {
        const environment = yield* Environment
        const user_agent = yield* UserAgent
        return layer({ user_agent, ...options, environment })
      })
    )
  )
}
