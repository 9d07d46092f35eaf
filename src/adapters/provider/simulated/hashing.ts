/** Values that the simulated provider makes up. They are never random: one seed always gives the same value. */
import { hash } from "node:crypto"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { base32crockford, base58 } from "@scure/base"
import type { InstructCommand, IssueCommand, IssuedEvent, PaymentInstruction } from "../../../engine/ports/Provider.ts"

const hashSeed = (seed: string): Buffer => hash("sha256", `corridor simulated provider: ${seed}`, "buffer")

/** Derives an id of the usual form with a zero time part, so that it sorts before every generated id. */
export const deriveId = (prefix: string, seed: string): string =>
  `${prefix}_0000000000${base32crockford.encode(hashSeed(seed).subarray(0, 10)).toLowerCase()}`

/** Derives a reference of ten characters: digits and capital letters without I, L, O and U. Short enough for a payment narration. */
const deriveReference = (seed: string): string =>
  base32crockford.encode(hashSeed(`reference of ${seed}`).subarray(0, 10)).slice(0, 10)

/** Derives an integer from 0 to `below`, exclusive. */
export const deriveNumber = (seed: string, below: number): number =>
  Number(BigInt(`0x${bytesToHex(hashSeed(seed).subarray(0, 16))}`) % BigInt(below))

/**
 * Derives an EVM address with the checksum of EIP-55: a letter is upper case where the hash of the lower-case address has a digit
 * of 8 or more.
 */
const deriveEvmAddress = (seed: string): string => {
  const hex = bytesToHex(hashSeed(seed).subarray(0, 20))
  const hash = bytesToHex(keccak_256(utf8ToBytes(hex)))
  return `0x${[...hex].map((c, at) => (hash.charAt(at) >= "8" ? c.toUpperCase() : c)).join("")}`
}

/** Derives an address on a network: base58 of 32 bytes on Solana, an EIP-55 address elsewhere. */
export const deriveAddress = (network: string, seed: string): string =>
  network === "solana" ? base58.encode(hashSeed(seed)) : deriveEvmAddress(seed)

/** Derives a transaction hash on a network: base58 of 64 bytes on Solana, 32 bytes in hexadecimal elsewhere. */
export const deriveTransactionHash = (network: string, seed: string): string =>
  network === "solana"
    ? base58.encode(hash("sha512", hashSeed(seed), "buffer"))
    : `0x${bytesToHex(hashSeed(`transaction of ${seed}`))}`

// Addresses and accounts, derived from the resource id, so that repeated requests get the same ones.

const bank = { bankName: "Corridor Sandbox Bank", bankCode: "SANDBOX" } as const

const deriveAccountNumber = (resource_id: string): string =>
  String(1_000_000_000 + deriveNumber(`account of ${resource_id}`, 9_000_000_000))

/**
 * Makes the event that reports a deposit address or bank account as ready.
 *
 * An account's `target` includes its reference, because two account numbers of ten digits could collide.
 */
export const makeIssuedEvent = (command: IssueCommand): IssuedEvent => {
  const { holder, kind, merchant_id, network, resource_id, type } = command
  const ready = {
    _tag: "issued",
    event_id: `${command.id}.issued`,
    merchant_id,
    kind,
    resource_id,
    provider_resource_id: deriveId("cdw", resource_id)
  } as const
  if (type === "crypto") {
    const address = deriveAddress(network, `address of ${resource_id}`)
    return { ...ready, target: address, details: { network, address } }
  }
  const accountNumber = deriveAccountNumber(resource_id)
  const reference = deriveReference(resource_id)
  return {
    ...ready,
    target: `${accountNumber}/${reference}`,
    details: { accountName: holder, accountNumber, ...bank, reference }
  }
}

/** Derives the payment instruction of an onramp: one collection account for each country and currency, with a long reference of its own. */
export const deriveInstruction = ({ country_code, currency, resource_id }: InstructCommand): PaymentInstruction => ({
  accountName: "Corridor Collections",
  accountNumber: deriveAccountNumber(`collections ${currency} ${country_code}`),
  ...bank,
  depositReference: `${deriveReference(resource_id)}${deriveReference(`rest of ${resource_id}`).slice(0, 6)}`
})
