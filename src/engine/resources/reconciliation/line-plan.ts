/**
 * What becomes of the lines of a day by the statements that speak of it (INGEST-4). Pure.
 *
 * Law: what statements say is kept. The bookings of all lines after a plan are those that it was made of, each as its statement says it.
 */
import {
  joinLines,
  type JoinedLine,
  mergeBooking,
  type StatementBooking,
  type StatementRelations
} from "../../../machines/kernel/bookings.ts"
import type {
  BookedLine,
  LineBooking,
  StatementLineData,
  StatementLineEvent
} from "../../../machines/reconciliation/statement-line.ts"
import type { Row } from "../../ports/Storage.ts"
import type { AccountStatements } from "./account-statements.ts"
import { isAccounted } from "./release.ts"
import { isDecided, isWeak } from "./statement-line.ts"
import { nextDay, openDay } from "./statement-roster.ts"

type Line = Row<StatementLineData>

const bookedNames = [
  ...["booked_on", "value_on", "direction", "amount", "currency", "bank_reference", "end_to_end_id", "uetr"],
  ...["transaction_hash", "counterparty", "remittance", "code", "reversal", "entry", "place"]
] as ReadonlyArray<keyof BookedLine>

export const textOf = (value: unknown): string => JSON.stringify(value ?? null)

/** A booking with every member. Those that are not stated are null. */
export const fillMembers = (line: BookedLine): BookedLine =>
  ({
    ...Object.fromEntries(bookedNames.map((name) => [name, line[name] ?? null])),
    entry: line.entry ?? undefined
  }) as BookedLine

/** The bookings of a line, one for each of its statements, as that states it. */
export const listBookings = ({ data }: Line): ReadonlyArray<StatementBooking> =>
  (data.bookings ?? [{ statement_id: data.statement_id }]).map(({ stated, statement_id }: LineBooking) => ({
    statement_id,
    booked: fillMembers({ ...data, ...stated } as BookedLine)
  }))

const diffBooking = (line: BookedLine, booked: BookedLine): LineBooking["stated"] | undefined => {
  const others = bookedNames.filter((name) => textOf(line[name]) !== textOf(booked[name]))
  return others.length === 0 ? undefined : Object.fromEntries(others.map((name) => [name, booked[name] ?? null]))
}

type Stating = Pick<StatementLineData, keyof BookedLine | "statement_id" | "bookings" | "within" | "loose">

/** The bookings that a line stores: the statement, and the members that differ from the line's. Undefined: there is one, and it does not differ. */
const listStoredBookings = (
  line: BookedLine,
  owner: string,
  bookings: ReadonlyArray<StatementBooking>
): ReadonlyArray<LineBooking> | undefined => {
  const kept = bookings.map(({ booked, statement_id }) => {
    const stated = diffBooking(line, booked)
    return { statement_id, ...(stated === undefined ? {} : { stated }) }
  })
  const isAlone = kept.length === 1 && kept[0]!.stated === undefined && kept[0]!.statement_id === owner
  return isAlone ? undefined : kept
}

/** The data of a line from the statements that have it. The first statement with its amount owns it; the total of a batch does not. */
const joinStatements = (joined: JoinedLine, { of }: Pick<StatementRelations, "of">): Stating => {
  const line = fillMembers(mergeBooking(joined.bookings))
  const [first, ...others] = joined.bookings.filter(({ booked }) => booked.amount === line.amount)
  const owner = others.reduce((a, b) => (of(b.statement_id)!.arrived < of(a.statement_id)!.arrived ? b : a), first!)
  const { statement_id } = owner
  const bookings = listStoredBookings(line, statement_id, joined.bookings)
  return {
    ...line,
    statement_id,
    ...(bookings === undefined ? {} : { bookings }),
    ...(joined.within.length === 0 ? {} : { within: joined.within }),
    ...(joined.isLoose ? { loose: true } : {})
  }
}

/** What is to be written of a day. */
export interface DayPlan {
  readonly made: ReadonlyArray<StatementLineData>
  readonly changed: ReadonlyArray<{ readonly row: Line; readonly event: StatementLineEvent }>
  /** How many bookings of each statement another had first. */
  readonly shared: ReadonlyMap<string, Readonly<Record<string, number>>>
}

