/** The reads of the memory store for gauges. */
import type { Backlog, BacklogQuery, IdleRow, PlatformBalance, Stalled } from "../../../engine/ports/Storage.ts"
import { classOf, isGuarded } from "../../../machines/kernel/ledger.ts"
import { joinKey } from "../change.ts"
import type { Books } from "./books.ts"
import { byCurrency } from "../sorted.ts"

export const groupIdleRows = (rows: ReadonlyArray<IdleRow>): ReadonlyArray<Stalled> => {
  const found = new Map<string, Stalled>()
  for (const { kind, since, state } of rows) {
    const key = joinKey(kind, state)
    const { n = 0, since: earliest = since } = found.get(key) ?? {}
    found.set(key, { kind, state, n: n + 1, since: Math.min(earliest, since) })
  }
  return [...found.values()]
}

export const backlog = (books: Books, { limit, now, queues }: BacklogQuery): ReadonlyArray<Backlog> =>
  queues.map((queue) => {
    const pending = books.due.get(queue)?.items ?? []
    const due = pending.filter(({ job }) => job.due_at! <= now)
    const retried = queue.startsWith("delivery") ? pending.filter(({ log }) => log !== "[]") : []
    return {
      queue,
      due: Math.min(due.length, limit),
      due_since: due[0]?.job.due_at ?? null,
      retried_since: retried.length === 0 ? null : Math.min(...retried.map(({ job }) => job.created_at))
    }
  })

export const platformBalances = (
  balances: ReadonlyArray<{ readonly account: string; readonly currency: string; readonly balance: bigint }>,
  classes: ReadonlyArray<string>
): ReadonlyArray<PlatformBalance> => {
  const sums = new Map<string, { account: string; currency: string; balance: bigint }>()
  for (const { account, balance, currency } of balances) {
    if (isGuarded(account) || !classes.includes(classOf(account))) continue
    const key = joinKey(account, currency)
    sums.set(key, { account, currency, balance: (sums.get(key)?.balance ?? 0n) + balance })
  }
  return [...sums.values()].map((one) => ({ ...one, balance: one.balance.toString() })).sort(byCurrency)
}
