/** The numbered schema files, and the script that applies them to any database. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

/** In order. A file that has landed is never edited (SERVICE-30): later changes go into a new file at the end. */
export const migrationNames = [
  "0001_init.sql",
  "0002_commit.sql",
  "0003_counters.sql",
  "0004_queue.sql",
  "0005_feed.sql",
  "0006_upkeep.sql",
  "0007_counters.sql",
  "0008_lean.sql",
  "0009_moved.sql",
  "0010_counted.sql",
  "0011_uncounted.sql",
  "0012_commit.sql",
  "0013_work.sql",
  "0014_bytes.sql"
] as const

const TAG = "$corridor_migration$"

const fileOf = (name: string): string => readFileSync(new URL(`./migrations/${name}`, import.meta.url), "utf8")

/** The hash of a file, which a database records with its name. */
export const migrationHash = (name: string): string => createHash("sha256").update(fileOf(name)).digest("hex")

/**
 * What is locked before a file is applied. A file that locked what roll-ups of running nodes read, and then waited for the lock that they
 * hold, would end in a deadlock. The files stay as they landed.
 */
const locks: Readonly<Record<string, string>> = {
  // A roll-up reads its tables, and holds the lock that 0011_uncounted.sql takes.
  "0008_lean.sql": "perform pg_advisory_xact_lock(4736214, corridor_counter_lock());"
}

const step = (name: string): string => {
  const [file, hash] = [fileOf(name), migrationHash(name)]
  return `
  select m.hash into applied from migration m where m.name = '${name}';
  if not found then
    ${locks[name] ?? ""}
    execute ${TAG}${file}${TAG};
    insert into migration (name, hash) values ('${name}', '${hash}');
  elsif applied is distinct from '${hash}' then
    raise exception 'this database was migrated by a different ${name}: it belongs to an unreleased version';
  end if;`
}

/** Creates a schema, and makes the names of the files those of this schema. */
const into = (schema: string): string => `
create schema if not exists ${schema};
select set_config('search_path', '${schema}', true);`

/**
 * Functions that read tables find those of their own schema, whatever the caller's search path is. The others are left
 * alone: a setting would keep the server from inlining them.
 */
const bound = (schema: string): string => `
do $corridor_bind$
declare
  f regprocedure;
begin
  for f in
    select p.oid from pg_proc p
    where p.pronamespace = '${schema}'::regnamespace and p.prosqlbody is null and p.provolatile <> 'i'
      and not exists (select from unnest(p.proconfig) c where starts_with(c, 'search_path='))
  loop
    execute format('alter function %s set search_path = ${schema}, pg_temp', f);
  end loop;
end
$corridor_bind$;`

/**
 * The last step of a migration. In a schema of its own it is a script of its own: Citus must have the schema first.
 */
export const followScript = (schema?: string): string =>
  schema === undefined
    ? "select corridor_follow_xids();"
    : `select pg_advisory_xact_lock(4736214, 1); select ${schema}.corridor_follow_xids();`

/**
 * One multi-statement script, which the server runs as one transaction. When several nodes start at once, one migrates
 * and the others wait for its lock. A database with a schema from different files is rejected: it would seem to work,
 * and fail at the first write.
 *
 * Without `schema`, the script migrates the one that the connection's search path names. `names`: the first files alone make a
 * store as an earlier release made it.
 */
export const migrationScript = (schema?: string, names: ReadonlyArray<string> = migrationNames): string => `
select pg_advisory_xact_lock(4736214, 1);${schema === undefined ? "" : into(schema)}
do $corridor_migrate$
declare
  applied text;
begin
  create table if not exists migration (name text primary key, applied_at timestamptz not null default now(), hash text);
  -- An alteration waits for every reader, such as a dump, also if it has nothing to add.
  if not exists (select from pg_attribute a where a.attrelid = 'migration'::regclass and a.attname = 'hash') then
    alter table migration add column hash text;
  end if;${names.map(step).join("")}
end
$corridor_migrate$;
${schema === undefined ? followScript() : bound(schema)}`

/** As the last statement after `migrationScript`: the names that it applied. */
export const appliedByScript =
  "select name from migration where xmin = pg_current_xact_id_if_assigned()::xid order by name"
