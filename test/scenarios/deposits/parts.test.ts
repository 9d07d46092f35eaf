/** What a part of a return is, to the machine and on the wire (OUTCOME-8). */
import { Schema } from "effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Exception } from "../../../src/machines/deposits/exception.ts"
import type { Posting } from "../../../src/machines/kernel/ledger.ts"
import { eventExamples } from "../../../scripts/provider-protocol/event-examples.ts"
import { Event } from "../../../src/protocol/events.ts"
import { covers } from "../../support/repository/covers.ts"

const part = (id: string, amount: string) => ({ id, amount })

describe("a part of a return", () => {
  covers("OUTCOME-8")

  it("is booked once by its exception, whoever asks", () => {
    const rest = { way: "losses", missing: "100", currency: "NGN", parts: [] } as const
    const { data, state } = Exception.begin({ rest, provider: "simulated", amount: null, booked: false } as never)
    const report = { type: "part", at: 1, parts: [{ id: "a", amount: "40" }], complete: false } as const
    const next = Exception.step(state, data, report)
    assert.deepEqual(next?.outcome.postings, [
      { debit: "world:simulated", credit: "losses", amount: "40", currency: "NGN" }
    ])
    assert.isUndefined(Exception.step(state, next!.data, report))
  })

  it("leaves no money in suspense behind, whatever was under way when it came", () => {
    const event = fc.oneof(
      fc.record({ type: fc.constant("part"), amount: fc.integer({ min: 1, max: 60 }), complete: fc.boolean() }),
      fc.record({
        type: fc.constant("resolve"),
        action: fc.constantFrom("refund", "dismiss", "credit"),
        elsewhere: fc.boolean()
      }),
      fc.record({
        type: fc.constantFrom("refund.accepted", "refund.rejected", "refund.rejected", "recalled", "credited")
      })
    )
    fc.assert(
      fc.property(fc.constantFrom("payer", "suspense", "losses"), fc.array(event, { maxLength: 12 }), (way, events) => {
        const amount = way === "losses" ? null : "100"
        const rest = { way, missing: "100", currency: "NGN", parts: [] }
        const about = { provider: "simulated", reason: "partial_refund", payin_id: "p", exposure: null }
        const begun = Exception.begin({ ...about, rest, amount, currency: "NGN", booked: false } as never)
        let { data, state } = begun
        let suspense = 0n
        const book = (postings: ReadonlyArray<Posting>): void => {
          for (const { amount: moved, credit, debit } of postings)
            suspense += BigInt(moved) * BigInt(Number(credit === "suspense") - Number(debit === "suspense"))
        }
        book(begun.outcome.postings)
        for (const [at, one] of events.entries()) {
          const part = "amount" in one ? { parts: [{ id: `${at}`, amount: `${one.amount}` }] } : {}
          const next = Exception.step(state, data, { ...one, ...part, at, note: "", credited: {} } as never)
          if (next === undefined) continue
          book(next.outcome.postings)
          ;({ data, state } = next)
          if (state === "resolved") assert.strictEqual(suspense, 0n)
          if (state === "open") assert.strictEqual(suspense, BigInt(data.amount ?? "0"))
          if (state === "open" && way === "payer") assert.strictEqual(suspense, BigInt(data.rest!.missing))
        }
      }),
      { numRuns: 2000 }
    )
  })

  it.each([
    ["a part of the rest", ["25"], "open", "5", null],
    ["all of it", ["25", "5"], "resolved", null, "dismiss"]
  ] as const)(
    "is the payer's, also where %s came under a refund that was rejected",
    (_, parts, state, amount, action) => {
      const rest = { way: "payer", missing: "30", currency: "NGN", parts: [] }
      const about = { provider: "simulated", payin_id: "p", booked: true, exposure: { amount: "30", currency: "NGN" } }
      const begun = Exception.begin({ ...about, rest, amount: "30", currency: "NGN" } as never)
      const steps = [
        { type: "resolve", action: "refund", note: "" },
        ...parts.map((amount, id) => ({ type: "part", parts: [{ id: `${id}`, amount }], complete: false })),
        { type: "refund.rejected" }
      ]
      const last = steps.reduce(
        (now, event, at) => Exception.step(now.state, now.data, { ...event, at } as never)!,
        begun as ReturnType<typeof Exception.step> & {}
      )
      assert.deepEqual([last.state, last.data.amount, last.data.action], [state, amount, action])
      assert.strictEqual(last.data.exposure?.amount ?? null, amount)
      assert.deepEqual(
        last.outcome.postings.map(({ credit, debit, amount: moved }) => [debit, credit, moved]),
        [["suspense", "world:simulated", amount === null ? "30" : "25"]]
      )
    }
  )

  it("names no part twice", () => {
    const wire = { ...eventExamples.refund, parts: [part("a", "20"), part("a", "30")] }
    assert.throws(() => Schema.decodeUnknownSync(Event)(wire), /parts with different ids/)
  })
})
