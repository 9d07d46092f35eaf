import { Context, Layer } from "effect"
import type { Queue } from "./Storage.ts"

/** How a commit of this process tells its dispatcher that there is work: a hint, behind which polling stands. */
export class Wake extends Context.Service<
  Wake,
  {
    readonly hint: (queue: Queue) => void
    /** Calls `listener` at every hint until the returned function is called. */
    readonly listen: (listener: (queue: Queue) => void) => () => void
  }
>()("corridor/engine/Wake") {
  static readonly layer = Layer.sync(Wake, () => {
    const listeners = new Set<(queue: Queue) => void>()
    return Wake.of({
      hint: (queue) => {
        for (const listener of listeners) listener(queue)
      },
      listen: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      }
    })
  })
}
