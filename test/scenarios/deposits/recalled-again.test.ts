/**
 * A pay-in that is recalled, confirmed again and recalled again, with what people decide between: its last word counts, money that came is
 * in the books, and money that was taken back is in suspense or at risk (DEPOSIT-17, EXCEPTION-5).
 */
import { Clock, Effect, Layer } from "effect"
import fc from "fast-check"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Timelines } from "../../../src/engine/reports/timeline/timeline.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { AdjustingEntries } from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { Conversions } from "../../../src/engine/resources/movements/conversion.ts"
import { Onramps } from "../../../src/engine/resources/movements/onramp.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { booksBalance, onMemory, onServers } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { payinEvent } from "../../support/merchants/payins.ts"
import { merchantCollecting, merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { triesOf } from "../../support/properties/tries.ts"
import { covers } from "../../support/repository/covers.ts"

type Stage = "detected" | "confirmed" | "failed"

interface Case extends MerchantAtWork {
  /** In the units of the books. */
  readonly amount: bigint
  readonly currency: string
  readonly tells: (stage: Stage) => Effect.Effect<unknown, any, any>
}

const deposited = (amount: string, currency: string, ...before: ReadonlyArray<Stage>): Effect.Effect<Case, any, any> =>
  Effect.gen(function* () {
    const m = yield* merchantAtWork("0")
    const payin_id = `payin_${m.merchant_id}`
    const tells = (stage: Stage) => m.deposit({ amount, payin_id, currency, stage })
    for (const stage of before) yield* tells(stage)
    return { ...m, amount: BigInt(amount) * 1_000_000n, currency, tells }
  })

/** An onramp that is funded, and not submitted yet. */
const queued: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const ramps = yield* onrampsOf(m)
  const { id } = yield* ramps.onramp()
  const tells = (stage: Stage) => ramps.pays(id, "150000", { payin_id: `payin_${id}`, stage })
  yield* tells("confirmed")
  yield* tells("failed")
  return { ...m, amount: 15_000_000n, currency: "NGN", tells }
})

/** A deposit that was to be converted, and neither was nor could be given back: its money is in suspense. */
const unconverted = (...words: ReadonlyArray<Stage | "refund_failed">): Effect.Effect<Case, any, any> =>
  Effect.gen(function* () {
    const m = yield* merchantConverting("0")
    const credential_id = yield* m.credential(m.wallet.id, "NGN", "bank")
    const payin_id = `payin_${m.merchant_id}`
    const tells = (stage: Stage) =>
      SandboxOperations.use((s) =>
        s.deposit(m.caller, { credential_id, amount: "150000", currency: "NGN", payin_id, stage })
      )
    for (const word of words) {
      if (word === "refund_failed") {
        const [conversion] = (yield* Conversions.use((s) => s.list(m.caller, {}))).items
        yield* m.says(conversion!.id, word)
      } else yield* tells(word)
      yield* m.settle
    }
    return { ...m, amount: 15_000_000n, currency: "NGN", tells }
  })

const cases: Readonly<Record<string, Effect.Effect<Case, any, any>>> = {
  credited: deposited("10", "USDC", "confirmed", "failed"),
  late: deposited("10", "USDC", "detected", "failed", "confirmed", "failed"),
  "in the wrong currency": deposited("7", "USDT", "confirmed", "failed"),
  queued,
  "not converted, then recalled": unconverted("confirmed", "refund_failed", "failed"),
  "recalled, then not converted": unconverted("confirmed", "failed", "refund_failed")
}

/** What the case has changed in the books: what came in and is not out again, and what of it is in suspense. */
const booksOf = (before: ReadonlyMap<string, string>, currency: string) =>
  Effect.map(booksBalance, (after) => {
    const moved = (name: string) =>
      BigInt(after.get(`${name}/${currency}`) ?? "0") - BigInt(before.get(`${name}/${currency}`) ?? "0")
    return { came: -moved("world"), suspended: moved("suspense") }
  })

const shownOf = ({ exceptions }: Case) =>
  Effect.map(exceptions, (all) =>
    all
      .map(({ amount, detail, exposure, id, reason, severity }) =>
        JSON.stringify([id, reason, severity, amount, exposure, detail])
      )
      .sort()
  )

const exposedOf = (exposure: { readonly amount: string } | null, currency: string): bigint =>
  BigInt((exposure?.amount ?? "0").replace(".", "")) * (currency === "NGN" ? 1n : 10_000n)

type Word = "confirmed" | "failed" | "dismiss" | "credit"

