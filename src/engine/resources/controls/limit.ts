/** Limits: how much and how many may move, by whom and in which time (LIMITS-1, LIMITS-6, LIMITS-7). */
import { Clock, Context, DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import {
  countedScopes,
  Limit,
  type LimitData,
  type LimitEvent,
  limitActions,
  type LimitOperation,
  limitScopes,
  type LimitWindow
} from "../../../machines/controls/limit.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { ActiveLimits, activeLimitsMax, counterKey, limitKind, maximumOf } from "../../calls/ActiveLimits.ts"
import { findReset, sumWindow, findWindow } from "../../calls/limit-windows.ts"
import { checkVersion, type Listed, listRows, slicePage, toIndexKeys } from "../../calls/list.ts"
import { isUnchanged, makeApprovalEnding } from "../../commit/approval.ts"
import { type Call, makeIdFor } from "../../commit/call.ts"
import { Kinds, type ResourceKind } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import { makeNotFound, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { findCurrency, parseClientAmount } from "../../input/amounts.ts"
import { makeWordFilter } from "../../input/members.ts"
import { Amount, Clearable, CurrencyCode, Id, listing, note, Optional, toSlice } from "../../input/schemas.ts"
import {
  makeFieldRefusal,
  InvalidInput,
  invalid,
  InvalidStatus,
  InvariantViolation,
  type NotFound,
  type StorageFault
} from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { isoOrNull } from "../../ports/Time.ts"
import { requireCurrency, displayAmount } from "../../reference/currencies.ts"
import {
  limitActionOf,
  limitBody,
  limitOperationsOf,
  limitScope,
  limitStatuses,
  limitTierOf,
  limitWords,
  type LimitUsed,
  limitWindowIn,
  type OwnLimitBody,
  ownLimitBody,
  unused
} from "../../representations/controls/limit.ts"
import { tiers, wordOf } from "../../representations/members.ts"

export const LimitKind: ResourceKind<LimitData, LimitEvent> = {
  kind: limitKind,
  prefix: "lim",
  lifecycle: Limit,
  derivedWrites: makeApprovalEnding(() => true, isUnchanged),
  indexKeys: ({ action, merchant_id, scope, scope_id, tier }) => [
    `scope=${scope}`,
    `action=${action}`,
    ...(scope_id === null ? [] : [`scope_id=${scope_id}`]),
    ...(merchant_id === null ? [] : [`merchant_id=${merchant_id}`]),
    ...(tier === null ? [] : [`tier=${tier}`])
  ],
  auditView: ({ data }) => ({
    ...Struct.pick(data, ["scope", "scope_id", "tier", "operations", "max_count", "currency", "window", "action"]),
    max_amount: data.max_amount === null ? null : displayAmount(data.max_amount, data.currency!)
  })
}

const maxCountMost = 1_000_000_000
const aCount = { expected: `a whole number from 1 to ${maxCountMost}` }
const Count = Schema.Number.annotate(aCount).check(
  Schema.isInt(aCount),
  Schema.isBetween({ minimum: 1, maximum: maxCountMost }, aCount)
)

const makeScopeIdSchema = (also: string) =>
  Optional(
    Schema.String,
    `What it is of: an id of the scope. Default: each has the maximum to itself.${also}`,
    "cust_01j9z3k4m5n6p7q8r9s0t1v2w3"
  )
const operationsIn = limitOperationsOf(`The acts that count, one or more. ${limitWords}`)
const maxAmountIn = Optional(Amount, "The most that may move in the window, in `currency`.", "10000.00")
const maxCountIn = Optional(Count, "The most acts in the window. A `movement` has none.", 20)
const actionIn = Optional(limitActionOf("What happens to an act over it. Default: `refuse`."))

export const CreateLimit = Schema.Struct({
  scope: limitScope,
  id: makeScopeIdSchema(""),
  scope_id: makeScopeIdSchema(" The same as `id`."),
  tier: Optional(
    limitTierOf(
      "Replaces the limit of this tier on deposits. It takes the scope `customer` and the operation `deposit`."
    )
  ),
  operations: operationsIn,
  currency: Optional(CurrencyCode, "The currency of `max_amount`, which requires it.", "USDC"),
  max_amount: maxAmountIn,
  max_count: maxCountIn,
  window: limitWindowIn,
  action: actionIn,
  status: Optional(wordOf(limitStatuses, "Whether it applies. Default: `active`.")),
  note
}).annotate({ identifier: "CreateLimit" })
export type CreateLimit = typeof CreateLimit.Type

export const UpdateLimit = Schema.Struct({
  operations: Optional(operationsIn),
  max_amount: Clearable(Amount, "The most that may move in the window, in `currency`. Null: none.", "10000.00"),
  max_count: Clearable(Count, "The most acts in the window. Null: none.", 20),
  action: actionIn,
  status: Optional(wordOf(limitStatuses, "`disabled` ends it, `active` begins it again with what it had counted.")),
  note
}).annotate({ identifier: "UpdateLimit" })
export type UpdateLimit = typeof UpdateLimit.Type

export const ListLimits = Schema.Struct({
  scope: makeWordFilter(limitScopes, "scope"),
  scope_id: Optional(Schema.String, "Only those of this id.", "cust_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  merchant_id: Optional(
    Schema.String,
    "Only those of this merchant, and of what belongs to it.",
    "mer_01j9z3k4m5n6p7q8r9s0t1v2w3"
  ),
  tier: makeWordFilter(tiers, "tier"),
  action: makeWordFilter(limitActions, "action"),
  status: makeWordFilter(limitStatuses, "status"),
  used_by: Optional(
    Schema.String,
    "A merchant, customer, wallet, beneficiary or API key. Limits that each of its scope has to itself show what this one uses.",
    "mer_01j9z3k4m5n6p7q8r9s0t1v2w3"
  ),
  ...listing
})
export type ListLimits = typeof ListLimits.Type

const makeSubjectFilter = (prefix: string, of: string) =>
  Optional(
    Id(prefix),
    `What this ${of} uses. Limits of other ${of === "beneficiary" ? "beneficiaries" : `${of}s`} are left out.`
  )

export const ListOwnLimits = Schema.Struct({
  customer_id: makeSubjectFilter("cust", "customer"),
  wallet_id: makeSubjectFilter("wal", "wallet"),
  beneficiary_id: makeSubjectFilter("ben", "beneficiary"),
  ...listing
})
export type ListOwnLimits = typeof ListOwnLimits.Type

const makeDeps = Effect.all({ unitOfWork: UnitOfWork, storage: Storage, limits: ActiveLimits, kinds: Kinds, ids: Ids })
type Deps = Effect.Success<typeof makeDeps>

/** Resolves the window of a limit. Errors: `InvalidInput` for an unknown time zone, or a window that the limit cannot have. */
const resolveWindow = ({ max_count, tier, window }: CreateLimit): Effect.Effect<LimitWindow, InvalidInput> => {
  if (window === "movement" || window === "total") {
    if (window === "total" && tier === undefined)
      return Effect.fail(invalid("window", "The window total is of a tier alone."))
    if (window === "movement" && tier !== undefined)
      return Effect.fail(
        invalid("window", "The limit of a tier counts what arrives in all: it has no window movement.")
      )
    return max_count === undefined
      ? Effect.succeed(window)
      : Effect.fail(invalid("max_count", `max_count needs a window in which acts are counted; ${window} has none.`))
  }
  const { rolling, calendar, time_zone } = window
  if ((rolling === undefined) === (calendar === undefined) || (calendar === undefined) !== (time_zone === undefined))
    return Effect.fail(
      invalid(
        "window",
        `window is ${JSON.stringify(window)}. It takes {"rolling": "PT24H"}, or {"calendar": "day", "time_zone": "Africa/Lagos"}.`
      )
    )
  if (rolling !== undefined) return Effect.succeed({ rolling })
  return Option.isSome(DateTime.zoneMakeNamed(time_zone!))
    ? Effect.succeed({ calendar: calendar!, time_zone: time_zone! })
    : Effect.fail(
        invalid(
          "window.time_zone",
          `window.time_zone is ${JSON.stringify(time_zone)}. It takes a name of the IANA database such as Africa/Lagos.`
        )
      )
}

/** Resolves the operations of a limit. Errors: `InvalidInput` for none, for one twice, and for those of which it would count nothing. */
const resolveOperations = (
  given: ReadonlyArray<LimitOperation>,
  { scope, tier }: Pick<LimitData, "scope" | "tier">
): Effect.Effect<ReadonlyArray<LimitOperation>, InvalidInput> => {
  const idle = given.find((word) => !countedScopes[word].includes(scope))
  const fault =
    given.length === 0 || new Set(given).size < given.length
      ? "operations is a list of one or more acts, each once."
      : tier !== null && given.join() !== "deposit"
        ? 'The limit of a tier counts deposits: its operations are ["deposit"].'
        : tier === null && given.includes("deposit")
          ? "Only the limit of a tier counts deposits: deposit needs a tier."
          : idle === undefined
            ? undefined
            : `Acts of ${idle} count to ${countedScopes[idle].join(", ")}. A limit of the scope ${scope} would count none of them.`
  return fault === undefined ? Effect.succeed(given) : Effect.fail(invalid("operations", fault))
}

/** Resolves the scope of a limit, and its merchant. Errors: `InvalidInput` for an id that the scope does not take; `NotFound`. */
const resolveScope = Effect.fnUntraced(function* (
  { kinds, storage }: Deps,
  { id, scope, scope_id, tier }: CreateLimit
): Effect.fn.Return<Pick<LimitData, "scope" | "scope_id" | "merchant_id">, InvalidInput | NotFound | StorageFault> {
  const of = id ?? scope_id
  if (id !== undefined && scope_id !== undefined && id !== scope_id)
    return yield* invalid("scope_id", `scope_id is ${scope_id}, but id is ${id}. They are one member.`)
  if (tier !== undefined && (scope !== "customer" || of !== undefined))
    return yield* invalid("tier", "The limit of a tier has the scope customer and no id.")
  if (scope === "platform" && storage.shards > 1)
    return yield* invalid(
      "scope",
      "This store has cells, and a commit writes one of them: a limit of the platform takes a store without cells. Limit merchants."
    )
  if (of === undefined) return { scope, scope_id: null, merchant_id: null }
  if (scope === "platform") return yield* invalid("id", "A limit of the platform takes no id.")
  const kind = kinds.ofId(of)
  if (kind?.kind !== scope)
    return yield* invalid("id", `id is ${JSON.stringify(of)}, which is no id of a ${scope.replaceAll("_", " ")}.`)
  const row = yield* storage.find(scope, of)
  return row === undefined ? yield* makeNotFound(kind, of) : { scope, scope_id: of, merchant_id: row.merchant_id }
})

/** Parses an amount to minor units of the ledger. Errors: `InvalidInput`, `InvalidAmountPrecision`. */
const parseLimitAmount = (name: string, amount: string, currency: string) => {
  const code = requireCurrency(currency)
  return Effect.map(parseClientAmount(name, amount, code, code.ledger_scale), (minor) => minor.toString())
}

/**
 * Resolves the maximums of a limit. Errors: `InvalidInput` when an amount lacks a currency, or a currency an amount, or both maximums are
 * missing; `NotFound` for an unknown currency; `InvalidAmountPrecision`.
 */
const resolveMaximums = Effect.fnUntraced(function* ({ currency, max_amount, max_count, tier }: CreateLimit) {
  if (max_amount === undefined && max_count === undefined)
    return yield* new InvalidInput(
      makeFieldRefusal("max_amount", "required", "A limit has max_amount, max_count or both.")
    )
  if (tier !== undefined && max_count !== undefined)
    return yield* invalid("max_count", "The limit of a tier is an amount and has no max_count.")
  if (currency !== undefined) yield* findCurrency(currency)
  if (max_amount === undefined && currency !== undefined)
    return yield* invalid(
      "currency",
      `currency is ${currency}. A limit without max_amount counts acts, and takes none.`
    )
  if (max_amount === undefined) return { currency: null, max_amount: null, max_count: max_count ?? null }
  if (currency === undefined)
    return yield* new InvalidInput(
      makeFieldRefusal("currency", "required", "currency is missing; max_amount requires it.")
    )
  if (tier !== undefined && currency !== "USD")
    return yield* invalid("currency", `currency is ${currency}. The limit of a tier is in USD.`)
  return {
    currency,
    max_amount: yield* parseLimitAmount("max_amount", max_amount, currency),
    max_count: max_count ?? null
  }
})

/** Reads the current use of a limit by one member of its scope. */
const readUse = Effect.fnUntraced(function* (
  { storage }: Deps,
  { data, id }: Row<LimitData>,
  merchant_id: string,
  subject: string,
  at: number
): Effect.fn.Return<LimitUsed, StorageFault> {
  const window = data.tier === null ? findWindow(data.window, at) : undefined
  if (window === undefined) return unused
  const keys = { amount: counterKey(id, subject, "amount"), count: counterKey(id, subject, "count") }
  const stored = yield* storage.counters(merchant_id, Object.values(keys))
  const of = (sort: "amount" | "count") => {
    const counter = stored.find(({ key }) => key === keys[sort])
    const max = maximumOf(data, sort)
    if (max === undefined) return undefined
    const used = sumWindow(window, counter)
    return { used, at: used === 0n ? null : findReset(window, counter, max, max) }
  }
  const [amount, count] = [of("amount"), of("count")]
  const resets = [amount?.at, count?.at].filter((one) => typeof one === "number")
  return {
    used_amount: amount === undefined ? null : displayAmount(amount.used, data.currency!),
    used_count: count === undefined ? null : Number(count.used),
    resets_at: isoOrNull(resets.length === 0 ? null : Math.max(...resets))
  }
})

/** One that has a limit of each of its kind to itself. */
type User = Pick<Row, "kind" | "id" | "merchant_id">

/** Finds the resource whose limits are listed. Undefined: nothing has this id. */
const findUser = ({ kinds, storage }: Deps, id: string): Effect.Effect<User | undefined, StorageFault> => {
  const kind = kinds.ofId(id)?.kind
  return kind === undefined ? Effect.undefined : storage.find(kind, id)
}

/** Reads the use that a limit shows to an operator: of the member that it names, of the platform, or of the `user`. */
const readShownUse = (
  deps: Deps,
  row: Row<LimitData>,
  at: number,
  user?: User
): Effect.Effect<LimitUsed, StorageFault> => {
  const { merchant_id, scope, scope_id } = row.data
  if (scope === "platform") return readUse(deps, row, PLATFORM_MERCHANT, "platform", at)
  if (scope_id !== null && merchant_id !== null) return readUse(deps, row, merchant_id, scope_id, at)
  return user?.kind === scope ? readUse(deps, row, user.merchant_id, user.id, at) : Effect.succeed(unused)
}

/** Checks that one more limit can be active, if this one is not. Errors: `InvalidStatus`. */
const requireRoom = Effect.fnUntraced(function* ({ limits }: Deps, id: string | undefined) {
  const active = yield* limits.refreshed
  if (active.length >= activeLimitsMax && !active.some((one) => one.id === id))
    return yield* new InvalidStatus({ message: `${activeLimitsMax} limits are active. Disable some of them.` })
})

/**
 * Creates a limit, which counts from now on.
 *
 * Errors: `InvalidInput` for a scope, an id, operations, a maximum or a window that do not go together; `InvalidAmountPrecision`;
 * `NotFound` for the resource of its scope; `InvalidStatus` when too many limits are active.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateLimit) {
  const { ids, limits, unitOfWork } = deps
  const tier = input.tier ?? null
  const of = yield* resolveScope(deps, input)
  const data: LimitData = {
    ...of,
    tier,
    operations: yield* resolveOperations(input.operations, { ...of, tier }),
    ...(yield* resolveMaximums(input)),
    window: yield* resolveWindow(input),
    action: input.action ?? "refuse",
    ...(input.status === "disabled" ? { begins: "disabled" } : {})
  }
  if (input.status !== "disabled") yield* requireRoom(deps, undefined)
  const id = yield* makeIdFor(call, ids, LimitKind.prefix)
  const made = yield* unitOfWork.write({ ...call, merchant_id: PLATFORM_MERCHANT }, function* () {
    const at = yield* Clock.currentTimeMillis
    const limit = yield* begin(LimitKind, { merchant_id: PLATFORM_MERCHANT, id }, data, at)
    return { changes: [limit.changes], result: limitBody(limit.row, yield* readShownUse(deps, limit.row, at)) }
  })
  limits.forget()
  return made
})

/** Converts the given members of a limit to their stored form. Errors: `InvalidInput` for a maximum that it lacks, and for none. */
const toPatch = Effect.fnUntraced(function* (
  data: LimitData,
  { action, max_amount, max_count, operations }: UpdateLimit
) {
  const { currency, tier, window } = data
  if (max_amount !== undefined && max_amount !== null && currency === null)
    return yield* invalid("max_amount", "The limit has no currency: it counts acts, not amounts.")
  if (
    max_count !== undefined &&
    max_count !== null &&
    data.max_count === null &&
    (window === "movement" || tier !== null)
  )
    return yield* invalid("max_count", "max_count needs a window in which acts are counted; this limit has none.")
  const least =
    typeof max_amount === "string" ? yield* parseLimitAmount("max_amount", max_amount, currency!) : max_amount
  const patch = {
    ...(operations === undefined ? {} : { operations: yield* resolveOperations(operations, data) }),
    ...(least === undefined ? {} : { max_amount: least }),
    ...(max_count === undefined ? {} : { max_count }),
    ...(action === undefined ? {} : { action })
  }
  const after = { ...data, ...patch }
  return after.max_amount === null && after.max_count === null
    ? yield* invalid(max_amount === null ? "max_amount" : "max_count", "A limit has max_amount, max_count or both.")
    : patch
})

/**
 * Changes the given members. What was counted stays: a maximum below it refuses every act until the window has room again.
 *
 * Errors: `NotFound`; `InvalidInput`; `InvalidAmountPrecision`; `InvalidStatus` when too many limits are active; `Conflict` when
 * `If-Match` does not match.
 */
const update = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: UpdateLimit) {
  const { limits, unitOfWork } = deps
  if (input.status === "active") yield* requireRoom(deps, id)
  const changed = yield* unitOfWork.write({ ...call, merchant_id: PLATFORM_MERCHANT }, function* () {
    const row = yield* unitOfWork.load(LimitKind, PLATFORM_MERCHANT, id)
    yield* checkVersion(call, String(row.version))
    const type =
      input.status === undefined || input.status === row.state
        ? "update"
        : input.status === "disabled"
          ? "disable"
          : "enable"
    const patch = yield* toPatch(row.data, input)
    const at = yield* Clock.currentTimeMillis
    const next = yield* unitOfWork.step(LimitKind, row, { type, patch }, at)
    if (next === undefined) throw new InvariantViolation(`limit ${id} takes ${type} when ${row.state}`)
    return { changes: [next.changes], result: limitBody(next.row, yield* readShownUse(deps, next.row, at)) }
  })
  limits.forget()
  return changed
})

