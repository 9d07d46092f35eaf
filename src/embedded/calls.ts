/**
 * How an operation is answered when it is called by the application that embeds the engine: the merchant's status, the
 * idempotency key, then what was given, then the operation, in the order HTTP has (HTTP-6). An embedding
 * application calls with the rights of an admin, and is not limited in its rate, but in how many calls it makes at once.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { Admission, CallLimits } from "../engine/calls/Admission.ts"
import { type Call, isIdempotencyKey } from "../engine/commit/call.ts"
import { codeOf, isKept } from "../engine/calls/codes.ts"
import { BadRequest, type Fault, field, Refusal } from "../engine/ports/errors.ts"
import { UnitOfWork, isRefusal } from "../engine/commit/UnitOfWork.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { InFlight } from "../engine/calls/InFlight.ts"
import { Auth, ofSandbox } from "../engine/calls/auth.ts"
import type { Listed, Versioned } from "../engine/calls/list.ts"
import { sha256 } from "../engine/crypto/secrets.ts"
import { HOUSE } from "../engine/ports/Storage.ts"
import { decode, decoder } from "../engine/input/validation.ts"
import type { AnyOperation, ChangeOptions, CreateOptions, Page } from "./operation.ts"

/** Whose call it is; null: the operator's. */
export type Caller = string | null

export class Calls extends Context.Service<
  Calls,
  {
    /**
     * Answers one call of an operation, by its dotted name, with what it was called with.
     *
     * Shapes: `args` are its ids, then its input where it takes one, then its options. The answer is the `/v1` body,
     * a copy of its own. Law: as HTTP's, a repeat of a key is answered with the first answer, or refusal, and does nothing.
     */
    readonly answer: (
      caller: Caller,
      name: string,
      operation: AnyOperation,
      args: ReadonlyArray<unknown>
    ) => Effect.Effect<unknown, Refusal | Fault, unknown>
  }
>()("corridor/embedded/Calls") {
  static readonly layer = Layer.effect(
    Calls,
    Effect.gen(function* () {
      const unitOfWork = yield* UnitOfWork
      const auth = yield* Auth
      const ids = yield* Ids
      const inFlight = new InFlight()
      const admission = new Admission(yield* CallLimits)

      const idempotency = Effect.fnUntraced(function* (name: string, given: ReadonlyArray<unknown>, key: unknown) {
        if (key === undefined) return null
        if (typeof key !== "string" || !isIdempotencyKey(key)) return yield* malformed()
        return { key, fingerprint: `embedded ${yield* sha256(`${name}\n${yield* canonical(given)}`)}` }
      })

      const answer = Effect.fnUntraced(function* (
        caller: Caller,
        name: string,
        operation: AnyOperation,
        args: ReadonlyArray<unknown>
      ) {
        const given = args.slice(0, operation.params.length)
        const input = operation.input === undefined ? undefined : (args[given.length] ?? {})
        const options = (args[given.length + (operation.input === undefined ? 0 : 1)] ?? {}) as CreateOptions &
          ChangeOptions
        if (caller !== null) yield* auth.admit(caller, operation.verb === "say" ? ofSandbox : undefined)
        const key =
          operation.verb === "create" ? yield* idempotency(name, [given, input], options.idempotencyKey) : null
        let kept = false
        const call: Call = {
          merchant_id: caller ?? HOUSE,
          role: "admin",
          key_id: null,
          request_id: yield* ids.make("req"),
          idempotency: key,
          if_match: operation.verb === "change" ? versionIn(options.ifMatch) : null,
          reply: (result) => {
            kept = true
            return JSON.stringify({ answer: shown(result) })
          }
        }
        const operate = Effect.gen(function* () {
          const named = yield* Effect.fromResult(read(operation, given))
          if (operation.before !== undefined) yield* operation.before({ call, ids: named })
          const taken =
            operation.input === undefined
              ? undefined
              : yield* decode(operation.input, input, operation.as, options.strict === true)
          const result = yield* operation.run({ call, ids: named, input: taken as never })
          const body = copy(shown(result))
          if (isVersioned(result)) remember(body, result.version)
          // An operation that wrote nothing has kept nothing either: its answer is kept by itself.
          if (!kept && key !== null) yield* unitOfWork.recordRefusal(call, call.reply(result))
          return body
        })
        if (key === null) return yield* operate
        const once = Effect.gen(function* () {
          const stored = yield* unitOfWork.replay(call)
          if (stored !== undefined) return yield* repeated(stored)
          return yield* Effect.catchIf(operate, isKeptRefusal, (refusal) =>
            Effect.andThen(
              unitOfWork.recordRefusal(call, JSON.stringify({ refusal: write(refusal) })),
              Effect.fail(refusal)
            )
          )
        })
        return yield* inFlight.guard(call.merchant_id, key, once)
      })

      return Calls.of({
        answer: (caller, name, operation, args) => {
          const operated = answer(caller, name, operation, args)
          const answered =
            caller === null ? operated : admission.guard(operation.verb === "read" ? "reads" : "writes", operated)
          // Who stops waiting does not stop a write half way: it would not know whether it happened.
          return operation.verb === "read" ? answered : Effect.uninterruptible(answered)
        }
      })
    })
  )
}

