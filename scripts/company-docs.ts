/** Writes the tables of `docs/providers` from the tables that the connectors of companies decide by. */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import {
  type AnswerRow,
  answers,
  refundStates,
  type StateRow,
  transferStates
} from "../src/adapters/provider/paystack/mapping.ts"

export const path = fileURLToPath(new URL("../docs/providers/paystack.md", import.meta.url))

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const statesOf = (states: Readonly<Record<string, StateRow>>): string =>
  table(
    ["State", "Meaning", "Money has left", "It may still leave", "Corridor"],
    Object.entries(states).map(([word, { left, mayLeave, means, port, waits }]) => [
      `\`${word}\``,
      means,
      left,
      mayLeave ? "yes" : "no",
      `\`${port}\`${waits === true ? ", and it waits for a person" : ""}`
    ])
  )

const portOf = ({ port, reason }: AnswerRow): string =>
  port === "look up"
    ? "it is looked up"
    : port === "unavailable"
      ? "waits, or goes to another provider"
      : `\`failed\`, and the money is released${reason === undefined ? "" : `; the reason begins with \`${reason.trim()}\``}`

const answersTable = (): string =>
  table(
    ["HTTP status", "Paystack says", "Executed", "Corridor"],
    answers.map((row) => [
      row.statuses?.join(", ") ?? "any",
      row.codes === undefined ? row.says : `${row.says} (${row.codes.map((code) => `\`${code}\``).join(", ")})`,
      row.executed === "no" ? "no" : "earlier, perhaps",
      portOf(row)
    ])
  )

/** A page with its tables. */
export const completed = (page: string): string =>
  Object.entries({
    transfers: statesOf(transferStates),
    refunds: statesOf(refundStates),
    answers: answersTable()
  }).reduce((text, [name, made]) => {
    const begin = `<!-- generated: ${name} -->\n`
    const [before, rest] = text.split(begin)
    if (before === undefined || rest === undefined) throw new Error(`${path} has no place for ${name}`)
    return `${before}${begin}${made}\n${rest.slice(rest.indexOf("<!-- end -->"))}`
  }, page)

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(path, completed(readFileSync(path, "utf8")))
