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

-- Claims due jobs. Deliveries: partition key by partition key, in an order that differs for each claim, so that nodes
-- rarely collide. Other queues: in rounds. A partition key that has its share is left out of the next round, so that a
-- long one does not hide the others. Jobs that another node has just claimed are skipped. Jobs due in the same
-- millisecond come in any order, because sorting them would read all of them.
--
-- A claim is free again when it or the lease of its node has ended, or when the claimant has returned it (`ClaimQuery.released`).
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
  partitions text[];
  full_partitions text[] := q_busy;
  -- The physical positions of the claimed rows. The rows are locked, so that they do not move until they are updated.
  places tid[] := '{}';
  -- The nodes whose claims this one may take: none while it may not judge, or its own lease has ended.
  lapsed text[] := array(
    select n.id from node me join node n on n.lapses_at <= q_clock
    where me.id = split_part(q_token, '/', 1) and me.judges_at <= q_clock and me.lapses_at > q_clock
  );
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

-- Rewrites jobs whose leases the caller holds, and nothing else. Returns the positions of the jobs that were still
-- leased to the caller. The caller names jobs in key order.
create function corridor_complete_jobs(
  j_m text[], j_id text[], j_token text[], j_queue text[], j_partition text[], j_status text[], j_due bigint[],
  j_attempt int[], j_created bigint[], j_body text[], j_log text[]
) returns setof bigint
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    update job x set queue = k.queue, partition_key = k.partition_key, status = k.status, due_at = k.due, attempt = k.attempt,
      created_at = k.created, body = k.body, log = k.log, lease = null, locked_until = null
    from unnest(j_m, j_id, j_token, j_queue, j_partition, j_status, j_due, j_attempt, j_created, j_body, j_log)
      with ordinality k(m, id, token, queue, partition_key, status, due, attempt, created, body, log, n)
    where x.merchant_id = k.m and x.id = k.id and x.lease = k.token
    returning k.n;
end
$$;
