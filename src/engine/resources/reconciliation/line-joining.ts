/** How the bookings of statements become lines (INGEST-4, INGEST-5). */
import { Clock, Context, Data, Effect, Layer } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import {
  isDecisive,
  joinLines,
  listRelatedDays,
  relateStatements,
  type StatedDays,
  type StatementBooking
} from "../../../machines/kernel/bookings.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import { lookTimer } from "../../../machines/reconciliation/matching.ts"
import type { StatementChunkData, StatementData } from "../../../machines/reconciliation/statement.ts"
import type { BookedLine, LineMatch, StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { readAllRows } from "../../calls/reads.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import {
  type AccountStatements,
  readAccountStatements,
  compareStatements,
  toMinor,
  toStatedDays
} from "./account-statements.ts"
import { type AccountDifferences, findAccountDifferences, listNotices } from "./balance-differences.ts"
import { normalise, termKey } from "../../commit/index-keys.ts"
import type { Source } from "../../commit/call.ts"
import { begin, makeDueTimer } from "../../commit/steps.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import { keyLifetime } from "../../settings/retention.ts"
import type { MatchedAccount } from "./books.ts"
import { lineBreakKey, stepBreakKey } from "./break.ts"
import { readBreaksByKey, endBreaksWith } from "./break-writing.ts"
import { ExternalAccountKind, readMirrors } from "./external-account.ts"
import { listBookings, type DayPlan, planDay, textOf, fillMembers } from "./line-plan.ts"
import { MatchingStateKind } from "./matching-state.ts"
import { readMatchedAccount, makeMatchingDeps, type MatchingDeps, platform } from "./matched-account.ts"
import { findOpenNames, listNamesIn, openSteps, scheduleScan } from "./missing-movements.ts"
import { isOwn, isReadOwn } from "./provider-statement.ts"
import { findMatchGroup } from "./release.ts"
import { sumSigned } from "./signed.ts"
import { chunkId, StatementChunkKind, StatementKind } from "./statement-kinds.ts"
import { accountKey, isDecided, isOpen, readLinesUnder, StatementLineKind } from "./statement-line.ts"
import { listDays, openDay, readRoster, findSealsOf, stepRoster } from "./statement-roster.ts"

type Store = Storage["Service"]
type Line = Row<StatementLineData>
type Statement = Row<StatementData>
type Chunk = Row<StatementChunkData>

const WRITE = 500

const readLinesOn = (storage: Store, external_account_id: string, day: string) =>
  Effect.map(
    readAllRows(
      storage,
      {
        ...platform,
        kinds: [StatementLineKind.kind],
        index_keys: [accountKey(external_account_id), `booked_on=${day}`]
      },
      () => true,
      1_000
    ),
    (rows) => (rows as ReadonlyArray<Line>).toSorted(compareStatements)
  )

/** The days that statements have in common with another, both ends included. */
const listSharedDays = (one: StatedDays, others: ReadonlyArray<StatedDays>): ReadonlyArray<string> => {
  const days = new Set<string>()
  for (const other of others) {
    if (other.id === one.id || one.first === "" || other.first === "") continue
    const from = one.first > other.first ? one.first : other.first
    const to = one.last < other.last ? one.last : other.last
    for (const day of listDays(from, to)) days.add(day)
  }
  return [...days].sort()
}

/** The account has changed since a plan was made. Nothing is written, and the plan is made again. */
export class Stale extends Data.TaggedError("Stale") {}

/** The version of the roster that a plan expects. Its own writes raise it. */
interface RosterVersion {
  version: number
}

export const readRosterVersion = ({ storage }: Pick<MatchingDeps, "storage">, external_account_id: string) =>
  Effect.map(readRoster({ storage }, external_account_id), (row) => row?.version ?? 0)

/** Commits a part of a plan. Errors: `Stale`. */
const commitPart = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  external_account_id: string,
  expected: RosterVersion,
  write: (at: number) => Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault | Stale, Ids>
) {
  const key = yield* deps.ids.make("join")
  yield* deps.unitOfWork.apply(
    PLATFORM_MERCHANT,
    { deduplicationKey: `join/${key}`, deduplication_ms: keyLifetime },
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      if ((yield* readRosterVersion(deps, external_account_id)) !== expected.version) return yield* new Stale()
      const roster = yield* stepRoster(deps, external_account_id, () => ({}), at)
      return { changes: [roster, ...(yield* write(at))], result: undefined }
    }).pipe(Effect.provideService(Ids, deps.ids))
  )
  expected.version++
})

