/**
 * Cells on Citus, which places each schema whole on one of its servers, moves it to another and balances them.
 *
 * Every server has the functions and can run them: Citus sends each of their statements to the server of the cell. Transaction ids
 * order events and counters, so that one server at a time runs what writes them: the cell records which (`order`), and what is added
 * to its ids. Another takes the order over behind a lock (`corridor_take_order`), with ids that follow all that are stored. So the
 * order holds wherever a cell is, and `citus-servers.ts` has it follow the cell, whose server then needs no other for a commit.
 */
import type { Query } from "../sql/connections.ts"
import { isHere, originalRow } from "../sql/identity.ts"
import { readErrorCode } from "../sql/driver.ts"
import { BEAT, PENDING } from "../sql/reads.ts"

export const isCitusText = "select 1 as one from pg_extension where extname = 'citus'"

/** Asked where Citus is: has a row on a worker. */
export const isWorkerText = "select 1 as one from pg_dist_local_group where groupid <> 0"

interface Adaptation {
  readonly name: string
  /** The text that is replaced: `from` itself, or from there until `until`. */
  readonly from: string
  readonly until?: string
  readonly to: string
}

/**
 * What Citus does not plan in a function, and what it plans instead.
 *
 * - A query on a node cannot call a function that reads tables.
 * - A subscript in the values of an update ends the server: they come out of a subquery everywhere.
 * - An update is not planned beside the position of a row that another query has found.
 * - A cast from text to an array is stable, and an update may not call a stable function with columns.
 * - An insert from a table of the same cell is sent to its node whole, with a condition that is no SQL; with a volatile function
 *   it is not.
 * - The results of a query in `with` are sent to every node, so that all cells would wait for a node that is away. What rows
 *   gain and lose is collected in arrays instead, and each table has a statement of its own.
 */
