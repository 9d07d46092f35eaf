/** `corridor statements` */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { BankStatement } from "../../client/index.ts"
import { readFileBytes } from "../files.ts"
import { pickOptions, makeOptionalTextFlag, printResult } from "../globals.ts"
import { asDryRun, asOperator, readAllItems, openOperatorApi, printAct } from "../server/api.ts"

const formatStatementWithWarnings = (one: BankStatement): ReadonlyArray<string> => [
  [
    one.id,
    one.external_account_id,
    one.format,
    one.number === null ? "" : `number ${one.number}`,
    one.from === one.to ? (one.to ?? "") : `${one.from ?? "?"} to ${one.to ?? "?"}`,
    `${one.opening_balance ?? "?"} to ${one.closing_balance ?? "?"} ${one.currency}`,
    `${one.lines} lines${one.pending === 0 ? "" : `, ${one.pending} pending`}`
  ]
    .filter((part) => part !== "")
    .join("  "),
  ...one.warnings.map(({ code, message, place }) => `  ${place === null ? "" : `${place}: `}${message} (${code})`)
]

export const account = makeOptionalTextFlag("account", "ID", "The external account, xac_…")

const importFile = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The file, as the bank made it: at most 64 MiB")),
    account: account.pipe(Flag.withDescription("The external account, xac_…, of a file that names none")),
    mapping: makeOptionalTextFlag("mapping", "ID", "The statement mapping by which a CSV file is read, stp_…"),
    format: makeOptionalTextFlag(
      "format",
      "FORMAT",
      "The format, where it cannot be recognised: camt.053, mt940, bai2, csv, …"
    ),
    ...asDryRun,
    ...asOperator
  },
  Effect.fnUntraced(function* ({ account, dryRun, file, format, mapping, ...given }) {
    const api = yield* openOperatorApi(given)
    const query = new URLSearchParams(pickOptions({ external_account_id: account, mapping, format }))
    const path = `/operator/v1/statements${query.size === 0 ? "" : `?${query}`}`
    const response = yield* api.ask("POST", path, yield* readFileBytes(file), dryRun)
    const statements = response.data as ReadonlyArray<BankStatement>
    const again = response.isReplayed ? ["The same file was taken before. These are its statements:"] : []
    yield* printAct(response, [...again, ...statements.flatMap(formatStatementWithWarnings)], {
      statements,
      ...(dryRun ? {} : { replayed: response.isReplayed })
    })
  })
).pipe(
  Command.withShortDescription("Give the server a file of bank statements"),
  Command.withDescription(
    "Gives the server a file of bank statements: camt.052, camt.053, camt.054, MT940, MT942, BAI2, or CSV by a mapping. It is taken whole or refused whole, with the place, what was found and what is taken. The same file again gives the same statements."
  ),
  Command.withExamples([
    { command: "corridor statements import january.xml" },
    {
      command: "corridor statements import export.csv --mapping stp_01j9z3k4m5n6p7q8r9s0t1v2w3",
      description: "A CSV file"
    }
  ])
)

const list = Command.make(
  "list",
  { account: account.pipe(Flag.withDescription("Only those of this external account, xac_…")), ...asOperator },
  Effect.fnUntraced(function* ({ account, ...given }) {
    const api = yield* openOperatorApi(given)
    const query = pickOptions({ external_account_id: account })
    const statements = (yield* readAllItems(
      api,
      "/operator/v1/statements",
      query,
      true
    )) as ReadonlyArray<BankStatement>
    yield* printResult(
      statements.length === 0 ? ["There are no statements."] : statements.flatMap(formatStatementWithWarnings),
      { statements }
    )
  })
).pipe(
  Command.withDescription("Lists the bank statements that were taken, newest first, with their warnings."),
  Command.withExamples([{ command: "corridor statements list --account xac_01j9z3k4m5n6p7q8r9s0t1v2w3" }])
)

export const statements = Command.make("statements").pipe(
  Command.withDescription("The statements of banks and chains. Giving one to the server takes a treasury token."),
  Command.withSubcommands([importFile, list])
)
