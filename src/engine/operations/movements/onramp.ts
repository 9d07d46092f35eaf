import { getFrom, listFrom, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { listPrefetchedQuote } from "../../resources/movements/creation.ts"
import { OnrampBody } from "../../representations/movements/onramp.ts"
import { CreateOnramp, ListOnramps, OnrampKind, Onramps } from "../../resources/movements/onramp.ts"
import type { Registration } from "../registration.ts"
import { declareTimeline } from "../reports/timeline.ts"

const operations = {
  merchant: section(
    { id: "onramps", title: "Onramps", description: "Fiat from a payer's bank account to crypto in a wallet." },
    {
      onramps: {
        create: post(
          "createOnramp",
          "/v1/onramps",
          {
            action: "onramp",
            summary: "Execute an onramp quote",
            description:
              "Locks the rate for 30 minutes. The response has the account to which the payer sends the money, and the reference for the payer to put in the narration. A payment that arrives within that time is settled at the locked rate, even if the amount differs. If an earlier onramp has the same reference, the response is that onramp (`Idempotent-Replayed: true`) and nothing else happens.",
            input: CreateOnramp,
            output: OnrampBody,
            limited: true,
            prefetch: ({ input }) => listPrefetchedQuote(input),
            examples: { onramp: { quote_id: "quo_01j9z3k4m5n6p7q8r9s0t1v2w3", reference: "top-up-7" } },
            refusals: [
              "invalid_input",
              "not_found",
              "invalid_status",
              "duplicate_resource",
              "external_service_unavailable"
            ]
          },
          ({ call, input }) => Onramps.use((s) => s.create(call, input))
        ),
        list: listFrom(Onramps, "listOnramps", "/v1/onramps", ListOnramps, OnrampBody),
        get: getFrom(Onramps, "getOnramp", "/v1/onramps/:id", { id: Id("onr") }, OnrampBody),
        timeline: declareTimeline("getOnrampTimeline", "/v1/onramps/:id/timeline", "onr", "an onramp")
      }
    }
  )
} as const satisfies Sections

export const onramp = { kind: OnrampKind, layer: Onramps.layer, operations } satisfies Registration
