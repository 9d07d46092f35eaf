/** Corrects a deposit by the conversion that converts it (EVENT-30). */
import type { Held } from "./store.ts"

/**
 * A deposit as the API shows it while it is converted and after. It is announced once, when it is detected; another amount that is
 * confirmed, or a release, has no event of its own. The deposit is returned as it is where the conversion is of another one.
 */
export const correctDeposit = (deposit: Held, conversion: Held): Held => {
  const { created_at, destination_amount, parent_transaction_id, source_amount } = conversion.object
  if (parent_transaction_id !== deposit.object["id"]) return deposit
  const { hold_reason: _, ...metadata } = deposit.object["metadata"] as { readonly hold_reason?: string }
  const received = { quoted_received_amount: destination_amount, received_amount: destination_amount }
  const amounts = { source_amount, destination_amount, ...received }
  const object = { ...deposit.object, ...amounts, status: "received", metadata, updated_at: created_at }
  return { ...deposit, status: "received", object }
}
