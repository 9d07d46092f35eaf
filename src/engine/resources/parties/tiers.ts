/** Tier limits on cumulative deposits (TIER-1, TIER-2). */
import { Context, Effect, Layer } from "effect"
import type { LimitWindow } from "../../../machines/controls/limit.ts"
import type { CustomerData, Tier } from "../../../machines/parties/customer.ts"
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import {
  type CountedPart,
  DepositTotal,
  type DepositTotalData,
  type DepositTotalEvent
} from "../../../machines/parties/deposit-total.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { toUsdMicros } from "../../../machines/kernel/pricing.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { begin } from "../../commit/steps.ts"
import {
  ExternalServiceUnavailable,
  InvariantViolation,
  type StorageFault,
  type Unavailable
} from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import type { Kind } from "../../commit/kind.ts"
import { Rates } from "../../ports/Rates.ts"
import { requireCurrency } from "../../reference/currencies.ts"
import { toCanonicalJson } from "../../ports/canonical-json.ts"
import { counterBucketsMax, type Row, Storage } from "../../ports/Storage.ts"
import { askOncePerWrite } from "../../commit/attempts.ts"
import { ActiveLimits } from "../../calls/ActiveLimits.ts"
import { describeWindow, sumWindow, findWindow } from "../../calls/limit-windows.ts"
import { awaitPrice } from "../../calls/provider-call.ts"

/** Its id is the customer's. */
export const DepositTotalKind: Kind<DepositTotalData, DepositTotalEvent> = {
  kind: "deposit_total",
  lifecycle: DepositTotal
}

/** The limit of a tier in millionths of a US dollar at the mid rate, and the window in which deposits count. */
interface TierLimit {
  readonly max: bigint
  readonly window: LimitWindow
}

/** The limits of tiers that have no limit of their own (LIMITS-9). Null: no limit. */
const defaults: Readonly<Record<Tier, TierLimit | null>> = {
  tier_0: { max: 1_000_000_000n, window: "total" },
  tier_1: { max: 50_000_000_000n, window: "total" },
  tier_2: null
}

/** Millionths of a dollar in a cent, the unit of a limit in USD. */
const microsInCent = 10_000n

/** Reads the limit of a tier: the newest active one that names it, or its default. Null: no limit. */
const readLimit = ({ limits }: Pick<Deps, "limits">, tier: Tier): Effect.Effect<TierLimit | null, StorageFault> =>
  Effect.map(limits.current, (active) => {
    const own = active.findLast(({ data }) => data.tier === tier)?.data
    return own === undefined ? defaults[tier] : { max: BigInt(own.max_amount!) * microsInCent, window: own.window }
  })

/** Formats an amount in dollars, with cents if there are any. */
const formatDollars = (micros: bigint): string => {
  const dollars = (micros / 1_000_000n).toString().replace(/\B(?=(?:\d{3})+$)/g, ",")
  const cents = (micros % 1_000_000n) / microsInCent
  return cents === 0n ? dollars : `${dollars}.${cents.toString().padStart(2, "0")}`
}

/** Formats the limit of a tier: US dollars with thousands separators, and the window. Null: no limit (TIER-3). */
const formatLimit = (deps: Deps, tier: Tier): Effect.Effect<string | null, StorageFault> =>
  Effect.map(readLimit(deps, tier), (limit) =>
    limit === null ? null : `USD ${formatDollars(limit.max)}${describeWindow(limit.window)}`
  )

type Total = Row<DepositTotalData> | undefined

/** The most windows of which a total keeps what was counted. */
const windowsMax = 8

/**
 * The key of a window in a total of deposits. Each window numbers its buckets of time in its own way, so that those of one are never read as
 * those of another.
 */
const nameWindow = (window: LimitWindow): string => toCanonicalJson(window)

/** Lists the counted parts of a window. */
const listBuckets = (total: Total, window: LimitWindow): ReadonlyArray<CountedPart> => {
  const { buckets = [], others = [], window: last } = total?.data ?? {}
  return last === nameWindow(window)
    ? buckets
    : (others.find((one) => one.window === nameWindow(window))?.buckets ?? [])
}

/** Sums the part of its limit that a customer has used at a time. */
const sumUse = (total: Total, { window }: TierLimit, at: number): bigint =>
  window === "total"
    ? BigInt(total?.data.usd_micros ?? "0")
    : sumWindow(findWindow(window, at)!, { key: "", amounts: listBuckets(total, window) })

