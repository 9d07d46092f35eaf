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

/** What a call would use of one maximum of a limit, itself included: an amount or a number, as text. */
export interface UsedOfLimit {
  readonly limit_id: string
  readonly action: string
  readonly max: string
  readonly used: string
  readonly resets_at: string | null
}

/** What one dry run has found so far. */
export interface DryRunRecord {
  /** The Changes that would have been committed. */
  readonly changes: Array<Change>
  readonly not_asked: Array<NotAsked>
  /** What the limits that cover the call would have used: of the decision that was made last. */
  limits: ReadonlyArray<UsedOfLimit>
}

/** The dry run that a fiber serves. `undefined`: what it does counts. */
export const DryRun = Context.Reference<DryRunRecord | undefined>("corridor/engine/DryRun", {
  defaultValue: () => undefined
})
