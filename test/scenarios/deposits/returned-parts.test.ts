/** Returns that come in several parts (OUTCOME-8), and later reports of money that has come back. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { MovementOutcomeType } from "../../../src/engine/ports/Provider.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { onServers, onMemory } from "../../support/engines/every-store.ts"
import { merchantConverting } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"
import {
  converted,
  first,
  offramp,
  open,
  payOut,
  part,
  refunding,
  second,
  third,
  transfer,
  watchBalances
} from "../../support/merchants/returned.ts"

onMemory("a return in parts", (run) => {
  covers("OUTCOME-8")

  it.each([["success"], []] as ReadonlyArray<ReadonlyArray<MovementOutcomeType>>)(
    "of an offramp: each part lessens the loss when it comes, once, and the last one ends the exception (%s)",
    (...ways) =>
      run(
        Effect.gen(function* () {
          const { m, id, reports } = yield* payOut("offramp", ways)
          const changed = yield* watchBalances(...offramp)
          yield* reports("returned", { parts: [first] })
          assert.strictEqual((yield* m.rowOf(id)).status, "returned")
          assert.deepEqual(yield* changed, [-4_100_37n, 0n])
          assert.deepEqual(yield* open(m), [["partial_return", "high", null, "4100.37"]])
          for (const _ of [1, 2]) {
            yield* reports("returned", { parts: [first, second] })
            assert.deepEqual(yield* changed, [-100_37n, 0n])
            assert.deepEqual(yield* open(m), [["partial_return", "high", null, "100.37"]])
          }
          // An earlier report that comes late.
          yield* reports("returned", { parts: [first] })
          yield* reports("returned", { parts: [third, second, first] })
          assert.deepEqual(yield* changed, [0n, 0n])
          assert.deepEqual(yield* open(m), [])
          const { items } = yield* (yield* Exceptions).list({ status: "resolved", per_page: 200 })
          const ended = items.find(({ resource_id }) => resource_id === id)
          assert.deepInclude(ended, { action: "dismiss", exposure: null, severity: "low" })
          assert.deepEqual(ended!.parts, [part("b", "4000.00"), part("c", "100.37")])
          assert.strictEqual((yield* m.balance).available, "1000.00")
        })
      )
  )

  it("that brings all at once has no exception; what comes then is more than was sent", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("offramp", ["success"])
        const changed = yield* watchBalances(...offramp)
        yield* reports("returned", { amount: "14100.37", parts: [first, second, third], complete: true })
        yield* reports("returned", { parts: [first, second, third] })
        assert.deepEqual(yield* open(m), [])
        yield* reports("returned", { parts: [first, second, third, part("d", "7")] })
        assert.deepEqual(yield* open(m), [["over_return", "high", null, "7.00"]])
        assert.deepEqual(yield* changed, [0n, 0n])
      })
    ))

  it("that an operator has dismissed still lessens the loss", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("offramp", ["success"])
        const changed = yield* watchBalances(...offramp)
        yield* reports("returned", { parts: [first] })
        yield* m.resolve((yield* m.exceptions)[0]!.id, "dismiss")
        for (const _ of [1, 2]) yield* reports("returned", { parts: [first, second] })
        assert.deepEqual(yield* changed, [-100_37n, 0n])
        assert.deepEqual(yield* open(m), [])
      })
    ))

  it("of a transfer after its success: each part is in suspense, until an operator has decided, and then again", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("transfer", ["success"])
        const changed = yield* watchBalances(...transfer)
        const stated = [part("a", "5"), part("b", "3"), part("c", "1.5")]
        yield* reports("reversed", { parts: stated.slice(0, 1) })
        assert.deepEqual(yield* open(m), [["contradicts_state", "high", "5.00", "5.00"]])
        for (const _ of [1, 2]) yield* reports("reversed", { parts: stated.slice(0, 2) })
        assert.deepEqual(yield* open(m), [["contradicts_state", "high", "8.00", "2.00"]])
        assert.deepEqual(yield* changed, [8_000_000n])
        yield* m.resolve((yield* m.exceptions)[0]!.id, "credit")
        assert.strictEqual((yield* m.balance).available, "998.00")
        for (const _ of [1, 2]) yield* reports("reversed", { parts: stated })
        assert.deepEqual(yield* open(m), [["contradicts_state", "high", "1.50", null]])
        assert.deepEqual(yield* changed, [1_500_000n])
        yield* m.resolve((yield* m.exceptions)[0]!.id, "credit")
        assert.strictEqual((yield* m.balance).available, "999.50")
      })
    ))

  it.each([
    ["with another amount", [part("a", "9000"), second], "another_amount", "1000.00"],
    ["that cannot be true", [first, part("b", "1.001")], "implausible_amount", "14100.37"]
  ] as const)("books nothing of a report with a part %s", (_, parts, reason, exposure) =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("offramp", ["success"])
        const changed = yield* watchBalances(...offramp)
        yield* reports("returned", { parts: [first] })
        yield* reports("returned", { parts })
        assert.deepEqual(yield* open(m), [
          [reason, "high", null, exposure],
          ["partial_return", "high", null, "4100.37"]
        ])
        assert.deepEqual(yield* changed, [-4_100_37n, 0n])
        yield* reports("returned", { parts: [first, second] })
        assert.deepEqual(yield* changed, [-100_37n, 0n])
      })
    )
  )

  it("that comes to more than was sent leaves no loss, and exposes what is above", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("offramp", ["success"])
        const changed = yield* watchBalances(...offramp)
        for (const parts of [[first], [first, part("b", "5000")], [first], [first, part("b", "5000")]])
          yield* reports("returned", { parts })
        assert.deepEqual(yield* open(m), [["over_return", "high", null, "899.63"]])
        assert.deepEqual(yield* changed, [0n, 0n])
      })
    ))

  it("that is complete ends there: what comes then is a contradiction", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("offramp", ["success"])
        const changed = yield* watchBalances(...offramp)
        yield* reports("returned", { parts: [first] })
        yield* reports("returned", { parts: [first], complete: true })
        yield* reports("returned", { parts: [first, second] })
        assert.deepEqual(yield* open(m), [
          ["another_amount", "high", null, "4000.00"],
          ["partial_return", "high", null, "4100.37"]
        ])
        assert.deepEqual(yield* changed, [-4_100_37n, 0n])
      })
    ))

  it("whose amount is not the sum of its parts cannot be true", () =>
    run(
      Effect.gen(function* () {
        const { m, id, reports } = yield* payOut("offramp", [])
        yield* reports("returned", { amount: "14000", parts: [first] })
        assert.deepEqual(yield* open(m), [["implausible_amount", "high", null, "14100.37"]])
        assert.notStrictEqual((yield* m.rowOf(id)).status, "returned")
        yield* reports("returned", { amount: "10000.00", parts: [first] })
        assert.strictEqual((yield* m.rowOf(id)).status, "returned")
      })
    ))

  it("that was first told without parts may have another of the same amount, which counts once", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("offramp", ["success"])
        const changed = yield* watchBalances(...offramp)
        yield* reports("returned", { amount: "5000" })
        const alike = [part("a", "5000"), part("b", "5000")]
        yield* reports("returned", { parts: alike })
        yield* reports("returned", { parts: [...alike.toReversed(), third] })
        assert.deepEqual(yield* changed, [-4_000_00n, 0n])
        assert.lengthOf(yield* m.exceptions, 1)
      })
    ))

  it("that was first told without parts has one of that amount", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("offramp", ["success"])
        const changed = yield* watchBalances(...offramp)
        yield* reports("returned", { amount: "10000" })
        yield* reports("returned", { parts: [second, first] })
        assert.deepEqual(yield* changed, [-100_37n, 0n])
        yield* reports("returned", { parts: [second] })
        assert.deepEqual(yield* open(m), [["partial_return", "high", null, "100.37"]])
        yield* reports("returned", { parts: [part("d", "10000"), second] })
        assert.strictEqual((yield* open(m))[0]![0], "over_return")
      })
    ))

  it("that was first told without parts, and of which none is that one, books nothing", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("offramp", ["success"])
        yield* reports("returned", { amount: "10000" })
        const changed = yield* watchBalances(...offramp)
        yield* reports("returned", { parts: [second] })
        assert.deepEqual((yield* open(m))[0], ["another_amount", "high", null, "10000.00"])
        assert.deepEqual(yield* changed, [0n, 0n])
      })
    ))

  it("that was first told without parts may be divided later, and more may follow", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("offramp", ["success"])
        yield* reports("returned", { amount: "10000" })
        const changed = yield* watchBalances(...offramp)
        const divided = [part("b", "6000"), part("c", "4000")]
        for (const _ of [1, 2]) yield* reports("returned", { parts: divided })
        assert.deepEqual(yield* open(m), [["partial_return", "high", null, "4100.37"]])
        for (const _ of [1, 2]) yield* reports("returned", { parts: [part("d", "4100.37"), ...divided] })
        assert.deepEqual(yield* open(m), [])
        assert.deepEqual(yield* changed, [4_100_37n, 0n])
      })
    ))

  it("of an onramp may bring what the provider had charged too, and no more than the payer paid", () =>
    run(
      Effect.gen(function* () {
        const { id, m, reports } = yield* converted
        const changed = yield* watchBalances(["suspense", "NGN"])
        const a = part("a", "100000")
        yield* reports("returned", { parts: [a] })
        assert.strictEqual((yield* m.rowOf(id)).status, "returned")
        assert.deepEqual(yield* changed, [49_250_00n])
        yield* reports("returned", { parts: [a, part("b", "50000.01")] })
        assert.deepEqual(yield* open(m), [["over_return", "high", null, "0.01"]])
        assert.deepEqual(yield* changed, [0n])
      })
    ))

  it("of an onramp that brings what the provider had charged leaves no money in suspense", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* converted
        const changed = yield* watchBalances(["suspense", "NGN"])
        const a = part("a", "100000")
        for (const parts of [[a], [a, part("b", "50000")]]) yield* reports("returned", { parts })
        assert.deepEqual(yield* changed, [0n])
        assert.deepEqual(yield* open(m), [])
      })
    ))

  it.each([
    ["its last part", [["100000"], ["100000", "49250"], ["100000", "49250", "750"]]],
    ["a part of its own, after all else", [["149250"], ["149250", "750"]]],
    ["two parts", [["149250"], ["149250", "700"], ["149250", "700", "50"]]]
  ] as const)("of an onramp may bring what the provider had charged as %s, which is not missing", (_, told) =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* converted
        const changed = yield* watchBalances(["suspense", "NGN"])
        const parts = (amounts: ReadonlyArray<string>) => amounts.map((amount, index) => part(`${index}`, amount))
        for (const amounts of told) for (const _ of [1, 2]) yield* reports("returned", { parts: parts(amounts) })
        assert.deepEqual(yield* changed, [0n])
        assert.deepEqual(yield* open(m), [])
        yield* reports("returned", { parts: parts([...told.at(-1)!, "0.01"]) })
        assert.deepEqual(yield* open(m), [["over_return", "high", null, "0.01"]])
      })
    )
  )

  it("of an onramp exposes no more than was missing when the rest was paid otherwise", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* converted
        const a = part("a", "100000")
        yield* reports("returned", { parts: [a] })
        yield* m.resolve((yield* m.exceptions)[0]!.id, "dismiss")
        yield* reports("returned", { parts: [a, part("b", "50000")] })
        assert.deepEqual(yield* open(m), [["contradicts_state", "high", null, "49250.00"]])
      })
    ))

  it("whose one part is divided later brings it once, and more may follow", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("offramp", ["success"])
        const whole = [part("a", "5000")]
        yield* reports("returned", { parts: whole })
        const changed = yield* watchBalances(...offramp)
        const divided = [part("b", "3000"), part("c", "2000")]
        const booked = [part("d", "4000"), ...divided]
        for (const parts of [divided, whole, booked, whole, divided, booked]) yield* reports("returned", { parts })
        assert.deepEqual(yield* open(m), [["partial_return", "high", null, "5100.37"]])
        assert.deepEqual(yield* changed, [4_000_00n, 0n])
        yield* reports("returned", { parts: [part("b", "2999")] })
        assert.deepEqual((yield* open(m))[0], ["another_amount", "high", null, "1.00"])
      })
    ))

  it("has a second part of the amount of the first", () =>
    run(
      Effect.gen(function* () {
        const { reports } = yield* payOut("offramp", ["success"])
        yield* reports("returned", { parts: [part("a", "5000")] })
        const changed = yield* watchBalances(...offramp)
        yield* reports("returned", { parts: [part("b", "5000")] })
        assert.deepEqual(yield* changed, [5_000_00n, 0n])
      })
    ))
})

onMemory("a later report of money that has come back", (run) => {
  covers("EXCEPTION-5")

  it.each([
    ["a part that is not said to be one", { amount: "10000" }, { amount: "4000" }, "6000.00"],
    ["a part that is larger than the first", { amount: "4000" }, { amount: "10000" }, "10000.00"],
    ["less than the whole that was told", {}, { amount: "4000" }, "10100.37"]
  ] as const)("is high with what may be lost: %s", (_, told, again, exposure) =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("offramp", ["success"])
        yield* reports("returned", told)
        const known = yield* open(m)
        yield* reports("returned", again)
        assert.deepEqual(yield* open(m), [["another_amount", "high", null, exposure], ...known])
      })
    )
  )

  it("of a reversed transfer is high, and the same amount is low", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* payOut("transfer", ["success"])
        yield* reports("reversed", { amount: "5" })
        yield* reports("reversed", { amount: "3" })
        const [later] = yield* m.exceptions
        assert.deepInclude(later, {
          reason: "another_amount",
          severity: "high",
          amount: null,
          exposure: { amount: "3.00", currency: "USDC" }
        })
      })
    ))

  it.each([
    ["returned, another amount", "offramp", ["success"], "returned", { amount: "10000" }, "14100.37"],
    ["returned, a part", "offramp", ["success", "returned"], "returned", { amount: "4000" }, "10100.37"],
    ["a success of another amount", "transfer", ["success"], "success", { amount: "7" }, "3.00"],
    ["a reversal", "transfer", ["success"], "reversed", {}, "10.00"]
  ] as const)("is as urgent under the id of another event: %s", (_, kind, ways, outcome, more, exposure) =>
    run(
      Effect.gen(function* () {
        const { m, id, reports } = yield* payOut(kind, ways)
        yield* reports("temporarily_unavailable", {}, `${id} one`)
        yield* reports(outcome, more, `${id} one`)
        const [later] = yield* m.exceptions
        assert.deepInclude(later, { reason: "event_id_reused", severity: "high" })
        assert.strictEqual(later!.exposure?.amount, exposure)
      })
    )
  )
})

onServers("a return of the sandbox", (run) => {
  covers("OUTCOME-8", "SANDBOX-2")

  it("comes in parts where it is told so", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const { id } = yield* m.offramp("10")
        yield* m.settle
        yield* m.says(id, "success")
        yield* m.says(id, "returned", { parts: [first] })
        yield* m.says(id, "returned", { parts: [first, second] })
        assert.deepEqual(yield* open(m), [["partial_return", "high", null, "100.37"]])
      })
    ))

  it("or a refund, is looked up as it was told, and goes on", () =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* refunding()
        yield* m.says(id, "success", { parts: [part("a", "20")] })
        assert.deepEqual(yield* open(m), [["partial_refund", "high", "30.00", "30.00"]])
        yield* m.says(id, "success", { parts: [part("a", "20"), part("b", "25")], complete: true })
        assert.deepEqual(yield* open(m), [["partial_refund", "low", "5.00", null]])
      })
    ))
})