/** Says or does each, and holds after each what must be true. The case begins with a pay-in that has been recalled. */
const follows = Effect.fnUntraced(function* (begin: Effect.Effect<Case, any, any>, words: ReadonlyArray<Word>) {
  const before = yield* booksBalance
  const one = yield* begin
  const { amount, currency } = one
  const { id: wallet_id } = yield* Wallets.use((s) => s.create(one.caller, { currency } as never))
  const decides = (id: string) =>
    word === "dismiss"
      ? one.resolve(id, word)
      : Exceptions.use((s) => s.resolve(one.operator, id, { action: "credit", wallet_id, note: "seen" }))
  let word: Word = "failed"
  let last: Word = "failed"
  // What was dismissed of a pay-in that stood went back outside this service: a recall and its end change nothing of that.
  let outside = 0n
  for (const n of words.keys()) {
    word = words[n]!
    const history = words.slice(0, n + 1).join()
    const shown = yield* shownOf(one)
    const all = yield* one.exceptions
    const chosen = all.filter((each) => word === "dismiss" || (word === "credit" && each.amount !== null))
    if (word === "confirmed" || word === "failed") yield* one.tells(word)
    const was = yield* booksOf(before, currency)
    for (const { id } of chosen) yield* decides(id)
    yield* one.settle
    const { came, suspended } = yield* booksOf(before, currency)
    if (word === "dismiss" && last === "confirmed") outside += was.came - came
    const recall = (yield* one.exceptions).find(({ reason }) => reason === "recalled")
    if (word === last) assert.deepEqual(yield* shownOf(one), shown, history)
    else if (word === "confirmed") {
      assert.strictEqual(came, amount - outside, `${history}: what was confirmed is in the books`)
      if (recall !== undefined) {
        assert.match(recall.detail ?? "", /confirmed it again/, history)
        const { explanation } = yield* Timelines.use((s) => s.whole(recall.id))
        assert.match(explanation.message ?? "", /confirmed it again/, history)
      }
    } else if (word === "failed" || (word === "credit" && last === "failed" && chosen.length > 0)) {
      assert.isDefined(recall, `${history}: a recall is open`)
      assert.strictEqual(exposedOf(recall!.exposure, currency), came - suspended, history)
      assert.strictEqual(recall!.severity, came > suspended ? "high" : "low", history)
      assert.notMatch(recall!.detail ?? "", /confirmed it again/, history)
    }
    if (word === "confirmed" || word === "failed") last = word
  }
})

const words = fc.array(fc.constantFrom<Word>("confirmed", "failed", "dismiss", "credit"), {
  minLength: 2,
  maxLength: 7
})

onMemory("a pay-in that is confirmed again after its recall", (run) => {
  covers("DEPOSIT-17", "EXCEPTION-5")
  it.each(Object.keys(cases))(
    "is in the books while it is confirmed, and in suspense or at risk while it is not: %s",
    (name) =>
      fc.assert(
        fc.asyncProperty(words, (history) => run(follows(cases[name]!, history))),
        {
          numRuns: triesOf(12),
          examples: [
            [["confirmed", "dismiss", "failed"]],
            [["dismiss", "confirmed", "failed", "dismiss"]],
            [["confirmed", "failed"]]
          ]
        }
      )
  )
})

/** An onramp that ended before its payer paid, and the money that came then. */
const late = Effect.gen(function* () {
  const m = yield* merchantCollecting
  const { deposit_instruction, id } = yield* m.onramp()
  const observed_at = yield* Clock.currentTimeMillis
  yield* m.advance(40 * 60)
  const payin = {
    payin_id: `payin_${id}`,
    currency: "NGN",
    network: "bank",
    observed_at,
    amount: "150000",
    target: deposit_instruction!.depositReference
  }
  let serial = 0
  const tells = (stage: Stage) =>
    Inbox.use((inbox) => inbox.receive("simulated", payinEvent({ ...payin, stage, event_id: `${id}.${++serial}` })))
  yield* tells("confirmed")
  const [exception] = yield* m.exceptions
  return { m, id, tells, exception: exception!.id }
})

