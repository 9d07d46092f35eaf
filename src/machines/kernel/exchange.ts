/** Shared by conversions and offramps: money that leaves in one currency and arrives in another, at a locked rate. */
import { assign } from "xstate"
import { type AccountId, type Posting, posting } from "./ledger.ts"
import { publish } from "./outcome.ts"
import { lookupAfterGrace, type Note, type Payout } from "./payout.ts"
import type { Figures } from "./pricing.ts"

/**
 * Amounts are in minor units of their currency. `quoted_received_amount` is the amount the recipient gets.
 * `destination_amount` is that amount plus the network fee. `residue` is the rest, in the destination currency, when
 * the source amount was computed and rounded up.
 */
export interface Exchange extends Payout {
  readonly source_amount: string
  readonly source_currency: string
  readonly gateway_fee: string
  readonly destination_amount: string
  readonly destination_currency: string
  readonly network_fee: string
  readonly quoted_received_amount: string
  readonly residue: string
  readonly rate: string
  /** Set at success; null again on an offramp that is returned (OFFRAMP-14). */
  readonly received_amount: string | null
  readonly settled_at: number | null
}

/**
 * The postings of a completed exchange. They account for every unit of `source_amount`: the platform receives it, keeps
 * its fees, and pays the destination currency from its own funds.
 */
export const settlement = (
  from: AccountId,
  to: AccountId,
  x: Omit<Figures<string>, "destination_amount"> & Pick<Exchange, "source_currency" | "destination_currency">
): ReadonlyArray<Posting> => [
  ...posting(from, "fees", x.gateway_fee, x.source_currency),
  ...posting(from, "fx", BigInt(x.source_amount) - BigInt(x.gateway_fee), x.source_currency),
  ...posting("fx", to, x.received_amount, x.destination_currency),
  ...posting("fx", "fees", x.network_fee, x.destination_currency),
  ...posting("fx", "rounding", x.residue, x.destination_currency)
]

/** The events of funds received. `funds_received` shows the movement as it was before this step. */
export const fundsReceived = [
  { type: "publish", params: { type: "funds_received", before: true } },
  publish("processing")
] as const

/**
 * The transitions on `payout.begun` in `created`: the first submission if the guard `rateHolds` passes, otherwise
 * `expired`.
 */
export const submission = <const Submit, const Expired>(submit: Submit, expired: Expired) =>
  [
    { guard: "rateHolds", target: "submitting", actions: ["began", submit, ...fundsReceived, lookupAfterGrace] },
    expired
  ] as const

/** Named assignment: records that the quoted amount has arrived. */
export const received = assign(
  ({
    context,
    event
  }: {
    readonly context: Exchange
    readonly event: { readonly type: string; readonly at?: number }
  }) => ({
    received_amount: context.quoted_received_amount,
    settled_at: event.at ?? null
  })
) as Note<undefined>
