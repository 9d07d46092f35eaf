/**
 * A line: one booking of a bank, as one statement or several have it. How it is accounted for changes (LINE-1), and so does what it is once
 * another statement of its day comes (INGEST-4).
 *
 * `unmatched`: nothing accounts for it. `proposed`: `matches` are candidates, and a person decides. `matched`: `matches` account for it.
 * `explained`: an adjusting entry does. `withdrawn`: the statement with balances of its day does not have it, so that it is none. `merged`: another line
 * is its booking, and has what its statements say. A line of zero moves nothing, and is matched with nothing.
 */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"

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
    readonly reference: string | null
    readonly direction: "credit" | "debit"
    readonly amount: string
    readonly part: number
  }
  readonly place: string
}

/** A statement that has a line. `stated`: what it says otherwise than the line. */
export interface LineBooking {
  readonly statement_id: string
  readonly stated?: Partial<{ readonly [Name in keyof BookedLine]: BookedLine[Name] | null }>
}

/**
 * `statement_id`: the first statement that has it. `bookings`: all that have it, the one whose members count first; absent: that one alone.
 * `accounted_on`: the day whose close counts it, which is `booked_on` unless that day, or a later one, was sealed when the line came.
 *
 * `within`: the statements that have it in a total, which is a booking of the first line of its batch. `loose`: a statement with balances of its day
 * does not have it, or its day has none. `disowned_on`: the statement of its day, which is
 * sealed, does not have it any more: the day whose close counts that. `withdrawn`: it came so. `former_matches` and `former_status`: what a person
 * had decided of it before it was withdrawn, or before one of `former_lines` was, which had been decided together with it.
 */
export interface StatementLineData extends BookedLine {
  readonly statement_id: string
  readonly external_account_id: string
  readonly accounted_on: string
  readonly matches: ReadonlyArray<LineMatch>
  readonly bookings?: ReadonlyArray<LineBooking>
  readonly within?: ReadonlyArray<string> | undefined
  readonly loose?: boolean
  readonly disowned_on?: string | undefined
  readonly withdrawn?: boolean
  readonly former_matches?: ReadonlyArray<LineMatch> | undefined
  readonly former_status?: "matched" | "explained" | undefined
  readonly former_lines?: ReadonlyArray<string> | undefined
}

/** What statements say of a line. */
type Restated = Partial<Omit<StatementLineData, "matches" | "external_account_id">>

/** What a person has matched or explained is unmatched before it is matched otherwise; what matching has decided, it may decide anew. */
export type StatementLineEvent =
  | { readonly type: "proposed"; readonly matches: ReadonlyArray<LineMatch> }
  | {
      readonly type: "matched" | "explained"
      readonly matches: ReadonlyArray<LineMatch>
      readonly patch?: Restated
    }
  | { readonly type: "unmatched"; readonly patch?: Restated }
  | { readonly type: "restated" | "withdrawn" | "merged"; readonly patch: Restated }
  /** `matches`: what a person had decided of it is so again. */
  | { readonly type: "restored"; readonly patch: Restated; readonly matches?: ReadonlyArray<LineMatch> }

const restating = {
  restated: { actions: "patch" },
  withdrawn: { target: "withdrawn", actions: ["matches", "patch"] },
  merged: { target: "merged", actions: ["matches", "patch"] }
} as const

const machine = setup({
  types: { context: {} as StatementLineData, events: {} as StatementLineEvent, input: {} as StatementLineData },
  guards: {
    is_withdrawn: ({ context }) => context.withdrawn === true,
    was_explained: ({ context, event }) => "matches" in event && context.former_status === "explained",
    was_matched: ({ context, event }) => "matches" in event && context.former_status === "matched",
    moves_nothing: ({ context }) => context.amount === "0"
  },
  actions: {
    ...outcomes,
    // What a person decides replaces what was decided before.
    matches: assign(({ event }) => {
      const matches = ("matches" in event ? event.matches : undefined) ?? []
      return matches.some(({ rule }) => rule === "person")
        ? { matches, former_matches: undefined, former_status: undefined, former_lines: undefined }
        : { matches }
    }),
    patch: assign(({ event }) => ("patch" in event ? { ...event.patch } : {}))
  }
}).createMachine({
  id: "statement_line",
  version: "1",
  context: ({ input }) => input,
  initial: "booked",
  states: {
    booked: {
      always: [
        { guard: "is_withdrawn", target: "withdrawn" },
        { guard: "moves_nothing", target: "matched" },
        { target: "unmatched" }
      ]
    },
    unmatched: {
      on: {
        ...restating,
        proposed: { target: "proposed", actions: "matches" },
        matched: { target: "matched", actions: ["matches", "patch"] },
        explained: { target: "explained", actions: ["matches", "patch"] }
      }
    },
    proposed: {
      on: {
        ...restating,
        proposed: { actions: "matches" },
        matched: { target: "matched", actions: ["matches", "patch"] },
        explained: { target: "explained", actions: ["matches", "patch"] },
        unmatched: { target: "unmatched", actions: ["matches", "patch"] }
      }
    },
    matched: {
      on: {
        ...restating,
        matched: { actions: "matches" },
        proposed: { target: "proposed", actions: "matches" },
        unmatched: { target: "unmatched", actions: ["matches", "patch"] }
      }
    },
    explained: { on: { ...restating, unmatched: { target: "unmatched", actions: ["matches", "patch"] } } },
    withdrawn: {
      on: {
        restated: restating.restated,
        merged: restating.merged,
        restored: [
          { guard: "was_explained", target: "explained", actions: ["matches", "patch"] },
          { guard: "was_matched", target: "matched", actions: ["matches", "patch"] },
          { target: "booked", actions: "patch" }
        ]
      }
    },
    merged: {}
  }
})

export const StatementLineLifecycle = lifecycle<StatementLineData, StatementLineEvent>("statement_line", machine)
