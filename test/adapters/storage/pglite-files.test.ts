/** A file system that refuses while PGlite is opened: what it throws is no `Error`, and the operator has to read why. */
import { expect, it } from "vitest"
import { toOpeningFault } from "../../../src/adapters/storage/pglite-files.ts"
import { emptyDatabase } from "../../support/stores/pglite.ts"

/** An error as the file system of PGlite throws it. */
type FileError = new (errno: number) => { readonly errno: number }

it("is a fault that says why, such as a full disk", async () => {
  const db = await emptyDatabase()
  const { ErrnoError } = (db as unknown as { readonly Module: { readonly FS: { readonly ErrnoError: FileError } } })
    .Module.FS
  await db.close()
  const full = new ErrnoError(51)
  expect(full).not.toBeInstanceOf(Error)
  const faults = [51, 2, 22, 29, 33, 69, 44].map((errno) => toOpeningFault(new ErrnoError(errno)))
  expect(faults.map(({ message, retryable }) => [message, retryable])).toEqual([
    ["ENOSPC: no space left on device", true],
    ["EACCES: permission denied", true],
    ["EFBIG: file too large", true],
    ["EIO: input/output error", true],
    ["EMFILE: too many open files", true],
    ["EROFS: read-only file system", true],
    ["EIO: the file system has the error 44", true]
  ])
  expect(toOpeningFault(new Error("anything else")).message).toBe("anything else")
  expect(toOpeningFault("a text").message).toBe("a text")
})
