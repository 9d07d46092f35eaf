/** `corridor close ACCOUNT DATE` */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Closing } from "../../client/index.ts"
import { pickOptions, makeOptionalTextFlag, makeSwitch } from "../globals.ts"
import { asDryRun, asOperator, openOperatorApi, printAct } from "../server/api.ts"

export const close = Command.make(
  "close",
  {
    account: Argument.String("account").pipe(Argument.withDescription("The external account, xac_…")),
    date: Argument.String("date").pipe(Argument.withDescription("The day in the account's time zone, as 2026-01-05")),
    accept: makeSwitch("accept").pipe(
      Flag.withDescription("Seal the day although something is unexplained; it takes --note")
    ),
    note: makeOptionalTextFlag("note", "TEXT", "Why; the close and the audit log show it"),
    ...asDryRun,
    ...asOperator
  },
  Effect.fnUntraced(function* ({ accept, account, date, dryRun, note, ...given }) {
    const api = yield* openOperatorApi(given)
    const body = { external_account_id: account, date, ...(accept ? { accept } : {}), ...pickOptions({ note }) }
    const response = yield* api.ask("POST", "/operator/v1/closings", body, dryRun)
    const c = response.data as Closing
    yield* printAct(response, [
      `${c.external_account_id} ${c.date}: ${c.accepted ? "sealed although not all is explained" : "sealed"}, ${c.id}`,
      `  opening ${c.opening}, booked ${c.booked}, closing ${c.closing} ${c.currency}; statement ${c.statement_closing ?? "without a balance"}`,
      `  outstanding ${c.outstanding}, explained ${c.explained}, unexplained ${c.unexplained}; ${c.lines} lines`,
      `  by ${c.sealed_by} at ${c.sealed_at}${c.note === null ? "" : `: ${c.note}`}`
    ])
  })
).pipe(
  Command.withShortDescription("Close a day of an external account"),
  Command.withDescription(
    "Seals a day of an external account when nothing of it is unexplained, or with --accept and a note. A sealed day never changes, and is printed as it was sealed. Exit code 1 if the day is not sealed."
  ),
  Command.withExamples([
    { command: "corridor close xac_01j9z3k4m5n6p7q8r9s0t1v2w3 2026-01-05" },
    {
      command:
        'corridor close xac_01j9z3k4m5n6p7q8r9s0t1v2w3 2026-01-05 --accept --note "The bank mends its fee tomorrow"',
      description: "Although something is unexplained"
    }
  ])
)
