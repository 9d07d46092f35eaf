-- Transaction ids of a store that was restored from a dump into another server.
--
-- Rows keep the id of the transaction that wrote them, and a dump keeps these ids. The other server counts its own ids, often
-- from far below: new rows would come before old ones in the feed, and before the mark of the list counters.

-- What is added to the ids of this server, so that new rows follow those that were restored.
create function corridor_xid_offset() returns bigint
language sql immutable parallel safe
as $$ select 0::bigint $$;

alter function corridor_horizon() rename to corridor_server_horizon;
create function corridor_horizon() returns xid8
language sql stable
as $$ select (corridor_server_horizon()::text::bigint + corridor_xid_offset())::text::xid8 $$;

-- Raises the offset above every id that is stored. The last step of each migration: nothing has been written here before it.
create function corridor_follow_xids() returns void
language plpgsql
as $$
declare
  newest bigint;
  next_id bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  relation regclass;
begin
  select max(x.xid::text::bigint) into newest from (
    (select t.xid from transition t order by t.xid desc limit 1)
    union all (select p.xid from posting p order by p.xid desc limit 1)
    union all (select e.xid from event e order by e.xid desc limit 1)
    union all (select (greatest(corridor_mark()::text::bigint, 1) - 1)::text::xid8)
  ) x;
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
