/** A wallet: one currency of one customer. What it holds is in the ledger, not here. */
import { record, type Update } from "./kernel/record.ts"

export interface WalletData {
  readonly customer_id: string
  readonly type: "crypto" | "fiat"
  readonly currency: string
  readonly country_code: string | null
  /** Derived: of the newest active credential in the wallet's own currency, else `solana` or `bank` (decisions 6). */
  readonly network: string
  readonly label: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type WalletEvent = Update<WalletData>

export const Wallet = record<WalletData>("wallet")
