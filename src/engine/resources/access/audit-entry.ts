/** The audit log of the operators, over all merchants (AUDIT-2). */
import { Context, Effect, Layer, Schema } from "effect"
import { listRows, mapList } from "../../calls/list.ts"
import type { AuditEntryData } from "../../../machines/access/audit-entry.ts"
import { AuditEntryKind } from "../../commit/audit.ts"
import { Id, listing, Optional, Text } from "../../input/schemas.ts"
import { Storage } from "../../ports/Storage.ts"
import { auditEntryBody } from "../../representations/access/audit-entry.ts"

export const ListAudit = Schema.Struct({
  operator_id: Optional(Id("opr"), "Only actions of this operator."),
  resource_id: Optional(Text(128), "Only actions on this resource.", "txn_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  merchant_id: Optional(Id("mer"), "Only actions on this merchant and its resources."),
  action: Optional(
    Text(64),
    "Only this action: an operationId, `session.created` or `session.ended`.",
    "releaseDeposit"
  ),
  ...listing
})

export class AuditLog extends Context.Service<AuditLog>()("corridor/engine/AuditLog", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    return {
      /** The entries, newest first. `merchant_id`: those of actions on the merchant and its resources. */
      list: Effect.fnUntraced(function* (input: typeof ListAudit.Type) {
        const { action, merchant_id = null, operator_id, resource_id } = input
        const keys = Object.entries({ action, operator_id, resource_id }).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}=${value}`]
        )
        const listed = yield* listRows<AuditEntryData>(storage, merchant_id, [AuditEntryKind.kind], keys, input)
        return mapList(listed, auditEntryBody)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
