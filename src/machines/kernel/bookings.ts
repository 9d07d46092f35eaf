/**
 * Which bookings of several statements are one line (INGEST-4). Pure: the result depends on what the statements say, not on the order
 * in which they came. References only help to tell bookings apart: banks write one under everything, and what proves a booking is a balance.
 */
import type { BookedLine } from "../reconciliation/statement-line.ts"

/**
 * What is known of a statement without its lines. `first` and `last`: the days that it speaks of, both included; empty: none. Balances are
 * minor units. `arrived`: counts up.
 */
export interface StatedPeriod {
  readonly id: string
  readonly format: string
  readonly number: string | null
  readonly first: string
  readonly last: string
  readonly opening: bigint | null
  readonly closing: bigint | null
  /** When the bank made it, as an ISO 8601 text. */
  readonly made_at: string | null
  readonly arrived: number
}

/** Interim reports and notifications: a statement with balances decides about them. */
const isProvisional = (format: string): boolean => format === "camt.052" || format === "camt.054" || format === "mt942"

/** Whether a statement says all that happened up to its closing balance. */
export const isDecisive = ({ closing, format }: Pick<StatedPeriod, "closing" | "format">): boolean =>
  closing !== null && !isProvisional(format)

const texts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const sharesDay = (a: StatedPeriod, b: StatedPeriod): boolean =>
  a.first !== "" && b.first !== "" && a.first <= b.last && b.first <= a.last

/** A number of a series with its page: `12/2`. Undefined: the bank does not number it. */
const numberOf = ({ number }: Pick<StatedPeriod, "number">): readonly [number: bigint, page: bigint] | undefined => {
  const [, digits, page = "1"] = /^(\d{1,18})(?:\D+(\d{1,5}))?/.exec(number ?? "") ?? []
  return digits === undefined ? undefined : [BigInt(digits), BigInt(page)]
}

const isNumberedAfter = (b: StatedPeriod, a: StatedPeriod): boolean => {
  const [one, other] = [numberOf(a), numberOf(b)]
  if (a.format !== b.format || one === undefined || other === undefined) return false
  return (other[0] === one[0] && other[1] === one[1] + 1n) || (other[0] === one[0] + 1n && other[1] === 1n)
}

/** The latest of some statements: the one made last, or the one that came last where not all say when they were made. */
const latestOf = (some: ReadonlyArray<StatedPeriod>): StatedPeriod => {
  const isMade = some.every(({ made_at }) => made_at !== null)
  return some.toSorted((a, b) => (isMade ? texts(a.made_at!, b.made_at!) : 0) || a.arrived - b.arrived).at(-1)!
}

/** Those of each number, format and span of days: the latest replaces the others, unless they are parts of a day that a bank numbers alike. */
const replacedAmong = (all: ReadonlyArray<StatedPeriod>): ReadonlyMap<string, StatedPeriod> => {
  const replaced = new Map<string, StatedPeriod>()
  const numbered = all.filter((one) => isDecisive(one) && one.first !== "" && numberOf(one) !== undefined)
  const same = Map.groupBy(numbered, (one) => JSON.stringify([one.format, String(numberOf(one)), one.first, one.last]))
  for (const some of same.values()) {
    const latest = latestOf(some)
    for (const one of some)
      if (one !== latest && !isPartAfter(one, latest) && !isPartAfter(latest, one)) replaced.set(one.id, latest)
  }
  return replaced
}

/** Statements in an order that their content alone decides: decisive ones first. */
const inContentOrder = (a: StatedPeriod, b: StatedPeriod): number =>
  (isDecisive(a) === isDecisive(b) ? 0 : isDecisive(a) ? -1 : 1) ||
  texts(a.first, b.first) ||
  texts(a.last, b.last) ||
  texts(a.made_at ?? "", b.made_at ?? "") ||
  texts(a.format, b.format) ||
  texts(a.number ?? "", b.number ?? "") ||
  texts(String(a.opening), String(b.opening)) ||
  texts(String(a.closing), String(b.closing))

/** How the statements of an account stand to each other. */
export interface StatementRelations {
  /** In the order of their content. */
  readonly all: ReadonlyArray<StatedPeriod>
  /** Whether two statements of one day share no line: they are parts of it. */
  readonly areParts: (a: string, b: string) => boolean
  /** The statement of which one is the next part: they have a day in common. */
  readonly partBefore: (id: string) => StatedPeriod | undefined
  readonly hasPartAfter: (id: string) => boolean
  /** The later statement of the same number and days. */
  readonly replacedBy: (id: string) => StatedPeriod | undefined
  /** Those that decide what happened on a day: they have balances, and nothing replaces them. */
  readonly decisiveOn: (day: string) => ReadonlyArray<StatedPeriod>
}

