/**
 * The recall of a pay-in is a fact of it: in whatever order it is told, money that is still here stays here, and what is at risk is what has
 * left (ONRAMP-9, OUTCOME-9, REFUND-8).
 */
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { CommandStatus, SubmissionResult } from "../../../src/engine/ports/Provider.ts"
import type { Row } from "../../../src/engine/ports/Storage.ts"
import { Timelines } from "../../../src/engine/reports/timeline/timeline.ts"
import { onrampBody } from "../../../src/engine/representations/movements/onramp.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { findLatestRefund } from "../../../src/engine/resources/deposits/refund-reports.ts"
import { AdjustingEntries } from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import type { OnrampData } from "../../../src/machines/movements/onramp.ts"
import { booksBalance, onMemory, onServers } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { overtaken } from "../../support/stores/overtaken.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

interface Case extends MerchantAtWork {
  readonly id: string
  /** What its payer paid, as exceptions show it. */
  readonly whole: string
  readonly currency: string
  readonly recall: Effect.Effect<unknown, any, any>
}

/** An onramp of 150,000 naira that its provider has. */
const onramp: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const ramps = yield* onrampsOf(m)
  yield* m.refunds("accept")
  const { id } = yield* ramps.onramp()
  const payin_id = `payin_${id}`
  yield* ramps.pays(id, "150000", { payin_id })
  yield* m.settle
  const recall = ramps.pays(id, "150000", { payin_id, stage: "failed" })
  return { ...m, id, whole: "150000.00", currency: "NGN", recall }
})

/** A rejected deposit of 1,500 US dollars whose refund is under way. */
const deposit: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0", "tier_0")
  yield* m.refunds("accept")
  const payin_id = `payin_${m.merchant_id}`
  const { transaction_id } = yield* m.deposit({ amount: "1500", payin_id })
  yield* (yield* Deposits).reject(m.operator, transaction_id!, "sanctioned")
  yield* m.settle
  const recall = m.deposit({ amount: "1500", payin_id, stage: "failed" })
  return { ...m, id: transaction_id!, whole: "1500.00", currency: "USDC", recall }
})

/** An underpaid onramp, whose refund is under way. */
const underpaid: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const ramps = yield* onrampsOf(m)
  yield* m.refunds("accept")
  const { id } = yield* ramps.onramp()
  const payin_id = `payin_${id}`
  yield* ramps.pays(id, "90", { payin_id })
  yield* m.settle
  const recall = ramps.pays(id, "90", { payin_id, stage: "failed" })
  return { ...m, id, whole: "90.00", currency: "NGN", recall }
})

/** Money in another currency than its address takes, whose refund is under way. */
const foreign: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  yield* m.refunds("accept")
  const payin_id = `payin_${m.merchant_id}`
  yield* m.deposit({ amount: "700", payin_id, currency: "USDT" })
  const [{ id } = { id: "" }] = yield* m.exceptions
  yield* m.resolve(id, "refund")
  yield* m.settle
  const recall = m.deposit({ amount: "700", payin_id, currency: "USDT", stage: "failed" })
  return { ...m, id, whole: "700.00", currency: "USDT", recall }
})

let serial = 0

/** A bank that refuses refunds for now, or makes each once, by its id. */
let refusing = false
let asked = 0
let executed = new Set<string>()
const bank = {
  refund: ({ id }: { readonly id: string }) =>
    Effect.sync((): SubmissionResult => {
      asked++
      if (refusing) return { _tag: "unavailable" }
      executed.add(id)
      return { _tag: "accepted" }
    }),
  lookupRefund: ({ id }: { readonly id: string }) =>
    Effect.sync(
      (): CommandStatus =>
        executed.has(id)
          ? { _tag: "settled", outcome: { outcome: "success", reason: null, transaction_hash: null } }
          : { _tag: "absent" }
    )
}

const seeds = Array.from({ length: 12 }, (_, n) => n + 1)

