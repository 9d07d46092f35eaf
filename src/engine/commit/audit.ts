/** The entries of the audit log, which are written in the commit of the action (AUDIT-1). */
import { Effect } from "effect"
import { AuditEntry, type AuditEntryData } from "../../machines/access/audit-entry.ts"
import { Ids } from "../ports/Ids.ts"
import type { ChangeSet } from "./changeset.ts"
import type { ResourceKind } from "./kind.ts"
import { begin } from "./steps.ts"

export const AuditEntryKind: ResourceKind<AuditEntryData> = {
  kind: "audit_entry",
  prefix: "aud",
  lifecycle: AuditEntry,
  indexKeys: ({ action, operator, resource }) => [
    `action=${action}`,
    ...(operator.id === null ? [] : [`operator_id=${operator.id}`]),
    ...(resource === null ? [] : [`resource_id=${resource.id}`])
  ]
}

/** The change set of an entry, which lies with the merchant of the Change. */
export const auditEntry = Effect.fnUntraced(function* (
  merchant_id: string,
  data: AuditEntryData,
  at: number
): Effect.fn.Return<ChangeSet, never, Ids> {
  const ids = yield* Ids
  const entry = yield* begin(AuditEntryKind, { merchant_id, id: yield* ids.make(AuditEntryKind.prefix) }, data, at)
  return entry.changes
})
