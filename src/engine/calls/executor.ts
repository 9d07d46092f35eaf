/**
 * Runs every call, from every entry point. The order is: admission, authentication, the
 * merchant's status, role, rate limit, form of the idempotency key, replay or conflict of the key, form of the ids in the
 * path, query and body, and then the operation, which checks existence, meaning, state and funds (HTTP-6).
 *
 * A response is rendered once. For a call with an idempotency key that happens inside the operation, before its commit,
 * through `Call.reply`, so that the stored response is the response sent. A refusal of such a call is stored separately, under its key.
 *
 * A dry run takes the same way (DRYRUN-1). What it serves knows it by `DryRun`: the write path asks for a verdict instead of a commit,
 * and nothing is stored under its key.
 */
import { Clock, Effect, Result, Schema } from "effect"
import {
  hasRole,
  type Call,
  isIdempotencyKey,
  type Operator,
  hasOperatorRole,
  type OperatorRole,
  type Role
} from "../commit/call.ts"
import { Kinds } from "../commit/kind.ts"
import { joinBeside, type RowRefs } from "../commit/attempts.ts"
import { InFlight, isResponseBegun, makeBegunResponse } from "../commit/idempotency.ts"
import { UnitOfWork, isRefusal } from "../commit/UnitOfWork.ts"
import { makeHash } from "../crypto/secrets.ts"
import { makeDecoder, makeReader, type Warning } from "../input/validation.ts"
import {
  AuthenticationFailed,
  BadRequest,
  type Fault,
  makeFieldRefusal,
  Forbidden,
  RateLimited,
  type Refusal
} from "../ports/errors.ts"
import { Cipher } from "../ports/Cipher.ts"
import { Asked } from "../ports/asked.ts"
import { DryRun, type DryRunRecord } from "../ports/dry-run.ts"
import { Ids } from "../ports/Ids.ts"
import { PLATFORM_MERCHANT, Storage } from "../ports/Storage.ts"
import { wallNow } from "../ports/Time.ts"
import type { ApprovalBody } from "../representations/controls/approval.ts"
import type { DryRunBody } from "../representations/dry-run.ts"
import { actOrWait, type Approved, type GivenAct, unapproved } from "./acts.ts"
import { ActiveApprovalRules } from "./ActiveApprovalRules.ts"
import { ActiveLimits } from "./ActiveLimits.ts"
import { Admission, CallLimits } from "./Admission.ts"
import { Auth, type Caller, ofSandbox } from "./auth.ts"
import { codeOf, isContended, isKept, describeError } from "./codes.ts"
import { toDryRunBody, makeDryRun } from "./dry-run.ts"
import {
  type AnyOperation,
  canDryRun,
  DryRunQuery,
  type Finished,
  isKeyed,
  takesVersion,
  Nothing
} from "./operation.ts"
import type { Versioned } from "./list.ts"

type Failure = Refusal | Fault

/**
 * The caller: the holder of an API key or of an operator's token, by its SHA-256 (hex); a merchant or an operator that the
 * entry point trusts.
 */
export type Credential =
  | { readonly _tag: "ApiKey"; readonly hash: string }
  | { readonly _tag: "Merchant"; readonly merchant_id: string }
  | { readonly _tag: "OperatorToken"; readonly hash: string }
  | { readonly _tag: "Operator"; readonly operator: Operator }

