/**
 * The band of a rate: how far it may move from the rates that were accepted before it. Pure; every number is a decimal string, and
 * compared with integers.
 */

/** The widths, as fractions: `"0.1"` lets the larger of two rates be at most 1.1 times the smaller. */
export interface BandWidths {
  /** Within a minute. */
  readonly minute: string
  /** Within a day, and against the last accepted rate, however old it is. */
  readonly day: string
}

/** A rate at a time, in epoch milliseconds. */
export interface RateAt {
  readonly per_usd: string
  readonly at: number
}

/** The last accepted rate, and those with which the current minute and the current day began. */
export interface Accepted extends RateAt {
  readonly minute: RateAt
  readonly day: RateAt
}

/** `outside`: which width the rate exceeds, and the accepted rate it was compared with. */
type Judgement =
  | { readonly _tag: "accepted"; readonly accepted: Accepted }
  | { readonly _tag: "outside"; readonly window: keyof BandWidths; readonly from: RateAt }

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/** Decimals of a number that a port returns (`asked.ts`). */
const SCALE = 40

const parseUnits = (text: string): bigint => {
  const [whole = "", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(SCALE, "0"))
}

const ONE = parseUnits("1")

const isWithinUnits = (a: bigint, b: bigint, width: string): boolean =>
  (a > b ? a : b) * ONE <= (a > b ? b : a) * (ONE + parseUnits(width))

/**
 * Whether the larger of two positive numbers is at most (1 + `width`) times the smaller. Law: a rate and its inverse are within a
 * width together.
 */
export const isWithin = (a: string, b: string, width: string): boolean =>
  isWithinUnits(parseUnits(a), parseUnits(b), width)

/** Whether a rate is within a width of the cross rate of two currencies, each in units for one US dollar. */
export const isNearCross = (
  rate: string,
  source_per_usd: string,
  destination_per_usd: string,
  width: string
): boolean => isWithinUnits(parseUnits(rate) * parseUnits(source_per_usd), parseUnits(destination_per_usd) * ONE, width)

/** Makes the record of a rate with which both windows begin: the first rate, or one that an operator has accepted. */
export const startWindows = (per_usd: string, at: number): Accepted => {
  const point = { per_usd, at }
  return { ...point, minute: point, day: point }
}

/**
 * Judges a rate against those accepted before it. A window begins with an accepted rate and ends after its length; the next one
 * begins with the last accepted rate. A rate that comes more than a minute after the last one is judged by the day alone.
 */
export const judgeRate = (last: Accepted, per_usd: string, now: number, widths: BandWidths): Judgement => {
  const current = { per_usd, at: now }
  const before = { per_usd: last.per_usd, at: last.at }
  const minute = now - last.at >= MINUTE_MS ? current : now - last.minute.at >= MINUTE_MS ? before : last.minute
  const day = now - last.day.at >= DAY_MS ? before : last.day
  if (!isWithin(per_usd, minute.per_usd, widths.minute)) return { _tag: "outside", window: "minute", from: minute }
  if (!isWithin(per_usd, day.per_usd, widths.day)) return { _tag: "outside", window: "day", from: day }
  return { _tag: "accepted", accepted: { ...current, minute, day: day === before ? { ...before, at: now } : day } }
}
