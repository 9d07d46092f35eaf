/**
 * An offramp: crypto from a wallet, fiat to a bank beneficiary, at a quoted rate (interface, Offramps; decisions 9).
 *
 * `/v1` shows `processing` for `submitting`, and `temporary_failure` for `unknown` and `waiting`. `success` is not final:
 * banks return payouts days later (decisions 9.5), and that is the one move out of it.
 */
import { assign, setup } from "xstate"
import { available, clearing, type Posting, posting, reserved, reversed } from "../kernel/ledger.ts"
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
import type {
  Beneficiary,
  CustomerSummary,
  Originator,
  PayoutDestination,
  SenderSummary,
  WalletSummary
} from "../parties/summaries.ts"

/**
 * Amounts are in minor units of their currency. `received_amount` is what the beneficiary gets; destination_amount is
 * that and the network fee; `residue` is what rounding a computed source left over, in the destination currency.
 */
export interface OfframpData extends Payout {
  readonly reference: string
  readonly quote_id: string
  readonly wallet_id: string
  readonly beneficiary_id: string
  readonly customer: CustomerSummary
  readonly wallet: WalletSummary
  readonly beneficiary: Beneficiary
  readonly destination: PayoutDestination
  /** Absent on rows that were made before there were senders. */
  readonly sender?: SenderSummary | null
  /** Absent like the sender. */
  readonly originator?: Originator
  readonly payment_instrument_id: string
  readonly provider: string
  readonly narration: string | null
  readonly source_amount: string
  readonly source_currency: string
  readonly gateway_fee: string
  readonly destination_amount: string
  readonly destination_currency: string
  readonly network_fee: string
  readonly quoted_received_amount: string
  readonly residue: string
  readonly rate: string
  /** Epoch milliseconds. */
  readonly rate_locked_until: number
  /** Set at success, null again once returned (decisions 14.5). */
  readonly received_amount: string | null
  readonly settled_at: number | null
  readonly metadata: Readonly<Record<string, string>>
}

export type OfframpEvent = PayoutEvent | { readonly type: "timer.quote_expiry"; readonly at: number }

type Told = { readonly context: OfframpData }

const source = (debit: Posting["debit"], credit: Posting["credit"], o: OfframpData) =>
  posting(debit, credit, o.source_amount, o.source_currency)

/** The house takes the crypto, keeps its fees, and pays the fiat out of its own. */
const settlement = (o: OfframpData): ReadonlyArray<Posting> => [
  ...posting(clearing(o.provider), "fees", o.gateway_fee, o.source_currency),
  ...posting(clearing(o.provider), "fx", BigInt(o.source_amount) - BigInt(o.gateway_fee), o.source_currency),
  ...posting("fx", "external", o.quoted_received_amount, o.destination_currency),
  ...posting("fx", "fees", o.network_fee, o.destination_currency),
  ...posting("fx", "rounding", o.residue, o.destination_currency)
]

const post = (postings: (told: Told) => ReadonlyArray<Posting>) => ({ type: "post", params: postings }) as const
const publish = (type: string) => ({ type: "publish", params: { type } }) as const
const because = (reason: string) => ({ type: "because", params: { reason } }) as const
const cancel = (name: string) => ({ type: "cancel", params: { name } }) as const

const release = post(({ context: o }) => source(reserved(o.wallet_id), available(o.wallet_id), o))
const giveBack = post(({ context: o }) => source(clearing(o.provider), available(o.wallet_id), o))
const undo = post(({ context: o }) => [
  ...reversed(settlement(o)),
  ...source(clearing(o.provider), available(o.wallet_id), o)
])

const returned = { target: "returned", actions: [because("returned"), giveBack] } as const

const rejected = { target: "failed", actions: ["explained", giveBack] } as const
const stranded = {
  target: "failed",
  actions: [because("refund_failed"), post(({ context: o }) => source(clearing(o.provider), "suspense", o))]
} as const

const endings = {
  "provider.succeeded": { target: "success", actions: ["hashed", "received", post(({ context: o }) => settlement(o))] },
  "provider.failed": [...beforeBelievingRejection, rejected],
  "provider.cancelled": { target: "failed", actions: [because("cancelled"), giveBack] },
  "provider.reversed": returned,
  "provider.returned": returned,
  "provider.refund_failed": [...beforeBelievingRejection, stranded]
} as const

const outOfTime = { target: "failed", actions: [because("temporarily_unavailable"), giveBack] } as const
const later = { target: "waiting", actions: ["refused", submitLater] } as const

const answers = {
  ...endings,
  "provider.unavailable": [...beforeBelieving, { guard: "mayRetry", ...later }, outOfTime],
  "provider.absent": [
    { guard: "refused", ...rejected },
    { guard: "kept", ...stranded },
    { guard: "withinWindow", ...later },
    outOfTime
  ],
  "provider.unknown": { target: "unknown", actions: [lookupLater, "asked"] },
  "provider.pending": { target: "submitting", actions: [lookupLater, "asked"] }
} as const

const unfunded = { target: "failed", actions: [because("quote_expired"), release] } as const
const afterSuccess = { target: "returned", actions: ["unreceived", because("returned"), undo] } as const

const machine = setup({
  types: { context: {} as OfframpData, events: {} as OfframpEvent, input: {} as OfframpData },
  actions: {
    ...outcomes,
    ...notes,
    received: assign(({ context, event }) => ({
      received_amount: context.quoted_received_amount,
      settled_at: event.at
    })),
    unreceived: assign({ received_amount: null })
  },
  guards: { ...guards, rateHolds: ({ context, event }) => event.at < context.rate_locked_until }
}).createMachine({
  id: "offramp",
  version: "1",
  context: ({ input }) => input,
  initial: "created",
  states: {
    created: {
      entry: [
        { type: "post", params: ({ context: o }) => source(available(o.wallet_id), reserved(o.wallet_id), o) },
        publish("created"),
        submitNow,
        { type: "timer", params: ({ context }) => ({ name: "quote_expiry", at: context.rate_locked_until }) }
      ],
      exit: cancel("quote_expiry"),
      on: {
        "payout.begun": [
          {
            guard: "rateHolds",
            target: "submitting",
            actions: [
              "began",
              { type: "post", params: ({ context: o }) => source(reserved(o.wallet_id), clearing(o.provider), o) },
              { type: "publish", params: { type: "funds_received", before: true } },
              publish("processing"),
              lookupAfterGrace
            ]
          },
          unfunded
        ],
        "payout.blocked": { target: "failed", actions: [because("failed"), release] },
        "timer.quote_expiry": unfunded,
        "provider.returned": { target: "returned", actions: [because("returned"), release] }
      }
    },
    submitting: { on: answers },
    unknown: { on: answers },
    waiting: {
      on: {
        ...endings,
        "payout.begun": { target: "submitting", actions: ["began", lookupAfterGrace] },
        "payout.blocked": { target: "failed", actions: [because("failed"), giveBack] }
      }
    },
    success: {
      entry: [cancel(commandName), publish("success")],
      on: { "provider.returned": afterSuccess, "provider.reversed": afterSuccess }
    },
    failed: { type: "final", entry: [cancel(commandName), publish("failed")] },
    returned: { type: "final", entry: [cancel(commandName), publish("returned")] }
  }
})

export const Offramp = lifecycle<OfframpData, OfframpEvent>("offramp", machine)
