/** Who a key belongs to (interface, Authentication; decisions 3). */
import { Clock, Context, Effect, Layer } from "effect"
import type { ApiKeyData } from "../../machines/api-key.ts"
import type { MerchantData } from "../../machines/merchant.ts"
import type { Role } from "../Call.ts"
import { AuthenticationFailed, MerchantInactive, type StorageFault } from "../errors.ts"
import { sameText } from "../secrets.ts"
import { type Row, Storage } from "../Storage.ts"

/** A key that is in use, and its merchant. */
export interface Principal {
  readonly merchant_id: string
  readonly key_id: string
  readonly role: Role
  readonly key: Row<ApiKeyData>
  readonly merchant: Row<MerchantData>
}

/** How long a process trusts what it read of a key: a revocation on another node is seen by then (decisions 3). */
export const trustMs = 3000
const cacheMax = 10_000

const refused = () =>
  new AuthenticationFailed({ message: "The API key is not valid here: it is unknown, revoked or of another environment." })

export class Auth extends Context.Service<
  Auth,
  {
    /**
     * The merchant and role of a key, by the SHA-256 of the key (hex).
     *
     * Errors: `AuthenticationFailed` for a key that is unknown or revoked; `MerchantInactive` while its merchant is not active.
     * Law: a key revoked by this process is refused from then on, by another within `trustMs`.
     */
    readonly authenticate: (hash: string) => Effect.Effect<Principal, AuthenticationFailed | MerchantInactive | StorageFault>
    /** Drops what is remembered of a key. */
    readonly forget: (hash: string) => void
    /** Drops what is remembered of a merchant's keys. */
    readonly forgetMerchant: (merchant_id: string) => void
  }
>()("corridor/engine/Auth") {
  static readonly layer = Layer.effect(
    Auth,
    Effect.gen(function*() {
      const storage = yield* Storage
      const cache = new Map<string, { readonly principal: Principal; readonly read_at: number }>()
      /** Counts what was forgotten, so that a read begun before a revocation is not remembered after it. */
      let generation = 0

      const read = Effect.fnUntraced(function*(hash: string) {
        const alias = yield* storage.alias("api_key", hash)
        if (alias === undefined) return yield* refused()
        const rows = yield* storage.get([
          { merchant_id: alias.merchant_id, kind: "api_key", id: alias.id },
          { merchant_id: alias.merchant_id, kind: "merchant", id: alias.merchant_id }
        ])
        const key = rows.find((row) => row.kind === "api_key") as Row<ApiKeyData> | undefined
        const merchant = rows.find((row) => row.kind === "merchant") as Row<MerchantData> | undefined
        if (key === undefined || merchant === undefined) return yield* refused()
        if (key.state !== "active" || !sameText(key.data.hash, hash)) return yield* refused()
        return { merchant_id: merchant.id, key_id: key.id, role: key.data.role, key, merchant } satisfies Principal
      })

      const authenticate = Effect.fnUntraced(function*(hash: string) {
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
        if (principal.merchant.state !== "active") {
          return yield* new MerchantInactive({
            message: `The merchant is ${principal.merchant.state}. It can call the API once it is active.`
          })
        }
        return principal
      })

      return Auth.of({
        authenticate,
        forget: (hash) => {
          generation++
          cache.delete(hash)
        },
        forgetMerchant: (merchant_id) => {
          generation++
          for (const [hash, { principal }] of cache) if (principal.merchant_id === merchant_id) cache.delete(hash)
        }
      })
    })
  )
}
