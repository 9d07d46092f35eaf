import { get, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { quoteNamed } from "../../resources/movements/execution.ts"
import { OnrampBody } from "../../representations/movements/onramp.ts"
import { CreateOnramp, ListOnramps, OnrampKind, Onramps } from "../../resources/movements/onramp.ts"
import { Timelines } from "../../reports/timeline/timeline.ts"
import { TimelineBody } from "../../representations/timeline.ts"
import type { Registration } from "../registration.ts"

const operations = {
  merchant: section(
    { id: "onramps", title: "Onramps", description: "Fiat from a payer's bank account to crypto in a wallet." },
    {
      onramps: {
        create: post(
          "createOnramp",
          "/v1/onramps",
          {
            word: "onramp",
            summary: "Execute an onramp quote",
            description:
              "Locks the rate for 30 minutes. The response has the account to which the payer sends the money, and the reference for the payer to put in the narration. A payment that arrives within that time is settled at the locked rate, even if the amount differs. If an earlier onramp has the same reference, the response is that onramp (`Idempotent-Replayed: true`) and nothing else happens.",
            input: CreateOnramp,
            output: OnrampBody,
            limited: true,
            ahead: ({ input }) => quoteNamed(input),
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
        list: list(
          "listOnramps",
          "/v1/onramps",
          { summary: "List onramps", input: ListOnramps, output: OnrampBody },
          ({ call, input }) => Onramps.use((s) => s.list(call, input))
        ),
        get: get(
          "getOnramp",
          "/v1/onramps/:id",
          { summary: "Get an onramp", params: { id: Id("onr") }, output: OnrampBody },
          ({ call, params }) => Onramps.use((s) => s.get(call, params.id))
        ),
        timeline: get(
          "getOnrampTimeline",
          "/v1/onramps/:id/timeline",
          { summary: "Get the timeline of an onramp", params: { id: Id("onr") }, output: TimelineBody },
          ({ call, params }) => Timelines.use((s) => s.own(call, params.id))
        )
      }
    }
  )
} as const satisfies Sections

export const onramp = { kind: OnrampKind, layer: Onramps.layer, operations } satisfies Registration