/** Whether `b` goes on where `a` ends, on a day that both have: by its balance, or by its number. */
const isPartAfter = (b: StatedPeriod, a: StatedPeriod): boolean => {
  if (!sharesDay(a, b) || a.first > b.first || a.last > b.last || isDecisive(a) !== isDecisive(b)) return false
  const isNumbered = isNumberedAfter(b, a)
  if (!isDecisive(a)) return isNumbered
  // Two statements that begin, or end, with one balance say the same days, unless nothing is left of what one of them booked.
  const isAgain = a.opening === b.opening || a.closing === b.closing
  return a.closing === b.opening ? !isAgain || isNumbered : isNumbered && a.opening !== b.opening
}

export const relationsOf = (statements: ReadonlyArray<StatedPeriod>): StatementRelations => {
  const all = statements.toSorted(inContentOrder)
  const byId = new Map(all.map((one) => [one.id, one]))
  const replaced = replacedAmong(all)
  const after = new Map<string, Set<string>>()
  const before = new Map<string, StatedPeriod>()
  for (const { one: a, other: b } of neighbours(all)) {
    if (replaced.get(a.id) === b || replaced.get(b.id) === a) continue
    const [first, then] = isPartAfter(b, a) ? [a, b] : isPartAfter(a, b) ? [b, a] : []
    if (first === undefined || then === undefined) continue
    const parts = after.get(first.id)
    if (parts === undefined) after.set(first.id, new Set([then.id]))
    else parts.add(then.id)
  }
  for (const [id, parts] of after)
    for (const part of parts) {
      const [known, found] = [before.get(part), byId.get(id)!]
      const isNext = (one: StatedPeriod): boolean => one.closing === byId.get(part)!.opening
      if (known === undefined || (isNext(found) && !isNext(known))) before.set(part, found)
    }
  // Parts of parts: the first and the third of a day are none of each other.
  const reached = (id: string): Set<string> => {
    const found = new Set<string>()
    for (const open = [id]; open.length > 0; )
      for (const next of after.get(open.pop()!) ?? [])
        if (!found.has(next)) {
          found.add(next)
          open.push(next)
        }
    return found
  }
  const reachedBy = new Map([...after.keys()].map((id) => [id, reached(id)]))
  const decisive = all.filter((one) => isDecisive(one) && !replaced.has(one.id))
  return {
    all,
    areParts: (a, b) =>
      (reachedBy.get(a)?.has(b) === true || reachedBy.get(b)?.has(a) === true) && sharesDay(byId.get(a)!, byId.get(b)!),
    partBefore: (id) => before.get(id),
    hasPartAfter: (id) => [...(after.get(id) ?? [])].some((next) => !replaced.has(next)),
    replacedBy: (id) => replaced.get(id),
    decisiveOn: (day) => decisive.filter(({ first, last }) => first <= day && day <= last)
  }
}

/** The pairs of statements that have a day in common, each once. */
function* neighbours(all: ReadonlyArray<StatedPeriod>): Generator<{ one: StatedPeriod; other: StatedPeriod }> {
  const byFirst = all.filter(({ first }) => first !== "").toSorted((a, b) => texts(a.first, b.first))
  let open: Array<StatedPeriod> = []
  for (const other of byFirst) {
    open = open.filter(({ last }) => last >= other.first)
    for (const one of open) yield { one, other }
    open.push(other)
  }
}

/** A booking, as one statement has it. */
export interface StatementBooking {
  readonly statement_id: string
  readonly booked: BookedLine
}

/**
 * A line: the booking of all statements that have it, the one whose members count first. `isWithdrawn`: the statement with balances of its day,
 * or a later one of the same number, does not have it. `booking`: counts the bookings of the day; transactions of one have the same. `isLoose`: a statement with balances of its day does not have it, or the day has none.
 */
export interface JoinedLine {
  readonly bookings: readonly [StatementBooking, ...ReadonlyArray<StatementBooking>]
  readonly isWithdrawn: boolean
  readonly isLoose: boolean
  readonly booking: number
}

const references = ["bank_reference", "end_to_end_id", "uetr", "transaction_hash"] as const

const plain = (text: string | null): string | null =>
  text === null ? null : text.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase() || null

/** What a booking states, by which it is told from others of its day, direction and amount. */
const statedBy = ({ counterparty, remittance, ...line }: BookedLine): ReadonlyArray<string | null> => [
  ...references.map((name) => plain(line[name])),
  plain(counterparty.name),
  plain(counterparty.account),
  plain(remittance)
]

/** A booking of a statement as the bank booked it: of a batch, all of its transactions. */
interface Unit {
  readonly statement_id: string
  readonly key: string
  readonly stated: ReadonlyArray<string | null>
  readonly text: string
  readonly parts: ReadonlyArray<BookedLine>
}

