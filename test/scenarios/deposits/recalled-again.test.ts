/**
 * A pay-in that is recalled, confirmed again and recalled again, with what people decide between: its last word counts, money that came is
 * in the books, and money that was taken back is in suspense or at risk (DEPOSIT-17, EXCEPTION-5).
 */
import { Effect } from "effect"
import fc from "fast-check"
import { assert, it } from "vitest"
import { Timelines } from "../../../src/engine/reports/timeline/timeline.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { booksBalance, onMemory, onServers } from "../../support/engines/every-store.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onrampsOf } from "../../support/merchants/ramps.ts"
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

const cases: Readonly<Record<string, Effect.Effect<Case, any, any>>> = {
  credited: deposited("10", "USDC", "confirmed", "failed"),
  late: deposited("10", "USDC", "detected", "failed", "confirmed", "failed"),
  "in the wrong currency": deposited("7", "USDT", "confirmed", "failed"),
  queued
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
  for (const n of words.keys()) {
    word = words[n]!
    const said = words.slice(0, n + 1).join()
    const shown = yield* shownOf(one)
    const all = yield* one.exceptions
    const chosen = all.filter((each) => word === "dismiss" || (word === "credit" && each.amount !== null))
    if (word === "confirmed" || word === "failed") yield* one.tells(word)
    for (const { id } of chosen) yield* decides(id)
    yield* one.settle
    const { came, suspended } = yield* booksOf(before, currency)
    const recall = (yield* one.exceptions).find(({ reason }) => reason === "recalled")
    if (word === last) assert.deepEqual(yield* shownOf(one), shown, said)
    else if (word === "confirmed") {
      assert.strictEqual(came, amount, `${said}: what was confirmed is in the books`)
      if (recall !== undefined) {
        assert.match(recall.detail ?? "", /confirmed it again/, said)
        const { explanation } = yield* Timelines.use((s) => s.whole(recall.id))
        assert.match(explanation.message ?? "", /confirmed it again/, said)
      }
    } else if (word === "failed" || (word === "credit" && last === "failed" && chosen.length > 0)) {
      assert.isDefined(recall, `${said}: a recall is open`)
      assert.strictEqual(exposedOf(recall!.exposure, currency), came - suspended, said)
      assert.strictEqual(recall!.severity, came > suspended ? "high" : "low", said)
      assert.notMatch(recall!.detail ?? "", /confirmed it again/, said)
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
          numRuns: 20,
          examples: [[["confirmed", "dismiss", "failed"]], [["dismiss", "confirmed", "failed", "dismiss"]]]
        }
      )
  )
})

onServers("a pay-in that is confirmed again after its money was given up", (run) => {
  covers("DEPOSIT-17")
  it.each(["late", "queued"])("has its money in suspense, which can be credited, and is recalled again: %s", (name) =>
    run(follows(cases[name]!, ["dismiss", "confirmed", "credit", "confirmed", "failed", "dismiss", "confirmed"]))
  )
})
