/**
 * A deposit: money that arrived in a wallet, filed as its own transaction (DEPOSIT-7, DEPOSIT-9).
 *
 * It is entered where its pay-in stands when first heard of: `detected`, `confirmed`, `held` or `failed`; `credited` is
 * money of the platform's own doing (a reversal, a forward), which publishes nothing. A deposit is credited at most once:
 * only `detected` and `held` lead to `confirmed`.
 *
 * In another currency than the wallet's it is priced when it is first heard of, and deposit.received says so, once
 * (AUTOCONVERT-11). Confirmed, it is credited to the credential it came through and stays at `received`: from there a
 * conversion carries it (EVENT-14). One that would be withheld, or cannot be priced, is `detected_unpriced` until it is
 * confirmed, which nobody is told.
 */
import { assign, setup } from "xstate"
import { settlement } from "../kernel/exchange.ts"
import { type AccountId, available, clearing, credentialBalance, held, posting } from "../kernel/ledger.ts"
import { lifecycle } from "../kernel/lifecycle.ts"
import { cancel, outcomes, post, publish, refund, timer } from "../kernel/outcome.ts"
import type { Figures, Terms } from "../kernel/pricing.ts"
import type { CustomerSummary, FundedCredential, WalletSummary } from "../parties/summaries.ts"

/** The timer by which a deposit that was confirmed goes on, once what it waits for is to be had. */
export const confirmTimer = "confirm"

export type HoldReason = "tier_limit" | "payin_frozen" | "payin_disabled"
export type DepositSource =
  | "deposit_address"
  | "credential"
  | "deposit_forward"
  | "offramp_reversal"
  | "exception_credit"

/** What the amount buys on the terms of one moment, minor units; all but `source_amount` zero where it buys nothing. */
export type DepositPrice = Figures<string> & { readonly rate: string }

/** What makes a deposit cross-currency: what it becomes, and for whom. The parties are as they were when it was priced. */
export interface DepositExchange {
  readonly destination_currency: string
  /** Null while it is withheld, and before it could be priced. */
  readonly price: DepositPrice | null
  /** What the price follows from, locked with it: another amount than was detected is priced on the same terms. */
  readonly terms?: Terms
  readonly wallet: WalletSummary
  readonly customer: CustomerSummary
  readonly credential: FundedCredential
}

/** `amount` is in minor units. `entry` is the state the deposit is entered in. */
export interface DepositData {
  readonly entry: "detected" | "waiting" | "confirmed" | "held" | "failed" | "credited"
  readonly source_type: DepositSource
  readonly source_id: string
  readonly payin_id: string | null
  readonly provider: string
  readonly customer_id: string
  readonly wallet_id: string
  readonly amount: string
  readonly currency: string
  readonly transaction_hash: string | null
  /** The reason that is shown: the first. */
  readonly hold_reason: HoldReason | null
  /** All reasons. Absent where `hold_reason` is the only one. */
  readonly hold_reasons?: ReadonlyArray<HoldReason>
  readonly failure_reason: string | null
  /** The money had come, and was turned away: that it came is no news then. Absent on deposits of before it was kept. */
  readonly turned_away?: true
  /** deposit.received was told before it was withheld: it is not told again. */
  readonly announced?: true
  readonly reference: string | null
  /** What the provider reported of the payer, and the merchant's metadata of the address. */
  readonly metadata: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly observed_at: number
  readonly confirmed_at: number | null
  /** The id of the transaction it comes from; null when it is its own root. */
  readonly parent_transaction_id: string | null
  /** Absent where the money is in the wallet's own currency. */
  readonly exchange?: DepositExchange
}

