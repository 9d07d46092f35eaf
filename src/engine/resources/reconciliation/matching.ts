/**
 * A run of matching: reads the lines of an account that nothing accounts for, and the books that they name; decides; and writes matches,
 * proposals and breaks (MATCH-7). It may be repeated at any time, and writes only what has changed.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { bound } from "../../../machines/kernel/bound.ts"
import type { BreakCandidate, BreakData, BreakDifference } from "../../../machines/reconciliation/break.ts"
import {
  type BookMovement,
  type LineFinding,
  type LineBreak,
  matched,
  type NamedResource,
  type OpenLine
} from "../../../machines/kernel/matching.ts"
import type { MatchingStateData, MatchingStateEvent } from "../../../machines/reconciliation/matching.ts"
import type { StatementData } from "../../../machines/reconciliation/statement.ts"
import type {
  LineMatch,
  StatementLineData,
  StatementLineEvent
} from "../../../machines/reconciliation/statement-line.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { Source } from "../../commit/source.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row } from "../../ports/Storage.ts"
import {
  alikeTo,
  type BooksDeps,
  type MatchedAccount,
  movementsIn,
  movementsOf,
  namedBy,
  namedResource,
  postingsBetween
} from "./books.ts"
import { BreakKind, lineBreakKey, stepBreakKey } from "./break.ts"
import { type BooksGuard, breaksOf, cleared, raised, WRITE, writing } from "./break-writing.ts"
import { accountOf, makeMatchingDeps, type MatchingDeps, platform, stateOf, stepped } from "./matched-account.ts"
import { MatchingStateKind } from "./matching-state.ts"
import { namedIn, namedNoMore, stepName, sweep } from "./missing-movements.ts"
import { isOwn } from "./provider-statement.ts"
import { statementBreaks } from "./statement-breaks.ts"
import { StatementKind } from "./statement-kinds.ts"
import { eachOpenLine, StatementLineKind } from "./statement-line.ts"

/** The longest time to the next look at an account, by its kind. */
const NEXT_MS = { bank: 12 * 3_600_000, chain: 3_600_000 } as const

/** A line that a provider has signed, under an unknown command: it decides (MATCH-8). */
export interface SignedPayment {
  readonly line: Row<StatementLineData>
  readonly resource_id: string
}

/** What a run did. `stale`: another has written the same books, so that this one must begin again. */
export interface Run {
  readonly matched: number
  readonly proposed: number
  readonly unmatched: number
  readonly signed: ReadonlyArray<SignedPayment>
  readonly stale: boolean
  /** Where the look for movements without a line began and ended, and when the next of them is overdue. Absent: there was none. */
  readonly swept?: Swept
}
export interface Swept {
  readonly from: number
  readonly until: number
  readonly next: number | undefined
}

const openLine = ({ data, id }: Row<StatementLineData>, names: OpenLine["names"]): OpenLine => ({
  id,
  direction: data.direction,
  amount: BigInt(data.amount),
  day: data.booked_on,
  names
})

interface Names {
  readonly lines: ReadonlyArray<OpenLine>
  readonly movements: ReadonlyMap<string, BookMovement>
  readonly resources: ReadonlyMap<string, NamedResource>
}
interface Reading extends Names {
  readonly isSigned: (line_id: string) => boolean
  /** What breaks name whose lines are left to people: they have it. */
  readonly held: ReadonlySet<string>
}

/** What lines name in the books, as matching takes it. */
const namesOf = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  rows: ReadonlyArray<Row<StatementLineData>>
): Effect.fn.Return<Names & { readonly rows: ReadonlyMap<string, Row> }, StorageFault> {
  const named = yield* namedBy(deps, account, rows)
  const found = yield* movementsOf(deps, account, [...named.rows.values()])
  const resources = new Map([...named.rows].map(([id, row]) => [id, namedResource(deps, account, row)]))
  const moved = new Set(found.map(({ resource_id }) => resource_id))
  // A row of the books that never moved money here, and owes none, names nothing.
  const isNamed = ({ resource_id }: { readonly resource_id: string }): boolean =>
    moved.has(resource_id) || (resources.get(resource_id)?.due ?? null) !== null
  const lines = rows.map((row) => openLine(row, (named.byLine.get(row.id) ?? []).filter(isNamed)))
  const movements = new Map(found.map((one) => [`${one.resource_id}@${one.version}`, one]))
  return { lines, movements, resources, rows: named.rows }
})

