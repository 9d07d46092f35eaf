-- Counting and claiming at less cost: the functions of 0008_lean.sql and 0004_queue.sql, written again.

create or replace function corridor_roll(q_limit int) returns boolean
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

create or replace function corridor_claim(
  q_queue text, q_now bigint, q_clock bigint, q_lease bigint, q_token text, q_limit int, q_per_partition int, q_busy text[],
  q_merchant text, q_released text[] default '{}'
) returns table (
  merchant_id text, id text, queue text, partition_key text, status text, due_at bigint, attempt int, created_at bigint, body text,
  log text, lease text, locked_until bigint, payload text, endpoint_version int
)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  partitions text[];
  full_partitions text[] := q_busy;
  -- The physical positions of the claimed rows. The rows are locked, so that they do not move until they are updated.
  places tid[] := '{}';
  lapsed text[] := corridor_lapsed_nodes(split_part(q_token, '/', 1), q_clock);
  f record;
begin
  if q_per_partition < 1 then
    return;
  end if;
  -- A lease lost in a server crash equals an expired lease. It need not be on disk before the work begins.
  perform set_config('synchronous_commit', 'off', true);
  if left(q_queue, 8) = 'delivery' then
    -- In a statement of its own: Citus calls no function that reads tables beside a table.
    partitions := array(
      select l.partition_key from corridor_partitions(q_queue) l
      where l.due_at <= q_now and l.partition_key <> all (q_busy) order by hashtext(l.partition_key || q_token)
    );
    -- The limit ends the joins: no row is locked that is not claimed.
    places := array(
      select x.ctid
      from unnest(partitions) k(partition_key)
      cross join lateral (
        select j.ctid from job j
        where j.queue = q_queue and case when left(j.queue, 8) = 'delivery' then j.partition_key else '' end = k.partition_key
          and j.status = 'pending' and j.due_at <= q_now
          and (j.lease is null or j.locked_until <= q_clock or split_part(j.lease, '/', 1) = any (lapsed)
            or j.lease = any (q_released) or j.lease || '/' || j.merchant_id || '/' || j.id = any (q_released))
          and (q_merchant is null or j.merchant_id = q_merchant)
        order by j.due_at limit q_per_partition for update skip locked
      ) x
      limit q_limit
    );
  end if;
  while left(q_queue, 8) <> 'delivery' loop
    with due as materialized (
      select j.ctid, j.merchant_id, j.id, j.partition_key, j.due_at from job j
      where j.queue = q_queue and case when left(j.queue, 8) = 'delivery' then j.partition_key else '' end = ''
        and j.status = 'pending' and j.due_at <= q_now
        and (j.lease is null or j.locked_until <= q_clock or split_part(j.lease, '/', 1) = any (lapsed)
          or j.lease = any (q_released) or j.lease || '/' || j.merchant_id || '/' || j.id = any (q_released))
        and j.partition_key <> all (full_partitions) and (q_merchant is null or j.merchant_id = q_merchant)
      order by j.due_at limit q_limit for update skip locked
    ), ranked as (
      select d.*, row_number() over (partition by d.partition_key order by d.due_at, d.merchant_id, d.id) as place from due d
    ), taken as (
      select r.ctid from ranked r where r.place <= q_per_partition and r.ctid <> all (places)
      order by r.due_at, r.merchant_id, r.id limit q_limit - cardinality(places)
    )
    select (select count(*) from due) as seen,
      (select array_agg(r.partition_key) from ranked r where r.place = q_per_partition) as full_partitions,
      (select array_agg(t.ctid) from taken t) as places
    into f;
    places := places || f.places;
    full_partitions := full_partitions || f.full_partitions;
    exit when f.seen < q_limit or cardinality(places) >= q_limit or f.full_partitions is null;
  end loop;
  if cardinality(places) = 0 then
    return;
  end if;
  return query
    with taken as (
      update job x set attempt = x.attempt + 1, lease = q_token, locked_until = q_clock + q_lease
      where x.ctid = any (places)
      returning x.*
    )
    select t.merchant_id, t.id, t.queue, t.partition_key, t.status, t.due_at, t.attempt, t.created_at, t.body, t.log, t.lease,
      t.locked_until,
      case when left(t.queue, 8) = 'delivery' then (
        -- Extracted as text: JSON text may contain characters that the server's json type rejects.
        select e.body from event e
        where e.merchant_id = t.merchant_id and e.id = split_part(split_part(t.body, '"event_id"', 2), '"', 2)
      ) end,
      case when left(t.queue, 8) = 'delivery' then (
        select r.version from resource r
        where r.merchant_id = t.merchant_id and r.kind = 'webhook_endpoint' and r.id = t.partition_key
      ) end
    from taken t order by t.due_at, t.merchant_id, t.id;
end
$$;
