/** Stores of PGlite in memory, each a copy of one that was migrated: making a cluster anew takes four times as long. */
import { PGlite } from "@electric-sql/pglite"
import { migrationScript } from "../../../src/adapters/storage/migrations.ts"
import { PgliteStorage } from "../../../src/adapters/storage/pglite.ts"

let image: Promise<Blob> | undefined

const made = async (): Promise<Blob> => {
  const db = await PGlite.create("memory://")
  try {
    await db.exec(migrationScript())
    return await db.dumpDataDir("none")
  } finally {
    await db.close()
  }
}

/** An empty store. The first of a process makes the image of the others. */
export const freshPglite = async (): Promise<ReturnType<typeof PgliteStorage.layer>> => {
  image ??= made()
  return PgliteStorage.layer({ image: await image })
}