const adaptations: ReadonlyArray<Adaptation> = [
  {
    // Citus reports a duplicate key without its code.
    name: "corridor_trial",
    from: "when unique_violation or sqlstate 'CWOK0' then null;",
    to: "when unique_violation or sqlstate 'CWOK0' then null; when internal_error then if not starts_with(sqlerrm, 'duplicate key value') then raise; end if;"
  },
  { name: "corridor_roll", from: "t.ctid as place", to: "t.there as place" },
  {
    name: "corridor_roll",
    from: "select t.ctid from list_counter t",
    to: "select true as there from list_counter t"
  },
  {
    name: "corridor_roll",
    from: "where t.ctid = l.place",
    to: "where l.place is not null and t.merchant_id = l.merchant_id and t.kind = l.kind and t.index_key = l.index_key and t.bucket = l.bucket"
  },
  {
    name: "corridor_commit",
    from: "index_keys = k.index_keys::text[]",
    to: "index_keys = corridor_array(k.index_keys)"
  },
  {
    name: "corridor_commit",
    from: "'delivery', s.endpoint_id, 'pending', c_at",
    to: "'delivery', s.endpoint_id, case when clock_timestamp() is not null then 'pending' end, c_at"
  },
  {
    name: "corridor_commit",
    from: "  -- A row counts under each of its index keys",
    until: "  if cardinality(p_c) > 0 then",
    to: `  -- What rows gain and lose, in arrays.
  if cardinality(r_c) > 0 then
    declare
      g record;
    begin
      select array_agg(r_m[i]) as m, array_agg(r_id[i]) as id, array_agg(r_kind[i]) as kind, array_agg(r_version[i]) as version,
        array_agg(r_from[i]) as from_state, array_agg(r_state[i]) as state, array_agg(r_via[i]) as via,
        array_agg(c_cause[r_c[i]]) as cause, array_agg(r_events[i]) as events, array_agg(c_at[r_c[i]]) as at,
        array_agg(r_created[i]) as created, array_agg(lost[i]) as lost,
        array_agg(case when r_version[i] > 1 then gained[i]
          when not r_hidden[i] then (r_index_keys[i]::text[] || array['', ':' || r_status[i]])::text end) as gained
      into g
      from generate_series(1, cardinality(r_c)) i where ok[r_c[i]];
      insert into transition (merchant_id, resource_id, kind, version, from_state, to_state, via, cause, event_count, at, created_at)
      select k.m, k.id, k.kind, k.version, k.from_state, k.state, k.via, k.cause, k.events, k.at, k.created
      from unnest(g.m, g.id, g.kind, g.version, g.from_state, g.state, g.via, g.cause, g.events, g.at, g.created)
        k(m, id, kind, version, from_state, state, via, cause, events, at, created);
      insert into row_change (merchant_id, kind, created_at, gained, lost)
      select k.m, k.kind, k.created, corridor_array(k.gained), corridor_array(k.lost)
      from unnest(
        g.m, g.kind, g.created,
        array(
          select nullif(array(select w from unnest(x.words::text[]) w where corridor_is_counted(w)), '{}')::text
          from unnest(g.gained) with ordinality x(words, n) order by x.n
        ),
        array(
          select nullif(array(select w from unnest(x.words::text[]) w where corridor_is_counted(w)), '{}')::text
          from unnest(g.lost) with ordinality x(words, n) order by x.n
        )
      ) k(m, kind, created, gained, lost)
      where k.gained is not null or k.lost is not null;
      for f in
        select k.lost, k.is_search, array_agg(k.m) as m, array_agg(k.kind) as kind, array_agg(k.index_key) as index_key,
          array_agg(k.created) as created, array_agg(k.id) as id,
          array_agg(corridor_entry_key(k.m, k.kind, k.index_key)) as key, array_agg(corridor_entry_term(k.kind, k.index_key)) as term
        from (
          select x.m, x.kind, x.created, x.id, w.index_key, n.lost, starts_with(w.index_key, 'search_id=') as is_search
          from unnest(g.m, g.kind, g.created, g.id, g.gained, g.lost) x(m, kind, created, id, gained, lost)
          cross join (values (true), (false)) n(lost)
          cross join lateral unnest(case when n.lost then x.lost::text[] else x.gained::text[] end) w(index_key)
          where corridor_is_id_key(w.index_key)
        ) k group by 1, 2 order by 1 desc, 2
      loop
        if f.lost and f.is_search then
          delete from search_entry x using unnest(f.m, f.kind, f.index_key, f.created, f.id) k(m, kind, index_key, created, id)
          where x.merchant_id = k.m and x.kind = k.kind and x.index_key = k.index_key and x.created_at = k.created
            and x.id = k.id;
        elsif f.lost then
          delete from key_entry x using unnest(f.m, f.key, f.created, f.id) k(m, key, created, id)
          where x.key = k.key and x.created_at = k.created and x.id = k.id and x.merchant_id = k.m;
        elsif f.is_search then
          insert into search_entry (merchant_id, kind, index_key, created_at, id)
          select k.m, k.kind, k.index_key, k.created, k.id
          from unnest(f.m, f.kind, f.index_key, f.created, f.id) k(m, kind, index_key, created, id);
        else
          insert into key_entry (created_at, key, term, merchant_id, id)
          select k.created, k.key, k.term, k.m, k.id
          from unnest(f.created, f.key, f.term, f.m, f.id) k(created, key, term, m, id);
        end if;
      end loop;
    end;
  end if;

`
  }
]

/**
 * Defines the function that returns the oldest transaction of this server that has ended here, but not yet on the server of the cell; null if
 * there is none.
 *
 * Where these are two servers, Citus commits with two phases: the other one follows, and after a failure only when Citus recovers. Until then
 * its rows are not visible, and the horizon of events must not pass it. The server is asked in a statement of its own, after the caller has
 * its snapshot: a transaction that is no longer prepared then is visible to the caller's next statement.
 */
const definePreparedHorizon = (schema: string): string => `
create or replace function ${schema}.corridor_prepared() returns bigint
language plpgsql
as $prepared$
declare
  gids text[];
begin
  select array_agg(p.gid) into gids
  from pg_prepared_xact() p left join (select 1 as one from ${schema}.setting limit 1) s on true
  where starts_with(p.gid, 'citus_');
  if gids is null then
    return null;
  end if;
  -- A row's id has 32 bits. None of those that are visible is as high as the next one.
  return (
    select min(case when x.id >= x.next then x.id - 4294967296 else x.id end)
    from (
      select n.next, (n.next >> 32 << 32) + t.xmin::text::bigint as id from pg_dist_transaction t
      cross join (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next) n where t.gid = any (gids)
    ) x
  );
end
$prepared$;`

