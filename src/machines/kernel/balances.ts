/**
 * Where the balances that statements state do not follow from the lines (INGEST-6, INGEST-9). Pure: every difference is computed from
 * all statements of an account, so that it does not depend on the order in which they came.
 */
import { isDecisive, type StatedPeriod, type StatementRelations } from "./bookings.ts"

/** A statement with what its lines sum to on each day: credits less debits, in minor units. */
export interface StatedDays extends StatedPeriod {
  readonly days: ReadonlyMap<string, bigint>
}

/** A line that a statement with balances of its day does not have, or whose day has none. `statement_ids`: those that have it. */
export interface LooseLine {
  readonly day: string
  readonly signed: bigint
  readonly statement_ids: ReadonlyArray<string>
}

/**
 * What a statement states otherwise than its account's lines lead to. `amount`: what the bank has more, or less; zero: only numbers of
 * the series are missing. `statement_ids`: the statement before, if any, and the one that differs, which is the last. `day`: on which it shows.
 */
export interface StatedDifference {
  readonly kind: "gap" | "balance_differs"
  readonly statement_ids: ReadonlyArray<string>
  readonly amount: bigint
  readonly day: string
  readonly messages: ReadonlyArray<string>
}

export interface AccountOpening {
  readonly date: string
  readonly balance: bigint
}

const texts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const firstNumber = (number: string | null): bigint | undefined => {
  const [digits] = /^\d{1,18}/.exec(number ?? "") ?? []
  return digits === undefined ? undefined : BigInt(digits)
}

/** A series of numbers begins again with each year. */
const SERIES_DAYS = 330
const dayMs = 86_400_000

/** The numbers that are missing before a statement in its series, in words, and the statement before them. Undefined: none. */
const missingBefore = (
  one: StatedPeriod,
  others: ReadonlyArray<StatedPeriod>
): { readonly message: string; readonly before: string } | undefined => {
  const number = firstNumber(one.number)
  if (number === undefined) return undefined
  const since = new Date(Date.parse(one.first) - SERIES_DAYS * dayMs).toISOString().slice(0, 10)
  const before = others.filter(
    ({ first, format, id, last }) =>
      id !== one.id && format === one.format && first <= one.first && last <= one.last && last >= since
  )
  const known = before.flatMap((other) => {
    const found = firstNumber(other.number)
    // Of the same number, only a page of the same statement.
    const isBefore = found !== undefined && (found < number || (found === number && other.last >= one.first))
    return isBefore ? [{ found, number: other.number, id: other.id }] : []
  })
  if (known.length === 0 || known.some(({ found }) => found >= number - 1n)) return undefined
  const last = known.reduce((a, b) => (b.found > a.found ? b : a))
  const missing =
    number - last.found === 2n
      ? `number ${number - 1n} is missing`
      : `numbers ${last.found + 1n} to ${number - 1n} are missing`
  return { message: `Number ${one.number} follows number ${last.number}: ${missing}.`, before: last.id }
}

/** What a statement begins with: what it states, or what its lines leave of its closing balance. */
const openingOf = ({ closing, days, opening }: StatedDays): bigint =>
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

  add = (kind: StatedDifference["kind"], one: StatedDays, amount: bigint, day: string, message?: string): void => {
    const key = `${one.id} ${kind}`
    const known = this.found.get(key)
    const before = this.last === undefined || this.last.id === one.id ? [] : [this.last.id]
    this.found.set(key, {
      kind,
      statement_ids: known?.statement_ids ?? [...before, one.id],
      amount: (known?.amount ?? 0n) + amount,
      day: known?.day ?? day,
      messages: [...(known?.messages ?? []), ...(message === undefined ? [] : [message])]
    })
  }

  /** Numbers of the series are missing before a statement. */
  miss = (one: StatedDays, { before, message }: { readonly before: string; readonly message: string }): void => {
    const key = `${one.id} gap`
    const known = this.found.get(key)
    const gap = { kind: "gap", statement_ids: [before, one.id], amount: 0n, day: one.first, messages: [] } as const
    this.found.set(key, { ...(known ?? gap), messages: [message, ...(known?.messages ?? [])] })
  }

  move = (amount: bigint): void => void (this.balance += amount)

  /** Statements that begin on a day: what they begin with is what is there. */
  open = (day: string, statements: ReadonlyArray<StatedDays>): void => {
    const isThere = statements.some((one) => openingOf(one) === this.balance)
    for (const one of statements) {
      const amount = openingOf(one) - this.balance
      if (amount === 0n) continue
      if (this.last === undefined) this.add("balance_differs", one, amount, day)
      else this.add("gap", one, amount, day, gapMessage(one, this.last))
      if (!isThere && one === statements[0]) this.balance += amount
    }
  }

  /** A statement that goes on within a day where another ended. */
  goOn = (day: string, one: StatedDays, before: StatedPeriod): void => {
    const amount = openingOf(one) - before.closing!
    if (amount === 0n) return
    this.add("gap", one, amount, day, gapMessage(one, before))
    this.balance += amount
  }

  /** Statements that end on a day: their lines lead to what they end with. */
  close = (day: string, statements: ReadonlyArray<StatedDays>): void => {
    // Where one leads to what is there, another that ends on the same day was made before the rest of it was booked.
    const isThere = statements.some((one) => one.closing === this.balance)
    for (const one of isThere ? [] : statements) {
      const amount = one.closing! - this.balance
      if (amount !== 0n) this.add("balance_differs", one, amount, day)
      if (one === statements[0]) this.balance += amount
    }
    const stated = statements.find((one) => one.closing === this.balance)
    if (stated !== undefined) this.last = stated
  }

  differences = (): ReadonlyArray<StatedDifference> =>
    [...this.found.values()].filter(({ amount, messages }) => amount !== 0n || messages.length > 0)
}

