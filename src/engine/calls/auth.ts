/** Authentication: the merchant and role of an API key (AUTH-1, AUTH-4), and the operator of a token (OPERATOR-6). */
import { bound } from "../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Layer } from "effect"
import type { ApiKeyData } from "../../machines/access/api-key.ts"
import type { MerchantData } from "../../machines/access/merchant.ts"
import type { OperatorData } from "../../machines/access/operator.ts"
import type { Call, Operator, Role } from "../commit/call.ts"
import { AuthenticationFailed, MerchantInactive, NotFound, type StorageFault } from "../ports/errors.ts"
import { sameText } from "../crypto/secrets.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../ports/Storage.ts"

/** An active key and its merchant. */
export interface Principal {
  readonly merchant_id: string
  readonly key_id: string
  readonly role: Role
  readonly key: Row<ApiKeyData>
  readonly merchant: Row<MerchantData>
}

/** Who calls, once it is authenticated. */
export type Caller = Pick<Call, "merchant_id" | "role" | "key_id" | "operator">

/** How long a process caches a key. A revocation on another node takes effect within this time (KEY-2). */
export const trustMs = 3000
const cacheMax = 10_000

/** The statuses with which a merchant may call. */
export type Admitted = ReadonlySet<string>

const active: Admitted = new Set(["active"])

/** Sandbox calls stand for the provider, which also reports on suspended merchants (MERCHANT-4). */
export const ofSandbox: Admitted = new Set(["active", "suspended"])

const invalidKey = () =>
  new AuthenticationFailed({
    message: "The API key is invalid: it is unknown, revoked or belongs to another environment."
  })

const invalidToken = () =>
  new AuthenticationFailed({
    message:
      "The operator API requires an operator's token, which is not revoked. Send Authorization: Bearer <OPERATOR_TOKEN>."
  })

/** The name of lookup keys of operators' tokens, by the SHA-256 of the token. */
export const operatorTokenScope = "operator_token"

const inactive = (state: string) =>
  new MerchantInactive({ message: `The merchant is ${state}. Only an active merchant can call the API.` })

const makeSelf = Effect.gen(function* () {
  return {
    storage: yield* Storage,
    cache: new Map<string, { readonly principal: Principal; readonly read_at: number }>(),
    admitted: new Map<string, { readonly state: string; readonly read_at: number }>(),
    operators: new Map<
      string,
      { readonly operator: Operator; readonly read_at: number }
    >() /** Counts removals, so that a read that started before a revocation is not cached after it. */,
    generation: 0
  }
})
type Self = Effect.Success<typeof makeSelf>

const read = Effect.fnUntraced(function* ({ storage }: Self, hash: string) {
  const lookupKey = yield* storage.lookup("api_key", hash)
  if (lookupKey === undefined) return yield* invalidKey()
  const rows = yield* storage.get([
    { merchant_id: lookupKey.merchant_id, kind: "api_key", id: lookupKey.id },
    { merchant_id: lookupKey.merchant_id, kind: "merchant", id: lookupKey.merchant_id }
  ])
  const key = rows.find((row) => row.kind === "api_key") as Row<ApiKeyData> | undefined
  const merchant = rows.find((row) => row.kind === "merchant") as Row<MerchantData> | undefined
  if (key === undefined || merchant === undefined) return yield* invalidKey()
  if (key.state !== "active" || !sameText(key.data.hash, hash)) return yield* invalidKey()
  return { merchant_id: merchant.id, key_id: key.id, role: key.data.role, key, merchant } satisfies Principal
})

const authenticate = Effect.fnUntraced(function* (self: Self, hash: string, allowed = active) {
  const { cache } = self
  const now = yield* Clock.currentTimeMillis
  const kept = cache.get(hash)
  let principal: Principal
  if (kept !== undefined && now - kept.read_at < trustMs && now >= kept.read_at) {
    principal = kept.principal
  } else {
    const began = self.generation
    cache.delete(hash)
    principal = yield* read(self, hash)
    if (began === self.generation) {
      if (cache.size >= cacheMax) cache.clear()
      cache.set(hash, { principal, read_at: now })
    }
  }
  if (!allowed.has(principal.merchant.state)) return yield* inactive(principal.merchant.state)
  return principal
})

const readOperator = Effect.fnUntraced(function* ({ storage }: Self, hash: string) {
  const found = yield* storage.lookup(operatorTokenScope, hash)
  const [row] = found === undefined ? [] : yield* storage.get([found])
  const read = row as Row<OperatorData> | undefined
  if (read?.state !== "active" || !sameText(read.data.hash, hash)) return yield* invalidToken()
  return { id: read.id, name: read.data.name, role: read.data.role } satisfies Operator
})

const operator = Effect.fnUntraced(function* (self: Self, hash: string) {
  const { operators } = self
  const now = yield* Clock.currentTimeMillis
  const kept = operators.get(hash)
  if (kept !== undefined && now - kept.read_at < trustMs && now >= kept.read_at) return kept.operator
  const began = self.generation
  const read = yield* Effect.tapError(readOperator(self, hash), () => Effect.sync(() => operators.delete(hash)))
  if (began === self.generation) {
    if (operators.size >= cacheMax) operators.clear()
    operators.set(hash, { operator: read, read_at: now })
  }
  return read
})

