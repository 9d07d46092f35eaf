/** What a person has decided last of a line is what it is again once a statement has it again (INGEST-11, BREAK-6). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { atDesk } from "../../support/statements/day-desk.ts"
import { covers } from "../../support/repository/covers.ts"
import { onServers } from "../../support/engines/every-store.ts"

onServers("a line that a statement has again", (run) => {
  covers("INGEST-11", "BREAK-6")
  it("is not matched again with what a person has taken it from since", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          const entry = yield* own.post("10")
          const line = { amount: "10", remittance: "A" }
          yield* own.says(day, [line], { format: "mt942" })
          const [one] = yield* own.open
          yield* own.resolve(one!.id, { action: "match", resource_ids: [entry.id] })
          yield* own.ends(day, [], "1000")
          yield* own.ends(day, [line], "990")
          assert.deepEqual(yield* own.shown, [`${day} debit 10.00 matched`])
          const [{ id }] = (yield* own.lines) as unknown as readonly [{ readonly id: string }]
          yield* own.resolve(one!.id, { action: "unmatch", line_ids: [id] })
          yield* own.ends(day, [], "1000")
          yield* own.ends(day, [line], "990")
          const { matches, status } = yield* own.lineOf(id)
          assert.deepEqual([status, matches.filter(({ rule }) => rule === "person")], ["unmatched", []])
        })
      )
    ))

  covers("INGEST-11", "BREAK-6")
  it("is the reversal of another again, where a person has matched them with each other", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          const both = [
            { amount: "60", remittance: "A" },
            { amount: "60", direction: "credit" as const, remittance: "B" }
          ]
          yield* own.says(day, both, { format: "mt942" })
          const all = yield* own.open
          const line_ids = all.flatMap(({ lines }) => lines)
          yield* own.resolve(all[0]!.id, { action: "match", line_ids, resource_ids: [] })
          yield* own.ends(day, [], "1000")
          yield* own.ends(day, both, "1000")
          assert.deepEqual(
            (yield* own.lines).map(({ status }) => status),
            ["matched", "matched"]
          )
        })
      )
    ))

  covers("INGEST-11", "BREAK-6")
  it("is left to people again, where a person has taken it from what it names", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          const entry = yield* own.post("10")
          const both = [
            { amount: "10", end_to_end_id: entry.id },
            { amount: "7", remittance: "other" }
          ]
          yield* own.says(day, both, { format: "mt942" })
          const [one] = yield* own.open
          const named = (yield* own.lines).find(({ amount }) => amount === "10.00")!
          assert.strictEqual(named.status, "matched")
          yield* own.resolve(one!.id, { action: "unmatch", line_ids: [named.id] })
          yield* own.match
          assert.strictEqual((yield* own.lineOf(named.id)).status, "unmatched")
          yield* own.ends(day, [], "1000")
          yield* own.ends(day, both, "983")
          assert.strictEqual((yield* own.lineOf(named.id)).status, "unmatched")
        })
      )
    ))
})
