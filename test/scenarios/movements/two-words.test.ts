/** What the provider that converts an onramp says, and what the bank says that received its money (ROUTE-8, REFUND-9). */
import { Clock, Effect } from "effect"
import fc from "fast-check"
import { assert, it } from "vitest"
import { type MovementEvent, type Provider, makeOpenManifest } from "../../../src/engine/ports/Provider.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { type Answer, makeScriptedProvider } from "../../support/engines/scripted-provider.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { triesOf } from "../../support/properties/tries.ts"
import { covers } from "../../support/repository/covers.ts"

/** A bank that receives and refunds, and does not convert. `asked`: the refunds that it was told to make, which it takes. `paid`: it has. */
const makeBank = (converts = false) => {
  const asked: Array<string> = []
  const state = { paid: false }
  const around = (inner: Provider["Service"]): Provider["Service"] => {
    const { liquidity: _, payins, ...rest } = inner
    return {
      ...rest,
      manifest: converts ? inner.manifest : makeOpenManifest("payout", "payin", "issue", "directory", "screening"),
      ...(converts ? { liquidity: makeScriptedProvider("simulated", "unavailable").provider.liquidity! } : {}),
      payins: {
        ...payins!,
        refund: ({ id }) => Effect.sync(() => (asked.push(id), { _tag: "accepted" } as const)),
        lookupRefund: () =>
          Effect.sync(() =>
            state.paid
              ? { _tag: "settled", outcome: { outcome: "success", reason: null, transaction_hash: null } }
              : { _tag: "pending" }
          )
      }
    }
  }
  return { around, asked, state }
}

const later = (seconds: number) =>
  Effect.gen(function* () {
    const clock = yield* ServiceClock
    yield* clock.moveTo((yield* Clock.currentTimeMillis) + seconds * 1000)
    for (let round = 0; round < 3; round++) yield* (yield* Dispatcher).drain()
  })

/** An onramp of 150,000 naira, paid. `isHeld`: it is not submitted yet. */
const paidOnramp = Effect.fnUntraced(function* (isHeld = false) {
  const c = yield* merchantConverting()
  const m = { ...c, ...(yield* onrampsOf(c)) }
  const storage = yield* Storage
  const inbox = yield* Inbox
  const { id } = yield* m.onramp()
  yield* m.pays(id, "150000")
  if (!isHeld) yield* later(1)
  let serial = 0
  return {
    ...m,
    id,
    says: (provider: string, outcome: MovementEvent["outcome"], more: Partial<MovementEvent> = {}) =>
      inbox.receive(provider, {
        ...{ _tag: "movement", event_id: `${id} ${++serial}`, merchant_id: null, resource_id: id },
        ...{ outcome, reason: null, transaction_hash: null, ...more }
      } as MovementEvent),
    tells: (provider: string, outcome: "success" | "failed") =>
      inbox.receive(provider, {
        ...{ _tag: "refund", event_id: `${id} ${++serial}`, merchant_id: null, resource_id: id },
        ...{ outcome, reason: null }
      }),
    /** Where its naira have gone: from, to, amount in kobo. */
    moves: Effect.map(storage.history(m.merchant_id, id), ({ postings }) =>
      postings
        .toSorted((a, b) => a.version - b.version)
        .filter(({ currency }) => currency === "NGN")
        .map(({ amount, credit, debit }) => `${debit} > ${credit} ${amount}`)
    ),
    raised: Effect.map(m.exceptions, (all) =>
      all.map(({ amount, exposure, provider, reason }) => [reason, provider, amount, exposure?.amount ?? null])
    )
  }
})

const handedIn = ["world:simulated > clearing:simulated 15000000", "clearing:simulated > clearing:second 15000000"]
const handedBack = "clearing:second > clearing:simulated 15000000"
const wentBack = "clearing:simulated > world:simulated 15000000"

