import { Effect } from "effect"
import { Wallets } from "../../engine/resources/wallets/wallet.ts"
import { WalletsApi } from "../api/wallet.ts"
import { endpoints } from "../endpoint.ts"

export const walletEndpoints = Effect.map(Wallets, (wallets) =>
  endpoints(WalletsApi, {
    createWallet: ({ call, body }) => wallets.create(call, body),
    listWallets: ({ call, query }) => wallets.list(call, query),
    getWallet: ({ call, params }) => wallets.get(call, params.id),
    updateWallet: ({ call, params, body }) => wallets.update(call, params.id, body)
  })
)
