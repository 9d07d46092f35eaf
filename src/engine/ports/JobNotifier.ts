import { Context, Layer } from "effect"
import type { Queue } from "./Storage.ts"

/** Notifies the dispatcher of this process that a commit has added jobs. A hint only: the dispatcher polls as well. */
export class JobNotifier extends Context.Service<
  JobNotifier,
  {
    readonly notify: (queue: Queue) => void
    /** Calls `listener` at every notification until the returned function is called. */
    readonly listen: (listener: (queue: Queue) => void) => () => void
  }
>()("corridor/engine/JobNotifier") {
  static readonly layer = Layer.sync(JobNotifier, () => {
    const listeners = new Set<(queue: Queue) => void>()
    return JobNotifier.of({
      notify: (queue) => {
        for (const listener of listeners) listener(queue)
      },
      listen: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      }
    })
  })
}
