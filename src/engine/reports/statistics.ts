/** Statistics of movements, from the sums that the store keeps (STATS-1 to STATS-6). */
import { Clock, Context, DateTime, Effect, Layer, Schema } from "effect"
import { Kinds } from "../commit/kind.ts"
import { BAR, measureTags } from "../commit/index-keys.ts"
import { Id, Instant, Optional, Text } from "../input/schemas.ts"
import { refuseFuture, invalid, type InvalidInput, makeRangeError, type StorageFault } from "../ports/errors.ts"
import { type Measure, Storage } from "../ports/Storage.ts"
import { iso } from "../ports/Time.ts"
import { displayAmount } from "../reference/currencies.ts"
import { readMerchantNames } from "./names.ts"
import type { StatisticsBody, StatisticsRow } from "../representations/statistics.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The longest spans: of a report by hour, and of others. */
const hourly = { days: 31, text: "31 days by hour" }
const longest = { days: 400, text: "400 days" }

/** The most rows of a report. */
const ROWS_MAX = 10_000

const steps = ["hour", "day", "month"] as const
/** A merchant does not see which provider it was (TIMELINE-2). */
const ofMerchant = ["operation", "corridor", "failure_reason"] as const
const ofOperator = ["operation", "corridor", "provider", "failure_reason", "merchant"] as const
type Part = (typeof ofOperator)[number]

const fields = {
  from: Optional(Instant, "The beginning, moved back to a full hour. Default: 7 days before `to`, 24 hours by hour."),
  to: Optional(Instant, "The end, exclusive, moved on to a full hour. Default: now."),
  currency: Optional(Schema.String, "Only movements with this currency on either side, by its exact code.", "NGN")
}
const makeByParameter = (accepted: ReadonlyArray<string>) =>
  Optional(
    Text(200),
    `What rows are separated by, joined by commas: one of hour, day and month, and any of ${accepted.join(", ")}. Default: one row.`,
    "day,operation"
  )

export const OwnStatistics = Schema.Struct({ ...fields, by: makeByParameter(ofMerchant) })
export const AllStatistics = Schema.Struct({
  ...fields,
  by: makeByParameter(ofOperator),
  merchant_id: Optional(Id("mer"), "Only movements of this merchant.")
})
type Input = typeof AllStatistics.Type

interface Report {
  readonly step: (typeof steps)[number] | null
  readonly by: ReadonlyArray<Part>
}

/** Parses `by`. Errors: `InvalidInput` for an unknown word, one that is given twice, and for two of `hour`, `day` and `month`. */
const parseReport = (text: string | undefined, accepted: ReadonlyArray<Part>): Effect.Effect<Report, InvalidInput> => {
  const words = text === undefined ? [] : text.split(",").map((word) => word.trim())
  const refuse = (found: string) =>
    Effect.fail(
      invalid(
        "by",
        `by ${found}. It takes one of hour, day and month, and any of ${accepted.join(", ")}, joined by commas.`
      )
    )
  const known = (word: string) => [...steps, ...accepted].some((one) => one === word)
  const unknown = words.find((word) => !known(word))
  if (unknown !== undefined) return refuse(`has ${JSON.stringify(unknown)}`)
  const twice = words.find((word, i) => words.indexOf(word) < i)
  if (twice !== undefined) return refuse(`has ${twice} twice`)
  const [step = null, other] = steps.filter((one) => words.includes(one))
  if (other !== undefined) return refuse(`has both ${step} and ${other}`)
  return Effect.succeed({ step, by: accepted.filter((part) => words.includes(part)) })
}

/** Rounds a span to the full hours around it. Errors: `InvalidInput` for one that is empty or too long. */
const roundSpan = (
  { from, to }: Pick<Input, "from" | "to">,
  step: Report["step"],
  now: number
): Effect.Effect<readonly [from: number, to: number], InvalidInput> => {
  const end = to ?? now
  const start = from ?? end - (step === "hour" ? DAY : 7 * DAY)
  const most = step === "hour" ? hourly : longest
  if (start >= end && to === undefined) return Effect.fail(refuseFuture("from", start, now))
  if (start >= end)
    return Effect.fail(
      makeRangeError("from", "to", `from is ${iso(start)}, and to is ${iso(end)}. from must be before to.`)
    )
  return end - start > most.days * DAY
    ? Effect.fail(invalid("from", `from is ${iso(start)}, and to is ${iso(end)}. A report has at most ${most.text}.`))
    : Effect.succeed([Math.floor(start / HOUR), Math.ceil(end / HOUR)])
}

interface Sums {
  readonly row: Pick<StatisticsRow, "at" | Exclude<Part, "merchant"> | "merchant_id">
  readonly key: string
  succeeded: number
  failed: number
  open: number
  readonly volume: Map<string, bigint>
  readonly revenue: Map<string, bigint>
  /** The number of movements by their duration. */
  readonly seconds: Map<number, number>
}

const addAmount = (sums: Map<string, bigint>, currency: string, amount: string): void => {
  sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount))
}

/** The beginning of the hour, day or month of a measure. The store has measures by hour or by day. */
const toPeriodStart = (hour: number, step: Report["step"]): string => {
  const at = DateTime.makeUnsafe(hour * HOUR)
  return DateTime.formatIso(step === "month" ? DateTime.startOf(at, "month") : at)
}

/** Makes the test whether a measure has a currency on either side. */
const isWith =
  (currency: string) =>
  ({ tags: [_outcome, corridor = ""] }: Measure): boolean =>
    corridor.split("-").includes(currency)

