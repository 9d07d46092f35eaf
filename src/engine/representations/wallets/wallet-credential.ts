/** The `/v1` shape of a wallet credential (CREDENTIAL-3, CREDENTIAL-7). */
import { Schema } from "effect"
import type { WalletSummary } from "../../../machines/parties/summaries.ts"
import type { WalletCredentialData } from "../../../machines/wallets/wallet-credential.ts"
import type { Row } from "../../ports/Storage.ts"
import { describe } from "../../input/schemas.ts"
import {
  bodyOf,
  currencyCodeOf,
  idOf,
  labelBody,
  metadataBody,
  networkOf,
  orNull,
  providerResourceBody,
  textOf,
  times,
  wordOf
} from "../members.ts"
import { WalletSummaryBody } from "./wallet.ts"

export const walletCredentialStatuses = ["pending", "active", "frozen", "disabled"] as const

const FiatCredentialDetailsBody = Schema.Struct({
  accountName: textOf("The holder of the account to pay to.", "Lagos Trading"),
  accountNumber: textOf("The number of the account to pay to.", "9918273645"),
  bankName: textOf("The bank of the account.", "Zenith Bank"),
  bankCode: orNull(textOf("The bank's code in its country. Null if it has none.", "057")),
  currency: currencyCodeOf("The currency that the account takes.", "NGN"),
  reference: orNull(textOf("If not null, the payer must include it in the payment.", "CRD7K2M9QX"))
}).annotate({ identifier: "FiatCredentialDetails", description: "A bank account to pay to." })

const CryptoCredentialDetailsBody = Schema.Struct({
  network: networkOf("The network of the address: `base`, `ethereum` or `solana`."),
  address: orNull(
    textOf("The address to pay to. Null until it is issued.", "0x52908400098527886E0F7030069857D2E4169EE7")
  )
}).annotate({ identifier: "CryptoCredentialDetails", description: "A crypto address to pay to." })

const credential = {
  id: idOf("wcr", "The id of the credential."),
  type: wordOf(
    ["crypto", "fiat"],
    "What it takes.",
    { crypto: "payments on a network", fiat: "bank transfers" },
    "fiat"
  ),
  currency: currencyCodeOf("The currency that it takes. If it is not the wallet's, each deposit is converted.", "NGN"),
  network: networkOf("`bank`, or the network of the address.", "bank"),
  label: labelBody,
  metadata: metadataBody,
  details: describe(
    Schema.NullOr(Schema.Union([FiatCredentialDetailsBody, CryptoCredentialDetailsBody])),
    "What the payer needs, by `type`. Null for a bank account that is not issued yet."
  ),
  provider_resource_id: providerResourceBody
}

/** The credential in the events of its deposits. */
export const FundedCredentialBody = Schema.Struct(credential).annotate({
  identifier: "FundedCredential",
  description: "The credential that was paid to."
})

export const WalletCredentialBody = Schema.Struct({
  ...credential,
  wallet: describe(WalletSummaryBody, "The wallet that is credited."),
  status: wordOf(walletCredentialStatuses, "Whether it can receive.", {
    pending: "the provider has not issued it yet",
    active: "deposits to it are credited or converted",
    frozen: "the operator withholds its deposits: they are held",
    disabled: "closed for ever: what still arrives is held"
  }),
  ...times
}).annotate({
  identifier: "WalletCredential",
  description:
    "A bank account or an address whose deposits are credited to a wallet, converted if the currency differs."
})
export type WalletCredentialBody = typeof WalletCredentialBody.Type

const bankDetails = ({
  accountName,
  accountNumber,
  bankName,
  ...details
}: Readonly<Record<string, string | null>>) => ({
  accountName: accountName ?? "",
  accountNumber: accountNumber ?? "",
  bankName: bankName ?? "",
  bankCode: details["bankCode"] ?? null,
  reference: details["reference"] ?? null
})

const credentialDetails = ({
  currency,
  details,
  network,
  target,
  type
}: WalletCredentialData): WalletCredentialBody["details"] => {
  if (type === "crypto") return { network, address: details?.["address"] ?? target }
  if (details === null) return null
  return { ...bankDetails(details), currency }
}

/** A credential in the events of its deposits. */
export const credentialInEvents = bodyOf(FundedCredentialBody, ({ data }: Row<WalletCredentialData>) => ({
  details: credentialDetails(data)
}))

export const walletCredentialBody = bodyOf(
  WalletCredentialBody,
  ({ data }: Row<WalletCredentialData>, wallet: WalletSummary) => ({ wallet, details: credentialDetails(data) })
)
