/** Commands for the provider's tests. */
import type { Destination, PayoutCommand } from "../../../src/engine/ports/Provider.ts"

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

export const payout = (
  resource_id: string,
  destination: Destination | null,
  over: Partial<PayoutCommand> = {}
): PayoutCommand => ({
  id: `${resource_id}.payout`,
  merchant_id: "mer_1",
  resource_id,
  kind: resource_id.startsWith("tfr_") ? "transfer" : "offramp",
  amount: "100.00",
  currency: "NGN",
  destination,
  originator: null,
  reference: `ref_${resource_id}`,
  narration: null,
  attempt: 0,
  ...over
})
