/**
 * The recorded facts of each pay-in, as its first report gives them (DEPOSIT-8): one currency, one destination
 * and, once it is confirmed, one amount.
 */
import type { PayinEvent } from "../../engine/ports/Provider.ts"
import { bookAmount } from "../program/amounts.ts"
import { type Place } from "./deposits.ts"

const evm = /^0x[0-9a-f]{40}$/i

/** Normalizes a destination for comparison: EVM addresses are not case-sensitive. */
export const normalizeTarget = (target: string): string => {
  const name = target.trim()
  return evm.test(name) ? name.toLowerCase() : name
}

interface Version {
  readonly target: string
  readonly currency: string
  /** Null: not reported. */
  readonly network: string | null
  /** Null until confirmed: with all its decimals. Nothing is confirmed of an amount that rounds to zero. */
  amount: string | null
  /** When the amount was confirmed, service clock. */
  amount_at: number | null
  /** Time of the first report, service clock. */
  readonly at: number
}

const toVersion = ({ currency, network, target }: PayinEvent, at: number): Version => ({
  target: normalizeTarget(target),
  currency: currency.trim(),
  network: network?.trim() ?? null,
  amount: null,
  amount_at: null,
  at
})

/** Longest delay between a decision and its commit, in milliseconds. */
const decidedMs = 60_000

/** The reports of each pay-in, and the issued destinations. */
export class Versions {
  readonly #first = new Map<string, Version>()
  /** By network, currency and target. */
  readonly #places = new Map<string, Place>()

  /** Assigns a destination to its owner. Returns false when another resource owns it. */
  own(network: string, target: string, place: Place): boolean {
    const key = `${network} ${place.currency} ${normalizeTarget(target)}`
    const owner = this.#places.get(key)
    if (owner === undefined) this.#places.set(key, place)
    return owner === undefined || owner.id === place.id
  }

  /** The destination of a pay-in. `undefined`: nobody's, or ambiguous without a network. */
  placeOf(event: PayinEvent): Place | undefined {
    const { currency, network, target } = toVersion(event, 0)
    if (network !== null) return this.#places.get(`${network} ${currency} ${target}`)
    const all = [...this.#places].filter(([key]) => key.endsWith(` ${currency} ${target}`))
    return all.length === 1 ? all[0]![1] : undefined
  }

  /** Forgets the amount of a pay-in that was taken back before it was credited: another amount may follow. */
  forget(payin_id: string): void {
    const known = this.#first.get(payin_id)
    if (known !== undefined) known.amount = null
  }

  /**
   * Whether the decision on a report may precede the commit of the first one, which holds no amount. The report then
   * counts as the first, and the other one as its contradiction.
   */
  overtook(event: PayinEvent, at: number): boolean {
    const known = this.#first.get(event.payin_id)
    if (known === undefined || known.amount !== null || at - known.at > decidedMs) return false
    this.#first.delete(event.payin_id)
    return !this.contradicts(event, known.at)
  }

  /**
   * Whether the decision on a report of which nothing is booked may precede the commit of the amount that it contradicts: it writes
   * nothing if it was named before, so that nothing refuses it.
   */
  precededAmount(event: PayinEvent, at: number): boolean {
    const amountAt = this.#first.get(event.payin_id)?.amount_at ?? null
    return bookAmount(event.amount, event.currency)?.booked === 0n && amountAt !== null && at - amountAt <= decidedMs
  }

  /** Whether a report contradicts the recorded facts. The first report of a pay-in records them. */
  contradicts(event: PayinEvent, at: number): boolean {
    const reported = toVersion(event, at)
    const known = this.#first.get(event.payin_id)
    const { below = "", booked = 0n } = bookAmount(event.amount, reported.currency) ?? {}
    const amount = booked === 0n ? null : `${booked}.${below}`
    if (known === undefined) {
      this.#first.set(event.payin_id, reported)
      if (event.stage === "confirmed") Object.assign(reported, { amount, amount_at: at })
      return false
    }
    if (known.target !== reported.target || known.currency !== reported.currency) return true
    if (known.network !== null && reported.network !== null && known.network !== reported.network) return true
    if (event.stage !== "detected" && known.amount !== null && known.amount !== amount) return true
    if (event.stage === "confirmed" && known.amount === null) Object.assign(known, { amount, amount_at: at })
    return false
  }
}
