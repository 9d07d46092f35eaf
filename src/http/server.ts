/**
 * The HTTP codec, which turns a request into a submission and the outcome into a response, and the routes: the operations, system and
 * documentation pages, provider callbacks, and 404 for other paths.
 */
import { ByteSize, Cause, Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import {
  HttpIncomingMessage,
  HttpMiddleware,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { Admission, CallLimits } from "../engine/calls/Admission.ts"
import {
  type CallOutcome,
  type CallRequest,
  type Credential,
  type Execute,
  makeExecutor
} from "../engine/calls/executor.ts"
import type { Listed } from "../engine/calls/list.ts"
import { type AnyOperation, FileResponse, formatNameOf } from "../engine/calls/operation.ts"
import { parseVersions } from "../engine/commit/call.ts"
import { isOperatorToken } from "../engine/crypto/secrets.ts"
import { paging } from "../engine/input/schemas.ts"
import { decode } from "../engine/input/validation.ts"
import { entries, type OperationServices } from "../engine/operations.ts"
import { Providers } from "../engine/ports/Provider.ts"
import { AuthenticationFailed, InvalidInput } from "../engine/ports/errors.ts"
import { acquireUseReleaseSync } from "../engine/ports/when-ended.ts"
import { SandboxOperations } from "../engine/sandbox/sandbox.ts"
import type { Inbox } from "../engine/work/providers/Inbox.ts"
import { receiveCallback } from "../engine/work/providers/provider-inputs.ts"
import { makeConsolePageRoutes } from "./console/routes.ts"
import { makeConsole, SessionCredential } from "./console/session.ts"
import { makeDocsRoutes } from "./docs/routes.ts"
import { parseEnvelope, parseFile, renderFile, renderList, renderOk, toHttpStatus } from "./envelope.ts"
import { codeOf } from "../engine/calls/codes.ts"
import {
  makeCsvResponse,
  chooseFormat,
  isOutcome,
  makeListFile,
  type ListFileRequest,
  prefersCsv,
  refuseFormat
} from "./list-file.ts"
import { recordFacts, makeMeter, observeRoute, observeRequest } from "./observability/requests.ts"
import {
  readBearerToken,
  bodyMax,
  readBodyBytes,
  readCallUrl,
  readCsvBody,
  readFileBody,
  makeFileResponse,
  findRepeatedHeader,
  computeFingerprint,
  isCsv,
  isNoRoute,
  makeJsonResponse,
  readObjectBody,
  prefersStrict,
  readPath,
  type Request,
  chooseRequestId,
  type Response,
  sha256
} from "./request.ts"
import { makeResponses, type Responses, respondTo } from "./responses.ts"
import { makeSystemRoutes } from "./system.ts"
import { verifyRoutes } from "./verify/routes.ts"

// The endpoint for events of the provider: `POST /providers/{provider}/events`, signed as Standard Webhooks with the
// provider's secret (OPERATOR-5). Every message with a valid signature is acknowledged. An event that matches no resource, and
// a body that is no event, are recorded as exceptions for the operator, and a repeated event id is ignored.

const makeCallbackRoutes = Effect.fnUntraced(function* (responses: Responses) {
  const context = yield* Effect.context<Inbox | Providers>()

  const receive = Effect.fnUntraced(function* (request: Request, request_id: string) {
    const { provider = "" } = yield* HttpRouter.params
    const { event_id } = yield* receiveCallback(provider, request.headers, readBodyBytes(request)).pipe(
      Effect.provideContext(context)
    )
    return makeJsonResponse(200, renderOk({ event_id }, request_id, yield* Clock.currentTimeMillis), request_id)
  })
  const events = respondTo(responses, "provider callback", receive)

  /** A sender may ask first whether anybody is there, as SNS does for Circle (CIRCLE-11). */
  const isServed = Effect.gen(function* () {
    const { provider = "" } = yield* HttpRouter.params
    const isKnown = Context.get(context, Providers).byName(provider) !== undefined
    return HttpServerResponse.empty({ status: isKnown ? 200 : 404 })
  })

  return [
    HttpRouter.route("HEAD", "/providers/:provider/events", isServed),
    HttpRouter.route("POST", "/providers/:provider/events", events, { uninterruptible: true })
  ]
})

const readMerchantCredential = (request: Request): Result.Result<Credential, AuthenticationFailed> => {
  const key = readBearerToken(request)
  // What it is shows in its form, whether or not it is valid.
  if (key !== undefined && isOperatorToken(key))
    return Result.fail(
      new AuthenticationFailed({
        message:
          "The Authorization header has an operator's token. This route takes an API key: send Authorization: Bearer <API_KEY>, or call the operator API, /operator/v1."
      })
    )
  if (key !== undefined) return Result.succeed({ _tag: "ApiKey", hash: sha256(key) })
  return Result.fail(
    request.headers["authorization"] === undefined
      ? new AuthenticationFailed({ message: "The request has no API key. Send Authorization: Bearer <API_KEY>." })
      : new AuthenticationFailed({ message: "The Authorization header does not have the form Bearer <API_KEY>." })
  )
}

const replayed = { "idempotent-replayed": "true" }

const makeDeps = Effect.fnUntraced(function* (responses: Responses, admission: Admission) {
  const { rate_per_second } = responses.settings
  const executor = yield* makeExecutor({ admission, rate_per_second })
  return { responses, executor }
})
type Deps = Effect.Success<ReturnType<typeof makeDeps>>

interface ParsedRequest extends CallRequest {
  readonly query: () => Readonly<Record<string, unknown>>
}

const parseRequest = (
  deps: Deps,
  { area, bodyBytes, csv, fileMax, formats, list, method }: AnyOperation,
  request: Request,
  context: Context.Context<never>,
  request_id: string
): ParsedRequest => {
  const { responses } = deps
  let bytes: Uint8Array = new Uint8Array()
  const isRead = method === "GET"
  const parameters = (): Readonly<Record<string, unknown>> =>
    Context.getUnsafe(
      context as Context.Context<HttpServerRequest.ParsedSearchParams>,
      HttpServerRequest.ParsedSearchParams
    )
  const { dry_run, ...others } = parameters()
  const isTable = csv && isCsv(request)
  const isFile = fileMax !== undefined || isTable
  return {
    request_id,
    isOperator: area === "operator",
    credential: () => {
      // The session's credential for a request of the console, otherwise that in the header.
      const { responses } = deps
      const ofSession = Context.get(context, SessionCredential)
      if (ofSession === undefined)
        return area === "operator" ? responses.operator(request) : readMerchantCredential(request)
      return (area === "operator") === (ofSession._tag !== "ApiKey")
        ? Result.succeed(ofSession)
        : Result.fail(
            area === "operator"
              ? new AuthenticationFailed({
                  message: "The session is a merchant's. The operator API requires an operator's."
                })
              : new AuthenticationFailed({ message: "The session is an operator's. This route requires a merchant's." })
          )
    },
    authenticated: ({ key_id, merchant_id, operator }) =>
      recordFacts(context, {
        ...(operator === null ? { merchant_id } : { operator_id: operator.id ?? operator.name }),
        ...(key_id === null ? {} : { key_id })
      }),
    // The values of a repeated header are joined with a comma, which is invalid in a key.
    key: request.headers["idempotency-key"],
    keyName: "Idempotency-Key",
    if_match: isRead ? null : parseVersions(request.headers["if-match"]),
    strict: prefersStrict(request),
    // Any value but the two is refused before anything happens.
    dry_run: dry_run === "true",
    ...(isRead
      ? {}
      : { receive: Effect.map(readBodyBytes(request, fileMax ?? bodyBytes), (received) => void (bytes = received)) }),
    fingerprint: () =>
      Effect.sync(() => computeFingerprint(method, isFile ? readCallUrl(request) : readPath(request), bytes)),
    params: () =>
      Context.getUnsafe(context as Context.Context<HttpRouter.RouteContext>, HttpRouter.RouteContext).params,
    query: () => {
      if (isFile) return dry_run === undefined ? {} : { dry_run }
      const given = parameters()
      // What has a file of its own is asked for it in both ways.
      return "csv" in formats && given["format"] === undefined && prefersCsv(request.headers["accept"])
        ? { ...given, format: "csv" }
        : given
    },
    body: () => {
      if (fileMax !== undefined) return readFileBody(request, bytes, isTable, others)
      if (isTable) return readCsvBody(request, bytes, others)
      return readObjectBody(request, bytes, csv ? "application/json or text/csv" : undefined)
    },
    render: (result, at, warnings, about) => {
      if (result instanceof FileResponse) return renderFile(result, request_id)
      if (list) return renderList(result as Listed<unknown>, request_id, at, warnings)
      const { id } = (result ?? {}) as { readonly id?: unknown }
      if (typeof id === "string" && about?.dry_run === undefined) recordFacts(context, { resource_id: id })
      return renderOk(result, request_id, at, warnings, about)
    },
    renderRefusal: (refusal, at, warnings) => responses.textOf(refusal, request_id, at, warnings)
  }
}

/** Makes the response of a success: the envelope, or the file that an operation with formats has rendered. */
const makeSuccessResponse = (
  { formats }: AnyOperation,
  text: string,
  request_id: string,
  headers?: { readonly [name: string]: string }
): Response => {
  const file = parseFile(text)
  return file === undefined
    ? makeJsonResponse(200, text, request_id, headers)
    : makeFileResponse(formats[file.format]!, file.text, request_id, headers)
}

const makeOutcomeResponse = (
  { responses }: Deps,
  operation: AnyOperation,
  outcome: CallOutcome,
  request_id: string,
  context: Context.Context<never>
): Response => {
  switch (outcome._tag) {
    case "Completed": {
      const { existing, text, version } = outcome
      const headers = existing ? replayed : version === undefined ? undefined : { etag: `"${version}"` }
      return makeSuccessResponse(operation, text, request_id, headers)
    }
    case "Repeated": {
      const { code, request_id: first } = parseEnvelope(outcome.text)
      if (code === "ok") return makeSuccessResponse(operation, outcome.text, first, replayed)
      recordFacts(context, { code })
      return makeJsonResponse(toHttpStatus(code), outcome.text, first, replayed)
    }
    case "Refused": {
      const { at, dry_run, failure, text, warnings } = outcome
      recordFacts(context, { code: codeOf(failure) })
      const envelope = text ?? responses.textOf(failure, request_id, at, warnings, { dry_run })
      const response = responses.refusal(failure, envelope, request_id)
      // A 401 says how to authenticate (RFC 9110, 15.5.2).
      return response.status === 401 ? HttpServerResponse.setHeader(response, "www-authenticate", "Bearer") : response
    }
  }
}

const Paging = Schema.Struct(paging)

/**
 * Responds with a list in the format that the request asks for: a page in the envelope, or the file of all rows. `undefined`: the
 * operation is no list, or its own format is a file.
 */
const respondWithList = (
  operation: AnyOperation,
  submission: ParsedRequest,
  execute: Execute,
  request: Request,
  respond: (outcome: CallOutcome) => Effect.Effect<Response>
): Effect.Effect<Response> | undefined => {
  const { list, formats } = operation
  if (!list || "csv" in formats) return undefined
  const name = formatNameOf(operation)
  const { [name]: given, ...query } = submission.query()
  const format = chooseFormat(given, request.headers["accept"])
  const asPage = Effect.flatMap(execute({ ...submission, query: () => query }), respond)
  if (format === "json") return asPage
  const refuse = (refusal: InvalidInput): Effect.Effect<Response> =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      respond({ _tag: "Refused", failure: refusal, text: undefined, at, warnings: [] })
    )
  const { page, per_page, ...filters } = query
  const requestOf: ListFileRequest["requestOf"] = (of, receive) => ({
    ...submission,
    // A parameter that is there twice is a list, and is refused as that of a page.
    query: () =>
      Object.fromEntries(
        Object.entries(of).map(([member, value]) => [member, Array.isArray(value) ? value : String(value)])
      ),
    render: (result, _at, warnings) => {
      receive(result as Listed<unknown>, warnings)
      return ""
    }
  })
  const asFile = Effect.flatMap(makeListFile({ operation, query: filters, execute, requestOf }), (made) => {
    if (isOutcome(made)) return respond(made)
    if (made instanceof InvalidInput) return refuse(made)
    return format === undefined
      ? refuse(refuseFormat(name, given))
      : Effect.succeed(makeCsvResponse(made, submission.request_id ?? ""))
  })
  // A file has all pages. A page that no list has is refused as its list refuses it.
  const asked = Object.fromEntries(Object.entries({ page, per_page }).filter(([, value]) => value !== undefined))
  return Effect.matchEffect(decode(Paging, asked, "query"), { onFailure: () => asPage, onSuccess: () => asFile })
}

/** Makes the function that serves operations. It prepares each operation once. */
const makeCodec = Effect.fnUntraced(function* (responses: Responses, admission: Admission) {
  const deps = yield* makeDeps(responses, admission)
  const { executor } = deps

  return (operation: AnyOperation): Effect.Effect<Response, never, Request> => {
    const execute = executor(operation)
    const metrics = makeMeter(operation.id)
    return Effect.withFiber<Response, never, Request>((fiber) => {
      const context = fiber.context as Context.Context<never>
      const request = Context.getUnsafe(fiber.context as Context.Context<Request>, HttpServerRequest.HttpServerRequest)
      return acquireUseReleaseSync(
        metrics.begin,
        () =>
          Effect.flatMap(chooseRequestId(request, responses.ids), (request_id) => {
            recordFacts(context, { route: operation.path, operation: operation.id, request_id })
            const submission = parseRequest(deps, operation, request, context, request_id)
            // Logs why the store failed a request. The response does not have it (HTTP-13).
            const respond = (outcome: CallOutcome): Effect.Effect<Response> =>
              Effect.as(
                outcome._tag === "Refused" && outcome.failure._tag === "StorageFault"
                  ? Effect.annotateLogs(Effect.logWarning(`the store failed a request: ${outcome.failure.message}`), {
                      operation: operation.id,
                      request_id
                    })
                  : Effect.void,
                makeOutcomeResponse(deps, operation, outcome, request_id, context)
              )
            return (
              respondWithList(operation, submission, execute, request, respond) ??
              Effect.flatMap(execute(submission), respond)
            ).pipe(
              Effect.catchCause((cause) =>
                Cause.hasInterruptsOnly(cause)
                  ? Effect.failCause(cause)
                  : responses.defect(cause, operation.id, request_id)
              )
            )
          }),
        (started, exit) => metrics.end(started, exit._tag === "Success" ? exit.value.status : 499)
      )
    })
  }
})

/** The application: the response to a request, as an Effect. */
export const makeApp = Effect.gen(function* () {
  const router = yield* HttpRouter.make
  const responses = yield* makeResponses
  const admission = responses.settings.admission ?? new Admission(yield* CallLimits)
  const serve = yield* makeCodec(responses, admission)
  const console = yield* makeConsole(responses, admission)
  // Requests run in the context of the server, so it must contain the services of the operations.
  yield* Effect.context<Exclude<OperationServices, SandboxOperations>>()
  const isSimulated = Option.isSome(yield* Effect.serviceOption(SandboxOperations))
  const served = entries.filter(({ operation }) => operation.area !== "sandbox" || isSimulated)
  yield* router.addAll(
    served.map(({ operation }) =>
      HttpRouter.route(operation.method, operation.path, serve(operation), {
        // A client that disconnects does not interrupt a write, and a stopping server still sends the response.
        uninterruptible: operation.method !== "GET"
      })
    )
  )
  yield* router.addAll(
    [
      ...(yield* makeSystemRoutes(responses)),
      ...makeDocsRoutes(responses, new Set(served.map(({ operation }) => operation.id))),
      ...(yield* makeCallbackRoutes(responses)),
      ...(yield* verifyRoutes),
      // A router also matches encoded paths, so a console that is off has no routes.
      ...(responses.settings.console === false ? [] : [...makeConsolePageRoutes(responses), ...console.routes])
    ].map((route) => observeRoute(route))
  )
  const routed = router.asHttpEffect().pipe(
    // The router fails only if no route matches, or if the path cannot be decoded.
    Effect.catch(() => responses.unknownRoute),
    Effect.catchCause(responses.lastResort)
  )
  const gated = console.gate(routed)
  const once = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const name = findRepeatedHeader(request)
    if (name !== undefined) return responses.repeated(name)
    return isNoRoute(request) ? responses.unknownRoute : gated
  })
  const respond = observeRequest(Effect.catchCause(once, responses.lastResort))
  return { respond, responses }
}).pipe(
  // An id of any length reaches the operation, which responds that it does not exist. Paths match exactly.
  Effect.provideService(HttpRouter.RouterConfig, {
    maxParamLength: 16_384,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    caseSensitive: true
  })
)

/**
 * The settings under which the application runs: larger bodies are refused before they are read, and the server makes no spans
 * of its own, which would have the URL.
 */
export const requestSettings = Layer.mergeAll(
  Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyMax)),
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)
)

/** More services than a request adds to those of the server. Beyond its depth, a context copies all of them for each that is added. */
const depth = 24

/** Makes a context of a server's services to which requests add theirs cheaply. */
export const makeExtensibleContext = <R>({ mapUnsafe }: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(mapUnsafe, { maxDepth: depth })

const serveExtensibly = <A, E, R>(serving: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(serving, (services: Context.Context<R>) => makeExtensibleContext(services))

/** Serves all routes. Requires an `HttpServer`. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(makeApp, ({ respond }) => serveExtensibly(HttpServer.serveEffect(respond)))
).pipe(Layer.provide(requestSettings))
