/**
 * The limits that are active now, and what an act takes of them (LIMITS-2, LIMITS-3).
 *
 * An act is weighed before it is decided: what it would take, what is used, and whether there is room. What it takes is written as
 * guarded counters in the Change of the act. The store then has the last word, so that what is read here may be old.
 */
import { Context, Effect, Layer } from "effect"
import type { LimitData, LimitOperation } from "../../machines/controls/limit.ts"
import { bound } from "../../machines/kernel/bound.ts"
import type { Counted, CountedLater } from "../../machines/kernel/payout.ts"
import { atMid } from "../../machines/kernel/pricing.ts"
import type { ChangeSet, CounterGuard } from "../commit/changeset.ts"
import { askOncePerWrite } from "../commit/row-queues.ts"
import { DryRun, type UsedOfLimit } from "../ports/dry-run.ts"
import { InvalidInput, type StorageFault, type Unavailable } from "../ports/errors.ts"
import { Rates } from "../ports/Rates.ts"
import { type CounterWrite, PLATFORM_MERCHANT, type Row, Storage, type StoredCounter } from "../ports/Storage.ts"
import { isoOrNull } from "../ports/Time.ts"
import { currencyOf, displayAmount } from "../reference/currencies.ts"
import { everyRow } from "./every-row.ts"
import { type CountedWindow, resetsAt, usedIn, windowAt } from "./limit-windows.ts"
import { lastRead } from "./last-read.ts"
import { priceOf } from "./provider-call.ts"

/** The kind of the rows of limits, which are the platform's. */
export const limitKind = "limit"

/** How long a node uses the limits that it has read, in milliseconds (LIMITS-8). */
const freshMs = 5_000

/** The most limits that can be active. */
export const activeLimitsMax = 500

/** An amount of an act, in minor units, and what it becomes where it is exchanged: each says the same in its currency. */
export type LimitedAmount = ReadonlyArray<readonly [minor: string, currency: string]>

/** What the rows of a batch that become movements of one operation come to, in one pair of currencies. */
export interface LimitedRows {
  readonly operation: "transfer" | "offramp"
  readonly amounts: LimitedAmount
}

/**
 * An act that limits count. `amounts`: what it takes; empty for an act without an amount, of which a maximum amount counts nothing.
 * `more`: other amounts that add to it. `rows`: those of a batch, which add to it where the limit does not count their movements.
 */
export interface LimitedAct {
  readonly operations: ReadonlyArray<LimitOperation>
  readonly merchant_id: string
  /** The merchant of the Change, if it is another: its place has the counters. */
  readonly written_by?: string
  readonly customer_id?: string | null
  readonly wallet_id?: string | null
  /** The wallet that it brings money to, where it takes it from another. */
  readonly to_wallet_id?: string | null
  readonly beneficiary_id?: string | null
  /** The API key of the caller. */
  readonly api_key_id?: string | null
  readonly amounts: LimitedAmount
  readonly more?: ReadonlyArray<LimitedAmount>
  readonly rows?: ReadonlyArray<LimitedRows>
  /** The member of the request that a refusal names. */
  readonly field: string
}

/** What an act takes of one maximum. Amounts are decimal strings in the currency of the limit, counts are numbers. */
export interface LimitUse {
  readonly limit_id: string
  readonly action: LimitData["action"]
  readonly max: string | number
  readonly used: string | number
  readonly would_use: string | number
  readonly resets_at: string | null
  /** There is no room for the act. */
  readonly exceeded: boolean
}

/** An act against the limits that cover it. */
export interface Weighed {
  /** One for each maximum of each limit, oldest limit first. */
  readonly uses: ReadonlyArray<LimitUse>
  /** To be committed with the act. With `approved`, limits whose action is `approve` count it and do not stop it. */
  readonly changes: (approved?: boolean) => ReadonlyArray<ChangeSet>
  /** To be kept with what the act makes, and given back by {@link givingBack}. */
  readonly counted: ReadonlyArray<Counted>
}

