/**
 * Rates that are within their band (RATE-1 to RATE-4). Outside of it there is no rate, as if the source did not answer, until the
 * rate is back or an operator accepts it.
 *
 * The last accepted rate of each currency is a row. A node reads the rows when what it knows may be old, and writes one beside its
 * work: at the first rate, after a move of a percent, and once an hour. No quote waits for a write.
 */
import { Cause, Clock, Context, Effect, Layer, Queue } from "effect"
import { bindFirst } from "../../machines/kernel/bound.ts"
import {
  type Accepted,
  startWindows,
  DAY_MS,
  isNearCross,
  isWithin,
  judgeRate,
  MINUTE_MS,
  type RateAt
} from "../../machines/kernel/rate-band.ts"
import { AcceptedRate, type AcceptedRateData, type AcceptedRateEvent } from "../../machines/movements/accepted-rate.ts"
import { UnitOfWork } from "../commit/UnitOfWork.ts"
import type { ResourceKind } from "../commit/kind.ts"
import { begin } from "../commit/steps.ts"
import { Rates } from "../ports/Rates.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../ports/Storage.ts"
import { wallNow } from "../ports/Time.ts"
import { recordRates } from "../ports/asked.ts"
import { DryRun } from "../ports/dry-run.ts"
import { ProviderFault, type StorageFault } from "../ports/errors.ts"
import { metrics } from "../ports/metrics.ts"
import { currencies } from "../reference/currencies.ts"
import { type Band, RateBandSetting, type RateBandWidths } from "../settings/settings.ts"

// The row of a currency's last accepted rate (RATE-3).

export const AcceptedRateKind: ResourceKind<AcceptedRateData, AcceptedRateEvent> = {
  kind: "accepted_rate",
  prefix: "rte",
  lifecycle: AcceptedRate,
  auditView: ({ data: { currency, operator_per_usd } }) => ({ currency, per_usd: operator_per_usd })
}

/** The id of the row with the last accepted rate of a currency. */
export const rateId = (currency: string): string => `${AcceptedRateKind.prefix}_${currency.toLowerCase()}`

/** The unit of all mid rates. */
const PIVOT = "USD"

export const ratedCurrencies: ReadonlyArray<string> = [...new Set(currencies.map(({ code }) => code))].filter(
  (code) => code !== PIVOT
)

/** Rows that were read within this time are not read again. */
const freshMs = 1000
/** A smaller move is not written until an hour has passed. */
const smallMove = "0.01"
const hourMs = 3_600_000
/** How often the second source is asked while the first one does not change. */
const secondMs = 10_000
/** How long a repeated write of one version is recognised. */
const recognisedMs = DAY_MS

interface Known extends Accepted {
  /** The row, as it was read or written last. Null: there is none yet. */
  readonly row: Row<AcceptedRateData> | null
}

const formatPercent = (width: string): string => `${Number((Number(width) * 100).toPrecision(6))} %`

const formatAgo = (ms: number): string =>
  ms < 120_000
    ? `${Math.max(0, Math.round(ms / 1000))} s ago`
    : ms < 2 * DAY_MS
      ? `${Math.round(ms / MINUTE_MS)} min ago`
      : `${Math.round(ms / DAY_MS)} days ago`

const toKnownRate = (row: Row<AcceptedRateData>): Known => {
  const { accepted_at, day_at, day_per_usd, per_usd } = row.data
  const last: RateAt = { per_usd, at: accepted_at }
  return { ...last, minute: last, day: { per_usd: day_per_usd, at: day_at }, row }
}

/** Merges a stored rate into the one that a node knows. A later one of the node stays, unless an operator has decided. */
const mergeRow = (known: Known | undefined, row: Row<AcceptedRateData>): Known => {
  if (known === undefined) return toKnownRate(row)
  if (known.row?.version === row.version) return known
  const hasDecided = row.data.operator_at !== (known.row?.data.operator_at ?? null)
  return hasDecided || row.data.accepted_at >= known.at ? toKnownRate(row) : { ...known, row }
}

