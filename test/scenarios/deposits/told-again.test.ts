/**
 * The same news, told otherwise: with a figure or without, once or in parts, once or under several event ids, before or after a decision. It
 * ends the same, and puts as much at risk (OUTCOME-8 to OUTCOME-10, EXCEPTION-5).
 */
import { Effect } from "effect"
import fc from "fast-check"
import { assert, it } from "vitest"
import type { MovementEvent, MovementOutcomeType, RefundReport } from "../../../src/engine/ports/Provider.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { booksBalance, onMemory } from "../../support/engines/every-store.ts"
import type { MerchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { merchantConverting } from "../../support/merchants/ramps.ts"
import { converted, part, payOut, refunding, type Reported } from "../../support/merchants/returned.ts"
import { triesOf } from "../../support/properties/tries.ts"
import { covers } from "../../support/repository/covers.ts"

type Told = Reported & Partial<Pick<MovementEvent, "transaction_hash" | "provider_reference">>
type Word = readonly [outcome: string, more?: Told]

interface Subject {
  readonly m: Pick<MerchantAtWork, "exceptions" | "resolve" | "rowOf" | "settle">
  readonly id: string
  readonly tells: (word: Word) => Effect.Effect<unknown, any, any>
}

const ofMovement = ({ id, m, reports }: Effect.Success<ReturnType<typeof payOut>>): Subject => ({
  m,
  id,
  tells: ([outcome, more]) => reports(outcome as MovementOutcomeType, more)
})

let serial = 0

/** What is told of, the whole of it, and outcomes that bring it in part. The provider had charged 750 of an onramp's 150,000. */
const subjects: Readonly<Record<string, readonly [Effect.Effect<Subject, any, any>, string, ReadonlyArray<Word>]>> = {
  onramp: [Effect.map(converted, ofMovement as never), "149250", [["returned"]]],
  offramp: [Effect.map(payOut("offramp", []), ofMovement), "14100.37", [["returned"], ["success"]]],
  "paid offramp": [Effect.map(payOut("offramp", ["success"]), ofMovement), "14100.37", [["returned"]]],
  transfer: [Effect.map(payOut("transfer", []), ofMovement), "10", [["reversed"], ["success"]]],
  "paid transfer": [Effect.map(payOut("transfer", ["success"]), ofMovement), "10", [["reversed"]]],
  conversion: [
    Effect.gen(function* () {
      const m = yield* merchantConverting()
      const { id } = yield* m.conversion("10")
      yield* m.settle
      const tells = ([outcome, more]: Word) => m.says(id, outcome as MovementOutcomeType, more as never)
      return { m, id, tells }
    }),
    "9.97",
    [["returned"]]
  ],
  refund: [
    Effect.map(
      refunding(),
      ({ id, m }): Subject => ({
        m,
        id,
        tells: ([outcome, more]) =>
          Inbox.use((inbox) =>
            inbox.receive("simulated", {
              _tag: "refund",
              event_id: `${id}.${++serial}`,
              merchant_id: m.merchant_id,
              resource_id: id,
              command_id: `${id}.refund`,
              reason: null,
              outcome: outcome as RefundReport["outcome"],
              ...more
            })
          )
      })
    ),
    "50",
    [["success"]]
  ]
}

type Shown = {
  readonly status: string
  readonly exceptions: ReadonlyArray<string>
  readonly books: ReadonlyArray<string>
}

const tellAll = Effect.fnUntraced(function* (begin: Effect.Effect<Subject, any, any>, words: ReadonlyArray<Word>) {
  const before = yield* booksBalance
  const subject = yield* begin
  for (const word of words) {
    yield* subject.tells(word)
    yield* subject.m.settle
  }
  const open = yield* subject.m.exceptions
  const books = [...(yield* booksBalance)].flatMap(([name, balance]) => {
    const moved = BigInt(balance) - BigInt(before.get(name) ?? "0")
    return moved === 0n ? [] : [`${name} ${moved}`]
  })
  const shown: Shown = {
    status: (yield* subject.m.rowOf(subject.id)).status,
    exceptions: open
      .map(({ amount, exposure, reason, severity }) => `${reason} ${severity} ${amount} ${exposure?.amount ?? null}`)
      .sort(),
    books: books.sort()
  }
  const cents = (amount: string) => BigInt(amount.replace(".", ""))
  const exposed = open.reduce((sum, { exposure }) => sum + cents(exposure?.amount ?? "0"), 0n)
  return { ...subject, shown, open, exposed, highs: open.filter(({ severity }) => severity === "high").length }
})

const decimal = (n: number) => (n / 100).toFixed(2)

/** Amounts and parts of a whole, from a hundredth of it to one and a half of it. */
const toldOf = (whole: string): fc.Arbitrary<Told> => {
  const units = Math.round(Number(whole) * 100)
  const amount = fc.integer({ min: 1, max: 15 }).map((tenths) => Math.round((units * tenths) / 10))
  return fc.oneof(
    amount.map((n) => ({ amount: decimal(n) })),
    fc
      .array(amount, { minLength: 1, maxLength: 3 })
      .map((parts) => ({ parts: parts.map((n, at) => part(`${at}`, decimal(Math.ceil(n / 2)))) }))
  )
}

const numRuns = triesOf(6)

onMemory("the whole amount", (run) => {
  covers("OUTCOME-9")
  for (const [name, [begin, whole, outcomes]] of Object.entries(subjects))
    for (const [outcome] of outcomes)
      it(`ends the same with a figure and without, before and after another amount: ${name}, ${outcome}`, () =>
        fc.assert(
          fc.asyncProperty(toldOf(whole), fc.boolean(), (other, isFirst) =>
            run(
              Effect.gen(function* () {
                const ends = []
                for (const all of [{}, { amount: whole }]) {
                  const words: ReadonlyArray<Word> = [
                    [outcome, other],
                    [outcome, all]
                  ]
                  ends.push((yield* tellAll(begin, isFirst ? words.toReversed() : words)).shown)
                }
                assert.deepEqual(ends[0], ends[1])
              })
            )
          ),
          { numRuns, examples: [[{ amount: decimal(Math.round(Number(whole) * 150)) }, false]] }
        ))
})

onMemory("a word that is told again under another event id", (run) => {
  covers("OUTCOME-10", "OUTCOME-7", "EXCEPTION-5")
  for (const [name, [begin, whole]] of Object.entries(subjects)) {
    const outcome =
      name === "refund"
        ? fc.constantFrom("success", "failed")
        : fc.constantFrom("success", "failed", "cancelled", "reversed", "returned", "refund_failed")
    const word = fc.tuple(outcome, fc.oneof(fc.constant({}), toldOf(whole))) as fc.Arbitrary<Word>
    it(`puts nothing more at risk, and books nothing: ${name}`, () =>
      fc.assert(
        fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 3 }), (words) =>
          run(
            Effect.gen(function* () {
              const once = yield* tellAll(begin, words)
              const again = yield* tellAll(begin, [...words, words.at(-1)!])
              assert.deepEqual(again.shown.books, once.shown.books)
              assert.strictEqual(again.shown.status, once.shown.status)
              assert.deepEqual([again.exposed, again.highs], [once.exposed, once.highs])
            })
          )
        ),
        {
          numRuns: triesOf(12),
          examples: (
            (name === "refund"
              ? [[["success"], ["failed"], ["success"]]]
              : [[["cancelled"], ["success"]], [["reversed", { amount: "1.00" }]]]) satisfies Array<Array<Word>>
          ).map((words): [Array<Word>] => [words])
        }
      ))
  }
})

