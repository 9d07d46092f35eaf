/**
 * A quote: a priced offer, executed once at most (QUOTE-2, QUOTE-3). That it has expired is read off the clock: no
 * timer runs.
 */
import { assign, setup } from "xstate"
import { lifecycle } from "../kernel/lifecycle.ts"
import { outcomes } from "../kernel/outcome.ts"
import type { Terms } from "../kernel/pricing.ts"

export type QuoteOperation = "onramp" | "offramp" | "conversion"

/** Amounts are in minor units of their currency. */
export interface QuoteData {
  readonly operation: QuoteOperation
  readonly customer_id: string
  readonly source_wallet_id: string | null
  readonly destination_wallet_id: string | null
  readonly beneficiary_id: string | null
  /** On whose behalf an offramp is to be made; absent on quotes that were made before there were senders. */
  readonly sender_id?: string | null
  /** The beneficiary's screening as it was quoted: another one is of another account or name. */
  readonly screening_id: string | null
  readonly source_amount: string
  readonly source_currency: string
  readonly source_network: string
  /** Tells the currencies of one code apart; null for what is issued by no single country. */
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
  /** What it was priced on: other amounts that arrive are settled by these. */
  readonly terms: Terms
  readonly reference: string | null
  /** Epoch milliseconds: from this instant on it is expired. */
  readonly expires_at: number
  /** The movement that executed it. */
  readonly executed_by: string | null
}

export type QuoteEvent = { readonly type: "execute"; readonly by: string; readonly at: number }

const machine = setup({
  types: { context: {} as QuoteData, events: {} as QuoteEvent, input: {} as QuoteData },
  actions: { ...outcomes, executed: assign(({ event }) => ({ executed_by: event.by })) },
  guards: { valid: ({ context, event }) => event.at < context.expires_at }
}).createMachine({
  id: "quote",
  version: "1",
  context: ({ input }) => input,
  initial: "active",
  states: {
    active: { on: { execute: { guard: "valid", target: "executed", actions: "executed" } } },
    executed: { type: "final" }
  }
})

export const Quote = lifecycle<QuoteData, QuoteEvent>("quote", machine)
