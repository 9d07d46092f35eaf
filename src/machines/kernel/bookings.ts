/**
 * Which bookings of several statements are one line (INGEST-4). Pure: the result depends on what the statements say, not on the order
 * in which they came. References only help to tell bookings apart: banks write one under everything, and what proves a booking is a balance.
 */
import type { BookedLine } from "../reconciliation/statement-line.ts"
import { appendAll, compareCodeUnits, findFirst } from "./order.ts"

/**
 * What is known of a statement without its lines. `first` and `last`: the days that it speaks of, both included; empty: none. Balances are
 * minor units. `arrived`: counts up.
 */
export interface StatedPeriod {
  readonly id: string
  readonly format: string
  /** An interim report, where its format does not say so. */
  readonly interim?: true
  readonly number: string | null
  readonly first: string
  readonly last: string
  readonly opening: bigint | null
  readonly closing: bigint | null
  /** When the bank made it, as an ISO 8601 text. */
  readonly made_at: string | null
  readonly arrived: number
}

/** A statement with what its lines sum to on each day: credits less debits, in minor units. */
export interface StatedDays extends StatedPeriod {
  readonly days: ReadonlyMap<string, bigint>
}

/** Interim reports and notifications: a statement with balances decides about them. */
export const isProvisional = ({ format, interim }: Pick<StatedPeriod, "format" | "interim">): boolean =>
  interim === true || format === "camt.052" || format === "camt.054" || format === "mt942"

/** Whether a statement says all that happened up to its closing balance. */
export const isDecisive = (one: Pick<StatedPeriod, "closing" | "format" | "interim">): boolean =>
  one.closing !== null && !isProvisional(one)

/** A number of a series with its page: `12/2`. Undefined: the bank does not number it. */
const parseNumber = ({ number }: Pick<StatedPeriod, "number">): readonly [number: bigint, page: bigint] | undefined => {
  const [, digits, page = "1"] = /^(\d{1,18})(?:\D+(\d{1,5}))?/.exec(number ?? "") ?? []
  return digits === undefined ? undefined : [BigInt(digits), BigInt(page)]
}

/** The latest of some statements: the one made last, or the one that came last where not all say when they were made. */
export const pickLatest = <A extends StatedPeriod>(some: ReadonlyArray<A>): A => {
  const isMade = some.every(({ made_at }) => made_at !== null)
  return some
    .toSorted((a, b) => (isMade ? compareCodeUnits(a.made_at!, b.made_at!) : 0) || a.arrived - b.arrived)
    .at(-1)!
}

/** A function that is asked of each value once. */
const memoize = <K, A>(make: (key: K) => A): ((key: K) => A) => {
  const known = new Map<K, A>()
  return (key) => {
    if (!known.has(key)) known.set(key, make(key))
    return known.get(key)!
  }
}

/** The relation of two statements of a day. `parts`: of the day, with no common booking. `perhaps`: only their bookings can tell. */
type Parts = "parts" | "perhaps" | undefined

/** The balance before a statement's bookings of its last day, and after those of its first. Null: it has no balances. */
const findBeforeLast = ({ closing, days, first, last, opening }: StatedDays): bigint | null =>
  first === last ? opening : closing === null ? null : closing - (days.get(last) ?? 0n)
const findAfterFirst = ({ closing, days, first, last, opening }: StatedDays): bigint | null =>
  first === last ? closing : opening === null ? null : opening + (days.get(first) ?? 0n)

/** How the statements that begin or end on one day follow on one another. */
class DayParts {
  private readonly day: string
  private readonly beginning: ReadonlyArray<StatedDays>
  private readonly ending: ReadonlyArray<StatedDays>
  /** By statement: those with the next number or page. */
  private readonly numbered = new Map<StatedDays, ReadonlyArray<StatedDays>>()
  private readonly reached = new Map<StatedDays, ReadonlySet<StatedDays>>()
  /** By opening balance within the day: the closing balances that statements lead to. */
  private readonly steps = new Map<bigint, Set<bigint>>()

  constructor(day: string, statements: ReadonlyArray<StatedDays>) {
    this.day = day
    this.beginning = statements.filter(({ first }) => first === day)
    this.ending = statements.filter(({ last }) => last === day)
    const keyOf = (one: StatedDays, number: bigint, page: bigint): string =>
      `${one.format} ${isDecisive(one)} ${number}/${page}`
    const byNumber = Map.groupBy(this.beginning, (one) => {
      const [number, page] = parseNumber(one) ?? []
      return number === undefined ? "" : keyOf(one, number, page!)
    })
    const step = (from: bigint, to: bigint) => this.steps.set(from, (this.steps.get(from) ?? new Set()).add(to))
    for (const a of this.ending) {
      const [number, page] = parseNumber(a) ?? []
      const keys =
        number === undefined ? [] : [keyOf(a, number, page! + 1n), keyOf(a, number + 1n, 0n), keyOf(a, number + 1n, 1n)]
      // Two that begin with what was there when the day began say the same of it, unless one ends where the other begins.
      const next = keys
        .flatMap((key) => byNumber.get(key) ?? [])
        .filter((b) => b !== a && (!isDecisive(a) || a.closing === b.opening || findBeforeLast(a) !== b.opening))
      if (next.length > 0) this.numbered.set(a, next)
      if (!isDecisive(a)) continue
      if (a.first === day && a.opening !== null) step(a.opening, a.closing!)
      for (const { opening } of next) if (opening !== null) step(a.closing!, opening)
    }
  }

  /** How many steps it takes to come from one balance to others, through those that are wanted. */
  private readonly walk = (from: bigint, isWanted: (balance: bigint) => boolean = () => true) => {
    const found = new Map<bigint, number>(isWanted(from) ? [[from, 0]] : [])
    // A map is walked with what is added meanwhile.
    for (const [at, count] of found)
      for (const next of this.steps.get(at) ?? []) if (!found.has(next) && isWanted(next)) found.set(next, count + 1)
    return found
  }

