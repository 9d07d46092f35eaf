-- List totals, balances of unguarded accounts, and statistics, without reading what they count.
--
-- Everything that is counted is written once and never changes, with the transaction id (`xid`) that wrote it: a
-- transition, an event, a posting. `list_counter`, `balance` and `measure` hold the sums of all transactions before the mark.
-- Later ones form the tail, which is counted directly. Both are read in one snapshot, so that a total is always exact. Commits
-- only insert, and never wait for a counter. A crash between a commit and the roll-up leaves a longer tail.
--
-- A movement has one index key of the name `measured`, `measured=<amount>|<seconds>|<tags>`, which changes with it. A
-- transition therefore says what a movement stops to be and what it is now, as for every index key.

-- The mark: the sums contain everything older.
create function corridor_mark() returns xid8
language sql stable
as $$ select coalesce((select value::xid8 from setting where key = 'list_counter.mark'), '0'::xid8) $$;

-- The lock of the counters. Each cell (a schema of its own with all tables and some of the merchants) has its own, so that
-- cells do not wait for one another. That of the cell `corridor_1` is 3; any other schema has 2.
create function corridor_counter_lock() returns int
language sql stable
as $$
  select case when current_schema() ~ '^corridor_[0-9]{1,6}$' then 2 + substr(current_schema(), 10)::int else 2 end
$$;

create function corridor_is_measure(index_key text) returns boolean
language sql immutable parallel safe
return starts_with(index_key, 'measured=');

create function corridor_measure_amount(index_key text) returns numeric
language sql immutable parallel safe
return substr(split_part(index_key, '|', 1), 10)::numeric;

create function corridor_measure_seconds(index_key text) returns integer
language sql immutable parallel safe
return split_part(index_key, '|', 2)::integer;

create function corridor_measure_tags(index_key text) returns text
language sql immutable parallel safe
return substr(index_key, length(split_part(index_key, '|', 1)) + length(split_part(index_key, '|', 2)) + 3);

-- The bucket in which an index key is counted: by hour; statuses by minute, because lists of unfinished rows use them; ids in the
-- single bucket 0. Null: not counted here.
create function corridor_bucket(index_key text, created_at bigint) returns integer
language sql immutable parallel safe
return case
  when index_key = '' then created_at / 3600000
  when starts_with(index_key, ':') then created_at / 60000
  when octet_length(index_key) > 1000 or strpos(index_key, '=') < 2 or not corridor_is_counted(index_key)
    or corridor_is_measure(index_key) then null
  when index_key like '%\_id=%' then 0
  else created_at / 3600000
end;

-- The bucket in which a posting is counted: 1,024 transactions each.
create function corridor_place(xid xid8) returns integer
language sql immutable parallel safe
return (xid::text::bigint / 1024)::integer;

-- The counted changes, one row each. Events have the kind `@event`. Postings have the kind `@posting`, under the
-- platform accounts that they name; the accounts of wallets and credentials count their own postings.
create view row_movement as
  select t.merchant_id, t.kind, w.index_key, corridor_bucket(w.index_key, t.created_at) as bucket, 1 as n, t.xid
  from row_change t cross join lateral unnest(t.gained) w(index_key)
union all
  select t.merchant_id, t.kind, w.index_key, corridor_bucket(w.index_key, t.created_at), -1, t.xid
  from row_change t cross join lateral unnest(t.lost) w(index_key);

create view event_movement as
  select e.merchant_id, '@event' collate "C" as kind, w.index_key, (e.created_at / 3600000)::integer as bucket, 1 as n, e.xid
  from event e cross join lateral unnest(array['', 'category=' || e.category, 'type=' || e.type]) w(index_key);

create view posting_movement as
  select p.merchant_id, '@posting' collate "C" as kind, p.debit as index_key, corridor_place(p.xid) as bucket, 1 as n, p.xid
  from posting p where corridor_owner(p.debit) is null
union all
  select p.merchant_id, '@posting' collate "C", p.credit, corridor_place(p.xid), 1, p.xid
  from posting p where p.credit <> p.debit and corridor_owner(p.credit) is null;

