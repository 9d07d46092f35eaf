/**
 * An onramp: external fiat that a payer sends to a bank account, credited to a crypto wallet at a locked rate (interface,
 * Onramp; decisions 9.6, 9.7, 14.3 and 14.4).
 *
 * What arrives is settled by the terms of its quote, whatever the amount; what buys nothing, or more than may be paid out,
 * goes back to its payer. `/v1` shows `processing` for `queued`, `submitting` and `refunding`, and `temporary_failure` for
 * `unknown` and `waiting`.
 */
import { assign, setup } from "xstate"
import { available, clearing, type Posting, posting } from "../kernel/ledger.ts"
import { lifecycle } from "../kernel/lifecycle.ts"
import { outcomes } from "../kernel/outcome.ts"
import {
  beforeBelieving,
  beforeBelievingRejection,
  commandName,
  guards,
  lookupAfterGrace,
  lookupLater,
  notes,
  type Payout,
  type PayoutEvent,
  submitLater,
  submitNow
} from "../kernel/payout.ts"
import { type Figures, readFigures, settleActual, storedFigures, type Terms } from "../kernel/pricing.ts"
import type { CustomerSummary, WalletSummary } from "../parties/summaries.ts"

/** Where the payer sends the money. `depositReference` goes into the narration and is what tells the payment apart. */
export interface DepositInstruction {
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
  readonly wallet: WalletSummary
  readonly provider: string
  readonly source_currency: string
  readonly destination_currency: string
  readonly terms: Terms
  readonly quoted: Figures<string>
  /** Epoch milliseconds: unfunded by then, it has failed. */
  readonly rate_locked_until: number
  readonly deposit_instruction: DepositInstruction
  /** The pay-in that funded it, and how much came. */
  readonly payin_id: string | null
  readonly funded_amount: string | null
  /** It had failed of its deadline when the operator applied a payment that was made in time. */
  readonly revived?: true
  /** What that buys; null until it is funded, and where it goes back. */
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
  /** Operator: a payment that was made in time, and told of too late. */
  | {
      readonly type: "payin.applied"
      readonly at: number
      readonly payin_id: string
      readonly amount: string
      readonly observed_at: number
    }
  | { readonly type: "refund.accepted"; readonly at: number }
  | { readonly type: "refund.rejected"; readonly at: number }

/** The command that sends the money back to its payer. */
const refundName = "refund"

type Told = { readonly context: OnrampData }

/** What an amount buys on the terms of the quote; null: nothing that can be paid out. */
const bought = ({ terms, quoted }: OnrampData, amount: string): Figures<string> | null => {
  const settled = settleActual(terms, readFigures(quoted), BigInt(amount))
  return settled._tag === "priced" ? storedFigures(settled) : null
}

const funds = (debit: Posting["debit"], credit: Posting["credit"], o: OnrampData) =>
  posting(debit, credit, o.funded_amount ?? "0", o.source_currency)

/** The house takes the fiat, keeps its fees, and credits the wallet out of its own. */
const settlement = (o: OnrampData): ReadonlyArray<Posting> =>
  o.actual === null
    ? []
    : [
        ...posting(clearing(o.provider), "fees", o.actual.gateway_fee, o.source_currency),
        ...posting(
          clearing(o.provider),
          "fx",
          BigInt(o.actual.source_amount) - BigInt(o.actual.gateway_fee),
          o.source_currency
        ),
        ...posting("fx", available(o.wallet.id), o.actual.received_amount, o.destination_currency),
        ...posting("fx", "fees", o.actual.network_fee, o.destination_currency),
        ...posting("fx", "rounding", o.actual.residue, o.destination_currency)
      ]

const post = (postings: (o: OnrampData) => ReadonlyArray<Posting>) =>
  ({ type: "post", params: ({ context }: Told) => postings(context) }) as const
const publish = (type: string) => ({ type: "publish", params: { type } }) as const
const because = (reason: string) => ({ type: "because", params: { reason } }) as const
const cancel = (name: string) => ({ type: "cancel", params: { name } }) as const

const arrived = post((o) => funds("external", clearing(o.provider), o))
const wentBack = post((o) => funds(clearing(o.provider), "external", o))
const strand = post((o) => funds(clearing(o.provider), "suspense", o))

const recognised = [
  "funded",
  arrived,
  { type: "publish", params: { type: "funds_received", before: true } },
  publish("processing")
] as const

const isCompliance = (reason: string | null): boolean => reason?.startsWith("compliance") === true

const returned = { target: "returned", actions: [because("returned"), wentBack] } as const
const stranded = { target: "failing", actions: [because("refund_failed"), strand] } as const

const rejected = [
  { guard: "compliance", target: "refunding", actions: because("returned") },
  { target: "refunding", actions: "explained" }
] as const

/** The money was taken back before any payout is under way: nothing is paid (decisions 15.6). */
const recalled = { "payin.failed": { target: "failing", actions: [because("failed"), wentBack] } } as const

/** What ends a funded onramp before it was paid out. */
const refusals = {
  "provider.failed": rejected,
  "provider.cancelled": { target: "refunding", actions: because("cancelled") },
  "provider.reversed": returned,
  "provider.returned": returned,
  "provider.refund_failed": stranded
} as const

const endings = {
  ...refusals,
  "provider.failed": [...beforeBelievingRejection, ...rejected],
  "provider.refund_failed": [...beforeBelievingRejection, stranded],
  "provider.succeeded": { target: "success", actions: ["hashed", "received", post(settlement)] }
} as const

const outOfTime = { target: "refunding", actions: because("temporarily_unavailable") } as const
const again = [{ guard: "withinWindow", target: "waiting", actions: ["refused", submitLater] }, outOfTime] as const

const answers = {
  ...endings,
  "provider.unavailable": [...beforeBelieving, ...again],
  "provider.absent": [
    { guard: "compliantlyRefused", target: "refunding", actions: because("returned") },
    { guard: "refused", target: "refunding", actions: "explained" },
    { guard: "kept", ...stranded },
    ...again
  ],
  "provider.unknown": { target: "unknown", actions: [lookupLater, "asked"] },
  "provider.pending": { target: "submitting", actions: [lookupLater, "asked"] }
} as const

const begun = { target: "submitting", actions: ["began", lookupAfterGrace] } as const
const done = [cancel(commandName), cancel(refundName)] as const

const machine = setup({
  types: { context: {} as OnrampData, events: {} as OnrampEvent, input: {} as OnrampData },
  actions: {
    ...outcomes,
    ...notes,
    funded: assign(({ context, event }) =>
      event.type === "payin.confirmed" || event.type === "payin.applied"
        ? { payin_id: event.payin_id, funded_amount: event.amount, actual: bought(context, event.amount) }
        : {}
    ),
    revived: assign({ failure_reason: null, revived: true }),
    received: assign(({ context, event }) => ({
      received_amount: context.actual?.received_amount ?? null,
      settled_at: event.at
    }))
  },
  guards: {
    ...guards,
    payable: ({ context, event }) =>
      event.type === "payin.confirmed" &&
      event.at < context.rate_locked_until &&
      bought(context, event.amount) !== null,
    revived: ({ context }) => context.revived === true,
    /** Unfunded, it has failed of its deadline alone, and the payment had been made before that. */
    madeInTime: ({ context, event }) =>
      event.type === "payin.applied" &&
      context.failure_reason === "quote_expired" &&
      event.observed_at < context.rate_locked_until &&
      bought(context, event.amount) !== null,
    rateHolds: ({ context, event }) => event.at < context.rate_locked_until,
    /** A provider that may not serve the payer or the customer: the money goes back, and that is all (decisions 9.7). */
    compliance: ({ event }) => event.type === "provider.failed" && isCompliance(event.reason),
    compliantlyRefused: ({ context: { refusal } }) => refusal?.refundable === true && isCompliance(refusal.reason),
    goesBack: ({ context }) => context.failure_reason === "returned"
  }
}).createMachine({
  id: "onramp",
  version: "1",
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
    queued: { on: { ...refusals, ...recalled, "payout.begun": begun } },
    submitting: { on: answers },
    unknown: { on: answers },
    waiting: { on: { ...endings, ...recalled, "payout.begun": begun } },
    refunding: {
      entry: [cancel(commandName), { type: "command", params: { operation: "refund", name: refundName } }],
      on: {
        "refund.accepted": [
          { guard: "goesBack", target: "returned", actions: wentBack },
          { target: "failing", actions: wentBack }
        ],
        "refund.rejected": stranded,
        "provider.refund_failed": stranded
      }
    },
    success: { type: "final", entry: [...done, publish("success")] },
    // That it failed was told once, at its deadline, and is not told again.
    failing: { always: [{ guard: "revived", target: "failed_again" }, { target: "failed" }] },
    failed_again: { type: "final", entry: done },
    failed: {
      entry: [...done, publish("failed")],
      on: {
        "payin.applied": {
          guard: "madeInTime",
          target: "queued",
          actions: ["funded", "revived", arrived, publish("funds_received"), publish("processing"), submitNow]
        }
      }
    },
    returned: { type: "final", entry: [...done, publish("returned")] }
  }
})

export const Onramp = lifecycle<OnrampData, OnrampEvent>("onramp", machine)
