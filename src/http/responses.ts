/** Responses that no operation returns: early refusals, defects and unknown paths. */
import { bindFirst } from "../machines/kernel/bound.ts"
import { Cause, Clock, Effect, Option, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import type { AboutCall, Credential } from "../engine/calls/executor.ts"
import { isApiKey, isSameText } from "../engine/crypto/secrets.ts"
import { findNearest } from "../engine/input/nearest.ts"
import type { Warning } from "../engine/input/validation.ts"
import { entries } from "../engine/operations.ts"
import {
  AuthenticationFailed,
  BadRequest,
  type Fault,
  makeFieldRefusal,
  type InvalidInput,
  NotFound,
  type Refusal
} from "../engine/ports/errors.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { ServiceClock } from "../engine/ports/ServiceClock.ts"
import { SandboxOperations } from "../engine/sandbox/sandbox.ts"
import { Environment } from "../engine/settings/settings.ts"
import { renderError, computeRetryAfter } from "./envelope.ts"
import { codeOf, describeError, statuses } from "../engine/calls/codes.ts"
import { countDefect, recordFacts } from "./observability/requests.ts"
import {
  readBearerToken,
  makeJsonResponse,
  readPath,
  type Request,
  chooseRequestId,
  type Response,
  sha256
} from "./request.ts"
import { HttpSettings } from "./settings.ts"

type Failure = Refusal | Fault

/** The time for a response to a defect. The clock itself may have failed. */
const timeOfDefect = Effect.catchDefect(Clock.currentTimeMillis, () => Effect.succeed(0))

const makeDeps = Effect.gen(function* () {
  const settings = yield* HttpSettings
  const { docs_url, operator_token_hash } = settings
  const hasSandbox = Option.isSome(yield* Effect.serviceOption(SandboxOperations))
  const hasMovableClock = Option.isSome(yield* Effect.serviceOption(ServiceClock))
  const missing = hasMovableClock
    ? "the simulated provider (`simulatedProvider()`)"
    : "a clock that can be moved (`movableClock()`)"
  /** Why a route of the sandbox does not exist in the test environment. Empty: it has a sandbox, or is live and never has one. */
  const noSandbox =
    hasSandbox || (yield* Environment) === "live"
      ? ""
      : ` This service was started without ${missing}, so it has no sandbox.`
  return { ids: yield* Ids, settings, docs_url, operator_token_hash, noSandbox }
})
type Deps = Effect.Success<typeof makeDeps>

const serializeFailure = (
  { docs_url }: Deps,
  error: Failure,
  request_id: string,
  at: number,
  warnings?: ReadonlyArray<Warning>,
  about?: AboutCall
): string => {
  const errors = (error as Partial<BadRequest | InvalidInput>).errors
  return renderError(
    codeOf(error),
    describeError(error),
    errors === undefined || errors.length === 0 ? undefined : errors,
    docs_url,
    request_id,
    at,
    warnings,
    about
  )
}

/** Makes the response to a failure, whose envelope is `text`. */
const makeFailureResponse = (error: Failure, text: string, request_id: string): Response => {
  const wait = computeRetryAfter(error)
  const headers = wait === undefined ? undefined : { "retry-after": String(wait) }
  return makeJsonResponse(statuses[codeOf(error)], text, request_id, headers)
}

const respondWithFailure = (deps: Deps, error: Failure, request_id: string): Effect.Effect<Response> =>
  Effect.withFiber((fiber) => {
    recordFacts(fiber.context, { code: codeOf(error), request_id })
    return Effect.map(Clock.currentTimeMillis, (at) =>
      makeFailureResponse(error, serializeFailure(deps, error, request_id, at), request_id)
    )
  })

const respondWithFault = (
  { docs_url }: Deps,
  message: string,
  request_id: string,
  headers?: { readonly [name: string]: string }
): Effect.Effect<Response> =>
  Effect.withFiber((fiber) => {
    recordFacts(fiber.context, { code: "internal_error", request_id })
    return Effect.map(timeOfDefect, (at) =>
      makeJsonResponse(
        500,
        renderError("internal_error", message, undefined, docs_url, request_id, at),
        request_id,
        headers
      )
    )
  })

/** Responds, while the server stops, to a request that it has not begun or has interrupted. */
const respondStopping = (deps: Deps, request_id: string): Effect.Effect<Response> =>
  respondWithFault(deps, "The server is stopping. Repeat the request to learn its outcome.", request_id, {
    "retry-after": "1"
  })

/** Responds to a defect. The cause is logged only. */
const respondWithDefect = (
  deps: Deps,
  cause: Cause.Cause<unknown>,
  operation: string,
  request_id: string
): Effect.Effect<Response> =>
  Effect.gen(function* () {
    yield* countDefect
    yield* Effect.logError("a request ended in a defect", cause).pipe(Effect.annotateLogs({ operation, request_id }))
    return yield* respondWithFault(deps, "An internal error occurred.", request_id)
  })

/** Makes the operator credential of a token, by its SHA-256 (hex). The configured token is an admin without an id (SERVICE-5). */
const toOperatorCredential = ({ operator_token_hash }: Deps, hash: string): Credential =>
  isSameText(hash, operator_token_hash)
    ? { _tag: "Operator", operator: { id: null, name: "operator token", role: "admin" } }
    : { _tag: "OperatorToken", hash }

/** Reads the operator credential of a request. */
const readOperatorCredential = (deps: Deps, request: Request): Result.Result<Credential, AuthenticationFailed> => {
  const token = readBearerToken(request)
  const found = token === undefined ? undefined : toOperatorCredential(deps, sha256(token))
  // What it is shows in its form, whether or not it is valid. The configured token may have any.
  const isKey = token !== undefined && found?._tag !== "Operator" && isApiKey(token)
  if (found !== undefined && !isKey) return Result.succeed(found)
  const message = isKey
    ? "The Authorization header has an API key. The operator API takes an operator's token: send Authorization: Bearer <OPERATOR_TOKEN>, or call /v1."
    : "The operator API requires an operator's token. Send Authorization: Bearer <OPERATOR_TOKEN>."
  return Result.fail(new AuthenticationFailed({ message }))
}

const paths = [...new Set(entries.map(({ operation }) => operation.path))]

/** Finds the path of a route that was probably meant, with `:id` for ids. The part before the name of a resource stays as sent. */
const findNearPath = (path: string): string | undefined => {
  const [, area = "", asked] = /^(\/(?:operator\/)?v1\/|\/sandbox\/)(.+)$/.exec(path) ?? []
  if (asked === undefined) return undefined
  const named = asked.replace(/\/[a-z]+_[0-9a-z]{26}(?=\/|$)/g, "/:id")
  const near = findNearest(
    named,
    paths.filter((one) => one.startsWith(area)).map((one) => one.slice(area.length))
  )
  // A route that is there takes another method.
  return near === undefined || near === named ? undefined : `${area}${near}`
}

/** Responds to an unknown path (HTTP-5). */
const respondToUnknownRoute = (deps: Deps): Effect.Effect<Response, never, Request> =>
  Effect.gen(function* () {
    const { ids, noSandbox } = deps
    const request = yield* HttpServerRequest.HttpServerRequest
    const request_id = yield* chooseRequestId(request, ids)
    const path = readPath(request)
    const near = findNearPath(path)
    return yield* respondWithFailure(
      deps,
      new NotFound({
        message: `The route ${request.method} ${path} does not exist.${near === undefined ? "" : ` Did you mean ${near}?`}${path.startsWith("/sandbox/") ? noSandbox : ""}`
      }),
      request_id
    )
  })

export const makeResponses = Effect.gen(function* () {
  const deps = yield* makeDeps
  const { ids, settings } = deps

  return {
    ...bindFirst(deps, {
      textOf: serializeFailure,
      refuse: respondWithFailure,
      fault: respondWithFault,
      stopping: respondStopping,
      defect: respondWithDefect,
      operator: readOperatorCredential,
      operatorOf: toOperatorCredential,
      // The response to a request that has a header twice which it may have once.
      repeated: (deps: Deps, name: string): Effect.Effect<Response, never, Request> =>
        Effect.gen(function* () {
          const request_id = yield* chooseRequestId(yield* HttpServerRequest.HttpServerRequest, deps.ids)
          const message = `The header ${name} occurs twice; a request has it once.`
          return yield* respondWithFailure(
            deps,
            new BadRequest(makeFieldRefusal(name, "invalid_format", message)),
            request_id
          )
        }),
      // The last resort: a defect outside the operations, or the shutdown of the server (HTTP-14).
      lastResort: (deps: Deps, cause: Cause.Cause<never>): Effect.Effect<Response, never, Request> =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const request_id = yield* chooseRequestId(request, deps.ids)
          if (!Cause.hasInterruptsOnly(cause))
            return yield* respondWithDefect(deps, cause, `${request.method} ${readPath(request)}`, request_id)
          return yield* respondStopping(deps, request_id)
        })
    }),
    ids,
    settings,
    refusal: makeFailureResponse,
    unknownRoute: respondToUnknownRoute(deps)
  }
})

export type Responses = Effect.Success<typeof makeResponses>

/** What answers a request of a route that is no operation. */
export type Handle<R = never> = (request: Request, request_id: string) => Effect.Effect<Response, Failure, R>

/** Runs a handler, and responds with the envelope of its failure or defect. */
export const respondTo = <R>(responses: Responses, route: string, handle: Handle<R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const request_id = yield* chooseRequestId(request, responses.ids)
    return yield* handle(request, request_id).pipe(
      Effect.catch((failure) => responses.refuse(failure, request_id)),
      Effect.catchDefect((thrown) => responses.defect(Cause.die(thrown), route, request_id))
    )
  })
