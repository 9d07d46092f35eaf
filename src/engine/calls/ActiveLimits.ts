/**
 * The limits that are active now, and what an act takes of them (LIMITS-2, LIMITS-3).
 *
 * An act is weighed before it is decided: what it would take, what is used, and whether there is room. What it takes is written as
 * guarded counters in the Change of the act. The store then has the last word, so that what is read here may be old.
 */
import { Context, Effect, Layer } from "effect"
import type { ActSum, Money } from "../../machines/controls/approval-rule.ts"
import type { LimitData, LimitOperation, LimitScope } from "../../machines/controls/limit.ts"
import type { ApiKeyData } from "../../machines/access/api-key.ts"
import { bindFirst } from "../../machines/kernel/bound.ts"
import type { Counted, CountedLater } from "../../machines/kernel/payout.ts"
import { convertAtMid } from "../../machines/kernel/pricing.ts"
import { ActLimits, type CountedAction, subtractGivenBack } from "../commit/acts.ts"
import type { ChangeSet, CounterGuard } from "../commit/changeset.ts"
import { askOncePerWrite } from "../commit/attempts.ts"
import { DryRun, type UsedOfLimit } from "../ports/dry-run.ts"
import { invalid, InvalidInput, type StorageFault, type Unavailable } from "../ports/errors.ts"
import { Rates } from "../ports/Rates.ts"
import { type CounterWrite, PLATFORM_MERCHANT, type Row, Storage, type StoredCounter } from "../ports/Storage.ts"
import { isoOrNull } from "../ports/Time.ts"
import { requireCurrency, displayAmount } from "../reference/currencies.ts"
import { readAllRows } from "./reads.ts"
import { type CountedWindow, describeWindow, findReset, sumWindow, findWindow } from "./limit-windows.ts"
import { makeLastRead } from "./last-read.ts"
import { awaitPrice } from "./provider-call.ts"

/** The kind of the rows of limits, which are the platform's. */
export const limitKind = "limit"

/** How long a node uses the limits that it has read, in milliseconds (LIMITS-8). */
const freshMs = 5_000

/** The most limits that can be active. */
export const activeLimitsMax = 500

