import { Effect } from "effect"
import { DepositAddresses } from "../../engine/resources/wallets/deposit-address.ts"
import { DepositAddressesApi } from "../api/deposit-address.ts"
import { endpoints } from "../endpoint.ts"

export const depositAddressEndpoints = Effect.map(DepositAddresses, (addresses) =>
  endpoints(DepositAddressesApi, {
    createDepositAddress: ({ call, params, body }) => addresses.create(call, params.id, body),
    listDepositAddresses: ({ call, params, query }) => addresses.list(call, params.id, query),
    getDepositAddress: ({ call, params }) => addresses.get(call, params.id, params.depositAddressId),
    disableDepositAddress: ({ call, params, body }) => addresses.disable(call, params.id, params.depositAddressId, body)
  })
)
