/** Addresses and accounts, made from the id of the resource they are for: the same however often they are asked for. */
import type { InstructCommand, IssueCommand, IssuedEvent, PaymentInstruction } from "../../../engine/ports/Provider.ts"
import { addressOf, idOf, numberOf, referenceOf } from "./hashing.ts"

const bank = { bankName: "Corridor Sandbox Bank", bankCode: "SANDBOX" } as const

const accountNumberOf = (resource_id: string): string =>
  String(1_000_000_000 + numberOf(`account of ${resource_id}`, 9_000_000_000))

/**
 * The event that says an address or account is ready.
 *
 * An account's `target` names its reference too: account numbers are drawn from ten digits and could meet.
 */
export const issuedFor = (command: IssueCommand): IssuedEvent => {
  const { currency, holder, kind, merchant_id, network, resource_id, type } = command
  const ready = {
    _tag: "issued",
    event_id: `${command.id}.issued`,
    merchant_id,
    kind,
    resource_id,
    provider_resource_id: idOf("cdw", resource_id)
  } as const
  if (type === "crypto") {
    const address = addressOf(network, `address of ${resource_id}`)
    return { ...ready, target: address, details: { network, address } }
  }
  const accountNumber = accountNumberOf(resource_id)
  const reference = referenceOf(resource_id)
  return {
    ...ready,
    target: `${accountNumber}/${reference}`,
    details: { accountName: holder, accountNumber, ...bank, currency, reference }
  }
}

/** One collection account for each currency of a country; the reference, a long one, is the onramp's own. */
export const instructionFor = ({ country_code, currency, resource_id }: InstructCommand): PaymentInstruction => ({
  accountName: "Corridor Collections",
  accountNumber: accountNumberOf(`collections ${currency} ${country_code}`),
  ...bank,
  depositReference: `${referenceOf(resource_id)}${referenceOf(`rest of ${resource_id}`).slice(0, 6)}`
})