const beginLine = (deps: MatchingDeps, data: StatementLineData, at: number) =>
  Effect.gen(function* () {
    const id = yield* deps.ids.make(StatementLineKind.prefix)
    return (yield* begin(StatementLineKind, { ...platform, id }, data, at)).changes
  })

const listSteps = (matches: ReadonlyArray<LineMatch>) =>
  matches.map(({ resource_id, version = 1 }) => ({ resource_id, version }))

/** A line that is to be again what a person had decided of it: one that is restored, or is open since another was withdrawn. */
interface Deciding {
  readonly row: Line
  readonly matches: ReadonlyArray<LineMatch>
  /** What it moves, as its statements have it now. */
  readonly data: Pick<StatementLineData, "amount" | "direction">
}

const isLine = ({ resource_id }: Pick<LineMatch, "resource_id">): boolean =>
  resource_id.startsWith(`${StatementLineKind.prefix}_`)

/** The keys of what a line was matched with: steps of the books, or lines that cancel each other out, the line itself included. */
const stepNames = ({ matches, row }: Deciding): ReadonlyArray<string> =>
  matches.some(isLine)
    ? [row.id, ...matches.map(({ resource_id }) => resource_id)]
    : listSteps(matches).map(({ resource_id, version }) => `${resource_id}@${version}`)

/** Groups lines that a person had matched with each other, or with parts of the same movements, transitively. */
const groupByFormerMatches = (lines: ReadonlyArray<Deciding>): ReadonlyArray<ReadonlyArray<Deciding>> => {
  let groups: ReadonlyArray<{ readonly lines: ReadonlyArray<Deciding>; readonly steps: ReadonlySet<string> }> = []
  for (const line of lines) {
    const names = stepNames(line)
    const isTheirs = ({ steps }: (typeof groups)[number]): boolean => names.some((name) => steps.has(name))
    const [own, others] = [groups.filter(isTheirs), groups.filter((one) => !isTheirs(one))]
    const steps = new Set([...own.flatMap((one) => [...one.steps]), ...names])
    groups = [...others, { lines: [...own.flatMap((one) => one.lines), line], steps }]
  }
  return groups.map((one) => one.lines)
}

/** Finds the lines that became free together with lines that are restored now, and on which nobody has decided since. */
const findLinesFreedEarlier = Effect.fnUntraced(function* (
  { storage }: Pick<MatchingDeps, "storage">,
  restored: ReadonlyArray<Row<StatementLineData>>
) {
  const ids = new Set(restored.flatMap(({ data }) => data.former_lines ?? []))
  for (const { id } of restored) ids.delete(id)
  const rows = yield* storage.get([...ids].map((id) => ({ ...platform, kind: StatementLineKind.kind, id })))
  return (rows as ReadonlyArray<Line>).filter((row) => isOpen(row) && row.data.former_lines !== undefined)
})

/**
 * The changes, in which lines that are restored are again what a person had decided: all that he had matched together, where nothing else
 * has what they are. Lines that were free since are so with them.
 */
const restoreDecisions = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  changed: DayPlan["changed"]
): Effect.fn.Return<DayPlan["changed"], StorageFault> {
  const events = new Map(changed.map(({ event, row }) => [row.id, event]))
  const restored = changed.flatMap(({ event, row }) => (event.type === "restored" ? [row] : []))
  const rows = [...restored, ...(yield* findLinesFreedEarlier(deps, restored))]
  const deciding = rows.flatMap((row): ReadonlyArray<Deciding> => {
    const { former_matches: matches = [] } = row.data
    const event = events.get(row.id)
    if (matches.length === 0 || event?.type === "withdrawn" || event?.type === "merged") return []
    return [{ row, matches, data: { ...row.data, ...(event !== undefined && "patch" in event ? event.patch : {}) } }]
  })
  const again = yield* Effect.filter(groupByFormerMatches(deciding), (lines) =>
    Effect.map(openSteps(deps, account, listSteps(lines.flatMap(({ matches }) => matches))), (open) => {
      // A line that a line was is open where it is restored with it.
      const known = [...open.map((one) => `${one.resource_id}@${one.version}`), ...lines.map(({ row }) => row.id)]
      const isThere = new Set(known)
      return (
        lines.flatMap(stepNames).every((name) => isThere.has(name)) &&
        sumSigned(open) === sumSigned(lines.map(({ data }) => data))
      )
    })
  )
  for (const { matches, row } of again.flat()) {
    const event = events.get(row.id)
    const patch = event !== undefined && "patch" in event && event.patch !== undefined ? { patch: event.patch } : {}
    events.set(
      row.id,
      event?.type === "restored"
        ? { ...event, matches }
        : { type: row.data.former_status ?? "matched", matches, ...patch }
    )
  }
  const byId = new Map([...changed, ...again.flat()].map(({ row }) => [row.id, row]))
  return [...events].map(([id, event]) => ({ row: byId.get(id)!, event }))
})