/** What matching decides of lines that are not stored, and the rows that they name. Nothing is written. */
export const foundOf = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  lines: ReadonlyArray<Row<StatementLineData>>
) {
  const { rows, ...names } = yield* namesOf(deps, account, lines)
  return { findings: yield* decided(deps, account, names), rows }
})

/** Whether matching leaves the lines of a break to people: a person has unmatched some of them. */
const isLeftToPeople = ({ data, state }: Row<BreakData>): boolean => state === "open" && data.held

/** Reads the open lines of an account, page by page, and of the books what they name. Lines that people hold are left out. */
const reading = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount
): Effect.fn.Return<Reading, StorageFault> {
  const { storage } = deps
  const lines: Array<OpenLine> = []
  const movements = new Map<string, BookMovement>()
  const resources = new Map<string, NamedResource>()
  const statements = new Map<string, boolean>()
  const signed = new Set<string>()
  const held = new Set<string>()
  const take = Effect.fnUntraced(function* (rows: ReadonlyArray<Row<StatementLineData>>) {
    const breaks = yield* breaksOf(
      deps,
      account,
      rows.map(({ id }) => lineBreakKey(id))
    )
    const theirs = new Set<string>()
    for (const { data } of [...breaks.values()].flat().filter(isLeftToPeople)) {
      for (const id of data.line_ids) theirs.add(id)
      if (data.direction && data.kind !== "missing_on_statement")
        for (const id of data.resource_ids) held.add(stepName({ direction: data.direction }, id))
    }
    const free = rows.filter(({ id }) => !theirs.has(id))
    const named = yield* namesOf(deps, account, free)
    for (const [key, one] of named.movements) movements.set(key, one)
    for (const [id, one] of named.resources) resources.set(id, one)
    lines.push(...named.lines)
    const unknown = [...new Set(free.map(({ data }) => data.statement_id))].filter((id) => !statements.has(id))
    if (unknown.length > 0)
      for (const { data, id } of yield* storage.get(
        unknown.map((id) => ({ ...platform, kind: StatementKind.kind, id }))
      ))
        statements.set(id, isOwn(data as StatementData))
    for (const { data, id } of free) if (statements.get(data.statement_id) === true) signed.add(id)
  })
  yield* eachOpenLine(storage, account.id, take)
  return { lines, movements, resources, isSigned: (id) => signed.has(id), held }
})

/** The most movements of a day that can be one batch line. */
const DAY_MAX = 20_000
/** The most days on which one run looks for batch lines. */
const DAYS_MAX = 31

/** All open payouts of a day, where one line may be their sum. Undefined: they are too many. */
const payoutsOn = Effect.fnUntraced(function* (deps: BooksDeps, account: MatchedAccount, day: string) {
  const at = Date.parse(day)
  const found: Array<BookMovement> = []
  let isTooMany = false
  // The day of the account's time zone lies in these two days of UTC.
  yield* postingsBetween(deps, account.account, at - 86_400_000, at + 2 * 86_400_000, (postings) =>
    Effect.gen(function* () {
      // A credit may be what money in suspense became: that is no movement of its own.
      const payouts = (yield* movementsIn(deps, account, postings)).filter(({ direction }) => direction === "debit")
      found.push(...payouts.filter((one) => one.day === day))
      isTooMany = found.length > DAY_MAX
      return !isTooMany
    })
  )
  return isTooMany ? undefined : found
})