/** Identifies a booking by its statement and its content, without its place in the file. */
const bookingKey = ({ booked, statement_id }: StatementBooking): string =>
  `${statement_id} ${textOf({ ...booked, place: "" })}`

/** Assigns existing lines to joined lines, so that ids stay. Of two lines that are one now, the first stays. */
const assignLines = (rows: ReadonlyArray<Line>, joined: ReadonlyArray<JoinedLine>) => {
  const byBooking = new Map<string, Array<JoinedLine>>()
  for (const one of joined)
    for (const booking of one.bookings) {
      const key = bookingKey(booking)
      const known = byBooking.get(key)
      if (known === undefined) byBooking.set(key, [one])
      else known.push(one)
    }
  const taken = new Map<JoinedLine, Line>()
  const left: Array<Line> = []
  for (const row of rows.toSorted((a, b) => Number(isDecided(b)) - Number(isDecided(a)))) {
    const found = listBookings(row)
      .flatMap((booking) => byBooking.get(bookingKey(booking)) ?? [])
      .find((one) => !taken.has(one))
    if (found === undefined) left.push(row)
    else taken.set(found, row)
  }
  // A line that is another's by now is one that is new, where one has its amount.
  const isFree = (one: JoinedLine, { data }: Line): boolean =>
    !taken.has(one) &&
    one.bookings[0].booked.amount === data.amount &&
    one.bookings[0].booked.direction === data.direction
  const gone = left.filter((row) => {
    const found = joined.find((one) => isFree(one, row))
    if (found !== undefined) taken.set(found, row)
    return found === undefined
  })
  return { taken, left: gone }
}

/**
 * The same, with the booking of a sealed line as that line: a total stays one where another statement has it in detail, and a detail where
 * another has the total.
 */
const assignWholeLines = (rows: ReadonlyArray<Line>, found: ReadonlyArray<JoinedLine>, sealed: string | undefined) => {
  const first = assignLines(rows, found)
  const isSealed = ({ data }: Line): boolean => sealed !== undefined && data.accounted_on <= sealed
  const totals = new Map<number, Line>()
  for (const [one, row] of first.taken)
    if (isSealed(row) && row.state !== "withdrawn" && one.bookings[0].booked.amount !== row.data.amount)
      totals.set(one.booking, row)
  if (totals.size === 0) return { ...first, joined: found }
  const taken = new Map<JoinedLine, Line>()
  const joined = [...Map.groupBy(found, ({ booking }) => booking)].flatMap(([booking, parts]) => {
    const row = totals.get(booking)
    if (row === undefined) return parts
    const [own, ...others] = parts
      .flatMap(({ bookings }) => bookings)
      .toSorted((a, b) => Number(b.booked.amount === row.data.amount) - Number(a.booked.amount === row.data.amount))
    const one: JoinedLine = { ...parts[0]!, bookings: [own!, ...others] }
    taken.set(one, row)
    return [one]
  })
  for (const [one, row] of first.taken) if (!totals.has(one.booking)) taken.set(one, row)
  const kept = new Set(taken.values())
  return { joined, taken, left: rows.filter((row) => !kept.has(row)) }
}

const names = ["bank_reference", "end_to_end_id", "uetr", "transaction_hash", "remittance", "amount", "entry"] as const

