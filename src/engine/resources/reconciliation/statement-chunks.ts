/** How a chunk of a statement becomes lines (INGEST-4, INGEST-5). */
import { Clock, Context, Effect, Layer } from "effect"
import { bound } from "../../../machines/kernel/bound.ts"
import type { ClosingData } from "../../../machines/reconciliation/closing.ts"
import type {
  ChunkLine,
  StatementChunkData,
  StatementData,
  StatementRosterData
} from "../../../machines/reconciliation/statement.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { everyRow } from "../../calls/every-row.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { normalised, termKey } from "../../commit/search-terms.ts"
import type { Source } from "../../commit/source.ts"
import { begin } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { keyLifetime } from "../../settings/retention.ts"
import { closingKind, StatementChunkKind, StatementKind, StatementRosterKind } from "./statement-kinds.ts"
import { accountKey, StatementLineKind } from "./statement-line.ts"

export const makeChunkDeps = Effect.all({ storage: Storage, unitOfWork: UnitOfWork, ids: Ids })
export type ChunkDeps = Effect.Success<typeof makeChunkDeps>

const rosterOf = Effect.fnUntraced(function* ({ storage }: Pick<ChunkDeps, "storage">, external_account_id: string) {
  const [row] = yield* storage.get([
    { merchant_id: PLATFORM_MERCHANT, kind: StatementRosterKind.kind, id: external_account_id }
  ])
  return row as Row<StatementRosterData> | undefined
})

/** The statements of an account among which the one before is looked for. */
const SERIES_MAX = 200

/** Oldest first. */
export const seriesOf = Effect.fnUntraced(function* (
  { storage }: Pick<ChunkDeps, "storage">,
  external_account_id: string
) {
  const { items } = yield* storage.list({
    merchant_id: PLATFORM_MERCHANT,
    kinds: [StatementKind.kind],
    index_keys: [`external_account_id=${external_account_id}`],
    offset: 0,
    limit: SERIES_MAX
  })
  return (items as ReadonlyArray<Row<StatementData>>).toReversed()
})

/** The row of an account that each statement, each chunk and each close of it writes. Of two that decide at once, one decides again. */
export const turnOf = Effect.fnUntraced(function* (
  deps: ChunkDeps,
  external_account_id: string,
  counted: (roster: StatementRosterData) => Partial<StatementRosterData>,
  at: number
): Effect.fn.Return<ChangeSet, StorageFault> {
  const row = yield* rosterOf(deps, external_account_id)
  const empty: StatementRosterData = { chunks: 0, closings: 0 }
  const base = { merchant_id: PLATFORM_MERCHANT, id: external_account_id }
  const { changes } =
    row === undefined
      ? yield* begin(StatementRosterKind, base, { ...empty, ...counted(empty) }, at).pipe(
          Effect.provideService(Ids, deps.ids)
        )
      : yield* deps.unitOfWork.accepted(StatementRosterKind, row, { type: "update", patch: counted(row.data) }, at)
  return changes
})

/** The latest day of an account that a close has sealed. */
export const sealedUntil = Effect.fnUntraced(function* (
  deps: Pick<ChunkDeps, "storage">,
  external_account_id: string
): Effect.fn.Return<string | undefined, StorageFault> {
  const { closings = 0, sealed_until } = (yield* rosterOf(deps, external_account_id))?.data ?? {}
  if (sealed_until !== undefined || closings === 0) return sealed_until
  const index_keys = [`external_account_id=${external_account_id}`]
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [closingKind], index_keys }
  const closes = (yield* everyRow(deps.storage, query, () => true)) as ReadonlyArray<Row<ClosingData>>
  return closes
    .map(({ data }) => data.date)
    .sort()
    .at(-1)
})

type Line = Row<StatementLineData>

/** Whether two bookings, of different statements, have a day in common. */
const isOn = (line: ChunkLine, { data }: Line): boolean =>
  data.booked_on === line.booked_on || (line.value_on !== null && data.value_on === line.value_on)

/** The most lines of one reference that are read together with those of others. A batch may have more: each payment has its reference. */
const SAME_MAX = 100

/** The lines that earlier statements have under the bank references of a chunk, and of its batches, oldest first. */
const earlier = Effect.fnUntraced(function* (
  { storage }: Pick<ChunkDeps, "storage">,
  {
    external_account_id,
    lines,
    statement_id
  }: Pick<StatementChunkData, "external_account_id" | "lines" | "statement_id">
): Effect.fn.Return<ReadonlyArray<Line>, StorageFault> {
  const references = lines.flatMap(({ bank_reference, entry }) => [
    ...(bank_reference === null ? [] : [bank_reference]),
    ...(entry === undefined ? [] : [entry.reference])
  ])
  const keys = [...new Set(references.map((one) => termKey("reference", normalised(one))))]
  if (keys.length === 0) return []
  const query = { kinds: [StatementLineKind.kind], merchant_id: PLATFORM_MERCHANT, prefixes: [], limit: SAME_MAX }
  const found = yield* storage.matches({ ...query, keys })
  const ids = new Set(found.map(({ id }) => id))
  if (ids.size === 0) return []
  const rows = [
    ...(yield* storage.get(
      [...ids].map((id) => ({ merchant_id: PLATFORM_MERCHANT, kind: StatementLineKind.kind, id }))
    ))
  ]
  const counts = new Map<string, number>()
  for (const { index_key } of found) counts.set(index_key, (counts.get(index_key) ?? 0) + 1)
  for (const [key, count] of counts)
    if (count >= SAME_MAX)
      rows.push(
        ...(yield* everyRow(
          storage,
          {
            merchant_id: PLATFORM_MERCHANT,
            kinds: [StatementLineKind.kind],
            index_keys: [key, accountKey(external_account_id)]
          },
          ({ id }) => !ids.has(id),
          1_000
        ))
      )
  const others = (rows as ReadonlyArray<Line>).filter(
    ({ data }) => data.external_account_id === external_account_id && data.statement_id !== statement_id
  )
  return others.toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
})

