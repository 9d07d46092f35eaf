/**
 * A quote: a priced offer that is executed at most once (QUOTE-2, QUOTE-3). No timer expires it: whether it has expired
 * follows from the clock.
 */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"
import type { Terms } from "../kernel/pricing.ts"

export type QuoteOperation = "onramp" | "offramp" | "conversion"

/** Amounts are in minor units of their currency. */
export interface QuoteData {
  readonly operation: QuoteOperation
  readonly customer_id: string
  readonly source_wallet_id: string | null
  readonly destination_wallet_id: string | null
  readonly beneficiary_id: string | null
  /** The sender on whose behalf the offramp is made. Absent on quotes that were made before senders existed. */
  readonly sender_id?: string | null
  /** The beneficiary's screening at the time of the quote. A different one means another account or name. */
  readonly screening_id: string | null
  readonly source_amount: string
  readonly source_currency: string
  readonly source_network: string
  /** Distinguishes currencies with the same code. Null for a currency that no single country issues. */
  readonly source_country_code: string | null
  readonly gateway_fee: string
  readonly destination_amount: string
  readonly destination_currency: string
  readonly destination_network: string
  readonly network_fee: string
  readonly received_amount: string
  readonly residue: string
  readonly target_amount: string | null
  readonly rate: string
  /** The terms of its price. Other amounts that arrive are priced on the same terms. */
  readonly terms: Terms
  /** The fee schedule that decided the gateway fee. Null: the pricing policy did. */
  readonly fee_schedule_id: string | null
  readonly reference: string | null
  /** Epoch milliseconds: the quote is expired from this instant on. */
  readonly expires_at: number
  /** The id of the movement that executed it. */
  readonly executed_by: string | null
  /** An act that executes it waits, or has waited, for approval. */
  readonly awaited?: true
}

export type QuoteEvent =
  | { readonly type: "execute"; readonly by: string; readonly at: number }
  | { readonly type: "awaited" }

const machine = setup({
  types: { context: {} as QuoteData, events: {} as QuoteEvent, input: {} as QuoteData },
  actions: {
    ...outcomes,
    executed: assign(({ event }) => (event.type === "execute" ? { executed_by: event.by } : {})),
    awaited: assign({ awaited: true as const })
  },
  guards: { valid: ({ context, event }) => event.type === "execute" && event.at < context.expires_at }
}).createMachine({
  id: "quote",
  version: "1",
  context: ({ input }) => input,
  initial: "active",
  states: {
    active: {
      on: { execute: { guard: "valid", target: "executed", actions: "executed" }, awaited: { actions: "awaited" } }
    },
    executed: { type: "final" }
  }
})

export const Quote = lifecycle<QuoteData, QuoteEvent>("quote", machine)
