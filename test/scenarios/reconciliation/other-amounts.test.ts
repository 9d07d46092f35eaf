/** Money of another amount than the books have: gone or come, less or more, it is of severity high with the difference as exposure (BREAK-2). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { reading } from "../../support/statements/adoptions.ts"
import { deskIn } from "../../support/statements/desk.ts"

type Merchant = Effect.Success<ReturnType<typeof merchantAtWork>>

const paid = Effect.fnUntraced(function* (m: Merchant) {
  const { id } = yield* m.offramp("500")
  yield* m.settle
  yield* m.says(id, "success")
  yield* m.settle
  const { received_amount } = yield* m.body(id)
  return { name: `${id}.payout`, amount: String(received_amount), id }
})

/** What makes money move, its direction, and what a line of it names. */
const moves = {
  payout: { currency: "NGN", direction: "debit", make: paid },
  return: {
    currency: "NGN",
    direction: "credit",
    make: (m: Merchant) => Effect.tap(paid(m), ({ id }) => Effect.andThen(m.says(id, "returned"), m.settle))
  },
  "pay-in": {
    currency: "USDC",
    direction: "credit",
    make: (m: Merchant) =>
      Effect.map(m.deposit({ amount: "900" }), ({ transaction_id }) => ({ name: transaction_id!, amount: "900" }))
  }
} as const

onMemory("a line of another amount", (run) => {
  covers("BREAK-2")
  it.each(
    Object.entries(moves).flatMap(([money, of]) => [
      { money, ...of, more: -891 },
      { money, ...of, more: 9 }
    ])
  )("than a $money, by $more, is of severity high", ({ currency, direction, make, more }) =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* deskIn(currency)
          const { amount, name } = yield* make(yield* merchantAtWork("10000"))
          const [line] = yield* desk.says([
            { amount: (Number(amount) + more).toFixed(2), direction, end_to_end_id: name }
          ])
          const [open] = yield* desk.about(line!.id)
          const differs = `${Math.abs(more)}.00`
          assert.deepEqual(
            [open!.kind, open!.amount, open!.direction === direction, open!.severity, open!.exposure?.amount],
            ["amount_differs", differs, more > 0, "high", differs]
          )
        })
      )
    )
  )
})
