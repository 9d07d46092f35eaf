/** The entries of the audit log, which are written in the commit of the action (AUDIT-1). */
import { Effect } from "effect"
import { AuditEntry, type AuditEntryData, type Shown } from "../../machines/access/audit-entry.ts"
import type { StorageFault } from "../ports/errors.ts"
import { Ids } from "../ports/Ids.ts"
import type { Row, RowWrite, Storage } from "../ports/Storage.ts"
import type { Call } from "./call.ts"
import { type ChangeSet, addNote } from "./changeset.ts"
import type { Kinds, ResourceKind } from "./kind.ts"
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

/** Makes the change set of an audit entry, which lies with the merchant of the Change. */
export const makeAuditEntry = Effect.fnUntraced(function* (
  merchant_id: string,
  data: AuditEntryData,
  at: number
): Effect.fn.Return<ChangeSet, never, Ids> {
  const ids = yield* Ids
  const entry = yield* begin(AuditEntryKind, { merchant_id, id: yield* ids.make(AuditEntryKind.prefix) }, data, at)
  return entry.changes
})

interface Decided {
  readonly changes: ReadonlyArray<ChangeSet>
  readonly audited?: Pick<Row, "kind" | "id">
}

/** Finds the row that an audit entry is about: the one that the decision names, else the subject of the call, else the first. */
const findAuditRow = ({ audited, changes }: Decided, { subject }: Call): RowWrite | undefined => {
  const rows = changes.flatMap((one) => one.rows ?? [])
  return audited === undefined
    ? (rows.find(({ id }) => id === subject) ?? rows[0])
    : rows.find(({ id, kind }) => id === audited.id && kind === audited.kind)
}

interface Parts {
  readonly storage: Storage["Service"]
  readonly ids: Ids["Service"]
  readonly kinds: Kinds["Service"]
}

/**
 * Makes the function that adds an audit entry to the change sets of an operator's action, and the note to the history of the resource. An
 * action that changes nothing has no entry. It returns `undefined` if the resource has changed since it was decided on.
 */
export const makeAudit = ({ ids, kinds, storage }: Parts) => {
  const shown = (row: Row): Shown => ({
    status: row.status,
    ...(row.state === row.status ? {} : { state: row.state }),
    ...kinds.byName.get(row.kind)?.auditView?.(row)
  })

  const audited = Effect.fnUntraced(function* (
    { note, operation, request_id }: Call,
    operator: Call["operator"] & {},
    decided: Decided,
    after: RowWrite,
    at: number
  ): Effect.fn.Return<ReadonlyArray<ChangeSet> | undefined, StorageFault> {
    const { id, kind, merchant_id, version } = after
    const [before] = version === 1 ? [] : yield* storage.get([{ merchant_id, kind, id }])
    if (version > 1 && before?.version !== version - 1) return undefined
    const entry = yield* makeAuditEntry(
      merchant_id,
      {
        operator,
        action: operation,
        resource: { kind, id, merchant_id },
        note: note ?? null,
        from: before === undefined ? null : shown(before),
        to: shown(after),
        request_id
      },
      at
    ).pipe(Effect.provideService(Ids, ids))
    return [...addNote(decided.changes, after, note), entry]
  })

  return (
    call: Call,
    decided: Decided,
    at: number
  ): Effect.Effect<ReadonlyArray<ChangeSet> | undefined, StorageFault> => {
    const after = call.operator === null ? undefined : findAuditRow(decided, call)
    return call.operator === null || after === undefined
      ? Effect.succeed(decided.changes)
      : audited(call, call.operator, decided, after, at)
  }
}
