/**
 * A call that is decided and not committed (DRYRUN-1). What such a call reaches sees it here: the write path asks the store for a
 * verdict instead of a commit, and a provider is asked for nothing that has an effect.
 */
import { Context } from "effect"
import type { Change } from "./Storage.ts"

/** What a provider was not asked. `operation`: as the timeline names it. */
export interface NotAsked {
  readonly provider: string
  readonly operation: string
}

/** What one dry run has found so far. */
export interface DryRunRecord {
  /** The Changes that would have been committed. */
  readonly changes: Array<Change>
  readonly not_asked: Array<NotAsked>
}

/** The dry run that a fiber serves. `undefined`: what it does counts. */
export const DryRun = Context.Reference<DryRunRecord | undefined>("corridor/engine/DryRun", {
  defaultValue: () => undefined
})
