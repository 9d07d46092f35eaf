/**
 * Compares what was found in the statements of the simulated bank with what it did: each of its errors is a break of its kind, and a line
 * without one is matched with the payment that it is (MATCH-1, BREAK-1 to BREAK-3).
 */
import type { RowWrite } from "../../engine/ports/Storage.ts"
import { day } from "../program/program.ts"
import type { PayingBank, BankLine, LineError } from "../world/bank.ts"
import type { Data } from "../model/orders.ts"

const kindOf: Readonly<Record<LineError, string>> = {
  missing: "missing_on_statement",
  twice: "executed_twice",
  amount: "amount_differs",
  stranger: "missing_in_books"
}

/** A payment is overdue after two business days, and looked for within half a day more. */
const overdueMs = 6 * day

/** An account is looked at again after half a day, also where nothing is new on its statements. */
const matchedMs = day

/** Whether a person has decided about a break. */
const isDecided = ({ action, held }: Data): boolean => action !== null || held

/** The movements that a break is about. */
const namedIn = ({ movements, resource_ids }: Data): ReadonlyArray<string> => [
  ...resource_ids,
  ...movements.map((one: Data) => one["resource_id"])
]

export class BankWatch {
  readonly #ended: number
  readonly #rows: ReadonlyMap<string, RowWrite>
  readonly #strayed: ReadonlySet<string>
  readonly #breaks: ReadonlyArray<RowWrite>
  readonly #lines: ReadonlyMap<string, RowWrite>

  /** `ended`: the end of the simulation, on the service clock. */
  constructor(rows: ReadonlyMap<string, RowWrite>, strayed: ReadonlySet<string>, ended: number) {
    this.#ended = ended
    this.#rows = rows
    this.#strayed = strayed
    const all = [...rows.values()]
    // What ended by itself was a difference only until the next statement.
    this.#breaks = all.filter(({ data, kind }) => kind === "break" && (data as Data)["action"] !== "cleared")
    this.#lines = new Map(
      all.filter(({ kind }) => kind === "statement_line").map((row) => [(row.data as Data)["bank_reference"], row])
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

  /**
   * Whether all lines about a payment have arrived, the books know it, and nobody has decided about its line: an operator may, before the
   * books know of the payment.
   */
  #isCertain({ error, n, reference, resource_id }: BankLine, { taken }: PayingBank): boolean {
    if (!taken.has(n) || (resource_id !== null && !this.#isClear(resource_id))) return false
    const { id } = this.#lines.get(reference ?? "") ?? {}
    return (
      error !== null ||
      !this.#breaks.some(({ data }) => {
        const isAbout = (data as Data)["line_ids"].includes(id) || namedIn(data as Data).includes(resource_id ?? "")
        return isDecided(data as Data) && isAbout
      })
    )
  }

  /** How what was found differs from what the bank did. */
  wrong(bank: PayingBank): ReadonlyArray<string> {
    const found = bank.lines.flatMap((line): ReadonlyArray<string> => {
      const { error, n, reference, resource_id } = line
      const row = reference === null ? undefined : this.#lines.get(reference)
      if (!this.#isCertain(line, bank)) return []
      if (error === "missing") return this.#missed(resource_id!)
      if (row === undefined) return [`line ${reference} of the statement of operation ${n} is not there`]
      if (error === "twice") return this.#twice(bank, resource_id!)
      const about = this.#breaks.filter(({ data }) => (data as Data)["line_ids"].includes(row.id))
      const kinds = [...new Set(about.map(({ data }) => (data as Data)["kind"]))].join()
      const due = error === null ? "" : kindOf[error]
      if (kinds !== due) return [`line ${reference} (${row.id}, ${row.state}) has the breaks [${kinds}], not [${due}]`]
      const { matches } = row.data as Data
      if (error === null && (row.state !== "matched" || matches[0].resource_id !== resource_id))
        return [`line ${reference} (${row.id}) is ${row.state}, but it is ${resource_id}`]
      return []
    })
    return [...found, ...this.#unfounded(bank), ...this.#gaps(bank)]
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

  #about(resource_id: string, kind: string): ReadonlyArray<RowWrite> {
    return this.#breaks.filter(
      ({ data }) => (data as Data)["kind"] === kind && namedIn(data as Data).includes(resource_id)
    )
  }

  #missed(resource_id: string): ReadonlyArray<string> {
    const { updated_at = Infinity } = this.#row(resource_id) ?? {}
    if (updated_at > this.#ended - overdueMs || this.#about(resource_id, kindOf.missing).length > 0) return []
    return [`${resource_id} is on no statement, and no break says so`]
  }

  #twice(bank: PayingBank, resource_id: string): ReadonlyArray<string> {
    const lines = bank.lines.filter((line) => line.resource_id === resource_id && bank.taken.has(line.n))
    if (lines.length < 2 || this.#about(resource_id, kindOf.twice).length > 0) return []
    return [`${resource_id} was booked twice by the bank, and no break says so`]
  }

  /** A payment that is on a statement is missing on none. */
  #unfounded(bank: PayingBank): ReadonlyArray<string> {
    const right = bank.lines.filter((line) => line.error === null && this.#isCertain(line, bank))
    return right.flatMap(({ reference, resource_id }) =>
      this.#about(resource_id!, kindOf.missing).map(
        ({ id }) => `${id} says that ${resource_id} is on no statement, but it is line ${reference}`
      )
    )
  }
}
