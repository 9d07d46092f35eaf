import { getFrom, listFrom, patch, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { SenderBody } from "../../representations/parties/sender.ts"
import { CreateSender, ListSenders, SenderKind, Senders, UpdateSender } from "../../resources/parties/sender.ts"
import { nameCustomers } from "../named-rows.ts"
import type { Registration } from "../registration.ts"

const one = { id: Id("snd") }

const operations = {
  merchant: section(
    {
      id: "senders",
      title: "Senders",
      description: "The originators of payouts, where the originator is not the customer."
    },
    {
      senders: {
        create: post(
          "createSender",
          "/v1/senders",
          {
            summary: "Create a sender",
            description:
              "The provider receives the sender as the originator of each offramp or transfer that names it.",
            input: CreateSender,
            output: SenderBody,
            examples: {
              individual: {
                type: "individual",
                name: "Amara Okafor",
                country_code: "GB",
                address: { line1: "12 Mare Street", city: "London", postal_code: "E8 4RP", country_code: "GB" },
                date_of_birth: "01/31/1990",
                id_type: "passport",
                id_number: "A01234567"
              }
            },
            refusals: ["invalid_input", "prohibited_country", "not_found"]
          },
          ({ call, input }) => Senders.use((s) => s.create(call, input))
        ),
        list: nameCustomers(listFrom(Senders, "listSenders", "/v1/senders", ListSenders, SenderBody), "ListedSender"),
        get: getFrom(Senders, "getSender", "/v1/senders/:id", one, SenderBody),
        update: patch(
          "updateSender",
          "/v1/senders/:id",
          {
            summary: "Change a sender",
            description: "Metadata is replaced as a whole. Existing movements keep the earlier details of the sender.",
            params: one,
            input: UpdateSender,
            output: SenderBody,
            examples: { name: { name: "Amara N. Okafor" } },
            refusals: ["conflict", "invalid_input", "prohibited_country"]
          },
          ({ call, params, input }) => Senders.use((s) => s.update(call, params.id, input))
        )
      }
    }
  )
} as const satisfies Sections

export const sender = { kind: SenderKind, layer: Senders.layer, operations } satisfies Registration
