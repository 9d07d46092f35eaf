/**
 * Something the provider said that fits no resource: kept for a person, with the money, if any came (EXCEPTION-1,
 * EXCEPTION-2).
 */
import { assign, setup } from "xstate"
import { type AccountId, posting } from "../kernel/ledger.ts"
import { lifecycle } from "../kernel/lifecycle.ts"
import { outcomes, post, refund, timer } from "../kernel/outcome.ts"

/** Money at risk, in minor units. */
export interface Exposure {
  readonly amount: string
  readonly currency: string
}

export type Resolution = "refund" | "credit" | "apply" | "dismiss"

/** The deposit that a credit makes, and whose it is. */
export interface Credited {
  readonly merchant_id: string
  readonly wallet_id: string
  readonly transaction_id: string
}

/** `amount` (minor units, null: no money came) stands in `suspense` until it is resolved. */
export interface ExceptionData {
  readonly resource_id: string | null
  readonly resource_kind: string | null
  readonly reason: string
  readonly provider: string
  readonly provider_event: unknown
  /** What is on record that the provider's event contradicts; null where it contradicts nothing. */
  readonly recorded?: unknown
  /** `high` where money is at risk, and then `exposure` says how much. Absent is `low`. */
  readonly severity?: "low" | "high"
  readonly exposure?: Exposure | null
  readonly amount: string | null
  readonly currency: string | null
  /** The money is in suspense already, put there by the step that raised this; otherwise it is booked on entry. */
  readonly booked: boolean
  readonly payin_id: string | null
  /** The wallet that `credit` puts the money in where the operator names none. */
  readonly wallet_id: string | null
  /** The balance of a credential it goes to instead, where it came from none of a wallet's. */
  readonly credit_account?: AccountId | null
  /** Its pay-in has failed since: another exception tells of it. */
  readonly recalled?: true
  readonly action: Resolution | null
  readonly note: string | null
  /** Absent until the money is credited. */
  readonly credited?: Credited
  readonly resolved_at: number | null
}

export type ExceptionEvent =
  | {
      readonly type: "resolve"
      readonly action: Resolution
      readonly note: string
      readonly at: number
      readonly credited?: Credited
      /** The deposit is another merchant's, so that another commit makes it. */
      readonly elsewhere?: boolean
    }
  /** Its pay-in has failed after all: whoever decides on its money meanwhile decides again. */
  | { readonly type: "recalled" }
  /** The deposit of another merchant's has been made. */
  | { readonly type: "credited"; readonly at: number }
  | { readonly type: "refund.accepted"; readonly at: number }
  | { readonly type: "refund.rejected"; readonly at: number }

/** The timer by which another merchant is credited. */
export const creditTimer = "credit"

const move = (debit: AccountId, credit: AccountId) =>
  post((e: ExceptionData) =>
    e.amount === null || e.currency === null ? [] : posting(debit, credit, e.amount, e.currency)
  )

/** What becomes of the money is booked where it goes: by the deposit that it makes, or by what it is applied to. */
const letGo = move("suspense", "world")

const machine = setup({
  types: { context: {} as ExceptionData, events: {} as ExceptionEvent, input: {} as ExceptionData },
  actions: {
    ...outcomes,
    resolved: assign(({ event }) =>
      event.type === "resolve"
        ? {
            action: event.action,
            note: event.note,
            resolved_at: event.at,
            ...(event.credited === undefined ? {} : { credited: event.credited })
          }
        : {}
    ),
    recalled: assign({ recalled: true }),
    unresolved: assign({ action: null, note: null, resolved_at: null })
  },
  guards: {
    unbooked: ({ context }) => context.amount !== null && !context.booked,
    creditElsewhere: ({ event }) =>
      event.type === "resolve" && event.action === "credit" && event.elsewhere === true && event.credited !== undefined,
    credit: ({ context, event }) =>
      event.type === "resolve" &&
      event.action === "credit" &&
      event.elsewhere !== true &&
      event.credited !== undefined &&
      context.amount !== null,
    refund: ({ context, event }) =>
      event.type === "resolve" && event.action === "refund" && context.amount !== null && context.payin_id !== null,
    applyOrDismiss: ({ event }) => event.type === "resolve" && (event.action === "apply" || event.action === "dismiss")
  }
}).createMachine({
  id: "exception",
  version: "1",
  context: ({ input }) => input,
  initial: "raised",
  states: {
    raised: {
      always: [{ guard: "unbooked", target: "open", actions: move("world", "suspense") }, { target: "open" }]
    },
    open: {
      on: {
        recalled: { actions: "recalled" },
        resolve: [
          {
            guard: "creditElsewhere",
            target: "crediting",
            actions: ["resolved", timer({ name: creditTimer, after_ms: 0 })]
          },
          { guard: "credit", target: "resolved", actions: ["resolved", letGo] },
          {
            guard: "refund",
            target: "refunding",
            actions: ["resolved", refund]
          },
          // A dismissal says that nothing came, or that it was given back outside of this service.
          { guard: "applyOrDismiss", target: "resolved", actions: ["resolved", letGo] }
        ]
      }
    },
    crediting: { on: { credited: { target: "resolved", actions: letGo } } },
    refunding: {
      on: {
        "refund.accepted": { target: "resolved", actions: letGo },
        "refund.rejected": { target: "open", actions: "unresolved" },
        recalled: { actions: "recalled" }
      }
    },
    resolved: { type: "final" }
  }
})

export const Exception = lifecycle<ExceptionData, ExceptionEvent>("exception", machine)
