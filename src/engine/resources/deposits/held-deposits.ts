/** Deposits that are held for their customer's tier limit. A verification that raises the limit releases them (TIER-2). */
import { Context, Effect, Layer } from "effect"
import type { Tier } from "../../../machines/parties/customer.ts"
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import { everyRow } from "../../calls/reads.ts"
import { requireVersion } from "../../commit/changeset.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { AutoConversions } from "./auto-conversion.ts"
import { currentHoldReasons, DepositKind, holdReasons, sourceOfDeposit } from "./deposit.ts"
import { Tiers, askEachRateOnce } from "../parties/tiers.ts"

/** The maximum number of deposits released in one commit. */
const batch = 50

export class HeldDeposits extends Context.Service<HeldDeposits>()("corridor/engine/HeldDeposits", {
  make: Effect.gen(function* () {
    const [unitOfWork, storage, tiers, conversions] = yield* Effect.all([UnitOfWork, Storage, Tiers, AutoConversions])

    /** Deposits held for the limit, oldest first. Only the operator releases those held for other reasons alone. */
    const held = Effect.fnUntraced(function* (merchant_id: string, customer_id: string) {
      const query = { merchant_id, kinds: [DepositKind.kind], index_keys: ["state=held", `customer_id=${customer_id}`] }
      const isHeld = (row: Row) => holdReasons((row as Row<DepositData>).data).includes("tier_limit")
      return ((yield* everyRow(storage, query, isHeld)) as ReadonlyArray<Row<DepositData>>).toReversed()
    })

    /** Adds to each deposit the current row of its address or account, and the other reasons to hold it. */
    const withSources = Effect.fnUntraced(function* (rows: ReadonlyArray<Row<DepositData>>) {
      const keys = rows.map(sourceOfDeposit)
      const sources = yield* storage.get(keys.filter((key) => key !== undefined))
      return rows.map((row, at) => {
        const source = sources.find(({ id, kind }) => id === keys[at]?.id && kind === keys[at]?.kind)
        const left = currentHoldReasons(row.data, source).filter((reason) => reason !== "tier_limit")
        const { amount, currency, customer_id } = row.data
        return { row, source, left, withheld: left.length > 0, customer_id, amount, currency }
      })
    })

    type Held = Effect.Success<ReturnType<typeof withSources>>[number]

    const releasing = (at: number) => {
      const rated = askEachRateOnce()
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
        const deposits = Effect.flatMap(held(merchant_id, customer_id), withSources)
        return yield* tiers.fit({ merchant_id, customer_id, tier }, deposits, releasing(at), batch, at)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
