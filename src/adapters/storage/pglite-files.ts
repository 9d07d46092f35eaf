/** The files of an embedded Postgres: its data directory, locked for one process, and what they refuse while it is opened. */
import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { basename, join } from "node:path"
import { Clock, Effect, type Scope } from "effect"
import { iso } from "../../engine/ports/Time.ts"
import { StorageFault } from "../../engine/ports/errors.ts"
import { loadOptionalPeer } from "../../engine/ports/optional-peer.ts"
import { toFault } from "./sql/driver.ts"

// Locks a data directory for one process. PGlite does not lock its files: two processes on one directory would
// overwrite each other's acknowledged writes.
//
// The lock is the operating system's, on an empty file in the directory, taken through Node's SQLite. SQLite has file
// locks on Linux, macOS and Windows; Node itself has none. The system releases the lock when the process ends, however
// it ends, so that no decision depends on a process id. It identifies the file by its inode, whatever the path or the
// container.
//
// Do not open `corridor.lock` by other means in the process that holds it: closing it would release the lock (POSIX).

const LOCK = "corridor.lock"
/** Describes the holder of the lock, for people. The code decides nothing by it. */
const HOLDER = "corridor.holder"

/** SQLITE_BUSY. */
const BUSY = 5

/** The first line of a text, at most 300 characters. */
const cutFirstLine = (text: string): string => text.trim().split("\n")[0]!.slice(0, 300)

const toStorageFault = (directory: string, cause: unknown): StorageFault =>
  cause instanceof StorageFault
    ? cause
    : new StorageFault({
        message: `the directory ${directory} cannot be used: ${cutFirstLine(cause instanceof Error ? cause.message : String(cause))}`,
        retryable: false,
        cause
      })

const lockDirectory = async (directory: string, since: string) => {
  // Loaded on demand: only a store in a directory needs it, and Node 22 prints a warning when it is loaded.
  const { DatabaseSync } = await import("node:sqlite")
  const file = new DatabaseSync(join(directory, LOCK), { timeout: 0 })
  const holder = join(directory, HOLDER)
  const release = async () => {
    await rm(holder, { force: true }).finally(() => file.close())
  }
  try {
    // An in-memory journal leaves no file behind. Nothing is ever written.
    file.exec("pragma journal_mode = memory; begin exclusive")
  } catch (error) {
    file.close()
    if ((error as { readonly errcode?: number }).errcode !== BUSY) throw error
    const message = `the directory ${directory} is in use by ${await readFile(join(directory, HOLDER), "utf8").then(
      (text) => cutFirstLine(text) || "another process",
      () => "another process"
    )}`
    throw new StorageFault({ message, retryable: false, cause: error })
  }
  try {
    const command = basename(process.argv[1] ?? process.title)
    await writeFile(holder, `process ${process.pid} (${command}) on ${hostname()}, since ${since}\n`)
    return release
  } catch (error) {
    file.close()
    throw error
  }
}

/**
 * Locks a directory for this store until the scope closes, and returns its real path. Creates a missing directory.
 *
 * Errors: `StorageFault`, not retryable, at once, when another store holds the directory, in this process or another.
 * The message names the directory and the holder.
 */
export const claimDirectory = (path: string): Effect.Effect<string, StorageFault, Scope.Scope> =>
  Effect.gen(function* () {
    const directory = yield* Effect.tryPromise({
      try: async () => {
        await mkdir(path, { recursive: true })
        return realpath(path)
      },
      catch: (cause) => toStorageFault(path, cause)
    })
    const since = iso(yield* Clock.currentTimeMillis)
    yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => lockDirectory(directory, since),
        catch: (cause) => toStorageFault(directory, cause)
      }),
      (release) => Effect.promise(() => release().catch(() => {}))
    )
    return directory
  })

/** By the numbers of WASI. */
const fileErrors: { readonly [errno: number]: readonly [code: string, words: string] } = {
  2: ["EACCES", "permission denied"],
  22: ["EFBIG", "file too large"],
  29: ["EIO", "input/output error"],
  33: ["EMFILE", "too many open files"],
  51: ["ENOSPC", "no space left on device"],
  69: ["EROFS", "read-only file system"]
}

/**
 * Converts an error on opening a directory to a fault. The file system of PGlite throws no `Error`, but an object with a number:
 * on a full disk, for instance.
 */
export const toOpeningFault = (error: unknown): StorageFault => {
  if (error instanceof Error || typeof error !== "object" || error === null || !("errno" in error))
    return toFault(error)
  const [code, words] = fileErrors[Number(error.errno)] ?? [
    "EIO",
    `the file system has the error ${Number(error.errno)}`
  ]
  return toFault(Object.assign(new Error(words, { cause: error }), { code }))
}

// The package of the embedded Postgres, an optional dependency: it is loaded when such a store is opened.

/** Errors: `StorageFault`, which names the package, when it is not installed. */
export const pglitePackage = Effect.tryPromise({
  try: () => loadOptionalPeer("@electric-sql/pglite", "a pglite: store", () => import("@electric-sql/pglite")),
  catch: (cause) => new StorageFault({ message: (cause as Error).message, retryable: false, cause })
})
