/** The traces in which events were published, for their deliveries, and of commits that have claimed their jobs. */
import { Context, Effect, Layer } from "effect"
import { Storage, type TraceMark } from "../ports/Storage.ts"

/** This node remembers at least as many traces, and at most twice as many. */
const REMEMBERED_MIN = 4096

/** What a stored event says of its place in its resource's history. */
export interface Published {
  readonly event_id: string
  readonly event_object_id: string
  readonly event_sequence: number
}

export class PublishedTraces extends Context.Service<
  PublishedTraces,
  {
    /** `id`: of an event, or the token under which a commit has claimed jobs. */
    readonly remember: (id: string, trace: TraceMark) => void
    /** The trace of the commit of this node that has claimed jobs under a token. */
    readonly ofClaim: (token: string) => TraceMark | undefined
    /**
     * The trace of an event: that of its commit if this node made it, otherwise that in the history of the resource. Undefined:
     * the event was published without one, or the history cannot be read now.
     */
    readonly recall: (merchant_id: string, event: Published) => Effect.Effect<TraceMark | undefined>
  }
>()("corridor/engine/PublishedTraces") {
  static readonly layer = Layer.effect(
    PublishedTraces,
    Effect.map(Storage, (storage) => {
      // Two generations: to find the oldest entry of a map that loses one at each step costs more than the span.
      let [older, newer] = [new Map<string, TraceMark>(), new Map<string, TraceMark>()]
      const traceOf = (id: string): TraceMark | undefined => newer.get(id) ?? older.get(id)
      return PublishedTraces.of({
        ofClaim: traceOf,
        remember: (id, trace) => {
          if (newer.size >= REMEMBERED_MIN) [older, newer] = [newer, new Map()]
          newer.set(id, trace)
        },
        recall: (merchant_id, { event_id, event_object_id, event_sequence }) => {
          const known = traceOf(event_id)
          if (known !== undefined) return Effect.succeed(known)
          return storage.history(merchant_id, event_object_id).pipe(
            Effect.map(
              ({ transitions }) => transitions.find(({ event_count }) => event_count >= event_sequence)?.origin?.trace
            ),
            Effect.orElseSucceed(() => undefined)
          )
        }
      })
    })
  )
}
