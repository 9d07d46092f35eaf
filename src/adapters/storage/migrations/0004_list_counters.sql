-- List totals, and balances of unguarded accounts, without reading what they count.
--
-- Everything that is counted is written once and never changes, with the transaction id (`xid`) that wrote it: a
-- transition, an event, a posting. `list_counter` and `balance` hold the sums of all transactions before the mark. Later ones
-- form the tail, which is counted directly. Both are read in one snapshot, so that a total is always exact. Commits
-- only insert, and never wait for a counter. A crash between a commit and the roll-up leaves a longer tail.

-- The mark: `list_counter` and `balance` contain everything older.
create function corridor_mark() returns xid8
language sql stable
as $$ select coalesce((select value::xid8 from setting where key = 'list_counter.mark'), '0'::xid8) $$;

-- Index keys that name one thing of many (`wallet_id=wal_...`), and therefore have index entries.
create function corridor_is_id_key(index_key text) returns boolean
language sql immutable parallel safe
return index_key like '%\_id=%' and octet_length(index_key) <= 1000;

-- The bucket in which an index key is counted: by hour; statuses by minute, because lists of unfinished rows use them;
-- ids in the single bucket 0. Null: not counted. A reference is used once and needs no counter.
create function corridor_bucket(index_key text, created_at bigint) returns integer
language sql immutable parallel safe
return case
  when index_key = '' then created_at / 3600000
  when starts_with(index_key, ':') then created_at / 60000
  when octet_length(index_key) > 1000 or strpos(index_key, '=') < 2 or starts_with(index_key, 'reference=') then null
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
begin
  if not pg_try_advisory_xact_lock(4736214, 2) then
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
          where not starts_with(w.index_key, 'reference=')
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

  insert into setting as s (key, value) values ('list_counter.mark', high::text)
  on conflict (key) do update set value = excluded.value;
  return high < horizon;
end
$$;
