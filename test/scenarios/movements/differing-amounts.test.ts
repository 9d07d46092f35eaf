/** Outcomes whose amount is not the one that was due: where each unit goes, and what the operator sees. */
import { assert, it } from "vitest"
import { Effect } from "effect"
import type { MovementEvent } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { booksBalance, onServers, onMemory } from "../../support/engines/every-store.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

const kinds = ["transfer", "offramp", "conversion", "onramp"] as const
type Named = (typeof kinds)[number]

/** What each provider is instructed to deliver: 10 USDC, or what 10 USDC buy; an onramp delivers USDC for 150,000 naira. */
const currencies = { transfer: "USDC", offramp: "NGN", conversion: "NGN", onramp: "USDC" } as const

/** A submitted movement, and what it is due to deliver. */
const submitted = Effect.fnUntraced(function* (kind: Named) {
  const m = yield* merchantConverting()
  const ramps = yield* onrampsOf(m)
  const { id } =
    kind === "onramp"
      ? yield* ramps.onramp()
      : yield* { transfer: m.transfer("10"), offramp: m.offramp("10"), conversion: m.conversion("10") }[kind]
  if (kind === "onramp") yield* ramps.pays(id, "150000")
  yield* m.settle
  const storage = yield* Storage
  let events = 0
  /** The provider reports an outcome. */
  const reports = (outcome: MovementEvent["outcome"], more: Partial<MovementEvent> = {}) =>
    Inbox.use((inbox) =>
      inbox.receive("simulated", {
        _tag: "movement",
        event_id: `${id}.${events++}`,
        merchant_id: null,
        resource_id: id,
        outcome,
        reason: null,
        transaction_hash: null,
        ...more
      })
    )
  /** The merchant's balance of a class of accounts. */
  const inClass = Effect.fnUntraced(function* (name: string, currency: string) {
    const accounts = {
      losses: "losses",
      suspense: "suspense",
      clearing: "clearing:simulated",
      world: "world:simulated"
    }
    const account = accounts[name as keyof typeof accounts]
    let sum = 0n
    for (let offset = 0, total = 1; offset < total; offset += 200) {
      const page = yield* storage.entries(account, offset, 200)
      total = page.total
      for (const { amount, credit, currency: of, debit, merchant_id } of page.items) {
        if (merchant_id !== m.merchant_id || of !== currency) continue
        if (credit === account) sum += BigInt(amount)
        if (debit === account) sum -= BigInt(amount)
      }
    }
    return sum
  })
  const dataOf = Effect.map(m.rowOf(id), ({ data }) => data as Record<string, any>)
  const data = yield* dataOf
  const due = BigInt(
    {
      transfer: data.amount,
      offramp: data.quoted_received_amount,
      conversion: data.destination_amount,
      onramp: data.actual?.destination_amount
    }[kind]
  )
  return { m, id, ramps, reports, inClass, dataOf, due, currency: currencies[kind] }
})

const scale = { USDC: 6, NGN: 2 } as const
const decimal = (minor: bigint, currency: "USDC" | "NGN"): string => {
  const digits = minor.toString().padStart(scale[currency] + 1, "0")
  return `${digits.slice(0, -scale[currency])}.${digits.slice(-scale[currency])}`
}

/** The merchant's other wallet, or the one that the movement is about. */
const transactionOf = (id: string) => `txn_${id.slice(id.indexOf("_") + 1)}`

