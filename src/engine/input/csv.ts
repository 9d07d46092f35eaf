/** CSV files in requests: read as the files of banks are, and refused in the same words (STATEMENT-17). */
import { Result } from "effect"
import { type CsvTable, readTable, tableText } from "../../statements/csv/table.ts"
import { UnreadableStatement } from "../../statements/statement.ts"
import { BadRequest, field } from "../ports/errors.ts"

const parsePart = <A>(name: string, is: string, of: () => A): Result.Result<A, BadRequest> =>
  Result.try({
    try: of,
    catch: (fault) => {
      if (!(fault instanceof UnreadableStatement)) throw fault
      const { found, message, place, taken } = fault
      const refusal = field(name, "invalid_format", `${is}: ${message}.`)
      return new BadRequest({ ...refusal, errors: refusal.errors.map((one) => ({ ...one, place, found, taken })) })
    }
  })

/** The text of a body, in the encoding of its byte order mark, else in that of its content type, else in UTF-8. */
export const csvText = (bytes: Uint8Array, charset?: string): Result.Result<string, BadRequest> =>
  parsePart("body", "The body is not a CSV file", () => tableText(bytes, charset))

/** The table of a text. `name`: the member that has it, and `is`: what the refusal says that it is not. */
export const csvTable = (text: string, name: string, is: string): Result.Result<CsvTable, BadRequest> =>
  parsePart(name, is, () => readTable(text))

/** The table of the bytes of a file, by their byte order mark or in UTF-8. */
export const csvTableIn = (bytes: Uint8Array, name: string, is: string): Result.Result<CsvTable, BadRequest> =>
  parsePart(name, is, () => readTable(tableText(bytes)))
