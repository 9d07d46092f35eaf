/**
 * Matching beside a large store: a statement of as many lines as a tenth of the movements, each under the statement reference of
 * its command, and then a second one of a hundred lines.
 */
import { Effect } from "effect"
import postgres from "postgres"
import { UnitOfWork } from "../src/engine/commit/UnitOfWork.ts"
import { begin } from "../src/engine/commit/steps.ts"
import { Ids } from "../src/engine/ports/Ids.ts"
import { PLATFORM_MERCHANT } from "../src/engine/ports/Storage.ts"
import { deriveStatementReference } from "../src/engine/input/statement-reference.ts"
import { ExternalAccounts } from "../src/engine/resources/reconciliation/external-account.ts"
import { StatementKind } from "../src/engine/resources/reconciliation/statement-kinds.ts"
import { StatementLineKind } from "../src/engine/resources/reconciliation/statement-line.ts"
import { Matchings } from "../src/engine/resources/reconciliation/matching.ts"
import { fill, lifeIn } from "./growth.ts"
import * as ours from "./ours.ts"
import type { Show } from "./results.ts"

const WALLETS = 2_000
const MOVEMENTS = 1_000_000
const CHUNK = 500

const caller = {
  merchant_id: PLATFORM_MERCHANT,
  role: "admin",
  key_id: null,
  operator: { id: null, name: "bench", role: "admin" },
  operation: "bench",
  request_id: "req_bench",
  idempotency: null,
  if_match: null,
  reply: () => ""
} as const

interface Paid {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly day: string
}

/** Creates the account of a provider in USDC. */
export const accountOf = (provider: string) =>
  Effect.flatMap(ExternalAccounts, (accounts) =>
    accounts.create(caller, {
      provider,
      currency: "USDC",
      kind: "bank",
      identifiers: [{ scheme: "account_number", value: "77" }],
      opening: { date: "2026-01-01", balance: "0" },
      time_zone: "UTC"
    })
  )

/** Stores a statement, and its lines in chunks, as ingestion does. */
export const store = Effect.fnUntraced(function* (external_account_id: string, paid: ReadonlyArray<Paid>) {
  const unitOfWork = yield* UnitOfWork
  const ids = yield* Ids
  const written = (name: string, rows: ReadonlyArray<readonly [kind: any, prefix: string, data: object]>) =>
    unitOfWork.apply(
      PLATFORM_MERCHANT,
      { deduplicationKey: `bench/${name}` },
      Effect.gen(function* () {
        const at = Date.now()
        const made = yield* Effect.forEach(rows, ([kind, prefix, data]) =>
          Effect.flatMap(ids.make(prefix), (id) => begin(kind, { merchant_id: PLATFORM_MERCHANT, id }, data, at))
        )
        return { changes: made.map(({ changes }) => changes), result: made[0]!.row.id }
      })
    )
  const statement = {
    external_account_id,
    format: "camt.053",
    message_id: null,
    number: null,
    from: null,
    to: null,
    currency: "USDC",
    opening_balance: null,
    closing_balance: null,
    lines: paid.length,
    pending: 0,
    chunks: 0,
    warnings: []
  }
  const first = yield* written(yield* ids.make("b"), [[StatementKind, "stm", statement]])
  const statement_id = first._tag === "applied" ? first.result : ""
  for (let n = 0; n < paid.length; n += CHUNK)
    yield* written(
      yield* ids.make("b"),
      paid.slice(n, n + CHUNK).map(({ amount, currency, day, id }, at) => [
        StatementLineKind,
        "stl",
        {
          booked_on: day,
          value_on: day,
          direction: "debit",
          amount,
          currency,
          bank_reference: null,
          end_to_end_id: null,
          uetr: null,
          transaction_hash: null,
          counterparty: { name: "Ada Obi", account: null },
          remittance: `PAYMENT ${deriveStatementReference(`${id}.payout`)}`,
          code: null,
          reversal: false,
          place: `line ${n + at + 1}`,
          statement_id,
          external_account_id,
          accounted_on: day,
          matches: []
        }
      ])
    )
})

export const measureMatching = async (
  fresh: () => Promise<string>,
  show: Show,
  scale: number
): Promise<ReadonlyArray<object>> => {
  const movements = Math.ceil(MOVEMENTS * scale)
  const [url, shaped] = [await fresh(), await fresh()]
  await (await ours.createOnPostgres(url, WALLETS, 1)).close()
  await fill(url, await lifeIn(shaped), movements)
  const lines = Math.ceil(movements / 10)
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
  const [{ world }] =
    (await sql`select credit as world from posting where credit like 'world:%' limit 1`) as unknown as [
      { world: string }
    ]
  const paid = (await sql`
    select p.resource_id as id, p.amount::text as amount, p.currency, to_char(to_timestamp(p.at / 1000) at time zone 'utc', 'YYYY-MM-DD') as day
    from posting p join resource r on r.merchant_id = p.merchant_id and r.id = p.resource_id
    where p.credit = ${world} and r.status = 'success' order by p.at desc limit ${lines + 100}`) as unknown as ReadonlyArray<Paid>
  await sql.end()
  const opened = await ours.openOnPostgres(url)
  try {
    const account = await opened.run(accountOf(world.slice("world:".length)))
    const measured = async (name: string, of: ReadonlyArray<Paid>) => {
      await opened.run(store(account.id, of))
      let peak = 0
      const watch = setInterval(() => void (peak = Math.max(peak, process.memoryUsage().heapUsed)), 50)
      const began = performance.now()
      const run = await opened.run(Effect.flatMap(Matchings, (matchings) => matchings.match(account.id, false)))
      const seconds = (performance.now() - began) / 1000
      clearInterval(watch)
      return {
        name,
        movements,
        lines: of.length,
        matched: run.matched,
        seconds: Math.round(seconds * 10) / 10,
        lines_per_second: Math.round(of.length / seconds),
        heap_mb: Math.round(peak / 2 ** 20)
      }
    }
    const rows = [
      await measured("matching/postgres", paid.slice(100)),
      await measured("matching/postgres, a second statement", paid.slice(0, 100))
    ]
    show(["", "movements", "lines", "matched", "seconds", "lines/s", "heap MB"])
    for (const row of rows) show(Object.values(row))
    return rows
  } finally {
    await opened.close()
  }
}
