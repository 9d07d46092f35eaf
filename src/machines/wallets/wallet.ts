/** A wallet: one currency of one customer. What it holds is in the ledger, not here. */
import { record, type Update } from "../kernel/record.ts"

export interface WalletData {
  readonly customer_id: string
  readonly type: "crypto" | "fiat"
  readonly currency: string
  readonly country_code: string | null
  /**
   * Said when it was made, or else of its credentials: of the newest active one in its own currency (WALLET-1,
   * WALLET-2).
   */
  readonly network: string
  /** What its credentials say, where the network was said: conversions are quoted on it (QUOTE-10). */
  readonly credential_network?: string
  readonly label: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type WalletEvent = Update<WalletData>

export const Wallet = record<WalletData>("wallet")
