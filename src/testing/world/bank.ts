/**
 * A bank of its own: it has what the simulated provider was given to pay, and writes of what was executed, and of nothing else. Its
 * lines have noise of every kind ({@link BankNoise}), and some are of nobody it knows. Its files are of every format that an account can
 * have, with balances of its own, and some have bookings of earlier ones again.
 */
import { Effect } from "effect"
import type { PayoutCommand } from "../../engine/ports/Provider.ts"
import { beginning, day } from "../program/program.ts"
import { parseMinorUnits } from "../program/amounts.ts"
import { makeBankAccount, bankCurrencies } from "../program/bank.ts"
import { hashToFraction } from "../program/random.ts"
import {
  type BankBooking,
  type BankFormat,
  type DayOfBookings,
  computeClosing,
  writeFile,
  listFormats,
  splitBooking,
  type NamedPayment
} from "./bank-files.ts"

/**
 * What is unusual about a line. `missing`: it was left out. `twice`: one of two that book a payment. `amount`: of another amount. `split`:
 * a part of a payment. `fee`: booked apart, under the payment that it is for. `reversal`: gives a payment back. `merged`: several payments,
 * each named. `short_batch`: the same, of another amount than they sum to. `lump`: several payments, of which none is named. `stranger`:
 * of nobody.
 */
export type BankNoise =
  | "missing"
  | "twice"
  | "amount"
  | "split"
  | "fee"
  | "reversal"
  | "merged"
  | "short_batch"
  | "lump"
  | "stranger"

/** A line that it wrote, or left out. */
export interface BankLine {
  /** Null: it was left out. */
  readonly reference: string | null
  /** The one name that it has. Empty: none, or several. */
  readonly name: string
  /** The movements that it books. */
  readonly resource_ids: ReadonlyArray<string>
  readonly noise: BankNoise | null
  /** By how much it differs from what was to be paid. */
  readonly differs: bigint
  /** The operation that took its statement. */
  readonly n: number
}

type Payment = Pick<PayoutCommand, "amount" | "currency" | "id" | "resource_id" | "statement_reference">

/** How often each noise befalls a payment. */
const rates = [
  ["missing", 0.08],
  ["twice", 0.08],
  ["amount", 0.08],
  ["split", 0.06],
  ["fee", 0.06],
  ["reversal", 0.06]
] as const satisfies ReadonlyArray<readonly [BankNoise, number]>

/** How several payments are one booking: each named, of another amount, or none named. */
const batches = ["merged", "short_batch", "lump"] as const
const batchMax = 6

/** How many accounts collect payments for a booking of several, and for how many statements at most one waits. */
const collectingRate = 0.7
const waitMax = 4

/** A file as an operator takes it. */
export interface BankFile {
  readonly currency: string
  readonly format: BankFormat
  readonly text: string
}

interface Booked extends BankBooking {
  readonly currency: string
  /** The operation that took its statement. */
  readonly n: number
}

/** The statement that is being written. */
interface Statement {
  readonly n: number
  readonly currency: string
  readonly date: string
  readonly format: BankFormat
}

/** What a statement says of its place among the others. Null: its format has none. */
interface Placed {
  readonly n: number
  readonly currency: string
  readonly number: number | null
  readonly opening: bigint | null
  readonly closing: bigint | null
  /** What left the account by the bookings that no statement before it has. */
  readonly spent: bigint
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
  readonly #lost = new Map<number, BankFile>()
  /** Payments that it has left for a later statement. */
  readonly #late = new Set<string>()
  /** For how many statements a payment waits for others, with which it is booked. */
  readonly #waits = new Map<string, number>()
  /** Everything that it has booked, of which the balances are the sums. */
  readonly #booked: Array<Booked> = []
  /** Payments of which it has more to book, on its next statement. */
  #due: Array<readonly [Payment, "twice" | "reversal"]> = []
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
    if (this.#late.has(id) || this.#fraction("late", id) >= 0.1) return false
    this.#late.add(id)
    return true
  }

