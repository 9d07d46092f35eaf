/**
 * How far an external account is matched. Each run of matching writes it, so that two runs of one account cannot decide from the same
 * books, and its timer begins the next one (MATCH-7).
 */
import { assign, setup } from "xstate"
import { lifecycle } from "../kernel/lifecycle.ts"
import { outcomes, timer } from "../kernel/outcome.ts"

/** `swept_until`: every movement that was booked before is matched, or a break. Epoch milliseconds. `runs` counts. */
export interface MatchingStateData {
  readonly swept_until: number
  readonly runs: number
}

export type MatchingStateEvent =
  | { readonly type: "matched"; readonly swept_until: number; readonly after_ms: number }
  /** A part of a run is written: another run that decided from the same books begins again. */
  | { readonly type: "counted" }
  /** Lines or movements are new. */
  | { readonly type: "wanted" }
  /** The account is closed. */
  | { readonly type: "ended" }

/** The timer of the next run. */
export const matchTimer = "match"

const machine = setup({
  types: { context: {} as MatchingStateData, events: {} as MatchingStateEvent, input: {} as MatchingStateData },
  actions: {
    ...outcomes,
    matched: assign(({ context, event }) =>
      event.type === "matched" ? { swept_until: event.swept_until, runs: context.runs + 1 } : {}
    ),
    counted: assign(({ context }) => ({ runs: context.runs + 1 }))
  }
}).createMachine({
  id: "matching",
  version: "1",
  context: ({ input }) => input,
  initial: "begun",
  states: {
    begun: { always: { target: "active", actions: timer({ name: matchTimer, after_ms: 0 }) } },
    active: {
      on: {
        matched: {
          actions: [
            "matched",
            {
              type: "timer",
              params: ({ event }: { readonly event: MatchingStateEvent }) => ({
                name: matchTimer,
                after_ms: event.type === "matched" ? event.after_ms : 0
              })
            }
          ]
        },
        counted: { actions: "counted" },
        wanted: { actions: timer({ name: matchTimer, after_ms: 0 }) },
        ended: { target: "ended" }
      }
    },
    ended: {
      on: {
        // What is to be looked for again once the account is open.
        matched: { actions: "matched" },
        counted: { actions: "counted" },
        wanted: { target: "active", actions: timer({ name: matchTimer, after_ms: 0 }) }
      }
    }
  }
})

export const MatchingState = lifecycle<MatchingStateData, MatchingStateEvent>("matching", machine)
