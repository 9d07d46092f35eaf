/** Failed sign-ins, by the address they come from: after too many in a minute, further ones are refused (SESSION-5). */

import { BoundedMap } from "../../engine/ports/bounded-map.ts"

const windowMs = 60_000
const failuresMax = 20
const addressesMax = 1000

export class FailedSignIns {
  /** In the order of their first failure. */
  readonly #failures = new BoundedMap<string, { readonly since: number; count: number }>(addressesMax)

  /** Milliseconds until a failure of the address counts as one again; 0 if it does now. */
  readonly waitMs = (address: string, now: number): number => {
    const found = this.#failures.get(address)
    if (found === undefined || found.count < failuresMax) return 0
    return Math.max(0, found.since + windowMs - now)
  }

  readonly count = (address: string, now: number): void => {
    const found = this.#failures.get(address)
    if (found !== undefined && now - found.since < windowMs) {
      found.count++
      return
    }
    this.#failures.delete(address)
    this.#failures.set(address, { since: now, count: 1 })
  }
}
