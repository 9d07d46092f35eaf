/** A submission whose commits are made but not confirmed: it goes on at once, and the provider is asked once (PAYOUT-1). */
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { type Change, Storage } from "../../../src/engine/ports/Storage.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { methodsOf, withMethods } from "../../support/engines/provider-methods.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const away = new StorageFault({ message: "no answer", retryable: true })

/** What happens to the commits of one sort, and to the reads after the first of them. */
interface Trouble {
  /** Whether a commit is of that sort. */
  readonly isOne: (change: Change) => boolean
  /** How many attempts get no answer, and whether they are made. */
  unanswered: number
  readonly made: boolean
  /** How many reads of jobs and rows get none, once the commit was tried. */
  reads: number
}

const troubled = (trouble: { now: Trouble | undefined }) => {
  let hasBegun = false
  return Layer.effect(
    Storage,
    Effect.map(Storage, (store) => {
      const reading = <A>(read: Effect.Effect<A, StorageFault>) =>
        Effect.suspend(() => {
          const { now } = trouble
          if (now === undefined || !hasBegun || now.unanswered > 0 || now.reads <= 0) return read
          now.reads--
          return Effect.fail(away)
        })
      return Storage.of({
        ...store,
        get: (keys) => reading(store.get(keys)),
        job: (merchant_id, id) => reading(store.job(merchant_id, id)),
        commit: (change) =>
          Effect.suspend(() => {
            const { now } = trouble
            if (now === undefined || !now.isOne(change)) return store.commit(change)
            hasBegun = true
            if (now.unanswered <= 0) return store.commit(change)
            now.unanswered--
            return now.made ? Effect.andThen(store.commit(change), Effect.fail(away)) : Effect.fail(away)
          })
      })
    })
  ).pipe(Layer.provide(MemoryStorage.layer))
}

const isIntent = ({ rows }: Change): boolean =>
  rows.some(({ kind, state }) => kind === "transfer" && state === "submitting")
const isAnswer = ({ idempotency }: Change): boolean => idempotency?.key.startsWith("answer/") === true

/** More attempts than one write makes, and fewer. */
const [few, many] = [2, 9]

describe("a commit without an answer", () => {
  covers("SERVICE-27", "PAYOUT-1")
  it.each([
    ["an intent that is made", isIntent, true, few],
    ["an intent that is made, for longer than one write is repeated", isIntent, true, many],
    ["an intent that is not made", isIntent, false, few],
    ["an intent that is not made, for longer than one write is repeated", isIntent, false, many],
    ["an answer that is made", isAnswer, true, many],
    ["an answer that is not made", isAnswer, false, many]
  ])("of %s delays the payout by seconds, and the provider is asked once", async (_, isOne, made, unanswered) => {
    const trouble: { now: Trouble | undefined } = { now: undefined }
    let submitted = 0
    let lookups = 0
    const around = (inner: Parameters<typeof withMethods>[0]) =>
      withMethods(inner, {
        submit: () =>
          Effect.sync(() => {
            submitted++
            return { _tag: "settled", outcome: { outcome: "success", reason: null, transaction_hash: null } } as const
          }),
        lookup: (command) =>
          Effect.suspend(() => {
            lookups++
            return methodsOf(inner).lookup(command)
          })
      })
    await Effect.gen(function* () {
      const m = yield* merchantAtWork("100")
      yield* (yield* Dispatcher).start({ graceMs: 0 })
      trouble.now = { isOne, unanswered, made, reads: 3 }
      const { id } = yield* m.transfer("10")
      // A lease takes 45 s, and a look-up comes after a minute.
      for (let n = 0; n < 200 && (yield* Effect.orElseSucceed(m.status(id), () => "")) !== "success"; n++)
        yield* Effect.sleep(100)
      assert.isBelow(trouble.now.unanswered, unanswered)
      assert.strictEqual(yield* m.status(id), "success")
      assert.deepEqual([submitted, lookups], [1, 0])
      assert.strictEqual((yield* m.balance).available, "90.00")
      assert.deepEqual(yield* m.exceptions, [])
    }).pipe(
      Effect.scoped,
      Effect.provide(makeSimulatedEngine({ around, storage: troubled(trouble) })),
      Effect.runPromise
    )
  })
})
