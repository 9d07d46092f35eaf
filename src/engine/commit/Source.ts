/** What makes an internal write, and what became of it. */
import type { ChangeSet } from "./changeset.ts"
import type { Json, Lease } from "../ports/Storage.ts"

/**
 * What made an internal write: an outside event with an id of its own, a claimed job, or both. `content` is what `once`
 * names, as text: other content under the same key is told from a repeat.
 */
export interface Source {
  readonly once?: string
  readonly content?: string
  /** How long `once` is remembered, milliseconds; for ever when left out. */
  readonly once_ms?: number
  readonly lease?: Lease
  /** A command's job, and its log with what was answered now: a job that the step writes in its place keeps it. */
  readonly answered?: { readonly job: string; readonly log: ReadonlyArray<Json> }
}

/** Gives a job that a step has written the log of the one in whose place it stands. */
export const keptLog = (changes: ChangeSet, { answered }: Source): ChangeSet =>
  answered === undefined || changes.jobs === undefined
    ? changes
    : { ...changes, jobs: changes.jobs.map((job) => (job.id === answered.job ? { ...job, log: answered.log } : job)) }

/**
 * `applied`: written now. `repeated`: it had been before, or its job was somebody else's. `reused`: nothing is written, for
 * its key was used for other content.
 */
export type Applied<A> = { readonly _tag: "applied"; readonly result: A } | { readonly _tag: "repeated" | "reused" }

/** What was decided, or why nothing was written. */
export const resultOf = <A>(applied: Applied<A>): A | "repeated" | "reused" =>
  applied._tag === "applied" ? applied.result : applied._tag
