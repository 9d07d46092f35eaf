import { get, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id, Noted } from "../../input/schemas.ts"
import { TransactionBody } from "../../representations/movements/transaction.ts"
import { WalletCredentialBody } from "../../representations/wallets/wallet-credential.ts"
import { AutoConversions } from "../../resources/deposits/auto-conversion.ts"
import {
  CreateWalletCredential,
  ListWalletCredentials,
  WalletCredentialKind,
  WalletCredentials
} from "../../resources/wallets/wallet-credential.ts"
import { operatorGroup, type Registration } from "../registration.ts"

const credential = { id: Id("wcr") }
const wallet = { id: Id("wal") }
const one = { ...wallet, credentialId: Id("wcr") }

const operations = {
  operator: section(operatorGroup, {
    walletCredentials: {
      freeze: post(
        "freezeWalletCredential",
        "/operator/v1/credentials/:id/freeze",
        {
          role: "support",
          summary: "Freeze a wallet credential",
          description: "Deposits to a frozen credential are held for review.",
          params: credential,
          input: Noted,
          output: WalletCredentialBody,
          refusals: ["invalid_status"]
        },
        ({ call, params }) => WalletCredentials.use((s) => s.freeze(call, params.id))
      ),
      unfreeze: post(
        "unfreezeWalletCredential",
        "/operator/v1/credentials/:id/unfreeze",
        {
          role: "treasury",
          summary: "Unfreeze a wallet credential",
          params: credential,
          input: Noted,
          output: WalletCredentialBody,
          refusals: ["invalid_status"]
        },
        ({ call, params }) => WalletCredentials.use((s) => s.unfreeze(call, params.id))
      ),
      /** Converts the whole balance at the current rate and fee. */
      forward: post(
        "forwardWalletCredential",
        "/operator/v1/credentials/:id/forward",
        {
          action: "conversion",
          role: "treasury",
          summary: "Convert the balance of a wallet credential and credit its wallet",
          description:
            "Converts the whole balance at the current rate and fee. Use this operation when a conversion failed or was returned.",
          params: credential,
          input: Noted,
          output: TransactionBody,
          refusals: ["invalid_status", "ledger_insufficient_funds", "external_service_unavailable"]
        },
        ({ call, params, input }) => AutoConversions.use((s) => s.forward(call, params.id, input.note))
      ),
      disable: post(
        "disableWalletCredential",
        "/operator/v1/credentials/:id/disable",
        {
          role: "treasury",
          summary: "Disable a wallet credential for good",
          description: "Later deposits to the credential are held.",
          params: credential,
          input: Noted,
          output: WalletCredentialBody,
          refusals: ["invalid_status"]
        },
        ({ call, params }) => WalletCredentials.use((s) => s.disable(call, params.id))
      )
    }
  }),
  merchant: section(
    {
      id: "wallet_credentials",
      title: "Wallet credentials",
      description:
        "Bank details and on-chain addresses that fund a wallet. If the currency of a credential is not that of the wallet, each deposit is converted."
    },
    {
      walletCredentials: {
        create: post(
          "createWalletCredential",
          "/v1/wallets/:id/credentials",
          {
            summary: "Create a wallet credential",
            description:
              "The credential is pending until the provider issues the account or address. If its currency is not that of the wallet, deposits are converted: fiat on a crypto wallet, crypto on a fiat wallet.",
            params: wallet,
            input: CreateWalletCredential,
            output: WalletCredentialBody,
            limited: true,
            examples: {
              autoOnramp: { type: "fiat", currency: "NGN", network: "bank", label: "collections" },
              ownCurrency: { type: "crypto", network: "base" }
            },
            refusals: ["invalid_input", "prohibited_country", "not_found", "resource_access_required"]
          },
          ({ call, params, input }) => WalletCredentials.use((s) => s.create(call, params.id, input))
        ),
        list: list(
          "listWalletCredentials",
          "/v1/wallets/:id/credentials",
          {
            summary: "List a wallet's credentials",
            params: wallet,
            input: ListWalletCredentials,
            output: WalletCredentialBody
          },
          ({ call, params, input }) => WalletCredentials.use((s) => s.list(call, params.id, input))
        ),
        get: get(
          "getWalletCredential",
          "/v1/wallets/:id/credentials/:credentialId",
          { summary: "Get a wallet credential", params: one, output: WalletCredentialBody },
          ({ call, params }) => WalletCredentials.use((s) => s.get(call, params.id, params.credentialId))
        )
      }
    }
  )
} as const satisfies Sections

export const walletCredential = {
  kind: WalletCredentialKind,
  layer: WalletCredentials.layer,
  operations
} satisfies Registration
