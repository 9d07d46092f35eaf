/**
 * An onramp: a payer sends fiat to a bank account, and a crypto wallet is credited at a locked rate (ONRAMP-5 to
 * ONRAMP-8).
 *
 * Any amount that arrives is priced on the terms of the quote. An amount that buys nothing, or more than may be paid
 * out, is refunded to its payer. `/v1` shows `processing` for `queued`, `submitting` and `refunding`, and
 * `temporary_failure` for `unknown` and `waiting`.
 */
import { assign, setup } from "xstate"
import { isRecalled } from "../kernel/recall.ts"
import { fundsReceived, recordReceipt, makeSettlement } from "../kernel/exchange.ts"
import { available, clearing, type Posting, makePosting, world } from "../kernel/ledger.ts"
import { cancel, endedTag, lifecycle, outcomes, post, publish, refund, refundName } from "../kernel/lifecycle.ts"
import {
  because,
  commandName,
  compareReturn,
  type Due,
  guards,
  handOver,
  toNextProvider,
  notes,
  type Payout,
  type PayoutEvent,
  makeAnswerTransitions,
  providerReason,
  toFailureReason,
  resubmitted,
  countShortage,
  makeReturnActions,
  submitNow
} from "../kernel/payout.ts"
import { type Figures, readFigures, priceActual, toStoredFigures, type Terms } from "../kernel/pricing.ts"
import type { CustomerSummary, MovementOriginator, WalletSummary } from "../parties/summaries.ts"

/**
 * The bank account that the payer pays to. The payer puts `depositReference` into the narration; it identifies the
 * payment.
 */
interface DepositInstruction {
  readonly accountName: string
  readonly accountNumber: string
  readonly bankName: string
  readonly bankCode: string
  readonly depositReference: string
}

/** Amounts are in minor units of their currency. */
export interface OnrampData extends Payout {
  readonly reference: string
  readonly quote_id: string
  readonly customer: CustomerSummary
  readonly originator: MovementOriginator
  readonly wallet: WalletSummary
  /**
   * The provider that receives the money from the payer, and returns it. Absent: `provider`, which converts it. The money is
   * in the clearing account of the provider that has it: of `provider` once the conversion is submitted.
   */
  readonly payin_provider?: string
  readonly source_currency: string
  readonly destination_currency: string
  readonly terms: Terms
  readonly quoted: Figures<string>
  /** Epoch milliseconds. An onramp that is not funded by then fails. */
  readonly rate_locked_until: number
  readonly deposit_instruction: DepositInstruction
  /** The pay-in that funded it, and the amount that arrived. */
  readonly payin_id: string | null
  readonly funded_amount: string | null
  /** It had failed at its deadline when the operator applied a payment that was made in time. */
  readonly revived?: true
  /** The exception that reports that its pay-in failed after it was confirmed, but where that ended it. Absent: none does. */
  readonly recalled_by?: string
  /** False: the pay-in was confirmed again since it was recalled. */
  readonly recalled?: boolean
  /** It ended because its pay-in had failed: before it was submitted, or before it was submitted again. */
  readonly withdrawn?: true
  /** What that amount buys. Null until it is funded, and when it is refunded. */
  readonly actual: Figures<string> | null
  /** Set at success. */
  readonly received_amount: string | null
  readonly settled_at: number | null
  readonly metadata: Readonly<Record<string, string>>
}

export type OnrampEvent =
  | PayoutEvent
  | { readonly type: "timer.quote_expiry"; readonly at: number }
  | { readonly type: "payin.confirmed"; readonly at: number; readonly payin_id: string; readonly amount: string }
  | { readonly type: "payin.failed"; readonly at: number }
  /** Operator: a payment that was made in time but reported too late. */
  | {
      readonly type: "payin.applied"
      readonly at: number
      readonly payin_id: string
      readonly amount: string
      readonly observed_at: number
    }
  /** Its pay-in has failed since it was submitted, or while or after it is refunded, as the exception `by` reports. */
  | { readonly type: "recalled"; readonly by: string }
  /** Its pay-in was confirmed again. */
  | { readonly type: "recall.over" }
  | { readonly type: "refund.accepted"; readonly at: number }
  | { readonly type: "refund.rejected"; readonly at: number }

