/**
 * The storage port over any Postgres: shared SQL, over a driver of a few lines (`driver.ts`).
 *
 * Each method is one statement, and no client transaction stays open. Commits of all fibers are batched ({@link
 * Exclusive}), as are the reads of every request ({@link BatchQueue}).
 */
import { Effect } from "effect"
import type {
  Change,
  CommitResult,
  IdempotencyRecord,
  Row,
  RowKey,
  Storage,
  StoredAccount,
  StoredCounter,
  StoredEvent
} from "../../engine/ports/Storage.ts"
import { InvariantViolation, type StorageFault } from "../../engine/ports/errors.ts"
import { metrics } from "../../engine/ports/metrics.ts"
import { addProbe, collectKeys, findBrokenRule, joinKey, removeProbe, type Touched } from "./change.ts"
import { codeOf, isRace, isRefusal, retryRaces, type Sql, type SqlAsk, type SqlRow, toFault } from "./sql/driver.ts"
import {
  type Batch,
  columnsOf,
  type CommitVerdicts,
  completeJobs,
  counterNamedBy,
  decode,
  encodeCheckedStatement,
  type EncodedStatement,
  findable,
  type Form,
  limitReachedCode,
  literal,
  onlyCompletesJob,
  optimistic,
  splitBatch
} from "./sql/encode.ts"
import { isUnable } from "./sql/identity.ts"
import { BatchQueue, type BatchResult, Exclusive } from "./sql/queue.ts"
import { queries } from "./sql/reads.ts"
import {
  accountsText,
  countersText,
  eventText,
  getText,
  idempotencyRecordText,
  lookupText,
  toAccount,
  toCounter,
  toEvent,
  toIdempotencyRecord,
  toRow
} from "./sql/rows.ts"

// Whether the store takes writes.

/** One row, which is replaced: it proves that the log can be written, and leaves nothing. */
const pingText = `insert into setting (key, value) values ('ready', '1') on conflict (key) do update set value = excluded.value`

/** A write to each table, which is undone (`0005_upkeep.sql`). */
const trialText = "select corridor_trial()"

/**
 * A text of 64 kB that compresses badly, which is undone. On a full disk a row still fits into a page that is there; this one needs
 * pages that are not, as what was undone before holds its own until it is vacuumed.
 */
const roomText = `do $$ begin
  insert into setting (key, value) select 'room', string_agg(md5(random()::text), '') from generate_series(1, 2048);
  raise exception using errcode = 'CWOK0';
exception when sqlstate 'CWOK0' then null;
end $$`

/** `failed`: a commit has failed, which puts the store in doubt. `ping`: see the port. */
const makeTrial = (ask: SqlAsk) => {
  /** Whether a commit might fail, as far as is known: none was tried yet, or the last one failed. */
  let isDoubtful = true
  const ping = Effect.asVoid(ask(pingText, []))
  const trial = Effect.map(Effect.andThen(ask(roomText, []), ask(trialText, [])), () => void (isDoubtful = false))
  return {
    ping: Effect.suspend(() => (isDoubtful ? Effect.andThen(ping, trial) : ping)),
    failed: (): void => {
      isDoubtful = true
    }
  }
}

// A driver whose statements are counted and timed.

const meter = (connection: "commit" | "query", ask: Sql["query"]): Sql["query"] => {
  const [ok, failed] = [
    metrics.trips.of({ connection, result: "ok" }),
    metrics.trips.of({ connection, result: "failed" })
  ]
  const [running, duration] = [metrics.statements.of({ connection }), metrics.tripping.of({ connection })]
  return async (text, params) => {
    const began = performance.now()
    running.change(1)
    try {
      const rows = await ask(text, params)
      ok.record(1)
      return rows
    } catch (error) {
      failed.record(1)
      throw error
    } finally {
      running.change(-1)
      duration.record((performance.now() - began) / 1000)
    }
  }
}

interface Item {
  readonly change: Change
  readonly merchant_id: string
  readonly touched: Touched
  /** The Change only completes a job. Such Changes use a statement of their own. */
  readonly apart: boolean
}

/** A job due within this time of its Change is worth a hint to other nodes. Polling finds the others. */
const SOON_MS = 1_000

/** Whether a Change asks if the database is the original. */
const comparing = ({ jobs }: Change): boolean => jobs.some(({ lease }) => lease?.compared === true)

const hasJobDueSoon = ({ at, jobs }: Change): boolean =>
  jobs.some((j) => j.due_at !== null && j.lease === undefined && j.due_at <= at + SOON_MS)

