/** An adjusting entry: one posting that an operator made, `posted` until another entry reverses it (ADJUST-1). */
import { assign, setup } from "xstate"
import { type AccountId, makePosting } from "../kernel/ledger.ts"
import { endedTag, lifecycle, outcomes, post } from "../kernel/lifecycle.ts"
import type { Counted } from "../kernel/payout.ts"

/** `amount`: minor units as decimal integer text. Nothing but `reversed_by` ever changes. */
export interface AdjustingEntryData {
  /** The account that is debited. */
  readonly from: AccountId
  /** The account that is credited. */
  readonly to: AccountId
  readonly amount: string
  readonly currency: string
  readonly note: string
  /** The exception that ends with it. A reversal has that of the entry that it reverses. */
  readonly exception_id: string | null
  /** The break that ends with it, and the line that it explains. */
  readonly break_id: string | null
  readonly line_id: string | null
  readonly reverses: string | null
  readonly reversed_by: string | null
  /** What it counts of limits, given back when it is reversed. Absent: no limit covers it. */
  readonly counted?: ReadonlyArray<Counted>
}

export interface AdjustingEntryEvent {
  readonly type: "reversed"
  /** The entry that reverses it. */
  readonly by: string
}

const machine = setup({
  types: { context: {} as AdjustingEntryData, events: {} as AdjustingEntryEvent, input: {} as AdjustingEntryData },
  actions: { ...outcomes, reversed: assign(({ event }) => ({ reversed_by: event.by })) },
  guards: { original: ({ context }) => context.reverses === null }
}).createMachine({
  id: "adjusting_entry",
  version: "1",
  context: ({ input }) => input,
  initial: "made",
  states: {
    made: {
      always: {
        target: "posted",
        actions: post(({ amount, currency, from, to }: AdjustingEntryData) => makePosting(from, to, amount, currency))
      }
    },
    posted: { tags: [endedTag], on: { reversed: { guard: "original", target: "reversed", actions: "reversed" } } },
    reversed: { type: "final" }
  }
})

export const AdjustingEntry = lifecycle<AdjustingEntryData, AdjustingEntryEvent>("adjusting_entry", machine)
