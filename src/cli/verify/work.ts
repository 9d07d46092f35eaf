/** The work that is due, against the resources that it is for: a lost job leaves its resource waiting for ever. */
import { type Check, merchantOf, readText } from "../../adapters/storage/audit/check.ts"
import type { Row } from "../../engine/ports/Storage.ts"
import { findNextJobId, waits } from "../../engine/reports/progress.ts"

const quoteLiteral = (text: string): string => `'${text}'`

const waiting = waits()
  .map(({ kind, status }) => `(${quoteLiteral(kind)}, ${quoteLiteral(status)})`)
  .join(", ")

export const workChecks: ReadonlyArray<Check> = [
  {
    name: "jobs",
    about: "the resources of jobs",
    tables: ["job", "resource"],
    // The job of a resource has its id before the point; a delivery is for an endpoint.
    text: `
      select j.merchant_id, j.id, x.owner
      from job j, lateral (
        select case when left(j.queue, 8) = 'delivery' then j.partition_key else split_part(j.id, '.', 1) end as owner
      ) x
      where j.status = 'pending' and (left(j.queue, 8) = 'delivery' or j.queue in ('timer', 'command', 'paused'))
        and x.owner ~ '^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$'
        and not exists (select from resource r where r.merchant_id = j.merchant_id and r.id = x.owner)`,
    difference: (row) => ({
      subject: `the job ${readText(row, "id")}`,
      merchant_id: merchantOf(row),
      expected: `the resource ${readText(row, "owner")}`,
      found: "no such resource"
    })
  },
  {
    name: "next jobs",
    about: "the jobs of resources that wait",
    tables: ["resource", "job"],
    text: `
      select r.merchant_id, r.kind, r.id, r.state, r.status, r.data, array_to_string(array(
        select j.id from job j
        where j.merchant_id = r.merchant_id and j.id >= r.id || '.' and j.id < r.id || '/' and j.status = 'pending'
      ), ' ') as jobs
      from resource r where (r.kind, r.status) in (${waiting})`,
    difference: (row) => {
      const next = findNextJobId({ ...row, data: JSON.parse(readText(row, "data")) as unknown } as unknown as Row)
      if (next === undefined || readText(row, "jobs").split(" ").includes(next)) return undefined
      return {
        subject: readText(row, "id"),
        merchant_id: merchantOf(row),
        expected: `the pending job ${next}: the ${readText(row, "kind")} is ${readText(row, "state")}`,
        found: "no such job"
      }
    }
  }
]
