/** The operator's token (SERVICE-5): the configured one, or one that is generated in an empty store and told once. */
import { Effect } from "effect"
import type { StorageFault } from "../engine/ports/errors.ts"
import type { Ids } from "../engine/ports/Ids.ts"
import { sha256, token } from "../engine/crypto/secrets.ts"
import { Storage } from "../engine/ports/Storage.ts"

const setting = "operator_token_hash"

/** `token` is there only when it was generated now. */
export interface OperatorToken {
  readonly hash: string
  readonly token: string | null
}

/**
 * Law: of several nodes that start on one empty store, one generates the token that holds. A configured token holds from
 * then on, and stays when it is no longer configured.
 */
export const operatorToken = (
  configured: string | undefined
): Effect.Effect<OperatorToken, StorageFault, Storage | Ids> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    if (configured !== undefined) {
      const hash = yield* sha256(configured)
      yield* storage.assign(setting, hash)
      return { hash, token: null }
    }
    const generated = `op_${yield* token}`
    const hash = yield* sha256(generated)
    const stands = yield* storage.define(setting, hash)
    return { hash: stands, token: stands === hash ? generated : null }
  })