/** An act that may wait, against the limits that cover it: those that let it wait count it when it is approved. */
export interface Waitable {
  readonly changes: ReadonlyArray<ChangeSet>
  readonly counted: ReadonlyArray<Counted>
  /** The limits over which it is. Empty: it does not wait. */
  readonly over: ReadonlyArray<string>
  /** What it counts once it is approved. */
  readonly later: ReadonlyArray<CountedLater>
}

const unlimited: Weighed & Measures = { uses: [], changes: () => [], counted: [], refusals: [], measured: [] }
const uncounted: Waitable = { changes: [], counted: [], over: [], later: [] }

/**
 * Limits whose action is `approve` do not stop the acts of a fiber that has this, and note here that they would: what the act is to wait
 * for, or what was approved (LIMITS-10). `undefined`: they refuse.
 */
export const OverLimits = Context.Reference<Set<string> | undefined>("corridor/engine/OverLimits", {
  defaultValue: () => undefined
})

/** What an act counts to: the ids of the limit's scope. None: the limit does not cover the act. */
const subjectsOf = ({ scope, scope_id }: LimitData, act: LimitedAct): ReadonlyArray<string> => {
  const subjects = {
    platform: "platform",
    merchant: act.merchant_id === PLATFORM_MERCHANT ? null : act.merchant_id,
    customer: act.customer_id,
    wallet: [act.wallet_id, act.to_wallet_id],
    beneficiary: act.beneficiary_id,
    api_key: act.api_key_id
  }[scope]
  return [subjects]
    .flat()
    .filter((subject) => typeof subject === "string")
    .filter((subject) => !(scope_id !== null && scope_id !== subject))
}

const sorts = ["amount", "count"] as const
type Sort = (typeof sorts)[number]

/** The key of a counter: of a limit, for one of its scope. Limits and what they are of have different ids in the whole store. */
export const counterKey = (limit_id: string, subject: string, sort: Sort): string => `${limit_id}/${subject}/${sort}`

/** Whether a counter is of amounts. */
export const isAmountKey = (key: string): boolean => key.endsWith("/amount" satisfies `/${Sort}`)

const shownAs =
  ({ currency }: LimitData, sort: Sort) =>
  (value: bigint): string | number =>
    sort === "count" ? Number(value) : displayAmount(value, currency!)

export const maximumOf = ({ max_amount, max_count }: LimitData, sort: Sort): bigint | undefined => {
  const max = sort === "amount" ? max_amount : max_count
  return max === null ? undefined : BigInt(max)
}

/** One maximum that an act is weighed against. `window` undefined: the act by itself. */
interface Measured {
  readonly limit: Row<LimitData>
  readonly sort: Sort
  readonly key: string
  readonly add: bigint
  readonly max: bigint
  readonly window: CountedWindow | undefined
}

const useOf = ({ add, limit, max, sort, window }: Measured, stored: StoredCounter | undefined): LimitUse => {
  const used = window === undefined ? 0n : usedIn(window, stored)
  const shown = shownAs(limit.data, sort)
  return {
    limit_id: limit.id,
    action: limit.data.action,
    max: shown(max),
    used: shown(used),
    would_use: shown(used + add),
    resets_at: isoOrNull(window === undefined ? null : resetsAt(window, stored, add, max)),
    exceeded: used + add > max
  }
}

const windowWords = ({ window }: LimitData): string =>
  window === "movement" || window === "total"
    ? ""
    : "rolling" in window
      ? ` in ${window.rolling}`
      : ` a ${window.calendar} in ${window.time_zone}`

/** The refusal of an act over a limit (LIMITS-5). */
const refusalOf = ({ limit, sort }: Measured, field: string, use: LimitUse): InvalidInput => {
  const { limit_id, max, used, resets_at } = use
  const unit = sort === "count" ? "acts" : limit.data.currency!
  const message = `The limit ${limit_id} allows ${max} ${unit}${windowWords(limit.data)}, of which ${used} are used; with this they would be ${use.would_use}.`
  return new InvalidInput({
    message,
    errors: [{ field, code: "limit_exceeded", message, limit_id, max, used, resets_at }]
  })
}

