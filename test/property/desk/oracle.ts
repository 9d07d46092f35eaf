/**
 * What a desk must say of a history, read from decisions.md 16 and 18 alone: simple, quadratic, and without a line of the engine.
 *
 * Readings, where the specification leaves two:
 * - A statement's days are all from the first to the last of: its entries' days, `from` and `to`. MT940 states no `from`, MT942 and CSV none
 *   of the two but for the day that they were made.
 * - Two statements are parts of one day if the last day of one is the first of the other, no other day is common, and one leads to the other:
 *   by numbers or pages that follow in one format (unless both begin with one balance and neither begins where the other ends), or by
 *   balances (closing = opening), over others between them or not. Where the day comes back to a balance on that way, or one of the two moves
 *   nothing in sum, balances cannot tell a part from the whole: they are parts then unless one has all bookings of the other.
 * - Of statements without balances, interim reports too, only bookings that agree in everything that both state are one line. Where a statement
 *   with balances has the booking, reports of it may contradict one another.
 * - A statement replaces an earlier one of the same format, number, page and days that opens with the same balance; one that opens with
 *   another if none of these is a part. Without a number none does, and under 0 none that may be a part. Nor does any of a day where each
 *   begins where another ends, one after the other, and more than one of them moves something in sum: they are the parts of the day.
 * - A day ends with the closing balance that its lines lead to.
 * - An interim report with balances is an interim report.
 * - A line's names are those of the statement that decides; where it names nothing, those of its other statements; else those of reports.
 * - A line that names a movement more strongly is it; of two that name it as strongly, with its amount, neither is. A line of another
 *   amount is no second one. What a line names less strongly than a movement of another amount, it is not.
 * - A merchant's reference beside another amount is no name, and its movement a candidate.
 * - A movement that only open lines name is outstanding no more: what differs, and `unexplained`, is these lines less the movement, which
 *   is the first of them that has its amount, else the first.
 * - A payment under way is none yet: of two lines that name it neither is it, and what differs of lines of other amounts is told from it once.
 * - A withdrawn line has a break if it would be matched were it none, in whatever order its statements came.
 * - A movement is overdue two weekdays later at the same time of day, by the clock of the account's zone.
 * - Of lines of two accounts that name a movement as strongly, those of the account that was made first are it, or are the question.
 * - What people change of an account's settings counts as if it had always been so.
 * - A line that names nothing is `missing_in_books`: it pays nobody twice, however alike it is to a payout that another line is.
 */
import { type History, itemsOf, type Item, type Movement, type Settings } from "./desk.ts"
import { dayAfter, type Entry, type Sheet, signed } from "./files.ts"

interface Placed {
  readonly label: string
  readonly upload: string
  readonly sheet: Sheet
  /** Its place among what arrives. */
  readonly arrival: number
  readonly first: string
  readonly last: string
}

const made = ({ sheet }: Placed): string | null =>
  sheet.format.startsWith("camt") ? (sheet.made ?? `${sheet.to}T20:00:00Z`) : null

const isInterim = ({ sheet }: Placed): boolean => ["mt942", "camt.052", "camt.054"].includes(sheet.format)
/** A statement that decides about interim reports. */
const isFinal = (one: Placed): boolean => !isInterim(one) && one.sheet.opening !== null && one.sheet.closing !== null
const isBare = (one: Placed): boolean => !isInterim(one) && !isFinal(one)

/** The statements of an account in their order of arrival. A file that comes again brings nothing. */
const placedIn = (history: History, order: ReadonlyArray<Item>, account: number): ReadonlyArray<Placed> => {
  const uploads = [...new Set(order.filter((item) => item.startsWith("upload ")))].map(
    (item) => history.uploads[Number(item.split(" ")[1])]!
  )
  const distinct = uploads.filter((one, n) => uploads.findIndex(({ label }) => label === one.label) === n)
  return distinct.flatMap(({ label, sheets }, arrival) =>
    sheets.flatMap((sheet, n) => {
      if ((sheet.account ?? 0) !== account) return []
      const states = sheet.format.startsWith("camt") ? [sheet.from, sheet.to] : sheet.format === "csv" ? [] : [sheet.to]
      const days = [...states, ...sheet.entries.map(({ day }) => day)].toSorted()
      const [first, last] = [days[0]!, days.at(-1)!]
      return [{ label: `${label}.${n + 1}`, upload: label, sheet, arrival: arrival + n / 1000, first, last }]
    })
  )
}

const isLater = (one: Placed, than: Placed): boolean => {
  const [a, b] = [made(one), made(than)]
  return a !== null && b !== null && a !== b ? a > b : one.arrival > than.arrival
}

const netOn = ({ sheet }: Placed, wanted: string): bigint =>
  sheet.entries.filter(({ day }) => day === wanted).reduce((sum, one) => sum + signed(one), 0n)

/** Of the last day of a statement, what was there before its bookings; of its first, what was there after them. */
const before = (one: Placed): bigint =>
  one.first === one.last ? one.sheet.opening! : one.sheet.closing! - netOn(one, one.last)
const after = (one: Placed): bigint =>
  one.first === one.last ? one.sheet.closing! : one.sheet.opening! + netOn(one, one.first)