/** One call, as its entry point reads it. The executor reads nothing of it before admission. */
export interface CallRequest {
  /** `undefined`: the executor makes one. */
  readonly request_id: string | undefined
  /** Whether an operator calls. Admission never refuses an operator whom this process knows. */
  readonly isOperator: boolean
  readonly credential: () => Result.Result<Credential, AuthenticationFailed>
  /** Called with the caller, once it is known. */
  readonly authenticated?: (caller: Caller) => void
  /** The idempotency key as it was sent, and its name in messages. `undefined`: none was sent. */
  readonly key: unknown
  readonly keyName: string
  /** The version that a change names. `null`: any version. */
  readonly if_match: string | null
  /** Whether unknown members are rejected. */
  readonly strict: boolean
  /** Whether the call is only decided, if its operation can be (DRYRUN-1). */
  readonly dry_run?: boolean
  /** Whether its key never expires: what has been done is never done again, however late it is asked for. */
  readonly lasts?: true
  /** Of an act that was approved: the sides whose rules do not let it wait again, and the limits that it passes. */
  readonly approved?: Approved
  /** Waits for the body, for which the sender may take time. Absent if everything has arrived. */
  readonly receive?: Effect.Effect<void, BadRequest>
  /** Distinguishes a repeat from another use of the key. */
  readonly fingerprint: () => Effect.Effect<string, BadRequest>
  readonly params: () => unknown
  readonly query: () => unknown
  readonly body: () => Result.Result<unknown, BadRequest>
  /** The response, as it is stored for a repeat. */
  readonly render: (result: unknown, at: number, warnings: ReadonlyArray<Warning>, about?: AboutCall) => string
  readonly renderRefusal: (refusal: Refusal, at: number, warnings: ReadonlyArray<Warning>) => string
}

/** Members of a response's meta. `dry_run`: the preview. `approval`: the approval that the call waits for. */
export interface AboutCall {
  readonly dry_run?: DryRunBody | undefined
  readonly approval?: ApprovalBody | undefined
}

export type CallOutcome =
  /** `existing`: the result is a movement that was made before, under the same reference (REFERENCE-3). */
  | {
      readonly _tag: "Completed"
      readonly text: string
      /** Of a resource that was read. */
      readonly version: string | undefined
      readonly existing: boolean
    }
  /** The same call was made before with this key. `text` is its response. */
  | { readonly _tag: "Repeated"; readonly text: string }
  /** `text`: the stored refusal, if it is stored. */
  | {
      readonly _tag: "Refused"
      readonly failure: Failure
      readonly text: string | undefined
      readonly at: number
      readonly warnings: ReadonlyArray<Warning>
      /** Of a dry run whose caller is known. */
      readonly dry_run?: DryRunBody
    }

/**
 * Runs one operation for a submission. It never fails: a refusal is an outcome, and a defect stays a defect. The caller
 * provides the services of the operations in the context. Law: a write is not interrupted.
 */
export type Execute = (submission: CallRequest) => Effect.Effect<CallOutcome>

interface ExecutorOptions {
  readonly admission: Admission
  /** Limited writes of one merchant per second, with a burst of twice that. 0: no limit. */
  readonly rate_per_second: number
}

const makeDeps = Effect.fnUntraced(function* (options: ExecutorOptions) {
  return {
    ...options,
    ...(yield* Effect.all({ auth: Auth, unitOfWork: UnitOfWork, ids: Ids, storage: Storage, kinds: Kinds })),
    ...(yield* Effect.all({ cipher: Cipher, rules: ActiveApprovalRules, limits: ActiveLimits })),
    inFlight: new InFlight()
  }
})
type Deps = Effect.Success<ReturnType<typeof makeDeps>>

const checkRate = Effect.fnUntraced(function* (
  { storage, rate_per_second }: Deps,
  merchant_id: string,
  isDry: boolean
) {
  const now = yield* wallNow
  const retry_after_ms = yield* storage.take({
    merchant_id,
    per_second: rate_per_second,
    burst: rate_per_second * 2,
    now,
    peek: isDry
  })
  if (retry_after_ms > 0)
    return yield* new RateLimited({
      message: `The merchant exceeds its limit of ${rate_per_second} money-movement writes per second.`,
      retry_after_ms
    })
})

