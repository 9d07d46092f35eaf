/**
 * Where the balances that statements state do not follow from the lines (INGEST-6, INGEST-9). Pure: every difference is computed from
 * all statements of an account, so that it does not depend on the order in which they came.
 */
import { isDecisive, pickLatest, type StatedDays, type StatedPeriod, type StatementRelations } from "./bookings.ts"
import { compareCodeUnits, findFirst } from "./order.ts"

/** A line that is in no sum that counts of its day. `statement_ids`: those that have it. */
interface LooseLine {
  readonly day: string
  readonly signed: bigint
  readonly statement_ids: ReadonlyArray<string>
}

/**
 * A difference between a statement and the lines of its account. `amount`: how much more, or less, the bank has; zero: only numbers of the
 * series are missing, or the parts cancel each other out. `statement_ids`: the statement before, if any, and last the one that differs.
 * `day`: on which it shows.
 */
export interface StatedDifference {
  readonly kind: "gap" | "balance_differs"
  readonly statement_ids: ReadonlyArray<string>
  readonly amount: bigint
  readonly day: string
  readonly messages: ReadonlyArray<string>
  /** The parts of the amount, each from the first day on which balances include it. Absent: all of it is since `day`. */
  readonly parts?: ReadonlyArray<DifferencePart>
  /** Whether it differs although its amount is zero: its parts cancel each other out. */
  readonly differs?: boolean
}

interface DifferencePart {
  readonly since: string
  readonly amount: bigint
}

export const listDifferenceParts = ({ amount, day, parts }: StatedDifference): ReadonlyArray<DifferencePart> =>
  parts ?? [{ since: day, amount }]

export interface AccountOpening {
  readonly date: string
  readonly balance: bigint
}

const parseFirstNumber = (number: string | null): bigint | undefined => {
  const [digits] = /^\d{1,18}/.exec(number ?? "") ?? []
  return digits === undefined ? undefined : BigInt(digits)
}

/** Statement numbers restart each year, so statements that are further apart than this are not compared by number. */
const SERIES_DAYS = 330
const dayMs = 86_400_000

interface Numbered {
  readonly one: StatedPeriod
  readonly number: bigint
  readonly start: string
  readonly place: number
}

/** Statements by their numbers, the lowest first, and of one number those that end first. */
const sortByNumber = (some: ReadonlyArray<Numbered>) =>
  [...Map.groupBy(some, ({ number }) => number)]
    .map(([number, same]) => ({ number, same: same.toSorted((a, b) => compareCodeUnits(a.one.last, b.one.last)) }))
    .toSorted((a, b) => (a.number < b.number ? -1 : 1))

/** Finds the numbers that are missing before a statement in its series, in words, and the statement before them. Undefined: none. */
const makeMissingFinder = (all: ReadonlyArray<StatedPeriod>, startOf: StatementRelations["startOf"]) => {
  const numbered = all.flatMap((one, place): ReadonlyArray<Numbered> => {
    const number = parseFirstNumber(one.number)
    return number === undefined ? [] : [{ one, number, place, start: startOf(one.id) }]
  })
  const series = new Map(
    [...Map.groupBy(numbered, ({ one }) => one.format)].map(([format, own]) => [format, sortByNumber(own)])
  )
  const find = ({
    number,
    one,
    start
  }: Numbered): { readonly message: string; readonly before: string } | undefined => {
    const byNumber = series.get(one.format)!
    const since = new Date(Date.parse(start) - SERIES_DAYS * dayMs).toISOString().slice(0, 10)
    for (let n = findFirst(byNumber.length, (at) => byNumber[at]!.number > number) - 1; n >= 0; n--) {
      const { number: found, same } = byNumber[n]!
      // Of the same number, only a page of the same statement.
      const from = found === number ? start : since
      const ended = same.slice(
        findFirst(same.length, (at) => same[at]!.one.last >= from),
        findFirst(same.length, (at) => same[at]!.one.last > one.last)
      )
      const isBefore = (other: Numbered): boolean => other.one.id !== one.id && other.start <= start
      if (ended.findLast(isBefore) === undefined) continue
      if (found >= number - 1n) return undefined
      const last = ended.filter(isBefore).reduce((a, b) => (b.place < a.place ? b : a))
      const missing =
        number - found === 2n
          ? `number ${number - 1n} is missing`
          : `numbers ${found + 1n} to ${number - 1n} are missing`
      return {
        message: `Number ${one.number} follows number ${last.one.number}: ${missing}.`,
        before: last.one.id
      }
    }
    return undefined
  }
  return { numbered, find }
}