/** Sums the measures of all cells by the rows of a report. */
const sumMeasures = (found: ReadonlyArray<Measure>, { by: separated, step }: Report): ReadonlyArray<Sums> => {
  const sums = new Map<string, Sums>()
  const has = new Set<Part>(separated)
  for (const measure of found) {
    const [outcome = "", corridor = "", provider = "", failure_reason = "", currency = ""] = measure.tags.map((tag) =>
      tag.replaceAll(BAR, "|")
    )
    const tags = { outcome, corridor, provider, failure_reason, currency }
    const row = {
      ...(step === null || measure.hour === null ? {} : { at: toPeriodStart(measure.hour, step) }),
      ...(has.has("merchant") ? { merchant_id: measure.merchant_id } : {}),
      ...(has.has("operation") ? { operation: measure.kind } : {}),
      ...(has.has("corridor") ? { corridor: tags.corridor } : {}),
      ...(has.has("provider") ? { provider: tags.provider || null } : {}),
      ...(has.has("failure_reason") ? { failure_reason: tags.failure_reason || null } : {})
    }
    const key = JSON.stringify(row)
    const sum = sums.get(key) ?? { row, key, ...makeEmptySums() }
    sums.set(key, sum)
    if (tags.outcome === "succeeded") {
      sum.succeeded += measure.n
      addAmount(sum.volume, tags.currency, measure.amount)
      sum.seconds.set(measure.seconds, (sum.seconds.get(measure.seconds) ?? 0) + measure.n)
    } else if (tags.outcome === "fee") addAmount(sum.revenue, tags.currency, measure.amount)
    else if (tags.outcome === "failed") sum.failed += measure.n
    else sum.open += measure.n
  }
  return [...sums.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

/** Finds the smallest duration that this share of all does not exceed. */
const findPercentile = (seconds: ReadonlyMap<number, number>, count: number, share: number): number => {
  let left = Math.ceil(count * share)
  for (const [value, n] of [...seconds].toSorted(([a], [b]) => a - b)) {
    left -= n
    if (left <= 0) return value
  }
  return 0
}

const listAmounts = (sums: ReadonlyMap<string, bigint>) =>
  [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, amount]) => ({ currency, amount: displayAmount(amount, currency) }))

const toStatisticsRow = ({ row, succeeded, failed, open, volume, revenue, seconds }: Sums): StatisticsRow => {
  const ended = succeeded + failed
  return {
    ...row,
    count: ended + open,
    succeeded,
    failed,
    open,
    success_share: ended === 0 ? null : (Math.floor((succeeded * 10_000) / ended) / 10_000).toFixed(4),
    volume: listAmounts(volume),
    revenue: listAmounts(revenue),
    seconds_to_success:
      succeeded === 0
        ? null
        : { p50: findPercentile(seconds, succeeded, 0.5), p95: findPercentile(seconds, succeeded, 0.95) }
  }
}

const makeEmptySums = (): Omit<Sums, "row" | "key"> => ({
  succeeded: 0,
  failed: 0,
  open: 0,
  volume: new Map(),
  revenue: new Map(),
  seconds: new Map()
})

export class Statistics extends Context.Service<Statistics>()("corridor/engine/Statistics", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const kinds = yield* Kinds
    const kindNames = kinds.transactions.map(({ kind }) => kind)

    /** Rows of merchants with their names. */
    const named = (rows: ReadonlyArray<StatisticsRow>) =>
      Effect.map(
        readMerchantNames(
          storage,
          rows.map(({ merchant_id = "" }) => ({ merchant_id }))
        ),
        (nameOf) =>
          rows.map(({ merchant_id = "", ...row }) => ({ merchant_id, merchant_name: nameOf(merchant_id), ...row }))
      )

    const report = Effect.fnUntraced(function* (
      merchant_id: string | undefined,
      input: Omit<Input, "merchant_id">,
      accepted: ReadonlyArray<Part>
    ): Effect.fn.Return<StatisticsBody, InvalidInput | StorageFault> {
      const wanted = yield* parseReport(input.by, accepted)
      const [from, to] = yield* roundSpan(input, wanted.step, yield* Clock.currentTimeMillis)
      const { currency } = input
      const has = (part: Part): boolean => wanted.by.includes(part)
      const needs = (part: Part): boolean => has(part) || (part === "corridor" && currency !== undefined)
      const found = yield* storage.measures({
        ...(merchant_id === undefined ? {} : { merchant_id }),
        kinds: kindNames,
        from,
        to,
        step: wanted.step === "month" ? "day" : wanted.step,
        by_merchant: has("merchant"),
        by_kind: has("operation"),
        tags: measureTags.flatMap((tag, i) => (tag === "outcome" || tag === "currency" || needs(tag) ? [i] : [])),
        width: measureTags.length
      })
      const sums = sumMeasures(currency === undefined ? found : found.filter(isWith(currency)), wanted)
      if (sums.length > ROWS_MAX) {
        const message = `by asks for ${sums.length} rows; a report has at most ${ROWS_MAX}. Separate by less, or shorten the span.`
        return yield* invalid("by", message)
      }
      const isOne = wanted.step === null && wanted.by.length === 0
      const counted =
        sums.length === 0 && isOne
          ? [toStatisticsRow({ row: {}, key: "", ...makeEmptySums() })]
          : sums.map(toStatisticsRow)
      const rows = has("merchant") ? yield* named(counted) : counted
      return { from: iso(from * HOUR), to: iso(to * HOUR), rows }
    })

    return {
      /** The movements of one merchant. Errors: `InvalidInput` for `by`, `from` and `to`. */
      own: (merchant_id: string, input: typeof OwnStatistics.Type) => report(merchant_id, input, ofMerchant),
      /** The movements of all merchants, or of one. Errors: as for `own`. */
      all: ({ merchant_id, ...input }: Input) => report(merchant_id, input, ofOperator)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