const hasNextNumber = (a: Sheet, b: Sheet): boolean => {
  if (a.format !== b.format || a.number === null || b.number === null) return false
  const [[number, page = 1], [next, ofNext = 1]] = [a.number, b.number].map((text) => text.split("/").map(Number)) as [
    [number, number?],
    [number, number?]
  ]
  return (next === number && ofNext === page + 1) || (next === number + 1 && ofNext === 1)
}

/** Whether one is the part of a day right before another, by its number. */
const isNumberedBefore = (one: Placed, next: Placed): boolean =>
  one !== next &&
  one.last === next.first &&
  isFinal(one) === isFinal(next) &&
  hasNextNumber(one.sheet, next.sheet) &&
  (!isFinal(one) || one.sheet.closing === next.sheet.opening || before(one) !== next.sheet.opening)

/** Whether one ends where another, that begins on its last day, begins. */
const isFollowedBy = (one: Placed, next: Placed): boolean =>
  isNumberedBefore(one, next) ||
  (one !== next && one.last === next.first && isFinal(one) && isFinal(next) && one.sheet.closing === next.sheet.opening)

/** The ways from one statement to another that follow on each other, without a statement twice; each without its ends. */
const waysBetween = (
  all: ReadonlyArray<Placed>,
  one: Placed,
  other: Placed,
  isNext: (a: Placed, b: Placed) => boolean,
  gone: ReadonlyArray<Placed> = []
): ReadonlyArray<ReadonlyArray<Placed>> => [
  ...(isNext(one, other) ? [gone] : []),
  ...all
    .filter((next) => next !== other && !gone.includes(next) && next.first === next.last && isNext(one, next))
    .flatMap((next) => waysBetween(all, next, other, isNext, [...gone, next]))
]

const amountsOn = ({ sheet }: Placed, day: string): ReadonlyArray<string> =>
  sheet.entries.filter((one) => one.day === day).map((one) => `${one.direction} ${one.amount}`)

const hasAllOf = (one: Placed, other: Placed, day: string): boolean => {
  const rest = [...amountsOn(one, day)]
  const wanted = amountsOn(other, day)
  return wanted.length > 0 && wanted.every((amount) => rest.includes(amount) && rest.splice(rest.indexOf(amount), 1))
}

/** How one statement leads to another: `clearly`; `perhaps`, where balances cannot tell; or not. */
const leadsTo = (all: ReadonlyArray<Placed>, one: Placed, other: Placed): "clearly" | "perhaps" | undefined => {
  if (one === other || one.last !== other.first) return undefined
  if (waysBetween(all, one, other, isNumberedBefore).length > 0) return "clearly"
  if (!isFinal(one) || !isFinal(other)) return undefined
  const finals = all.filter(isFinal)
  const ways = waysBetween(finals, one, other, isFollowedBy)
  const within = finals.filter(({ first, last }) => first === one.last && last === one.last)
  /** The day comes back to a balance over statements that move something. */
  const isPassedTwice = (balance: bigint): boolean =>
    within.some(
      (begin) =>
        begin.sheet.opening === balance &&
        begin.sheet.closing !== balance &&
        within.some(
          (end) =>
            end.sheet.closing === balance &&
            end.sheet.opening !== balance &&
            (begin === end || waysBetween(finals, begin, end, isFollowedBy).length > 0)
        )
    )
  const isClear = (way: ReadonlyArray<Placed>): boolean =>
    [one.sheet.closing!, ...way.flatMap(({ sheet }) => [sheet.opening!, sheet.closing!]), other.sheet.opening!].every(
      (balance) => balance !== before(one) && balance !== after(other) && !isPassedTwice(balance)
    )
  return ways.length === 0 ? undefined : ways.some(isClear) ? "clearly" : "perhaps"
}

/** Whether two are parts that follow on one another, with others between them or not. */
const arePartsOf = (all: ReadonlyArray<Placed>) => {
  const known = new Map<Placed, Map<Placed, boolean>>()
  const areParts = (one: Placed, other: Placed): boolean => {
    const led = new Set([leadsTo(all, one, other), leadsTo(all, other, one)])
    if (led.has("clearly")) return true
    const day = one.first > other.first ? one.first : other.first
    return led.has("perhaps") && !hasAllOf(one, other, day) && !hasAllOf(other, one, day)
  }
  return (one: Placed, other: Placed): boolean => {
    const own = known.get(one) ?? new Map<Placed, boolean>()
    known.set(one, own)
    if (!own.has(other)) own.set(other, areParts(one, other))
    return own.get(other)!
  }
}

/** Whether some statements are the parts of a day: in some order, each begins where the one before ends. */
const areOneDay = (some: ReadonlyArray<Placed>): boolean => {
  const follow = (at: bigint, left: ReadonlyArray<Placed>): boolean =>
    left.length === 0 ||
    left.some(
      (next) =>
        next.sheet.opening === at &&
        follow(
          next.sheet.closing!,
          left.filter((other) => other !== next)
        )
    )
  const moving = some.filter(({ sheet }) => sheet.opening !== sheet.closing)
  return (
    moving.length > 1 &&
    some.every((one) => isFinal(one) && one.first === one.last) &&
    some.some(({ sheet }) => follow(sheet.opening!, some))
  )
}