/** Number of Changes after which a node rolls up the list counters, and the most rows of each table in one step. */
const ROLL_EVERY = 4_096
/** A Change with more rows than this counts as several. */
const ROLL_ROWS = 8
const ROLL_MAX = 10_000

/** As how many a Change counts. One that writes nothing that is counted, such as the end of a delivery, counts as none. */
const tailOf = ({ events, postings, rows }: Change): number =>
  rows.length + events.length + postings.length === 0 ? 0 : Math.max(1, rows.length / ROLL_ROWS)

/**
 * Rolls up the list counters (`0004_lists.sql`), beside the commits and never inside one. Totals are exact without a
 * roll-up, but cost more the longer it is delayed. The next roll-up makes up for a failed one.
 */
const roller = (sql: Sql): ((committed: number) => void) => {
  // The first commit of a process rolls up what earlier ones have left, none of which may have lasted until its turn.
  let since = ROLL_EVERY
  let rolling = false
  const roll = async (): Promise<void> => {
    rolling = true
    since = 0
    try {
      for (let more = true; more; ) {
        const [row] = await sql.query(rollText, [`${ROLL_MAX}`])
        more = row?.["more"] === 1
      }
    } catch {
      // Another node holds the lock, or the connection is lost.
    } finally {
      rolling = false
    }
  }
  return (committed) => {
    since += committed
    if (since >= ROLL_EVERY && !rolling) void roll()
  }
}

/** Number of batches that use the checked statement after the optimistic one failed. */
const CHECKED_BATCHES = 32

/** The verdict that an error of `corridor_count` is. */
const readLimitReached = (error: unknown): Extract<CommitResult, { _tag: "LimitReached" }> | undefined =>
  codeOf(error) === limitReachedCode ? { _tag: "LimitReached", key: counterNamedBy(toFault(error).message) } : undefined

const commits = (sql: Sql): Exclusive<Item, CommitResult> => {
  const ask = ({ text, params }: EncodedStatement) => sql.commit(text, params)
  let doubtful = 0
  /** Whether the server can compare the database, as far as is known. */
  let isAble = sql.clock === "server"
  const rolled = roller(sql)
  // Almost every batch commits whole, and takes half the time when no unique key is looked up first. After a failure,
  // later batches use the checked statement directly, so that refusals do not cost two round trips each.
  const writtenAs = async (batch: Batch, form: Form): Promise<ReadonlyArray<SqlRow>> => {
    if (doubtful > 0) doubtful--
    else {
      const statement = optimistic(batch, form)
      if (statement !== undefined) {
        try {
          return await ask(statement)
        } catch (error) {
          // The checked statement may give a verdict where this one fails: another was first, or a credit that would not fit is computed
          // before a debit that nothing covers.
          const code = codeOf(error)
          if (!isRace(code) && code !== "22003") throw error
          doubtful = CHECKED_BATCHES
        }
      }
    }
    const statement = encodeCheckedStatement(batch, form)
    return retryRaces(() => ask(statement))
  }
  const written = async (changes: ReadonlyArray<Change>): Promise<ReadonlyArray<SqlRow>> => {
    const batch = splitBatch(changes, sql.clock)
    if (!isAble || !changes.some(comparing)) return writtenAs(batch, sql.clock)
    try {
      return await writtenAs(batch, "compared")
    } catch (error) {
      if (!isUnable(toFault(error))) throw error
      isAble = false
      return writtenAs(batch, sql.clock)
    }
  }
  const writtenOf = async (changes: ReadonlyArray<Change>, completing: boolean): Promise<CommitVerdicts> => {
    if (!completing) return decode(changes.length, await written(changes))
    const statement = completeJobs(changes)
    return { verdicts: statement.verdicts(await retryRaces(() => ask(statement))), deliveries: false, original: false }
  }
  const write = async (items: ReadonlyArray<Item>): Promise<ReadonlyArray<CommitResult>> => {
    const { verdicts, deliveries, original } = await writtenOf(
      items.map((i) => i.change),
      items[0]!.apart
    )
    metrics.batches.of({}).record(items.length)
    rolled(items.reduce((sum, { change }) => sum + tailOf(change), 0))
    if (deliveries || items.some((i, n) => verdicts[n]!._tag === "Committed" && hasJobDueSoon(i.change))) sql.hint()
    if (!deliveries && !original) return verdicts
    return verdicts.map((verdict, n) => {
      if (verdict._tag !== "Committed") return verdict
      const { change } = items[n]!
      return {
        ...verdict,
        ...(deliveries && change.events.length > 0 ? { deliveries } : {}),
        ...(original && comparing(change) ? { original } : {})
      }
    })
  }
  const run = async (items: ReadonlyArray<Item>): Promise<ReadonlyArray<BatchResult<CommitResult>>> => {
    try {
      return (await write(items)).map((value) => ({ ok: true, value }))
    } catch (error) {
      const full = readLimitReached(error)
      if (full !== undefined && items.length === 1) return [{ ok: true, value: full }]
      // A lost connection proves nothing: the batch may have been written. Only after an error reported by the database
      // itself is it certain that nothing was written. Then repeat each Change alone.
      if (items.length === 1 || (toFault(error).retryable && !isRace(codeOf(error)) && full === undefined))
        return items.map(() => ({ ok: false, error }))
      const answers: Array<BatchResult<CommitResult>> = []
      for (const item of items) answers.push(...(await run([item])))
      return answers
    }
  }
  const { concurrency, turns } = sql
  const shared = turns && { turns: turns.commits }
  return new Exclusive(run, { concurrency: concurrency.commits, size: 64, crowd: 32, ...shared })
}

