import { Effect, Layer } from "effect"
import { get, getFrom, listFrom, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { Timelines } from "../../reports/timeline/timeline.ts"
import { MovementTotals, OwnTotals } from "../../reports/movement-totals.ts"
import { ListTransactions, Transactions } from "../../reports/transaction.ts"
import { TotalsBody } from "../../representations/movements/totals.ts"
import { TransactionBody } from "../../representations/movements/transaction.ts"
import { TimelineBody } from "../../representations/timeline.ts"
import { nameCustomers } from "../named-rows.ts"
import { answerIn, reportFormats, withFormat } from "../report-file.ts"
import type { Registration } from "../registration.ts"

export const totalsDescription =
  "How many movements there are, how they ended, and what those that succeeded have taken, paid out and cost. `by` separates rows. At most 100,000 are counted: with more, narrow them by `created_after` and `created_before`."

const operations = {
  merchant: section(
    { id: "transactions", title: "Transactions", description: "The history of all movements and deposits." },
    {
      transactions: {
        list: nameCustomers(
          listFrom(Transactions, "listTransactions", "/v1/transactions", ListTransactions, TransactionBody),
          "ListedTransaction"
        ),
        totals: get(
          "getTransactionTotals",
          "/v1/transactions/totals",
          {
            summary: "Get totals of transactions",
            description: `${totalsDescription} They are the movements that \`GET /v1/transactions\` lists with the same filters: refunds, forwards and credits of the operator are not counted.`,
            input: withFormat(OwnTotals),
            output: TotalsBody,
            formats: reportFormats
          },
          ({ call, input: { format, ...input } }) =>
            Effect.map(
              MovementTotals.use((s) => s.own(call, input)),
              answerIn(TotalsBody, ["rows"], format)
            )
        ),
        get: getFrom(Transactions, "getTransaction", "/v1/transactions/:id", { id: Id("txn") }, TransactionBody),
        timeline: get(
          "getTransactionTimeline",
          "/v1/transactions/:id/timeline",
          {
            summary: "Get the timeline of a transaction",
            description: "The timeline of the movement or the deposit that the transaction shows.",
            params: { id: Id("txn") },
            output: TimelineBody
          },
          ({ call, params }) => Timelines.use((s) => s.own(call, params.id))
        )
      }
    }
  )
} as const satisfies Sections

export const transaction = {
  layer: Layer.mergeAll(Transactions.layer, MovementTotals.layer),
  operations
} satisfies Registration