onMemory("a short settlement", (run) => {
  covers("OUTCOME-2")

  it.each(kinds)("%s: is a success of what arrived, and the exact difference is in suspense", (kind) =>
    run(
      Effect.gen(function* () {
        const { currency, due, id, inClass, m, reports } = yield* submitted(kind)
        const before = yield* m.balanceOf(m.naira.id)
        const held = (yield* m.balance).available
        const short = due - 12_345n
        yield* reports("success", { amount: decimal(short, currency) })
        const body = yield* m.body(transactionOf(id))
        assert.strictEqual(body["status"], "success")
        assert.strictEqual(yield* inClass("suspense", currency), 12_345n)
        assert.strictEqual(yield* inClass("clearing", "USDC"), 0n)
        assert.strictEqual(yield* inClass("clearing", "NGN"), 0n)
        const [exception, ...others] = yield* m.exceptions
        assert.deepEqual(others, [])
        assert.deepInclude(exception, {
          reason: "short_settlement",
          severity: "high",
          resource_id: id,
          amount: decimal(12_345n, currency).replace(/(\.\d\d\d*?)0*$/, "$1"),
          currency,
          status: "open"
        })
        const fee = kind === "onramp" ? 100_000n : 0n
        const received = decimal(short - fee, currency).replace(/(\.\d\d\d*?)0*$/, "$1")
        assert.strictEqual(body["received_amount"], received)
        if (kind === "conversion") {
          const after = yield* m.balanceOf(m.naira.id)
          assert.strictEqual(Number(after.available) - Number(before.available), Number(received))
        }
        if (kind === "onramp")
          assert.strictEqual(
            (Number((yield* m.balance).available) - Number(held)).toFixed(6),
            Number(received).toFixed(6)
          )
        if (kind !== "transfer") {
          const event = yield* m.object(id, `${kind}.success`)
          assert.strictEqual(event["actual_destination_amount"], received)
          assert.strictEqual(event["received_amount"], received)
        }
      })
    )
  )

  it("a fee that is exactly what is missing explains it: the severity is low", () =>
    run(
      Effect.gen(function* () {
        const { due, reports, m } = yield* submitted("offramp")
        yield* reports("success", { amount: decimal(due - 5_250n, "NGN"), fee: "52.50" })
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception, { reason: "short_settlement", severity: "low", exposure: null, amount: "52.50" })
      })
    ))

  it("a fee in another currency, or of another amount, explains nothing", () =>
    run(
      Effect.gen(function* () {
        for (const fee of [
          { fee: "52.50", fee_currency: "USD" },
          { fee: "52.49", fee_currency: "NGN" }
        ]) {
          const { due, reports, m } = yield* submitted("offramp")
          yield* reports("success", { amount: decimal(due - 5_250n, "NGN"), ...fee })
          const [exception] = yield* m.exceptions
          assert.deepInclude(exception, { severity: "high", amount: "52.50" })
          assert.deepEqual(exception!.exposure, { amount: "52.50", currency: "NGN" })
        }
      })
    ))

  it.each([
    ["credit", 1_000n],
    ["dismiss", 0n]
  ] as const)("ends with its money somewhere: %s", (action, given) =>
    run(
      Effect.gen(function* () {
        const { inClass, m, reports } = yield* submitted("transfer")
        yield* reports("success", { amount: "9.999" })
        const [exception] = yield* m.exceptions
        const before = (yield* m.balance).available
        yield* m.resolve(exception!.id, action)
        assert.strictEqual(yield* inClass("suspense", "USDC"), 0n)
        const now = (yield* m.balance).available
        assert.strictEqual(Math.round((Number(now) - Number(before)) * 1e6), Number(given))
        assert.deepEqual(yield* m.exceptions, [])
      })
    )
  )

  it("is counted once, however often it is reported", () =>
    run(
      Effect.gen(function* () {
        const { inClass, m, reports } = yield* submitted("transfer")
        for (let n = 0; n < 3; n++) yield* reports("success", { amount: "9" })
        assert.strictEqual(yield* inClass("suspense", "USDC"), 1_000_000n)
        assert.strictEqual((yield* m.exceptions).length, 1)
      })
    ))

  it("a repeat with another amount is an exception with both, and moves nothing", () =>
    run(
      Effect.gen(function* () {
        const { inClass, m, reports } = yield* submitted("transfer")
        yield* reports("success", { amount: "9" })
        for (const _ of [1, 2]) yield* reports("success", { amount: "9" })
        yield* reports("success", { amount: "8.5" })
        assert.strictEqual(yield* inClass("suspense", "USDC"), 1_000_000n)
        const [latest, ...others] = yield* m.exceptions
        assert.deepInclude(latest, { reason: "another_amount", amount: null })
        assert.deepEqual(latest!.exposure, { amount: "0.50", currency: "USDC" })
        assert.strictEqual(others.length, 1)
      })
    ))
})

onServers("more than was due", (run) => {
  covers("OUTCOME-3")

  it.each(kinds)("%s: is a success as instructed, and only exposes the difference", (kind) =>
    run(
      Effect.gen(function* () {
        const { currency, due, id, inClass, m, reports } = yield* submitted(kind)
        const quoted = (yield* m.body(transactionOf(id)))["destination_amount"]
        yield* reports("success", { amount: decimal(due + 10_000n, currency) })
        const body = yield* m.body(transactionOf(id))
        assert.strictEqual(body["status"], "success")
        if (kind === "transfer" || kind === "conversion") assert.strictEqual(body["received_amount"], quoted)
        assert.strictEqual(yield* inClass("suspense", currency), 0n)
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception, { reason: "over_settlement", severity: "high", amount: null })
        const exposed = decimal(10_000n, currency).replace(/(\.\d\d\d*?)0*$/, "$1")
        assert.deepEqual(exception!.exposure, { amount: exposed, currency })
      })
    )
  )
})

