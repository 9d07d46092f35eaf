/** The `/v1` shape of a wallet (WALLET-1). */
import { Schema } from "effect"
import { available, held, reserved } from "../../../machines/kernel/ledger.ts"
import { formatAmount } from "../../../machines/kernel/money.ts"
import type { CustomerSummary, WalletSummary } from "../../../machines/parties/summaries.ts"
import type { WalletData } from "../../../machines/wallets/wallet.ts"
import { currencyOf } from "../../reference/currencies.ts"
import type { Account, Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { amountBody, CustomerSummaryBody, metadataBody, timestampBody } from "../shared.ts"

export const WalletBody = Schema.Struct({
  id: Schema.String,
  customer_id: Schema.String,
  customer: CustomerSummaryBody,
  type: Schema.Literals(["crypto", "fiat"]),
  currency: Schema.String,
  country_code: Schema.NullOr(Schema.String),
  network: Schema.String,
  label: Schema.NullOr(Schema.String),
  balance: Schema.Struct({ available: amountBody, reserved: amountBody, held: amountBody }),
  metadata: metadataBody,
  created_at: timestampBody,
  updated_at: timestampBody
}).annotate({ identifier: "Wallet" })
export type WalletBody = typeof WalletBody.Type

/** The accounts that make up a wallet's balance. */
export const walletAccounts = (id: string): ReadonlyArray<string> => [available(id), reserved(id), held(id)]

export const walletSummary = ({ id, data }: Row<WalletData>): WalletSummary => ({
  id,
  currency: data.currency,
  label: data.label
})

export const walletBody = (
  { id, created_at, updated_at, data: w }: Row<WalletData>,
  customer: CustomerSummary,
  accounts: ReadonlyMap<string, Account>
): WalletBody => {
  const balance = (account: string): string =>
    formatAmount(BigInt(accounts.get(account)?.balance ?? "0"), currencyOf(w.currency))
  return {
    id,
    customer_id: w.customer_id,
    customer,
    type: w.type,
    currency: w.currency,
    country_code: w.country_code,
    network: w.network,
    label: w.label,
    balance: { available: balance(available(id)), reserved: balance(reserved(id)), held: balance(held(id)) },
    metadata: w.metadata,
    created_at: iso(created_at),
    updated_at: iso(updated_at)
  }
}
