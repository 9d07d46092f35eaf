/**
 * A conversion: money that moves between two wallets of one customer, at a locked rate (CONVERSION-1, CONVERSION-9).
 *
 * The money is taken from `source_account`: a wallet's `available` account or, when a deposit on a cross-currency
 * credential is converted, the credential's own account. A failed conversion returns it there.
 *
 * `/v1` shows `processing` for `submitting`, and `temporary_failure` for `unknown` and `waiting`.
 */
import { setup } from "xstate"
import { type AccountId, available, clearing } from "../kernel/ledger.ts"
import {
  type Exchange,
  takeQuotedAmount,
  recordReceipt,
  makeSettlement,
  makeFirstSubmission
} from "../kernel/exchange.ts"
import { cancel, lifecycle, outcomes, post, publish } from "../kernel/lifecycle.ts"
import {
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
import type { CustomerSummary, MovementOriginator, WalletSummary } from "../parties/summaries.ts"

export interface ConversionData extends Exchange {
  readonly reference: string
  /** Null without a quote: the rate was locked when a deposit arrived. */
  readonly quote_id: string | null
  readonly rate_source: "quoted" | "live"
  readonly customer: CustomerSummary
  readonly originator: MovementOriginator
  /** A guarded account of the source currency. Its owner's `reserved` account holds the money until submission. */
  readonly source_account: AccountId
  /** Null when the money comes from a credential. */
  readonly source_wallet: WalletSummary | null
  readonly credential_id: string | null
  readonly destination_wallet: WalletSummary
  /** Epoch milliseconds. A conversion that has not begun by then fails. Null: the rate stays locked (AUTOCONVERT-7). */
  readonly rate_locked_until: number | null
  /** The transaction of the deposit that it converts. Null when a quote began it. */
  readonly parent_transaction_id: string | null
  /** That deposit, and the pay-in whose money it has. Absent: a quote began it. */
  readonly converts?: { readonly deposit_id: string; readonly provider: string; readonly payin_id: string }
  readonly metadata: Readonly<Record<string, string>>
}

export type ConversionEvent = PayoutEvent | { readonly type: "timer.quote_expiry"; readonly at: number }

const money = makeOutgoingActions((c: ConversionData) => ({
  account: c.source_account,
  provider: c.provider,
  amount: c.source_amount,
  currency: c.source_currency
}))

/** The postings of both legs. */
const settled = post((c: ConversionData) =>
  makeSettlement(clearing(c.provider), available(c.destination_wallet.id), takeQuotedAmount(c), countShortage(c))
)

/** The amount that the provider was instructed to deliver. */
const toDue = (c: ConversionData): Due => ({ amount: c.destination_amount, currency: c.destination_currency })
/** The amount that the provider was given to exchange. */
const toSourceDue = (c: ConversionData): Due => ({
  amount: (BigInt(c.source_amount) - BigInt(c.gateway_fee)).toString(),
  currency: c.source_currency
})

const { cameBack, lost } = makeReturnActions(toSourceDue)

const failWith = (reason: Reason) => ({ target: "failed", actions: [reason, money.giveBack] }) as const

const { endings, answers } = makeAnswerTransitions({
  handOver: money.handOver,
  succeeded: { target: "success", actions: ["received", settled] },
  failed: failWith,
  returned: { target: "returned", actions: [because("returned"), "cameBack", money.giveBack, lost] },
  refundFailed: { target: "failed", actions: [because("refund_failed"), money.suspend] }
})

const unfunded = { target: "failed", actions: [because("quote_expired"), money.release] } as const

const machine = setup({
  types: { context: {} as ConversionData, events: {} as ConversionEvent, input: {} as ConversionData },
  actions: { ...outcomes, ...notes, cameBack, received: recordReceipt(takeQuotedAmount, toDue) },
  guards: {
    ...guards,
    rateHolds: ({ context, event }) => context.rate_locked_until === null || event.at < context.rate_locked_until,
    expires: ({ context }) => context.rate_locked_until !== null
  }
}).createMachine({
  id: "conversion",
  version: "1",
  context: ({ input }) => input,
  initial: "opening",
  states: {
    opening: {
      always: [
        {
          guard: "expires",
          target: "created",
          actions: {
            type: "timer",
            params: ({ context }) => ({ name: "quote_expiry", at: context.rate_locked_until ?? 0 })
          }
        },
        { target: "created" }
      ]
    },
    created: {
      entry: [money.reserve, publish("created"), submitNow],
      exit: cancel("quote_expiry"),
      on: {
        "payout.begun": makeFirstSubmission(money.submit, unfunded),
        "timer.quote_expiry": unfunded,
        "provider.returned": { target: "returned", actions: [because("returned"), money.release] }
      }
    },
    submitting: { on: answers },
    unknown: { on: answers },
    rerouted: { on: { "payout.begun": resubmitted } },
    waiting: { on: { ...endings, "payout.begun": resubmitted } },
    success: { type: "final", entry: [cancel(commandName), publish("success")] },
    failed: { type: "final", entry: [cancel(commandName), publish("failed")] },
    returned: { type: "final", entry: [cancel(commandName), publish("returned")] }
  }
})

export const Conversion = lifecycle<ConversionData, ConversionEvent>("conversion", machine)
