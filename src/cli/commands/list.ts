/** `corridor list RESOURCE` */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type AnyOperation, formatNameOf } from "../../engine/calls/operation.ts"
import { csvCellsOf, csvColumnsOf } from "../../engine/input/csv-columns.ts"
import { entries } from "../../engine/operations.ts"
import { usageFailure } from "../failure.ts"
import { switchFlag, optionalText, print, wholeNumber } from "../globals.ts"
import { Process } from "../process.ts"
import { asEither, eitherApi, type ServerApi } from "../server/api.ts"

const prefixes = { merchant: "/v1/", operator: "/operator/v1/" } as const

/** The lists of a credential that are under no other resource, by the part of the path that names them. */
const listsOf = (credential: ServerApi["credential"]): ReadonlyMap<string, AnyOperation> =>
  new Map(
    entries.flatMap(({ operation }) => {
      const { list, names, path } = operation
      const prefix = prefixes[credential]
      const isOne = list && names.length === 0 && path.startsWith(prefix) && !path.includes("/search")
      return isOne ? [[path.slice(prefix.length), operation] as const] : []
    })
  )

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
    resource: Argument.String("resource").pipe(
      Argument.withDescription(
        "What is listed: movements, transactions, offramps, customers, audit, … as in the path of the API"
      )
    ),
    where: Flag.KeyValuePair("where").pipe(
      Flag.withMetavar("NAME=VALUE"),
      Flag.withDescription("A filter of the list, such as status=failed; may be repeated"),
      Flag.optional
    ),
    fields: optionalText("fields", "NAMES", "The members of a line, joined by commas, such as id,status,customer.name"),
    csv: switchFlag("csv").pipe(
      Flag.withDescription("Print all that match as CSV with all members, at most 100,000 rows, instead of a page")
    ),
    page: wholeNumber("page", 1, 1_000_000).pipe(Flag.withDescription("The page; default 1"), Flag.optional),
    ...asEither
  },
  Effect.fnUntraced(function* ({ csv, fields, page, resource, where, ...given }) {
    const api = yield* eitherApi(given)
    const lists = listsOf(api.credential)
    const operation = lists.get(resource)
    if (operation === undefined)
      return yield* usageFailure(
        `RESOURCE is ${JSON.stringify(resource)}; with ${api.credential === "merchant" ? "an API key" : "an operator's token"} it takes one of ${[...lists.keys()].toSorted().join(", ")}.`
      )
    const columns = csvColumnsOf(operation.output)
    const named = (name: string) => columns.find((column) => column.join(".") === name)
    const chosen = Option.match(fields, { onNone: () => usual.filter(named), onSome: (text) => text.split(",") })
    const unknown = chosen.find((name) => named(name) === undefined)
    if (unknown !== undefined)
      return yield* usageFailure(
        `--fields has ${JSON.stringify(unknown)}; ${resource} have ${columns.map((column) => column.join(".")).join(", ")}.`
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
    const rows = data as ReadonlyArray<unknown>
    const total = Number(meta["total"])
    const lines = rows.map((row) =>
      csvCellsOf(
        chosen.flatMap((name) => [named(name) ?? []]),
        row
      )
        .map((cell) => cell ?? "-")
        .join("  ")
    )
    const more = total > rows.length ? [`${rows.length} of ${total}; --page has the others, --csv has all.`] : []
    yield* print([...(lines.length === 0 ? ["Nothing matches."] : lines), ...more], { data, meta })
  })
).pipe(
  Command.withShortDescription("List resources, as lines, JSON or CSV"),
  Command.withDescription(
    "Lists the resources of a running server: with a merchant's API key those of /v1, with an operator's token those of /operator/v1. With --csv it prints all that match as a file for spreadsheets."
  ),
  Command.withExamples([
    { command: "corridor list offramps --where status=failed" },
    { command: "corridor list movements --where currency=NGN --where created_after=2026-01-31 --csv > ngn.csv" }
  ])
)
