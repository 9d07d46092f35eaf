/**
 * What must be true of a store after everything that went wrong, asked of its tables in SQL, past the engine's own reads.
 * Each oracle gives the breaches it found, one line each.
 */
import { Effect } from "effect"
import postgres from "postgres"
import { CellsStorage } from "../../src/adapters/storage/cells/cells.ts"
import { PostgresStorage } from "../../src/adapters/storage/postgres.ts"
import { Sandbox } from "../../src/engine/ports/Sandbox.ts"
import { ServiceClock } from "../../src/engine/ports/ServiceClock.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { brought, type Made, moved, type Payer } from "./merchant.ts"

type Sql = ReturnType<typeof postgres>

/** A URL with `cells=1` has its merchants in the one cell, and the settings beside it. */
const oneCell = "?cells=1"

/** The URL of the schema that has the merchants. */
export const schemaUrl = (url: string): string => url.replace(oneCell, "?search_path=corridor_1")

/** Runs `use` with a connection to a database, to the schema of its merchants. */
export const withSql = async <A>(url: string, use: (sql: Sql) => Promise<A>): Promise<A> => {
  const sql = postgres(schemaUrl(url), {
    max: 2,
    fetch_types: false,
    onnotice: () => {}
  })
  try {
    return await use(sql)
  } finally {
    await sql.end({ timeout: 2 })
  }
}

/** Runs an effect in an engine of its own over the store, which runs no jobs. */
const inside = <A, E>(url: string, effect: Effect.Effect<A, E, Sandbox | ServiceClock>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.provide(
        effect,
        makeSimulatedEngine({
          storage: url.endsWith(oneCell)
            ? CellsStorage.layer({
                url: url.replace(oneCell, ""),
                cells: 1,
                connections: 4,
                statement_timeout_ms: 60_000
              })
            : PostgresStorage.layer({ url, connections: 4, statement_timeout_ms: 60_000 })
        })
      )
    )
  )

/** Moves the service's clock, which the nodes read from the store. */
export const moveClock = (url: string, seconds: number): Promise<void> =>
  inside(
    url,
    Effect.gen(function* () {
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      yield* (yield* ServiceClock).moveTo(now + seconds * 1000)
    })
  )

/** Jobs that are due now, by the service's clock, and not settled: nobody's, or somebody's under a lease. */
export const dueNow = (url: string): Promise<number> =>
  withSql(url, async (sql) => {
    const [found] = await sql<[{ count: string }]>`
      select count(*) from (select status, due_at from job union all select status, due_at from public.job) x
      where status = 'pending' and due_at <= ${Date.now()}::bigint + coalesce((select value from public.setting where key = 'clock_offset_ms'), '0')::bigint`
    return Number(found.count)
  })

/** The events a movement has told of, by how it ended. */
const expectedEvents: Readonly<Record<string, RegExp>> = {
  "transfer success": /^processing,success$/,
  "transfer failed": /^processing,failed$/,
  "offramp success": /^created,funds_received,processing,success$/,
  "offramp failed": /^created,(?:funds_received,processing,)?failed$/,
  "conversion success": /^created,funds_received,processing,success$/,
  "conversion failed": /^created,(?:funds_received,processing,)?failed$/,
  "deposit success": /^(?:received,)?confirmed$/
}

export interface Findings {
  /** How many of each kind stand in each status. */
  readonly statuses: Readonly<Record<string, number>>
  readonly executions: number
  readonly events: number
  readonly breaches: ReadonlyArray<string>
}

const some = (label: string, found: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  found.length === 0 ? [] : [`${label}: ${found.length}, such as ${JSON.stringify(found.slice(0, 3))}`]

interface Movement {
  readonly id: string
  readonly kind: string
  readonly status: string
  readonly reference: string | null
  readonly payin_id: string | null
  readonly types: string
}

const movements = (sql: Sql, merchant_id: string) => sql<Array<Movement>>`
  select r.id, r.kind, r.status, r.data::json ->> 'reference' as reference, split_part(r.data::json ->> 'payin_id', '.', 2) as payin_id,
    coalesce((select string_agg(split_part(e.type, '.', 2), ',' order by e.sequence) from event e
      where e.merchant_id = r.merchant_id and e.object_id = r.id), '') as types
  from resource r
  where r.merchant_id = ${merchant_id} and r.kind in ('transfer', 'offramp', 'conversion', 'deposit')`

/** Nothing acknowledged is lost, and each has ended and told its story in order. */
const whole = (rows: ReadonlyArray<Movement>, made: ReadonlyArray<Made>): ReadonlyArray<string> => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byPayin = new Map<string, Array<Movement>>()
  const byReference = new Map<string, Array<Movement>>()
  for (const row of rows) {
    if (row.payin_id !== null) byPayin.set(row.payin_id, [...(byPayin.get(row.payin_id) ?? []), row])
    if (row.reference !== null && row.kind !== "deposit")
      byReference.set(row.reference, [...(byReference.get(row.reference) ?? []), row])
  }
  const isThere = ({ kind, id }: Made): boolean => (kind === "payin" ? byPayin.has(id) : byId.has(id))
  return [
    ...some(
      "acknowledged and gone",
      made.filter((one) => !isThere(one))
    ),
    ...some(
      "made twice",
      [...byReference.values()].filter((same) => same.length > 1)
    ),
    ...some(
      "credited twice",
      [...byPayin.values()].filter((same) => same.length > 1)
    ),
    ...some(
      "not ended, or ended with other events",
      rows.filter((r) => !expectedEvents[`${r.kind} ${r.status}`]?.test(r.types))
    )
  ]
}

