/**
 * An exception: a provider event that fits no resource, kept for an operator together with its money, if any arrived
 * (EXCEPTION-1, EXCEPTION-2).
 */
import { assign, setup } from "xstate"
import { type AccountId, ofOneWorld, posting, world } from "../kernel/ledger.ts"
import { lifecycle } from "../kernel/lifecycle.ts"
import { outcomes, post, refundNameOf, timer } from "../kernel/outcome.ts"

/** Why exceptions are recorded. */
export const exceptionReasons = [
  "already_funded",
  "ambiguous_target",
  "another_amount",
  "another_currency",
  "another_provider",
  "another_target",
  "contradicts_state",
  "event_id_reused",
  "implausible_amount",
  "late_funding",
  "not_applicable",
  "over_refund",
  "over_return",
  "over_settlement",
  "partial_refund",
  "partial_return",
  "recalled",
  "refund_bounced",
  "refund_failed",
  "refused_screening",
  "short_settlement",
  "target_taken",
  "unknown_resource",
  "unknown_target",
  "unreadable_amount",
  "unreadable_event",
  "wrong_currency"
] as const
export type ExceptionReason = (typeof exceptionReasons)[number]

/** Money at risk, in minor units. */
export interface Exposure {
  readonly amount: string
  readonly currency: string
}

export type Resolution = "refund" | "credit" | "apply" | "dismiss"

/** The deposit that a credit creates, and its owner. */
export interface Credited {
  readonly merchant_id: string
  readonly wallet_id: string
  readonly transaction_id: string
}

/** `amount` is in minor units and is in `suspense` until the exception is resolved. Null: no money arrived. */
export interface ExceptionData {
  readonly resource_id: string | null
  readonly resource_kind: string | null
  readonly reason: string
  readonly provider: string
  readonly provider_event: unknown
  /** The record that the provider's event contradicts. Null when it contradicts none. */
  readonly recorded?: unknown
  /** What could not be taken. Absent where the reason says it all. */
  readonly detail?: string
  /** `high` when money is at risk; `exposure` is then its amount. Absent means `low`. */
  readonly severity?: "low" | "high"
  readonly exposure?: Exposure | null
  readonly amount: string | null
  readonly currency: string | null
  /**
   * True when the step that raised the exception has already posted the money to suspense. Otherwise it is posted on
   * entry.
   */
  readonly booked: boolean
  readonly payin_id: string | null
  /** The wallet that `credit` uses when the operator names none. */
  readonly wallet_id: string | null
  /** The credential account to credit instead, when the money did not come from a wallet's account. */
  readonly credit_account?: AccountId | null
  /** The provider withheld it as its fee. */
  readonly withheld?: true
  /** Its pay-in has failed since then. Another exception reports that. */
  readonly recalled?: true
  /** How often the operator decided to refund it. Each decision has a command of its own. Absent: at most once. */
  readonly refunds?: number
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
      /** The deposit belongs to another merchant, so a second commit creates it. */
      readonly elsewhere?: boolean
    }
  /** Its pay-in has failed. An operator's decision that is being made about the money must be made again. */
  | { readonly type: "recalled" }
  /** The movement that was settled short was returned: its customer has the whole amount back. */
  | { readonly type: "reclaimed"; readonly at: number }
  /** The deposit of another merchant was created. */
  | { readonly type: "credited"; readonly at: number }
  | { readonly type: "refund.accepted"; readonly at: number }
  | { readonly type: "refund.rejected"; readonly at: number }

/** The timer that credits another merchant. */
export const creditTimer = "credit"

const move = (between: (outside: AccountId) => readonly [debit: AccountId, credit: AccountId]) =>
  post((e: ExceptionData) =>
    e.amount === null || e.currency === null ? [] : posting(...between(world(e.provider)), e.amount, e.currency)
  )

/** Takes the money out of suspense. The deposit it creates, or the movement it is applied to, posts where it goes. */
const letGo = move((outside) => ["suspense", outside])

/** The platform has paid the customer, so the money is its own, unless the provider has it. */
const reclaim = post((e: ExceptionData) =>
  e.amount === null || e.currency === null
    ? []
    : posting("suspense", e.withheld === true ? world(e.provider) : "losses", e.amount, e.currency)
)

/** The name of the command of the latest decision to refund. */
export const refundNameIn = ({ refunds = 1 }: Pick<ExceptionData, "refunds">): string => refundNameOf(refunds)

type Context = { readonly context: ExceptionData }

const refund = {
  type: "command",
  params: ({ context }: Context) => ({ operation: "refund", name: refundNameIn(context) }) as const
} as const

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
    refundDecided: assign(({ context }) => ({ refunds: (context.refunds ?? 0) + 1 })),
    recalled: assign({ recalled: true }),
    reclaimed: assign(({ event }) =>
      event.type === "reclaimed"
        ? {
            action: "dismiss" as const,
            note: "The movement was returned. Its customer has the whole amount back.",
            resolved_at: event.at
          }
        : {}
    ),
    unresolved: assign({ action: null, note: null, resolved_at: null })
  },
  guards: {
    reclaimable: ({ context }) => context.reason === "short_settlement",
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
  version: "3",
  context: ({ input }) => input,
  initial: "raised",
  states: {
    raised: {
      always: [
        { guard: "unbooked", target: "open", actions: move((outside) => [outside, "suspense"]) },
        { target: "open" }
      ]
    },
    open: {
      on: {
        recalled: { actions: "recalled" },
        reclaimed: { guard: "reclaimable", target: "resolved", actions: ["reclaimed", reclaim] },
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
            actions: ["resolved", "refundDecided", refund]
          },
          // A dismissal means that no money arrived, or that it was returned outside this service.
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

/** Version 1 sent every refund under the same command id. */
const version1 = machine.provide({ actions: { refundDecided: assign({}) } })

export const Exception = lifecycle<ExceptionData, ExceptionEvent>("exception", machine, {
  "1": { machine: version1, posted: ofOneWorld },
  "2": { machine }
})
