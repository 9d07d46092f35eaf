/**
 * The cost of a movement and the amount that arrives: exact integers from terms that are locked once.
 *
 *         gateway     = source × gateway fraction + fixed, within its bounds, rounded up
 *         destination = (source − gateway) × rate, rounded down
 *         received    = destination − network
 *
 * All three are at settlement precision (PRICE-5, AMOUNT-4). Nothing here reads a market rate or a policy: machines
 * settle with the quoted terms.
 */
import { type Minor, toMinorUnits, mulDiv, powerOfTen, type Scales, roundToSettlement, zero } from "./money.ts"

/**
 * What a fee schedule adds to the gateway fraction (FEE-3), in whole units of the source currency, as decimal strings. `fixed`: added to
 * the share. `minimum`, `maximum`: bounds of the fee, `minimum` ≤ `maximum`. Null: unbounded.
 */
export interface GatewaySchedule {
  readonly fee_schedule_id: string
  readonly fixed: string
  readonly minimum: string | null
  readonly maximum: string | null
}

/** The gateway fee by a fee schedule: the fraction of the source, as in {@link Terms}, and the rest. */
export interface ScheduledGateway {
  readonly gateway: string
  readonly schedule: GatewaySchedule
}

/**
 * The terms of a quote, as JSON.
 *
 * - `rate`: units of the destination for one unit of the source, a positive decimal string.
 * - `gateway`: the gateway fee as a fraction of the source, a decimal string in [0, 1).
 * - `schedule`: the rest of the gateway fee, where a fee schedule decides it. Absent: nothing is added.
 * - `network`: the fixed fee taken from the destination, in minor units.
 * - `minimum`, `maximum`: bounds of the received amount, in minor units of the destination. Null: unbounded.
 */
export interface Terms {
  readonly source: Scales
  readonly destination: Scales
  readonly rate: string
  readonly gateway: string
  readonly schedule?: GatewaySchedule
  readonly network: string
  readonly minimum: string | null
  readonly maximum: string | null
}

/**
 * The figures of an exchange, in minor units: `source_amount` and `gateway_fee` of the source, the others of the
 * destination.
 *
 * Laws: all ≥ 0; `received_amount > 0`; `destination_amount = received_amount + network_fee`. The platform receives
 * `source_amount − gateway_fee` and pays `destination_amount + residue`. The residue is the platform's (account
 * `rounding`); it is 0 unless the quote has a target amount.
 */
export interface Figures<Amount = Minor> {
  readonly source_amount: Amount
  readonly gateway_fee: Amount
  readonly destination_amount: Amount
  readonly network_fee: Amount
  readonly received_amount: Amount
  readonly residue: Amount
}

/**
 * A price, or why there is none: `nothing` is left to receive, or the received amount is `below` or `above` the range.
 * `limit` is the bound, inclusive, in minor units.
 */
export type Priced =
  | ({ readonly _tag: "priced" } & Figures)
  | { readonly _tag: "nothing" }
  | { readonly _tag: "below"; readonly limit: Minor }
  | { readonly _tag: "above"; readonly limit: Minor }

interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

const decimalPattern = /^\d+(\.\d+)?$/

const parseFraction = (text: string): Fraction => {
  if (!decimalPattern.test(text)) throw new RangeError(`${JSON.stringify(text)} is not a decimal`)
  const [whole = "", decimals = ""] = text.split(".")
  return { numerator: BigInt(whole + decimals), denominator: powerOfTen(decimals.length) }
}

/** The rate in minor units: those of the destination for one of the source. */
const toMinorRate = ({ rate, source, destination }: Terms): Fraction => {
  const { numerator, denominator } = parseFraction(rate)
  if (numerator === 0n) throw new RangeError("the rate is zero")
  return {
    numerator: numerator * powerOfTen(destination.ledger_scale),
    denominator: denominator * powerOfTen(source.ledger_scale)
  }
}

const parseGatewayShare = (terms: Terms): Fraction => {
  const share = parseFraction(terms.gateway)
  if (share.numerator >= share.denominator) throw new RangeError(`the gateway fee must be below 1: ${terms.gateway}`)
  return share
}