-- What transitions change in `measure`, one row each.
create view measure_movement as
  select t.merchant_id, t.kind, (t.created_at / 3600000)::integer as hour, w.index_key, 1 as n, t.xid
  from row_change t cross join lateral unnest(t.gained) w(index_key) where corridor_is_measure(w.index_key)
union all
  select t.merchant_id, t.kind, (t.created_at / 3600000)::integer, w.index_key, -1, t.xid
  from row_change t cross join lateral unnest(t.lost) w(index_key) where corridor_is_measure(w.index_key);

-- Adds changes to `measure`. The caller holds the lock of the counters.
create function corridor_add_measures(c_m text[], c_kind text[], c_hour int[], c_key text[], c_n bigint[]) returns void
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
as $$
declare
  merchants text[];
  steps int[];
  kinds text[];
  buckets int[];
  all_tags text[];
  durations int[];
begin
  with line as materialized (
    select s.merchant_id, s.step, g.kind, g.hour - g.hour % s.step as bucket, g.tags, g.seconds, sum(g.n) as n,
      sum(g.amount) as amount
    from (
      select c.m, c.kind, c.hour, corridor_measure_tags(c.index_key) as tags,
        corridor_measure_seconds(c.index_key) as seconds, sum(c.n) as n,
        sum(c.n * corridor_measure_amount(c.index_key)) as amount
      from unnest(c_m, c_kind, c_hour, c_key, c_n) c(m, kind, hour, index_key, n)
      group by 1, 2, 3, 4, 5 offset 0
    ) g
    cross join lateral (values (g.m, 1), (g.m, 24), ('', 1), ('', 24)) s(merchant_id, step)
    group by 1, 2, 3, 4, 5, 6
  ), added as (
    insert into measure as t (merchant_id, step, kind, bucket, tags, seconds, n, amount)
    select l.merchant_id, l.step, l.kind, l.bucket, l.tags, l.seconds, l.n, l.amount from line l
    where l.n <> 0 or l.amount <> 0
    on conflict (merchant_id, step, kind, bucket, tags, seconds) do update
    set n = t.n + excluded.n, amount = t.amount + excluded.amount
    returning t.merchant_id, t.step, t.kind, t.bucket, t.tags, t.seconds, t.n, t.amount
  )
  select array_agg(r.merchant_id), array_agg(r.step), array_agg(r.kind), array_agg(r.bucket), array_agg(r.tags),
    array_agg(r.seconds)
  into merchants, steps, kinds, buckets, all_tags, durations from added r where r.n = 0 and r.amount = 0;
  delete from measure t using unnest(merchants, steps, kinds, buckets, all_tags, durations)
    k(m, step, kind, bucket, tags, seconds)
  where t.merchant_id = k.m and t.step = k.step and t.kind = k.kind and t.bucket = k.bucket and t.tags = k.tags
    and t.seconds = k.seconds;
end
$$;

-- Moves the mark over at most about `q_limit` rows of each table, in one transaction. Any node may run it, one at a
-- time. Returns true when more is left. The horizon keeps running transactions after the mark, whatever they will
-- write.
create function corridor_roll(q_limit int) returns boolean
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
as $$
declare
  low xid8;
  high xid8;
  horizon xid8;
  merchants text[];
  kinds text[];
  index_keys text[];
  buckets int[];
  m_merchants text[];
  m_kinds text[];
  m_hours int[];
  m_keys text[];
  m_counts bigint[];