/** Decides the lines. What names nothing is looked for by its amount, and then by its day. */
const decided = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  { lines, movements, resources }: Names
) {
  const all = new Map(movements)
  const wholeDays = new Set<string>()
  const decide = (): ReadonlyArray<LineFinding> =>
    matched(lines, { movements: [...all.values()], resources: [...resources.values()], wholeDays })
  const add = (found: ReadonlyArray<BookMovement>): void => {
    for (const one of found) all.set(`${one.resource_id}@${one.version}`, one)
  }
  const isOurs = ({ direction }: { readonly direction: BookMovement["direction"] }): boolean =>
    account.isFirstFor(direction === "debit" ? "payouts" : "payins")
  const nameless = lines.filter((line) => line.names.length === 0 && isOurs(line))
  if (nameless.length === 0) return decide()
  add((yield* movementsOf(deps, account, yield* alikeTo(deps, account, nameless))).filter(isOurs))
  const first = decide()
  const open = new Set(
    first.flatMap((one) => ("difference" in one && one.difference.candidates.length === 0 ? [one.line_id] : []))
  )
  const days = [
    ...new Set(nameless.filter(({ direction, id }) => direction === "debit" && open.has(id)).map(({ day }) => day))
  ].sort()
  if (days.length === 0 || days.length > DAYS_MAX) return first
  for (const day of days) {
    const found = yield* payoutsOn(deps, account, day)
    if (found === undefined) continue
    add(found.filter(isOurs))
    wholeDays.add(day)
  }
  return decide()
})

const candidatesOf = ({ candidates }: LineBreak): ReadonlyArray<BreakCandidate> =>
  candidates.map(({ amount, resource_id, rule }) => ({ resource_id, amount: amount.toString(), rule }))

/** A difference, with all lines that are it: those under one id are one. */
interface Unit {
  readonly lines: ReadonlyArray<OpenLine>
  readonly found: LineBreak
}

/** What open lines name: a statement has it, if otherwise than the books. */
const namedOf = (units: ReadonlyArray<Unit>): ReadonlySet<string> =>
  new Set(units.flatMap(({ found, lines }) => lines.flatMap((line) => found.resources.map((id) => stepName(line, id)))))

/** The keys of what was missing of movements, and is named now. */
const missedKeys = (units: ReadonlyArray<Unit>, { movements }: Names): ReadonlyArray<string> => {
  const named = namedOf(units)
  return [...movements.values()].flatMap((one) =>
    one.open && named.has(stepName(one, one.resource_id)) ? [stepBreakKey(one.resource_id, one.version)] : []
  )
}

/** Whether a person has dismissed this difference of a line. */
const isDismissed = (known: ReadonlyArray<Row<BreakData>>, kind: BreakData["kind"]): boolean =>
  known.some(({ data, state }) => state === "resolved" && data.action === "dismiss" && data.kind === kind)

const unitsOf = (lines: ReadonlyMap<string, OpenLine>, findings: ReadonlyArray<LineFinding>): ReadonlyArray<Unit> => {
  const units = new Map<string, { lines: Array<OpenLine>; readonly found: LineBreak }>()
  for (const finding of findings) {
    if (!("difference" in finding)) continue
    const { difference, line_id } = finding
    const line = lines.get(line_id)!
    const key =
      difference.kind === "executed_twice" ? `${difference.resources.join()} ${line.direction} ${line.amount}` : line_id
    const known = units.get(key)
    if (known === undefined) units.set(key, { lines: [line], found: difference })
    else known.lines.push(line)
  }
  return [...units.values()]
}

/** `lines`: those of the unit that are still to be decided. */
const differenceOf = ({ found, lines: all }: Unit, lines: ReadonlyArray<OpenLine>): BreakDifference => {
  // Of those under one id, as many are right as the books have payments.
  const right = Math.max(0, found.candidates.length - (all.length - lines.length))
  const wrong = found.kind === "executed_twice" ? BigInt(Math.max(1, lines.length - right)) : 1n
  return {
    kind: found.kind,
    severity: found.severity,
    amount: (found.amount * wrong).toString(),
    direction: all[0]!.direction,
    exposure: found.exposure === 0n ? null : (found.exposure * wrong).toString(),
    line_ids: lines.map(({ id }) => id),
    resource_ids: found.resources,
    candidates: candidatesOf(found),
    adopt: found.adopt
  }
}

