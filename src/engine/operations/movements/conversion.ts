import { get, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { quoteNamed } from "../../resources/movements/execution.ts"
import { ConversionBody } from "../../representations/movements/conversion.ts"
import { ConversionKind, Conversions, CreateConversion, ListConversions } from "../../resources/movements/conversion.ts"
import { Timelines } from "../../reports/timeline/timeline.ts"
import { TimelineBody } from "../../representations/timeline.ts"
import type { Registration } from "../registration.ts"

const operations = {
  merchant: section(
    { id: "conversions", title: "Conversions", description: "Conversions between two wallets of one customer." },
    {
      conversions: {
        create: post(
          "createConversion",
          "/v1/conversions",
          {
            word: "conversion",
            summary: "Execute a conversion quote",
            description:
              "The source amount is reserved immediately. Both wallets change together when the conversion succeeds. If an earlier conversion has the same reference, the response is that conversion (`Idempotent-Replayed: true`) and nothing else happens.",
            input: CreateConversion,
            output: ConversionBody,
            limited: true,
            ahead: ({ input }) => quoteNamed(input),
            examples: { conversion: { quote_id: "quo_01j9z3k4m5n6p7q8r9s0t1v2w3", reference: "treasury-12" } },
            refusals: [
              "invalid_input",
              "not_found",
              "invalid_status",
              "duplicate_resource",
              "ledger_insufficient_funds"
            ]
          },
          ({ call, input }) => Conversions.use((s) => s.create(call, input))
        ),
        list: list(
          "listConversions",
          "/v1/conversions",
          { summary: "List conversions", input: ListConversions, output: ConversionBody },
          ({ call, input }) => Conversions.use((s) => s.list(call, input))
        ),
        get: get(
          "getConversion",
          "/v1/conversions/:id",
          { summary: "Get a conversion", params: { id: Id("con") }, output: ConversionBody },
          ({ call, params }) => Conversions.use((s) => s.get(call, params.id))
        ),
        timeline: get(
          "getConversionTimeline",
          "/v1/conversions/:id/timeline",
          { summary: "Get the timeline of a conversion", params: { id: Id("con") }, output: TimelineBody },
          ({ call, params }) => Timelines.use((s) => s.own(call, params.id))
        )
      }
    }
  )
} as const satisfies Sections

export const conversion = { kind: ConversionKind, layer: Conversions.layer, operations } satisfies Registration
