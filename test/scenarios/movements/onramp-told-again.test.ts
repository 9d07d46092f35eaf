/** An onramp that its provider calls a success, then returned, and then a success again, in every order (EXCEPTION-5). */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

onMemory("an onramp that is told otherwise", (run) => {
  covers("EXCEPTION-5")
  it.each([
    ["success, returned", "success", 1],
    ["success, returned, success", "success", 1],
    ["success, returned, success, returned", "success", 1],
    ["returned, success", "returned", 1],
    ["success, success", "success", 0]
  ] as const)("%s is a %s, with what is at risk once", (words, state, risks) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const ramps = yield* onrampsOf(m)
        const { id } = yield* ramps.onramp()
        yield* ramps.pays(id, "150000", { payin_id: `payin_${id}` })
        yield* m.settle
        for (const [n, word] of words.split(", ").entries())
          yield* Inbox.use((inbox) =>
            inbox.receive("simulated", {
              ...{ _tag: "movement", event_id: `${id}.${n}`, merchant_id: m.merchant_id, resource_id: id },
              ...{ outcome: word as "success" | "returned", reason: null, transaction_hash: null }
            })
          )
        assert.strictEqual((yield* m.rowOf(id)).state, state)
        const exposed = (yield* m.exceptions).flatMap(({ exposure, severity }) =>
          severity === "high" ? [exposure?.amount] : []
        )
        assert.deepEqual(exposed, Array<string>(risks).fill("149250.00"))
      })
    )
  )
})
