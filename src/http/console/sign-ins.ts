/** Failed sign-ins, by the address they come from: after too many in a minute, further ones are refused (SESSION-5). */

const windowMs = 60_000
const failuresMax = 20
const addressesMax = 1000

export class FailedSignIns {
  /** In the order of their first failure, so that the first is the oldest. */
  readonly #failures = new Map<string, { readonly since: number; count: number }>()

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
    for (const [oldest] of this.#failures) {
      if (this.#failures.size < addressesMax) break
      this.#failures.delete(oldest)
    }
    this.#failures.set(address, { since: now, count: 1 })
  }
}
