import { Context, type Effect } from "effect"

/** Encrypts what must not lie in a store in the clear: signing secrets, id numbers, stored answers that hold a secret. */
export class Cipher extends Context.Service<
  Cipher,
  {
    /** Authenticated encryption; the result names its key, so that keys can be rotated. */
    readonly seal: (plain: string) => Effect.Effect<string>
    /** The plain text. Dies when the key it was sealed with is not here, or the text was tampered with. */
    readonly open: (sealed: string) => Effect.Effect<string>
  }
>()("corridor/engine/Cipher") {}