const same = (a: BreakDifference, b: BreakDifference): boolean =>
  JSON.stringify([
    a.kind,
    a.severity,
    a.amount,
    a.direction,
    a.exposure,
    a.line_ids,
    a.resource_ids,
    a.candidates,
    a.adopt
  ]) ===
  JSON.stringify([
    b.kind,
    b.severity,
    b.amount,
    b.direction,
    b.exposure,
    b.line_ids,
    b.resource_ids,
    b.candidates,
    b.adopt
  ])

const proposal = ({ adopt, amount, candidates }: LineBreak): ReadonlyArray<LineMatch> =>
  candidates.length === 0 && adopt !== null
    ? [{ resource_id: adopt, amount: amount.toString(), rule: "command_id" }]
    : candidates.map((one) => ({ resource_id: one.resource_id, amount: one.amount.toString(), rule: one.rule }))

const sameMatches = (a: ReadonlyArray<LineMatch>, b: ReadonlyArray<LineMatch>): boolean =>
  JSON.stringify(a.map(({ amount, resource_id, rule }) => [resource_id, amount, rule])) ===
  JSON.stringify(b.map(({ amount, resource_id, rule }) => [resource_id, amount, rule]))

/** What a line is told. Undefined: it is as it was. */
const lineEvent = ({ data, state }: Row<StatementLineData>, finding: LineFinding): StatementLineEvent | undefined => {
  if ("matches" in finding)
    return { type: "matched", matches: finding.matches.map((one) => ({ ...one, amount: one.amount.toString() })) }
  const matches = proposal(finding.difference)
  if (matches.length === 0) return state === "proposed" ? { type: "unmatched" } : undefined
  return state === "proposed" && sameMatches(matches, data.matches) ? undefined : { type: "proposed", matches }
}

/** Writes the lines that are matched, and ends their breaks and those of what they are. */
const writeMatches = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  guard: BooksGuard,
  findings: ReadonlyArray<Extract<LineFinding, { readonly matches: unknown }>>,
  isMatched: (line_id: string) => boolean
) {
  for (let n = 0; n < findings.length; n += WRITE) {
    const some = findings.slice(n, n + WRITE)
    const breaks = yield* breaksOf(deps, account, [
      ...some.map(({ line_id }) => lineBreakKey(line_id)),
      ...some.flatMap(({ matches }) => matches.map(({ resource_id, version }) => stepBreakKey(resource_id, version)))
    ])
    const written = yield* writing(deps, guard, (at) =>
      Effect.gen(function* () {
        const rows = (yield* deps.storage.get(
          some.map(({ line_id: id }) => ({ ...platform, kind: StatementLineKind.kind, id }))
        )) as ReadonlyArray<Row<StatementLineData>>
        const byId = new Map(rows.map((row) => [row.id, row]))
        const changes: Array<ChangeSet> = []
        for (const finding of some) {
          const row = byId.get(finding.line_id)
          const event = row === undefined ? undefined : lineEvent(row, finding)
          if (row === undefined || event === undefined || row.state === "matched" || row.state === "explained")
            return "stale" as const
          changes.push(...(yield* stepped(deps, StatementLineKind, row, event, at)))
        }
        const known = some.flatMap(({ line_id }) => breaks.get(lineBreakKey(line_id)) ?? [])
        const taken = new Set(
          some.flatMap(({ matches }) => matches.map((one) => stepBreakKey(one.resource_id, one.version)))
        )
        const ended = yield* cleared(deps, account, breaks, isMatched, new Set(), at)
        return [...changes, ...ended, ...(yield* namedNoMore(deps, account, namedIn(known), taken, at))]
      })
    )
    if (written === "stale") return written
  }
  return "written" as const
})

/**
 * Writes what differs: proposals of lines, and breaks. What a person has dismissed of a line is not raised again. A movement that a line
 * names is missing on no statement.
 */
