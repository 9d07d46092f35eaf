-- Which index keys a commit keeps for the counters is decided for every key of every row. These three sorts are almost all that are not
-- counted; the roll-up leaves out the rest, whose bucket is null (corridor_bucket).
create or replace function corridor_is_counted(index_key text) returns boolean
language sql immutable parallel safe
return not (starts_with(index_key, 'exact_id=') or starts_with(index_key, 'search_id=') or starts_with(index_key, 'reference='));
