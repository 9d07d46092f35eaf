/** What a server in the same process needs of a running engine, beside its calls. */
import { type Context, Effect } from "effect"
import { type EngineServices, graceMs } from "./layer.ts"

export interface Inside {
  readonly context: Context.Context<EngineServices>
  /**
   * Registers a call or a request that is about to run, and returns the function that ends it; `undefined` once the engine
   * stops.
   */
  readonly enter: () => (() => void) | undefined
}

/**
 * Counts the running calls. `enter` begins one, and returns the function that ends it; `finish` admits no more, and waits for the
 * running ones, at most for the grace period.
 */
export const makeEntrance = () => {
  const running = new Set<Promise<void>>()
  let open = true
  const enter = (): (() => void) | undefined => {
    if (!open) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    running.add(promise)
    return () => {
      running.delete(promise)
      resolve()
    }
  }
  const finish = Effect.suspend(() => {
    open = false
    return Effect.asVoid(
      Effect.timeoutOption(
        Effect.promise(() => Promise.all(running)),
        graceMs
      )
    )
  })
  return { enter, finish }
}

const insides = new WeakMap<object, Inside>()

export const setInside = (corridor: object, inside: Inside): void => void insides.set(corridor, inside)

/** Returns the internals of a running Corridor. Errors: throws `TypeError` for a value that `Corridor.start` did not make. */
export const requireInside = (corridor: object): Inside => {
  const inside = insides.get(corridor)
  if (inside === undefined) throw new TypeError("a Corridor is required, as Corridor.start makes it")
  return inside
}
