import { get, list, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { ListTransactions, Transactions } from "../../reports/transaction.ts"
import { TransactionBody } from "../../representations/movements/transaction.ts"
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
        )
      }
    }
  )
} as const satisfies Sections

export const transaction = { layer: Transactions.layer, operations } satisfies Registration
