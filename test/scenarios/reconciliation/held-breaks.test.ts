/**
 * Breaks that people hold are about their lines as these are now: what they come to is computed from what is stored, and is
 * what a day's `unexplained` has (BREAK-1, CLOSE-5, LINE-1).
 */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { atDesk, brief, type Desk } from "../../support/statements/day-desk.ts"
import { covers } from "../../support/repository/covers.ts"
import { onServers } from "../../support/engines/every-store.ts"

/** Two lines that a person has matched together with an entry, and taken from it again. */
const held = Effect.fnUntraced(function* (own: Desk, amount: string) {
  const entry = yield* own.post(amount)
  const all = yield* own.open
  const line_ids = all.flatMap(({ lines }) => lines)
  yield* own.resolve(all[0]!.id, { action: "match", line_ids, resource_ids: [entry.id] })
  yield* own.resolve(all[0]!.id, { action: "unmatch" })
  const [one, ...others] = yield* own.open
  assert.deepEqual([one!.lines.length, others.length], [line_ids.length, 0])
  return one!
})

onServers("a break of lines that people hold", (run) => {
  covers("BREAK-8", "CLOSE-1", "LINE-1")
  it("loses a line that the statement of its day does not have", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          yield* own.says(
            day,
            [
              { amount: "10", remittance: "A" },
              { amount: "20", remittance: "B" }
            ],
            { format: "mt942" }
          )
          const { id } = yield* held(own, "30")
          yield* own.ends(day, [{ amount: "10", remittance: "A" }], "990")
          assert.deepEqual(yield* own.shown, [`${day} debit 10.00 unmatched`, `${day} debit 20.00 withdrawn`])
          assert.strictEqual(yield* own.unexplained(day), -1_000n)
          assert.deepEqual(brief(yield* own.open), ["missing_in_books low 10.00 debit of 1"])
          // And it can be ended as it offers.
          yield* own.resolve(id, { action: "explain", from: "losses", to: "world:simulated", amount: "10" })
        })
      )
    ))

  covers("BREAK-8", "CLOSE-5")
  it("loses a line that is merged with another", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          yield* own.says(day, [{ amount: "10", remittance: "A", bank_reference: "R1" }], { format: "mt942" })
          yield* own.says(day, [{ amount: "10", remittance: "B", bank_reference: "R2" }], { format: "camt.052" })
          const { id } = yield* held(own, "20")
          yield* own.ends(day, [{ amount: "10", remittance: "A", bank_reference: "R1" }], "990")
          assert.deepEqual(yield* own.shown, [`${day} debit 10.00 unmatched`])
          assert.strictEqual(yield* own.unexplained(day), -1_000n)
          yield* own.resolve(id, { action: "explain", from: "losses", to: "world:simulated", amount: "10" })
        })
      )
    ))

  covers("BREAK-8", "CLOSE-5")
  it("has the amount that its line has once another statement says it in detail", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          yield* own.ends(day, [{ amount: "300", remittance: "A", bank_reference: "BATCH" }], "700", {
            format: "mt940"
          })
          yield* held(own, "300")
          const entry = { reference: "BATCH", direction: "debit", amount: "300" } as const
          yield* own.ends(
            day,
            ["100", "110", "90"].map((amount, part) => ({ amount, entry: { ...entry, part } })),
            "700"
          )
          assert.deepEqual(
            yield* own.shown,
            ["100.00", "110.00", "90.00"].map((amount) => `${day} debit ${amount} unmatched`)
          )
          assert.strictEqual(yield* own.inBreaks, -30_000n)
          assert.strictEqual(yield* own.unexplained(day), -30_000n)
        })
      )
    ))

  covers("BREAK-8", "CLOSE-5")
  it("loses a line that a person settles through another break", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          yield* own.says(day, [
            { amount: "10", remittance: "A" },
            { amount: "20", remittance: "B" }
          ])
          const { id } = yield* held(own, "30")
          yield* own.says(day, [{ amount: "5", remittance: "C" }], { number: "2" })
          const through = (yield* own.open).find((one) => one.id !== id)!
          const line = (yield* own.lines).find(({ amount }) => amount === "20.00")!
          const entry = yield* own.post("20")
          yield* own.resolve(through.id, { action: "match", line_ids: [line.id], resource_ids: [entry.id] })
          yield* own.match
          // Open are 10.00 and 5.00.
          assert.strictEqual(yield* own.inBreaks, -1_500n)
          assert.strictEqual(yield* own.unexplained(day), -1_500n)
        })
      )
    ))

  covers("BREAK-4", "BREAK-8")
  it("is told from no payment that another line has by now", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          const entry = yield* own.post("100")
          yield* own.says(day, [{ amount: "60", end_to_end_id: entry.id }])
          const [one] = yield* own.open
          yield* own.resolve(one!.id, { action: "explain", from: "world:simulated", to: "suspense" })
          yield* own.resolve(one!.id, { action: "unmatch" })
          yield* own.says(day, [{ amount: "100", end_to_end_id: entry.id, bank_reference: "Z" }], { number: "2" })
          assert.deepEqual(yield* own.shown, [`${day} debit 100.00 matched`, `${day} debit 60.00 unmatched`])
          // 60.00 left that nothing accounts for; the break says that the bank has 40.00 more.
          assert.strictEqual(yield* own.unexplained(day), -6_000n)
        })
      )
    ))

  covers("BREAK-8", "CLOSE-5")
  it("is told from no entry that is reversed", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          const entry = yield* own.post("100")
          yield* own.says(day, [{ amount: "60", end_to_end_id: entry.id }])
          const [one] = yield* own.open
          yield* own.resolve(one!.id, { action: "explain", from: "world:simulated", to: "suspense" })
          yield* own.resolve(one!.id, { action: "unmatch" })
          yield* own.reverse(entry.id)
          yield* own.match
          assert.strictEqual(yield* own.unexplained(day), -6_000n)
        })
      )
    ))

  covers("BREAK-8", "CLOSE-5")
  it("and another break are not told from one payment both", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          const entry = yield* own.post("100")
          yield* own.says(day, [{ amount: "60", end_to_end_id: entry.id }])
          const [one] = yield* own.open
          yield* own.resolve(one!.id, { action: "explain", from: "world:simulated", to: "suspense" })
          yield* own.resolve(one!.id, { action: "unmatch" })
          yield* own.says(day, [{ amount: "70", end_to_end_id: entry.id, bank_reference: "Z" }], { number: "2" })
          // Lines of 130.00 against a payment of 100.00.
          assert.strictEqual(yield* own.inBreaks, -3_000n)
        })
      )
    ))

  covers("BREAK-8", "CLOSE-5")
  it("of lines that cancel each other out keeps its day from being sealed without accept", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          yield* own.says(day, [
            { amount: "60", remittance: "A" },
            { amount: "60", direction: "credit", remittance: "B" }
          ])
          const all = yield* own.open
          const line_ids = all.flatMap(({ lines }) => lines)
          yield* own.resolve(all[0]!.id, { action: "match", line_ids, resource_ids: [] })
          yield* own.resolve(all[0]!.id, { action: "unmatch" })
          assert.deepEqual(
            (yield* own.lines).map(({ status }) => status),
            ["unmatched", "unmatched"]
          )
          assert.strictEqual((yield* own.open).length, 1)
          const refused = yield* Effect.flip(own.close(day))
          assert.strictEqual((refused as { readonly _tag: string })._tag, "InvalidStatus")
        })
      )
    ))

  covers("BREAK-8", "CLOSE-5")
  it("is the only break of its lines, also where one was matched and the other had a break of its own meanwhile", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          const entry = yield* own.post("100")
          const twice = { amount: "100", end_to_end_id: entry.id }
          yield* own.says(day, [twice, { ...twice, bank_reference: "X" }])
          const [one] = yield* own.open
          assert.strictEqual(one!.kind, "executed_twice")
          yield* own.resolve(one!.id, { action: "match", line_ids: [one!.lines[0]!], resource_ids: [entry.id] })
          yield* own.match
          yield* own.resolve(one!.id, { action: "unmatch" })
          yield* own.match
          for (const line of yield* own.lines)
            assert.strictEqual((yield* own.open).filter(({ lines }) => lines.includes(line.id)).length, 1)
          assert.strictEqual(yield* own.unexplained(day), -10_000n)
        })
      )
    ))

  covers("BREAK-6", "BREAK-8")
  it("leaves its line to people when the entry that explained it is reversed", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          const entry = yield* own.post("100")
          yield* own.says(day, [
            { amount: "100", end_to_end_id: entry.id },
            { amount: "7", remittance: "other" }
          ])
          const [one] = yield* own.open
          const line = (yield* own.lines).find(({ amount }) => amount === "100.00")!
          yield* own.resolve(one!.id, { action: "unmatch", line_ids: [line.id] })
          yield* own.match
          const explain = { action: "explain", from: "losses", to: "world:simulated", amount: "107" } as const
          const { adjusting_entry_id } = yield* own.resolve(one!.id, explain)
          yield* own.reverse(adjusting_entry_id!)
          yield* own.match
          // A person has said that it is not the entry which it names.
          assert.strictEqual((yield* own.lineOf(line.id)).status, "unmatched")
        })
      )
    ))

  covers("BREAK-8", "CLOSE-5")
  it("of lines of two days leaves neither day without its line", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, second] = own.days
          yield* own.says(first, [{ amount: "10", remittance: "A" }])
          yield* own.says(second, [{ amount: "20", remittance: "B" }], { number: "2" })
          yield* held(own, "30")
          assert.deepEqual(yield* own.shown, [`${first} debit 10.00 unmatched`, `${second} debit 20.00 unmatched`])
          const sealed = yield* Effect.exit(own.close(first))
          assert.strictEqual(sealed._tag, "Failure", "the first day is sealed without accept")
          assert.deepEqual([yield* own.unexplained(first), yield* own.unexplained(second)], [-1_000n, -2_000n])
        })
      )
    ))
})