begin
  if not pg_try_advisory_xact_lock(4736214, corridor_counter_lock()) then
    return false;
  end if;
  low := corridor_mark();
  horizon := corridor_horizon();
  select least(
    horizon,
    (select x.xid from row_change x where x.xid >= low order by x.xid offset q_limit limit 1),
    (select x.xid from event x where x.xid >= low order by x.xid offset q_limit limit 1),
    (select x.xid from posting x where x.xid >= low order by x.xid offset q_limit limit 1)
  ) into high;
  if high <= low then
    -- One transaction wrote more than `q_limit` rows.
    high := least(horizon, (low::text::numeric + 1)::text::xid8);
  end if;
  if high <= low then
    return false;
  end if;

  -- No one else writes counters under this lock (`forget` takes it too), so that a row found here keeps its position.
  with alike as materialized (
    -- Most rows of a merchant change alike: their index keys are taken apart once.
    select t.merchant_id, t.kind, t.created_at / 60000 as minute, t.gained, t.lost, count(*)::int as n
    from row_change t where t.xid >= low and t.xid < high group by 1, 2, 3, 4, 5
  ), word as materialized (
    select w.merchant_id, w.kind, w.minute, w.index_key, sum(w.n) as n
    from (
      select a.merchant_id, a.kind, a.minute, g.index_key, a.n from alike a cross join lateral unnest(a.gained) g(index_key)
      union all
      select a.merchant_id, a.kind, a.minute, l.index_key, -a.n from alike a cross join lateral unnest(a.lost) l(index_key)
    ) w
    group by 1, 2, 3, 4
  ), paid as materialized (
    select p.merchant_id, p.currency, p.bucket, p.debit, p.credit, count(*)::int as n, sum(p.amount) as amount
    from (
      select x.merchant_id, x.currency, x.amount, corridor_place(x.xid) as bucket,
        case when corridor_owner(x.debit) is null then x.debit end as debit,
        case when corridor_owner(x.credit) is null then x.credit end as credit
      from posting x where x.xid >= low and x.xid < high
    ) p
    group by 1, 2, 3, 4, 5
  ), entry as materialized (
    select p.merchant_id, w.account, p.currency, p.bucket, w.n, w.amount
    from paid p cross join lateral (
      -- A posting whose accounts are one counts once.
      values (p.debit, p.n, -p.amount), (p.credit, case when p.credit = p.debit then 0 else p.n end, p.amount)
    ) w(account, n, amount)
    where w.account is not null
  ), balanced as (
    insert into balance as b (merchant_id, account, currency, amount)
    select e.merchant_id, e.account, e.currency, sum(e.amount) from entry e group by 1, 2, 3
    on conflict (merchant_id, account, currency) do update set amount = b.amount + excluded.amount
  ), line as materialized (
    select x.merchant_id, x.kind, x.index_key, x.bucket, x.n, t.ctid as place
    from (
      select m.merchant_id, m.kind, m.index_key, m.bucket, sum(m.n) as n
      from (
        select c.* from (
          select w.merchant_id, w.kind, w.index_key, corridor_bucket(w.index_key, w.minute * 60000) as bucket, w.n
          from word w where not corridor_is_measure(w.index_key) offset 0
        ) c
        union all
        select e.merchant_id, '@event', w.index_key, e.hour, e.n
        from (
          select x.merchant_id, x.category, x.type, (x.created_at / 3600000)::integer as hour, count(*) as n
          from event x where x.xid >= low and x.xid < high group by 1, 2, 3, 4
        ) e
        cross join lateral unnest(array['', 'category=' || e.category, 'type=' || e.type]) w(index_key)
        union all
        select p.merchant_id, '@posting', p.account, p.bucket, p.n from entry p
      ) m
      where m.bucket is not null
      group by 1, 2, 3, 4 having sum(m.n) <> 0
    ) x
    left join lateral (
      select t.ctid from list_counter t
      where t.merchant_id = x.merchant_id and t.kind = x.kind and t.index_key = x.index_key and t.bucket = x.bucket limit 1
    ) t on true
  ), added as (
    update list_counter t set n = t.n + l.n from line l where t.ctid = l.place
    returning t.merchant_id, t.kind, t.index_key, t.bucket, t.n
  ), begun as (
    insert into list_counter (merchant_id, kind, index_key, bucket, n)
    select l.merchant_id, l.kind, l.index_key, l.bucket, l.n from line l where l.place is null
  )
  select z.*, m.* from (
    select array_agg(r.merchant_id), array_agg(r.kind), array_agg(r.index_key), array_agg(r.bucket) from added r where r.n = 0
  ) z cross join (
    select array_agg(w.merchant_id), array_agg(w.kind), array_agg((w.minute / 60)::integer), array_agg(w.index_key),
      array_agg(w.n::bigint)
    from word w where corridor_is_measure(w.index_key) and w.n <> 0
  ) m
  into merchants, kinds, index_keys, buckets, m_merchants, m_kinds, m_hours, m_keys, m_counts;
  delete from list_counter t using unnest(merchants, kinds, index_keys, buckets) k(m, kind, index_key, bucket)
  where t.merchant_id = k.m and t.kind = k.kind and t.index_key = k.index_key and t.bucket = k.bucket;
  if m_merchants is not null then
    perform corridor_add_measures(m_merchants, m_kinds, m_hours, m_keys, m_counts);
  end if;

  -- What is counted is needed no more.
  delete from row_change t where t.xid < high;

  insert into setting as s (key, value) values ('list_counter.mark', high::text)
  on conflict (key) do update set value = excluded.value;
  return high < horizon;