/** Parts that come to more than was sent, and how many of them the first report has. */
const tooMany = (whole: string) => {
  const units = Math.round(Number(whole) * 100)
  return fc
    .tuple(
      fc
        .array(fc.integer({ min: 3, max: 9 }), { minLength: 2, maxLength: 4 })
        .filter((all) => all.reduce((a, b) => a + b) > 10),
      fc.integer({ min: 1, max: 3 })
    )
    .map(([tenths, cut]) => {
      const parts = tenths.map((n, at) => part(`${at}`, decimal(Math.round((units * n) / 10))))
      return [parts.slice(0, Math.min(cut, parts.length - 1)), parts] as const
    })
}

onMemory("parts that come to more than was sent", (run) => {
  covers("OUTCOME-8", "OUTCOME-9")
  for (const [name, [begin, whole, [[outcome] = [""]]]] of Object.entries(subjects))
    it(`leave the same books and risk, one after the other and at once: ${name}`, () =>
      fc.assert(
        fc.asyncProperty(tooMany(whole), ([some, all]) =>
          run(
            Effect.gen(function* () {
              const ends = []
              for (const reports of [[some, all], [all, some], [all]]) {
                const words = reports.map((parts): Word => [outcome, { parts }])
                const { exposed, open, shown } = yield* tellAll(begin, words)
                ends.push({
                  exposed,
                  books: shown.books,
                  status: shown.status,
                  // What can still be paid to somebody.
                  held: open.filter(({ amount }) => amount !== null).map(({ amount }) => amount)
                })
              }
              assert.deepEqual(ends[0], ends[2], "one after the other")
              assert.deepEqual(ends[1], ends[2], "in the other order")
            })
          )
        ),
        { numRuns }
      ))
})

