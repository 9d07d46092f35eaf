/**
 * A bank of its own: it has what the simulated provider was given to pay, and writes of what was executed, and of nothing else. Some lines
 * it leaves out, writes a statement later, twice or with another amount, and some are of nobody it knows. Its files are of every format
 * that an account can have, with balances of its own, and some have bookings of earlier ones again.
 */
import { Effect } from "effect"
import type { PayoutCommand } from "../../engine/ports/Provider.ts"
import { beginning, day } from "../program/program.ts"
import { minor } from "../program/amounts.ts"
import { bankAccountOf, bankCurrencies } from "../program/bank.ts"
import { fractionOf } from "../program/random.ts"
import { type BankFormat, type DayOfBookings, type BookedDebit, closingOf, fileOf, formatsOf } from "./bank-files.ts"

export type LineError = "missing" | "twice" | "amount" | "stranger"

/** A line that it wrote, or left out. */
export interface BankLine {
  /** Null: it was left out. */
  readonly reference: string | null
  /** The movement. Null: none. */
  readonly resource_id: string | null
  readonly error: LineError | null
  /** The operation that took its statement. */
  readonly n: number
}

type Payment = Pick<PayoutCommand, "amount" | "currency" | "id" | "resource_id" | "statement_reference">

/** A file as an operator takes it. */
export interface BankFile {
  readonly format: BankFormat
  readonly text: string
}

interface Booked extends BookedDebit {
  readonly currency: string
  /** The operation that took its statement. */
  readonly n: number
}

/** What a statement says of its place among the others. Null: its format has none. */
interface Placed {
  readonly n: number
  readonly currency: string
  readonly number: number | null
  readonly opening: bigint | null
  readonly closing: bigint | null
}

