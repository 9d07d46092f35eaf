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

-- Index keys that name one thing of many (`wallet_id=wal_...`), and therefore have index entries.
create function corridor_is_id_key(index_key text) returns boolean
language sql immutable parallel safe
return index_key like '%\_id=%' and octet_length(index_key) <= 1000;

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

-- The bucket in which an index key is counted: by hour; statuses by minute, because lists of unfinished rows use them;
-- ids in the single bucket 0. Null: not counted. A reference is used once, almost every row has search terms of its own, and
-- measures are counted in their own table.
create function corridor_bucket(index_key text, created_at bigint) returns integer
language sql immutable parallel safe
return case
  when index_key = '' then created_at / 3600000
  when starts_with(index_key, ':') then created_at / 60000
  when octet_length(index_key) > 1000 or strpos(index_key, '=') < 2 or starts_with(index_key, 'reference=')
    or starts_with(index_key, 'search_id=') or starts_with(index_key, 'measured=') then null
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
  from transition t cross join lateral unnest(t.gained) w(index_key)
union all
  select t.merchant_id, t.kind, w.index_key, corridor_bucket(w.index_key, t.created_at), -1, t.xid
  from transition t cross join lateral unnest(t.lost) w(index_key);

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
  from transition t cross join lateral unnest(t.gained) w(index_key) where corridor_is_measure(w.index_key)
union all
  select t.merchant_id, t.kind, (t.created_at / 3600000)::integer, w.index_key, -1, t.xid
  from transition t cross join lateral unnest(t.lost) w(index_key) where corridor_is_measure(w.index_key);

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
  counts bigint[];
begin
  if not pg_try_advisory_xact_lock(4736214, corridor_counter_lock()) then
    return false;
  end if;
  low := corridor_mark();
  horizon := corridor_horizon();
  select least(
    horizon,
    (select x.xid from transition x where x.xid >= low order by x.xid offset q_limit limit 1),
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
  with line as materialized (
    select x.merchant_id, x.kind, x.index_key, x.bucket, x.n, t.ctid as place
    from (
      select m.merchant_id, m.kind, m.index_key, m.bucket, sum(m.n) as n
      from (
        select c.merchant_id, c.kind, c.index_key, corridor_bucket(c.index_key, c.minute * 60000) as bucket, c.n
        from (
          select w.merchant_id, w.kind, w.index_key, w.minute, sum(w.n) as n
          from (
            select t.merchant_id, t.kind, g.index_key, t.created_at / 60000 as minute, 1 as n
            from transition t cross join lateral unnest(t.gained) g(index_key) where t.xid >= low and t.xid < high
            union all
            select t.merchant_id, t.kind, l.index_key, t.created_at / 60000, -1
            from transition t cross join lateral unnest(t.lost) l(index_key) where t.xid >= low and t.xid < high
          ) w
          where not starts_with(w.index_key, 'reference=') and not starts_with(w.index_key, 'search_id=')
            and not corridor_is_measure(w.index_key)
          -- Grouped first, so that the bucket is computed once for each key instead of once for each change.
          group by 1, 2, 3, 4 offset 0
        ) c
        union all
        select e.merchant_id, '@event', w.index_key, e.hour, e.n
        from (
          select x.merchant_id, x.category, x.type, (x.created_at / 3600000)::integer as hour, count(*) as n
          from event x where x.xid >= low and x.xid < high group by 1, 2, 3, 4
        ) e
        cross join lateral unnest(array['', 'category=' || e.category, 'type=' || e.type]) w(index_key)
        union all
        select p.merchant_id, p.kind, p.index_key, p.bucket, p.n
        from posting_movement p where p.xid >= low and p.xid < high
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
  select array_agg(r.merchant_id), array_agg(r.kind), array_agg(r.index_key), array_agg(r.bucket)
  into merchants, kinds, index_keys, buckets from added r where r.n = 0;
  delete from list_counter t using unnest(merchants, kinds, index_keys, buckets) k(m, kind, index_key, bucket)
  where t.merchant_id = k.m and t.kind = k.kind and t.index_key = k.index_key and t.bucket = k.bucket;

  insert into balance as b (merchant_id, account, currency, amount)
  select x.merchant_id, x.account, x.currency, sum(x.amount)
  from (
    select p.merchant_id, p.debit as account, p.currency, -p.amount as amount from posting p
    where p.xid >= low and p.xid < high
    union all
    select p.merchant_id, p.credit, p.currency, p.amount from posting p where p.xid >= low and p.xid < high
  ) x
  where corridor_owner(x.account) is null
  group by 1, 2, 3
  on conflict (merchant_id, account, currency) do update set amount = b.amount + excluded.amount;

  select array_agg(m.merchant_id), array_agg(m.kind), array_agg(m.hour), array_agg(m.index_key), array_agg(m.n)
  into merchants, kinds, buckets, index_keys, counts from (
    select t.merchant_id, t.kind, t.hour, t.index_key, sum(t.n) as n from measure_movement t
    where t.xid >= low and t.xid < high group by 1, 2, 3, 4 having sum(t.n) <> 0
  ) m;
  if merchants is not null then
    perform corridor_add_measures(merchants, kinds, buckets, index_keys, counts);
  end if;

  insert into setting as s (key, value) values ('list_counter.mark', high::text)
  on conflict (key) do update set value = excluded.value;
  return high < horizon;
end
$$;

-- Replaces the index keys of rows that are still at the given versions, and returns their number. The caller names rows
-- in key order, in which commits lock them. The lock keeps roll-ups away: counters are changed directly, because the rows get
-- no transition.
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
  ), entered as (
    insert into index_entry (merchant_id, kind, index_key, created_at, id)
    select m.m, m.kind, m.index_key, m.created_at, m.id from moved m where m.n = 1 and corridor_is_id_key(m.index_key)
    on conflict do nothing
  ), removed as (
    delete from index_entry x using moved m
    where m.n = -1 and corridor_is_id_key(m.index_key) and x.merchant_id = m.m and x.kind = m.kind
      and x.index_key = m.index_key and x.created_at = m.created_at and x.id = m.id
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