const isReplacedBy = (all: ReadonlyArray<Placed>, one: Placed, by: Placed): boolean => {
  const some = all.filter(
    ({ first, last, sheet }) =>
      sheet.format === one.sheet.format && sheet.number === one.sheet.number && first === one.first && last === one.last
  )
  if (one === by || one.sheet.number === null || !some.includes(by) || !isLater(by, one) || !isFinal(one)) return false
  if (areOneDay(some)) return false
  const mayBeParts = (a: Placed, b: Placed): boolean =>
    leadsTo(some, a, b) !== undefined || leadsTo(some, b, a) !== undefined
  if (one.sheet.opening === by.sheet.opening) return Number(one.sheet.number) !== 0 || !mayBeParts(one, by)
  return [one, by].every((each) => some.every((other) => !mayBeParts(each, other)))
}

const nothing: Entry = {
  ...{ day: "", direction: "debit", amount: 0n, reference: null, end_to_end: null, name: null, text: null }
}

const keyOf = ({ amount, day, direction }: Pick<Entry, "day" | "direction" | "amount">): string =>
  `${day} ${direction} ${amount}`
/** A day of an account. */
export const dayOf = (account: number, day: string): string => (account === 0 ? day : `other/${day}`)
const statedOf = ({ end_to_end, name, reference, text }: Entry): string =>
  JSON.stringify([reference, end_to_end, name, text])

const entriesIn = ({ sheet }: Placed, key: string): ReadonlyArray<Entry> =>
  sheet.entries.filter((one) => keyOf(one) === key)

/**
 * The bookings of some statements that are in the books: of those statements that have most together and of which no two share. Files
 * without balances share what agrees in everything.
 */
const most = (
  key: string,
  those: ReadonlyArray<Placed>,
  areParts: (one: Placed, other: Placed) => boolean
): ReadonlyArray<Entry> => {
  const stated = new Map<string, ReadonlyArray<Entry>>()
  for (const one of those.filter(isBare))
    for (const [text, entries] of Map.groupBy(entriesIn(one, key), statedOf))
      if (entries.length > (stated.get(text)?.length ?? 0)) stated.set(text, entries)
  const bare = [...stated.values()].flat()
  const best = (rest: ReadonlyArray<Placed>, chosen: ReadonlyArray<Placed>): ReadonlyArray<Entry> => {
    const [one, ...others] = rest
    if (one === undefined) return chosen.flatMap((placed) => entriesIn(placed, key))
    const without = best(others, chosen)
    if (!chosen.every((other) => areParts(one, other))) return without
    const with_ = best(others, [...chosen, one])
    return with_.length > without.length ? with_ : without
  }
  const parts = best(
    those.filter((one) => entriesIn(one, key).length > 0),
    []
  )
  return bare.length > parts.length ? bare : parts
}

interface Stated {
  readonly by: Placed
  readonly entry: Entry
}

const hasBalances = ({ by }: Stated): boolean => isFinal(by)

const agree = (one: Entry, other: Entry): boolean =>
  (["reference", "end_to_end", "name", "text"] as const).every(
    (name) => one[name] === null || other[name] === null || one[name] === other[name]
  )

/** The lines of a booking that a file has in detail: its transactions, each as a booking. Else none. */
const detailsOf = ({ parts = [], ...entry }: Entry): ReadonlyArray<Entry> =>
  parts.map((part) => ({ ...entry, ...part, reference: null, end_to_end: null, name: null }))

/** How many lines a statement has. */
const countOf = ({ entries }: Sheet): number => entries.reduce((sum, { parts }) => sum + (parts?.length ?? 1), 0)

/** The fewest lines that bookings can be, each with the bookings that are it. */
const fewest = (
  bookings: ReadonlyArray<Stated>,
  areParts: (one: Placed, other: Placed) => boolean
): ReadonlyArray<ReadonlyArray<Stated>> => {
  const all = bookings.toSorted((a, b) => Number(hasBalances(b)) - Number(hasBalances(a)))
  const isOne = (line: ReadonlyArray<Stated>): boolean =>
    line.every((one, n) =>
      line
        .slice(n + 1)
        .every(
          (other) =>
            one.by !== other.by &&
            !areParts(one.by, other.by) &&
            (hasBalances(one) ||
              hasBalances(other) ||
              agree(one.entry, other.entry) ||
              (line.some(hasBalances) && (isInterim(one.by) || isInterim(other.by))))
        )
    )
  const least = Math.max(0, ...[...Map.groupBy(all, ({ by }) => by).values()].map(({ length }) => length))
  let best: ReadonlyArray<ReadonlyArray<Stated>> = all.map((one) => [one])
  const place = (n: number, lines: ReadonlyArray<ReadonlyArray<Stated>>): void => {
    if (best.length === least || lines.length >= best.length) return
    const one = all[n]
    if (one === undefined) {
      best = lines
      return
    }
    for (const [at, line] of lines.entries()) if (isOne([...line, one])) place(n + 1, lines.with(at, [...line, one]))
    place(n + 1, [...lines, [one]])
  }
  place(0, [])
  return best
}