onMemory("a recall that is over", (run) => {
  covers("DEPOSIT-17", "EXCEPTION-4")
  it("allows its money to be applied, and frees it if the pay-in is recalled before the payout is submitted", () =>
    run(
      Effect.gen(function* () {
        const { exception, id, m, tells } = yield* late
        const apply = Exceptions.use((s) => s.resolve(m.operator, exception, { action: "apply", note: "in time" }))
        yield* tells("failed")
        assert.strictEqual((yield* Effect.result(apply))._tag, "Failure")
        yield* tells("confirmed")
        yield* apply
        yield* tells("failed")
        yield* m.settle
        assert.strictEqual(yield* m.executions(id), 0)
        const all = yield* m.exceptions
        assert.deepEqual(
          all.map(({ amount, exposure, reason }) => [reason, amount, exposure]),
          [["recalled", "150000.00", null]]
        )
        yield* m.resolve(all[0]!.id, "dismiss")
        yield* tells("confirmed")
        assert.deepInclude((yield* m.exceptions)[0], { id: all[0]!.id, amount: "150000.00" })
      })
    ))

  covers("DEPOSIT-17", "REFUND-8")
  it("keeps no refund back that is decided since", () =>
    run(
      Effect.gen(function* () {
        const before = yield* booksBalance
        const m = yield* deposited("7", "USDT", "confirmed", "failed", "confirmed")
        const [held] = (yield* m.exceptions).filter(({ amount }) => amount !== null)
        yield* m.resolve(held!.id, "refund")
        yield* m.settle
        const open = (yield* m.exceptions).map(({ id }) => id)
        assert.notInclude(open, held!.id)
        assert.deepEqual(yield* booksOf(before, "USDT"), { came: 0n, suspended: 0n })
      })
    ))

  covers("DEPOSIT-17", "ONRAMP-9")
  it("lets an onramp that was submitted before it end as any other: its payer gets the money back", () =>
    run(
      Effect.gen(function* () {
        const before = yield* booksBalance
        const m = yield* merchantAtWork("0")
        const ramps = yield* onrampsOf(m)
        const { id } = yield* ramps.onramp()
        const tells = (stage: Stage) => ramps.pays(id, "150000", { payin_id: `payin_${id}`, stage })
        yield* tells("confirmed")
        yield* m.settle
        for (const stage of ["failed", "confirmed"] as const) yield* tells(stage)
        yield* m.says(id, "failed")
        yield* m.settle
        assert.strictEqual((yield* m.rowOf(id)).status, "failed")
        assert.deepEqual(
          (yield* m.exceptions).filter(({ amount }) => amount !== null),
          []
        )
        assert.deepEqual(yield* booksOf(before, "NGN"), { came: 0n, suspended: 0n })
      })
    ))

  it.each(["failed", "temporarily_unavailable"] as const)(
    "does not say of an onramp that was not executed since (%s) that its payer has the money, which is in suspense",
    (outcome) =>
      run(
        Effect.gen(function* () {
          const before = yield* booksBalance
          const m = yield* merchantAtWork("0")
          const ramps = yield* onrampsOf(m)
          const { id } = yield* ramps.onramp()
          const tells = (stage: Stage) => ramps.pays(id, "150000", { payin_id: `payin_${id}`, stage })
          yield* tells("confirmed")
          yield* m.settle
          yield* tells("failed")
          yield* m.says(id, outcome)
          yield* m.advance(90_000)
          yield* tells("confirmed")
          const { failure_reason_message } = (yield* Onramps.use((s) => s.get(m.caller, id))).body
          assert.deepEqual(yield* booksOf(before, "NGN"), { came: 15_000_000n, suspended: 15_000_000n })
          assert.notInclude(failure_reason_message ?? "", "was refunded")
        })
      )
  )

  it("leaves what an adjusting entry has booked, and is open so that a person reverses it", () =>
    run(
      Effect.gen(function* () {
        const { exception, m, tells } = yield* late
        yield* tells("failed")
        const all = yield* m.exceptions
        const entries = yield* AdjustingEntries
        const money = { amount: "150000.00", currency: "NGN", from: "suspense", to: "world:simulated" }
        const entry = yield* entries.create(m.operator, { ...money, exception_id: exception, note: "n" })
        yield* m.resolve(all.find(({ reason }) => reason === "recalled")!.id, "dismiss")
        const before = yield* booksBalance
        yield* tells("confirmed")
        assert.deepEqual(yield* booksBalance, before)
        const [recall, ...others] = yield* m.exceptions
        assert.deepEqual([recall?.reason, recall?.amount, others], ["recalled", null, []])
        yield* entries.reverse(m.operator, entry.id, { note: "it has come" })
        assert.include(
          (yield* m.exceptions).map(({ id }) => id),
          exception
        )
        // What was reversed is in suspense once.
        for (const stage of ["failed", "confirmed"] as const) yield* tells(stage)
        const { suspended } = yield* booksOf(before, "NGN")
        assert.strictEqual(suspended, 15_000_000n)
      })
    ))
})

onServers("a pay-in that is confirmed again after its money was given up", (run) => {
  covers("DEPOSIT-17")
  it.each(["late", "queued", "recalled, then not converted"])(
    "has its money in suspense, which can be credited, and is recalled again: %s",
    (name) =>
      run(follows(cases[name]!, ["dismiss", "confirmed", "credit", "confirmed", "failed", "dismiss", "confirmed"]))
  )
})

/** A store whose exceptions are all of an earlier release: none has the key of its pay-in. */
const earlier = Layer.effect(
  Storage,
  Effect.map(Storage, (store) => ({
    ...store,
    list: (query) =>
      query.index_keys.some((key) => key.startsWith("payin="))
        ? Effect.succeed({ items: [], total: 0 })
        : store.list(query)
  }))
).pipe(Layer.provide(MemoryStorage.layer))

covers("DEPOSIT-17", "OUTCOME-9")
it.each(["late", "in the wrong currency", "queued"])("is followed by exceptions of an earlier release: %s", (name) =>
  Effect.runPromise(
    Effect.provide(
      follows(cases[name]!, ["dismiss", "confirmed", "failed", "dismiss", "confirmed"]),
      makeSimulatedEngine({ storage: earlier })
    ) as Effect.Effect<void>
  )
)
