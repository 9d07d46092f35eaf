/** Deposits that wait for their customer's verification: let through when it lifts the limit (decisions 5, 14.6). */
import { Context, Effect, Layer } from "effect"
import type { Tier } from "../../machines/customer.ts"
import type { DepositData } from "../../machines/deposit.ts"
import type { Parts } from "../Change.ts"
import { type Row, Storage } from "../Storage.ts"
import { AutoConversions } from "./auto-conversion.ts"
import { DepositKind } from "./deposit.ts"
import { Tiers } from "./tiers.ts"

/** Deposits released in one commit at most. */
const batch = 50
const pageSize = 200

export class HeldDeposits extends Context.Service<HeldDeposits>()("corridor/engine/HeldDeposits", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const tiers = yield* Tiers
    const conversions = yield* AutoConversions

    /** Those held for the limit, oldest first. What is held for its frozen or disabled address is the operator's. */
    const held = Effect.fnUntraced(function* (merchant_id: string, customer_id: string) {
      const found: Array<Row<DepositData>> = []
      for (let offset = 0; ; offset += pageSize) {
        const { items, total } = yield* storage.list({
          merchant_id,
          kinds: [DepositKind.kind],
          facets: ["state=held", `customer_id=${customer_id}`],
          offset,
          limit: pageSize
        })
        found.push(...(items as ReadonlyArray<Row<DepositData>>))
        if (offset + pageSize >= total) break
      }
      return found.filter(({ data }) => data.hold_reason === "tier_limit").toReversed()
    })

    return {
      /**
       * What releasing the deposits writes that `tier` has room for, oldest first, each that fits. `more`: there are others
       * for another commit.
       */
      release: Effect.fnUntraced(function* (merchant_id: string, customer_id: string, tier: Tier, at: number) {
        const deposits = Effect.map(held(merchant_id, customer_id), (rows) =>
          rows.map((row) => ({ row, customer_id, amount: row.data.amount, currency: row.data.currency }))
        )
        const { fitting, more, parts } = yield* tiers.fit({ merchant_id, customer_id, tier }, deposits, batch, at)
        const released: Array<Parts> = []
        for (const { row } of fitting) {
          const next = yield* conversions.release(row, at)
          if (next !== undefined) released.push(...next.parts)
        }
        return { parts: [...parts, ...released], more }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
