/** Returns and refunds that come in several parts (OUTCOME-8), and later reports of money that has come back. */
import { Effect, Schema } from "effect"
import { assert, it } from "vitest"
import { eventOf } from "../../../src/adapters/provider/http/results.ts"
import type { MovementEvent, MovementOutcomeType, RefundEvent, StatedPart } from "../../../src/engine/ports/Provider.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Inbox } from "../../../src/engine/work/Inbox.ts"
import { eventExamples } from "../../../src/protocol/event-examples.ts"
import { Event } from "../../../src/protocol/events.ts"
import { booksBalance, onEveryStore } from "../../support/engines/every-store.ts"
import type { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { raisedBy } from "../../support/merchants/payins.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

type Reported = Partial<Pick<MovementEvent, "amount" | "currency" | "parts" | "complete">>

const part = (id: string, amount: string): StatedPart => ({ id, amount })

/** What changed in a class of accounts since it was asked first. */
const balances = Effect.map(
  booksBalance,
  (classes) => (name: string, currency: string) => BigInt(classes.get(`${name}/${currency}`) ?? "0")
)

const watched = Effect.fnUntraced(function* (...accounts: ReadonlyArray<readonly [name: string, currency: string]>) {
  const before = yield* balances
  return Effect.map(balances, (now) => accounts.map(([name, currency]) => now(name, currency) - before(name, currency)))
})

let serial = 0

/** A payout that was made. An offramp of 10 USDC pays 14100.37 naira; a transfer 10 USDC. */
const paid = Effect.fnUntraced(function* (kind: "offramp" | "transfer", ways: ReadonlyArray<MovementOutcomeType>) {
  const m = yield* merchantConverting()
  const { id } = yield* kind === "offramp" ? m.offramp("10") : m.transfer("10")
  yield* m.settle
  const reports = (outcome: MovementOutcomeType, more: Reported = {}, event_id = `${id}.${++serial}`) =>
    Inbox.use((inbox) =>
      inbox.receive("simulated", {
        _tag: "movement",
        event_id,
        merchant_id: null,
        resource_id: id,
        outcome,
        reason: null,
        transaction_hash: null,
        ...more
      })
    )
  for (const outcome of ways) yield* reports(outcome)
  return { m, id, reports }
})

/** An onramp of which 50 naira go back to the payer, and what a connector says of it, as it is on the wire. */
const refunding = Effect.fnUntraced(function* () {
  const m = yield* merchantConverting()
  const ramps = yield* onrampsOf(m)
  yield* m.refunds("accept")
  const { id } = yield* ramps.onramp()
  yield* ramps.pays(id, "50")
  yield* m.settle
  const reports = (figures: Reported, outcome = "success", provider = "simulated") => {
    const wire = {
      ...eventExamples.refund,
      amount: null,
      ...figures,
      outcome,
      id: `${id}.${++serial}`,
      resource_id: id
    }
    const event = eventOf(Schema.decodeUnknownSync(Event)(wire)) as RefundEvent
    const command_id = `${id}.refund`
    return Inbox.use((inbox) => inbox.receive(provider, { ...event, merchant_id: m.merchant_id, command_id }))
  }
  return { m, id, reports }
})

type Merchant = Pick<Effect.Success<ReturnType<typeof merchantAtWork>>, "exceptions">

const open = ({ exceptions }: Merchant) =>
  Effect.map(exceptions, (all) =>
    all.map(({ amount, exposure, reason, severity }) => [reason, severity, amount, exposure?.amount ?? null])
  )

const offramp = [
  ["losses", "NGN"],
  ["suspense", "NGN"]
] as const
const transfer = [["suspense", "USDC"]] as const

const [first, second, third] = [part("a", "10000"), part("b", "4000"), part("c", "100.37")] as const

onEveryStore("a return in parts", (run) => {
  covers("OUTCOME-8")

  it.each([["success"], []] as ReadonlyArray<ReadonlyArray<MovementOutcomeType>>)(
    "of an offramp: each part lessens the loss when it comes, once, and the last one ends the exception (%s)",
    (...ways) =>
      run(
        Effect.gen(function* () {
          const { m, id, reports } = yield* paid("offramp", ways)
          const changed = yield* watched(...offramp)
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
        const { m, reports } = yield* paid("offramp", ["success"])
        const changed = yield* watched(...offramp)
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
        const { m, reports } = yield* paid("offramp", ["success"])
        const changed = yield* watched(...offramp)
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
        const { m, reports } = yield* paid("transfer", ["success"])
        const changed = yield* watched(...transfer)
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
    ["above what was sent", [first, part("b", "5000")], "over_return", "899.63"],
    ["that cannot be true", [first, part("b", "1.001")], "implausible_amount", "14100.37"]
  ] as const)("books nothing of a report with a part %s", (_, parts, reason, exposure) =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* paid("offramp", ["success"])
        const changed = yield* watched(...offramp)
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

  it("that is complete ends there: what comes then is a contradiction", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* paid("offramp", ["success"])
        const changed = yield* watched(...offramp)
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
        const { m, id, reports } = yield* paid("offramp", [])
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
        const { m, reports } = yield* paid("offramp", ["success"])
        const changed = yield* watched(...offramp)
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
        const { m, reports } = yield* paid("offramp", ["success"])
        const changed = yield* watched(...offramp)
        yield* reports("returned", { amount: "10000" })
        yield* reports("returned", { parts: [second, first] })
        assert.deepEqual(yield* changed, [-100_37n, 0n])
        yield* reports("returned", { parts: [second] })
        assert.deepEqual(yield* open(m), [
          ["another_amount", "high", null, "10000.00"],
          ["partial_return", "high", null, "100.37"]
        ])
      })
    ))
})

onEveryStore("a refund in parts", (run) => {
  covers("OUTCOME-8", "OUTCOME-7")

  it("is out of suspense when it has reached the payer, part by part, once", () =>
    run(
      Effect.gen(function* () {
        const { m, id, reports } = yield* refunding()
        const changed = yield* watched(["suspense", "NGN"])
        yield* reports({ parts: [part("a", "20")] })
        assert.strictEqual((yield* m.rowOf(id)).status, "returned")
        assert.deepEqual(yield* open(m), [["partial_refund", "high", "30.00", "30.00"]])
        for (const _ of [1, 2]) {
          yield* reports({ parts: [part("a", "20"), part("b", "25")] })
          assert.deepEqual(yield* open(m), [["partial_refund", "high", "5.00", "5.00"]])
          assert.deepEqual(yield* changed, [500n])
        }
        yield* reports({ parts: [part("a", "20"), part("b", "25"), part("c", "5")] })
        assert.deepEqual(yield* open(m), [])
        assert.deepEqual(yield* changed, [0n])
      })
    ))

  it.each([
    ["at once", [{ parts: [part("a", "49.50")], complete: true }]],
    ["later", [{ parts: [part("a", "49")] }, { parts: [part("a", "49"), part("b", "0.5")], complete: true }]],
    ["last", [{ parts: [part("a", "49.5")] }, { parts: [part("a", "49.5")], complete: true }]]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<Reported>]>)(
    "that is complete, %s: what is missing is the provider's fee",
    (_, told) =>
      run(
        Effect.gen(function* () {
          const { m, reports } = yield* refunding()
          const changed = yield* watched(["suspense", "NGN"])
          for (const one of told) yield* reports(one)
          assert.deepEqual(yield* open(m), [["partial_refund", "low", "0.50", null]])
          assert.deepEqual(yield* changed, [50n])
          yield* m.resolve((yield* m.exceptions)[0]!.id, "dismiss")
          assert.deepEqual(yield* changed, [0n])
        })
      )
  )

  it.each([
    ["with another amount", [part("a", "15"), part("b", "25")], "another_amount", "5.00"],
    ["above what was sent", [part("a", "20"), part("b", "31")], "over_refund", "1.00"],
    ["that cannot be true", [part("a", "20"), part("b", "0.001")], "another_amount", "50.00"],
    ["and another amount than their sum", [part("a", "20"), part("b", "5")], "another_amount", "50.00", "24"]
  ] as const)("books nothing of a report with a part %s", (_, parts, reason, exposure, amount?: string) =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        const changed = yield* watched(["suspense", "NGN"])
        yield* reports({ parts: [part("a", "20")] })
        yield* reports({ parts, ...(amount && { amount }) })
        assert.deepEqual(yield* open(m), [
          [reason, "high", null, exposure],
          ["partial_refund", "high", "30.00", "30.00"]
        ])
        assert.deepEqual(yield* changed, [3_000n])
      })
    )
  )

  it("exposes a part that comes when the rest was paid otherwise", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        yield* reports({ parts: [part("a", "20")] })
        yield* m.resolve((yield* m.exceptions)[0]!.id, "refund")
        for (const _ of [1, 2]) yield* reports({ parts: [part("a", "20"), part("b", "25")] })
        assert.deepEqual(yield* open(m), [
          ["contradicts_state", "high", null, "25.00"],
          ["partial_refund", "high", "30.00", "30.00"]
        ])
      })
    ))

  it("moves nothing when the rest is no longer in suspense", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        const changed = yield* watched(["suspense", "NGN"])
        yield* reports({ parts: [part("a", "20")] })
        yield* m.resolve((yield* m.exceptions)[0]!.id, "dismiss")
        yield* reports({ parts: [part("a", "20"), part("b", "25")] })
        assert.deepEqual(yield* open(m), [["contradicts_state", "high", null, "25.00"]])
        assert.deepEqual(yield* changed, [0n])
      })
    ))

  it("that bounces brings back all that the payer had got", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        const changed = yield* watched(["suspense", "NGN"])
        yield* reports({ parts: [part("a", "20")] })
        yield* reports({ parts: [part("a", "20"), part("b", "25")] })
        yield* reports({}, "failed")
        assert.deepEqual(yield* open(m), [
          ["refund_bounced", "low", "45.00", null],
          ["partial_refund", "high", "5.00", "5.00"]
        ])
        assert.deepEqual(yield* changed, [5_000n])
      })
    ))
})

