/** API keys of a merchant (KEY-1, KEY-2). The secret is returned only at creation. Revocation is permanent. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { ApiKey, type ApiKeyData, type ApiKeyEvent } from "../../../machines/access/api-key.ts"
import { Merchant, type MerchantData, type MerchantEvent } from "../../../machines/access/merchant.ts"
import { hasRole, type Call, makeIdFor, type Role } from "../../commit/call.ts"
import { addLookupKey, type ChangeSet, type KeyScope } from "../../commit/changeset.ts"
import { begin, type Stepped } from "../../commit/steps.ts"
import { Environment } from "../../settings/settings.ts"
import {
  ApiKeyLimitExceeded,
  Forbidden,
  ForbiddenKeyRole,
  InvariantViolation,
  InvalidStatus
} from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import { makeApprovalEnding } from "../../commit/approval.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { apiKeyBody, KeyRole, newApiKeyBody } from "../../representations/access/merchant.ts"
import { PersonName } from "../../input/members.ts"
import { listing, Optional, Text } from "../../input/schemas.ts"
import { keyPrefix, sha256, shortenKey, token } from "../../crypto/secrets.ts"
import { type Row } from "../../ports/Storage.ts"
import { personOfKey } from "../../calls/ActiveApprovalRules.ts"
import { Auth } from "../../calls/auth.ts"
import { checkVersion } from "../../calls/list.ts"
import { makeReads } from "../../calls/reads.ts"

/** A merchant owns itself: the `merchant_id` of its row is its id. */
export const MerchantKind: ResourceKind<MerchantData, MerchantEvent> = {
  kind: "merchant",
  prefix: "mer",
  lifecycle: Merchant,
  // The keys of a merchant, which it counts, are not what is decided about it.
  derivedWrites: makeApprovalEnding(
    () => true,
    (_, __, isOfOneState) => isOfOneState
  ),
  searchValues: ({ name }) => ({ title: name, names: [name] }),
  auditView: ({ data: { country_code, name } }) => ({ name, country_code })
}

/** Lookup keys of API keys: the hash of the secret. */
const secretScope: KeyScope = { name: "api_key", taken: "defect" }

export const ApiKeyKind: ResourceKind<ApiKeyData, ApiKeyEvent> = {
  kind: "api_key",
  prefix: "key",
  lifecycle: ApiKey,
  derivedWrites: makeApprovalEnding((state) => state === "active"),
  isHidden: (state) => state === "revoked",
  auditView: ({ data: { label, person, prefix, role } }) => ({ role, label, prefix, person })
}

/** The maximum number of active keys of a merchant. */
const activeKeysMax = 10

export const CreateApiKey = Schema.Struct({
  role: KeyRole,
  label: Optional(Text(100), "A name for people.", "checkout service"),
  person: Optional(
    PersonName,
    "The person who calls with the key, for example by email, and no id: nothing that begins with `key_` or `opr_`. Default: the person of the key that makes it, or the operator who makes it. Only an admin names another.",
    "ada@example.com"
  )
}).annotate({ identifier: "CreateApiKey" })
export const ListApiKeys = Schema.Struct(listing)

/** Makes the row of a new key and its changes. Requests find the key by the lookup key. `at`: milliseconds since the epoch. */
export const makeKey = Effect.fnUntraced(function* (
  call: Pick<Call, "merchant_id" | "ids">,
  secret: string,
  role: Role,
  label: string | null,
  at: number,
  person: string | null = null,
  made_by: ReadonlyArray<string> = []
) {
  const id = yield* makeIdFor(call, yield* Ids, ApiKeyKind.prefix)
  const hash = yield* sha256(secret)
  const makers = made_by.length === 0 ? {} : { made_by }
  const data: ApiKeyData = { role, label, person, ...makers, prefix: shortenKey(secret), hash }
  const made: Stepped<ApiKeyData> = yield* begin(ApiKeyKind, { merchant_id: call.merchant_id, id }, data, at)
  return {
    row: made.row,
    changes: [
      made.changes,
      addLookupKey(secretScope, { key: hash, kind: ApiKeyKind.kind, id })
    ] satisfies ReadonlyArray<ChangeSet>
  }
})

const makeDeps = Effect.all({
  unitOfWork: UnitOfWork,
  auth: Auth,
  environment: Environment,
  list: Effect.map(makeReads(ApiKeyKind, ListApiKeys, apiKeyBody), ({ list }) => list)
})
type Deps = Effect.Success<typeof makeDeps>

/** Counts a key that the merchant gets or loses. */
const countKey = Effect.fnUntraced(function* (
  { unitOfWork }: Deps,
  merchant: Row<MerchantData>,
  type: "key.made" | "key.revoked",
  at: number
) {
  const stepped = yield* unitOfWork.step(MerchantKind, merchant, { type }, at)
  return stepped === undefined
    ? yield* Effect.die(new InvariantViolation("a merchant counts its keys in every state"))
    : stepped.changes
})

