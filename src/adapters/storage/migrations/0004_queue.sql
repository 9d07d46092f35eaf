-- The queue of jobs, and the nodes that claim them.

-- The partition keys of a queue with pending jobs, each with its earliest due time. One index probe for each key.
create function corridor_partitions(q_queue text) returns table (partition_key text, due_at bigint)
language sql stable
set enable_seqscan = off set enable_bitmapscan = off
as $$
  with recursive l(partition_key, due_at) as (
    (
      select case when left(j.queue, 8) = 'delivery' then j.partition_key else '' end, j.due_at from job j
      where j.queue = q_queue and j.status = 'pending'
      order by case when left(j.queue, 8) = 'delivery' then j.partition_key else '' end, j.due_at limit 1
    )
    union all
    select x.partition_key, x.due_at from l cross join lateral (
      select case when left(j.queue, 8) = 'delivery' then j.partition_key else '' end as partition_key, j.due_at from job j
      where j.queue = q_queue and j.status = 'pending'
        and case when left(j.queue, 8) = 'delivery' then j.partition_key else '' end > l.partition_key
      order by case when left(j.queue, 8) = 'delivery' then j.partition_key else '' end, j.due_at limit 1
    ) x
  )
  select l.partition_key, l.due_at from l
$$;

-- Renews the lease of a node. Returns 1 if it had ended, otherwise 0. Rows of nodes that ended a day ago are deleted: their
-- claims have expired.
create function corridor_beat(q_node text, q_clock bigint, q_lease bigint) returns int
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
as $$
declare
  ended int;
begin
  -- A renewal lost in a server crash equals an ended lease.
  perform set_config('synchronous_commit', 'off', true);
  select case when n.lapses_at <= q_clock then 1 else 0 end into ended from node n where n.id = q_node for update;
  insert into node as n (id, judges_at, lapses_at) values (q_node, q_clock + q_lease / 2, q_clock + q_lease)
  on conflict (id) do update set lapses_at = excluded.lapses_at,
    judges_at = case when ended = 1 then excluded.judges_at else n.judges_at end;
  delete from node n where n.lapses_at < q_clock - 86400000;
  return coalesce(ended, 0);
end
$$;

-- The nodes whose claims a node may take. None while it may not judge, or its own lease has ended.
create function corridor_lapsed_nodes(q_node text, q_clock bigint) returns text[]
language sql stable
as $$
  select coalesce((
    select array_agg(n.id) from node me join node n on n.lapses_at <= q_clock
    where me.id = q_node and me.judges_at <= q_clock and me.lapses_at > q_clock
  ), '{}')
$$;

-- Claims due jobs. Deliveries: partition key by partition key, in an order that differs for each claim, so that nodes
-- rarely collide. Other queues: in rounds. A partition key that has its share is left out of the next round, so that a
-- long one does not hide the others. Jobs that another node has just claimed are skipped. Jobs due in the same
-- millisecond come in any order, because sorting them would read all of them.
--
-- A claim is free again when it has expired, when the lease of its node has ended, or when the claimant itself has given it back
-- (`ClaimQuery.released`).
create function corridor_claim(
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
    for f in
      select l.partition_key from corridor_partitions(q_queue) l
      where l.due_at <= q_now and l.partition_key <> all (q_busy) order by hashtext(l.partition_key || q_token)
    loop
      exit when cardinality(places) >= q_limit;
      select places || coalesce(array_agg(x.ctid), '{}') into places
      from (
        select j.ctid from job j
        where j.queue = q_queue and case when left(j.queue, 8) = 'delivery' then j.partition_key else '' end = f.partition_key
          and j.status = 'pending' and j.due_at <= q_now
          and (j.lease is null or j.locked_until <= q_clock or split_part(j.lease, '/', 1) = any (lapsed)
            or j.lease = any (q_released) or j.lease || '/' || j.merchant_id || '/' || j.id = any (q_released))
          and (q_merchant is null or j.merchant_id = q_merchant)
        order by j.due_at limit least(q_per_partition, q_limit - cardinality(places)) for update skip locked
      ) x;
    end loop;
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