interface Money {
  readonly customer_id: string
  readonly amount: string
  readonly currency: string
}

const makeDeps = Effect.all({ unitOfWork: UnitOfWork, storage: Storage, rates: Rates, ids: Ids, limits: ActiveLimits })
type Deps = Effect.Success<typeof makeDeps>

const convertToUsd = Effect.fnUntraced(function* ({ rates }: Deps, { amount, currency }: Money) {
  const perUsd = yield* askOncePerWrite(`perUsd/${currency}`, awaitPrice(rates.perUsd(currency)))
  return toUsdMicros(BigInt(amount), requireCurrency(currency), perUsd)
})

const readLimitAndTotal = Effect.fnUntraced(function* (deps: Deps, merchant_id: string, customer_id: string) {
  const { storage } = deps
  const rows = yield* storage.get([
    { merchant_id, kind: "customer", id: customer_id },
    { merchant_id, kind: "deposit_total", id: customer_id }
  ])
  const customer = rows.find((row) => row.kind === "customer") as Row<CustomerData> | undefined
  if (customer === undefined) throw new InvariantViolation(`the customer ${customer_id} exists`)
  return {
    limit: yield* readLimit(deps, customer.data.tier),
    total: rows.find((row) => row.kind === "deposit_total") as Total
  }
})

/** Adds an amount to the current part of the limit's window, in a total of deposits. */
const addToParts = (
  total: Total,
  { window }: TierLimit,
  by: bigint,
  at: number
): Omit<DepositTotalData, "usd_micros"> => {
  const now = findWindow(window, at)!
  const amounts = new Map(listBuckets(total, window).map(({ bucket, amount }) => [bucket, BigInt(amount)]))
  amounts.set(now.bucket, (amounts.get(now.bucket) ?? 0n) + by)
  const buckets = [...amounts]
    .toSorted(([a], [b]) => a - b)
    .slice(-counterBucketsMax)
    .map(([bucket, amount]) => ({ bucket, amount: amount.toString() }))
  const { buckets: last = [], others = [], window: named } = total?.data ?? {}
  const before = named === undefined ? others : [{ window: named, buckets: last }, ...others]
  const left = before.filter((one) => one.window !== nameWindow(window)).slice(0, windowsMax - 1)
  return { window: nameWindow(window), buckets, ...(left.length === 0 ? {} : { others: left }) }
}

const raiseTotal = Effect.fnUntraced(function* (
  { ids, unitOfWork }: Deps,
  merchant_id: string,
  customer_id: string,
  total: Total,
  limit: TierLimit | null,
  by: bigint,
  at: number
): Effect.fn.Return<ReadonlyArray<ChangeSet>, StorageFault> {
  const data: DepositTotalData = {
    usd_micros: (BigInt(total?.data.usd_micros ?? "0") + by).toString(),
    ...(limit === null || limit.window === "total" ? {} : addToParts(total, limit, by, at))
  }
  if (total === undefined) {
    const made = yield* Effect.provideService(
      begin(DepositTotalKind, { merchant_id, id: customer_id, customer_id }, data, at),
      Ids,
      ids
    )
    return [made.changes]
  }
  const next = yield* unitOfWork.step(DepositTotalKind, total, { type: "update", patch: data }, at)
  return next === undefined ? [] : [next.changes]
})

/**
 * Whether a deposit is within its customer's limit, and the changes that count it. A deposit that is withheld for another
 * reason is not counted. The total is committed together with the credit, at the version that was read, so that two
 * deposits cannot both use the rest of the limit.
 * Errors: `ExternalServiceUnavailable` when no rate is available.
 */
const admitDeposit = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  money: Money,
  at: number,
  withheld = false
) {
  const { limit, total } = yield* readLimitAndTotal(deps, merchant_id, money.customer_id)
  if (limit === null) return { within: true, changes: [] as ReadonlyArray<ChangeSet> }
  const by = yield* convertToUsd(deps, money)
  const within = sumUse(total, limit, at) + by <= limit.max
  // A held deposit writes the total too, so that a concurrent approval reads the held deposits again.
  return {
    within,
    changes: yield* raiseTotal(deps, merchant_id, money.customer_id, total, limit, within && !withheld ? by : 0n, at)
  }
})

