-- The write path: what a commit checks and writes, and the responses that it keeps.

-- Splits texts that travel as one: a unit separator follows each cell, a record separator is a null, and a file
-- separator alone is one empty text. Much cheaper than an array literal, which quotes and escapes every document.
create function corridor_texts(x text) returns text[]
language sql immutable parallel safe
as $$ select case x when E'\x1c' then array[''] else string_to_array(x, E'\x1f', E'\x1e') end $$;

-- The server's clock in epoch milliseconds, read at the time of the call. It measures leases.
create function corridor_clock() returns bigint language sql volatile
as $$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$;

-- A response repeats most of an event of its Change, and is stored without that part: after a mark, which no JSON has, the event, the
-- place of the part in the response, its place in the event's body and its length. All of it is ASCII, which every encoding counts alike.
create function corridor_response_event(response text) returns text
language sql immutable parallel safe
return nullif(split_part(split_part(response, E'\x13', 2), ' ', 1), '');

-- The response as it was given. `body`: that of its event. Null where the event is gone.
create function corridor_response(response text, body text) returns text
language sql immutable parallel safe
return case
  when not starts_with(response, E'sealed:\x13') then response
  when corridor_response_event(response) is null then substr(response, 10)
  else overlay(
    substr(response, length(split_part(response, E'\x13', 2)) + 10)
    placing substr(body, split_part(split_part(response, E'\x13', 2), ' ', 3)::int,
      split_part(split_part(response, E'\x13', 2), ' ', 4)::int)
    from split_part(split_part(response, E'\x13', 2), ' ', 2)::int for 0
  )
end;

-- 128 bits of SHA-256: nobody finds two index keys with one hash. Bytes are cut before they become text.
create function corridor_entry_key(merchant_id text, kind text, index_key text) returns uuid
language sql immutable parallel safe
return encode(substr(sha256(decode(
  replace(merchant_id || E'\n' || kind || E'\n' || index_key, E'\\', E'\\\\'), 'escape'
)), 1, 16), 'hex')::uuid;

create function corridor_entry_term(kind text, index_key text) returns uuid
language sql immutable parallel safe
return case when starts_with(index_key, 'exact_id=') then corridor_entry_key('', kind, index_key) end;

-- Index keys that name one thing of many (`wallet_id=wal_...`), and therefore have index entries.
create function corridor_is_id_key(index_key text) returns boolean
language sql immutable parallel safe
return index_key like '%\_id=%' and octet_length(index_key) <= 1000;

-- Whether a commit keeps an index key for the counters: one comparison of its name, as it is made for every key of every row. Search
-- terms and references are of almost one row each. So are the ids of other resources and of pay-ins: a list under one counts its
-- entries (lists.ts). A key without a name has no bucket, and the roll-up leaves it out (0004_lists.sql).
create function corridor_is_counted(index_key text) returns boolean
language sql immutable parallel safe
return split_part(index_key, '=', 1) <> all ('{exact_id,search_id,reference,resource_id,payin_id}');

-- Locks accounts until the transaction ends. Returns their balances in the given order; null where one does not exist.
create function corridor_balances(a_m text[], a_account text[], a_currency text[]) returns numeric[]
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select array_agg(x.balance order by k.n)
    from unnest(a_m, a_account, a_currency) with ordinality k(m, account, currency, n)
    left join lateral (
      select b.balance from account b
      where b.merchant_id = k.m and b.account = k.account and b.currency = k.currency limit 1 for no key update
    ) x on true
  );
end
$$;

