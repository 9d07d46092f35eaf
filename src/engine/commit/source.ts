/** What makes an internal write, and what became of it. */
import type { ChangeSet } from "./changeset.ts"
import type { Json, Lease } from "../ports/Storage.ts"

/**
 * What made an internal write: an outside event with an id of its own, a claimed job, or both. `content` is what `deduplicationKey`
 * names, as text: other content under the same key is told from a repeat.
 */
export interface Source {
  readonly deduplicationKey?: string
  readonly content?: string
  /** How long `deduplicationKey` is remembered, milliseconds; for ever when left out. */
  readonly deduplication_ms?: number
  readonly lease?: Lease
  /** A command's job, and its log with what was answered now: a job that the step writes in its place keeps it. */
  readonly answered?: { readonly job: string; readonly log: ReadonlyArray<Json> }
}

/** Gives a job that a step has written the log of the one that it replaces. */
export const withJobLog = (changes: ChangeSet, { answered }: Source): ChangeSet =>
  answered === undefined || changes.jobs === undefined
    ? changes
    : { ...changes, jobs: changes.jobs.map((job) => (job.id === answered.job ? { ...job, log: answered.log } : job)) }

/**
 * `applied`: written now. `duplicate`: it was written before, or its job belongs to another worker. `reused`: nothing is
 * written, because its key was used for other content.
 */
export type ApplyResult<A> =
  | { readonly _tag: "applied"; readonly result: A }
  | { readonly _tag: "duplicate" | "reused" }

/** How an event was handled. `ignored`: the resource's state does not accept it. */
export type EventResult = "applied" | "ignored" | "duplicate"

/** How one handler took an event; `reused`: its id was used for another event. */
export type HandlerResult = EventResult | "reused"

/** What was decided, or why nothing was written. */
export const resultOf = <A>(applied: ApplyResult<A>): A | "duplicate" | "reused" =>
  applied._tag === "applied" ? applied.result : applied._tag
