/** The shapes of merchants and API keys in `/v1` and the operator API (AUTH-8, OPERATOR-1). */
import { Schema } from "effect"
import type { ApiKeyData } from "../../../machines/access/api-key.ts"
import type { MerchantData } from "../../../machines/access/merchant.ts"
import { stem } from "../../ports/Ids.ts"
import { Timestamp } from "../../input/schemas.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"

export const merchantStatuses = ["pending", "active", "suspended"] as const
export const MerchantStatus = Schema.Literals(merchantStatuses)
export const KeyRole = Schema.Literals(["viewer", "developer", "admin"])

export const MerchantBody = Schema.Struct({
  id: Schema.String.annotate({ examples: ["mer_01j9z3k4m5n6p7q8r9s0t1v2w3"] }),
  name: Schema.String,
  country_code: Schema.String,
  status: MerchantStatus,
  integration_id: Schema.String,
  default_customer_id: Schema.String,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "Merchant" })
export type MerchantBody = typeof MerchantBody.Type

const keyFields = {
  id: Schema.String.annotate({ examples: ["key_01j9z3k4m5n6p7q8r9s0t1v2w3"] }),
  role: KeyRole,
  label: Schema.NullOr(Schema.String),
  prefix: Schema.String.annotate({
    description: "The first characters of the key, to tell keys apart.",
    examples: ["sk_test_a1B2"]
  }),
  created_at: Timestamp
}

export const ApiKeyBody = Schema.Struct(keyFields).annotate({ identifier: "ApiKey" })
export type ApiKeyBody = typeof ApiKeyBody.Type

/** A new key with its secret, which is returned only at creation. */
export const NewApiKeyBody = Schema.Struct({
  ...keyFields,
  secret: Schema.String.annotate({ description: "The key itself. Returned only in this response, and not stored." })
}).annotate({ identifier: "NewApiKey" })
export type NewApiKeyBody = typeof NewApiKeyBody.Type

export const MeBody = Schema.Struct({
  merchant: Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    country_code: Schema.String,
    status: MerchantStatus
  }),
  integration: Schema.Struct({ id: Schema.String.annotate({ examples: ["int_01j9z3k4m5n6p7q8r9s0t1v2w3"] }) }),
  api_key: Schema.NullOr(
    Schema.Struct({ id: Schema.String, role: KeyRole, prefix: Schema.String, created_at: Timestamp })
  ),
  environment: Schema.Literals(["test", "live"])
}).annotate({ identifier: "Me" })
export type MeBody = typeof MeBody.Type

/** The id of a merchant's integration, which events carry as `event_developer_id`. */
export const integrationOf = (merchant_id: string): string => `int_${stem(merchant_id)}`

export const merchantBody = (row: Row<MerchantData>): MerchantBody => ({
  id: row.id,
  name: row.data.name,
  country_code: row.data.country_code,
  status: row.status as MerchantBody["status"],
  integration_id: integrationOf(row.id),
  default_customer_id: row.data.default_customer_id,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at)
})

export const apiKeyBody = (row: Row<ApiKeyData>): ApiKeyBody => ({
  id: row.id,
  role: row.data.role,
  label: row.data.label,
  prefix: row.data.prefix,
  created_at: iso(row.created_at)
})

export const newApiKeyBody = (row: Row<ApiKeyData>, secret: string): NewApiKeyBody => {
  const { created_at, ...body } = apiKeyBody(row)
  return { ...body, secret, created_at }
}
