/**
 * A merchant's access to a gated currency: the state of its newest request. Every request and review steps this machine
 * in the same commit. So at most one request is pending, and access is checked by reading one row.
 */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"

export interface AccessGrantData {
  readonly request_id: string
}

export type AccessGrantEvent =
  | { readonly type: "request"; readonly request_id: string }
  | { readonly type: "approve" }
  | { readonly type: "reject" }
  | { readonly type: "revoke" }

const request = { target: "pending", actions: "requested" } as const

const machine = setup({
  types: { context: {} as AccessGrantData, events: {} as AccessGrantEvent, input: {} as AccessGrantData },
  actions: {
    ...outcomes,
    requested: assign(({ event }) => (event.type === "request" ? { request_id: event.request_id } : {}))
  }
}).createMachine({
  id: "access_grant",
  version: "1",
  context: ({ input }) => input,
  initial: "pending",
  states: {
    pending: { on: { approve: "approved", reject: "rejected" } },
    approved: { on: { revoke: "revoked" } },
    rejected: { on: { request } },
    revoked: { on: { request } }
  }
})

export const AccessGrant = lifecycle<AccessGrantData, AccessGrantEvent>("access_grant", machine)