  private readonly reachedFrom = memoize((from: bigint) => this.walk(from))

  /** Whether the day may come back to a balance: what begins with it does so at one time or another. */
  private readonly isPassedTwice = memoize((balance: bigint): boolean =>
    [...(this.steps.get(balance) ?? [])].some((next) => next !== balance && this.reachedFrom(next).has(balance))
  )

  /** From the end of a statement, through balances that the day has once. */
  private readonly reachedClearly = memoize((a: StatedDays) => {
    const before = findBeforeLast(a)
    return this.walk(a.closing!, (at) => at !== before && !this.isPassedTwice(at))
  })

  private readonly numberedAfter = (a: StatedDays): ReadonlySet<StatedDays> => {
    const known = this.reached.get(a)
    if (known !== undefined) return known
    const found = new Set<StatedDays>()
    for (const open = [a]; open.length > 0; )
      for (const next of this.numbered.get(open.pop()!) ?? [])
        if (!found.has(next)) {
          found.add(next)
          open.push(next)
        }
    this.reached.set(a, found)
    return found
  }

  /** How `b` follows on `a`. */
  private readonly followed = (a: StatedDays, b: StatedDays): Parts => {
    if (a.last !== this.day || b.first !== this.day) return undefined
    if (this.numberedAfter(a).has(b)) return "parts"
    if (!isDecisive(a) || !isDecisive(b)) return undefined
    const [before, from, to, after] = [findBeforeLast(a), a.closing, b.opening, findAfterFirst(b)]
    if (before === null || from === null || to === null || after === null) return undefined
    if (!this.reachedFrom(from).has(to)) return undefined
    const reached = this.reachedClearly(a)
    const steps = reached.get(to)
    if (steps === undefined || to === after) return "perhaps"
    // What is no nearer is on no shortest way.
    if ((reached.get(after) ?? Infinity) >= steps) return "parts"
    return this.walk(from, (at) => at !== after && reached.has(at)).has(to) ? "parts" : "perhaps"
  }

  of = (a: StatedDays, b: StatedDays): Parts => {
    if (a === b) return undefined
    const one = this.followed(a, b)
    return one === "parts" ? one : (this.followed(b, a) ?? one)
  }

  /** The statement whose number is the one before. */
  numberedBefore = (b: StatedDays): StatedDays | undefined =>
    [...this.numbered].find(([, next]) => next.includes(b))?.[0]

  /** Whether another statement continues where this one ends. */
  isFollowed = (a: StatedDays): boolean =>
    this.numbered.has(a) || this.beginning.some((b) => b !== a && isDecisive(b) && b.opening === a.closing)
}

const sumDays = ({ days }: StatedDays, isWanted: (day: string) => boolean): bigint =>
  [...days].reduce((sum, [day, net]) => (isWanted(day) ? sum + net : sum), 0n)

/**
 * How statements follow on one another by their balances, on whatever days their bookings are: a bank books some back to an earlier day.
 *
 * Law: what a statement's balances enclose is its own. Two statements share nothing if their numbers and balances lead from one to the other; or
 * if their balances do, and the later one cannot begin before the other ends.
 */
class Series {
  private readonly byOpening: ReadonlyMap<bigint | null, ReadonlyArray<StatedDays>>
  private readonly byClosing: ReadonlyMap<bigint | null, ReadonlyArray<StatedDays>>
  /** Those with the number or page before, that end with the balance with which a statement begins. */
  private readonly numberedBefore = memoize((b: StatedDays): ReadonlyArray<StatedDays> => {
    const [number, page] = parseNumber(b) ?? [0n, 0n]
    const isNext = (a: StatedDays): boolean => {
      const [before = 0n, at] = parseNumber(a) ?? []
      return page > 1n ? before === number && at === page - 1n : before > 0n && before === number - 1n
    }
    const ended = this.byClosing.get(b.opening) ?? []
    return number === 0n ? [] : ended.filter((a) => a.format === b.format && a.last <= b.last && isNext(a))
  })

  constructor(statements: ReadonlyArray<StatedDays>) {
    const decisive = statements.filter((one) => isDecisive(one) && one.opening !== null)
    this.byOpening = Map.groupBy(decisive, ({ opening }) => opening)
    this.byClosing = Map.groupBy(decisive, ({ closing }) => closing)
  }

  /** Whether numbers and balances lead from one statement to another, through all between them. */
  private readonly isNumberedAfter = (a: StatedDays, b: StatedDays): boolean => {
    const [first] = parseNumber(a) ?? []
    const found = new Set([b])
    for (const one of found)
      if (first !== undefined && parseNumber(one)![0] >= first)
        for (const before of this.numberedBefore(one)) found.add(before)
    return found.has(a)
  }

  /** Whether balances lead from one statement to another, through some between them. */
  private readonly leads = (a: StatedDays, b: StatedDays): boolean => {
    const found = new Set([b])
    // A set is walked with what is added meanwhile.
    for (const one of found)
      for (const before of this.byClosing.get(one.opening) ?? []) {
        if (before.last < a.last || before.last > one.last) continue
        if (before === a) return true
        found.add(before)
      }
    return false
  }

  /** Whether statements come back to a balance on some days. */
  private readonly isPassedTwice = (balance: bigint, first: string, last: string): boolean => {
    const found = new Set([balance])
    for (const at of found)
      for (const { closing, last: end, opening } of this.byOpening.get(at) ?? []) {
        if (closing === opening || end < first || end > last) continue
        if (closing === balance) return true
        found.add(closing!)
      }
    return false
  }

