-- As in 0010_restored_ids.sql, also while other nodes commit. What is stored is read before the next id of the server: in the
-- other order, a commit between the two reads passed for a row of another server. The tables were then altered while they were
-- in use, and all commits waited behind a dump that reads them.
create or replace function corridor_follow_xids() returns void
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
