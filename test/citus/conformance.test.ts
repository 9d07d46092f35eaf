/** A cell on Citus keeps the laws of a store. */
import { Effect, Layer } from "effect"
import { inject } from "vitest"
import { PostgresStorage } from "../../src/adapters/storage/postgres.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { conformance } from "../adapters/storage/conformance.ts"
import { opened } from "../adapters/storage/support.ts"
import { citusDatabase } from "../support/stores/citus.ts"

conformance(
  opened(async () => {
    const url = await citusDatabase(inject("citus"))
    const cell = Layer.effect(
      Storage,
      Effect.gen(function* () {
        yield* PostgresStorage.migrateSchemas({ url }, ["corridor_7"])
        const { store } = yield* PostgresStorage.pool({ url: `${url}?search_path=pg_catalog`, clock: "caller" })
        return store("corridor_7", true)
      })
    )
    return [cell, Layer.fresh(cell)]
  })
)