export class PayingBank {
  readonly lines: Array<BankLine> = []
  /** The operations whose statements were taken. */
  readonly taken = new Set<number>()
  /** Its statements in their order, also those that it has lost. */
  readonly #placed: Array<Placed> = []
  readonly #seed: number
  readonly #payments = new Map<string, Payment>()
  /** Payments that are on a statement, or were left out. */
  readonly #written = new Set<string>()
  readonly #files = new Map<number, BankFile>()
  /** Payments that it has left for a later statement. */
  readonly #late = new Set<string>()
  /** Everything that it has booked, of which the balances are the sums. */
  readonly #booked: Array<Booked> = []
  /** Payments that it books for the second time, on its next statement. */
  #again: Array<Payment> = []
  #count = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** The provider is asked to pay. It may be asked again. */
  submitted(command: PayoutCommand): void {
    const { currency, id } = command
    if (bankCurrencies.includes(currency) && !this.#written.has(id)) this.#payments.set(id, command)
  }

  /**
   * The statement of an account on a day, as a file; the same for each repeat of the operation. It has each payment that was executed and is on no
   * statement before. Undefined: there is none.
   */
  statement<E, R>(
    n: number,
    currency: string,
    age: number,
    executions: (command: string) => Effect.Effect<number, E, R>
  ): Effect.Effect<BankFile | undefined, E, R> {
    const known = this.#files.get(n)
    if (known !== undefined) return Effect.succeed(known)
    const asked = [...this.#payments.values()].filter((payment) => payment.currency === currency)
    return Effect.map(
      Effect.forEach(asked, (payment) => executions(payment.id)),
      (counts) => {
        const before = this.#files.get(n)
        if (before !== undefined) return before
        const executed = asked.filter(
          (payment, at) => counts[at]! > 0 && this.#payments.has(payment.id) && !this.#leaves(payment)
        )
        const date = new Date(beginning + Math.floor(age / day) * day).toISOString().slice(0, 10)
        return this.#write(n, date, currency, executed)
      }
    )
  }

  /** Whether a payment is left for a later statement, which happens once. */
  #leaves({ id }: Payment): boolean {
    if (this.#late.has(id) || fractionOf(`late ${this.#seed} ${id}`) >= 0.1) return false
    this.#late.add(id)
    return true
  }

  #write(n: number, date: string, currency: string, executed: ReadonlyArray<Payment>): BankFile | undefined {
    const before = this.#booked.filter((booking) => booking.currency === currency)
    const add = (amount: bigint, payment: string, resource_id: string | null, error: LineError | null): void => {
      const reference = `BANK${String(++this.#count).padStart(6, "0")}`
      this.#booked.push({ n, currency, date, amount, reference, payment })
      this.lines.push({ reference, resource_id, error, n })
    }
    const again = this.#again.filter((payment) => payment.currency === currency)
    this.#again = this.#again.filter((payment) => payment.currency !== currency)
    for (const { amount, resource_id, statement_reference } of again)
      add(minor(amount, currency)!, statement_reference, resource_id, "twice")
    for (const payment of executed) {
      const { id, resource_id, statement_reference } = payment
      const amount = minor(payment.amount, currency)!
      this.#payments.delete(id)
      this.#written.add(id)
      const drawn = fractionOf(`bank ${this.#seed} ${id}`)
      if (drawn < 0.1) this.lines.push({ reference: null, resource_id, error: "missing", n })
      else if (drawn < 0.2) {
        add(amount, statement_reference, resource_id, "twice")
        if (drawn < 0.15) add(amount, statement_reference, resource_id, "twice")
        else this.#again.push(payment)
      } else if (drawn < 0.3) add(amount + minor("0.01", currency)!, statement_reference, resource_id, "amount")
      else add(amount, statement_reference, resource_id, null)
    }
    if (fractionOf(`stranger ${this.#seed} ${n}`) < 0.05)
      add(minor(`90${this.#count}.13`, currency)!, "", null, "stranger")
    const bookings = this.#booked.filter((booking) => booking.currency === currency).slice(before.length)
    if (bookings.length === 0) return undefined
    const formats = formatsOf(currency)
    const format = formats[Math.floor(fractionOf(`format ${this.#seed} ${n}`) * formats.length)]!
    // An export has what was booked lately, also what an earlier one had; it states no balance.
    const isRepeating = format === "csv" && fractionOf(`repeated ${this.#seed} ${n}`) < 0.3
    const repeated = isRepeating ? before.filter((one) => this.#files.has(one.n)).slice(-3) : []
    const statement: DayOfBookings = {
      ...{ n, currency, date },
      number: 1 + this.#placed.filter((one) => one.currency === currency && one.number !== null).length,
      opening: before.reduce((sum, { amount }) => sum - amount, 0n),
      account_number: bankAccountOf(currency),
      bookings: [...repeated, ...bookings]
    }
    const hasBalances = format !== "csv"
    this.#placed.push({
      ...{ n, currency },
      number: format === "mt940" ? statement.number : null,
      opening: hasBalances ? statement.opening : null,
      closing: hasBalances ? closingOf(statement) : null
    })
    if (hasBalances && this.#loses(n)) return undefined
    const file = { format, text: fileOf(format, statement) }
    this.#files.set(n, file)
    return file
  }

  /** Whether a statement never arrives: its payments are on none. One with errors does, which is where they are found. */
  #loses(n: number): boolean {
    const own = this.lines.filter((line) => line.n === n)
    if (fractionOf(`lost ${this.#seed} ${n}`) >= 0.4 || own.some(({ error }) => error !== null)) return false
    for (const [at, line] of this.lines.entries())
      if (line.n === n) this.lines[at] = { ...line, reference: null, error: "missing" }
    this.taken.add(n)
    return true
  }

  /** How many statements of an account show that one before them did not arrive. */
  gapsIn(currency: string): number {
    const arrived = this.#placed.filter(
      (one) => one.currency === currency && this.#files.has(one.n) && this.taken.has(one.n)
    )
    return arrived.filter((one, at) => {
      const last = arrived[at - 1]
      if (last === undefined) return false
      const skips = one.number !== null && last.number !== null && one.number > last.number + 1
      return skips || (one.opening !== null && last.closing !== null && one.opening !== last.closing)
    }).length
  }
}