onMemory("an onramp whose converter gives its money back", (run) => {
  covers("ROUTE-8")
  it.each([["returned"], ["reversed"]] as const)("is refunded by the bank: %s", async (outcome) => {
    const bank = makeBank()
    await run(
      Effect.gen(function* () {
        const m = yield* paidOnramp()
        yield* m.says("second", outcome)
        yield* later(1)
        assert.deepEqual(bank.asked, [`${m.id}.refund`])
        assert.deepEqual(yield* m.moves, [...handedIn, handedBack])
        assert.strictEqual(yield* m.status(m.id), "processing")
        bank.state.paid = true
        yield* later(10)
        assert.deepInclude(yield* m.collected(m.id), { status: "returned", failure_reason: "returned" })
        assert.deepEqual(yield* m.moves, [...handedIn, handedBack, wentBack])
        assert.deepEqual(yield* m.exceptions, [])
      }),
      { around: bank.around, others: [makeScriptedProvider("second", "lost").provider] }
    )
  })

  covers("ROUTE-8", "OUTCOME-4", "OUTCOME-8")
  it("is refunded whole when a part comes back, which the platform has lost until the rest comes", async () => {
    const bank = makeBank()
    await run(
      Effect.gen(function* () {
        const m = yield* paidOnramp()
        const part = (id: string, amount: string) => ({ id, amount })
        yield* m.says("second", "returned", { amount: "100000", parts: [part("a", "100000")] })
        yield* later(1)
        bank.state.paid = true
        yield* later(10)
        assert.deepEqual(yield* m.moves, [...handedIn, handedBack, "losses > world:second 4925000", wentBack])
        assert.deepEqual(yield* m.raised, [["partial_return", "second", null, "49250.00"]])
        assert.strictEqual(yield* m.status(m.id), "returned")
        yield* m.says("second", "returned", { amount: "149250", parts: [part("a", "100000"), part("b", "49250")] })
        assert.deepEqual(yield* m.exceptions, [])
        assert.deepEqual(bank.asked, [`${m.id}.refund`])
        const { classes } = yield* (yield* Storage).trialBalance
        assert.strictEqual(classes.find((one) => one.class === "losses")?.balance ?? "0", "0")
      }),
      { around: bank.around, others: [makeScriptedProvider("second", "lost").provider] }
    )
  })

  covers("ROUTE-8")
  it("is refunded by the bank that converts as well, when it went on to another one", async () => {
    const bank = makeBank(true)
    await run(
      Effect.gen(function* () {
        const m = yield* paidOnramp()
        assert.deepInclude((yield* m.rowOf(m.id)).data, { payin_provider: "simulated", provider: "second" })
        yield* m.says("second", "returned")
        yield* later(1)
        assert.deepEqual(bank.asked, [`${m.id}.refund`])
        bank.state.paid = true
        yield* later(10)
        assert.deepEqual(yield* m.moves, [...handedIn, handedBack, wentBack])
      }),
      { around: bank.around, others: [makeScriptedProvider("second", "lost").provider] }
    )
  })

  covers("ROUTE-8", "EXCEPTION-1")
  it.each([["returned"], ["refund_failed"]] as const)("is not, before the converter has it: %s", async (outcome) => {
    const bank = makeBank()
    const second = makeScriptedProvider("second", "settled")
    await run(
      Effect.gen(function* () {
        const m = yield* paidOnramp(true)
        yield* m.says("second", outcome)
        assert.deepEqual(yield* m.raised, [["contradicts_state", "second", null, null]])
        yield* later(1)
        assert.strictEqual(yield* m.status(m.id), "success")
        assert.deepEqual(bank.asked, [])
      }),
      { around: bank.around, others: [second.provider] }
    )
  })
})

