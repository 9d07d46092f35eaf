/** The options of the adapter. This file loads nothing. */
import { checkOptions } from "../../../engine/input/options.ts"
import type { SignerAdapter } from "../../../engine/ports/adapter.ts"

/** An ERC-20 contract. */
export interface EvmToken {
  readonly address: string
  readonly decimals: number
  /** Deposit addresses with less than this are not swept, a decimal amount. Default: `1`. */
  readonly sweep_minimum?: string
  /**
   * Whether the balances of deposit addresses must be what their deposits say, or the feed stops. `false` is for a token whose
   * balances change without transfers. Default: true.
   */
  readonly balance_proof?: boolean
}

export interface EvmOptions {
  /** The provider's name: `base`, for instance. */
  readonly name: string
  /** Earlier names of the same provider: what the store has under them stays its own. An empty list: it never had one. */
  readonly formerly?: ReadonlyArray<string>
  readonly chain_id: number
  /** The network as `/v1` names it. */
  readonly network: "base" | "ethereum"
  /** JSON-RPC nodes. They must serve the state of the final block and of all blocks after it. With one, what it says is believed. */
  readonly rpc_urls: ReadonlyArray<string>
  /** How many nodes must agree on what decides about money. Default: more than half. */
  readonly quorum?: number
  /** Milliseconds until a call of a node counts as unanswered. Default: 10,000. */
  readonly rpc_timeout_ms?: number
  readonly tokens: { readonly [currency: string]: EvmToken }
  /** The signer's name of the hot wallet's key. */
  readonly hot_wallet: string
  /**
   * When a block is final. `finalized` (default): when the nodes say so. A number: when so many blocks, itself included, end
   * with the head.
   */
  readonly confirmations?: number | "finalized"
  /** The chain's own coin, which pays for gas. Default: `ETH`. */
  readonly native?: string
  /** The most that is paid for a unit of gas, in gwei. Above it, payouts are unavailable. Default: no limit. */
  readonly max_fee_gwei?: string
  /** The gas limit of a token transfer. Default: 120,000. */
  readonly transfer_gas?: number
  /** Milliseconds after which a transaction that no block has is replaced by one with higher fees. Default: 60,000. */
  readonly replace_after_ms?: number
  /** Milliseconds after which it is cancelled instead. Default: never. */
  readonly cancel_after_ms?: number
  /** Milliseconds after which a deposit that a reorganisation removed counts as failed. Default: an hour. */
  readonly gone_after_ms?: number
  /** The most blocks that are read before progress is recorded, and whose logs are read in one call. Default: 200. */
  readonly block_range?: number
  /** Milliseconds between two reads of the chain. Default: 5,000. */
  readonly poll_ms?: number
}

/**
 * Checks the names of the options and of the members of tokens. Errors: throws `TypeError` for an unknown one. The values are
 * checked at startup.
 */
export const checkOptionNames = (options: EvmOptions & { readonly signer: SignerAdapter }): void => {
  checkOptions("evmProvider", options, {
    name: "any",
    formerly: "any",
    chain_id: "number",
    network: ["base", "ethereum"],
    rpc_urls: "object",
    quorum: "number?",
    rpc_timeout_ms: "number?",
    tokens: "object",
    signer: "any",
    hot_wallet: "string",
    confirmations: "any",
    native: "string?",
    max_fee_gwei: "string?",
    transfer_gas: "number?",
    replace_after_ms: "number?",
    cancel_after_ms: "number?",
    gone_after_ms: "number?",
    block_range: "number?",
    poll_ms: "number?"
  })
  for (const [currency, token] of Object.entries(options.tokens))
    checkOptions(`tokens.${currency} of evmProvider`, token, {
      address: "string",
      decimals: "number",
      sweep_minimum: "string?",
      balance_proof: "boolean?"
    })
}
