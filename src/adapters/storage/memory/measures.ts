/** Statistics in the memory store: a scan of its rows. */
import { type Measure, type MeasureQuery, MEASURED_KEY } from "../../../engine/ports/Storage.ts"
import type { Books } from "./books.ts"

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
