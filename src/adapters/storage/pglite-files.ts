/** What the files of an embedded Postgres refuse while it is opened. */
import { Effect } from "effect"
import { StorageFault } from "../../engine/ports/errors.ts"
import { optionalPeer } from "../../engine/ports/optional-peer.ts"
import { toFault } from "./sql/driver.ts"

/** By the numbers of WASI. */
const fileErrors: { readonly [errno: number]: readonly [code: string, words: string] } = {
  2: ["EACCES", "permission denied"],
  22: ["EFBIG", "file too large"],
  29: ["EIO", "input/output error"],
  33: ["EMFILE", "too many open files"],
  51: ["ENOSPC", "no space left on device"],
  69: ["EROFS", "read-only file system"]
}

/** The fault of an opening. The file system of PGlite throws no `Error`, but an object with a number: on a full disk, for instance. */
export const openingFault = (error: unknown): StorageFault => {
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
  try: () => optionalPeer("@electric-sql/pglite", "a pglite: store", () => import("@electric-sql/pglite")),
  catch: (cause) => new StorageFault({ message: (cause as Error).message, retryable: false, cause })
})
