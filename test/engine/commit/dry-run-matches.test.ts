/** What a dry run reads by search terms, beside what it has written. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { readAllMatches } from "../../../src/engine/calls/reads.ts"
import { dryRunStorage } from "../../../src/engine/commit/dry-run-storage.ts"
import { DryRun } from "../../../src/engine/ports/dry-run.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { change, range, row, T0 } from "../../adapters/storage/support.ts"
import { covers } from "../../support/repository/covers.ts"

const key = "search_id=amount:100:USDC"

covers("DRYRUN-6")
it("finds every row of a key, whichever of them it has written, and however old those are", async () => {
  const rows = range(40).map((n) => row("mer_1", { id: `tfr_${n}`, index_keys: [key], created_at: T0 + n }))
  const again = (n: number, index_keys: ReadonlyArray<string>) => ({ ...rows[n]!, version: 2, index_keys })
  const written = [again(39, []), again(38, [key]), again(2, [key])]
  const found = await Effect.runPromise(
    Effect.gen(function* () {
      const storage = yield* Storage
      yield* storage.commit(change("mer_1", { rows }))
      const record = { within: undefined, written: [change("mer_1", { rows: written })] } as never
      const all = readAllMatches(storage, { keys: [key], kinds: ["transfer"] }, 10)
      return yield* Effect.provideService(all, DryRun, record)
    }).pipe(Effect.provide(dryRunStorage), Effect.provide(MemoryStorage.layer))
  )
  const left = rows.slice(0, 39).map(({ id }) => id)
  expect(found.map(({ id }) => id).toSorted()).toEqual(left.toSorted())
})
