/**
 * Operators: the people of the operator API, each with a role and a token (OPERATOR-6, OPERATOR-7). A token is returned only
 * when it is made. Revocation is permanent.
 */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { type OperatorData, type OperatorEvent, OperatorLifecycle } from "../../../machines/access/operator.ts"
import { Auth, operatorTokenScope } from "../../calls/auth.ts"
import { checkVersion } from "../../calls/list.ts"
import { makeReads } from "../../calls/reads.ts"
import { type Call, makeIdFor } from "../../commit/call.ts"
import { type ChangeSet, type KeyScope, addLookupKey, takeReleasedKey } from "../../commit/changeset.ts"
import { isUnchanged, makeApprovalEnding } from "../../commit/approval.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { newOperatorToken, sha256 } from "../../crypto/secrets.ts"
import { describe, Email, listing, note, Optional, Text } from "../../input/schemas.ts"
import { makeWordFilter } from "../../input/members.ts"
import {
  DuplicateResource,
  InvalidStatus,
  InvariantViolation,
  type NotFound,
  type StorageFault
} from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import {
  type ActingOperatorBody,
  operatorBody,
  OperatorRoleName,
  operatorRoleNames,
  operatorStatuses,
  type OperatorTokenBody
} from "../../representations/access/operator.ts"

export const OperatorKind: ResourceKind<OperatorData, OperatorEvent> = {
  kind: "operator",
  prefix: "opr",
  lifecycle: OperatorLifecycle,
  derivedWrites: makeApprovalEnding((state) => state === "active", isUnchanged),
  indexKeys: ({ role }) => [`role=${role}`],
  auditView: ({ data: { email, name, prefix, role } }) => ({ name, email, role, prefix })
}

const tokens: KeyScope = { name: operatorTokenScope, taken: "defect" }

/** Emails are compared in lower case. */
const emails: KeyScope = { name: "operator_email", taken: "decide_again" }

export const CreateOperator = Schema.Struct({
  name: describe(Text(100), "The name of the operator.", "Ada Obi"),
  email: Optional(Email, "The email address of the operator."),
  role: OperatorRoleName,
  note
}).annotate({ identifier: "CreateOperator" })

export const UpdateOperator = Schema.Struct({
  name: Optional(Text(100), "The name of the operator.", "Ada Obi"),
  email: Optional(Email, "The email address of the operator."),
  role: Optional(OperatorRoleName),
  note
}).annotate({ identifier: "UpdateOperator" })

export const ListOperators = Schema.Struct({
  status: makeWordFilter(operatorStatuses, "status"),
  role: makeWordFilter(operatorRoleNames, "role"),
  ...listing
})

const makeDeps = Effect.gen(function* () {
  const ids = yield* Ids
  /** A new token, and what is stored of it. */
  const newToken = Effect.gen(function* () {
    const secret = yield* newOperatorToken
    return { secret, prefix: secret.slice(0, 7), hash: yield* sha256(secret) }
  }).pipe(Effect.provideService(Ids, ids))
  const { get, list } = yield* makeReads(OperatorKind, ListOperators, operatorBody)
  return { unitOfWork: yield* UnitOfWork, auth: yield* Auth, ids, storage: yield* Storage, newToken, get, list }
})
type Deps = Effect.Success<typeof makeDeps>

/** Takes an email for an operator who has another one. Errors: `DuplicateResource` if another active operator has the email. */
const takeEmail = Effect.fnUntraced(function* (
  { storage }: Deps,
  id: string,
  email: string
): Effect.fn.Return<ChangeSet, DuplicateResource | StorageFault> {
  const lower = email.toLowerCase()
  const taken = yield* takeReleasedKey<OperatorData>(
    storage,
    emails,
    lower,
    { merchant_id: PLATFORM_MERCHANT, kind: OperatorKind.kind, id },
    (row) => row.state === "active" && row.data.email?.toLowerCase() === lower
  )
  return "id" in taken
    ? yield* new DuplicateResource({
        message: `The email ${JSON.stringify(email)} belongs to operator ${taken.id}. Each active operator has an email of their own.`
      })
    : taken
})