interface Gateway {
  readonly share: Fraction
  /** Settlement units of the source, exactly. */
  readonly fixed: Fraction
  /** Settlement units, rounded up as the fee is. */
  readonly minimum: bigint
  readonly maximum: bigint | null
}

/** The parts of the gateway fee in settlement units of the source, because the fee is a whole number of them. */
const toSettlementGateway = (terms: Terms): Gateway => {
  const { fixed, maximum, minimum } = terms.schedule ?? { fixed: "0", minimum: null, maximum: null }
  const unit = powerOfTen(terms.source.decimals)
  const units = (text: string): Fraction => {
    const { numerator, denominator } = parseFraction(text)
    return { numerator: numerator * unit, denominator }
  }
  const whole = (text: string): bigint => {
    const { numerator, denominator } = units(text)
    return mulDiv(numerator, 1n, denominator, "ceiling")
  }
  return {
    share: parseGatewayShare(terms),
    fixed: units(fixed),
    minimum: minimum === null ? 0n : whole(minimum),
    maximum: maximum === null ? null : whole(maximum)
  }
}

/**
 * The gateway fee of a source amount: fraction and fixed part in one exact fraction, rounded up once, then bounded.
 * Law: an amount that is one settlement unit greater has the same fee, or one that is one unit greater. What is left never falls.
 */
const computeGatewayFee = (terms: Terms, source_amount: bigint): Minor => {
  const { fixed, maximum, minimum, share } = toSettlementGateway(terms)
  const unit = powerOfTen(terms.source.ledger_scale - terms.source.decimals)
  const rounded = mulDiv(
    source_amount * share.numerator * fixed.denominator + fixed.numerator * unit * share.denominator,
    1n,
    share.denominator * fixed.denominator * unit,
    "ceiling"
  )
  const atMost = maximum !== null && rounded > maximum ? maximum : rounded
  return toMinorUnits((atMost < minimum ? minimum : atMost) * unit)
}

/**
 * Finds the smallest number of settlement units of which at least `left` remain after the gateway fee.
 *
 * For whole n, n − fee(n) ≥ left holds if n − left reaches the minimum, and also the maximum or fraction and fixed part. Each of the three
 * holds from some n on, which is exact.
 */
const findUnitsLeaving = (terms: Terms, left: bigint): bigint => {
  const { fixed, maximum, minimum, share } = toSettlementGateway(terms)
  const linear = mulDiv(
    left * fixed.denominator + fixed.numerator,
    share.denominator,
    (share.denominator - share.numerator) * fixed.denominator,
    "ceiling"
  )
  const most = maximum === null || linear < left + maximum ? linear : left + maximum
  return most < left + minimum ? left + minimum : most
}

/** Returns the figures, or why they are no price: nothing is left to receive, or the received amount is outside of its bounds. */
const checkBounds = (figures: Figures, { minimum, maximum }: Terms): Priced => {
  if (figures.received_amount <= 0n) return { _tag: "nothing" }
  if (minimum !== null && figures.received_amount < BigInt(minimum))
    return { _tag: "below", limit: toMinorUnits(minimum) }
  if (maximum !== null && figures.received_amount > BigInt(maximum))
    return { _tag: "above", limit: toMinorUnits(maximum) }
  return { _tag: "priced", ...figures }
}

/** The figures for a source amount, without the range check. `received_amount` may be zero or negative here. */
const computeFigures = (terms: Terms, source_amount: bigint): Figures => {
  const rate = toMinorRate(terms)
  const gateway_fee = computeGatewayFee(terms, source_amount)
  const exchanged = source_amount - gateway_fee
  const bought = mulDiv(exchanged < 0n ? 0n : exchanged, rate.numerator, rate.denominator, "floor")
  const destination_amount = roundToSettlement(bought, terms.destination, "floor")
  const network_fee = toMinorUnits(terms.network)
  return {
    source_amount: toMinorUnits(source_amount),
    gateway_fee,
    destination_amount,
    network_fee,
    received_amount: toMinorUnits(destination_amount - network_fee),
    residue: zero
  }
}

/**
 * Prices a source amount. The amount is not rounded: a deposit may have more decimals than a payment.
 * Source: PRICE-5.
 */
export const priceSource = (terms: Terms, source_amount: bigint): Priced =>
  checkBounds(computeFigures(terms, source_amount), terms)

