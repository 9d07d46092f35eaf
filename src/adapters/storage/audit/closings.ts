/** The seals of days against the lines that they counted (CLOSE-3). */
import { type Check, merchantOf, readText } from "./check.ts"

export const closingChecks: ReadonlyArray<Check> = [
  {
    name: "seals",
    about: "the seals of days",
    tables: ["resource"],
    text: `
      with line as (
        select r.merchant_id, r.id, x.d ->> 'external_account_id' as account, x.d ->> 'accounted_on' as day,
          x.d ->> 'direction' as direction, x.d ->> 'amount' as amount
        from resource r cross join lateral (select r.data::jsonb as d) x where r.kind = 'statement_line'
      ), counted as (
        select merchant_id, account, day, count(*) as lines,
          sum(case when direction = 'credit' then amount::numeric else -amount::numeric end) as booked,
          encode(sha256(convert_to(
            string_agg(id || ' ' || direction || ' ' || amount, chr(10) order by id collate "C"), 'UTF8')), 'hex') as seal
        from line group by 1, 2, 3
      )
      select r.merchant_id, r.id, x.d ->> 'date' as day, x.d ->> 'lines' as lines, x.d ->> 'booked' as booked,
        x.d ->> 'seal' as seal, coalesce(c.lines, 0)::text as lines_now, coalesce(c.booked, 0)::text as booked_now,
        coalesce(c.seal, encode(sha256(''::bytea), 'hex')) as seal_now
      from resource r cross join lateral (select r.data::jsonb as d) x
      left join counted c on c.merchant_id = r.merchant_id and c.account = x.d ->> 'external_account_id'
        and c.day = x.d ->> 'date'
      where r.kind = 'closing'`,
    difference: (row) =>
      readText(row, "seal") === readText(row, "seal_now") &&
      readText(row, "lines") === readText(row, "lines_now") &&
      readText(row, "booked") === readText(row, "booked_now")
        ? undefined
        : {
            subject: readText(row, "id"),
            merchant_id: merchantOf(row),
            expected: `${readText(row, "lines")} lines of ${readText(row, "day")} that sum to ${readText(row, "booked")}, as they were sealed`,
            found: `${readText(row, "lines_now")} lines that sum to ${readText(row, "booked_now")}`
          }
  }
]
