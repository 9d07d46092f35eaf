/**
 * What the texts of a statement may be (STATEMENT-15). Each line is stored and listed with its own: no store keeps a NUL or half of a
 * surrogate pair, and no bank needs a text that is the size of a file.
 */
import { type BankStatement, type BankStatementLine, UnreadableStatement } from "./statement.ts"

/** The longest reference, name, account or code, in characters. */
export const textMax = 500
/** The longest remittance, which may name hundreds of invoices, in characters. */
export const remittanceMax = 10_000

/** The most lines of a file: a process has memory for them, and what a bank makes of 64 MiB has fewer. */
export const linesMax = 1_000_000
/** The most statements of a file: each has an account and a day of its own. */
export const statementsMax = 100_000
/** The longest row, record or field of a file, in characters. The texts in it are shorter. */
export const recordMax = 1_000_000

/** Refuses a file that has more lines than {@link linesMax}, before it is read to its end. */
export const checkLines = (count: number, place: string): void => {
  if (count > linesMax)
    throw new UnreadableStatement(place, `more than ${linesMax} lines`, `a file of at most ${linesMax} lines`)
}

/** Refuses a file that has more statements, or groups of them, than {@link statementsMax}. */
export const checkStatements = (count: number, place: string, what = "statements"): void => {
  if (count > statementsMax)
    throw new UnreadableStatement(
      place,
      `more than ${statementsMax} ${what}`,
      `a file of at most ${statementsMax} ${what}`
    )
}

/** Refuses a row, a record or a field that is longer than {@link recordMax}. */
export const checkRecord = (what: string, length: number, place: string): void => {
  if (length > recordMax)
    throw new UnreadableStatement(place, `${what} of more than ${recordMax} characters`, `at most ${recordMax}`)
}

type Named = readonly [name: string, text: string | null | undefined]

const listBoundTexts = ({ counterparty, entry, ...line }: BankStatementLine): ReadonlyArray<Named> => [
  ["bank_reference", line.bank_reference],
  ["end_to_end_id", line.end_to_end_id],
  ["uetr", line.uetr],
  ["transaction_hash", line.transaction_hash],
  ["counterparty.name", counterparty.name],
  ["counterparty.account", counterparty.account],
  ["code", line.code],
  ["entry.reference", entry?.reference]
]

const checkTextBounds = (place: string, texts: ReadonlyArray<Named>, max = textMax): void => {
  for (const [name, text] of texts) {
    if (text === null || text === undefined) continue
    if (text.length > max)
      throw new UnreadableStatement(`${place}, ${name}`, `${text.length} characters`, `at most ${max} characters`)
    if (!text.isWellFormed() || text.includes("\u0000"))
      throw new UnreadableStatement(`${place}, ${name}`, "a NUL or half of a surrogate pair", "text without them")
  }
}

const stepLines = 5000

/**
 * Refuses statements with a text that no store keeps or that is too long, in steps of some milliseconds. Errors: `UnreadableStatement` with
 * the line and its member.
 */
export function* checkTexts(statements: ReadonlyArray<BankStatement>): Generator<void, void> {
  let count = 0
  for (const { account, lines, message_id, number, pending, place } of statements) {
    checkTextBounds(place, [
      ["message_id", message_id],
      ["number", number],
      ["account.bank", account.bank],
      ...account.identifiers.map(({ value }): Named => ["account.identifiers", value])
    ])
    for (const some of [lines, pending])
      for (const line of some) {
        checkTextBounds(line.place, listBoundTexts(line))
        checkTextBounds(line.place, [["remittance", line.remittance]], remittanceMax)
        if (++count % stepLines === 0) yield
      }
  }
}