  /** Whether `b` may as well begin before `a` ends: with a balance that was there before, or by what both have moved until then. */
  private readonly mayOverlap = (a: StatedDays, b: StatedDays): boolean => {
    const isAgain = (one: StatedDays): boolean =>
      one === b || one.days.size === 0 || (b.first < b.last && one.first === b.first && one.last === b.last)
    // What has no booking of a common day shares none.
    if (a.days.size > 0 && b.days.size > 0 && ![...a.days.keys()].some((day) => b.days.has(day))) return false
    const isMovedAlike = b.opening! + sumDays(b, (day) => day <= a.last) === a.closing
    if (isMovedAlike || a.days.size === 0) return isMovedAlike
    if (this.isPassedTwice(b.opening!, b.first, a.last)) return true
    return (
      (a.first <= b.first
        ? a.opening! + sumDays(a, (day) => day < b.first) === b.opening
        : b.opening! + sumDays(b, (day) => day < a.first) === a.opening) ||
      this.byOpening.get(b.opening)!.some((one) => one.first >= b.first && one.last <= a.last && !isAgain(one)) ||
      (this.byClosing.get(b.opening) ?? []).some(({ last }) => last >= b.first && last < a.last)
    )
  }

  private readonly followed = (a: StatedDays, b: StatedDays): Parts => {
    if (a === b || b.first > a.last || b.last < a.last || !isDecisive(a) || !isDecisive(b)) return undefined
    if (parseNumber(b) !== undefined && this.isNumberedAfter(a, b)) return "parts"
    if (a.opening === null || b.opening === null || !this.leads(a, b)) return undefined
    return this.mayOverlap(a, b) ? "perhaps" : "parts"
  }

  of = (a: StatedDays, b: StatedDays): Parts => {
    const one = this.followed(a, b)
    return one === "parts" ? one : (this.followed(b, a) ?? one)
  }

  /** Those that end where a statement begins, on one of its days. */
  before = (b: StatedDays): ReadonlyArray<StatedDays> =>
    b.first === b.last || b.opening === null || !isDecisive(b)
      ? []
      : (this.byClosing.get(b.opening) ?? []).filter((a) => a !== b && b.first <= a.last && a.last <= b.last)
}

/**
 * Whether statements of one day are its parts: in some order each begins where the one before ends, and two or more move something in sum.
 * Such an order is there if, of each balance, as many statements end with it as begin with it, but for the ends of the day, and all hang
 * together.
 */
const isWalk = (some: ReadonlyArray<StatedDays>): boolean => {
  if (some.filter(({ closing, opening }) => opening !== closing).length < 2) return false
  const begun = new Map<bigint, number>()
  const neighbours = new Map<bigint, Array<bigint>>()
  for (const { closing, first, last, opening } of some) {
    if (first !== last || opening === null || closing === null) return false
    for (const [from, to, count] of [
      [opening, closing, 1],
      [closing, opening, -1]
    ] as const) {
      begun.set(from, (begun.get(from) ?? 0) + count)
      const known = neighbours.get(from)
      if (known === undefined) neighbours.set(from, [to])
      else known.push(to)
    }
  }
  const ends = [...begun.values()].filter((count) => count !== 0)
  if (ends.length > 2 || ends.some((count) => count > 1 || count < -1)) return false
  const seen = new Set([some[0]!.opening!])
  // A set is walked with what is added meanwhile.
  for (const at of seen) for (const next of neighbours.get(at)!) seen.add(next)
  return seen.size === begun.size
}

/**
 * Those of each number, page, format and span of days: the latest that begins with the same balance replaces the others, as a correction
 * begins where its original begins. One that begins elsewhere does if none of them is a part of a day: a bank may write one number under all
 * parts. The number 0 is none where they may be parts, and none replaces another where all of them are the parts of one day.
 */
const findReplacements = (all: ReadonlyArray<StatedDays>, series: Series): ReadonlyMap<string, StatedDays> => {
  const replaced = new Map<string, StatedDays>()
  const numbered = all.filter((one) => isDecisive(one) && one.first !== "" && parseNumber(one) !== undefined)
  const same = Map.groupBy(numbered, (one) =>
    JSON.stringify([one.format, String(parseNumber(one)), one.first, one.last])
  )
  for (const some of same.values()) {
    if (some.length === 1 || isWalk(some)) continue
    const [{ last }] = some as [StatedDays]
    const ofDay = new DayParts(last, some)
    const areParts = (one: StatedDays, other: StatedDays): boolean =>
      ofDay.of(one, other) !== undefined || series.of(one, other) === "parts"
    const isZero = parseNumber(some[0]!)![0] === 0n
    const isAlone = (one: StatedDays): boolean => some.every((other) => !areParts(one, other))
    const isAgain = (one: StatedDays, other: StatedDays): boolean =>
      one.opening === other.opening ? !isZero || !areParts(one, other) : isAlone(one) && isAlone(other)
    for (const one of some) {
      const latest = pickLatest(some.filter((other) => other === one || isAgain(one, other)))
      if (latest !== one) replaced.set(one.id, latest)
    }
  }
  correctOtherFormats(numbered, replaced)
  return replaced
}

const isSameContent = (a: StatedDays, b: StatedDays): boolean =>
  a.closing === b.closing && a.days.size === b.days.size && [...a.days].every(([day, net]) => b.days.get(day) === net)

/**
 * A correction replaces what says otherwise under its number, page, days and opening balance in another format too. What is no correction
 * in its own format shares with other formats: two formats may number apart.
 */