const gapMessage = (one: StatedPeriod, before: StatedPeriod): string =>
  `The opening balance of ${one.first} is not the closing balance of the statement before, of ${before.last}.`

/**
 * Walks over the days of an account, from its opening balance on.
 *
 * Laws: the differences up to a day sum to what the latest statement states, less the opening balance and all lines since. A statement that
 * ends before the account's first day says nothing here. The result does not depend on the order of the statements.
 */
export const balanceDifferences = (
  opening: AccountOpening,
  statements: ReadonlyArray<StatedDays>,
  relations: StatementRelations,
  loose: ReadonlyArray<LooseLine>
): ReadonlyArray<StatedDifference> => {
  const byId = new Map(statements.map((one) => [one.id, one]))
  const decisive = relations.all
    .filter((one) => isDecisive(one) && relations.replacedBy(one.id) === undefined && one.last >= opening.date)
    .map((one) => byId.get(one.id)!)
  const current = (one: StatedPeriod | undefined): StatedPeriod | undefined =>
    one === undefined ? undefined : (relations.replacedBy(one.id) ?? one)
  const looseOn = Map.groupBy(loose, ({ day }) => day)
  const netOn = (day: string): bigint => {
    const [one] = relations.decisiveOn(day)
    const counted = new Set(
      one === undefined
        ? []
        : [
            one.id,
            ...relations
              .decisiveOn(day)
              .filter(({ id }) => id !== one.id && relations.areParts(id, one.id))
              .map(({ id }) => id)
          ]
    )
    const stated = [...counted].reduce((sum, id) => sum + (byId.get(id)!.days.get(day) ?? 0n), 0n)
    return (looseOn.get(day) ?? [])
      .filter(({ statement_ids }) => !statement_ids.some((id) => counted.has(id)))
      .reduce((sum, { signed }) => sum + signed, stated)
  }
  const begins = Map.groupBy(decisive, ({ first }) => first)
  const ends = Map.groupBy(decisive, ({ last }) => last)
  const days = [
    ...new Set([
      ...begins.keys(),
      ...ends.keys(),
      ...decisive.flatMap((one) => [...one.days.keys()]),
      ...looseOn.keys()
    ])
  ]
  const walk = new Walk(opening.balance)
  const last = [...ends.keys()].sort(texts).at(-1) ?? ""
  for (const day of days.filter((one) => one >= opening.date && one <= last).sort(texts)) {
    const own = begins.get(day) ?? []
    const isPart = (one: StatedDays): boolean => relations.partBefore(one.id) !== undefined
    walk.open(
      day,
      own.filter((one) => !isPart(one))
    )
    walk.move(netOn(day))
    for (const one of own.filter(isPart)) walk.goOn(day, one, current(relations.partBefore(one.id))!)
    walk.close(
      day,
      (ends.get(day) ?? []).filter(({ id }) => !relations.hasPartAfter(id))
    )
  }
  for (const one of decisive) {
    const missing = missingBefore(one, decisive)
    if (missing !== undefined) walk.miss(one, missing)
  }
  return walk
    .differences()
    .toSorted((a, b) => texts(a.day, b.day) || texts(a.statement_ids.join(), b.statement_ids.join()))
}
