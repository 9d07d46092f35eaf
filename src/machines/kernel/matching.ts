/**
 * Matching: which movements of the books the lines of a statement are (MATCH-2 to MATCH-6). Pure: what it decides depends on its
 * arguments alone, and not on their order. It never guesses: what is not certain is proposed, with its candidates.
 */

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
 * Why a line is matched with a movement, or may be. `batch_reference`, `batch_day` (MATCH-4) and `alike` (MATCH-5) name nothing; `fee`
 * (MATCH-6) and `near` only propose; `person`: a person said so.
 */
export const matchRules = [...namings, "batch_reference", "batch_day", "alike", "fee", "near", "person"] as const
export type MatchRule = (typeof matchRules)[number]

/** A line that is not matched. `amount`: minor units, > 0. `day`: its booking day, `YYYY-MM-DD`. */
export interface OpenLine {
  readonly id: string
  readonly direction: Direction
  readonly amount: bigint
  readonly day: string
  /** What it names, each resource by its strongest naming. `is_said`: a word of its text does, which may only mention it. */
  readonly names: ReadonlyArray<{ readonly resource_id: string; readonly by: Naming; readonly is_said?: true }>
}

/**
 * What one step of a resource moved between the platform and the account: its postings at `world`, as one. `day`: in the account's
 * time zone. `open`: no line is matched with it.
 */
export interface BookMovement {
  readonly resource_id: string
  readonly version: number
  readonly direction: Direction
  readonly amount: bigint
  readonly day: string
  readonly open: boolean
}

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

/** Why a line is not matched. `amount`: what differs. `exposure`: what may be lost; zero: nothing. `resources`: those that the line names. */
export interface LineBreak {
  readonly kind: LineBreakKind
  readonly severity: "low" | "high"
  readonly amount: bigint
  readonly exposure: bigint
  readonly resources: ReadonlyArray<string>
  readonly candidates: ReadonlyArray<MatchCandidate>
  /** The resource that the line pays, if its outcome is unknown: a signed line decides it, of a file's a person (MATCH-8). */
  readonly adopt: string | null
}

/** What became of a line: either matches, or a difference. */
export type LineFinding =
  | { readonly line_id: string; readonly matches: readonly [Matched, ...ReadonlyArray<Matched>] }
  | { readonly line_id: string; readonly difference: LineBreak }

const texts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byId = (a: OpenLine, b: OpenLine): number => texts(a.day, b.day) || texts(a.id, b.id)
const byStep = (a: BookMovement, b: BookMovement): number =>
  texts(a.day, b.day) || texts(a.resource_id, b.resource_id) || a.version - b.version

const sumOf = (movements: ReadonlyArray<BookMovement>): bigint =>
  movements.reduce((sum, { amount }) => sum + amount, 0n)

const grouped = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** A reference is the merchant's own text: it is no proof that another amount is wrong. */
const isProof = (by: Naming): boolean => by !== "reference"

/** Whether a line has exactly what a payment was for that the books say was not made. */
const isPaidAnyway = ({ amount }: OpenLine, resource: NamedResource | undefined): boolean =>
  resource?.payment === "not_paid" && resource.due?.amount === amount

const asMatch = ({ amount, resource_id, version }: BookMovement, rule: MatchRule): Matched => ({
  resource_id,
  version,
  amount,
  rule
})

const asCandidate = ({ amount, resource_id }: BookMovement, rule: MatchRule): MatchCandidate => ({
  resource_id,
  amount,
  rule
})

/** What is not certain. `candidates` in the order of the movements. */
const missing = (
  { amount }: OpenLine,
  candidates: ReadonlyArray<MatchCandidate> = [],
  resources: ReadonlyArray<string> = []
): LineBreak => ({
  kind: "missing_in_books",
  severity: "low",
  amount,
  exposure: 0n,
  resources,
  candidates,
  adopt: null
})

/** The state of one run. */
class Run {
  readonly lines: ReadonlyArray<OpenLine>
  private readonly movements: ReadonlyArray<BookMovement>
  private readonly wholeDays: ReadonlySet<string>
  private readonly of: ReadonlyMap<string, ReadonlyArray<BookMovement>>
  private readonly resources: ReadonlyMap<string, NamedResource>
  private readonly used = new Set<BookMovement>()
  private readonly findings = new Map<string, LineFinding>()
  /** The lines that name a resource. */
  private readonly namedBy: ReadonlyMap<string, ReadonlyArray<OpenLine>>