onMemory("a partial return", (run) => {
  covers("OUTCOME-4", "OUTCOME-5")

  it.each(["offramp", "conversion", "transfer"] as const)(
    "%s: gives the customer the whole source amount, and the platform has the loss",
    (kind) =>
      run(
        Effect.gen(function* () {
          const { currency, due, id, inClass, m, reports } = yield* submitted(kind)
          const source =
            kind === "conversion" ? { given: 9_970_000n, currency: "USDC" as const } : { given: due, currency }
          const back = source.given - 12_345n
          const outcome = kind === "transfer" ? "reversed" : "returned"
          yield* reports(outcome, { amount: decimal(back, source.currency) })
          assert.strictEqual((yield* m.balance).available, "1000.00")
          assert.strictEqual(yield* inClass("losses", source.currency), -12_345n)
          assert.strictEqual(yield* inClass("suspense", source.currency), 0n)
          assert.strictEqual(yield* inClass("clearing", "USDC"), 0n)
          const [exception, ...others] = yield* m.exceptions
          assert.deepEqual(others, [])
          assert.deepInclude(exception, { reason: "partial_return", severity: "high", amount: null, resource_id: id })
          yield* m.resolve(exception!.id, "dismiss")
        })
      )
  )

  it("offramp: after its success, too", () =>
    run(
      Effect.gen(function* () {
        const { due, inClass, m, reports } = yield* submitted("offramp")
        yield* reports("success")
        yield* reports("returned", { amount: decimal(due - 12_345n, "NGN") })
        assert.strictEqual((yield* m.balance).available, "1000.00")
        assert.strictEqual(yield* inClass("losses", "NGN"), -12_345n)
        assert.strictEqual(yield* inClass("world", "NGN"), 12_345n)
        assert.deepEqual(
          (yield* m.exceptions).map(({ exposure, reason }) => [reason, exposure]),
          [["partial_return", { amount: "123.45", currency: "NGN" }]]
        )
      })
    ))

  it.each([
    ["open", "losses", 0n],
    ["withheld", "world", -5_000n],
    ["dismissed", "world", -5_000n]
  ] as const)("offramp: after a short settlement that is %s, what was in suspense is the platform's", (how, _, lost) =>
    run(
      Effect.gen(function* () {
        const { due, inClass, m, reports } = yield* submitted("offramp")
        const fee = how === "withheld" ? { fee: "50.00" } : {}
        const paid = decimal(due - 5_000n, "NGN")
        yield* reports("success", { amount: paid, ...fee })
        const [short] = yield* m.exceptions
        if (how === "dismissed") yield* m.resolve(short!.id, "dismiss")
        yield* reports("returned", { amount: paid })
        assert.strictEqual((yield* m.balance).available, "1000.00")
        assert.strictEqual(yield* inClass("suspense", "NGN"), 0n)
        assert.strictEqual(yield* inClass("losses", "NGN"), lost)
        const open = (yield* m.exceptions).map(({ exposure, reason }) => [reason, exposure])
        const exposed = [["partial_return", { amount: "50.00", currency: "NGN" }]]
        assert.deepEqual(open, how === "dismissed" ? exposed : [])
      })
    )
  )

  it("onramp: what the payer did not get back is in suspense, and can be refunded", () =>
    run(
      Effect.gen(function* () {
        const { id, inClass, m, reports } = yield* submitted("onramp")
        yield* reports("returned", { amount: "149000.00" })
        assert.strictEqual((yield* m.rowOf(id)).status, "returned")
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception, { reason: "partial_return", severity: "high", amount: "250.00", currency: "NGN" })
        assert.strictEqual(yield* inClass("suspense", "NGN"), 25_000n)
        yield* m.resolve(exception!.id, "refund")
        yield* m.settle
        yield* m.advance(60)
        assert.strictEqual(yield* inClass("suspense", "NGN"), 0n)
        assert.deepEqual(yield* m.exceptions, [])
      })
    ))

  it("more than was paid only exposes the difference", () =>
    run(
      Effect.gen(function* () {
        const { due, inClass, m, reports } = yield* submitted("offramp")
        yield* reports("returned", { amount: decimal(due + 100n, "NGN") })
        assert.strictEqual((yield* m.balance).available, "1000.00")
        assert.strictEqual(yield* inClass("losses", "NGN"), 0n)
        assert.deepEqual(
          (yield* m.exceptions).map(({ amount, exposure, reason }) => [reason, amount, exposure]),
          [["over_return", null, { amount: "1.00", currency: "NGN" }]]
        )
      })
    ))

  it("transfer: a reversal in part after its success has its money in suspense, and exposes the rest", () =>
    run(
      Effect.gen(function* () {
        const { inClass, m, reports } = yield* submitted("transfer")
        yield* reports("success")
        yield* reports("reversed", { amount: "4" })
        assert.strictEqual(yield* inClass("suspense", "USDC"), 4_000_000n)
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception, { reason: "contradicts_state", amount: "4.00", severity: "high" })
        assert.deepEqual(exception!.exposure, { amount: "6.00", currency: "USDC" })
        yield* m.resolve(exception!.id, "credit")
        assert.strictEqual((yield* m.balance).available, "994.00")
      })
    ))
})

