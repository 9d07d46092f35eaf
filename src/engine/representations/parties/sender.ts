/** The `/v1` shapes of a sender (SENDER-1). */
import { Schema } from "effect"
import type { SenderData } from "../../../machines/parties/sender.ts"
import type { Row } from "../../ports/Storage.ts"
import { ProfileBody, profileBody } from "./customer.ts"
import {
  bodyOf,
  countryOf,
  emailOf,
  fitToSchema,
  idOf,
  merchantReferenceBody,
  metadataBody,
  orNull,
  partyTypes,
  textOf,
  times,
  wordOf
} from "../members.ts"

export const SenderSummaryBody = Schema.Struct({
  id: idOf("snd", "The id of the sender."),
  type: textOf("`individual` or `business`.", "individual"),
  name: textOf("The name of the person or business.", "Amara Okafor"),
  email: orNull(emailOf("The email address of the sender. Null if you sent none.", "amara@example.com")),
  country_code: countryOf("The country of the sender, ISO 3166-1 alpha-2.", "GB"),
  ...times
}).annotate({
  identifier: "SenderSummary",
  description: "The sender that the provider is given as the originator, as of the creation of the payout."
})

export const storedSender = fitToSchema(SenderSummaryBody)

const { address, date_of_birth, id_number, id_type } = ProfileBody.fields

export const SenderBody = Schema.Struct({
  id: idOf("snd", "The id of the sender."),
  customer_id: idOf("cust", "The customer that the sender belongs to."),
  type: wordOf(partyTypes, "Whether the sender is a person or a business."),
  name: textOf("The name of the person or business.", "Amara Okafor"),
  email: orNull(emailOf("The email address of the sender. Null if you sent none.")),
  country_code: countryOf("The country of the sender, ISO 3166-1 alpha-2.", "GB"),
  address,
  date_of_birth,
  id_number,
  id_type,
  merchant_reference: merchantReferenceBody,
  metadata: metadataBody,
  ...times
}).annotate({ identifier: "Sender", description: "The originator of payouts, where it is not the customer." })
export type SenderBody = typeof SenderBody.Type

export const senderBody = bodyOf(SenderBody, ({ data: s }: Row<SenderData>) => profileBody(s.profile))

export const senderSummary = bodyOf(SenderSummaryBody, (_: Row<SenderData>) => ({}))
