/**
 * The sessions of the console (SESSION-1 to SESSION-5): `POST`, `GET` and `DELETE /console/session`, and `/console/api`, which
 * is the API with the session as credential. The cookie counts nowhere else.
 */
import { Clock, Context, Effect, Result, type Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { nameOfKey } from "../../engine/calls/ActiveApprovalRules.ts"
import type { Admission } from "../../engine/calls/Admission.ts"
import { Auth, type Principal } from "../../engine/calls/auth.ts"
import type { Credential } from "../../engine/calls/executor.ts"
import { makeSessions, type Session, sessionMs } from "../../engine/calls/sessions.ts"
import type { Operator } from "../../engine/commit/call.ts"
import { isSameText } from "../../engine/crypto/secrets.ts"
import { iso, wallNow } from "../../engine/ports/Time.ts"
import { BoundedMap } from "../../engine/ports/bounded-map.ts"
import {
  AuthenticationFailed,
  BadRequest,
  type Fault,
  makeFieldRefusal,
  Forbidden,
  RateLimited,
  type Refusal
} from "../../engine/ports/errors.ts"
import { version } from "../../version.ts"
import { renderOk } from "../envelope.ts"
import {
  readBodyBytes,
  makeJsonResponse,
  readObjectBody,
  readPath,
  readPeerAddress,
  type Request,
  chooseRequestId,
  type Response,
  sha256
} from "../request.ts"
import { type Handle, type Responses, respondTo } from "../responses.ts"

// Failed sign-ins, by the address they come from: after too many in a minute, further ones are refused (SESSION-5).

const windowMs = 60_000
const failuresMax = 20
const addressesMax = 1000

export class FailedSignIns {
  /** In the order of their first failure. */
  readonly #failures = new BoundedMap<string, { readonly since: number; count: number }>(addressesMax)

  /** Milliseconds until a failure of the address counts as one again; 0 if it does now. */
  readonly waitMs = (address: string, now: number): number => {
    const found = this.#failures.get(address)
    if (found === undefined || found.count < failuresMax) return 0
    return Math.max(0, found.since + windowMs - now)
  }

  readonly count = (address: string, now: number): void => {
    const found = this.#failures.get(address)
    if (found !== undefined && now - found.since < windowMs) {
      found.count++
      return
    }
    this.#failures.delete(address)
    this.#failures.set(address, { since: now, count: 1 })
  }
}

/** Parses a URL, for its origin; `undefined` if it is not one. */
const parseOrigin = (url: string): URL | undefined => URL.parse(url) ?? undefined

/**
 * Whether a request comes from a page of this service (SESSION-3). Browsers name the sending page in `Origin` and `Sec-Fetch-Site`; a request
 * without either was not sent by a page. A proxy may change the host, so both the public URL and the host of the request are accepted.
 */
const isSameOrigin = (request: Request, base_url: string): boolean => {
  const site = request.headers["sec-fetch-site"]
  // `none`: a person typed the address. No page can send such a request.
  if (site !== undefined && site !== "same-origin" && !(site === "none" && request.method === "GET")) return false
  const origin = request.headers["origin"]
  if (origin === undefined) return true
  const sent = parseOrigin(origin)
  return sent !== undefined && (sent.origin === parseOrigin(base_url)?.origin || sent.host === request.headers["host"])
}

type Failure = Refusal | Fault
type Routed = Effect.Effect<Response, never, Request | Scope.Scope>

/** The credential of the session that sent a request to `/console/api`. */
export const SessionCredential = Context.Reference<Credential | undefined>("corridor/http/SessionCredential", {
  defaultValue: () => undefined
})

const cookieName = "corridor_session"

/** A session whose token is still valid, with whom it stands for. */
type SignedIn = {
  readonly id: string
  readonly session: Session
  readonly credential: Credential
} & (
  | { readonly type: "operator"; readonly operator: Operator }
  | { readonly type: "merchant"; readonly principal: Principal }
)

/** Derives the CSRF token of a session: it cannot be derived without the cookie, which no script can read. */
const deriveCsrfToken = (id: string): string => sha256(`corridor console csrf\n${id}`)

const makeNoSessionError = () =>
  new AuthenticationFailed({ message: "There is no session, or it has ended. Sign in again." })
const makeOtherOriginError = () => new Forbidden({ message: "The request was not sent by a page of this service." })

const makeSessionBody = (signedIn: SignedIn, environment: string) => {
  const { id, session } = signedIn
  const common = {
    csrf_token: deriveCsrfToken(id),
    environment,
    expires_at: iso(session.created_at + sessionMs),
    server_version: version
  }
  if (signedIn.type === "operator") {
    const { operator } = signedIn
    const none = { key_id: null, merchant_id: null, merchant_name: null }
    return { type: "operator", name: operator.name, role: operator.role, operator_id: operator.id, ...none, ...common }
  }
  const { key, merchant, role } = signedIn.principal
  const of = { key_id: key.id, merchant_id: merchant.id, merchant_name: merchant.data.name }
  return { type: "merchant", name: nameOfKey(key) ?? key.data.prefix, role, operator_id: null, ...of, ...common }
}

const makeDeps = Effect.fnUntraced(function* (responses: Responses, admission: Admission) {
  const { base_url, console: isOn = true, environment } = responses.settings
  const sessions = yield* makeSessions
  const { pathname = "", protocol } = URL.parse(base_url) ?? {}
  const path = `${pathname.replace(/\/+$/, "")}/console`
  const attributes = `HttpOnly; SameSite=Strict; Path=${path}${protocol === "https:" ? "; Secure" : ""}`
  return {
    responses,
    admission,
    base_url,
    isOn,
    environment,
    auth: yield* Auth,
    sessions,
    failed: new FailedSignIns(),
    attributes
  }
})
type Deps = Effect.Success<ReturnType<typeof makeDeps>>

/** Finds the merchant or operator whose token has this hash. Errors: `AuthenticationFailed`, `MerchantInactive`. */
const findCaller = Effect.fnUntraced(function* ({ auth, responses }: Deps, type: Session["type"], hash: string) {
  if (type === "merchant") {
    const principal = yield* auth.authenticate(hash)
    return { type, principal, credential: { _tag: "ApiKey", hash } satisfies Credential } as const
  }
  const credential = responses.operatorOf(hash)
  const operator = credential._tag === "Operator" ? credential.operator : yield* auth.operator(hash)
  return { type, operator, credential } as const
})

/** Finds the session of a request that a page of this service has sent. Errors: `AuthenticationFailed`, `Forbidden`. */
const admitSession = Effect.fnUntraced(function* (deps: Deps, request: Request): Effect.fn.Return<SignedIn, Failure> {
  const { admission, base_url, sessions } = deps
  if (!isSameOrigin(request, base_url)) return yield* makeOtherOriginError()
  const id = request.cookies[cookieName]
  if (id === undefined || !/^[A-Za-z0-9_-]{43}$/.test(id)) return yield* makeNoSessionError()
  const used = sessions.use(id)
  const session = yield* (yield* sessions.isKnown(id)) ? used : admission.guard("reads", used)
  if (session === undefined) return yield* makeNoSessionError()
  const holder = yield* findCaller(deps, session.type, session.hash)
  if (request.method !== "GET" && !isSameText(request.headers["x-csrf-token"] ?? "", deriveCsrfToken(id)))
    return yield* new Forbidden({
      message: "The request requires the header X-CSRF-Token with the csrf_token of the session."
    })
  return { id, session, ...holder }
})

const readTokenMember = Effect.fnUntraced(function* (request: Request) {
  const body = readObjectBody(request, yield* readBodyBytes(request))
  if (Result.isFailure(body)) return yield* body.failure
  const { token } = body.success
  if (typeof token === "string" && token.length > 0 && token.length <= 512) return token
  return yield* new BadRequest(
    makeFieldRefusal(
      "token",
      token === undefined ? "required" : "invalid_type",
      "token takes an operator's token or an API key: a string of 1 to 512 characters."
    )
  )
})

const signIn = Effect.fnUntraced(function* (deps: Deps, request: Request, request_id: string) {
  const { base_url, failed, admission, sessions, environment, attributes } = deps
  if (!isSameOrigin(request, base_url)) return yield* makeOtherOriginError()
  const address = readPeerAddress(request)
  const now = yield* wallNow
  const retry_after_ms = failed.waitMs(address, now)
  const hash = sha256(yield* readTokenMember(request))
  const sought = findCaller(deps, "merchant", hash).pipe(
    Effect.catchTag("AuthenticationFailed", () => findCaller(deps, "operator", hash))
  )
  // Behind a proxy everyone has the same address, so a valid token is never refused for the failures of others.
  const holder = yield* (retry_after_ms > 0 ? admission.guard("reads", sought) : sought).pipe(
    Effect.catchTag("AuthenticationFailed", (): Effect.Effect<never, Failure> => {
      if (retry_after_ms > 0)
        return Effect.fail(
          new RateLimited({ message: "Too many sign-ins have failed. Try again later.", retry_after_ms })
        )
      failed.count(address, now)
      return Effect.fail(
        new AuthenticationFailed({ message: "The token is neither an active operator's token nor an active API key." })
      )
    })
  )
  // The cookie that a request brings never becomes a session's: each sign-in has a new id (SESSION-2).
  const { id, session } = yield* sessions.begin(
    holder.type,
    hash,
    holder.type === "operator" ? { operator: holder.operator, request_id } : undefined
  )
  const text = renderOk(
    makeSessionBody({ id, session, ...holder }, environment),
    request_id,
    yield* Clock.currentTimeMillis
  )
  const cookie = `${cookieName}=${id}; Max-Age=${sessionMs / 1000}; ${attributes}`
  return makeJsonResponse(200, text, request_id, { "set-cookie": cookie })
})

/** Makes the routes of sessions, and the function that admits requests to the console. */
export const makeConsole = Effect.fnUntraced(function* (responses: Responses, admission: Admission) {
  const deps = yield* makeDeps(responses, admission)
  const { attributes, environment, isOn, sessions } = deps
  const show = Effect.fnUntraced(function* (request: Request, request_id: string) {
    const body = makeSessionBody(yield* admitSession(deps, request), environment)
    return makeJsonResponse(200, renderOk(body, request_id, yield* Clock.currentTimeMillis), request_id)
  })
  const signOut = Effect.fnUntraced(function* (request: Request, request_id: string) {
    const found = yield* admitSession(deps, request)
    yield* sessions.end(found.id, found.type === "operator" ? { operator: found.operator, request_id } : undefined)
    const cookie = `${cookieName}=; Max-Age=0; ${attributes}`
    const headers = { "set-cookie": cookie, "cache-control": "no-store", "x-request-id": request_id }
    return HttpServerResponse.empty({ status: 204, headers })
  })
  /** Sends a request to the console where it belongs. */
  const gate = (routed: Routed): Routed => {
    // The response of `routed` to a request below `/console/api`, at its path in the API and with the session as
    // credential.
    const called = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const url = request.url.slice("/console/api".length)
      if (!/^\/(?:v1|sandbox|operator\/v1)\//.test(url)) return yield* responses.unknownRoute
      const found = yield* Effect.result(admitSession(deps, request))
      if (Result.isFailure(found))
        return yield* responses.refuse(found.failure, yield* chooseRequestId(request, responses.ids))
      return yield* routed.pipe(
        Effect.provideService(SessionCredential, found.success.credential),
        Effect.provideService(HttpServerRequest.HttpServerRequest, request.modify({ url }))
      )
    })
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Routed => {
      return isOn && readPath(request).startsWith("/console/api/") ? called : routed
    })
  }
  const on = <R>(method: "GET" | "POST" | "DELETE", handle: Handle<R>) =>
    HttpRouter.route(method, "/console/session", respondTo(responses, "console session", handle), {
      uninterruptible: method !== "GET"
    })
  const routes = [
    on("POST", (request, request_id) => signIn(deps, request, request_id)),
    on("GET", show),
    on("DELETE", signOut)
  ]
  return { gate, routes }
})