/** The use of one maximum by an action. Amounts are decimal strings in the currency of the limit, counts are numbers. */
export interface LimitUse {
  readonly limit_id: string
  readonly scope: LimitScope
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
  /** To be committed with the act. Limits that let it pass count it and do not stop it. */
  readonly changes: (passing?: Passing) => ReadonlyArray<ChangeSet>
  /** To be kept with what the act makes, and given back by {@link giveBack}. */
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

const unlimited: Weighed & Measures = {
  ...{ uses: [], changes: () => [], counted: [] },
  ...{ refusals: [], measured: [], uncountable: undefined }
}
const uncounted: Waitable = { changes: [], counted: [], over: [], later: [] }

/** How an act passes limits whose action is `approve`. */
export interface Passing {
  /** The limits that were approved. Absent: a trial collects all that need an approval. */
  readonly named?: ReadonlyArray<string>
  /** Those over which it is. */
  readonly over: Set<string>
}

/**
 * The limits that do not stop the acts of a fiber that has this, and which note here that they would: what the act is to wait for, or what
 * was approved (LIMITS-10). `undefined`: all refuse.
 */
export const OverLimits = Context.Reference<Passing | undefined>("corridor/engine/OverLimits", {
  defaultValue: () => undefined
})

/** The counters at which a confirmed batch has counted: an amount of the row that is being paid, and itself as one act. */
interface CountedWithBatch {
  readonly row: ReadonlyArray<string>
  readonly act: ReadonlyArray<string>
}

/**
 * The batch of the row that a fiber pays. Law: a limit counts a row once, with its batch or by itself, whatever became of its operations
 * after the confirmation (LIMITS-11). `undefined`: it pays no row of a batch.
 */
export const BatchOfRow = Context.Reference<CountedWithBatch | undefined>("corridor/engine/BatchOfRow", {
  defaultValue: () => undefined
})

/** Whether the batch of a row has counted the row at this counter. `isOwn`: the limit counts the movement by a word of its own. */
const hasCountedRow = ({ act, row }: CountedWithBatch, key: string, isOwn: boolean): boolean => {
  const ofLimit = (one: string): string => one.slice(0, one.lastIndexOf("/"))
  return row.some((one) => ofLimit(one) === ofLimit(key)) || (!isOwn && act.includes(key))
}

/** Whether an approval lets an act pass this limit. Law: only a limit that was named in the request for approval can be passed. */
const canPass = ({ data, id }: Row<LimitData>, passing: Passing | undefined): boolean =>
  passing !== undefined && data.action === "approve" && (passing.named?.includes(id) ?? true)

/** Lists the ids of a limit's scope to which an action counts. Empty: the limit does not cover it. */
const listSubjects = ({ scope, scope_id }: LimitData, act: CountedAction): ReadonlyArray<string> => {
  const subjects = {
    platform: "platform",
    merchant: act.merchant_id === PLATFORM_MERCHANT ? null : act.merchant_id,
    customer: act.customer_id,
    wallet: [act.wallet_id, act.to_wallet_id],
    beneficiary: act.beneficiary_id,
    // A key that makes another does not make itself another budget.
    api_key: [act.api_key_id, ...(act.api_key_makers ?? [])]
  }[scope]
  return [subjects]
    .flat()
    .filter((subject) => typeof subject === "string")
    .filter((subject) => !(scope_id !== null && scope_id !== subject))
}

const sorts = ["amount", "count"] as const
type Sort = (typeof sorts)[number]

/** The key of the counter of a limit for one member of its scope (a wallet, a merchant). No limit has the id of such a member. */
export const counterKey = (limit_id: string, subject: string, sort: Sort): string => `${limit_id}/${subject}/${sort}`

/** Whether the key is that of a counter of amounts. */
export const isAmountKey = (key: string): boolean => key.endsWith("/amount" satisfies `/${Sort}`)

export const maximumOf = ({ max_amount, max_count }: LimitData, sort: Sort): bigint | undefined => {
  const max = sort === "amount" ? max_amount : max_count
  return max === null ? undefined : BigInt(max)
}

/** One maximum that an act is weighed against. `window` undefined: the act by itself. */
interface Measured {
  readonly act: CountedAction
  readonly limit: Row<LimitData>
  readonly sort: Sort
  readonly key: string
  readonly add: bigint
  /** The amount of each sum of the act, in the currency of the limit; of a count, 1. */
  readonly parts: ReadonlyArray<bigint>
  readonly max: bigint
  readonly window: CountedWindow | undefined
}

/** Records what an act adds to a counter, so that it can be given back. */
const toCount = ({ add, key, parts, window }: Measured): Counted => ({
  ...{ key, bucket: window!.bucket, add: add.toString() },
  ...(parts.length > 1 ? { by_sum: parts.map(String) } : {})
})

const toLimitUse = ({ add, limit, max, sort, window }: Measured, stored: StoredCounter | undefined): LimitUse => {
  const used = window === undefined ? 0n : sumWindow(window, stored)
  const format = (value: bigint): string | number =>
    sort === "count" ? Number(value) : displayAmount(value, limit.data.currency!)
  return {
    limit_id: limit.id,
    scope: limit.data.scope,
    action: limit.data.action,
    max: format(max),
    used: format(used),
    would_use: format(used + add),
    resets_at: isoOrNull(window === undefined ? null : findReset(window, stored, add, max)),
    exceeded: used + add > max
  }
}

/**
 * Makes the refusal of an act over a limit (LIMITS-5). `isOwn`: for a merchant, who sees no figures of the platform's limits (LIMITS-12).
 */
const toRefusal = ({ limit, sort }: Measured, { field, isOwn }: CountedAction, use: LimitUse): InvalidInput => {
  const { limit_id, max, used, resets_at } = use
  const about = { field, code: "limit_exceeded", limit_id } as const
  if (isOwn && limit.data.scope === "platform") {
    const message = `The limit ${limit_id} of the platform has no room for this now.`
    return new InvalidInput({ message, errors: [{ ...about, message }] })
  }
  const unit = sort === "count" ? "acts" : limit.data.currency!
  const message = `The limit ${limit_id} allows ${max} ${unit}${describeWindow(limit.data.window)}, of which ${used} are used; with this they would be ${use.would_use}.`
  return new InvalidInput({ message, errors: [{ ...about, message, max, used, resets_at }] })
}

/** What an act was weighed by. */
export interface Measures {
  readonly measured: ReadonlyArray<Measured>
  readonly refusals: ReadonlyArray<readonly [limit: Row<LimitData>, refusal: InvalidInput]>
  /** Of an act that a limit covers and whose commit cannot count to it, whatever room it has. */
  readonly uncountable: InvalidInput | undefined
}

const makeDeps = Effect.gen(function* () {
  const storage = yield* Storage
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [limitKind], index_keys: ["status=active"] }
  const read = Effect.map(
    readAllRows(storage, query, () => true),
    (rows) => (rows as ReadonlyArray<Row<LimitData>>).toReversed()
  )
  return { storage, rates: yield* Rates, active: makeLastRead<ReadonlyArray<Row<LimitData>>>(read, freshMs) }
})
type Deps = Effect.Success<typeof makeDeps>