const prepareOperation = (deps: Deps, operation: AnyOperation) => {
  const { admission, auth, ids, inFlight, rate_per_second, unitOfWork } = deps
  const { area, method } = operation
  const isRead = method === "GET"
  const keyed = isKeyed(operation)
  const limited = operation.limited && rate_per_second > 0
  const statuses = area === "sandbox" ? ofSandbox : undefined
  const sort = isRead ? ("reads" as const) : ("writes" as const)
  const run = operation.run as (given: object) => Effect.Effect<unknown, Failure>
  const precheck = operation.precheck as ((given: object) => Effect.Effect<unknown, Failure>) | undefined
  const forbids = operation.forbids as ((given: object) => Refusal | undefined) | undefined
  const finish = operation.finish as ((given: object) => Effect.Effect<Finished<unknown>, Failure>) | undefined
  const prefetch = operation.prefetch as ((given: object) => RowRefs) | undefined
  const readParams = operation.names.length === 0 ? undefined : makeDecoder(toParamsSchema(operation), "path")
  const canBeDry = canDryRun(operation)
  const readQuery = makeReader(isRead ? (operation.input ?? Nothing) : canBeDry ? DryRunQuery : Nothing, "query")
  const readBody = isRead ? undefined : makeReader(operation.input ?? Nothing, operation.as)
  return {
    deps,
    operation,
    admission,
    auth,
    ids,
    inFlight,
    unitOfWork,
    area,
    isRead,
    canBeDry,
    keyed,
    limited,
    statuses,
    sort,
    run,
    precheck,
    forbids,
    finish,
    prefetch,
    readParams,
    readQuery,
    readBody,
    /** The decoded query of a write without query, as almost every one is. */
    withoutQuery: isRead ? undefined : readQuery({})
  }
}
type Prepared = ReturnType<typeof prepareOperation>

const authenticate = ({ auth, statuses }: Prepared, credential: Credential): Effect.Effect<Caller, Failure> => {
  switch (credential._tag) {
    case "ApiKey":
      return Effect.map(auth.authenticate(credential.hash, statuses), ({ key_id, merchant_id, role }) => ({
        merchant_id,
        role,
        key_id,
        operator: null
      }))
    case "Merchant":
      return Effect.as(auth.admit(credential.merchant_id, statuses), makeAdminCaller(credential.merchant_id))
    case "Operator":
      return Effect.succeed(toOperatorCaller(credential.operator))
    case "OperatorToken":
      return Effect.map(auth.operator(credential.hash), toOperatorCaller)
  }
}

const requireRole = ({ area, operation }: Prepared, { operator, role }: Caller): Effect.Effect<void, Forbidden> => {
  if (area !== "operator")
    return hasRole(role, operation.role as Role)
      ? Effect.void
      : Effect.fail(refuseRole(operation.role, `the key has the role ${role}`))
  return operator !== null && hasOperatorRole(operator.role, operation.role as OperatorRole)
    ? Effect.void
    : Effect.fail(refuseRole(operation.role, `${operator?.name} has the role ${operator?.role}`))
}

/** Reads the maker of an approved act, with the rights that the maker has now (APPROVAL-9). */
const readMaker = Effect.fnUntraced(function* (prepared: Prepared, caller: Caller) {
  const maker = yield* prepared.auth.current(caller)
  yield* requireRole(prepared, maker)
  return maker
})

const isDry = ({ canBeDry }: Prepared, { dry_run }: CallRequest): boolean => canBeDry && dry_run === true

/** Makes all checks of a call that come before its body. Returns the caller and the idempotency key. */
const authenticateCall = Effect.fnUntraced(function* (prepared: Prepared, submission: CallRequest) {
  const { limited, deps, keyed } = prepared
  const credential = submission.credential()
  if (Result.isFailure(credential)) return yield* credential.failure
  const caller = yield* authenticate(prepared, credential.success)
  submission.authenticated?.(caller)
  yield* requireRole(prepared, caller)
  if (limited) yield* checkRate(deps, caller.merchant_id, isDry(prepared, submission))
  const key = keyed ? submission.key : undefined
  if (key === undefined) return { caller, key: null }
  if (typeof key !== "string" || !isIdempotencyKey(key))
    return yield* new BadRequest(
      makeFieldRefusal(
        submission.keyName,
        "invalid_format",
        `${submission.keyName} takes one value of 8 to 255 letters, digits, underscores and hyphens. What was sent ${describeInvalidKey(key)}.`
      )
    )
  return { caller, key }
})

