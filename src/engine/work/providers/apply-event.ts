/** Applies an event to a resource, from a provider, from a job, or from a provider's result. */
import { Clock, Effect } from "effect"
import { commandName } from "../../../machines/kernel/payout.ts"
import { type ChangeSet, requireVersion } from "../../commit/changeset.ts"
import { isSubmitted, type Kind } from "../../commit/kind.ts"
import { type OutcomeReport, makeReport, addReportedOutcome } from "../../commit/reported-outcomes.ts"
import { type EventResult, type HandlerResult, type Source, copyJobLog } from "../../commit/call.ts"
import { jobId } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { type MovementOutcome, payinProviderOf, providerOf } from "../../ports/Provider.ts"
import { type Row, type RowWrite, Storage } from "../../ports/Storage.ts"
import { parseFigures, recordImplausible, compareRefund } from "../../resources/deposits/discrepancies.ts"

/** What a step depends on besides its row: version checks of other rows, and the event to apply instead. */
interface Precondition {
  readonly changes: ReadonlyArray<ChangeSet>
  readonly event?: ProviderReport
}

type ReadPrecondition = (row: Row, at: number) => Effect.Effect<Precondition | undefined, StorageFault>

/** How an event is applied, beyond its step. */
export interface DeliveryOptions {
  /** Whether the event counts for the row. Default: it does. */
  readonly accepts?: ((row: Row) => boolean) | undefined
  readonly readPrecondition?: ReadPrecondition | undefined
  /** The row as it was just read or written: it is not read again, unless another write comes first. */
  readonly first?: Row | undefined
}

/** An event with what the provider reported, which is recorded if the event is applied (OUTCOME-1). */
export interface ProviderReport {
  readonly type: string
  readonly report?: OutcomeReport
  /** The command that it is about. Default: the payment. */
  readonly command_id?: string
}

/** Converts an outcome that a provider reports to the event of the machine. */
export const toMachineEvent = (stated: MovementOutcome, at: number) => {
  const { outcome, reason, transaction_hash } = stated
  const report = makeReport(stated)
  switch (outcome) {
    case "success":
      return { type: "provider.succeeded", at, transaction_hash, report } as const
    case "failed":
      return { type: "provider.failed", at, reason, report } as const
    case "cancelled":
      return { type: "provider.cancelled", at, report } as const
    case "reversed":
      return { type: "provider.reversed", at, report } as const
    case "returned":
      return { type: "provider.returned", at, report } as const
    case "refund_failed":
      return { type: "provider.refund_failed", at, report } as const
    case "temporarily_unavailable":
      return { type: "provider.unavailable", at } as const
  }
}

/** Adds to the change set of a step what the provider reported. */
const addReport = (kind: Kind, changes: ChangeSet, row: RowWrite, given: ProviderReport, at: number): ChangeSet => {
  const { command_id, report } = given
  if (report === undefined) return changes
  const provider = (command_id === undefined ? providerOf(row) : payinProviderOf(row)) ?? null
  return addReportedOutcome(changes, kind, row.id, {
    ...report,
    at,
    provider,
    command_id: command_id ?? jobId(row.id, commandName)
  })
}

export const toEventResult = (result: HandlerResult): EventResult => (result === "reused" ? "ignored" : result)

/** An event as it counts. `exception`: it does not, and this is recorded. `derived`: written with its step. */
interface Weighed {
  readonly given: ProviderReport
  readonly exception?: ReadonlyArray<ChangeSet>
  readonly derived?: ReadonlyArray<ChangeSet>
}

export const makeDeliver = Effect.gen(function* () {
  const [unitOfWork, storage, ids] = yield* Effect.all([UnitOfWork, Storage, Ids])

  const one = (kind: Kind, merchant_id: string, id: string) =>
    Effect.map(storage.get([{ merchant_id, kind: kind.kind, id }]), ([row]) => row)

  /**
   * The event with the figures of its report. An outcome whose amount cannot be true is an exception and no outcome: the result of
   * the command is unknown (OUTCOME-6).
   */
  const weighed = Effect.fnUntracedEager(function* (
    kind: Kind,
    row: Row,
    stated: ProviderReport,
    at: number
  ): Effect.fn.Return<Weighed, StorageFault> {
    const { command_id, report } = stated
    if (report !== undefined && command_id !== undefined && kind.refund !== undefined) {
      const { changes, missing } = yield* compareRefund(kind, row, command_id, report, at).pipe(
        Effect.provideService(Storage, storage),
        Effect.provideService(Ids, ids)
      )
      return { given: { ...stated, ...(missing === undefined ? {} : { missing }) }, derived: changes }
    }
    if (report === undefined || !isSubmitted(kind)) return { given: stated }
    const figures = parseFigures(kind, row, report)
    if (figures !== undefined) return { given: { ...stated, ...figures } }
    const exception = yield* recordImplausible(kind, row, report, at).pipe(
      Effect.provideService(Storage, storage),
      Effect.provideService(Ids, ids)
    )
    return { given: { type: "provider.unknown", at, implausible: true } as ProviderReport, exception }
  })

  /** Steps a resource, or leaves it unchanged and writes what `otherwise` returns. */
  const deliver = (
    kind: Kind,
    merchant_id: string,
    id: string,
    event: (at: number) => ProviderReport,
    source: Source,
    otherwise: (row: Row | undefined, at: number) => Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault>,
    { accepts = () => true, first, readPrecondition }: DeliveryOptions = {}
  ) => {
    let read = first
    const latest = Effect.suspend(() => {
      const row = read
      read = undefined
      return row === undefined ? one(kind, merchant_id, id) : Effect.succeed(row)
    })
    return unitOfWork
      .apply(
        merchant_id,
        source,
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const row = yield* latest
          const isIgnored = row === undefined || !accepts(row)
          const precondition = isIgnored ? undefined : yield* readPrecondition?.(row, at) ?? Effect.void
          const stated = precondition?.event ?? event(at)
          const { derived, exception, given } = isIgnored
            ? ({ given: stated } as Weighed)
            : yield* weighed(kind, row, stated, at)
          const next = isIgnored ? undefined : yield* unitOfWork.step(kind, row, given, at)
          if (next === undefined) {
            const others = exception ?? (yield* otherwise(row, at))
            const changes = [requireVersion({ kind: kind.kind, id }, row), ...others]
            return { changes, result: { result: "ignored" as HandlerResult, row } }
          }
          return {
            changes: [
              ...(exception ?? derived ?? []),
              addReport(kind, copyJobLog(next.changes, source), next.row, given, at),
              ...(precondition?.changes ?? [])
            ],
            result: { result: "applied" as HandlerResult, row: next.row as Row | undefined }
          }
        })
      )
      .pipe(
        Effect.map((applied) =>
          applied._tag === "applied" ? applied.result : { result: applied._tag as HandlerResult, row: undefined }
        )
      )
  }

  return { one, deliver }
})
