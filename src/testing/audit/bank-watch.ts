/**
 * Compares what was found in the statements of the simulated bank with what it did: each of its errors is a break of its kind and no other
 * break is, and a line without one is matched with the payments that it is (MATCH-1, MATCH-4, BREAK-1 to BREAK-3). It knows the bank's own
 * record, and none of the rules of matching.
 */
import type { RowWrite } from "../../engine/ports/Storage.ts"
import { day, hour } from "../program/program.ts"
import type { BankLine, BankNoise, PayingBank } from "../world/bank.ts"
import type { Data } from "../model/orders.ts"

/** The break that a line is. `missing` is none of a line. */
const kindOf: Readonly<Partial<Record<BankNoise, string>>> = {
  twice: "executed_twice",
  amount: "amount_differs",
  split: "amount_differs",
  fee: "amount_differs",
  reversal: "missing_in_books",
  short_batch: "missing_in_books",
  lump: "missing_in_books",
  stranger: "missing_in_books"
}

const overdueKind = "missing_on_statement"

/** A payment is overdue after two business days, and looked for within half a day more. */
const overdueMs = 6 * day

/** An account is looked at again after half a day, also where nothing is new on its statements. */
const matchedMs = day

/** Lists the movements that a break is about. */
const listBreakResources = ({ movements, resource_ids }: Data): ReadonlyArray<string> => [
  ...resource_ids,
  ...movements.map((one: Data) => one["resource_id"])
]

const formatKinds = (breaks: ReadonlyArray<RowWrite>): string =>
  [...new Set(breaks.map(({ data }) => (data as Data)["kind"] as string))].toSorted().join()

const lineKey = (reference: string, name: string): string => `${reference} ${name}`

export class BankWatch {
  readonly #ended: number
  readonly #rows: ReadonlyMap<string, RowWrite>
  readonly #strayed: ReadonlySet<string>
  readonly #breaks: ReadonlyArray<RowWrite>
  /** What was missing until a line had it. */
  readonly #missed: ReadonlyArray<RowWrite>
  readonly #lines: ReadonlyMap<string, RowWrite>

