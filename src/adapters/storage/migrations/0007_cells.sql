-- Cells: several schemas of one database, each with all tables and some of the merchants.

-- The lock of the list counters. Each cell has its own, so that cells do not wait for one another. That of the cell
-- `corridor_1` is 3; any other schema has 2, as before.
create function corridor_counter_lock() returns int
language sql stable
as $$
  select case when current_schema() ~ '^corridor_[0-9]{1,6}$' then 2 + substr(current_schema(), 10)::int else 2 end
$$;

do $corridor_locks$
declare
  f regprocedure;
begin
  foreach f in array array[
    'corridor_roll(int)', 'corridor_forget(text, bigint, int)',
    'corridor_reindex(text[], text[], text[], int[], text[])'
  ]::regprocedure[]
  loop
    execute replace(pg_get_functiondef(f), '(4736214, 2)', '(4736214, corridor_counter_lock())');
  end loop;
end
$corridor_locks$;

-- As in 0002_commit.sql. A transaction of another cell publishes nothing here either: a commit that waits for one cell
-- does not hold back the events of the others. A transaction writes to one cell alone, so that a lock on a relation of
-- another cell, beyond that of a reader, is proof. Its absence would prove nothing, because locks are released one by one when a commit ends.
create or replace function corridor_horizon() returns xid8
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
