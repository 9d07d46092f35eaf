/**
 * Matching: which movements of the books the lines of a statement are (MATCH-2 to MATCH-6). Pure: what it decides depends on its
 * arguments alone, and not on their order. It never guesses: what is not certain is proposed, with its candidates.
 */
import { compareCodeUnits } from "./order.ts"

/** As the bank says it: `credit` is money to us, and raises the balance of the account. */
export type Direction = "credit" | "debit"

/**
 * By what a line names a resource: its command, the statement reference of that command, the provider's own reference, a transaction
 * hash, a UETR (all of them MATCH-2), or the resource's id or the merchant's reference in what the payer or the bank wrote (MATCH-3).
 */
export const namings = [
  "command_id",
  "statement_reference",
  "provider_reference",
  "transaction_hash",
  "uetr",
  "resource_id",
  "reference"
] as const
export type Naming = (typeof namings)[number]

/**
 * The rule that matched a line with a movement, or proposes to. The first ones found an identifier of the movement in the line.
 * `batch_reference` and `batch_day` (MATCH-4) and `alike` (MATCH-5) compare amounts, days and parties; `fee` (MATCH-6) and `near` only
 * propose; `person`: a person matched them.
 */
export const matchRules = [...namings, "batch_reference", "batch_day", "alike", "fee", "near", "person"] as const
export type MatchRule = (typeof matchRules)[number]

/**
 * A line that is to be decided. `amount`: minor units, > 0. `day`: its booking day, `YYYY-MM-DD`. `content`: what the bank says of it, by which
 * lines that are alike are in order.
 */
export interface OpenLine {
  readonly id: string
  readonly content?: string
  /** The place of its account among those of its provider and currency, the first made first. Default: 0. */
  readonly account?: number
  readonly direction: Direction
  readonly amount: bigint
  readonly day: string
  /**
   * What it names, each resource by its strongest naming. `is_said`: a word of its text does, which may only mention it. `is_remitted`: its
   * remittance does, and no reference of its own.
   */
  readonly names: ReadonlyArray<{
    readonly resource_id: string
    readonly by: Naming
    readonly is_said?: true
    readonly is_remitted?: true
  }>
  /** The resources of which it has the merchant's reference, beside another amount: that is no name. */
  readonly mentions?: ReadonlyArray<string>
  /** A person has dismissed what it differs by: likeness does not say otherwise. */
  readonly is_dismissed?: true
}

/**
 * What one step of a resource moved between the platform and the account: its postings at `world`, as one. `day`: in the account's
 * time zone. `open`: no line is matched with it. `isPayout`: a bank may book it with the others of its day, as one (MATCH-4). `explained_by`: the entry
 * by which a person has said that no statement has it. `payment`: another resource whose money it is, as of an exception that keeps what came
 * back: what names that names it.
 */
export interface BookMovement {
  readonly resource_id: string
  readonly version: number
  readonly direction: Direction
  readonly amount: bigint
  readonly day: string
  readonly open: boolean
  readonly isPayout: boolean
  readonly explained_by?: string | undefined
  readonly payment?: string | undefined
}

/** The resources by whose names a movement is found: its own, and the payment whose money it is. */
export const listNamesOf = ({ payment, resource_id }: Pick<BookMovement, "payment" | "resource_id">) =>
  payment === undefined ? [resource_id] : [resource_id, payment]

/**
 * A resource that a line names. `payment`: `under_way` while its provider has it, or may have it, and its outcome is not known;
 * `returning` while its money is on the way back to its payer; `paid` and `not_paid` otherwise. `due`: what it pays, or takes, in the account's currency; null: nothing.
 * `fees`: what its provider reported to have charged in that currency.
 */
export interface NamedResource {
  readonly id: string
  readonly payment: "under_way" | "returning" | "paid" | "not_paid"
  readonly due: { readonly direction: Direction; readonly amount: bigint } | null
  readonly fees: ReadonlyArray<bigint>
}

export interface MatchedBooks {
  /** All movements of the resources that a line names, and those that may be alike. */
  readonly movements: ReadonlyArray<BookMovement>
  readonly resources: ReadonlyArray<NamedResource>
  /** The days of which `movements` has every payout of the account. */
  readonly wholeDays: ReadonlySet<string>
}

