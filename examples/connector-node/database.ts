/**
 * The database: everything that must survive a kill. One SQLite file, written ahead and flushed at each commit.
 *
 * `commands`: what Corridor has asked for, by its ids. `ledger`: what the bank has executed. `events`: what Corridor is to
 * be told, which is also the outbox of the callbacks.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"

const schema = `
  -- One row for each id. The primary key settles a race between several callers with one id.
  create table if not exists commands (
    operation   text not null,
    id          text not null,
    fingerprint text not null,   -- of the content: the same id with other content is a conflict
    body        text not null,   -- the content, JSON
    status      text not null,   -- pending, settled or rejected; of a verification: pending, opened, approved or rejected
    result      text,            -- what the status is about, JSON
    due_at      integer,         -- when a pending command settles, epoch milliseconds
    primary key (operation, id)
  ) strict;
  -- When an id without a row was last said to be absent or unavailable: until when requests were signed that come too late.
  create table if not exists absences (
    operation text not null,
    id        text not null,
    signed_at integer not null,  -- the webhook-timestamp of the request that was answered so
    primary key (operation, id)
  ) strict;
  create index if not exists absences_signed on absences (signed_at);
  create index if not exists commands_due on commands (due_at) where status = 'pending';

  -- Append-only.
  create table if not exists ledger (
    seq        integer primary key autoincrement,
    booked_at  integer not null,
    entry      text not null,    -- opening, payout, conversion, converted, refund, payin, fee or back
    minor      integer not null, -- minor units; negative: money leaves
    currency   text not null,
    command_id text,
    payin_id   text,
    reference  text,             -- the bank's own
    narration  text
  ) strict;
  create index if not exists ledger_command on ledger (command_id);

  -- The balance of a currency is the sum of its lines.
  create table if not exists balances (currency text primary key, minor integer not null) strict;
  create trigger if not exists ledger_balance after insert on ledger begin
    insert into balances (currency, minor) values (new.currency, new.minor)
    on conflict (currency) do update set minor = minor + excluded.minor;
  end;

  -- How often a command was executed: one line is one payment. Never more than one for a command.
  create view if not exists executions as
    select command_id, entry, -minor as minor, currency, booked_at from ledger
    where entry in ('payout', 'conversion', 'refund');

  create table if not exists events (
    seq     integer primary key autoincrement,
    body    text not null,       -- JSON, as it is sent: each repetition is the same
    tries   integer not null default 0,
    next_at integer              -- when the callback is sent, epoch milliseconds; null: acknowledged
  ) strict;
  create index if not exists events_next on events (next_at) where next_at is not null;

  -- Issued account numbers and deposit references.
  create table if not exists targets (
    seq       integer primary key autoincrement,
    operation text not null,
    id        text not null
  ) strict;

  create table if not exists payins (
    payin_id text primary key,
    minor    integer not null,
    currency text not null,
    stage    text not null,
    refunded integer not null default 0
  ) strict;

  create table if not exists settings (name text primary key, value text not null) strict;
`

export type Row = Readonly<Record<string, any>>

export interface Database {
  readonly all: (sql: string, ...values: ReadonlyArray<SQLInputValue>) => ReadonlyArray<Row>
  readonly get: (sql: string, ...values: ReadonlyArray<SQLInputValue>) => Row | undefined
  readonly run: (sql: string, ...values: ReadonlyArray<SQLInputValue>) => void
  /** All of `work` or nothing of it. It is on disk when this returns. `work` is synchronous and does no I/O. */
  readonly transaction: <T>(work: () => T) => T
  readonly close: () => void
}

/** Integers come back as `bigint`. */
export const openDatabase = (file: string): Database => {
  const connection = new DatabaseSync(file)
  connection.exec("pragma busy_timeout = 10000; pragma journal_mode = wal; pragma synchronous = full;")
  connection.exec(schema)
  const prepared = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const made = connection.prepare(sql)
    made.setReadBigInts(true)
    prepared.set(sql, made)
    return made
  }
  const run: Database["run"] = (sql, ...values) => void statement(sql).run(...values)
  return {
    all: (sql, ...values) => statement(sql).all(...values),
    get: (sql, ...values) => statement(sql).get(...values),
    run,
    transaction: (work) => {
      // Immediate: a second process on this file waits here, before it has read anything.
      run("begin immediate")
      try {
        const result = work()
        run("commit")
        return result
      } catch (error) {
        run("rollback")
        throw error
      }
    },
    close: () => connection.close()
  }
}
