/** Fee schedules: what an operator charges for quotes from a date on (FEE-1 to FEE-4). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import {
  FeeSchedule,
  type FeeScheduleData,
  type FeeScheduleEvent,
  type FeeTier
} from "../../../machines/movements/fee-schedule.ts"
import { activeSchedulesMax, CurrentTerms, feeScheduleKind } from "../../calls/CurrentTerms.ts"
import { checkVersion } from "../../calls/list.ts"
import { findOfAnyMerchant, listBodies } from "../../calls/reads.ts"
import { type Call, makeIdFor } from "../../commit/call.ts"
import { makeApprovalEnding } from "../../commit/approval.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import { makeNotFound, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { findCurrency } from "../../input/amounts.ts"
import { ofMerchant, makeWordFilter } from "../../input/members.ts"
import {
  Amount,
  AmountOrZero,
  BasisPoints,
  CurrencyCode,
  describe,
  Id,
  Instant,
  listing,
  note,
  Optional
} from "../../input/schemas.ts"
import {
  makeFieldRefusal,
  InvalidAmountPrecision,
  type InvalidInput,
  invalid,
  InvalidStatus,
  type NotFound
} from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, Storage } from "../../ports/Storage.ts"
import { requireCurrency } from "../../reference/currencies.ts"
import {
  feeOperation,
  feeScheduleBody,
  feeScheduleStatuses,
  pricedOperations
} from "../../representations/movements/fee-schedule.ts"
import { MerchantKind } from "../access/api-key.ts"

export const FeeScheduleKind: ResourceKind<FeeScheduleData, FeeScheduleEvent> = {
  kind: feeScheduleKind,
  prefix: "fee",
  lifecycle: FeeSchedule,
  derivedWrites: makeApprovalEnding((state) => state === "active"),
  indexKeys: ({ destination_currency, merchant_id, operation, source_currency }) => [
    `operation=${operation}`,
    ...Object.entries({ merchant_id, source_currency, destination_currency }).flatMap(([name, value]) =>
      value === null ? [] : [`${name}=${value}`]
    )
  ],
  auditView: (row) => {
    const { bps, fixed, max, min, tiers, valid_from, ...f } = feeScheduleBody(row)
    const { destination_currency, merchant_id, operation, source_currency } = f
    const whose = { merchant_id, operation, source_currency, destination_currency }
    return { ...whose, fixed, bps, min, max, tiers: tiers.map((tier) => ({ ...tier })), valid_from }
  }
}

/** Members of a schedule, and of each of its tiers. */
const rated = {
  fixed: Optional(AmountOrZero, "What is added to the share, in the source currency. Default: 0.", "0.50"),
  bps: Optional(BasisPoints, "The share of the source amount, in hundredths of a percent: below 10000. Default: 0.", 40)
}

const Tier = Schema.Struct({
  above: describe(AmountOrZero, "The volume of the month from which on the tier applies.", "100000.00"),
  ...rated
}).annotate({ identifier: "CreateFeeTier" })

export const CreateFeeSchedule = Schema.Struct({
  merchant_id: Optional(Id("mer"), "The merchant whose quotes it prices. Default: every one."),
  operation: feeOperation,
  source_currency: Optional(CurrencyCode, "The source currency that it prices. Default: every one.", "USDC"),
  destination_currency: Optional(CurrencyCode, "The destination currency that it prices. Default: every one.", "NGN"),
  ...rated,
  min: Optional(AmountOrZero, "The least fee, in the source currency. Default: none.", "1.00"),
  max: Optional(Amount, "The greatest fee, in the source currency. Default: none.", "250.00"),
  tiers: Optional(
    Schema.Array(Tier),
    "Up to 20 other fees, by the merchant's volume of the operation and the source currency in the calendar month (UTC) before the quote, ascending by `above`.",
    [{ above: "100000.00", bps: 25 }]
  ),
  valid_from: Optional(
    Instant,
    "When it begins to apply, a date (its first millisecond, UTC) or an instant. Default: now.",
    "2026-02-01"
  ),
  note
}).annotate({ identifier: "CreateFeeSchedule" })
export type CreateFeeSchedule = typeof CreateFeeSchedule.Type