export interface Matched {
  readonly resource_id: string
  readonly version: number
  readonly amount: bigint
  readonly rule: MatchRule
}

export interface MatchCandidate {
  readonly resource_id: string
  readonly amount: bigint
  readonly rule: MatchRule
}

/** The differences that a line can be. */
export type LineBreakKind = "missing_in_books" | "amount_differs" | "executed_twice" | "contradicts_status"

/**
 * Why a line is not matched. `amount`: the difference; `direction`: in which direction the bank has moved more. `exposure`: what may be
 * lost; zero: nothing. `resources`: those that the line names. `told_from`: the movements that are subtracted from its lines; with several
 * lines of one payment, as many movements. The rest is the amount.
 */
export interface LineBreak {
  readonly kind: LineBreakKind
  readonly severity: "low" | "high"
  readonly amount: bigint
  readonly direction: Direction
  readonly exposure: bigint
  readonly resources: ReadonlyArray<string>
  /** Those of them by which the line is decided: what it names before all. */
  readonly decidedBy: ReadonlyArray<string>
  readonly candidates: ReadonlyArray<MatchCandidate>
  readonly told_from: ReadonlyArray<Pick<BookMovement, "resource_id" | "version" | "amount">>
  /** Whether another line is the payment that it names: each line that is too many is a difference of its own. */
  readonly isSurplus: boolean
  /** The resource that the line pays, if its outcome is unknown: a signed line decides it, of a file's a person (MATCH-8). */
  readonly adopt: string | null
}

/** What became of a line: either matches, or a difference. */
export type LineFinding =
  | { readonly line_id: string; readonly matches: readonly [Matched, ...ReadonlyArray<Matched>] }
  | { readonly line_id: string; readonly difference: LineBreak }

const compareIds = (a: OpenLine, b: OpenLine): number => compareCodeUnits(a.day, b.day) || compareCodeUnits(a.id, b.id)
const compareContent = (a: OpenLine, b: OpenLine): number =>
  compareCodeUnits(a.day, b.day) || compareCodeUnits(a.content ?? "", b.content ?? "") || compareCodeUnits(a.id, b.id)
/** Orders lines of several accounts by the account that was made first. */
const compareAccounts = (a: OpenLine, b: OpenLine): number =>
  (a.account ?? 0) - (b.account ?? 0) || compareContent(a, b)
const compareSteps = (a: BookMovement, b: BookMovement): number =>
  compareCodeUnits(a.day, b.day) || compareCodeUnits(a.resource_id, b.resource_id) || a.version - b.version

const sumMovements = (movements: ReadonlyArray<BookMovement>): bigint =>
  movements.reduce((sum, { amount }) => sum + amount, 0n)

const groupBy = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

type LineNaming = OpenLine["names"][number]

/** How strong a naming is: by a reference of the line's own, by one in its text, or by what a person may write (MATCH-2, MATCH-3). */
const rankNaming = ({ by, is_remitted, is_said }: LineNaming): 0 | 1 | 2 =>
  by === "resource_id" || by === "reference" ? 2 : is_said === true || is_remitted === true ? 1 : 0

const reverseDirection = (direction: Direction): Direction => (direction === "debit" ? "credit" : "debit")

/** Whether a line names a resource: a reference is the merchant's own text, and no proof that another amount is wrong. */
export const isName = (
  { amount, direction }: Pick<OpenLine, "amount" | "direction">,
  { by }: Pick<LineNaming, "by">,
  resource: NamedResource | undefined,
  moved: ReadonlyArray<Pick<BookMovement, "amount" | "direction">>
): boolean =>
  by !== "reference" ||
  (direction === "debit" && resource?.fees.includes(amount) === true) ||
  [...moved, ...[resource?.due ?? []].flat()].some((one) => one.direction === direction && one.amount === amount)

/** Whether a line has exactly what a payment was for that the books say was not made. */
const isPaidAnyway = ({ amount }: OpenLine, resource: NamedResource | undefined): boolean =>
  resource?.payment === "not_paid" && resource.due?.amount === amount