const askInBatch = <A, B>(line: BatchQueue<A, B>, item: A): Effect.Effect<B, StorageFault> =>
  Effect.callback((resume) => {
    const withdraw = line.ask(item, (answer) => {
      resume(answer.ok ? Effect.succeed(answer.value) : Effect.fail(toFault(answer.error)))
    })
    return Effect.sync(withdraw)
  })

/** A statement that reads keys, whose rows have the number `n` of a key: its place in `keys`, from 1. */
interface Reading<K> extends EncodedStatement {
  readonly keys: ReadonlyArray<K>
}

/**
 * A batching queue of reads by key: one statement reads the keys of all waiting callers, each distinct key (by `name`)
 * once.
 */
const reads = <K, A>(
  sql: Sql,
  name: (key: K) => string,
  reading: (keys: ReadonlyArray<K>) => Reading<K>,
  toValue: (row: SqlRow) => A
): BatchQueue<ReadonlyArray<K>, ReadonlyArray<ReadonlyArray<A>>> => {
  const run = async (
    items: ReadonlyArray<ReadonlyArray<K>>
  ): Promise<ReadonlyArray<BatchResult<ReadonlyArray<ReadonlyArray<A>>>>> => {
    try {
      const wanted = new Map<string, K>()
      // What is found for each key, by its first mention and then by its place.
      const found = new Map<K, Array<A>>()
      const values = items.map((keys) =>
        keys.map((key) => {
          const named = name(key)
          const first = wanted.get(named)
          if (first !== undefined) return found.get(first)!
          const values: Array<A> = []
          wanted.set(named, key)
          found.set(key, values)
          return values
        })
      )
      const { text, params, keys } = reading([...wanted.values()])
      for (const row of await sql.query(text, params)) found.get(keys[Number(row["n"]) - 1]!)!.push(toValue(row))
      return values.map((value) => ({ ok: true, value }))
    } catch (error) {
      // An invalid key of one caller must not fail the others.
      if (items.length === 1 || toFault(error).retryable) return items.map(() => ({ ok: false, error }))
      return (await Promise.all(items.map((item) => run([item])))).flat()
    }
  }
  const { concurrency, turns } = sql
  return new BatchQueue(run, {
    concurrency: concurrency.reads,
    size: 64,
    crowd: 16,
    ...(turns && { turns: turns.reads })
  })
}

interface RecordKey {
  readonly merchant_id: string
  readonly key: string
  readonly now: number
}

type Lookup = RowKey | RecordKey

const isRecord = (key: Lookup): key is RecordKey => "now" in key

/** Rows and records that are asked for in one tick share a statement. */
const lookingUp = (keys: ReadonlyArray<Lookup>): Reading<Lookup> => {
  const records = keys.filter(isRecord)
  const recordParams = columnsOf(records, "merchant_id", "key", "now")
  if (records.length === keys.length) return { text: idempotencyRecordText, params: recordParams, keys: records }
  const rows = keys.filter((key): key is RowKey => !isRecord(key))
  const rowParams = columnsOf(rows, "merchant_id", "kind", "id")
  if (records.length === 0) return { text: getText, params: rowParams, keys: rows }
  const params = [...rowParams, ...recordParams, String(rows.length)]
  return { text: lookupText, params, keys: [...rows, ...records] }
}

const rollText = "select case when corridor_roll($1::text::int) then 1 else 0 end as more"

