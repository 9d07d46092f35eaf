import { getFrom, list, listFrom, patch, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { WalletBody } from "../../representations/wallets/wallet.ts"
import { CreateWallet, ListWallets, UpdateWallet, WalletKind, Wallets } from "../../resources/wallets/wallet.ts"
import { merchantsGroup, type Registration, walletsGroup } from "../registration.ts"

const one = { id: Id("wal") }

const operations = {
  merchant: section(walletsGroup, {
    wallets: {
      create: post(
        "createWallet",
        "/v1/wallets",
        {
          summary: "Create a wallet",
          description:
            "Default customer: the default customer of the merchant. A customer can have several wallets in one currency.",
          input: CreateWallet,
          output: WalletBody,
          limited: true,
          examples: {
            usdc: { currency: "USDC", label: "treasury" },
            on_base: { currency: "USDC", network: "base" }
          },
          refusals: ["not_found", "invalid_input", "prohibited_country", "resource_access_required"]
        },
        ({ call, input }) => Wallets.use((s) => s.create(call, input))
      ),
      list: listFrom(Wallets, "listWallets", "/v1/wallets", ListWallets, WalletBody),
      get: getFrom(Wallets, "getWallet", "/v1/wallets/:id", one, WalletBody, "Get a wallet and its balance"),
      update: patch(
        "updateWallet",
        "/v1/wallets/:id",
        {
          summary: "Change a wallet's label or metadata",
          params: one,
          input: UpdateWallet,
          output: WalletBody,
          examples: { label: { label: "payouts" } },
          refusals: ["conflict"]
        },
        ({ call, params, input }) => Wallets.use((s) => s.update(call, params.id, input))
      )
    }
  }),
  operator: section(merchantsGroup, {
    wallets: {
      list: list(
        "listMerchantWallets",
        "/operator/v1/merchants/:id/wallets",
        {
          summary: "List a merchant's wallets",
          params: { id: Id("mer") },
          input: ListWallets,
          output: WalletBody
        },
        ({ call, params, input }) => Wallets.use((s) => s.listOf({ ...call, merchant_id: params.id }, input))
      )
    }
  })
} as const satisfies Sections

export const wallet = { kind: WalletKind, layer: Wallets.layer, operations } satisfies Registration
