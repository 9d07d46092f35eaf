/** A fee schedule: the gateway fee of an operation from a date on, `active` until an operator ends it (FEE-1). */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"
import type { QuoteOperation } from "./quote.ts"

/** A fixed fee in whole units of the source currency, and hundredths of a percent of the source amount: decimal strings. */
interface FeeRate {
  readonly fixed: string
  readonly bps: string
}

/** `above`: whole units of the source currency, a decimal string. The tier applies from that volume on. */
export interface FeeTier extends FeeRate {
  readonly above: string
}

/**
 * Amounts are decimal strings in whole units of the source currency of the movement. A null merchant or currency is any. `tiers` ascend.
 * Times are epoch milliseconds. Nothing but the end ever changes.
 */
export interface FeeScheduleData extends FeeRate {
  readonly merchant_id: string | null
  readonly operation: QuoteOperation
  readonly source_currency: string | null
  readonly destination_currency: string | null
  readonly min: string | null
  readonly max: string | null
  readonly tiers: ReadonlyArray<FeeTier>
  readonly valid_from: number
  readonly note: string | null
  readonly ended_at: number | null
}

export interface FeeScheduleEvent {
  readonly type: "end"
  readonly at: number
}

const machine = setup({
  types: { context: {} as FeeScheduleData, events: {} as FeeScheduleEvent, input: {} as FeeScheduleData },
  actions: { ...outcomes, ended: assign(({ event }) => ({ ended_at: event.at })) }
}).createMachine({
  id: "fee_schedule",
  version: "1",
  context: ({ input }) => input,
  initial: "active",
  states: {
    active: { on: { end: { target: "ended", actions: "ended" } } },
    ended: { type: "final" }
  }
})

export const FeeSchedule = lifecycle<FeeScheduleData, FeeScheduleEvent>("fee_schedule", machine)
