/** What may happen only once: idempotency records, unique keys and leases, checked against the store's verdicts. */
import type { Change, CommitResult } from "../../engine/ports/Storage.ts"

export class Uniques {
  readonly #wrong: (what: string) => void
  /** By merchant and key: when its idempotency record expires. */
  readonly #causes = new Map<string, number>()
  readonly #names = new Set<string>()
  readonly #completed = new Set<string>()

  constructor(wrong: (what: string) => void) {
    this.#wrong = wrong
  }

  check({ at, idempotency, lease, lookup_keys, merchant_id, unique_keys }: Change, verdict: CommitResult): void {
    const key = idempotency === undefined ? undefined : `${merchant_id} ${idempotency.key}`
    const used = key !== undefined && (this.#causes.get(key) ?? 0) > at
    if (verdict._tag === "Repeated" && !used) this.#wrong(`${key} is reported as a repeat but was never applied`)
    if (verdict._tag !== "Committed") return
    if (used) this.#wrong(`${key} was applied twice`)
    if (key !== undefined) this.#causes.set(key, idempotency?.expires_at ?? Infinity)
    if (lease !== undefined)
      this.#take(this.#completed, `${merchant_id} ${lease.job} under ${lease.token}`, "completed")
    for (const { key: name, scope } of unique_keys) this.#take(this.#names, `${merchant_id} ${scope} ${name}`, "taken")
    for (const { key: name, scope } of lookup_keys) this.#take(this.#names, `${scope} ${name}`, "taken")
  }

  #take(taken: Set<string>, name: string, how: string): void {
    if (taken.has(name)) this.#wrong(`${name} was ${how} twice`)
    taken.add(name)
  }
}