const replayOrDecide =
  (decide: Effect.Effect<CallOutcome, Failure>) =>
  (stored: string | undefined): Effect.Effect<CallOutcome, Failure> =>
    stored === undefined ? decide : Effect.succeed({ _tag: "Repeated", text: stored })

const hasNoMembers = (members: unknown): boolean => {
  for (const _ in members as object) return false
  return true
}

/** Makes a reader of the input of a call, which decodes it once, and has the warnings about it afterwards. */
const readInput = ({ readBody, readQuery, withoutQuery }: Prepared, submission: CallRequest) => {
  let warnings: ReadonlyArray<Warning> = []
  let once: Result.Result<unknown, Refusal> | undefined
  const decoded = (): Result.Result<unknown, Refusal> => {
    const asked = submission.query()
    const query = withoutQuery !== undefined && hasNoMembers(asked) ? withoutQuery : readQuery(asked, submission.strict)
    warnings = query.warnings
    if (readBody === undefined || Result.isFailure(query.result)) return query.result
    const sent = submission.body()
    if (Result.isFailure(sent)) return Result.fail(sent.failure)
    const body = readBody(sent.success, submission.strict)
    if (body.warnings.length > 0) warnings = [...warnings, ...body.warnings]
    return body.result
  }
  return {
    read: () => (once ??= decoded()),
    get warnings() {
      return warnings
    }
  }
}

/** Runs a call whose operation is a controlled action, or lets the action wait for approval. */
const runOrLetWait = (
  { deps, operation }: Prepared,
  submission: CallRequest,
  given: Parameters<typeof actOrWait>[2],
  dryRun: DryRunRecord | undefined
) => {
  const sent = () => Result.map(submission.body(), (body) => ({ params: submission.params(), body }))
  return Effect.map(
    actOrWait(deps, operation, given, sent, submission.approved ?? unapproved, dryRun),
    ({ result }) => result
  )
}

const decodeParams = ({ readParams }: Prepared, submission: CallRequest) =>
  Effect.fromResult(readParams === undefined ? Result.succeed(none) : readParams(submission.params()))

/** Answers a call with an idempotency key: returns the stored response, or runs it. Rows to prefetch are read at the same time. */
const answerOnce = (
  { prefetch, unitOfWork }: Prepared,
  call: Call,
  read: () => Result.Result<unknown, Refusal>,
  replayed: Effect.Effect<string | undefined, Failure>,
  outcome: Effect.Effect<CallOutcome, Failure>
): Effect.Effect<CallOutcome, Failure> => {
  const input = prefetch === undefined ? undefined : read()
  if (prefetch === undefined || input === undefined || Result.isFailure(input))
    return Effect.flatMap(replayed, replayOrDecide(outcome))
  const rows = unitOfWork.prefetch(call.merchant_id, prefetch({ call, input: input.success }))
  return Effect.flatMap(joinBeside(unitOfWork.replay(call), rows), ([stored, withRows]) =>
    replayOrDecide(withRows(outcome))(stored)
  )
}

/** Adds the fingerprint of the request to its idempotency key. */
const fingerprintRequest = (key: string, submission: CallRequest) =>
  Effect.map(submission.fingerprint(), (fingerprint) => ({
    key,
    fingerprint,
    ...(submission.lasts === true ? { lasts: true as const } : {})
  }))

type Refused = Extract<CallOutcome, { readonly _tag: "Refused" }>

/** Refuses an input that the role of the caller does not allow. */
const checkInputRole = (
  { forbids }: Prepared,
  call: Call,
  read: () => Result.Result<unknown, Refusal>
): Effect.Effect<void, Refusal> => {
  const input = forbids && read()
  const refusal = input && Result.isSuccess(input) ? forbids!({ call, input: input.success }) : undefined
  return refusal === undefined ? Effect.void : Effect.fail(refusal)
}

