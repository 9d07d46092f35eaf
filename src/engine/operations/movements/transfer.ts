import { getFrom, listFrom, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { TransferBody } from "../../representations/movements/transfer.ts"
import {
  CreateTransfer,
  ListTransfers,
  listPrefetchedParties,
  TransferKind,
  Transfers
} from "../../resources/movements/transfer.ts"
import type { Registration } from "../registration.ts"
import { declareTimeline } from "../reports/timeline.ts"

const operations = {
  merchant: section(
    { id: "transfers", title: "Transfers", description: "Payouts of crypto from a wallet to a crypto beneficiary." },
    {
      transfers: {
        create: post(
          "createTransfer",
          "/v1/transfers",
          {
            summary: "Pay crypto to a beneficiary",
            description:
              "The amount is reserved immediately and paid out asynchronously. Read the outcome, or receive it as an event.",
            input: CreateTransfer,
            output: TransferBody,
            limited: true,
            prefetch: ({ call, input }) => listPrefetchedParties(call.merchant_id, input),
            as: "transfer",
            examples: {
              transfer: {
                wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3",
                beneficiary_id: "ben_01j9z3k4m5n6p7q8r9s0t1v2w3",
                amount: "25.00",
                reference: "invoice-1042"
              }
            },
            refusals: [
              "invalid_input",
              "invalid_amount_precision",
              "not_found",
              "invalid_status",
              "duplicate_resource",
              "ledger_insufficient_funds",
              "external_service_unavailable"
            ]
          },
          ({ call, input }) => Transfers.use((s) => s.create(call, input))
        ),
        list: listFrom(Transfers, "listTransfers", "/v1/transfers", ListTransfers, TransferBody),
        get: getFrom(Transfers, "getTransfer", "/v1/transfers/:id", { id: Id("tfr") }, TransferBody),
        timeline: declareTimeline("getTransferTimeline", "/v1/transfers/:id/timeline", "tfr", "a transfer")
      }
    }
  )
} as const satisfies Sections

export const transfer = { kind: TransferKind, layer: Transfers.layer, operations } satisfies Registration