/** Numbers below `n`, the same for one seed. */
const drawing = (seed: number) => {
  let state = BigInt(seed) * 7919n
  return (n: number): number => {
    state = (state * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n
    return Number((state >> 33n) % BigInt(n))
  }
}

/** A report: `recalled`, `refund: OUTCOME AMOUNT` of its refund, or `OUTCOME AMOUNT` of its payment. */
const reports = Effect.fnUntraced(function* ({ currency, id, recall, rowOf }: Case, word: string) {
  if (word === "recalled") return yield* recall
  const row = yield* rowOf(id)
  const isRefund = word.startsWith("refund: ")
  const [outcome, amount] = word.replace("refund: ", "").split(" ")
  const event = {
    event_id: `${id} ${++serial}`,
    merchant_id: null,
    resource_id: id,
    outcome,
    reason: null,
    transaction_hash: null,
    ...(isRefund ? { command_id: findLatestRefund(row) } : {}),
    ...(amount === undefined ? {} : { amount, currency })
  }
  yield* (yield* Inbox).receive("simulated", { ...event, _tag: isRefund ? "refund" : "movement" } as never)
})

const shownOf = Effect.fnUntraced(function* (one: Case) {
  const { data, status } = yield* one.rowOf(one.id)
  return {
    status: [status, (data as { readonly failure_reason?: string | null }).failure_reason ?? null],
    exceptions: (yield* one.exceptions)
      .map(({ amount, exposure, reason, severity }) => `${reason} ${severity} ${amount} ${exposure?.amount ?? null}`)
      .sort()
  }
})

/** Nothing says that the whole of the payer's money went back while some of it is in suspense, by the books of the case. */
const holdsTrue = Effect.fnUntraced(function* ({ id, rowOf }: Case, books: ReadonlyArray<string>) {
  const row = yield* rowOf(id)
  if (row.kind !== "onramp" || !books.some((one) => one.startsWith("suspense/"))) return
  const { failure_reason_message } = onrampBody(row as Row<OnrampData>)
  const { explanation } = yield* Timelines.use((s) => s.whole(id))
  for (const sentence of [failure_reason_message, explanation.message])
    assert.notMatch(sentence ?? "", /was refunded\.|returned to their source\.|goes back to its payer\./)
})

/** Where a case ends: its status and its reason, its open exceptions, and what it has changed in the books. */
const endOf = Effect.fnUntraced(function* (begin: Effect.Effect<Case, any, any>, order: ReadonlyArray<string>) {
  const before = yield* booksBalance
  const one = yield* begin
  for (const word of order) {
    yield* reports(one, word)
    yield* one.settle
  }
  yield* one.advance(3600)
  const shown = yield* shownOf(one)
  const books = [...(yield* booksBalance)].flatMap(([name, balance]) => {
    const moved = BigInt(balance) - BigInt(before.get(name) ?? "0")
    return moved === 0n ? [] : [`${name} ${moved}`]
  })
  yield* holdsTrue(one, books)
  return { ...shown, books: books.sort() }
})

const cents = (amount: string | null | undefined): bigint => BigInt((amount ?? "0").replace(".", ""))

const cases = { onramp, deposit, underpaid, foreign } as const

/** What is reported in this order, and how much of the pay-in has left then. The recall comes at every place among them. */
const orders: ReadonlyArray<readonly [keyof typeof cases, ReadonlyArray<string>, string]> = [
  ["onramp", ["temporarily_unavailable"], "0"],
  ["onramp", ["refund_failed"], "0"],
  ["onramp", ["success"], "150000.00"],
  ["onramp", ["returned"], "150000.00"],
  ["onramp", ["returned 49250"], "50000.00"],
  ["deposit", ["refund: success"], "1500.00"],
  ["deposit", ["refund: failed"], "0"],
  ["deposit", ["refund: success 900"], "900.00"],
  ["deposit", ["refund: success", "refund: failed"], "0"],
  ["deposit", ["refund: success 900", "refund: failed"], "0"],
  ["underpaid", ["refund: success"], "90.00"],
  ["underpaid", ["refund: failed"], "0"],
  ["underpaid", ["refund: success 60"], "60.00"],
  ["underpaid", ["refund: success", "refund: failed"], "0"],
  ["foreign", ["refund: success"], "700.00"],
  ["foreign", ["refund: failed"], "0"],
  ["foreign", ["refund: success 500"], "500.00"],
  ["foreign", ["refund: success", "refund: failed"], "0"]
]

/** The reports with the recall at each place. */
const withRecall = (words: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  [...words, ""].map((_, place) => words.toSpliced(place, 0, "recalled"))

/** Runs each order in a case of its own: all end alike, and the recall exposes what has left. */
const alike = Effect.fnUntraced(function* (
  begin: Effect.Effect<Case, any, any>,
  orders: ReadonlyArray<ReadonlyArray<string>>,
  left: string
) {
  const ends = []
  for (const order of orders) ends.push([order, yield* endOf(begin, order)] as const)
  for (const [order, end] of ends) {
    assert.deepEqual(end, ends[0]![1], `${order} against ${ends[0]![0]}`)
    const [, severity, , exposed] = end.exceptions.find((one) => one.startsWith("recalled "))!.split(" ")
    const expected = cents(left) === 0n ? ["low", "null"] : ["high", left]
    assert.deepEqual([severity, exposed], expected, `${order}`)
  }
})

const kept = (all: ReadonlyArray<{ readonly amount: string | null }>): bigint =>
  all.reduce((sum, { amount }) => sum + cents(amount), 0n)

onMemory("the recall of a pay-in", (run) => {
  covers("ONRAMP-9", "OUTCOME-9", "EXCEPTION-5", "REFUND-4")
  it.each(orders)("ends the same wherever it is told, and exposes what has left: %s, %s: %s", (name, words, left) =>
    run(alike(cases[name], withRecall(words), left))
  )

  it("ends the same before its onramp failed and after it, and after its refund failed", () =>
    run(
      alike(
        onramp,
        [
          ["recalled", "failed"],
          ["failed", "recalled", "refund: failed"],
          ["failed", "refund: failed", "recalled"]
        ],
        "0"
      )
    ))

  it.each(["failed", "cancelled", "compliance", "temporarily_unavailable", "absent"])(
    "is known when the provider of its onramp says %s after it: nothing is submitted, and nothing is refunded",
    (word) =>
      run(
        Effect.gen(function* () {
          const one = yield* onramp
          yield* reports(one, "recalled")
          if (word === "compliance") yield* one.says(one.id, "failed", { reason: "compliance" })
          else if (word !== "absent") yield* reports(one, word)
          yield* one.advance(90_000)
          const { data, status } = yield* one.rowOf(one.id)
          assert.strictEqual(status, "failed")
          assert.strictEqual((data as { attempts: number }).attempts, 1)
          assert.notInclude(JSON.stringify(data), `${one.id}.refund`)
          const all = yield* one.exceptions
          assert.strictEqual(kept(all), cents(one.whole))
          assert.deepEqual(
            all.map(({ exposure, severity }) => [severity, exposure?.amount ?? null]),
            all.map(() => ["low", null])
          )
        }),
        word === "absent"
          ? { around: (provider) => withMethods(provider, { lookup: () => Effect.succeed({ _tag: "absent" }) }) }
          : {}
      )
  )

  it("keeps its money where the operator had ended it before the provider said that it did not execute the onramp", () =>
    run(
      Effect.gen(function* () {
        const one = yield* onramp
        yield* reports(one, "recalled")
        const [recall] = yield* one.exceptions
        yield* one.resolve(recall!.id, "dismiss")
        yield* reports(one, "temporarily_unavailable")
        const all = yield* one.exceptions
        assert.deepEqual(
          all.map(({ amount, id, severity }) => [id, severity, amount]),
          [[recall!.id, "low", one.whole]]
        )
      })
    ))

  covers("REFUND-8")
  it.each(["deposit", "underpaid", "foreign"] as const)(
    "keeps back a refund that is not executed, until the operator decides on it again: %s",
    (name) =>
      run(
        Effect.gen(function* () {
          const one = yield* cases[name]
          yield* one.recall
          refusing = false
          yield* one.advance(90_000)
          assert.isTrue(asked > 0)
          assert.deepEqual(executed, new Set())
          const all = yield* one.exceptions
          assert.strictEqual(kept(all), cents(one.whole))
          assert.deepEqual([...new Set(all.map(({ severity }) => severity))], ["low"])
          yield* one.resolve(all.find(({ amount }) => amount !== null)!.id, "refund")
          yield* one.advance(70)
          assert.strictEqual(executed.size, 1)
          assert.deepEqual(
            (yield* one.exceptions).map(({ exposure, reason }) => [reason, exposure?.amount]),
            [["recalled", one.whole]]
          )
        }),
        {
          around: (provider) => {
            executed = new Set()
            asked = 0
            refusing = true
            return withMethods(provider, bank)
          }
        }
      )
  )

  it.each(seeds)("exposes what has left, whatever operators decide about what is kept of it: %i", (seed) =>
    run(
      Effect.gen(function* () {
        const drawn = drawing(seed)
        const one = yield* deposit
        const words = ["refund: success 900", ...(drawn(2) === 0 ? ["refund: failed"] : [])]
        for (const word of withRecall(words)[drawn(words.length + 1)]!) yield* reports(one, word)
        // The model: what was paid to somebody, and not what was dismissed or adjusted.
        let left = words.length === 1 ? 90000n : 0n
        const entries = yield* AdjustingEntries
        const recall = (yield* one.exceptions).find(({ reason }) => reason === "recalled")!
        const ends = Effect.fnUntraced(function* () {
          const { exposure, status } = yield* (yield* Exceptions).get(recall.id)
          assert.strictEqual(status === "open" ? cents(exposure?.amount) : left, left)
          return status
        })
        for (let act = 0; act < 6; act++) {
          const all = yield* one.exceptions
          const held = all.filter(({ amount }) => amount !== null)
          const chosen = held[drawn(held.length + 1)]
          if (chosen === undefined) {
            if ((yield* ends()) === "open") {
              const at_risk = (yield* (yield* Exceptions).get(recall.id)).exposure
              if (drawn(2) === 0) yield* one.resolve(recall.id, "dismiss")
              else {
                const money = { amount: at_risk?.amount ?? "1", currency: one.currency, note: "n" }
                yield* entries.create(one.operator, {
                  from: "losses",
                  to: "world:simulated",
                  exception_id: recall.id,
                  ...money
                })
              }
            }
            continue
          }
          const amount = chosen.amount!
          const before = left
          switch (drawn(5)) {
            case 0:
              yield* one.resolve(chosen.id, "dismiss")
              break
            case 1:
              yield* one.resolve(chosen.id, "credit")
              left += cents(amount)
              break
            case 2: {
              const money = { amount, currency: one.currency, note: "n" }
              yield* entries.create(one.operator, {
                from: "suspense",
                to: "world:simulated",
                exception_id: chosen.id,
                ...money
              })
              break
            }
            default: {
              yield* one.resolve(chosen.id, "refund")
              yield* one.settle
              const isPaid = drawn(2) === 0
              left += cents(amount)
              assert.strictEqual(yield* ends(), "open")
              yield* reports({ ...one, id: chosen.id }, isPaid ? "refund: success" : "refund: failed")
              if (!isPaid) left -= cents(amount)
            }
          }
          const status = yield* ends()
          if (left > before) assert.strictEqual(status, "open")
        }
      }),
      // A bank that says of a refund only what it is told to say.
      {
        around: (provider) =>
          withMethods(provider, {
            refund: () => Effect.succeed({ _tag: "accepted" }),
            lookupRefund: () => Effect.succeed({ _tag: "pending" })
          })
      }
    )
  )
})

covers("OUTCOME-9")
it.each([
  ["refund: success", "refund: failed"],
  ["refund: success 900", "refund: failed"],
  ["", "refund: success 900"],
  ["", "refund: success"],
  ["", "refund: failed"]
])(
  "a recall and a word that are decided at the same time end as one after the other: %s, %s",
  async (first_word, word) => {
    const ends: Array<unknown> = []
    for (const [during, decided] of [
      [undefined, ["recalled", word]],
      ["recalled", [word]],
      [word, ["recalled"]]
    ] as const) {
      const { first, layer } = overtaken()
      await Effect.gen(function* () {
        const one = yield* deposit
        if (first_word !== "") yield* reports(one, first_word)
        const context = yield* Effect.context<any>()
        if (during !== undefined)
          first.before = Effect.orDie(Effect.provideContext(reports(one, during), context as any))
        for (const each of decided) yield* reports(one, each)
        yield* one.advance(70)
        ends.push([(yield* one.rowOf(one.id)).state, (yield* shownOf(one)).exceptions])
      }).pipe(Effect.provide(makeSimulatedEngine({ storage: layer })), (done) =>
        Effect.runPromise(done as Effect.Effect<void>)
      )
    }
    assert.deepEqual(ends[1], ends[0])
    assert.deepEqual(ends[2], ends[0])
  }
)

onServers("the recall of a pay-in, on a database", (run) => {
  covers("ONRAMP-9", "OUTCOME-9")
  it("ends the same wherever it is told, and exposes what has left", () =>
    run(
      Effect.gen(function* () {
        yield* alike(onramp, withRecall(["temporarily_unavailable"]), "0")
        yield* alike(deposit, withRecall(["refund: success 900", "refund: failed"]), "0")
        yield* alike(foreign, withRecall(["refund: success 500"]), "500.00")
      })
    ))
})