const writeDifferences = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  account: MatchedAccount,
  guard: BooksGuard,
  units: ReadonlyArray<Unit>,
  findings: ReadonlyMap<string, LineFinding>,
  names: Names
) {
  for (let n = 0; n < units.length; n += WRITE) {
    const some = units.slice(n, n + WRITE)
    const breaks = yield* breaksOf(
      deps,
      account,
      some.flatMap(({ lines }) => lines.map(({ id }) => lineBreakKey(id)))
    )
    const missed = yield* breaksOf(deps, account, missedKeys(some, names))
    const ids = some.flatMap(({ lines }) => lines.map(({ id }) => id))
    const read = Effect.map(
      deps.storage.get(ids.map((id) => ({ ...platform, kind: StatementLineKind.kind, id }))),
      (rows) => new Map((rows as ReadonlyArray<Row<StatementLineData>>).map((row) => [row.id, row]))
    )
    const changesAt = (at: number) =>
      Effect.gen(function* () {
        const rows = yield* read
        const changes: Array<ChangeSet> = []
        const done = new Set<string>()
        for (const unit of some) {
          for (const { id } of unit.lines) {
            const row = rows.get(id)
            if (row === undefined || row.state === "matched" || row.state === "explained") return "stale" as const
            const event = lineEvent(row, findings.get(id)!)
            if (event !== undefined) changes.push(...(yield* stepped(deps, StatementLineKind, row, event, at)))
          }
          const breaksOfLine = ({ id }: OpenLine) => breaks.get(lineBreakKey(id)) ?? []
          const known = unit.lines.flatMap(breaksOfLine)
          const undecided = unit.lines.filter((line) => !isDismissed(breaksOfLine(line), unit.found.kind))
          const difference = differenceOf(unit, undecided)
          const open = known.find(({ id, state }) => state === "open" && !done.has(id))
          if (open !== undefined) {
            done.add(open.id)
            if (!same(open.data, difference))
              changes.push(...(yield* stepped(deps, BreakKind, open, { type: "found", difference }, at)))
            for (const other of known)
              if (other.state === "open" && !done.has(other.id)) {
                done.add(other.id)
                changes.push(...(yield* stepped(deps, BreakKind, other, { type: "cleared", at }, at)))
              }
          } else if (undecided.length > 0) {
            const since = Math.min(at, ...undecided.map(({ day }) => Date.parse(day)))
            changes.push(yield* raised(deps, account, difference, { statement_id: null, movements: [], since }, at))
          }
        }
        return [...changes, ...(yield* cleared(deps, account, missed, () => true, done, at))]
      })
    // Most runs find what the one before has found.
    if (yield* isEmpty(changesAt)) continue
    if ((yield* writing(deps, guard, changesAt)) === "stale") return "stale" as const
  }
  return "written" as const
})

const isEmpty = (changes: (at: number) => Effect.Effect<ReadonlyArray<ChangeSet> | "stale", StorageFault>) =>
  Effect.gen(function* () {
    const found = yield* changes(yield* Clock.currentTimeMillis)
    return found !== "stale" && found.length === 0
  })

const nothing: Run = { matched: 0, proposed: 0, unmatched: 0, signed: [], stale: false }

/**
 * Matches the lines of an account that nothing accounts for. `sweeps`: it also looks for movements that no statement has in time. The
 * rows of lines are read again where they are written, so that a decision of a person in the meantime stands.
 *
 * Law: a run after a run, without new lines or movements, writes nothing.
 */
