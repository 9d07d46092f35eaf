/** `corridor list RESOURCE` */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { formatNameOf } from "../../engine/calls/operation.ts"
import { makeSwitch, printResult, makeIntegerFlag } from "../globals.ts"
import { Process } from "../process.ts"
import { asEither, openEitherApi } from "../server/api.ts"
import { fieldsFlag, chooseFields, requireOperation, makeResourceArgument } from "../server/resources.ts"

/** The members that a line has, where its resource has them and nobody names others. */
const usual = [
  "id",
  "event_id",
  "account",
  "status",
  "type",
  "name",
  "reference",
  "recipient",
  "amount",
  "source_amount",
  "source_currency",
  "balance",
  "currency",
  "created_at"
]

export const list = Command.make(
  "list",
  {
    resource: makeResourceArgument("list"),
    where: Flag.KeyValuePair("where").pipe(
      Flag.withMetavar("NAME=VALUE"),
      Flag.withDescription("A filter of the list, such as status=failed; may be repeated"),
      Flag.optional
    ),
    fields: fieldsFlag,
    csv: makeSwitch("csv").pipe(
      Flag.withDescription("Print all that match as CSV with all members, at most 100,000 rows, instead of a page")
    ),
    page: makeIntegerFlag("page", 1, 1_000_000).pipe(Flag.withDescription("The page; default 1"), Flag.optional),
    ...asEither
  },
  Effect.fnUntraced(function* ({ csv, fields, page, resource, where, ...given }) {
    const api = yield* openEitherApi(given)
    const operation = yield* requireOperation(api.credential, "list", resource)
    const { isReport, names, rowsIn } = yield* chooseFields(operation, resource, fields, (all) =>
      usual.filter((name) => all.includes(name))
    )
    const parameters = new URLSearchParams(Option.getOrElse(where, () => ({})))
    if (csv) {
      parameters.set(formatNameOf(operation), "csv")
      const { say } = yield* Process
      const { data } = yield* api.ask("GET", `${operation.path}?${parameters}`)
      return say(String(data).replace(/\r\n$/, ""))
    }
    Option.map(page, (value) => parameters.set("page", String(value)))
    const { data, meta } = yield* api.ask("GET", `${operation.path}?${parameters}`)
    const rows = rowsIn(data)
    // A report has all its rows, and no total. Its figures say nothing without their names.
    const total = Number(meta["total"])
    const isPrinted = names.map(
      (_, at) =>
        !isReport || Option.isSome(fields) || rows.some((cells) => cells[at] !== null && cells[at] !== undefined)
    )
    const lines = [...(isReport && rows.length > 0 ? [names] : []), ...rows].map((cells) =>
      cells
        .filter((_, at) => isPrinted[at])
        .map((cell) => cell ?? "-")
        .join("  ")
    )
    const more = total > rows.length ? [`${rows.length} of ${total}; --page has the others, --csv has all.`] : []
    yield* printResult([...(lines.length === 0 ? ["Nothing matches."] : lines), ...more], { data, meta })
  })
).pipe(
  Command.withShortDescription("List resources, as lines, JSON or CSV"),
  Command.withDescription(
    "Lists the resources of a running server: with a merchant's API key those of /v1, with an operator's token those of /operator/v1. With --csv it prints all that match as a file for spreadsheets. Figures, such as stats, transactions/totals and ledger/trial-balance, are lists of their rows."
  ),
  Command.withExamples([
    { command: "corridor list offramps --where status=failed" },
    { command: "corridor list movements --where currency=NGN --where created_after=2026-01-31 --csv > ngn.csv" },
    { command: "corridor list movements/totals --where by=type,status --csv > totals.csv" }
  ])
)
