/** r2: a recall that an earlier release recorded, which marked no onramp that was submitted. Fails on 73a38ac7. */
import { Clock, Effect } from "effect"
import { assert, it } from "vitest"
import { EMPTY, Storage } from "../../../src/engine/ports/Storage.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"

onMemory("r2 upgrade", (run) => {
  it.each(["temporarily_unavailable", "failed"] as const)(
    "N: of an earlier release, then %s: nothing is submitted or refunded",
    (word) =>
      run(
        Effect.gen(function* () {
          const storage = yield* Storage
          const m = yield* merchantCollecting
          yield* m.refunds("accept")
          const { id } = yield* m.onramp()
          const payin_id = `payin_${id}`
          yield* m.pays(id, "150000", { payin_id })
          yield* m.settle
          yield* m.pays(id, "150000", { payin_id, stage: "failed" })
          // As the release at 9006b04a leaves it: the exception, and no mark on what was submitted.
          const row = yield* m.rowOf(id)
          const { recalled_by: _, ...data } = row.data as { recalled_by?: string }
          const at = yield* Clock.currentTimeMillis
          const version = row.version + 1
          yield* storage.commit({
            ...EMPTY,
            merchant_id: row.merchant_id,
            at,
            idempotency: { key: `r2/${id}`, fingerprint: "", response: null, expires_at: at + 1000 },
            rows: [{ ...row, version, data, via: "earlier", from: row.state } as never]
          })
          yield* m.says(id, word)
          yield* m.advance(3600)
          const now = yield* m.rowOf(id)
          console.log(
            word,
            now.state,
            (now.data as any).attempts,
            (yield* m.exceptions).map((e) => [e.reason, e.severity, e.exposure?.amount])
          )
          if (now.state !== "success" && now.state !== "failed")
            yield* m.says(id, word === "failed" ? "success" : "success")
          assert.strictEqual((now.data as { attempts: number }).attempts, 1)
          assert.strictEqual(now.state, "failed")
        })
      )
  )
})