const setSearchPath = (schema: string): string => `set search_path = ${schema}, pg_temp`

/** Raised where another server orders the cell. The caller finds it, or has its own take the order. */
export const ELSEWHERE = "CRDOR"

/**
 * Defines the functions of the event order. `corridor_begin_order` reads the order at the start of a write, and
 * `corridor_end_order` compares it at the end: by then the write holds its locks on the tables, which `corridor_take_order` needs
 * for itself. A write that began under another order fails as a whole. `corridor_xid` is the default of `xid`.
 */
const defineOrder = (schema: string): string => {
  const path = setSearchPath(schema)
  const result = "o_change int, o_tag text, o_1 text, o_2 text, o_3 text, o_4 text, o_5 text"
  return `
create or replace function ${schema}.corridor_begin_order() returns table (${result})
language plpgsql ${path}
as $order$
declare
  found_order text := (select s.value from setting s where s.key = 'order');
begin
  if split_part(found_order, '/', 1) is distinct from (select l.groupid::text from pg_dist_local_group l) then
    raise exception 'another server orders the cell' using errcode = '${ELSEWHERE}';
  end if;
  perform set_config('corridor.order', found_order, true);
end
$order$;
create or replace function ${schema}.corridor_end_order() returns table (${result})
language plpgsql ${path}
as $order$
declare
  found_order text := (select s.value from setting s where s.key = 'order');
begin
  if found_order is distinct from current_setting('corridor.order') then
    raise exception 'another server has taken the order of the cell' using errcode = '${ELSEWHERE}';
  end if;
end
$order$;
create or replace function ${schema}.corridor_xid() returns xid8
language sql volatile
as $order$
  select (pg_current_xact_id()::text::bigint + split_part(current_setting('corridor.order'), '/', 2)::bigint)::text::xid8
$order$;
create or replace function ${schema}.corridor_horizon() returns xid8
language plpgsql ${path}
as $order$
begin
  perform corridor_begin_order();
  return (
    least(corridor_server_horizon()::text::bigint, corridor_prepared())
      + split_part(current_setting('corridor.order'), '/', 2)::bigint
  )::text::xid8;
end
$order$;`
}

/**
 * Defines the function by which a server takes over the event order of a cell. A transaction that a failed server prepared on the
 * cell's server has released its locks: the function waits until Citus has recovered it.
 */
const defineTakeOrder = (schema: string): string => {
  const path = setSearchPath(schema)
  return `
create or replace function ${schema}.corridor_newest() returns bigint
language plpgsql ${path}
as $order$
begin
  return (
    select max(x.xid) from (
      (select t.xid::text::bigint as xid from row_change t order by t.xid desc limit 1)
      union all (select p.xid::text::bigint from posting p order by p.xid desc limit 1)
      union all (select e.xid::text::bigint from event e order by e.xid desc limit 1)
      union all (select s.value::bigint - 1 from setting s where s.key = 'list_counter.mark')
    ) x
  );
end
$order$;
create or replace function ${schema}.corridor_take_order() returns void
language plpgsql ${path}
as $order$
declare
  here text := (select l.groupid from pg_dist_local_group l);
  found_order text := (select s.value from setting s where s.key = 'order');
  gids text[];
  newest bigint;
  next_id bigint;
begin
  if split_part(found_order, '/', 1) = here then
    newest := corridor_newest();
    if newest is null
      or newest < pg_snapshot_xmax(pg_current_snapshot())::text::bigint + split_part(found_order, '/', 2)::bigint then
      return;
    end if;
  end if;
  lock table list_counter, row_change, posting, event in exclusive mode;
  select array_agg(p.gid) into gids
  from pg_prepared_xact() p left join (select 1 as one from setting limit 1) s on true where starts_with(p.gid, 'citus_');
  while gids is not null loop
    perform pg_sleep(0.02);
    select array_agg(p.gid) into gids
    from pg_prepared_xact() p left join (select 1 as one from setting limit 1) s on true where p.gid = any (gids);
  end loop;
  newest := corridor_newest();
  next_id := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  found_order := here || '/' || greatest(newest + 1 - next_id, 0);
  insert into setting as s (key, value) values ('order', found_order)
  on conflict (key) do update set value = excluded.value;
end
$order$;`
}

