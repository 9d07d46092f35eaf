/**
 * A call that is decided and not committed (DRYRUN-1). What such a call reaches sees it here: the write path asks the store for a
 * verdict instead of a commit, and a provider is asked for nothing that has an effect.
 */
import { Context } from "effect"
import type { ActSum, ControlledAction } from "../../machines/controls/approval-rule.ts"
import type { Change } from "./Storage.ts"

/** What a provider was not asked. `operation`: as the timeline names it. */
export interface NotAsked {
  readonly provider: string
  readonly operation: string
}

/** What a call would use of one maximum of a limit, itself included: an amount or a number, as text. */
export interface UsedOfLimit {
  readonly limit_id: string
  readonly scope: string
  readonly action: string
  readonly max: string
  readonly used: string
  readonly resets_at: string | null
}

/** What one dry run has found so far. */
export interface DryRunRecord {
  /** The Changes that would have been committed, and, of an act that waits, what it would write when it is approved. */
  readonly changes: Array<Change>
  /** The Changes that would have been committed: what the call decides from next. */
  readonly written: Array<Change>
  /** The dry run of which it is a part, and whose writes it sees. */
  readonly within?: DryRunRecord
  readonly not_asked: Array<NotAsked>
  /** What the limits that cover the call would have used: of the decision that was made last. */
  limits: ReadonlyArray<UsedOfLimit>
  /** What the decision that was made last is an act of, and comes to. Absent: it is none. */
  act?: { readonly words: ReadonlyArray<ControlledAction>; readonly sums: ReadonlyArray<ActSum> }
  /** Of an act that is tried before it may wait: only what the act itself writes is asked for. */
  readonly isTrial?: boolean
  /** What acts that the call begins would wait for: the rows of a batch. */
  awaits?: { readonly operation: ControlledAction; readonly needed: number }
}

/** The record of the dry run that the current fiber works for. `undefined`: it works for a call that may commit. */
export const DryRun = Context.Reference<DryRunRecord | undefined>("corridor/engine/DryRun", {
  defaultValue: () => undefined
})

/** What stands in place of an account to pay to while a call is only decided: in a dry run, and in the answer of an act that waits. */
const notAsked = "not asked in a dry run"
const notYetAsked = "given once the act is approved"

/** The text that stands for each detail of an account which no provider was asked to resolve or to issue. */
export const standInText = ({ isTrial }: DryRunRecord): string => (isTrial === true ? notYetAsked : notAsked)

/** Whether a text of an account is such a stand-in. */
export const isStandIn = (text: string): boolean => text === notAsked || text === notYetAsked
