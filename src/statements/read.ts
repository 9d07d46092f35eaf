/** Reads a file of any format (STATEMENT-1). */
import { readBai2 } from "./bai2/bai2.ts"
import { checkTexts } from "./bounds.ts"
import { readCamt } from "./camt/camt.ts"
import { readCsv } from "./csv/csv.ts"
import type { CsvAccount, CsvMapping } from "./csv/mapping.ts"
import { readMt940 } from "./mt940/mt940.ts"
import { checkKind } from "./other-files.ts"
import { type BankStatement, type StatementFormat, UnreadableStatement } from "./statement.ts"
import { detectEncoding, quote } from "./text.ts"

/** The largest file, in bytes. */
export const statementMax = 64 * 1024 * 1024

export interface ReadOptions {
  /** What the file is said to be: one that is something else is refused. Default: what its first bytes say. */
  readonly format?: StatementFormat | undefined
  /** How a CSV is read, and of which account it is. Required for a CSV, and taken for nothing else. */
  readonly csv?: { readonly mapping: CsvMapping; readonly account: CsvAccount } | undefined
}

type Reader = "camt" | "mt940" | "bai2" | "csv"

const chooseReader = (format: StatementFormat): Reader => {
  if (format === "bai2" || format === "csv") return format
  return format.startsWith("camt") ? "camt" : "mt940"
}

/** Decodes the beginning of a file, as far as it says which format it is. */
const readStart = (bytes: Uint8Array): string =>
  new TextDecoder(detectEncoding(bytes) ?? "latin1")
    .decode(bytes.subarray(0, 64 * 1024))
    .replace(/^[\s\u0001\ufeff]+/, "")

/** Recognises a format by the first bytes of a file. Undefined for CSV too, which looks like any text: it needs its mapping. */
const recogniseFormat = (bytes: Uint8Array): Reader | undefined => {
  const start = readStart(bytes)
  if (start.startsWith("<")) return "camt"
  if (start.startsWith("01,")) return "bai2"
  if (/(?:^|[\r\n]|@@)\s?(?:\{1:[FAL]\d\d|:(?:20|25P?|28C?|60[FM]|940|942|NS):)/.test(start)) return "mt940"
  return undefined
}

/** Runs a reader, and refuses statements whose texts are out of bounds. */
function* checkBounds(
  read: Generator<void, ReadonlyArray<BankStatement>>
): Generator<void, ReadonlyArray<BankStatement>> {
  const statements = yield* read
  yield* checkTexts(statements)
  return statements
}

const takenFormats = "camt.052, camt.053, camt.054, MT940, MT942, BAI2, or a CSV with its mapping"

/**
 * Reads all statements of a file in steps of some milliseconds: a server serves other requests between them. It returns them in the
 * order of the file.
 *
 * Law: bytes of any kind give all statements of the file, or an `UnreadableStatement` is thrown; nothing else, and never a part.
 */
export function* statementSteps(
  bytes: Uint8Array,
  { csv, format }: ReadOptions = {}
): Generator<void, ReadonlyArray<BankStatement>> {
  if (bytes.length > statementMax)
    throw new UnreadableStatement("the file", `${bytes.length} bytes`, `at most ${statementMax} bytes (64 MiB)`)
  if (bytes.length === 0) throw new UnreadableStatement("line 1", "an empty file", takenFormats)
  checkKind(bytes)
  const reader = format === undefined ? (csv === undefined ? recogniseFormat(bytes) : "csv") : chooseReader(format)
  if (reader === undefined)
    throw new UnreadableStatement("line 1", quote(readStart(bytes).split(/[\r\n]/)[0]), takenFormats)
  if (reader === "csv") {
    if (csv === undefined)
      throw new UnreadableStatement("the file", "a CSV without a mapping", "a CSV with its mapping")
    return yield* checkBounds(readCsv(bytes, csv.mapping, csv.account))
  }
  const read = reader === "camt" ? readCamt : reader === "mt940" ? readMt940 : readBai2
  const statements = yield* checkBounds(read(bytes))
  const other = format === undefined ? undefined : statements.find((statement) => statement.format !== format)
  if (other !== undefined)
    throw new UnreadableStatement("the file", `a statement of ${other.format}`, `${format}, as it is said to be`)
  return statements
}

/** Reads all statements of a file at once: {@link statementSteps} without pauses. Errors: throws `UnreadableStatement`. */
export const readStatements = (bytes: Uint8Array, options?: ReadOptions): ReadonlyArray<BankStatement> => {
  const steps = statementSteps(bytes, options)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
