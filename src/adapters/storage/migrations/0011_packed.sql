-- Texts of some hundred bytes are compressed, as longer ones are.
--
-- Postgres compresses a row only if it is longer than 2 kB, and most events and responses are a little shorter. A filler of blanks makes
-- their rows long enough, and takes about 20 bytes itself. The texts stay as they were written, for every reader. Dumps leave the
-- filler out, because it is generated. It is null where a text is too short to gain by it, or long enough.
--
-- Not of resources: most are compressed as it is, and with this target Postgres would try their index keys too, in vain.
do $corridor_packed$
declare
  relation text;
  packed text;
  name text;
begin
  for relation, packed in values ('event', 'body'), ('idempotency_record', 'response') loop
    begin
      -- `main`: nothing that fits into the page is moved out of the row, however low the target is.
      for name in
        select a.attname from pg_attribute a
        where a.attrelid = relation::regclass and a.attnum > 0 and not a.attisdropped and a.attstorage = 'x'
      loop
        execute format('alter table %I alter column %I set storage main', relation, name);
      end loop;
      execute format('alter table %I set (toast_tuple_target = 128)', relation);
      execute format(
        'alter table %1$I add column filler text generated always as (
          case when octet_length(%2$I) between 700 and 2000 then repeat('' '', 2048 - octet_length(%2$I)) end
        ) stored, alter column filler set storage main',
        relation, packed
      );
    exception
      -- Citus does not alter the storage of a table that it has distributed: its rows stay as they are.
      when feature_not_supported then null;
    end;
  end loop;
end
$corridor_packed$;

-- Tries a write to each table, and undoes it. It fails as such a write does: the disk is full, or a table is damaged. Run it only in
-- doubt, as each row that it writes is dead at once.
create or replace function corridor_trial() returns int
language plpgsql
as $$
declare
  relation text;
  names text;
begin
  foreach relation in array array[
    'account', 'balance', 'event', 'idempotency_record', 'job', 'key_entry', 'list_counter', 'lookup_key', 'posting', 'resource',
    'row_change', 'search_entry', 'subscription', 'transition', 'unique_key'
  ] loop
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into names from pg_attribute a
    where a.attrelid = relation::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '';
    begin
      -- The row is written before its keys are compared. It is read by its key, which begins with its first column.
      execute format('insert into %I (%s) overriding user value select %s from %I order by 1 limit 1', relation, names, names, relation);
      raise exception using errcode = 'CWOK0';
    exception
      when unique_violation or sqlstate 'CWOK0' then null;
    end;
  end loop;
  return 1;
end
$$;