end
$$;

-- Replaces the index keys of rows that are still at the given versions, and returns their number. The caller names rows in key order,
-- in which commits lock them. The lock keeps roll-ups away: counters are changed directly, as the rows get no transition.
create function corridor_reindex(r_m text[], r_kind text[], r_id text[], r_version int[], r_index_keys text[]) returns int
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  done int;
  m_m text[];
  m_kind text[];
  m_hour int[];
  m_key text[];
  m_n bigint[];
begin
  perform pg_advisory_xact_lock(4736214, corridor_counter_lock());
  with k as materialized (
    select u.*, x.created_at, x.hidden, x.old from (
      select v.m, v.kind, v.id, v.version, v.index_keys::text[] as new
      from unnest(r_m, r_kind, r_id, r_version, r_index_keys) v(m, kind, id, version, index_keys)
    ) u
    cross join lateral (
      select r.version, r.created_at, r.hidden, r.index_keys as old from resource r
      where r.merchant_id = u.m and r.kind = u.kind and r.id = u.id limit 1 for no key update
    ) x
    where x.version = u.version
  ), written as (
    update resource r set index_keys = k.new from k
    where r.merchant_id = k.m and r.kind = k.kind and r.id = k.id
    returning 1
  ), moved as materialized (
    select k.m, k.kind, k.id, k.created_at, w.index_key, 1 as n from k cross join lateral unnest(k.new) w(index_key)
    where not k.hidden and w.index_key <> all (k.old)
    union all
    select k.m, k.kind, k.id, k.created_at, w.index_key, -1 from k cross join lateral unnest(k.old) w(index_key)
    where not k.hidden and w.index_key <> all (k.new)
  ), word as materialized (
    select m.*, starts_with(m.index_key, 'search_id=') as is_search, corridor_entry_key(m.m, m.kind, m.index_key) as key
    from moved m where corridor_is_id_key(m.index_key)
  ), entered as (
    insert into key_entry (created_at, key, term, merchant_id, id)
    select k.created_at, k.key, corridor_entry_term(k.kind, k.index_key), k.m, k.id from word k
    where k.n = 1 and not k.is_search
  ), searched as (
    insert into search_entry (merchant_id, kind, index_key, created_at, id)
    select k.m, k.kind, k.index_key, k.created_at, k.id from word k where k.n = 1 and k.is_search
    on conflict do nothing
  ), removed as (
    delete from key_entry x using word k
    where k.n = -1 and not k.is_search and x.key = k.key and x.created_at = k.created_at and x.id = k.id
      and x.merchant_id = k.m
  ), forgotten as (
    delete from search_entry x using word k
    where k.n = -1 and k.is_search and x.merchant_id = k.m and x.kind = k.kind and x.index_key = k.index_key
      and x.created_at = k.created_at and x.id = k.id
  ), counted as (
    insert into list_counter as t (merchant_id, kind, index_key, bucket, n)
    select c.m, c.kind, c.index_key, c.bucket, sum(c.n)
    from (select m.*, corridor_bucket(m.index_key, m.created_at) as bucket from moved m) c
    where c.bucket is not null group by 1, 2, 3, 4 having sum(c.n) <> 0
    on conflict (merchant_id, kind, index_key, bucket) do update set n = t.n + excluded.n
  )
  select (select count(*) from written), array_agg(m.m), array_agg(m.kind), array_agg((m.created_at / 3600000)::integer),
    array_agg(m.index_key), array_agg(m.n::bigint)
  into done, m_m, m_kind, m_hour, m_key, m_n from moved m where corridor_is_measure(m.index_key);
  if m_m is not null then
    perform corridor_add_measures(m_m, m_kind, m_hour, m_key, m_n);
  end if;
  return done;
