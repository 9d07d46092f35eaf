/** A rule that says which acts wait for the approval of other people, `active` until it is `ended` (APPROVAL-1). */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"

/** The acts that controls name. `payout`: a transfer or an offramp. */
export const controlledWords = [
  "transfer",
  "offramp",
  "onramp",
  "conversion",
  "payout",
  "batch",
  "adjusting_entry",
  "exception_credit",
  "deposit_release",
  "break_resolution",
  "limit",
  "approval_rule",
  "fee_schedule",
  "operator",
  "api_key",
  "merchant",
  "brake_release"
] as const
export type ControlledAction = (typeof controlledWords)[number]

/** The words of acts that move and promise no money: they have no amount, unless they post an entry, or adopt a line. */
export const unpricedWords: ReadonlySet<ControlledAction> = new Set([
  "break_resolution",
  "limit",
  "approval_rule",
  "fee_schedule",
  "operator",
  "api_key",
  "merchant",
  "brake_release"
])

/** An amount in minor units, decimal integer text. */
export type Money = readonly [minor: string, currency: string]

/** One thing that an act moves or promises. */
export interface ActSum {
  /** What it takes, fees included. */
  readonly taken: Money
  /** What is received in another currency. Absent: what is taken. */
  readonly received?: Money
  /** For limits: `taken` at the rate of the act, in the currency of `received`, rounded up. Absent: `received`. */
  readonly worth?: Money
  /** The word under which the payout counts later: a limit over that word does not count it now. */
  readonly apart?: ControlledAction
}

export interface ApprovalRuleData {
  readonly operations: ReadonlyArray<ControlledAction>
  /** `amount`: minor units, decimal integer text. Null: every act of these words waits. */
  readonly above: { readonly amount: string; readonly currency: string } | null
  /** How many people have to approve: 1 to 3. */
  readonly approvals: number
  /** Who may approve: these roles and those above them. Empty: those who may do the act. */
  readonly roles: ReadonlyArray<string>
  /** An ISO 8601 duration. */
  readonly expires_after: string
}

/** `end` may change other members, too. */
export interface ApprovalRuleEvent {
  readonly type: "update" | "end"
  readonly patch: Partial<ApprovalRuleData>
}

const machine = setup({
  types: { context: {} as ApprovalRuleData, events: {} as ApprovalRuleEvent, input: {} as ApprovalRuleData },
  actions: { ...outcomes, patched: assign(({ context, event }) => ({ ...context, ...event.patch })) }
}).createMachine({
  id: "approval_rule",
  version: "1",
  context: ({ input }) => input,
  initial: "active",
  states: {
    active: { on: { update: { actions: "patched" }, end: { target: "ended", actions: "patched" } } },
    ended: { type: "final" }
  }
})

export const ApprovalRule = lifecycle<ApprovalRuleData, ApprovalRuleEvent>("approval_rule", machine)