  /** `ended`: the end of the simulation, on the service clock. */
  constructor(rows: ReadonlyMap<string, RowWrite>, strayed: ReadonlySet<string>, ended: number) {
    this.#ended = ended
    this.#rows = rows
    this.#strayed = strayed
    const all = [...rows.values()]
    const breaks = all.filter(({ kind }) => kind === "break")
    // What ended by itself was a difference only until the next statement.
    this.#breaks = breaks.filter(({ data }) => (data as Data)["action"] !== "cleared")
    this.#missed = breaks.filter(({ data }) => {
      const { action, kind } = data as Data
      return action === "cleared" && kind === overdueKind
    })
    this.#lines = new Map(
      all.flatMap((row): ReadonlyArray<readonly [string, RowWrite]> => {
        if (row.kind !== "statement_line") return []
        const { bank_reference, end_to_end_id } = row.data as Data
        return [[lineKey(bank_reference, end_to_end_id ?? ""), row]]
      })
    )
  }

  #row(resource_id: string): RowWrite | undefined {
    return this.#rows.get(`transfer ${resource_id}`) ?? this.#rows.get(`offramp ${resource_id}`)
  }

  /** Whether the books say of a payment what the bank has executed: others made of it what they said. */
  #isClear(resource_id: string): boolean {
    const row = this.#row(resource_id)
    if (row === undefined || this.#strayed.has(resource_id) || row.updated_at > this.#ended - matchedMs) return false
    const { amount, provider, quoted_received_amount: due = amount, received_amount } = row.data as Data
    return row.status === "success" && provider === "simulated" && (received_amount ?? due) === due
  }

  #lineOf({ name, reference }: BankLine): RowWrite | undefined {
    return reference === null ? undefined : this.#lines.get(lineKey(reference, name))
  }

  #breaksOf(line: RowWrite): ReadonlyArray<RowWrite> {
    return this.#breaks.filter(({ data }) => (data as Data)["line_ids"].includes(line.id))
  }

  /**
   * Whether it can be said what must have been found of payments: the books know them, all lines about them have arrived, and nobody has
   * decided about those: an operator may, before the books know of the payment.
   */
  #areCertain(resource_ids: ReadonlyArray<string>, lines: ReadonlyArray<BankLine>, bank: PayingBank): boolean {
    const about = [
      ...lines.flatMap((line) => this.#breaksOf(this.#lineOf(line) ?? ({ id: "" } as RowWrite))),
      ...this.#breaks.filter(({ data }) => listBreakResources(data as Data).some((id) => resource_ids.includes(id)))
    ]
    return (
      lines.every(({ n }) => bank.taken.has(n)) &&
      resource_ids.every((id) => this.#isClear(id)) &&
      // A person has decided, also where that was undone: until then the line of the break accounted for something else.
      !about.some(({ data }) => {
        const { action, held, note } = data as Data
        return action !== null || held || note !== null
      })
    )
  }

  /** How what was found differs from what the bank did. */
  wrong(bank: PayingBank): ReadonlyArray<string> {
    const byPayment = new Map<string, Array<BankLine>>()
    for (const line of bank.lines)
      for (const id of line.resource_ids) byPayment.set(id, [...(byPayment.get(id) ?? []), line])
    const linesAbout = (ids: ReadonlyArray<string>): ReadonlyArray<BankLine> =>
      ids.flatMap((id) => byPayment.get(id) ?? [])
    const ofLines = bank.lines.flatMap((line) => {
      const lines = linesAbout(line.resource_ids)
      return this.#areCertain(line.resource_ids, [line, ...lines], bank) ? this.#wrongLine(line, lines) : []
    })
    const ofPayments = [...byPayment].flatMap(([id, lines]) => {
      const others = lines.flatMap(({ resource_ids }) => resource_ids)
      return this.#areCertain(others, linesAbout(others), bank) ? this.#wrongPayment(id, lines) : []
    })
    return [...ofLines, ...ofPayments, ...this.#gaps(bank)]
  }

  /** Whether a line that names nothing was found to be exactly its payments, all the same: they are all of their day. */
  #isFound({ resource_ids }: BankLine, { data, state }: RowWrite): boolean {
    const matches = (data as Data)["matches"].map((one: Data) => one["resource_id"])
    return state === "matched" && matches.toSorted().join() === resource_ids.toSorted().join()
  }

  /** The breaks that a line must have, of all lines about its payments. */
  #dueOf(line: BankLine, row: RowWrite, lines: ReadonlyArray<BankLine>): string {
    const { noise } = line
    if (noise === "lump" && this.#isFound(line, row)) return ""
    if (noise === "twice") {
      // The first is right where it was there before the second.
      const [first, second] = lines.filter((one) => one.noise === "twice")
      if (second === undefined || (line === first && this.#isFound(line, row))) return ""
    }
    return (noise === null ? undefined : kindOf[noise]) ?? ""
  }

  #wrongLine(line: BankLine, lines: ReadonlyArray<BankLine>): ReadonlyArray<string> {
    const { n, noise, reference, resource_ids } = line
    if (noise === "missing") return []
    const row = this.#lineOf(line)
    if (row === undefined) return [`line ${reference} of the statement of operation ${n} is not there`]
    const breaks = this.#breaksOf(row)
    const due = this.#dueOf(line, row, lines)
    const shown = `line ${reference} (${row.id}, ${noise}, ${row.state})`
    if (formatKinds(breaks) !== due || breaks.length > 1)
      return [`${shown} has the ${breaks.length} breaks [${formatKinds(breaks)}], not [${due}]`]
    const [{ amount = null } = {} as Data] = breaks.map(({ data }) => data as Data)
    if (due !== "" && amount !== String(line.differs)) return [`${shown} differs by ${amount}, not by ${line.differs}`]
    return due === "" && !this.#isFound(line, row) ? [`${shown} is not matched with ${resource_ids.join()}`] : []
  }

  /** Whether a payment was said to be on no statement although a line with its name was there. */
  #isMissedAnyway(id: string, lines: ReadonlyArray<BankLine>): boolean {
    const names = lines.filter(({ noise }) => noise !== "lump" && noise !== "reversal")
    const rows = names.flatMap((line) => this.#lineOf(line) ?? [])
    return this.#missed.some(
      ({ created_at, data }) =>
        listBreakResources(data as Data).includes(id) && rows.some((line) => line.created_at + hour < created_at)
    )
  }

  /** A payment has the breaks of its lines, and one of its own where it is on no statement. */
  #wrongPayment(id: string, lines: ReadonlyArray<BankLine>): ReadonlyArray<string> {
    if (this.#isMissedAnyway(id, lines)) return [`${id} was missing on statements although a line had its name`]
    const { updated_at = Infinity } = this.#row(id) ?? {}
    const isBooked = lines.some((line) => {
      const row = this.#lineOf(line)
      return row !== undefined && line.noise !== "reversal" && (line.noise !== "lump" || this.#isFound(line, row))
    })
    if (!isBooked && updated_at > this.#ended - overdueMs) return []
    const ofLines = lines.flatMap((line) => {
      const row = this.#lineOf(line)
      return row === undefined || line.noise === "lump" ? [] : [this.#dueOf(line, row, lines)]
    })
    const isTwice = lines.filter(({ noise }) => noise === "twice").length > 1
    const due = new Set([...ofLines, isTwice ? kindOf.twice! : "", isBooked ? "" : overdueKind])
    due.delete("")
    const found = formatKinds(this.#breaks.filter(({ data }) => listBreakResources(data as Data).includes(id)))
    const expected = [...due].toSorted().join()
    const shown = lines.map(({ noise, reference }) => `${reference} ${noise}`).join()
    return found === expected ? [] : [`${id} (lines ${shown}) has the breaks [${found}], not [${expected}]`]
  }

  /** Each statement that follows one that did not arrive has a break that says so, and no other has. */
  #gaps(bank: PayingBank): ReadonlyArray<string> {
    const accounts = [...this.#rows.values()].filter(({ kind }) => kind === "external_account")
    return accounts.flatMap(({ data, id }) => {
      const { currency } = data as Data
      const found = this.#breaks.filter(
        (row) => (row.data as Data)["kind"] === "gap" && (row.data as Data)["external_account_id"] === id
      )
      const due = bank.gapsIn(currency)
      return found.length === due ? [] : [`${id} has ${found.length} gaps between its statements, not ${due}`]
    })
  }
}
