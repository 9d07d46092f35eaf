/** The `/v1` shape of a resource access request (ACCESS-6). */
import { Schema } from "effect"
import type { AccessRequestData } from "../../../machines/access/access-request.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { timestampBody } from "../shared.ts"

export const accessRequestStatuses = ["pending", "approved", "rejected", "revoked"] as const

export const AccessRequestBody = Schema.Struct({
  id: Schema.String,
  resource_type: Schema.Literal("currency"),
  resource_id: Schema.String.annotate({ description: "The id of the currency." }),
  resource_code: Schema.String,
  country_code: Schema.NullOr(Schema.String),
  status: Schema.Literals(accessRequestStatuses),
  merchant_id: Schema.String,
  merchant_name: Schema.String,
  reason: Schema.NullOr(Schema.String),
  reviewer_id: Schema.NullOr(Schema.String),
  review_reason: Schema.NullOr(Schema.String),
  reviewed_at: Schema.NullOr(timestampBody),
  created_at: timestampBody,
  updated_at: timestampBody
}).annotate({ identifier: "AccessRequest" })
export type AccessRequestBody = typeof AccessRequestBody.Type

export const accessRequestBody = ({
  id,
  merchant_id,
  status,
  created_at,
  updated_at,
  data: r
}: Row<AccessRequestData>): AccessRequestBody => ({
  id,
  resource_type: "currency",
  resource_id: r.resource_id,
  resource_code: r.resource_code,
  country_code: r.country_code,
  status: status as AccessRequestBody["status"],
  merchant_id,
  merchant_name: r.merchant_name,
  reason: r.reason,
  reviewer_id: r.reviewer_id,
  review_reason: r.review_reason,
  reviewed_at: isoOrNull(r.reviewed_at),
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})