/** The changes that release a held deposit. Undefined while there is no rate for them. */
type Release<M> = (deposit: M) => Effect.Effect<ReadonlyArray<ChangeSet> | undefined, StorageFault>

/** The next of the held deposits, in order, each time it is run. Undefined: there are no more. */
type NextHeld<M> = Effect.Effect<ReadonlyArray<M> | undefined, StorageFault>

/** A customer, and the tier that it gets. */
interface Whose {
  readonly merchant_id: string
  readonly customer_id: string
  readonly tier: Tier
}

/**
 * Makes a function that runs the queries of one write that need a rate. A query returns undefined if its rate is missing, and later queries of
 * that rate do so without asking: a source that does not answer takes its time.
 */
export const skipMissingRates = () => {
  const away = new Set<string>()
  return <A>(rate: string, query: Effect.Effect<A, Unavailable>): Effect.Effect<A | undefined, StorageFault> =>
    away.has(rate)
      ? Effect.succeed(undefined)
      : Effect.catchTag(query, "ExternalServiceUnavailable", () => Effect.sync(() => void away.add(rate)))
}

/**
 * Releases the held deposits of a customer that fit the limit of a new tier, in order and at most `most` of them, and counts them. Deposits
 * withheld for another reason do not count. A deposit that has no rate to value or release it (undefined) is passed over and does not stop
 * the others; if its value is known, it keeps its room in the limit. `more`: further deposits fit, or were passed over. Law: the total is
 * read before `held` runs, and is always written, so a concurrent decision on the old tier is made again, or its deposit is
 * among them. Errors: `ExternalServiceUnavailable` when only passed-over deposits are left.
 */
const releaseFitting = Effect.fnUntraced(function* <M extends Money & { readonly withheld: boolean }>(
  deps: Deps,
  { merchant_id, customer_id, tier }: Whose,
  held: NextHeld<M>,
  release: Release<M>,
  most: number,
  at: number
): Effect.fn.Return<{ readonly changes: ReadonlyArray<ChangeSet>; readonly more: boolean }, Unavailable> {
  const { total } = yield* readLimitAndTotal(deps, merchant_id, customer_id)
  const limit = yield* readLimit(deps, tier)
  const rated = skipMissingRates()
  const released: Array<ReadonlyArray<ChangeSet>> = []
  let taken = limit === null ? 0n : sumUse(total, limit, at)
  let counted = 0n
  let more = false
  pages: for (let page = yield* held; page !== undefined; page = yield* held)
    for (const deposit of page) {
      const by = limit === null ? 0n : yield* rated(deposit.currency, convertToUsd(deps, deposit))
      if (by !== undefined && limit !== null && taken + by > limit.max) continue
      more ||= by === undefined || released.length === most
      if (released.length === most) break pages
      if (by === undefined) continue
      const changes = yield* release(deposit)
      if (!deposit.withheld) taken += by
      more ||= changes === undefined
      if (changes === undefined) continue
      if (!deposit.withheld) counted += by
      released.push(changes)
    }
  if (more && released.length === 0)
    return yield* new ExternalServiceUnavailable({
      message: "The deposits that are held cannot be released without a rate."
    })
  return {
    changes: [...(yield* raiseTotal(deps, merchant_id, customer_id, total, limit, counted, at)), ...released.flat()],
    more
  }
})

/** Counts a deposit that the operator released, even above the limit. */
const countDeposit = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  money: Pick<DepositData, "customer_id" | "amount" | "currency">,
  at: number
) {
  const { limit, total } = yield* readLimitAndTotal(deps, merchant_id, money.customer_id)
  if (limit === null) return [] as ReadonlyArray<ChangeSet>
  return yield* raiseTotal(deps, merchant_id, money.customer_id, total, limit, yield* convertToUsd(deps, money), at)
})

export class Tiers extends Context.Service<Tiers>()("corridor/engine/Tiers", {
  make: Effect.map(makeDeps, (deps) => ({
    ...bindFirst(deps, { admit: admitDeposit, count: countDeposit, formatLimit }),
    fit: <M extends Money & { readonly withheld: boolean }>(
      whose: Whose,
      held: NextHeld<M>,
      release: Release<M>,
      most: number,
      at: number
    ) => releaseFitting(deps, whose, held, release, most, at)
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