/** Whether an accepted rate should be written: the first one, after a move of a percent, or after an hour. */
const isWriteDue = ({ at, per_usd, row }: Known): boolean => {
  if (row === null) return true
  const age = at - row.data.accepted_at
  return age >= hourMs || (age >= MINUTE_MS && !isWithin(per_usd, row.data.per_usd, smallMove))
}

/** The state of a rate, as an operator sees it. `per_usd`: what the source says now. Null: it says nothing. */
export interface RateState {
  readonly currency: string
  readonly per_usd: string | null
  readonly row: Row<AcceptedRateData> | null
  readonly accepted: RateAt | null
  readonly held: string | null
}

const makeSelf = Effect.gen(function* () {
  const writes = yield* Queue.unbounded<string>()
  return {
    ...(yield* Effect.all({ source: Rates, setting: RateBandSetting, storage: Storage, unitOfWork: UnitOfWork })),
    known: new Map<string, Known>(),
    held: new Set<string>(),
    writes,
    waiting: new Set<string>(),
    comparedAt: new Map<string, number>(),
    readAt: Number.NEGATIVE_INFINITY
  }
})
type Self = Effect.Success<typeof makeSelf>

const findHeldGauge = (name: string) => metrics.rateHeld.of({ rate: name })

const readRows = (self: Self) =>
  Effect.gen(function* () {
    const { storage, known } = self
    const began = yield* wallNow
    const { items } = yield* storage.list({
      merchant_id: PLATFORM_MERCHANT,
      kinds: [AcceptedRateKind.kind],
      index_keys: [],
      offset: 0,
      limit: ratedCurrencies.length
    })
    self.readAt = began
    for (const row of items as ReadonlyArray<Row<AcceptedRateData>>)
      known.set(row.data.currency, mergeRow(known.get(row.data.currency), row))
  })

/** Reads the accepted rates, unless they were read just now. Those that are known are used while the store cannot be read. */
const refreshRows = (self: Self) =>
  Effect.gen(function* () {
    if ((yield* wallNow) - self.readAt < freshMs) return
    const outcome = yield* Effect.result(readRows(self))
    if (outcome._tag === "Failure" && self.readAt === Number.NEGATIVE_INFINITY)
      return yield* new ProviderFault({ message: "the last accepted rates cannot be read", cause: outcome.failure })
  })

/** Writes the last accepted rate of a currency. Another node's write of the same version counts. */
const writeLast = Effect.fnUntraced(function* (self: Self, currency: string) {
  const { known, unitOfWork, storage } = self
  const { at, day, per_usd, row } = known.get(currency)!
  const accepted = { per_usd, accepted_at: at, day_per_usd: day.per_usd, day_at: day.at }
  const version = (row?.version ?? 0) + 1
  yield* unitOfWork.apply(
    PLATFORM_MERCHANT,
    { deduplicationKey: `${rateId(currency)}/${version}`, deduplication_ms: recognisedMs },
    function* () {
      const key = { merchant_id: PLATFORM_MERCHANT, kind: AcceptedRateKind.kind, id: rateId(currency) }
      const [stored] = (yield* storage.get([key])) as ReadonlyArray<Row<AcceptedRateData>>
      // Another node was first, or an operator has decided.
      if ((stored?.version ?? 0) >= version) return { changes: [], result: undefined }
      if (stored !== undefined) {
        const next = yield* unitOfWork.step(AcceptedRateKind, stored, { type: "update", patch: accepted }, at)
        return { changes: next === undefined ? [] : [next.changes], result: undefined }
      }
      const none = { operator_per_usd: null, operator_at: null, note: null }
      const made = yield* begin(AcceptedRateKind, key, { currency, ...accepted, ...none }, at)
      return { changes: [made.changes], result: undefined }
    }
  )
  yield* readRows(self)
})

/** Waits for a currency whose rate is to be written, and writes it. */
const makeWriter = (self: Self) =>
  Effect.gen(function* () {
    const { writes, waiting } = self
    const currency = yield* Queue.take(writes)
    yield* Effect.catchCause(writeLast(self, currency), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.logWarning(`the accepted rate of ${currency} was not written; this is tried again`, cause)
    )
    waiting.delete(currency)
  })

