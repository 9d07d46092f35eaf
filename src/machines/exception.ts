/** Something the provider said that fits no resource: kept for a person, with the money, if any came (decisions 9.5). */
import { assign, setup } from "xstate"
import { type AccountId, available, type Posting, posting } from "./kernel/ledger.ts"
import { lifecycle } from "./kernel/lifecycle.ts"
import { outcomes } from "./kernel/outcome.ts"

/** Money at risk, in minor units. */
export interface Exposure {
  readonly amount: string
  readonly currency: string
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
  /** Whose `available` account `credit` puts the money in. */
  readonly wallet_id: string | null
  /** Another account it goes to, where it came from none of a wallet's. */
  readonly credit_account?: AccountId | null
  readonly action: "refund" | "credit" | "dismiss" | null
  readonly note: string | null
  readonly resolved_at: number | null
}

export type ExceptionEvent =
  | {
      readonly type: "resolve"
      readonly action: "refund" | "credit" | "dismiss"
      readonly note: string
      readonly at: number
    }
  | { readonly type: "refund.accepted"; readonly at: number }
  | { readonly type: "refund.rejected"; readonly at: number }

/** Where `credit` puts the money; null: nowhere, it is nobody's here. */
const creditTo = ({ credit_account = null, wallet_id }: ExceptionData): AccountId | null =>
  credit_account ?? (wallet_id === null ? null : available(wallet_id))

type Told = { readonly context: ExceptionData }

const move = (accounts: (e: ExceptionData) => readonly [Posting["debit"], Posting["credit"]]) =>
  ({
    type: "post",
    params: ({ context: e }: Told) =>
      e.amount === null || e.currency === null ? [] : posting(...accounts(e), e.amount, e.currency)
  }) as const

const machine = setup({
  types: { context: {} as ExceptionData, events: {} as ExceptionEvent, input: {} as ExceptionData },
  actions: {
    ...outcomes,
    resolved: assign(({ event }) =>
      event.type === "resolve" ? { action: event.action, note: event.note, resolved_at: event.at } : {}
    ),
    unresolved: assign({ action: null, note: null, resolved_at: null })
  },
  guards: {
    unbooked: ({ context }) => context.amount !== null && !context.booked,
    credit: ({ context, event }) =>
      event.type === "resolve" && event.action === "credit" && context.amount !== null && creditTo(context) !== null,
    refund: ({ context, event }) =>
      event.type === "resolve" && event.action === "refund" && context.amount !== null && context.payin_id !== null,
    unbookedDismiss: ({ context, event }) =>
      event.type === "resolve" && event.action === "dismiss" && context.amount !== null && !context.booked,
    dismiss: ({ event }) => event.type === "resolve" && event.action === "dismiss"
  }
}).createMachine({
  id: "exception",
  version: "1",
  context: ({ input }) => input,
  initial: "raised",
  states: {
    raised: {
      always: [{ guard: "unbooked", target: "open", actions: move(() => ["external", "suspense"]) }, { target: "open" }]
    },
    open: {
      on: {
        resolve: [
          {
            guard: "credit",
            target: "resolved",
            actions: ["resolved", move((e) => ["suspense", creditTo(e) ?? "suspense"])]
          },
          {
            guard: "refund",
            target: "refunding",
            actions: ["resolved", { type: "command", params: { operation: "refund", name: "refund" } }]
          },
          // What was booked on the strength of the message alone is taken back with it.
          { guard: "unbookedDismiss", target: "resolved", actions: ["resolved", move(() => ["suspense", "external"])] },
          { guard: "dismiss", target: "resolved", actions: "resolved" }
        ]
      }
    },
    refunding: {
      on: {
        "refund.accepted": { target: "resolved", actions: move(() => ["suspense", "external"]) },
        "refund.rejected": { target: "open", actions: "unresolved" }
      }
    },
    resolved: { type: "final" }
  }
})

export const Exception = lifecycle<ExceptionData, ExceptionEvent>("exception", machine)
