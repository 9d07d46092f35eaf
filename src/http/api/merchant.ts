/** Identity, keys and the operator's merchants (AUTH-8, KEY-2, OPERATOR-1). */
import { Schema } from "effect"
import { CustomerBody } from "../../engine/representations/parties/customer.ts"
import { ApiKeyBody, MeBody, MerchantBody, NewApiKeyBody } from "../../engine/representations/access/merchant.ts"
import { CreateApiKey, ListApiKeys } from "../../engine/resources/access/api-key.ts"
import { CreateMerchant, ListMerchants, UpdateMerchant } from "../../engine/resources/access/merchant.ts"
import { Id } from "../../engine/input/schemas.ts"
import { del, Deleted, get, group, list, Nothing, patch, post } from "./contract.ts"

export const MeApi = group("me", "Identity", "Who is calling.").add(
  get("getMe", "/v1/me", MeBody, { summary: "Show the merchant, integration and API key of this call" })
)

export const ApiKeysApi = group("api_keys", "API keys", "Keys of the merchant, at most ten of them active.").add(
  post("createApiKey", "/v1/api-keys", CreateApiKey, NewApiKeyBody, {
    summary: "Create an API key",
    description: "The secret is in this answer alone. A key cannot create one of a role above its own.",
    errors: ["forbidden_key_role", "api_key_limit_exceeded"],
    examples: { developer: { role: "developer", label: "checkout service" } }
  }),
  list("listApiKeys", "/v1/api-keys", ApiKeyBody, {
    summary: "List active API keys",
    description: "Without their secrets. Revoked keys are not listed.",
    query: ListApiKeys
  }),
  del("revokeApiKey", "/v1/api-keys/:id", Nothing, Deleted, {
    summary: "Revoke an API key",
    description:
      "From the next request on it is answered with 401, on every node within five seconds. Another key than one's own takes an admin.",
    params: { id: Id("key") },
    errors: ["invalid_status", "forbidden"]
  })
)

export const NewMerchantBody = Schema.Struct({
  merchant: MerchantBody,
  api_key: NewApiKeyBody,
  default_customer: CustomerBody
}).annotate({ identifier: "NewMerchant" })

export const OperatorMerchantsApi = group(
  "operator_merchants",
  "Operator: merchants",
  "Merchants of this service."
).add(
  post("createMerchant", "/operator/v1/merchants", CreateMerchant, NewMerchantBody, {
    summary: "Create a merchant",
    description: "With an admin key and a default customer. It is pending unless a status is given.",
    errors: ["invalid_input", "prohibited_country"],
    examples: { active: { name: "Lagos Trading", country_code: "NG", status: "active" } }
  }),
  list("listMerchants", "/operator/v1/merchants", MerchantBody, { summary: "List merchants", query: ListMerchants }),
  patch("updateMerchant", "/operator/v1/merchants/:id", UpdateMerchant, MerchantBody, {
    summary: "Activate or suspend a merchant",
    params: { id: Id("mer") },
    errors: ["invalid_status", "conflict"],
    examples: { activate: { status: "active" } }
  })
)
