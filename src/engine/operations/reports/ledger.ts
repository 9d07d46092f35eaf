import { Schema } from "effect"
import { get, list, section, type Sections } from "../../calls/operation.ts"
import { paging } from "../../input/schemas.ts"
import { operatorGroup } from "../groups.ts"
import { LedgerReports, Stuck } from "../../reports/ledger.ts"
import { EntryBody, HistoryBody, StuckBody, TrialBalanceBody } from "../../representations/operator.ts"
import type { Registration } from "../registration.ts"

const operations = {
  operator: section(operatorGroup, {
    ledger: {
      trialBalance: get(
        "getTrialBalance",
        "/operator/v1/ledger/trial-balance",
        { summary: "Show the trial balance", output: TrialBalanceBody },
        () => LedgerReports.use((s) => s.trialBalance)
      ),
      entries: list(
        "listEntries",
        "/operator/v1/ledger/accounts/:account/entries",
        {
          summary: "List the entries of an account",
          params: { account: Schema.String },
          input: Schema.Struct(paging),
          output: EntryBody
        },
        ({ params, input }) => LedgerReports.use((s) => s.entries(params.account, input))
      )
    },
    /** Every transition of a resource, with the postings and events it made. */
    history: get(
      "getHistory",
      "/operator/v1/resources/:id/history",
      {
        summary: "Show every transition of a resource, with the postings and events it made",
        params: { id: Schema.String },
        output: HistoryBody
      },
      ({ params }) => LedgerReports.use((s) => s.history(params.id))
    ),
    /** What is not at its end and has made no progress, oldest first. */
    stuck: list(
      "listStuck",
      "/operator/v1/stuck",
      {
        summary: "List resources that are not at their end and have made no progress, oldest first",
        input: Stuck,
        output: StuckBody
      },
      ({ input }) => LedgerReports.use((s) => s.stuck(input))
    )
  })
} as const satisfies Sections

export const books = { layer: LedgerReports.layer, operations } satisfies Registration
