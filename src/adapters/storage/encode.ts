/** A batch of Changes as the arguments of `corridor_commit`, and the function's answer as verdicts. */
import { InvariantViolation } from "../../engine/errors.ts"
import type { Change, Verdict } from "../../engine/Storage.ts"
import { causeOf, guardedDeltas, keyOf } from "./change.ts"
import type { SqlRow } from "./sql.ts"

type Cell = string | number | boolean | null

/** Postgres has no text with a NUL in it. As a key to look up such a text is nothing: null equals no key. */
export const findable = (text: string): string | null => (text.includes("\u0000") ? null : text)

/**
 * A Postgres array literal. Built here, and bound as text, so that no driver's own idea of arrays comes between.
 * A text with a NUL becomes null, which what is written must not be: see {@link encode}.
 */
export const literal = (cells: ReadonlyArray<Cell>): string => {
  let out = "{"
  for (let i = 0; i < cells.length; i++) {
    const given = cells[i]!
    const cell = typeof given === "string" ? findable(given) : given
    if (i > 0) out += ","
    if (cell === null) out += "NULL"
    else if (typeof cell === "string") {
      out += /["\\]/.test(cell) ? `"${cell.replace(/["\\]/g, "\\$&")}"` : `"${cell}"`
    } else out += cell
  }
  return `${out}}`
}

const T = "text[]"
const N = "bigint[]"
const I = "int[]"

/** The columns in the order of the function's parameters. */
const signature = [
  T,
  N,
  T,
  T,
  T,
  N,
  T,
  T,
  T,
  I,
  T,
  T,
  T,
  I,
  T,
  T,
  T,
  T,
  T,
  N,
  N,
  "boolean[]",
  I,
  T,
  T,
  T,
  T,
  T,
  T,
  T,
  I,
  I,
  "numeric[]",
  I,
  T,
  T,
  "numeric[]",
  T,
  T,
  I,
  I,
  T,
  T,
  T,
  I,
  T,
  T,
  T,
  T,
  I,
  T,
  T,
  I,
  T,
  T,
  N,
  T,
  I,
  T,
  T,
  T,
  T,
  N,
  I,
  N,
  T,
  T,
  T,
  N,
  I,
  T,
  I,
  T,
  T
]

export const commitText = `select o_change, o_tag, o_1, o_2, o_3, o_4, o_5 from corridor_commit(${signature
  .map((type, i) => `$${i + 1}::text::${type}`)
  .join(", ")})`

const columns = (count: number): Array<Array<Cell>> => Array.from({ length: count }, () => [])

const push = (into: ReadonlyArray<Array<Cell>>, ...cells: ReadonlyArray<Cell>): void => {
  for (let i = 0; i < cells.length; i++) into[i]!.push(cells[i]!)
}

const written = (cells: ReadonlyArray<Cell>): string => {
  if (cells.some((c) => typeof c === "string" && findable(c) === null)) {
    throw new InvariantViolation("a Change's texts have no NUL")
  }
  return literal(cells)
}

/**
 * Encodes a batch. Law: accounts are listed once each, in the one order all batches lock them in.
 *
 * Errors: throws `InvariantViolation` for a text with a NUL (in `data`, `body` and `log` it is escaped, and kept).
 */
export const encode = (changes: ReadonlyArray<Change>): ReadonlyArray<string> => {
  const change = columns(9)
  const rows = columns(18)
  const accounts = columns(3)
  const deltas = columns(3)
  const postings = columns(7)
  const claims = columns(4)
  const aliases = columns(5)
  const events = columns(8)
  const jobs = columns(12)
  const deleted = columns(2)
  const subscriptions = columns(3)

  const guarded = changes.map(guardedDeltas)
  const named = new Map<string, readonly [string, string, string]>()
  changes.forEach((x, i) => {
    for (const d of guarded[i]!) {
      named.set(keyOf(x.merchant_id, d.account, d.currency), [x.merchant_id, d.account, d.currency])
    }
  })
  const places = new Map<string, number>()
  for (const key of [...named.keys()].sort()) {
    push(accounts, ...named.get(key)!)
    places.set(key, places.size + 1)
  }

  changes.forEach((x, i) => {
    const c = i + 1
    const m = x.merchant_id
    push(
      change,
      m,
      x.at,
      x.once?.key ?? null,
      x.once?.fingerprint ?? null,
      x.once?.response ?? null,
      x.once?.expires_at ?? null,
      x.lease?.job ?? null,
      x.lease?.token ?? null,
      causeOf(x)
    )
    for (const r of x.rows) {
      push(
        rows,
        c,
        m,
        r.kind,
        r.id,
        r.version,
        r.machine,
        r.state,
        r.status,
        r.customer_id,
        r.root_id,
        r.created_at,
        r.updated_at,
        r.hidden,
        r.event_count,
        written(r.facets),
        JSON.stringify(r.data),
        r.via,
        r.from
      )
    }
    for (const d of guarded[i]!) {
      push(deltas, c, places.get(keyOf(m, d.account, d.currency))!, d.amount.toString())
    }
    for (const p of x.postings) push(postings, c, p.debit, p.credit, p.amount, p.currency, p.resource_id, p.version)
    for (const l of x.claims) push(claims, c, l.scope, l.key, l.owner)
    for (const a of x.aliases) push(aliases, c, a.scope, a.key, a.kind, a.id)
    for (const e of x.events) {
      push(events, c, e.id, e.object_id, e.sequence, e.type, e.category, e.created_at, e.body)
    }
    const kept = new Set<string>()
    for (const j of x.jobs) {
      kept.add(j.id)
      push(
        jobs,
        c,
        j.id,
        j.queue,
        j.lane,
        j.status,
        j.due_at,
        j.attempt,
        j.created_at,
        JSON.stringify(j.body),
        JSON.stringify(j.log),
        j.lease?.token ?? null,
        j.lease?.locked_until ?? null
      )
    }
    if (x.lease !== undefined && !kept.has(x.lease.job)) push(deleted, c, x.lease.job)
    for (const id of x.cancels) if (!kept.has(id)) push(deleted, c, id)
    for (const s of x.subscriptions) push(subscriptions, c, s.endpoint_id, written(s.categories))
  })

  return [change, rows, accounts, deltas, postings, claims, aliases, events, jobs, deleted, subscriptions]
    .flat()
    .map(written)
}

const text = (value: unknown): string => String(value)
const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value))

const verdict = (row: SqlRow): Verdict => {
  switch (row["o_tag"]) {
    case "Repeated":
      return {
        _tag: "Repeated",
        applied: {
          key: text(row["o_1"]),
          fingerprint: text(row["o_2"]),
          response: row["o_3"] === null ? null : text(row["o_3"]),
          expires_at: numberOrNull(row["o_4"]),
          at: Number(row["o_5"])
        }
      }
    case "LeaseLost":
      return { _tag: "LeaseLost" }
    case "VersionConflict":
      return { _tag: "VersionConflict", kind: text(row["o_1"]), id: text(row["o_2"]) }
    case "Taken":
      return { _tag: "Taken", scope: text(row["o_1"]), key: text(row["o_2"]), owner: text(row["o_3"]) }
    case "InsufficientFunds":
      return { _tag: "InsufficientFunds", account: text(row["o_1"]), currency: text(row["o_2"]) }
    default:
      throw new Error(`corridor_commit answered ${text(row["o_tag"])}`)
  }
}

/** The verdicts of a batch of `count`, and whether deliveries were made. The last row of a Change stands. */
export const decode = (
  count: number,
  rows: ReadonlyArray<SqlRow>
): { readonly verdicts: ReadonlyArray<Verdict>; readonly deliveries: boolean } => {
  const verdicts: Array<Verdict> = Array.from({ length: count }, () => ({ _tag: "Committed" as const }))
  let deliveries = false
  for (const row of rows) {
    const at = Number(row["o_change"])
    if (at === 0) deliveries = true
    else verdicts[at - 1] = verdict(row)
  }
  return { verdicts, deliveries }
}
