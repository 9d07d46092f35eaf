import { PgliteStorage } from "../../src/adapters/storage/pglite.ts"
import { conformance } from "./conformance.ts"
import { opened } from "./support.ts"

conformance(opened(async () => [PgliteStorage.layer()]))
