/** r2: the explanation of a payout whose shortage was dismissed. Fails on 73a38ac7. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { whole } from "../../support/merchants/timelines.ts"

const sentences = (id: string) =>
  Effect.map(whole(id), ({ explanation: { money } }) =>
    money.map(({ summary }) => summary.replaceAll(/(wal|wcr)_\w+/g, "$1"))
  )

onMemory("r2 short", (run) => {
  it.each(["transfer", "offramp"] as const)("M: says what was paid of a %s whose shortage was dismissed", (kind) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const made: any = kind === "transfer" ? yield* m.transfer("100") : yield* m.offramp("100")
        yield* m.settle
        const due = kind === "transfer" ? { amount: "90", currency: "USDC" } : { amount: "100000", currency: "NGN" }
        yield* m.says(made.id, "success", due as never)
        const [short] = yield* m.exceptions
        const before = yield* sentences(made.id)
        yield* m.resolve(short!.id, "dismiss")
        const after = yield* sentences(made.id)
        console.log(kind, short!.reason, short!.amount, JSON.stringify({ before, after }))
        assert.isTrue(after.some((one) => /was paid out/.test(one)))
      })
    )
  )
})