export const EndFeeSchedule = Schema.Struct({
  status: describe(Schema.Literal("ended"), "`ended`: it prices no further quote."),
  note
}).annotate({ identifier: "EndFeeSchedule" })

const inOne = (name: string) => Optional(Schema.String, `Only those that name this ${name} currency.`, "USDC")

export const ListFeeSchedules = Schema.Struct({
  merchant_id: ofMerchant,
  operation: makeWordFilter(pricedOperations, "operation"),
  source_currency: inOne("source"),
  destination_currency: inOne("destination"),
  status: makeWordFilter(feeScheduleStatuses, "status"),
  ...listing
})
export type ListFeeSchedules = typeof ListFeeSchedules.Type

const tiersMax = 20

const makeDeps = Effect.gen(function* () {
  const storage = yield* Storage
  return {
    storage,
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, terms: CurrentTerms, ids: Ids })),
    list: listBodies(storage, FeeScheduleKind, ListFeeSchedules, feeScheduleBody)
  }
})
type Deps = Effect.Success<typeof makeDeps>

/** Lists the amounts of a schedule, each with the name of its field. */
const listScheduleAmounts = ({
  fixed,
  max,
  min,
  tiers = []
}: CreateFeeSchedule): ReadonlyArray<readonly [string, string]> =>
  [
    ["fixed", fixed],
    ["min", min],
    ["max", max],
    ...tiers.flatMap(({ above, fixed }, at) => [
      [`tiers.${at}.above`, above],
      [`tiers.${at}.fixed`, fixed]
    ])
  ].filter((one): one is [string, string] => one[1] !== undefined)

/** Compares two decimal strings: below zero when `a` is less. */
const compareDecimals = (a: string, b: string): number => {
  const [digits, others] = [a, b].map((text) => {
    const [whole = "", decimals = ""] = text.split(".")
    return BigInt(whole + decimals.padEnd(18, "0"))
  }) as [bigint, bigint]
  return digits < others ? -1 : digits > others ? 1 : 0
}

/**
 * Checks the members of a schedule. Errors: `NotFound` for an unknown currency; `InvalidInput` for twice the same currency, a `max` below
 * `min`, and tiers that are too many or do not ascend; `InvalidAmountPrecision` for an amount that the source currency does not settle.
 */
const checkSchedule = Effect.fnUntraced(function* (
  input: CreateFeeSchedule
): Effect.fn.Return<void, InvalidInput | InvalidAmountPrecision | NotFound> {
  const { bps, destination_currency, fixed, max, min, source_currency, tiers = [] } = input
  if ((fixed ?? bps ?? min) === undefined && tiers.length === 0)
    return yield* invalid("bps", "A fee schedule has bps, fixed, min or tiers. Where nothing is charged, bps is 0.")
  for (const name of ["source_currency", "destination_currency"] as const) {
    const code = input[name]
    if (code !== undefined) yield* findCurrency(code)
  }
  if (source_currency !== undefined && source_currency === destination_currency)
    return yield* invalid("destination_currency", `destination_currency is ${source_currency}, as source_currency is.`)
  if (source_currency !== undefined) {
    const { decimals } = requireCurrency(source_currency)
    const finer = listScheduleAmounts(input).find(
      ([, text]) => (text.split(".")[1] ?? "").replace(/0+$/, "").length > decimals
    )
    if (finer !== undefined) {
      const message = `${finer[0]} is ${JSON.stringify(finer[1])}. ${source_currency} takes at most ${decimals} decimals.`
      return yield* new InvalidAmountPrecision(makeFieldRefusal(finer[0], "invalid_value", message))
    }
  }
  if (min !== undefined && max !== undefined && compareDecimals(max, min) < 0)
    return yield* invalid("max", `max is ${max}, which is below min, ${min}.`)
  if (tiers.length > tiersMax)
    return yield* invalid("tiers", `tiers has ${tiers.length} entries; it takes at most ${tiersMax}.`)
  const wrong = tiers.findIndex(({ above }, at) => at > 0 && compareDecimals(above, tiers[at - 1]!.above) <= 0)
  if (wrong > 0)
    return yield* invalid(
      `tiers.${wrong}.above`,
      `tiers.${wrong}.above is ${tiers[wrong]!.above}, which is not above that of the tier before, ${tiers[wrong - 1]!.above}.`
    )
})

