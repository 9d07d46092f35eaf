/** The reads of the memory store for gauges and statistics, which scan its rows. */
import {
  type Backlog,
  type BacklogQuery,
  type IdleRow,
  type Measure,
  MEASURED_KEY,
  type MeasureQuery,
  type PlatformBalance,
  type Stalled
} from "../../../engine/ports/Storage.ts"
import { classOf, isGuarded } from "../../../machines/kernel/ledger.ts"
import { joinKey } from "../change.ts"
import { byCurrency } from "../sorted.ts"
import type { Books } from "./books.ts"

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

const HOUR = 3_600_000

export const measures = (books: Books, q: MeasureQuery): ReadonlyArray<Measure> => {
  const found = new Map<string, Measure>()
  for (const { row } of books.rows.values()) {
    const hour = Math.floor(row.created_at / HOUR)
    if (row.hidden || hour < q.from || hour >= q.to || !q.kinds.includes(row.kind)) continue
    if (q.merchant_id !== undefined && row.merchant_id !== q.merchant_id) continue
    for (const key of row.index_keys) {
      if (!key.startsWith(MEASURED_KEY)) continue
      const [amount = "", seconds = "", ...tags] = key.slice(MEASURED_KEY.length).split("|")
      const place = {
        merchant_id: q.by_merchant ? row.merchant_id : "",
        kind: q.by_kind ? row.kind : "",
        hour: q.step === null ? null : q.step === "day" ? hour - (hour % 24) : hour,
        tags: tags.map((tag, i) => (q.tags.includes(i) ? tag : "")),
        seconds: Number(seconds)
      }
      const name = JSON.stringify(place)
      const { n = 0, amount: sum = "0" } = found.get(name) ?? {}
      found.set(name, { ...place, n: n + 1, amount: (BigInt(sum) + BigInt(amount)).toString() })
    }
  }
  return [...found.values()]
}