/** Prices the arrived amount on the terms of the quote. Null: it leaves nothing to pay out. */
const priceArrival = ({ terms, quoted }: OnrampData, amount: string): Figures<string> | null => {
  const settled = priceActual(terms, readFigures(quoted), BigInt(amount))
  return settled._tag === "priced" ? toStoredFigures(settled) : null
}

/** Makes the posting of the payer's money from one account to another. */
const postFunds = (debit: Posting["debit"], credit: Posting["credit"], o: OnrampData) =>
  makePosting(debit, credit, o.funded_amount ?? "0", o.source_currency)

/** The platform takes the fiat and credits the wallet from its own funds. */
const settled = post((o: OnrampData) =>
  o.actual === null
    ? []
    : makeSettlement(
        clearing(o.provider),
        available(o.wallet.id),
        { ...o.actual, source_currency: o.source_currency, destination_currency: o.destination_currency },
        countShortage(o)
      )
)

/** The amount that the provider was instructed to deliver. */
const toDue = (o: OnrampData): Due => ({
  amount: o.actual?.destination_amount ?? "0",
  currency: o.destination_currency
})
/** The amount that the provider was given to exchange. */
const toSourceDue = ({ actual, source_currency }: OnrampData): Due => ({
  amount: actual === null ? "0" : (BigInt(actual.source_amount) - BigInt(actual.gateway_fee)).toString(),
  currency: source_currency
})

type Having = Pick<OnrampData, "payin_provider" | "provider">

const findPayinProvider = ({ payin_provider, provider }: Having): string => payin_provider ?? provider

/** Whether the provider that converts has received the money from the payer as well, so that what it gives back goes to the payer. */
export const isPaidDirectly = (o: Having): boolean => findPayinProvider(o) === o.provider

/** As {@link postFunds}; no posting if both accounts are one. */
const postBetween = (debit: Posting["debit"], credit: Posting["credit"], o: OnrampData) =>
  debit === credit ? [] : postFunds(debit, credit, o)

const arrived = post((o: OnrampData) => postFunds(world(findPayinProvider(o)), clearing(findPayinProvider(o)), o))
/** Moves the payer's money to the provider that converts, when the conversion is first submitted. */
const handIn = post((o: OnrampData) => postBetween(clearing(findPayinProvider(o)), clearing(o.provider), o))
const handBack = post((o: OnrampData) => postBetween(clearing(o.provider), clearing(findPayinProvider(o)), o))
const wentBack = post((o: OnrampData) => postFunds(clearing(findPayinProvider(o)), world(findPayinProvider(o)), o))
/** Back to the payer, as far as the provider says. The rest of the payer's money is in suspense (OUTCOME-5). */
const wentBackInPart = post((o: OnrampData) => {
  const missing = o.discrepancy?.reason === "partial_return" ? BigInt(o.discrepancy.amount) : 0n
  return [
    ...makePosting(
      clearing(findPayinProvider(o)),
      world(findPayinProvider(o)),
      BigInt(o.funded_amount ?? "0") - missing,
      o.source_currency
    ),
    ...makePosting(clearing(findPayinProvider(o)), "suspense", missing, o.source_currency)
  ]
})
const suspend = post((o: OnrampData) => postFunds(clearing(findPayinProvider(o)), "suspense", o))

/** What the converter has not given back of what it was given: the payer gets the whole amount all the same (OUTCOME-4). */
const { lost } = makeReturnActions(toSourceDue)

const recognised = ["funded", arrived, ...fundsReceived] as const

const refundFailed = { target: "failing", actions: [because("refund_failed"), suspend] } as const

/** What is not submitted again, because its pay-in was recalled: its money stays (ONRAMP-9). */
const withheld = { guard: "recalled", target: "withdrawn", actions: ["withdrawn", handBack, suspend] } as const

