/** Wallets (decisions 6). */
import { WalletBody } from "../../engine/representations/wallet.ts"
import { CreateWallet, ListWallets, UpdateWallet } from "../../engine/resources/wallet.ts"
import { Id } from "../../engine/schemas.ts"
import { get, group, list, patch, post } from "./contract.ts"

const params = { id: Id("wal") }

export const WalletsApi = group("wallets", "Wallets", "Balances of a customer in one currency.").add(
  post("createWallet", "/v1/wallets", CreateWallet, WalletBody, {
    summary: "Create a wallet",
    description: "Without customer_id it belongs to the merchant's default customer.",
    limited: true,
    errors: ["not_found", "invalid_input", "resource_access_required"],
    examples: { usdc: { currency: "USDC", label: "Treasury" }, naira: { currency: "NGN" } }
  }),
  list("listWallets", "/v1/wallets", WalletBody, { summary: "List wallets", query: ListWallets }),
  get("getWallet", "/v1/wallets/:id", WalletBody, { summary: "Show a wallet with its balance", params }),
  patch("updateWallet", "/v1/wallets/:id", UpdateWallet, WalletBody, {
    summary: "Change a wallet's label or metadata",
    description: "Metadata is replaced as a whole.",
    params,
    examples: { label: { label: "Payouts" } }
  })
)