onMemory("a refund of another amount", (run) => {
  covers("OUTCOME-7")

  /** An onramp whose payer paid too little, so that it goes back. */
  const refunding = Effect.fnUntraced(function* () {
    const m = yield* merchantConverting()
    const ramps = yield* onrampsOf(m)
    yield* m.refunds("accept")
    const { id } = yield* ramps.onramp()
    yield* ramps.pays(id, "50")
    yield* m.settle
    return { m, id }
  })

  it("less: the rest is in suspense, and can be refunded", () =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* refunding()
        yield* m.says(id, "success", { amount: "49.50" })
        assert.strictEqual((yield* m.rowOf(id)).status, "returned")
        const [exception, ...others] = yield* m.exceptions
        assert.deepEqual(others, [])
        assert.deepInclude(exception, { reason: "partial_refund", severity: "high", amount: "0.50", currency: "NGN" })
        yield* m.refunds("settle")
        yield* m.resolve(exception!.id, "refund")
        yield* m.advance(60)
        assert.deepEqual(yield* m.exceptions, [])
        assert.strictEqual((yield* m.rowOf(exception!.id)).status, "resolved")
      })
    ))

  it.each([
    ["withheld", { amount: "49.50", fee: "0.50" }, ["partial_refund", "low", "0.50", null]],
    ["more", { amount: "51" }, ["over_refund", "high", null, { amount: "1.00", currency: "NGN" }]],
    ["impossible", { amount: "49.505" }, ["implausible_amount", "high", null, { amount: "50.00", currency: "NGN" }]],
    [
      "another currency",
      { currency: "EUR" },
      ["implausible_amount", "high", null, { amount: "50.00", currency: "NGN" }]
    ]
  ] as const)("%s: is an exception, and the refund has ended", (_, figures, expected) =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* refunding()
        yield* m.says(id, "success", figures)
        assert.strictEqual((yield* m.rowOf(id)).status, "returned")
        assert.deepEqual(
          (yield* m.exceptions).map(({ amount, exposure, reason, severity }) => [reason, severity, amount, exposure]),
          [[...expected]]
        )
      })
    )
  )

  it.each([
    ["what the payer had got", { amount: "49.50" }, ["49.50", "0.50"]],
    ["what was sent", { amount: "51" }, ["50.00", null]]
  ] as const)("and it bounces: only %s comes back into suspense", (_, figures, amounts) =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* refunding()
        yield* m.says(id, "success", figures)
        const bounce = { _tag: "refund", merchant_id: null, resource_id: id, outcome: "failed", reason: null } as const
        for (const n of [1, 2])
          yield* Inbox.use((inbox) => inbox.receive("simulated", { ...bounce, event_id: `${id}.bounce-${n}` }))
        assert.deepEqual(
          (yield* m.exceptions).map(({ amount }) => amount),
          [...amounts]
        )
      })
    )
  )

  it("the whole amount is none, in a look-up's result, too", () =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* refunding()
        yield* m.says(id, "success", { amount: "50.00", currency: "NGN", fee: "3" })
        assert.strictEqual((yield* m.rowOf(id)).status, "returned")
        assert.deepEqual(yield* m.exceptions, [])
      })
    ))
})

