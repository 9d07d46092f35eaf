/** What a person has decided last of a line is what it is again once a statement has it again (INGEST-11, BREAK-6). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { atDesk, type Desk } from "../../support/statements/day-desk.ts"
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

  /** Two lines, each of its own day and on an interim report, that a person has matched together. */
  const matchedOverDays = Effect.fnUntraced(function* (own: Desk, what: "an entry" | "each other") {
    const [one, two] = own.days
    const isPair = what === "each other"
    const lines = [
      { amount: "10", remittance: "A" },
      { amount: isPair ? "10" : "20", direction: isPair ? ("credit" as const) : ("debit" as const), remittance: "B" }
    ] as const
    const entry = isPair ? undefined : yield* own.post("30")
    yield* own.says(one, [lines[0]], { format: "mt942" })
    yield* own.says(two, [lines[1]], { format: "mt942" })
    const [found] = yield* own.open
    const line_ids = (yield* own.lines).map(({ id }) => id)
    yield* own.resolve(found!.id, { action: "match", line_ids, resource_ids: entry === undefined ? [] : [entry.id] })
    const begins = { opening_balance: { date: two, amount: "990" }, number: "2" }
    const statuses = Effect.map(own.lines, (all) => all.map(({ status }) => status).join(" "))
    const missing = Effect.map(own.all, (all) => all.filter(({ kind }) => kind === "missing_on_statement").length)
    return {
      ...{ found: found!, line_ids, statuses, missing },
      /** The statements of the two days, with the line or without it. */
      first: (has: boolean) => own.ends(one, has ? [lines[0]] : [], has ? "990" : "1000"),
      second: (has: boolean) => own.ends(two, has ? [lines[1]] : [], !has ? "990" : isPair ? "1000" : "970", begins)
    }
  })

  covers("INGEST-11", "BREAK-6", "CLOSE-5")
  it.each([
    ["an entry", "open"],
    ["an entry", "sealed"],
    ["each other", "open"],
    ["each other", "sealed"]
  ] as const)("with one of another day is %s again, which was free with it, where that day is %s", (what, day) =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const two = yield* matchedOverDays(own, what)
          yield* two.first(true)
          if (day === "sealed") yield* own.close(own.days[0])
          yield* two.second(false)
          assert.strictEqual(yield* two.statuses, "unmatched withdrawn")
          assert.strictEqual(yield* two.missing, what === "an entry" ? 1 : 0)
          assert.deepEqual(
            [yield* own.unexplained(own.days[0]), yield* own.unexplained(own.days[1])],
            day === "sealed" ? [0n, -1000n] : [-1000n, 0n]
          )
          yield* two.second(true)
          assert.strictEqual(yield* two.statuses, "matched matched")
          assert.deepEqual(yield* own.all, [])
        })
      )
    )
  )

  covers("INGEST-11")
  it.each([
    ["an entry", "first", "second"],
    ["an entry", "second", "first"],
    ["each other", "first", "second"],
    ["each other", "second", "first"]
  ] as const)(
    "with one of another day is %s again, where both were away: the %s before the %s",
    (what, before, after) =>
      run(
        atDesk((own) =>
          Effect.gen(function* () {
            const two = yield* matchedOverDays(own, what)
            yield* two.first(false)
            yield* two.second(false)
            assert.strictEqual(yield* two.statuses, "withdrawn withdrawn")
            yield* two[before](true)
            yield* two[after](true)
            assert.strictEqual(yield* two.statuses, "matched matched")
            assert.deepEqual(
              (yield* own.all).filter(({ kind }) => kind !== "gap"),
              []
            )
          })
        )
      )
  )

  covers("INGEST-11", "BREAK-6")
  it.each(["undone", "decided otherwise, and undone"])(
    "with one of another day is no more what a person had decided of both, where that is %s",
    (how) =>
      run(
        atDesk((own) =>
          Effect.gen(function* () {
            const two = yield* matchedOverDays(own, "an entry")
            yield* two.first(true)
            yield* two.second(false)
            if (how === "undone") yield* own.resolve(two.found.id, { action: "reopen" })
            else {
              const other = yield* own.post("10")
              const [found] = (yield* own.open).filter(({ lines }) => lines.includes(two.line_ids[0]!))
              yield* own.resolve(found!.id, { action: "match", resource_ids: [other.id] })
              yield* own.resolve(found!.id, { action: "reopen" })
            }
            yield* two.second(true)
            assert.strictEqual(yield* two.statuses, "unmatched unmatched")
          })
        )
      )
  )
})