/** What an act was weighed by. */
export interface Measures {
  readonly measured: ReadonlyArray<Measured>
  readonly refusals: ReadonlyArray<readonly [limit: Row<LimitData>, refusal: InvalidInput]>
}

const makeDeps = Effect.gen(function* () {
  const storage = yield* Storage
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [limitKind], index_keys: ["status=active"] }
  const read = Effect.map(
    everyRow(storage, query, () => true),
    (rows) => (rows as ReadonlyArray<Row<LimitData>>).toReversed()
  )
  return { storage, rates: yield* Rates, active: lastRead<ReadonlyArray<Row<LimitData>>>(read, freshMs) }
})
type Deps = Effect.Success<typeof makeDeps>

/** What an amount is in the currency of a limit. Errors: `ExternalServiceUnavailable` without a rate. */
const measure = Effect.fnUntraced(function* (
  { rates }: Deps,
  amounts: LimitedAmount,
  currency: string
): Effect.fn.Return<bigint, Unavailable> {
  const own = amounts.find(([, code]) => code === currency)
  if (own !== undefined) return BigInt(own[0])
  const [minor, code] = amounts[0]!
  const perUsd = (of: string) => askOncePerWrite(`perUsd/${of}`, priceOf(rates.perUsd(of)))
  const [from, to] = [yield* perUsd(code), yield* perUsd(currency)]
  return atMid(BigInt(minor), [currencyOf(code), from], [currencyOf(currency), to])
})

/** The amounts of an act that add up, for a limit, which counts each payout once (LIMITS-11). Empty: the act has none. */
const addedBy = ({ amounts, more = [], rows = [] }: LimitedAct, { operations }: LimitData) =>
  [
    amounts,
    ...more,
    ...rows
      .filter(({ operation }) => !operations.includes("payout") && !operations.includes(operation))
      .map((row) => row.amounts)
  ].filter(({ length }) => length > 0)

const measuredBy = Effect.fnUntraced(function* (
  deps: Deps,
  limit: Row<LimitData>,
  subject: string,
  act: LimitedAct,
  at: number
) {
  const { data, id } = limit
  const window = windowAt(data.window, at)
  // A store that got more places since has its share in each of them, so that no limit is passed (LIMITS-8).
  const places = data.scope === "platform" ? BigInt(deps.storage.places) : 1n
  const measured: Array<Measured> = []
  for (const sort of sorts) {
    const max = maximumOf(data, sort)
    if (max === undefined) continue
    const amounts = addedBy(act, data)
    if (sort === "amount" && amounts.length === 0) continue
    const sums = sort === "count" ? [1n] : yield* Effect.forEach(amounts, (one) => measure(deps, one, data.currency!))
    const add = sums.reduce((sum, one) => sum + one)
    measured.push({ limit, sort, key: counterKey(id, subject, sort), add, max: max / places, window })
  }
  return measured
})

const counterOf = ({ add, key, limit, max, window }: Measured, approved: boolean): ReadonlyArray<CounterWrite> =>
  window === undefined
    ? []
    : [
        {
          key,
          bucket: window.bucket,
          from: window.from,
          add: add.toString(),
          max: approved && limit.data.action === "approve" ? null : max.toString()
        }
      ]

/** What a dry run shows of the limits: of each maximum once, as it was weighed last. */
const shown = (limits: ReadonlyArray<UsedOfLimit>, uses: ReadonlyArray<LimitUse>): ReadonlyArray<UsedOfLimit> => {
  const now = uses.map(shownUse)
  const isSame = (a: UsedOfLimit, b: UsedOfLimit) => a.limit_id === b.limit_id && a.max === b.max
  return [...limits.filter((one) => !now.some((other) => isSame(one, other))), ...now]
}

