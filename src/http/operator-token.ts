/** The operator token (SERVICE-5): the configured token, or one generated for an empty store and printed once. */
import { Effect } from "effect"
import type { StorageFault } from "../engine/ports/errors.ts"
import type { Ids } from "../engine/ports/Ids.ts"
import { newOperatorToken, sha256 } from "../engine/crypto/secrets.ts"
import { Storage } from "../engine/ports/Storage.ts"
import { NO_OPERATOR_TOKEN } from "./config/values.ts"

const setting = "operator_token_hash"

/** `token`: the generated token; `null` if this call did not generate it. */
interface OperatorToken {
  readonly hash: string
  readonly token: string | null
}

/**
 * Returns the SHA-256 of the valid operator token (hex), or the empty text if there is none. Generates the first token of a store.
 *
 * Law: if several processes start on an empty store, one of them generates the token. A configured token remains valid when it is no longer
 * configured, until another one or `off` is.
 */
export const ensureOperatorToken = (
  configured: string | undefined
): Effect.Effect<OperatorToken, StorageFault, Storage | Ids> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    if (configured !== undefined) {
      const hash = configured === NO_OPERATOR_TOKEN ? "" : yield* sha256(configured)
      yield* storage.assign(setting, hash)
      return { hash, token: null }
    }
    const generated = yield* newOperatorToken
    const hash = yield* sha256(generated)
    const stored = yield* storage.define(setting, hash)
    return { hash: stored, token: stored === hash ? generated : null }
  })
