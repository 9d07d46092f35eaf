/** The audit log of the operators, over all merchants (AUDIT-2). */
import { Context, Effect, Layer, Schema } from "effect"
import { listRows, mapListed } from "../../calls/list.ts"
import type { AuditEntryData } from "../../../machines/access/audit-entry.ts"
import { AuditEntryKind } from "../../commit/audit.ts"
import { Id, listing, Optional, Text } from "../../input/schemas.ts"
import { Storage } from "../../ports/Storage.ts"
import { auditEntryBody } from "../../representations/access/audit-entry.ts"

export const ListAudit = Schema.Struct({
  operator_id: Optional(Id("opr")),
  resource_id: Optional(Text(128)),
  merchant_id: Optional(Id("mer")),
  action: Optional(Text(64)),
  ...listing
})

export class AuditLog extends Context.Service<AuditLog>()("corridor/engine/AuditLog", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    return {
      /** The entries, newest first. `merchant_id`: those of actions on the merchant and its resources. */
      list: Effect.fn("AuditLog.list")(function* (input: typeof ListAudit.Type) {
        const { action, merchant_id = null, operator_id, resource_id } = input
        const keys = Object.entries({ action, operator_id, resource_id }).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}=${value}`]
        )
        const listed = yield* listRows<AuditEntryData>(storage, merchant_id, [AuditEntryKind.kind], keys, input)
        return mapListed(listed, auditEntryBody)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
