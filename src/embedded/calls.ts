/**
 * How an application that embeds the engine calls an operation: the arguments of a method become a submission, the outcome
 * a body. An embedding application calls with the rights of an admin; its rate is not limited, but how many calls it makes
 * at once is.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { Admission, CallLimits } from "../engine/calls/Admission.ts"
import { type Execute, makeExecutor, type Outcome, type Submission } from "../engine/calls/executor.ts"
import type { Listed } from "../engine/calls/list.ts"
import { type AnyOperation, takesInput } from "../engine/calls/operation.ts"
import { sha256 } from "../engine/crypto/secrets.ts"
import { BadRequest, type Fault, field, Refusal } from "../engine/ports/errors.ts"
import type { ChangeOptions, CreateOptions, Page } from "./methods.ts"

/** Whose call it is; null: the operator's. */
export type Caller = string | null

export class Calls extends Context.Service<
  Calls,
  {
    /**
     * Answers one call of an operation with what it was called with.
     *
     * Shapes: `args` are its ids, then its input where it takes one, then its options. The answer is the `/v1` body,
     * a copy of its own. Law: as HTTP's, a repeat of a key is answered with the first answer, or refusal, and does nothing.
     */
    readonly answer: (
      caller: Caller,
      operation: AnyOperation,
      args: ReadonlyArray<unknown>
    ) => Effect.Effect<unknown, Refusal | Fault, unknown>
  }
>()("corridor/embedded/Calls") {
  static readonly layer = Layer.effect(
    Calls,
    Effect.gen(function* () {
      const executor = yield* makeExecutor({ admission: new Admission(yield* CallLimits), rate_per_second: 0 })
      const prepared = new WeakMap<AnyOperation, Execute>()
      return Calls.of({
        answer: (caller, operation, args) => {
          let execute = prepared.get(operation)
          if (execute === undefined) prepared.set(operation, (execute = executor(operation)))
          return Effect.flatMap(execute(submissionOf(caller, operation, args)), bodyOf)
        }
      })
    })
  )
}

const submissionOf = (caller: Caller, operation: AnyOperation, args: ReadonlyArray<unknown>): Submission => {
  const { id, implied, list, method, names } = operation
  const given = names.map((_, at) => args[at])
  const input = takesInput(operation) ? (args[names.length] ?? {}) : undefined
  const options = (args[names.length + (input === undefined ? 0 : 1)] ?? {}) as CreateOptions & ChangeOptions
  return {
    request_id: undefined,
    isOperator: caller === null,
    credential: () =>
      Result.succeed(caller === null ? { _tag: "Operator" } : { _tag: "Merchant", merchant_id: caller }),
    key: options.idempotencyKey,
    keyName: "idempotencyKey",
    if_match: versionIn(options.ifMatch),
    strict: options.strict === true,
    fingerprint: () =>
      Effect.map(
        Effect.flatMap(canonical([given, input]), (text) => sha256(`${id}\n${text}`)),
        (hash) => `embedded ${hash}`
      ),
    params: () => Object.fromEntries(names.map((name, at) => [name, given[at]])),
    query: () => (method === "GET" ? (input ?? {}) : {}),
    body: () => Result.succeed(input ?? implied ?? {}),
    render: (result) => JSON.stringify({ answer: list ? pageOf(result as Listed<unknown>) : result }),
    renderRefusal: (refusal) => JSON.stringify({ refusal: writeRefusal(refusal) })
  }
}

/** What a caller sees of a list: its page. */
const pageOf = ({ items, page, per_page, total }: Listed<unknown>): Page<unknown> => ({
  items,
  page,
  per_page,
  total,
  has_more: page * per_page < total
})

const writeRefusal = Schema.encodeSync(Refusal)
const readRefusal = Schema.decodeUnknownSync(Refusal)

/** The body of what was rendered, so that nobody holds a part of what is stored and a repeat equals the first answer. */
const bodyOf = (outcome: Outcome): Effect.Effect<unknown, Refusal | Fault> => {
  if (outcome._tag === "Refused") return Effect.fail(outcome.failure)
  const { answer, refusal } = JSON.parse(outcome.text) as { readonly answer?: unknown; readonly refusal?: unknown }
  if (refusal !== undefined) return Effect.fail(readRefusal(refusal))
  if (outcome._tag === "Completed" && outcome.version !== undefined) remember(answer, outcome.version)
  return Effect.succeed(answer)
}

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