/** Makes the outcome of a refused call. It is stored under the idempotency key if a repeat gets the same refusal. */
const refuseCall = (
  { unitOfWork }: Prepared,
  submission: CallRequest,
  call: Call,
  failure: Failure,
  { dry_run, ...given }: Pick<Refused, "at" | "warnings"> & { readonly dry_run: DryRunBody | undefined }
): Effect.Effect<CallOutcome, Failure> => {
  const refusal = { _tag: "Refused", failure, ...given, text: undefined } as const
  if (dry_run !== undefined) return Effect.succeed({ ...refusal, dry_run })
  if (call.idempotency === null || !isRefusal(failure) || !isKept(codeOf(failure))) return Effect.succeed(refusal)
  // Nobody is there to ask again for an act that was approved: it is done later, under the same key.
  if (submission.approved !== undefined && isContended(failure)) return Effect.succeed(refusal)
  const text = submission.renderRefusal(failure, given.at, given.warnings)
  return Effect.as(unitOfWork.recordRefusal(call, text), { ...refusal, text })
}

/**
 * Answers a call whose caller is authenticated. A repeat of its idempotency key gets the stored response, after the second commit where that
 * is missing; else the input is decoded, and the act is done, waits for approval, or is tried in a dry run. A refusal is an outcome, not an error.
 */
const runCall = Effect.fnUntraced(function* (
  prepared: Prepared,
  submission: CallRequest,
  { caller, key }: Effect.Success<ReturnType<typeof authenticateCall>>
) {
  const { area, deps, operation, ids, precheck, run, finish, unitOfWork, isRead, inFlight } = prepared
  const at = yield* Clock.currentTimeMillis
  const operator = area === "operator" ? caller.operator : null
  const idempotency = key === null ? null : yield* fingerprintRequest(scopeIdempotencyKey(key, operator), submission)
  const dryRun = isDry(prepared, submission) ? makeDryRun() : undefined
  let approval: ApprovalBody | undefined
  const preview = (record: DryRunRecord) => toDryRunBody(deps.kinds, record, caller.operator === null, approval)
  let text: string | undefined
  const sent = readInput(prepared, submission)
  const { read } = sent
  let existing = false
  // Whether the answer of the second commit is still to be stored.
  let isBegun = false
  const render = (result: unknown) => submission.render(pickBody(result), at, sent.warnings, { approval })
  const call: Call = {
    ...caller,
    operator,
    operation: operation.id,
    request_id: submission.request_id ?? (yield* ids.make("req")),
    idempotency,
    if_match: takesVersion(operation) ? submission.if_match : null,
    act: noAct,
    reply: (result) => {
      // What waits for approval has begun nothing.
      if (finish === undefined || approval !== undefined) return (text = render(result))
      isBegun = true
      return makeBegunResponse(call)
    },
    waits: (given) => void (approval = given),
    existing: () => {
      existing = true
      // The response of an attempt that was refused: its movement was not created.
      text = undefined
    }
  }

  /** Makes the second commit of an act that has two, and the response. `first`: what the first has returned to this call. */
  const finishAct = Effect.fnUntraced(function* (given: GivenAct, first: unknown) {
    const { isDone, result } = yield* finish!({ ...given, first })
    // What has begun nothing has stored nothing.
    if (!isBegun) return result
    text = render(result)
    if (isDone && dryRun === undefined) yield* unitOfWork.finish(call, text)
    return result
  })

  /** A repeat of a request whose process ended between its two commits: makes the second. */
  const resumeAct = Effect.gen(function* () {
    isBegun = true
    const params = yield* decodeParams(prepared, submission)
    yield* finishAct({ call, params, input: yield* Effect.fromResult(read()) }, undefined)
    return text
  })

  const completed = Effect.gen(function* () {
    const maker = submission.approved === undefined ? {} : yield* readMaker(prepared, caller)
    const params = yield* decodeParams(prepared, submission)
    if (precheck !== undefined) yield* precheck({ call, params })
    const input = read()
    if (Result.isFailure(input)) return yield* input.failure
    yield* checkInputRole(prepared, { ...call, ...maker }, read)
    const about = pickSubjectAndNote(params, input.success)
    const given = { call: { ...call, ...maker, ...about }, params, input: input.success }
    const first = yield* operation.action === undefined ? run(given) : runOrLetWait(prepared, submission, given, dryRun)
    const isWhole = finish === undefined || approval !== undefined || dryRun !== undefined
    const result = isWhole ? first : yield* finishAct(given, first)
    if (dryRun !== undefined) {
      text = submission.render(pickBody(result), at, sent.warnings, { dry_run: preview(dryRun), approval })
    } else if (text === undefined) {
      text = render(result)
      // An operation that wrote nothing has not stored its response either.
      if (idempotency !== null) yield* unitOfWork.recordRefusal(call, text)
    }
    return { _tag: "Completed", text, version: isVersioned(result) ? makeEtag(result) : undefined, existing } as const
  })
  const refuse = (failure: Failure): Effect.Effect<CallOutcome, Failure> =>
    refuseCall(prepared, submission, call, failure, { at, warnings: sent.warnings, dry_run: dryRun && preview(dryRun) })
  const inDryRun = <A, E, R>(part: Effect.Effect<A, E, R>) =>
    dryRun === undefined ? part : Effect.provideService(part, DryRun, dryRun)
  const answered = Effect.catch(completed as Effect.Effect<CallOutcome, Failure>, refuse)
  const outcome = isRead ? answered : Effect.provideService(inDryRun(answered), Asked, [])
  if (idempotency === null) return yield* outcome

  const replayed = Effect.flatMap(unitOfWork.replay(call), (stored) =>
    stored === undefined || !isResponseBegun(stored) ? Effect.succeed(stored) : inDryRun(resumeAct)
  )
  const begun = Effect.suspend(() => answerOnce(prepared, call, read, replayed, outcome))
  // A stored response may hold what only the role of its caller may have.
  const forbidden = yield* Effect.catch(Effect.as(checkInputRole(prepared, call, read), undefined), refuse)
  if (forbidden !== undefined) return forbidden
  return yield* inFlight.guard(caller.merchant_id, idempotency, begun, dryRun !== undefined)
})

