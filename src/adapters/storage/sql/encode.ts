/** Encodes a batch of Changes as the arguments of `corridor_commit`, and decodes the rows it returns as verdicts. */
import {
  type Change,
  type CommitResult,
  counterBucketsMax,
  EMPTY,
  type EventWrite,
  type JobWrite
} from "../../../engine/ports/Storage.ts"
import { InvariantViolation } from "../../../engine/ports/errors.ts"
import { keyLifetime } from "../../../engine/settings/retention.ts"
import { encodeCause, compareText, joinKey, sumGuardedPostings } from "../change.ts"
import type { LeaseClock, SqlRow } from "./driver.ts"
import { originalRow } from "./identity.ts"
import { numberOrNull, text, textOrNull } from "./rows.ts"

// How the response of a key is stored. It repeats most of an event of the same Change, and is stored without that part: an event lives
// longer than the keys of calls. `corridor_response` (`0002_commit.sql`) puts it together again.

/** Encloses what is said of the part. */
const SEPARATOR = "\u0013"
/** Begins a response that is stored without a part, or that began with it itself. */
const MARK = `sealed:${SEPARATOR}`

/** The fewest characters that are worth a read of the event. */
const LEAST = 256

/** What JavaScript and databases do not count alike: halves of characters, and bytes where the encoding is `SQL_ASCII`. */
const uncountable = /[^ -~]/

/** Replaces the part of a response that the event's body repeats by a reference to it. Undefined: that part is too short. */
const shortenResponse = (response: string, { body, id, object_id }: EventWrite): string | undefined => {
  const begin = `{"id":${JSON.stringify(object_id)},`
  const at = response.indexOf(begin)
  const from = body.indexOf(begin)
  if (at < 0 || from < 0 || !/^[!-~]+$/.test(id)) return undefined
  if (uncountable.test(body.slice(0, from)) || uncountable.test(response.slice(0, at))) return undefined
  let end = at
  while (end < response.length && response.charCodeAt(end) === body.charCodeAt(from + end - at)) end++
  const counted = response.slice(at, end).search(uncountable)
  const length = counted < 0 ? end - at : counted
  if (length < LEAST) return undefined
  return `${MARK}${id} ${at + 1} ${from + 1} ${length}${SEPARATOR}${response.slice(0, at)}${response.slice(at + length)}`
}

/** Encodes a response that is stored whole. */
export const encodeWholeResponse = (response: string): string =>
  response.startsWith(MARK) ? `${MARK}${SEPARATOR}${response}` : response

/** Encodes the response of a Change's idempotency key, as it is stored: without the parts that the event has. */
const encodeResponse = ({ at, events, idempotency }: Change): string | null => {
  if (idempotency === undefined || idempotency.response === null) return null
  const { expires_at, response } = idempotency
  // A key that never expires may outlive the event.
  if (response.length < LEAST || expires_at === null || expires_at > at + keyLifetime)
    return encodeWholeResponse(response)
  for (const event of events) {
    const stored = shortenResponse(response, event)
    if (stored !== undefined) return stored
  }
  return encodeWholeResponse(response)
}

type Cell = string | number | boolean | null

/** Converts a text to a lookup value: one with a NUL, which Postgres cannot contain, becomes null, which equals no key. */
export const toLookupText = (text: string): string | null => (text.includes("\u0000") ? null : text)

