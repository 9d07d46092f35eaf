import { Effect } from "effect"
import { Transactions } from "../../engine/reports/transaction.ts"
import { TransactionsApi } from "../api/transaction.ts"
import { endpoints } from "../endpoint.ts"

export const transactionEndpoints = Effect.map(Transactions, (transactions) =>
  endpoints(TransactionsApi, {
    listTransactions: ({ call, query }) => transactions.list(call, query),
    getTransaction: ({ call, params }) => transactions.get(call, params.id)
  })
)