export type DepositEvent =
  | {
      readonly type: "payin.confirmed"
      readonly at: number
      /** Why it is withheld; none: it is credited; null: nobody can say yet, and it waits. */
      readonly hold: ReadonlyArray<HoldReason> | null
      readonly amount: string
      readonly transaction_hash: string | null
      readonly exchange?: DepositExchange
    }
  | { readonly type: "payin.failed"; readonly at: number }
  /** Reasons were lifted, and these are left. */
  | { readonly type: "relieved"; readonly hold_reasons: ReadonlyArray<HoldReason> }
  | { readonly type: "released"; readonly at: number; readonly exchange?: DepositExchange }
  | { readonly type: "rejected"; readonly at: number; readonly reason: string }
  | { readonly type: "refund.accepted"; readonly at: number }
  | { readonly type: "refund.rejected"; readonly at: number }

const move = (between: (d: DepositData) => readonly [debit: AccountId, credit: AccountId]) =>
  post((d: DepositData) => posting(...between(d), d.amount, d.currency))

/** What a deposit keeps of why it is withheld. */
export const withheldFor = (reasons: ReadonlyArray<HoldReason>): Pick<DepositData, "hold_reason" | "hold_reasons"> => ({
  hold_reason: reasons[0] ?? null,
  ...(reasons.length > 1 ? { hold_reasons: reasons } : {})
})

const crosses = (d: DepositData): boolean => d.exchange !== undefined

/** Where the money is credited, and where it is withheld: with the credential while it is not in the wallet's currency. */
const creditAccount = (d: DepositData): AccountId =>
  crosses(d) ? credentialBalance(d.source_id) : available(d.wallet_id)
const heldAccount = (d: DepositData): AccountId => held(crosses(d) ? d.source_id : d.wallet_id)

const credit = move((d) => ["world", creditAccount(d)])
const withhold = move((d) => ["world", heldAccount(d)])
const release = move((d) => [heldAccount(d), creditAccount(d)])

/** What stood on a credential, converted by hand in one step (AUTOCONVERT-12). */
const forward = post(({ amount, currency, exchange, source_id, wallet_id }: DepositData) =>
  exchange === undefined || exchange.price === null
    ? []
    : settlement(credentialBalance(source_id), available(wallet_id), {
        ...exchange.price,
        source_amount: amount,
        source_currency: currency,
        destination_currency: exchange.destination_currency
      })
)

/** What becomes of one that was told to have been received, once it is known whether it is withheld. */
const decided = [
  { guard: "clearAcross", target: "received", actions: ["reported", "priced", credit] },
  { guard: "clear", target: "confirmed", actions: ["reported", "settled", credit] },
  { target: "held", actions: ["reported", "unpriced", "announced", withhold] }
] as const

