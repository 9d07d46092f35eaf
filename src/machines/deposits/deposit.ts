/**
 * A deposit: money that arrived in a wallet, as a transaction of its own (DEPOSIT-7, DEPOSIT-9).
 *
 * `entry` selects its first state from the first report of its pay-in: `detected`, `waiting`, `confirmed`, `held` or
 * `failed`. `credited` is money that the platform itself moves (a reversal, a forward); it publishes no event. A
 * deposit is credited at most once: no transition leads out of a credited state.
 *
 * A deposit in another currency than the wallet's is priced at its first report, and publishes deposit.received once
 * (AUTOCONVERT-11). When it is confirmed, it is credited to the credential it came through and ends in `received`; a
 * conversion then moves the money (EVENT-14). If it is to be withheld, or cannot be priced, it is `detected_unpriced`
 * until it is confirmed, and publishes no event.
 */
import { assign, setup } from "xstate"
import { makeSettlement } from "../kernel/exchange.ts"
import { type AccountId, available, clearing, credentialBalance, held, makePosting, world } from "../kernel/ledger.ts"
import { cancel, endedTag, lifecycle, outcomes, post, publish, refund, timer } from "../kernel/lifecycle.ts"
import type { Figures, ScheduledGateway, Terms } from "../kernel/pricing.ts"
import type { CustomerSummary, FundedCredential, WalletSummary } from "../parties/summaries.ts"

/** The timer that retries the decision on a confirmed deposit while rates are missing or the merchant is suspended. */
export const confirmTimer = "confirm"

export type HoldReason = "tier_limit" | "payin_frozen" | "payin_disabled"
type DepositSource = "deposit_address" | "credential" | "deposit_forward" | "offramp_reversal" | "exception_credit"

/**
 * What the amount buys on the terms of one moment, in minor units. If it buys nothing, all but `source_amount` are
 * zero.
 */
export type DepositPrice = Figures<string> & { readonly rate: string }

/**
 * The exchange of a cross-currency deposit: its destination and its parties. The parties are as they were when it was
 * priced.
 */
export interface DepositExchange {
  readonly destination_currency: string
  /** Null while the deposit is withheld, and before it can be priced. */
  readonly price: DepositPrice | null
  /**
   * The terms of the price, locked with it: if the confirmed amount differs from the detected one, it is priced on the
   * same terms.
   */
  readonly terms?: Terms
  /**
   * The gateway fee of its date, while it has no price (FEE-5). Null: by no schedule. Absent once it is priced, and in rows of earlier releases: that
   * of the day on which it is priced.
   */
  readonly scheduled?: ScheduledGateway | null
  readonly wallet: WalletSummary
  readonly customer: CustomerSummary
  readonly credential: FundedCredential
}

/** `amount` is in minor units. `entry` selects the first state of the deposit. */
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
  /** The first reason, which responses show. */
  readonly hold_reason: HoldReason | null
  /** All reasons. Absent when `hold_reason` is the only one. */
  readonly hold_reasons?: ReadonlyArray<HoldReason>
  /** `failed` or `refund_failed`. In rows of earlier releases, the words of `rejection_reason` may be here. */
  readonly failure_reason: string | null
  /** The words of the operator who rejected it, for people: nothing is decided by them. Absent: it was not rejected, or before this member was. */
  readonly rejection_reason?: string
  /** The exception that reports that its pay-in failed while or after it was refunded. Absent: none does. */
  readonly recalled_by?: string
  /** False: the pay-in was confirmed again since it was recalled. */
  readonly recalled?: boolean
  /**
   * The money had arrived and was refused, so the failure event does not report an arrival. Absent on deposits that
   * were made before this member was.
   */
  readonly turned_away?: true
  /** deposit.received was published before the deposit was withheld, and is not published again. */
  readonly announced?: true
  readonly reference: string | null
  /** The provider's details of the payer, and the merchant's metadata of the address. */
  readonly metadata: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly observed_at: number
  readonly confirmed_at: number | null
  /** The id of the transaction that it comes from. Null when it is its own root. */
  readonly parent_transaction_id: string | null
  /** Absent when the money is in the wallet's own currency. */
  readonly exchange?: DepositExchange
  /** An operator credited it from suspense: statements have its money as it came there. Absent on the rest. */
  readonly from_suspense?: true
}