/** How much two entries of one booking say the same: references first, then texts; what contradicts least. */
const likeness = (one: Entry, other: Entry): number => {
  const of = (a: string | null, b: string | null): number => (a === null || b === null ? 0 : a === b ? 1 : -1)
  return 4 * of(one.reference, other.reference) + of(one.end_to_end, other.end_to_end) + 2 * of(one.text, other.text)
}

interface Line {
  readonly account: number
  readonly key: string
  readonly day: string
  readonly direction: "credit" | "debit"
  readonly amount: bigint
  /** What each statement that has it says of it: the one that decides, other statements, and interim reports. */
  readonly entries: Array<Entry>
  readonly reported: Array<Entry>
  /** The statements that say so. */
  readonly by: Array<Placed>
}

/** How much an entry says the same as what any statement says of a line: where the one that decides says nothing, others tell lines apart. */
const likenessTo = ({ entries, reported }: Line, entry: Entry): number =>
  Math.max(...[...entries, ...reported].map((one) => likeness(one, entry)))

/**
 * The lines with what another statement says of them: entries that agree most are paired first. What is left has no line. A line that one part
 * of a day has is none of its other part, where others are left.
 */
const paired = (
  lines: ReadonlyArray<Line>,
  entries: ReadonlyArray<Entry>,
  by: Placed,
  areParts: (one: Placed, other: Placed) => boolean
): ReadonlyArray<Entry> => {
  const isApart = (line: Line): boolean => line.by.some((other) => areParts(other, by))
  const pairs = lines
    .flatMap((line) => entries.map((entry) => ({ line, entry, like: likenessTo(line, entry) })))
    .toSorted((a, b) => Number(isApart(a.line)) - Number(isApart(b.line)) || b.like - a.like)
  const [used, placed] = [new Set<Line>(), new Set<Entry>()]
  for (const { entry, line } of pairs) {
    if (used.has(line) || placed.has(entry)) continue
    used.add(line)
    placed.add(entry)
    line[isInterim(by) ? "reported" : "entries"].push(entry)
  }
  for (const line of used) line.by.push(by)
  return entries.filter((one) => !placed.has(one))
}

export interface Group {
  readonly account: number
  readonly key: string
  readonly day: string
  readonly direction: "credit" | "debit"
  readonly amount: bigint
  /** How many lines are in the books, and how many are withdrawn. */
  readonly live: number
  readonly withdrawn: number
}

export interface Difference {
  readonly account: number
  readonly kind: "gap" | "balance_differs"
  readonly day: string
  readonly amount: bigint
  /** The statements that may stand for the later side, by their labels. */
  readonly statements: ReadonlyArray<string>
}

export interface Expected {
  readonly groups: ReadonlyArray<Group>
  readonly differences: ReadonlyArray<Difference>
  /** With what a day ends on which a statement ends, where its lines lead to that. Days here and below are those of {@link dayOf}. */
  readonly closings: ReadonlyMap<string, bigint>
  /** Of each statement: how many bookings, and whether it replaces another; undefined where it is replaced itself. */
  readonly statements: ReadonlyArray<{
    readonly label: string
    readonly lines: number
    readonly replaces: boolean | undefined
  }>
  /** The movements that live lines account for, with the day of the line. */
  readonly matched: ReadonlyMap<string, string>
  /** How many lines of a group are accounted for: by movements, and by people. */
  readonly accounted: ReadonlyMap<string, number>
  /** The kinds of break that an open line of a group may have, where one is right for all of them. */
  readonly kinds: ReadonlyMap<string, ReadonlySet<string>>
  /** What a person has dismissed: how many lines of a group. */
  readonly dismissed: ReadonlyMap<string, number>
  readonly unexplained: ReadonlyMap<string, bigint>
  /** What payments are told from open lines that name them, in sum: credits less debits. */
  readonly told: bigint
  /** Days whose lines pay one thing, on several days: which of them has what is too much is said nowhere, so their sum counts. */
  readonly floating: ReadonlySet<string>
  readonly overdue: ReadonlySet<string>
  /** Overdue, but named by an open line or a candidate of one: there may be a break of its own or not. */
  readonly perhaps: ReadonlySet<string>
  /** Movements that a withdrawn line names, which no line in the books is. */
  readonly unsaid: ReadonlySet<string>
}

const fits = ({ amount, direction }: Pick<Entry, "direction" | "amount">, movement: Movement): boolean =>
  direction === "debit" && amount === movement.amount

const hasWord = (entry: Entry, word: string | null): boolean =>
  word !== null &&
  [entry.reference, entry.end_to_end, entry.text].some((text) => text?.split(/[ ,]/).includes(word) === true)

/** How strong a name of a movement an entry states: 2 by 16.5 a, 1 by 16.5 b, 0 none. */
const strengthIn = (entry: Entry, { label, provider_reference, reference }: Movement): number => {
  if (hasWord(entry, `{${label}:statement}`) || hasWord(entry, provider_reference)) return 2
  return hasWord(entry, `{${label}:id}`) || hasWord(entry, reference) ? 1 : 0
}

/** A merchant's reference proves nothing of another amount. */
const isProven = (entry: Entry, movement: Movement): boolean =>
  strengthIn(entry, movement) === 2 || hasWord(entry, `{${movement.label}:id}`)

