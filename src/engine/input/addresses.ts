/**
 * Validation of network addresses (BENEFICIARY-4). It is structural only: it does not prove that anyone holds the
 * address's key.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { base58 } from "@scure/base"

const evmNetworks: ReadonlySet<string> = new Set(["base", "ethereum"])

/** Writes an EVM address in mixed case (EIP-55). `hex` is 40 hexadecimal digits without `0x`, in any case. */
const toChecksumCase = (hex: string): string => {
  const digits = hex.toLowerCase()
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)))
  return [...digits]
    .map((digit, at) => (Number.parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit))
    .join("")
}

/**
 * The fault of `address` on `network`; null when the address is valid.
 *
 * An EVM address (base, ethereum) in mixed case must have its EIP-55 checksum; in a single case it has none. A Solana
 * address is base58 of 32 bytes. A network without addresses (`bank`, or an unknown network) accepts none.
 */
export const addressFault = (network: string, address: string): string | null => {
  if (evmNetworks.has(network)) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return "an EVM address must be 0x followed by 40 hexadecimal digits"
    const hex = address.slice(2)
    const oneCase = hex === hex.toLowerCase() || hex === hex.toUpperCase()
    return oneCase || hex === toChecksumCase(hex)
      ? null
      : "the EIP-55 checksum is invalid: a letter or its case was changed"
  }
  if (network === "solana") {
    const fault = "a Solana address must be the base58 form of 32 bytes"
    // The length bounds the work: decoding base58 takes time quadratic in it.
    if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return fault
    return base58.decode(address).length === 32 ? null : fault
  }
  return `${network} has no addresses`
}

/**
 * The most bytes of a memo on Solana. A transaction has 1,232: the others are for its signature, its accounts, the transfer, the opening of
 * the recipient's account, and a fee for priority.
 */
const solanaMemoBytes = 724

/** Says why a memo is invalid on `network`, as the end of a sentence. Null: transfers there take it (BENEFICIARY-15). */
export const memoFault = (network: string, memo: string): string | null => {
  if (evmNetworks.has(network)) return `is ${JSON.stringify(memo)}: a transfer on ${network} takes no memo`
  const bytes = utf8ToBytes(memo).length
  return network !== "solana" || bytes <= solanaMemoBytes
    ? null
    : `has ${bytes} bytes in UTF-8: a transfer on ${network} takes a memo of at most ${solanaMemoBytes}`
}

/** Addresses whose key nobody has, and which are no accident: tokens burn to them, or refuse them. */
const nobodys: ReadonlyMap<string, string> = new Map([
  ["0x0000000000000000000000000000000000000000", "the zero address, whose key nobody has"],
  ["11111111111111111111111111111111", "the system program of Solana, which is no account of anyone"]
])

/** The contracts of the stablecoins, as their issuers publish them, by network. */
const contracts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  base: {
    USDC: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    USDT: "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2"
  },
  ethereum: {
    USDC: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    USDT: "0xdAC17F958D2ee523a2206206994597C13D831ec7"
  },
  solana: {
    USDC: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    USDT: "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"
  }
}

/** Converts an address to the form that is compared: EVM addresses do not depend on case. */
export const normalizeAddress = (network: string, address: string): string =>
  evmNetworks.has(network) ? address.toLowerCase() : address

/**
 * Explains why money sent to a valid address of the network would be lost: nobody has its key, or it is a token contract. Null: no reason
 * is known. Addresses that providers configure, they check themselves ({@link OwnAddresses.isToken}).
 */
export const explainLoss = (network: string, address: string): string | null => {
  const same = (other: string): boolean => normalizeAddress(network, other) === normalizeAddress(network, address)
  const [currency] = Object.entries(contracts[network] ?? {}).find(([, contract]) => same(contract)) ?? []
  return nobodys.get(address.toLowerCase()) ?? (currency === undefined ? null : `the contract of ${currency} itself`)
}
