import { TransactionBody } from "../../engine/representations/movements/transaction.ts"
import { ListTransactions } from "../../engine/reports/transaction.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, list } from "./contract.ts"

export const TransactionsApi = group(
  "transactions",
  "Transactions",
  "The one history of all movements and deposits."
).add(
  list("listTransactions", "/v1/transactions", TransactionBody, {
    summary: "List transactions",
    query: ListTransactions
  }),
  get("getTransaction", "/v1/transactions/:id", TransactionBody, {
    summary: "Get a transaction",
    params: { id: Id("txn") }
  })
)