onMemory("a success after the money came back", (run) => {
  covers("EXCEPTION-5", "REFUND-6")
  const back = [
    ["paid transfer", "reversed", ["10.00", null]],
    ["paid transfer", "reversed", ["6.00", "6"]],
    ["paid offramp", "returned", ["14100.37", null]],
    ["refund", "failed", ["50.00", null]]
  ] as const
  for (const [name, word, [exposure, amount]] of back)
    for (const decision of [undefined, "credit", "dismiss"] as const)
      it(`is at risk, once, whatever became of the money: ${name}, ${amount}, ${decision}`, () =>
        run(
          Effect.gen(function* () {
            const [begin] = subjects[name]!
            const subject = yield* begin
            if (name === "refund") yield* subject.tells(["success"])
            yield* subject.tells([word, amount === null ? {} : { amount }])
            const held = (yield* subject.m.exceptions).find((one) => one.amount !== null)
            if (decision !== undefined && held !== undefined) {
              const failed = yield* Effect.result(subject.m.resolve(held.id, decision))
              if (failed._tag === "Failure") yield* subject.m.resolve(held.id, "dismiss")
            }
            const known = new Set((yield* subject.m.exceptions).map(({ id }) => id))
            for (const _ of [1, 2]) yield* subject.tells(["success"])
            const raised = (yield* subject.m.exceptions).filter(({ id }) => !known.has(id)).toReversed()
            assert.deepEqual(
              raised.map((one) => [one.reason, one.severity, one.exposure?.amount ?? null]),
              [
                ["contradicts_state", "high", exposure],
                ["contradicts_state", "low", null]
              ]
            )
          })
        ))
})

onMemory("a success that names another payment than the recorded one", (run) => {
  covers("EXCEPTION-5")
  const first = { transaction_hash: "0xa", provider_reference: "A" }
  for (const [name, [begin, , outcomes]] of Object.entries(subjects)) {
    if (!outcomes.some(([outcome]) => outcome === "success") && name !== "conversion") continue
    it.each([
      [{ transaction_hash: "0xb", provider_reference: "B" }, true],
      [{ transaction_hash: "0xb", provider_reference: "A" }, false],
      [{ transaction_hash: "0xb" }, false],
      [{ provider_reference: "B" }, false],
      [first, false]
    ] as const)(`may have been made twice, if it names both otherwise: ${name}, %o`, (second, isRaised) =>
      run(
        Effect.gen(function* () {
          const words: ReadonlyArray<Word> = [
            ["success", first],
            ["success", second],
            ["success", second]
          ]
          const { open } = yield* tellAll(begin, words)
          assert.deepEqual(
            open.toReversed().map(({ reason, severity }) => [reason, severity]),
            isRaised
              ? [
                  ["contradicts_state", "high"],
                  ["contradicts_state", "low"]
                ]
              : []
          )
          if (!isRaised) return
          const { exposure, provider_event, recorded } = open.at(-1)!
          assert.isNotNull(exposure)
          assert.deepInclude(recorded as object, first)
          assert.deepInclude(provider_event as object, second)
        })
      )
    )
  }
})
