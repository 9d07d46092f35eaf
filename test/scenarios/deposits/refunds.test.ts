/** Refunds that take days, and that come back (REFUND-1 to REFUND-6). */
import { assert, describe, it } from "vitest"
import { Effect } from "effect"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import type { CommandStatus, RefundReport, SubmissionResult } from "../../../src/engine/ports/Provider.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { booksBalance, onMemory } from "../../support/engines/every-store.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

const minute = 60
const hour = 60 * minute
const day = 24 * hour

const lost = Effect.fail(new ProviderFault({ message: "no answer" }))
const success = { outcome: "success", reason: null, transaction_hash: null } as const
const settled = { _tag: "settled", outcome: success } as const
const turnedDown = { _tag: "settled", outcome: { ...success, outcome: "temporarily_unavailable" } } as const
const unsuccessful = { _tag: "settled", outcome: { ...success, outcome: "failed" } } as const
const pending = { _tag: "pending" } as const
const absent = { _tag: "absent" } as const
const accepted = { _tag: "accepted" } as const
const rejected = { _tag: "rejected", reason: "closed", refundable: true } as const

type Answer = SubmissionResult | CommandStatus | "lost"

/** The look-up before a submission is answered, and the one after it is not. */
const everyOther: ReadonlyArray<Answer> = Array.from({ length: 2000 }, (_, n) => (n % 2 === 0 ? turnedDown : "lost"))

/** A bank that answers refunds with these, the last one again and again. `asked`: what it was asked, in order. */
const bank = (submissions: ReadonlyArray<Answer>, lookups: ReadonlyArray<Answer>) => {
  const asked: Array<string> = []
  const answering = (name: string, answers: ReadonlyArray<Answer>) => {
    let n = 0
    return ({ id }: { readonly id: string }): Effect.Effect<any, ProviderFault> =>
      Effect.suspend(() => {
        asked.push(`${name} ${id.slice(id.indexOf("."))}`)
        const answer = answers[Math.min(n++, answers.length - 1)]!
        return answer === "lost" ? lost : Effect.succeed(answer)
      })
  }
  const refund = answering("submit", submissions)
  const lookupRefund = answering("look", lookups)
  return { asked, around: (inner: Parameters<typeof withMethods>[0]) => withMethods(inner, { refund, lookupRefund }) }
}

/** 150 naira that buy nothing, which go back, and the onramp they were for. */
const small = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const ramps = yield* onrampsOf(m)
  const { id } = yield* ramps.onramp()
  yield* ramps.pays(id, "150")
  return { m, id, amount: "150.00", currency: "NGN", ended: "returned" }
})

/** 1,500 US dollars that are withheld, and rejected. */
const turnedAway = Effect.gen(function* () {
  const m = yield* merchantAtWork("0", "tier_0")
  const { transaction_id } = yield* m.deposit({ amount: "1500" })
  yield* (yield* Deposits).reject(m.operator, transaction_id!, "sanctioned")
  return { m, id: transaction_id!, amount: "1500.00", currency: "USDC", ended: "failed" }
})

/** 7 naira for an onramp that has ended, which the operator refunds. */
const late = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const ramps = yield* onrampsOf(m)
  const { id } = yield* ramps.onramp()
  yield* m.advance(31 * minute)
  yield* ramps.pays(id, "7")
  const [exception] = yield* m.exceptions
  yield* m.resolve(exception!.id, "refund")
  return { m, id: exception!.id, amount: "7.00", currency: "NGN", ended: "resolved" }
})

type Refunding = Effect.Success<typeof small> | Effect.Success<typeof turnedAway> | Effect.Success<typeof late>

const resources = { onramp: small, deposit: turnedAway, exception: late }

const suspense = (currency: string) =>
  Effect.map(booksBalance, (classes) => BigInt(classes.get(`suspense/${currency}`) ?? "0"))