onMemory("an amount that cannot be true", (run) => {
  covers("OUTCOME-6")

  it.each([
    ["another currency", { amount: "5", currency: "EUR" }],
    ["more decimals than the currency has", { amount: "5.1234567" }]
  ] as const)("%s: no outcome, an exception with both versions, and the provider is asked again", (_, figures) =>
    run(
      Effect.gen(function* () {
        for (const kind of kinds)
          for (const outcome of ["success", "returned"] as const) {
            const { dataOf, id, m, reports } = yield* submitted(kind)
            const before = (yield* m.balance).available
            yield* reports(kind === "transfer" && outcome === "returned" ? "reversed" : outcome, figures)
            assert.strictEqual((yield* m.rowOf(id)).state, "unknown", `${kind} ${outcome}`)
            assert.strictEqual((yield* m.balance).available, before)
            assert.deepEqual((yield* dataOf)["outcomes"], undefined)
            const [exception, ...others] = yield* m.exceptions
            assert.deepEqual(others, [])
            assert.deepInclude(exception, {
              reason: "implausible_amount",
              severity: "high",
              amount: null,
              resource_id: id
            })
            assert.deepInclude(exception!.provider_event as object, figures)
            // A look-up that says the same is not recorded again; a plain word ends it.
            yield* reports(kind === "transfer" && outcome === "returned" ? "reversed" : outcome, figures)
            assert.strictEqual((yield* m.exceptions).length, 1)
            yield* reports("success")
            assert.strictEqual((yield* m.rowOf(id)).state, "success")
          }
      })
    )
  )

  it("zero and less are no message of a provider at all", () =>
    run(
      Effect.gen(function* () {
        const { id, m, reports } = yield* submitted("offramp")
        for (const amount of ["0", "0.00", "-5", "1e3"]) yield* reports("success", { amount })
        assert.strictEqual((yield* m.rowOf(id)).state, "submitting")
        yield* reports("success")
        assert.strictEqual((yield* m.rowOf(id)).state, "success")
      })
    ))

  it("after the end it is an exception, and the movement stays", () =>
    run(
      Effect.gen(function* () {
        const { id, inClass, m, reports } = yield* submitted("offramp")
        yield* reports("success")
        yield* reports("returned", { amount: "1.234" })
        assert.strictEqual((yield* m.rowOf(id)).state, "success")
        assert.strictEqual(yield* inClass("losses", "NGN"), 0n)
        assert.deepEqual(
          (yield* m.exceptions).map(({ reason }) => reason),
          ["implausible_amount"]
        )
        assert.deepInclude(yield* m.next(id), { operation: "lookup" })
        // The provider says again that it has paid.
        yield* m.advance(3600)
        assert.strictEqual((yield* m.rowOf(id)).state, "success")
        // It is asked about until there is an answer, or somebody has decided.
        assert.strictEqual((yield* m.next(id))?.operation, "lookup")
        for (const { id: exception } of yield* m.exceptions) yield* m.resolve(exception, "dismiss")
        assert.isUndefined(yield* m.next(id))
      })
    ))

  it("is asked about where a submission waits to be repeated, and nothing is submitted or given back before the answer", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        yield* m.behaves("unavailable")
        const { id } = yield* m.transfer("10", { retry_on_failure: true })
        yield* m.settle
        assert.strictEqual((yield* m.rowOf(id)).state, "waiting")
        yield* (yield* Inbox).receive("simulated", {
          _tag: "movement",
          event_id: `${id} implausible`,
          merchant_id: null,
          resource_id: id,
          outcome: "success",
          reason: null,
          transaction_hash: null,
          amount: "10",
          currency: "USDT"
        })
        assert.strictEqual((yield* m.rowOf(id)).state, "unknown")
        assert.deepInclude(yield* m.next(id), { operation: "lookup" })
        yield* m.says(id, "success")
        assert.strictEqual((yield* m.rowOf(id)).state, "success")
      })
    ))

  it.each(["failed", "cancelled"] as const)("the amount of %s says nothing", (outcome) =>
    run(
      Effect.gen(function* () {
        const { id, m, reports } = yield* submitted("offramp")
        yield* reports(outcome, { amount: "0.123456789", currency: "EUR" })
        assert.strictEqual((yield* m.rowOf(id)).state, "failed")
        assert.deepEqual(yield* m.exceptions, [])
        yield* booksBalance
      })
    )
  )
})
