/**
 * The store, with what people see of its commits: a span for each, the trace in what it writes, and a log line for each change
 * of state. Without a tracer and the log, it is the store itself.
 */
import { Context, Effect, type Fiber, Layer, type Tracer } from "effect"
import { type Change, type CommitResult, type RowWrite, Storage, type TraceMark } from "../ports/Storage.ts"
import type { StorageFault } from "../ports/errors.ts"
import { isLogged, isTraced, makeTraceMark, setAttributes, runBesideSpan, addTraceMark } from "../ports/tracing.ts"
import { ActivityLog, ignoreLogErrors } from "../settings/settings.ts"
import { Kinds } from "./kind.ts"

/** This node remembers at least as many traces, and at most twice as many. */
const REMEMBERED_MIN = 4096

/** The position of a stored event in the history of its resource. */
export interface Published {
  readonly event_id: string
  readonly event_object_id: string
  readonly event_sequence: number
}

/** The traces in which events were published, for their deliveries, and of commits that have claimed their jobs. */
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

type Commit = Storage["Service"]["commit"]

/** Describes the cause of a Change for a log line. */
const describeCause = ({ idempotency, lease, origin }: Change) => {
  if (origin?.request !== undefined) return { cause: "request", request_id: origin.request.id }
  if (lease !== undefined) return { cause: "job", job_id: lease.job }
  return { cause: "event", event_key: idempotency?.key }
}

/** The only value, or the list of several. */
const unwrapSingle = (values: ReadonlyArray<string>): string | ReadonlyArray<string> | undefined =>
  values.length > 1 ? values : values[0]

/** Makes a commit with a span and log lines from a store's. */
const makeCommit = (
  commit: Commit,
  { byName, ofId }: Kinds["Service"],
  published: PublishedTraces["Service"],
  logsChanges: boolean
): Commit => {
  const isMovement = ({ id }: { readonly id: string }): boolean => ofId(id)?.transaction !== undefined
  /** Whether a row has entered another state that the API shows. */
  const isChange = ({ from, kind, state }: RowWrite): boolean =>
    from !== state && byName.get(kind)?.events !== undefined

  const attributesOf = ({ events, jobs, lease, merchant_id, origin, postings, rows }: Change) => ({
    "corridor.merchant_id": merchant_id,
    "corridor.resource_id": rows[0]?.id,
    "corridor.movement_id": unwrapSingle(rows.filter(isMovement).map(({ id }) => id)),
    "corridor.request_id": origin?.request?.id,
    "corridor.job_id": lease?.job,
    "corridor.commit.rows": rows.length,
    "corridor.commit.postings": postings.length,
    "corridor.commit.events": events.length,
    "corridor.commit.jobs": jobs.length
  })

  const logged = (change: Change, verdict: CommitResult): Effect.Effect<void> => {
    if (verdict._tag !== "Committed") return Effect.void
    const cause = describeCause(change)
    return Effect.forEach(
      change.rows.filter(isChange),
      (row) =>
        Effect.annotateLogs(Effect.logInfo("state change"), {
          id: row.id,
          kind: row.kind,
          from: row.from,
          to: row.state,
          event: row.via,
          merchant_id: row.merchant_id,
          ...(isMovement(row) ? { movement_id: row.id } : {}),
          ...cause
        }),
      { discard: true }
    )
  }

  const inTrace = (fiber: Fiber.Fiber<unknown, unknown>, change: Change, span: Tracer.Span) => {
    const trace = makeTraceMark(fiber, span, change.at)
    return Effect.tap(
      commit({
        ...change,
        ...(change.rows.length === 0 ? {} : { origin: { ...change.origin, trace } }),
        jobs: addTraceMark(change.jobs, trace)
      }),
      (verdict) =>
        Effect.sync(() => {
          setAttributes(span, { "corridor.commit.verdict": verdict._tag })
          if (verdict._tag !== "Committed") return
          for (const { id } of change.events) published.remember(id, trace)
          for (const { lease } of change.jobs) if (lease !== undefined) published.remember(lease.token, trace)
        })
    )
  }

  return (change) =>
    Effect.withFiber<CommitResult, StorageFault>((fiber) => {
      const committed = isTraced(fiber)
        ? // Nothing below a commit has a span, and each change of a fiber's services costs.
          runBesideSpan(
            () => ({ name: "corridor.commit", kind: "internal", attributes: {} }),
            (span) => {
              if (span === undefined) return commit(change)
              if (span.sampled) setAttributes(span, attributesOf(change))
              return inTrace(fiber, change, span)
            }
          )
        : commit(change)
      return logsChanges && change.rows.length > 0 && isLogged(fiber, "Info")
        ? Effect.tap(committed, (verdict) => ignoreLogErrors(logged(change, verdict)))
        : committed
    })
}

/** Replaces the store by the observed one. */
export const observedStorage: Layer.Layer<Storage, never, Storage | Kinds | PublishedTraces> = Layer.effect(
  Storage,
  Effect.gen(function* () {
    const storage = yield* Storage
    const commit = makeCommit(
      (change) => storage.commit(change),
      yield* Kinds,
      yield* PublishedTraces,
      yield* ActivityLog
    )
    return { ...storage, commit }
  })
)