const toMatch = ({ amount, resource_id, version }: BookMovement, rule: MatchRule): Matched => ({
  resource_id,
  version,
  amount,
  rule
})

/** The most candidates of a difference, earliest day first. */
const CANDIDATES_MAX = 100

const toCandidate = ({ amount, resource_id }: BookMovement, rule: MatchRule): MatchCandidate => ({
  resource_id,
  amount,
  rule
})

/** Makes the break of a line that is not matched for certain. `candidates` are in the order of the movements. */
const makeLineBreak = (
  { amount, direction }: OpenLine,
  candidates: ReadonlyArray<MatchCandidate> = [],
  resources: ReadonlyArray<string> = [],
  decidedBy = resources
): LineBreak => ({
  kind: "missing_in_books",
  severity: "low",
  amount,
  direction,
  exposure: 0n,
  resources,
  decidedBy,
  candidates,
  told_from: [],
  isSurplus: false,
  adopt: null
})

/** The key under which lines claim the same movement of a resource that they name: their direction and amount. */
const claimKey = ({ amount, direction }: OpenLine, resource_id: string): string =>
  `${resource_id} ${direction} ${amount}`

/** The key of likeness (MATCH-5): lines and movements with the same one are alike. */
const toLikeness = ({ amount, day, direction }: OpenLine | BookMovement): string => `${day} ${direction} ${amount}`

/** A difference of a line that names something, in its direction: below zero is the other. */
type Found = (kind: LineBreakKind, amount: bigint, about?: Partial<Pick<LineBreak, "adopt" | "told_from">>) => LineBreak

/** The state of one run. */
class Run {
  readonly lines: ReadonlyArray<OpenLine>
  private readonly movements: ReadonlyArray<BookMovement>
  private readonly wholeDays: ReadonlySet<string>
  private readonly of: ReadonlyMap<string, ReadonlyArray<BookMovement>>
  private readonly keptOf: ReadonlyMap<string, ReadonlyArray<BookMovement>>
  private readonly resources: ReadonlyMap<string, NamedResource>
  private readonly used = new Set<BookMovement>()
  private readonly findings = new Map<string, LineFinding>()
  /** How many movements of what a line names are in the differences of others. */
  private readonly counted = new Map<string, number>()
  /** The lines that name a resource. */
  private readonly namedBy: ReadonlyMap<string, ReadonlyArray<OpenLine>>
  /** By what lines claim: the account of whose lines too many name it as strongly. */
  private readonly askedBy = new Map<string, number>()

  constructor(lines: ReadonlyArray<OpenLine>, { movements, resources, wholeDays }: MatchedBooks) {
    this.lines = lines.toSorted(compareIds)
    this.movements = movements.toSorted(compareSteps)
    this.wholeDays = wholeDays
    this.of = groupBy(this.movements, ({ resource_id }) => resource_id)
    const kept = this.movements.filter(({ payment }) => payment !== undefined)
    this.keptOf = groupBy(kept, ({ payment }) => payment!)
    this.resources = new Map(resources.map((one) => [one.id, one]))
    const named = new Map<string, Array<OpenLine>>()
    for (const line of this.lines)
      for (const { resource_id } of line.names) {
        const lines = named.get(resource_id)
        if (lines === undefined) named.set(resource_id, [line])
        else lines.push(line)
      }
    this.namedBy = named
  }

  private isOpen = (movement: BookMovement): boolean => movement.open && !this.used.has(movement)

  private match(line: OpenLine, movements: ReadonlyArray<BookMovement>, rule: MatchRule): void {
    const [first, ...rest] = movements.map((one) => toMatch(one, rule))
    for (const one of movements) this.used.add(one)
    this.findings.set(line.id, { line_id: line.id, matches: [first!, ...rest] })
  }

  private differ(line: OpenLine, difference: LineBreak): void {
    this.findings.set(line.id, { line_id: line.id, difference })
  }

  private rest(): ReadonlyArray<OpenLine> {
    return this.lines.filter(({ id }) => !this.findings.has(id))
  }

