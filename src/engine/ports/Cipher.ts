import { Context, type Effect } from "effect"
import type { StorageFault } from "./errors.ts"

/**
 * Encrypts data that must not be stored in plain text: signing secrets, id numbers, and stored responses that contain a
 * secret.
 */
export class Cipher extends Context.Service<
  Cipher,
  {
    /** The ids of its keys: first the key that encrypts, then earlier keys that only decrypt. */
    readonly keys: readonly [string, ...ReadonlyArray<string>]
    /** Authenticated encryption. Law: the result is the id of the first key, a colon, and text without quotes. */
    readonly seal: (plain: string) => Effect.Effect<string>
    /**
     * The plain text. Errors: `makeMissingKeyFault` of the ports, when the text names a key that this cipher lacks: another node of the service
     * may have it. Dies when the text was modified.
     */
    readonly open: (sealed: string) => Effect.Effect<string, StorageFault>
  }
>()("corridor/engine/Cipher") {}