/** The former match of a line that becomes free, with the lines that were decided with it. */
const toFormer = (row: Line, lines: ReadonlyArray<Line>): Partial<StatementLineData> => ({
  former_matches: row.data.matches,
  former_status: row.state === "explained" ? row.state : "matched",
  former_lines: lines.flatMap(({ id }) => (id === row.id ? [] : [id]))
})

/**
 * Frees the lines and steps that a person has matched together with lines that were removed or replaced, on sealed days too, where they
 * count on the first open day. Each keeps its former match, until a person decides on it.
 */
const freeRelatedLines = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  changed: DayPlan["changed"]
): Effect.fn.Return<DayPlan["changed"], StorageFault> {
  const events = new Map(changed.map(({ event, row }) => [row.id, event]))
  const isGone = (row: Line): boolean => {
    const type = events.get(row.id)?.type
    return type === "withdrawn" || type === "merged" || type === "unmatched"
  }
  const rows = new Map(changed.map(({ row }) => [row.id, row]))
  const done = new Set<string>()
  for (const { row: gone } of changed) {
    if (!isDecided(gone) || !isGone(gone) || done.has(gone.id)) continue
    const lines = yield* findMatchGroup(deps, [gone])
    for (const row of lines) {
      done.add(row.id)
      if (lines.length === 1) continue
      rows.set(row.id, row)
      const event = events.get(row.id)
      if (event?.type === "merged" || event?.type === "unmatched") continue
      const patch = { ...(event !== undefined && "patch" in event ? event.patch : {}), ...toFormer(row, lines) }
      events.set(row.id, { type: event?.type === "withdrawn" ? event.type : "unmatched", patch })
    }
  }
  return [...events].map(([id, event]) => ({ row: rows.get(id)!, event }))
})

/** Writes a plan in parts. What a person has decided of a line meanwhile makes it stale. */
const writePlan = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  external_account_id: string,
  plan: DayPlan,
  expected: RosterVersion
) {
  const { storage, unitOfWork } = deps
  const account = (yield* readMatchedAccount(deps, external_account_id))?.account
  const own = account === undefined ? plan.changed : yield* restoreDecisions(deps, account, plan.changed)
  const changed = yield* freeRelatedLines(deps, own)
  const items = [
    ...plan.made.map((made) => ({ made, changed: undefined })),
    ...changed.map((one) => ({ made: undefined, changed: one }))
  ]
  for (let n = 0; n < items.length; n += WRITE) {
    const some = items.slice(n, n + WRITE)
    yield* commitPart(deps, external_account_id, expected, (at) =>
      Effect.gen(function* () {
        const known = some.flatMap(({ changed }) => (changed === undefined ? [] : [changed]))
        const rows = yield* storage.get(
          known.map(({ row }) => ({ ...platform, kind: StatementLineKind.kind, id: row.id }))
        )
        const versions = new Map(rows.map(({ id, version }) => [id, version]))
        if (known.some(({ row }) => versions.get(row.id) !== row.version)) return yield* new Stale()
        const changes: Array<ChangeSet> = []
        for (const { made } of some) if (made !== undefined) changes.push(yield* beginLine(deps, made, at))
        for (const { event, row } of known)
          changes.push((yield* unitOfWork.stepOrDie(StatementLineKind, row, event, at)).changes)
        const free = known.flatMap(({ event, row }) =>
          event.type === "withdrawn" || event.type === "merged" || event.type === "unmatched" ? row.data.matches : []
        )
        // What they only named may be on no statement now.
        const left = known.flatMap(({ event, row }) =>
          event.type === "withdrawn" || event.type === "merged" ? [lineBreakKey(row.id)] : []
        )
        const names =
          account === undefined ? [] : listNamesIn([...(yield* readBreaksByKey(deps, account, left)).values()].flat())
        const decided = known.filter(({ event }) => "matches" in event)
        const gone = known.flatMap(({ event, row }) => (event.type === "merged" ? [row.id] : []))
        const again = decided.flatMap(({ event }) => ("matches" in event ? listSteps(event.matches ?? []) : []))
        const ids = [...gone, ...decided.map(({ row }) => row.id)]
        const ended = account === undefined ? [] : yield* endBreaksWith(deps, account, ids, again, undefined, at)
        const freed = new Set(free.map(({ resource_id, version = 1 }) => stepBreakKey(resource_id, version)))
        const named = account === undefined ? [] : yield* findOpenNames(deps, account, names, freed)
        return [...changes, ...ended, ...(yield* scheduleScan(deps, external_account_id, [...free, ...named], at))]
      })
    )
  }
})