const correctOtherFormats = (numbered: ReadonlyArray<StatedDays>, replaced: Map<string, StatedDays>): void => {
  const byId = new Map(numbered.map((one) => [one.id, one]))
  const originals = new Map<StatedDays, Array<StatedDays>>()
  for (const [id, by] of replaced) originals.set(by, [...(originals.get(by) ?? []), byId.get(id)!])
  const keyOf = (one: StatedDays): string =>
    JSON.stringify([String(parseNumber(one)), one.first, one.last, String(one.opening)])
  const same = Map.groupBy(numbered, keyOf)
  for (const [by, some] of originals)
    for (const one of same.get(keyOf(by))!)
      if (
        one.format !== by.format &&
        !replaced.has(one.id) &&
        !isSameContent(one, by) &&
        some.some((original) => keyOf(original) === keyOf(by) && isSameContent(original, one))
      )
        replaced.set(one.id, by)
}

/**
 * Lists the statements that are one by what they are, itself first: one that replaces another is it, and so is one, in any format, of the same
 * days that begins with the same balance.
 */
export const makeSameFinder = ({ all, replacedBy }: StatementRelations): ((id: string) => ReadonlyArray<string>) => {
  const named = new Map<string, Set<string>>()
  for (const { first, id, last, opening } of all.filter(isDecisive)) {
    const names = [id, replacedBy(id)?.id ?? id, [first, last, opening].join()]
    const joined = new Set([...names, ...names.flatMap((name) => [...(named.get(name) ?? [])])])
    for (const name of joined) named.set(name, joined)
  }
  const ids = new Set(all.map(({ id }) => id))
  return (id) => [id, ...[...(named.get(id) ?? [])].filter((name) => name !== id && ids.has(name))]
}

/** Statements in an order that their content alone decides: decisive ones first. */
const compareContent = (a: StatedPeriod, b: StatedPeriod): number =>
  (isDecisive(a) === isDecisive(b) ? 0 : isDecisive(a) ? -1 : 1) ||
  compareCodeUnits(a.first, b.first) ||
  compareCodeUnits(a.last, b.last) ||
  compareCodeUnits(a.made_at ?? "", b.made_at ?? "") ||
  compareCodeUnits(a.format, b.format) ||
  compareCodeUnits(a.number ?? "", b.number ?? "") ||
  compareCodeUnits(String(a.opening), String(b.opening)) ||
  compareCodeUnits(String(a.closing), String(b.closing))

/**
 * How the statements of an account stand to each other.
 *
 * Laws, of two statements that speak of a day:
 * - What a statement's balances enclose is its own: if they lead from one statement to the other, the two share nothing, whatever days their
 *   bookings have ({@link Series}).
 * - Else they are parts, and share nothing, only if it is the one day that both have, the last of one and the first of the other.
 * - They are parts of it if the balance with which one ends leads to the one with which the other begins: it is the same, or statements
 *   between them lead from one to the other. So they are if their numbers, or pages of one number, follow, unless both begin with one balance.
 * - Where one of them moves nothing in sum, or the day comes back to a balance on that way, balances tell a part from a repetition no more:
 *   then they are parts unless one has all bookings of the other.
 * - Otherwise they are compared booking by booking, whatever balances and numbers say.
 * - One of the same number, page and days that begins with the same balance is the same statement again: the later one replaces it. Under
 *   the number 0, which numbers nothing, it is one only where they cannot be parts. Where all that one day has under a number are one walk
 *   by their balances, and two or more of them move something in sum, none replaces another.
 */
export interface StatementRelations {
  /** In the order of their content. */
  readonly all: ReadonlyArray<StatedDays>
  /** Whether two statements are parts of a day. */
  readonly partsOn: (day: string, a: string, b: string) => Parts
  /**
   * The day from which on balances have the bookings of a statement: its first, or after the end of the one before that its balances go on
   * from. What it has of days before that is booked back to them.
   */
  readonly startOf: (id: string) => string
  /** Finds the statements that end on a day: of those with balances that nothing replaces, and if none of them continues on that day. */
  readonly lastOn: (day: string) => ReadonlyArray<StatedDays>
  /** Of such, the one before in the series whose next part a statement is. */
  readonly partBefore: (id: string) => StatedDays | undefined
  /** The later statement of the same number, page and days. */
  readonly replacedBy: (id: string) => StatedDays | undefined
  /** Those that decide what happened on a day: they have balances, and nothing replaces them. */
  readonly decisiveOn: (day: string) => ReadonlyArray<StatedDays>
  /**
   * Those of them whose sums of a day count: no two share a booking. Of those that share some, the one that begins last, and ends first,
   * says best since when balances have them. What none of them has is counted line by line.
   */
  readonly countedOn: (day: string) => ReadonlyArray<StatedDays>
  /** The first day whose balance has a booking of a day that some statements have. */
  readonly sinceOf: (day: string, ids: ReadonlyArray<string>) => string
  /** Those that speak of a day from `first` to `last`, both included. */
  readonly overlapping: (first: string, last?: string) => ReadonlyArray<StatedDays>
  readonly of: (id: string) => StatedDays | undefined
}

/** Finds the statements that speak of a day from one to another, in the order of their first days. */
const makeSpanFinder = (some: ReadonlyArray<StatedDays>): StatementRelations["overlapping"] => {
  const inOrder = some.toSorted((a, b) => compareCodeUnits(a.first, b.first))
  /** The last day of each and of those before it. */
  const latest: Array<string> = []
  for (const { last } of inOrder) latest.push(latest.length > 0 && latest.at(-1)! > last ? latest.at(-1)! : last)
  return (from, to = from) =>
    inOrder
      .slice(
        findFirst(inOrder.length, (n) => latest[n]! >= from),
        findFirst(inOrder.length, (n) => inOrder[n]!.first > to)
      )
      .filter(({ last }) => from <= last)
}

