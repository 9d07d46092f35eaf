import { Effect } from "effect"
import { ApiKeys } from "../../engine/resources/access/api-key.ts"
import { Merchants } from "../../engine/resources/access/merchant.ts"
import { ApiKeysApi, MeApi, OperatorMerchantsApi } from "../api/merchant.ts"
import { endpoints } from "../endpoint.ts"

export const merchantEndpoints = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const merchants = yield* Merchants
  return [
    ...endpoints(MeApi, { getMe: ({ call }) => merchants.me(call) }),
    ...endpoints(ApiKeysApi, {
      createApiKey: ({ call, body }) => keys.create(call, body),
      listApiKeys: ({ call, query }) => keys.list(call, query),
      revokeApiKey: ({ call, params }) => keys.revoke(call, params.id)
    }),
    ...endpoints(OperatorMerchantsApi, {
      createMerchant: ({ call, body }) => merchants.create(call, body),
      listMerchants: ({ query }) => merchants.list(query),
      updateMerchant: ({ call, params, body }) => merchants.update(call, params.id, body)
    })
  ]
})
