import { SenderBody } from "../../engine/representations/parties/sender.ts"
import { CreateSender, ListSenders, UpdateSender } from "../../engine/resources/parties/sender.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, list, patch, post } from "./contract.ts"

const one = { id: Id("snd") }

export const SendersApi = group(
  "senders",
  "Senders",
  "On whose behalf a payout is made, where it is not the customer."
).add(
  post("createSender", "/v1/senders", CreateSender, SenderBody, {
    summary: "Create a sender",
    description: "An offramp or transfer that names a sender is reported to the provider as made for it.",
    errors: ["invalid_input", "prohibited_country", "not_found"],
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
    }
  }),
  list("listSenders", "/v1/senders", SenderBody, { summary: "List senders", query: ListSenders }),
  get("getSender", "/v1/senders/:id", SenderBody, { summary: "Get a sender", params: one }),
  patch("updateSender", "/v1/senders/:id", UpdateSender, SenderBody, {
    summary: "Change a sender",
    description: "Metadata is replaced as a whole. Movements that were made keep the sender as it was.",
    params: one,
    errors: ["conflict", "invalid_input", "prohibited_country"],
    examples: { name: { name: "Amara N. Okafor" } }
  })
)
