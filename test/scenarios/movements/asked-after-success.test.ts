/** A report that cannot be true after a success is asked about until there is an answer, or a person has decided (OUTCOME-6). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import type { CommandStatus } from "../../../src/engine/ports/Provider.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

let lookups = 0
let answer: "pending" | "silent" | "returned" = "pending"

const status = {
  pending: { _tag: "pending" },
  returned: { _tag: "settled", outcome: { outcome: "returned", reason: null, transaction_hash: null } }
} as const satisfies Record<string, CommandStatus>

const bank = {
  lookup: () =>
    Effect.suspend(() => {
      lookups++
      return answer === "silent"
        ? Effect.fail(new ProviderFault({ provider: "simulated", message: "no answer" } as never))
        : Effect.succeed<CommandStatus>(status[answer])
    })
}

/** An offramp that succeeded, and was then returned with an amount that cannot be true. */
const doubted = Effect.gen(function* () {
  const m = yield* merchantAtWork()
  const { id } = yield* m.offramp("100")
  yield* m.settle
  yield* m.says(id, "success")
  lookups = 0
  yield* m.says(id, "returned", { amount: "1.234567", currency: "USDC" })
  return { m, id }
})

onMemory("a return that cannot be true after a success", (run) => {
  const asBank = { around: (provider: Parameters<typeof withMethods>[0]) => withMethods(provider, bank) }

  covers("OUTCOME-6", "PAYOUT-1")
  it.each(["pending", "silent"] as const)(
    "is asked about until there is an answer, with the usual delays: %s",
    (first) =>
      run(
        Effect.gen(function* () {
          answer = first
          const { id, m } = yield* doubted
          yield* m.advance(90_000)
          assert.isAbove(lookups, 3)
          assert.isBelow(lookups, 8)
          answer = "returned"
          yield* m.advance(90_000)
          assert.strictEqual(yield* m.status(id), "returned")
          const asked = lookups
          yield* m.advance(2 * 86_400)
          assert.strictEqual(lookups, asked)
        }),
        asBank
      )
  )

  it("is asked about no more when an operator has decided about it", () =>
    run(
      Effect.gen(function* () {
        answer = "pending"
        const { id, m } = yield* doubted
        yield* m.advance(600)
        const asked = lookups
        assert.isAbove(asked, 1)
        const [exception] = yield* m.exceptions
        assert.strictEqual(exception!.reason, "implausible_amount")
        yield* m.resolve(exception!.id, "dismiss")
        yield* m.advance(2 * 86_400)
        assert.deepEqual([yield* m.status(id), lookups], ["success", asked])
      }),
      asBank
    ))
})