const match = Effect.fnUntraced(function* (
  deps: MatchingDeps,
  id: string,
  sweeps: boolean
): Effect.fn.Return<Run, StorageFault> {
  const found = yield* accountOf(deps, id)
  if (found === undefined) return nothing
  const { account } = found
  const state = yield* stateOf(deps, id, account.opening.date)
  const guardRow = found.guard === id ? state : yield* stateOf(deps, found.guard, account.opening.date)
  const guard = { id: found.guard, version: guardRow.version }
  const stale = { ...nothing, stale: true }
  const read = yield* reading(deps, account)
  const findings = yield* decided(deps, account, read)
  const byLine = new Map(findings.map((one) => [one.line_id, one]))
  const matches = findings.filter((one) => "matches" in one)
  const isMatched = (line_id: string): boolean => {
    const one = byLine.get(line_id)
    return one === undefined || "matches" in one
  }
  if ((yield* writeMatches(deps, account, guard, matches, isMatched)) === "stale") return stale
  const lines = new Map(read.lines.map((line) => [line.id, line]))
  const units = unitsOf(lines, findings)
  if ((yield* writeDifferences(deps, account, guard, units, byLine, read)) === "stale") return stale
  if ((yield* statementBreaks(deps, account, guard)) === "stale") return stale
  const adoptable = findings.flatMap((one) =>
    "difference" in one && one.difference.adopt !== null && read.isSigned(one.line_id)
      ? [{ line_id: one.line_id, resource_id: one.difference.adopt }].filter(({ line_id, resource_id }) =>
          lines.get(line_id)!.names.some(({ by, resource_id: named }) => named === resource_id && by === "command_id")
        )
      : []
  )
  const signed = yield* Effect.forEach(adoptable, ({ line_id, resource_id }) =>
    Effect.map(deps.storage.get([{ ...platform, kind: StatementLineKind.kind, id: line_id }]), ([line]) => ({
      line: line as Row<StatementLineData>,
      resource_id
    }))
  )
  const proposed = findings.filter((one) => "difference" in one && proposal(one.difference).length > 0).length
  const run = {
    matched: matches.length,
    proposed,
    unmatched: findings.length - matches.length - proposed,
    signed,
    stale: false
  }
  if (!sweeps) return run
  const now = yield* Clock.currentTimeMillis
  const from = state.data.swept_until
  const named = new Set([...namedOf(units), ...read.held])
  const swept = yield* sweep(deps, account, guard, named, from, now)
  return swept.isStale ? stale : { ...run, swept: { ...swept, from } }
})

/** Stores how far an account is matched, and when it is looked at next: at the next deadline, at the latest after some hours. */
const ended = Effect.fnUntraced(function* (deps: MatchingDeps, id: string, swept: Swept, source: Source) {
  const { storage, unitOfWork } = deps
  const found = yield* accountOf(deps, id)
  yield* unitOfWork.apply(PLATFORM_MERCHANT, source, function* () {
    const at = yield* Clock.currentTimeMillis
    const [row] = yield* storage.get([{ ...platform, kind: MatchingStateKind.kind, id }])
    if (row === undefined || found === undefined) return { changes: [], result: undefined }
    const { kind } = found.account
    const longest = NEXT_MS[kind]
    const { swept_until: now } = row.data as MatchingStateData
    // A person has undone a match meanwhile: the next run begins there.
    const isSetBack = now < swept.from
    const after_ms = isSetBack ? 0 : Math.max(0, Math.min(longest, (swept.next ?? Infinity) - at))
    const event: MatchingStateEvent = found.isClosed
      ? { type: "ended" }
      : { type: "matched", swept_until: isSetBack ? now : swept.until, after_ms }
    return {
      changes: yield* stepped(deps, MatchingStateKind, row as Row<MatchingStateData>, event, at),
      result: undefined
    }
  })
})

/** The decision that has an account matched as soon as a node has time for it. */
const wantedNow = (deps: MatchingDeps, id: string) =>
  Effect.gen(function* () {
    const found = yield* accountOf(deps, id)
    const row = yield* stateOf(deps, id, found?.account.opening.date ?? "1970-01-01")
    const at = yield* Clock.currentTimeMillis
    return { changes: yield* stepped(deps, MatchingStateKind, row, { type: "wanted" }, at), result: undefined }
  })

export class Matchings extends Context.Service<Matchings>()("corridor/engine/Matchings", {
  make: Effect.map(makeMatchingDeps, (deps) => bound(deps, { match, ended, wantedNow }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
