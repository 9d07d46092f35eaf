/**
 * An offramp: crypto from a wallet, paid out as fiat to a bank beneficiary at a quoted rate (OFFRAMP-1, OFFRAMP-8).
 *
 * `/v1` shows `processing` for `submitting`, and `temporary_failure` for `unknown` and `waiting`. `success` is not
 * final, because banks return payouts days later (OFFRAMP-13). That is the only transition out of it.
 */
import { assign, setup } from "xstate"
import { available, clearing, type Posting, reversePostings, world } from "../kernel/ledger.ts"
import {
  type Exchange,
  takeQuotedAmount,
  recordReceipt,
  makeSettlement,
  makeFirstSubmission
} from "../kernel/exchange.ts"
import { cancel, endedTag, lifecycle, outcomes, post, publish } from "../kernel/lifecycle.ts"
import {
  askedAfterEnd,
  because,
  commandName,
  type Due,
  guards,
  notes,
  makeOutgoingActions,
  type PayoutEvent,
  makeAnswerTransitions,
  type Reason,
  resubmitted,
  makeReturnActions,
  countShortage,
  submitNow
} from "../kernel/payout.ts"
import type { PayoutParties } from "../parties/summaries.ts"

export interface OfframpData extends Exchange, PayoutParties {
  readonly reference: string
  readonly quote_id: string
  readonly payment_instrument_id: string
  readonly narration: string | null
  /** Epoch milliseconds. */
  readonly rate_locked_until: number
  readonly metadata: Readonly<Record<string, string>>
}

export type OfframpEvent = PayoutEvent | { readonly type: "timer.quote_expiry"; readonly at: number }

const money = makeOutgoingActions((o: OfframpData) => ({
  account: available(o.wallet_id),
  provider: o.provider,
  amount: o.source_amount,
  currency: o.source_currency
}))

/** The amount that the provider was instructed to pay out. */
const toDue = (o: OfframpData): Due => ({ amount: o.quoted_received_amount, currency: o.destination_currency })

/**
 * As if the whole amount came back: what did not, `lost` books. What is in suspense after a short settlement stays there; its
 * exception ends with the return, if it is still open.
 */
const undo = post((o: OfframpData) =>
  reversePostings(makeSettlement(clearing(o.provider), world(o.provider), takeQuotedAmount(o)))
)

const { cameBack, lost } = makeReturnActions(toDue, (o) => o.received_amount ?? o.quoted_received_amount)

const failWith = (reason: Reason) => ({ target: "failed", actions: [reason, money.giveBack] }) as const

const { endings, answers } = makeAnswerTransitions({
  handOver: money.handOver,
  succeeded: {
    target: "success",
    actions: [
      "hashed",
      "received",
      post(
        (o: OfframpData): ReadonlyArray<Posting> =>
          makeSettlement(clearing(o.provider), world(o.provider), takeQuotedAmount(o), countShortage(o))
      )
    ]
  },
  failed: failWith,
  returned: { target: "returned", actions: [because("returned"), "cameBack", money.giveBack, lost] },
  refundFailed: { target: "failed", actions: [because("refund_failed"), money.suspend] }
})

const unfunded = { target: "failed", actions: [because("quote_expired"), money.release] } as const
const afterSuccess = {
  target: "returned",
  actions: ["cameBack", "unreceived", because("returned"), undo, money.giveBack, lost]
} as const

const machine = setup({
  types: { context: {} as OfframpData, events: {} as OfframpEvent, input: {} as OfframpData },
  actions: {
    ...outcomes,
    ...notes,
    cameBack,
    received: recordReceipt(takeQuotedAmount, toDue),
    // Its rate is kept while it waits for approval.
    relocked: assign(({ context, event }) =>
      event.type === "approval.approved" ? { rate_locked_until: Math.max(context.rate_locked_until, event.until) } : {}
    ),
    unreceived: assign({ received_amount: null })
  },
  guards: { ...guards, rateHolds: ({ context, event }) => event.at < context.rate_locked_until }
}).createMachine({
  id: "offramp",
  version: "1",
  context: ({ input }) => input,
  initial: "opening",
  states: {
    opening: {
      entry: [money.reserve, publish("created")],
      always: [{ guard: "awaits", target: "approving" }, { target: "created" }]
    },
    approving: {
      on: {
        "approval.approved": [
          { guard: "awaitsMore", actions: "approved" },
          { target: "created", actions: ["approved", "relocked"] }
        ],
        "approval.declined": { target: "failed", actions: [because("cancelled"), money.release] },
        // Nobody could approve what is paid to nobody.
        "payout.blocked": { target: "failed", actions: ["blocked", money.release] }
      }
    },
    created: {
      entry: [
        submitNow,
        { type: "timer", params: ({ context }) => ({ name: "quote_expiry", at: context.rate_locked_until }) }
      ],
      exit: cancel("quote_expiry"),
      on: {
        "payout.begun": makeFirstSubmission(money.submit, unfunded),
        "payout.blocked": { target: "failed", actions: ["blocked", money.release] },
        "timer.quote_expiry": unfunded,
        "provider.returned": { target: "returned", actions: [because("returned"), money.release] }
      }
    },
    submitting: { on: answers },
    unknown: { on: answers },
    rerouted: { on: { "payout.begun": resubmitted, "payout.blocked": failWith("blocked") } },
    waiting: { on: { ...endings, "payout.begun": resubmitted, "payout.blocked": failWith("blocked") } },
    success: {
      tags: [endedTag],
      entry: [cancel(commandName), publish("success")],
      on: { "provider.returned": afterSuccess, "provider.reversed": afterSuccess, ...askedAfterEnd }
    },
    failed: { type: "final", entry: [cancel(commandName), publish("failed")] },
    returned: { type: "final", entry: [cancel(commandName), publish("returned")] }
  }
})

export const Offramp = lifecycle<OfframpData, OfframpEvent>("offramp", machine)
