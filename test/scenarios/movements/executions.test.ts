/** Executions that the books do not know, as after a restore, and the movements that they are adopted for. */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import type { Provider, StatementLine } from "../../../src/engine/ports/Provider.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { Brakes } from "../../../src/engine/resources/movements/brake.ts"
import { Executions, unsafe } from "../../../src/engine/resources/movements/executions.ts"
import { Dispatcher } from "../../../src/engine/work/Dispatcher.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { scriptedProvider } from "../../support/engines/scripted-provider.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

/** A bank that knows no command of these books, and has executed what its statement says. */
const bank = () => {
  const lines: Array<StatementLine> = []
  const { executions, provider } = scriptedProvider("simulated")
  return {
    executions,
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
          const from = after === null ? 0 : Number(after)
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
      const line = (yield* executions.compare("simulated", 0)).find(({ id }) => id === line_id)
      return (yield* executions.candidates(line!)).map(({ id }) => id)
    }),
    findings: Effect.map(executions.compare("simulated", 0), (lines) =>
      Object.fromEntries(lines.map(({ finding, id, resource_id }) => [id, [finding, resource_id]]))
    ),
    later: Effect.fnUntraced(function* (seconds: number) {
      yield* clock.moveTo((yield* Clock.currentTimeMillis) + seconds * 1000)
      for (let round = 0; round < 3; round++) yield* (yield* Dispatcher).drain()
    })
  }
})

onEveryStore("an execution that the books do not know", (run) => {
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
        // Nobody repeats it, and the brake is released.
        yield* w.release(held)
        for (const wait of [0, 61, 3_600, 90_000]) yield* w.later(wait)
        assert.strictEqual(executions.size, 0)
        yield* isUnsafe
        yield* w.brake
        assert.strictEqual((yield* w.adopt(line, id)).status, "success")
        assert.deepEqual((yield* w.findings)[line], ["matched", id])
      }),
      { around }
    )
  })
})
