import { Effect, Schema } from "effect"
import { get, list, section, type Sections } from "../../calls/operation.ts"
import { describe, paging } from "../../input/schemas.ts"
import { LedgerReports, Stuck } from "../../reports/ledger.ts"
import { EntryBody, HistoryBody, StuckBody, TrialBalanceBody } from "../../representations/operator.ts"
import { nameMerchants } from "../named-rows.ts"
import { answerIn, reportFormat, reportFormats } from "../report-file.ts"
import { operatorGroup, type Registration } from "../registration.ts"

const operations = {
  operator: section(operatorGroup, {
    ledger: {
      trialBalance: get(
        "getTrialBalance",
        "/operator/v1/ledger/trial-balance",
        {
          summary: "Get the trial balance",
          input: Schema.Struct(reportFormat),
          output: TrialBalanceBody,
          formats: reportFormats
        },
        ({ input: { format } }) =>
          Effect.map(
            LedgerReports.use((s) => s.trialBalance),
            answerIn(TrialBalanceBody, ["classes", "currencies"], format)
          )
      ),
      entries: nameMerchants(
        list(
          "listEntries",
          "/operator/v1/ledger/accounts/:account/entries",
          {
            summary: "List the entries of an account",
            params: {
              account: describe(
                Schema.String,
                "The id of the account: its class and what it belongs to, or the class alone.",
                "available:wal_01j9z3k4m5n6p7q8r9s0t1v2w3"
              )
            },
            input: Schema.Struct(paging),
            output: EntryBody
          },
          ({ params, input }) => LedgerReports.use((s) => s.entries(params.account, input))
        )
      )
    },
    /** The transitions of a resource, with their postings and events. */
    history: get(
      "getHistory",
      "/operator/v1/resources/:id/history",
      {
        summary: "List the transitions of a resource, with their postings and events",
        params: {
          id: describe(Schema.String, "The id of the resource, of any kind.", "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3")
        },
        output: HistoryBody
      },
      ({ params }) => LedgerReports.use((s) => s.history(params.id))
    ),
    /** Resources that have not ended and have made no progress, oldest first. */
    stuck: nameMerchants(
      list(
        "listStuck",
        "/operator/v1/stuck",
        {
          summary: "List resources that have not ended and have made no progress, oldest first",
          input: Stuck,
          output: StuckBody
        },
        ({ input }) => LedgerReports.use((s) => s.stuck(input))
      )
    )
  })
} as const satisfies Sections

export const ledgerReports = { layer: LedgerReports.layer, operations } satisfies Registration
