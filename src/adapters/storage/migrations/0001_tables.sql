-- The tables of Corridor. Each primary key and unique index starts with merchant_id, so that the whole schema can be
-- distributed by merchant. lookup_key and setting are reference tables, which cannot.
--
-- Ids compare as bytes (collate "C"), so that the order of a list does not depend on the server's locale. Times are
-- epoch milliseconds. JSON is stored as text: only this code reads and writes it, and queries look inside too rarely to
-- justify parsing each document on write.

create table resource (
  merchant_id text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  version integer not null check (version > 0),
  machine text not null,
  state text not null,
  status text not null,
  customer_id text collate "C",
  root_id text collate "C",
  created_at bigint not null,
  updated_at bigint not null,
  hidden boolean not null,
  event_count integer not null,
  index_keys text[] not null,
  data text not null,
  primary key (merchant_id, kind, id)
) with (fillfactor = 70);
-- Lists are newest first, then by the part of the id after its prefix. Within a kind that equals the order of the id.
create index resource_page on resource (merchant_id, kind, created_at desc, id desc) where not hidden;
create index resource_root on resource (merchant_id, root_id) where root_id is not null;
-- For `find`, which is not given a merchant.
create index resource_id on resource (id);

create table transition (
  merchant_id text collate "C" not null,
  resource_id text collate "C" not null,
  kind text collate "C" not null,
  version integer not null,
  from_state text,
  to_state text not null,
  via text not null,
  cause text not null,
  event_count integer not null,
  at bigint not null,
  created_at bigint not null,
  primary key (merchant_id, resource_id, kind, version)
);

-- The changes to the list counters that no roll-up has counted: the index keys that a row gained and lost. A roll-up counts and
-- deletes them (0004_lists.sql). Only counted index keys and measures are here.
create table row_change (
  merchant_id text collate "C" not null,
  kind text collate "C" not null,
  created_at bigint not null,
  gained text[],
  lost text[],
  xid xid8 not null default pg_current_xact_id()
);
create index row_change_tail on row_change (xid);

-- The rows under each index key that names one thing (`wallet_id=wal_...`), in list order. Hidden rows are not included. The row
-- and its entries are written together, so that no entry is written twice. A hash of the key is half the bytes of the key.
create table key_entry (
  created_at bigint not null,
  -- Of the merchant, the kind and the index key.
  key uuid not null,
  -- Of the kind and the index key, for search terms of the name `exact_id`, which are found over all merchants.
  term uuid,
  merchant_id text collate "C" not null,
  id text collate "C" not null
);
create index key_entry_key on key_entry (key, created_at);
create index key_entry_term on key_entry (term, created_at) where term is not null;

-- The rows under search terms that are also found by their beginnings: index keys of the name `search_id`. `>` follows `=`. With all
-- columns that a search reads, a beginning that many rows share is read from the index alone.
create table search_entry (
  merchant_id text collate "C" not null,
  kind text collate "C" not null,
  index_key text collate "C" not null,
  created_at bigint not null,
  id text collate "C" not null,
  primary key (merchant_id, kind, index_key, created_at, id)
);
create index search_entry_term on search_entry (index_key, kind, created_at) include (merchant_id, id)
  where index_key >= 'search_id=' and index_key < 'search_id>';

-- The number of rows, events or postings under an index key, by creation time (0004_lists.sql).
create table list_counter (
  merchant_id text collate "C" not null,
  kind text collate "C" not null,
  index_key text collate "C" not null,
  bucket integer not null,
  n bigint not null,
  primary key (merchant_id, kind, index_key, bucket)
) with (fillfactor = 70);
-- For the operator's lists, which span merchants.
create index list_counter_operator on list_counter (kind, index_key, bucket, merchant_id);

-- The number of movements and the sum of their amounts, by the hour (`step` 1) and the day (`step` 24) in which they were
-- created. `bucket` is the number of the hour, or of the first hour of the day. The merchant '' has the sums over all
-- merchants. `seconds` is -1 where there is no duration. See 0004_lists.sql.
create table measure (
  merchant_id text collate "C" not null,
  step smallint not null,
  kind text collate "C" not null,
  bucket integer not null,
  tags text collate "C" not null,
  seconds integer not null,
  n bigint not null,
  amount numeric(76, 0) not null,
  primary key (merchant_id, step, kind, bucket, tags, seconds)
) with (fillfactor = 70);
-- For reports by merchant. A query of one merchant does not imply the condition, and uses the primary key.
create index measure_bucket on measure (step, kind, bucket) where length(merchant_id) > 0;

-- Guarded accounts only. The others would be hot rows; their balance is the sum of their postings, see `balance`.
create table account (
  merchant_id text collate "C" not null,
  account text collate "C" not null,
  currency text collate "C" not null,
  balance numeric(38, 0) not null check (balance >= 0 and balance <> 'NaN'),
  version bigint not null,
  -- Number of postings that name the account.
  entries bigint not null,
  primary key (merchant_id, account, currency)
) with (fillfactor = 50);
-- For the operator's list of entries, which spans merchants.
create index account_name on account (account);

