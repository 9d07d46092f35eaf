/**
 * The codec of embedding applications: it turns the arguments of a method into a submission, and the outcome into a body. An
 * embedding application calls with the rights of an admin. Its rate is not limited; its concurrent calls are.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { Admission, CallLimits } from "../engine/calls/Admission.ts"
import { type Execute, makeExecutor, type CallOutcome, type CallRequest } from "../engine/calls/executor.ts"
import type { Listed } from "../engine/calls/list.ts"
import {
  type AnyOperation,
  canDryRun,
  FileResponse,
  isKeyed,
  takesVersion,
  hasInput
} from "../engine/calls/operation.ts"
import { sha256 } from "../engine/crypto/secrets.ts"
import { parseVersions } from "../engine/commit/call.ts"
import { checkOptions, type TakesOf } from "../engine/input/options.ts"
import { toCanonicalJson } from "../engine/ports/canonical-json.ts"
import { BadRequest, type Fault, makeFieldRefusal, Refusal } from "../engine/ports/errors.ts"
import type { ApprovalBody } from "../engine/representations/controls/approval.ts"
import type { DryRunBody } from "../engine/representations/dry-run.ts"
import type { AnyOptions, Page } from "./methods.ts"

/** The id of the calling merchant; null: the operator. */
export type CallerMerchant = string | null

export class Calls extends Context.Service<
  Calls,
  {
    /**
     * Runs an operation with the arguments of its method.
     *
     * Shapes: `args` are the ids, the input if the operation takes one, and the options. The result is a new copy of the `/v1`
     * body. Law: as over HTTP, a repeat of a key returns the first result or refusal and has no effect.
     */
    readonly run: (
      caller: CallerMerchant,
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
        run: (caller, operation, args) => {
          let execute = prepared.get(operation)
          if (execute === undefined) prepared.set(operation, (execute = executor(operation)))
          return Effect.flatMap(execute(toSubmission(caller, operation, args)), parseBody)
        }
      })
    })
  )
}

/**
 * Lists the options of a call, as `methods.ts` types them. An unknown option would be ignored silently. Every call takes an
 * idempotency key, even one that can be repeated anyway: applications pass it to all.
 */
const listCallOptions = (operation: AnyOperation): TakesOf<AnyOptions> => {
  return {
    strict: "boolean?",
    ...(canDryRun(operation) && { dryRun: "boolean?" }),
    ...((isKeyed(operation) || operation.method !== "POST") && { idempotencyKey: "string?" }),
    ...(takesVersion(operation) && { ifMatch: "string?" }),
    ...(operation.path.startsWith("/operator/") && { actor: "string?" })
  } as TakesOf<AnyOptions>
}

const toSubmission = (caller: CallerMerchant, operation: AnyOperation, args: ReadonlyArray<unknown>): CallRequest => {
  const { fileMax, id, implied, list, method, names } = operation
  const ids = names.map((_, at) => args[at])
  const input = hasInput(operation) ? (args[names.length] ?? {}) : undefined
  const given = args[names.length + (input === undefined ? 0 : 1)] as AnyOptions | null | undefined
  if (given) checkOptions("this call", given, listCallOptions(operation))
  const options = given ?? {}
  return {
    request_id: undefined,
    isOperator: caller === null,
    credential: () =>
      Result.succeed(
        caller === null
          ? { _tag: "Operator", operator: { id: null, name: options.actor ?? "application", role: "admin" } }
          : { _tag: "Merchant", merchant_id: caller }
      ),
    key: options.idempotencyKey,
    keyName: "idempotencyKey",
    if_match: parseVersions(options.ifMatch),
    strict: options.strict === true,
    dry_run: options.dryRun === true,
    fingerprint: () =>
      Effect.map(
        Effect.flatMap(fileMax === undefined ? canonicalize([ids, input]) : canonicalizeFile(ids, input), (text) =>
          sha256(`${id}\n${text}`)
        ),
        (hash) => `embedded ${hash}`
      ),
    params: () => Object.fromEntries(names.map((name, at) => [name, ids[at]])),
    query: () => (method === "GET" ? (input ?? {}) : {}),
    body: () => Result.succeed(input ?? implied ?? {}),
    render: (result, _at, _warnings, about) => JSON.stringify({ result: toCallResult(list, result), ...about }),
    renderRefusal: (refusal) => JSON.stringify({ refusal: writeRefusal(refusal) })
  }
}

