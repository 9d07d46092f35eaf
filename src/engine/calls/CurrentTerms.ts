/** The terms of a new quote: the rate, the range and the network fee of now, and the gateway fee by the fee schedule that applies (FEE-2). */
import { Context, DateTime, Effect, Layer } from "effect"
import { powerOfTen } from "../../machines/kernel/money.ts"
import type { ScheduledGateway, Terms } from "../../machines/kernel/pricing.ts"
import type { FeeScheduleData } from "../../machines/movements/fee-schedule.ts"
import { measureTags } from "../commit/index-keys.ts"
import type { StorageFault } from "../ports/errors.ts"
import { computeTerms, type PricedOperation, Pricing, type PricingRequest } from "../ports/Pricing.ts"
import { Rates } from "../ports/Rates.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../ports/Storage.ts"
import { makeLastRead } from "./last-read.ts"
import { awaitPrice } from "./provider-call.ts"

/** The kind of the rows of fee schedules. One for a merchant is that merchant's row, the others are the platform's. */
export const feeScheduleKind = "fee_schedule"

/** The most active schedules of one operation, for one merchant and for the platform each. */
export const activeSchedulesMax = 500

type Schedule = Row<FeeScheduleData>

const HOUR = 3_600_000

/** The index of a tag in the measures of the store. */
const findTagIndex = (name: (typeof measureTags)[number]): number => measureTags.indexOf(name)

/** Ranks how specific a schedule is: a merchant counts most, then the source currency, then the destination currency. */
const rankSchedule = ({ data: d }: Schedule): number =>
  (d.merchant_id === null ? 0 : 4) + (d.source_currency === null ? 0 : 2) + (d.destination_currency === null ? 0 : 1)

const covers = (named: string | null, currency: string): boolean => named === null || named === currency

/**
 * Chooses the schedule that decides the fee: the most specific of those that are valid and cover the currencies; of equals the newest
 * `valid_from`, then the newest.
 */
export const chooseSchedule = (
  schedules: ReadonlyArray<Schedule>,
  { destination, source }: PricingRequest,
  at: number
): Schedule | undefined =>
  schedules
    .filter(
      ({ data: d }) =>
        d.valid_from <= at && covers(d.source_currency, source.code) && covers(d.destination_currency, destination.code)
    )
    .toSorted(
      (a, b) =>
        rankSchedule(b) - rankSchedule(a) ||
        b.data.valid_from - a.data.valid_from ||
        b.created_at - a.created_at ||
        (b.id < a.id ? -1 : 1)
    )[0]

/** Converts hundredths of a percent to a fraction: `"12.5"` is `"0.00125"`. */
const toFraction = (bps: string): string => {
  const [whole = "", decimals = ""] = bps.split(".")
  return `0.${whole.padStart(4, "0")}${decimals}`
}

/** The schedule that applies to a request, with the volume that chooses its tier, in minor units of the source currency. */
interface AppliedSchedule {
  readonly schedule: Schedule
  readonly volume: bigint
  readonly source: PricingRequest["source"]
}

/** Finds the tier that the volume has reached last, with what movements ahead add to it. -1: none. */
const findTier = ({ schedule, source, volume }: AppliedSchedule, ahead: bigint): number =>
  schedule.data.tiers.findLastIndex(({ above }) => hasReached(volume + ahead, above, source.ledger_scale))

const toGateway = (applied: AppliedSchedule | null, ahead: bigint): ScheduledGateway | null => {
  if (applied === null) return null
  const { data: d, id } = applied.schedule
  const { bps, fixed } = d.tiers[findTier(applied, ahead)] ?? d
  return {
    gateway: toFraction(bps),
    schedule: { fee_schedule_id: id, fixed, minimum: d.min, maximum: d.max }
  }
}

/** Whether a volume has reached the start of a tier. Exact, also for an amount with more decimals than the currency has. */
const hasReached = (volume: bigint, above: string, scale: number): boolean => {
  const [whole = "", decimals = ""] = above.split(".")
  return volume * powerOfTen(decimals.length) >= BigInt(whole + decimals) * powerOfTen(scale)
}

/**
 * Reads the merchant's source volumes of an operation by currency in the calendar month (UTC) of `at`, in minor units: what statistics
 * count of movements that were created in it and have not failed. An onramp counts once it has succeeded: before, nobody has paid. The sums
 * of the store are exact at any moment.
 */
const readVolumes = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  { merchant_id, operation }: Pick<PricingRequest, "merchant_id" | "operation">,
  at: number
): Effect.fn.Return<ReadonlyMap<string, bigint>, StorageFault> {
  const month = DateTime.startOf(DateTime.makeUnsafe(at), "month")
  const sums = yield* storage.measures({
    merchant_id,
    kinds: [operation],
    from: DateTime.toEpochMillis(month) / HOUR,
    to: DateTime.toEpochMillis(DateTime.add(month, { months: 1 })) / HOUR,
    step: null,
    by_merchant: false,
    by_kind: false,
    tags: [findTagIndex("outcome"), findTagIndex("currency")],
    width: measureTags.length
  })
  const counted = operation === "onramp" ? ["succeeded"] : ["succeeded", "open"]
  const volumes = new Map<string, bigint>()
  for (const { amount, tags } of sums) {
    const currency = tags[findTagIndex("currency")] ?? ""
    if (counted.includes(tags[findTagIndex("outcome")] ?? ""))
      volumes.set(currency, (volumes.get(currency) ?? 0n) + BigInt(amount))
  }
  return volumes
})

