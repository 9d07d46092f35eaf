/** Runs all checks on the database of a store, or one of its cells. */
import { Effect, type Scope } from "effect"
import {
  type Check,
  closingChecks,
  type Difference,
  makeHistoryChecks,
  ledgerChecks,
  listChecks,
  readText
} from "../../adapters/storage/audit/check.ts"
import type { Snapshot } from "../../adapters/storage/audit/snapshot.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import { clearing, findSetAsideDifferences } from "./money.ts"
import type { Row } from "../../engine/ports/Storage.ts"
import { findNextJobId, listWaits } from "../../engine/reports/progress.ts"

const quoteLiteral = (text: string): string => `'${text}'`

const waiting = listWaits()
  .map(({ kind, status }) => `(${quoteLiteral(kind)}, ${quoteLiteral(status)})`)
  .join(", ")

const workChecks: ReadonlyArray<Check> = [
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
        expected: `the pending job ${next}: the ${readText(row, "kind")} is ${readText(row, "state")}`,
        found: "no such job"
      }
    }
  }
]

/** Most differences that a check reports one by one. The others are counted. */
export const shownMax = 100

export interface CheckReport {
  readonly name: string
  readonly count: number
  /** At most {@link shownMax} of them. */
  readonly differences: ReadonlyArray<Difference>
}

export interface Sizes {
  readonly resources: number
  readonly transitions: number
  readonly postings: number
  readonly events: number
}

interface Step {
  readonly name: string
  readonly about: string
  readonly tables: ReadonlyArray<string>
  readonly run: Effect.Effect<Omit<CheckReport, "name">, StorageFault>
}

const makeSqlStep = (snapshot: Snapshot, check: Check): Step => ({
  name: check.name,
  about: check.about,
  tables: check.tables,
  run: Effect.gen(function* () {
    let count = 0
    const differences: Array<Difference> = []
    yield* snapshot.each(check.text, (rows) =>
      Effect.sync(() => {
        for (const row of rows) {
          const difference = check.difference(row)
          if (difference === undefined) continue
          count++
          const merchant_id = (row["merchant_id"] as string | null | undefined) ?? null
          if (differences.length < shownMax) differences.push({ ...difference, merchant_id })
        }
      })
    )
    return { count, differences }
  })
})

/** How far a verification is: `done` of the whole, from 0 to 1. */
export type Progress = (done: number, about: string) => void

/**
 * Runs all checks on one database. `keptDays`: how long events are kept; null: for ever. `home`: the schema of the directory.
 *
 * Law: it only reads, and its memory does not grow with the history.
 */
export const verifyDatabase = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  keptDays: number | null,
  progress: Progress,
  home = snapshot
): Effect.fn.Return<{ readonly sizes: Sizes; readonly checks: ReadonlyArray<CheckReport> }, StorageFault, Scope.Scope> {
  progress(0, "counting")
  const sizes = yield* Effect.map(
    snapshot.query(
      `select (select count(*) from resource)::text as resources, (select count(*) from transition)::text as transitions,
        (select count(*) from posting)::text as postings, (select count(*) from event)::text as events`
    ),
    ([row = {}]) => ({
      resources: Number(readText(row, "resources")),
      transitions: Number(readText(row, "transitions")),
      postings: Number(readText(row, "postings")),
      events: Number(readText(row, "events"))
    })
  )
  const weights: Readonly<Record<string, number>> = {
    resource: sizes.resources,
    transition: sizes.transitions,
    posting: sizes.postings,
    event: sizes.events
  }
  // By how much the service's clock is ahead, the schema of the directory has for all cells.
  const [ahead] = yield* home.query("select value from setting where key = 'clock_offset_ms'")
  const offset = ahead === undefined ? 0 : Number(readText(ahead, "value"))
  const deletedBefore =
    keptDays === null
      ? null
      : `(select floor(extract(epoch from now()) * 1000)::bigint - ${keptDays}::bigint * 86400000 + ${offset}::bigint)`
  const steps = [
    ...[...ledgerChecks, clearing].map((check) => makeSqlStep(snapshot, check)),
    {
      name: "set aside",
      about: "what open movements have set aside",
      tables: ["resource", "account", "posting"],
      run: Effect.map(findSetAsideDifferences(snapshot), (differences) => ({
        count: differences.length,
        differences: differences.slice(0, shownMax)
      }))
    },
    ...[...makeHistoryChecks(deletedBefore), ...listChecks, ...workChecks, ...closingChecks].map((check) =>
      makeSqlStep(snapshot, check)
    )
  ]
  const weightOf = ({ tables }: Step): number => tables.reduce((sum, table) => sum + (weights[table] ?? 0), 1)
  const whole = steps.reduce((sum, step) => sum + weightOf(step), 0)
  let done = 0
  const checks: Array<CheckReport> = []
  for (const step of steps) {
    progress(done / whole, step.about)
    checks.push({ name: step.name, ...(yield* step.run) })
    done += weightOf(step)
  }
  return { sizes, checks }
})