-- Applies a batch of Changes. The arrays with one prefix are the columns of one list; `*_c` is the number of the
-- Change, from 1, that an element belongs to. Returns one row for each Change that was not committed, and a row 0 if
-- deliveries were created.
--
-- The caller guarantees that no two Changes of a batch share a key, row, lease, job, unique key, lookup key or event.
-- All checks except the balance floors are then independent of each other.
--
-- Without `checked` (the optimistic mode) the function looks up no unique index first, and fails the whole batch with
-- 23505 or 40001 if anything is wrong. The caller then repeats the batch with `checked` (the checked mode), which gives
-- each Change a verdict in the order of precedence: no Change is refused for one reason before a higher-ranking one was
-- checked.
--
-- All code takes locks in one order: rows, jobs, accounts, each by key. An optimistic batch locks accounts last, as Changes share
-- them, and holds them no longer than its flush to disk.
--
-- The planner settings compensate for plans made while the tables are empty: everything below is a lookup by primary
-- key, in one nested loop, at any size.
--
-- The columns of a list are read by their places (`r_id[i]`). `unnest` would copy every column first.
create function corridor_commit(
  c_m text[], c_at bigint[], c_key text[], c_fingerprint text[], c_response text[], c_expires bigint[], c_job text[],
  c_token text[], c_cause text[],
  r_c int[], r_m text[], r_kind text[], r_id text[], r_version int[], r_machine text[], r_state text[], r_status text[],
  r_customer text[], r_root text[], r_created bigint[], r_updated bigint[], r_hidden boolean[], r_events int[],
  r_index_keys text[], r_data text[], r_via text[], r_from text[],
  a_m text[], a_account text[], a_currency text[],
  g_c int[], g_a int[], g_delta numeric[], g_entries int[],
  p_c int[], p_debit text[], p_credit text[], p_amount numeric[], p_currency text[], p_resource text[], p_version int[],
  l_c int[], l_scope text[], l_key text[], l_owner text[],
  n_c int[], n_scope text[], n_key text[], n_kind text[], n_id text[],
  e_c int[], e_id text[], e_object text[], e_sequence int[], e_type text[], e_category text[], e_created bigint[],
  e_body text[],
  j_c int[], j_id text[], j_queue text[], j_partition text[], j_status text[], j_due bigint[], j_attempt int[],
  j_created bigint[], j_body text[], j_log text[], j_lease text[], j_locked bigint[],
  d_c int[], d_id text[],
  s_c int[], s_endpoint text[], s_categories text[],
  j_how int[],
  v_c int[], v_m text[], v_kind text[], v_id text[], v_version int[], checked boolean,
  -- The base of `j_locked`.
  clock bigint
) returns table (o_change int, o_tag text, o_1 text, o_2 text, o_3 text, o_4 text, o_5 text)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  ok boolean[] := array_fill(true, array[cardinality(c_m)]);
  stored numeric[];
  balances numeric[];
  deltas numeric[];
  written int;
  -- The accounts of an optimistic batch that exist.
  there int[];
  -- The rows before the batch: their version (0: no row), and what a row that exists gains and loses (null: nothing): words, which are
  -- its index keys, '' and its status. A hidden row has none.
  versions int[];
  gained text[];
  lost text[];
  f record;
  first int;
