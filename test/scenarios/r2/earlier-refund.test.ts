/** r2: a word about an earlier refund, in an answer, does not end a later one (REFUND-5, REFUND-6, OUTCOME-10). Fails on 73a38ac7. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { latestRefund } from "../../../src/engine/resources/deposits/refund-reports.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"

let meanwhile: Effect.Effect<unknown> = Effect.void
let lookedUp: string[] = []
let refunded: string[] = []
const answers = new Map<string, object>()

onMemory("r2 earlier refund", (run) => {
  it.each([
    ["success", false],
    ["failed", false],
    ["cancelled", false],
    ["success", true],
    ["cancelled", true]
  ] as const)(
    "that is looked up when the next is decided: %s; the next is submitted meanwhile: %s",
    (outcome, isParallel) =>
      run(
        Effect.gen(function* () {
          lookedUp = []
          refunded = []
          answers.clear()
          meanwhile = Effect.void
          const m = yield* merchantAtWork("0")
          yield* m.refunds("accept")
          yield* m.deposit({ amount: "700", payin_id: `p_${m.merchant_id}`, currency: "USDT" })
          const [{ id } = { id: "" }] = yield* m.exceptions
          yield* m.resolve(id, "refund")
          yield* m.settle
          const first = latestRefund(yield* m.rowOf(id))
          const context = yield* Effect.context<any>()
          meanwhile = Effect.orDie(
            Effect.provideContext(
              Effect.gen(function* () {
                const inbox = yield* Inbox
                yield* inbox.receive("simulated", {
                  ...{ _tag: "refund", event_id: `bounced ${id}`, merchant_id: null, resource_id: id },
                  ...{ outcome: "failed", reason: null, transaction_hash: null, command_id: first }
                } as never)
                yield* m.resolve(id, "refund")
                // Another worker submits it while the first look-up is not answered yet.
                for (let n = 0; isParallel && n < 100 && refunded.length < 2; n++) yield* Effect.sleep(50)
              }) as Effect.Effect<unknown, any, any>,
              context as any
            )
          ) as never
          answers.set(first, { _tag: "settled", outcome: { outcome, reason: null, transaction_hash: null } })
          if (isParallel) {
            yield* (yield* Dispatcher).start({ graceMs: 0 })
            // The look-up is due after 10 seconds.
            for (let n = 0; n < 300 && !(lookedUp.length > 0 && refunded.length > 1); n++) yield* Effect.sleep(50)
            yield* Effect.sleep(500)
          } else {
            yield* m.advance(15)
            yield* m.advance(15)
          }
          const second = latestRefund(yield* m.rowOf(id))
          const { state } = yield* m.rowOf(id)
          yield* (yield* Inbox).receive("simulated", {
            ...{ _tag: "refund", event_id: `second ${id}`, merchant_id: null, resource_id: id },
            ...{ outcome: "success", reason: null, transaction_hash: null, command_id: second }
          } as never)
          console.log(outcome, state, JSON.stringify({ lookedUp, refunded }))
          console.log((yield* m.exceptions).map((e) => [e.reason, e.severity, e.amount, e.exposure?.amount]))
          assert.notStrictEqual(first, second)
          console.log(
            "after the second",
            (yield* m.rowOf(id)).state,
            (yield* m.exceptions).map((e) => [e.reason, e.severity])
          )
          if (isParallel) assert.lengthOf(refunded, 2)
          assert.strictEqual(state, "refunding", "the later refund is under way")
          // The first was paid after all, or was not: what the second says is the end.
          assert.strictEqual((yield* m.rowOf(id)).state, "resolved")
          assert.strictEqual(
            (yield* m.exceptions).some(({ severity }) => severity === "high"),
            outcome === "success"
          )
        }).pipe(Effect.scoped) as Effect.Effect<void>,
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
                  lookedUp.push(command.id)
                  const now = meanwhile
                  meanwhile = Effect.void
                  return Effect.as(now, (answers.get(command.id) ?? { _tag: "pending" }) as never)
                })
            })
        }
      )
  )
})
