import { Layer } from "effect"
import { get, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { StatementMappingBody } from "../../representations/reconciliation/statement-mapping.ts"
import {
  CreateStatementMapping,
  ListStatementMappings,
  StatementMappingKind,
  StatementMappings
} from "../../resources/reconciliation/statement-mapping.ts"
import { PreviewStatement, StatementPreviews } from "../../resources/reconciliation/statement-preview.ts"
import { StatementPreviewBody } from "../../representations/reconciliation/statement-preview.ts"
import { reconciliationGroup, type Registration } from "../registration.ts"

const operations = {
  operator: section(reconciliationGroup, {
    statementMappings: {
      create: post(
        "createStatementMapping",
        "/operator/v1/statement-mappings",
        {
          role: "treasury",
          summary: "Create a statement mapping",
          description:
            "How the columns of a bank's CSV are read. A mapping never changes, because files were read by it: create another.",
          input: CreateStatementMapping,
          output: StatementMappingBody,
          examples: {
            signed: {
              name: "Euro account, online export",
              external_account_id: "xac_01j9z3k4m5n6p7q8r9s0t1v2w3",
              columns: {
                booked_on: "Booking date",
                amount: "Amount",
                balance: "Balance",
                bank_reference: "Reference",
                remittance: ["Text", "Text 2"]
              },
              separator: ";",
              decimal: ",",
              thousands: ".",
              dates: "dmy",
              encoding: "windows-1252"
            },
            columns: {
              name: "Naira account",
              external_account_id: "xac_01j9z3k4m5n6p7q8r9s0t1v2w3",
              columns: { booked_on: 1, credit: 3, debit: 4, remittance: 2 },
              separator: ",",
              decimal: ".",
              dates: "ymd",
              header: false
            }
          },
          refusals: ["not_found"]
        },
        ({ call, input }) => StatementMappings.use((s) => s.create(call, input))
      ),
      preview: post(
        "previewStatementMapping",
        "/operator/v1/statement-mappings/preview",
        {
          role: "treasury",
          readsOnly: true,
          summary: "Preview a CSV by a statement mapping",
          description:
            "The first rows of a file, and the first three lines that a mapping makes of them, read as a statement would be. What is wrong with the file or the mapping is `fault`. Nothing is written.",
          input: PreviewStatement,
          output: StatementPreviewBody,
          examples: {
            rows: {
              external_account_id: "xac_01j9z3k4m5n6p7q8r9s0t1v2w3",
              start: "RGF0ZTtBbW91bnQKMjAyNi0wMS0wNTsxMi41MAo="
            }
          },
          refusals: ["not_found"]
        },
        ({ input }) => StatementPreviews.use((s) => s.preview(input))
      ),
      list: list(
        "listStatementMappings",
        "/operator/v1/statement-mappings",
        { summary: "List statement mappings", input: ListStatementMappings, output: StatementMappingBody },
        ({ input }) => StatementMappings.use((s) => s.list(input))
      ),
      get: get(
        "getStatementMapping",
        "/operator/v1/statement-mappings/:id",
        { summary: "Get a statement mapping", params: { id: Id("stp") }, output: StatementMappingBody },
        ({ params }) => StatementMappings.use((s) => s.get(params.id))
      )
    }
  })
} as const satisfies Sections

export const statementMapping = {
  kind: StatementMappingKind,
  layer: Layer.mergeAll(StatementMappings.layer, StatementPreviews.layer),
  operations
} satisfies Registration
