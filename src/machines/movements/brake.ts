/** A pause: the operator stops submissions of some movements, and releases them later (BRAKE-1, BRAKE-2). */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"

export const brakeScopes = ["all", "provider", "corridor", "merchant"] as const
type BrakeScope = (typeof brakeScopes)[number]

/**
 * What it stops. The members that `scope` does not use are null. A corridor is a pair of currencies; null stands for any
 * currency.
 */
export interface BrakeTarget {
  readonly scope: BrakeScope
  readonly provider: string | null
  readonly source_currency: string | null
  readonly destination_currency: string | null
  readonly merchant_id: string | null
}

/** Times are epoch milliseconds. */
export interface BrakeData extends BrakeTarget {
  readonly note: string | null
  readonly release_note: string | null
  readonly released_at: number | null
}

export interface BrakeEvent {
  readonly type: "release"
  readonly at: number
  readonly note: string | null
}

const machine = setup({
  types: { context: {} as BrakeData, events: {} as BrakeEvent, input: {} as BrakeData },
  actions: {
    ...outcomes,
    released: assign(({ event }) => ({ released_at: event.at, release_note: event.note }))
  }
}).createMachine({
  id: "brake",
  version: "1",
  context: ({ input }) => input,
  initial: "active",
  states: {
    active: { on: { release: { target: "released", actions: "released" } } },
    released: { type: "final" }
  }
})

export const Brake = lifecycle<BrakeData, BrakeEvent>("brake", machine)