  #fraction(...about: ReadonlyArray<string | number>): number {
    return hashToFraction(`${about[0]} ${this.#seed} ${about.slice(1).join(" ")}`)
  }

  /** What befalls a payment. */
  #noiseOf({ id }: Payment): (typeof rates)[number][0] | null {
    let drawn = this.#fraction("bank", id)
    for (const [noise, rate] of rates) {
      if (drawn < rate) return noise
      drawn -= rate
    }
    return null
  }

  /** `differs`: by how much, where it is not all of it. */
  #book(
    about: Statement,
    payments: ReadonlyArray<Payment>,
    amount: bigint,
    noise: BankNoise | null,
    differs = amount < 0n ? -amount : amount
  ): void {
    const { currency, date, format, n } = about
    const reference = `BANK${String(++this.#count).padStart(6, "0")}`
    const named = noise === "lump" ? [] : payments
    const ids = new Map(payments.map(({ resource_id, statement_reference: name }) => [name, resource_id]))
    const nameOf = ({ amount: text, statement_reference: name }: Payment): NamedPayment => ({
      name,
      amount: named.length === 1 ? amount : parseMinorUnits(text, currency)!
    })
    const booking = { date, amount, reference, payments: named.map(nameOf) }
    this.#booked.push({ ...booking, n, currency })
    const lines = splitBooking(format, booking)
    for (const names of lines)
      this.lines.push({
        reference,
        name: names.length === 1 ? names[0]!.name : "",
        resource_ids: lines.length === 1 ? [...ids.values()] : names.map(({ name }) => ids.get(name)!),
        noise: lines.length === 1 ? noise : null,
        differs,
        n
      })
  }

  /** Books a payment, with what befalls it. False: it befalls nothing, and it is still to be booked. */
  #isBooked(about: Statement, payment: Payment): boolean {
    const { currency, n } = about
    const amount = parseMinorUnits(payment.amount, currency)!
    const half = this.#fraction("half", payment.id)
    const cent = parseMinorUnits("0.01", currency)!
    const book = (sum: bigint, noise: BankNoise | null, differs?: bigint): void =>
      this.#book(about, [payment], sum, noise, differs)
    const isLater = half < 0.5
    switch (this.#noiseOf(payment)) {
      case null:
        return false
      case "missing":
        this.lines.push({
          reference: null,
          name: "",
          resource_ids: [payment.resource_id],
          noise: "missing",
          differs: amount,
          n
        })
        break
      case "twice":
        book(amount, "twice")
        if (isLater) this.#due.push([payment, "twice"])
        else book(amount, "twice")
        break
      case "amount":
        book(isLater ? amount + cent : amount - cent, "amount", cent)
        break
      case "split":
        book(amount / 3n, "split", amount - amount / 3n)
        // The payment is held against the first: the second is more than was to be paid.
        book(amount - amount / 3n, "split")
        break
      case "fee":
        book(amount, null)
        book(parseMinorUnits("1.17", currency)!, "fee")
        break
      case "reversal":
        book(amount, null)
        if (isLater) this.#due.push([payment, "reversal"])
        else book(-amount, "reversal")
    }
    return true
  }

  /** Whether a payment to which nothing befalls waits for others: they are one booking. */
  #isWaiting({ currency, id }: Payment): boolean {
    const waited = this.#waits.get(id) ?? 0
    if (waited >= waitMax || this.#fraction("collecting", currency) >= collectingRate) return false
    this.#waits.set(id, waited + 1)
    return true
  }

  #bookTogether(about: Statement, payments: ReadonlyArray<Payment>): void {
    const { currency, n } = about
    const amountOf = ({ amount }: Payment): bigint => parseMinorUnits(amount, currency)!
    const isBatch = payments.length > 1 && this.#fraction("collecting", currency) < collectingRate
    const some = payments.slice(0, isBatch ? batchMax : 0)
    if (isBatch) {
      const noise = batches[Math.floor(this.#fraction("batch", n, currency) * batches.length)]!
      const sum = some.reduce((total, one) => total + amountOf(one), 0n)
      this.#book(about, some, noise === "short_batch" ? sum + parseMinorUnits("0.01", currency)! : sum, noise)
    }
    for (const payment of payments.slice(some.length)) this.#book(about, [payment], amountOf(payment), null)
  }

  #write(n: number, date: string, currency: string, executed: ReadonlyArray<Payment>): BankFile | undefined {
    const before = this.#booked.filter((booking) => booking.currency === currency)
    const formats = listFormats(currency)
    const format = formats[Math.floor(this.#fraction("format", n) * formats.length)]!
    const about: Statement = { n, currency, date, format }
    const due = this.#due.filter(([payment]) => payment.currency === currency)
    this.#due = this.#due.filter(([payment]) => payment.currency !== currency)
    for (const [payment, noise] of due) {
      const amount = parseMinorUnits(payment.amount, currency)!
      this.#book(about, [payment], noise === "twice" ? amount : -amount, noise)
    }
    const plain = executed.filter((payment) => this.#noiseOf(payment) === null)
    const [alone] = plain.length === 1 ? plain : []
    const written = alone !== undefined && this.#isWaiting(alone) ? executed.filter((one) => one !== alone) : executed
    for (const { id } of written) {
      this.#payments.delete(id)
      this.#written.add(id)
    }
    const together = written.filter((payment) => !this.#isBooked(about, payment))
    this.#bookTogether(about, together)
    if (this.#fraction("stranger", n) < 0.05)
      this.#book(about, [], parseMinorUnits(`90${this.#count}.13`, currency)!, "stranger")
    const bookings = this.#booked.filter((booking) => booking.currency === currency).slice(before.length)
    if (bookings.length === 0) return undefined
    // An export has what was booked lately, also what an earlier one had; it states no balance.
    const isRepeating = format === "csv" && this.#fraction("repeated", n) < 0.3
    const repeated = isRepeating ? before.filter((one) => this.#files.has(one.n)).slice(-3) : []
    const statement: DayOfBookings = {
      ...{ n, currency, date },
      number: 1 + this.#placed.filter((one) => one.currency === currency && one.number !== null).length,
      opening: before.reduce((sum, { amount }) => sum - amount, 0n),
      account_number: makeBankAccount(currency),
      bookings: [...repeated, ...bookings]
    }
    const hasBalances = format !== "csv"
    this.#placed.push({
      ...{ n, currency },
      number: format === "mt940" ? statement.number : null,
      opening: hasBalances ? statement.opening : null,
      closing: hasBalances ? computeClosing(statement) : null,
      spent: bookings.reduce((sum, { amount }) => sum + amount, 0n)
    })
    const file = { currency, format, text: writeFile(format, statement) }
    if (hasBalances && this.#loses(n)) {
      this.#lost.set(n, file)
      return undefined
    }
    this.#files.set(n, file)
    return file
  }

  /** Whether a statement never arrives: its payments are on none. One with errors does, which is where they are found. */
  #loses(n: number): boolean {
    const own = this.lines.filter((line) => line.n === n)
    if (this.#fraction("lost", n) >= 0.4 || own.some(({ noise }) => noise !== null)) return false
    for (const [at, line] of this.lines.entries())
      if (line.n === n) this.lines[at] = { ...line, reference: null, noise: "missing" }
    this.taken.add(n)
    return true
  }

  lineOf(reference: string, name: string): BankLine | undefined {
    return this.lines.find((line) => line.reference === reference && line.name === name)
  }

  /** The balance of an account, of all that it has booked. */
  balanceIn(currency: string): bigint {
    return this.#booked.reduce((sum, one) => (one.currency === currency ? sum - one.amount : sum), 0n)
  }

  /** The statements that did not arrive, by their operations: it has them still. */
  get lost(): ReadonlyMap<number, BankFile> {
    return new Map([...this.#lost, ...[...this.#files].filter(([n]) => !this.taken.has(n))])
  }

  /** How many statements of an account show that one before them did not arrive. */
  gapsIn(currency: string): number {
    const arrived = this.#placed.filter(
      (one) => one.currency === currency && this.#files.has(one.n) && this.taken.has(one.n)
    )
    // The balance that the statements so far lead to, also over those that state none.
    let balance: bigint | undefined
    return arrived.filter((one, at) => {
      const last = arrived[at - 1]
      const known = balance
      balance = one.closing ?? (known === undefined ? undefined : known - one.spent)
      if (last === undefined) return false
      const skips = one.number !== null && last.number !== null && one.number > last.number + 1
      return skips || (one.opening !== null && known !== undefined && one.opening !== known)
    }).length
  }
}