/** The provider that has both received and converted the money has given it back to the payer. */
const sentBack = { target: "returned", actions: [because("returned"), "cameBack", wentBackInPart] } as const

const { endings, answers } = makeAnswerTransitions({
  handOver: handOver((o: OnrampData) => ({
    provider: o.provider,
    amount: o.funded_amount ?? "0",
    currency: o.source_currency
  })),
  succeeded: { target: "success", actions: ["hashed", "received", settled] },
  failed: (reason) => ({ target: "going_back", actions: [reason, handBack] }) as const,
  returned: [
    { guard: "paidDirectly", ...sentBack },
    // It has given it back to us, so that the provider that received it refunds it (ROUTE-8).
    { target: "going_back", actions: [because("returned"), "cameBack", handBack, lost] }
  ],
  refundFailed: { target: "failing", actions: [because("refund_failed"), handBack, suspend] },
  withdrawn: [withheld]
})

/** Before the first submission, the provider that received the money has it: one that only converts has nothing to give back. */
const { refusals } = makeAnswerTransitions({
  handOver: {},
  succeeded: {},
  failed: (reason) => ({ target: "refunding", actions: reason }) as const,
  returned: { guard: "paidDirectly", ...sentBack },
  refundFailed: { guard: "paidDirectly", ...refundFailed }
})

const done = [cancel(commandName), cancel(refundName)] as const

const base = setup({
  types: { context: {} as OnrampData, events: {} as OnrampEvent, input: {} as OnrampData },
  actions: {
    ...outcomes,
    ...notes,
    moved: assign((args) => ({ ...toNextProvider(args), payin_provider: findPayinProvider(args.context) })),
    // If the provider may not serve the payer or the customer, the money is refunded and nothing else happens
    // (ONRAMP-7).
    explained: assign(({ context, event }) => {
      const reason = providerReason({ context, event })
      return { failure_reason: reason?.startsWith("compliance") === true ? "returned" : toFailureReason(reason) }
    }),
    funded: assign(({ context, event }) =>
      event.type === "payin.confirmed" || event.type === "payin.applied"
        ? { payin_id: event.payin_id, funded_amount: event.amount, actual: priceArrival(context, event.amount) }
        : {}
    ),
    recalled: assign(({ event }) => (event.type === "recalled" ? { recalled: true, recalled_by: event.by } : {})),
    recallOver: assign({ recalled: false }),
    withdrawn: assign({ withdrawn: true as const }),
    revived: assign({ failure_reason: null, revived: true }),
    cameBack: assign(({ context, event }) => {
      const back = event.type === "provider.returned" || event.type === "provider.reversed" ? event : {}
      const found = compareReturn(toSourceDue(context), back)
      if (found?.reason === "partial_return")
        return isPaidDirectly(context)
          ? { discrepancy: { ...found, suspended: true as const } }
          : { discrepancy: found, lost: found.amount }
      // The provider may report what it was given, or what the payer paid: more than that is too much.
      const above = found === null ? 0n : BigInt(found.reported) - BigInt(context.funded_amount ?? "0")
      return { discrepancy: found === null || above <= 0n ? null : { ...found, amount: above.toString() } }
    }),
    received: recordReceipt((o: OnrampData) => o.actual, toDue)
  },
  guards: {
    ...guards,
    payable: ({ context, event }) =>
      event.type === "payin.confirmed" &&
      event.at < context.rate_locked_until &&
      priceArrival(context, event.amount) !== null,
    paidDirectly: ({ context }) => isPaidDirectly(context),
    revived: ({ context }) => context.revived === true,
    recalled: ({ context }) => isRecalled(context),
    /** It failed at its deadline without funds, and the payment was made before the deadline. */
    madeInTime: ({ context, event }) =>
      event.type === "payin.applied" &&
      context.failure_reason === "quote_expired" &&
      event.observed_at < context.rate_locked_until &&
      priceArrival(context, event.amount) !== null,
    rateHolds: ({ context, event }) => "at" in event && event.at < context.rate_locked_until,
    goesBack: ({ context }) => context.failure_reason === "returned"
  }
})

