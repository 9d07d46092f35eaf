-- Search over all merchants, and rows that are indexed again.
--
-- A search term is an index key of the name `search_id`. Commits keep its entries as those of other index keys.

-- As in 0004_list_counters.sql. No list counts search terms: almost every row has its own.
create or replace function corridor_bucket(index_key text, created_at bigint) returns integer
language sql immutable parallel safe
return case
  when index_key = '' then created_at / 3600000
  when starts_with(index_key, ':') then created_at / 60000
  when octet_length(index_key) > 1000 or strpos(index_key, '=') < 2 or starts_with(index_key, 'reference=')
    or starts_with(index_key, 'search_id=') then null
  when index_key like '%\_id=%' then 0
  else created_at / 3600000
end;

-- `>` follows `=`. With all columns that a search reads, a beginning that many rows share is read from the index alone.
create index index_entry_search on index_entry (index_key, kind, created_at) include (merchant_id, id)
  where index_key >= 'search_id=' and index_key < 'search_id>';

-- Replaces the index keys of rows that are still at the given versions, and returns their number. The caller names rows
-- in key order, in which commits lock them. The lock keeps roll-ups away (0004_list_counters.sql): counters are changed
-- directly, because the rows get no transition.
create function corridor_reindex(r_m text[], r_kind text[], r_id text[], r_version int[], r_index_keys text[]) returns int
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  done int;
begin
  perform pg_advisory_xact_lock(4736214, 2);
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
  select count(*) into done from written;
  return done;
end
$$;

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
