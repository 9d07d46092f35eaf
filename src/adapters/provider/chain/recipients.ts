/** Whom the hot wallet of a chain pays. A payout and a refund, on every chain, are refused for the same reasons. */
import { addressFault, explainLoss, normalizeAddress } from "../../../engine/input/addresses.ts"

/** What an adapter knows of its own addresses and of unspendable ones: it pays neither. */
export interface Recipients {
  /** The network whose form the addresses have. */
  readonly network: string
  /** The hot wallet, and the accounts that hold its tokens. */
  readonly own: ReadonlyArray<string>
  /** The contracts, or mints, of the tokens. */
  readonly tokens: ReadonlyArray<string>
}

/**
 * Says why an address must not be paid: it is malformed, the hot wallet's own, or a token's. Null: no reason is known. A deposit
 * address of the platform is paid like any other: the payment becomes a pay-in of its customer.
 */
export const findRecipientFault = ({ network, own, tokens }: Recipients, address: string): string | null => {
  const fault = addressFault(network, address)
  if (fault !== null) return `${address} is no address of ${network}: ${fault}`
  const asked = normalizeAddress(network, address)
  const isAmong = (all: ReadonlyArray<string>): boolean => all.some((one) => normalizeAddress(network, one) === asked)
  if (isAmong(own)) return `${address} is the platform's own wallet`
  if (isAmong(tokens)) return `${address} is a token, which cannot be paid`
  const loss = explainLoss(network, address)
  return loss === null ? null : `${address} is ${loss}`
}
