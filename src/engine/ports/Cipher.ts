import { Context, type Effect } from "effect"

/** Encrypts what must not lie in a store in the clear: signing secrets, id numbers, stored answers that hold a secret. */
export class Cipher extends Context.Service<
  Cipher,
  {
    /** The ids of its keys: the one that seals, then those that only open what they sealed before. */
    readonly keys: readonly [string, ...ReadonlyArray<string>]
    /** Authenticated encryption. Law: the result is the id of the first key, a colon, and text without quotes. */
    readonly seal: (plain: string) => Effect.Effect<string>
    /** The plain text. Dies when the key it was sealed with is not here, or the text was tampered with. */
    readonly open: (sealed: string) => Effect.Effect<string>
  }
>()("corridor/engine/Cipher") {}