/** What a dry run shows of one maximum. */
export const shownUse = ({ action, limit_id, max, resets_at, would_use }: LimitUse): UsedOfLimit => ({
  limit_id,
  action,
  max: String(max),
  used: String(would_use),
  resets_at
})

/**
 * An act against the limits that cover it, at `at` of the service's clock. It asks the store only where a limit covers the act.
 * Errors: `ExternalServiceUnavailable` when an amount has no rate to the currency of a limit.
 */
const weigh = (deps: Deps, act: LimitedAct, at: number): Effect.Effect<Weighed & Measures, Unavailable> =>
  Effect.flatMap(deps.active.current, (active) => {
    const covering = active.flatMap((limit) => {
      const { operations, tier } = limit.data
      const isOver = tier === null && operations.some((word) => act.operations.includes(word))
      return isOver ? subjectsOf(limit.data, act).map((subject) => ({ limit, subject })) : []
    })
    return covering.length === 0 ? Effect.succeed(unlimited) : weighed(deps, covering, act, at)
  })

interface Covering {
  readonly limit: Row<LimitData>
  readonly subject: string
}

const weighed = Effect.fnUntraced(function* (
  deps: Deps,
  covering: ReadonlyArray<Covering>,
  act: LimitedAct,
  at: number
): Effect.fn.Return<Weighed & Measures, Unavailable> {
  const measured = (yield* Effect.forEach(covering, ({ limit, subject }) =>
    measuredBy(deps, limit, subject, act, at)
  )).flat()
  const counters = measured.filter(({ window }) => window !== undefined)
  const stored = yield* deps.storage.counters(
    act.written_by ?? act.merchant_id,
    counters.map(({ key }) => key)
  )
  const uses = measured.map((one) =>
    useOf(
      one,
      stored.find(({ key }) => key === one.key)
    )
  )
  const dryRun = yield* Effect.service(DryRun)
  if (dryRun !== undefined) dryRun.limits = shown(dryRun.limits, uses)
  const guards: ReadonlyArray<CounterGuard> = counters.map((one) => ({
    key: one.key,
    action: one.limit.data.action,
    use: (now, added) => shownUse(useOf({ ...one, add: added }, now)),
    refusal: (now, added) => {
      const use = useOf({ ...one, add: added }, now)
      return use.exceeded ? refusalOf(one, act.field, use) : undefined
    }
  }))
  return {
    uses,
    measured,
    refusals: measured.flatMap((one, n) =>
      uses[n]!.exceeded ? [[one.limit, refusalOf(one, act.field, uses[n]!)] as const] : []
    ),
    changes: (approved = false) => [{ counters: counters.flatMap((one) => counterOf(one, approved)), guards }],
    counted: counters.map(({ add, key, window }) => ({ key, bucket: window!.bucket, add: add.toString() }))
  }
})

/** The refusal of the first limit that stops an act. With `over`, limits whose action is `approve` do not, and are added to it. */
const stopping = ({ refusals }: Measures, over: Set<string> | undefined): InvalidInput | undefined => {
  const stops = refusals.find(([{ data }]) => over === undefined || data.action !== "approve")
  if (stops === undefined) for (const [{ id }] of refusals) over?.add(id)
  return stops?.[1]
}

/**
 * As `weigh`, for an act of the API. Errors: `InvalidInput` when a limit has no room for it (LIMITS-5), unless it lets acts wait and
 * {@link OverLimits} notes it.
 */
const admit = Effect.fnUntraced(function* (
  deps: Deps,
  act: LimitedAct,
  at: number
): Effect.fn.Return<Weighed, Unavailable | InvalidInput> {
  const over = yield* Effect.service(OverLimits)
  const weighed = yield* weigh(deps, act, at)
  const stops = stopping(weighed, over)
  if (stops !== undefined) return yield* stops
  const { changes, counted, uses } = weighed
  return { uses, counted, changes: (approved = over !== undefined) => changes(approved) }
})

