/**
 * The one way every API request goes. A process that answers as many as it takes refuses the rest unseen; then, in the
 * order of HTTP-6: authentication, merchant state, role, rate limit, form of the Idempotency-Key, replay or conflict of
 * the key, form of the path's ids, query and body, and then the operation, which checks existence, meaning, state and
 * funds.
 *
 * An answer is rendered once. For a keyed POST that happens inside the operation, before its commit, through
 * `Call.reply`: what was committed is what is sent. Refusals of keyed POSTs are kept under their key by themselves.
 */
import { Cause, Clock, Context, Effect, Option, Result } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { Admission, CallLimits } from "../engine/calls/Admission.ts"
import type { Call } from "../engine/commit/call.ts"
import {
  AuthenticationFailed,
  type BadRequest,
  type Fault,
  type FieldFault,
  Forbidden,
  type InvalidInput,
  NotFound,
  RateLimited,
  type Refusal
} from "../engine/ports/errors.ts"
import { UnitOfWork, isRefusal } from "../engine/commit/UnitOfWork.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { atLeast } from "../engine/commit/call.ts"
import { Auth, ofSandbox, type Principal } from "../engine/calls/auth.ts"
import type { Listed, Versioned } from "../engine/calls/list.ts"
import { sameText } from "../engine/crypto/secrets.ts"
import { HOUSE, Storage } from "../engine/ports/Storage.ts"
import { wallNow } from "../engine/ports/Time.ts"
import { decoder, reader, type Warning } from "../engine/input/validation.ts"
import { type Area, NoQuery, Nothing, type Rules } from "./api/contract.ts"
import type { Endpoint } from "./endpoint.ts"
import { readStored, renderError, renderList, renderOk } from "./envelope.ts"
import { codeOf, isKept, messageOf, retryAfter, statusOf, wire } from "./errors.ts"
import {
  bearerOf,
  bytesOf,
  fingerprintOf,
  idempotencyKeyOf,
  ifMatchOf,
  jsonResponse,
  objectOf,
  pathOf,
  prefersStrict,
  requestIdOf,
  sha256
} from "./request.ts"
import { InFlight } from "../engine/calls/InFlight.ts"
import { HttpSettings } from "./settings.ts"
import { countDefect, meter } from "./telemetry.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Failure = Refusal | Fault

const missingKey = () =>
  new AuthenticationFailed({ message: "The request carries no API key. Send Authorization: Bearer <API_KEY>." })
const malformedKey = () =>
  new AuthenticationFailed({ message: "The Authorization header is not of the form Bearer <API_KEY>." })

/** The clock may be what has failed. */
const timeOfDefect = Effect.catchDefect(Clock.currentTimeMillis, () => Effect.succeed(0))

const errorsOf = (error: Failure): ReadonlyArray<FieldFault> | undefined => {
  const errors = (error as Partial<BadRequest | InvalidInput>).errors
  return errors === undefined || errors.length === 0 ? undefined : errors
}

