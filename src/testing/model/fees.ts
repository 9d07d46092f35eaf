/** The gateway fee of a quote: that of the fee schedule which applies, or the default (FEE-1 to FEE-3, PRICE-3, AMOUNT-4). */
import { PLATFORM_MERCHANT, type RowWrite } from "../../engine/ports/Storage.ts"
import { parseMinorUnits } from "../program/amounts.ts"
import { minute, second } from "../program/program.ts"

type Data = Readonly<Record<string, any>>

/** Settled amounts are multiples of this step, where it is not one minor unit. */
export const settlementStep: Readonly<Record<string, bigint>> = { USDC: 10_000n, USDT: 10_000n }

/** A schedule, on the service clock. */
interface Schedule {
  readonly owner: string
  readonly data: Data
  readonly created_at: number
  until: number
}

/** What a quote is of. `at`: when it was made. */
export interface FeeBasis {
  readonly merchant: string
  readonly operation: string
  readonly source: string
  readonly destination: string
  readonly amount: bigint
  readonly at: number
}

/** What a process may read of the schedules of a quote: before it, or until its Change is written. */
const readMs = 3 * minute
const skewMs = 10 * second

const divideUp = (numerator: bigint, denominator: bigint): bigint => (numerator + denominator - 1n) / denominator

const one = 10n ** 12n

/** 0.5 % of the source amount, half of that for a conversion. */
const defaults: Readonly<Record<string, Data>> = {
  offramp: { bps: "50", fixed: "0", min: null, max: null },
  onramp: { bps: "50", fixed: "0", min: null, max: null },
  conversion: { bps: "25", fixed: "0", min: null, max: null }
}

/**
 * Finds the fee schedule that applies, among those that name no other currency: the most specific, then the one that begins last,
 * then the newest.
 */
const findApplicableSchedule = (
  schedules: ReadonlyArray<Schedule>,
  { at, destination, operation, source }: FeeBasis
): Data => {
  const rank = ({ created_at, data: d }: Schedule): ReadonlyArray<number> => [
    (d["merchant_id"] === null ? 0 : 4) +
      (d["source_currency"] === null ? 0 : 2) +
      (d["destination_currency"] === null ? 0 : 1),
    d["valid_from"],
    created_at
  ]
  const [found] = schedules
    .filter(({ data: d }) => d["operation"] === operation && d["valid_from"] <= at)
    .filter(
      ({ data: d }) =>
        [null, source].includes(d["source_currency"]) && [null, destination].includes(d["destination_currency"])
    )
    .toSorted((a, b) => {
      const [of, other] = [rank(a), rank(b)]
      return of.map((n, i) => other[i]! - n).find((difference) => difference !== 0) ?? 0
    })
  return found?.data ?? defaults[operation]!
}

export class ModelFees {
  readonly #schedules = new Map<string, Schedule>()

  /** A schedule was made or ended. */
  scheduled({ created_at, data, id, merchant_id, state }: RowWrite, at: number): void {
    const known = this.#schedules.get(id)
    if (known === undefined)
      this.#schedules.set(id, { owner: merchant_id, data: data as Data, created_at, until: Infinity })
    else if (state === "ended") known.until = at
  }

  /** How a charged fee differs from what is due. A process that cannot read the schedules of all merchants uses those that it has read last. */
  wrong(charged: bigint, priced: FeeBasis): string | undefined {
    const due = this.#due(priced, priced.at, priced.at)
    if (charged === due) return undefined
    const all = [...this.#schedules.values()]
    const near = (at: number): boolean => at > priced.at - skewMs && at < priced.at + readMs
    const moments = all
      .flatMap(({ created_at, until }) => [created_at - 1, created_at, until - 1, until])
      .filter(Number.isFinite)
    const early = moments.filter((at) => at < priced.at + readMs)
    const own = early.filter(near)
    const possible = [priced.at, ...early].flatMap((platform) =>
      [priced.at, ...own].map((merchant) => this.#due(priced, platform, merchant))
    )
    return possible.includes(charged) ? undefined : `${charged} of ${priced.amount} ${priced.source}, not ${due}`
  }

  /** The fee by the schedules of all merchants and of the merchant, each as they were at a time. */
  #due(priced: FeeBasis, platform: number, merchant: number): bigint {
    const schedules = [...this.#schedules.values()].filter(({ created_at, owner, until }) => {
      const at = owner === PLATFORM_MERCHANT ? platform : merchant
      return (owner === PLATFORM_MERCHANT || owner === priced.merchant) && created_at <= at && at < until
    })
    const { bps, fixed, max, min } = findApplicableSchedule(schedules, priced)
    const { amount, source } = priced
    const step = settlementStep[source] ?? 1n
    const units = (text: string): bigint => (parseMinorUnits(text, source) ?? 0n) / step
    // Hundredths of a percent, as a fraction of 10¹².
    const [whole = "0", decimals = ""] = bps.split(".")
    const share = divideUp(
      amount * BigInt(whole + decimals.padEnd(8, "0").slice(0, 8)) + (parseMinorUnits(fixed, source) ?? 0n) * one,
      step * one
    )
    const most = max !== null && share > units(max) ? units(max) : share
    return (min !== null && most < units(min) ? units(min) : most) * step
  }
}