  /**
   * The movements of a resource, and after them those of its money that another has. What lines name as that other is theirs: it is found
   * under the resource once they are something else.
   */
  private movementsOf(resource_id: string): ReadonlyArray<BookMovement> {
    const own = this.of.get(resource_id) ?? []
    const kept = this.keptOf.get(resource_id)
    if (kept === undefined) return own
    return [...own, ...kept.filter((one) => !this.isOpen(one) || this.naming(one.resource_id).length === 0)]
  }

  private named(line: OpenLine, names = line.names): ReadonlyArray<BookMovement> {
    return [...new Set(names.flatMap(({ resource_id }) => this.movementsOf(resource_id)))]
      .filter(({ direction }) => direction === line.direction)
      .sort(compareSteps)
  }

  /**
   * Whether a line's text tells of a payment that another line has. Of that payment's own amount the line would be the payment
   * again.
   */
  private isMention(line: OpenLine, { is_remitted, is_said, resource_id }: LineNaming): boolean {
    const due = this.resources.get(resource_id)?.due
    const own = this.movementsOf(resource_id).filter(({ direction }) => direction === line.direction)
    const isPaid = own.length > 0 || due?.direction !== line.direction
    const isIt = due?.amount === line.amount || own.some((one) => this.isOpen(one) || one.amount === line.amount)
    return (is_said === true || is_remitted === true) && isPaid && !isIt
  }

  /**
   * The names that decide a line: the strongest among movements in its direction, made or expected. Weaker names give only candidates
   * (MATCH-2), even with the amount of the line: it is then a line of another amount.
   */
  private deciding(line: OpenLine): ReadonlyArray<LineNaming> {
    const isSameWay = ({ direction }: Pick<BookMovement, "direction">): boolean => direction === line.direction
    const own = line.names.filter((name) => {
      const moved = this.movementsOf(name.resource_id)
      const due = this.resources.get(name.resource_id)?.due ?? []
      return [...moved, ...[due].flat()].some(isSameWay) && !this.isMention(line, name)
    })
    const names = own.length > 0 ? own : line.names
    const best = Math.min(...names.map(rankNaming))
    return names.filter((one) => rankNaming(one) === best)
  }

  /** What a line names before all, by its direction. */
  private nameOf(line: OpenLine): string {
    return `${line.direction} ${this.deciding(line)[0]?.resource_id}`
  }

  /** The resource of which an open movement has the amount of a line that names it. None where two are a question. */
  private claimOf(line: OpenLine): { readonly name: LineNaming; readonly rank: number } | undefined {
    const [name, ...others] = this.deciding(line).filter(({ resource_id }) =>
      this.movementsOf(resource_id).some(
        (one) => this.isOpen(one) && one.direction === line.direction && one.amount === line.amount
      )
    )
    return name === undefined || others.length > 0 ? undefined : { name, rank: rankNaming(name) }
  }

  /**
   * MATCH-2 and MATCH-3: lines that name one resource of which movements have their amount. A stronger name wins. As many lines as there are
   * movements are they; where more name it as strongly, one id is paid twice, and none is. Of two accounts whose lines name it as strongly, the
   * one that was made first has it.
   */
  byName(): void {
    const claims = this.rest().flatMap((line) => {
      const claim = this.claimOf(line)
      return claim === undefined ? [] : [{ line, ...claim }]
    })
    this.askedBy.clear()
    for (const [claimed, own] of groupBy(claims, ({ line, name }) => claimKey(line, name.resource_id))) {
      const [{ line: first, name }] = own as readonly [(typeof own)[number]]
      const open = this.movementsOf(name.resource_id).filter(
        (one) => this.isOpen(one) && one.direction === first.direction && one.amount === first.amount
      )
      const inOrder = own.toSorted((a, b) => a.rank - b.rank || compareAccounts(a.line, b.line))
      for (const strong of groupBy(inOrder, ({ line, rank }) => `${rank} ${line.account ?? 0}`).values()) {
        if (strong.length > open.length) {
          this.askedBy.set(claimed, strong[0]!.line.account ?? 0)
          break
        }
        for (const { line, name } of strong) this.match(line, [open.shift()!], name.by)
      }
    }
  }