export type DepositEvent =
  | {
      readonly type: "payin.confirmed"
      readonly at: number
      /** The reasons to withhold it. Empty: it is credited. Null: not decidable yet, and the deposit waits. */
      readonly hold: ReadonlyArray<HoldReason> | null
      readonly amount: string
      readonly transaction_hash: string | null
      readonly exchange?: DepositExchange
    }
  | { readonly type: "payin.failed"; readonly at: number }
  /** Some reasons no longer apply; `hold_reasons` are the others. */
  | { readonly type: "relieved"; readonly hold_reasons: ReadonlyArray<HoldReason> }
  | { readonly type: "released"; readonly at: number; readonly exchange?: DepositExchange }
  | { readonly type: "rejected"; readonly at: number; readonly reason: string }
  /** Its pay-in has failed while or after it is refunded, as the exception `by` reports. */
  | { readonly type: "recalled"; readonly by: string }
  /** Its pay-in was confirmed again. */
  | { readonly type: "recall.over" }
  | { readonly type: "refund.accepted"; readonly at: number }
  | { readonly type: "refund.rejected"; readonly at: number }

/** Makes the action that posts the amount of a deposit from one account to another. */
const makePost = (between: (d: DepositData) => readonly [debit: AccountId, credit: AccountId]) =>
  post((d: DepositData) => makePosting(...between(d), d.amount, d.currency))

/** The members of a deposit that record why its money is withheld. */
export const recordHoldReasons = (
  reasons: ReadonlyArray<HoldReason>
): Pick<DepositData, "hold_reason" | "hold_reasons"> => ({
  hold_reason: reasons[0] ?? null,
  ...(reasons.length > 1 ? { hold_reasons: reasons } : {})
})

const isCrossCurrency = (d: DepositData): boolean => d.exchange !== undefined

/** The account that a deposit credits: the credential's while the money is not in the wallet's currency, otherwise the wallet's. */
const chooseCreditAccount = (d: DepositData): AccountId =>
  isCrossCurrency(d) ? credentialBalance(d.source_id) : available(d.wallet_id)
/** The account in which a deposit withholds its money, chosen in the same way. */
const chooseHoldAccount = (d: DepositData): AccountId => held(isCrossCurrency(d) ? d.source_id : d.wallet_id)

const credit = makePost((d) => [world(d.provider), chooseCreditAccount(d)])
const withhold = makePost((d) => [world(d.provider), chooseHoldAccount(d)])
const release = makePost((d) => [chooseHoldAccount(d), chooseCreditAccount(d)])

/** The balance of a credential, converted by the operator in one step (AUTOCONVERT-12). */
const forward = post(({ amount, currency, exchange, source_id, wallet_id }: DepositData) =>
  exchange === undefined || exchange.price === null
    ? []
    : makeSettlement(credentialBalance(source_id), available(wallet_id), {
        ...exchange.price,
        source_amount: amount,
        source_currency: currency,
        destination_currency: exchange.destination_currency
      })
)

/** The transitions of a deposit that has published deposit.received, once it is known whether it is withheld. */
const decided = [
  { guard: "clearAcross", target: "received", actions: ["reported", "priced", credit] },
  { guard: "clear", target: "confirmed", actions: ["reported", "settled", credit] },
  { target: "held", actions: ["reported", "unpriced", "announced", withhold] }
] as const