const get = Effect.fnUntraced(function* (deps: Deps, id: string) {
  const row = yield* deps.unitOfWork.load(LimitKind, PLATFORM_MERCHANT, id)
  const body = limitBody(row, yield* readShownUse(deps, row, yield* Clock.currentTimeMillis))
  return { body, version: String(row.version) }
})

/** Lists the limits, newest first. */
const list = Effect.fnUntraced(function* (deps: Deps, { used_by, ...input }: ListLimits) {
  const user = used_by === undefined ? undefined : yield* findUser(deps, used_by)
  if (used_by !== undefined && user === undefined) return slicePage<never>([], input)
  const listed = yield* listRows<LimitData>(
    deps.storage,
    PLATFORM_MERCHANT,
    [LimitKind.kind],
    toIndexKeys(ListLimits, input),
    input
  )
  const at = yield* Clock.currentTimeMillis
  const items = yield* Effect.forEach(listed.items, (row) =>
    Effect.map(readShownUse(deps, row, at, user), (used) => limitBody(row, used))
  )
  return { ...listed, items }
})

/** Whether all of these resources belong to a merchant: a filter on another's gives an empty page. */
const isOwnerOfAll = Effect.fnUntraced(function* (
  { storage }: Deps,
  merchant_id: string,
  subjects: ReadonlyArray<readonly [kind: string, id: string | undefined]>
): Effect.fn.Return<boolean, StorageFault> {
  const keys = subjects.flatMap(([kind, id]) => (id === undefined ? [] : [{ merchant_id, kind, id }]))
  return keys.length === 0 || (yield* storage.get(keys)).length === keys.length
})