export const relateStatements = (statements: ReadonlyArray<StatedDays>): StatementRelations => {
  const all = statements.toSorted(compareContent)
  const byId = new Map(all.map((one) => [one.id, one]))
  const series = new Series(all)
  const replaced = findReplacements(all, series)
  const isCurrent = ({ id }: StatedDays): boolean => !replaced.has(id)
  const begins = Map.groupBy(all, ({ first }) => first)
  const ends = Map.groupBy(all, ({ last }) => last)
  const touching = (day: string) => [...new Set([...(begins.get(day) ?? []), ...(ends.get(day) ?? [])])]
  const partsOf = memoize((day: string) => new DayParts(day, touching(day)))
  const currentOf = memoize((day: string) => new DayParts(day, touching(day).filter(isCurrent)))
  const decisive = all.filter((one) => isDecisive(one) && isCurrent(one))
  const partsOn = (day: string, a: string, b: string): Parts => {
    if (replaced.get(a)?.id === b || replaced.get(b)?.id === a) return undefined
    const [one, other] = [byId.get(a)!, byId.get(b)!]
    const ofDay = partsOf(day).of(one, other)
    // What a correction has replaced goes on from nothing: its balances may be what was wrong.
    if (ofDay === "parts" || replaced.has(a) || replaced.has(b)) return ofDay
    // Of one day, those tell that speak of it alone.
    const isOfOneDay = one.first === one.last && other.first === other.last
    return isOfOneDay ? (ofDay ?? series.of(one, other)) : (series.of(one, other) ?? ofDay)
  }
  const lastOn = (day: string): ReadonlyArray<StatedDays> => {
    const own = (ends.get(day) ?? []).filter((one) => isDecisive(one) && isCurrent(one))
    const last = own.filter((one) => !currentOf(day).isFollowed(one))
    // By its balances, a day that comes back to where it began may have no last part.
    return last.length === 0 ? own : last
  }
  const findStart = (one: StatedDays): string => {
    // Where another statement ends the day with them, they are bookings of that day, and the one before ends within it. So may one without
    // bookings, where another ends the day otherwise.
    const isWithin = (a: StatedDays): boolean => {
      const closing = a.closing! + sumDays(one, (day) => day <= a.last)
      return (ends.get(a.last) ?? []).some(
        (other) =>
          isDecisive(other) &&
          isCurrent(other) &&
          other.closing !== a.closing &&
          (a.days.size === 0 || other.closing === closing)
      )
    }
    const isBefore = (a: StatedDays): boolean =>
      isCurrent(a) &&
      partsOn(one.first, a.id, one.id) === "parts" &&
      ((a.last === one.last && a.days.size > 0) || !isWithin(a))
    const ended = series
      .before(one)
      .filter(isBefore)
      .reduce((day, { last }) => (last > day ? last : day), "")
    if (ended === "") return one.first
    const next = new Date(Date.parse(ended) + 86_400_000).toISOString().slice(0, 10)
    return next < one.last ? next : one.last
  }
  const starts = new Map(decisive.map((one) => [one.id, findStart(one)]))
  const decisiveOn = makeSpanFinder(decisive)
  const startOn = (day: string, { id }: StatedDays): string => (starts.get(id)! > day ? starts.get(id)! : day)
  const countedOn = memoize((day: string): ReadonlyArray<StatedDays> => {
    const counted: Array<StatedDays> = []
    const some = decisiveOn(day).filter(({ days }) => days.has(day))
    for (const one of some.toSorted(
      (a, b) => compareCodeUnits(startOn(day, b), startOn(day, a)) || compareCodeUnits(a.last, b.last)
    ))
      if (counted.every(({ id }) => partsOn(day, id, one.id) === "parts")) counted.push(one)
    return counted
  })
  return {
    all,
    partsOn,
    lastOn,
    startOf: (id) => starts.get(id) ?? byId.get(id)?.first ?? "",
    partBefore: (id) => {
      const one = byId.get(id)!
      return currentOf(one.first).numberedBefore(one)
    },
    replacedBy: (id) => replaced.get(id),
    decisiveOn,
    countedOn,
    sinceOf: (day, ids) => {
      const has = ({ id }: StatedDays): boolean => ids.includes(id)
      const counted = countedOn(day).find(has)
      return (counted === undefined ? decisiveOn(day).filter(has) : [counted])
        .map((one) => startOn(day, one))
        .reduce((since, start) => (start > since ? start : since), day)
    },
    overlapping: makeSpanFinder(all),
    of: (id) => byId.get(id)
  }
}

/**
 * The days on which statements change how others stand to each other: those of which others have bookings that share another day with them.
 * What they have bookings of themselves is not asked.
 */
export const listRelatedDays = (
  own: ReadonlyArray<StatedDays>,
  all: ReadonlyArray<StatedDays>,
  relations: StatementRelations
): ReadonlyArray<string> => {
  const others = all.filter((one) => !own.includes(one))
  const longer = others.filter(({ first, last }) => first < last)
  const near = longer.filter((one) => own.some(({ first, last }) => one.first <= last && first <= one.last))
  const having = (day: string): ReadonlyArray<StatedDays> => others.filter(({ days }) => days.has(day))
  const isOwn = (day: string): boolean => own.some(({ first, last }) => first <= day && day <= last)
  const some = [...new Set(near.flatMap(({ days }) => [...days.keys()]))].filter(
    (day) => !isOwn(day) && having(day).length > 1
  )
  if (some.length === 0) return []
  const before = relateStatements(others)
  const describe = (day: string, { countedOn, partsOn }: StatementRelations): string => {
    const ids = having(day).map(({ id }) => id)
    const pairs = ids.flatMap((a, n) => ids.slice(n + 1).map((b) => partsOn(day, a, b) ?? ""))
    return [...pairs, ...countedOn(day).map(({ id }) => id)].join()
  }
  return some.filter((day) => describe(day, before) !== describe(day, relations))
}

/** A booking, as one statement has it. */
export interface StatementBooking {
  readonly statement_id: string
  readonly booked: BookedLine
}

