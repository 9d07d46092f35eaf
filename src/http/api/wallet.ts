import { WalletBody } from "../../engine/representations/wallets/wallet.ts"
import { CreateWallet, ListWallets, UpdateWallet } from "../../engine/resources/wallets/wallet.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, list, patch, post } from "./contract.ts"

const one = { id: Id("wal") }

export const WalletsApi = group("wallets", "Wallets", "A wallet holds one currency of one customer.").add(
  post("createWallet", "/v1/wallets", CreateWallet, WalletBody, {
    summary: "Create a wallet",
    description: "Without a customer it belongs to the default customer. Several wallets of one currency are allowed.",
    limited: true,
    errors: ["not_found", "invalid_input", "resource_access_required"],
    examples: {
      usdc: { currency: "USDC", label: "treasury" },
      on_base: { currency: "USDC", network: "base" }
    }
  }),
  list("listWallets", "/v1/wallets", WalletBody, { summary: "List wallets", query: ListWallets }),
  get("getWallet", "/v1/wallets/:id", WalletBody, { summary: "Get a wallet and its balance", params: one }),
  patch("updateWallet", "/v1/wallets/:id", UpdateWallet, WalletBody, {
    summary: "Change a wallet's label or metadata",
    params: one,
    errors: ["conflict"],
    examples: { label: { label: "payouts" } }
  })
)
