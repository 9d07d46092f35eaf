import { getFrom, listFrom, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { listPrefetchedQuote } from "../../resources/movements/creation.ts"
import { OfframpBody } from "../../representations/movements/offramp.ts"
import { CreateOfframp, ListOfframps, OfframpKind, Offramps } from "../../resources/movements/offramp.ts"
import type { Registration } from "../registration.ts"
import { declareTimeline } from "../reports/timeline.ts"

const operations = {
  merchant: section(
    {
      id: "offramps",
      title: "Offramps",
      description: "Payouts of crypto from a wallet as fiat to a bank beneficiary."
    },
    {
      offramps: {
        create: post(
          "createOfframp",
          "/v1/offramps",
          {
            summary: "Execute an offramp quote",
            description:
              "The source amount is reserved immediately and paid out asynchronously. Read the outcome, or receive it as an event.",
            input: CreateOfframp,
            output: OfframpBody,
            limited: true,
            prefetch: ({ input }) => listPrefetchedQuote(input),
            examples: {
              offramp: { quote_id: "quo_01j9z3k4m5n6p7q8r9s0t1v2w3", reference: "payout-77", narration: "Invoice 77" }
            },
            refusals: [
              "invalid_input",
              "not_found",
              "invalid_status",
              "duplicate_resource",
              "ledger_insufficient_funds"
            ]
          },
          ({ call, input }) => Offramps.use((s) => s.create(call, input))
        ),
        list: listFrom(Offramps, "listOfframps", "/v1/offramps", ListOfframps, OfframpBody),
        get: getFrom(Offramps, "getOfframp", "/v1/offramps/:id", { id: Id("ofr") }, OfframpBody),
        timeline: declareTimeline("getOfframpTimeline", "/v1/offramps/:id/timeline", "ofr", "an offramp")
      }
    }
  )
} as const satisfies Sections

export const offramp = { kind: OfframpKind, layer: Offramps.layer, operations } satisfies Registration
