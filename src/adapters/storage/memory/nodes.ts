/** The leases of nodes in the store in memory (`0003_claims.sql` is the same in SQL). */
import { type Beat, nodeOf } from "../../../engine/ports/Storage.ts"

interface NodeLease {
  /** From then on the node may take the claims of others. */
  readonly judges_at: number
  readonly lapses_at: number
}

const dayMs = 86_400_000

export class NodeLeases {
  readonly #leases = new Map<string, NodeLease>()

  /** Returns whether the lease had ended. */
  beat({ lease_ms, node, wall }: Beat): boolean {
    const lease = this.#leases.get(node)
    const hadEnded = lease !== undefined && lease.lapses_at <= wall
    const judges_at = lease === undefined || hadEnded ? wall + Math.floor(lease_ms / 2) : lease.judges_at
    this.#leases.set(node, { judges_at, lapses_at: wall + lease_ms })
    for (const [id, { lapses_at }] of this.#leases) if (lapses_at < wall - dayMs) this.#leases.delete(id)
    return hadEnded
  }

  /** Whether the claimer of `token` may take a claim under another token. */
  mayTake(token: string, wall: number): (claim: string) => boolean {
    const own = this.#leases.get(nodeOf(token) ?? "")
    if (own === undefined || own.judges_at > wall || own.lapses_at <= wall) return () => false
    return (claim) => {
      const lease = this.#leases.get(nodeOf(claim) ?? "")
      return lease !== undefined && lease.lapses_at <= wall
    }
  }
}