/** Applies an event to an operator that is not revoked. `hash`: of the token that the event brings. */
const applyEvent = Effect.fnUntraced(function* <A>(
  deps: Deps,
  call: Call,
  id: string,
  event: OperatorEvent,
  resultOf: (row: Row<OperatorData>) => A
) {
  const { unitOfWork, auth } = deps
  let before = ""
  const result = yield* unitOfWork.write(call, function* () {
    const row = yield* unitOfWork.load(OperatorKind, PLATFORM_MERCHANT, id)
    yield* checkVersion(call, String(row.version))
    const next = yield* unitOfWork.step(OperatorKind, row, event, yield* Clock.currentTimeMillis)
    if (next === undefined) return yield* new InvalidStatus({ message: `Operator ${id} is revoked.` })
    before = row.data.hash
    const named = { key: next.row.data.hash, kind: OperatorKind.kind, id }
    const email = event.type === "update" ? event.patch.email : undefined
    const isNew = email?.toLowerCase() !== row.data.email?.toLowerCase()
    const taken = email === undefined || email === null || !isNew ? [] : [yield* takeEmail(deps, id, email)]
    return {
      changes: [next.changes, ...taken, ...(event.type === "rotate" ? [addLookupKey(tokens, named)] : [])],
      result: resultOf(next.row),
      secret: event.type === "rotate"
    }
  })
  auth.forget(before)
  return result
})

/** Creates an operator. Only this response contains the token. Errors: `DuplicateResource` for a taken email. */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: typeof CreateOperator.Type) {
  const { unitOfWork, newToken, ids } = deps
  return yield* unitOfWork.write(call, function* () {
    const { hash, prefix, secret } = yield* newToken
    const id = yield* makeIdFor(call, ids, OperatorKind.prefix)
    const data: OperatorData = {
      name: input.name,
      email: input.email ?? null,
      role: input.role,
      prefix,
      hash
    }
    const taken = data.email === null ? [] : [yield* takeEmail(deps, id, data.email)]
    const at = yield* Clock.currentTimeMillis
    const made = yield* begin(OperatorKind, { merchant_id: PLATFORM_MERCHANT, id }, data, at)
    return {
      changes: [made.changes, ...taken, addLookupKey(tokens, { key: hash, kind: OperatorKind.kind, id })],
      result: { ...operatorBody(made.row), token: secret } satisfies OperatorTokenBody,
      secret: true
    }
  })
})

const get = ({ get }: Deps, call: Call, id: string) => get(call, id)

/** Lists the operators, newest first, including revoked ones. */
const list = ({ list }: Deps, call: Call, query: typeof ListOperators.Type) => list(call, query)

/**
 * Changes the given members. A new role applies from the next request on, on other nodes within three seconds.
 * Errors: `NotFound`; `InvalidStatus` for a revoked operator; `DuplicateResource` for a taken email; `Conflict` when `If-Match` does not match.
 */
const update = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  id: string,
  { note: _, ...patch }: typeof UpdateOperator.Type
) {
  return yield* applyEvent(deps, call, id, { type: "update", patch }, operatorBody)
})

/** Replaces the token. The old one is no longer accepted. Errors: `NotFound`; `InvalidStatus` for a revoked operator. */
const rotateToken = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { newToken } = deps
  const { hash, prefix, secret } = yield* newToken
  return yield* applyEvent(
    deps,
    call,
    id,
    { type: "rotate", hash, prefix },
    (row): OperatorTokenBody => ({ ...operatorBody(row), token: secret })
  )
})

/** Ends the access of an operator for good. Errors: `NotFound`; `InvalidStatus` for a revoked operator. */
const revoke = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  return yield* applyEvent(deps, call, id, { type: "revoke" }, operatorBody)
})

/** Reads the operator of the call. */
const readActingOperator = Effect.fnUntraced(function* (
  { unitOfWork }: Deps,
  { operator }: Call
): Effect.fn.Return<ActingOperatorBody, NotFound | StorageFault> {
  if (operator === null) return yield* Effect.die(new InvariantViolation("the operator API is called by operators"))
  if (operator.id === null) return { ...operator, email: null }
  const { data, id } = yield* unitOfWork.load(OperatorKind, PLATFORM_MERCHANT, operator.id)
  return { id, name: data.name, email: data.email, role: data.role }
})

export class Operators extends Context.Service<Operators>()("corridor/engine/Operators", {
  make: Effect.map(makeDeps, (deps) =>
    bindFirst(deps, { create, get, list, update, rotate: rotateToken, revoke, me: readActingOperator })
  )
}) {
  static readonly layer = Layer.effect(this, this.make)
}