/** Converts the result of a call: the text of a file, a page of a list, or the body. */
const toCallResult = (list: boolean, result: unknown): unknown => {
  if (result instanceof FileResponse) return result.text
  if (!list) return result
  const { items, page, per_page, total } = result as Listed<unknown>
  return { items, page, per_page, total, has_more: page * per_page < total } satisfies Page<unknown>
}

const writeRefusal = Schema.encodeSync(Refusal)
const readRefusal = Schema.decodeUnknownSync(Refusal)

/**
 * Parses the body from the rendered text, so that callers cannot modify stored data, and a repeat equals the first result. Fails
 * with the call's refusal.
 */
const parseBody = (outcome: CallOutcome): Effect.Effect<unknown, Refusal | Fault> => {
  if (outcome._tag === "Refused") return Effect.fail(outcome.failure)
  const { approval, dry_run, refusal, result } = JSON.parse(outcome.text) as {
    readonly approval?: ApprovalBody
    readonly result?: unknown
    readonly refusal?: unknown
    readonly dry_run?: DryRunBody
  }
  if (refusal !== undefined) return Effect.fail(readRefusal(refusal))
  rememberAbout(approvals, result, approval)
  rememberAbout(dryRuns, result, dry_run)
  if (outcome._tag === "Completed") rememberAbout(versions, result, outcome.version)
  return Effect.succeed(result)
}

/** Formats an input with a file as canonical text, with the hash of the file in its place. */
const canonicalizeFile = (ids: ReadonlyArray<unknown>, input: unknown): Effect.Effect<string, BadRequest> => {
  const { file, ...others } = input as { readonly file?: unknown }
  return file instanceof Uint8Array
    ? Effect.flatMap(sha256(file), (hash) => canonicalize([ids, { ...others, file: hash }]))
    : canonicalize([ids, others])
}

/**
 * Formats a value as canonical text: equal for equal inputs, whatever the order of their members. Errors: `BadRequest` for a
 * value that is not JSON.
 */
const canonicalize = (value: unknown): Effect.Effect<string, BadRequest> =>
  Effect.try({
    try: () => toCanonicalJson(value),
    catch: () =>
      new BadRequest(
        makeFieldRefusal("body", "invalid_type", "the input is not JSON; an object of JSON values is required")
      )
  })

const approvals = new WeakMap<object, ApprovalBody>()

/**
 * Returns the approval that the act of a call waits for: `meta.approval` over `/v1` (APPROVAL-3). Undefined: the act does not
 * wait. `body` is the object that the call returned.
 */
export const approvalOf = (body: object): ApprovalBody | undefined => approvals.get(body)

const dryRuns = new WeakMap<object, DryRunBody>()

/**
 * Returns what a call with `dryRun: true` would do: `meta.dry_run` over `/v1` (DRYRUN-1). Errors: throws `TypeError` unless
 * `body` is the object that such a call returned. A repeat of an idempotency key has none.
 */
export const dryRunOf = (body: object): DryRunBody => {
  const found = dryRuns.get(body)
  if (found === undefined)
    throw new TypeError("dryRunOf requires the object that a call with dryRun returned, not a copy of it")
  return found
}

const versions = new WeakMap<object, string>()

/** Remembers what a response says about its body, for a later look-up by the body. Nothing is remembered about a file, which is a text. */
const rememberAbout = <A>(about: WeakMap<object, A>, body: unknown, given: A | undefined): void => {
  if (given !== undefined && typeof body === "object" && body !== null) about.set(body, given)
}

/**
 * Returns the version of a resource, for `ifMatch`: its ETag over `/v1`. Errors: throws `TypeError` unless `body` is the object
 * that a `get` returned.
 */
export const versionOf = (body: object): string => {
  const version = versions.get(body)
  if (version === undefined) throw new TypeError("versionOf requires the object that get returned, not a copy of it")
  return version
}