/** Refuses a new key with a role above that of its maker, or with a person whom only an admin may name. Undefined: it may be made. */
export const forbidNewKey = (
  { role }: Pick<Call, "role">,
  wanted: typeof CreateApiKey.Type
): ForbiddenKeyRole | undefined => {
  const refuse = (message: string) => new ForbiddenKeyRole({ message })
  if (!hasRole(role, wanted.role)) return refuse(`A ${role} key cannot create a key with the role ${wanted.role}.`)
  return wanted.person !== undefined && role !== "admin"
    ? refuse(`A ${role} key cannot name the person of another key.`)
    : undefined
}

/** Resolves the person of a new key: the requested one, else that of the key that creates it, else the operator who does. */
const resolvePerson = Effect.fnUntraced(function* (
  { unitOfWork }: Deps,
  call: Call,
  { person }: typeof CreateApiKey.Type
) {
  if (person !== undefined || call.key_id === null) return person ?? call.operator?.id ?? null
  return personOfKey(yield* unitOfWork.load(ApiKeyKind, call.merchant_id, call.key_id))
})

/** Reads the keys to whose limits the acts of a new key count, too: none where an admin makes it (LIMITS-2). */
const readMakers = Effect.fnUntraced(function* ({ unitOfWork }: Deps, { key_id, merchant_id, role }: Call) {
  if (key_id === null || role === "admin") return []
  const { data, id } = yield* unitOfWork.load(ApiKeyKind, merchant_id, key_id)
  return [id, ...(data.made_by ?? [])]
})

/**
 * Creates a key. Only this response contains the secret.
 * Errors: `ForbiddenKeyRole` as {@link forbidNewKey} has it; `ApiKeyLimitExceeded` when there are ten active keys.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: typeof CreateApiKey.Type) {
  const { environment, unitOfWork } = deps
  const forbidden = forbidNewKey(call, input)
  if (forbidden !== undefined) return yield* forbidden
  return yield* unitOfWork.write(call, function* () {
    const merchant = yield* unitOfWork.load(MerchantKind, call.merchant_id, call.merchant_id)
    if (merchant.data.active_keys >= activeKeysMax)
      return yield* new ApiKeyLimitExceeded({
        message: `The merchant already has ${activeKeysMax} active keys. Revoke one first.`
      })
    const at = yield* Clock.currentTimeMillis
    const secret = keyPrefix(environment) + (yield* token)
    const person = yield* resolvePerson(deps, call, input)
    const makers = yield* readMakers(deps, call)
    const made = yield* makeKey(call, secret, input.role, input.label ?? null, at, person, makers)
    return {
      changes: [...made.changes, yield* countKey(deps, merchant, "key.made", at)],
      result: newApiKeyBody(made.row, secret),
      secret: true,
      audited: made.row
    }
  })
})

const list = ({ list }: Deps, call: Call, query: typeof ListApiKeys.Type) => list(call, query)

/** Operator: lists the keys of a merchant. Errors: `NotFound` for the merchant. */
const listMerchantKeys = ({ list, unitOfWork }: Deps, call: Call, query: typeof ListApiKeys.Type) =>
  Effect.andThen(unitOfWork.load(MerchantKind, call.merchant_id, call.merchant_id), list(call, query))

/**
 * Revokes a key. Any key can revoke itself.
 * Errors: `Forbidden` for another key, unless the caller's role is `admin`; `InvalidStatus` when it is already revoked.
 */
const revoke = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { auth, unitOfWork } = deps
  if (call.role !== "admin" && call.key_id !== id)
    return yield* new Forbidden({ message: "Only an admin key can revoke another key." })
  let hash = ""
  const result = yield* unitOfWork.write(call, function* () {
    const at = yield* Clock.currentTimeMillis
    const key = yield* unitOfWork.load(ApiKeyKind, call.merchant_id, id)
    const merchant = yield* unitOfWork.load(MerchantKind, call.merchant_id, call.merchant_id)
    const revoked = yield* unitOfWork.step(ApiKeyKind, key, { type: "revoke" }, at)
    if (revoked === undefined) return yield* new InvalidStatus({ message: `API key ${id} is already revoked.` })
    yield* checkVersion(call, String(key.version))
    hash = key.data.hash
    return {
      changes: [revoked.changes, yield* countKey(deps, merchant, "key.revoked", at)],
      result: { id, success: true as const }
    }
  })
  auth.forget(hash)
  return result
})

export class ApiKeys extends Context.Service<ApiKeys>()("corridor/engine/ApiKeys", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { create, list, listOf: listMerchantKeys, revoke }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