/** Converts a sum into the currency of a limit. Errors: `ExternalServiceUnavailable` without a rate. */
const convertSum = Effect.fnUntraced(function* (
  { rates }: Deps,
  { received, taken, worth = received }: ActSum,
  currency: string
): Effect.fn.Return<bigint, Unavailable> {
  const own = [taken, worth].find((one): one is Money => one?.[1] === currency)
  if (own !== undefined) return BigInt(own[0])
  const [minor, code] = taken
  const perUsd = (of: string) => askOncePerWrite(`perUsd/${of}`, awaitPrice(rates.perUsd(of)))
  const [from, to] = [yield* perUsd(code), yield* perUsd(currency)]
  return convertAtMid(BigInt(minor), [requireCurrency(code), from], [requireCurrency(currency), to])
})

const coversAny = ({ operations }: LimitData, words: CountedAction["words"]): boolean =>
  words.some((word) => operations.includes(word))

/** Whether a limit counts what a sum becomes later, and so not the sum (LIMITS-11). */
const isCountedApart = ({ operations }: LimitData, { apart }: ActSum): boolean =>
  apart !== undefined && (operations.includes("payout") || operations.includes(apart))

const measureLimit = Effect.fnUntraced(function* (deps: Deps, { act, limit, subject }: Covering, at: number) {
  const { data, id } = limit
  const window = findWindow(data.window, at)
  const batch = yield* BatchOfRow
  const isOwn = coversAny(data, act.words)
  // A store that got cells since has its share in each shard, so that no limit is passed (LIMITS-8).
  const shards = data.scope === "platform" ? BigInt(deps.storage.shards) : 1n
  const measured: Array<Measured> = []
  for (const sort of sorts) {
    const max = maximumOf(data, sort)
    const key = counterKey(id, subject, sort)
    if (max === undefined || (batch !== undefined && hasCountedRow(batch, key, isOwn))) continue
    const isTaken = act.sums.some((sum) => !isCountedApart(data, sum))
    // What counts later as all that it becomes is no act beside these.
    if (!isTaken && (sort === "amount" || act.sums.length > 0)) continue
    const valueOf = (one: ActSum) =>
      isCountedApart(data, one) ? Effect.succeed(0n) : convertSum(deps, one, data.currency!)
    const parts = sort === "count" ? [1n] : yield* Effect.forEach(act.sums, valueOf)
    const add = parts.reduce((sum, one) => sum + one)
    measured.push({ act, limit, sort, key, add, parts, max: max / shards, window })
  }
  return measured
})

