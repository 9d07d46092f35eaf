/**
 * Reads every file of a folder that could be a statement, and prints what became of each: statements that were read, or where and why
 * it was refused. `npm run test:foreign -- DIR`.
 *
 * Exits with 1 if a file was read without a line and without a word about it, did not reach its own closing balance, or ended in
 * anything but statements or a refusal.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { extname, join, relative } from "node:path"
import { readStatements, UnreadableStatement } from "../src/statements/index.ts"

/** What a statement may be called. A file without an extension is tried too. */
const extensions = new Set([
  "",
  ".xml",
  ".camt",
  ".c53",
  ".c52",
  ".c54",
  ".sta",
  ".mt9",
  ".940",
  ".942",
  ".mt940",
  ".mt942",
  ".swi",
  ".fin",
  ".txt",
  ".bai",
  ".bai2",
  ".bac",
  ".ofc",
  ".prn"
])

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && extensions.has(extname(entry.name).toLowerCase()))
    .map(({ name, parentPath }) => join(parentPath, name))
    .filter((path) => !path.split("/").includes(".git"))
    .toSorted()

type Result =
  | { readonly path: string; readonly outcome: "read"; readonly about: string; readonly fault: string | undefined }
  | { readonly path: string; readonly outcome: "refused"; readonly about: string; readonly fault: undefined }
  | { readonly path: string; readonly outcome: "failed"; readonly about: string; readonly fault: string }

/** An amount as an integer of 10^-18: apart from what the readers compute with. */
const integer = (text: string): bigint => {
  const [, sign = "", whole = "", rest = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  return BigInt(`${sign}${whole}${rest.padEnd(18, "0")}`)
}

const [folder] = process.argv.slice(2)
if (folder === undefined || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
  console.error("npm run test:foreign -- DIR: a folder is required")
  process.exit(2)
}
const results = filesIn(folder).map((file) => {
  const path = relative(folder, file)
  try {
    const statements = readStatements(readFileSync(file))
    const lines = statements.reduce((sum, statement) => sum + statement.lines.length + statement.pending.length, 0)
    const held = statements.filter(
      ({ closing_balance, opening_balance }) => closing_balance !== null && opening_balance !== null
    )
    const codes = [...new Set(statements.flatMap(({ warnings }) => warnings.map(({ code }) => code)))]
    const fault =
      statements.length === 0
        ? "was read without a statement"
        : statements
            .map(({ closing_balance, lines, opening_balance, pending, warnings }) => {
              if (opening_balance !== null && closing_balance !== null) {
                const reached = lines.reduce(
                  (sum, { amount, direction }) => sum + (direction === "credit" ? integer(amount) : -integer(amount)),
                  integer(opening_balance.amount)
                )
                return reached === integer(closing_balance.amount)
                  ? undefined
                  : "does not reach its own closing balance"
              }
              return lines.length + pending.length === 0 && warnings.length === 0
                ? "was read without a line, in silence"
                : undefined
            })
            .find((one) => one !== undefined)
    const about = `${statements[0]?.format}: ${statements.length} statements, ${held.length} reach their closing balance, ${lines} lines${codes.length === 0 ? "" : `; ${codes.join(", ")}`}`
    return { path, outcome: "read", about, fault }
  } catch (error) {
    if (error instanceof UnreadableStatement)
      return { path, outcome: "refused", about: error.message, fault: undefined }
    return { path, outcome: "failed", about: String(error), fault: "ended in neither statements nor a refusal" }
  }
})
for (const { about, fault, outcome, path } of results)
  console.log(`${outcome.padEnd(8)}${path}\n        ${about}${fault === undefined ? "" : `\n        FAULT: ${fault}`}`)
const count = (outcome: Result["outcome"]): number => results.filter((result) => result.outcome === outcome).length
const faults = results.filter(({ fault }) => fault !== undefined).length
console.log(
  `${results.length} files: ${count("read")} read, ${count("refused")} refused, ${count("failed")} failed, ${faults} with a fault`
)
process.exit(faults === 0 ? 0 : 1)
