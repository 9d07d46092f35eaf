/**
 * A deposit: money that arrived in a wallet, filed as its own transaction (interface, Deposits; decisions 10).
 *
 * It is entered where its pay-in stands when first heard of: `detected`, `confirmed`, `held` or `failed`; `credited` is
 * money of the house's own doing (a reversal, a forward), which publishes nothing. A deposit is credited at most once:
 * only `detected` and `held` lead to `confirmed`.
 */
import { assign, setup } from "xstate"
import { available, clearing, held, posting, type Posting } from "./kernel/ledger.ts"
import { lifecycle } from "./kernel/lifecycle.ts"
import { outcomes } from "./kernel/outcome.ts"

export type HoldReason = "tier_limit" | "payin_frozen" | "payin_disabled"
export type DepositSource = "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal"

/** `amount` is in minor units. `entry` is the state the deposit is entered in. */
export interface DepositData {
  readonly entry: "detected" | "confirmed" | "held" | "failed" | "credited"
  readonly source_type: DepositSource
  readonly source_id: string
  readonly payin_id: string | null
  readonly provider: string
  readonly customer_id: string
  readonly wallet_id: string
  readonly amount: string
  readonly currency: string
  readonly transaction_hash: string | null
  readonly hold_reason: HoldReason | null
  readonly failure_reason: string | null
  readonly reference: string | null
  /** What the provider reported of the payer, and the merchant's metadata of the address. */
  readonly metadata: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly observed_at: number
  readonly confirmed_at: number | null
  /** The id of the transaction it comes from; null when it is its own root. */
  readonly parent_transaction_id: string | null
}

export type DepositEvent =
  | { readonly type: "payin.confirmed"; readonly at: number; readonly hold: HoldReason | null; readonly amount: string; readonly transaction_hash: string | null }
  | { readonly type: "payin.failed"; readonly at: number }
  | { readonly type: "released"; readonly at: number }
  | { readonly type: "rejected"; readonly at: number; readonly reason: string }
  | { readonly type: "refund.accepted"; readonly at: number }
  | { readonly type: "refund.rejected"; readonly at: number }

type Told = { readonly context: DepositData }

const move = (postings: (d: DepositData) => readonly [Posting["debit"], Posting["credit"]]) =>
  ({
    type: "post",
    params: ({ context }: Told) => posting(...postings(context), context.amount, context.currency)
  }) as const

const publish = (type: string) => ({ type: "publish", params: { type } }) as const

const credit = move((d) => ["external", available(d.wallet_id)])
const withhold = move((d) => ["external", held(d.wallet_id)])

const machine = setup({
  types: { context: {} as DepositData, events: {} as DepositEvent, input: {} as DepositData },
  actions: {
    ...outcomes,
    settled: assign(({ context, event }) => ({ confirmed_at: event.at ?? context.observed_at })),
    heard: assign(({ context, event }) =>
      event.type === "payin.confirmed"
        ? { hold_reason: event.hold, amount: event.amount, transaction_hash: event.transaction_hash ?? context.transaction_hash }
        : {}
    ),
    explained: assign(({ event }) => ({ failure_reason: event.type === "rejected" ? event.reason : "failed" })),
    stranded: assign({ failure_reason: "refund_failed" })
  },
  guards: {
    entered: ({ context }, params: { as: DepositData["entry"] }) => context.entry === params.as,
    clear: ({ event }) => event.type === "payin.confirmed" && event.hold === null
  }
}).createMachine({
  id: "deposit",
  version: "1",
  context: ({ input }) => input,
  initial: "arriving",
  states: {
    arriving: {
      always: [
        { guard: { type: "entered", params: { as: "detected" } }, target: "detected" },
        { guard: { type: "entered", params: { as: "confirmed" } }, target: "confirmed", actions: credit },
        { guard: { type: "entered", params: { as: "held" } }, target: "held", actions: withhold },
        { guard: { type: "entered", params: { as: "failed" } }, target: "failed" },
        { guard: { type: "entered", params: { as: "credited" } }, target: "credited" }
      ]
    },
    detected: {
      entry: publish("received"),
      on: {
        "payin.confirmed": [
          { guard: "clear", target: "confirmed", actions: ["heard", "settled", credit] },
          { target: "held", actions: ["heard", withhold] }
        ],
        "payin.failed": { target: "failed", actions: "explained" }
      }
    },
    held: {
      entry: publish("held"),
      on: {
        released: { target: "confirmed", actions: ["settled", move((d) => [held(d.wallet_id), available(d.wallet_id)])] },
        rejected: {
          target: "refunding",
          actions: [
            "explained",
            move((d) => [held(d.wallet_id), clearing(d.provider)]),
            { type: "command", params: { operation: "refund", name: "refund" } }
          ]
        },
        "payin.failed": { target: "failed", actions: ["explained", move((d) => [held(d.wallet_id), "external"])] }
      }
    },
    refunding: {
      on: {
        "refund.accepted": { target: "failed", actions: move((d) => [clearing(d.provider), "external"]) },
        "refund.rejected": { target: "failed", actions: ["stranded", move((d) => [clearing(d.provider), "suspense"])] }
      }
    },
    confirmed: { type: "final", entry: publish("confirmed") },
    failed: { type: "final", entry: publish("failed") },
    credited: { type: "final" }
  }
})

export const Deposit = lifecycle<DepositData, DepositEvent>("deposit", machine)
