import { Schema } from "effect"
import { del, Deleted, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id, note, Noted } from "../../input/schemas.ts"
import { ApiKeyBody, NewApiKeyBody } from "../../representations/access/merchant.ts"
import { ApiKeyKind, ApiKeys, CreateApiKey, forbidNewKey, ListApiKeys } from "../../resources/access/api-key.ts"
import { merchantsGroup, type Registration } from "../registration.ts"

const merchant = { id: Id("mer") }

const operations = {
  merchant: section(
    { id: "api_keys", title: "API keys", description: "The API keys of the merchant. At most ten are active." },
    {
      apiKeys: {
        create: post(
          "createApiKey",
          "/v1/api-keys",
          {
            action: "api_key",
            summary: "Create an API key",
            description: "Only this response contains the secret. A key cannot create a key with a role above its own.",
            input: CreateApiKey,
            output: NewApiKeyBody,
            examples: { developer: { role: "developer", label: "checkout service" } },
            refusals: ["forbidden_key_role", "api_key_limit_exceeded"],
            forbids: ({ call, input }) => forbidNewKey(call, input)
          },
          ({ call, input }) => ApiKeys.use((s) => s.create(call, input))
        ),
        list: list(
          "listApiKeys",
          "/v1/api-keys",
          {
            summary: "List active API keys",
            description: "The response has no secrets. Revoked keys are not listed.",
            input: ListApiKeys,
            output: ApiKeyBody
          },
          ({ call, input }) => ApiKeys.use((s) => s.list(call, input))
        ),
        revoke: del(
          "revokeApiKey",
          "/v1/api-keys/:id",
          {
            action: "api_key",
            summary: "Revoke an API key",
            description:
              "Requests with the key are rejected with 401: on this node at once, on every node within five seconds. Only an admin key can revoke another key.",
            params: { id: Id("key") },
            output: Deleted,
            refusals: ["invalid_status", "forbidden"]
          },
          ({ call, params }) => ApiKeys.use((s) => s.revoke(call, params.id))
        )
      }
    }
  ),
  merchants: section(merchantsGroup, {
    apiKeys: {
      create: post(
        "createMerchantApiKey",
        "/operator/v1/merchants/:id/api-keys",
        {
          action: "api_key",
          createsChild: true,
          summary: "Create an API key for a merchant",
          description: "Only this response contains the secret.",
          role: "admin",
          params: merchant,
          input: Schema.Struct({ ...CreateApiKey.fields, note }).annotate({ identifier: "CreateMerchantApiKey" }),
          output: NewApiKeyBody,
          examples: { developer: { role: "developer", label: "checkout service", note: "lost theirs" } },
          refusals: ["api_key_limit_exceeded"]
        },
        ({ call, params, input }) => ApiKeys.use((s) => s.create({ ...call, merchant_id: params.id }, input))
      ),
      list: list(
        "listMerchantApiKeys",
        "/operator/v1/merchants/:id/api-keys",
        {
          summary: "List a merchant's active API keys",
          description: "The response has no secrets. Revoked keys are not listed.",
          params: merchant,
          input: ListApiKeys,
          output: ApiKeyBody
        },
        ({ call, params, input }) => ApiKeys.use((s) => s.listOf({ ...call, merchant_id: params.id }, input))
      ),
      revoke: post(
        "revokeMerchantApiKey",
        "/operator/v1/merchants/:id/api-keys/:keyId/revoke",
        {
          action: "api_key",
          summary: "Revoke a merchant's API key",
          description:
            "Requests with the key are rejected with 401: on this node at once, on every node within five seconds.",
          role: "admin",
          params: { ...merchant, keyId: Id("key") },
          input: Noted,
          output: Deleted,
          refusals: ["invalid_status"]
        },
        ({ call, params }) => ApiKeys.use((s) => s.revoke({ ...call, merchant_id: params.id }, params.keyId))
      )
    }
  })
} as const satisfies Sections

export const apiKey = { kind: ApiKeyKind, layer: ApiKeys.layer, operations } satisfies Registration
