/** The shape of an entry of the audit log (AUDIT-1). */
import { Schema } from "effect"
import type { AuditEntryData } from "../../../machines/access/audit-entry.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { describe } from "../../input/schemas.ts"
import { anyIdOf, bodyOf, idOf, orNull, textOf, timeOf, wordOf } from "../members.ts"
import { roleMeanings, operatorRoleNames } from "./operator.ts"

const shown = Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))

const ActorBody = Schema.Struct({
  id: orNull(idOf("opr", "The id of the operator. Null for the configured token and for an embedding application.")),
  name: textOf("The name of the operator, or of who acted.", "Ada Obi"),
  role: wordOf(operatorRoleNames, "The role at the time.", roleMeanings)
}).annotate({ identifier: "Actor", description: "Who acted." })

const AuditedResourceBody = Schema.Struct({
  kind: textOf("The kind of the resource.", "deposit"),
  id: anyIdOf("The id of the resource.", "txn"),
  merchant_id: textOf("The merchant of the resource.", "mer_01j9z3k4m5n6p7q8r9s0t1v2w3")
}).annotate({ identifier: "AuditedResource", description: "What was acted on." })

export const AuditEntryBody = Schema.Struct({
  id: idOf("aud", "The id of the entry."),
  at: timeOf("When it happened."),
  operator: ActorBody,
  action: textOf("The operationId, `session.created` or `session.ended`.", "releaseDeposit"),
  resource: describe(Schema.NullOr(AuditedResourceBody), "What was acted on. Null for a sign-in and a sign-out."),
  note: orNull(textOf("The operator's note. Null if none was given.", "Confirmed by phone")),
  before: describe(shown, "The resource before the action. Null: the action created it.", { status: "processing" }),
  after: describe(shown, "The resource after the action, without secrets. Null for a sign-in and a sign-out.", {
    status: "success"
  }),
  request_id: textOf("The request that did it.", "req_01j9z3k4m5n6p7q8r9s0t1v2w3")
}).annotate({ identifier: "AuditEntry", description: "What an operator did." })
export type AuditEntryBody = typeof AuditEntryBody.Type

export const auditEntryBody = bodyOf(AuditEntryBody, ({ created_at, data }: Row<AuditEntryData>) => ({
  at: iso(created_at),
  before: data.from,
  after: data.to
}))
