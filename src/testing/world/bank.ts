/**
 * A bank of its own: it has what the simulated provider was given to pay, and writes of what was executed, and of nothing else. Some lines
 * it leaves out, writes twice or with another amount, and some are of nobody it knows.
 */
import { Effect } from "effect"
import type { PayoutCommand } from "../../engine/ports/Provider.ts"
import { beginning, day } from "../program/program.ts"
import { decimal, minor } from "../program/amounts.ts"
import { bankCurrencies } from "../program/bank.ts"
import { fractionOf } from "../program/random.ts"

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

const header = "Date,Amount,Reference,Payment,Text"

export class PayingBank {
  readonly lines: Array<BankLine> = []
  /** The operations whose statements were taken. */
  readonly taken = new Set<number>()
  readonly #seed: number
  readonly #payments = new Map<string, Payment>()
  /** Payments that are on a statement, or were left out. */
  readonly #written = new Set<string>()
  readonly #files = new Map<number, string>()
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
  ): Effect.Effect<string | undefined, E, R> {
    const known = this.#files.get(n)
    if (known !== undefined) return Effect.succeed(known)
    const asked = [...this.#payments.values()].filter((payment) => payment.currency === currency)
    return Effect.map(
      Effect.forEach(asked, (payment) => executions(payment.id)),
      (counts) => {
        const before = this.#files.get(n)
        if (before !== undefined) return before
        const executed = asked.filter((payment, at) => counts[at]! > 0 && this.#payments.has(payment.id))
        const date = new Date(beginning + Math.floor(age / day) * day).toISOString().slice(0, 10)
        return this.#write(n, date, currency, executed)
      }
    )
  }

  #write(n: number, date: string, currency: string, executed: ReadonlyArray<Payment>): string | undefined {
    const rows: Array<string> = []
    const add = (amount: string, payment: string, resource_id: string | null, error: LineError | null): void => {
      const reference = `BANK${String(++this.#count).padStart(6, "0")}`
      rows.push(`${date},-${amount},${reference},${payment},`)
      this.lines.push({ reference, resource_id, error, n })
    }
    const again = this.#again.filter((payment) => payment.currency === currency)
    this.#again = this.#again.filter((payment) => payment.currency !== currency)
    for (const { amount, resource_id, statement_reference } of again)
      add(amount, statement_reference, resource_id, "twice")
    for (const payment of executed) {
      const { amount, id, resource_id, statement_reference } = payment
      this.#payments.delete(id)
      this.#written.add(id)
      const drawn = fractionOf(`bank ${this.#seed} ${id}`)
      if (drawn < 0.1) this.lines.push({ reference: null, resource_id, error: "missing", n })
      else if (drawn < 0.2) {
        add(amount, statement_reference, resource_id, "twice")
        if (drawn < 0.15) add(amount, statement_reference, resource_id, "twice")
        else this.#again.push(payment)
      } else if (drawn < 0.3)
        add(
          decimal((minor(amount, currency) ?? 0n) + (minor("0.01", currency) ?? 0n), currency),
          statement_reference,
          resource_id,
          "amount"
        )
      else add(amount, statement_reference, resource_id, null)
    }
    if (fractionOf(`stranger ${this.#seed} ${n}`) < 0.05) add(`90${this.#count}.13`, "", null, "stranger")
    if (rows.length === 0) return undefined
    const file = [header, ...rows, ""].join("\n")
    this.#files.set(n, file)
    return file
  }
}
