/**
 * Whether a text is an address of a network (BENEFICIARY-4). Structural only: nothing proves that anyone holds its key.
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
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return "an EVM address is 0x and 40 hexadecimal digits"
  const hex = address.slice(2)
  const oneCase = hex === hex.toLowerCase() || hex === hex.toUpperCase()
  return oneCase || hex === checksummed(hex)
    ? null
    : "its EIP-55 checksum does not hold; a letter was changed or lost its case"
}

const solanaFault = (address: string): string | null => {
  const fault = "a Solana address is the base58 form of 32 bytes"
  // The length bounds the work: decoding base58 takes time quadratic in it.
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return fault
  return base58.decode(address).length === 32 ? null : fault
}

/**
 * What is wrong with `address` on `network`; null when it is one of its addresses.
 *
 * An EVM address (base, ethereum) in mixed case must carry its EIP-55 checksum; in one case it carries none. A Solana
 * address is base58 of 32 bytes. A network that has no addresses (`bank`, or an unknown one) takes none.
 */
export const addressFault = (network: string, address: string): string | null => {
  if (evmNetworks.has(network)) return evmFault(address)
  if (network === "solana") return solanaFault(address)
  return `${network} has no addresses`
}