onEveryStore("a later report of money that has come back", (run) => {
  covers("EXCEPTION-5")

  it.each([
    ["a part that is not said to be one", { amount: "10000" }, { amount: "4000" }, "6000.00"],
    ["a part that is larger than the first", { amount: "4000" }, { amount: "10000" }, "10000.00"],
    ["less than the whole that was told", {}, { amount: "4000" }, "10100.37"]
  ] as const)("is high with what may be lost: %s", (_, told, again, exposure) =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* paid("offramp", ["success"])
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
        const { m, reports } = yield* paid("transfer", ["success"])
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
        const { m, id, reports } = yield* paid(kind, ways)
        yield* reports("temporarily_unavailable", {}, `${id} one`)
        yield* reports(outcome, more, `${id} one`)
        const [later] = yield* m.exceptions
        assert.deepInclude(later, { reason: "event_id_reused", severity: "high" })
        assert.strictEqual(later!.exposure?.amount, exposure)
      })
    )
  )
})

onEveryStore("a success of a refund that its provider does not have", (run) => {
  covers("EXCEPTION-5")

  it("is high, with what is stated, or else all of it; a failure is low", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        yield* reports({}, "success", "another")
        yield* reports({ amount: "20" }, "success", "another")
        yield* reports({ parts: [part("a", "5"), part("b", "10")] }, "success", "another")
        yield* reports({}, "failed", "another")
        assert.deepEqual(yield* open(m), [
          ["another_provider", "low", null, null],
          ["another_provider", "high", null, "15.00"],
          ["another_provider", "high", null, "20.00"],
          ["another_provider", "high", null, "50.00"]
        ])
        assert.strictEqual(yield* reports({}), "applied")
      })
    ))

  it.each(["dep_", "xyz_"])("is high where the books do not know the resource (%s)", (prefix) =>
    run(
      Effect.gen(function* () {
        const { id, reports } = yield* refunding()
        yield* reports({})
        const unknown = `${prefix}${id.slice(4, -6)}zzzzzz`
        const event = { _tag: "refund", merchant_id: null, resource_id: unknown, reason: null } as const
        const inbox = yield* Inbox
        yield* inbox.receive("simulated", { ...event, event_id: `${unknown} 1`, outcome: "success" })
        const stated = { amount: "7", currency: "NGN" }
        yield* inbox.receive("simulated", { ...event, event_id: `${unknown} 2`, outcome: "success", ...stated })
        yield* inbox.receive("simulated", { ...event, event_id: `${unknown} 3`, outcome: "failed", ...stated })
        assert.deepEqual(
          (yield* raisedBy(unknown)).map(({ exposure, reason, severity }) => [reason, severity, exposure?.amount]),
          [
            ["unknown_resource", "high", undefined],
            ["unknown_resource", "high", "7.00"],
            ["unknown_resource", "low", undefined]
          ]
        )
      })
    )
  )

  it("is as urgent under the id of another event", () =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* refunding()
        const about = {
          _tag: "refund",
          event_id: `${id} one`,
          merchant_id: null,
          resource_id: id,
          reason: null
        } as const
        const inbox = yield* Inbox
        yield* inbox.receive("simulated", { ...about, outcome: "success", parts: [part("a", "20")] })
        yield* inbox.receive("simulated", { ...about, outcome: "success", parts: [part("a", "25")] })
        yield* inbox.receive("simulated", { ...about, outcome: "success", parts: [part("a", "20"), part("b", "5")] })
        yield* inbox.receive("simulated", { ...about, outcome: "failed" })
        yield* inbox.receive("another", { ...about, outcome: "failed" })
        yield* inbox.receive("another", { ...about, outcome: "success" })
        assert.deepEqual(yield* open(m), [
          ["event_id_reused", "high", null, "50.00"],
          ["another_provider", "low", null, null],
          ["event_id_reused", "high", null, "20.00"],
          ["event_id_reused", "high", null, null],
          ["event_id_reused", "high", null, "5.00"],
          ["partial_refund", "high", "30.00", "30.00"]
        ])
      })
    ))
})

onEveryStore("a return of the sandbox", (run) => {
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
