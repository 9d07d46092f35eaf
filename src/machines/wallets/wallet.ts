/** A wallet: one currency of one customer. Its balances are in the ledger. */
import { makeRecordLifecycle, type Update } from "../kernel/lifecycle.ts"

export interface WalletData {
  readonly customer_id: string
  readonly type: "crypto" | "fiat"
  readonly currency: string
  readonly country_code: string | null
  /** Given at creation, or else taken from the newest active credential in its own currency (WALLET-1, WALLET-2). */
  readonly network: string
  /** The network of its credentials, when `network` was given at creation: conversions are quoted on it (QUOTE-10). */
  readonly credential_network?: string
  readonly label: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type WalletEvent = Update<WalletData>

export const Wallet = makeRecordLifecycle<WalletData>("wallet")
