/** Held deposits: the operator's calls on them, list, release and reject (DEPOSIT-11, OPERATOR-2), and their release by a higher limit. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import type { Tier } from "../../../machines/parties/customer.ts"
import { listRows, mapList } from "../../calls/list.ts"
import { findOfAnyMerchant } from "../../calls/reads.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { Call } from "../../commit/call.ts"
import { requireVersion, addNote } from "../../commit/changeset.ts"
import { describe, Id, listing, note, Optional, Text } from "../../input/schemas.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { InvalidStatus, type Unavailable } from "../../ports/errors.ts"
import { depositBody } from "../../representations/deposits/deposit.ts"
import { skipMissingRates, Tiers } from "../parties/tiers.ts"
import { AutoConversions, type Converted } from "./auto-conversion.ts"
import { listHoldReasons, toDepositEventStatus, DepositKind, holdReasons, findDepositSource } from "./deposit.ts"

// Deposits that are held for their customer's tier limit. A verification that raises the limit releases them (TIER-2).

/** The maximum number of deposits released in one commit. */
const batch = 50
/** The number of held deposits that are read at once. */
const page = 2 * batch

export class HeldDeposits extends Context.Service<HeldDeposits>()("corridor/engine/HeldDeposits", {
  make: Effect.gen(function* () {
    const [unitOfWork, storage, tiers, conversions] = yield* Effect.all([UnitOfWork, Storage, Tiers, AutoConversions])

    /** Adds to each deposit the current row of its address or account, and the other reasons to hold it. */
    const withSources = Effect.fnUntraced(function* (rows: ReadonlyArray<Row<DepositData>>) {
      const keys = rows.map(findDepositSource)
      const found = yield* storage.get(keys.filter((key) => key !== undefined))
      const sources = new Map(found.map((source) => [`${source.kind} ${source.id}`, source]))
      return rows.map((row, at) => {
        const source = sources.get(`${keys[at]?.kind} ${keys[at]?.id}`)
        const left = listHoldReasons(row.data, source).filter((reason) => reason !== "tier_limit")
        const { amount, currency, customer_id } = row.data
        return { row, source, left, withheld: left.length > 0, customer_id, amount, currency }
      })
    })

    /**
     * The next deposits held for the limit, oldest first, each time it is run. Only the operator releases those held for other reasons
     * alone. What is held meanwhile moves the others, and the total of its customer: the commit is then made again.
     */
    const heldNext = (merchant_id: string, customer_id: string) => {
      const query = { merchant_id, kinds: [DepositKind.kind], index_keys: ["state=held", `customer_id=${customer_id}`] }
      const seen = new Set<string>()
      let left: number | undefined
      return Effect.gen(function* () {
        left ??= (yield* storage.list({ ...query, offset: 0, limit: 1 })).total
        if (left === 0) return undefined
        const offset = Math.max(0, left - page)
        const { items } = yield* storage.list({ ...query, offset, limit: left - offset })
        left = offset
        const fresh = (items as ReadonlyArray<Row<DepositData>>).filter(
          ({ data, id }) => !seen.has(id) && holdReasons(data).includes("tier_limit")
        )
        for (const { id } of fresh) seen.add(id)
        return yield* withSources(fresh.toReversed())
      })
    }

    type Held = Effect.Success<ReturnType<typeof withSources>>[number]

    const releasing = (at: number) => {
      const rated = skipMissingRates()
      return Effect.fnUntraced(function* ({ left, row, source, withheld }: Held) {
        if (withheld) {
          const next = yield* unitOfWork.step(DepositKind, row, { type: "relieved", hold_reasons: left }, at)
          return next === undefined ? [] : [next.changes]
        }
        const pair = `${row.data.currency}/${row.data.exchange?.destination_currency ?? row.data.currency}`
        const changes = yield* rated(
          pair,
          Effect.map(conversions.release(row, at), (next) => next?.changes ?? [])
        )
        return changes === undefined || source === undefined ? changes : [...changes, requireVersion(source, source)]
      })
    }

    return {
      /**
       * Releases deposits, oldest first, as far as the limit of `tier` permits; a deposit that exceeds it is skipped, and one that
       * waits for a rate is passed over. A deposit that is also held for another reason, or whose address is now frozen or disabled,
       * stays held for that reason alone. `more`: further deposits fit or wait, and need another commit.
       * Errors: `ExternalServiceUnavailable` when nothing but deposits that wait for a rate is left.
       */
      release: Effect.fnUntraced(function* (merchant_id: string, customer_id: string, tier: Tier, at: number) {
        const held = heldNext(merchant_id, customer_id)
        return yield* tiers.fit({ merchant_id, customer_id, tier }, held, releasing(at), batch, at)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export const ListHeldDeposits = Schema.Struct({
  status: Optional(Schema.Literals(["held"]), "`held`, the default: only held deposits are listed."),
  customer_id: Optional(Id("cust"), "Only deposits of this customer."),
  merchant_id: Optional(Id("mer"), "Only deposits of this merchant."),
  ...listing
})
export type ListHeldDeposits = typeof ListHeldDeposits.Type

export const RejectDeposit = Schema.Struct({
  reason: describe(
    Text(255),
    "Why. The timeline of the deposit has it, for its merchant too, and operators read it as the `failure_reason` of the movement.",
    "Unclear origin of the funds"
  ),
  note
}).annotate({ identifier: "RejectDeposit" })

export class Deposits extends Context.Service<Deposits>()("corridor/engine/Deposits", {
  make: Effect.gen(function* () {
    const [unitOfWork, storage, tiers, conversions] = yield* Effect.all([UnitOfWork, Storage, Tiers, AutoConversions])

    const decide = (
      call: Call,
      id: string,
      note: string | undefined,
      decision: (row: Row<DepositData>, at: number) => Effect.Effect<Converted | undefined, Unavailable>
    ) =>
      Effect.gen(function* () {
        const { merchant_id } = yield* findOfAnyMerchant(storage, DepositKind, id)
        return yield* unitOfWork.write({ ...call, merchant_id }, function* () {
          const row = yield* unitOfWork.load(DepositKind, merchant_id, id)
          const next = yield* decision(row, yield* Clock.currentTimeMillis)
          if (next === undefined)
            return yield* new InvalidStatus({
              message: `Deposit ${row.id} is ${row.state === "refunding" ? "rejected, and being refunded" : (toDepositEventStatus(row.state) ?? row.status)}. Only held deposits can be released or rejected.`
            })
          return { changes: addNote(next.changes, row, note), result: depositBody(next.row, next.related) }
        })
      })

    const releaseHeld = Effect.fnUntraced(function* (row: Row<DepositData>, at: number) {
      const next = yield* conversions.release(row, at)
      if (next === undefined) return undefined
      const counted = yield* tiers.count(row.merchant_id, row.data, at)
      return { ...next, changes: [...next.changes, ...counted] }
    })

    const rejectHeld = (reason: string) =>
      Effect.fnUntraced(function* (row: Row<DepositData>, at: number) {
        const next = yield* unitOfWork.step(DepositKind, row, { type: "rejected", at, reason }, at)
        return next === undefined
          ? undefined
          : ({ row: next.row, changes: [next.changes], related: [] } satisfies Converted)
      })

    return {
      /** Operator: a deposit of any merchant. Errors: `NotFound`. */
      get: (id: string) => Effect.map(findOfAnyMerchant(storage, DepositKind, id), depositBody),
      /** Held deposits of all merchants, newest first. */
      held: Effect.fnUntraced(function* ({ customer_id, merchant_id, ...input }: ListHeldDeposits) {
        const keys = ["state=held", ...(customer_id === undefined ? [] : [`customer_id=${customer_id}`])]
        const listed = yield* listRows<DepositData>(storage, merchant_id ?? null, ["deposit"], keys, input)
        const sources = listed.items.map(findDepositSource).filter((key) => key !== undefined)
        const found = new Map((yield* storage.get(sources)).map((source) => [source.id, source]))
        return mapList(listed, (row: Row<DepositData>) => ({
          ...depositBody(row),
          merchant_id: row.merchant_id,
          hold_reasons: listHoldReasons(row.data, found.get(row.data.source_id))
        }))
      }),
      /**
       * Credits a held deposit. A deposit in a currency other than its wallet's is priced now and converted.
       *
       * Errors: `NotFound`; `InvalidStatus` when it is not held; `InvalidInput` when a limit has no room for it;
       * `ExternalServiceUnavailable` when no rate is available.
       */
      release: Effect.fnUntraced(function* (call: Call, id: string, note?: string) {
        return yield* decide(call, id, note, releaseHeld)
      }),
      /**
       * Sends a held deposit back. The deposit fails when the provider accepts the refund.
       *
       * Errors: `NotFound`; `InvalidStatus` when it is not held.
       */
      reject: Effect.fnUntraced(function* (call: Call, id: string, reason: string, note?: string) {
        return yield* decide(call, id, note, rejectHeld(reason))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
