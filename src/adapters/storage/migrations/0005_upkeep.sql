-- What keeps a store going: retention, the move to another server, and the trial of a write.

-- Deletes the oldest records of one sort, at most `q_limit`, and returns their number. It skips rows that another
-- session has locked, so that nobody waits. It finds rows in index order, so that no batch reads more than it deletes.
create function corridor_forget(q_sort text, q_before bigint, q_limit int) returns int
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  gone int := 0;
  taken int;
  m text := '';
  mark xid8;
begin
  case q_sort
  when 'keys' then
    with old as materialized (
      select x.merchant_id, x.key from idempotency_record x where x.expires_at <= q_before
      order by x.expires_at limit q_limit for update skip locked
    )
    delete from idempotency_record x using old o where x.merchant_id = o.merchant_id and x.key = o.key;
    get diagnostics gone = row_count;
  when 'jobs' then
    with old as materialized (
      select x.merchant_id, x.id from job x where x.status <> 'pending' and x.created_at < q_before
      order by x.created_at limit q_limit for update skip locked
    )
    delete from job x using old o where x.merchant_id = o.merchant_id and x.id = o.id;
    get diagnostics gone = row_count;
  when 'events' then
    -- Deleted events are subtracted from the counters. The lock keeps roll-ups away (0004_lists.sql).
    perform pg_advisory_xact_lock(4736214, corridor_counter_lock());
    mark := corridor_mark();
    loop
      select e.merchant_id into m from event e where e.merchant_id > m order by e.merchant_id limit 1;
      exit when not found or gone >= q_limit;
      with old as materialized (
        select x.id from event x where x.merchant_id = m and x.created_at < q_before and not exists (
          -- The ids of an event's deliveries start with a part of the event's id.
          select from job j where j.merchant_id = m and j.status = 'pending' and j.queue = 'delivery'
            and j.id >= 'dlv_' || left(substr(x.id, strpos(x.id, '_') + 1), 10)
            and j.id < 'dlv_' || left(substr(x.id, strpos(x.id, '_') + 1), 10) || '~'
            and j.body::json ->> 'event_id' = x.id
        )
        order by x.created_at, x.id limit q_limit - gone for update skip locked
      ), forgotten as (
        delete from event x using old o where x.merchant_id = m and x.id = o.id
        returning x.category, x.type, x.created_at, x.xid
      ), uncounted as (
        insert into list_counter as t (merchant_id, kind, index_key, bucket, n)
        select m, '@event', w.index_key, (f.created_at / 3600000)::integer, -count(*)
        from forgotten f cross join lateral unnest(array['', 'category=' || f.category, 'type=' || f.type]) w(index_key)
        where f.xid < mark group by 1, 2, 3, 4
        on conflict (merchant_id, kind, index_key, bucket) do update set n = t.n + excluded.n
      )
      select count(*) into taken from forgotten;
      delete from list_counter t where t.merchant_id = m and t.kind = '@event' and t.n = 0
        and t.bucket <= (q_before / 3600000)::integer;
      gone := gone + taken;
    end loop;
  end case;
  return gone;
end
$$;

-- Raises the offset above every id that is stored. The last step of each migration, also while other nodes commit: what is stored
-- is read before the next id of the server. In the other order, a commit between the two reads would pass for a row of another
-- server, and the tables would be altered while they are in use.
create function corridor_follow_xids() returns void
language plpgsql
as $$
declare
  newest bigint;
  next_id bigint;
  relation regclass;
begin
  select max(x.xid::text::bigint) into newest from (
    (select t.xid from row_change t order by t.xid desc limit 1)
    union all (select p.xid from posting p order by p.xid desc limit 1)
    union all (select e.xid from event e order by e.xid desc limit 1)
    union all (select (greatest(corridor_mark()::text::bigint, 1) - 1)::text::xid8)
  ) x;
  next_id := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  if newest < next_id + corridor_xid_offset() then
    return;
  end if;
  execute format(
    'create or replace function corridor_xid_offset() returns bigint language sql immutable parallel safe as $f$ select %s::bigint $f$',
    newest + 1 - next_id
  );
  foreach relation in array array['row_change', 'posting', 'event']::regclass[] loop
    execute format(
      'alter table %s alter column xid set default ((pg_current_xact_id()::text::bigint + %s)::text::xid8)',
      relation, newest + 1 - next_id
    );
  end loop;
end
$$;

-- Tries a write to each table, and undoes it. It fails as such a write does: the disk is full, or a table is damaged. Run it only in
-- doubt, as each row that it writes is dead at once.
create function corridor_trial() returns int
language plpgsql
as $$
declare
  relation text;
begin
  foreach relation in array array[
    'account', 'balance', 'event', 'idempotency_record', 'job', 'key_entry', 'list_counter', 'lookup_key', 'posting', 'resource',
    'row_change', 'search_entry', 'subscription', 'transition', 'unique_key'
  ] loop
    begin
      -- The row is written before its keys are compared. It is read by its key, which begins with its first column.
      execute format('insert into %I overriding user value select * from %I order by 1 limit 1', relation, relation);
      raise exception using errcode = 'CWOK0';
    exception
      when unique_violation or sqlstate 'CWOK0' then null;
    end;
  end loop;
  return 1;
end
$$;
