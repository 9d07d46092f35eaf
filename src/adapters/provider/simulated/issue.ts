/** Addresses and accounts, derived from the resource id, so that repeated requests get the same ones. */
import type { InstructCommand, IssueCommand, IssuedEvent, PaymentInstruction } from "../../../engine/ports/Provider.ts"
import { deriveAddress, deriveId, numberOf, deriveReference } from "./hashing.ts"

const bank = { bankName: "Corridor Sandbox Bank", bankCode: "SANDBOX" } as const

const accountNumberOf = (resource_id: string): string =>
  String(1_000_000_000 + numberOf(`account of ${resource_id}`, 9_000_000_000))

/**
 * The event that reports an address or account as ready.
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
  const accountNumber = accountNumberOf(resource_id)
  const reference = deriveReference(resource_id)
  return {
    ...ready,
    target: `${accountNumber}/${reference}`,
    details: { accountName: holder, accountNumber, ...bank, reference }
  }
}

/** One collection account for each country and currency. The reference is long and unique to the onramp. */
export const instructionFor = ({ country_code, currency, resource_id }: InstructCommand): PaymentInstruction => ({
  accountName: "Corridor Collections",
  accountNumber: accountNumberOf(`collections ${currency} ${country_code}`),
  ...bank,
  depositReference: `${deriveReference(resource_id)}${deriveReference(`rest of ${resource_id}`).slice(0, 6)}`
})