/**
 * Creates a schedule. It decides the gateway fee of quotes from `valid_from` on, where none that is more specific does.
 *
 * Errors: `InvalidInput` and `InvalidAmountPrecision` for members that do not fit; `NotFound` for the merchant or a currency; `InvalidStatus` when too many
 * are active.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateFeeSchedule) {
  const { ids, storage, terms, unitOfWork } = deps
  yield* checkSchedule(input)
  const { operation } = input
  const merchant_id = input.merchant_id ?? PLATFORM_MERCHANT
  if (input.merchant_id !== undefined && (yield* storage.find(MerchantKind.kind, merchant_id)) === undefined)
    return yield* makeNotFound(MerchantKind, merchant_id)
  const { total } = yield* storage.list({
    merchant_id,
    kinds: [feeScheduleKind],
    index_keys: ["status=active", `operation=${operation}`],
    offset: 0,
    limit: 1
  })
  if (total >= activeSchedulesMax)
    return yield* new InvalidStatus({ message: `${total} fee schedules of ${operation} are active. End some of them.` })
  const rate = (one: { readonly fixed?: string; readonly bps?: number | string }) => ({
    fixed: one.fixed ?? "0",
    bps: String(one.bps ?? "0")
  })
  const made = yield* unitOfWork.write({ ...call, merchant_id }, function* () {
    const at = yield* Clock.currentTimeMillis
    const data: FeeScheduleData = {
      merchant_id: input.merchant_id ?? null,
      operation,
      source_currency: input.source_currency ?? null,
      destination_currency: input.destination_currency ?? null,
      ...rate(input),
      min: input.min ?? null,
      max: input.max ?? null,
      tiers: (input.tiers ?? []).map((tier): FeeTier => ({ above: tier.above, ...rate(tier) })),
      valid_from: input.valid_from ?? at,
      note: input.note ?? null,
      ended_at: null
    }
    const id = yield* makeIdFor(call, ids, FeeScheduleKind.prefix)
    const made = yield* begin(FeeScheduleKind, { merchant_id, id }, data, at)
    return { changes: [made.changes], result: feeScheduleBody(made.row) }
  })
  terms.forget(operation)
  return made
})

/**
 * Ends a schedule: the next quote is priced without it. Quotes that were made under it keep their fee.
 *
 * Errors: `NotFound`; `InvalidStatus` when it has ended; `Conflict` when `If-Match` does not match.
 */
const endSchedule = Effect.fnUntraced(function* ({ storage, terms, unitOfWork }: Deps, call: Call, id: string) {
  const { data, merchant_id } = yield* findOfAnyMerchant(storage, FeeScheduleKind, id)
  const ended = yield* unitOfWork.write({ ...call, merchant_id }, function* () {
    const at = yield* Clock.currentTimeMillis
    const row = yield* unitOfWork.load(FeeScheduleKind, merchant_id, id)
    yield* checkVersion(call, String(row.version))
    const next = yield* unitOfWork.step(FeeScheduleKind, row, { type: "end", at }, at)
    if (next === undefined) return yield* new InvalidStatus({ message: `Fee schedule ${id} has already ended.` })
    return { changes: [next.changes], result: feeScheduleBody(next.row) }
  })
  terms.forget(data.operation)
  return ended
})

/** Reads a schedule. Errors: `NotFound`. */
const get = Effect.fnUntraced(function* ({ storage }: Deps, id: string) {
  const row = yield* findOfAnyMerchant(storage, FeeScheduleKind, id)
  return { body: feeScheduleBody(row), version: String(row.version) }
})

const list = ({ list }: Deps, input: ListFeeSchedules) => list(null, input)

export class FeeSchedules extends Context.Service<FeeSchedules>()("corridor/engine/FeeSchedules", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { create, end: endSchedule, get, list }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