const endedByPayout = { "provider.refund_failed": { guard: "paidDirectly", ...refundFailed } } as const

const over = { "recall.over": { actions: "recallOver" } } as const
const recalled = { recalled: { actions: "recalled" }, ...over } as const

/** `refundEnds`: what else than its own outcome ends a refund. */
const machineOf = (version: string, refundEnds: typeof endedByPayout | {}) =>
  base.createMachine({
    id: "onramp",
    version,
    context: ({ input }) => input,
    initial: "awaiting_deposit",
    states: {
      awaiting_deposit: {
        entry: [
          publish("awaiting_deposit"),
          { type: "timer", params: ({ context }) => ({ name: "quote_expiry", at: context.rate_locked_until }) }
        ],
        exit: cancel("quote_expiry"),
        on: {
          "payin.confirmed": [
            { guard: "payable", target: "queued", actions: [...recognised, submitNow] },
            { guard: "rateHolds", target: "refunding", actions: [because("returned"), ...recognised] }
          ],
          "timer.quote_expiry": { target: "failed", actions: because("quote_expired") }
        }
      },
      queued: {
        on: {
          ...refusals,
          "payin.failed": { target: "withdrawn", actions: ["withdrawn", wentBack] },
          "payout.begun": { ...resubmitted, actions: [handIn, ...resubmitted.actions] }
        }
      },
      submitting: { on: { ...answers, ...recalled } },
      unknown: { on: { ...answers, ...recalled } },
      // From here on, the converting provider has the money.
      rerouted: {
        on: {
          ...over,
          "payin.failed": { target: "withdrawn", actions: ["withdrawn", handBack, wentBack] },
          "payout.begun": [withheld, resubmitted]
        }
      },
      waiting: {
        on: {
          ...endings,
          ...over,
          "payin.failed": { target: "withdrawn", actions: ["withdrawn", handBack, wentBack] },
          "payout.begun": [withheld, resubmitted]
        }
      },
      // What its payer has taken back is not sent back as well: it stays in suspense (ONRAMP-9).
      going_back: {
        always: [
          { guard: "recalled", target: "failing", actions: [because("refund_failed"), suspend] },
          { target: "refunding" }
        ]
      },
      // The pay-in failed, and no payout is under way: nothing is paid (ONRAMP-9).
      withdrawn: {
        always: [
          { guard: "revived", target: "returned", actions: because("returned") },
          { target: "failing", actions: because("failed") }
        ]
      },
      refunding: {
        entry: [cancel(commandName), refund],
        on: {
          ...recalled,
          "refund.accepted": [
            { guard: "goesBack", target: "returned", actions: wentBack },
            { guard: "revived", target: "returned", actions: [because("returned"), wentBack] },
            { target: "failing", actions: wentBack }
          ],
          // What is said of the payout is not of this refund (REFUND-9).
          "refund.rejected": refundFailed,
          ...refundEnds
        }
      },
      success: { type: "final", entry: [...done, publish("success")] },
      // The failure was published once, at the deadline, and is not published again.
      failing: { always: [{ guard: "revived", target: "failed_again" }, { target: "failed" }] },
      failed_again: { tags: [endedTag], entry: done, on: recalled },
      failed: {
        tags: [endedTag],
        entry: [...done, publish("failed")],
        on: {
          ...recalled,
          "payin.applied": {
            guard: "madeInTime",
            target: "queued",
            actions: ["revived", ...recognised, submitNow]
          }
        }
      },
      returned: { tags: [endedTag], entry: [...done, publish("returned")], on: recalled }
    }
  })

export const Onramp = lifecycle<OnrampData, OnrampEvent>("onramp", machineOf("2", {}), {
  // As 0.1.0 had it: what the provider says of the payout ends the refund, where it makes the refund too.
  "1": machineOf("1", endedByPayout)
})