/** Whether a call of an operator is checked without a read of the store, or was before. */
const isKnown = ({ auth }: Prepared, credential: Result.Result<Credential, unknown>): boolean =>
  Result.isFailure(credential) ||
  credential.success._tag !== "OperatorToken" ||
  auth.isKnownOperator(credential.success.hash)

/** Runs a call within the limit of concurrent calls. It does not count while its body arrives. */
const execute = (prepared: Prepared, submission: CallRequest): Effect.Effect<CallOutcome, Failure> => {
  const { admission, sort } = prepared
  const { isOperator, receive } = submission
  const isOutside = isOperator && isKnown(prepared, submission.credential())
  const admitted = <A, E, R>(part: Effect.Effect<A, E, R>) => (isOutside ? part : admission.guard(sort, part))
  const entered = authenticateCall(prepared, submission)
  if (receive === undefined) return admitted(Effect.flatMap(entered, (one) => runCall(prepared, submission, one)))
  return Effect.flatMap(admitted(entered), (one) =>
    Effect.flatMap(receive, () => admitted(runCall(prepared, submission, one)))
  )
}

/** Makes the executor of an entry point. It prepares each operation once. */
export const makeExecutor = (options: ExecutorOptions) =>
  Effect.map(makeDeps(options), (deps) => (operation: AnyOperation): Execute => {
    const prepared = prepareOperation(deps, operation)
    return (submission) => {
      const outcome = Effect.catch(execute(prepared, submission), (failure) =>
        Effect.map(
          Clock.currentTimeMillis,
          (at): CallOutcome => ({ _tag: "Refused", failure, text: undefined, at, warnings: [] })
        )
      )
      // A caller that disconnects does not interrupt a write: it could not know whether the write happened.
      return prepared.isRead ? outcome : Effect.uninterruptible(outcome)
    }
  })

/** Runs an approved action as the call of its maker, once for each key. */
type Perform = (
  operation: AnyOperation,
  act: Pick<CallRequest, "params" | "body" | "if_match" | "approved" | "request_id"> & {
    readonly caller: Caller
    readonly key: string
  }
) => Effect.Effect<CallOutcome, Failure>