interface Name {
  readonly movement: Movement
  readonly strength: number
}

/** What a line names: the strongest of what fits it, or is proven beside another amount. */
const namesOf = (entries: ReadonlyArray<Entry>, movements: ReadonlyArray<Movement>): ReadonlyArray<Name> => {
  const all = movements
    .map((movement) => ({ movement, strength: Math.max(...entries.map((one) => strengthIn(one, movement))) }))
    .filter(
      ({ movement, strength }) =>
        strength > 0 && (fits(entries[0]!, movement) || entries.some((one) => isProven(one, movement)))
    )
  return all.filter(({ strength }) => strength === Math.max(...all.map((one) => one.strength)))
}

/** The movements that a line names by a merchant's reference alone, beside another amount. */
const mentionsOf = (entries: ReadonlyArray<Entry>, movements: ReadonlyArray<Movement>): ReadonlyArray<Movement> =>
  movements.filter((movement) => entries.some((one) => strengthIn(one, movement) > 0))

const clocks = new Map<string, Intl.DateTimeFormat>()
const clockOf = (timeZone: string): Intl.DateTimeFormat => {
  const digits = "2-digit" as const
  const known =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat("en-CA", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: digits,
      day: digits,
      hour: digits,
      minute: digits,
      second: digits
    })
  clocks.set(timeZone, known)
  return known
}

/** The day, and the seconds since its midnight, that a clock in a zone shows. */
const partsIn = (zone: string, at: number): { readonly day: string; readonly time: number } => {
  const part = Object.fromEntries(
    clockOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value])
  )
  return {
    day: `${part["year"]}-${part["month"]}-${part["day"]}`,
    time: (Number(part["hour"]) * 60 + Number(part["minute"])) * 60 + Number(part["second"])
  }
}

/** The day in a zone. */
export const dayIn = (zone: string, at: string): string => partsIn(zone, Date.parse(at)).day

/** The instant of a time of day in a zone, in epoch milliseconds. `hour` may have a fraction. */
export const instantOf = (zone: string, day: string, hour: number): number => {
  const wanted = Date.parse(day) + hour * 3_600_000
  let at = wanted
  for (let n = 0; n < 3; n++) {
    const local = partsIn(zone, at)
    at += wanted - (Date.parse(local.day) + local.time * 1000)
  }
  return at
}

/** Two weekdays later, at the same time of day. */
export const dueOf = (zone: string, at: string): number => {
  const { day, time } = partsIn(zone, Date.parse(at))
  let due = day
  for (let left = 2; left > 0; ) {
    due = dayAfter(due)
    const weekday = new Date(due).getUTCDay()
    if (weekday !== 0 && weekday !== 6) left--
  }
  return instantOf(zone, due, time / 3600)
}

const sum = (values: Iterable<bigint>): bigint => [...values].reduce((total, one) => total + one, 0n)

/** The settings of the accounts, with what people change of them. */
export const settingsOf = ({ opening, other, patches = [], uses, zone }: History): ReadonlyArray<Settings> => {
  const first = { opening, zone, ...(uses === undefined ? {} : { uses }) }
  return [first, ...(other === undefined ? [] : [other])].map((own, n) => {
    const changed = patches.filter(({ account }) => account === n)
    return Object.assign({}, own, ...changed) as Settings
  })
}

/** The statements of an account, and its lines: a day is what its statement says (18.3). */
const booksOf = (history: History, order: ReadonlyArray<Item>, account: number) => {
  const all = placedIn(history, order, account)
  const replaced = new Set(all.filter((one) => all.some((by) => isReplacedBy(all, one, by))))
  const areParts = arePartsOf(all)
  const covering = (day: string) => all.filter(({ first, last }) => first <= day && day <= last)
  const bookings = [...new Map(all.flatMap(({ sheet }) => sheet.entries).map((one) => [keyOf(one), one]))]
  const lines: Array<Line> = []
  const alone: Array<Entry> = []
  const withdrawnOf = new Map<string, { readonly entry: Entry; count: number }>()
  for (const [stated, { amount, day, direction }] of bookings) {
    const key = dayOf(account, stated)
    const those = covering(day)
    const current = those.filter((one) => !replaced.has(one))
    const deciding = current.some(isFinal) ? current.filter((one) => !isInterim(one)) : current
    const chosen = deciding.some(isFinal)
      ? most(stated, deciding, areParts)
      : fewest(
          deciding.flatMap((by) => entriesIn(by, stated).map((entry) => ({ by, entry }))),
          areParts
        ).map(([one]) => one!.entry)
    const own = chosen.map((entry): Line => {
      const by = those.filter(({ sheet }) => sheet.entries.includes(entry))
      return { account, key, day, direction, amount, entries: [entry], reported: [], by }
    })
    // What says more finds its line first: what says nothing may be any that is left, whichever came before.
    const saidBy = (by: Placed): number =>
      Math.max(0, ...entriesIn(by, stated).flatMap((one) => own.map(({ entries: [other] }) => likeness(one, other!))))
    const left = those
      .toSorted((a, b) => saidBy(b) - saidBy(a))
      .flatMap((by) => {
        const others = entriesIn(by, stated).filter((entry) => !chosen.includes(entry))
        return paired(own, others, by, areParts).map((entry) => ({ by, entry }))
      })
    alone.push(...left.map(({ entry }) => entry))
    const parts = most(stated, those, areParts).length - chosen.length
    const withdrawn = Math.max(parts, fewest(left, areParts).length)
    // A batch is its transactions as soon as one of its statements has them.
    for (const line of own) {
      const detailed = [...line.entries, ...line.reported].find((one) => one.parts !== undefined)
      if (detailed === undefined) lines.push(line)
      else
        for (const part of detailsOf(detailed))
          lines.push({ ...line, key: dayOf(account, keyOf(part)), amount: part.amount, entries: [part], reported: [] })
    }
    const lost = left.map(({ entry }) => detailsOf(entry)).find(({ length }) => length > 0)
    const whole: Entry = { ...nothing, day, direction, amount }
    for (const entry of withdrawn === 0 ? [] : (lost ?? [whole])) {
      const known = withdrawnOf.get(keyOf(entry)) ?? { entry, count: 0 }
      withdrawnOf.set(keyOf(entry), { ...known, count: known.count + withdrawn })
    }
  }
  const stated = [...lines, ...[...withdrawnOf.values()].map(({ entry }) => entry)]
  const groups = [...new Map(stated.map((one) => [keyOf(one), one]))].map(
    ([key, { amount, day, direction }]): Group => ({
      ...{ account, key: dayOf(account, key), day, direction, amount },
      live: lines.filter((one) => keyOf(one) === key).length,
      withdrawn: withdrawnOf.get(key)?.count ?? 0
    })
  )
  return { account, all, replaced, lines, alone, groups }
}

