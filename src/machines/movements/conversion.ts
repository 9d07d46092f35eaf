/**
 * A conversion: value between two wallets of one customer, at a locked rate (interface, Conversion; decisions 9).
 *
 * The money is taken from `source_account`, which is a wallet's `available` or, where a deposit on a cross-currency
 * credential is converted, the credential's own balance; whatever fails is given back there.
 *
 * `/v1` shows `processing` for `submitting`, and `temporary_failure` for `unknown` and `waiting`.
 */
import { assign, setup } from "xstate"
import { type AccountId, available, clearing, ownerOf, type Posting, posting, reserved } from "../kernel/ledger.ts"
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
import type { CustomerSummary, WalletSummary } from "../parties/summaries.ts"

/** Amounts are in minor units of their currency; `residue` is what rounding a computed source left over, in the destination's. */
export interface ConversionData extends Payout {
  readonly reference: string
  /** Null where no quote was made: the rate was locked at a deposit's arrival. */
  readonly quote_id: string | null
  readonly rate_source: "quoted" | "live"
  readonly customer: CustomerSummary
  /** A guarded account of the source currency. Its owner's `reserved` account holds the money until it is submitted. */
  readonly source_account: AccountId
  /** Null where the money comes from a credential. */
  readonly source_wallet: WalletSummary | null
  readonly credential_id: string | null
  readonly destination_wallet: WalletSummary
  readonly provider: string
  readonly source_amount: string
  readonly source_currency: string
  readonly gateway_fee: string
  readonly destination_amount: string
  readonly destination_currency: string
  readonly network_fee: string
  readonly quoted_received_amount: string
  readonly residue: string
  readonly rate: string
  /** Epoch milliseconds: not begun by then, it is not made at all. Null: the rate stays locked (interface, Auto-conversion rules 6). */
  readonly rate_locked_until: number | null
  /** Set at success. */
  readonly received_amount: string | null
  readonly settled_at: number | null
  /** The transaction of the deposit that it converts; null for one that a quote began. */
  readonly parent_transaction_id: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type ConversionEvent = PayoutEvent | { readonly type: "timer.quote_expiry"; readonly at: number }

type Told = { readonly context: ConversionData }

const source = (debit: Posting["debit"], credit: Posting["credit"], c: ConversionData) =>
  posting(debit, credit, c.source_amount, c.source_currency)

const setAside = (c: ConversionData): AccountId => reserved(ownerOf(c.source_account))

/** Both legs at once: the house takes the source, keeps its fees, and credits the destination out of its own. */
const settlement = (c: ConversionData): ReadonlyArray<Posting> => [
  ...posting(clearing(c.provider), "fees", c.gateway_fee, c.source_currency),
  ...posting(clearing(c.provider), "fx", BigInt(c.source_amount) - BigInt(c.gateway_fee), c.source_currency),
  ...posting("fx", available(c.destination_wallet.id), c.quoted_received_amount, c.destination_currency),
  ...posting("fx", "fees", c.network_fee, c.destination_currency),
  ...posting("fx", "rounding", c.residue, c.destination_currency)
]

const post = (postings: (c: ConversionData) => ReadonlyArray<Posting>) =>
  ({ type: "post", params: ({ context }: Told) => postings(context) }) as const
const publish = (type: string) => ({ type: "publish", params: { type } }) as const
const because = (reason: string) => ({ type: "because", params: { reason } }) as const
const cancel = (name: string) => ({ type: "cancel", params: { name } }) as const

const reserve = post((c) => source(c.source_account, setAside(c), c))
const release = post((c) => source(setAside(c), c.source_account, c))
const submitted = post((c) => source(setAside(c), clearing(c.provider), c))
const giveBack = post((c) => source(clearing(c.provider), c.source_account, c))

const returned = { target: "returned", actions: [because("returned"), giveBack] } as const

const rejected = { target: "failed", actions: ["explained", giveBack] } as const
const stranded = {
  target: "failed",
  actions: [because("refund_failed"), post((c) => source(clearing(c.provider), "suspense", c))]
} as const

const endings = {
  "provider.succeeded": { target: "success", actions: ["received", post(settlement)] },
  "provider.failed": [...beforeBelievingRejection, rejected],
  "provider.cancelled": { target: "failed", actions: [because("cancelled"), giveBack] },
  "provider.reversed": returned,
  "provider.returned": returned,
  "provider.refund_failed": [...beforeBelievingRejection, stranded]
} as const

const outOfTime = { target: "failed", actions: [because("temporarily_unavailable"), giveBack] } as const
const later = { target: "waiting", actions: ["refused", submitLater] } as const
const again = [{ guard: "withinWindow", ...later }, outOfTime] as const

const answers = {
  ...endings,
  "provider.unavailable": [...beforeBelieving, ...again],
  "provider.absent": [{ guard: "refused", ...rejected }, { guard: "kept", ...stranded }, ...again],
  "provider.unknown": { target: "unknown", actions: [lookupLater, "asked"] },
  "provider.pending": { target: "submitting", actions: [lookupLater, "asked"] }
} as const

const unfunded = { target: "failed", actions: [because("quote_expired"), release] } as const

const machine = setup({
  types: { context: {} as ConversionData, events: {} as ConversionEvent, input: {} as ConversionData },
  actions: {
    ...outcomes,
    ...notes,
    received: assign(({ context, event }) => ({
      received_amount: context.quoted_received_amount,
      settled_at: event.at
    }))
  },
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
      entry: [reserve, publish("created"), submitNow],
      exit: cancel("quote_expiry"),
      on: {
        "payout.begun": [
          {
            guard: "rateHolds",
            target: "submitting",
            actions: [
              "began",
              submitted,
              { type: "publish", params: { type: "funds_received", before: true } },
              publish("processing"),
              lookupAfterGrace
            ]
          },
          unfunded
        ],
        "timer.quote_expiry": unfunded,
        "provider.returned": { target: "returned", actions: [because("returned"), release] }
      }
    },
    submitting: { on: answers },
    unknown: { on: answers },
    waiting: { on: { ...endings, "payout.begun": { target: "submitting", actions: ["began", lookupAfterGrace] } } },
    success: { type: "final", entry: [cancel(commandName), publish("success")] },
    failed: { type: "final", entry: [cancel(commandName), publish("failed")] },
    returned: { type: "final", entry: [cancel(commandName), publish("returned")] }
  }
})

export const Conversion = lifecycle<ConversionData, ConversionEvent>("conversion", machine)