const toCounterGuard = (
  { add, key, limit, max, window }: Measured,
  passing: Passing | undefined
): ReadonlyArray<CounterWrite> =>
  window === undefined
    ? []
    : [
        {
          key,
          bucket: window.bucket,
          from: window.from,
          add: add.toString(),
          max: canPass(limit, passing) ? null : max.toString()
        }
      ]

/** Merges the uses of limits for a dry run: each maximum once, as it was weighed last. */
const mergeUses = (limits: ReadonlyArray<UsedOfLimit>, uses: ReadonlyArray<LimitUse>): ReadonlyArray<UsedOfLimit> => {
  const now = uses.map(toUsedOfLimit)
  const isSame = (a: UsedOfLimit, b: UsedOfLimit) => a.limit_id === b.limit_id && a.max === b.max
  return [...limits.filter((one) => !now.some((other) => isSame(one, other))), ...now]
}

/** Formats the use of a maximum for a dry run. */
export const toUsedOfLimit = ({ action, limit_id, max, resets_at, scope, would_use }: LimitUse): UsedOfLimit => ({
  limit_id,
  scope,
  action,
  max: String(max),
  used: String(would_use),
  resets_at
})

/** The part of an act that a limit counts: the first that a word of the limit names (LIMITS-11). */
interface Covering {
  readonly limit: Row<LimitData>
  readonly subject: string
  readonly act: CountedAction
}

/**
 * Compares acts with the limits that cover them, at `at` of the service's clock. It asks the store only where a limit covers one. `given`:
 * what the same commit gives back. `only`: the limits that are asked; absent: all. Errors: `ExternalServiceUnavailable` when an amount has
 * no rate to the currency of a limit.
 */
const weighActs = (
  deps: Deps,
  acts: ReadonlyArray<CountedAction>,
  at: number,
  given: ReadonlyArray<CounterWrite> = [],
  only?: ReadonlyArray<string>
): Effect.Effect<Weighed & Measures, Unavailable> =>
  Effect.gen(function* () {
    const active = yield* deps.active.current
    const hasKeys = active.some(({ data }) => data.scope === "api_key")
    const known = hasKeys ? yield* Effect.forEach(acts, (act) => withMakers(deps, act)) : acts
    const more: CountedAction["words"] = (yield* BatchOfRow) === undefined ? [] : ["batch"]
    const covering = active.flatMap((limit): ReadonlyArray<Covering> => {
      if (only !== undefined && !only.includes(limit.id)) return []
      const act =
        limit.data.tier === null ? known.find(({ words }) => coversAny(limit.data, [...words, ...more])) : undefined
      return act === undefined ? [] : listSubjects(limit.data, act).map((subject) => ({ limit, subject, act }))
    })
    return covering.length === 0 ? unlimited : yield* weighParts(deps, covering, at, given)
  })

/** An act with the API keys that led to the key of its caller: it counts to their limits, too (LIMITS-2). */
const withMakers = ({ storage }: Deps, act: CountedAction): Effect.Effect<CountedAction, Unavailable> => {
  const { api_key_id: id = null, merchant_id, written_by = merchant_id } = act
  return id === null
    ? Effect.succeed(act)
    : Effect.map(storage.get([{ merchant_id: written_by, kind: "api_key", id }]), ([row]) => {
        const { made_by: api_key_makers = [] } = (row?.data ?? {}) as Partial<ApiKeyData>
        return { ...act, api_key_makers }
      })
}

/** The scopes whose counters are where the merchant of the act is. */
const ofMerchants: ReadonlySet<LimitScope> = new Set(["merchant", "customer", "wallet"])

/**
 * Refuses an act whose counters belong to another merchant than its commit. With cells, those counters may lie in a cell that the commit
 * does not write, so the limit could be passed (LIMITS-3, LIMITS-8). Undefined: there is none.
 */
