-- What rows gain and lose in a store that was moved to another server counts from the ids of this store, as its postings and events
-- do: 0008_lean.sql made the table with those of the server (0005_feed.sql).
do $corridor_moved$
begin
  if corridor_xid_offset() <> 0 then
    execute format(
      'alter table row_change alter column xid set default ((pg_current_xact_id()::text::bigint + %s)::text::xid8)',
      corridor_xid_offset()
    );
  end if;
end
$corridor_moved$;
