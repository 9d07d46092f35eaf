/** The records of a BAI2 file. */
import { checkRecord } from "../bounds.ts"
import { UnreadableStatement } from "../statement.ts"
import { toPlace, type Line, splitLines, quote } from "../text.ts"

export interface Record2 {
  readonly code: string
  /** The fields after the code. The text of a detail record is cut at its commas too. */
  readonly fields: ReadonlyArray<string>
  /** Of its first line. */
  readonly number: number
  /** How many records it counts as: itself and its continuations. */
  readonly count: number
}

/** Before the first field of a continuation. */
export const boundary = "\u0000"

const start = /^\s*(01|02|03|16|49|88|98|99),/
/** Where a record begins behind another on one line. Text may have a slash: what follows must look like a record. */
const within = /\/\s+(?=(?:0[123],[^/]*,|16,\d{3},|49,[+-]?\d+,|98,[+-]?\d+,|99,[+-]?\d+,))/

/** Removes the slash that ends a record, and the spaces that fill a line. */
const stripTerminator = (text: string): string => text.trimEnd().replace(/\/$/, "")

/** Reads the logical records of a text: several may be on one line, and a line may continue the record before it. */
export function* readRecords(text: string): Generator<Record2> {
  let open: { code: string; text: string; number: number; count: number; isEnded: boolean } | undefined
  const closed = (): Record2 | undefined =>
    open && { code: open.code, fields: open.text.split(","), number: open.number, count: open.count }
  for (const line of splitLines(text)) {
    for (const part of line.text.split(within)) {
      const [all, code] = start.exec(part) ?? []
      const isEnded = part.trimEnd().endsWith("/")
      if (all === undefined || code === undefined) {
        if (part.replace(/[\s\u001a\ufeff]/g, "") === "") continue
        if (open === undefined || open.isEnded) throw makeUnknownRecordError(line, part)
        open.text += ` ${stripTerminator(part).trimStart()}`
        open.isEnded = isEnded
      } else if (code === "88") {
        if (open === undefined) throw makeUnknownRecordError(line, part)
        open.text += `,${boundary}${stripTerminator(part.slice(all.length))}`
        open.count++
        open.isEnded = isEnded
      } else {
        const record = closed()
        if (record !== undefined) yield record
        open = { code, text: stripTerminator(part.slice(all.length)), number: line.number, count: 1, isEnded }
      }
      checkRecord("a record", open.text.length, toPlace(open.number))
    }
  }
  const record = closed()
  if (record !== undefined) yield record
}

const makeUnknownRecordError = ({ number }: Line, part: string): UnreadableStatement =>
  new UnreadableStatement(toPlace(number), quote(part.trim()), "a record 01, 02, 03, 16, 49, 88, 98 or 99")
