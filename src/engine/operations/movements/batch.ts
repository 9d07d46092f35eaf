import { get, list, listFrom, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { BatchBody, BatchRowBody, BatchSummaryBody, CheckedBatchBody } from "../../representations/movements/batch.ts"
import { Batches, CreateBatch, ListBatches, ListBatchRows } from "../../resources/movements/batch.ts"
import { BatchKind, BatchPartKind } from "../../resources/movements/batch-row.ts"
import { controlsGroup, type Registration } from "../registration.ts"

const one = { id: Id("bat") }

const getAbout = { summary: "Get a batch", params: one, output: CheckedBatchBody } as const
const rowsAbout = {
  summary: "List the rows of a batch",
  description: "The rows in their order, each with its movement as it is now. With `format=csv` all rows are one file.",
  params: one,
  input: ListBatchRows,
  output: BatchRowBody,
  formats: { csv: "text/csv" }
} as const

const summaryAbout = {
  summary: "Summarize the movements of a batch",
  description:
    "How many movements have each status now and what leaves the wallets for them, with those apart that wait for approval. It reads each movement.",
  params: one,
  output: BatchSummaryBody
} as const

const operations = {
  merchant: section(
    {
      id: "batches",
      title: "Batches",
      description: "Up to 10,000 payouts that are checked together, confirmed once, and paid row by row."
    },
    {
      batches: {
        create: post(
          "createBatch",
          "/v1/batches",
          {
            summary: "Check a batch",
            description:
              "Checks each row as its payment would be decided now, and the rows together: funds, and references that are used twice. Nothing is paid. The response is a `draft` with totals, fees, and the errors by row and column. It takes JSON, or a CSV file with the content type `text/csv` and the `reference` in the query; at most 10,000 rows and 4 MiB. The encoding of a file is that of its byte order mark, else the `charset` of the content type, else UTF-8. Rows count from 1, without the header and without empty rows.",
            input: CreateBatch,
            output: CheckedBatchBody,
            csv: true,
            bodyBytes: 4 * 1024 * 1024,
            refusals: ["duplicate_resource"],
            examples: {
              payroll: {
                reference: "payroll-2026-01",
                rows: [
                  {
                    operation: "offramp",
                    wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3",
                    beneficiary_id: "ben_01j9z3k4m5n6p7q8r9s0t1v2w3",
                    source_amount: "100.00"
                  },
                  {
                    operation: "transfer",
                    wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3",
                    beneficiary_id: "ben_01j9z3k4m5n6p7q8r9s0t1v2w3",
                    amount: "25.00",
                    reference: "INV/2026/1042"
                  }
                ]
              }
            }
          },
          ({ call, input }) => Batches.use((s) => s.create(call, input))
        ),
        list: listFrom(Batches, "listBatches", "/v1/batches", ListBatches, BatchBody),
        get: get("getBatch", "/v1/batches/:id", getAbout, ({ call, params }) =>
          Batches.use((s) => s.get(call, params.id))
        ),
        rows: list("listBatchRows", "/v1/batches/:id/rows", rowsAbout, ({ call, input, params }) =>
          Batches.use((s) => s.rows(call, params.id, input))
        ),
        summary: get("getBatchSummary", "/v1/batches/:id/summary", summaryAbout, ({ call, params }) =>
          Batches.use((s) => s.summary(call, params.id))
        ),
        confirm: post(
          "confirmBatch",
          "/v1/batches/:id/confirm",
          {
            action: "batch",
            readCurrent: ({ call, params }) => Batches.use((s) => s.get(call, params.id)),
            summary: "Pay a batch",
            description:
              "Pays the rows without an error, each as a movement of its own: with its reference, its quote, its events. A row that is refused then, for lack of funds for instance, fails by itself. Confirmed again, the batch is returned as it is.",
            params: one,
            output: CheckedBatchBody,
            refusals: ["invalid_status", "duplicate_resource", "invalid_input", "external_service_unavailable"]
          },
          ({ call, params }) => Batches.use((s) => s.confirm(call, params.id))
        ),
        cancel: post(
          "cancelBatch",
          "/v1/batches/:id/cancel",
          {
            summary: "Cancel a batch",
            description: "Stops the rows that have not begun. Rows that have become movements stay as they are.",
            params: one,
            output: CheckedBatchBody,
            refusals: ["invalid_status"]
          },
          ({ call, params }) => Batches.use((s) => s.cancel(call, params.id))
        )
      }
    }
  ),
  operator: section(controlsGroup, {
    batches: {
      get: get(
        "getMerchantBatch",
        "/operator/v1/batches/:id",
        { ...getAbout, summary: "Get a merchant's batch", description: "What an approval of a batch is about." },
        ({ call, params }) => Batches.use((s) => s.get(call, params.id))
      ),
      rows: list(
        "listMerchantBatchRows",
        "/operator/v1/batches/:id/rows",
        { ...rowsAbout, summary: "List the rows of a merchant's batch" },
        ({ call, input, params }) => Batches.use((s) => s.rows(call, params.id, input))
      ),
      summary: get(
        "getMerchantBatchSummary",
        "/operator/v1/batches/:id/summary",
        { ...summaryAbout, summary: "Summarize the movements of a merchant's batch" },
        ({ call, params }) => Batches.use((s) => s.summary(call, params.id))
      )
    }
  })
} as const satisfies Sections

export const batch = {
  kind: BatchKind,
  records: [BatchPartKind],
  layer: Batches.layer,
  operations
} satisfies Registration
