/**
 * The exceptions that are recorded. Each is of an event that applies to something. Those of pay-ins hold what is reported, rounded
 * down, and name, once, what is below the ledger's smallest unit (DEPOSIT-15).
 */
import type { PayinEvent } from "../../engine/ports/Provider.ts"
import type { RowWrite } from "../../engine/ports/Storage.ts"
import { bookAmount } from "../program/amounts.ts"
import type { Data } from "./orders.ts"

export class ModelExceptions {
  /** The remainders that are named, by pay-in and amount. */
  readonly #named = new Set<string>()
  readonly #wrong: (what: string) => void

  constructor(wrong: (what: string) => void) {
    this.#wrong = wrong
  }

  /** A new exception. */
  raised({ data, id }: RowWrite): void {
    const { amount, detail, provider_event: event, reason } = data as Data
    if (reason === "not_applicable") this.#wrong(`${id} records an event that is not applicable`)
    if (event?._tag !== "payin") return
    const { below, booked } = bookAmount(event.amount, event.currency) ?? { below: "", booked: 0n }
    if (amount !== null && amount !== String(booked))
      this.#wrong(`${id} holds ${amount} of pay-in ${event.payin_id} of ${event.amount} ${event.currency}`)
    if (below === "" || !String(detail).endsWith(below)) return
    const key = `${event.payin_id} of ${event.amount}`
    if (reason === "remainder" && this.#named.has(key)) this.#wrong(`${id} names the remainder of pay-in ${key} again`)
    this.#named.add(key)
  }

  /** A confirmation that contradicts nothing. */
  named({ amount, currency, payin_id, stage }: PayinEvent): void {
    if (stage !== "confirmed" || (bookAmount(amount, currency)?.below ?? "") === "") return
    const key = `${payin_id} of ${amount}`
    if (!this.#named.has(key)) this.#wrong(`no exception names the remainder of pay-in ${key} ${currency}`)
  }
}
