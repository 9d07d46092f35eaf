import { CellsStorage } from "../../../src/adapters/storage/cells/cells.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { conformance } from "./conformance.ts"
import { opened } from "./support.ts"

conformance(
  opened(async () => {
    const url = await freshDatabase()
    const open = () => CellsStorage.layer({ url, cells: 1, clock: "caller" })
    return [open(), open()]
  })
)