/**
 * A line: the booking of all statements that have it, the one whose members count first. `isWithdrawn`: the statement with balances of its day,
 * or a later one of the same number, does not have it. `booking`: counts the bookings of the day; transactions of one have the same. `isLoose`: no statement whose sum of the day counts has it ({@link StatementRelations}).
 * `within`: the statements that have it in a total, which stands with the first transaction of its booking.
 */
export interface JoinedLine {
  readonly bookings: readonly [StatementBooking, ...ReadonlyArray<StatementBooking>]
  readonly isWithdrawn: boolean
  readonly isLoose: boolean
  readonly booking: number
  readonly within: ReadonlyArray<string>
}

const references = ["bank_reference", "end_to_end_id", "uetr", "transaction_hash"] as const

const normalizeText = (text: string | null): string | null =>
  text === null ? null : text.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase() || null

/** The texts that distinguish bookings of the same day, direction and amount. */
const listBookingTexts = ({ counterparty, remittance, ...line }: BookedLine): ReadonlyArray<string | null> => [
  ...references.map((name) => normalizeText(line[name])),
  normalizeText(counterparty.name),
  normalizeText(counterparty.account),
  normalizeText(remittance)
]

/** A booking of a statement as the bank booked it: of a batch, all of its transactions. `split`: how it is split; empty: it is not. */
interface Unit {
  readonly statement_id: string
  readonly key: string
  readonly stated: ReadonlyArray<string | null>
  readonly text: string
  readonly split: string
  readonly parts: ReadonlyArray<BookedLine>
}

const toUnit = (statement_id: string, parts: ReadonlyArray<BookedLine>): Unit => {
  const [first] = parts as readonly [BookedLine]
  const { amount, direction } = parts.length > 1 ? first.entry! : first
  const [own = null, ...others] = listBookingTexts(first)
  const reference = normalizeText(first.entry?.reference ?? null) ?? own
  const stated = [reference, ...(parts.length > 1 ? others.map(() => null) : others)]
  const split = parts.length > 1 ? listAmounts(parts) : ""
  return { statement_id, key: `${direction} ${amount}`, stated, text: JSON.stringify(stated), split, parts }
}

const listAmounts = (parts: ReadonlyArray<BookedLine>): string =>
  parts
    .map(({ amount, direction }) => `${direction} ${amount}`)
    .sort()
    .join()

const compareText = (a: Unit, b: Unit): number => compareCodeUnits(a.text, b.text)

/** Orders places of a file, whose parts count: `Ntry[9]` is before `Ntry[10]`. */
const comparePlaces = (a: BookedLine, b: BookedLine): number => {
  const [one, other] = [a, b].map(({ place }) => place.split(/(\d+)/)) as [Array<string>, Array<string>]
  const n = one.findIndex((text, at) => text !== other[at])
  if (n === -1 || other[n] === undefined) return one.length - other.length
  return (n % 2 === 1 ? one[n]!.length - other[n]!.length : 0) || compareCodeUnits(one[n]!, other[n]!)
}

/**
 * The bookings of one statement. The transactions of a batch are parts of one, and follow one another in the file: two batches may have one
 * reference and total.
 */
const groupIntoBookings = (statement_id: string, lines: ReadonlyArray<BookedLine>): ReadonlyArray<Unit> => {
  const batches = new Map<string, Array<Array<BookedLine>>>()
  const isOfBatch = (line: BookedLine) => line.entry !== undefined
  const units = lines.filter((line) => !isOfBatch(line)).map((line) => toUnit(statement_id, [line]))
  for (const line of lines.filter(isOfBatch).toSorted(comparePlaces)) {
    const { amount, direction, part, reference } = line.entry!
    const key = JSON.stringify([reference, direction, amount])
    const known = batches.get(key) ?? []
    batches.set(key, known)
    const open =
      known.findLast((parts) => parts.at(-1)!.entry!.part === part - 1) ??
      known.find((parts) => parts.every((one) => one.entry!.part !== part))
    if (open === undefined) known.push([line])
    else open.push(line)
  }
  for (const known of batches.values())
    for (const parts of known)
      units.push(
        toUnit(
          statement_id,
          parts.toSorted((a, b) => a.entry!.part - b.entry!.part)
        )
      )
  return units
}

const isReference = (n: number): boolean => n < references.length

/** Whether a booking states nothing but references. */
const isSilent = ({ stated }: Unit): boolean => stated.every((text, n) => text === null || isReference(n))

/** Units that are one booking. */
type Group = Array<Unit>

/** A group that a booking of a statement may join if it agrees with some of its units in everything that both state. */
interface JoinableGroup {
  readonly group: Group
  readonly agreeing: ReadonlyArray<Unit>
}

/** The members that a set of texts states, as bits. */
const maskOf = (stated: Unit["stated"]): number =>
  stated.reduce((mask, text, n) => (text === null ? mask : mask | (1 << n)), 0)

const joinTexts = (key: string, stated: Unit["stated"], mask: number): string =>
  `${key}\n${stated.map((text, n) => ((mask & (1 << n)) === 0 ? "" : text)).join("\n")}`

/** A group in its place of the order, with the texts that a booking must have where it states one. */
interface Demand {
  readonly group: Group
  readonly place: number
  readonly stated: Unit["stated"]
  readonly keys: ReadonlyArray<string>
}

/** The groups that demand the same members: a booking is looked up by its texts of those that it states too. */
interface Shape {
  readonly demanded: number
  /** The members in which the units of a group differ: a booking must not state them. */
  readonly contested: number
  readonly isSilent: boolean
  readonly demands: Array<Demand>
  readonly byMask: Map<number, Map<string, { at: number; readonly demands: Array<Demand> }>>
}

