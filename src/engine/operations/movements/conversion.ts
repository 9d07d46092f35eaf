import { getFrom, listFrom, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { listPrefetchedQuote } from "../../resources/movements/creation.ts"
import { ConversionBody } from "../../representations/movements/conversion.ts"
import { ConversionKind, Conversions, CreateConversion, ListConversions } from "../../resources/movements/conversion.ts"
import type { Registration } from "../registration.ts"
import { declareTimeline } from "../reports/timeline.ts"

const operations = {
  merchant: section(
    { id: "conversions", title: "Conversions", description: "Conversions between two wallets of one customer." },
    {
      conversions: {
        create: post(
          "createConversion",
          "/v1/conversions",
          {
            action: "conversion",
            summary: "Execute a conversion quote",
            description:
              "The source amount is reserved immediately. Both wallets change together when the conversion succeeds. If an earlier conversion has the same reference, the response is that conversion (`Idempotent-Replayed: true`) and nothing else happens.",
            input: CreateConversion,
            output: ConversionBody,
            limited: true,
            prefetch: ({ input }) => listPrefetchedQuote(input),
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
        list: listFrom(Conversions, "listConversions", "/v1/conversions", ListConversions, ConversionBody),
        get: getFrom(Conversions, "getConversion", "/v1/conversions/:id", { id: Id("con") }, ConversionBody),
        timeline: declareTimeline("getConversionTimeline", "/v1/conversions/:id/timeline", "con", "a conversion")
      }
    }
  )
} as const satisfies Sections

export const conversion = { kind: ConversionKind, layer: Conversions.layer, operations } satisfies Registration
