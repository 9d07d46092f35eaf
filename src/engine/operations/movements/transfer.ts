import { get, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { TransferBody } from "../../representations/movements/transfer.ts"
import {
  CreateTransfer,
  ListTransfers,
  partiesNamed,
  TransferKind,
  Transfers
} from "../../resources/movements/transfer.ts"
import { Timelines } from "../../reports/timeline/timeline.ts"
import { TimelineBody } from "../../representations/timeline.ts"
import type { Registration } from "../registration.ts"

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
            ahead: ({ call, input }) => partiesNamed(call.merchant_id, input),
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
        list: list(
          "listTransfers",
          "/v1/transfers",
          { summary: "List transfers", input: ListTransfers, output: TransferBody },
          ({ call, input }) => Transfers.use((s) => s.list(call, input))
        ),
        get: get(
          "getTransfer",
          "/v1/transfers/:id",
          { summary: "Get a transfer", params: { id: Id("tfr") }, output: TransferBody },
          ({ call, params }) => Transfers.use((s) => s.get(call, params.id))
        ),
        timeline: get(
          "getTransferTimeline",
          "/v1/transfers/:id/timeline",
          { summary: "Get the timeline of a transfer", params: { id: Id("tfr") }, output: TimelineBody },
          ({ call, params }) => Timelines.use((s) => s.own(call, params.id))
        )
      }
    }
  )
} as const satisfies Sections

export const transfer = { kind: TransferKind, layer: Transfers.layer, operations } satisfies Registration
