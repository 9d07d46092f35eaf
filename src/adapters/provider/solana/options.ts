import { addressFault } from "../../../engine/input/addresses.ts"
import { checkOptions } from "../../../engine/input/options.ts"
import type { SignerAdapter } from "../../../engine/ports/adapter.ts"
import { isAmount } from "../../../machines/kernel/money.ts"
import { findChainOptionFault } from "../chain/options.ts"

/** A token. `decimals` is what its mint says. */
export interface SolanaToken {
  readonly mint: string
  readonly decimals: number
  /**
   * The smallest balance of a deposit address that is swept to the hot wallet, as a decimal amount. Null: addresses are
   * not swept. Default: any balance.
   */
  readonly sweep_from?: string | null
}

export interface SolanaOptions {
  /** The provider's name, as in `clearing:<name>`. */
  readonly name: string
  /** Earlier names of the same provider: what the store has under them stays its own. An empty list: it never had one. */
  readonly formerly?: ReadonlyArray<string>
  /**
   * JSON-RPC nodes of one cluster, in order of preference. Each must keep the transactions of some days (see
   * `docs/chains.md`). What one node shows is believed, even if another does not show it yet.
   */
  readonly rpc_urls: ReadonlyArray<string>
  readonly tokens: { readonly [currency: string]: SolanaToken }
  readonly signer: SignerAdapter
  /** The key (ed25519) of the wallet that pays: tokens for payouts and refunds, SOL for fees and for recipients' accounts. */
  readonly hot_wallet: string
  /** The key (ed25519) from which the keys of deposit addresses are derived. Default: `hot_wallet`. */
  readonly deposit_key?: string
  /** The network in destinations and addresses. Default: `solana`. */
  readonly network?: string
  /** Micro-lamports per compute unit that are offered for priority. Default: 0. */
  readonly priority_fee?: number
  /** Milliseconds until a node's answer counts as lost. Default: 10,000. */
  readonly timeout_ms?: number
  /** Milliseconds after which one reading of the chain ends, to be continued by the next one. Default: 10,000. */
  readonly reading_ms?: number
  /** Milliseconds between two readings of the chain. Default: that of the engine. */
  readonly interval_ms?: number
}

/**
 * Checks the names of the options and of the members of tokens; {@link findOptionFault} checks the values. Errors: throws
 * `TypeError` for an unknown one.
 */
export const checkOptionNames = (options: SolanaOptions): void => {
  checkOptions("solanaProvider", options, {
    name: "any",
    formerly: "any",
    rpc_urls: "any",
    tokens: "object",
    signer: "any",
    hot_wallet: "any",
    deposit_key: "string?",
    network: "string?",
    priority_fee: "any",
    timeout_ms: "number?",
    reading_ms: "number?",
    interval_ms: "number?"
  })
  for (const [currency, token] of Object.entries(options.tokens))
    checkOptions(`tokens.${currency} of solanaProvider`, token, { mint: "any", decimals: "any", sweep_from: "any" })
}

const formatValue = (value: unknown): string => JSON.stringify(value) ?? String(value)

/** Finds the first invalid option, as one sentence. */
export const findOptionFault = (options: SolanaOptions): string | undefined => {
  const { hot_wallet, priority_fee = 0, tokens } = options
  const fault = findChainOptionFault(options)
  if (fault !== undefined) return fault
  for (const [currency, { mint, decimals, sweep_from = "0" }] of Object.entries(tokens)) {
    if (addressFault("solana", mint) !== null)
      return `tokens.${currency}.mint is ${formatValue(mint)}; it must be a Solana address`
    if (!Number.isInteger(decimals) || decimals < 0 || decimals > 18)
      return `tokens.${currency}.decimals is ${formatValue(decimals)}; it must be an integer from 0 to 18`
    if (sweep_from !== null && !isAmount(sweep_from))
      return `tokens.${currency}.sweep_from is ${formatValue(sweep_from)}; it must be a decimal amount or null`
  }
  if (hot_wallet === "") return "hot_wallet is empty; it must name a key of the signer"
  if (!Number.isInteger(priority_fee) || priority_fee < 0)
    return `priority_fee is ${formatValue(priority_fee)}; it must be an integer of micro-lamports`
  return undefined
}