/** Defines functions that nodes call in place of statements of a store without Citus, and of those that write counters. */
const defineCalls = (schema: string): string => {
  const path = setSearchPath(schema)
  return `
create or replace function ${schema}.corridor_pending(q_queues text[]) returns table (queue text, due_at bigint, free_at bigint)
language plpgsql ${path}
as $order$
#variable_conflict use_column
begin
  return query ${inlineFunctions(PENDING).replaceAll("$1::text::text[]", "q_queues")};
end
$order$;
create or replace function ${schema}.corridor_follow_xids() returns void
language sql
as '';
${ordered
  .map(
    ({ name, parameters, returns }) => `
create or replace function ${schema}.${name}_in_order(${parameters.map((type, n) => `a_${n} ${type}`).join(", ")}) returns ${returns}
language plpgsql ${path}
as $order$
declare
  result ${returns};
begin
  perform corridor_begin_order();
  result := ${name}(${parameters.map((_, n) => `a_${n}`).join(", ")});
  perform corridor_end_order();
  return result;
end
$order$;`
  )
  .join("")}`
}

/** What writes counters, beside commits. */
const ordered: ReadonlyArray<{
  readonly name: string
  readonly parameters: ReadonlyArray<string>
  readonly returns: string
}> = [
  { name: "corridor_roll", parameters: ["int"], returns: "boolean" },
  { name: "corridor_forget", parameters: ["text", "bigint", "int"], returns: "int" },
  { name: "corridor_reindex", parameters: ["text[]", "text[]", "text[]", "int[]", "text[]"], returns: "int" }
]

/**
 * The statement that gives the event order of a new cell to this server, with the offset of its ids, and lets new rows take their ids from it.
 */
const writeFirstOrder = (schema: string): string => `
  if not exists (select from ${schema}.setting where key = 'order') then
    insert into ${schema}.setting (key, value)
    select 'order', l.groupid || '/' || ${schema}.corridor_xid_offset() from pg_dist_local_group l;
  end if;
  foreach relation in array array['${schema}.row_change', '${schema}.posting', '${schema}.event']::regclass[] loop
    if not exists (
      select from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      where d.adrelid = relation and a.attname = 'xid' and strpos(pg_get_expr(d.adbin, d.adrelid), 'corridor_xid()') > 0
    ) then
      execute format('alter table %s alter column xid set default ${schema}.corridor_xid()', relation);
    end if;
  end loop;`

const makeAdaptations = (schema: string): string =>
  adaptations
    .map(
      ({ from, name, to, until }) => `
  text := pg_get_functiondef('${schema}.${name}'::regproc);
  start := strpos(text, $from$${from}$from$);
  if start > 0 then
    size := ${until === undefined ? `length($from$${from}$from$)` : `strpos(substr(text, start), $until$${until}$until$) - 1`};
    execute overlay(text placing $to$${to}$to$ from start for size);
  elsif strpos(text, $to$${to}$to$) = 0 then
    raise exception 'the function ${name} of this release is not adapted to Citus';
  end if;`
    )
    .join("")

/**
 * Makes the script that gives a migrated schema to Citus, with the tables that later migrations added. It does nothing where that is done.
 *
 * The functions are on every server: any may run them, and indexes and queries of a cell use some. Citus plans a statement anew for the server
 * that it asks, which a generic plan prevents.
 */
export const makeDistributionScript = (schema: string): string => `
select pg_advisory_xact_lock(4736214, 1);
select citus_schema_distribute('${schema}') where not exists (
  select from pg_dist_schema where schemaid = '${schema}'::regnamespace
);
select create_distributed_table(c.oid, null, colocate_with => '${schema}.resource') from pg_class c
where c.relnamespace = '${schema}'::regnamespace and c.relkind = 'r'
  and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid);
do $corridor_citus$
declare
  text text;
  start int;
  size int;
  f regprocedure;
  relation regclass;
begin
  -- A cell moves by logical replication, which tells rows without a key from each other by all of their columns.
  for relation in
    select c.oid from pg_class c
    where c.relnamespace = '${schema}'::regnamespace and c.relkind = 'r' and c.relreplident = 'd'
      and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)
  loop
    execute format('alter table %s replica identity full', relation);
  end loop;
  if to_regproc('${schema}.corridor_array') is null then
    create function ${schema}.corridor_array(x text) returns text[]
    language sql immutable parallel safe as 'select x::text[]';
  end if;${definePreparedHorizon(schema)}${defineOrder(schema)}${defineTakeOrder(schema)}${defineCalls(schema)}${makeAdaptations(schema)}${writeFirstOrder(schema)}
  for f in
    select p.oid from pg_proc p
    where p.pronamespace = '${schema}'::regnamespace and 'plan_cache_mode=force_generic_plan' = any (p.proconfig)
  loop
    execute format('alter function %s set plan_cache_mode = force_custom_plan', f);
  end loop;
end
$corridor_citus$;
select create_distributed_function(p.oid) from pg_proc p
where p.pronamespace = '${schema}'::regnamespace
  and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid);`

