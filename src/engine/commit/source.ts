/** The cause of an internal write, and its result. */
import type { ChangeSet } from "./changeset.ts"
import type { Json, Lease, Origin } from "../ports/Storage.ts"

/**
 * The cause of an internal write: an external event with its own id, a claimed job, or both. `content` is the text of
 * the event: the same key with other content is not a repeat.
 */
export interface Source {
  readonly deduplicationKey?: string
  readonly content?: string
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
export const resultOf = <A>(applied: ApplyResult<A>): A | "duplicate" | "reused" =>
  applied._tag === "applied" ? applied.result : applied._tag
