-- The rows under the id of another resource, or of a pay-in, are few, and almost every movement has such an id of its own. A counter of
-- each took more than the entries that it counts: a list under such an id counts its entries instead (lists.ts).
create function corridor_is_few(index_key text) returns boolean
language sql immutable parallel safe
return starts_with(index_key, 'resource_id=') or starts_with(index_key, 'payin_id=');

create or replace function corridor_bucket(index_key text, created_at bigint) returns integer
language sql immutable parallel safe
return case
  when index_key = '' then created_at / 3600000
  when starts_with(index_key, ':') then created_at / 60000
  when octet_length(index_key) > 1000 or strpos(index_key, '=') < 2 or starts_with(index_key, 'reference=')
    or starts_with(index_key, 'search_id=') or starts_with(index_key, 'exact_id=') or starts_with(index_key, 'measured=')
    or corridor_is_few(index_key) then null
  when index_key like '%\_id=%' then 0
  else created_at / 3600000
end;

create or replace function corridor_is_counted(index_key text) returns boolean
language sql immutable parallel safe
return not (starts_with(index_key, 'exact_id=') or starts_with(index_key, 'search_id=') or starts_with(index_key, 'reference=')
  or corridor_is_few(index_key));

-- No roll-up adds one meanwhile.
select pg_advisory_xact_lock(4736214, corridor_counter_lock());
delete from list_counter t where corridor_is_few(t.index_key);
