import type { TokenMint, SolanaWallet } from "./config.ts"
import type { SolanaOutgoing } from "./entries.ts"

/** What is to be paid. `amount` is in the token's smallest unit. */
export interface Order {
  readonly purpose: SolanaOutgoing["purpose"]
  readonly command_id: string
  /** The merchant that owns the resource. */
  readonly merchant_id: string
  readonly resource_id: string
  /** The number of earlier submissions, as the engine counts them. Absent where it does not. */
  readonly attempt?: number
  readonly token: TokenMint
  readonly amount: bigint
  readonly from: SolanaWallet & { readonly account: string }
  readonly to: string
  readonly memo: string | null
}
