import { methodsOf } from "../../support/engines/provider-methods.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SimulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { type MovementOutcomeType, Provider } from "../../../src/engine/ports/Provider.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import type { Storage } from "../../../src/engine/ports/Storage.ts"
import { receivedEvents, summaryOf } from "./scheduled-events.ts"
import {
  answer,
  auto,
  bank,
  base,
  executions,
  lookup,
  manual,
  type Needs,
  payin,
  provider,
  refund,
  refunding,
  submit,
  wait,
  words
} from "./bank.ts"
import { bankAccount, chainAddress, payout } from "./commands.ts"
import { covers } from "../../support/repository/covers.ts"
import { freshPglite } from "../../support/stores/pglite.ts"

describe("the simulated provider", () => {
  auto(
    "pays out after its delay, and reports it once",
    Effect.gen(function* () {
      const command = payout("ofr_1", bankAccount("1234567890"))
      assert.strictEqual(yield* answer(command), "accepted")
      assert.deepStrictEqual(yield* wait(999), [])
      assert.strictEqual((yield* lookup(command))._tag, "pending")
      assert.deepStrictEqual(yield* wait(1), ["success"])
      assert.deepStrictEqual(yield* lookup(command), {
        _tag: "settled",
        outcome: { outcome: "success", reason: null, transaction_hash: null }
      })
      assert.deepStrictEqual(yield* wait("30 days"), [])
      assert.strictEqual(yield* executions(command.id), 1)
    })
  )

  auto(
    "executes one command once in twenty concurrent submissions",
    Effect.gen(function* () {
      const command = payout("ofr_1", bankAccount("1234567890"))
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => answer(command)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(answers), new Set(["accepted"]))
      assert.deepStrictEqual(yield* wait("1 second"), ["success"])
      assert.strictEqual(yield* executions(command.id), 1)
      assert.strictEqual(yield* Effect.flatMap(Sandbox, (sandbox) => sandbox.count), 1)
    })
  )

  auto(
    "counts the payouts of a movement submitted under two ids",
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      for (const id of ["ofr_1.payout", "ofr_1.again"])
        yield* submit(payout("ofr_1", bankAccount("1234567890"), { id }))
      assert.strictEqual(yield* sandbox.executionsOf("ofr_1"), 2)
      assert.strictEqual(yield* sandbox.executionsOf("ofr_2"), 0)
      assert.strictEqual(yield* sandbox.count, 2)
    })
  )

  auto(
    "gives a transfer a hash in the form of its network",
    Effect.gen(function* () {
      yield* submit(payout("tfr_1", chainAddress(`0x${"1".repeat(40)}`)))
      yield* submit(payout("tfr_2", chainAddress("1".repeat(32), "solana")))
      yield* TestClock.adjust("1 second")
      const hashes = (yield* receivedEvents()).map((event) =>
        event._tag === "movement" ? event.transaction_hash : null
      )
      assert.strictEqual(hashes.filter((hash) => /^0x[0-9a-f]{64}$/.test(hash ?? "")).length, 1)
      assert.strictEqual(hashes.filter((hash) => /^[1-9A-HJ-NP-Za-km-z]{80,90}$/.test(hash ?? "")).length, 1)
    })
  )

  covers("SANDBOX-7")
  describe("told how to treat a merchant's submissions", () => {
    const behave = (submissions: "accept" | "hold" | "unavailable" | "timeout") =>
      Effect.flatMap(Sandbox, (sandbox) => sandbox.behave("mer_1", { submissions }))
    const ready = (merchant_id: string) => Effect.flatMap(Provider, (service) => methodsOf(service).ready(merchant_id))

    auto(
      "is not ready while it holds submissions of that merchant, and no other's",
      Effect.gen(function* () {
        assert.isTrue(yield* ready("mer_1"))
        yield* behave("hold")
        assert.isFalse(yield* ready("mer_1"))
        assert.isTrue(yield* ready("mer_2"))
        yield* behave("accept")
        assert.isTrue(yield* ready("mer_1"))
      })
    )

    auto(
      "rejects submissions as unavailable, without executing them",
      Effect.gen(function* () {
        const command = payout("ofr_1", bankAccount("1234567890"))
        yield* behave("unavailable")
        assert.strictEqual(yield* answer(command), "unavailable")
        assert.strictEqual((yield* lookup(command))._tag, "absent")
        assert.strictEqual(yield* executions(command.id), 0)
        assert.strictEqual(yield* answer(payout("ofr_2", null, { merchant_id: "mer_2" })), "accepted")
        yield* behave("accept")
        assert.strictEqual(yield* answer(command), "accepted")
        assert.strictEqual(yield* executions(command.id), 1)
      })
    )

    auto(
      "executes submissions and loses every response",
      Effect.gen(function* () {
        const command = payout("ofr_1", bankAccount("1234567890"))
        yield* behave("timeout")
        assert.strictEqual(yield* answer(command), "ProviderFault")
        assert.strictEqual(yield* answer(command), "ProviderFault")
        assert.strictEqual((yield* lookup(command))._tag, "pending")
        assert.deepStrictEqual(yield* wait("1 second"), ["success"])
        assert.strictEqual(yield* executions(command.id), 1)
      })
    )
  })

  covers("SANDBOX-2", "SANDBOX-11")
  describe("given an outcome by a developer", () => {
    const report = (resource_id: string, outcome: MovementOutcomeType, event_id: string | null = null) =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const input = { merchant_id: "mer_1", resource_id, outcome, reason: null, transaction_hash: null, event_id }
        const scheduled = yield* sandbox.outcome(input)
        yield* scheduled.done
        return scheduled.event
      })

    manual(
      "reports it at once, and not again after it was handled",
      Effect.gen(function* () {
        const command = payout("ofr_1", bankAccount("1234567890"))
        yield* submit(command)
        assert.deepStrictEqual(yield* wait("1 day"), [])
        assert.strictEqual(yield* executions(command.id), 0)
        assert.strictEqual(summaryOf(yield* report("ofr_1", "success")), "success")
        assert.strictEqual(yield* executions(command.id), 1)
        assert.strictEqual((yield* lookup(command))._tag, "settled")
        assert.deepStrictEqual(yield* wait("1 day"), [])
      })
    )

    manual(
      "reports it again, under the same id, when its receiver crashed",
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        yield* submit(payout("ofr_1", bankAccount("1234567890")))
        const { event } = yield* sandbox.outcome({
          merchant_id: "mer_1",
          resource_id: "ofr_1",
          outcome: "success",
          reason: null,
          transaction_hash: null,
          event_id: null
        })
        assert.deepStrictEqual(yield* receivedEvents(), [], "it is in the hands of its first receiver")
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* receivedEvents(), [event])
      })
    )

    manual(
      "reports a returned transfer as reversed",
      Effect.gen(function* () {
        yield* submit(payout("tfr_1", chainAddress(`0x${"1".repeat(40)}`)))
        assert.strictEqual(summaryOf(yield* report("tfr_1", "returned")), "reversed")
        assert.strictEqual(summaryOf(yield* report("tfr_2", "returned")), "reversed")
        assert.strictEqual(summaryOf(yield* report("ofr_1", "returned")), "returned")
      })
    )

    manual(
      "gives each outcome its own id, and a repeated one its first id",
      Effect.gen(function* () {
        yield* submit(payout("ofr_1", bankAccount("1234567890")))
        const first = yield* report("ofr_1", "success")
        const second = yield* report("ofr_1", "failed")
        const named = yield* report("ofr_1", "returned", "theirs")
        assert.strictEqual(new Set([first.event_id, second.event_id, named.event_id]).size, 3)
        assert.deepStrictEqual(yield* report("ofr_1", "returned", "theirs"), named)
        // It says what it is told now, under the id that it was told.
        const other = yield* report("ofr_1", "failed", "theirs")
        assert.strictEqual(other.event_id, named.event_id)
        assert.strictEqual(summaryOf(other), "failed")
        assert.deepStrictEqual(yield* report("ofr_1", "success", first.event_id), first)
      })
    )

    manual(
      "reports a conversion that was not submitted without a hash, and an onramp with one",
      Effect.gen(function* () {
        const hash = (id: string) =>
          Effect.map(report(id, "success"), (event) => event._tag === "movement" && event.transaction_hash)
        assert.isNull(yield* hash("con_1"))
        assert.isString(yield* hash("onr_1"))
      })
    )

    manual(
      "reports movements that were not submitted",
      Effect.gen(function* () {
        const first = yield* report("con_1", "success")
        const second = yield* report("con_1", "success")
        assert.deepInclude(first, { _tag: "movement", merchant_id: "mer_1", resource_id: "con_1", outcome: "success" })
        assert.notStrictEqual(first.event_id, second.event_id)
        const transfer = yield* report("tfr_1", "success")
        assert.isTrue(transfer._tag === "movement" && transfer.transaction_hash !== null)
      })
    )

    auto(
      "withdraws the outcomes still scheduled",
      Effect.gen(function* () {
        for (const ending of ["7890", "0006", "0008"]) {
          const id = `ofr_${ending}`
          yield* submit(payout(id, bankAccount(`123456${ending}`)))
          yield* report(id, "failed")
          assert.deepStrictEqual(yield* wait("30 days"), [], ending)
          assert.strictEqual(yield* executions(`${id}.payout`), 0)
        }
      })
    )

    auto(
      "drops what it reports as temporarily unavailable, and pays on resubmission",
      Effect.gen(function* () {
        const command = payout("ofr_1", bankAccount("1234567890"))
        yield* submit(command)
        yield* report("ofr_1", "temporarily_unavailable")
        assert.strictEqual((yield* lookup(command))._tag, "absent")
        assert.deepStrictEqual(yield* wait("1 day"), [])
        assert.strictEqual(yield* answer(command), "accepted")
        assert.strictEqual((yield* lookup(command))._tag, "pending")
        assert.deepStrictEqual(yield* wait("1 second"), ["success"])
        assert.strictEqual(yield* executions(command.id), 1)
      })
    )

    manual(
      "records each of twenty concurrent outcomes",
      Effect.gen(function* () {
        yield* submit(payout("ofr_1", bankAccount("1234567890")))
        const events = yield* Effect.all(
          Array.from({ length: 20 }, () => report("ofr_1", "failed")),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(events.map(({ event_id }) => event_id)).size, 20)
      })
    )
  })

  manual(
    "reports screenings and verifications, each as a new event",
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const screened = yield* sandbox.screened({
        merchant_id: "mer_1",
        resource_id: "ben_1",
        screening_id: "scr_1",
        cleared: true
      })
      const opened = yield* sandbox.verification({
        merchant_id: "mer_1",
        resource_id: "kyc_1",
        outcome: "opened",
        reason: null
      })
      const rejected = yield* sandbox.verification({
        merchant_id: "mer_1",
        resource_id: "kyc_1",
        outcome: "rejected",
        reason: "document_invalid"
      })
      assert.deepInclude(screened.event, {
        _tag: "screened",
        resource_id: "ben_1",
        screening_id: "scr_1",
        cleared: true
      })
      assert.deepInclude(rejected.event, { _tag: "verification", outcome: "rejected", reason: "document_invalid" })
      assert.notStrictEqual(opened.event.event_id, rejected.event.event_id)
      yield* screened.done
      yield* TestClock.adjust("1 minute")
      assert.sameDeepMembers([...(yield* receivedEvents())], [opened.event, rejected.event])
    })
  )

  it.effect("offers no payshap when it is switched off", () =>
    Effect.gen(function* () {
      const service = yield* Provider
      assert.deepStrictEqual(yield* methodsOf(service).resolveProxy("+27821234567"), { _tag: "switched_off" })
    }).pipe(Effect.provide(bank("auto", false)))
  )
})

