import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { conformance } from "./conformance.ts"
import { opened } from "./support.ts"

conformance(opened(async () => [MemoryStorage.layer]))
