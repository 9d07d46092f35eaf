/** The configuration of an EVM chain, checked and complete. */
import { getAddress, type Hex } from "viem"
import { addressFault } from "../../../engine/input/addresses.ts"
import { parseAmount } from "../../../machines/kernel/money.ts"
import { findChainOptionFault } from "../chain/options.ts"
import { type ChainToken, formatTokenAmount } from "../chain/tokens.ts"
import type { EvmOptions } from "./options.ts"

export interface TokenContract extends ChainToken {
  /** In lower case. */
  readonly address: Hex
  /** A deposit address with less is not swept, in units. */
  readonly sweep_minimum: bigint
  readonly balance_proof: boolean
}

export interface EvmConfig {
  readonly name: string
  readonly chain_id: number
  readonly network: string
  readonly native: string
  readonly tokens: ReadonlyArray<TokenContract>
  readonly key_ref: string
  /** In wei; undefined: no limit. */
  readonly max_fee: bigint | undefined
  readonly transfer_gas: number
  readonly replace_after_ms: number
  readonly cancel_after_ms: number | undefined
  readonly gone_after_ms: number
  readonly block_range: number
  readonly chain: {
    readonly chain_id: number
    readonly rpc_urls: ReadonlyArray<string>
    readonly quorum: number
    readonly confirmations: number | "finalized"
    readonly timeout_ms: number
  }
}

const requireInteger = (field: string, value: number, least: number): number => {
  if (!Number.isSafeInteger(value) || value < least)
    throw new TypeError(`${field} is ${value}; it must be a whole number of at least ${least}`)
  return value
}

const requireDecimal = (field: string, value: string, decimals: number): bigint => {
  const units = value === "0" ? 0n : parseAmount(value, decimals)
  if (typeof units === "string") {
    throw new TypeError(
      `${field} is ${JSON.stringify(value)}; it must be a decimal amount with at most ${decimals} decimals`
    )
  }
  return units
}

/**
 * Checks the options, and makes the configuration from them with its defaults. Errors: throws `TypeError` with the field, the
 * value found and the values accepted.
 */
export const resolveConfig = (options: EvmOptions): EvmConfig => {
  const { chain_id, confirmations = "finalized", hot_wallet, name, network, rpc_urls, tokens } = options
  const fault = findChainOptionFault(options)
  if (fault !== undefined) throw new TypeError(fault)
  const known = Object.entries(tokens).map(([currency, token]) => {
    const field = `tokens.${currency}`
    const wrong = addressFault(network, token.address)
    if (wrong !== null) throw new TypeError(`${field}.address is ${JSON.stringify(token.address)}: ${wrong}`)
    requireInteger(`${field}.decimals`, token.decimals, 0)
    return {
      currency,
      address: token.address.toLowerCase() as Hex,
      decimals: token.decimals,
      sweep_minimum: requireDecimal(`${field}.sweep_minimum`, token.sweep_minimum ?? "1", token.decimals),
      balance_proof: token.balance_proof ?? true
    }
  })
  if (new Set(known.map(({ address }) => address)).size < known.length)
    throw new TypeError("tokens has one address twice; each currency has its own")
  const quorum = requireInteger("quorum", options.quorum ?? Math.floor(rpc_urls.length / 2) + 1, 1)
  if (quorum > rpc_urls.length)
    throw new TypeError(`quorum is ${quorum}; it must be at most ${rpc_urls.length}, the number of rpc_urls`)
  if (confirmations !== "finalized") requireInteger("confirmations", confirmations, 1)
  return {
    name,
    chain_id: requireInteger("chain_id", chain_id, 1),
    network,
    native: options.native ?? "ETH",
    tokens: known,
    key_ref: hot_wallet,
    max_fee: options.max_fee_gwei === undefined ? undefined : requireDecimal("max_fee_gwei", options.max_fee_gwei, 9),
    transfer_gas: requireInteger("transfer_gas", options.transfer_gas ?? 120_000, 21_000),
    replace_after_ms: requireInteger("replace_after_ms", options.replace_after_ms ?? 60_000, 0),
    cancel_after_ms:
      options.cancel_after_ms === undefined ? undefined : requireInteger("cancel_after_ms", options.cancel_after_ms, 0),
    gone_after_ms: requireInteger("gone_after_ms", options.gone_after_ms ?? 3_600_000, 0),
    block_range: requireInteger("block_range", options.block_range ?? 200, 1),
    chain: {
      chain_id,
      rpc_urls,
      quorum,
      confirmations,
      timeout_ms: requireInteger("rpc_timeout_ms", options.rpc_timeout_ms ?? 10_000, 1)
    }
  }
}

/** Formats wei as a decimal amount of the chain's own coin. */
export const formatCoins = (wei: bigint): string => formatTokenAmount(wei, 18)

/** Formats an address with the checksum of EIP-55. */
export const toChecksumAddress = (address: Hex): string => getAddress(address)