/** Lists the active limits that a merchant's acts count to, without those of the platform, newest first. */
const listOwn = Effect.fnUntraced(function* (
  deps: Deps,
  { key_id, merchant_id }: Call,
  { customer_id, wallet_id, beneficiary_id, created_after = 0, created_before = Infinity, ...paging }: ListOwnLimits
): Effect.fn.Return<Listed<OwnLimitBody>, StorageFault> {
  const named = { customer: customer_id, wallet: wallet_id, beneficiary: beneficiary_id }
  const subjects = { ...named, merchant: merchant_id, api_key: key_id ?? undefined, platform: undefined }
  const { limit, offset, page, per_page } = toSlice(paging)
  const isOwn = ({ created_at, data: l }: Row<LimitData>): boolean =>
    l.scope !== "platform" &&
    l.tier === null &&
    (l.scope_id === null || l.merchant_id === merchant_id) &&
    created_at >= created_after &&
    created_at <= created_before &&
    (l.scope_id === null ||
      l.scope === "api_key" ||
      subjects[l.scope] === undefined ||
      subjects[l.scope] === l.scope_id)
  const isAllOwn = yield* isOwnerOfAll(deps, merchant_id, Object.entries(named))
  const rows = isAllOwn ? (yield* deps.limits.refreshed).filter(isOwn).toReversed() : []
  const at = yield* Clock.currentTimeMillis
  const items = yield* Effect.forEach(rows.slice(offset, offset + limit), (row) => {
    const subject = row.data.scope_id ?? subjects[row.data.scope]
    return Effect.map(
      subject === undefined ? Effect.succeed(unused) : readUse(deps, row, merchant_id, subject, at),
      (used) => ownLimitBody(row, used)
    )
  })
  return { items, page, per_page, total: rows.length }
})

export class MoneyLimits extends Context.Service<MoneyLimits>()("corridor/engine/MoneyLimits", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { create, get, list, listOwn, update }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
