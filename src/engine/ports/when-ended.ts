import { Effect, type Exit } from "effect"

/** Calls `ended` with the exit of an effect, however it ends. Cheaper than a finalizer that is an effect. */
export const onExitSync = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  ended: (exit: Exit.Exit<A, E>) => void
): Effect.Effect<A, E, R> =>
  Effect.onExitPrimitive(self, (exit) => {
    ended(exit)
    return undefined
  })

/**
 * Acquires a value, uses it, and releases it when the use has ended, in whatever way. As `Effect.acquireUseRelease`, where acquiring and
 * releasing are no effects.
 *
 * Law: an acquired value is released, wherever an interruption comes.
 */
export const acquireUseReleaseSync = <H, A, E, R>(
  take: () => H,
  use: (held: H) => Effect.Effect<A, E, R>,
  giveBack: (held: H, exit: Exit.Exit<A, E>) => void
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let taken: { readonly held: H } | undefined
    // The fiber may pause and be interrupted before any step: it is taken in one, once it is certain to be given back.
    const using = Effect.suspend(() => {
      taken = { held: take() }
      return use(taken.held)
    })
    return onExitSync(using, (exit) => {
      if (taken !== undefined) giveBack(taken.held, exit)
    })
  })
