import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { openBooks } from "../../../src/adapters/provider/books.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { PLATFORM_MERCHANT, type Row, type RowKey, Storage } from "../../../src/engine/ports/Storage.ts"

const key = (id: string): RowKey => ({ merchant_id: PLATFORM_MERCHANT, kind: "chain_nonce", id })
const next = (row: Row | undefined): number => (row === undefined ? 0 : (row.data as { next: number }).next)

const take = (books: Effect.Success<ReturnType<typeof openBooks>>, wallet: string, command: string) =>
  books.amend([key(wallet), key(command)], ([counter, taken]) =>
    taken !== undefined
      ? { entries: [], result: next(taken) }
      : {
          entries: [
            { key: key(wallet), data: { next: next(counter) + 1 } },
            { key: key(command), data: { next: next(counter) }, index_keys: ["open=true"] }
          ],
          result: next(counter)
        }
  )

const inMemory = Effect.provide(Layer.mergeAll(MemoryStorage.layer, JobNotifier.layer))

describe("the books of a provider adapter", () => {
  it.effect("give each number to one command, whichever of several nodes decides", () =>
    Effect.gen(function* () {
      const nodes = yield* Effect.all([openBooks("chain"), openBooks("chain"), openBooks("chain")])
      const calls = Array.from({ length: 90 }, (_, n) => take(nodes[n % 3]!, "wallet", `command-${n % 30}`))
      const given = yield* Effect.all(calls, { concurrency: 6 })
      // Each command was asked for three times, by three nodes.
      assert.deepStrictEqual(
        [...new Set(given)].sort((a, b) => a - b),
        Array.from({ length: 30 }, (_, n) => n)
      )
      for (let n = 0; n < 90; n++) assert.strictEqual(given[n], given[n % 30])
      const { items, total } = yield* nodes[0].storage.list({
        kinds: ["chain_nonce"],
        index_keys: ["open=true"],
        offset: 0,
        limit: 5
      })
      assert.deepStrictEqual([total, items.length], [30, 5])
    }).pipe(inMemory)
  )

  it.effect("write nothing where one entry of a decision was not read", () =>
    Effect.gen(function* () {
      const books = yield* openBooks("chain")
      yield* take(books, "wallet", "a")
      const fault = yield* Effect.flip(
        books.amend([key("b")], () => ({
          entries: [
            { key: key("b"), data: { next: 1 } },
            { key: key("wallet"), data: { next: 0 } }
          ],
          result: null
        }))
      )
      assert.isTrue(fault.retryable)
      const storage = yield* Storage
      assert.strictEqual(yield* storage.find("chain_nonce", "b"), undefined)
      assert.deepStrictEqual((yield* storage.find("chain_nonce", "wallet"))?.data, { next: 1 })
    }).pipe(inMemory)
  )
})
