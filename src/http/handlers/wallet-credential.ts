import { Effect } from "effect"
import { WalletCredentials } from "../../engine/resources/wallets/wallet-credential.ts"
import { WalletCredentialsApi } from "../api/wallet-credential.ts"
import { endpoints } from "../endpoint.ts"

export const walletCredentialEndpoints = Effect.map(WalletCredentials, (credentials) =>
  endpoints(WalletCredentialsApi, {
    createWalletCredential: ({ call, params, body }) => credentials.create(call, params.id, body),
    listWalletCredentials: ({ call, params, query }) => credentials.list(call, params.id, query),
    getWalletCredential: ({ call, params }) => credentials.get(call, params.id, params.credentialId)
  })
)
