/**
 * Validation of network addresses (BENEFICIARY-4). It is structural only: it does not prove that anyone holds the
 * address's key.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { base58 } from "@scure/base"

const evmNetworks: ReadonlySet<string> = new Set(["base", "ethereum"])

/** The mixed-case form of an EVM address (EIP-55). `hex` is 40 hexadecimal digits without `0x`, in any case. */
const checksummed = (hex: string): string => {
  const digits = hex.toLowerCase()
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)))
  return [...digits]
    .map((digit, at) => (Number.parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit))
    .join("")
}

const evmFault = (address: string): string | null => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return "an EVM address must be 0x followed by 40 hexadecimal digits"
  const hex = address.slice(2)
  const oneCase = hex === hex.toLowerCase() || hex === hex.toUpperCase()
  return oneCase || hex === checksummed(hex) ? null : "the EIP-55 checksum is invalid: a letter or its case was changed"
}

const solanaFault = (address: string): string | null => {
  const fault = "a Solana address must be the base58 form of 32 bytes"
  // The length bounds the work: decoding base58 takes time quadratic in it.
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return fault
  return base58.decode(address).length === 32 ? null : fault
}

/**
 * The fault of `address` on `network`; null when the address is valid.
 *
 * An EVM address (base, ethereum) in mixed case must have its EIP-55 checksum; in a single case it has none. A Solana
 * address is base58 of 32 bytes. A network without addresses (`bank`, or an unknown network) accepts none.
 */
export const addressFault = (network: string, address: string): string | null => {
  if (evmNetworks.has(network)) return evmFault(address)
  if (network === "solana") return solanaFault(address)
  return `${network} has no addresses`
}
