/** A merchant: `pending` until the operator activates it, then `active` or `suspended` (MERCHANT-1). */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"

export interface MerchantData {
  readonly name: string
  readonly country_code: string
  readonly default_customer_id: string
  /** The number of keys that are not revoked. The commit that creates a key checks the cap against it. */
  readonly active_keys: number
}

export type MerchantEvent =
  | { readonly type: "activate" }
  | { readonly type: "suspend" }
  | { readonly type: "key.made" }
  | { readonly type: "key.revoked" }

const machine = setup({
  types: { context: {} as MerchantData, events: {} as MerchantEvent, input: {} as MerchantData },
  actions: outcomes
}).createMachine({
  id: "merchant",
  version: "1",
  context: ({ input }) => input,
  initial: "pending",
  on: {
    "key.made": { actions: assign(({ context }) => ({ active_keys: context.active_keys + 1 })) },
    "key.revoked": { actions: assign(({ context }) => ({ active_keys: Math.max(0, context.active_keys - 1) })) }
  },
  states: {
    pending: { on: { activate: "active" } },
    active: { on: { suspend: "suspended" } },
    suspended: { on: { activate: "active" } }
  }
})

export const Merchant = lifecycle<MerchantData, MerchantEvent>("merchant", machine)
