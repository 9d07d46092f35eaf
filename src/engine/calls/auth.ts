/** Authentication: the merchant and role of an API key (AUTH-1, AUTH-4), and the operator of a token (OPERATOR-6). */
import { bindFirst } from "../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Layer } from "effect"
import type { ApiKeyData } from "../../machines/access/api-key.ts"
import type { MerchantData } from "../../machines/access/merchant.ts"
import type { OperatorData } from "../../machines/access/operator.ts"
import type { Call, Operator, Role } from "../commit/call.ts"
import { AuthenticationFailed, MerchantInactive, NotFound, type StorageFault } from "../ports/errors.ts"
import { isSameText } from "../crypto/secrets.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../ports/Storage.ts"

/** An active key and its merchant. */
export interface Principal {
  readonly merchant_id: string
  readonly key_id: string
  readonly role: Role
  readonly key: Row<ApiKeyData>
  readonly merchant: Row<MerchantData>
}

/** An authenticated caller. */
export type Caller = Pick<Call, "merchant_id" | "role" | "key_id" | "operator">

/** How long a process caches a key. A revocation on another node takes effect within this time (KEY-2). */
export const trustMs = 3000
const cacheMax = 10_000

/** The statuses with which a merchant may call. */
type Admitted = ReadonlySet<string>

const active: Admitted = new Set(["active"])

/** Sandbox calls stand for the provider, which also reports on suspended merchants (MERCHANT-4). */
export const ofSandbox: Admitted = new Set(["active", "suspended"])

const refuseKey = () =>
  new AuthenticationFailed({
    message: "The API key is invalid: it is unknown, revoked or belongs to another environment."
  })

/** The name of lookup keys of operators' tokens, by the SHA-256 of the token. */
export const operatorTokenScope = "operator_token"

const refuseInactive = (state: string) =>
  new MerchantInactive({ message: `The merchant is ${state}. Only an active merchant can call the API.` })

interface Trusted<A> {
  readonly value: A
  readonly read_at: number
}

const makeSelf = Effect.map(Storage, (storage) => ({
  storage,
  cache: new Map<string, Trusted<Principal>>(),
  admitted: new Map<string, Trusted<string>>(),
  operators: new Map<string, Trusted<Operator>>(),
  /** Counts removals, so that a read that started before a revocation is not cached after it. */
  generation: 0
}))
type Self = Effect.Success<typeof makeSelf>

/** Reads the value of a key, or returns the one that was read within `trustMs`. */
const readThroughCache = <A, E>(self: Self, cache: Map<string, Trusted<A>>, key: string, read: Effect.Effect<A, E>) =>
  Clock.clockWith((clock) => {
    const now = clock.currentTimeMillisUnsafe()
    const kept = cache.get(key)
    return kept !== undefined && now - kept.read_at < trustMs && now >= kept.read_at
      ? Effect.succeed(kept.value)
      : readIntoCache(self, cache, key, read, now)
  })

/** Reads the value of a key into the cache. */
const readIntoCache = Effect.fnUntraced(function* <A, E>(
  self: Self,
  cache: Map<string, Trusted<A>>,
  key: string,
  read: Effect.Effect<A, E>,
  now: number
) {
  const began = self.generation
  const value = yield* Effect.tapError(read, () => Effect.sync(() => cache.delete(key)))
  if (began === self.generation) {
    if (cache.size >= cacheMax) cache.clear()
    cache.set(key, { value, read_at: now })
  }
  return value
})

/** Reads the merchant and role of an API key by its hash. */
const readPrincipal = Effect.fnUntraced(function* ({ storage }: Self, hash: string) {
  const lookupKey = yield* storage.lookup("api_key", hash)
  if (lookupKey === undefined) return yield* refuseKey()
  const rows = yield* storage.get([
    { merchant_id: lookupKey.merchant_id, kind: "api_key", id: lookupKey.id },
    { merchant_id: lookupKey.merchant_id, kind: "merchant", id: lookupKey.merchant_id }
  ])
  const key = rows.find((row) => row.kind === "api_key") as Row<ApiKeyData> | undefined
  const merchant = rows.find((row) => row.kind === "merchant") as Row<MerchantData> | undefined
  if (key === undefined || merchant === undefined) return yield* refuseKey()
  if (key.state !== "active" || !isSameText(key.data.hash, hash)) return yield* refuseKey()
  return { merchant_id: merchant.id, key_id: key.id, role: key.data.role, key, merchant } satisfies Principal
})

/**
 * Reads the merchant and role of a key. `hash` is the SHA-256 of the key (hex).
 *
 * Errors: `AuthenticationFailed` if the key is unknown or revoked; `MerchantInactive` if the status of its merchant is not
 * in `admitted`. Default: active only.
 * Law: a key revoked by this process is rejected at once; a key revoked by another process, within `trustMs`.
 */
