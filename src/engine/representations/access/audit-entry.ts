/** The shape of an entry of the audit log (AUDIT-1). */
import { Schema } from "effect"
import type { AuditEntryData } from "../../../machines/access/audit-entry.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { timestampBody } from "../shared.ts"
import { OperatorRoleName } from "./operator.ts"

const shown = Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))

export const AuditEntryBody = Schema.Struct({
  id: Schema.String.annotate({ examples: ["aud_01j9z3k4m5n6p7q8r9s0t1v2w3"] }),
  at: timestampBody,
  operator: Schema.Struct({
    id: Schema.NullOr(Schema.String).annotate({
      description: "Null for the configured token and for an embedding application."
    }),
    name: Schema.String,
    role: OperatorRoleName
  }),
  action: Schema.String.annotate({
    description: "The operationId, `session.created` or `session.ended`.",
    examples: ["releaseDeposit"]
  }),
  resource: Schema.NullOr(
    Schema.Struct({ kind: Schema.String, id: Schema.String, merchant_id: Schema.String })
  ).annotate({ description: "Null for a sign-in and a sign-out." }),
  note: Schema.NullOr(Schema.String),
  before: shown.annotate({ description: "The resource before the action. Null: the action created it." }),
  after: shown.annotate({ description: "The resource after the action, without secrets." }),
  request_id: Schema.String
}).annotate({ identifier: "AuditEntry" })
export type AuditEntryBody = typeof AuditEntryBody.Type

export const auditEntryBody = ({ created_at, data, id }: Row<AuditEntryData>): AuditEntryBody => ({
  id,
  at: iso(created_at),
  operator: data.operator,
  action: data.action,
  resource: data.resource,
  note: data.note,
  before: data.from,
  after: data.to,
  request_id: data.request_id
})
