/** The crash sweep of the movements of money, over copies of a Postgres database. */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { catalogue } from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"
import { dropDatabase, freshDatabase } from "../../support/stores/database.ts"
import type { Repeatable } from "../../support/stores/journaled.ts"
import { prepareNode, sweep } from "../../support/faults/crash-sweep.ts"

const opened = async (url: string) => {
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(
    Layer.buildWithScope(PostgresStorage.layer({ url, connections: 3, clock: "caller" }), scope)
  )
  return { storage: Context.get(context, Storage), close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** A database that is copied whole; who has written to it lets go of it first. */
const repeatable = async (url: string): Promise<Repeatable> => {
  const { storage, close } = await opened(url)
  return {
    storage,
    again: async () => {
      await close()
      return repeatable(await freshDatabase(url))
    },
    close: async () => {
      await close()
      await dropDatabase(url)
    }
  }
}

covers("IDEM-7", "SERVICE-2")
describe("a process that ends at a call of a port, over Postgres", () => {
  let store: Repeatable
  let known: Awaited<ReturnType<typeof prepareNode>>
  beforeAll(async () => {
    store = await repeatable(await freshDatabase())
    known = await prepareNode(store)
  })
  afterAll(() => store.close())

  it.each(["createOnramp", "createOfframp", "createConversion", "createTransfer"])(
    "while it answers %s, or writes or pays afterwards",
    async (id) => {
      const { creating, ends } = await sweep(store, known, catalogue[id]!, {
        working: (call) => /^(?:storage\.commit|provider\.\w+)$/.test(call),
        atOnce: 4
      })
      expect(creating.at(-1)).toBe("storage.commit")
      expect(ends).toBeGreaterThan(1)
    }
  )
})
