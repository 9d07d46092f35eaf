/** A signer that tests watch, or that does not sign. */
import { Effect, Layer } from "effect"
import { Signer, SignerFault, SigningRefused } from "../../../src/engine/ports/Signer.ts"

export interface SignerWatch {
  readonly before?: Effect.Effect<unknown>
  readonly after?: Effect.Effect<unknown>
  /** Why it never signs. */
  readonly fault?: string
  /** Why its policy refuses every signature. */
  readonly refusal?: string
}

/** The signer of a layer, with `before` and `after` at each signature. */
export const watchSigner = <E, R>(
  base: Layer.Layer<Signer, E, R>,
  { after = Effect.void, before = Effect.void, fault, refusal }: SignerWatch
): Layer.Layer<Signer, E, R> =>
  Layer.effect(
    Signer,
    Effect.map(Signer, (inner) =>
      Signer.of({
        ...inner,
        sign: (...args) => {
          if (fault !== undefined) return Effect.fail(new SignerFault({ message: fault }))
          if (refusal !== undefined)
            return Effect.andThen(before, Effect.fail(new SigningRefused({ message: refusal })))
          return Effect.andThen(before, inner.sign(...args)).pipe(Effect.tap(() => after))
        }
      })
    )
  ).pipe(Layer.provide(base))
