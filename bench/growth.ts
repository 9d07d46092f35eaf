/**
 * The cost of size: creations beside a million transfers, and every list over them, with its totals checked by a count.
 */
import { readFileSync } from "node:fs"
import { type Effect, ManagedRuntime } from "effect"
import postgres from "postgres"
import { PostgresStorage } from "../src/adapters/storage/postgres.ts"
import { type StoredPage, Storage } from "../src/engine/ports/Storage.ts"
import { type Contender } from "./measure.ts"
import * as ours from "./ours.ts"
import type { Show } from "./results.ts"

type Sql = ReturnType<typeof postgres>

const connect = (url: string): Sql => postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })

const tables = ["resource", "transition", "key_entry", "posting", "event", "unique_key", "list_counter"]

/** The rows that a complete transfer leaves, by table, from a store in which the engine ran one. */
export const lifeIn = async (url: string) => {
  const contender = await ours.lifeOnPostgres(url, 1, 1)
  await contender.run(1)
  await contender.close()
  const sql = connect(url)
  const [{ id }] = (await sql`select id from resource where kind = 'transfer'`) as unknown as [{ id: string }]
  const rowsOf = (table: string, column: string) =>
    sql.unsafe(`select to_json(x)::text as row from ${table} x where ${column} = $1 order by 1`, [id])
  const life = {
    id,
    resource: await rowsOf("resource", "id"),
    transition: await rowsOf("transition", "resource_id"),
    posting: await rowsOf("posting", "resource_id"),
    event: await rowsOf("event", "object_id")
  }
  await sql.end()
  return life
}

/**
 * Fills a store that has the bench's merchants and wallets. Indexes are built after the rows, as in a restored dump.
 */
export const fill = async (url: string, shape: Awaited<ReturnType<typeof lifeIn>>, rows: number): Promise<string> => {
  const sql = connect(url)
  try {
    for (const table of ["resource", "transition", "posting", "event"] as const) {
      const [{ names }] = (await sql`
        select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`) as unknown as [
        { names: string }
      ]
      for (const { row } of shape[table]) {
        await sql.unsafe(
          `insert into ${table} (${names}) overriding system value
             select ${names} from json_populate_record(null::${table}, $1::text::json)`,
          [row]
        )
      }
    }
    const [{ merchant_id }] = (await sql`
      select merchant_id from resource where kind = 'wallet' order by merchant_id limit 1`) as unknown as [
      { merchant_id: string }
    ]
    // The copies' transactions are numbered as if they had been written in consecutive batches.
    await sql.unsafe("set synchronous_commit = off")
    await sql.unsafe(
      `do $$ begin
         for i in 1..${Math.ceil(rows / 24) + 2000} loop perform pg_current_xact_id(); commit; end loop; end $$`
    )
    const made = (await sql.unsafe(
      `select conrelid::regclass::text as "table", conname as name,
         format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as again
       from pg_constraint where contype = 'p' and conrelid::regclass::text = any ($1::text::text[])`,
      [`{${tables.join(",")}}`]
    )) as unknown as ReadonlyArray<{ table: string; name: string; again: string }>
    const indexes = (await sql.unsafe(
      `select indexname as name, indexdef as again from pg_indexes where tablename = any ($1::text::text[])
         and indexname <> all ($2::text::text[])`,
      [`{${tables.join(",")}}`, `{${made.map(({ name }) => name).join(",")}}`]
    )) as unknown as ReadonlyArray<{ name: string; again: string }>
    for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
    for (const { table, name } of made) await sql.unsafe(`alter table ${table} drop constraint ${name}`)
    await sql.unsafe("set maintenance_work_mem = '512MB'; set work_mem = '256MB'; set hash_mem_multiplier = 4")
    const text = readFileSync(new URL("./growth-store.sql", import.meta.url), "utf8")
      .replaceAll("$TEMPLATE", shape.id)
      .replaceAll("$MERCHANT", merchant_id)
      .replaceAll("$ROWS", `${rows}`)
      .replaceAll("$NOW", `${Date.now()}`)
    await sql.unsafe(text).simple()
    const again = [...made, ...indexes].map(({ again }) => again)
    const others = [connect(url), connect(url)]
    await Promise.all(
      others.map(async (other) => {
        await other.unsafe("set maintenance_work_mem = '512MB'")
        for (let next = again.shift(); next !== undefined; next = again.shift()) await other.unsafe(next)
        await other.end()
      })
    )
    for (const table of tables) await sql.unsafe(`vacuum analyze ${table}`)
    await sql.unsafe("checkpoint")
    return merchant_id
  } finally {
    await sql.end()
  }
}