export const makePerform: Effect.Effect<Perform, never, Effect.Services<ReturnType<typeof makeDeps>>> = Effect.gen(
  function* () {
    const deps = yield* makeDeps({ admission: new Admission(yield* CallLimits), rate_per_second: 0 })
    const prepared = new WeakMap<AnyOperation, Prepared>()
    return (operation, { caller, key, ...act }) => {
      let one = prepared.get(operation)
      if (one === undefined) prepared.set(operation, (one = prepareOperation(deps, operation)))
      const submission: CallRequest = {
        ...act,
        isOperator: caller.operator !== null,
        credential: (): Result.Result<never, AuthenticationFailed> =>
          Result.fail(new AuthenticationFailed({ message: "An approved act has its caller." })),
        key,
        keyName: "key",
        lasts: true,
        strict: false,
        fingerprint: () => Effect.succeed(key),
        query: () => ({}),
        // What waits for the other side has made nothing, and its response would name what never is.
        render: (result, _at, _warnings, about) =>
          JSON.stringify(about?.approval === undefined ? { result } : { waits: about.approval.id }),
        renderRefusal: (refusal) =>
          JSON.stringify({ refusal: { code: codeOf(refusal), message: describeError(refusal) } })
      }
      return Effect.uninterruptible(runCall(one, submission, { caller, key }))
    }
  }
)

const none: Readonly<Record<string, unknown>> = {}

/** For a call whose actions are not known yet, or that has none. */
const noAct: Call["act"] & {} = { words: [], field: "body" }

const toParamsSchema = ({ params }: AnyOperation) =>
  Schema.Struct(params) as unknown as Schema.ConstraintDecoder<Readonly<Record<string, unknown>>>

/** A caller with all rights over a merchant: the application that embeds the engine. */
const makeAdminCaller = (merchant_id: string): Caller => ({ merchant_id, role: "admin", key_id: null, operator: null })

const toOperatorCaller = (operator: Operator): Caller => ({ ...makeAdminCaller(PLATFORM_MERCHANT), operator })

/** Scopes an idempotency key to an operator, as it is scoped to a merchant already. A key itself has no slash. */
export const scopeIdempotencyKey = (key: string, operator: Operator | null): string =>
  operator === null ? key : `${operator.id ?? `(${operator.name})`}/${key}`

/** Picks the resource that the path names, and the note of the input. */
const pickSubjectAndNote = (params: unknown, input: unknown): Pick<Call, "subject" | "note"> => {
  const subject = Object.values(params as Readonly<Record<string, unknown>>).at(-1)
  const note = (input as { readonly note?: unknown } | undefined)?.note
  return {
    subject: typeof subject === "string" ? subject : undefined,
    note: typeof note === "string" ? note : undefined
  }
}

const refuseRole = (least: Role | OperatorRole, found: string): Forbidden =>
  new Forbidden({ message: `The operation requires the role ${least}; ${found}.` })

/** Describes an invalid idempotency key without quoting it. */
const describeInvalidKey = (key: unknown): string => {
  if (typeof key !== "string") return "is no text"
  const [other] = /[^A-Za-z0-9_-]/u.exec(key) ?? []
  if (other === undefined) return `has ${key.length} character${key.length === 1 ? "" : "s"}`
  return `has the character ${JSON.stringify(other)}${other === "," ? ", as a header that is sent twice has" : ""}`
}

const pickBody = (result: unknown): unknown => (isVersioned(result) ? result.body : result)

/** Makes the ETag of a response: its version, and a digest of the body, which also depends on time and on other resources (HTTP-12). */
const makeEtag = ({ body, version }: Versioned<unknown>): string => {
  const hash = makeHash()
  hash.add(JSON.stringify(body))
  return `${version}-${hash.end().slice(0, 16)}`
}

const isVersioned = (result: unknown): result is Versioned<unknown> =>
  typeof result === "object" &&
  result !== null &&
  "body" in result &&
  "version" in result &&
  Object.keys(result).length === 2
