/**
 * Movements that have to wait: for their submission, for capacity, for a word on what became of them (MOVEMENT-6,
 * PAYOUT-1, PAYOUT-2).
 */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { merchantAtWork, type MerchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import {
  ending,
  less,
  movements,
  reversalOf,
  story,
  submitMovement,
  untouched
} from "../../support/merchants/movements.ts"
import { onServers, onMemory, type Run } from "../../support/engines/every-store.ts"
import { covers } from "../../support/repository/covers.ts"

const shared = (run: Run): void => {
  covers("SANDBOX-7")
  it("offramp: submissions that were held go out when they are taken again, within the lock", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const { id } = yield* m.offramp("100")
        yield* m.advance(120)
        yield* m.behaves("accept")
        yield* m.advance(6)
        assert.strictEqual(yield* m.status(id), "processing")
        yield* m.says(id, "success")
        assert.deepEqual(yield* story(m, id), ending("offramp", "processing>success"))
      })
    ))

  it.each(movements)(
    "%s: a submission in the place of the look-up leaves nobody waiting for ever, and pays once",
    (kind) =>
      run(
        Effect.gen(function* () {
          const storage = yield* Storage
          const unitOfWork = yield* UnitOfWork
          const m = yield* merchantAtWork()
          yield* m.behaves("timeout")
          const id = yield* submitMovement(m, kind)
          assert.strictEqual((yield* m.rowOf(id)).state, "unknown")
          const { items } = yield* storage.jobs({
            merchant_id: m.merchant_id,
            queue: "command",
            body: { id },
            offset: 0,
            limit: 1
          })
          const { merchant_id: _, lease: __, ...job } = items[0]!
          const stray = { ...job, due_at: yield* Clock.currentTimeMillis, body: { ...job.body, operation: "submit" } }
          yield* unitOfWork.apply(
            m.merchant_id,
            { deduplicationKey: `test/${id}` },
            Effect.succeed({ changes: [{ jobs: [stray] }], result: undefined })
          )
          yield* m.settle
          assert.deepEqual(yield* m.next(id), { operation: "lookup", seconds: 60 })
          yield* m.advance(86_400)
          yield* m.says(id, "success")
          assert.strictEqual(yield* m.executions(id), 1)
          assert.deepEqual(yield* m.balance, less("900.00"))
        })
      )
  )

  covers("OFFRAMP-4", "QUOTE-2")
  it("an unexecuted quote past its expiry is refused, and nothing is reserved", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const quote = yield* m.quote("100")
        yield* m.advance(301)
        const refused = yield* Effect.flip(m.execute(quote.id))
        assert.strictEqual(refused._tag, "InvalidStatus")
        assert.deepEqual(yield* m.balance, untouched)
      })
    ))

  covers("PAYOUT-2")
  it.each(movements)(
    "%s: with retry_on_failure a want of capacity is tried again at 5 s doubling, until it is taken",
    (kind) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork()
          yield* m.behaves("unavailable")
          const id = yield* submitMovement(m, kind, { retry_on_failure: true })
          assert.strictEqual(yield* m.status(id), kind === "transfer" ? "processing" : "temporary_failure")
          for (const seconds of [5, 10, 20, 40, 80]) {
            assert.deepEqual(yield* m.next(id), { operation: "submit", seconds })
            yield* m.advance(seconds)
          }
          assert.deepEqual(yield* m.balance, less("900.00"))
          yield* m.behaves("accept")
          yield* m.advance(160)
          assert.strictEqual(yield* m.status(id), "processing")
          yield* m.says(id, "success")
          assert.deepEqual(yield* story(m, id), ending(kind, "processing>success"))
        })
      )
  )

  covers("PAYOUT-1")
  it.each(movements)("%s: while the outcome is unknown it is asked about, and no money is freed", (kind) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("timeout")
        const id = yield* submitMovement(m, kind)
        assert.strictEqual(yield* m.status(id), kind === "transfer" ? "processing" : "temporary_failure")
        assert.deepEqual(yield* m.next(id), { operation: "lookup", seconds: 10 })
        yield* m.advance(10)
        // The provider has it: the outcome is pending, and it is asked on.
        for (const seconds of [60, 300, 3600, 21_600, 86_400, 86_400]) {
          assert.deepEqual(yield* m.next(id), { operation: "lookup", seconds })
          yield* m.advance(seconds)
          assert.deepEqual(yield* m.balance, less("900.00"))
        }
        assert.strictEqual(yield* m.status(id), "processing")
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.status(id), "success")
        assert.strictEqual(yield* m.executions(id), 1)
      })
    )
  )
}