/** Keeps an accepted rate in this node, and has it written to the store if that is due. A dry run leaves the write to a later call. */
const keepAccepted = ({ known, waiting, writes }: Self, currency: string, accepted: Known, isDry: boolean): void => {
  known.set(currency, accepted)
  if (isDry || !isWriteDue(accepted) || waiting.has(currency)) return
  waiting.add(currency)
  Queue.offerUnsafe(writes, currency)
}

/** Ends the hold of a rate that is within its band again. `name`: a currency, or a pair as `SOURCE/DESTINATION`. */
const releaseRate = ({ held }: Self, name: string): Effect.Effect<void> => {
  if (!held.delete(name)) return Effect.void
  findHeldGauge(name).record(0)
  return Effect.logInfo(`the rate of ${name} is used again`)
}

/** Holds a rate that is outside of its band: fails, as if the source had not answered. `name`: as in {@link releaseRate}. */
const holdRate = Effect.fnUntraced(function* ({ held }: Self, name: string, reason: string) {
  if (!held.has(name)) yield* Effect.logWarning(`the rate of ${name} is held: ${reason}`)
  held.add(name)
  findHeldGauge(name).record(1)
  return yield* new ProviderFault({ message: `the rate of ${name} is held: ${reason}` })
})

/** Says why the second source contradicts a rate. Null: it does not, or does not answer. */
const findContradiction = Effect.fnUntraced(function* (
  { minute, between }: RateBandWidths,
  second: Rates["Service"],
  currency: string,
  per_usd: string,
  row: Row<AcceptedRateData> | null,
  now: number
) {
  const { operator_at = null, operator_per_usd = null } = row?.data ?? {}
  if (operator_per_usd !== null && operator_at !== null && now - operator_at < DAY_MS)
    if (isWithin(per_usd, operator_per_usd, minute)) return null
  const other = yield* Effect.orElseSucceed(second.perUsd(currency), () => null)
  return other === null || isWithin(per_usd, other, between)
    ? null
    : `it is ${per_usd}, and ${other} by the second source; at most ${formatPercent(between)} between them is taken`
})

/** Says why a rate may not follow `last`. Null: it may. */
const explainOutside = Effect.fnUntraced(function* (
  { second, widths }: Band,
  currency: string,
  per_usd: string,
  last: Known | undefined,
  now: number
) {
  const judgement = last === undefined ? undefined : judgeRate(last, per_usd, now, widths)
  if (judgement?._tag === "outside") {
    const { from, window } = judgement
    return `it is ${per_usd}, and ${from.per_usd} was accepted ${formatAgo(now - from.at)}; at most ${formatPercent(widths[window])} in a ${window} is taken. An operator who has checked it accepts it with POST /operator/v1/rates/${currency}/accept`
  }
  return second === null ? null : yield* findContradiction(widths, second, currency, per_usd, last?.row ?? null, now)
})

/** Compares the rate of a source with the band of a currency, and accepts it if it is within. Returns why not, or null. */
const acceptRate = Effect.fnUntraced(function* (
  self: Self,
  band: Band,
  currency: string,
  per_usd: string
): Effect.fn.Return<string | null, ProviderFault> {
  const { known, comparedAt } = self
  const { second, widths } = band
  const now = yield* Clock.currentTimeMillis
  const before = known.get(currency)
  const isRecent = before !== undefined && (before.per_usd === per_usd || now - before.at < MINUTE_MS)
  if (!isRecent || judgeRate(before, per_usd, now, widths)._tag === "outside") yield* refreshRows(self)
  const last = known.get(currency)
  const isCompared = last?.per_usd === per_usd && now - (comparedAt.get(currency) ?? 0) < secondMs
  const asked = second === null || isCompared ? { ...band, second: null } : band
  const reason = yield* explainOutside(asked, currency, per_usd, last, now)
  if (reason !== null) return reason
  if (asked.second !== null) comparedAt.set(currency, now)
  const judgement = last === undefined ? undefined : judgeRate(last, per_usd, now, widths)
  const accepted = judgement?._tag === "accepted" ? judgement.accepted : startWindows(per_usd, now)
  keepAccepted(self, currency, { ...accepted, row: last?.row ?? null }, (yield* DryRun) !== undefined)
  return null
})

