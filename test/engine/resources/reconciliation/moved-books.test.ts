/** What a Change that moves money at a provider has for the lines that wait there (MATCH-7). */
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { MovedBooks } from "../../../../src/engine/commit/moved-books.ts"
import { type Change, EMPTY, Storage } from "../../../../src/engine/ports/Storage.ts"
import { movedBooks } from "../../../../src/engine/resources/reconciliation/moved-books.ts"
import { T0, wallClock } from "../../../support/engines/wall-clock.ts"
import { covers } from "../../../support/repository/covers.ts"

const changeOf = (more: Partial<Change>): Change => ({ ...EMPTY, merchant_id: "mer_1", at: T0, ...more }) as Change

const posting = { debit: "clearing:bank", credit: "world:bank", amount: "1", currency: "EUR", resource_id: "tfr_1" }
const moving = changeOf({ postings: [{ ...posting, version: 2 }] as unknown as Change["postings"] })

const lineOf = (external_account_id: string) =>
  changeOf({ rows: [{ kind: "statement_line", data: { external_account_id } }] as unknown as Change["rows"] })

/** A store in which these accounts of the provider are, the first of which has open lines. It counts its lists. */
const storeOf = (...ids: ReadonlyArray<string>) => {
  const store = { lists: 0 }
  const items = ids.map((id) => ({ id, kind: "external_account", data: { provider: "bank" } }))
  const storage = {
    list: () => Effect.sync(() => ({ items, total: (store.lists++, items.length) })),
    matches: ({ keys }: { readonly keys: ReadonlyArray<string> }) =>
      Effect.sync(() => keys.filter((key) => key.includes(ids[0]!)).map((index_key) => ({ index_key, id: "stl_1" })))
  } as unknown as Storage["Service"]
  const books = Layer.provide(movedBooks, Layer.succeed(Storage, storage))
  const run = <A>(test: (books: NonNullable<Effect.Success<typeof MovedBooks>>) => Effect.Effect<A>) =>
    Effect.runPromise(
      Effect.provide(
        Effect.flatMap(MovedBooks, (found) => test(found!)),
        Layer.merge(
          books,
          wallClock(() => T0)
        )
      ) as Effect.Effect<A>
    )
  return { store, run }
}

const jobsOf = ({ jobs }: Change) => jobs.map(({ id }) => id)

covers("MATCH-7")
describe("a commit that moves money where lines are open", () => {
  it("writes no job that another one writes at once, and one after the other they write one", async () => {
    const { run } = storeOf("xac_1")
    const { after, together } = await run((books) =>
      Effect.gen(function* () {
        const slow = books.committed(moving, (change) => Effect.as(Effect.sleep(5), jobsOf(change)))
        const together = (yield* Effect.all([slow, slow, slow], { concurrency: "unbounded" })).flat()
        const failing = books.committed(moving, (change) => Effect.fail(jobsOf(change)))
        return { together, after: [yield* slow, yield* Effect.flip(failing), yield* slow].flat() }
      })
    )
    expect(together).toHaveLength(3)
    expect(new Set(together).size).toBe(3)
    expect(after).toHaveLength(3)
    expect(new Set(after).size).toBe(1)
  })

  it("reads no list again as more lines of an account are written that has open ones", async () => {
    const { run, store } = storeOf("xac_1", "xac_2")
    const counts = await run((books) =>
      Effect.gen(function* () {
        const asked = books.committed(moving, (change) => Effect.succeed(jobsOf(change).length))
        const counts: Array<readonly [jobs: number, lists: number]> = [[yield* asked, store.lists]]
        for (const account_id of ["xac_1", "xac_1", "xac_2"]) {
          books.written(lineOf(account_id))
          counts.push([yield* asked, store.lists])
        }
        return counts
      })
    )
    const [[, once]] = counts as [readonly [number, number]]
    expect(counts).toEqual([
      [1, once],
      [1, once],
      [1, once],
      [1, 2 * once]
    ])
  })
})