const malformed = (): BadRequest =>
  new BadRequest(
    field("idempotencyKey", "invalid_format", "idempotencyKey takes 8 to 255 letters, digits, underscores and hyphens.")
  )

const write = Schema.encodeSync(Refusal)
const readRefusal = Schema.decodeUnknownSync(Refusal)

const isKeptRefusal = (error: Refusal | Fault): error is Refusal => isRefusal(error) && isKept(codeOf(error))

const repeated = (stored: string): Effect.Effect<unknown, Refusal> => {
  const { answer, refusal } = JSON.parse(stored) as { readonly answer?: unknown; readonly refusal?: unknown }
  return refusal === undefined ? Effect.succeed(answer) : Effect.fail(readRefusal(refusal))
}

const isVersioned = (result: unknown): result is Versioned<unknown> =>
  typeof result === "object" &&
  result !== null &&
  "body" in result &&
  "version" in result &&
  Object.keys(result).length === 2

const isListed = (result: unknown): result is Listed<unknown> =>
  typeof result === "object" && result !== null && "items" in result && "per_page" in result && "total" in result

/** What a caller sees of a result: the body, and of a list its page. */
const shown = (result: unknown): unknown => {
  if (isVersioned(result)) return result.body
  if (!isListed(result)) return result
  const { items, page, per_page, total } = result
  return { items, page, per_page, total, has_more: page * per_page < total } satisfies Page<unknown>
}

/** A copy as JSON has it, so that nobody holds a part of what is stored, and a repeat is equal to the first. */
const copy = (body: unknown): unknown => (body === undefined ? undefined : JSON.parse(JSON.stringify(body)))

/** A text that equal inputs share, whatever the order of their members. Errors: `BadRequest` for what is not JSON. */
const canonical = (value: unknown): Effect.Effect<string, BadRequest> =>
  Effect.try({
    try: () =>
      JSON.stringify(value, (_, member: unknown) =>
        typeof member === "object" && member !== null && !Array.isArray(member)
          ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
          : member
      ),
    catch: () =>
      new BadRequest(field("body", "invalid_type", "the input is not JSON; it takes an object of JSON values"))
  })

const readers = new WeakMap<
  AnyOperation,
  (input: unknown) => Result.Result<Readonly<Record<string, unknown>>, BadRequest | Refusal>
>()

/** The ids an operation was called with, in their form. */
const read = (
  operation: AnyOperation,
  given: ReadonlyArray<unknown>
): Result.Result<ReadonlyArray<string>, Refusal> => {
  let reader = readers.get(operation)
  if (reader === undefined) {
    const fields = Object.fromEntries(operation.params.map(({ name, schema }) => [name, schema]))
    readers.set(
      operation,
      (reader = decoder(Schema.Struct(fields) as Schema.ConstraintDecoder<Readonly<Record<string, unknown>>>, "path"))
    )
  }
  const named = Object.fromEntries(operation.params.map(({ name }, at) => [name, given[at]]))
  return Result.map(reader(named), (checked) => operation.params.map(({ name }) => String(checked[name])))
}

const versions = new WeakMap<object, string>()

const remember = (body: unknown, version: string): void => {
  if (typeof body === "object" && body !== null) versions.set(body, version)
}

/**
 * The version of a resource, for `ifMatch`: what `/v1` calls its ETag.
 * Errors: throws `TypeError` for anything but a body that a `get` has answered.
 */
export const versionOf = (body: object): string => {
  const version = versions.get(body)
  if (version === undefined)
    throw new TypeError("versionOf takes the body that get has answered, itself and not a copy")
  return version
}

/** The version in an `If-Match`: in quotes, as an ETag has it, or without. */
const versionIn = (given: string | undefined): string | null =>
  given === undefined || given === "*" ? null : (/^"([^"]*)"$/.exec(given)?.[1] ?? given)
