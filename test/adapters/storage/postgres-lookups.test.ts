/** Query plans of lookups by key. A connection plans each of them once, while the tables may be empty, and keeps the plan. */
import { expect, it } from "vitest"
import { makeConnections } from "../../../src/adapters/storage/sql/connections.ts"
import { encodeLookupArray } from "../../../src/adapters/storage/sql/encode.ts"
import { makeEventsStatement } from "../../../src/adapters/storage/sql/lists.ts"
import { eventText, getText, idempotencyRecordText, lookupText } from "../../../src/adapters/storage/sql/rows.ts"
import { freshDatabase, query } from "../../support/stores/database.ts"
import { T0 } from "./support.ts"

const resources = (from: number, to: number) =>
  `insert into resource (merchant_id, kind, id, version, machine, state, status, created_at, updated_at, hidden, event_count,
     index_keys, data)
   select 'mer_' || i, 'access_grant', 'NGN', 1, '1', 'approved', 'approved', ${T0}, ${T0}, true, 0, '{}', '{}'
   from generate_series(${from}, ${to}) i`
const events = (merchant: string, from: number, to: number) =>
  `insert into event (merchant_id, id, object_id, sequence, type, category, created_at, body)
   select ${merchant}, 'evt_' || i, 'tfr_' || i, 1, 'transfer.success', 'transfer', ${T0}, '{}'
   from generate_series(${from}, ${to}) i`
const answers = (from: number, to: number) =>
  `insert into idempotency_record (merchant_id, key, fingerprint, response, expires_at, at)
   select 'mer_1', 'key_' || i, 'print', E'sealed:\\x13evt_' || i || E' 1 1 1\\x13', null, ${T0} from generate_series(${from}, ${to}) i`

/** What is stored when the statement is planned, what later, and the keys of a lookup: `rows` of them exist. */
const cases = [
  {
    name: "rows, where the same id is that of a row of each merchant",
    text: getText,
    before: [],
    later: [resources(1, 5_000)],
    keys: [
      ["mer_4000", "mer_4001", "mer_0"],
      ["access_grant", "access_grant", "access_grant"],
      ["NGN", "NGN", "NGN"]
    ],
    rows: 2,
    indexes: ["resource_pkey"]
  },
  {
    name: "events, where one of many merchants has got most of them",
    text: eventText,
    before: [events("'mer_' || i", 1, 300), "analyze event"],
    later: [events("'mer_1'", 301, 5_000)],
    keys: [
      ["mer_1", "mer_1", "mer_2"],
      ["evt_400", "evt_4000", "evt_4001"]
    ],
    rows: 2,
    indexes: ["event_pkey"]
  },
  {
    name: "idempotency records, whose responses are in events",
    text: idempotencyRecordText,
    before: [events("'mer_' || i", 1, 300), "analyze event"],
    later: [answers(1, 5_000), events("'mer_1'", 301, 5_000)],
    keys: [
      ["mer_1", "mer_1", "mer_2"],
      ["key_400", "key_4000", "key_4001"],
      [T0, T0, T0]
    ],
    rows: 2,
    indexes: ["idempotency_record_pkey", "event_pkey"]
  },
  {
    name: "rows and idempotency records together",
    text: lookupText,
    before: [],
    later: [resources(1, 5_000), answers(1, 5_000)],
    keys: [
      ["mer_4000", "mer_0"],
      ["access_grant", "access_grant"],
      ["NGN", "NGN"],
      ["mer_1", "mer_2"],
      ["key_400", "key_4001"],
      [T0, T0],
      2
    ],
    rows: 2,
    indexes: ["resource_pkey", "idempotency_record_pkey", "event_pkey"]
  }
] as const

interface Node {
  readonly "Index Name"?: string
  readonly "Actual Loops": number
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
  readonly Plans?: ReadonlyArray<Node>
}
const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

type Given = Pick<(typeof cases)[number], "before" | "later"> & { readonly text: string }

/** Prepares a statement until its plan is kept, stores more, and returns how that plan then runs. */
const kept = async ({ before, later, text }: Given, params: ReadonlyArray<string | number | null>) => {
  const url = await freshDatabase()
  for (const each of before) await query(url, each)
  const { close, query: ask } = makeConnections({ url, statement_timeout_ms: 10_000 }, 1)
  try {
    await ask(`prepare lookup(${params.map(() => "text").join(", ")}) as ${text}`, [])
    const run = `execute lookup(${params.map((param) => (param === null ? "null" : `'${param}'`)).join(", ")})`
    for (let i = 0; i < 7; i++) await ask(run, [])
    const planned = "select generic_plans > 0 as kept from pg_prepared_statements where name = 'lookup'"
    expect(await ask(planned, [])).toEqual([{ kept: true }])
    for (const each of later) await query(url, each)
    const rows = await ask(run, [])
    const [explained] = await ask(`explain (analyze, buffers, format json) ${run}`, [])
    const found = explained!["QUERY PLAN"] as string | ReadonlyArray<{ readonly Plan: Node }>
    const [{ Plan: plan }] = (typeof found === "string" ? JSON.parse(found) : found) as [{ Plan: Node }]
    return { rows: rows.length, plan }
  } finally {
    await close()
  }
}

/** More than the blocks of one probe: the levels of the index, and the row. */
const PAGES_MAX = 6

it.each(cases)("keeps to the primary key with a plan that is kept: $name", async (given) => {
  const { plan, rows } = await kept(
    given,
    given.keys.map((keys) => (typeof keys === "number" ? keys : encodeLookupArray(keys)))
  )
  expect(rows).toBe(given.rows)
  expect(nodesOf(plan).flatMap((node) => node["Index Name"] ?? [])).toEqual(given.indexes)
  expect(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]).toBeLessThanOrEqual(PAGES_MAX * given.keys[0].length)
})

it("keeps to the primary key for each event of a page of a list", async () => {
  const { params, text } = makeEventsStatement({ merchant_id: "mer_1", offset: 2_000, limit: 20 })
  const { plan, rows } = await kept({ ...cases[1], text }, params)
  expect(rows).toBe(20)
  const each = nodesOf(plan).filter((node) => node["Actual Loops"] === 20)
  expect(each.flatMap((node) => node["Index Name"] ?? [])).toEqual(["event_pkey"])
})