/** Writes how many bookings of a day statements share. */
const writeShared = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  external_account_id: string,
  day: string,
  { relations }: AccountStatements,
  shared: DayPlan["shared"],
  expected: RosterVersion
) {
  const ids = new Set([...relations.overlapping(day).map(({ id }) => id), ...shared.keys()])
  const rows = yield* readStatements(deps, [...ids])
  const others = rows.filter(({ data, id }) => textOf(data.shared?.[day] ?? {}) !== textOf(shared.get(id) ?? {}))
  if (others.length === 0) return
  yield* commitPart(deps, external_account_id, expected, (at) =>
    Effect.forEach(others, (row) =>
      Effect.map(
        deps.unitOfWork.stepOrDie(
          StatementKind,
          row,
          { type: "update", patch: { shared: { ...row.data.shared, [day]: shared.get(row.id) ?? {} } } },
          at
        ),
        ({ changes }) => changes
      )
    )
  )
})

/** The stored chunks of a statement whose bookings are not lines yet. */
const readStoredChunks = Effect.fnUntraced(function* (
  { storage }: Pick<MatchingDeps, "storage">,
  { data, id }: Statement
) {
  const keys = Array.from({ length: data.chunks }, (_, number) => ({
    ...platform,
    kind: StatementChunkKind.kind,
    id: chunkId(id, number)
  }))
  const found: Array<Chunk> = []
  for (let n = 0; n < keys.length; n += 20)
    found.push(...((yield* storage.get(keys.slice(n, n + 20))) as ReadonlyArray<Chunk>))
  return found.filter(({ state }) => state === "stored")
})

const readStatements = ({ storage }: Pick<MatchingDeps, "storage">, ids: ReadonlyArray<string>) =>
  Effect.map(
    storage.get(ids.map((id) => ({ ...platform, kind: StatementKind.kind, id }))),
    (rows) => rows as ReadonlyArray<Statement>
  )