/** What was asked for already by a call that prices many movements at once, as of its first: terms by corridor and tier. */
export class AskedTerms {
  readonly terms = new Map<string, Terms>()
  readonly schedules = new Map<string, AppliedSchedule | null>()

  /** Whether movements of a source currency have other fees once those ahead of them have moved so much of it. */
  hasOtherTier(source: string, ahead: bigint): boolean {
    return [...this.schedules.values()].some(
      (one) => one?.source.code === source && findTier(one, ahead) !== findTier(one, 0n)
    )
  }
}

export const KnownTerms = Context.Reference<AskedTerms | undefined>("corridor/engine/KnownTerms", {
  defaultValue: () => undefined
})

/**
 * The volume that chooses the fee of a movement which is one of many, in minor units of its source currency. `ahead`: what those ahead of it
 * add. `since`: what the store had counted before the first of them. Undefined: what it counts now, which has none of them.
 */
export const VolumeAhead = Context.Reference<{ readonly ahead: bigint; readonly since?: bigint }>(
  "corridor/engine/VolumeAhead",
  { defaultValue: () => ({ ahead: 0n }) }
)

export class CurrentTerms extends Context.Service<CurrentTerms>()("corridor/engine/CurrentTerms", {
  make: Effect.gen(function* () {
    const [storage, rates, pricing] = yield* Effect.all([Storage, Rates, Pricing])
    const active = (merchant_id: string, operation: PricedOperation) =>
      Effect.map(
        storage.list({
          merchant_id,
          kinds: [feeScheduleKind],
          index_keys: ["status=active", `operation=${operation}`],
          offset: 0,
          limit: activeSchedulesMax
        }),
        ({ items }) => items as ReadonlyArray<Schedule>
      )

    const ofNoMerchant = (operation: PricedOperation) => makeLastRead(active(PLATFORM_MERCHANT, operation), 0)
    const platform = {
      onramp: ofNoMerchant("onramp"),
      offramp: ofNoMerchant("offramp"),
      conversion: ofNoMerchant("conversion")
    }

    const findSchedule = Effect.fnUntraced(function* (
      request: PricingRequest,
      at: number,
      since?: bigint
    ): Effect.fn.Return<AppliedSchedule | null, StorageFault> {
      const { merchant_id, operation, source } = request
      const schedules = yield* Effect.all([active(merchant_id, operation), platform[operation].current], {
        concurrency: 2
      })
      const schedule = chooseSchedule(schedules.flat(), request, at)
      if (schedule === undefined) return null
      const isRead = schedule.data.tiers.length > 0 && since === undefined
      const volume = isRead ? (yield* readVolumes(storage, request, at)).get(source.code) : since
      return { schedule, volume: volume ?? 0n, source }
    })

    const scheduled = (request: PricingRequest, at: number) =>
      Effect.map(findSchedule(request, at), (one) => toGateway(one, 0n))

    const priceWith = (request: PricingRequest, gateway: ScheduledGateway | null) =>
      computeTerms(request, gateway).pipe(
        Effect.provideService(Rates, rates),
        Effect.provideService(Pricing, pricing),
        awaitPrice
      )

    return {
      /**
       * The terms of a quote that is made now. They are stored with it and never change. `at`: the date of the quote, in epoch
       * milliseconds, which says what schedules are valid. `locked`: the fee that was {@link scheduled} before, while there was no rate.
       *
       * A new schedule decides the next quote, on every node, because each quote reads the schedules. While those of no merchant cannot be
       * read, the ones that were read just before are used, for an hour: nobody can have changed them.
       *
       * Errors: `ExternalServiceUnavailable` when no rate is available; `StorageFault`.
       */
      of: Effect.fnUntraced(function* (request: PricingRequest, at: number, locked?: ScheduledGateway | null) {
        const known = yield* KnownTerms
        if (locked !== undefined) return yield* priceWith(request, locked)
        const corridor = [
          request.merchant_id,
          request.operation,
          request.source.code,
          request.destination.code,
          request.network
        ].join("/")
        const { ahead, since } = yield* VolumeAhead
        const schedule = known?.schedules.get(corridor)
        const applied = schedule === undefined ? yield* findSchedule(request, at, since) : schedule
        known?.schedules.set(corridor, applied)
        const asked = `${corridor}/${applied === null ? "" : findTier(applied, ahead)}`
        const terms = known?.terms.get(asked) ?? (yield* priceWith(request, toGateway(applied, ahead)))
        known?.terms.set(asked, terms)
        return terms
      }),
      /** The gateway fee of now by its schedule, where there is no rate yet. Null: no schedule applies. */
      scheduled,
      /** The volumes of a merchant that choose the tiers of an operation now, by source currency. */
      volumes: (request: Pick<PricingRequest, "merchant_id" | "operation">, at: number) =>
        readVolumes(storage, request, at),
      /** This process has changed the schedules of no merchant: those that were read before count no more. */
      forget: (operation: PricedOperation) => platform[operation].forget()
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
