/** A merchant's request for access to a gated currency, decided by the operator (ACCESS-6, ACCESS-7). */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"

/** `resource_id` and `resource_code` identify the currency. */
export interface AccessRequestData {
  readonly resource_id: string
  readonly resource_code: string
  readonly country_code: string | null
  readonly merchant_name: string
  readonly reason: string | null
  readonly reviewer_id: string | null
  readonly review_reason: string | null
  /** Epoch milliseconds. */
  readonly reviewed_at: number | null
}

interface Reviewed {
  readonly at: number
  readonly reviewer_id: string
  readonly reason: string | null
}

export type AccessRequestEvent =
  | ({ readonly type: "approve" } & Reviewed)
  | ({ readonly type: "reject" } & Reviewed)
  | ({ readonly type: "revoke" } & Reviewed)

const machine = setup({
  types: { context: {} as AccessRequestData, events: {} as AccessRequestEvent, input: {} as AccessRequestData },
  actions: {
    ...outcomes,
    reviewed: assign(({ event }) => ({
      reviewer_id: event.reviewer_id,
      review_reason: event.reason,
      reviewed_at: event.at
    }))
  }
}).createMachine({
  id: "access_request",
  version: "1",
  context: ({ input }) => input,
  initial: "pending",
  states: {
    pending: {
      on: { approve: { target: "approved", actions: "reviewed" }, reject: { target: "rejected", actions: "reviewed" } }
    },
    approved: { on: { revoke: { target: "revoked", actions: "reviewed" } } },
    rejected: { type: "final" },
    revoked: { type: "final" }
  }
})

export const AccessRequest = lifecycle<AccessRequestData, AccessRequestEvent>("access_request", machine)