const unitOf = (statement_id: string, parts: ReadonlyArray<BookedLine>): Unit => {
  const [first] = parts as readonly [BookedLine]
  const { amount, direction } = parts.length > 1 ? first.entry! : first
  const [own = null, ...others] = statedBy(first)
  const reference = plain(first.entry?.reference ?? null) ?? own
  const stated = [reference, ...(parts.length > 1 ? others.map(() => null) : others)]
  return { statement_id, key: `${direction} ${amount}`, stated, text: JSON.stringify(stated), parts }
}

const byText = (a: Unit, b: Unit): number => texts(a.text, b.text)

/** The bookings of one statement. The transactions of a batch are parts of one. */
const unitsOf = (statement_id: string, lines: ReadonlyArray<BookedLine>): ReadonlyArray<Unit> => {
  const batches = new Map<string, Array<Array<BookedLine>>>()
  const units: Array<Unit> = []
  for (const line of lines) {
    if (line.entry === undefined) {
      units.push(unitOf(statement_id, [line]))
      continue
    }
    const { amount, direction, part, reference } = line.entry
    const key = JSON.stringify([reference, direction, amount])
    const known = batches.get(key) ?? []
    batches.set(key, known)
    const open = known.find((parts) => parts.every((one) => one.entry!.part !== part))
    if (open === undefined) known.push([line])
    else open.push(line)
  }
  for (const known of batches.values())
    for (const parts of known)
      units.push(
        unitOf(
          statement_id,
          parts.toSorted((a, b) => a.entry!.part - b.entry!.part)
        )
      )
  return units
}

/** Whether two bookings say the same of everything that both state. */
const agrees = (a: Unit, b: Unit): boolean =>
  a.stated.every((text, n) => text === null || b.stated[n] === null || text === b.stated[n])

const isReference = (n: number): boolean => n < references.length

/** Units that are one booking. */
type Group = Array<Unit>

/** Groups by a text of their units, each of which is taken once. */
class Open {
  private readonly groups = new Map<string, Array<Group>>()
  private readonly taken: Set<Group>

  constructor(groups: ReadonlyArray<Group>, taken: Set<Group>, keysOf: (unit: Unit) => ReadonlyArray<string>) {
    this.taken = taken
    for (const group of groups)
      for (const key of new Set(group.flatMap(keysOf))) {
        const known = this.groups.get(key)
        if (known === undefined) this.groups.set(key, [group])
        else known.push(group)
      }
  }

  take(keys: ReadonlyArray<string>, isFit: (group: Group) => boolean): Group | undefined {
    for (const key of keys) {
      const known = this.groups.get(key)
      if (known === undefined) continue
      while (known.length > 0 && this.taken.has(known[0]!)) known.shift()
      const found = known.find((group) => !this.taken.has(group) && isFit(group))
      if (found !== undefined) {
        this.taken.add(found)
        return found
      }
    }
    return undefined
  }
}

/**
 * Joins the units of one statement to groups of others, as many as can be: those first that are equal in all, then those whose references
 * agree, then those whose references do not contradict, and then the rest.
 */
const join = (
  groups: Array<Group>,
  units: ReadonlyArray<Unit>,
  canJoin: (unit: Unit, group: Group) => boolean
): void => {
  let rest = units.toSorted(byText)
  const open = groups.toSorted((a, b) => byText(a[0]!, b[0]!))
  const taken = new Set<Group>()
  const pass = (keys: (unit: Unit) => ReadonlyArray<string>, isFit: (unit: Unit, group: Group) => boolean): void => {
    if (rest.length === 0) return
    const by = new Open(
      open.filter((group) => !taken.has(group)),
      taken,
      keys
    )
    rest = rest.filter((unit) => {
      const group = by.take(keys(unit), (one) => canJoin(unit, one) && isFit(unit, one))
      group?.push(unit)
      return group === undefined
    })
  }
  const keysOf = ({ stated }: Unit, isWanted: (n: number) => boolean): ReadonlyArray<string> =>
    stated.flatMap((text, n) => (text !== null && isWanted(n) ? [`${n} ${text}`] : []))
  const named = (unit: Unit) => keysOf(unit, isReference)
  const described = (unit: Unit) => keysOf(unit, (n) => !isReference(n))
  /** What says nothing is rather another that says nothing. */
  const saying = ({ stated }: Unit) => [JSON.stringify(stated.filter((_, n) => !isReference(n)))]
  const isUncontested = (unit: Unit, group: Group): boolean =>
    group.every((other) =>
      unit.stated.every(
        (text, n) => !isReference(n) || text === null || other.stated[n] === null || text === other.stated[n]
      )
    )
  const anything = () => [""]
  pass(
    ({ text }) => [text],
    () => true
  )
  const isAgreed = (unit: Unit, group: Group): boolean => group.every((other) => agrees(unit, other))
  const isAny = () => true
  for (const isFit of [isAgreed, isUncontested, isAny]) pass(named, isFit)
  for (const isFit of [isAgreed, isUncontested]) for (const keys of [saying, described, anything]) pass(keys, isFit)
  for (const keys of [saying, described, anything]) pass(keys, isAny)
  for (const unit of rest) groups.push([unit])
}

