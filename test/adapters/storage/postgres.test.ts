import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { conformance } from "./conformance.ts"
import { opened } from "./support.ts"

conformance(
  opened(async () => {
    const url = await freshDatabase()
    return [PostgresStorage.layer({ url, clock: "caller" }), PostgresStorage.layer({ url, clock: "caller" })]
  })
)