const movements = ["transfer", "offramp", "onramp", "conversion"]
const transactions = [...movements, "deposit"]

/** A list query, and a statement that counts its total without list counters. */
interface Asked {
  readonly name: string
  readonly ask: (
    store: Storage["Service"],
    offset: number,
    limit: number
  ) => Effect.Effect<StoredPage<unknown>, unknown>
  readonly count: string
}

const rowsOf = (
  name: string,
  merchant_id: string | undefined,
  kinds: ReadonlyArray<string>,
  index_keys: ReadonlyArray<string>,
  span: { readonly created_after?: number; readonly created_before?: number } = {}
): Asked => ({
  name,
  ask: (store, offset, limit) =>
    store.list({ ...(merchant_id === undefined ? {} : { merchant_id }), kinds, index_keys, ...span, offset, limit }),
  count: `select count(*) as n from resource where not hidden and kind = any ('{${kinds.join(",")}}')
    ${merchant_id === undefined ? "" : `and merchant_id = '${merchant_id}'`}
    ${index_keys.length === 0 ? "" : `and index_keys @> '{${index_keys.map((f) => `"${f}"`).join(",")}}'`}
    ${span.created_after === undefined ? "" : `and created_at >= ${span.created_after}`}
    ${span.created_before === undefined ? "" : `and created_at <= ${span.created_before}`}`
})

const eventsOf = (name: string, merchant_id: string, filter: Readonly<Record<string, string | number>>): Asked => ({
  name,
  ask: (store, offset, limit) => store.events({ merchant_id, ...filter, offset, limit }),
  count: `select count(*) as n from event where merchant_id = '${merchant_id}'${Object.entries(filter)
    .map(([column, value]) =>
      column === "created_after"
        ? ` and created_at >= ${value}`
        : column === "created_before"
          ? ` and created_at <= ${value}`
          : ` and ${column} = '${value}'`
    )
    .join("")}`
})

const entriesOf = (name: string, account: string): Asked => ({
  name,
  ask: (store, offset, limit) => store.entries(account, offset, limit),
  count: `select count(*) as n from posting where debit = '${account}' or credit = '${account}'`
})

