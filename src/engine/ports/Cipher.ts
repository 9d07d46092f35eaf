import { Context, type Effect } from "effect"

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
    /** The plain text. Dies when the key that sealed the text is missing, or the text was modified. */
    readonly open: (sealed: string) => Effect.Effect<string>
  }
>()("corridor/engine/Cipher") {}
