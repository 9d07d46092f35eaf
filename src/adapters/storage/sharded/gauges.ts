/** The reads for gauges over several databases. All of them must respond. */
import { Effect } from "effect"
import type { StorageFault } from "../../../engine/ports/errors.ts"
import type { Backlog, PlatformBalance, Storage } from "../../../engine/ports/Storage.ts"
import { sums } from "../merged.ts"

type Store = Storage["Service"]

const earliest = (times: ReadonlyArray<number | null>): number | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** The backlogs of the same queues in all stores. */
const backlogOf = (stores: ReadonlyArray<ReadonlyArray<Backlog>>, limit: number): ReadonlyArray<Backlog> =>
  (stores[0] ?? []).map(({ queue }, n) => {
    const each = stores.map((backlogs) => backlogs[n]!)
    return {
      queue,
      due: Math.min(
        limit,
        each.reduce((sum, { due }) => sum + due, 0)
      ),
      due_since: earliest(each.map(({ due_since }) => due_since)),
      retried_since: earliest(each.map(({ retried_since }) => retried_since))
    }
  })

/** The platform's balances over all stores. */
const platformBalancesOf = (balances: ReadonlyArray<PlatformBalance>): ReadonlyArray<PlatformBalance> =>
  sums(balances.map(({ account, balance, currency }) => [`${account}\u0000${currency}`, balance] as const)).map(
    ([key, balance]) => {
      const [account, currency] = key.split("\u0000")
      return { account: account!, currency: currency!, balance }
    }
  )

export const makeGauges = (stores: ReadonlyArray<Store>): Pick<Store, "stalled" | "backlog" | "platformBalances"> => {
  const everywhere = <A>(ask: (store: Store) => Effect.Effect<A, StorageFault>) =>
    Effect.forEach(stores, ask, { concurrency: "unbounded" })
  return {
    stalled: (query) => everywhere((store) => store.stalled(query)).pipe(Effect.map((found) => found.flat())),
    backlog: (query) =>
      everywhere((store) => store.backlog(query)).pipe(Effect.map((found) => backlogOf(found, query.limit))),
    platformBalances: (classes) =>
      everywhere((store) => store.platformBalances(classes)).pipe(
        Effect.map((found) => platformBalancesOf(found.flat()))
      )
  }
}
