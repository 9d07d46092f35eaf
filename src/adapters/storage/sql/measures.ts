/** Statistics from the sums of `0004_lists.sql` and the changes since. One statement, and therefore one snapshot. */
import type { Measure, MeasureQuery } from "../../../engine/ports/Storage.ts"
import type { SqlRow } from "./driver.ts"
import { Params, type ListStatement } from "./lists.ts"
import { number, numberOrNull, text } from "./rows.ts"

const DAY = 24

/** The parts of a time span, each with the step of its stored sums: whole days, and the hours before and after. */
const splitTimeSpan = ({
  from,
  step,
  to
}: MeasureQuery): ReadonlyArray<readonly [step: number, from: number, to: number]> => {
  const [first, last] = [Math.ceil(from / DAY) * DAY, Math.floor(to / DAY) * DAY]
  if (step === "hour" || first >= last) return [[1, from, to]]
  return [[1, from, first] as const, [DAY, first, last] as const, [1, last, to] as const].filter(
    ([, low, high]) => low < high
  )
}

/** The tags that the query separates by, in place; the others are empty. */
const cut = ({ tags, width }: MeasureQuery): string =>
  tags.length === width
    ? "x.tags"
    : Array.from({ length: width }, (_, i) => (tags.includes(i) ? `split_part(x.tags, '|', ${i + 1})` : "''")).join(
        " || '|' || "
      )

const hours = { hour: "x.hour", day: `x.hour - x.hour % ${DAY}` } as const

export const measureStatement = (q: MeasureQuery): ListStatement => {
  const p = new Params()
  const kinds = p.texts(q.kinds)
  const merchant = q.merchant_id === undefined ? undefined : p.text(q.merchant_id)
  const whose =
    q.by_merchant && merchant === undefined ? "length(x.merchant_id) > 0" : `x.merchant_id = ${merchant ?? "''"}`
  const stored = splitTimeSpan(q).map(
    ([step, from, to]) => `select x.* from unnest(${kinds}) g(kind) cross join lateral (
    select x.merchant_id, x.kind, x.bucket as hour, x.tags, x.seconds, x.n, x.amount from measure x
    where ${whose} and x.step = ${step} and x.kind = g.kind
      and x.bucket >= ${p.number(from)} and x.bucket < ${p.number(to)} offset 0
  ) x`
  )
  const tail = `select t.merchant_id, t.kind, t.hour, corridor_measure_tags(t.index_key),
    corridor_measure_seconds(t.index_key), t.n, t.n * corridor_measure_amount(t.index_key) from measure_movement t
  where t.xid >= corridor_mark() and t.kind = any (${kinds}) and t.hour >= ${p.number(q.from)} and t.hour < ${p.number(q.to)}
    ${merchant === undefined ? "" : `and t.merchant_id = ${merchant}`}`
  const text = `select ${q.by_merchant ? "x.merchant_id" : "''"} as merchant_id, ${q.by_kind ? "x.kind" : "''"} as kind,
  ${q.step === null ? "null::integer" : hours[q.step]} as hour, ${cut(q)} as tags, x.seconds, sum(x.n) as n,
  sum(x.amount)::text as amount
from (
  ${[...stored, tail].join("\n  union all ")}
) x group by 1, 2, 3, 4, 5 having sum(x.n) <> 0`
  return { text, params: p.values }
}

export const toMeasure = (row: SqlRow): Measure => ({
  merchant_id: text(row["merchant_id"]),
  kind: text(row["kind"]),
  hour: numberOrNull(row["hour"]),
  tags: text(row["tags"]).split("|"),
  seconds: number(row["seconds"]),
  n: number(row["n"]),
  amount: text(row["amount"])
})