const readPerUsd = Effect.fnUntraced(function* (self: Self, currency: string) {
  const { source, setting } = self
  const per_usd = yield* source.perUsd(currency)
  if (setting === "off" || currency === PIVOT) return per_usd
  const reason = yield* acceptRate(self, setting, currency, per_usd)
  if (reason !== null) return yield* holdRate(self, currency, reason)
  yield* releaseRate(self, currency)
  return per_usd
})

const readRate = Effect.fnUntraced(function* (self: Self, from: string, to: string) {
  const { setting, source } = self
  if (setting === "off") return yield* source.rate(from, to)
  const [value, given, taken] = yield* Effect.all(
    [source.rate(from, to), readPerUsd(self, from), readPerUsd(self, to)],
    {
      concurrency: "unbounded"
    }
  )
  const pair = `${from}/${to}`
  const { cross } = setting.widths
  if (!isNearCross(value, given, taken, cross))
    return yield* holdRate(
      self,
      pair,
      `it is ${value}, and the cross rate of ${from} (${given} for one US dollar) and ${to} (${taken}) differs by more than ${formatPercent(cross)}`
    )
  yield* releaseRate(self, pair)
  return value
})

/** Reads the state of a rate, as an operator sees it. */
const readState = Effect.fnUntraced(function* (
  { known, source, setting }: Self,
  currency: string,
  last = known.get(currency)
) {
  const now = yield* Clock.currentTimeMillis
  const per_usd = yield* Effect.orElseSucceed(source.perUsd(currency), () => null)
  return {
    currency,
    per_usd,
    row: last?.row ?? null,
    accepted: last === undefined ? null : { per_usd: last.per_usd, at: last.at },
    held: per_usd === null || setting === "off" ? null : yield* explainOutside(setting, currency, per_usd, last, now)
  } satisfies RateState as RateState
})

/** Reads a rate again by its name in `held`: `NGN`, or `USDC/NGN`. */
const readHeldRate = (self: Self, name: string): Effect.Effect<string, ProviderFault> => {
  const [from = "", to] = name.split("/")
  return to === undefined ? readPerUsd(self, from) : readRate(self, from, to)
}

export class RateBandCheck extends Context.Service<
  RateBandCheck,
  {
    /** The rates of all currencies as they are now. It accepts none. */
    readonly states: Effect.Effect<ReadonlyArray<RateState>, StorageFault>
    /** The rate of a currency, judged against a row that is about to be written. */
    readonly stateAfter: (row: Row<AcceptedRateData>) => Effect.Effect<RateState>
    /** Reads the accepted rates again, after an operator's decision. */
    readonly refreshed: Effect.Effect<void, StorageFault>
    /** Asks again for the rates that are held, and sets their gauges. */
    readonly recheck: Effect.Effect<void>
  }
>()("corridor/engine/RateBand") {
  /** Replaces the rates by those that are within the band. */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const self = yield* makeSelf
      const { held } = self
      for (const code of ratedCurrencies) findHeldGauge(code).record(0)
      yield* Effect.forkScoped(Effect.forever(makeWriter(self)))
      return Context.make(Rates, Rates.of(recordRates(bindFirst(self, { rate: readRate, perUsd: readPerUsd })))).pipe(
        Context.add(
          RateBandCheck,
          RateBandCheck.of({
            states: Effect.andThen(
              readRows(self),
              Effect.forEach(ratedCurrencies, (currency) => readState(self, currency), { concurrency: "unbounded" })
            ),
            stateAfter: (row) => readState(self, row.data.currency, toKnownRate(row)),
            refreshed: readRows(self),
            recheck: Effect.suspend(() =>
              Effect.forEach([...held], (name) => Effect.ignore(readHeldRate(self, name)))
            ).pipe(Effect.asVoid)
          })
        )
      )
    })
  )
}
