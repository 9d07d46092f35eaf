/** A cell keeps the laws of a store, and its statements and functions name its schema: nothing is found by the search path. */
import { Effect, Layer } from "effect"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { conformance } from "./conformance.ts"
import { opened } from "./support.ts"

conformance(
  opened(async () => {
    const url = await freshDatabase()
    const cell = Layer.effect(
      Storage,
      Effect.gen(function* () {
        yield* PostgresStorage.migrateSchemas({ url }, ["corridor_7"])
        const { store } = yield* PostgresStorage.pool({ url: `${url}?search_path=pg_catalog`, clock: "caller" })
        return store("corridor_7")
      })
    )
    return [cell, Layer.fresh(cell)]
  })
)
