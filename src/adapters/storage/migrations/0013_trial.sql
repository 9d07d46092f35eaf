-- Tries a write to each table, and undoes it. It fails as such a write does: the disk is full, or a table is damaged. Run it only in
-- doubt, as each row that it writes is dead at once.
create function corridor_trial() returns int
language plpgsql
as $$
declare
  relation text;
begin
  foreach relation in array array[
    'account', 'balance', 'event', 'idempotency_record', 'index_entry', 'job', 'list_counter', 'lookup_key', 'posting', 'resource',
    'subscription', 'transition', 'unique_key'
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
