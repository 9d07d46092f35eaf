/** Files that a command reads and writes. */
import { readFile, writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { Effect } from "effect"
import { decodeTable } from "../statements/csv/table.ts"
import { unusable, usageFailure } from "./failure.ts"
import { Process } from "./process.ts"

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "it may not be opened"
}

const describeFileError = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return reasons[code ?? ""] ?? message
}

/** The bytes of a file. Errors: `CommandFailure` with 2 where it cannot be read. */
export const bytesIn = Effect.fnUntraced(function* (file: string) {
  const { directory } = yield* Process
  return yield* Effect.tryPromise({
    try: async () => new Uint8Array(await readFile(resolve(directory, file))),
    catch: (error) => usageFailure(`${file}: ${describeFileError(error)}.`)
  })
})

/**
 * The text of a CSV file, by its byte order mark or in UTF-8. Errors: `CommandFailure` with 2 where it cannot be read, or is something else:
 * its letters would become others.
 */
export const textIn = Effect.fnUntraced(function* (file: string) {
  const bytes = yield* bytesIn(file)
  return yield* Effect.try({
    try: () => decodeTable(bytes),
    catch: (fault) => usageFailure(`${file}: ${(fault as Error).message}.`)
  })
})

/** Writes a file, in place of one that is there. Errors: `CommandFailure` with 3 where it cannot be written. */
export const writeTo = Effect.fnUntraced(function* (file: string, text: string) {
  const { directory } = yield* Process
  yield* Effect.tryPromise({
    try: () => writeFile(resolve(directory, file), text),
    catch: (error) => unusable(`${file} is not written: ${describeFileError(error)}.`)
  })
})
