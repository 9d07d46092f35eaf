/** `corridor breaks` */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Break } from "../../client/index.ts"
import { readTable } from "../../statements/csv/table.ts"
import { found, runFailure } from "../failure.ts"
import { readFileBytes, writeFileText } from "../files.ts"
import { pickOptions, makeOptionalTextFlag, printResult } from "../globals.ts"
import { Process } from "../process.ts"
import { asDryRun, asOperator, readAllItems, openOperatorApi, printAct } from "../server/api.ts"
import { account } from "./statements.ts"

const filters = {
  account: account.pipe(Flag.withDescription("Only those of this external account, xac_…")),
  kind: makeOptionalTextFlag("kind", "KIND", "Only those of this kind, such as missing_in_books"),
  severity: Flag.Literals("severity", ["high", "low"]).pipe(
    Flag.withDescription("Only those of this severity; high: money may have left twice, or is gone"),
    Flag.optional
  ),
  status: Flag.Literals("status", ["open", "resolved", "all"]).pipe(
    Flag.withDescription("open, resolved or all; default open"),
    Flag.withDefault("open" as const)
  )
}

const makeBreakQuery = ({ account, kind, severity, status }: Command.Command.Config.Infer<typeof filters>) => ({
  ...pickOptions({ external_account_id: account, kind, severity }),
  ...(status === "all" ? {} : { status })
})

const list = Command.make(
  "list",
  { ...filters, ...asOperator },
  Effect.fnUntraced(function* ({ profile, token, url, ...given }) {
    const api = yield* openOperatorApi({ url, token, profile })
    const breaks = (yield* readAllItems(api, "/operator/v1/breaks", {
      order: "urgent",
      ...makeBreakQuery(given)
    })) as ReadonlyArray<Break>
    yield* printResult(
      breaks.length === 0
        ? ["There are no such breaks."]
        : breaks.map((one) =>
            [
              one.id,
              one.severity.padEnd(4),
              one.kind,
              one.amount === null
                ? ""
                : `${one.amount} ${one.currency}${one.direction === null ? "" : ` ${one.direction}`}`,
              `since ${one.since}`,
              one.external_account_id,
              [...one.lines, ...one.resources].join(" "),
              one.status === "open" ? `can: ${one.actions.join(", ")}` : `resolved: ${one.action ?? ""}`
            ]
              .filter((part) => part !== "")
              .join("  ")
          ),
      { breaks }
    )
  })
).pipe(
  Command.withDescription(
    "Lists differences between the books and the statements, of severity high first and of each severity the oldest first, and what can be done."
  ),
  Command.withExamples([{ command: "corridor breaks list --severity high" }])
)

/** Parses the CSV table of a server's response. */
const parseTable = (url: string, text: string) =>
  Effect.try({
    try: () => readTable(text),
    catch: (fault) => runFailure(`${url} answers with no CSV: ${(fault as Error).message}`)
  })

const exportFile = Command.make(
  "export",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("The file to write; default the standard output"),
      Argument.optional
    ),
    ...filters,
    ...asOperator
  },
  Effect.fnUntraced(function* ({ file, profile, token, url, ...given }) {
    const { say } = yield* Process
    const api = yield* openOperatorApi({ url, token, profile })
    const query = new URLSearchParams({ ...makeBreakQuery(given), format: "csv" })
    const { data } = yield* api.ask("GET", `/operator/v1/breaks?${query}`)
    const text = String(data)
    if (Option.isNone(file)) return say(text.trimEnd())
    yield* writeFileText(file.value, text)
    const { length } = (yield* parseTable(api.url, text)).rows
    yield* printResult([`${file.value}: ${length} breaks.`], { file: file.value, breaks: length })
  })
).pipe(
  Command.withShortDescription("Write the breaks as a CSV file, to be edited and sent back"),
  Command.withDescription(
    "Writes the breaks as a CSV file. Fill in the columns action (match, explain, adopt, dismiss, unmatch, reopen) and note, and with explain from and to; then give the file to corridor breaks resolve. Cells that a spreadsheet would run are escaped."
  ),
  Command.withExamples([{ command: "corridor breaks export breaks.csv --account xac_01j9z3k4m5n6p7q8r9s0t1v2w3" }])
)

interface Row {
  readonly line: number
  readonly id: string | null
  readonly result: string
}

const resolve = Command.make(
  "resolve",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("The CSV file of corridor breaks export, with action and note filled in")
    ),
    output: makeOptionalTextFlag(
      "output",
      "FILE",
      "Write the file with a column result there: ok, skipped, the approval it waits for, or why not"
    ),
    ...asDryRun,
    ...asOperator
  },
  Effect.fnUntraced(function* ({ dryRun, file, output, ...given }) {
    const api = yield* openOperatorApi(given)
    const bytes = yield* readFileBytes(file)
    const response = yield* api.ask("POST", "/operator/v1/breaks/resolve", bytes, dryRun)
    const table = yield* parseTable(api.url, String(response.data))
    const rows: ReadonlyArray<Row> = table.rows.map(({ cells, line }) => ({
      line,
      id: cells["id"] || null,
      result: cells["result"] ?? ""
    }))
    const of = (wanted: string) => rows.filter(({ result }) => result === wanted).length
    const [succeeded, skipped] = [of("ok"), of("skipped")]
    const waiting = rows.filter(({ result }) => result.startsWith("waits for approval")).length
    const failed = rows.length - succeeded - skipped - waiting
    if (Option.isSome(output)) yield* writeFileText(output.value, String(response.data))
    const lines = [
      ...rows
        .filter(({ result }) => result !== "skipped")
        .map(({ id, line, result }) => `line ${line}  ${id ?? "no id"}  ${result}`),
      `${succeeded} resolved, ${waiting} waiting for approval, ${failed} refused, ${skipped} without an action.`
    ]
    const value = { succeeded, failed, skipped, waiting, rows }
    yield* printAct(response, lines, value)
    if (failed > 0) return yield* found
  })
).pipe(
  Command.withShortDescription("Resolve breaks as an edited file says"),
  Command.withDescription(
    "Resolves breaks as the rows of an edited file say. Each row succeeds or fails by itself, and one without an action is left. A row that was carried out says at a repeat that its break is resolved. Exit code 1 if a row is refused; one that waits for approval is none."
  ),
  Command.withExamples([{ command: "corridor breaks resolve breaks.csv --output results.csv" }])
)

export const breaks = Command.make("breaks").pipe(
  Command.withDescription(
    "The differences between the books and the statements. Resolving them takes a treasury token."
  ),
  Command.withSubcommands([list, exportFile, resolve])
)
