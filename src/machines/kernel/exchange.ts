/** Shared by conversions and offramps: money that leaves in one currency and arrives in another, at a locked rate. */
import { assign } from "xstate"
import { type AccountId, type Posting, makePosting } from "./ledger.ts"
import { type Note, publish } from "./lifecycle.ts"
import {
  compareSuccess,
  type Due,
  lookupAfterGrace,
  type OutcomeFigures as Reported,
  type Payout,
  countShortage
} from "./payout.ts"
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

/** Computes what the recipient and the platform get when the provider delivers `missing` less: the recipient loses first, then the fee. */
const applyShortage = (
  { network_fee, received_amount }: Pick<Figures<string>, "network_fee" | "received_amount">,
  missing: bigint
): { readonly received: bigint; readonly fee: bigint } => {
  const quoted = BigInt(received_amount)
  const part = missing < quoted ? missing : quoted
  return { received: quoted - part, fee: BigInt(network_fee) - (missing - part) }
}

type Earned = readonly [minor: bigint, currency: string]

/** The fees that the platform earns with a completed exchange, each with its currency. */
export const findEarnedFees = (
  x: Pick<Figures<string>, "gateway_fee" | "network_fee" | "received_amount"> &
    Pick<Exchange, "source_currency" | "destination_currency">,
  missing: bigint
): readonly [gateway: Earned, network: Earned] => [
  [BigInt(x.gateway_fee), x.source_currency],
  [applyShortage(x, missing).fee, x.destination_currency]
]

/** The exchange with the network fee that the platform earns of it: its provider may have delivered less than that. */
export const takeEarnedFee = <X extends Exchange>(x: X, missing: bigint): X =>
  missing === 0n ? x : { ...x, network_fee: findEarnedFees(takeQuotedAmount(x), missing)[1][0].toString() }

/**
 * Makes the postings of a completed exchange. They account for every unit of `source_amount`: the platform receives it, keeps its fees, and
 * pays the destination currency from its own funds. `missing`: the amount that the provider delivered too little, which is in suspense
 * (OUTCOME-2).
 */
export const makeSettlement = (
  from: AccountId,
  to: AccountId,
  x: Omit<Figures<string>, "destination_amount"> & Pick<Exchange, "source_currency" | "destination_currency">,
  missing: bigint = 0n
): ReadonlyArray<Posting> => {
  const { received } = applyShortage(x, missing)
  const [[gateway, source], [network, destination]] = findEarnedFees(x, missing)
  return [
    ...makePosting(from, "fees", gateway, source),
    ...makePosting(from, "fx", BigInt(x.source_amount) - BigInt(x.gateway_fee), x.source_currency),
    ...makePosting("fx", to, received, x.destination_currency),
    ...makePosting("fx", "suspense", missing, x.destination_currency),
    ...makePosting("fx", "fees", network, destination),
    ...makePosting("fx", "rounding", x.residue, x.destination_currency)
  ]
}

/** The events of funds received. `funds_received` shows the movement as it was before this step. */
export const fundsReceived = [
  { type: "publish", params: { type: "funds_received", before: true } },
  publish("processing")
] as const

/**
 * Makes the transitions on `payout.begun` in `created`: the first submission, with the action `submit`, if the guard `rateHolds` passes,
 * otherwise the transition `expired`.
 */
export const makeFirstSubmission = <const Submit, const Expired>(submit: Submit, expired: Expired) =>
  [
    { guard: "rateHolds", target: "submitting", actions: ["began", submit, ...fundsReceived, lookupAfterGrace] },
    expired
  ] as const

/**
 * Makes the assignment that records the received amount of a success: the quoted one, less what the provider did not deliver. `quoted`: the
 * amounts of the exchange; null when it pays nothing. `due`: the amount that the provider was instructed to deliver.
 */
export const recordReceipt = <Data>(
  quoted: (data: Data) => Pick<Figures<string>, "network_fee" | "received_amount"> | null,
  due: (data: Data) => Due
) =>
  assign(
    ({
      context,
      event
    }: {
      readonly context: Data
      readonly event: { readonly type: string; readonly at?: number } & Reported
    }) => {
      const discrepancy = compareSuccess(due(context), event)
      const figures = quoted(context)
      return {
        discrepancy,
        received_amount:
          figures === null ? null : applyShortage(figures, countShortage({ discrepancy })).received.toString(),
        settled_at: event.at ?? null
      }
    }
  ) as Note<undefined>

/** An exchange with its quoted amount as the received one. */
export const takeQuotedAmount = (x: Exchange) => ({ ...x, received_amount: x.quoted_received_amount })