/** Derives the opening balance of a statement: the stated one, or its closing balance less its lines. */
const deriveOpening = ({ closing, days, opening }: StatedDays): bigint =>
  opening ?? [...days.values()].reduce((left, net) => left - net, closing!)

/** The differences of one account, each of one statement and kind, in the order of their days. */
class Walk {
  private readonly found = new Map<string, StatedDifference>()
  /** What was in the account, and the statement that said so last. */
  private balance: bigint
  private last: StatedDays | undefined

  constructor(balance: bigint) {
    this.balance = balance
  }

  add = (
    kind: StatedDifference["kind"],
    one: StatedDays,
    amount: bigint,
    day: string,
    before: StatedDays | undefined,
    message?: string
  ): void => {
    const key = `${one.id} ${kind}`
    const known = this.found.get(key)
    const ids = before === undefined || before.id === one.id ? [one.id] : [before.id, one.id]
    this.found.set(key, {
      kind,
      statement_ids: known?.statement_ids ?? ids,
      amount: (known?.amount ?? 0n) + amount,
      day: known?.day ?? day,
      messages: [...(known?.messages ?? []), ...(message === undefined ? [] : [message])],
      parts: [...(known?.parts ?? []), { since: day, amount }]
    })
  }

  /** Numbers of the series are missing before a statement. */
  miss = (one: StatedPeriod, { before, message }: { readonly before: string; readonly message: string }): void => {
    const key = `${one.id} gap`
    const known = this.found.get(key)
    const ids = [before, one.id]
    const gap = { kind: "gap", statement_ids: ids, amount: 0n, day: one.first, messages: [], parts: [] } as const
    this.found.set(key, { ...(known ?? gap), messages: [message, ...(known?.messages ?? [])] })
  }

  move = (amount: bigint): void => void (this.balance += amount)

  /**
   * Statements that begin on a day. `net`: what its lines move; `ending`: the statements that end on it; `numberedBefore`: the one whose
   * next part a statement is.
   *
   * Each begins with what is there when the day begins, or where another ends that day. One that does not is compared with the one before in
   * its series; where nothing is there yet, with what is there; else with where others end. Where lines lead to the end of the day without
   * it, it is a gap without an amount.
   *
   * Law: what is found moves the balance.
   */
  open = (
    day: string,
    beginning: ReadonlyArray<StatedDays>,
    net: bigint,
    ending: ReadonlyArray<StatedDays>,
    numberedBefore: (one: StatedDays) => StatedDays | undefined
  ): void => {
    const start = this.balance
    const isLed = ending.some(({ closing }) => closing === start + net)
    const reached = new Set([start, ...ending.filter(({ first }) => first < day).map(({ closing }) => closing!)])
    let rest = beginning
    const reach = () => {
      const isReached = (one: StatedDays): boolean => reached.has(deriveOpening(one))
      for (let own = rest.filter(isReached); own.length > 0; own = rest.filter(isReached)) {
        rest = rest.filter((one) => !own.includes(one))
        for (const { closing, last } of own) if (last === day) reached.add(closing!)
      }
    }
    const goesOn = (one: StatedDays): boolean =>
      rest.some((other) => other !== one && other.last === day && other.closing === deriveOpening(one))
    reach()
    let isThere = rest.length < beginning.length
    while (rest.length > 0) {
      const one = rest.find((each) => numberedBefore(each) !== undefined || !goesOn(each)) ?? rest[0]!
      const part = numberedBefore(one)
      const isApart = part === undefined && isThere && isLed
      const known = isThere && !isLed ? [...reached].at(-1)! : start
      // Where the day begins and ends without it, nothing differs but that it says so.
      const amount = isApart ? 0n : deriveOpening(one) - (part?.closing ?? known)
      const before = part ?? this.last ?? (isApart ? beginning.find((other) => !rest.includes(other)) : undefined)
      if (before === undefined) this.add("balance_differs", one, amount, day, before)
      else this.add("gap", one, amount, day, before, describeGap(one, before))
      this.balance += amount
      isThere = true
      reached.add(deriveOpening(one))
      reach()
    }
  }

  /**
   * Statements that end on a day: their lines lead to what one of them ends with. Others were made before the rest of it was booked. Returns
   * what the day ends with: where lines lead to none, what the latest of its `last` states.
   */
  close = (day: string, ending: ReadonlyArray<StatedDays>, last: ReadonlyArray<StatedDays>): bigint => {
    const latest = pickLatest(last).closing
    // A whole day and its last part may end with the same balance: which of them came last says nothing.
    const stated =
      ending.find(({ closing }) => closing === this.balance) ?? last.find(({ closing }) => closing === latest)!
    const amount = stated.closing! - this.balance
    if (amount !== 0n) this.add("balance_differs", stated, amount, day, this.last)
    this.balance += amount
    this.last = stated
    return this.balance
  }