const machine = setup({
  types: { context: {} as DepositData, events: {} as DepositEvent, input: {} as DepositData },
  actions: {
    ...outcomes,
    settled: assign(({ context, event }) => ({
      confirmed_at: "at" in event ? event.at : context.observed_at
    })),
    reported: assign(({ context, event }) =>
      event.type === "payin.confirmed"
        ? {
            ...withheldFor(event.hold ?? []),
            amount: event.amount,
            transaction_hash: event.transaction_hash ?? context.transaction_hash
          }
        : {}
    ),
    priced: assign(({ event }) =>
      (event.type === "payin.confirmed" || event.type === "released") && event.exchange !== undefined
        ? { exchange: event.exchange }
        : {}
    ),
    relieved: assign(({ event }) =>
      event.type === "relieved" ? { hold_reason: event.hold_reasons[0] ?? null, hold_reasons: event.hold_reasons } : {}
    ),
    explained: assign(({ event }) => ({ failure_reason: event.type === "rejected" ? event.reason : "failed" })),
    unpriced: assign(({ context: { exchange } }) =>
      exchange === undefined ? {} : { exchange: { ...exchange, price: null } }
    ),
    announced: assign(({ context }) => (crosses(context) ? { announced: true } : {})),
    turnedAway: assign({ turned_away: true }),
    refundFailed: assign({ failure_reason: "refund_failed" })
  },
  guards: {
    entered: ({ context }, params: { as: DepositData["entry"] }) => context.entry === params.as,
    crosses: ({ context }) => crosses(context),
    announced: ({ context }) => context.announced === true,
    enteredAcross: ({ context }, params: { as: DepositData["entry"] }) =>
      context.entry === params.as && crosses(context),
    undecided: ({ event }) => event.type === "payin.confirmed" && event.hold === null,
    unseen: ({ context }) => context.entry === "detected" && crosses(context) && context.exchange?.price === null,
    clear: ({ event }) => event.type === "payin.confirmed" && event.hold?.length === 0,
    clearAcross: ({ context, event }) =>
      event.type === "payin.confirmed" && event.hold?.length === 0 && crosses(context)
  }
}).createMachine({
  id: "deposit",
  version: "1",
  context: ({ input }) => input,
  initial: "arriving",
  states: {
    arriving: {
      always: [
        { guard: "unseen", target: "detected_unpriced" },
        {
          guard: { type: "enteredAcross", params: { as: "confirmed" } },
          target: "received",
          actions: [credit, publish("received")]
        },
        {
          guard: { type: "enteredAcross", params: { as: "credited" } },
          target: "credited",
          actions: forward
        },
        { guard: { type: "entered", params: { as: "detected" } }, target: "detected" },
        {
          guard: { type: "entered", params: { as: "waiting" } },
          target: "waiting",
          actions: ["announced", publish("received")]
        },
        { guard: { type: "entered", params: { as: "confirmed" } }, target: "confirmed", actions: credit },
        { guard: { type: "entered", params: { as: "held" } }, target: "held", actions: withhold },
        { guard: { type: "entered", params: { as: "failed" } }, target: "failed" },
        { guard: { type: "entered", params: { as: "credited" } }, target: "credited" }
      ]
    },
    detected: {
      entry: publish("received"),
      on: {
        "payin.confirmed": [{ guard: "undecided", target: "waiting", actions: ["reported", "announced"] }, ...decided],
        "payin.failed": { target: "failed", actions: ["explained", "unpriced"] }
      }
    },
    detected_unpriced: {
      on: {
        "payin.confirmed": [
          { guard: "undecided", target: "waiting", actions: ["reported", "announced", publish("received")] },
          { guard: "clear", target: "received", actions: ["reported", "priced", credit, publish("received")] },
          { target: "held", actions: ["reported", withhold] }
        ],
        "payin.failed": { target: "failed", actions: "explained" }
      }
    },
    // Confirmed; but without rates, or while its merchant is suspended, nothing is decided (DEPOSIT-12, MERCHANT-4).
    waiting: {
      entry: timer({ name: confirmTimer }),
      exit: cancel(confirmTimer),
      on: {
        "payin.confirmed": decided,
        "payin.failed": { target: "failed", actions: ["explained", "unpriced"] }
      }
    },
    held: {
      entry: publish("held"),
      on: {
        released: [
          { guard: "announced", target: "received", actions: ["priced", release] },
          { guard: "crosses", target: "received", actions: ["priced", release, publish("received")] },
          { target: "confirmed", actions: ["settled", release] }
        ],
        relieved: { actions: "relieved" },
        rejected: {
          target: "refunding",
          actions: ["explained", "turnedAway", move((d) => [heldAccount(d), clearing(d.provider)]), refund]
        },
        "payin.failed": { target: "failed", actions: ["explained", move((d) => [heldAccount(d), "world"])] }
      }
    },
    refunding: {
      on: {
        "refund.accepted": { target: "failed", actions: move((d) => [clearing(d.provider), "world"]) },
        "refund.rejected": {
          target: "failed",
          actions: ["refundFailed", move((d) => [clearing(d.provider), "suspense"])]
        }
      }
    },
    received: { type: "final" },
    confirmed: { type: "final", entry: publish("confirmed") },
    failed: { type: "final", entry: publish("failed") },
    credited: { type: "final" }
  }
})

export const Deposit = lifecycle<DepositData, DepositEvent>("deposit", machine)
