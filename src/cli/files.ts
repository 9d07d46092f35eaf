/** Files that a command reads and writes. */
import { readFile, writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { Effect } from "effect"
import { decodeTable } from "../statements/csv/table.ts"
import { runFailure, usageFailure } from "./failure.ts"
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

/** Reads a file as bytes. Errors: `CommandFailure` with exit code 2 if it cannot be read. */
export const readFileBytes = Effect.fnUntraced(function* (file: string) {
  const { directory } = yield* Process
  return yield* Effect.tryPromise({
    try: async () => new Uint8Array(await readFile(resolve(directory, file))),
    catch: (error) => usageFailure(`${file}: ${describeFileError(error)}.`)
  })
})

/**
 * Reads the text of a CSV file, by its byte order mark or in UTF-8. Errors: `CommandFailure` with exit code 2 if it cannot be
 * read, or is in another encoding: its letters would be changed.
 */
export const readCsvText = Effect.fnUntraced(function* (file: string) {
  const bytes = yield* readFileBytes(file)
  return yield* Effect.try({
    try: () => decodeTable(bytes),
    catch: (fault) => usageFailure(`${file}: ${(fault as Error).message}.`)
  })
})

/** Writes a file, replacing an existing one. Errors: `CommandFailure` with exit code 3 if it cannot be written. */
export const writeFileText = Effect.fnUntraced(function* (file: string, text: string) {
  const { directory } = yield* Process
  yield* Effect.tryPromise({
    try: () => writeFile(resolve(directory, file), text),
    catch: (error) => runFailure(`${file} is not written: ${describeFileError(error)}.`)
  })
})
