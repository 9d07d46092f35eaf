/** The events that a chain adapter sends to the engine about its payments. */
import type { MovementOutcome, ProviderEvent } from "../../../engine/ports/Provider.ts"

/** A payment: a payout, or the refund of a pay-in. */
export interface ChainPayment {
  readonly purpose: "payout" | "refund"
  readonly command_id: string
  readonly merchant_id: string
  readonly resource_id: string
}

/** Makes the event that reports the outcome of a payment or refund. Law: a look-up of its command returns the same outcome. */
export const paymentEvent = (
  { command_id, merchant_id, purpose, resource_id }: ChainPayment,
  event_id: string,
  ended: MovementOutcome
): ProviderEvent => {
  const about = { event_id, merchant_id, resource_id }
  return purpose === "payout"
    ? { _tag: "movement", ...about, ...ended }
    : { _tag: "refund", ...about, command_id, ...ended, outcome: ended.outcome === "success" ? "success" : "failed" }
}