/** 18.4: the lines of an account lead from one statement's closing to the next one's. */
const balancesOf = ({ opening }: Settings, { account, all, groups, replaced }: ReturnType<typeof booksOf>) => {
  const booked = (after: string | null, before: string): bigint =>
    sum(
      groups
        .filter(({ day }) => (after === null || day > after) && day < before)
        .map((group) => signed(group) * BigInt(group.live))
    )
  const finals = all.filter((one) => isFinal(one) && !replaced.has(one))
  const differences: Array<Difference> = []
  /** What lines lead to at the end of a day, with what is different so far. */
  const ledTo = (day: string): bigint =>
    opening.balance +
    booked(null, dayAfter(day)) +
    sum(differences.filter((one) => one.day <= day).map(({ amount }) => amount))
  /** What may be there when a day begins, by the statements before it and those that it is within. */
  const claimsOn = (day: string) => {
    const earlier = finals.filter(({ last }) => last < day)
    const latest = earlier
      .map(({ last }) => last)
      .toSorted()
      .at(-1)
    const ending = earlier.filter((other) => other.last === latest)
    const led = ending.filter(({ last, sheet }) => sheet.closing === ledTo(last))
    const last = ending.filter((other) => !ending.some((next) => isFollowedBy(other, next)))
    const inside = finals.filter((other) => other.first < day && day <= other.last)
    const claims =
      latest !== undefined
        ? [led, last, ending]
            .find((some) => some.length > 0)!
            .map(({ last, sheet }) => sheet.closing! + booked(last, day))
        : inside.length > 0
          ? []
          : [opening.balance + booked(null, day)]
    const insideClaims = inside.map(({ first, sheet }) => sheet.opening! + booked(dayAfter(first, -1), day))
    return { kind: latest === undefined ? "balance_differs" : "gap", claims: [...claims, ...insideClaims] } as const
  }
  for (const [day, beginning] of [...Map.groupBy(finals, ({ first }) => first)].toSorted(([a], [b]) =>
    a < b ? -1 : 1
  )) {
    const { claims, kind } = claimsOn(day)
    const fine = new Set<Placed>()
    const goesOn = (one: Placed): boolean =>
      finals.some((other) => isFollowedBy(other, one) && (other.first < day || fine.has(other)))
    const isFine = (one: Placed): boolean => !fine.has(one) && (claims.includes(one.sheet.opening!) || goesOn(one))
    for (let rest = beginning; rest.length > 0; rest = beginning.filter((one) => !fine.has(one))) {
      const found = rest.find(isFine)
      const one = found ?? rest.find((each) => !rest.some((other) => isFollowedBy(other, each))) ?? rest[0]!
      fine.add(one)
      if (found !== undefined) continue
      const opens = one.sheet.opening!
      const same = beginning.filter(({ sheet }) => sheet.opening === opens)
      for (const other of same) fine.add(other)
      differences.push({ account, kind, day, amount: opens - claims[0]!, statements: same.map(({ label }) => label) })
    }
  }
  const closings = new Map<string, bigint>()
  for (const day of new Set(finals.map(({ last }) => last))) {
    const led = ledTo(day)
    if (finals.some(({ last, sheet }) => last === day && sheet.closing === led)) closings.set(dayOf(account, day), led)
  }
  return { differences, closings }
}

