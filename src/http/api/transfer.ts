import { TransferBody } from "../../engine/representations/movements/transfer.ts"
import { CreateTransfer, ListTransfers } from "../../engine/resources/movements/transfer.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, list, post } from "./contract.ts"

export const TransfersApi = group("transfers", "Transfers", "Crypto from a wallet to a crypto beneficiary.").add(
  post("createTransfer", "/v1/transfers", CreateTransfer, TransferBody, {
    summary: "Pay crypto to a beneficiary",
    description:
      "The amount is reserved at once and paid out asynchronously: the outcome is read, or arrives as an event.",
    limited: true,
    as: "transfer",
    errors: [
      "invalid_input",
      "invalid_amount_precision",
      "not_found",
      "invalid_status",
      "duplicate_resource",
      "ledger_insufficient_funds",
      "external_service_unavailable"
    ],
    examples: {
      transfer: {
        wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3",
        beneficiary_id: "ben_01j9z3k4m5n6p7q8r9s0t1v2w3",
        amount: "25.00",
        reference: "invoice-1042"
      }
    }
  }),
  list("listTransfers", "/v1/transfers", TransferBody, { summary: "List transfers", query: ListTransfers }),
  get("getTransfer", "/v1/transfers/:id", TransferBody, { summary: "Get a transfer", params: { id: Id("tfr") } })
)
