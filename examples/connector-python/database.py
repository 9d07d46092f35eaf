"""The database: everything that must survive a kill. One SQLite file, written ahead and flushed at each commit.

commands: what Corridor has asked for, by its ids. ledger: what the bank has executed. events: what Corridor is to be told,
which is also the outbox of the callbacks.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from typing import Any, Iterator

SCHEMA = """
  -- One row for each id. The primary key settles a race between several callers with one id.
  create table if not exists commands (
    operation   text not null,
    id          text not null,
    fingerprint text not null,   -- of the content: the same id with other content is a conflict
    body        text not null,   -- the content, JSON
    status      text not null,   -- pending, settled or rejected; of a verification: pending, opened, approved or rejected
    result      text not null,   -- what the status is about, JSON
    due_at      integer,         -- when a pending command settles, epoch milliseconds
    primary key (operation, id)
  );
  -- When an id without a row was last said to be absent or unavailable: until when requests were signed that come too late.
  create table if not exists absences (
    operation text not null,
    id        text not null,
    signed_at integer not null,  -- the webhook-timestamp of the request that was answered so
    primary key (operation, id)
  );
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
  );
  create index if not exists ledger_command on ledger (command_id);

  -- The balance of a currency is the sum of its lines.
  create table if not exists balances (currency text primary key, minor integer not null);
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
  );
  create index if not exists events_next on events (next_at) where next_at is not null;

  -- Issued account numbers.
  create table if not exists targets (
    seq       integer primary key autoincrement,
    operation text not null,
    id        text not null
  );

  create table if not exists payins (
    payin_id text primary key,
    minor    integer not null,
    currency text not null,
    stage    text not null,
    refunded integer not null default 0
  );

  create table if not exists settings (name text primary key, value text not null);
"""


class Database:
    """One connection for all threads: a thread that uses it holds its lock."""

    def __init__(self, file: str) -> None:
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(file, timeout=10, isolation_level=None, check_same_thread=False)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = full")
        self._connection.executescript(SCHEMA)

    def all(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    def get(self, sql: str, *values: Any) -> sqlite3.Row | None:
        with self._lock:
            return self._connection.execute(sql, values).fetchone()

    def run(self, sql: str, *values: Any) -> int:
        """Returns the number of the row that it inserted, if it did."""
        with self._lock:
            return self._connection.execute(sql, values).lastrowid or 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the block or nothing of it. It is on disk afterwards. The block does no other I/O."""
        with self._lock:
            # Immediate: a second process on this file waits here, before it has read anything.
            self._connection.execute("begin immediate")
            try:
                yield
            except BaseException:
                self._connection.execute("rollback")
                raise
            self._connection.execute("commit")