/** Open exceptions of a resource: reason, severity, and the money they hold. */
const raised = (m: MerchantAtWork, id: string) =>
  Effect.map(m.exceptions, (all) =>
    all.filter((one) => one.resource_id === id).map(({ amount, reason, severity }) => [reason, severity, amount])
  )

const state = (m: MerchantAtWork, id: string) => Effect.map(m.rowOf(id), (row) => row.state)

let events = 0
const says = Effect.fnUntraced(function* (id: string, outcome: RefundReport["outcome"], command_id?: string | null) {
  const event = { _tag: "refund", merchant_id: null, resource_id: id, outcome, reason: null } as const
  const named = command_id === undefined ? {} : { command_id }
  return yield* (yield* Inbox).receive("simulated", { ...event, ...named, event_id: `refund-event-${++events}` })
})

onMemory("a refund that takes days", (run) => {
  covers("REFUND-1")
  it.each(Object.entries(resources))("of an %s is asked about until the bank says how it ended", (kind, begun) => {
    const { around, asked } = bank([accepted], [...Array.from({ length: 6 }, () => pending), settled])
    return run(
      Effect.gen(function* () {
        const { ended, id, m } = (yield* begun) as Refunding
        yield* m.settle
        for (const seconds of [10, minute, 5 * minute, hour, 6 * hour, day, day]) {
          assert.strictEqual(yield* state(m, id), "refunding")
          const next = (yield* m.next(id))?.seconds ?? 0
          // The clock goes on while the test runs.
          assert.isTrue(next <= seconds && next > 0.5 * seconds, `${next} of ${seconds} seconds`)
          yield* m.advance(next)
        }
        assert.strictEqual(yield* m.status(id), ended)
        assert.deepEqual(yield* raised(m, id), [])
        assert.isUndefined(yield* m.next(id))
        assert.deepEqual(asked, ["submit .refund", ...Array.from({ length: 7 }, () => "look .refund")], kind)
      }),
      { around }
    )
  })

  it("is shown as waiting for the refund, with the bank's last answer", () =>
    run(
      Effect.gen(function* () {
        const { id, m } = yield* small
        yield* m.advance(hour)
        const { items } = yield* LedgerReports.use((books) => books.stuck({ merchant_id: m.merchant_id }))
        const line = items.find((item) => item.id === id)
        assert.deepInclude(line, { reason: "awaiting_refund", status: "processing" })
        assert.strictEqual(line?.last_answer?.answer, "pending")
        yield* says(id, "success")
      }),
      { around: bank([accepted], [pending]).around }
    ))

  covers("REFUND-1", "SANDBOX-2", "SANDBOX-20")
  it.each(Object.entries(resources))("of an %s ends when an event says so, and is not asked about again", (_, begun) =>
    run(
      Effect.gen(function* () {
        const { ended, id, m } = (yield* begun) as Refunding
        assert.strictEqual(yield* state(m, id), "refunding")
        yield* m.refunds("accept")
        yield* m.advance(day)
        assert.strictEqual(yield* state(m, id), "refunding")
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.status(id), ended)
        assert.isUndefined(yield* m.next(id))
        yield* says(id, "success")
        assert.deepEqual(yield* m.exceptions, [])
      })
    )
  )

  covers("REFUND-1")
  it.each([
    ["that was executed", ["lost"], [settled], ["submit .refund", "look .refund"]],
    [
      "whose look-up has no answer either",
      ["lost"],
      ["lost", settled],
      ["submit .refund", "look .refund", "look .refund"]
    ],
    ["that was not executed", ["lost", settled], [absent], ["submit .refund", "look .refund", "submit .refund"]]
  ] as const)("without an answer %s is looked up, under its id", (_, submissions, lookups, expected) => {
    const { around, asked } = bank(submissions, lookups)
    return run(
      Effect.gen(function* () {
        const { id, m } = yield* small
        yield* m.settle
        assert.strictEqual(yield* m.status(id), "processing")
        yield* m.advance(2 * minute)
        assert.strictEqual(yield* m.status(id), "returned")
        assert.deepEqual(asked, [...expected])
      }),
      { around }
    )
  })

  covers("REFUND-7")
  it.each([
    ["in an answer", [turnedDown, settled], [absent], ["submit .refund", "look .refund", "submit .refund"]],
    [
      "as `unavailable`",
      [{ _tag: "unavailable" }, settled],
      [absent],
      ["submit .refund", "look .refund", "submit .refund"]
    ],
    ["in a look-up", ["lost", settled], [turnedDown], ["submit .refund", "look .refund", "submit .refund"]],
    [
      "after its rejection",
      ["lost", rejected, settled],
      [absent, turnedDown],
      ["submit .refund", "look .refund", "submit .refund", "look .refund", "look .refund", "submit .refund"]
    ]
  ] as const)(
    "is submitted again, under its id, when it is refused for now %s",
    (_, submissions, lookups, expected) => {
      const { around, asked } = bank(submissions, lookups)
      return run(
        Effect.gen(function* () {
          const { id, m } = yield* small
          yield* m.settle
          yield* m.advance(10 * minute)
          assert.deepEqual(asked, [...expected])
          assert.strictEqual(yield* m.status(id), "returned")
          assert.deepEqual(yield* raised(m, id), [])
        }),
        { around }
      )
    }
  )

  covers("REFUND-3", "REFUND-7")
  it.each<[string, ReadonlyArray<Answer>, ReadonlyArray<Answer>, string]>([
    ["has failed a day after the first refusal", [turnedDown], [turnedDown], "failed"],
    ["as `unavailable` has failed then", [{ _tag: "unavailable" }], [absent], "failed"],
    ["and then rejected, has failed", ["lost", rejected], [turnedDown], "failed"],
    ["has no end while a look-up does not answer", [turnedDown], [turnedDown, "lost"], "processing"],
    ["has no end while a submission does not answer", [turnedDown, "lost"], [turnedDown], "processing"],
    ["has no end while the look-up after it does not answer", [turnedDown], everyOther, "processing"]
  ])("that is refused for now %s", (_, submissions, lookups, status) =>
    run(
      Effect.gen(function* () {
        const { id, m } = yield* small
        const before = yield* suspense("NGN")
        yield* m.settle
        yield* m.advance(day - 10 * minute)
        assert.strictEqual(yield* m.status(id), "processing")
        yield* m.advance(30 * minute)
        assert.strictEqual(yield* m.status(id), status)
        const kept = status === "failed" ? [["refund_failed", "low", "150.00"]] : []
        assert.deepEqual(yield* raised(m, id), kept)
        assert.strictEqual((yield* suspense("NGN")) - before, status === "failed" ? 150_00n : 0n)
        if (status === "failed") assert.isUndefined(yield* m.next(id))
        else yield* says(id, "success")
      }),
      { around: bank(submissions, lookups).around }
    )
  )

  covers("REFUND-2", "REFUND-3")
  it.each([
    ["is believed at once where it was submitted once", [rejected], [absent], "failed", 0],
    ["is believed where a look-up finds nothing", ["lost", rejected], [absent], "failed", 10],
    ["is not believed where the first submission was executed", ["lost", rejected], [absent, settled], "returned", 10],
    ["waits where the first submission is on its way", ["lost", rejected], [absent, pending, settled], "returned", 20],
    ["counts when the look-up says so", [accepted], [unsuccessful], "failed", 10]
  ] as const)("and whose rejection %s", (_, submissions, lookups, status, seconds) =>
    run(
      Effect.gen(function* () {
        const { id, m } = yield* small
        const before = yield* suspense("NGN")
        yield* m.settle
        yield* m.advance(seconds)
        assert.strictEqual(yield* m.status(id), status)
        const kept = status === "failed" ? [["refund_failed", "low", "150.00"]] : []
        assert.deepEqual(yield* raised(m, id), kept)
        assert.strictEqual((yield* suspense("NGN")) - before, status === "failed" ? 150_00n : 0n)
      }),
      { around: bank(submissions, lookups).around }
    )
  )

  covers("REFUND-3")
  it.each(Object.entries(resources))("of an %s fails when an event says so: the money is in suspense", (kind, begun) =>
    run(
      Effect.gen(function* () {
        const { amount, currency, id, m } = (yield* begun) as Refunding
        const before = yield* suspense(currency)
        yield* m.refunds("accept")
        yield* m.settle
        yield* m.says(id, "failed")
        for (const outcome of ["failed", "failed"] as const) yield* says(id, outcome)
        if (kind === "exception") {
          assert.strictEqual(yield* state(m, id), "open")
          assert.deepEqual(yield* raised(m, id), [])
          yield* m.refunds("settle")
          yield* m.resolve(id, "refund")
        } else {
          assert.deepEqual(yield* raised(m, id), [["refund_failed", "low", amount]])
          assert.isTrue((yield* suspense(currency)) > before)
          yield* m.refunds("settle")
          yield* m.resolve((yield* m.exceptions)[0]!.id, "refund")
        }
        yield* m.settle
        assert.deepEqual(yield* m.exceptions, [])
        assert.isTrue((yield* suspense(currency)) <= before)
      })
    )
  )

  covers("REFUND-6")
  it("says what is at risk when a refund that failed is then said to have succeeded", () =>
    run(
      Effect.gen(function* () {
        const { id, m } = yield* small
        yield* m.refunds("accept")
        yield* m.settle
        yield* says(id, "failed")
        yield* says(id, "success")
        assert.sameDeepMembers(yield* raised(m, id), [
          ["refund_failed", "low", "150.00"],
          ["contradicts_state", "high", null]
        ])
        const risky = (yield* m.exceptions).find(({ severity }) => severity === "high")
        assert.deepEqual(risky?.exposure, { amount: "150.00", currency: "NGN" })
        assert.strictEqual(yield* m.status(id), "failed")
      })
    ))

  it("is not ended by a report that comes before it, or names another provider's resource", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const ramps = yield* onrampsOf(m)
        const { id } = yield* ramps.onramp()
        yield* says(id, "success")
        yield* ramps.pays(id, "150")
        const event = { _tag: "refund", merchant_id: null, resource_id: id, outcome: "failed", reason: null } as const
        yield* (yield* Inbox).receive("another", { ...event, event_id: `another-${id}` })
        assert.deepEqual(yield* raised(m, id), [
          ["another_provider", "low", null],
          ["contradicts_state", "low", null]
        ])
        yield* m.settle
        assert.strictEqual(yield* m.status(id), "returned")
      })
    ))
})

