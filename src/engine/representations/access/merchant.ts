/** The shapes of merchants and API keys in `/v1` and the operator API (AUTH-8, OPERATOR-1). */
import { Schema } from "effect"
import type { ApiKeyData } from "../../../machines/access/api-key.ts"
import type { MerchantData } from "../../../machines/access/merchant.ts"
import { cutStem } from "../../ports/Ids.ts"
import { describe } from "../../input/schemas.ts"
import { anyIdOf, bodyOf, countryOf, createdAt, idOf, orNull, textOf, times, wordOf } from "../members.ts"
import type { Row } from "../../ports/Storage.ts"

export const merchantStatuses = ["pending", "active", "suspended"] as const
export const MerchantStatus = wordOf(merchantStatuses, "Whether the merchant can call.", {
  pending: "not yet: its keys are rejected with `merchant_inactive`",
  active: "it can",
  suspended: "no longer: its keys are rejected, and queued payouts wait"
})
export const KeyRole = wordOf(["viewer", "approver", "developer", "admin"], "What the key may do.", {
  viewer: "read",
  approver: "read, and approve or decline what others have made",
  developer: "everything, except webhook secrets, revoking other keys, and keys above its own role",
  admin: "everything"
})

export const MerchantBody = Schema.Struct({
  id: idOf("mer", "The id of the merchant."),
  name: textOf("The name of the merchant.", "Lagos Trading"),
  country_code: countryOf("The country of the merchant, ISO 3166-1 alpha-2."),
  status: MerchantStatus,
  integration_id: anyIdOf("The public id of its integration, `event_developer_id` in events.", "int"),
  default_customer_id: idOf("cust", "Its default customer: the merchant's own business."),
  ...times
}).annotate({
  identifier: "Merchant",
  description: "A merchant: the owner of API keys and of everything made with them."
})
export type MerchantBody = typeof MerchantBody.Type

const keyFields = {
  id: idOf("key", "The id of the key."),
  role: KeyRole,
  label: orNull(textOf("A name for people. Null if none was given.", "checkout service")),
  person: textOf(
    "The person who calls with the key. Nobody approves what the same person made. If none was named: the id of the key, or of the first in a chain of keys that made one another; `operator` where an operator made that.",
    "ada@example.com"
  ),
  prefix: textOf("The first characters of the key, to tell keys apart.", "sk_test_a1B2"),
  created_at: createdAt
}

export const ApiKeyBody = Schema.Struct(keyFields).annotate({
  identifier: "ApiKey",
  description: "An API key, without its secret."
})
export type ApiKeyBody = typeof ApiKeyBody.Type

/** A new key with its secret, which is returned only at creation. */
export const NewApiKeyBody = Schema.Struct({
  ...keyFields,
  secret: textOf(
    "The key itself. Returned only in this response, and not stored.",
    "sk_test_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V"
  )
}).annotate({ identifier: "NewApiKey", description: "A new API key, with its secret." })
export type NewApiKeyBody = typeof NewApiKeyBody.Type

const CallerMerchantBody = Schema.Struct({
  id: MerchantBody.fields.id,
  name: MerchantBody.fields.name,
  country_code: MerchantBody.fields.country_code,
  status: MerchantStatus
}).annotate({ identifier: "CallerMerchant", description: "The merchant of the key." })

const CallerKeyBody = Schema.Struct({
  id: keyFields.id,
  role: KeyRole,
  prefix: keyFields.prefix,
  created_at: createdAt
}).annotate({ identifier: "CallerKey", description: "The key that calls." })

export const MeBody = Schema.Struct({
  merchant: CallerMerchantBody,
  integration: Schema.Struct({
    id: anyIdOf("The public id of the integration, `event_developer_id` in events.", "int")
  }).annotate({ identifier: "Integration", description: "The integration of the merchant." }),
  api_key: describe(Schema.NullOr(CallerKeyBody), "The key that calls. Null for an embedding application."),
  environment: wordOf(["test", "live"], "Where the server runs.", {
    test: "with a simulated provider; no money moves",
    live: "money moves"
  })
}).annotate({ identifier: "Me", description: "The caller." })
export type MeBody = typeof MeBody.Type

/** The id of a merchant's integration, which events carry as `event_developer_id`. */
export const integrationOf = (merchant_id: string): string => `int_${cutStem(merchant_id)}`

export const merchantBody = bodyOf(MerchantBody, ({ id }: Row<MerchantData>) => ({ integration_id: integrationOf(id) }))

export const apiKeyBody = bodyOf(ApiKeyBody, ({ data: { person }, id }: Row<ApiKeyData>) => ({
  // No merchant reads which operator it is.
  person: person?.startsWith("opr_") === true ? "operator" : (person ?? id)
}))

export const newApiKeyBody = (row: Row<ApiKeyData>, secret: string): NewApiKeyBody => {
  const { created_at, ...body } = apiKeyBody(row)
  return { ...body, secret, created_at }
}
