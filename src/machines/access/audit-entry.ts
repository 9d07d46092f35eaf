/** An entry of the audit log: what an operator did. It has one state and accepts no event, so nothing changes it (AUDIT-1). */
import { setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"

/** What is shown of a resource: its status, and members that an operator may see. */
export type Shown = { readonly [member: string]: unknown }

export interface AuditEntryData {
  readonly operator: {
    readonly id: string | null
    readonly name: string
    readonly role: "viewer" | "support" | "treasury" | "admin"
  }
  /** The id of the operation, `session.created` or `session.ended`. */
  readonly action: string
  readonly resource: { readonly kind: string; readonly id: string; readonly merchant_id: string } | null
  readonly note: string | null
  /** The resource before and after the action. Null: it did not exist, or there is none. */
  readonly from: Shown | null
  readonly to: Shown | null
  readonly request_id: string
}

const machine = setup({
  types: { context: {} as AuditEntryData, events: {} as { readonly type: string }, input: {} as AuditEntryData },
  actions: outcomes
}).createMachine({
  id: "audit_entry",
  version: "1",
  context: ({ input }) => input,
  initial: "recorded",
  states: { recorded: { type: "final" } }
})

export const AuditEntry = lifecycle<AuditEntryData, { readonly type: string }>("audit_entry", machine)