/**
 * Groups by a text of their units, each of which is taken once. A booking takes the first with one of its keys that demands nothing else than
 * it states: of `isHeld` members from all of its units, of the others from those that must agree. A look-up costs one step for each shape.
 */
class Open {
  private readonly shapes = new Map<string, Shape>()
  private readonly taken: Set<Group>

  constructor(
    groups: ReadonlyArray<JoinableGroup>,
    taken: Set<Group>,
    keysOf: (unit: Unit) => ReadonlyArray<string>,
    isHeld: (n: number) => boolean
  ) {
    this.taken = taken
    for (const [place, { agreeing, group }] of groups.entries()) {
      const keys = [...new Set(group.flatMap(keysOf))]
      if (keys.length === 0) continue
      const isGroupSilent = group.every(isSilent)
      let contested = 0
      const stated = group[0]!.stated.map((_, n) => {
        let demanded: string | null = null
        for (const unit of isHeld(n) ? group : agreeing) {
          const text = unit.stated[n]!
          if (text !== null && demanded !== null && text !== demanded) contested |= 1 << n
          demanded ??= text
        }
        return demanded
      })
      const demanded = maskOf(stated)
      const name = `${demanded} ${contested} ${isGroupSilent}`
      const shape: Shape = this.shapes.get(name) ?? {
        ...{ demanded, contested, isSilent: isGroupSilent },
        demands: [],
        byMask: new Map()
      }
      this.shapes.set(name, shape)
      shape.demands.push({ group, place, stated, keys })
    }
  }

  private readonly find = (shape: Shape, key: string, { stated }: Unit): Demand | undefined => {
    const mask = shape.demanded & maskOf(stated)
    if ((mask & shape.contested) !== 0) return undefined
    let by = shape.byMask.get(mask)
    if (by === undefined) {
      by = new Map()
      for (const demand of shape.demands)
        for (const one of demand.keys) {
          const texts = joinTexts(one, demand.stated, mask)
          const known = by.get(texts)
          if (known === undefined) by.set(texts, { at: 0, demands: [demand] })
          else known.demands.push(demand)
        }
      shape.byMask.set(mask, by)
    }
    const found = by.get(joinTexts(key, stated, mask))
    if (found === undefined) return undefined
    while (found.at < found.demands.length && this.taken.has(found.demands[found.at]!.group)) found.at++
    return found.demands[found.at]
  }

  /** Takes the first group that a booking can join. `isLikewise`: a booking without texts joins only a group without texts. */
  take(unit: Unit, keys: ReadonlyArray<string>, isLikewise: boolean): Group | undefined {
    const isBound = isLikewise && isSilent(unit)
    for (const key of keys) {
      let first: Demand | undefined
      for (const shape of this.shapes.values()) {
        const found = isBound && !shape.isSilent ? undefined : this.find(shape, key, unit)
        if (found !== undefined && found.place < (first?.place ?? Infinity)) first = found
      }
      if (first !== undefined) {
        this.taken.add(first.group)
        return first.group
      }
    }
    return undefined
  }
}

/**
 * Joins the units of one statement to groups of others, as many as can be: those first that are equal in all, then those whose references
 * agree, then those whose references do not contradict, then those whose texts do not, and then the rest. What is left begins groups of its own, in `groups`.
 * `findAgreeing`: the units of a group with which a booking must agree to join it; undefined: it cannot.
 */
const joinStatement = (
  groups: Array<Group>,
  units: ReadonlyArray<Unit>,
  findAgreeing: (group: Group) => ReadonlyArray<Unit> | undefined
): void => {
  let rest = units.toSorted(compareText)
  const open = groups
    .toSorted((a, b) => compareText(a[0]!, b[0]!))
    .flatMap((group): ReadonlyArray<JoinableGroup> => {
      const agreeing = findAgreeing(group)
      return agreeing === undefined ? [] : [{ group, agreeing }]
    })
  const taken = new Set<Group>()
  const pass = (
    keys: (unit: Unit) => ReadonlyArray<string>,
    isHeld: (n: number) => boolean,
    isLikewise = false
  ): void => {
    if (rest.length === 0) return
    const by = new Open(
      open.filter(({ group }) => !taken.has(group)),
      taken,
      keys,
      isHeld
    )
    rest = rest.filter((unit) => {
      const group = by.take(unit, keys(unit), isLikewise)
      group?.push(unit)
      return group === undefined
    })
  }
  const keysOf = ({ stated }: Unit, isWanted: (n: number) => boolean): ReadonlyArray<string> =>
    stated.flatMap((text, n) => (text !== null && isWanted(n) ? [`${n} ${text}`] : []))
  const isText = (n: number): boolean => !isReference(n)
  const named = (unit: Unit) => keysOf(unit, isReference)
  const described = (unit: Unit) => keysOf(unit, isText)
  const saying = (unit: Unit) => (isSilent(unit) ? [] : [JSON.stringify(unit.stated.filter((_, n) => isText(n)))])
  const silent = (unit: Unit) => (isSilent(unit) ? [""] : [])
  const anything = () => [""]
  const [all, none] = [() => true, () => false]
  // A group with texts may describe another booking than one without.
  pass(({ split, text }) => [`${text} ${split}`], none, true)
  pass(({ text }) => [text], none, true)
  for (const isHeld of [all, isReference, none]) pass(named, isHeld)
  for (const isHeld of [all, isReference, isText, none]) {
    for (const keys of [saying, described]) pass(keys, isHeld)
    pass(silent, isHeld, true)
    pass(anything, isHeld)
  }
  for (const unit of rest) groups.push([unit])
}