/** The first line of each group that is, together, a booking of this amount: all lines, or those of one statement. One alone is none. */
const wholesOf = (known: ReadonlyArray<Line>, amount: string): ReadonlyArray<Line> => {
  const groups = [...Map.groupBy(known, ({ data }) => data.statement_id).values()]
  return [...(groups.length > 1 ? [known] : []), ...groups].flatMap((parts) =>
    parts.length > 1 && parts.reduce((sum, { data }) => sum + BigInt(data.amount), 0n) === BigInt(amount)
      ? parts.slice(0, 1)
      : []
  )
}

/**
 * The line that an earlier statement has for each of a chunk; undefined where none has. One statement may have a batch in detail, and
 * another its total: they are one booking.
 */
export const knownAmong = Effect.fnUntraced(function* (
  deps: Pick<ChunkDeps, "storage">,
  chunk: Pick<StatementChunkData, "external_account_id" | "lines" | "statement_id">
) {
  const known = yield* earlier(deps, chunk)
  const byReference = Map.groupBy(known, ({ data }) => data.bank_reference)
  const byEntry = Map.groupBy(known, ({ data: { entry } }) => (entry?.part === 0 ? entry.reference : null))
  return (line: ChunkLine): Line | undefined => {
    const { amount, batch, bank_reference, direction, entry, entry_nth = 0, nth } = line
    if (bank_reference === null) return undefined
    const under = (reference: string, towards = direction) =>
      (byReference.get(reference) ?? []).filter((one) => isOn(line, one) && one.data.direction === towards)
    const about = under(bank_reference)
    const parts = (byEntry.get(bank_reference) ?? []).filter(
      (one) => isOn(line, one) && one.data.entry!.direction === direction && one.data.entry!.amount === amount
    )
    const same = [...about.filter(({ data }) => data.amount === amount), ...wholesOf(about, amount), ...parts]
    const whole = entry === undefined ? [] : under(entry.reference, entry.direction)
    return (
      same[nth] ??
      about.find(({ data }) => data.amount === batch) ??
      whole.filter(({ data }) => data.amount === entry!.amount)[entry_nth]
    )
  }
})

/** The first day from `day` on that is open: a seal closes the days before its own too, so that each day follows on the one before. */
const openDay = (sealed: string | undefined, day: string): string =>
  sealed === undefined || day > sealed ? day : nextDay(sealed)

const dayMs = 86_400_000

export const nextDay = (date: string): string => dayAt(Date.parse(`${date}T00:00:00.000Z`) + dayMs)
export const previousDay = (date: string): string => dayAt(Date.parse(`${date}T00:00:00.000Z`) - dayMs)
const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10)

/**
 * Makes the lines of a chunk, once, in one commit. A line that an earlier statement has under the same bank reference is that line; two
 * of one statement are two. A line of a day that is not open counts on the first that is.
 */
const expand = Effect.fnUntraced(function* (deps: ChunkDeps, id: string, source?: Source) {
  const { ids, storage, unitOfWork } = deps
  yield* unitOfWork.apply(
    PLATFORM_MERCHANT,
    source ?? { deduplicationKey: `expand/${id}`, deduplication_ms: keyLifetime },
    Effect.gen(function* () {
      const [chunk] = yield* storage.get([{ merchant_id: PLATFORM_MERCHANT, kind: StatementChunkKind.kind, id }])
      if (chunk === undefined || chunk.state !== "stored") return { changes: [], result: undefined }
      const row = chunk as Row<StatementChunkData>
      const { external_account_id, lines, statement_id } = row.data
      const at = yield* Clock.currentTimeMillis
      const turn = yield* turnOf(deps, external_account_id, ({ chunks }) => ({ chunks: chunks + 1 }), at)
      const known = yield* knownAmong(deps, row.data)
      const sealed = yield* sealedUntil(deps, external_account_id)
      const line_ids: Array<string> = []
      const made: Array<ChangeSet> = []
      for (const one of lines) {
        const { batch: _, entry_nth: __, nth: ___, ...line } = one
        const same = known(one)
        const lineId = same?.id ?? (yield* ids.make(StatementLineKind.prefix))
        line_ids.push(lineId)
        if (same !== undefined) continue
        const data = {
          ...line,
          statement_id,
          external_account_id,
          accounted_on: openDay(sealed, line.booked_on),
          matches: []
        }
        const { changes } = yield* begin(StatementLineKind, { merchant_id: PLATFORM_MERCHANT, id: lineId }, data, at)
        made.push(changes)
      }
      const expanded = yield* unitOfWork.accepted(StatementChunkKind, row, { type: "expanded", line_ids }, at)
      return { changes: [turn, ...made, expanded.changes], result: undefined }
    }).pipe(Effect.provideService(Ids, ids))
  )
})

export class StatementChunks extends Context.Service<StatementChunks>()("corridor/engine/StatementChunks", {
  make: Effect.map(makeChunkDeps, (deps) => bound(deps, { expand }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
