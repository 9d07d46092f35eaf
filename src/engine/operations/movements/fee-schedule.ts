import { getFrom, list, patch, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { FeeScheduleBody } from "../../representations/movements/fee-schedule.ts"
import {
  CreateFeeSchedule,
  EndFeeSchedule,
  FeeScheduleKind,
  FeeSchedules,
  ListFeeSchedules
} from "../../resources/movements/fee-schedule.ts"
import { nameMerchants } from "../named-rows.ts"
import type { Registration } from "../registration.ts"

const one = { id: Id("fee") }

const operations = {
  operator: section(
    {
      id: "operatorFees",
      title: "Operator: fee schedules",
      description: "The gateway fee of quotes, by merchant, corridor, volume and date."
    },
    {
      feeSchedules: {
        create: post(
          "createFeeSchedule",
          "/operator/v1/fee-schedules",
          {
            action: "fee_schedule",
            role: "treasury",
            summary: "Create a fee schedule",
            description:
              "Decides the `gateway` fee of quotes from `valid_from` on: `bps` of the source amount and `fixed`, within `min` and `max`, rounded up to the decimals of the source currency. The network fee stays. Of several that apply, one of the merchant goes before one of any, then one that names the source currency, then one that names the destination currency, then the newest `valid_from`. Where none applies, the default fee does. Quotes that exist, and what is settled under them, keep their fee.",
            input: CreateFeeSchedule,
            output: FeeScheduleBody,
            examples: {
              corridor: { operation: "offramp", source_currency: "USDC", destination_currency: "NGN", bps: 40 },
              volume: {
                merchant_id: "mer_01j9z3k4m5n6p7q8r9s0t1v2w3",
                operation: "offramp",
                source_currency: "USDC",
                fixed: "0.50",
                bps: 40,
                min: "1.00",
                max: "250.00",
                tiers: [
                  { above: "100000.00", bps: 25 },
                  { above: "1000000.00", bps: 12.5 }
                ],
                valid_from: "2026-02-01",
                note: "Contract of January"
              }
            },
            refusals: ["invalid_amount_precision", "not_found", "invalid_status"]
          },
          ({ call, input }) => FeeSchedules.use((s) => s.create(call, input))
        ),
        list: nameMerchants(
          list(
            "listFeeSchedules",
            "/operator/v1/fee-schedules",
            { summary: "List fee schedules", input: ListFeeSchedules, output: FeeScheduleBody },
            ({ input }) => FeeSchedules.use((s) => s.list(input))
          ),
          "ListedFeeSchedule"
        ),
        get: getFrom(FeeSchedules, "getFeeSchedule", "/operator/v1/fee-schedules/:id", one, FeeScheduleBody),
        end: patch(
          "endFeeSchedule",
          "/operator/v1/fee-schedules/:id",
          {
            action: "fee_schedule",
            readCurrent: ({ params }) => FeeSchedules.use((s) => s.get(params.id)),
            role: "treasury",
            summary: "End a fee schedule",
            description:
              "The next quote is priced without it. Quotes that exist keep their fee. Nothing else of it changes.",
            params: one,
            input: EndFeeSchedule,
            output: FeeScheduleBody,
            examples: { ended: { status: "ended", note: "The contract is over" } },
            refusals: ["invalid_status"]
          },
          ({ call, params }) => FeeSchedules.use((s) => s.end(call, params.id))
        )
      }
    }
  )
} as const satisfies Sections

export const feeSchedule = { kind: FeeScheduleKind, layer: FeeSchedules.layer, operations } satisfies Registration
