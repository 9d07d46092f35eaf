import { get, list, section, type Sections } from "../../calls/operation.ts"
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
        list: list(
          "listTransactions",
          "/v1/transactions",
          { summary: "List transactions", input: ListTransactions, output: TransactionBody },
          ({ call, input }) => Transactions.use((s) => s.list(call, input))
        ),
        get: get(
          "getTransaction",
          "/v1/transactions/:id",
          { summary: "Get a transaction", params: { id: Id("txn") }, output: TransactionBody },
          ({ call, params }) => Transactions.use((s) => s.get(call, params.id))
        ),
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