end
$$;

-- Events of transactions older than the horizon are complete: no more can appear. The horizon is the oldest running
-- transaction, except those known to publish nothing here. Such a transaction belongs to another database of the server
-- and may run for hours, or holds the lock of the counters (corridor_roll, corridor_forget). A transaction that
-- takes this lock must publish nothing.
--
-- pg_locks is read once: between two reads, a backend could end a commit and start to count, and would pass for a counter.
--
-- A transaction of another cell publishes nothing here either: a commit that waits for one cell does not hold back the events of
-- the others. A transaction writes to one cell alone, so that a lock on a relation of another cell, beyond that of a reader, is
-- proof. Its absence would prove nothing, because locks are released one by one when a commit ends.
create function corridor_server_horizon() returns xid8
language sql stable
as $$
  with held as materialized (
    select pid, locktype, mode, transactionid, classid, objid, objsubid, relation, database from pg_locks
    where granted and (
      mode = 'ExclusiveLock' and locktype in ('transactionid', 'advisory')
      or mode <> 'AccessShareLock' and locktype = 'relation'
    )
  )
  select coalesce((
    select x from pg_snapshot_xip(pg_current_snapshot()) x
    where not exists (
      select from held l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'transactionid' and l.transactionid::text = (x::text::bigint & 4294967295)::text
        and (
          a.datid <> (select d.oid from pg_database d where d.datname = current_database())
          or exists (
            select from held m
            where m.pid = l.pid and m.locktype = 'advisory'
              and m.classid = 4736214 and m.objid >= 2 and m.objsubid = 2
          )
          or exists (
            select from held m join pg_class c on c.oid = m.relation join pg_namespace s on s.oid = c.relnamespace
            where m.pid = l.pid and m.locktype = 'relation' and m.database = a.datid
              and s.nspname ~ '^corridor_[0-9]{1,6}$' and s.nspname <> current_schema()
          )
        )
    )
    order by x limit 1
  ), pg_snapshot_xmax(pg_current_snapshot()))
$$;

-- What is added to the transaction ids of this server, so that new rows follow those that were restored. Rows keep the id of the
-- transaction that wrote them, and a dump keeps these ids. Another server counts its own, often from far below: new rows would
-- come before old ones in the feed, and before the mark of the counters.
create function corridor_xid_offset() returns bigint
language sql immutable parallel safe
as $$ select 0::bigint $$;

create function corridor_horizon() returns xid8
language sql stable
as $$ select (corridor_server_horizon()::text::bigint + corridor_xid_offset())::text::xid8 $$;

-- An event by its id alone: one probe for each merchant that has events.
create function corridor_find_event(q_id text) returns setof event
language sql stable
set enable_seqscan = off set enable_bitmapscan = off
as $$
  with recursive m(merchant_id) as (
    (select e.merchant_id from event e order by e.merchant_id limit 1)
    union all
    select (select e.merchant_id from event e where e.merchant_id > m.merchant_id order by e.merchant_id limit 1)
    from m where m.merchant_id is not null
  )
  select e.* from m cross join lateral (
    select * from event x where x.merchant_id = m.merchant_id and x.id = q_id limit 1
  ) e limit 1
$$;
