import { get, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { quoteNamed } from "../../resources/movements/execution.ts"
import { OfframpBody } from "../../representations/movements/offramp.ts"
import { CreateOfframp, ListOfframps, OfframpKind, Offramps } from "../../resources/movements/offramp.ts"
import { Timelines } from "../../reports/timeline/timeline.ts"
import { TimelineBody } from "../../representations/timeline.ts"
import type { Registration } from "../registration.ts"

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
            ahead: ({ input }) => quoteNamed(input),
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
        list: list(
          "listOfframps",
          "/v1/offramps",
          { summary: "List offramps", input: ListOfframps, output: OfframpBody },
          ({ call, input }) => Offramps.use((s) => s.list(call, input))
        ),
        get: get(
          "getOfframp",
          "/v1/offramps/:id",
          { summary: "Get an offramp", params: { id: Id("ofr") }, output: OfframpBody },
          ({ call, params }) => Offramps.use((s) => s.get(call, params.id))
        ),
        timeline: get(
          "getOfframpTimeline",
          "/v1/offramps/:id/timeline",
          { summary: "Get the timeline of an offramp", params: { id: Id("ofr") }, output: TimelineBody },
          ({ call, params }) => Timelines.use((s) => s.own(call, params.id))
        )
      }
    }
  )
} as const satisfies Sections

export const offramp = { kind: OfframpKind, layer: Offramps.layer, operations } satisfies Registration