/** The event of an existing line. Undefined: it does not change. */
const chooseLineEvent = (
  row: Line,
  { bookings, isWithdrawn }: JoinedLine,
  stating: Stating,
  sealed: string | undefined
): StatementLineEvent | undefined => {
  const { data, state } = row
  const { bookings: stated, loose, within } = stating
  const patch = { ...stating, bookings: stated, loose, within, disowned_on: undefined } as Partial<StatementLineData>
  const isSame = Object.entries(patch).every(
    ([name, value]) => textOf(data[name as keyof StatementLineData]) === textOf(value)
  )
  const isStated = !isWithdrawn && state === "withdrawn"
  if (isStated)
    return { type: "restored", patch: { ...patch, withdrawn: false, accounted_on: openDay(sealed, data.booked_on) } }
  if (sealed !== undefined && data.accounted_on <= sealed) {
    // A sealed day stays as it is: what its statement has no more counts on the first open day.
    const disowned_on = isWithdrawn && state !== "withdrawn" ? (data.disowned_on ?? nextDay(sealed)) : undefined
    const kept = {
      ...{
        bookings: listStoredBookings(fillMembers(data), data.statement_id, bookings),
        loose,
        within,
        disowned_on
      }
    } as Partial<StatementLineData>
    const stays = Object.entries(kept).every(
      ([name, value]) => textOf(data[name as keyof StatementLineData]) === textOf(value)
    )
    return stays ? undefined : { type: "restated", patch: kept }
  }
  if (isWithdrawn && state !== "withdrawn") {
    // What was decided before it was withdrawn another time says nothing of it, but for what was so with lines that are gone, too.
    const former = isDecided(row)
      ? {
          former_matches: data.matches,
          former_status: state === "explained" ? state : "matched",
          former_lines: undefined
        }
      : data.former_lines === undefined
        ? { former_matches: undefined, former_status: undefined }
        : {}
    return { type: "withdrawn", patch: { ...patch, ...former } as Partial<StatementLineData> }
  }
  if (isSame) return undefined
  const isOther = names.some((name) => textOf(data[name]) !== textOf(stating[name]))
  const isUndone = isOther && isAccounted(state) && data.matches.length > 0
  const stays = isDecided(row) && data.amount === stating.amount
  return isUndone && !stays ? { type: "unmatched", patch } : { type: "restated", patch }
}

/** How many bookings of each statement are lines of another statement, by that statement. */
const countShared = (statings: ReadonlyArray<readonly [JoinedLine, Stating]>) => {
  const shared = new Map<string, Record<string, number>>()
  for (const [{ bookings }, { statement_id: owner }] of statings)
    for (const { statement_id } of bookings) {
      if (statement_id === owner) continue
      const counts = shared.get(statement_id) ?? {}
      shared.set(statement_id, { ...counts, [owner]: (counts[owner] ?? 0) + 1 })
    }
  return shared
}

/**
 * Plans a day: the lines that all of its bookings are, beside those that are there. `isWhole`: the lines of all statements that decide about it
 * are there, or among the bookings.
 */
export const planDay = (
  external_account_id: string,
  day: string,
  rows: ReadonlyArray<Line>,
  bookings: ReadonlyArray<StatementBooking>,
  { relations }: Pick<AccountStatements, "relations">,
  sealed: string | undefined,
  isWhole: boolean
): DayPlan => {
  const found = joinLines(day, bookings, relations).map((one) => ({
    ...one,
    isWithdrawn: isWhole && one.isWithdrawn
  }))
  const { joined, left, taken } = assignWholeLines(rows, found, sealed)
  const statings = joined.map((one) => [one, joinStatements(one, relations)] as const)
  const made: Array<StatementLineData> = []
  const changed: Array<{ readonly row: Line; readonly event: StatementLineEvent }> = []
  for (const [one, stating] of statings) {
    const row = taken.get(one)
    if (row === undefined)
      made.push({
        ...stating,
        external_account_id,
        accounted_on: openDay(sealed, day),
        matches: [],
        ...(one.isWithdrawn ? { withdrawn: true } : {})
      })
    else {
      const event = chooseLineEvent(row, one, stating, sealed)
      if (event !== undefined) changed.push({ row, event })
    }
  }
  const isSealed = ({ data }: Line): boolean => sealed !== undefined && data.accounted_on <= sealed
  for (const row of left)
    if (!isSealed(row))
      changed.push({ row, event: { type: "merged", patch: { bookings: [], loose: false, disowned_on: undefined } } })
    else if (row.data.bookings?.length !== 0)
      changed.push({
        row,
        event: { type: "restated", patch: { bookings: [], loose: false, disowned_on: nextDay(sealed!) } }
      })
  const isOtherwise = made.length > 0 || changed.some(({ event }) => event.type !== "restated")
  const known = new Set(changed.map(({ row }) => row.id))
  // What likeness alone has matched is decided again with the lines that its day has now.
  if (isOtherwise)
    for (const row of rows)
      if (row.state === "matched" && isWeak(row.data) && !known.has(row.id) && (sealed === undefined || day > sealed))
        changed.push({ row, event: { type: "unmatched" } })
  return { made, changed, shared: countShared(statings) }
}
