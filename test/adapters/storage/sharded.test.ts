import { ShardedStorage } from "../../../src/adapters/storage/sharded.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { conformance } from "./conformance.ts"
import { opened } from "./support.ts"

conformance(
  opened(async () => {
    const urls = [await freshDatabase(), await freshDatabase()] as const
    return [ShardedStorage.layer({ urls, clock: "caller" }), ShardedStorage.layer({ urls, clock: "caller" })]
  })
)
