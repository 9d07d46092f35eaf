/** The open lines of an account are read page by page, each once, however they were made. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { begin } from "../../../../src/engine/commit/steps.ts"
import { UnitOfWork } from "../../../../src/engine/commit/UnitOfWork.ts"
import { Ids } from "../../../../src/engine/ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../../../src/engine/ports/Storage.ts"
import { visitOpenLines, StatementLineKind } from "../../../../src/engine/resources/reconciliation/statement-line.ts"
import type { StatementLineData } from "../../../../src/machines/reconciliation/statement-line.ts"
import { onServers } from "../../../support/engines/every-store.ts"
import { line } from "../../../support/statements/readable.ts"

/** Makes lines of one millisecond, as a chunk of a statement is made. `places`: those of its lines. */
const chunk = (external_account_id: string, at: number, places: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [unitOfWork, ids] = [yield* UnitOfWork, yield* Ids]
    yield* unitOfWork.apply(
      PLATFORM_MERCHANT,
      { deduplicationKey: `open-lines/${external_account_id}/${at}` },
      Effect.gen(function* () {
        const changes = yield* Effect.forEach(places, (place) =>
          Effect.gen(function* () {
            const data: StatementLineData = {
              ...line({ place, currency: "USDC", amount: "10000" }),
              ...{ statement_id: "stm_1", external_account_id, accounted_on: "2026-01-05", matches: [] },
              booked_on: "2026-01-05"
            }
            const id = yield* ids.make(StatementLineKind.prefix)
            return (yield* begin(StatementLineKind, { merchant_id: PLATFORM_MERCHANT, id }, data, at)).changes
          })
        )
        return { changes, result: undefined }
      }).pipe(Effect.provideService(Ids, ids))
    )
  })

const openLinesOf = (account: string) =>
  Effect.gen(function* () {
    const pages: Array<ReadonlyArray<Row<StatementLineData>>> = []
    yield* visitOpenLines(yield* Storage, account, (rows) => Effect.sync(() => void pages.push(rows)))
    return pages
  })

onServers("the open lines of an account", (run) => {
  it("are read once each, newest first, in pages", () =>
    run(
      Effect.gen(function* () {
        const sizes = [1, 30, 700, 90, 1_200, 59, 3]
        let [made, at] = [0, 1_000_000]
        for (const size of sizes)
          yield* chunk(
            "xac_1",
            ++at,
            Array.from({ length: size }, () => `line ${++made}`)
          )
        // All of one place: one part has all of them.
        for (let n = 0; n < 5; n++) yield* chunk("xac_1", ++at, Array(40).fill("the file"))
        yield* chunk("xac_2", at, ["line 1"])
        const pages = yield* openLinesOf("xac_1")
        const lines = pages.flat()
        assert.strictEqual(lines.length, made + 200)
        assert.strictEqual(new Set(lines.map(({ id }) => id)).size, lines.length)
        assert.isTrue(lines.every(({ data }) => data.external_account_id === "xac_1"))
        const times = lines.map(({ created_at }) => created_at)
        assert.deepEqual(
          times,
          times.toSorted((a, b) => b - a)
        )
        assert.isAtMost(Math.max(...pages.map(({ length }) => length)), 1_000)
      })
    ))
})
