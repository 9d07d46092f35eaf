/** r2: a refund that an event has ended while it is looked up is not submitted again (REFUND-1, REFUND-3, REFUND-5). Fails on 73a38ac7. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { latestRefund } from "../../../src/engine/resources/deposits/refund-reports.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"

let meanwhile: Effect.Effect<unknown> = Effect.void
let refunded: string[] = []
let target = ""

onMemory("r2 ended refund", (run) => {
  it.each([
    ["exception", false],
    ["exception", true],
    ["deposit", false]
  ] as const)("of a %s; decided again meanwhile: %s", (kind, again) =>
    run(
      Effect.gen(function* () {
        refunded = []
        meanwhile = Effect.void
        const m = yield* merchantAtWork("0", kind === "deposit" ? "tier_0" : null)
        yield* m.refunds("accept")
        let id = ""
        if (kind === "deposit") {
          id = (yield* m.deposit({ amount: "1500" })).transaction_id!
          yield* (yield* Deposits).reject(m.operator, id, "sanctioned")
        } else {
          yield* m.deposit({ amount: "700", payin_id: `p_${m.merchant_id}`, currency: "USDT" })
          id = (yield* m.exceptions)[0]!.id
          yield* m.resolve(id, "refund")
        }
        yield* m.settle
        const first = latestRefund(yield* m.rowOf(id))
        target = first
        assert.deepEqual(refunded, [first])
        const context = yield* Effect.context<any>()
        meanwhile = Effect.orDie(
          Effect.provideContext(
            Effect.gen(function* () {
              yield* (yield* Inbox).receive("simulated", {
                ...{ _tag: "refund", event_id: `failed ${id}`, merchant_id: null, resource_id: id },
                ...{ outcome: "failed", reason: null, transaction_hash: null, command_id: first }
              } as never)
              if (again) yield* m.resolve(id, "refund")
            }) as Effect.Effect<unknown, any, any>,
            context as any
          )
        ) as never
        yield* m.advance(15)
        yield* m.settle
        const { state } = yield* m.rowOf(id)
        console.log(kind, again, state, JSON.stringify(refunded))
        // It failed, and its money is in suspense or goes back under another id.
        assert.lengthOf(
          refunded.filter((one) => one === first),
          1
        )
      }),
      {
        around: (provider) =>
          withMethods(provider, {
            refund: (command: { readonly id: string }) =>
              Effect.sync(() => {
                refunded.push(command.id)
                return { _tag: "accepted" } as never
              }),
            lookupRefund: (command: { readonly id: string }) =>
              Effect.suspend(() => {
                if (command.id !== target) return Effect.succeed({ _tag: "pending" } as never)
                const now = meanwhile
                meanwhile = Effect.void
                return Effect.as(now, { _tag: "absent" } as never)
              })
          })
      }
    )
  )
})
