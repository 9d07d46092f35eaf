/**
 * What is on record of each pay-in, as the first word of it had it (DEPOSIT-8): one currency, one place and, once it is
 * confirmed, one amount.
 */
import type { PayinEvent } from "../engine/ports/Provider.ts"
import { minor, type Place } from "./deposits.ts"

const evm = /^0x[0-9a-f]{40}$/i

/** A target as it is compared: EVM addresses without regard to case. */
export const compared = (target: string): string => {
  const name = target.trim()
  return evm.test(name) ? name.toLowerCase() : name
}

interface Version {
  readonly target: string
  readonly currency: string
  /** Null: it was not told. */
  readonly network: string | null
  /** Null until it was confirmed. */
  amount: bigint | null
  /** When it was heard first, service clock. */
  readonly at: number
}

const versionOf = ({ currency, network, target }: PayinEvent, at: number): Version => ({
  target: compared(target),
  currency: currency.trim(),
  network: network?.trim() ?? null,
  amount: null,
  at
})

/** How long after a decision it may be written. */
const decidedMs = 60_000

/** Pay-ins by what was said of each, and the places they are made to. */
export class Versions {
  readonly #first = new Map<string, Version>()
  /** By network, currency and target. */
  readonly #places = new Map<string, Place>()

  /** A place has one owner, for ever: gives false where it is another's. */
  own(network: string, target: string, place: Place): boolean {
    const key = `${network} ${place.currency} ${compared(target)}`
    const owner = this.#places.get(key)
    if (owner === undefined) this.#places.set(key, place)
    return owner === undefined || owner.id === place.id
  }

  /** Where a pay-in is made to; `undefined`: at nobody's, or it does not say at whose of several. */
  placeOf(event: PayinEvent): Place | undefined {
    const { currency, network, target } = versionOf(event, 0)
    if (network !== null) return this.#places.get(`${network} ${currency} ${target}`)
    const all = [...this.#places].filter(([key]) => key.endsWith(` ${currency} ${target}`))
    return all.length === 1 ? all[0]![1] : undefined
  }

  /** Money that came and was taken back before anybody had it: another amount may come. */
  forget(payin_id: string): void {
    const known = this.#first.get(payin_id)
    if (known !== undefined) known.amount = null
  }

  /**
   * Whether a word may have been decided on before the first one was written, where that one holds nothing: then it is
   * taken for the first, and what was kept of the other is its contradiction.
   */
  overtook(event: PayinEvent, at: number): boolean {
    const known = this.#first.get(event.payin_id)
    if (known === undefined || known.amount !== null || at - known.at > decidedMs) return false
    this.#first.delete(event.payin_id)
    return !this.contradicts(event, known.at)
  }

  /** Whether a word says otherwise than what is on record, which the first word of a pay-in makes. */
  contradicts(event: PayinEvent, at: number): boolean {
    const said = versionOf(event, at)
    const known = this.#first.get(event.payin_id)
    const amount = minor(event.amount, said.currency) ?? null
    if (known === undefined) {
      this.#first.set(event.payin_id, { ...said, amount: event.stage === "confirmed" ? amount : null })
      return false
    }
    if (known.target !== said.target || known.currency !== said.currency) return true
    if (known.network !== null && said.network !== null && known.network !== said.network) return true
    if (event.stage !== "detected" && known.amount !== null && known.amount !== amount) return true
    if (event.stage === "confirmed") known.amount ??= amount
    return false
  }
}
