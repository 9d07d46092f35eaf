/** Executions that the books do not know, as after a restore, and the movements that they are adopted for. */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import type { Provider, StatementLine } from "../../../src/engine/ports/Provider.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { Brakes } from "../../../src/engine/resources/movements/brake.ts"
import { Executions, findings, unsafe } from "../../../src/engine/resources/movements/executions.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { type Answer, makeScriptedProvider } from "../../support/engines/scripted-provider.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

/** A bank that knows no command of these books, and has executed what its statement says. */
const bank = (...answers: ReadonlyArray<Answer>) => {
  const lines: Array<StatementLine> = []
  /** Pages without a line, before those that have some: a company may list nothing for years. */
  const gap = { pages: 0 }
  const { executions, provider } = makeScriptedProvider("simulated", ...answers)
  return {
    executions,
    gap,
    /** A line that is none. */
    garbles: (line: unknown): void => void lines.push(line as StatementLine),
    books: (line: Pick<StatementLine, "id" | "amount"> & Partial<StatementLine>): void =>
      void lines.push({
        booked_at: 0,
        direction: "debit",
        currency: "USDC",
        command_id: `tfr_${line.id}.payout`,
        payin_id: null,
        provider_reference: null,
        transaction_hash: null,
        narration: null,
        ...line
      }),
    around: (inner: Provider["Service"]): Provider["Service"] => ({
      ...inner,
      payouts: provider.payouts!,
      statements: {
        balances: Effect.succeed([]),
        lines: (after) => {
          const from = after === null ? -gap.pages : Number(after)
          if (from < 0) return Effect.succeed({ lines: [], cursor: String(from + 1) })
          const page = lines.slice(from, from + 2)
          return Effect.succeed({ lines: page, cursor: String(from + page.length) })
        }
      }
    })
  }
}

const world = Effect.gen(function* () {
  const m = yield* merchantAtWork("100")
  const brakes = yield* Brakes
  const executions = yield* Executions
  const clock = yield* ServiceClock
  const operator = yield* call(PLATFORM_MERCHANT)
  return {
    ...m,
    brake: Effect.map(brakes.create(operator, { scope: "merchant", merchant_id: m.merchant_id }), ({ id }) => id),
    release: (id: string) => brakes.release(operator, id, {}),
    /** An operator whose process ends between the two commits of an adoption. */
    killed: {
      ...operator,
      get request_id(): string {
        throw new Error("killed")
      }
    },
    adopt: (line_id: string, movement_id: string, caller = operator) =>
      executions.adopt(caller, { provider: "simulated", line_id, movement_id, note: "restored" }),
    candidates: Effect.fnUntraced(function* (line_id: string) {
      const line = (yield* executions.compare("simulated", 0)).executions.find(({ id }) => id === line_id)
      return (yield* executions.candidates(line!)).map(({ id }) => id)
    }),
    compared: executions.compare("simulated", 0),
    findings: Effect.map(executions.compare("simulated", 0), ({ executions: lines }) =>
      Object.fromEntries(lines.map(({ finding, id, resource_id }) => [id, [finding, resource_id]]))
    ),
    later: Effect.fnUntraced(function* (seconds: number) {
      yield* clock.moveTo((yield* Clock.currentTimeMillis) + seconds * 1000)
      for (let round = 0; round < 3; round++) yield* (yield* Dispatcher).drain()
    })
  }
})

covers("RESTORE-2")
it.each([
  ["matched", false],
  ["under_way", false],
  ["not_submitted", true],
  ["another_provider", true],
  ["contradicted", true],
  ["executed_twice", true],
  ["amount_differs", true],
  ["unknown", true],
  ["unreadable", true],
  ["unrelated", false]
] as const)("a line that is %s must be cleared before anything is paid: %s", (finding, isUnsafe) => {
  assert.strictEqual(unsafe.has(finding), isUnsafe)
  assert.includeMembers([...findings], [finding])
  assert.strictEqual(findings.length, 10)
})

