/** Who a key belongs to (AUTH-1, AUTH-4). */
import { Clock, Context, Effect, Layer } from "effect"
import type { ApiKeyData } from "../../machines/access/api-key.ts"
import type { MerchantData } from "../../machines/access/merchant.ts"
import type { Role } from "../commit/call.ts"
import { AuthenticationFailed, MerchantInactive, NotFound, type StorageFault } from "../ports/errors.ts"
import { sameText } from "../crypto/secrets.ts"
import { type Row, Storage } from "../ports/Storage.ts"

/** A key that is in use, and its merchant. */
export interface Principal {
  readonly merchant_id: string
  readonly key_id: string
  readonly role: Role
  readonly key: Row<ApiKeyData>
  readonly merchant: Row<MerchantData>
}

/** How long a process trusts what it read of a key: a revocation on another node is seen by then (KEY-2). */
export const trustMs = 3000
const cacheMax = 10_000

/** The states of a merchant that may call. */
export type Admitted = ReadonlySet<string>

const active: Admitted = new Set(["active"])

/** In the sandbox it is the provider that speaks, also of a suspended merchant (MERCHANT-4). */
export const ofSandbox: Admitted = new Set(["active", "suspended"])

const refused = () =>
  new AuthenticationFailed({
    message: "The API key is not valid here: it is unknown, revoked or of another environment."
  })

const inactive = (state: string) =>
  new MerchantInactive({ message: `The merchant is ${state}. It can call the API once it is active.` })

export class Auth extends Context.Service<
  Auth,
  {
    /**
     * The merchant and role of a key, by the SHA-256 of the key (hex).
     *
     * Errors: `AuthenticationFailed` for a key that is unknown or revoked; `MerchantInactive` while its merchant is not active,
     * or not among those in `admitted`.
     * Law: a key revoked by this process is refused from then on, by another within `trustMs`.
     */
    readonly authenticate: (
      hash: string,
      admitted?: Admitted
    ) => Effect.Effect<Principal, AuthenticationFailed | MerchantInactive | StorageFault>
    /**
     * Whether a merchant may call, when the caller is trusted to name it: the application that embeds the engine.
     *
     * Errors: `NotFound`; `MerchantInactive`. Law: as `authenticate`, of a merchant that was suspended.
     */
    readonly admit: (
      merchant_id: string,
      admitted?: Admitted
    ) => Effect.Effect<void, NotFound | MerchantInactive | StorageFault>
    /** Drops what is remembered of a key. */
    readonly forget: (hash: string) => void
    /** Drops what is remembered of a merchant's keys. */
    readonly forgetMerchant: (merchant_id: string) => void
  }
>()("corridor/engine/Auth") {
  static readonly layer = Layer.effect(
    Auth,
    Effect.gen(function* () {
      const storage = yield* Storage
      const cache = new Map<string, { readonly principal: Principal; readonly read_at: number }>()
      const admitted = new Map<string, { readonly state: string; readonly read_at: number }>()
      /** Counts what was forgotten, so that a read begun before a revocation is not remembered after it. */
      let generation = 0

      const read = Effect.fnUntraced(function* (hash: string) {
        const lookupKey = yield* storage.lookup("api_key", hash)
        if (lookupKey === undefined) return yield* refused()
        const rows = yield* storage.get([
          { merchant_id: lookupKey.merchant_id, kind: "api_key", id: lookupKey.id },
          { merchant_id: lookupKey.merchant_id, kind: "merchant", id: lookupKey.merchant_id }
        ])
        const key = rows.find((row) => row.kind === "api_key") as Row<ApiKeyData> | undefined
        const merchant = rows.find((row) => row.kind === "merchant") as Row<MerchantData> | undefined
        if (key === undefined || merchant === undefined) return yield* refused()
        if (key.state !== "active" || !sameText(key.data.hash, hash)) return yield* refused()
        return { merchant_id: merchant.id, key_id: key.id, role: key.data.role, key, merchant } satisfies Principal
      })

      const authenticate = Effect.fnUntraced(function* (hash: string, allowed = active) {
        const now = yield* Clock.currentTimeMillis
        const kept = cache.get(hash)
        let principal: Principal
        if (kept !== undefined && now - kept.read_at < trustMs && now >= kept.read_at) {
          principal = kept.principal
        } else {
          const began = generation
          cache.delete(hash)
          principal = yield* read(hash)
          if (began === generation) {
            if (cache.size >= cacheMax) cache.clear()
            cache.set(hash, { principal, read_at: now })
          }
        }
        if (!allowed.has(principal.merchant.state)) return yield* inactive(principal.merchant.state)
        return principal
      })

      const merchantStatus = Effect.fnUntraced(function* (merchant_id: string) {
        const now = yield* Clock.currentTimeMillis
        const kept = admitted.get(merchant_id)
        if (kept !== undefined && now - kept.read_at < trustMs && now >= kept.read_at) return kept.state
        const began = generation
        admitted.delete(merchant_id)
        const [merchant] = yield* storage.get([{ merchant_id, kind: "merchant", id: merchant_id }])
        if (merchant === undefined)
          return yield* new NotFound({ message: `There is no merchant ${JSON.stringify(merchant_id)}.` })
        if (began === generation) {
          if (admitted.size >= cacheMax) admitted.clear()
          admitted.set(merchant_id, { state: merchant.state, read_at: now })
        }
        return merchant.state
      })

      const admit = Effect.fnUntraced(function* (merchant_id: string, allowed = active) {
        const state = yield* merchantStatus(merchant_id)
        if (!allowed.has(state)) return yield* inactive(state)
      })

      return Auth.of({
        authenticate,
        admit,
        forget: (hash) => {
          generation++
          cache.delete(hash)
        },
        forgetMerchant: (merchant_id) => {
          generation++
          admitted.delete(merchant_id)
          for (const [hash, { principal }] of cache) if (principal.merchant_id === merchant_id) cache.delete(hash)
        }
      })
    })
  )
}
