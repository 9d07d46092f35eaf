/** The `/v1` shape of a wallet credential (CREDENTIAL-3, CREDENTIAL-7). */
import { Schema } from "effect"
import type { FundedCredential, WalletSummary } from "../../../machines/parties/summaries.ts"
import type { WalletCredentialData } from "../../../machines/wallets/wallet-credential.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { metadataBody, timestampBody, WalletSummaryBody } from "../shared.ts"

export const walletCredentialStatuses = ["pending", "active", "frozen", "disabled"] as const

const FiatCredentialDetailsBody = Schema.Struct({
  accountName: Schema.String,
  accountNumber: Schema.String,
  bankName: Schema.String,
  bankCode: Schema.NullOr(Schema.String),
  currency: Schema.String,
  reference: Schema.NullOr(Schema.String).annotate({
    description: "If not null, the payer must include it in the payment."
  })
})

const CryptoCredentialDetailsBody = Schema.Struct({
  network: Schema.String,
  address: Schema.NullOr(Schema.String).annotate({ description: "Null until it is issued." })
})

export const WalletCredentialBody = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals(["crypto", "fiat"]),
  currency: Schema.String,
  network: Schema.String,
  wallet: WalletSummaryBody,
  label: Schema.NullOr(Schema.String),
  metadata: metadataBody,
  details: Schema.NullOr(Schema.Union([FiatCredentialDetailsBody, CryptoCredentialDetailsBody])).annotate({
    description: "The payment details for the payer. Null for a bank account that is not issued yet."
  }),
  status: Schema.Literals(walletCredentialStatuses),
  provider_resource_id: Schema.NullOr(Schema.String),
  created_at: timestampBody,
  updated_at: timestampBody
}).annotate({ identifier: "WalletCredential" })
export type WalletCredentialBody = typeof WalletCredentialBody.Type

const shownDetails = ({
  currency,
  details,
  network,
  target,
  type
}: WalletCredentialData): WalletCredentialBody["details"] => {
  if (type === "crypto") return { network, address: details?.["address"] ?? target }
  if (details === null) return null
  return {
    accountName: details["accountName"] ?? "",
    accountNumber: details["accountNumber"] ?? "",
    bankName: details["bankName"] ?? "",
    bankCode: details["bankCode"] ?? null,
    currency,
    reference: details["reference"] ?? null
  }
}

/** A credential in the events of its deposits. */
export const fundedCredential = ({ id, data: c }: Row<WalletCredentialData>): FundedCredential => ({
  id,
  type: c.type,
  currency: c.currency,
  network: c.network,
  label: c.label,
  metadata: c.metadata,
  details: shownDetails(c),
  provider_resource_id: c.provider_resource_id
})

export const walletCredentialBody = (
  { id, status, created_at, updated_at, data: c }: Row<WalletCredentialData>,
  wallet: WalletSummary
): WalletCredentialBody => ({
  id,
  type: c.type,
  currency: c.currency,
  network: c.network,
  wallet,
  label: c.label,
  metadata: c.metadata,
  details: shownDetails(c),
  status: status as WalletCredentialBody["status"],
  provider_resource_id: c.provider_resource_id,
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})
