/** Corrects a deposit by the conversion that converts it (EVENT-30). */
import type { Held } from "./store.ts"

/**
 * Corrects a stored deposit by a later event of its conversion. A deposit has an event only when it is detected; another
 * confirmed amount, or a release, shows in the conversion. A conversion of another deposit changes nothing.
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
