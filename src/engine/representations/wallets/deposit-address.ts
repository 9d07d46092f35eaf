/** The `/v1` shape of a deposit address (ADDRESS-2). */
import { Schema } from "effect"
import type { DepositAddressData } from "../../../machines/wallets/deposit-address.ts"
import type { WalletSummary } from "../../../machines/parties/summaries.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { metadataBody, timestampBody, WalletSummaryBody } from "../shared.ts"

export const depositAddressStatuses = ["pending", "active", "frozen", "disabled"] as const

export const DepositAddressBody = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("crypto"),
  currency: Schema.String,
  wallet: WalletSummaryBody,
  metadata: metadataBody,
  details: Schema.Struct({
    network: Schema.String,
    address: Schema.NullOr(Schema.String).annotate({ description: "Null until it is issued." })
  }),
  status: Schema.Literals(depositAddressStatuses),
  disabled_reason: Schema.NullOr(Schema.String),
  provider_resource_id: Schema.NullOr(Schema.String),
  label: Schema.NullOr(Schema.String),
  created_at: timestampBody,
  updated_at: timestampBody
}).annotate({ identifier: "DepositAddress" })
export type DepositAddressBody = typeof DepositAddressBody.Type

export const depositAddressBody = (
  { id, status, created_at, updated_at, data: a }: Row<DepositAddressData>,
  wallet: WalletSummary
): DepositAddressBody => ({
  id,
  type: "crypto",
  currency: a.currency,
  wallet,
  metadata: a.metadata,
  details: { network: a.network, address: a.address },
  status: status as DepositAddressBody["status"],
  disabled_reason: a.disabled_reason,
  provider_resource_id: a.provider_resource_id,
  label: a.label,
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})