const base = setup({
  types: { context: {} as DepositData, events: {} as DepositEvent, input: {} as DepositData },
  actions: {
    ...outcomes,
    settled: assign(({ context, event }) => ({
      confirmed_at: "at" in event ? event.at : context.observed_at
    })),
    reported: assign(({ context, event }) =>
      event.type === "payin.confirmed"
        ? {
            ...recordHoldReasons(event.hold ?? []),
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
    failed: assign({ failure_reason: "failed" }),
    rejected: assign(({ event }) => (event.type === "rejected" ? { rejection_reason: event.reason } : {})),
    unpriced: assign(({ context: { exchange } }) =>
      exchange === undefined ? {} : { exchange: { ...exchange, price: null } }
    ),
    announced: assign(({ context }) => (isCrossCurrency(context) ? { announced: true } : {})),
    turnedAway: assign({ turned_away: true }),
    recalled: assign(({ event }) => (event.type === "recalled" ? { recalled: true, recalled_by: event.by } : {})),
    recallOver: assign({ recalled: false }),
    refundFailed: assign({ failure_reason: "refund_failed" })
  },
  guards: {
    entered: ({ context }, params: { as: DepositData["entry"] }) => context.entry === params.as,
    crosses: ({ context }) => isCrossCurrency(context),
    announced: ({ context }) => context.announced === true,
    enteredAcross: ({ context }, params: { as: DepositData["entry"] }) =>
      context.entry === params.as && isCrossCurrency(context),
    undecided: ({ event }) => event.type === "payin.confirmed" && event.hold === null,
    unseen: ({ context }) =>
      context.entry === "detected" && isCrossCurrency(context) && context.exchange?.price === null,
    clear: ({ event }) => event.type === "payin.confirmed" && event.hold?.length === 0,
    clearAcross: ({ context, event }) =>
      event.type === "payin.confirmed" && event.hold?.length === 0 && isCrossCurrency(context)
  }
})

const recalls = { recalled: { actions: "recalled" }, "recall.over": { actions: "recallOver" } } as const

const machine = base.createMachine({
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
        "payin.confirmed": [
          { guard: "undecided", target: "waiting", actions: ["reported", "priced", "announced"] },
          ...decided
        ],
        "payin.failed": { target: "failed", actions: ["failed", "unpriced"] }
      }
    },
    detected_unpriced: {
      on: {
        "payin.confirmed": [
          { guard: "undecided", target: "waiting", actions: ["reported", "priced", "announced", publish("received")] },
          { guard: "clear", target: "received", actions: ["reported", "priced", credit, publish("received")] },
          { target: "held", actions: ["reported", withhold] }
        ],
        "payin.failed": { target: "failed", actions: "failed" }
      }
    },
    // Confirmed, but not decided: rates are missing, or the merchant is suspended (DEPOSIT-12, MERCHANT-4).
    waiting: {
      entry: timer({ name: confirmTimer }),
      exit: cancel(confirmTimer),
      on: {
        "payin.confirmed": decided,
        "payin.failed": { target: "failed", actions: ["failed", "unpriced"] }
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
          actions: ["rejected", "turnedAway", makePost((d) => [chooseHoldAccount(d), clearing(d.provider)]), refund]
        },
        "payin.failed": {
          target: "failed",
          actions: ["failed", makePost((d) => [chooseHoldAccount(d), world(d.provider)])]
        }
      }
    },
    refunding: {
      on: {
        ...recalls,
        "refund.accepted": { target: "failed", actions: makePost((d) => [clearing(d.provider), world(d.provider)]) },
        "refund.rejected": {
          target: "failed",
          actions: ["refundFailed", makePost((d) => [clearing(d.provider), "suspense"])]
        }
      }
    },
    received: { tags: [endedTag], on: recalls },
    confirmed: { type: "final", entry: publish("confirmed") },
    failed: { tags: [endedTag], entry: publish("failed"), on: recalls },
    credited: { type: "final" }
  }
})

export const Deposit = lifecycle<DepositData, DepositEvent>("deposit", machine)