  /** MATCH-4: a line of which the movements that it names are the parts. */
  byBatchReference(): void {
    for (const line of this.rest()) {
      const parts = this.named(line).filter(this.isOpen)
      const isAlone = parts.every((one) => new Set(listNamesOf(one).flatMap((id) => this.naming(id))).size === 1)
      if (parts.length > 1 && isAlone && sumMovements(parts) === line.amount) this.match(line, parts, "batch_reference")
    }
  }

  /** The lines that name a resource and are matched with nothing. */
  private naming(resource_id: string): ReadonlyArray<OpenLine> {
    return (this.namedBy.get(resource_id) ?? []).filter(({ id }) => !this.isMatched(id))
  }

  private isMatched(line_id: string): boolean {
    const found = this.findings.get(line_id)
    return found !== undefined && "matches" in found
  }

  /** Movements that no open line names: another line's difference may be about those. */
  private unnamed(): ReadonlyArray<BookMovement> {
    return this.movements.filter(
      (one) => this.isOpen(one) && listNamesOf(one).every((id) => this.naming(id).length === 0)
    )
  }

  /** Whether likeness may say what a line is. */
  private isNameless = ({ is_dismissed, names }: OpenLine): boolean => names.length === 0 && is_dismissed !== true

  /** MATCH-4: a debit that is the sum of all payouts of its day. */
  byBatchDay(): void {
    const payouts = groupBy(
      this.unnamed().filter(({ direction, isPayout }) => isPayout && direction === "debit"),
      ({ day }) => day
    )
    const lines = groupBy(
      this.rest().filter((line) => this.isNameless(line) && line.direction === "debit"),
      ({ amount, day }) => `${day} ${amount}`
    )
    for (const [line, ...others] of lines.values()) {
      const parts = payouts.get(line!.day) ?? []
      if (others.length > 0 || parts.length < 2 || !this.wholeDays.has(line!.day)) continue
      if (sumMovements(parts) === line!.amount) this.match(line!, parts, "batch_day")
    }
  }

  /** MATCH-5: as many lines as movements of one direction, amount and day. */
  byLikeness(): void {
    const movements = groupBy(this.unnamed(), toLikeness)
    for (const [key, lines] of groupBy(this.rest().filter(this.isNameless), toLikeness)) {
      const alike = movements.get(key) ?? []
      if (alike.length !== lines.length) continue
      for (const [n, line] of lines.toSorted(compareContent).entries()) this.match(line, [alike[n]!], "alike")
    }
  }

  /** What is matched may leave another line, or movement, without a question. Law: a run after that finds nothing more. */
  decided(): ReadonlyArray<LineFinding> {
    for (let before = -1; before < this.findings.size; ) {
      before = this.findings.size
      this.byName()
      this.byBatchReference()
      this.byBatchDay()
      this.byLikeness()
    }
    this.byDifference()
    return this.lines.map(({ id }) => this.findings.get(id)!)
  }

  /** What is left: a difference, with what it may be. */
  byDifference(): void {
    const unnamed = this.unnamed()
    const alike = groupBy(unnamed, toLikeness)
    const near = groupBy(unnamed, ({ amount, direction }) => `${direction} ${amount}`)
    const toList = (some: ReadonlyArray<BookMovement> = [], rule: MatchRule): ReadonlyArray<MatchCandidate> =>
      some.slice(0, CANDIDATES_MAX).map((one) => toCandidate(one, rule))
    // Lines that are alike have the same list: very many of each are no more than as many of the other.
    const lists = new Map<string, ReadonlyArray<MatchCandidate>>()
    const listOf = (line: OpenLine): ReadonlyArray<MatchCandidate> => {
      const key = toLikeness(line)
      const known = lists.get(key)
      if (known !== undefined) return known
      const own = alike.get(key)
      const list =
        own === undefined ? toList(near.get(`${line.direction} ${line.amount}`), "near") : toList(own, "alike")
      lists.set(key, list)
      return list
    }
    const namelessOf = (line: OpenLine): ReadonlyArray<MatchCandidate> => {
      const mentioned = alike.has(toLikeness(line)) ? [] : toList(this.mentioned(line), "reference")
      return mentioned.length === 0 ? listOf(line) : [...mentioned, ...listOf(line)].slice(0, CANDIDATES_MAX)
    }
    const rest = this.rest().toSorted(compareAccounts)
    for (const line of rest) if (this.isPayment(line)) this.counted.set(this.nameOf(line), Infinity)
    for (const line of rest)
      this.differ(line, line.names.length === 0 ? makeLineBreak(line, namelessOf(line)) : this.differenceOf(line))
  }

