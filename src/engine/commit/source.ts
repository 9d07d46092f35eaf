/** The cause of an internal write, its result, and the origin of a Change: what its history shows people of its cause. */
import type { Change, Json, Lease, Origin } from "../ports/Storage.ts"
import type { Call } from "./call.ts"
import type { ChangeSet } from "./changeset.ts"

/**
 * The cause of an internal write: an external event with its own id, a claimed job, or both. `content` is the text of
 * the event: the same key with other content is not a repeat. `isSame`: whether a stored content says the same. Absent: it has the same text.
 */
export interface Source {
  readonly deduplicationKey?: string
  readonly content?: string
  readonly isSame?: (stored: string) => boolean
  /** How long `deduplicationKey` is stored, milliseconds. Absent: for ever. */
  readonly deduplication_ms?: number
  readonly lease?: Lease
  /** Shown in the history. */
  readonly origin?: Pick<Origin, "calls" | "provider">
  /**
   * A command's job, and its log including the new result. A job that the step writes in its place keeps this log. `begun_by`: the
   * claim under which a submission begins, by which its worker knows the job again.
   */
  readonly answered?: { readonly job: string; readonly log: ReadonlyArray<Json>; readonly begun_by?: string }
}

/** Copies the log of a replaced job to the job that a step has written in its place. */
export const withJobLog = (changes: ChangeSet, { answered }: Source): ChangeSet => {
  if (answered === undefined || changes.jobs === undefined) return changes
  const { begun_by, log } = answered
  const mark = begun_by === undefined ? {} : { begun_by }
  return {
    ...changes,
    jobs: changes.jobs.map((job) => (job.id === answered.job ? { ...job, log, body: { ...job.body, ...mark } } : job))
  }
}

/**
 * `applied`: written now. `duplicate`: written before, or the job's lease belongs to another worker. `reused`: nothing
 * was written, because the key was used for other content.
 */
export type ApplyResult<A> =
  | { readonly _tag: "applied"; readonly result: A }
  | { readonly _tag: "duplicate" | "reused" }

/** How an event was handled. `ignored`: the resource's state does not accept it. */
export type EventResult = "applied" | "ignored" | "duplicate"

/** The result of one handler. `reused`: the event's id was used for another event. */
export type HandlerResult = EventResult | "reused"

/** The result of the decision, or why nothing was written. */
export const unwrapResult = <A>(applied: ApplyResult<A>): A | "duplicate" | "reused" =>
  applied._tag === "applied" ? applied.result : applied._tag

/** The call that a person or a program made, and what it has asked of others. */
export const makeOrigin = (
  { key_id, operation, operator, request_id: id }: Call,
  asked: Origin["calls"] = []
): Origin => ({
  request: {
    id,
    key_id,
    operation,
    ...(operator === null ? {} : { operator: { id: operator.id, name: operator.name } })
  },
  ...(asked.length === 0 ? {} : { calls: [...asked] })
})

/** Adds to a Change what is known of its cause, and the timers that it sets and cancels. Only rows have a history. */
export const withOrigin = <C extends Change>(change: C, known: Origin = {}): C => {
  if (change.rows.length === 0) return change
  const timers = change.jobs.filter(({ due_at, queue }) => queue === "timer" && due_at !== null)
  const origin: Origin = {
    ...known,
    ...(timers.length === 0 ? {} : { timers: Object.fromEntries(timers.map(({ due_at, id }) => [id, due_at!])) }),
    ...(change.cancels.length === 0 ? {} : { cancels: change.cancels })
  }
  return Object.keys(origin).length === 0 ? change : { ...change, origin }
}