/** Without a refusal where the act alone has no room by now: it is decided again, and waits. */
const deciding = (guard: CounterGuard, { add }: Measured): CounterGuard => ({
  ...guard,
  refusal: (now, added) => (guard.refusal(now, add) === undefined ? guard.refusal(now, added) : undefined)
})

/**
 * As `weigh`, for a payout, which waits over a limit whose action is `approve`, and counts there when it is approved (LIMITS-10).
 * Errors: `InvalidInput` when another limit has no room for it.
 */
const waitable = (deps: Deps, act: LimitedAct, at: number): Effect.Effect<Waitable, Unavailable | InvalidInput> =>
  Effect.flatMap(weigh(deps, act, at), (weighed) =>
    weighed.measured.length === 0 ? Effect.succeed(uncounted) : waiting(weighed)
  )

const waiting = (weighed: Weighed & Measures): Effect.Effect<Waitable, InvalidInput> => {
  const over = new Set<string>()
  const stops = stopping(weighed, over)
  if (stops !== undefined) return Effect.fail(stops)
  const counters = weighed.measured.filter(({ window }) => window !== undefined)
  const isLater = ({ limit }: Measured): boolean => over.has(limit.id)
  const countedOf = (some: ReadonlyArray<Measured>): ReadonlyArray<Counted> =>
    some.map(({ add, key, window }) => ({ key, bucket: window!.bucket, add: add.toString() }))
  const now = counters.filter((one) => !isLater(one))
  const [{ counters: writes = [], guards = [] } = {}] = weighed.changes()
  return Effect.succeed({
    changes: [
      {
        counters: writes.filter(({ key }) => now.some((one) => one.key === key)),
        guards: now.flatMap((one) =>
          guards
            .filter(({ key }) => key === one.key)
            .map((guard) => (guard.action === "approve" ? deciding(guard, one) : guard))
        )
      }
    ],
    counted: countedOf(now),
    over: [...over],
    later: counters.filter(isLater).flatMap((one) => {
      const { window } = one.limit.data
      return countedOf([one]).map((counted) => (typeof window === "string" ? counted : { ...counted, window }))
    })
  })
}

/** Whether acts of some words may wait for the approval that a limit asks for. */
const mayWait = (deps: Deps, words: ReadonlyArray<LimitOperation>): Effect.Effect<boolean, StorageFault> =>
  Effect.map(deps.active.current, (limits) =>
    limits.some(({ data }) => data.action === "approve" && data.operations.some((word) => words.includes(word)))
  )

/** Whether every limit that a refusal names lets acts wait. */
const isWaitable = (deps: Deps, { errors }: Pick<InvalidInput, "errors">): Effect.Effect<boolean, StorageFault> =>
  Effect.map(deps.active.current, (limits) => {
    const named = errors.filter(({ code }) => code === "limit_exceeded")
    return (
      named.length > 0 &&
      named.every(({ limit_id }) => limits.find(({ id }) => id === limit_id)?.data.action === "approve")
    )
  })

/** What a payout counts of the limits over which it is, when it is approved at `at` (LIMITS-10). */
export const countedAt = (later: ReadonlyArray<CountedLater>, at: number): ReadonlyArray<CountedLater> =>
  later.map((one) => (one.window === undefined ? one : { ...one, bucket: windowAt(one.window, at)!.bucket }))

/** What gives back what was counted. It is never refused. */
export const givingBack = (counted: ReadonlyArray<Counted>): ChangeSet => ({
  counters: counted.map(({ add, bucket, key }) => ({ key, bucket, from: null, add: `-${add}`, max: null }))
})

export class ActiveLimits extends Context.Service<ActiveLimits>()("corridor/engine/ActiveLimits", {
  make: Effect.map(makeDeps, (deps) => ({
    ...bound(deps, { weigh, admit, waitable, mayWait, isWaitable }),
    /** The active limits, oldest first. */
    ...deps.active
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
