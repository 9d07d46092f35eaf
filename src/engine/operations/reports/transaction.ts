import { get, getFrom, listFrom, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { Timelines } from "../../reports/timeline/timeline.ts"
import { ListTransactions, Transactions } from "../../reports/transaction.ts"
import { TransactionBody } from "../../representations/movements/transaction.ts"
import { TimelineBody } from "../../representations/timeline.ts"
import type { Registration } from "../registration.ts"

const operations = {
  merchant: section(
    { id: "transactions", title: "Transactions", description: "The history of all movements and deposits." },
    {
      transactions: {
        list: listFrom(Transactions, "listTransactions", "/v1/transactions", ListTransactions, TransactionBody),
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

export const transaction = { layer: Transactions.layer, operations } satisfies Registration