const lists = (m: string, wallet: string, rare: string, customer: string, object_id: string): ReadonlyArray<Asked> => {
  const day = 86_400_000
  const span = { created_after: Date.now() - 80 * day - 1_234_567, created_before: Date.now() - 2 * day - 7_654_321 }
  const common = [
    [],
    ["status=success"],
    ["status=failed"],
    ["status=processing"],
    [`customer_id=${customer}`],
    [`wallet_id=${wallet}`],
    [`wallet_id=${rare}`]
  ]
  const word = (index_keys: ReadonlyArray<string>): string =>
    index_keys
      .map((f) => (f === `wallet_id=${rare}` ? "wallet_id=rare" : f.includes("_id=") ? f.split("=")[0] : f))
      .join("&")
  return [
    ...common.map((index_keys) => rowsOf(`/v1/transfers ${word(index_keys)}`, m, ["transfer"], index_keys)),
    rowsOf("/v1/transfers created_*", m, ["transfer"], [], span),
    rowsOf("/v1/transfers status=success&created_*", m, ["transfer"], ["status=success"], span),
    ...[
      ...common,
      ["source_type=credential"],
      ["source_currency=USDC"],
      ["source_currency=NGN"],
      ["source_currency=USDC", "status=success"]
    ].map((index_keys) => rowsOf(`/v1/transactions ${word(index_keys)}`, m, transactions, index_keys)),
    rowsOf("/v1/transactions type=deposit&status", m, ["deposit"], ["status=held"]),
    rowsOf("/v1/transactions created_*", m, transactions, [], span),
    ...["offramp", "onramp", "conversion"].flatMap((kind) => [
      rowsOf(`/v1/${kind}s`, m, [kind], []),
      rowsOf(`/v1/${kind}s status`, m, [kind], ["status=success"]),
      rowsOf(`/v1/${kind}s wallet_id`, m, [kind], ["wallet_id=wal_o"]),
      rowsOf(`/v1/${kind}s created_*`, m, [kind], [], span)
    ]),
    rowsOf("/v1/wallets", m, ["wallet"], []),
    rowsOf("/v1/wallets customer_id", m, ["wallet"], [`customer_id=${customer}`]),
    rowsOf("/v1/wallets currency", m, ["wallet"], ["currency=USDC"]),
    rowsOf("/v1/wallets/{id}/credentials", m, ["wallet_credential"], ["wallet_id=wal_o"]),
    rowsOf("/v1/wallets/{id}/deposit-addresses", m, ["deposit_address"], ["wallet_id=wal_o"]),
    rowsOf("/v1/customers", m, ["customer"], []),
    rowsOf("/v1/customers kyc_status", m, ["customer"], ["kyc_status=approved"]),
    rowsOf("/v1/beneficiaries", m, ["beneficiary"], []),
    rowsOf("/v1/beneficiaries customer_id", m, ["beneficiary"], [`customer_id=${customer}`]),
    rowsOf("/v1/beneficiaries type&currency", m, ["beneficiary"], ["type=bank", "currency=NGN"]),
    eventsOf("/v1/events", m, {}),
    eventsOf("/v1/events category", m, { category: "transfer" }),
    eventsOf("/v1/events event_type", m, { type: "transfer.success" }),
    eventsOf("/v1/events event_object_id", m, { object_id }),
    eventsOf("/v1/events created_*", m, span),
    rowsOf("/operator/merchants", undefined, ["merchant"], []),
    rowsOf("/operator/access-requests status", undefined, ["access_request"], ["status=pending"]),
    rowsOf("/operator/exceptions", undefined, ["exception"], []),
    rowsOf("/operator/exceptions status", undefined, ["exception"], ["status=open"]),
    rowsOf("/operator/deposits held", undefined, ["deposit"], ["state=held"]),
    entriesOf("/operator/entries world", "world"),
    entriesOf("/operator/entries clearing", "clearing:simulated"),
    entriesOf("/operator/entries available", `available:${wallet}`),
    entriesOf("/operator/entries rare", `available:${rare}`),
    {
      name: "/operator/stuck",
      ask: (store, offset, limit) =>
        store.idle({
          waits: movements.flatMap((kind) =>
            ["created", "processing", "temporary_failure"].map((status) => ({ kind, status, until: null }))
          ),
          steps: [],
          under_way: ["submitting", "unknown", "waiting"],
          before: Date.now() - 3_600_000,
          now: Date.now(),
          offset,
          limit
        }),
      count: `select count(*) as n from resource r where kind = any ('{${movements.join(",")}}')
        and status = any ('{created,processing,temporary_failure}')
        and (select max(t.at) from transition t where t.merchant_id = r.merchant_id and t.resource_id = r.id
          and t.from_state is distinct from t.to_state
          and not (coalesce(t.from_state = any ('{submitting,unknown,waiting}'), false)
            and t.to_state = any ('{submitting,unknown,waiting}')))
          < (extract(epoch from now()) * 1000)::bigint - 3600000`
    }
  ]
}

const PAGE = 50
const at = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export interface GrowthLine {
  readonly name: string
  readonly total: number
  /** Whether the total equals a count of the rows. */
  readonly exact: boolean
  readonly first_p50_ms: number
  readonly first_p99_ms: number
  readonly deep_p50_ms: number
  readonly deep_p99_ms: number
}

const creations = async (contender: Contender, count: number): Promise<number> => {
  const { elapsed_ms, latencies_ms } = await contender.run(count)
  return (latencies_ms.length / elapsed_ms) * 1000
}

const ROWS = 1_000_000
const ROUNDS = 7
const SAMPLES = 100