/** The transactions of units that are one booking: those of the most detailed, with the others that have the same. */
const linesOf = (group: Group): ReadonlyArray<readonly [StatementBooking, ...ReadonlyArray<StatementBooking>]> => {
  const amounts = ({ parts }: Unit): string =>
    parts
      .map(({ amount, direction }) => `${direction} ${amount}`)
      .sort()
      .join()
  const detailed = group.reduce((a, b) => (b.parts.length > a.parts.length ? b : a))
  const ordered = ({ parts }: Unit) =>
    parts.toSorted(
      (a, b) =>
        texts(`${a.direction} ${a.amount}`, `${b.direction} ${b.amount}`) ||
        texts(JSON.stringify(statedBy(a)), JSON.stringify(statedBy(b)))
    )
  const same = group.filter((unit) => amounts(unit) === amounts(detailed))
  const totals = group.filter((unit) => !same.includes(unit))
  const columns = same.map((unit) => ({ statement_id: unit.statement_id, parts: ordered(unit) }))
  return detailed.parts.map((_, n) => {
    const [first, ...others] = columns.map(({ parts, statement_id }) => ({ statement_id, booked: parts[n]! }))
    // A total, or what is split otherwise, stands with the first of its transactions.
    const whole =
      n > 0 ? [] : totals.flatMap(({ parts, statement_id }) => parts.map((booked) => ({ statement_id, booked })))
    return [first!, ...others, ...whole]
  })
}

/**
 * The lines that the bookings of a day are.
 *
 * Laws: a booking of a direction and amount is there as often as the statement that has it most often; the parts of a day add up.
 * Of statements without balances, only bookings that agree in everything that both state are one; an interim report may contradict another
 * where a statement with balances has the booking. The result does not depend on the order of the bookings.
 */
export const joinedLines = (
  day: string,
  bookings: ReadonlyArray<StatementBooking>,
  relations: StatementRelations
): ReadonlyArray<JoinedLine> => {
  const { areParts, decisiveOn, replacedBy } = relations
  const periods = new Map(relations.all.map((one) => [one.id, one]))
  const decides = (id: string): boolean => isDecisive(periods.get(id)!)
  const reports = (id: string): boolean => isProvisional(periods.get(id)!.format)
  const canJoin = (unit: Unit, group: Group): boolean => {
    const own = unit.statement_id
    const isDecided = decides(own) || group.some(({ statement_id }) => decides(statement_id))
    return group.every(
      (other) =>
        !areParts(other.statement_id, own) &&
        (decides(own) ||
          decides(other.statement_id) ||
          (isDecided && (reports(own) || reports(other.statement_id))) ||
          agrees(other, unit))
    )
  }
  const byStatement = Map.groupBy(bookings, ({ statement_id }) => statement_id)
  const byKey = new Map<string, Map<string, Array<Unit>>>()
  for (const [id, own] of byStatement)
    for (const unit of unitsOf(
      id,
      own.map(({ booked }) => booked)
    )) {
      const known = byKey.get(unit.key) ?? new Map<string, Array<Unit>>()
      byKey.set(unit.key, known)
      const units = known.get(id)
      if (units === undefined) known.set(id, [unit])
      else units.push(unit)
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
      (a, b) => inContentOrder(periods.get(a)!, periods.get(b)!) || texts(contentOf(a), contentOf(b))
    )
    const joined: Array<Group> = []
    for (const id of ids) join(joined, own.get(id)!, canJoin)
    groups.push(...joined)
  }
  return groups.flatMap((group, booking) => {
    const ids = group.map(({ statement_id }) => statement_id)
    const current = ids.filter((id) => replacedBy(id) === undefined)
    const isStated = current.some((id) => !isProvisional(periods.get(id)!.format))
    const isWithdrawn = !isStated && (decisive.length > 0 || current.length === 0)
    const isLoose =
      !isWithdrawn &&
      (decisive.length === 0 ||
        !decisive.every((one) => current.some((id) => id === one.id || (decides(id) && areParts(id, one.id)))))
    return linesOf(group).map((bookings) => ({ bookings, isWithdrawn, isLoose, booking }))
  })
}

/** What the statements of a line say of it together: what the first does not state, another may. */
export const mergedBooking = ([first, ...others]: JoinedLine["bookings"]): BookedLine => {
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
