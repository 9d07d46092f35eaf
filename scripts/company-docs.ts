/** Writes the tables of `docs/providers` from the tables that the connectors of companies decide by. */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { answers, refundStates, transferStates } from "../src/adapters/provider/paystack/mapping.ts"
import { type ActivityRow, activities } from "../src/adapters/provider/bridge/activity.ts"
import * as bridge from "../src/adapters/provider/bridge/mapping.ts"
import * as circle from "../src/adapters/provider/circle/mapping.ts"
import type { AnswerRow, StateRow } from "../src/adapters/provider/company/tables.ts"

const pathOf = (company: string): string => fileURLToPath(new URL(`../docs/providers/${company}.md`, import.meta.url))

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const statesOf = (states: Readonly<Record<string, StateRow>>): string =>
  table(
    ["State", "Meaning", "Money has left", "It may still leave", "Corridor"],
    Object.entries(states).map(([word, { awaited_person, left, mayLeave, means, port }]) => [
      `\`${word}\``,
      means,
      left,
      mayLeave ? "yes" : "no",
      `\`${port}\`${awaited_person === undefined ? "" : `, and it waits for a person: ${awaited_person.party}, to ${awaited_person.action}`}`
    ])
  )

const portOf = ({ port, reason }: AnswerRow): string =>
  port === "look up"
    ? "it is looked up"
    : port === "unknown"
      ? "unknown, and an operator looks into it"
      : port === "unavailable"
        ? "waits, or goes to another provider"
        : `\`failed\`, and the money is released${reason === undefined ? "" : `; the reason begins with \`${reason.trim()}\``}`

const answersOf = (company: string, rows: ReadonlyArray<AnswerRow>): string =>
  table(
    ["HTTP status", `${company} says`, "Executed", "Corridor"],
    rows.map((row) => [
      row.statuses?.join(", ") ?? "any",
      row.codes === undefined ? row.says : `${row.says} (${row.codes.map((code) => `\`${code}\``).join(", ")})`,
      row.executed === "no" ? "no" : "earlier, perhaps",
      portOf(row)
    ])
  )

const depositWords: Readonly<Record<ActivityRow["port"], string>> = {
  none: "nothing",
  waits: "it waits",
  arrived: "it waits, and its amount is known",
  confirmed: "the pay-in is `confirmed`",
  failed: "nothing, or `failed` if it was confirmed before"
}

const activitiesOf = (rows: Readonly<Record<string, ActivityRow>>): string =>
  table(
    ["Activity", "Meaning", "Corridor"],
    Object.entries(rows).map(([word, { means, port }]) => [`\`${word}\``, means, depositWords[port]])
  )

/** The pages, with the tables that they have. */
export const pages = [
  {
    path: pathOf("paystack"),
    tables: {
      transfers: statesOf(transferStates),
      refunds: statesOf(refundStates),
      answers: answersOf("Paystack", answers)
    }
  },
  {
    path: pathOf("circle"),
    tables: {
      transfers: statesOf(circle.states.transfer),
      payouts: statesOf(circle.states.payout),
      answers: answersOf("Circle", circle.answers)
    }
  },
  {
    path: pathOf("bridge"),
    tables: {
      transfers: statesOf(bridge.states),
      activity: activitiesOf(activities),
      answers: answersOf("Bridge", bridge.answers)
    }
  }
]

/** A page with its tables. */
export const fillTables = ({ path, tables }: (typeof pages)[number], page: string): string =>
  Object.entries(tables).reduce((text, [name, made]) => {
    const begin = `<!-- generated: ${name} -->\n`
    const [before, rest] = text.split(begin)
    if (before === undefined || rest === undefined) throw new Error(`${path} has no place for ${name}`)
    return `${before}${begin}${made}\n${rest.slice(rest.indexOf("<!-- end -->"))}`
  }, page)

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const one of pages) writeFileSync(one.path, fillTables(one, readFileSync(one.path, "utf8")))