create table posting (
  merchant_id text collate "C" not null,
  resource_id text collate "C" not null,
  position bigint not null generated always as identity,
  version integer not null,
  debit text collate "C" not null,
  credit text collate "C" not null,
  amount numeric(38, 0) not null check (amount > 0 and amount <> 'NaN'),
  currency text collate "C" not null,
  at bigint not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (merchant_id, resource_id, position)
);
create index posting_tail on posting (xid);
-- Postings of wallets and credentials, once each. `list_counter` locates the postings of platform accounts.
create function corridor_owner(account text) returns text
language sql immutable parallel safe
return case when split_part(account, ':', 1) in ('available', 'reserved', 'held', 'credential')
  then split_part(account, ':', 2) end;
create index posting_debit on posting (corridor_owner(debit), xid, position) where corridor_owner(debit) is not null;
create index posting_credit on posting (corridor_owner(credit), xid, position)
  where corridor_owner(credit) is not null and corridor_owner(debit) is distinct from corridor_owner(credit);

-- Balances of unguarded accounts as of the last roll-up. See 0004_lists.sql.
create table balance (
  merchant_id text collate "C" not null,
  account text collate "C" not null,
  currency text collate "C" not null,
  amount numeric(76, 0) not null,
  primary key (merchant_id, account, currency)
) with (fillfactor = 70);
-- For the gauges of the metrics.
create index balance_account on balance (account);

-- Guarded counters: what has been counted under a key, by bucket. A Change adds to them, and is not applied if one would
-- pass its maximum (`CounterWrite` of the storage port). A key names one thing of one merchant, or of the whole store.
create table guarded_counter (
  key text collate "C" primary key,
  -- Numbers of buckets, and what each has, in the same order.
  buckets bigint[] not null,
  amounts numeric[] not null
) with (fillfactor = 70);

create table unique_key (
  merchant_id text collate "C" not null,
  scope text collate "C" not null,
  key text collate "C" not null,
  owner text not null,
  primary key (merchant_id, scope, key)
);

create table lookup_key (
  scope text collate "C" not null,
  key text collate "C" not null,
  merchant_id text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  primary key (scope, key)
);

create table idempotency_record (
  merchant_id text collate "C" not null,
  key text collate "C" not null,
  fingerprint text not null,
  response text,
  expires_at bigint,
  at bigint not null,
  primary key (merchant_id, key)
);
-- Retention. Keys that never expire are left out, so that commits rarely write to it.
create index idempotency_record_expiry on idempotency_record (expires_at) where expires_at is not null;

-- xid and position make the feed gap-free without a lock: an event appears once no transaction as old as its own runs.
create table event (
  merchant_id text collate "C" not null,
  id text collate "C" not null,
  object_id text collate "C" not null,
  sequence integer not null,
  type text collate "C" not null,
  category text collate "C" not null,
  created_at bigint not null,
  body text not null,
  xid xid8 not null default pg_current_xact_id(),
  position bigint not null generated always as identity,
  primary key (merchant_id, id)
);
create unique index event_type on event (merchant_id, object_id, type);
create index event_feed on event (merchant_id, xid, position);
create index event_page on event (merchant_id, created_at desc, id desc);
create index event_tail on event (xid);

create table job (
  merchant_id text collate "C" not null,
  id text collate "C" not null,
  queue text collate "C" not null,
  partition_key text collate "C" not null,
  status text collate "C" not null,
  due_at bigint,
  attempt integer not null,
  created_at bigint not null,
  body text not null,
  log text not null,
  lease text collate "C",
  locked_until bigint,
  primary key (merchant_id, id),
  check ((status = 'pending') = (due_at is not null))
) with (fillfactor = 50);
-- Deliveries are found by partition key, so that an endpoint far behind costs no more reads than its share. Jobs of
-- other queues have a partition key for each resource, and share one index prefix.
create index job_due on job (queue, (case when left(queue, 8) = 'delivery' then partition_key else '' end), due_at)
  where status = 'pending';
-- Retention. Pending jobs are left out, so that commits rarely write to it.
create index job_ended on job (created_at) where status <> 'pending';
-- For the gauges of the metrics. A delivery enters it when its first attempt has failed.
create index job_retried on job (queue, created_at)
  where status = 'pending' and left(queue, 8) = 'delivery' and log <> '[]';

-- Nodes that claim jobs. A claim whose token is `<node>/<unique>` belongs to that node. Each node holds a lease of its own,
-- which it renews while it lives. Once that lease has ended, other nodes may take its claims before they expire. The claims of a node
-- without a row, which is not known to have ended, last until they expire.
create table node (
  id text collate "C" primary key,
  -- From then on it may take the claims of others. After an outage of the database all leases have ended, and the nodes
  -- that live need a moment to renew theirs.
  judges_at bigint not null,
  lapses_at bigint not null
) with (fillfactor = 50);

create table subscription (
  merchant_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  categories text[] not null,
  primary key (merchant_id, endpoint_id)
);

create table bucket (
  merchant_id text collate "C" primary key,
  -- Thousandths of a token.
  level double precision not null,
  at bigint not null
) with (fillfactor = 50);

create table setting (
  key text collate "C" primary key,
  value text not null
);
