/** The operator's calls on held deposits: list, release and reject (DEPOSIT-11, OPERATOR-2). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import type { Call } from "../../commit/call.ts"
import { withNote, type ChangeSet } from "../../commit/changeset.ts"
import { InvalidStatus, type Unavailable } from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { depositBody } from "../../representations/deposits/deposit.ts"
import { describe, Id, listing, note, Optional, Text } from "../../input/schemas.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { AutoConversions, type Released } from "./auto-conversion.ts"
import { currentHoldReasons, depositEventStatus, DepositKind, sourceOfDeposit } from "./deposit.ts"
import { listRows, mapList } from "../../calls/list.ts"
import { findOf } from "../../calls/reads.ts"
import { Tiers } from "../parties/tiers.ts"

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
      decision: (row: Row<DepositData>, at: number) => Effect.Effect<Released | undefined, Unavailable>
    ) =>
      Effect.gen(function* () {
        const { merchant_id } = yield* findOf(storage, DepositKind, id)
        return yield* unitOfWork.write({ ...call, merchant_id }, function* () {
          const row = yield* unitOfWork.load(DepositKind, merchant_id, id)
          const next = yield* decision(row, yield* Clock.currentTimeMillis)
          if (next === undefined)
            return yield* new InvalidStatus({
              message: `Deposit ${row.id} is ${row.state === "refunding" ? "rejected, and being refunded" : (depositEventStatus(row.state) ?? row.status)}. Only held deposits can be released or rejected.`
            })
          return { changes: withNote(next.changes, row, note), result: depositBody(next.row) }
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
        return next === undefined ? undefined : { row: next.row, changes: [next.changes] as ReadonlyArray<ChangeSet> }
      })

    return {
      /** Operator: a deposit of any merchant. Errors: `NotFound`. */
      get: (id: string) => Effect.map(findOf(storage, DepositKind, id), depositBody),
      /** Held deposits of all merchants, newest first. */
      held: Effect.fnUntraced(function* ({ customer_id, merchant_id, ...input }: ListHeldDeposits) {
        const keys = ["state=held", ...(customer_id === undefined ? [] : [`customer_id=${customer_id}`])]
        const listed = yield* listRows<DepositData>(storage, merchant_id ?? null, ["deposit"], keys, input)
        const sources = listed.items.map(sourceOfDeposit).filter((key) => key !== undefined)
        const found = new Map((yield* storage.get(sources)).map((source) => [source.id, source]))
        return mapList(listed, (row: Row<DepositData>) => ({
          ...depositBody(row),
          merchant_id: row.merchant_id,
          hold_reasons: currentHoldReasons(row.data, found.get(row.data.source_id))
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
