import { list, section, type Sections } from "../../calls/operation.ts"
import { AuditEntryKind } from "../../commit/audit.ts"
import { AuditLog, ListAudit } from "../../resources/access/audit-entry.ts"
import { AuditEntryBody } from "../../representations/access/audit-entry.ts"
import { operatorGroup, type Registration } from "../registration.ts"

const operations = {
  operator: section(operatorGroup, {
    audit: list(
      "listAuditEntries",
      "/operator/v1/audit",
      {
        summary: "List the audit log",
        description:
          "What operators did, newest first, with the resource before and after. An entry is written in the commit of its action; nothing changes or deletes it. Refused actions are not in it.",
        input: ListAudit,
        output: AuditEntryBody
      },
      ({ input }) => AuditLog.use((s) => s.list(input))
    )
  })
} as const satisfies Sections

export const auditEntry = { kind: AuditEntryKind, layer: AuditLog.layer, operations } satisfies Registration