  differences = (): ReadonlyArray<StatedDifference> =>
    [...this.found.values()].filter(
      ({ messages, parts }) => messages.length > 0 || parts!.some(({ amount }) => amount !== 0n)
    )
}

const describeGap = (one: StatedPeriod, before: StatedPeriod): string =>
  `The opening balance of ${one.first} is not the closing balance of the statement before, of ${before.last}.`

/** What lines of a day move, and since when balances have it. */
interface Movement {
  readonly since: string
  readonly amount: bigint
}

/** What the lines of a day move: the sums that count, and the lines that are in none of them, each since the start of its statement. */
const listMovements = (
  day: string,
  { countedOn, sinceOf }: StatementRelations,
  loose: ReadonlyArray<LooseLine>
): ReadonlyArray<Movement> => {
  const counted = countedOn(day)
  const ids = new Set(counted.map(({ id }) => id))
  const others = loose.filter(({ statement_ids }) => !statement_ids.some((id) => ids.has(id)))
  return [
    ...counted.map(({ days, id }) => ({ since: sinceOf(day, [id]), amount: days.get(day)! })),
    ...others.map(({ signed, statement_ids }) => ({ since: sinceOf(day, statement_ids), amount: signed }))
  ]
}

/** What a walk over an account finds. */
export interface WalkedBalances {
  readonly differences: ReadonlyArray<StatedDifference>
  /** With what the days end on which statements end: the balance that their lines lead to, else that of the latest. */
  readonly closings: ReadonlyMap<string, bigint>
  /** What bookings that are booked back move from their day to the start of their statement. Absent: nothing. */
  readonly moved?: ReadonlyMap<string, bigint>
}

/**
 * Walks over the days of an account, from its opening balance on.
 *
 * Laws: the parts of differences up to a day sum to what its closing is, less the opening balance and all lines since, of which those that
 * are booked back count from the start of their statement on. A statement that ends before
 * the account's first day says nothing here. The result does not depend on the order of the statements, but for which is the latest of
 * those that end on a day with balances that no lines lead to.
 */
export const walkBalances = (
  opening: AccountOpening,
  relations: StatementRelations,
  loose: ReadonlyArray<LooseLine>
): WalkedBalances => {
  const isSince = ({ last }: StatedDays): boolean => last >= opening.date
  const decisive = relations.all.filter(
    (one) => isDecisive(one) && relations.replacedBy(one.id) === undefined && isSince(one)
  )
  const looseOn = Map.groupBy(loose, ({ day }) => day)
  const begins = Map.groupBy(decisive, ({ id }) => relations.startOf(id))
  const ends = Map.groupBy(decisive, ({ last }) => last)
  const nets = new Map<string, bigint>()
  const moved = new Map<string, bigint>()
  const add = (to: Map<string, bigint>, day: string, amount: bigint) => to.set(day, (to.get(day) ?? 0n) + amount)
  for (const day of new Set([...decisive.flatMap((one) => [...one.days.keys()]), ...looseOn.keys()]))
    for (const { amount, since } of listMovements(day, relations, looseOn.get(day) ?? [])) {
      const counts = day < opening.date ? day : since
      add(nets, counts, amount)
      if (counts === day) continue
      add(moved, day, -amount)
      add(moved, counts, amount)
    }
  const days = new Set([...begins.keys(), ...ends.keys(), ...nets.keys()])
  const walk = new Walk(opening.balance)
  const closings = new Map<string, bigint>()
  const last = [...ends.keys()].sort(compareCodeUnits).at(-1) ?? ""
  for (const day of [...days].filter((one) => one >= opening.date && one <= last).sort(compareCodeUnits)) {
    const net = nets.get(day) ?? 0n
    const ending = ends.get(day) ?? []
    walk.open(day, begins.get(day) ?? [], net, ending, ({ id }) => relations.partBefore(id))
    walk.move(net)
    if (ending.length > 0) closings.set(day, walk.close(day, ending, relations.lastOn(day)))
  }
  const { find, numbered } = makeMissingFinder(decisive, relations.startOf)
  for (const each of numbered) {
    const missing = find(each)
    if (missing !== undefined) walk.miss(each.one, missing)
  }
  const differences = walk
    .differences()
    .toSorted(
      (a, b) => compareCodeUnits(a.day, b.day) || compareCodeUnits(a.statement_ids.join(), b.statement_ids.join())
    )
  return { differences, closings, moved }
}