export const expect = (history: History, order: ReadonlyArray<Item> = itemsOf(history)): Expected => {
  const accounts = settingsOf(history)
  const books = accounts.map((_, account) => booksOf(history, order, account))
  const lines = books.flatMap((one) => one.lines)
  const groups = books.flatMap((one) => one.groups)
  // What names no account goes through the first that has the use.
  const first = accounts.findIndex(({ uses = ["payouts"] }) => uses.includes("payouts"))
  const zone = accounts[Math.max(0, first)]!.zone

  // 16.5, 18.6: names first, the stronger before the weaker; then what is alike where the numbers are equal.
  // A late report comes when the files do.
  const movedAt = (one: Movement): string => (one.reported === "late" ? history.now : one.at)
  const isBooked = ({ reported }: Movement): boolean => reported === "at once" || reported === "late"
  const named = new Map(
    lines.map((line) => {
      const stated = [line.entries.slice(0, 1), line.entries, line.reported].filter((entries) => entries.length > 0)
      const names = stated.map((entries) => namesOf(entries, history.movements))
      return [line, names.find((all) => all.length > 0) ?? []] as const
    })
  )
  const taken = new Set([...named.values()].flat().map(({ movement }) => movement.label))
  const matched = new Map<string, string>()
  const settled = new Set<Line>()
  const kinds = new Map<Line, ReadonlyArray<string>>()
  /** What of a line is not the difference: its payment, where a payment has several lines or another amount. */
  const paid = new Map<Line, bigint>()
  const floating = new Set<string>()
  const byDay = (one: Line, other: Line): number => one.account - other.account || (one.day < other.day ? -1 : 1)
  for (const line of lines) if (named.get(line)!.length === 0) kinds.set(line, ["missing_in_books"])
  const decide = (movement: Movement): void => {
    const { label, reported } = movement
    const naming = lines
      .filter((line) => {
        const [name, ...others] = named.get(line)!
        return name?.movement === movement && others.length === 0
      })
      .toSorted(byDay)
    const fitting = naming.filter((line) => fits(line, movement))
    const strengthOf = (line: Line): number => named.get(line)![0]!.strength
    const strong = fitting.filter((line) => strengthOf(line) === Math.max(...fitting.map(strengthOf)))
    const strongest = strong.filter(({ account }) => account === strong[0]!.account)
    if (reported === "failed" || reported === "failed late")
      for (const line of naming) kinds.set(line, ["contradicts_status"])
    if (reported === "never") {
      const [first] = fitting.length === 0 ? naming : []
      if (first !== undefined) paid.set(first, -movement.amount)
      const own = naming.filter(({ account }) => account === first?.account)
      const days = new Set(own.map(({ account, day }) => dayOf(account, day)))
      if (days.size > 1) for (const day of days) floating.add(day)
      // What a merchant's reference names alone is proposed at most.
      for (const one of naming.every(({ entries }) => isProven(entries[0]!, movement)) ? naming : [])
        kinds.set(one, [
          fits(one, movement) ? (naming.length > 1 ? "executed_twice" : "missing_in_books") : "amount_differs"
        ])
    }
    if (!isBooked(movement)) return
    const [line] = strongest
    if (strongest.length === 1) {
      matched.set(label, dayOf(line!.account, line!.day))
      settled.add(line!)
    } else {
      const [first] = [...strongest, ...naming]
      if (first !== undefined) paid.set(first, -movement.amount)
      const own = naming.filter(({ account }) => account === first?.account)
      const days = new Set(own.map(({ account, day }) => dayOf(account, day)))
      if (days.size > 1) for (const day of days) floating.add(day)
    }
    for (const one of naming)
      kinds.set(
        one,
        fits(one, movement)
          ? ["executed_twice"]
          : fitting.length > 0
            ? ["amount_differs", "missing_in_books"]
            : naming.length > 1
              ? ["amount_differs", "executed_twice"]
              : ["amount_differs"]
      )
  }
  history.movements.forEach(decide)
  // What another line is, of which a text with another amount tells, is no name: the rest of its names is decided then.
  for (const [line, names] of named)
    if (names.length > 1)
      named.set(
        line,
        names.filter(({ movement }) => !matched.has(movement.label) || fits(line, movement))
      )
  for (const all of [kinds, paid, matched, settled, floating]) all.clear()
  for (const line of lines) if (named.get(line)!.length === 0) kinds.set(line, ["missing_in_books"])
  history.movements.forEach(decide)
  // 16.5 c: a line is the payments that it names, if no other open line names one of them.
  for (const line of lines.filter((one) => !settled.has(one))) {
    const names = named.get(line)!.map(({ movement }) => movement)
    const isAlone = names.every(
      ({ label }) =>
        !matched.has(label) &&
        lines.filter((one) => !settled.has(one) && named.get(one)!.some(({ movement }) => movement.label === label))
          .length === 1
    )
    if (names.length < 2 || !isAlone || !names.every(isBooked) || line.direction !== "debit") continue
    if (sum(names.map(({ amount }) => amount)) !== line.amount) continue
    settled.add(line)
    for (const { label } of names) matched.set(label, dayOf(line.account, line.day))
  }
  const dismissed = new Map<string, number>()
  for (const { action, movement, on } of history.acts) {
    const line = lines.find((one) => one.key === keyOf(on) && !settled.has(one) && named.get(one)!.length === 0)
    if (line === undefined) continue
    settled.add(line)
    if (action === "dismiss") dismissed.set(line.key, (dismissed.get(line.key) ?? 0) + 1)
    if (movement === undefined) continue
    matched.set(movement, on.day)
    taken.add(movement)
  }
  const candidates = new Set<string>()
  const namelessOf = (group: Group): ReadonlyArray<Line> =>
    lines.filter(
      (one) =>
        one.key === group.key &&
        !settled.has(one) &&
        named.get(one)!.length === 0 &&
        one.direction === "debit" &&
        one.account === first
    )
  const openOn = (day: string): ReadonlyArray<Movement> =>
    history.movements.filter(
      (one) => isBooked(one) && !taken.has(one.label) && !matched.has(one.label) && dayIn(zone, movedAt(one)) === day
    )
  const settle = (group: Group, some: ReadonlyArray<Line>, payments: ReadonlyArray<Movement>): void => {
    for (const line of some) settled.add(line)
    for (const { label } of payments) matched.set(label, dayOf(group.account, group.day))
  }
  // 16.5 c and d: all payouts of a day, or what is alike; each may leave the other without a question.
  for (let before = -1; before < settled.size; ) {
    before = settled.size
    for (const group of groups) {
      const [line, ...others] = namelessOf(group)
      const payouts = openOn(group.day).filter(({ kind }) => kind === "payout")
      if (line === undefined || others.length > 0 || payouts.length < 2) continue
      if (sum(payouts.map(({ amount }) => amount)) === group.amount) settle(group, [line], payouts)
    }
    for (const group of groups) {
      const [nameless, alike] = [namelessOf(group), openOn(group.day).filter((one) => fits(group, one))]
      if (nameless.length === alike.length) settle(group, nameless, alike)
    }
  }
  for (const group of groups) {
    if (namelessOf(group).length > 0)
      for (const one of history.movements) if (one.amount === group.amount) candidates.add(one.label)
  }
  // What an open line names less strongly, or by a merchant's reference beside another amount.
  for (const line of lines.filter((one) => !settled.has(one)))
    for (const { label } of mentionsOf([...line.entries, ...line.reported], history.movements)) candidates.add(label)
  const accounted = new Map<string, number>()
  for (const { key } of settled) accounted.set(key, (accounted.get(key) ?? 0) + 1)
  for (const [key, count] of dismissed) accounted.set(key, accounted.get(key)! - count)
  const kindsOf = (key: string): ReadonlySet<string> | undefined => {
    const open = lines.filter((one) => one.key === key && !settled.has(one)).map((one) => kinds.get(one))
    return new Set(open.map((one) => one?.join())).size === 1 && open[0] !== undefined ? new Set(open[0]) : undefined
  }

  const balances = books.map((one, account) => balancesOf(accounts[account]!, one))
  const differences = balances.flatMap((one) => one.differences)
  const unexplained = new Map(
    books.flatMap(({ account, all, groups }) => {
      const days = [...groups.map(({ day }) => day), ...all.flatMap(({ first, last }) => [first, last])]
      return [...new Set(days)].map((day) => {
        const isHere = (one: { readonly account: number; readonly day: string }): boolean =>
          one.account === account && one.day === day
        const open = lines.filter((one) => isHere(one) && !settled.has(one))
        const opening = differences.filter(isHere).map(({ amount }) => amount)
        return [
          dayOf(account, day),
          sum([...open.map((one) => signed(one) - (paid.get(one) ?? 0n)), ...opening])
        ] as const
      })
    })
  )

  const late = history.movements.filter(
    (one) =>
      first >= 0 && isBooked(one) && !matched.has(one.label) && dueOf(zone, movedAt(one)) <= Date.parse(history.now)
  )
  const perhaps = new Set(
    late.filter(({ label }) => taken.has(label) || candidates.has(label)).map(({ label }) => label)
  )
  const unsaid = groups
    .filter(({ withdrawn }) => withdrawn > 0)
    .flatMap(({ key }) => {
      const alone = books.flatMap((one) => one.alone.filter((entry) => dayOf(one.account, keyOf(entry)) === key))
      const names = alone.map((one) => namesOf([one], history.movements))
      return names.filter((one) => one.length === 1).map(([one]) => one!.movement)
    })
    .filter((one) => isBooked(one) && !matched.has(one.label) && !taken.has(one.label))
  return {
    groups,
    differences,
    closings: new Map(balances.flatMap(({ closings }) => [...closings])),
    statements: books.flatMap(({ all, replaced }) =>
      all.map((one) => ({
        label: one.label,
        lines: countOf(one.sheet),
        replaces: replaced.has(one) ? undefined : all.some((other) => isReplacedBy(all, other, one))
      }))
    ),
    matched,
    accounted,
    kinds: new Map(
      groups.flatMap(({ key }) => {
        const those = kindsOf(key)
        return those === undefined ? [] : [[key, those] as const]
      })
    ),
    dismissed,
    unexplained,
    told: sum(paid.values()),
    floating,
    overdue: new Set(late.map(({ label }) => label)),
    perhaps,
    unsaid: new Set(unsaid.map(({ label }) => label))
  }
}