const stores = { memory: MemoryStorage.layer, pglite: await freshPglite() }

for (const [store, storage] of Object.entries<Layer.Layer<Storage, unknown>>(stores))
  it.effect(
    `remembers everything after the process was killed, on ${store}`,
    () =>
      Effect.gen(function* () {
        const alive = <A, E>(life: Effect.Effect<A, E, Needs>) =>
          life.pipe(Effect.provide(provider("auto"), { local: true }))
        const command = payout("ofr_1", bankAccount("1234567890"))
        const later = payout("ofr_2", bankAccount("1234560003"))
        const reported = { merchant_id: "mer_1", reason: null, transaction_hash: null, event_id: null } as const

        yield* alive(
          Effect.gen(function* () {
            const sandbox = yield* Sandbox
            const answers = yield* Effect.all(
              Array.from({ length: 20 }, () => answer(command)),
              { concurrency: "unbounded" }
            )
            assert.deepStrictEqual(new Set(answers), new Set(["accepted"]))
            assert.strictEqual(yield* answer(later), "unavailable")
            yield* sandbox.behave("mer_2", { submissions: "hold" })
            yield* sandbox.payin(payin())
            yield* sandbox.outcome({ ...reported, resource_id: "con_1", outcome: "returned" })
            assert.strictEqual(yield* refund(refunding({ amount: "99.50" })), "accepted")
            yield* TestClock.adjust("1 second")
            assert.deepStrictEqual((yield* receivedEvents({ complete: false })).map(summaryOf), [
              "success",
              "refund success"
            ])
          })
        )

        yield* alive(
          Effect.gen(function* () {
            const service = yield* Provider
            const sandbox = yield* Sandbox
            assert.isFalse(yield* methodsOf(service).ready("mer_2"))
            assert.strictEqual((yield* lookup(command))._tag, "settled")
            assert.deepStrictEqual(yield* Effect.all([answer(later), answer(later), answer(command)]), [
              "unavailable",
              "accepted",
              "accepted"
            ])
            assert.strictEqual(yield* refund(refunding({ id: "txn_1.other", amount: "0.51" })), "rejected")
            yield* TestClock.adjust("2 minutes")
            assert.sameMembers(yield* words, ["success", "success", "confirmed 100.00", "returned", "refund success"])
            assert.deepStrictEqual(yield* words, [])
            const word = yield* sandbox.outcome({ ...reported, resource_id: "ofr_1", outcome: "returned" })
            assert.strictEqual(word.event.event_id, "ofr_1.payout.2")
            assert.strictEqual(yield* executions(command.id), 1)
            assert.strictEqual(yield* sandbox.executionsOf("ofr_2"), 1)
            assert.strictEqual(yield* sandbox.count, 2)
          })
        )
      }).pipe(Effect.provide(Layer.merge(base, Layer.fresh(storage)))),
    60_000
  )

it.effect("dies on a callback secret that anyone could guess", () =>
  Effect.gen(function* () {
    const layer = SimulatedProvider.layer({ mode: "auto", delay_ms: 0, payshap: true, callback_secret: "whsec_" })
    const exit = yield* Effect.exit(Effect.scoped(Layer.build(layer.pipe(Layer.provide([base, MemoryStorage.layer])))))
    assert.isTrue(Exit.hasDies(exit))
  })
)
