/**
 * How far an external account is matched. Each run of matching writes it, so that two runs of one account cannot decide from the same
 * books, and its timer begins the next one (MATCH-7).
 */
import { assign, setup } from "xstate"
import { lifecycle, outcomes, timer } from "../kernel/lifecycle.ts"

/**
 * `swept_until`: every movement that was booked before is matched, or a break. `looked_until`: all lines that came before were looked at
 * together. `looked_by`: the version of the settings by which they were. `next_at`: when the next run is due. `look_at`: by when a line is to
 * be looked at again. `rest_until`: until when what providers report is left to the next look. `freed`: when movements became free again, and
 * when the oldest of them had moved. Epoch milliseconds. `runs` counts.
 */
export interface MatchingStateData {
  readonly swept_until: number
  readonly looked_until?: number
  readonly looked_by?: number
  readonly next_at?: number
  readonly look_at?: number
  readonly rest_until?: number
  readonly freed?: { readonly at: number; readonly since: number }
  readonly runs: number
}

export type MatchingStateEvent =
  | {
      readonly type: "matched"
      readonly at: number
      readonly next_at: number
      readonly swept_until: number
      readonly looked_until?: number
      readonly looked_by?: number
      readonly freed_since?: number
    }
  /** A part of a run is written: another run that decided from the same books begins again. */
  | { readonly type: "counted"; readonly at?: number }
  /** Lines or movements are new, or will be. */
  | { readonly type: "wanted"; readonly at: number; readonly next_at: number; readonly look_at?: number }
  /** All lines were looked at since a provider has reported something. The next run of the clock stays due when it is. */
  | { readonly type: "looked"; readonly looked_until: number; readonly rest_until: number }
  /** The account is closed. */
  | { readonly type: "ended" }

/** The timer of the next run. */
export const matchTimer = "match"

/** The timer of a look at the open lines, because a provider has reported something; and the one by which a merchant's write asks for it. */
export const lookTimer = "look"
export const movedTimer = "moved"

const soon = {
  type: "timer",
  params: ({ event }: { readonly event: MatchingStateEvent }) => ({
    name: matchTimer,
    after_ms: "next_at" in event ? Math.max(0, event.next_at - event.at) : 0
  })
} as const

const machine = setup({
  types: { context: {} as MatchingStateData, events: {} as MatchingStateEvent, input: {} as MatchingStateData },
  actions: {
    ...outcomes,
    matched: assign(({ context, event }) =>
      event.type === "matched"
        ? {
            swept_until: event.swept_until,
            next_at: event.next_at,
            runs: context.runs + 1,
            ...(event.looked_until === undefined ? {} : { looked_until: event.looked_until }),
            ...(event.looked_by === undefined ? {} : { looked_by: event.looked_by }),
            ...(event.freed_since === undefined ? {} : { freed: { at: event.at, since: event.freed_since } })
          }
        : {}
    ),
    wanted: assign(({ event }) =>
      event.type === "wanted"
        ? { next_at: event.next_at, ...(event.look_at === undefined ? {} : { look_at: event.look_at }) }
        : {}
    ),
    looked: assign(({ event }) =>
      event.type === "looked" ? { looked_until: event.looked_until, rest_until: event.rest_until } : {}
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
          actions: ["matched", soon]
        },
        counted: { actions: "counted" },
        wanted: { actions: ["wanted", soon] },
        looked: { actions: "looked" },
        ended: { target: "ended" }
      }
    },
    ended: {
      on: {
        // What is to be looked for again once the account is open.
        matched: { actions: "matched" },
        counted: { actions: "counted" },
        looked: { actions: "looked" },
        wanted: { target: "active", actions: ["wanted", soon] }
      }
    }
  }
})

export const MatchingState = lifecycle<MatchingStateData, MatchingStateEvent>("matching", machine)
