/** An operator: a person who works with the operator API, `active` until `revoked`, which is final (OPERATOR-6). */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"

export interface OperatorData {
  readonly name: string
  readonly email: string | null
  readonly role: "viewer" | "support" | "treasury" | "admin"
  /** The first characters of the token, which may be shown. */
  readonly prefix: string
  /** SHA-256 of the token, hex. The token itself is not stored. */
  readonly hash: string
}

export type OperatorEvent =
  | { readonly type: "update"; readonly patch: Partial<Pick<OperatorData, "name" | "email" | "role">> }
  | { readonly type: "rotate"; readonly prefix: string; readonly hash: string }
  | { readonly type: "revoke" }

const machine = setup({
  types: { context: {} as OperatorData, events: {} as OperatorEvent, input: {} as OperatorData },
  actions: outcomes
}).createMachine({
  id: "operator",
  version: "1",
  context: ({ input }) => input,
  initial: "active",
  states: {
    active: {
      on: {
        update: { actions: assign(({ context, event }) => ({ ...context, ...event.patch })) },
        rotate: { actions: assign(({ event }) => ({ prefix: event.prefix, hash: event.hash })) },
        revoke: "revoked"
      }
    },
    revoked: { type: "final" }
  }
})

export const OperatorLifecycle = lifecycle<OperatorData, OperatorEvent>("operator", machine)