/** Paths of hundreds of steps: what they show does not depend on the store, and memory takes them at once. */
const long = (run: Run): void => {
  /** What each magic ending does, in `auto` mode, without and with retry_on_failure (SANDBOX-13 to SANDBOX-19). */
  const evm = (ending: string) => `0x52908400098527886e0f7030069857d2e416${ending}`

  covers("SANDBOX-13", "SANDBOX-14", "SANDBOX-15", "SANDBOX-16", "SANDBOX-18", "SANDBOX-19", "SANDBOX-12")
  it.each([
    ["0002", false, "failed", "failed"],
    ["0003", false, "failed", "temporarily_unavailable"],
    ["0003", true, "success", null],
    ["0004", false, "success", null],
    ["0005", false, "success", null],
    ["0007", false, "failed", "refund_failed"],
    ["0008", false, "success", null],
    ["1234", false, "success", null]
  ] as const)("an account ending in %s (retries %s) ends in %s", (number, retry_on_failure, status, failure_reason) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.offramp("100", { account_number: `012345${number}`, retry_on_failure })
        yield* m.advance(86_400)
        assert.deepInclude(yield* m.body(id), { status, failure_reason })
        assert.strictEqual(yield* m.executions(id), status === "success" ? 1 : 0)
        const kept = status === "success" || failure_reason === "refund_failed"
        assert.deepEqual(yield* m.balance, kept ? less("900.00") : untouched)
      }),
      { mode: "auto" }
    )
  )

  covers("SANDBOX-17")
  it("an account ending in 0006 is paid, and sent back after three days", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.offramp("100", { account_number: "0123450006" })
        yield* m.advance(3 * 86_400)
        assert.strictEqual(yield* m.status(id), "success")
        yield* m.advance(60)
        assert.strictEqual(yield* m.status(id), "returned")
        assert.deepEqual(yield* m.balance, untouched)
        yield* reversalOf(m, id)
      }),
      { mode: "auto" }
    ))

  it.each([
    ["0002", "failed", "failed"],
    ["0004", "success", null],
    ["0005", "success", null],
    ["0007", "failed", "refund_failed"],
    ["0008", "success", null]
  ] as const)("a transfer to an EVM address ending in %s ends in %s", (number, status, failure_reason) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* Effect.flatMap(onBase(m, evm(number)), (wallet) => m.transfer("10", wallet))
        yield* m.advance(86_400)
        assert.deepInclude(yield* m.body(id), { status, failure_reason })
        assert.strictEqual(yield* m.executions(id), status === "success" ? 1 : 0)
      }),
      { mode: "auto" }
    )
  )
  covers("MOVEMENT-6", "FAILURE-2")
  it("offramp: what is not submitted by its quote's expiry fails unfunded", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const { id } = yield* m.offramp("100")
        yield* m.advance(290)
        assert.strictEqual(yield* m.status(id), "created")
        assert.deepEqual(yield* m.balance, { ...less("900.00"), reserved: "100.00" })
        yield* m.advance(15)
        assert.deepInclude(yield* m.body(id), { status: "failed", failure_reason: "quote_expired" })
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ["1 offramp.created null>created", "2 offramp.failed created>failed"])
        yield* m.behaves("accept")
        yield* m.advance(60)
        assert.strictEqual(yield* m.executions(id), 0)
      })
    ))

  covers("SANDBOX-7")
  it("transfer: one that is held for a month is asked about less and less, and goes out as soon as it may", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const { id } = yield* m.transfer("100")
        const { steps } = yield* m.advance(30 * 86_400)
        assert.isBelow(steps, 1000)
        assert.strictEqual(yield* m.executions(id), 0)
        yield* m.behaves("accept")
        yield* m.settle
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.status(id), "success")
        assert.strictEqual(yield* m.executions(id), 1)
      })
    ))

  it.each(movements)("%s: with retry_on_failure it gives up after a day, and the money is back", (kind) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("unavailable")
        const id = yield* submitMovement(m, kind, { retry_on_failure: true })
        yield* m.advance(86_400 - 600)
        assert.strictEqual(yield* m.status(id), kind === "transfer" ? "processing" : "temporary_failure")
        yield* m.advance(1300)
        assert.deepInclude(yield* m.body(id), { status: "failed", failure_reason: "temporarily_unavailable" })
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ending(kind, "processing>failed"))
        assert.strictEqual(yield* m.executions(id), 0)
      })
    )
  )
}

/** The wallet moved to base, where addresses have magic endings; the members of a transfer to one. */
const onBase = Effect.fnUntraced(function* (m: MerchantAtWork, address: string) {
  yield* m.networked("base")
  return { beneficiary_id: yield* m.crypto(address, "base") }
})

onServers("movements that wait", shared)
onMemory("movements that wait for long", long)