const due = "case when left(j.queue, 8) = 'delivery' then j.partition_key else '' end"

/** A query on a node cannot call a function that reads tables: the body of `corridor_mark` and of `corridor_partitions`. */
const bodies: ReadonlyArray<readonly [call: string, body: string]> = [
  [
    "corridor_mark()",
    "(select coalesce((select value::xid8 from setting where key = 'list_counter.mark'), '0'::xid8))"
  ],
  [
    "corridor_partitions(q.queue) l",
    `(
  with recursive l(partition_key, due_at) as (
    (
      select ${due}, j.due_at from job j where j.queue = q.queue and j.status = 'pending' order by ${due}, j.due_at limit 1
    )
    union all
    select x.partition_key, x.due_at from l cross join lateral (
      select ${due} as partition_key, j.due_at from job j
      where j.queue = q.queue and j.status = 'pending' and ${due} > l.partition_key order by ${due}, j.due_at limit 1
    ) x
  )
  select l.partition_key, l.due_at from l
) l`
  ]
]

/** Rewrites a query for Citus: without calls of functions that read tables, and without the conditions that read one beside a function. */
export const inlineFunctions = (text: string): string =>
  bodies.reduce(
    (found, [call, body]) => found.replaceAll(call, body),
    text.replace(originalRow, "").replace(isHere, "")
  )

const HORIZON = "(select corridor_horizon())"

const orderedCall = new RegExp(String.raw`\b(${ordered.map(({ name }) => name).join("|")})\(`, "g")

/** Wraps a commit between the statements that read and compare the event order. The three parts run one after the other. */
const wrapInOrder = (text: string): string =>
  text.includes("corridor_commit(")
    ? `select * from corridor_begin_order() union all (${text}) union all select * from corridor_end_order()`
    : text.replace(orderedCall, "$1_in_order(")

/**
 * Adapts the statements of a cell to Citus. A read of events reads the horizon first: what is committed later has a later id. The
 * horizon is a transaction of the server that had the order of the cell then: if another server has it in the statement's
 * snapshot, no events are returned. `together`: asks all cells of a server at once, for the polls of an idle node.
 */
export const adaptQueryToCitus = (ask: Query, named: (text: string) => string, together?: Query): Query => {
  return async (text, params) => {
    try {
      if (together !== undefined && text === PENDING)
        return await together(named("select queue, due_at, free_at from corridor_pending($1::text::text[])"), params)
      if (together !== undefined && text === BEAT) return await together(named(text), params)
      if (!text.includes(HORIZON)) return await ask(named(wrapInOrder(inlineFunctions(text))), params)
      const [row] = await ask(
        named("select corridor_horizon()::text as horizon, current_setting('corridor.order') as held"),
        []
      )
      const [horizon, held] = [params.length + 1, params.length + 2]
      const bound = text.replaceAll(
        HORIZON,
        `(select case when s.value = $${held}::text then $${horizon}::text else '0' end::xid8 from setting s where s.key = 'order')`
      )
      return await ask(named(inlineFunctions(bound)), [...params, String(row!["horizon"]), String(row!["held"])])
    } catch (error) {
      // Citus reports a duplicate key without its code when it has copied the rows to the node.
      throw readErrorCode(error) === "XX000" &&
        error instanceof Error &&
        error.message.startsWith("duplicate key value")
        ? Object.assign(error, { code: "23505" })
        : error
    }
  }
}
