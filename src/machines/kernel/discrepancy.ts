/**
 * Amounts that a provider reports and that differ from what it was instructed to pay, or from what it had paid
 * (OUTCOME-2 to OUTCOME-5). All amounts are in minor units.
 */
import { assign } from "xstate"
import { type Posting, posting, world } from "./ledger.ts"
import { type Note, post } from "./outcome.ts"

export type DiscrepancyReason = "short_settlement" | "over_settlement" | "partial_return" | "over_return"

/** A difference between the amount that was due and the one reported. `amount` is the difference, > 0. */
export interface Discrepancy {
  readonly reason: DiscrepancyReason
  readonly amount: string
  readonly currency: string
  readonly expected: string
  readonly reported: string
  /** The amount is in suspense, until an operator decides. */
  readonly suspended?: true
  /** The fee that the provider withheld is exactly the difference. */
  readonly withheld?: true
}

/** What a movement keeps of differences. `lost`: what the platform lost when its money came back in part. */
export interface Differing {
  /** Of the outcome that ended it. Absent or null: there is none. */
  readonly discrepancy?: Discrepancy | null
  readonly lost?: string
}

/** An amount that a provider was given, or has to pay. */
export interface Due {
  readonly amount: string
  readonly currency: string
}

/** An outcome's amount, and its fee if that is in the same currency. Absent: the whole amount; no fee. */
export interface OutcomeFigures {
  readonly amount?: string
  readonly fee?: string
}

/** How a reported amount differs from the amount due. Null: it does not. `reasons`: for less, and for more. */
const differing = (
  { amount: due, currency }: Due,
  { amount: reported = due, fee = "0" }: OutcomeFigures,
  [less, more]: readonly [DiscrepancyReason, DiscrepancyReason]
): Discrepancy | null => {
  const missing = BigInt(due) - BigInt(reported)
  if (missing === 0n) return null
  const figures = { currency, expected: due, reported }
  if (missing < 0n) return { reason: more, amount: (-missing).toString(), ...figures }
  return {
    reason: less,
    amount: missing.toString(),
    ...figures,
    ...(BigInt(fee) === missing ? ({ withheld: true } as const) : {})
  }
}

/** What the provider paid less than it was instructed: the difference is in suspense (OUTCOME-2). */
export const shortage = ({ discrepancy }: Differing): bigint =>
  discrepancy?.reason === "short_settlement" ? BigInt(discrepancy.amount) : 0n

/** How the amount of a success differs from the amount due. */
export const compareSuccess = (due: Due, figures: OutcomeFigures): Discrepancy | null => {
  const found = differing(due, figures, ["short_settlement", "over_settlement"])
  return found?.reason === "short_settlement" ? { ...found, suspended: true } : found
}

/** How the amount of a return differs from what was paid. */
export const compareReturn = (paid: Due, figures: OutcomeFigures): Discrepancy | null =>
  differing(paid, figures, ["partial_return", "over_return"])

interface Args {
  readonly context: unknown
  readonly event: { readonly type: string } & OutcomeFigures
}

/**
 * A return of money that the customer gets back whole, whatever comes back (OUTCOME-4). `due`: what the return should bring
 * back at most; `paid`: what the provider had paid of it.
 *
 * - `cameBack`: records what is missing, and the platform's loss: `due` less what came back.
 * - `lost`: books that loss. The provider has the money, so it leaves the platform.
 */
export const returning = <Data extends Differing & { readonly provider: string }>(
  due: (data: Data) => Due,
  paid: (data: Data) => string = (data) => due(data).amount
) => ({
  cameBack: assign(({ context, event }: Args) => {
    const { amount, currency } = due(context as Data)
    const had = paid(context as Data)
    const came = event.amount === undefined || BigInt(event.amount) > BigInt(had) ? had : event.amount
    const lost = BigInt(amount) - BigInt(came)
    return {
      discrepancy: compareReturn({ amount: had, currency }, event),
      ...(lost === 0n ? {} : { lost: lost.toString() })
    }
  }) as Note<undefined>,
  lost: post(
    (data: Data): ReadonlyArray<Posting> =>
      data.lost === undefined ? [] : posting("losses", world(data.provider), data.lost, due(data).currency)
  )
})
