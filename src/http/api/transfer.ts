/** Transfers (interface, POST /v1/transfers; decisions 9). */
import { TransferBody } from "../../engine/representations/transfer.ts"
import { CreateTransfer, ListTransfers } from "../../engine/resources/transfer.ts"
import { Id } from "../../engine/schemas.ts"
import { get, group, list, post } from "./contract.ts"

export const TransfersApi = group("transfers", "Transfers", "Crypto paid from a wallet to a crypto beneficiary.").add(
  post("createTransfer", "/v1/transfers", CreateTransfer, TransferBody, {
    summary: "Create a transfer",
    description: "The amount is reserved at once, and the transfer answers `processing`. Its outcome is read, or arrives as an event.",
    limited: true,
    as: "transfer",
    errors: ["not_found", "invalid_amount_precision", "duplicate_resource", "invalid_status", "ledger_insufficient_funds"],
    examples: {
      usdc: {
        wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3",
        beneficiary_id: "ben_01j9z3k4m5n6p7q8r9s0t1v2w3",
        amount: "25.00",
        reference: "invoice-1042",
        metadata: { order: "1042" }
      }
    }
  }),
  list("listTransfers", "/v1/transfers", TransferBody, { summary: "List transfers", query: ListTransfers }),
  get("getTransfer", "/v1/transfers/:id", TransferBody, { summary: "Show a transfer", params: { id: Id("tfr") } })
)