begin
  -- 1. Locks. Rows that are only checked are locked in one order with rows that are written.
  if checked or 1 < any (r_version) or cardinality(v_c) > 0 then
    select array_agg(coalesce(x.version, 0) order by k.n),
      array_agg(case when k.version > 1 and x.before <> x.after then
        nullif(array(select w from unnest(x.after) w where w <> all (x.before)), '{}')::text end order by k.n),
      array_agg(case when k.version > 1 and x.before <> x.after then
        nullif(array(select w from unnest(x.before) w where w <> all (x.after)), '{}')::text end order by k.n)
    into versions, gained, lost
    from (
      select * from unnest(r_m || v_m, r_kind || v_kind, r_id || v_id, r_version) with ordinality
        u(m, kind, id, version, n)
      order by u.m collate "C", u.kind collate "C", u.id collate "C"
    ) k
    left join lateral (
      select t.version,
        case when t.hidden then '{}' else t.index_keys || array['', ':' || t.status] end as before,
        case when r_hidden[k.n] then '{}' else r_index_keys[k.n]::text[] || array['', ':' || r_status[k.n]] end as after
      from resource t
      where (checked or k.version > 1 or k.version is null) and t.merchant_id = k.m and t.kind = k.kind and t.id = k.id
      limit 1 for no key update
    ) x on true;

    for i in 1..coalesce(cardinality(r_c), 0) loop
      if versions[i] <> r_version[i] - 1 and ok[r_c[i]] then
        ok[r_c[i]] := false;
        o_change := r_c[i]; o_tag := 'VersionConflict'; o_1 := r_kind[i]; o_2 := r_id[i];
        return next;
      end if;
    end loop;
    for i in 1..coalesce(cardinality(v_c), 0) loop
      if versions[cardinality(r_c) + i] <> v_version[i] and ok[v_c[i]] then
        ok[v_c[i]] := false;
        o_change := v_c[i]; o_tag := 'VersionConflict'; o_1 := v_kind[i]; o_2 := v_id[i];
        return next;
      end if;
    end loop;
  end if;

  -- A lost lease takes precedence over a version conflict, and a repeat over both: the last row returned here counts
  -- (the caller keeps the last row of a Change).
  if cardinality(array_remove(c_job, null)) > 0 then
    for f in
      select l.c from (
        select k.c, k.t, x.lease
        from (
          select * from unnest(c_m, c_job, c_token) with ordinality u(m, j, t, c)
          where u.j is not null order by u.m collate "C", u.j collate "C"
        ) k
        left join lateral (
          select b.lease from job b where b.merchant_id = k.m and b.id = k.j limit 1 for update
        ) x on true
        offset 0
      ) l
      where l.lease is distinct from l.t
    loop
      ok[f.c] := false;
      o_change := f.c; o_tag := 'LeaseLost';
      return next;
    end loop;
  end if;

  if checked and cardinality(a_m) > 0 then
    stored := corridor_balances(a_m, a_account, a_currency);
  end if;

  -- 2. Lookups after the locks, so that they see what another node committed while this one waited.
  if checked then
    for f in
      select k.c, k.key, x.* from unnest(c_m, c_key, c_at) with ordinality k(m, key, at, c)
      cross join lateral (
        select b.fingerprint, b.expires_at, b.at as applied_at, corridor_response(b.response, (
          select e.body from event e
          where e.merchant_id = k.m and e.id between corridor_response_event(b.response) and corridor_response_event(b.response)
          order by e.id limit 1
        )) as response
        from idempotency_record b
        where b.merchant_id = k.m and b.key = k.key and (b.expires_at is null or b.expires_at > k.at) limit 1
      ) x
    loop
      ok[f.c] := false;
      o_change := f.c; o_tag := 'Repeated'; o_1 := f.key; o_2 := f.fingerprint; o_3 := f.response;
      o_4 := f.expires_at; o_5 := f.applied_at;
      return next;
    end loop;
  end if;

  if checked and cardinality(l_c) > 0 then
    for f in
      select k.c, k.scope, k.key, x.owner
      from unnest(l_c, l_scope, l_key) with ordinality k(c, scope, key, n)
      cross join lateral (
        select b.owner from unique_key b where b.merchant_id = c_m[k.c] and b.scope = k.scope and b.key = k.key limit 1
      ) x order by k.n
    loop
      if ok[f.c] then
        ok[f.c] := false;
        o_change := f.c; o_tag := 'Taken'; o_1 := f.scope; o_2 := f.key; o_3 := f.owner;
        return next;
      end if;
    end loop;
  end if;

  if checked and cardinality(n_c) > 0 then
    for f in
      select k.c, k.scope, k.key, x.id
      from unnest(n_c, n_scope, n_key) with ordinality k(c, scope, key, n)
      cross join lateral (select b.id from lookup_key b where b.scope = k.scope and b.key = k.key limit 1) x order by k.n
    loop
      if ok[f.c] then
        ok[f.c] := false;
        o_change := f.c; o_tag := 'Taken'; o_1 := f.scope; o_2 := f.key; o_3 := f.id;
        return next;
      end if;
    end loop;
  end if;

  if checked and cardinality(e_c) > 0 then
    for f in
      select k.c, k.object || '/' || k.type as key, x.id
      from unnest(e_c, e_object, e_type) with ordinality k(c, object, type, n)
      cross join lateral (
        select b.id from event b where b.merchant_id = c_m[k.c] and b.object_id = k.object and b.type = k.type limit 1
      ) x order by k.n
    loop
      if ok[f.c] then
        ok[f.c] := false;
        o_change := f.c; o_tag := 'Taken'; o_1 := 'event'; o_2 := f.key; o_3 := f.id;
        return next;
      end if;
    end loop;
  end if;

  -- 3. Balance floors. The Changes are checked one by one only if all debits of the batch together would break a floor.
  -- (Changes already refused make the sum look worse than it is; the loop skips them.)
  if checked and cardinality(g_c) > 0 and exists (
    select from (select g.a, sum(least(g.delta, 0)) as low from unnest(g_a, g_delta) g(a, delta) group by g.a) s
    where coalesce(stored[s.a], 0) + s.low < 0
  ) then
    balances := stored;
    deltas := g_delta;
    first := 1;
    for i in 1..cardinality(g_c) loop
      if i = 1 or g_c[i] <> g_c[i - 1] then
        first := i;
      end if;
      continue when not ok[g_c[i]];
      balances[g_a[i]] := coalesce(balances[g_a[i]], 0) + deltas[i];
      if balances[g_a[i]] < 0 and deltas[i] < 0 then
        ok[g_c[i]] := false;
        for b in first..i loop
          balances[g_a[b]] := balances[g_a[b]] - deltas[b];
        end loop;
        o_change := g_c[i]; o_tag := 'InsufficientFunds'; o_1 := a_account[g_a[i]]; o_2 := a_currency[g_a[i]];
        return next;
      end if;
    end loop;
  end if;

  -- 4. Writes of the accepted Changes, one statement for each table. Unique indexes back up the checks above: a race
  -- with another node fails the batch with 23505 or 40001, and the caller repeats it.
  if not checked and false = any (ok) then
    raise exception 'a row or a lease has changed' using errcode = '40001';
  end if;
  if not (true = any (ok)) then
    return;
  end if;

  if checked then
    with w as (
      insert into idempotency_record as b (merchant_id, key, fingerprint, response, expires_at, at)
      select k.m, k.key, k.fingerprint, k.response, k.expires_at, k.at
      from unnest(c_m, c_key, c_fingerprint, c_response, c_expires, c_at) with ordinality
        k(m, key, fingerprint, response, expires_at, at, c)
      where ok[k.c] and k.key is not null
      order by k.m collate "C", k.key collate "C"
      on conflict (merchant_id, key) do update set
        fingerprint = excluded.fingerprint, response = excluded.response, expires_at = excluded.expires_at, at = excluded.at
      where b.expires_at <= excluded.at
      returning 1
    )
    select count(*) into written from w;
    if written <> (select count(*) from unnest(c_key) with ordinality k(key, c) where k.key is not null and ok[k.c]) then
      raise exception 'a key was used concurrently' using errcode = '40001';
    end if;
  elsif cardinality(array_remove(c_key, null)) > 0 then
    insert into idempotency_record (merchant_id, key, fingerprint, response, expires_at, at)
    select c_m[c], c_key[c], c_fingerprint[c], c_response[c], c_expires[c], c_at[c]
    from generate_series(1, cardinality(c_m)) c where c_key[c] is not null
    order by c_m[c] collate "C", c_key[c] collate "C";
  end if;

  if 1 = any (r_version) then
    insert into resource (merchant_id, kind, id, version, machine, state, status, customer_id, root_id, created_at,
      updated_at, hidden, event_count, index_keys, data)
    select r_m[i], r_kind[i], r_id[i], r_version[i], r_machine[i], r_state[i], r_status[i], r_customer[i], r_root[i],
      r_created[i], r_updated[i], r_hidden[i], r_events[i], r_index_keys[i]::text[], r_data[i]
    from generate_series(1, cardinality(r_c)) i where r_version[i] = 1 and ok[r_c[i]];
  end if;

  if 1 < any (r_version) then
    -- The values come out of a subquery: Citus crashes of a subscript in `set`.
    update resource x set version = k.version, machine = k.machine, state = k.state, status = k.status,
      customer_id = k.customer, root_id = k.root, updated_at = k.updated, hidden = k.hidden, event_count = k.events,
      index_keys = k.index_keys::text[], data = k.data
    from (
      select r_m[i] as m, r_kind[i] as kind, r_id[i] as id, r_version[i] as version, r_machine[i] as machine, r_state[i] as state,
        r_status[i] as status, r_customer[i] as customer, r_root[i] as root, r_updated[i] as updated, r_hidden[i] as hidden,
        r_events[i] as events, r_index_keys[i] as index_keys, r_data[i] as data
      from generate_series(1, cardinality(r_c)) i where r_version[i] > 1 and ok[r_c[i]]
    ) k
    where x.merchant_id = k.m and x.kind = k.kind and x.id = k.id;
  end if;

  -- A row counts under each of its index keys, under '' and under its status. A hidden row counts nowhere.
  if cardinality(r_c) > 0 then
    insert into transition (merchant_id, resource_id, kind, version, from_state, to_state, via, cause, event_count, at, created_at)
    select r_m[i], r_id[i], r_kind[i], r_version[i], r_from[i], r_state[i], r_via[i], c_cause[r_c[i]], r_events[i],
      c_at[r_c[i]], r_created[i]
    from generate_series(1, cardinality(r_c)) i where ok[r_c[i]];
  end if;

  if 1 = any (r_version) or cardinality(array_remove(gained || lost, null)) > 0 then
    with k as materialized (
      select i, lost[i]::text[] as lost,
        case when r_version[i] > 1 then gained[i]::text[]
          when not r_hidden[i] then r_index_keys[i]::text[] || array['', ':' || r_status[i]] end as gained
      from generate_series(1, cardinality(r_c)) i where ok[r_c[i]]
    ), changed as (
      insert into row_change (merchant_id, kind, created_at, gained, lost)
      select r_m[n.i], r_kind[n.i], r_created[n.i], n.gained, n.lost
      from (
        select i, nullif(array(select w from unnest(k.gained) w where corridor_is_counted(w)), '{}') as gained,
          case when k.lost is not null then
            nullif(array(select w from unnest(k.lost) w where corridor_is_counted(w)), '{}') end as lost
        from k where k.gained is not null or k.lost is not null
        -- Without it, each array would be made once for the condition and again for the row.
        offset 0
      ) n
      where n.gained is not null or n.lost is not null
    ), word as materialized (
      select i, w.index_key, starts_with(w.index_key, 'search_id=') as is_search
      from k cross join lateral unnest(k.gained) w(index_key) where corridor_is_id_key(w.index_key)
    ), searched as (
      insert into search_entry (merchant_id, kind, index_key, created_at, id)
      select r_m[i], r_kind[i], index_key, r_created[i], r_id[i] from word where is_search
    )
    insert into key_entry (created_at, key, term, merchant_id, id)
    select r_created[i], corridor_entry_key(r_m[i], r_kind[i], index_key), corridor_entry_term(r_kind[i], index_key), r_m[i],
      r_id[i]
    from word where not is_search;
  end if;

  -- Most rows lose no more than their status.
  if array_to_string(lost, '') like '%\_id=%' then
    with word as materialized (
      -- Materialized first: in a join, the index key would become a filter of a scan over all of the merchant's.
      select r_m[i] as m, r_kind[i] as kind, r_created[i] as created, r_id[i] as id, w.index_key,
        starts_with(w.index_key, 'search_id=') as is_search, corridor_entry_key(r_m[i], r_kind[i], w.index_key) as key
      from generate_series(1, cardinality(r_c)) i cross join lateral unnest(lost[i]::text[]) w(index_key)
      where ok[r_c[i]] and corridor_is_id_key(w.index_key)
    ), forgotten as (
      delete from search_entry x using word k
      where k.is_search and x.merchant_id = k.m and x.kind = k.kind and x.index_key = k.index_key
        and x.created_at = k.created and x.id = k.id
    )
    delete from key_entry x using word k
    where not k.is_search and x.key = k.key and x.created_at = k.created and x.id = k.id and x.merchant_id = k.m;
  end if;

  if cardinality(p_c) > 0 then
    insert into posting (merchant_id, resource_id, version, debit, credit, amount, currency, at)
    select c_m[p_c[i]], p_resource[i], p_version[i], p_debit[i], p_credit[i], p_amount[i], p_currency[i], c_at[p_c[i]]
    from generate_series(1, cardinality(p_c)) i where ok[p_c[i]];
  end if;

  if cardinality(l_c) > 0 then
    insert into unique_key (merchant_id, scope, key, owner)
    select c_m[l_c[i]], l_scope[i], l_key[i], l_owner[i] from generate_series(1, cardinality(l_c)) i where ok[l_c[i]];
  end if;

  if cardinality(n_c) > 0 then
    insert into lookup_key (scope, key, merchant_id, kind, id)
    select n_scope[i], n_key[i], c_m[n_c[i]], n_kind[i], n_id[i]
    from generate_series(1, cardinality(n_c)) i where ok[n_c[i]];
  end if;

  if cardinality(s_c) > 0 then
    delete from subscription x using unnest(s_c, s_endpoint) k(c, endpoint)
    where ok[k.c] and x.merchant_id = c_m[k.c] and x.endpoint_id = k.endpoint;
    insert into subscription (merchant_id, endpoint_id, categories)
    select c_m[k.c], k.endpoint, k.categories::text[]
    from unnest(s_c, s_endpoint, s_categories) k(c, endpoint, categories)
    where ok[k.c] and k.categories <> '{}';
  end if;

  if cardinality(d_c) > 0 then
    delete from job x using unnest(d_c, d_id) k(c, id) where ok[k.c] and x.merchant_id = c_m[k.c] and x.id = k.id;
  end if;

  -- The caller knows how each job is written (`j_how`): 0 upsert, 1 job of a new row, 2 job whose lease this Change
  -- holds.
  if not checked and 1 = any (j_how) then
    insert into job (merchant_id, id, queue, partition_key, status, due_at, attempt, created_at, body, log, lease, locked_until)
    select c_m[j_c[i]], j_id[i], j_queue[i], j_partition[i], j_status[i], j_due[i], j_attempt[i], j_created[i], j_body[i],
      j_log[i], j_lease[i], clock + j_locked[i]
    from generate_series(1, cardinality(j_c)) i where j_how[i] = 1;
  end if;

  if not checked and 2 = any (j_how) then
    update job x set queue = k.queue, partition_key = k.partition_key, status = k.status, due_at = k.due, attempt = k.attempt,
      created_at = k.created, body = k.body, log = k.log, lease = k.lease, locked_until = clock + k.locked
    from (
      select c_m[j_c[i]] as m, j_id[i] as id, j_queue[i] as queue, j_partition[i] as partition_key, j_status[i] as status,
        j_due[i] as due, j_attempt[i] as attempt, j_created[i] as created, j_body[i] as body, j_log[i] as log, j_lease[i] as lease,
        j_locked[i] as locked
      from generate_series(1, cardinality(j_c)) i where j_how[i] = 2
    ) k
    where x.merchant_id = k.m and x.id = k.id;
  end if;

  if checked and cardinality(j_c) > 0 or 0 = any (j_how) then
    insert into job as x (merchant_id, id, queue, partition_key, status, due_at, attempt, created_at, body, log, lease,
      locked_until)
    select c_m[j_c[i]], j_id[i], j_queue[i], j_partition[i], j_status[i], j_due[i], j_attempt[i], j_created[i], j_body[i],
      j_log[i], j_lease[i], clock + j_locked[i]
    from generate_series(1, cardinality(j_c)) i
    where ok[j_c[i]] and (checked or j_how[i] = 0) order by c_m[j_c[i]] collate "C", j_id[i] collate "C"
    on conflict (merchant_id, id) do update set
      queue = excluded.queue, partition_key = excluded.partition_key, status = excluded.status, due_at = excluded.due_at,
      attempt = excluded.attempt, created_at = excluded.created_at, body = excluded.body, log = excluded.log,
      lease = excluded.lease, locked_until = excluded.locked_until;
  end if;

  if cardinality(e_c) > 0 then
    insert into event (merchant_id, id, object_id, sequence, type, category, created_at, body)
    select c_m[e_c[i]], e_id[i], e_object[i], e_sequence[i], e_type[i], e_category[i], e_created[i], e_body[i]
    from generate_series(1, cardinality(e_c)) i where ok[e_c[i]];

    insert into job (merchant_id, id, queue, partition_key, status, due_at, attempt, created_at, body, log)
    select c_m[k.c],
      'dlv_' || left(substr(k.id, strpos(k.id, '_') + 1), 10)
        || left(encode(sha256(convert_to(k.id || '/' || s.endpoint_id, 'UTF8')), 'hex'), 16),
      'delivery', s.endpoint_id, 'pending', c_at[k.c], 0, c_at[k.c],
      '{"event_id":' || to_json(k.id) || ',"event_type":' || to_json(k.type) || '}', '[]'
    from unnest(e_c, e_id, e_type, e_category) k(c, id, type, category)
    join subscription s on s.merchant_id = c_m[k.c] and k.category = any (s.categories)
    where ok[k.c];
    if found then
      o_change := 0; o_tag := 'Deliveries';
      return next;
    end if;
  end if;

  if checked and cardinality(g_c) > 0 then
    update account x set balance = x.balance + s.delta, version = x.version + s.moves, entries = x.entries + s.entries
    from (
      select g.a, sum(g.delta) as delta, count(*) as moves, sum(g.entries) as entries
      from unnest(g_c, g_a, g_delta, g_entries) g(c, a, delta, entries) where ok[g.c] and stored[g.a] is not null group by g.a
    ) s
    where x.merchant_id = a_m[s.a] and x.account = a_account[s.a] and x.currency = a_currency[s.a];
  elsif cardinality(g_c) > 0 then
    -- An account that does not cover all debits of the batch together is skipped.
    with moved as (
      update account x set balance = x.balance + s.delta, version = x.version + s.moves, entries = x.entries + s.entries
      from (
        select g.a, sum(g.delta) as delta, sum(least(g.delta, 0)) as low, count(*) as moves, sum(g.entries) as entries
        from unnest(g_a, g_delta, g_entries) g(a, delta, entries) group by g.a order by g.a
      ) s
      where x.merchant_id = a_m[s.a] and x.account = a_account[s.a] and x.currency = a_currency[s.a]
        and x.balance + s.low >= 0
      returning s.a
    )
    select array_agg(m.a) into there from moved m;
    if cardinality(there) is distinct from cardinality(a_m) then
      stored := array(
        select case when n = any (there) then 0 end from generate_series(1, cardinality(a_m)) n order by n
      );
      if exists (select from unnest(g_a, g_delta) g(a, delta) where g.delta < 0 and stored[g.a] is null) then
        raise exception 'an account may not cover its debits' using errcode = '40001';
      end if;
    end if;
  end if;

  -- Nothing can have been debited from a new account, so that credits to it hold at any balance.
  if array_position(stored, null) is not null then
    insert into account as x (merchant_id, account, currency, balance, version, entries)
    select a_m[g.a], a_account[g.a], a_currency[g.a], sum(g.delta), count(*), sum(g.entries)
    from unnest(g_c, g_a, g_delta, g_entries) g(c, a, delta, entries) where ok[g.c] and stored[g.a] is null group by g.a order by g.a
    on conflict (merchant_id, account, currency) do update
    set balance = x.balance + excluded.balance, version = x.version + excluded.version,
      entries = x.entries + excluded.entries;
  end if;
end
$$;

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
