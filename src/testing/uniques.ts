/** What may happen once: causes, claimed names and leases, as a store's verdicts have them. */
import type { Change, Verdict } from "../engine/ports/Storage.ts"

export class Uniques {
  readonly #wrong: (what: string) => void
  /** By merchant and key: until when it is used. */
  readonly #causes = new Map<string, number>()
  readonly #names = new Set<string>()
  readonly #settled = new Set<string>()

  constructor(wrong: (what: string) => void) {
    this.#wrong = wrong
  }

  check({ aliases, at, claims, lease, merchant_id, once }: Change, verdict: Verdict): void {
    const key = once === undefined ? undefined : `${merchant_id} ${once.key}`
    const used = key !== undefined && (this.#causes.get(key) ?? 0) > at
    if (verdict._tag === "Repeated" && !used) this.#wrong(`${key} is told to be repeated, and was never applied`)
    if (verdict._tag !== "Committed") return
    if (used) this.#wrong(`${key} was applied twice`)
    if (key !== undefined) this.#causes.set(key, once?.expires_at ?? Infinity)
    if (lease !== undefined) this.#take(this.#settled, `${merchant_id} ${lease.job} under ${lease.token}`, "settled")
    for (const { key: name, scope } of claims) this.#take(this.#names, `${merchant_id} ${scope} ${name}`, "claimed")
    for (const { key: name, scope } of aliases) this.#take(this.#names, `${scope} ${name}`, "named")
  }

  #take(taken: Set<string>, name: string, how: string): void {
    if (taken.has(name)) this.#wrong(`${name} was ${how} twice`)
    taken.add(name)
  }
}