  constructor(lines: ReadonlyArray<OpenLine>, { movements, resources, wholeDays }: MatchedBooks) {
    this.lines = lines.toSorted(byId)
    this.movements = movements.toSorted(byStep)
    this.wholeDays = wholeDays
    this.of = grouped(this.movements, ({ resource_id }) => resource_id)
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
    const [first, ...rest] = movements.map((one) => asMatch(one, rule))
    for (const one of movements) this.used.add(one)
    this.findings.set(line.id, { line_id: line.id, matches: [first!, ...rest] })
  }

  private differ(line: OpenLine, difference: LineBreak): void {
    this.findings.set(line.id, { line_id: line.id, difference })
  }

  private rest(): ReadonlyArray<OpenLine> {
    return this.lines.filter(({ id }) => !this.findings.has(id))
  }

  private named(line: OpenLine): ReadonlyArray<BookMovement> {
    return line.names
      .flatMap(({ resource_id }) => this.of.get(resource_id) ?? [])
      .filter(({ direction }) => direction === line.direction)
      .sort(byStep)
  }

  /** Whether a movement is claimed by more lines of its amount than its resource has movements of it: one id is paid twice. */
  private isContested({ amount, direction, resource_id }: BookMovement): boolean {
    const alike = (one: { readonly amount: bigint; readonly direction: Direction }): boolean =>
      one.amount === amount && one.direction === direction
    const lines = (this.namedBy.get(resource_id) ?? []).filter(alike)
    return (
      lines.length > 1 && lines.length > (this.of.get(resource_id) ?? []).filter((one) => one.open && alike(one)).length
    )
  }

  /** MATCH-2 and MATCH-3: lines that name exactly one movement of their amount. */
  byName(): void {
    for (const line of this.rest()) {
      if (line.names.length === 0) continue
      const exact = this.named(line).filter((one) => this.isOpen(one) && one.amount === line.amount)
      const [movement] = exact
      if (movement === undefined || this.isContested(movement)) continue
      // Two steps of one resource are alike; two resources are a question.
      if (new Set(exact.map(({ resource_id }) => resource_id)).size > 1) continue
      const { by } = line.names.find(({ resource_id }) => resource_id === movement.resource_id)!
      this.match(line, [movement], by)
    }
  }

  /** MATCH-4: a line of which the movements that it names are the parts. */
  byBatchReference(): void {
    for (const line of this.rest()) {
      const parts = this.named(line).filter(this.isOpen)
      const isAlone = parts.every(({ resource_id }) => this.namedBy.get(resource_id)?.length === 1)
      if (parts.length > 1 && isAlone && sumOf(parts) === line.amount) this.match(line, parts, "batch_reference")
    }
  }

  /** Movements that no line names: another line's difference may be about those. */
  private unnamed(): ReadonlyArray<BookMovement> {
    return this.movements.filter((one) => this.isOpen(one) && !this.namedBy.has(one.resource_id))
  }

  private isNameless = ({ names }: OpenLine): boolean => names.length === 0

  /** MATCH-4: a debit that is the sum of all payouts of its day. */
  byBatchDay(): void {
    const payouts = grouped(
      this.unnamed().filter(({ direction }) => direction === "debit"),
      ({ day }) => day
    )
    const lines = grouped(
      this.rest().filter((line) => this.isNameless(line) && line.direction === "debit"),
      ({ amount, day }) => `${day} ${amount}`
    )
    for (const [line, ...others] of lines.values()) {
      const parts = payouts.get(line!.day) ?? []
      if (others.length > 0 || parts.length < 2 || !this.wholeDays.has(line!.day)) continue
      if (sumOf(parts) === line!.amount) this.match(line!, parts, "batch_day")
    }
  }

  /** MATCH-5: as many lines as movements of one direction, amount and day. Else they are the candidates of each other. */
  byLikeness(): void {
    const keyOf = ({ amount, day, direction }: OpenLine | BookMovement): string => `${day} ${direction} ${amount}`
    const movements = grouped(this.unnamed(), keyOf)
    for (const [key, lines] of grouped(this.rest().filter(this.isNameless), keyOf)) {
      const alike = movements.get(key) ?? []
      for (const [n, line] of lines.entries())
        if (alike.length === lines.length) this.match(line, [alike[n]!], "alike")
        else if (alike.length > 0)
          this.differ(
            line,
            missing(
              line,
              alike.map((one) => asCandidate(one, "alike"))
            )
          )
    }
  }

  decided(): ReadonlyArray<LineFinding> {
    this.byName()
    this.byBatchReference()
    this.byBatchDay()
    this.byLikeness()
    this.byDifference()
    return this.lines.map(({ id }) => this.findings.get(id)!)
  }

