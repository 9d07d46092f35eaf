/** The `/v1` shapes of a sender (SENDER-1). */
import { Schema } from "effect"
import type { SenderSummary } from "../../../machines/parties/summaries.ts"
import type { SenderData } from "../../../machines/parties/sender.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { ProfileBody, profileBody } from "./customer.ts"
import { metadataBody, timestampBody } from "../shared.ts"

const { address, date_of_birth, id_number, id_type } = ProfileBody.fields

export const SenderBody = Schema.Struct({
  id: Schema.String,
  customer_id: Schema.String,
  type: Schema.Literals(["individual", "business"]),
  name: Schema.String,
  email: Schema.NullOr(Schema.String),
  country_code: Schema.String,
  address,
  date_of_birth,
  id_number,
  id_type,
  merchant_reference: Schema.NullOr(Schema.String),
  metadata: metadataBody,
  created_at: timestampBody,
  updated_at: timestampBody
}).annotate({ identifier: "Sender" })
export type SenderBody = typeof SenderBody.Type

export const senderBody = ({ id, created_at, updated_at, data: s }: Row<SenderData>): SenderBody => {
  const { address, date_of_birth, id_number, id_type } = profileBody(s.profile)
  return {
    id,
    customer_id: s.customer_id,
    type: s.type,
    name: s.name,
    email: s.email,
    country_code: s.country_code,
    address,
    date_of_birth,
    id_number,
    id_type,
    merchant_reference: s.merchant_reference,
    metadata: s.metadata,
    created_at: iso(created_at),
    updated_at: iso(updated_at)
  }
}

export const senderSummary = ({ id, created_at, updated_at, data: s }: Row<SenderData>): SenderSummary => ({
  id,
  type: s.type,
  name: s.name,
  email: s.email,
  country_code: s.country_code,
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})
