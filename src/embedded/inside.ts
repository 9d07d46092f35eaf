/** What a server in the same process needs of a running Corridor, beside its calls. */
import type { Context } from "effect"
import type { EngineServices } from "./layer.ts"

export interface Inside {
  readonly context: Context.Context<EngineServices>
  /**
   * Registers a request that is about to run, and returns the function that ends it; `undefined` after `close` was called.
   * `close` waits for registered requests as for calls.
   */
  readonly enter: () => (() => void) | undefined
}

const insides = new WeakMap<object, Inside>()

export const setInside = (corridor: object, inside: Inside): void => void insides.set(corridor, inside)

/** Throws `TypeError` for a value that `Corridor.start` did not make. */
export const insideOf = (corridor: object): Inside => {
  const inside = insides.get(corridor)
  if (inside === undefined) throw new TypeError("a Corridor is required, as Corridor.start makes it")
  return inside
}
