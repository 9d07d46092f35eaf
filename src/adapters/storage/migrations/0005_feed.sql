-- The feed of events: what is complete, also in a store that was restored into another server.

-- Events of transactions older than the horizon are complete: no more can appear. The horizon is the oldest running
-- transaction, except those known to publish nothing here. Such a transaction belongs to another database of the server
-- and may run for hours, or holds the lock of the counters (corridor_roll, corridor_forget). A transaction that
-- takes this lock must publish nothing.
--
-- pg_locks is read once. Between two reads, a backend could end a commit and start to count, and would pass for a
-- counter.
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
    (select t.xid from transition t order by t.xid desc limit 1)
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
  foreach relation in array array['transition', 'posting', 'event']::regclass[] loop
    execute format(
      'alter table %s alter column xid set default ((pg_current_xact_id()::text::bigint + %s)::text::xid8)',
      relation, newest + 1 - next_id
    );
  end loop;
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