onMemory("an onramp that its bank refunds", (run) => {
  covers("REFUND-1", "REFUND-9")
  it("ends as the bank says, whatever its converter says", async () => {
    const bank = makeBank()
    await run(
      Effect.gen(function* () {
        const m = yield* paidOnramp()
        assert.deepEqual(bank.asked, [`${m.id}.refund`])
        yield* m.says("second", "refund_failed")
        yield* m.tells("second", "failed")
        assert.strictEqual((yield* m.rowOf(m.id)).state, "refunding")
        assert.deepEqual(yield* m.raised, [
          ["another_provider", "second", null, null],
          ["contradicts_state", "second", null, "149250.00"]
        ])
        bank.state.paid = true
        yield* later(10)
        assert.deepEqual(yield* m.moves, [...handedIn, handedBack, wentBack])
      }),
      { around: bank.around, others: [makeScriptedProvider("second", "rejected").provider] }
    )
  })

  covers("EXCEPTION-5")
  it("exposes what the bank says that it has given back while the converter has it", async () => {
    const bank = makeBank()
    await run(
      Effect.gen(function* () {
        const m = yield* paidOnramp()
        yield* m.says("simulated", "returned")
        assert.deepEqual(yield* m.raised, [["another_provider", "simulated", null, "149250.00"]])
        assert.deepEqual(yield* m.moves, handedIn)
        yield* m.says("second", "success")
        assert.strictEqual(yield* m.status(m.id), "success")
      }),
      { around: bank.around, others: [makeScriptedProvider("second", "dropped").provider] }
    )
  })
})

const words = [
  "success",
  "failed",
  "cancelled",
  "reversed",
  "returned",
  "temporarily_unavailable",
  "refund_failed"
] as const

const happenings = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ by: fc.constantFrom("second", "second", "simulated"), says: fc.constantFrom(...words) })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      by: fc.constantFrom("second", "simulated"),
      tells: fc.constantFrom("success" as const, "failed" as const)
    })
  },
  { weight: 2, arbitrary: fc.record({ passes: fc.constantFrom(0, 1, 60, 4000) }) }
)
type Happening = typeof happenings extends fc.Arbitrary<infer H> ? H : never

interface Story {
  readonly answer: Answer
  readonly isHeld: boolean
  readonly happens: ReadonlyArray<Happening>
}

covers("REFUND-9", "ROUTE-8")
it("an onramp of two providers has its money in one place, and its payer has it back when its bank says so, whatever both say", async () => {
  const live = ({ answer, happens, isHeld }: Story) => {
    const bank = makeBank()
    const bankWords = new Set<string>()
    return Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const m = yield* paidOnramp(isHeld)
          for (const one of happens) {
            const { data, state } = yield* m.rowOf(m.id)
            if ("says" in one) yield* m.says(one.by, one.says)
            else if ("passes" in one) yield* later(one.passes)
            else {
              if (one.by === "simulated" && state === "refunding") bankWords.add(one.tells)
              yield* m.tells(one.by, one.tells)
            }
            const moves = (yield* m.moves).map((move) => move.replace(/ \d+$/, ""))
            const history = `${JSON.stringify(data)} ${moves.join(", ")}`
            const count = (move: string) => moves.filter((each) => each === move).length
            assert.strictEqual(count("clearing:simulated > world:simulated"), bankWords.has("success") ? 1 : 0, history)
            // What its bank is told to give back nobody else can pay out, until the bank says that it has not.
            const isKept = count("clearing:simulated > suspense") > 0
            if (bank.asked.length > 0) assert.strictEqual(isKept, bankWords.has("failed"), history)
            assert.isAtMost(bank.asked.length, 1, history)
            const out = count("clearing:simulated > world:simulated") + (isKept ? 1 : 0)
            assert.isAtMost(out + count("clearing:second > fx"), 1, history)
          }
        }),
        makeSimulatedEngine({ around: bank.around, others: [makeScriptedProvider("second", answer).provider] })
      )
    )
  }
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        answer: fc.constantFrom<Answer>("lost", "dropped", "accepted", "rejected", "unavailable"),
        isHeld: fc.boolean(),
        happens: fc.array(happenings, { minLength: 1, maxLength: 8 })
      }),
      live
    ),
    { numRuns: triesOf(100) }
  )
})