const merchantStatus = Effect.fnUntraced(function* (self: Self, merchant_id: string) {
  const { admitted, storage } = self
  const now = yield* Clock.currentTimeMillis
  const kept = admitted.get(merchant_id)
  if (kept !== undefined && now - kept.read_at < trustMs && now >= kept.read_at) return kept.state
  const began = self.generation
  admitted.delete(merchant_id)
  const [merchant] = yield* storage.get([{ merchant_id, kind: "merchant", id: merchant_id }])
  if (merchant === undefined)
    return yield* new NotFound({ message: `There is no merchant ${JSON.stringify(merchant_id)}.` })
  if (began === self.generation) {
    if (admitted.size >= cacheMax) admitted.clear()
    admitted.set(merchant_id, { state: merchant.state, read_at: now })
  }
  return merchant.state
})

const admit = Effect.fnUntraced(function* (self: Self, merchant_id: string, allowed = active) {
  const state = yield* merchantStatus(self, merchant_id)
  if (!allowed.has(state)) return yield* inactive(state)
})

const revokedSince = () =>
  new AuthenticationFailed({ message: "The operator or API key that made the act was revoked before it was approved." })

const current = Effect.fnUntraced(function* (
  { storage }: Self,
  caller: Caller
): Effect.fn.Return<Caller, AuthenticationFailed | MerchantInactive | StorageFault> {
  const { key_id, merchant_id, operator } = caller
  if (operator !== null) {
    if (operator.id === null) return caller
    const [row] = yield* storage.get([{ merchant_id: PLATFORM_MERCHANT, kind: "operator", id: operator.id }])
    if (row?.state !== "active") return yield* revokedSince()
    const { name, role } = (row as Row<OperatorData>).data
    return { ...caller, operator: { id: operator.id, name, role } }
  }
  const keys = key_id === null ? [] : [{ merchant_id, kind: "api_key", id: key_id }]
  const rows = yield* storage.get([...keys, { merchant_id, kind: "merchant", id: merchant_id }])
  const key = rows.find(({ kind }) => kind === "api_key") as Row<ApiKeyData> | undefined
  if (key_id !== null && key?.state !== "active") return yield* revokedSince()
  const { state = "unknown" } = rows.find(({ kind }) => kind === "merchant") ?? {}
  if (!active.has(state)) return yield* inactive(state)
  return key === undefined ? caller : { ...caller, role: key.data.role }
})

const isKnownOperator = ({ operators }: Self, hash: string) => operators.has(hash)

const forget = (self: Self, hash: string) => {
  const { cache, operators } = self
  self.generation++
  cache.delete(hash)
  operators.delete(hash)
}

const forgetMerchant = (self: Self, merchant_id: string) => {
  const { admitted, cache } = self
  self.generation++
  admitted.delete(merchant_id)
  for (const [hash, { principal }] of cache) if (principal.merchant_id === merchant_id) cache.delete(hash)
}

export class Auth extends Context.Service<
  Auth,
  {
    /**
     * Reads the merchant and role of a key. `hash` is the SHA-256 of the key (hex).
     *
     * Errors: `AuthenticationFailed` if the key is unknown or revoked; `MerchantInactive` if the status of its merchant is not
     * in `admitted`. Default: active only.
     * Law: a key revoked by this process is rejected at once; a key revoked by another process, within `trustMs`.
     */
    readonly authenticate: (
      hash: string,
      admitted?: Admitted
    ) => Effect.Effect<Principal, AuthenticationFailed | MerchantInactive | StorageFault>
    /**
     * Checks the status of a merchant that a trusted caller names: the application that embeds the engine.
     *
     * Errors: `NotFound`; `MerchantInactive`, as for `authenticate`. Law: a suspension by another process takes effect within
     * `trustMs`.
     */
    readonly admit: (
      merchant_id: string,
      admitted?: Admitted
    ) => Effect.Effect<void, NotFound | MerchantInactive | StorageFault>
    /**
     * Reads the operator of a token. `hash` is the SHA-256 of the token (hex).
     *
     * Errors: `AuthenticationFailed` if the token is unknown or was replaced, or its operator is revoked. Law: as for
     * `authenticate`.
     */
    readonly operator: (hash: string) => Effect.Effect<Operator, AuthenticationFailed | StorageFault>
    /**
     * A caller that was authenticated before, with the rights that it has now. The configured token and an application have those that
     * they had.
     *
     * Errors: `AuthenticationFailed` if its operator or key is revoked; `MerchantInactive`.
     */
    readonly current: (caller: Caller) => Effect.Effect<Caller, AuthenticationFailed | MerchantInactive | StorageFault>
    /** Whether this process has accepted the token before, so that a check of it costs the store little. */
    readonly isKnownOperator: (hash: string) => boolean
    /** Removes a key or a token from the cache. */
    readonly forget: (hash: string) => void
    /** Removes a merchant and its keys from the cache. */
    readonly forgetMerchant: (merchant_id: string) => void
  }
>()("corridor/engine/Auth") {
  static readonly layer = Layer.effect(
    Auth,
    Effect.map(makeSelf, (self) =>
      Auth.of(bound(self, { authenticate, admit, operator, current, isKnownOperator, forget, forgetMerchant }))
    )
  )
}
