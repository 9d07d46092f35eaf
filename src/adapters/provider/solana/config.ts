/** What the adapter is configured with, after its options were checked and its keys were read. */
import type { Effect } from "effect"
import type { Signer } from "../../../engine/ports/Signer.ts"
import type { ChainBooks } from "../chain/books.ts"
import { type ChainToken, formatTokenAmount } from "../chain/tokens.ts"
import type { Nodes } from "./nodes.ts"

/** A token of the network. `account` is the hot wallet's own account of it. */
export interface TokenMint extends ChainToken {
  readonly mint: string
  readonly account: string
  /** Addresses with at least this much are swept, in the smallest unit. Null: never. */
  readonly sweep_from: bigint | null
}

export interface SolanaWallet {
  readonly address: string
  readonly key_ref: string
}

export interface SolanaContext {
  readonly name: string
  readonly network: string
  readonly nodes: Nodes
  readonly books: ChainBooks
  /** Adopts what earlier releases have written, as far as that can be read now. */
  readonly adopted: Effect.Effect<void>
  readonly signer: Signer["Service"]
  readonly hot: SolanaWallet
  /** The key from which the keys of deposit addresses are derived. */
  readonly deposit_key: string
  readonly tokens: ReadonlyArray<TokenMint>
  /** Micro-lamports per compute unit. */
  readonly price: bigint
  /** Milliseconds after which a reading of the chain begins nothing more. */
  readonly reading_ms: number
  /** The transfer that was followed last. */
  readonly followed: { last: string }
  /** Associated accounts that were computed before, by owner and mint. */
  readonly accounts: Map<string, string>
}

export const findToken = ({ tokens }: SolanaContext, currency: string): TokenMint | undefined =>
  tokens.find((token) => token.currency === currency)

/** Formats lamports as SOL. */
export const formatSol = (lamports: bigint): string => formatTokenAmount(lamports, 9)