  private mentioned({ direction, mentions = [] }: OpenLine): ReadonlyArray<BookMovement> {
    return mentions
      .flatMap((id) => this.movementsOf(id))
      .filter((one) => one.direction === direction && this.isOpen(one))
      .toSorted(compareSteps)
  }

  /**
   * Whether a line has the amount of an open movement that it names, or that another line names as strongly, or of a payment under way that
   * the books do not have yet.
   */
  private isPayment(line: OpenLine): boolean {
    const names = this.deciding(line)
    if (names.length !== 1) return false
    const moved = this.named(line, names)
    const due = moved.length === 0 ? this.dueUnderWay(names[0]!.resource_id, line.direction) : undefined
    return due?.amount === line.amount || moved.some((one) => this.isOpen(one) && one.amount === line.amount)
  }

  /** What a payment under way is to move in a direction. */
  private dueUnderWay(resource_id: string, direction: Direction): NonNullable<NamedResource["due"]> | undefined {
    const { due = null, payment } = this.resources.get(resource_id) ?? {}
    return payment === "under_way" && due?.direction === direction ? due : undefined
  }

  /** Takes the next movement to subtract from lines of another amount: each counts once, however many lines name it. */
  private nextOf<Paid>(line: OpenLine, open: ReadonlyArray<Paid>): Paid | undefined {
    const name = this.nameOf(line)
    const counted = this.counted.get(name) ?? 0
    this.counted.set(name, counted + 1)
    return open[counted]
  }

  /** Takes the next movement of a line's amount of which a person had said that no statement has it: each is one line. */
  private nextExplained(line: OpenLine, moved: ReadonlyArray<BookMovement>): BookMovement | undefined {
    const of = moved.filter(({ amount, explained_by }) => explained_by !== undefined && amount === line.amount)
    const key = `explained ${claimKey(line, of[0]?.resource_id ?? "")}`
    const counted = this.counted.get(key) ?? 0
    this.counted.set(key, counted + 1)
    return of[counted]
  }