onMemory("a refund that comes back", (run) => {
  const returned = Effect.fnUntraced(function* (begun: (typeof resources)[keyof typeof resources]) {
    const one = (yield* begun) as Refunding
    yield* one.m.settle
    assert.strictEqual(yield* one.m.status(one.id), one.ended)
    return { ...one, before: yield* suspense(one.currency) }
  })

  covers("REFUND-4", "REFUND-6")
  it.each(Object.entries(resources))("of an %s is in suspense once, and the resource keeps its end", (kind, begun) =>
    run(
      Effect.gen(function* () {
        const { amount, before, currency, ended, id, m } = yield* returned(begun)
        const was = yield* m.rowOf(id)
        for (const outcome of ["failed", "success", "failed", "failed", "success"] as const) yield* says(id, outcome)
        // A success after that may be the old one, told again, or new: what came back is at risk, once.
        assert.deepEqual(yield* raised(m, id), [
          ["contradicts_state", "low", null],
          ["contradicts_state", "high", null],
          ["refund_bounced", "low", amount]
        ])
        assert.strictEqual(yield* m.status(id), ended)
        assert.strictEqual((yield* m.rowOf(id)).version, was.version)
        const exception = (yield* m.exceptions).at(-1)
        assert.deepInclude(exception!, { resource_id: id, resource_kind: kind, currency })
        assert.isTrue((yield* suspense(currency)) > before)
        yield* m.resolve(exception!.id, "dismiss")
        assert.strictEqual(yield* suspense(currency), before)
        yield* says(id, "failed")
        assert.lengthOf(yield* m.exceptions, 2)
      })
    )
  )

  covers("REFUND-5", "SANDBOX-20")
  it("can be refunded again, when the operator decides so, under another id", () =>
    run(
      Effect.gen(function* () {
        const { before, id, m } = yield* returned(small)
        yield* m.says(id, "refund_failed")
        const [exception] = yield* m.exceptions
        yield* m.resolve(exception!.id, "refund")
        yield* m.settle
        assert.deepEqual(yield* m.exceptions, [])
        assert.strictEqual(yield* suspense("NGN"), before)
      })
    ))

  it("can be credited to the wallet that it was for", () =>
    run(
      Effect.gen(function* () {
        const { id, m } = yield* returned(turnedAway)
        yield* m.says(id, "refund_failed")
        yield* m.resolve((yield* m.exceptions)[0]!.id, "credit")
        assert.strictEqual((yield* m.balance).available, "1500.00")
      })
    ))

  covers("SANDBOX-20")
  it("does so after three days where the payer's account number ends in 0006", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const ramps = yield* onrampsOf(m)
        const { id } = yield* ramps.onramp()
        yield* ramps.pays(id, "150", { sender: { account_number: "5550006" } })
        yield* m.settle
        assert.strictEqual(yield* m.status(id), "processing")
        yield* m.advance(1)
        assert.strictEqual(yield* m.status(id), "returned")
        yield* m.advance(3 * day)
        assert.deepEqual(yield* raised(m, id), [["refund_bounced", "low", "150.00"]])
        yield* m.resolve((yield* m.exceptions)[0]!.id, "dismiss")
      }),
      { mode: "auto" }
    ))

  covers("REFUND-5")
  describe("of an exception that was refunded before", () => {
    /** An exception whose first refund failed, and whose second is under way. */
    const again = Effect.gen(function* () {
      const { id, m } = yield* late
      yield* m.refunds("accept")
      yield* m.settle
      yield* m.says(id, "failed")
      yield* m.resolve(id, "refund")
      yield* m.settle
      assert.strictEqual(yield* state(m, id), "refunding")
      return { id, m }
    })

    it("is not ended by what is reported of the first refund, nor by a report that names none", () =>
      run(
        Effect.gen(function* () {
          const { id, m } = yield* again
          yield* says(id, "failed", `${id}.refund`)
          yield* says(id, "failed")
          yield* says(id, "success")
          assert.strictEqual(yield* state(m, id), "refunding")
          assert.deepEqual(yield* raised(m, id), [])
          yield* says(id, "success", `${id}.refund`)
          assert.deepEqual(yield* raised(m, id), [["contradicts_state", "high", null]])
          yield* says(id, "success", `${id}.refund_2`)
          assert.strictEqual(yield* state(m, id), "resolved")
          yield* says(id, "failed", `${id}.refund`)
          assert.lengthOf(yield* raised(m, id), 1)
          yield* says(id, "failed", `${id}.refund_2`)
          assert.deepInclude(yield* raised(m, id), ["refund_bounced", "low", "7.00"])
        })
      ))

    it("has a command of its own for each decision", () => {
      const { around, asked } = bank([rejected, accepted], [settled])
      return run(
        Effect.gen(function* () {
          const { id, m } = yield* late
          yield* m.settle
          assert.strictEqual(yield* state(m, id), "open")
          yield* m.resolve(id, "refund")
          yield* m.settle
          yield* m.advance(10)
          assert.strictEqual(yield* state(m, id), "resolved")
          assert.deepEqual(asked, ["submit .refund", "submit .refund_2", "look .refund_2"])
        }),
        { around }
      )
    })
  })
})