/** The verdict on one Change, by a statement of its own. */
const tryCommit = (sql: Sql, change: Change): Effect.Effect<CommitResult, StorageFault> =>
  Effect.tryPromise({
    try: async () => {
      const { text, params } = encodeCheckedStatement(splitBatch([change], sql.clock), sql.clock)
      try {
        return decode(1, await retryRaces(() => sql.query(text, params))).verdicts[0]!
      } catch (error) {
        const full = readLimitReached(error)
        if (full === undefined) throw error
        return full
      }
    },
    catch: toFault
  })

/** Decides a Change that is valid. Errors of the schema are defects of the code that made the Change. `failed`: told of any fault. */
const deciding = (change: Change, decided: () => Effect.Effect<CommitResult, StorageFault>, failed?: () => void) =>
  Effect.suspend(() => {
    const rule = findBrokenRule(change)
    if (rule !== undefined) return Effect.die(new InvariantViolation(rule))
    return Effect.catch(decided(), (fault) => {
      failed?.()
      return fault.cause instanceof InvariantViolation
        ? Effect.die(fault.cause)
        : isRefusal(codeOf(fault.cause))
          ? Effect.die(new InvariantViolation("the database schema rejects the Change", { cause: fault.cause }))
          : Effect.fail(fault)
    })
  })

export const makeStorage = (driver: Sql): Storage["Service"] => {
  const sql: Sql = { ...driver, query: meter("query", driver.query), commit: meter("commit", driver.commit) }
  const committing = commits(sql)
  const looking = reads<Lookup, Row | IdempotencyRecord>(
    sql,
    (k) => (isRecord(k) ? joinKey(k.merchant_id, k.key, `${k.now}`, "") : joinKey(k.merchant_id, k.kind, k.id)),
    lookingUp,
    (row) => (typeof row["key"] === "string" ? toIdempotencyRecord(row) : toRow(row))
  )
  const publishing = reads<{ readonly merchant_id: string; readonly id: string }, StoredEvent>(
    sql,
    (k) => joinKey(k.merchant_id, k.id),
    (keys) => ({ text: eventText, params: columnsOf(keys, "merchant_id", "id"), keys }),
    toEvent
  )
  const counting = reads<{ readonly merchant_id: string; readonly account: string }, StoredAccount>(
    sql,
    (k) => joinKey(k.merchant_id, k.account),
    (keys) => ({ text: accountsText, params: columnsOf(keys, "merchant_id", "account"), keys }),
    toAccount
  )
  const counted = reads<string, StoredCounter>(
    sql,
    (key) => key,
    (keys) => ({ text: countersText, params: [literal(keys)], keys }),
    toCounter
  )
  const lookUp = (keys: ReadonlyArray<Lookup>) => Effect.map(askInBatch(looking, keys), (found) => found.flat())

  const query = (text: string, params: ReadonlyArray<string | number | null>) =>
    Effect.tryPromise({
      try: () =>
        retryRaces(() =>
          sql.query(
            text,
            params.map((p) => (p === null ? null : findable(`${p}`)))
          )
        ),
      catch: toFault
    })

  const { failed, ping } = makeTrial(query)

  return {
    ...queries(query, sql.clock),
    ping,
    commit: (change) =>
      deciding(
        change,
        () =>
          askInBatch(committing, {
            change,
            merchant_id: change.merchant_id,
            touched: collectKeys(change),
            apart: onlyCompletesJob(change)
          }),
        failed
      ),
    // The function that commits, which refuses this Change at the latest for its probe. A refused Change writes nothing, and
    // takes no number of a sequence, which no transaction gives back.
    trialCommit: (change) => deciding(change, () => Effect.map(tryCommit(sql, addProbe(change)), removeProbe)),
    get: (keys) =>
      keys.length === 0 ? Effect.succeed([]) : (lookUp(keys) as Effect.Effect<ReadonlyArray<Row>, StorageFault>),
    accounts: (merchant_id, accounts) => {
      const keys = [...new Set(accounts)].map((account) => ({ merchant_id, account }))
      return keys.length === 0 ? Effect.succeed([]) : Effect.map(askInBatch(counting, keys), (found) => found.flat())
    },
    counters: (_, keys) =>
      keys.length === 0
        ? Effect.succeed([])
        : Effect.map(askInBatch(counted, [...new Set(keys)]), (found) => found.flat()),
    shards: 1,
    event: (merchant_id, id) => Effect.map(askInBatch(publishing, [{ merchant_id, id }]), (found) => found[0]?.[0]),
    idempotencyRecord: (merchant_id, key, now) =>
      Effect.map(lookUp([{ merchant_id, key, now }]), ([record]) => record as IdempotencyRecord | undefined),
    watch: sql.watch
  }
}
