/**
 * Cells on Citus, which places each schema whole on one of its nodes, moves it to another and balances them.
 *
 * The coordinator runs the functions, and each of their statements on the node that has the cell. So transaction ids, which
 * order events and counters, are those of the coordinator wherever a cell is, and stay in order when it moves.
 */
import type { Query } from "../sql/connections.ts"
import { isHere, originalRow } from "../sql/identity.ts"
import { codeOf } from "../sql/driver.ts"

export const isCitusText = "select 1 as one from pg_extension where extname = 'citus'"

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
    name: "corridor_horizon",
    from: "(corridor_server_horizon()::text::bigint + corridor_xid_offset())",
    to: "(least(corridor_server_horizon()::text::bigint, corridor_prepared()) + corridor_xid_offset())"
  },
  {
    name: "corridor_follow_xids",
    from: "(greatest(corridor_mark()::text::bigint, 1) - 1)::text::xid8",
    to: "(greatest((select value::bigint from setting where key = 'list_counter.mark'), 1) - 1)::text::xid8"
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
 * The oldest transaction of the coordinator that has ended there, but not yet on the node of the cell; null if there is none.
 * Citus commits with two phases: the node follows the coordinator, and after a failure only when Citus recovers. Until then its
 * rows are not visible, and the horizon of events must not pass it. The node is asked in a statement of its own, after the
 * caller has its snapshot: what is not prepared there any more is visible to the caller's next statement.
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

const adapting = (schema: string): string =>
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
 * Gives a migrated schema to Citus, with the tables that later migrations have added. Does nothing where that is done.
 *
 * The immutable functions are on every node, because indexes and queries of a cell use them. Citus plans a statement anew for
 * the node that it asks, which a generic plan prevents.
 */
export const distributing = (schema: string): string => `
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
  end if;${definePreparedHorizon(schema)}${adapting(schema)}
  for f in
    select p.oid from pg_proc p
    where p.pronamespace = '${schema}'::regnamespace and 'plan_cache_mode=force_generic_plan' = any (p.proconfig)
  loop
    execute format('alter function %s set plan_cache_mode = force_custom_plan', f);
  end loop;
end
$corridor_citus$;
select create_distributed_function(p.oid) from pg_proc p
where p.pronamespace = '${schema}'::regnamespace and p.provolatile = 'i'
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

/** A query without calls of functions that read tables, and without the conditions that read one beside a function. */
export const inlineFunctions = (text: string): string =>
  bodies.reduce(
    (found, [call, body]) => found.replaceAll(call, body),
    text.replace(originalRow, "").replace(isHere, "")
  )

const HORIZON = "(select corridor_horizon())"

/** Citus reports a duplicate key without its code when it has copied the rows to the node. */
const restoreErrorCode = (error: unknown): unknown =>
  codeOf(error) === "XX000" && error instanceof Error && error.message.startsWith("duplicate key value")
    ? Object.assign(error, { code: "23505" })
    : error

/**
 * Statements of a cell on Citus. The horizon of events is one of the coordinator's transactions and is read there first: what
 * is committed later has a later id.
 */
export const onCitus = (ask: Query, named: (text: string) => string): Query => {
  return async (text, params) => {
    try {
      if (!text.includes(HORIZON)) return await ask(named(inlineFunctions(text)), params)
      const [row] = await ask(named("select corridor_horizon()::text as horizon"), [])
      const bound = text.replaceAll(HORIZON, `$${params.length + 1}::text::xid8`)
      return await ask(named(inlineFunctions(bound)), [...params, String(row!["horizon"])])
    } catch (error) {
      throw restoreErrorCode(error)
    }
  }
}
