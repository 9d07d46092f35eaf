/** Applies an event to a resource, from a provider, from a job, or from a provider's result. */
import { Clock, Effect } from "effect"
import { type ChangeSet, requireUnchanged } from "../commit/changeset.ts"
import type { Kind } from "../commit/kind.ts"
import { type EventResult, type HandlerResult, type Source, withJobLog } from "../commit/source.ts"
import { UnitOfWork } from "../commit/UnitOfWork.ts"
import type { StorageFault } from "../ports/errors.ts"
import type { MovementOutcome } from "../ports/Provider.ts"
import { type Row, Storage } from "../ports/Storage.ts"

/** What a step depends on besides its row: version checks of other rows, and the event to apply instead. */
export interface Precondition {
  readonly changes: ReadonlyArray<ChangeSet>
  readonly event?: { readonly type: string }
}

export type ReadPrecondition = (row: Row, at: number) => Effect.Effect<Precondition | undefined, StorageFault>

/** The machine event for an outcome that a provider reports. */
export const outcomeEvent = ({ outcome, reason, transaction_hash }: MovementOutcome, at: number) => {
  switch (outcome) {
    case "success":
      return { type: "provider.succeeded", at, transaction_hash } as const
    case "failed":
      return { type: "provider.failed", at, reason } as const
    case "cancelled":
      return { type: "provider.cancelled", at } as const
    case "reversed":
      return { type: "provider.reversed", at } as const
    case "returned":
      return { type: "provider.returned", at } as const
    case "refund_failed":
      return { type: "provider.refund_failed", at } as const
    case "temporarily_unavailable":
      return { type: "provider.unavailable", at } as const
  }
}

export const eventResultOf = (result: HandlerResult): EventResult => (result === "reused" ? "ignored" : result)

export const makeDeliver = Effect.gen(function* () {
  const unitOfWork = yield* UnitOfWork
  const storage = yield* Storage

  const one = Effect.fnUntraced(function* (kind: Kind, merchant_id: string, id: string) {
    const [row] = yield* storage.get([{ merchant_id, kind: kind.kind, id }])
    return row
  })

  /** Steps a resource, or leaves it unchanged and writes what `otherwise` returns. */
  const deliver = (
    kind: Kind,
    merchant_id: string,
    id: string,
    event: (at: number) => { readonly type: string },
    source: Source,
    otherwise: (row: Row | undefined, at: number) => Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault>,
    accepts: (row: Row) => boolean = () => true,
    readPrecondition?: ReadPrecondition
  ) =>
    unitOfWork
      .apply(
        merchant_id,
        source,
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const row = yield* one(kind, merchant_id, id)
          const isIgnored = row === undefined || !accepts(row)
          const precondition = isIgnored ? undefined : yield* readPrecondition?.(row, at) ?? Effect.void
          const given = precondition?.event ?? event(at)
          const next = isIgnored ? undefined : yield* unitOfWork.step(kind, row, given, at)
          if (next === undefined) {
            const changes = [requireUnchanged({ kind: kind.kind, id }, row), ...(yield* otherwise(row, at))]
            return { changes, result: { result: "ignored" as HandlerResult, row } }
          }
          return {
            changes: [withJobLog(next.changes, source), ...(precondition?.changes ?? [])],
            result: { result: "applied" as HandlerResult, row: next.row as Row | undefined }
          }
        })
      )
      .pipe(
        Effect.map((applied) =>
          applied._tag === "applied" ? applied.result : { result: applied._tag as HandlerResult, row: undefined }
        )
      )

  return { one, deliver }
})