/** Measures every list of a filled store. `merchant_id` owns most of it. */
export const measureLists = async (url: string, merchant_id: string, show: Show): Promise<ReadonlyArray<unknown>> => {
  const lines: Array<unknown> = []
  const sql = connect(url)
  const runtime = ManagedRuntime.make(PostgresStorage.layer({ url }))
  try {
    const one = async (text: string): Promise<string> =>
      String(Object.values((await sql.unsafe(text))[0] as Record<string, unknown>)[0])
    const wallet = await one(
      `select split_part(index_key, '=', 2) from list_counter where merchant_id = '${merchant_id}' and kind = 'transfer'
         and starts_with(index_key, 'wallet_id=') order by n desc limit 1`
    )
    const rare = await one(
      `select split_part(index_key, '=', 2) from list_counter where merchant_id = '${merchant_id}' and kind = 'transfer'
         and starts_with(index_key, 'wallet_id=') order by n limit 1`
    )
    const customer = await one(`select customer_id from resource where id = '${wallet}'`)
    const object_id = await one(`select object_id from event where merchant_id = '${merchant_id}' limit 1`)
    const store = await runtime.runPromise(Storage)
    const timed = async (asked: Asked, offset: number): Promise<{ sorted: ReadonlyArray<number>; total: number }> => {
      const taken: Array<number> = []
      let total = 0
      for (let n = 0; n < SAMPLES + 2; n++) {
        const start = performance.now()
        total = (await runtime.runPromise(asked.ask(store, offset, PAGE) as Effect.Effect<StoredPage<unknown>>)).total
        // The first two runs build the plan and warm the caches.
        if (n > 1) taken.push(performance.now() - start)
      }
      return { sorted: taken.toSorted((a, b) => a - b), total }
    }
    show(["", "total", "exact", "first p50", "first p99", "p.1000 p50", "p.1000 p99"])
    for (const asked of lists(merchant_id, wallet, rare, customer, object_id)) {
      const first = await timed(asked, 0)
      const deep = await timed(asked, 999 * PAGE)
      const exact = Number(await one(asked.count)) === first.total && first.total === deep.total
      const ms = (sorted: ReadonlyArray<number>, share: number): number => Math.round(at(sorted, share) * 10) / 10
      const line: GrowthLine = {
        name: asked.name,
        total: first.total,
        exact,
        first_p50_ms: ms(first.sorted, 0.5),
        first_p99_ms: ms(first.sorted, 0.99),
        deep_p50_ms: ms(deep.sorted, 0.5),
        deep_p99_ms: ms(deep.sorted, 0.99)
      }
      lines.push(line)
      show(Object.values(line).map((cell) => (typeof cell === "boolean" ? (cell ? "yes" : "NO") : cell)))
    }
    const start = performance.now()
    await runtime.runPromise(store.trialBalance as Effect.Effect<unknown>)
    const trial = { name: "/operator/trial-balance", ms: Math.round(performance.now() - start) }
    lines.push(trial)
    show([trial.name, "", "", trial.ms])
    return lines
  } finally {
    await runtime.dispose()
    await sql.end()
  }
}

/** Builds the store and measures it. Returns a line for creations and one for each list. */
export const measureGrowth = async (
  fresh: () => Promise<string>,
  show: Show,
  scale: number
): Promise<ReadonlyArray<unknown>> => {
  const lines: Array<unknown> = []
  const shape = await lifeIn(await fresh())
  const empty = await ours.createOnPostgres(await fresh(), 2_000, 128)
  const url = await fresh()
  const full = await ours.createOnPostgres(url, 2_000, 128)
  const began = performance.now()
  const merchant_id = await fill(url, shape, Math.ceil(ROWS * scale))
  show(["the store was filled in s", Math.round((performance.now() - began) / 1000)])

  await creations(empty, 2_000)
  await creations(full, 2_000)
  const ratios: Array<number> = []
  const rates: { readonly empty: Array<number>; readonly full: Array<number> } = { empty: [], full: [] }
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? (["empty", "full"] as const) : (["full", "empty"] as const)
    for (const side of order) rates[side].push(await creations(side === "empty" ? empty : full, 3_000))
    ratios.push(rates.full[round]! / rates.empty[round]!)
  }
  const median = (numbers: ReadonlyArray<number>): number =>
    at(
      numbers.toSorted((a, b) => a - b),
      0.5
    )
  const created = {
    name: "create/postgres/full",
    full_per_s: Math.round(median(rates.full)),
    empty_per_s: Math.round(median(rates.empty)),
    ratio: Math.round(median(ratios) * 100) / 100
  }
  lines.push(created)
  show(["", "full/s", "empty/s", "ratio"])
  show(Object.values(created))
  await empty.close()
  await full.close()

  return [...lines, ...(await measureLists(url, merchant_id, show))]
}
