/**
 * A line of a bank statement: one booking. What the bank says of it never changes; how it is accounted for does (LINE-1).
 *
 * `unmatched`: nothing accounts for it. `proposed`: `matches` are candidates, and a person decides. `matched`: `matches` account for it.
 * `explained`: an adjusting entry does. A line of zero moves nothing, and is matched with nothing.
 */
import { assign, setup } from "xstate"
import { lifecycle } from "../kernel/lifecycle.ts"
import { outcomes } from "../kernel/outcome.ts"

/**
 * `amount`: minor units of the line's currency as decimal integer text. `rule` says what decided it. `version`: the step of the resource
 * that moved the money; absent for a candidate.
 */
export interface LineMatch {
  readonly resource_id: string
  readonly version?: number
  readonly amount: string
  readonly rule: string
}

/** The booking as the bank says it, with its amount in minor units: see `BankStatementLine` of `corridor/statements`. */
export interface BookedLine {
  readonly booked_on: string
  readonly value_on: string | null
  /** `credit` is to the account's owner. */
  readonly direction: "credit" | "debit"
  readonly amount: string
  readonly currency: string
  readonly bank_reference: string | null
  readonly end_to_end_id: string | null
  readonly uetr: string | null
  readonly transaction_hash: string | null
  readonly counterparty: { readonly name: string | null; readonly account: string | null }
  readonly remittance: string | null
  readonly code: string | null
  readonly reversal: boolean
  readonly entry?: {
    readonly reference: string
    readonly direction: "credit" | "debit"
    readonly amount: string
    readonly part: number
  }
  readonly place: string
}

/**
 * `statement_id`: the first statement that has it; later ones may have it too. `accounted_on`: the day whose close counts it, which is
 * `booked_on` unless that day, or a later one, was sealed when the line came.
 */
export interface StatementLineData extends BookedLine {
  readonly statement_id: string
  readonly external_account_id: string
  readonly accounted_on: string
  readonly matches: ReadonlyArray<LineMatch>
}

/** What is matched or explained is unmatched before it is matched otherwise; a proposal may be replaced. */
export type StatementLineEvent =
  | { readonly type: "matched" | "proposed" | "explained"; readonly matches: ReadonlyArray<LineMatch> }
  | { readonly type: "unmatched" }

const machine = setup({
  types: { context: {} as StatementLineData, events: {} as StatementLineEvent, input: {} as StatementLineData },
  guards: { moves_nothing: ({ context }) => context.amount === "0" },
  actions: {
    ...outcomes,
    matches: assign(({ event }) => ({ matches: event.type === "unmatched" ? [] : event.matches }))
  }
}).createMachine({
  id: "statement_line",
  version: "1",
  context: ({ input }) => input,
  initial: "booked",
  states: {
    booked: { always: [{ guard: "moves_nothing", target: "matched" }, { target: "unmatched" }] },
    unmatched: {
      on: {
        proposed: { target: "proposed", actions: "matches" },
        matched: { target: "matched", actions: "matches" },
        explained: { target: "explained", actions: "matches" }
      }
    },
    proposed: {
      on: {
        proposed: { actions: "matches" },
        matched: { target: "matched", actions: "matches" },
        explained: { target: "explained", actions: "matches" },
        unmatched: { target: "unmatched", actions: "matches" }
      }
    },
    matched: { on: { unmatched: { target: "unmatched", actions: "matches" } } },
    explained: { on: { unmatched: { target: "unmatched", actions: "matches" } } }
  }
})

export const StatementLineLifecycle = lifecycle<StatementLineData, StatementLineEvent>("statement_line", machine)