/** Makes what a request may need, once for the server. */
export const makePipeline = Effect.gen(function* () {
  const auth = yield* Auth
  const unitOfWork = yield* UnitOfWork
  const ids = yield* Ids
  const settings = yield* HttpSettings
  const storage = yield* Storage
  const inFlight = new InFlight()
  const admission = settings.admission ?? new Admission(yield* CallLimits)

  const errorText = (error: Failure, request_id: string, at: number, warnings?: ReadonlyArray<Warning>): string =>
    renderError(codeOf(error), messageOf(error), errorsOf(error), settings.docs_url, request_id, at, warnings)

  const errorResponse = (error: Failure, text: string, request_id: string): Response => {
    const wait = retryAfter(error)
    return jsonResponse(
      wire[codeOf(error)].status,
      text,
      request_id,
      wait === undefined ? undefined : { "retry-after": String(wait) }
    )
  }

  /** The answer to a failure that no operation has to know of. */
  const refuse = (error: Failure, request_id: string): Effect.Effect<Response> =>
    Effect.map(Clock.currentTimeMillis, (at) => errorResponse(error, errorText(error, request_id, at), request_id))

  /** Everything that is not an answer: our bug, or the client gone. Nothing of its cause leaves the process but the log. */
  const defect = (cause: Cause.Cause<unknown>, operation: string, request_id: string): Effect.Effect<Response> =>
    Effect.gen(function* () {
      yield* countDefect
      yield* Effect.logError("a request ended in a defect", cause).pipe(Effect.annotateLogs({ operation, request_id }))
      const at = yield* timeOfDefect
      const text = renderError(
        "internal_error",
        "Something failed on our side.",
        undefined,
        settings.docs_url,
        request_id,
        at
      )
      return jsonResponse(500, text, request_id)
    })

  const merchantOf = (request: Request, area: Area): Effect.Effect<Principal, Failure> => {
    const key = bearerOf(request)
    if (key !== undefined) return auth.authenticate(sha256(key), area === "sandbox" ? ofSandbox : undefined)
    return Effect.fail(request.headers["authorization"] === undefined ? missingKey() : malformedKey())
  }

  const operatorOf = (request: Request): Effect.Effect<void, AuthenticationFailed> => {
    const token = bearerOf(request)
    return token !== undefined && sameText(sha256(token), settings.operator_token_hash)
      ? Effect.void
      : Effect.fail(
          new AuthenticationFailed({
            message: "The operator API takes the operator's token as Authorization: Bearer <token>."
          })
        )
  }

  const holdRole = (rules: Rules, principal: Principal): Effect.Effect<void, Forbidden> =>
    atLeast(principal.role, rules.role)
      ? Effect.void
      : Effect.fail(
          new Forbidden({ message: `A ${principal.role} key may not do this; it takes the role ${rules.role}.` })
        )

  const holdRate = Effect.fnUntraced(function* (merchant_id: string) {
    const per_second = settings.rate_per_second
    const retry_after_ms = yield* storage.take({ merchant_id, per_second, burst: per_second * 2, now: yield* wallNow })
    if (retry_after_ms > 0) {
      return yield* new RateLimited({
        message: `The merchant makes more than ${per_second} money-movement writes per second.`,
        retry_after_ms
      })
    }
  })

  /** One operation, ready to be served. */
  const serve = ({ rules, handler }: Endpoint): Effect.Effect<Response, never, Request> => {
    const { area, id: operation, method } = rules
    const writes = method !== "GET"
    const keyed = method === "POST" && area === "v1"
    const limited = rules.limited && settings.rate_per_second > 0
    const readParams = rules.params === undefined ? undefined : decoder(rules.params, "path")
    const readQuery = reader(rules.query ?? NoQuery, "query")
    const readBody = reader(rules.body ?? Nothing, rules.as)
    const metrics = meter(operation)

    const paramsOf = (context: Context.Context<never>) =>
      readParams?.(
        Context.getUnsafe(context as Context.Context<HttpRouter.RouteContext>, HttpRouter.RouteContext).params
      ) ?? Result.succeed({})

    const inputOf = (
      request: Request,
      context: Context.Context<never>,
      bytes: Uint8Array | undefined,
      warn: (warnings: ReadonlyArray<Warning>) => void
    ): Result.Result<{ readonly query: unknown; readonly body: unknown }, BadRequest | InvalidInput> => {
      const search = Context.getUnsafe(
        context as Context.Context<HttpServerRequest.ParsedSearchParams>,
        HttpServerRequest.ParsedSearchParams
      )
      const strict = prefersStrict(request)
      const { result: query, warnings } = readQuery(search, strict)
      warn(warnings)
      if (Result.isFailure(query)) return Result.fail(query.failure)
      if (bytes === undefined) return Result.succeed({ query: query.success, body: {} })
      const object = objectOf(request, bytes)
      if (Result.isFailure(object)) return Result.fail(object.failure)
      const body = readBody(object.success, strict)
      warn([...warnings, ...body.warnings])
      return Result.map(body.result, (taken) => ({ query: query.success, body: taken }))
    }

    /** Who calls, and under which key: everything that is looked at before the body. */
    const entered = Effect.fnUntraced(function* (request: Request) {
      let who: Pick<Call, "merchant_id" | "role" | "key_id"> = { merchant_id: HOUSE, role: "admin", key_id: null }
      if (area === "operator") {
        yield* operatorOf(request)
      } else {
        const principal = yield* merchantOf(request, area)
        yield* holdRole(rules, principal)
        who = principal
        if (limited) yield* holdRate(principal.merchant_id)
      }
      const key = keyed ? idempotencyKeyOf(request) : undefined
      if (key !== undefined && Result.isFailure(key)) return yield* key.failure
      return { ...who, key: key?.success ?? null }
    })

    const answered = Effect.fnUntraced(function* (
      request: Request,
      context: Context.Context<never>,
      request_id: string,
      { merchant_id, role, key_id, key }: Effect.Success<ReturnType<typeof entered>>,
      bytes: Effect.Success<ReturnType<typeof bytesOf>> | undefined
    ) {
      const at = yield* Clock.currentTimeMillis
      /** The answer as it was committed last, or is to be sent: rendered at most once for each decision. */
      let text: string | undefined
      let warnings: ReadonlyArray<Warning> = []
      let existing = false
      const render = (result: unknown): string => {
        if (rules.list) return renderList(result as Listed<unknown>, request_id, at, warnings)
        return renderOk(isVersioned(result) ? result.body : result, request_id, at, warnings)
      }
      const call: Call = {
        merchant_id,
        role,
        key_id,
        request_id,
        idempotency:
          key === null || bytes === undefined
            ? null
            : { key, fingerprint: fingerprintOf(method, pathOf(request), bytes) },
        if_match: method === "PATCH" || method === "DELETE" ? ifMatchOf(request) : null,
        reply: (result) => (text = render(result)),
        existing: () => (existing = true)
      }

      const operate = Effect.gen(function* () {
        const params = paramsOf(context)
        if (Result.isFailure(params)) return yield* params.failure
        if (handler.before !== undefined) yield* handler.before({ call, params: params.success } as never)
        const input = inputOf(request, context, bytes, (found) => (warnings = found))
        if (Result.isFailure(input)) return yield* input.failure
        const result = yield* handler({ call, params: params.success, ...input.success } as never)
        if (text === undefined) {
          text = render(result)
          // An operation that wrote nothing has kept nothing either: its answer is kept by itself.
          if (call.idempotency !== null) yield* unitOfWork.recordRefusal(call, text)
        }
        return jsonResponse(
          200,
          text,
          request_id,
          existing ? replayed : isVersioned(result) ? { etag: `"${result.version}"` } : undefined
        )
      })
      const refusalOf = (failure: Failure) => {
        const refused = errorText(failure, request_id, at, warnings)
        const response = errorResponse(failure, refused, request_id)
        return isKeptRefusal(failure) && call.idempotency !== null
          ? Effect.as(unitOfWork.recordRefusal(call, refused), response)
          : Effect.succeed(response)
      }
      const told = Effect.catch(operate, refusalOf)
      if (call.idempotency === null) return yield* told

      return yield* inFlight.guard(
        merchant_id,
        call.idempotency,
        Effect.gen(function* () {
          const stored = yield* unitOfWork.replay(call)
          if (stored !== undefined) {
            const { code, request_id: first } = readStored(stored)
            return jsonResponse(statusOf(code), stored, first, replayed)
          }
          return yield* told
        })
      )
    })

    /**
     * Who is let in is so before its key is looked at: that would be a read of the store. While a body arrives no place is
     * held: it may take its sender's time. The operator is always let in.
     */
    const admitted = <A, E, R>(part: Effect.Effect<A, E, R>) =>
      area === "operator" ? part : admission.guard(writes ? "writes" : "reads", part)

    const answer = (request: Request, context: Context.Context<never>, request_id: string) =>
      writes
        ? Effect.flatMap(admitted(entered(request)), (who) =>
            Effect.flatMap(bytesOf(request), (bytes) => admitted(answered(request, context, request_id, who, bytes)))
          )
        : admitted(Effect.flatMap(entered(request), (who) => answered(request, context, request_id, who, undefined)))

    return Effect.withFiber<Response, never, Request>((fiber) => {
      const context = fiber.context as Context.Context<never>
      const request = Context.getUnsafe(fiber.context as Context.Context<Request>, HttpServerRequest.HttpServerRequest)
      const begun = metrics.begin(context)
      return Effect.flatMap(requestIdOf(request, ids), (request_id) =>
        answer(request, context, request_id).pipe(
          Effect.catchCause((cause) => {
            const failure = Cause.findErrorOption(cause)
            if (Option.isSome(failure)) return refuse(failure.value, request_id)
            return Cause.hasInterruptsOnly(cause)
              ? Effect.failCause(cause as Cause.Cause<never>)
              : defect(cause, operation, request_id)
          })
        )
      ).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => metrics.end(context, begun, exit._tag === "Success" ? exit.value.status : 499))
        )
      )
    })
  }

  /** An answer for a path that nobody serves (HTTP-5). */
  const unknownRoute: Effect.Effect<Response, never, Request> = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const request_id = yield* requestIdOf(request, ids)
    return yield* refuse(new NotFound({ message: `There is no ${request.method} ${pathOf(request)}.` }), request_id)
  })

  /** The answer where nobody else has one: a defect outside the operations, or the server's end (HTTP-14). */
  const lastResort = (cause: Cause.Cause<never>): Effect.Effect<Response, never, Request> =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const request_id = yield* requestIdOf(request, ids)
      if (!Cause.hasInterruptsOnly(cause))
        return yield* defect(cause, `${request.method} ${pathOf(request)}`, request_id)
      const at = yield* timeOfDefect
      const message = "The server is stopping. The outcome of the request is told by repeating it."
      const text = renderError("internal_error", message, undefined, settings.docs_url, request_id, at)
      return jsonResponse(500, text, request_id, { "retry-after": "1" })
    })

  return { serve, unknownRoute, lastResort, operatorOf, refuse, defect, ids, settings }
})

export type Pipeline = Effect.Success<typeof makePipeline>

const isKeptRefusal = (error: Failure): error is Refusal => isRefusal(error) && isKept(codeOf(error))

const replayed = { "idempotent-replayed": "true" }

const isVersioned = (result: unknown): result is Versioned<unknown> =>
  typeof result === "object" &&
  result !== null &&
  "body" in result &&
  "version" in result &&
  Object.keys(result).length === 2
