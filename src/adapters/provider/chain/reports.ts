/** What the engine is told of payments on a chain. */
import type { MovementOutcome, ProviderEvent } from "../../../engine/ports/Provider.ts"

/** The event of a payment that ended: a payout, or the refund of a pay-in. */
export const paymentEvent = (
  purpose: "payout" | "refund",
  about: { readonly event_id: string; readonly merchant_id: string; readonly resource_id: string },
  ended: MovementOutcome
): ProviderEvent =>
  purpose === "payout"
    ? { _tag: "movement", ...about, ...ended }
    : {
        _tag: "refund",
        ...about,
        outcome: ended.outcome === "success" ? "success" : "failed",
        reason: ended.reason,
        provider_reference: ended.provider_reference ?? null
      }