/** Leaves out bookings that are lines already: an attempt that was cut off has made some. */
const excludeExisting = (
  known: ReadonlyArray<StatementBooking>,
  stored: ReadonlyArray<StatementBooking>
): ReadonlyArray<StatementBooking> => {
  const counts = new Map<string, number>()
  for (const { booked, statement_id } of known) {
    const key = `${statement_id} ${textOf(booked)}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return stored.filter(({ booked, statement_id }) => {
    const key = `${statement_id} ${textOf(booked)}`
    const left = counts.get(key) ?? 0
    if (left > 0) counts.set(key, left - 1)
    return left === 0
  })
}

/** The statements of an account whose lines are still to be made. */
export const findUnread = (
  deps: Pick<MatchingDeps, "storage">,
  { rows, stated }: AccountStatements,
  isWanted: (one: StatedDays) => boolean
) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return Effect.filter(stated.filter(isWanted), ({ id }) =>
    Effect.map(readStoredChunks(deps, byId.get(id)!), ({ length }) => length > 0)
  )
}

/** Deciding statements of some days whose lines are still to be made. Until then, no line of these days is withdrawn. */
const findOthersUnread = (
  deps: MatchingDeps,
  own: ReadonlyArray<StatedDays>,
  all: AccountStatements,
  days: ReadonlyArray<string>
) =>
  findUnread(
    deps,
    all,
    (one) => !own.includes(one) && isDecisive(one) && days.some((day) => one.first <= day && day <= one.last)
  )

const readAccount = ({ storage }: Pick<MatchingDeps, "storage">, id: string) =>
  Effect.map(
    storage.get([{ ...platform, kind: ExternalAccountKind.kind, id }]),
    ([row]) => row as Row<ExternalAccountData>
  )

/** The days whose lines are made, of so many statements of the account as its roster counted before. */
interface Joined {
  readonly days: ReadonlySet<string>
  readonly taken: number | undefined
}

/** Joins the bookings of statements of an account with those that others have of the same days. Returns these days. */
const joinDays = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  external_account_id: string,
  some: ReadonlyArray<Statement>
) {
  const { storage } = deps
  const chunks = (yield* Effect.forEach(some, (one) => readStoredChunks(deps, one))).flat()
  if (chunks.length === 0) return { days: new Set(), taken: undefined } satisfies Joined
  return yield* Effect.gen(function* () {
    const roster = yield* readRoster(deps, external_account_id)
    const expected: RosterVersion = { version: roster?.version ?? 0 }
    const all = yield* readAccountStatements(storage, external_account_id)
    const sealOf = yield* findSealsOf(deps, yield* readAccount(deps, external_account_id))
    const ids = new Set(chunks.map(({ data }) => data.statement_id))
    const own = all.stated.filter(({ id }) => ids.has(id))
    const shared = new Set(own.flatMap((one) => listSharedDays(one, all.relations.overlapping(one.first, one.last))))
    const days = [...shared, ...listRelatedDays(own, all.stated, all.relations).filter((day) => !shared.has(day))]
    const unread = yield* findOthersUnread(deps, own, all, days)
    const lines = Map.groupBy(
      chunks.flatMap(({ data }) => data.lines.map((booked) => ({ statement_id: data.statement_id, booked }))),
      ({ booked }) => booked.booked_on
    )
    for (const day of days) {
      const rows = yield* readLinesOn(storage, external_account_id, day)
      const stored = (lines.get(day) ?? []).map((one) => ({ ...one, booked: fillMembers(one.booked) }))
      if (rows.length === 0 && stored.length === 0) continue
      const known = rows.flatMap(listBookings)
      const fresh = excludeExisting(known, stored)
      const isWhole = !unread.some(({ first, last }) => first <= day && day <= last)
      const sealed = yield* sealOf(day, rows)
      const plan = planDay(external_account_id, day, rows, [...known, ...fresh], all, sealed, isWhole)
      yield* writePlan(deps, external_account_id, plan, expected)
      yield* writeShared(deps, external_account_id, day, all, plan.shared, expected)
    }
    return { days: new Set(days), taken: roster?.data.statements } satisfies Joined
  }).pipe(Effect.retry({ while: (error) => error._tag === "Stale" }))
})

/** Identifies a provider's booking: its id, which is the bank reference, with direction and amount. */
const toBookingKey = ({ amount, bank_reference, direction }: BookedLine): string =>
  textOf([bank_reference, direction, amount])

/**
 * The bookings that are lines already, each with the statement that had it first: of an account, or of another that mirrors the same, whose
 * feed is one.
 */
const findReportedLines = Effect.fnUntraced(function* (
  { storage }: Pick<MatchingDeps, "storage">,
  { external_account_id, lines }: Pick<StatementChunkData, "external_account_id" | "lines">
) {
  const mirrors = yield* readMirrors({ storage }, (yield* readAccount({ storage }, external_account_id)).data)
  const read = yield* Effect.filter(mirrors, ({ id }) =>
    Effect.map(isReadOwn(storage, id), (isRead) => isRead === true)
  )
  const ids = new Set(read.map(({ id }) => id))
  const keys = lines.flatMap(({ bank_reference }) =>
    bank_reference === null ? [] : [termKey("reference", normalise(bank_reference))]
  )
  const rows = yield* readLinesUnder(storage, [...new Set(keys)])
  const own = rows.filter(({ data }) => ids.has(data.external_account_id))
  return new Map(own.map(({ data }) => [toBookingKey(data), data.statement_id]))
})

/** Those of the lines that a provider reports that are lines already. */
export const findKnownLines = (
  deps: Pick<MatchingDeps, "storage">,
  external_account_id: string,
  lines: ReadonlyArray<BookedLine>
): Effect.Effect<ReadonlySet<BookedLine>, StorageFault> =>
  lines.length === 0
    ? Effect.succeed(new Set())
    : Effect.map(
        findReportedLines(deps, { external_account_id, lines }),
        (known) => new Set(lines.filter((line) => known.has(toBookingKey(line))))
      )

/** Counts the bookings of a statement that are lines of other statements, by statement and day, beside those counted before. */
const findShared = (
  { data, id }: Statement,
  lines: ReadonlyArray<BookedLine>,
  signed: ReadonlyMap<string, string>
): NonNullable<StatementData["shared"]> => {
  const shared: Record<string, Record<string, number>> = { ...data.shared }
  for (const line of lines) {
    const owner = signed.get(toBookingKey(line))
    if (owner === undefined || owner === id) continue
    const ofDay = shared[line.booked_on] ?? {}
    shared[line.booked_on] = { ...ofDay, [owner]: (ofDay[owner] ?? 0) + 1 }
  }
  return shared
}

/**
 * Makes the lines of a chunk, once, in one commit: those of days that no other statement has. A line of a day that is not open counts on
 * the first that is.
 */
const expandChunk = Effect.fnUntraced(function* (deps: MatchingDeps, id: string, joined: Joined, source?: Source) {
  const { ids, storage, unitOfWork } = deps
  yield* unitOfWork.apply(
    PLATFORM_MERCHANT,
    source ?? { deduplicationKey: `expand/${id}`, deduplication_ms: keyLifetime },
    Effect.gen(function* () {
      const [chunk] = yield* storage.get([{ ...platform, kind: StatementChunkKind.kind, id }])
      if (chunk === undefined || chunk.state !== "stored") return { changes: [], result: undefined }
      const row = chunk as Chunk
      const { external_account_id, lines, statement_id } = row.data
      const at = yield* Clock.currentTimeMillis
      const roster = yield* stepRoster(deps, external_account_id, ({ chunks }) => ({ chunks: chunks + 1 }), at)
      const [statement] = yield* readStatements(deps, [statement_id])
      const isSigned = isOwn(statement!.data)
      // Another statement may have come since its days were joined.
      if (!isSigned && joined.taken !== (yield* readRoster(deps, external_account_id))?.data.statements)
        return yield* new Stale()
      const signed = isSigned ? yield* findReportedLines(deps, row.data) : new Map<string, string>()
      const isKnown = (line: BookedLine): boolean =>
        isSigned ? signed.has(toBookingKey(line)) : joined.days.has(line.booked_on)
      const shared = findShared(statement!, lines, signed)
      const isShared = textOf(shared) !== textOf(statement!.data.shared ?? {})
      const sealOf = yield* findSealsOf(deps, yield* readAccount(deps, external_account_id))
      const isLoose = !isSigned && !isDecisiveRow(statement!)
      const made = yield* Effect.forEach(
        lines.filter((line) => !isKnown(line)),
        Effect.fnUntraced(function* (line) {
          const accounted_on = openDay(yield* sealOf(line.booked_on), line.booked_on)
          const loose = isLoose ? { loose: true } : {}
          return yield* beginLine(
            deps,
            { ...line, statement_id, external_account_id, accounted_on, matches: [], ...loose },
            at
          )
        })
      )
      const sharing = isShared
        ? [(yield* unitOfWork.stepOrDie(StatementKind, statement!, { type: "update", patch: { shared } }, at)).changes]
        : []
      const expanded = yield* unitOfWork.stepOrDie(StatementChunkKind, row, { type: "expanded" }, at)
      // Where the caller that took the file has ended, nobody matches its lines.
      const matching = { kind: MatchingStateKind.kind, id: external_account_id }
      const look = source === undefined ? [] : [makeDueTimer(matching, lookTimer, at)]
      return { changes: [roster, ...made, ...sharing, expanded.changes, ...look], result: undefined }
    }).pipe(Effect.provideService(Ids, ids))
  )
})

const isDecisiveRow = ({ data }: Statement): boolean => isDecisive({ ...data, closing: toMinor(data.closing_balance) })

/**
 * Writes the warnings of an account's statements that differ from those that follow from all of these now. `expected`: the roster before these
 * were read. Errors: `Stale`.
 */
export const writeNotices = (
  deps: MatchingDeps,
  external_account_id: string,
  expected: RosterVersion,
  { stated, statements }: Pick<AccountDifferences, "stated" | "statements">
): Effect.Effect<void, StorageFault | Stale> => {
  if (statements === undefined) return Effect.void
  const notices = listNotices(statements, stated)
  const others = statements.rows.filter(({ data, id }) => textOf(data.noticed ?? []) !== textOf(notices.get(id)))
  const parts = Array.from({ length: Math.ceil(others.length / WRITE) }, (_, n) =>
    others.slice(n * WRITE, (n + 1) * WRITE)
  )
  return Effect.forEach(
    parts,
    (some) =>
      commitPart(deps, external_account_id, expected, (at) =>
        Effect.forEach(some, (row) => {
          const event = { type: "update", patch: { noticed: notices.get(row.id)! } } as const
          return Effect.map(deps.unitOfWork.stepOrDie(StatementKind, row, event, at), ({ changes }) => changes)
        })
      ),
    { discard: true }
  )
}

/** Writes the warnings of an account's statements. A provider's own have none. */
const noticeStatements = Effect.fnUntraced(function* (deps: MatchingDeps, external_account_id: string) {
  const expected = { version: yield* readRosterVersion(deps, external_account_id) }
  const row = yield* readAccount(deps, external_account_id)
  const found = yield* findAccountDifferences(deps.storage, { ...row.data, id: row.id })
  yield* writeNotices(deps, external_account_id, expected, found)
})

/** Makes the missing lines of statements, those of an account together. `last`: the chunk whose job waits for it. */
const expandStatements = (
  deps: MatchingDeps,
  statements: ReadonlyArray<Statement>,
  last?: { readonly id: string; readonly source: Source }
): Effect.Effect<void, StorageFault> =>
  Effect.forEach(
    Map.groupBy(statements, ({ data }) => data.external_account_id),
    ([external_account_id, own]) =>
      Effect.gen(function* () {
        const joined = yield* joinDays(
          deps,
          external_account_id,
          own.filter(({ data }) => !isOwn(data))
        )
        for (const statement of own)
          for (const { id } of yield* readStoredChunks(deps, statement))
            if (id !== last?.id) yield* expandChunk(deps, id, joined)
        if (last !== undefined) yield* expandChunk(deps, last.id, joined, last.source)
        // A look follows on a job, which writes them.
        if (last === undefined && !own.every(({ data }) => isOwn(data)))
          yield* noticeStatements(deps, external_account_id)
      }).pipe(Effect.retry({ while: (error) => error._tag === "Stale" })) as Effect.Effect<void, StorageFault>,
    { discard: true }
  )

/** Makes the lines of the statement of a chunk, for its job. A look follows, which matches them. */
const expand = Effect.fnUntraced(function* (deps: MatchingDeps, id: string, source: Source) {
  const [statement] = yield* readStatements(deps, [id.slice(0, id.lastIndexOf("."))])
  if (statement !== undefined) yield* expandStatements(deps, [statement], { id, source })
})

export class StatementChunks extends Context.Service<StatementChunks>()("corridor/engine/StatementChunks", {
  make: Effect.map(makeMatchingDeps, (deps) => bindFirst(deps, { expand, expandStatements }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** Says which bookings of a file are lines already. It writes nothing. */
export const findExistingLines = Effect.fnUntraced(function* (
  storage: Store,
  external_account_id: string,
  own: ReadonlyArray<{ readonly data: StatementData; readonly lines: ReadonlyArray<BookedLine> }>
) {
  const all = yield* readAccountStatements(storage, external_account_id)
  const planned = own.map(({ data }, n) => toStatedDays({ id: `new.${n}`, data } as Statement, all.stated.length + n))
  const relations = relateStatements([...all.stated, ...planned])
  const isKnown = new Map<BookedLine, boolean>()
  const byDay = Map.groupBy(
    own.flatMap(({ lines }, n) => lines.map((booked) => ({ statement_id: `new.${n}`, booked }))),
    ({ booked }) => booked.booked_on
  )
  for (const [day, fresh] of byDay) {
    const rows = yield* readLinesOn(storage, external_account_id, day)
    const bookings = [...rows.flatMap(listBookings), ...fresh]
    for (const { bookings: joined } of joinLines(day, bookings, relations))
      for (const { booked } of joined)
        isKnown.set(
          booked,
          joined.some(({ statement_id }) => !statement_id.startsWith("new."))
        )
  }
  return (line: BookedLine): boolean => isKnown.get(line) === true
})
