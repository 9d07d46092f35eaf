import { Schema } from "effect"
import { AcceptedRateKind } from "../../calls/RateBand.ts"
import { list, post, section, type Sections } from "../../calls/operation.ts"
import { describe, paging } from "../../input/schemas.ts"
import { RateBody } from "../../representations/movements/accepted-rate.ts"
import { AcceptedRates, AcceptRate } from "../../resources/movements/accepted-rate.ts"
import type { Registration } from "../registration.ts"

const operations = {
  operator: section(
    {
      id: "operatorRates",
      title: "Operator: rates",
      description: "The rates of the source, and the acceptance of one that is outside its band."
    },
    {
      rates: {
        list: list(
          "listRates",
          "/operator/v1/rates",
          {
            summary: "List the rates, and whether each is within its band",
            input: Schema.Struct(paging),
            output: RateBody
          },
          ({ input }) => AcceptedRates.use((s) => s.list(input))
        ),
        accept: post(
          "acceptRate",
          "/operator/v1/rates/:currency/accept",
          {
            role: "treasury",
            summary: "Accept a rate",
            description:
              "Accepts a rate that you have checked. The source is judged against it from then on, so that a rate that was held is used if it is near. The acceptance is in the audit log.",
            params: { currency: describe(Schema.String, "The currency.", "NGN") },
            input: AcceptRate,
            output: RateBody,
            examples: {
              accepted: { per_usd: "1650", note: "Devaluation announced by the central bank, checked at two banks" }
            }
          },
          ({ call, params, input }) => AcceptedRates.use((s) => s.accept(call, params.currency, input))
        )
      }
    }
  )
} as const satisfies Sections

export const acceptedRate = { kind: AcceptedRateKind, layer: AcceptedRates.layer, operations } satisfies Registration
