/** An API key: `active` until it is `revoked`, which is final (KEY-1, KEY-2). */
import { setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"

export interface ApiKeyData {
  readonly role: "viewer" | "approver" | "developer" | "admin"
  readonly label: string | null
  /** Who calls with it; an id: the key or the operator that made it. Null: a person of its own. */
  readonly person: string | null
  /**
   * The keys that led to it, if no admin made it: the one that made it, and those that led to that. Its acts count to limits of these, too.
   * Absent: none, or it is of a release before.
   */
  readonly made_by?: ReadonlyArray<string>
  /** The first characters of the key, which may be shown. */
  readonly prefix: string
  /** SHA-256 of the key, hex. The key itself is not stored. */
  readonly hash: string
}

export type ApiKeyEvent = { readonly type: "revoke" }

const machine = setup({
  types: { context: {} as ApiKeyData, events: {} as ApiKeyEvent, input: {} as ApiKeyData },
  actions: outcomes
}).createMachine({
  id: "api_key",
  version: "1",
  context: ({ input }) => input,
  initial: "active",
  states: { active: { on: { revoke: "revoked" } }, revoked: { type: "final" } }
})

export const ApiKey = lifecycle<ApiKeyData, ApiKeyEvent>("api_key", machine)