onServers("an execution that the books do not know", (run) => {
  covers("RESTORE-2")
  it("is found behind pages without a line", async () => {
    const { around, books, gap } = bank()
    gap.pages = 99
    await run(
      Effect.gen(function* () {
        const w = yield* world
        books({ id: "behind", amount: "1.00" })
        assert.deepEqual((yield* w.findings)["behind"], ["unknown", null])
      }),
      { around }
    )
  })

  covers("RESTORE-2", "RESTORE-3")
  it("is adopted for one movement that waits, which succeeds and is never submitted", async () => {
    const { around, books, executions } = bank()
    await run(
      Effect.gen(function* () {
        const w = yield* world
        const held = yield* w.brake
        const [first, second, third] = [
          (yield* w.transfer("1")).id,
          (yield* w.transfer("1")).id,
          (yield* w.transfer("2")).id
        ]
        const line = `one_${first}`
        books({ id: `credit_${first}`, amount: "1", direction: "credit" })
        books({ id: `other_${first}`, amount: "7" })
        books({ id: line, amount: "1.00" })
        assert.deepEqual((yield* w.findings)[line], ["unknown", null])
        const candidates = yield* w.candidates(line)
        assert.includeMembers([...candidates], [first, second])
        assert.notInclude([...candidates], third)
        // Two operators at once, and two movements at once: one of each.
        const adoptions = yield* Effect.forEach([first, first, second], (id) => Effect.exit(w.adopt(line, id)), {
          concurrency: "unbounded"
        })
        const paid = adoptions.flatMap((exit) => (exit._tag === "Success" ? [exit.value.id] : []))
        assert.isAtLeast(paid.length, 1)
        assert.strictEqual(new Set(paid).size, 1)
        const adopted = paid[0]!
        const left = adopted === first ? second : first
        assert.deepEqual((yield* w.findings)[line], ["matched", adopted])
        for (const id of [left, third]) assert.strictEqual((yield* Effect.exit(w.adopt(line, id)))._tag, "Failure")
        yield* w.release(held)
        for (const wait of [0, 61, 3_600, 90_000]) yield* w.later(wait)
        assert.strictEqual((yield* w.rowOf(adopted)).status, "success")
        assert.strictEqual(executions.has(`${adopted}.payout`), false)
        for (const id of [left, third]) {
          assert.strictEqual(executions.get(`${id}.payout`), 1)
          assert.strictEqual((yield* w.rowOf(id)).status, "success")
        }
      }),
      { around }
    )
  })

  it("may have paid every movement that waits, also those that two hundred newer ones of other amounts stand before", async () => {
    const { around, books } = bank()
    await run(
      Effect.gen(function* () {
        const w = yield* world
        const held = yield* w.brake
        yield* w.deposit({ amount: "1000" })
        const [first, second] = [(yield* w.transfer("1.5")).id, (yield* w.transfer("1.5")).id]
        const others = yield* Effect.forEach(Array.from({ length: 205 }), () => w.transfer("1"), { concurrency: 16 })
        const third = (yield* w.transfer("1.5")).id
        books({ id: `many_${first}`, amount: "1.5" })
        // Newest first.
        assert.deepEqual(yield* w.candidates(`many_${first}`), [third, second, first])
        books({ id: `most_${first}`, amount: "1" })
        assert.sameMembers(
          (yield* w.candidates(`most_${first}`)).filter((id) => others.some((one) => one.id === id)),
          others.map(({ id }) => id)
        )
        yield* w.release(held)
        for (const wait of [0, 61, 61]) yield* w.later(wait)
        assert.deepEqual(yield* w.candidates(`many_${first}`), [])
      }),
      { around }
    )
  })

  it("cannot have paid a movement whose submission may have arrived", async () => {
    const { around, books } = bank("dropped")
    await run(
      Effect.gen(function* () {
        const w = yield* world
        const { id: submitted } = yield* w.transfer("1")
        yield* w.later(0)
        assert.strictEqual((yield* w.rowOf(submitted)).state, "unknown")
        const held = yield* w.brake
        const { id: waiting } = yield* w.transfer("1")
        books({ id: `late_${waiting}`, amount: "1" })
        assert.deepEqual(yield* w.candidates(`late_${waiting}`), [waiting])
        yield* w.release(held)
      }),
      { around }
    )
  })

  covers("RESTORE-2", "MATCH-6")
  it("is also one under a command that is paid twice, or with another amount", async () => {
    const { around, books } = bank()
    await run(
      Effect.gen(function* () {
        const w = yield* world
        const ids = yield* Effect.forEach(["5", "6", "7", "8", "9"], (amount) => w.transfer(amount))
        const [right, twice, more, pending, short] = ids.map(({ id }) => id) as [string, string, string, string, string]
        yield* w.later(0)
        for (const id of [right, twice, more]) yield* w.says(id, "success")
        yield* w.says(short, "success", { amount: "8.50" })
        const line = (id: string, nth: number, amount: string) =>
          books({ id: `${nth}_${id}`, amount, command_id: `${id}.payout` })
        line(right, 1, "5.00")
        for (const nth of [1, 2]) line(twice, nth, "6")
        line(more, 1, "7.01")
        for (const nth of [1, 2]) line(pending, nth, "8")
        line(short, 1, "8.5")
        const found = yield* w.findings
        assert.deepEqual(
          [`1_${right}`, `1_${twice}`, `2_${twice}`, `1_${more}`, `1_${pending}`, `2_${pending}`, `1_${short}`].map(
            (id) => found[id]![0]
          ),
          [
            "matched",
            "executed_twice",
            "executed_twice",
            "amount_differs",
            "executed_twice",
            "executed_twice",
            "matched"
          ]
        )
        yield* w.says(pending, "success")
      }),
      { around }
    )
  })

  it("is found between lines that move nothing and lines that are not readable, which are named", async () => {
    const { around, books, garbles } = bank()
    await run(
      Effect.gen(function* () {
        const w = yield* world
        const held = yield* w.brake
        const { id } = yield* w.transfer("1")
        const garbled: ReadonlyArray<unknown> = [
          null,
          "a line",
          { id: "half", amount: "1" },
          { id: "minus", amount: "-1", booked_at: 0, direction: "debit", currency: "USDC" }
        ]
        books({ id: `before_${id}`, amount: "1" })
        for (const [n, line] of garbled.entries()) {
          garbles(line)
          books({ id: `zero_${n}_${id}`, amount: "0.00", command_id: `${id}.payout` })
          books({ id: `between_${n}_${id}`, amount: "1" })
        }
        const findings = yield* w.findings
        assert.deepEqual(findings[`before_${id}`], ["unknown", null])
        for (const n of garbled.keys()) {
          assert.deepEqual(findings[`zero_${n}_${id}`], ["unrelated", null])
          assert.deepEqual(findings[`between_${n}_${id}`], ["unknown", null])
        }
        assert.isTrue(unsafe.has("unreadable"))
        assert.deepEqual(
          (yield* w.compared).unreadable,
          garbled.map((line) => ({ provider: "simulated", finding: "unreadable" as const, line: line as never }))
        )
        // The last line is adopted, past all of them.
        assert.strictEqual((yield* w.adopt(`between_3_${id}`, id)).status, "success")
        yield* w.release(held)
        for (const wait of [0, 61]) yield* w.later(wait)
      }),
      { around }
    )
  })

  covers("RESTORE-6")
  it("stays unsafe when its adoption was interrupted, until it is repeated; what it paid is not paid again", async () => {
    const { around, books, executions } = bank()
    await run(
      Effect.gen(function* () {
        const w = yield* world
        const held = yield* w.brake
        const { id } = yield* w.transfer("1")
        const line = `two_${id}`
        books({ id: line, amount: "1" })
        assert.strictEqual((yield* Effect.exit(w.adopt(line, id, w.killed)))._tag, "Failure")
        assert.strictEqual((yield* w.rowOf(id)).state, "submitting")
        const isUnsafe = Effect.gen(function* () {
          const [finding, resource_id] = (yield* w.findings)[line]!
          assert.strictEqual(resource_id, id)
          assert.isTrue(unsafe.has(finding as never), String(finding))
        })
        yield* isUnsafe
        // Nobody repeats it, and the pause is released.
        yield* w.release(held)
        for (const wait of [0, 61, 3_600, 90_000]) yield* w.later(wait)
        assert.isFalse(executions.has(`${id}.payout`))
        yield* isUnsafe
        yield* w.brake
        assert.strictEqual((yield* w.adopt(line, id)).status, "success")
        assert.deepEqual((yield* w.findings)[line], ["matched", id])
      }),
      { around }
    )
  })
})