const findUncountable = ({ storage }: Deps, covering: ReadonlyArray<Covering>): InvalidInput | undefined => {
  const isAcross = ({ act: { merchant_id, written_by = merchant_id }, limit }: Covering): boolean =>
    written_by !== merchant_id && ofMerchants.has(limit.data.scope)
  const one = storage.shards > 1 ? covering.find(isAcross) : undefined
  return (
    one &&
    invalid(
      one.act.field,
      `The limit ${one.limit.id} counts at merchant ${one.act.merchant_id}, and in a store with cells this cannot: it is money of ${one.act.written_by}. Disable the limit for it, or take a wallet that it does not cover.`
    )
  )
}

const weighParts = Effect.fnUntraced(function* (
  deps: Deps,
  covering: ReadonlyArray<Covering>,
  at: number,
  given: ReadonlyArray<CounterWrite>
): Effect.fn.Return<Weighed & Measures, Unavailable> {
  const measured = (yield* Effect.forEach(covering, (one) => measureLimit(deps, one, at))).flat()
  const counters = measured.filter(({ window }) => window !== undefined)
  const { merchant_id, written_by = merchant_id } = covering[0]!.act
  const stored = subtractGivenBack(
    yield* deps.storage.counters(
      written_by,
      counters.map(({ key }) => key)
    ),
    given
  )
  const uses = measured.map((one) =>
    toLimitUse(
      one,
      stored.find(({ key }) => key === one.key)
    )
  )
  const dryRun = yield* Effect.service(DryRun)
  if (dryRun !== undefined) dryRun.limits = mergeUses(dryRun.limits, uses)
  const guards: ReadonlyArray<CounterGuard> = counters.map((one) => ({
    key: one.key,
    action: one.limit.data.action,
    use: (now, added) => toUsedOfLimit(toLimitUse({ ...one, add: added }, now)),
    refusal: (now, added) => {
      const use = toLimitUse({ ...one, add: added }, now)
      return use.exceeded ? toRefusal(one, one.act, use) : undefined
    }
  }))
  return {
    uses,
    measured,
    uncountable: findUncountable(deps, covering),
    refusals: measured.flatMap((one, n) =>
      uses[n]!.exceeded ? [[one.limit, toRefusal(one, one.act, uses[n]!)] as const] : []
    ),
    changes: (passing) => [{ counters: counters.flatMap((one) => toCounterGuard(one, passing)), guards }],
    counted: counters.map(toCount)
  }
})

/** Finds the refusal of the first limit that stops an act. If there is none, it notes in `passing` which limits let it pass. */
const findStoppingRefusal = (
  { refusals, uncountable }: Measures,
  passing: Passing | undefined
): InvalidInput | undefined => {
  if (uncountable !== undefined) return uncountable
  const stops = refusals.find(([limit]) => !canPass(limit, passing))
  if (stops === undefined) for (const [{ id }] of refusals) passing?.over.add(id)
  return stops?.[1]
}

/**
 * Compares the acts of one commit with limits, as {@link weighActs}. Errors: `InvalidInput` when a limit has no room for them (LIMITS-5),
 * unless it lets acts wait and {@link OverLimits} notes it.
 */
const weighOrRefuse = Effect.fnUntraced(function* (
  deps: Deps,
  acts: ReadonlyArray<CountedAction>,
  at: number,
  given: ReadonlyArray<CounterWrite> = []
): Effect.fn.Return<Weighed, Unavailable | InvalidInput> {
  const passing = yield* Effect.service(OverLimits)
  const weighed = yield* weighActs(deps, acts, at, given)
  const stops = findStoppingRefusal(weighed, passing)
  if (stops !== undefined) return yield* stops
  const { changes, counted, uses } = weighed
  return { uses, counted, changes: () => changes(passing) }
})

/** A guard that does not refuse a payout which no longer fits by itself. The payout is then decided again, and waits for approval. */
const decideAgainIfFull = (guard: CounterGuard, { add }: Measured): CounterGuard => ({
  ...guard,
  refusal: (now, added) => (guard.refusal(now, add) === undefined ? guard.refusal(now, added) : undefined)
})