const special = /["\\\0]/

const formatArray = (cells: ReadonlyArray<Cell>, withNul: () => string): string =>
  `{${cells
    .map((cell) => {
      // `withNul`: what stands for a text that has one.
      if (typeof cell !== "string") return cell === null ? "NULL" : String(cell)
      if (!special.test(cell)) return `"${cell}"`
      return cell.includes("\0") ? withNul() : `"${cell.replace(/["\\]/g, "\\$&")}"`
    })
    .join(",")}}`

/**
 * Encodes a Postgres array literal, bound as text, so that the result does not depend on the driver's array encoding. A text with
 * a NUL becomes null, which is only allowed in lookups; see {@link encodeWriteArray} for writes.
 */
export const encodeLookupArray = (cells: ReadonlyArray<Cell>): string => formatArray(cells, (): string => "NULL")

/** Encodes members of rows as array literals, one for each name, for lookups. */
export const encodeLookupColumns = <N extends string>(
  rows: ReadonlyArray<{ readonly [K in N]: Cell }>,
  ...names: ReadonlyArray<N>
): ReadonlyArray<string> => names.map((name) => encodeLookupArray(rows.map((row) => row[name])))

/** Encodes an array literal for writes. Errors: throws `InvariantViolation` for a text with a NUL. */
const encodeWriteArray = (cells: ReadonlyArray<Cell>): string =>
  formatArray(cells, (): never => {
    throw new InvariantViolation("the texts of a Change must not contain NUL")
  })

type Cast = "text[]" | "bigint[]" | "int[]" | "numeric[]" | "boolean[]"

/** The columns of each list, in the order of the function's parameters. */
const lists = {
  change: "text bigint text text text bigint text text text",
  rows: "int text text text int text text text text text bigint bigint boolean int text text text text",
  accounts: "text text text",
  deltas: "int int numeric int",
  postings: "int text text numeric text text int",
  uniqueKeys: "int text text text",
  lookupKeys: "int text text text text",
  events: "int text text int text text bigint text",
  jobs: "int text text text text bigint int bigint text text text bigint",
  deleted: "int text",
  subscriptions: "int text text",
  ways: "int",
  checks: "int text text text int"
} as const

type List = keyof typeof lists

const parseCasts = (columns: string): ReadonlyArray<Cast> => columns.split(" ").map((type) => `${type}[]` as Cast)

/** The lists of a commit with the types of their parameters. `nothing`: the arguments of an empty list. */
const parameterLists = (Object.keys(lists) as ReadonlyArray<List>).map((list) => {
  const types = parseCasts(lists[list])
  return { list, types, nothing: types.map((type) => (type === "text[]" ? "" : "{}")) }
})
const signature = parameterLists.flatMap(({ types }) => types)

/** The columns of `corridor_complete_jobs`. */
const completionColumns = parseCasts("text text text text text text bigint int bigint text text")

const castParameters = (types: ReadonlyArray<Cast>, first = 1): string =>
  types.map((type, i) => `$${i + first}::text::${type}`).join(", ")
const castPackedParameters = (types: ReadonlyArray<Cast>): string =>
  types
    .map((type, i) => (type === "text[]" ? `corridor_texts($${i + 1}::text)` : `$${i + 1}::text::${type}`))
    .join(", ")

/** The columns of `corridor_count`. */
const counterColumns = parseCasts("int text bigint bigint numeric numeric")

const commits = "select o_change, o_tag, o_1, o_2, o_3, o_4, o_5 from corridor_commit"
const makeCommitTexts = (clock: string, also = "") => ({
  /** Decides each Change by itself. */
  checked: `${commits}(${castParameters(signature)}, true, ${clock})${also}`,
  /** Writes the whole batch, or fails with an error that asks for the checked statement. */
  optimistic: `${commits}(${castPackedParameters(signature)}, false, ${clock})${also}`
})
const texts = {
  server: makeCommitTexts("corridor_clock()"),
  /** Also tells whether the database is where it was recorded. */
  compared: makeCommitTexts("corridor_clock()", originalRow),
  caller: makeCommitTexts("0"),
  /** Follows a commit of Changes that count. Its parameters follow those of the commit. */
  count: `select * from corridor_count((select array_agg(o_change) from committed), ${castParameters(counterColumns, signature.length + 1)}, ${counterBucketsMax})`,
  completeJobs: {
    quoted: `select n from corridor_complete_jobs(${castParameters(completionColumns)}) n`,
    packed: `select n from corridor_complete_jobs(${castPackedParameters(completionColumns)}) n`
  }
}

const PARTS = Object.keys(EMPTY) as ReadonlyArray<keyof typeof EMPTY>

/** The parts of a list: each has a cell for every column. */
type Parts = Array<ReadonlyArray<Cell>>

/** Lists a job's columns after its id, in the order of both functions. */
const listJobCells = (j: JobWrite): ReadonlyArray<Cell> => [
  j.queue,
  j.partition_key,
  j.status,
  j.due_at,
  j.attempt,
  j.created_at,
  JSON.stringify(j.body),
  JSON.stringify(j.log)
]

/** The lease of a new job: its duration where the server has the clock, or its end where the caller has it. */
const lockDuration = ({ lease }: JobWrite, clock: LeaseClock): number | null =>
  lease === undefined ? null : lease.lease_ms + (clock === "caller" ? lease.wall : 0)

/** How a job is written: as an upsert, as a new row, or over the row whose lease this Change holds. */
const [REPLACED, NEW, COMPLETED] = [0, 1, 2]

/** The Changes of a statement, and the parts of each list. */
export interface Batch {
  readonly changes: ReadonlyArray<Change>
  readonly parts: Readonly<Record<List, Parts>>
}

/**
 * Splits a batch into the lists of its rows, postings, jobs and so on. Law: each account appears once, in the order in which all
 * batches lock accounts.
 */
export const splitBatch = (changes: ReadonlyArray<Change>, clock: LeaseClock): Batch => {
  const parts: Record<List, Parts> = {
    change: [],
    rows: [],
    accounts: [],
    deltas: [],
    postings: [],
    uniqueKeys: [],
    lookupKeys: [],
    events: [],
    jobs: [],
    deleted: [],
    subscriptions: [],
    ways: [],
    checks: []
  }

  const guarded = changes.map(sumGuardedPostings)
  const named = new Map<string, readonly [string, string, string]>()
  changes.forEach((x, i) => {
    for (const d of guarded[i]!) {
      named.set(joinKey(x.merchant_id, d.account, d.currency), [x.merchant_id, d.account, d.currency])
    }
  })
  const places = new Map<string, number>()
  for (const key of [...named.keys()].sort()) {
    parts.accounts.push(named.get(key)!)
    places.set(key, places.size + 1)
  }

  changes.forEach((x, i) => {
    const c = i + 1
    const m = x.merchant_id
    parts.change.push([
      m,
      x.at,
      x.idempotency?.key ?? null,
      x.idempotency?.fingerprint ?? null,
      encodeResponse(x),
      x.idempotency?.expires_at ?? null,
      x.lease?.job ?? null,
      x.lease?.token ?? null,
      encodeCause(x)
    ])
    for (const r of x.rows) {
      parts.rows.push([
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
        encodeWriteArray(r.index_keys),
        JSON.stringify(r.data),
        r.via,
        r.from
      ])
    }
    for (const k of x.checks) parts.checks.push([c, m, k.kind, k.id, k.version])
    for (const d of guarded[i]!) {
      parts.deltas.push([c, places.get(joinKey(m, d.account, d.currency))!, d.amount.toString(), d.entries])
    }
    for (const p of x.postings)
      parts.postings.push([c, p.debit, p.credit, p.amount, p.currency, p.resource_id, p.version])
    for (const l of x.unique_keys) parts.uniqueKeys.push([c, l.scope, l.key, l.owner])
    for (const a of x.lookup_keys) parts.lookupKeys.push([c, a.scope, a.key, a.kind, a.id])
    for (const e of x.events) {
      parts.events.push([c, e.id, e.object_id, e.sequence, e.type, e.category, e.created_at, e.body])
    }
    const isBegun = ({ id, partition_key }: JobWrite): boolean =>
      x.rows.some((r) => r.version === 1 && (r.id === partition_key || id.startsWith(`${r.id}.`)))
    for (const j of x.jobs) {
      parts.ways.push([
        j.id === x.lease?.job ? COMPLETED : (j.attempt === 0 || j.lease !== undefined) && isBegun(j) ? NEW : REPLACED
      ])
      parts.jobs.push([c, j.id, ...listJobCells(j), j.lease?.token ?? null, lockDuration(j, clock)])
    }
    const isKept = (id: string): boolean => x.jobs.some((j) => j.id === id)
    if (x.lease !== undefined && !isKept(x.lease.job)) parts.deleted.push([c, x.lease.job])
    for (const id of x.cancels) if (!isKept(id)) parts.deleted.push([c, id])
    for (const s of x.subscriptions) parts.subscriptions.push([c, s.endpoint_id, encodeWriteArray(s.categories)])
  })

  return { changes, parts }
}

const UNIT = "\u001f"
const RECORD = "\u001e"
const FILE = "\u001c"
const separator = /[\0\x1c-\x1f]/

/** Packs a column of texts into one argument of `corridor_texts`. Undefined when a cell contains a separator. */
const packColumn = (cells: ReadonlyArray<Cell>): string | undefined => {
  // One test of all texts: most are so short that a test for each costs more.
  if (separator.test(cells.join(""))) return undefined
  if (cells.length === 1 && cells[0] === "") return FILE
  return (cells.includes(null) ? cells.map((cell) => cell ?? RECORD) : cells).join(UNIT)
}

export interface EncodedStatement {
  readonly text: string
  readonly params: ReadonlyArray<string>
}

/**
 * Adds the counters of a batch's Changes to its statement: in the same transaction, and only where the Changes are committed.
 * Without any counter it returns the statement itself.
 */
const addCounters = (changes: ReadonlyArray<Change>, { text, params }: EncodedStatement): EncodedStatement => {
  if (changes.every(({ counters }) => counters.length === 0)) return { text, params }
  const counters: Parts = []
  changes.forEach((change, at) => {
    for (const { add, bucket, from, key, max } of change.counters) counters.push([at + 1, key, bucket, from, add, max])
  })
  return {
    // The counters come first: an error after the first row would leave the rows with the driver.
    text: `with committed as materialized (${text}) ${texts.count} union all select * from committed`,
    params: [...params, ...encodeArrays(counterColumns, counters)]
  }
}

const readColumn = (parts: Parts, at: number): ReadonlyArray<Cell> => parts.map((cells) => cells[at]!)

const encodeArrays = (types: ReadonlyArray<Cast>, parts: Parts): ReadonlyArray<string> =>
  types.map((_, at) => encodeWriteArray(readColumn(parts, at)))

const packColumns = (types: ReadonlyArray<Cast>, parts: Parts): ReadonlyArray<string> | undefined => {
  const params: Array<string> = []
  for (let at = 0; at < types.length; at++) {
    const column = readColumn(parts, at)
    const param = types[at] === "text[]" ? packColumn(column) : encodeLookupArray(column)
    if (param === undefined) return undefined
    params.push(param)
  }
  return params
}

/** The statements of a commit: by whose clock leases are measured, and whether the server compares the database. */
export type Form = LeaseClock | "compared"

/** Encodes the optimistic statement: it commits a whole batch or nothing. Undefined when a text contains a separator and needs quoting. */
export const encodeOptimisticStatement = (batch: Batch, form: Form): EncodedStatement | undefined => {
  const params: Array<string> = []
  for (const { list, types, nothing } of parameterLists) {
    const parts = batch.parts[list]
    const some = parts.length === 0 ? nothing : packColumns(types, parts)
    if (some === undefined) return undefined
    params.push(...some)
  }
  return addCounters(batch.changes, { text: texts[form].optimistic, params })
}

/** Whether a Change only rewrites the job whose lease it holds. */
export const onlyCompletesJob = (change: Change): boolean => {
  const { idempotency, jobs, lease } = change
  const job = jobs[0]
  return (
    idempotency === undefined &&
    job !== undefined &&
    jobs.length === 1 &&
    job.id === lease?.job &&
    job.lease === undefined &&
    PARTS.every((part) => part === "jobs" || change[part].length === 0)
  )
}

/**
 * Encodes the statement for a batch of Changes that only complete jobs, with the decoder of its result. It names jobs in the
 * order in which every writer locks them.
 */
export const encodeJobCompletions = (
  changes: ReadonlyArray<Change>
): EncodedStatement & { readonly verdicts: (rows: ReadonlyArray<SqlRow>) => ReadonlyArray<CommitResult> } => {
  const parts: Parts = []
  const names = changes.map(({ merchant_id, lease }) => joinKey(merchant_id, lease!.job))
  const order = names.map((_, at) => at).sort((a, b) => compareText(names[a]!, names[b]!))
  for (const at of order) {
    const { merchant_id, lease, jobs } = changes[at]!
    parts.push([merchant_id, lease!.job, lease!.token, ...listJobCells(jobs[0]!)])
  }
  const verdicts = (rows: ReadonlyArray<SqlRow>): ReadonlyArray<CommitResult> => {
    const found: Array<CommitResult> = changes.map(() => ({ _tag: "LeaseLost" as const }))
    for (const { n } of rows) found[order[Number(n) - 1]!] = { _tag: "Committed" }
    return found
  }
  const params = packColumns(completionColumns, parts)
  return params === undefined
    ? { text: texts.completeJobs.quoted, params: encodeArrays(completionColumns, parts), verdicts }
    : { text: texts.completeJobs.packed, params, verdicts }
}

/**
 * Encodes the checked statement: it decides each Change of a batch by itself, while the optimistic one writes a whole batch or fails.
 *
 * Errors: throws `InvariantViolation` for a text with a NUL. In `data`, `body` and `log` a NUL is escaped and allowed.
 */
export const encodeCheckedStatement = (batch: Batch, form: Form): EncodedStatement =>
  addCounters(batch.changes, {
    text: texts[form].checked,
    params: parameterLists.flatMap(({ list, types }) => encodeArrays(types, batch.parts[list]))
  })

/** The code of the error of `corridor_count`, and the counter that it names. */
export const limitReachedCode = "CRDLM"
export const readCounterName = (message: string): string => /the counter (.*) would pass/s.exec(message)?.[1] ?? ""

const decodeResult = (row: SqlRow): CommitResult => {
  switch (row["o_tag"]) {
    case "Repeated":
      return {
        _tag: "Repeated",
        record: {
          key: text(row["o_1"]),
          fingerprint: text(row["o_2"]),
          response: textOrNull(row["o_3"]),
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
      throw new Error(`corridor_commit returned the unknown verdict ${text(row["o_tag"])}`)
  }
}

/** What a statement of a commit returned. */
export interface CommitVerdicts {
  readonly verdicts: ReadonlyArray<CommitResult>
  /** Whether it created deliveries. */
  readonly deliveries: boolean
  /** Whether the database was compared, and is the original. */
  readonly original: boolean
}

/** Decodes the commit results of a batch of `count` Changes. The last row of a Change counts. */
export const decodeResults = (count: number, rows: ReadonlyArray<SqlRow>): CommitVerdicts => {
  const verdicts: Array<CommitResult> = Array.from({ length: count }, () => ({ _tag: "Committed" as const }))
  let deliveries = false
  let original = false
  for (const row of rows) {
    const at = Number(row["o_change"])
    if (at === 0) deliveries = true
    else if (at === -1) original = true
    else verdicts[at - 1] = decodeResult(row)
  }
  return { verdicts, deliveries, original }
}
