/** Commands for the provider's tests. */
import type { ConversionCommand, Destination, PayoutCommand } from "../../../src/engine/ports/Provider.ts"

export const bankAccount = (account_number: string): Destination => ({
  type: "fiat",
  country_code: "NG",
  network: "bank",
  account_number,
  account_name: "Amara Okafor",
  provider_id: null,
  rail: null
})

export const chainAddress = (address: string, network = "base"): Destination => ({
  type: "crypto",
  network,
  address,
  memo: null
})

/** A payout to `destination`; null: a conversion, which has none. */
export const payout = (
  resource_id: string,
  destination: Destination | null,
  { id, merchant_id, ...over }: Partial<PayoutCommand> = {}
): PayoutCommand | ConversionCommand => {
  const submission = {
    id: id ?? `${resource_id}.payout`,
    merchant_id: merchant_id ?? "mer_1",
    resource_id,
    statement_reference: "01K6X0B7Z26VDFC6",
    originator: null,
    reference: `ref_${resource_id}`,
    attempt: 0,
    source_amount: "100.00",
    source_currency: "NGN"
  }
  if (destination === null) {
    const kind = resource_id.startsWith("onr_") ? "onramp" : "conversion"
    return { ...submission, kind, destination_amount: "100.00", destination_currency: "NGN", rate: "1" }
  }
  return {
    ...submission,
    kind: resource_id.startsWith("tfr_") ? "transfer" : "offramp",
    amount: "100.00",
    currency: "NGN",
    destination,
    beneficiary: { id: "ben_1", name: "Amara Okafor" },
    narration: null,
    ...over
  }
}
