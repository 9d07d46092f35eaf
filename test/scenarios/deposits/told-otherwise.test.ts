/**
 * The same reports in another order: the same books, states, exceptions and severities, but for ids and times (OUTCOME-9).
 */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { booksBalance, onMemory } from "../../support/engines/every-store.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onrampsOf } from "../../support/merchants/ramps.ts"
import { converted, part, payOut, type Reported } from "../../support/merchants/returned.ts"
import { permute } from "../../support/properties/permuted.ts"
import { covers } from "../../support/repository/covers.ts"

type Case = Pick<MerchantAtWork, "exceptions" | "resolve" | "rowOf" | "says" | "settle"> & {
  readonly id: string
  readonly receive: (report: string) => Effect.Effect<unknown, any, any>
}

/** Where a case ends: its status, its open exceptions, and what it has changed in the books. */
const endOf = Effect.fnUntraced(function* (begin: Effect.Effect<Case, any, any>, reports: ReadonlyArray<string>) {
  const before = yield* booksBalance
  const { exceptions, id, rowOf, receive } = yield* begin
  for (const report of reports) yield* receive(report)
  const { data, status } = yield* rowOf(id)
  const books = [...(yield* booksBalance)].flatMap(([name, balance]) => {
    const moved = BigInt(balance) - BigInt(before.get(name) ?? "0")
    return moved === 0n ? [] : [`${name} ${moved}`]
  })
  return {
    status: [status, (data as { readonly action?: string | null }).action ?? null],
    exceptions: (yield* exceptions)
      .map(({ amount, exposure, reason, severity }) => `${reason} ${severity} ${amount} ${exposure?.amount ?? null}`)
      .sort(),
    books: books.sort()
  }
})

/** Runs every order of the reports, each in a case of its own. */
const alikeInEveryOrder = Effect.fnUntraced(function* (
  begin: Effect.Effect<Case, any, any>,
  reports: ReadonlyArray<string>
) {
  const ends = []
  for (const order of permute(reports)) ends.push([order, yield* endOf(begin, order)] as const)
  for (const [order, end] of ends) assert.deepEqual(end, ends[0]![1], `${order} against ${ends[0]![0]}`)
  return ends[0]![1]
})

const refundOutcomes = ["success", "refund_failed"] as const

/** A rejected deposit of 1,500 US dollars whose refund is under way. */
const rejected: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0", "tier_0")
  const payin_id = `payin_${m.merchant_id}`
  yield* m.refunds("accept")
  const { transaction_id: id } = yield* m.deposit({ amount: "1500", payin_id })
  yield* (yield* Deposits).reject(m.operator, id!, "sanctioned")
  yield* m.settle
  const receive = (report: string) =>
    report === "recalled"
      ? m.deposit({ amount: "1500", payin_id, stage: "failed" })
      : m.says(id!, report as (typeof refundOutcomes)[number])
  return { ...m, id: id!, receive }
})

/** An onramp whose payer paid too little to buy anything. */
const underpaid: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const ramps = yield* onrampsOf(m)
  const { id } = yield* ramps.onramp()
  const payin_id = `payin_${id}`
  yield* m.refunds("accept")
  yield* ramps.pays(id, "50", { payin_id })
  yield* m.settle
  const receive = (report: string) =>
    report === "recalled"
      ? ramps.pays(id, "50", { payin_id, stage: "failed" })
      : m.says(id, report as (typeof refundOutcomes)[number])
  return { ...m, id, receive }
})

/** Money in another currency than its address takes, whose refund is under way. */
const foreign: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const payin_id = `payin_${m.merchant_id}`
  yield* m.refunds("accept")
  yield* m.deposit({ amount: "7", payin_id, currency: "USDT" })
  const [{ id } = { id: "" }] = yield* m.exceptions
  yield* m.resolve(id, "refund")
  yield* m.settle
  const receive = (report: string) =>
    report === "recalled"
      ? m.deposit({ amount: "7", payin_id, currency: "USDT", stage: "failed" })
      : m.says(id, report as (typeof refundOutcomes)[number])
  return { ...m, id, receive }
})

onMemory("the recall of a pay-in that is being refunded", (run) => {
  covers("EXCEPTION-5", "OUTCOME-9")
  for (const [name, begin] of Object.entries({ rejected, underpaid, foreign }))
    for (const outcome of refundOutcomes)
      it(`ends the same before and after the end of the refund: ${name}, ${outcome}`, () =>
        run(
          Effect.gen(function* () {
            const { exceptions } = yield* alikeInEveryOrder(begin, ["recalled", outcome])
            // What was refunded and recalled has left twice. A refund that failed has paid nothing out.
            assert.match(exceptions.join(), outcome === "success" ? /recalled high/ : /recalled low null null/)
          })
        ))
})

