/** A payout that fails before anybody has submitted it. */
import { Clock, Effect } from "effect"
import { assert } from "vitest"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import type { Row } from "../../../src/engine/ports/Storage.ts"
import { kinds } from "../../../src/engine/registry.ts"
import type { MerchantAtWork } from "./merchant-at-work.ts"

/** Its recipient is blocked before it is submitted. */
export const block = Effect.fnUntraced(function* (m: MerchantAtWork, { id }: Pick<Row, "id">) {
  const unitOfWork = yield* UnitOfWork
  const at = yield* Clock.currentTimeMillis
  const decision = Effect.gen(function* () {
    const kind = kinds.ofId(id)!
    const row = yield* unitOfWork.load(kind, m.merchant_id, id)
    const next = yield* unitOfWork.step(kind, row, { type: "payout.blocked", at } as never, at)
    assert.strictEqual(next?.row.status, "failed")
    return { changes: [next!.changes], result: undefined }
  })
  yield* unitOfWork.apply(m.merchant_id, { deduplicationKey: `${id}/blocked` }, Effect.orDie(decision))
})