/** Lists the transactions of units that are the same booking: those of the most detailed unit, each with the equal ones of the others. */
const listLines = (group: Group): ReadonlyArray<Pick<JoinedLine, "bookings" | "within">> => {
  const detailed = group.reduce((a, b) => (b.parts.length > a.parts.length ? b : a))
  const ordered = ({ parts }: Unit) =>
    parts.toSorted(
      (a, b) =>
        compareCodeUnits(`${a.direction} ${a.amount}`, `${b.direction} ${b.amount}`) ||
        compareCodeUnits(JSON.stringify(listBookingTexts(a)), JSON.stringify(listBookingTexts(b)))
    )
  const same = group.filter(({ split }) => split === detailed.split)
  const totals = group.filter((unit) => !same.includes(unit))
  const columns = same.map((unit) => ({ statement_id: unit.statement_id, parts: ordered(unit) }))
  return detailed.parts.map((_, n) => {
    const [first, ...others] = columns.map(({ parts, statement_id }) => ({ statement_id, booked: parts[n]! }))
    // A total, or what is split otherwise, stands with the first of its transactions.
    if (n > 0)
      return { bookings: [first!, ...others], within: [...new Set(totals.map(({ statement_id }) => statement_id))] }
    const whole = totals.flatMap(({ parts, statement_id }) => parts.map((booked) => ({ statement_id, booked })))
    return { bookings: [first!, ...others, ...whole], within: [] }
  })
}

/**
 * The lines that the bookings of a day are.
 *
 * Laws: a booking of a direction and amount is there as often as the statement that has it most often; the parts of a day add up.
 * Of statements without balances, only bookings that agree in everything that both state are one; an interim report may contradict another
 * where a statement with balances has the booking. The result does not depend on the order of the bookings.
 */
export const joinLines = (
  day: string,
  bookings: ReadonlyArray<StatementBooking>,
  relations: StatementRelations
): ReadonlyArray<JoinedLine> => {
  const { countedOn, decisiveOn, partsOn, replacedBy } = relations
  const periodOf = (id: string): StatedDays => relations.of(id)!
  const decides = (id: string): boolean => isDecisive(periodOf(id))
  const reports = (id: string): boolean => isProvisional(periodOf(id))
  const byKey = new Map<string, Map<string, Array<Unit>>>()
  const counts = new Map<string, Map<string, number>>()
  for (const [id, own] of Map.groupBy(bookings, ({ statement_id }) => statement_id)) {
    const count = new Map<string, number>()
    counts.set(id, count)
    for (const unit of groupIntoBookings(
      id,
      own.map(({ booked }) => booked)
    )) {
      const known = byKey.get(unit.key) ?? new Map<string, Array<Unit>>()
      byKey.set(unit.key, known)
      const units = known.get(id)
      if (units === undefined) known.set(id, [unit])
      else units.push(unit)
      count.set(unit.key, (count.get(unit.key) ?? 0) + 1)
    }
  }
  /** Whether a statement has every booking that another has of the day, and at least one. */
  const hasAll = (id: string, other: string): boolean => {
    const [own, others] = [counts.get(id), counts.get(other)]
    return others !== undefined && [...others].every(([key, count]) => (own?.get(key) ?? 0) >= count)
  }
  const areParts = memoize((a: string) =>
    memoize((b: string) => {
      const parts = partsOn(day, a, b)
      return parts === "parts" || (parts === "perhaps" && !hasAll(a, b) && !hasAll(b, a))
    })
  )
  const findAgreeing = (own: string, group: Group): ReadonlyArray<Unit> | undefined => {
    if (group.some(({ statement_id }) => areParts(statement_id)(own))) return undefined
    if (decides(own)) return []
    const isDecided = group.some(({ statement_id }) => decides(statement_id))
    return group.filter(
      ({ statement_id }) => !decides(statement_id) && !(isDecided && (reports(own) || reports(statement_id)))
    )
  }
  const decisive = decisiveOn(day)
  const groups: Array<Group> = []
  for (const own of byKey.values()) {
    const contentOf = (id: string): string =>
      JSON.stringify(
        own
          .get(id)!
          .map(({ text }) => text)
          .sort()
      )
    const ids = [...own.keys()].sort(
      (a, b) => compareContent(periodOf(a), periodOf(b)) || compareCodeUnits(contentOf(a), contentOf(b))
    )
    const joined: Array<Group> = []
    for (const id of ids) joinStatement(joined, own.get(id)!, (group) => findAgreeing(id, group))
    appendAll(groups, joined)
  }
  return groups.flatMap((group, booking) => {
    const ids = group.map(({ statement_id }) => statement_id)
    const current = ids.filter((id) => replacedBy(id) === undefined)
    const isStated = current.some((id) => !reports(id))
    const isWithdrawn = !isStated && (decisive.length > 0 || current.length === 0)
    const isLoose = !isWithdrawn && !countedOn(day).some(({ id }) => ids.includes(id))
    return listLines(group).map((one) => ({ ...one, isWithdrawn, isLoose, booking }))
  })
}

/** The members of a line that several statements have. A member that the first statement leaves out comes from the next that has it. */
export const mergeBooking = ([first, ...others]: JoinedLine["bookings"]): BookedLine => {
  const same = others.filter(({ booked }) => booked.amount === first.booked.amount)
  const firstOf = <A>(read: (line: BookedLine) => A | null): A | null =>
    [first, ...same].map(({ booked }) => read(booked)).find((one) => one !== null) ?? null
  return {
    ...first.booked,
    value_on: firstOf((one) => one.value_on),
    bank_reference: firstOf((one) => one.bank_reference),
    end_to_end_id: firstOf((one) => one.end_to_end_id),
    uetr: firstOf((one) => one.uetr),
    transaction_hash: firstOf((one) => one.transaction_hash),
    counterparty: {
      name: firstOf((one) => one.counterparty.name),
      account: firstOf((one) => one.counterparty.account)
    },
    remittance: firstOf((one) => one.remittance),
    code: firstOf((one) => one.code)
  }
}
