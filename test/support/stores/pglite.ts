/**
 * Stores of PGlite, in memory and in directories, each a copy of one that was migrated: making a cluster anew takes four times as long.
 * The image is made once for the migrations as they are, and kept beside what the runner keeps.
 */
import { createHash } from "node:crypto"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, openAsBlob, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { Effect } from "effect"
import { makeMigrationScript } from "../../../src/adapters/storage/migrations.ts"
import { PgliteStorage } from "../../../src/adapters/storage/pglite.ts"
import { claimDirectory } from "../../../src/adapters/storage/pglite-files.ts"

const modules = join(import.meta.dirname, "../../../node_modules")
const folder = join(modules, ".cache/stores")

/** The file of the image. The first who asks makes it; where several do at once, the last one's stays. */
const makeTemplate = async (): Promise<string> => {
  const script = makeMigrationScript()
  const packaged = readFileSync(join(modules, "@electric-sql/pglite/package.json"))
  const file = join(folder, `${createHash("sha256").update(script).update(packaged).digest("hex").slice(0, 16)}.tar`)
  if (existsSync(file)) return file
  const db = await PGlite.create("memory://")
  try {
    await db.exec(script)
    const image = Buffer.from(await (await db.dumpDataDir("none")).arrayBuffer())
    mkdirSync(folder, { recursive: true })
    writeFileSync(`${file}.${process.pid}`, image)
    renameSync(`${file}.${process.pid}`, file)
    return file
  } finally {
    await db.close()
  }
}

let image: Promise<string> | undefined

/** What an empty store in memory begins with. */
export const emptyImage = async (): Promise<Blob> => openAsBlob(await (image ??= makeTemplate()))

/** The database of an empty store in memory, for a test that has its own way to ask it. */
export const emptyDatabase = async (): Promise<PGlite> => PGlite.create({ loadDataDir: await emptyImage() })

/** An empty store in memory. */
export const freshPglite = async (): Promise<ReturnType<typeof PgliteStorage.layer>> =>
  PgliteStorage.layer({ image: await emptyImage() })

/** Fills a directory with an empty store. */
export const fillDirectory = async (directory: string): Promise<void> => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  execFileSync("tar", ["-xf", await (image ??= makeTemplate()), "-C", directory], { stdio: "pipe" })
}

/** Holds a directory, as a server that uses it does, until `act` has ended. */
export const whileInUse = <A>(directory: string, act: () => Promise<A>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.andThen(claimDirectory(directory), Effect.promise(act))))