const authenticate = (self: Self, hash: string, admitted = active) =>
  Effect.flatMap(readThroughCache(self, self.cache, hash, readPrincipal(self, hash)), (principal) =>
    admitted.has(principal.merchant.state) ? Effect.succeed(principal) : refuseInactive(principal.merchant.state)
  )

const readOperator = Effect.fnUntraced(function* ({ storage }: Self, hash: string) {
  const found = yield* storage.lookup(operatorTokenScope, hash)
  const [row] = found === undefined ? [] : yield* storage.get([found])
  const read = row as Row<OperatorData> | undefined
  if (read?.state !== "active" || !isSameText(read.data.hash, hash))
    return yield* new AuthenticationFailed({
      message:
        "The operator API requires an operator's token, which is not revoked. Send Authorization: Bearer <OPERATOR_TOKEN>."
    })
  return { id: read.id, name: read.data.name, role: read.data.role } satisfies Operator
})

/**
 * Reads the operator of a token. `hash` is the SHA-256 of the token (hex).
 *
 * Errors: `AuthenticationFailed` if the token is unknown or was replaced, or its operator is revoked. Law: as for
 * `authenticate`.
 */
const findOperator = (self: Self, hash: string) =>
  readThroughCache(self, self.operators, hash, readOperator(self, hash))

const readStatus = Effect.fnUntraced(function* ({ storage }: Self, merchant_id: string) {
  const [merchant] = yield* storage.get([{ merchant_id, kind: "merchant", id: merchant_id }])
  return merchant === undefined
    ? yield* new NotFound({ message: `There is no merchant ${JSON.stringify(merchant_id)}.` })
    : merchant.state
})

/**
 * Checks the status of a merchant that a trusted caller names: the application that embeds the engine.
 *
 * Errors: `NotFound`; `MerchantInactive`, as for `authenticate`. Law: a suspension by another process takes effect within
 * `trustMs`.
 */
const checkMerchant = Effect.fnUntraced(function* (self: Self, merchant_id: string, admitted = active) {
  const state = yield* readThroughCache(self, self.admitted, merchant_id, readStatus(self, merchant_id))
  if (!admitted.has(state)) return yield* refuseInactive(state)
})

const makeRevokedError = () =>
  new AuthenticationFailed({ message: "The operator or API key was revoked before this was done." })

/**
 * Reads the present rights of a caller that was authenticated earlier. The configured token and an application keep theirs.
 *
 * Errors: `AuthenticationFailed` if its operator or key is revoked; `MerchantInactive`.
 */
const readCurrentCaller = Effect.fnUntraced(function* (
  { storage }: Self,
  caller: Caller
): Effect.fn.Return<Caller, AuthenticationFailed | MerchantInactive | StorageFault> {
  const { key_id, merchant_id, operator } = caller
  if (operator !== null) {
    if (operator.id === null) return caller
    const [row] = yield* storage.get([{ merchant_id: PLATFORM_MERCHANT, kind: "operator", id: operator.id }])
    if (row?.state !== "active") return yield* makeRevokedError()
    const { name, role } = (row as Row<OperatorData>).data
    return { ...caller, operator: { id: operator.id, name, role } }
  }
  const keys = key_id === null ? [] : [{ merchant_id, kind: "api_key", id: key_id }]
  const rows = yield* storage.get([...keys, { merchant_id, kind: "merchant", id: merchant_id }])
  const key = rows.find(({ kind }) => kind === "api_key") as Row<ApiKeyData> | undefined
  if (key_id !== null && key?.state !== "active") return yield* makeRevokedError()
  const { state = "unknown" } = rows.find(({ kind }) => kind === "merchant") ?? {}
  if (!active.has(state)) return yield* refuseInactive(state)
  return key === undefined ? caller : { ...caller, role: key.data.role }
})

/** Whether this process has accepted the token before, so that a check of it costs the store little. */
const isKnownOperator = ({ operators }: Self, hash: string) => operators.has(hash)

/** Removes a key or a token from the cache. */
const forgetCredential = (self: Self, hash: string) => {
  const { cache, operators } = self
  self.generation++
  cache.delete(hash)
  operators.delete(hash)
}

/** Removes a merchant and its keys from the cache. */
const forgetMerchant = (self: Self, merchant_id: string) => {
  const { admitted, cache } = self
  self.generation++
  admitted.delete(merchant_id)
  for (const [hash, { value }] of cache) if (value.merchant_id === merchant_id) cache.delete(hash)
}

export class Auth extends Context.Service<Auth>()("corridor/engine/Auth", {
  make: Effect.map(makeSelf, (self) =>
    bindFirst(self, {
      authenticate,
      admit: checkMerchant,
      operator: findOperator,
      current: readCurrentCaller,
      isKnownOperator,
      forget: forgetCredential,
      forgetMerchant
    })
  )
}) {
  static readonly layer = Layer.effect(this, this.make)
}