/**
 * Compares a payout with limits. It waits over a limit whose action is `approve`, and counts there when it is approved (LIMITS-10). Errors:
 * `InvalidInput` when another limit has no room for it.
 */
const weighPayout = (deps: Deps, act: CountedAction, at: number): Effect.Effect<Waitable, Unavailable | InvalidInput> =>
  Effect.flatMap(weighActs(deps, [act], at), (weighed) =>
    weighed.measured.length === 0 ? Effect.succeed(uncounted) : findWaitable(weighed)
  )

/** Separates what a payout counts now from what it counts once it is approved. Errors: `InvalidInput` when a limit stops it. */
const findWaitable = (weighed: Weighed & Measures): Effect.Effect<Waitable, InvalidInput> => {
  const over = new Set<string>()
  const stops = findStoppingRefusal(weighed, { over })
  if (stops !== undefined) return Effect.fail(stops)
  const counters = weighed.measured.filter(({ window }) => window !== undefined)
  const isLater = ({ limit }: Measured): boolean => over.has(limit.id)
  const now = counters.filter((one) => !isLater(one))
  const [{ counters: writes = [], guards = [] } = {}] = weighed.changes()
  return Effect.succeed({
    changes: [
      {
        counters: writes.filter(({ key }) => now.some((one) => one.key === key)),
        guards: now.flatMap((one) =>
          guards
            .filter(({ key }) => key === one.key)
            .map((guard) => (guard.action === "approve" ? decideAgainIfFull(guard, one) : guard))
        )
      }
    ],
    counted: now.map(toCount),
    over: [...over],
    later: counters.filter(isLater).flatMap((one) => {
      const { window } = one.limit.data
      return typeof window === "string" ? [] : [{ ...toCount(one), window }]
    })
  })
}

/** Whether acts of some words may wait for the approval that a limit asks for. */
const canWait = (deps: Deps, words: ReadonlyArray<LimitOperation>): Effect.Effect<boolean, StorageFault> =>
  Effect.map(deps.active.current, (limits) =>
    limits.some(({ data }) => data.action === "approve" && data.operations.some((word) => words.includes(word)))
  )

/** Whether every limit that a refusal names lets acts wait for approval. */
const canWaitForApproval = (
  deps: Deps,
  { errors }: Pick<InvalidInput, "errors">
): Effect.Effect<boolean, StorageFault> =>
  Effect.map(deps.active.current, (limits) => {
    const named = errors.filter(({ code }) => code === "limit_exceeded")
    return (
      named.length > 0 &&
      named.every(({ limit_id }) => limits.find(({ id }) => id === limit_id)?.data.action === "approve")
    )
  })

/** Moves the counts of a payout in limits that it exceeded to the window of its approval at `at` (LIMITS-10). */
export const recountAt = (later: ReadonlyArray<CountedLater>, at: number): ReadonlyArray<CountedLater> =>
  later.map((one) => ({ ...one, bucket: findWindow(one.window, at)!.bucket }))

/** The change set that gives counts back. It is never refused. */
export const giveBack = (counted: ReadonlyArray<Counted>): ChangeSet => ({
  counters: counted.map(({ add, bucket, key }) => ({ key, bucket, from: null, add: `-${add}`, max: null }))
})

export class ActiveLimits extends Context.Service<ActiveLimits>()("corridor/engine/ActiveLimits", {
  make: Effect.map(makeDeps, (deps) => ({
    ...bindFirst(deps, {
      weigh: weighActs,
      admit: weighOrRefuse,
      waitable: weighPayout,
      mayWait: canWait,
      canWaitForApproval
    }),
    /** The active limits, oldest first. */
    ...deps.active
  }))
}) {
  /** With what the write path counts by. */
  static readonly layer = Layer.effect(
    ActLimits,
    Effect.map(
      this,
      ({ admit }) =>
        (acts, given, at) =>
          Effect.map(admit(acts, at, given), ({ changes, counted }) => ({ changes: changes(), counted }))
    )
  ).pipe(Layer.provideMerge(Layer.effect(this, this.make)))
}