/**
 * Prices a target: the source amount for which exactly `target` is received.
 *
 * Law: `source_amount` is the smallest, at settlement precision, that buys at least the target under {@link
 * priceSource}. The residue is what it buys beyond the target. The target may have decimals up to the ledger scale.
 * Source: PRICE-5, PRICE-6, AMOUNT-4.
 */
export const priceTarget = (terms: Terms, target: bigint): Priced => {
  const rate = toMinorRate(terms)
  const owed = target + BigInt(terms.network)
  const exchanged = mulDiv(
    roundToSettlement(owed, terms.destination, "ceiling"),
    rate.denominator,
    rate.numerator,
    "ceiling"
  )
  const unit = powerOfTen(terms.source.ledger_scale - terms.source.decimals)
  const units = findUnitsLeaving(terms, mulDiv(exchanged, 1n, unit, "ceiling"))
  const bought = computeFigures(terms, units * unit)
  return checkBounds(
    {
      ...bought,
      destination_amount: toMinorUnits(owed),
      received_amount: toMinorUnits(target),
      residue: toMinorUnits(bought.destination_amount - owed)
    },
    terms
  )
}

/**
 * Prices the arrived amount under the terms of a quote: the quoted figures for the quoted amount, otherwise what the amount buys at the
 * locked rate after the gateway fee. Any result other than `priced` is refunded. Source: ONRAMP-6, ONRAMP-8.
 */
export const priceActual = (terms: Terms, quoted: Figures, actual: bigint): Priced =>
  actual === quoted.source_amount ? { _tag: "priced", ...quoted } : priceSource(terms, actual)

/** Writes figures as JSON: minor units as decimal integer text. {@link readFigures} reads them. */
export const toStoredFigures = (figures: Figures): Figures<string> => mapFigures(figures, (amount) => amount.toString())
export const readFigures = (figures: Figures<string>): Figures => mapFigures(figures, toMinorUnits)

const mapFigures = <A, B>(figures: Figures<A>, f: (amount: A) => B): Figures<B> => ({
  source_amount: f(figures.source_amount),
  gateway_fee: f(figures.gateway_fee),
  destination_amount: f(figures.destination_amount),
  network_fee: f(figures.network_fee),
  received_amount: f(figures.received_amount),
  residue: f(figures.residue)
})

/**
 * The value of an amount in millionths of a US dollar, rounded down. `perUsd` is units of the currency for one dollar.
 * Law: a sum of values is never more than the value of the sum, so rounding never takes a total over a limit.
 */
export const toUsdMicros = (amount: bigint, { ledger_scale }: Scales, perUsd: string): bigint => {
  const { numerator, denominator } = parseFraction(perUsd)
  return mulDiv(amount, denominator * 1_000_000n, numerator * powerOfTen(ledger_scale), "floor")
}

/**
 * An amount in another currency at the mid rates, rounded up. `perUsd`: units of each currency for one dollar, positive decimal strings.
 */
export const convertAtMid = (
  amount: bigint,
  [from, fromPerUsd]: readonly [Scales, perUsd: string],
  [to, toPerUsd]: readonly [Scales, perUsd: string]
): Minor => {
  const [given, taken] = [parseFraction(fromPerUsd), parseFraction(toPerUsd)]
  return mulDiv(
    amount,
    taken.numerator * given.denominator * powerOfTen(to.ledger_scale),
    taken.denominator * given.numerator * powerOfTen(from.ledger_scale),
    "ceiling"
  )
}

/**
 * Converts US dollars to minor units of a currency, rounded up to settlement precision (`"settlement"`, for a fee) or
 * to the nearest whole unit, half up (`"unit"`, for a bound). `usd` and `perUsd` are decimal strings.
 */
export const convertFromUsd = (usd: string, scales: Scales, perUsd: string, to: "settlement" | "unit"): Minor => {
  const dollars = parseFraction(usd)
  const mid = parseFraction(perUsd)
  const above = dollars.numerator * mid.numerator
  const below = dollars.denominator * mid.denominator
  const scale = powerOfTen(scales.ledger_scale)
  if (to === "unit") return toMinorUnits(mulDiv(above * 2n + below, 1n, below * 2n, "floor") * scale)
  return roundToSettlement(mulDiv(above, scale, below, "ceiling"), scales, "ceiling")
}