  /** What is left: a difference, with what it may be. */
  byDifference(): void {
    const near = grouped(this.unnamed(), ({ amount, direction }: BookMovement) => `${direction} ${amount}`)
    for (const line of this.rest()) {
      const close = near.get(`${line.direction} ${line.amount}`) ?? []
      this.differ(
        line,
        line.names.length === 0
          ? missing(
              line,
              close.map((one) => asCandidate(one, "near"))
            )
          : this.differenceOf(line)
      )
    }
  }

  /** A line whose names do not settle it. */
  private differenceOf(line: OpenLine): LineBreak {
    const resources = line.names.map(({ resource_id }) => resource_id).sort(texts)
    const all = this.named(line)
    const open = all.filter(this.isOpen)
    const rules = new Map(line.names.map(({ by, resource_id }) => [resource_id, by]))
    const candidates = open.map((one) => asCandidate(one, rules.get(one.resource_id)!))
    const found = (kind: LineBreakKind, amount: bigint, adopt: string | null = null): LineBreak => {
      // Money that came is not at risk, nor what was due and only its outcome not known.
      const isAtRisk = line.direction === "debit" && kind !== "missing_in_books"
      const [severity, exposure] = isAtRisk ? (["high", amount] as const) : (["low", 0n] as const)
      return { kind, severity, amount, exposure, resources, candidates, adopt }
    }
    const [only, ...others] = line.names
    if (only === undefined || others.length > 0) {
      const same = all.filter(({ amount }) => amount === line.amount)
      const isTwice = same.length > 0 && same.every((one) => !this.isOpen(one))
      return isTwice ? found("executed_twice", line.amount) : missing(line, candidates, resources)
    }
    const resource = this.resources.get(only.resource_id)
    if (
      resource?.fees.includes(line.amount) === true &&
      line.direction === "debit" &&
      !all.some(({ amount }) => amount === line.amount)
    )
      return missing(line, [{ resource_id: resource.id, amount: line.amount, rule: "fee" }], resources)
    if (all.some(({ amount }) => amount === line.amount)) return found("executed_twice", line.amount)
    // A fee names the payment that it is for: that is proof only where the line may be that payment.
    const isPaid = all.length > 0 || resource?.due?.direction !== line.direction
    const isMention = only.is_said === true && isPaid && open.length === 0 && resource?.due?.amount !== line.amount
    if ((!isProof(only.by) || isMention) && !isPaidAnyway(line, resource)) return missing(line, candidates, resources)
    if (all.length > 0) return this.anotherAmount(line, open, resource, found)
    return this.withoutMovement(line, resource, found)
  }

  /** A line of another amount than the movement that it names, and all of it where a line has that. Its provider's fee may be in it. */
  private anotherAmount(
    line: OpenLine,
    [movement]: ReadonlyArray<BookMovement>,
    resource: NamedResource | undefined,
    found: (kind: LineBreakKind, exposure: bigint) => LineBreak
  ): LineBreak {
    const more = line.amount - (movement?.amount ?? 0n)
    const difference = more < 0n ? -more : more
    const withFee = resource?.fees.some((fee) => more === fee) === true
    const other = found("amount_differs", difference)
    return withFee ? { ...other, severity: "low", exposure: 0n } : other
  }

  /** A line under a resource that has moved nothing of the kind. */
  private withoutMovement(
    line: OpenLine,
    resource: NamedResource | undefined,
    found: (kind: LineBreakKind, exposure: bigint, adopt?: string | null) => LineBreak
  ): LineBreak {
    // Money that came is not yet told, and a refund may be on its way.
    if (resource === undefined || line.direction === "credit" || resource.payment === "returning")
      return found("missing_in_books", line.amount)
    const { due, id, payment } = resource
    if (payment !== "under_way") return found("contradicts_status", line.amount)
    if (due === null || due.direction !== line.direction) return found("contradicts_status", line.amount)
    if (due.amount === line.amount) {
      const { length } = (this.namedBy.get(id) ?? []).filter(({ direction }) => direction === line.direction)
      return length > 1 ? found("executed_twice", line.amount) : found("missing_in_books", line.amount, id)
    }
    const more = line.amount - due.amount
    return found("amount_differs", more < 0n ? -more : more)
  }
}

/**
 * Decides every line. `lines` are those of one reading, each once.
 *
 * Law: the result depends neither on the order of the lines nor on that of the books; it has each line once, ordered by day and id. A
 * movement is in at most one match, and the movements of a match sum to its line, in its direction.
 */
export const matched = (lines: ReadonlyArray<OpenLine>, books: MatchedBooks): ReadonlyArray<LineFinding> =>
  new Run(lines, books).decided()
