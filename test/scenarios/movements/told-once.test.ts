/** A word of a provider whose commit is made and not confirmed is still one report (OUTCOME-10). */
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { type Change, Storage } from "../../../src/engine/ports/Storage.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const away = new StorageFault({ message: "no answer", retryable: true })

const losing = (isOne: (change: Change) => boolean, lost: { left: number; commits: number }) =>
  Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        commit: (change) =>
          Effect.suspend(() => {
            if (!isOne(change) || lost.left <= 0) return store.commit(change)
            lost.left--
            lost.commits++
            return Effect.andThen(store.commit(change), Effect.fail(away))
          })
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))

covers("OUTCOME-10")
it.each(["submission", "look-up"])(
  "a word in the answer of a %s is one exception, although its commit has no answer",
  async (how) => {
    let meanwhile: Effect.Effect<unknown> = Effect.void
    const success = { _tag: "settled", outcome: { outcome: "success", reason: null, transaction_hash: null } } as const
    const answer = Effect.suspend(() => {
      const first = meanwhile
      meanwhile = Effect.void
      return Effect.as(first, success)
    })
    const around = (inner: Parameters<typeof withMethods>[0]) =>
      withMethods(inner, {
        submit: () => (how === "submission" ? answer : Effect.succeed({ _tag: "accepted" } as const)),
        lookup: () => answer
      })
    const lost = { left: 1, commits: 0 }
    const isOne = ({ rows }: Change): boolean => rows.some(({ kind }) => kind === "exception")
    await Effect.gen(function* () {
      const m = yield* merchantAtWork("100")
      const { id } = yield* m.transfer("10")
      const context = yield* Effect.context<any>()
      const failed = Inbox.use((inbox) =>
        inbox.receive("simulated", {
          _tag: "movement",
          event_id: `failed ${id}`,
          merchant_id: null,
          resource_id: id,
          outcome: "failed",
          reason: null,
          transaction_hash: null
        } as never)
      )
      meanwhile = Effect.orDie(
        Effect.provideContext(failed as Effect.Effect<unknown, any, any>, context as any)
      ) as never
      if (how === "look-up") {
        const event = meanwhile
        meanwhile = Effect.void
        yield* m.settle
        meanwhile = event
        yield* m.advance(70)
      } else yield* m.settle
      yield* m.advance(70)
      assert.strictEqual(lost.commits, 1)
      assert.strictEqual(yield* m.status(id), "failed")
      const all = yield* m.exceptions
      assert.deepEqual(
        all.map(({ exposure, reason }) => [reason, exposure?.amount]),
        [["contradicts_state", "10.00"]]
      )
    }).pipe(Effect.scoped, Effect.provide(makeSimulatedEngine({ around, storage: losing(isOne, lost) })), (done) =>
      Effect.runPromise(done as Effect.Effect<void>)
    )
  }
)

covers("OUTCOME-10", "OUTCOME-6")
it("a word in a look-up that nothing has overtaken is one exception, although its commit has no answer", async () => {
  const failed = { _tag: "settled", outcome: { outcome: "failed", reason: null, transaction_hash: null } } as const
  const around = (inner: Parameters<typeof withMethods>[0]) =>
    withMethods(inner, { lookup: () => Effect.succeed(failed) })
  const lost = { left: 0, commits: 0 }
  const isOne = ({ rows }: Change): boolean => rows.some(({ kind }) => kind === "exception")
  await Effect.gen(function* () {
    const m = yield* merchantAtWork()
    const { id } = yield* m.offramp("100")
    yield* m.settle
    yield* m.says(id, "success")
    // What cannot be true is asked about: the look-up has its lease when it says that the payout failed.
    yield* m.says(id, "returned", { amount: "1.234567", currency: "USDC" })
    lost.left = 1
    yield* m.advance(90_000)
    assert.strictEqual(lost.commits, 1)
    assert.deepEqual(
      (yield* m.exceptions).map(({ reason }) => reason),
      ["contradicts_state", "implausible_amount"]
    )
  }).pipe(Effect.scoped, Effect.provide(makeSimulatedEngine({ around, storage: losing(isOne, lost) })), (done) =>
    Effect.runPromise(done as Effect.Effect<void>)
  )
})
