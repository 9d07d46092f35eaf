-- Guarded counters: what has been counted under a key, by bucket. A Change adds to them, and is not applied if one would
-- pass its maximum (`CounterWrite` of the storage port). A key names one thing of one merchant, or of the whole store.
create table guarded_counter (
  key text collate "C" primary key,
  -- Numbers of buckets, and what each has, in the same order.
  buckets bigint[] not null,
  amounts numeric[] not null
) with (fillfactor = 70);

-- Adds what the Changes of a batch count, except those that `corridor_commit` has refused. It runs in the statement of that
-- function and after it: counters are locked last, in the order of their keys. A counter over its maximum fails the whole
-- statement with the code CRDLM and its key: the caller then repeats each Change alone.
create function corridor_count(refused int[], q_c int[], q_key text[], q_bucket bigint[], q_from bigint[], q_add numeric[],
  q_max numeric[], kept int)
returns table (o_change int, o_tag text, o_1 text, o_2 text, o_3 text, o_4 text, o_5 text)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
as $$
declare
  name text;
  bs bigint[];
  amounts_now numeric[];
  counted numeric;
  place int;
  f record;
begin
  for name in
    select distinct u.key collate "C" as k from unnest(q_c, q_key) u(c, key)
    where u.c <> all (coalesce(refused, '{}'::int[])) order by k
  loop
    insert into guarded_counter (key, buckets, amounts) values (name, '{}'::bigint[], '{}'::numeric[])
    on conflict (key) do nothing;
    select x.buckets, x.amounts into bs, amounts_now from guarded_counter x where x.key = name for update;
    for f in
      select u.* from unnest(q_c, q_key, q_bucket, q_from, q_add, q_max) with ordinality
        u(c, key, bucket, oldest, added, most, n)
      where u.key = name and u.c <> all (coalesce(refused, '{}'::int[])) order by u.n
    loop
      place := array_position(bs, f.bucket);
      if f.added < 0 then
        -- What is given back after its bucket has gone no longer counts.
        if place is not null then
          amounts_now[place] := greatest(amounts_now[place] + f.added, 0);
        end if;
        continue;
      end if;
      if place is null then
        bs := bs || f.bucket;
        amounts_now := amounts_now || 0::numeric;
        place := cardinality(bs);
      end if;
      amounts_now[place] := amounts_now[place] + f.added;
      select sum(u.amount) into counted from unnest(bs, amounts_now) u(bucket, amount)
      where u.bucket >= coalesce(f.oldest, f.bucket) and (f.oldest is not null or u.bucket = f.bucket);
      if counted > f.most then
        raise exception 'the counter % would pass its maximum', name using errcode = 'CRDLM';
      end if;
    end loop;
    select array_agg(u.bucket order by u.bucket), array_agg(u.amount order by u.bucket) into bs, amounts_now
    from (
      select w.bucket, w.amount from unnest(bs, amounts_now) w(bucket, amount) order by w.bucket desc limit kept
    ) u;
    update guarded_counter x set buckets = coalesce(bs, '{}'::bigint[]), amounts = coalesce(amounts_now, '{}'::numeric[])
    where x.key = name;
  end loop;
end
$$;
