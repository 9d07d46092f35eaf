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
import { addProbe, listTouchedKeys, findBrokenRule, joinKey, removeProbe, type Touched } from "./change.ts"
import {
  readErrorCode,
  isRaceCode,
  isRejectedValue,
  retryRaces,
  type Sql,
  type SqlAsk,
  type SqlRow,
  toFault
} from "./sql/driver.ts"
import {
  type Batch,
  encodeLookupColumns,
  type CommitVerdicts,
  encodeJobCompletions,
  readCounterName,
  decodeResults,
  encodeCheckedStatement,
  type EncodedStatement,
  toLookupText,
  type Form,
  limitReachedCode,
  encodeLookupArray,
  onlyCompletesJob,
  encodeOptimisticStatement,
  splitBatch
} from "./sql/encode.ts"
import { lacksIdentityFunctions } from "./sql/identity.ts"
import { BatchQueue, type BatchResult, Exclusive } from "./sql/queue.ts"
import { makeQueries } from "./sql/reads.ts"
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

/** Makes `ping`, which also tries a commit while the store is in doubt, and `failed`, which puts it in doubt after a failed commit. */
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

const meterQuery = (connection: "commit" | "query", ask: Sql["query"]): Sql["query"] => {
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

/** Whether a Change has a job whose lease depends on the check that the database is no restored copy. */
const hasComparison = ({ jobs }: Change): boolean => jobs.some(({ lease }) => lease?.compared === true)

const hasJobDueSoon = ({ at, jobs }: Change): boolean =>
  jobs.some((j) => j.due_at !== null && j.lease === undefined && j.due_at <= at + SOON_MS)

/** Number of Changes after which a node rolls up the list counters, and the most rows of each table in one step. */
const ROLL_EVERY = 4_096
/** A Change with more rows than this counts as several. */
const ROLL_ROWS = 8
const ROLL_MAX = 10_000

/** How much a Change counts towards the next roll-up. One without rows, events and postings, such as the end of a delivery, counts zero. */
const countForRollup = ({ events, postings, rows }: Change): number =>
  rows.length + events.length + postings.length === 0 ? 0 : Math.max(1, rows.length / ROLL_ROWS)

/**
 * Makes the function that rolls up the list counters (`0004_lists.sql`) after enough commits, and never inside one. Totals are
 * exact without a roll-up, but cost more the longer it is delayed. The next roll-up makes up for a failed one.
 */
const makeRollup = (sql: Sql): ((committed: number) => void) => {
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

/** Reads the commit result from an error of `corridor_count`. */
const readLimitReached = (error: unknown): Extract<CommitResult, { _tag: "LimitReached" }> | undefined =>
  readErrorCode(error) === limitReachedCode
    ? { _tag: "LimitReached", key: readCounterName(toFault(error).message) }
    : undefined

const makeCommitQueue = (sql: Sql): Exclusive<Item, CommitResult> => {
  const ask = ({ text, params }: EncodedStatement) => sql.commit(text, params)
  let doubtful = 0
  /** Whether the server can compare the database, as far as is known. */
  let isAble = sql.clock === "server"
  const rolled = makeRollup(sql)
  // Almost every batch commits whole, and takes half the time when no unique key is looked up first. After a failure,
  // later batches use the checked statement directly, so that refusals do not cost two round trips each.
  const writtenAs = async (batch: Batch, form: Form): Promise<ReadonlyArray<SqlRow>> => {
    if (doubtful > 0) doubtful--
    else {
      const statement = encodeOptimisticStatement(batch, form)
      if (statement !== undefined) {
        try {
          return await ask(statement)
        } catch (error) {
          // The checked statement may give a verdict where this one fails: another was first, or a credit that would not fit is computed
          // before a debit that nothing covers.
          const code = readErrorCode(error)
          if (!isRaceCode(code) && code !== "22003") throw error
          doubtful = CHECKED_BATCHES
        }
      }
    }
    const statement = encodeCheckedStatement(batch, form)
    return retryRaces(() => ask(statement))
  }
  const written = async (changes: ReadonlyArray<Change>): Promise<ReadonlyArray<SqlRow>> => {
    const batch = splitBatch(changes, sql.clock)
    if (!isAble || !changes.some(hasComparison)) return writtenAs(batch, sql.clock)
    try {
      return await writtenAs(batch, "compared")
    } catch (error) {
      if (!lacksIdentityFunctions(toFault(error))) throw error
      isAble = false
      return writtenAs(batch, sql.clock)
    }
  }
  const writtenOf = async (changes: ReadonlyArray<Change>, completing: boolean): Promise<CommitVerdicts> => {
    if (!completing) return decodeResults(changes.length, await written(changes))
    const statement = encodeJobCompletions(changes)
    return { verdicts: statement.verdicts(await retryRaces(() => ask(statement))), deliveries: false, original: false }
  }
  const write = async (items: ReadonlyArray<Item>): Promise<ReadonlyArray<CommitResult>> => {
    const { verdicts, deliveries, original } = await writtenOf(
      items.map((i) => i.change),
      items[0]!.apart
    )
    metrics.batches.of({}).record(items.length)
    rolled(items.reduce((sum, { change }) => sum + countForRollup(change), 0))
    if (deliveries || items.some((i, n) => verdicts[n]!._tag === "Committed" && hasJobDueSoon(i.change))) sql.hint()
    if (!deliveries && !original) return verdicts
    return verdicts.map((verdict, n) => {
      if (verdict._tag !== "Committed") return verdict
      const { change } = items[n]!
      return {
        ...verdict,
        ...(deliveries && change.events.length > 0 ? { deliveries } : {}),
        ...(original && hasComparison(change) ? { original } : {})
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
      if (items.length === 1 || (toFault(error).retryable && !isRaceCode(readErrorCode(error)) && full === undefined))
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

/** Makes a batching queue of reads by key: one statement reads the keys of all waiting callers, each distinct key (by `name`) once. */
const makeReadQueue = <K, A>(
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

const isRecordKey = (key: Lookup): key is RecordKey => "now" in key

/** Makes the statement of look-ups: rows and idempotency records that are requested in one tick share it. */
const makeLookup = (keys: ReadonlyArray<Lookup>): Reading<Lookup> => {
  const records = keys.filter(isRecordKey)
  const recordParams = encodeLookupColumns(records, "merchant_id", "key", "now")
  if (records.length === keys.length) return { text: idempotencyRecordText, params: recordParams, keys: records }
  const rows = keys.filter((key): key is RowKey => !isRecordKey(key))
  const rowParams = encodeLookupColumns(rows, "merchant_id", "kind", "id")
  if (records.length === 0) return { text: getText, params: rowParams, keys: rows }
  const params = [...rowParams, ...recordParams, String(rows.length)]
  return { text: lookupText, params, keys: [...rows, ...records] }
}

const rollText = "select case when corridor_roll($1::text::int) then 1 else 0 end as more"

/** Commits one Change by a statement of its own, without the batching queue. Used for trial commits, whose Change no store accepts. */
const tryCommit = (sql: Sql, change: Change): Effect.Effect<CommitResult, StorageFault> =>
  Effect.tryPromise({
    try: async () => {
      const { text, params } = encodeCheckedStatement(splitBatch([change], sql.clock), sql.clock)
      try {
        return decodeResults(1, await retryRaces(() => sql.query(text, params))).verdicts[0]!
      } catch (error) {
        const full = readLimitReached(error)
        if (full === undefined) throw error
        return full
      }
    },
    catch: toFault
  })

/** Checks a Change, then runs its commit. Errors of the schema are defects of the code that made the Change. `failed`: called on any fault. */
const checkAndDecide = (
  change: Change,
  decided: () => Effect.Effect<CommitResult, StorageFault>,
  failed?: () => void
) =>
  Effect.suspend(() => {
    const rule = findBrokenRule(change)
    if (rule !== undefined) return Effect.die(new InvariantViolation(rule))
    return Effect.catch(decided(), (fault) => {
      failed?.()
      return fault.cause instanceof InvariantViolation
        ? Effect.die(fault.cause)
        : isRejectedValue(readErrorCode(fault.cause))
          ? Effect.die(new InvariantViolation("the database schema rejects the Change", { cause: fault.cause }))
          : Effect.fail(fault)
    })
  })

export const makeStorage = (driver: Sql): Storage["Service"] => {
  const sql: Sql = { ...driver, query: meterQuery("query", driver.query), commit: meterQuery("commit", driver.commit) }
  const committing = makeCommitQueue(sql)
  const looking = makeReadQueue<Lookup, Row | IdempotencyRecord>(
    sql,
    (k) => (isRecordKey(k) ? joinKey(k.merchant_id, k.key, `${k.now}`, "") : joinKey(k.merchant_id, k.kind, k.id)),
    makeLookup,
    (row) => (typeof row["key"] === "string" ? toIdempotencyRecord(row) : toRow(row))
  )
  const publishing = makeReadQueue<{ readonly merchant_id: string; readonly id: string }, StoredEvent>(
    sql,
    (k) => joinKey(k.merchant_id, k.id),
    (keys) => ({ text: eventText, params: encodeLookupColumns(keys, "merchant_id", "id"), keys }),
    toEvent
  )
  const counting = makeReadQueue<{ readonly merchant_id: string; readonly account: string }, StoredAccount>(
    sql,
    (k) => joinKey(k.merchant_id, k.account),
    (keys) => ({ text: accountsText, params: encodeLookupColumns(keys, "merchant_id", "account"), keys }),
    toAccount
  )
  const counted = makeReadQueue<string, StoredCounter>(
    sql,
    (key) => key,
    (keys) => ({ text: countersText, params: [encodeLookupArray(keys)], keys }),
    toCounter
  )
  const lookUp = (keys: ReadonlyArray<Lookup>) => Effect.map(askInBatch(looking, keys), (found) => found.flat())

  const query = (text: string, params: ReadonlyArray<string | number | null>) =>
    Effect.tryPromise({
      try: () =>
        retryRaces(() =>
          sql.query(
            text,
            params.map((p) => (p === null ? null : toLookupText(`${p}`)))
          )
        ),
      catch: toFault
    })

  const { failed, ping } = makeTrial(query)

  return {
    ...makeQueries(query, sql.clock),
    ping,
    commit: (change) =>
      checkAndDecide(
        change,
        () =>
          askInBatch(committing, {
            change,
            merchant_id: change.merchant_id,
            touched: listTouchedKeys(change),
            apart: onlyCompletesJob(change)
          }),
        failed
      ),
    // The function that commits, which refuses this Change at the latest for its probe. A refused Change writes nothing, and
    // takes no number of a sequence, which no transaction gives back.
    trialCommit: (change) => checkAndDecide(change, () => Effect.map(tryCommit(sql, addProbe(change)), removeProbe)),
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