/** Every account is the sum of its postings; what was on its way has arrived; the wallet holds what it must. */
const balanced = async (sql: Sql, payer: Payer, rows: ReadonlyArray<Movement>): Promise<ReadonlyArray<string>> => {
  const differing = await sql`
    with moves as (
      select merchant_id, debit as account, currency, -amount as amount from posting
      union all select merchant_id, credit, currency, amount from posting
    ), sums as (
      select merchant_id, account, currency, sum(amount) as sum from moves group by 1, 2, 3
    )
    select s.account, s.currency, s.sum, a.balance from sums s
    full join account a using (merchant_id, account, currency)
    where (a.account is not null and a.balance is distinct from s.sum)
      or (split_part(s.account, ':', 1) in ('available', 'reserved', 'held') and a.account is null)
      or (split_part(s.account, ':', 1) in ('clearing', 'reserved', 'held') and s.sum <> 0)`
  const [wallet] = await sql<Array<{ balance: string }>>`
    select balance::text from account where merchant_id = ${payer.merchant_id}
      and account = ${`available:${payer.wallet_id}`} and currency = 'USDC'`
  const paid = rows.filter(({ kind, status }) => kind !== "deposit" && status === "success").length
  const paidIn = rows.filter(({ kind, payin_id }) => kind === "deposit" && payin_id?.startsWith("payin-")).length
  const expected = BigInt(payer.funds + brought * paidIn - moved * paid) * 1_000_000n
  return [
    ...some("accounts that are not their postings, or not empty", differing),
    ...(BigInt(wallet?.balance ?? "0") === expected ? [] : [`the wallet holds ${wallet?.balance}, not ${expected}`])
  ]
}

/** Every version of every resource has its transition, and each transition the events it counted: no more, no fewer. */
const recorded = async (sql: Sql): Promise<ReadonlyArray<string>> => {
  const versions = await sql`
    select r.id from resource r
    join lateral (select count(*) as n, max(version) as last, max(event_count) as told from transition t
      where t.merchant_id = r.merchant_id and t.resource_id = r.id and t.kind = r.kind) t on true
    where t.n <> r.version or t.last <> r.version or t.told <> r.event_count`
  const events = await sql`
    select r.id from resource r
    join lateral (select count(*) as n, coalesce(max(sequence), 0) as last, count(distinct sequence) as own from event e
      where e.merchant_id = r.merchant_id and e.object_id = r.id) e on true
    where r.event_count > 0 and (e.n <> r.event_count or e.last <> r.event_count or e.own <> r.event_count)`
  const orphans = await sql`
    select e.id from event e where not exists (
      select from resource r where r.merchant_id = e.merchant_id and r.id = e.object_id)`
  return [
    ...some("resources with a step that has no transition", versions),
    ...some("resources with more or fewer events than transitions counted", events),
    ...some("events of nothing", orphans)
  ]
}

/** What was told to the endpoint is what happened: each event arrived, and its delivery says so. */
const delivered = async (sql: Sql, arrived: ReadonlySet<string>): Promise<ReadonlyArray<string>> => {
  const events = await sql<Array<{ id: string; type: string }>>`select id, type from event`
  const jobs = await sql`select id, status from job where queue = 'delivery' and status <> 'delivered'`
  return [
    ...some(
      "events that never arrived",
      events.filter(({ id }) => !arrived.has(id))
    ),
    ...some("deliveries that are not settled", jobs)
  ]
}

/** The provider's own books: what it executed, and for whom. */
const executions = (url: string, rows: ReadonlyArray<Movement>) =>
  inside(
    url,
    Effect.gen(function* () {
      const provider = yield* Sandbox
      const paying = rows.filter(({ kind }) => kind !== "deposit")
      const counts = yield* Effect.forEach(paying, ({ id }) => provider.executionsOf(id), { concurrency: 8 })
      const wrong = paying.filter(({ status }, n) => counts[n] !== (status === "success" ? 1 : 0))
      return { total: yield* provider.count, breaches: some("paid more or less than once", wrong) }
    })
  )

/** Asks all oracles of a store at rest. `made` is what was acknowledged, `arrived` the ids of the events that came. */
export const examine = (
  url: string,
  payer: Payer,
  made: ReadonlyArray<Made>,
  arrived: ReadonlySet<string>
): Promise<Findings> =>
  withSql(url, async (sql) => {
    const rows = await movements(sql, payer.merchant_id)
    const statuses: Record<string, number> = {}
    for (const { kind, status } of rows) statuses[`${kind} ${status}`] = (statuses[`${kind} ${status}`] ?? 0) + 1
    const paid = await executions(url, rows)
    const succeeded = rows.filter(({ kind, status }) => kind !== "deposit" && status === "success").length
    const [events] = await sql<[{ count: string }]>`select count(*) from event`
    return {
      statuses,
      executions: paid.total,
      events: Number(events.count),
      breaches: [
        ...whole(rows, made),
        ...(await balanced(sql, payer, rows)),
        ...(await recorded(sql)),
        ...(await delivered(sql, arrived)),
        ...paid.breaches,
        ...(paid.total === succeeded ? [] : [`the provider executed ${paid.total}, and ${succeeded} succeeded`])
      ]
    }
  })
