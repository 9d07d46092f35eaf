import { getFrom, list, listFrom, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { ClosingBody, ReconciledAccountBody } from "../../representations/reconciliation/closing.ts"
import {
  ClosingKind,
  Closings,
  CreateClosing,
  ListClosings,
  ListReconciliation
} from "../../resources/reconciliation/closing.ts"
import { reconciliationGroup, type Registration } from "../registration.ts"

const operations = {
  operator: section(reconciliationGroup, {
    closings: {
      create: post(
        "createClosing",
        "/operator/v1/closings",
        {
          role: "treasury",
          summary: "Close a day of an external account",
          description:
            "Seals the day when `unexplained` is zero, or with `accept` and a note; otherwise the response is `invalid_status`. With `unexplained`, it accepts that amount and no other. A sealed day never changes, and returns its seal when it is closed again. A line that comes later, also of a day before it, counts on the first day after the latest sealed one.",
          input: CreateClosing,
          output: ClosingBody,
          examples: {
            day: { external_account_id: "xac_01j9z3k4m5n6p7q8r9s0t1v2w3", date: "2026-01-05" },
            accepted: {
              external_account_id: "xac_01j9z3k4m5n6p7q8r9s0t1v2w3",
              date: "2026-01-05",
              accept: true,
              note: "The bank mends its fee tomorrow"
            }
          },
          refusals: ["not_found", "invalid_status"]
        },
        ({ call, input }) => Closings.use((s) => s.create(call, input))
      ),
      list: listFrom(Closings, "listClosings", "/operator/v1/closings", ListClosings, ClosingBody, "List closes"),
      get: getFrom(Closings, "getClosing", "/operator/v1/closings/:id", { id: Id("cls") }, ClosingBody, "Get a close")
    },
    reconciliation: {
      list: list(
        "listReconciliation",
        "/operator/v1/reconciliation",
        {
          summary: "Compare the books with the statements",
          description:
            "One row for each active external account, on a day. `statement` of all accounts of a provider and a currency = `ledger` − `outstanding` + the open lines, money in less money out.",
          input: ListReconciliation,
          output: ReconciledAccountBody
        },
        ({ input }) => Closings.use((s) => s.reconciliation(input))
      )
    }
  })
} as const satisfies Sections

export const closing = {
  kind: ClosingKind,
  layer: Closings.layer,
  operations
} satisfies Registration
