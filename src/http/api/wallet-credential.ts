import { WalletCredentialBody } from "../../engine/representations/wallets/wallet-credential.ts"
import { CreateWalletCredential, ListWalletCredentials } from "../../engine/resources/wallets/wallet-credential.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, list, post } from "./contract.ts"

const wallet = { id: Id("wal") }
const one = { ...wallet, credentialId: Id("wcr") }

export const WalletCredentialsApi = group(
  "wallet_credentials",
  "Wallet credentials",
  "Bank details and on-chain addresses that fund a wallet; in another currency than the wallet's, each deposit is converted."
).add(
  post("createWalletCredential", "/v1/wallets/:id/credentials", CreateWalletCredential, WalletCredentialBody, {
    summary: "Create a wallet credential",
    description:
      "It is pending until the provider has issued the account or address. A currency other than the wallet's makes it " +
      "convert what arrives: fiat on a crypto wallet, crypto on a fiat wallet.",
    params: wallet,
    limited: true,
    errors: ["invalid_input", "not_found", "resource_access_required"],
    examples: {
      autoOnramp: { type: "fiat", currency: "NGN", network: "bank", label: "collections" },
      ownCurrency: { type: "crypto", network: "base" }
    }
  }),
  list("listWalletCredentials", "/v1/wallets/:id/credentials", WalletCredentialBody, {
    summary: "List a wallet's credentials",
    params: wallet,
    query: ListWalletCredentials
  }),
  get("getWalletCredential", "/v1/wallets/:id/credentials/:credentialId", WalletCredentialBody, {
    summary: "Get a wallet credential",
    params: one
  })
)