onMemory("a refund after the recall of its pay-in and a refund that failed", (run) => {
  covers("EXCEPTION-5", "OUTCOME-9")
  for (const [name, begin] of Object.entries({ rejected, underpaid, foreign }))
    for (const order of permute(["recalled", "refund_failed"]))
      for (const isDismissed of [false, true])
        it(`puts its money at risk from its beginning until it fails: ${name}, ${order}, dismissed ${isDismissed}`, () =>
          run(
            Effect.gen(function* () {
              const m = yield* begin
              const risks = Effect.map(m.exceptions, (all) =>
                all.filter(({ reason }) => reason === "recalled").map(({ exposure, severity }) => [severity, exposure])
              )
              for (const report of order) yield* m.receive(report)
              const all = yield* m.exceptions
              const { amount, currency, id } = all.find((one) => one.amount !== null)!
              if (isDismissed) yield* m.resolve(all.find(({ reason }) => reason === "recalled")!.id, "dismiss")
              assert.deepEqual(yield* risks, isDismissed ? [] : [["low", null]])
              for (const outcome of ["refund_failed", "success"] as const) {
                yield* m.resolve(id, "refund")
                yield* m.settle
                assert.deepEqual(yield* risks, [["high", { amount: amount!, currency: currency! }]])
                yield* m.says(id, outcome)
                const exposure = { amount: amount!, currency: currency! }
                assert.deepEqual(yield* risks, [outcome === "success" ? ["high", exposure] : ["low", null]])
              }
            })
          ))
})

/** A return of what was paid, told in one of its words. */
const returns = (begin: Effect.Effect<any, any, any>, told: Readonly<Record<string, Reported>>, outcome = "returned") =>
  Effect.map(begin, ({ id, m, reports }): Case => ({ ...m, id, receive: (report) => reports(outcome, told[report]!) }))

const pairsOf = (told: Readonly<Record<string, Reported>>) =>
  Object.keys(told).flatMap((one, n, all) => all.slice(n).map((other) => [one, other] as const))

const inParts = (...amounts: ReadonlyArray<string>): Reported => ({
  parts: amounts.map((amount, n) => part(`${n}`, amount))
})

/** Ways to say that all of the money came back. The provider had charged 750 of the 150,000 naira that an onramp's payer paid. */
const whole = {
  onramp: {
    "no amount": {},
    "what the provider was given": { amount: "149250" },
    "what the payer paid": { amount: "150000" },
    "some of the charge": { amount: "149900" },
    "what the provider was given, as a part": inParts("149250"),
    "what the payer paid, as a part": inParts("150000"),
    "two parts": inParts("100000", "49250"),
    "two parts with the charge": inParts("100000", "50000"),
    "the charge as a part of its own": inParts("149250", "750")
  },
  offramp: {
    "no amount": {},
    "its amount": { amount: "14100.37" },
    "one part": inParts("14100.37"),
    "two parts": inParts("10000", "4100.37")
  }
}

/** A later report in parts may only complete an earlier one: those that divide the money otherwise contradict each other. */
const divides = (one: Reported, other: Reported): boolean => {
  if (!one.parts || !other.parts) return true
  const [few, many] = [one.parts, other.parts].sort((a, b) => a.length - b.length) as [
    typeof one.parts,
    typeof one.parts
  ]
  return few.every(({ amount }, n) => many[n]!.amount === amount)
}

onMemory("a whole return that is told in two ways", (run) => {
  covers("OUTCOME-5", "OUTCOME-8", "OUTCOME-9", "EXCEPTION-5")
  for (const [kind, told] of Object.entries(whole) as ReadonlyArray<[string, Readonly<Record<string, Reported>>]>)
    it.each(pairsOf(told).filter(([one, other]) => divides(told[one]!, told[other]!)))(
      `ends the same in every order, and nothing is at risk: ${kind}, %s, %s`,
      (...pair) =>
        run(
          Effect.gen(function* () {
            const begin = kind === "onramp" ? converted : payOut("offramp", ["success"])
            const { exceptions } = yield* alikeInEveryOrder(returns(begin, told), pair)
            // A second report without parts is one that only a person can receive from a second return.
            const isTwice = pair.every((one) => told[one]!.parts === undefined)
            assert.deepEqual(exceptions, isTwice ? ["contradicts_state low null null"] : [])
          })
        )
    )
})