  /** A line whose names do not settle it. */
  private differenceOf(line: OpenLine): LineBreak {
    const deciding = this.deciding(line)
    const weaker = line.names.filter((one) => !deciding.includes(one))
    const all = this.named(line, deciding)
    const entries = all.flatMap(({ explained_by }) => explained_by ?? [])
    const names = line.names.map(({ resource_id }) => resource_id)
    const kept = all.map(({ resource_id }) => resource_id)
    const decidedBy = [...new Set([...names, ...entries])].sort(compareCodeUnits)
    const resources = [...new Set([...decidedBy, ...kept])].sort(compareCodeUnits)
    const open = all.filter(this.isOpen)
    const same = open.filter(({ amount }) => amount === line.amount)
    const others = this.named(line, weaker).filter((one) => this.isOpen(one) && one.amount === line.amount)
    const rules = new Map(line.names.map(({ by, resource_id }) => [resource_id, by]))
    const ruleOf = (one: BookMovement): Naming => (rules.get(one.resource_id) ?? rules.get(one.payment ?? ""))!
    const candidates = [...open, ...others].slice(0, CANDIDATES_MAX).map((one) => toCandidate(one, ruleOf(one)))
    const found: Found = (kind, amount, { adopt = null, told_from = [] } = {}) => {
      // Money that came is at risk where the books have it in another amount, and what was due and only its outcome not known is not.
      const isOther = kind === "amount_differs" && told_from.length > 0
      const isAtRisk = (line.direction === "debit" || isOther) && kind !== "missing_in_books"
      const [severity, exposure] = isAtRisk ? (["high", amount] as const) : (["low", 0n] as const)
      const magnitude = amount < 0n ? -amount : amount
      const direction = amount < 0n ? reverseDirection(line.direction) : line.direction
      return {
        ...{ kind, severity, amount: magnitude, direction, resources, candidates, told_from, adopt },
        decidedBy: deciding.map(({ resource_id }) => resource_id).sort(compareCodeUnits),
        isSurplus: kind === "executed_twice" && all.length > 0 && (open.length === 0 || isAskedElsewhere),
        exposure: exposure < 0n ? -exposure : exposure
      }
    }
    // No other line is that payment: it is one too many in the books, by the entry.
    if (same.length === 0 && this.nextExplained(line, all) !== undefined)
      return makeLineBreak(line, candidates, resources, decidedBy)
    const isTwice = all.some(({ amount }) => amount === line.amount)
    const asker = this.askedBy.get(claimKey(line, deciding[0]?.resource_id ?? ""))
    const isAskedElsewhere = same.length > 0 && asker !== undefined && asker !== (line.account ?? 0)
    const [only, ...questions] = deciding
    if (only === undefined || questions.length > 0)
      return isTwice && same.length === 0
        ? found("executed_twice", line.amount)
        : makeLineBreak(line, candidates, resources, decidedBy)
    const resource = this.resources.get(only.resource_id)
    if (resource?.fees.includes(line.amount) === true && line.direction === "debit" && !isTwice)
      return makeLineBreak(line, [{ resource_id: resource.id, amount: line.amount, rule: "fee" }], resources, decidedBy)
    if (isTwice) return found("executed_twice", line.amount, { told_from: isAskedElsewhere ? [] : same })
    // A fee names the payment that it is for: that is proof only where the line may be that payment.
    if ((only.by === "reference" || this.isMention(line, only)) && !isPaidAnyway(line, resource))
      return makeLineBreak(line, candidates, resources, decidedBy)
    if (all.length > 0) return this.anotherAmount(line, open, resource, found)
    return this.withoutMovement(line, resource, found)
  }

  /**
   * Decides a line that has another amount than the movement which it names: the whole amount differs if another line has that movement.
   * The provider's fee may be in it.
   */
  private anotherAmount(
    line: OpenLine,
    open: ReadonlyArray<BookMovement>,
    resource: NamedResource | undefined,
    found: Found
  ): LineBreak {
    const paid = this.nextOf(line, open)
    const more = line.amount - (paid?.amount ?? 0n)
    const other = found("amount_differs", more, { told_from: paid === undefined ? [] : [paid] })
    // A fee is what the bank has less, of money that left and of money that came.
    const isFee = other.direction === "debit" && resource?.fees.includes(other.amount) === true
    return isFee ? { ...other, severity: "low", exposure: 0n } : other
  }

  /** A line under a resource that has moved nothing of the kind. */
  private withoutMovement(line: OpenLine, resource: NamedResource | undefined, found: Found): LineBreak {
    // Money that came is not yet told, and a refund may be on its way.
    if (resource === undefined || line.direction === "credit" || resource.payment === "returning")
      return found("missing_in_books", line.amount)
    const { id } = resource
    const due = this.dueUnderWay(id, line.direction)
    if (due === undefined) return found("contradicts_status", line.amount)
    if (due.amount === line.amount) {
      // Two lines under one command are a question, also where the other has another amount.
      const { length } = this.naming(id).filter(({ direction }) => direction === line.direction)
      return length > 1 ? found("executed_twice", line.amount) : found("missing_in_books", line.amount, { adopt: id })
    }
    return found("amount_differs", line.amount - (this.nextOf(line, [due])?.amount ?? 0n))
  }
}

/**
 * Decides every line. `lines` are those of one reading, each once.
 *
 * Law: the result depends neither on the order of the lines nor on that of the books; it has each line once, ordered by day and id. A
 * movement is in at most one match, and the movements of a match sum to its line, in its direction.
 */
export const matchLines = (lines: ReadonlyArray<OpenLine>, books: MatchedBooks): ReadonlyArray<LineFinding> =>
  new Run(lines, books).decided()
