/** The numbered schema files, and the script that applies them to any database. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

/** In order. A file that was released is never edited (SERVICE-30): later changes go into a new file at the end. */
export const migrationNames = [
  "0001_tables.sql",
  "0002_commit.sql",
  "0003_claims.sql",
  "0004_lists.sql",
  "0005_upkeep.sql",
  "0006_walks.sql"
] as const

export interface Migration {
  readonly name: string
  readonly text: string
}

/**
 * Those of this release. One that alters what roll-ups read begins with their lock, as `corridor_reindex` does: if it waited for a roll-up
 * later, the two would wait for each other.
 */
export const migrations: ReadonlyArray<Migration> = migrationNames.map((name) => ({
  name,
  text: readFileSync(new URL(`./migrations/${name}`, import.meta.url), "utf8")
}))

const hashMigration = ({ text }: Migration): string => createHash("sha256").update(text).digest("hex")

/** The hash of a migration, which a database records with its name. */
export const migrationHash = (name: string): string => hashMigration(migrations.find((one) => one.name === name)!)

/**
 * Whether a recorded migration is of a build that was never released: its name is between those of this release, and none of
 * them. A newer release has others after them.
 */
export const isUnreleased = (name: string): boolean =>
  name < migrationNames.at(-1)! && !migrationNames.some((known) => known === name)

/** Says why a store is refused. `found`: the name of its unreleased migration. */
export const describeRefusal = (found: string): string =>
  `a build that was never released made this store (it has ${found}): start with an empty one`

const TAG = "$corridor_migration$"

const makeMigrationStep = (migration: Migration): string => {
  const { name, text } = migration
  const hash = hashMigration(migration)
  return `
  select m.hash into applied from migration m where m.name = '${name}';
  if not found then
    execute ${TAG}${text}${TAG};
    insert into migration (name, hash) values ('${name}', '${hash}');
  elsif applied is distinct from '${hash}' then
    raise exception 'this database was migrated by a different ${name}: it belongs to an unreleased version';
  end if;`
}

/** The statements that create a schema and set the search path, so that unqualified names of the files resolve in it. */
const createSchema = (schema: string): string => `
create schema if not exists ${schema};
select set_config('search_path', '${schema}', true);`

/**
 * The statement that gives functions which read tables a search path of their own, so that they read the tables of their schema
 * for every caller. Other functions get none, because the server inlines no function that has a setting.
 */
const bindFunctions = (schema: string): string => `
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

/** Makes the last step of a migration. In a schema of its own it is a separate script: Citus must have the schema first. */
export const makeLastStep = (schema?: string): string =>
  schema === undefined
    ? "select corridor_follow_xids();"
    : `select pg_advisory_xact_lock(4736214, 1); select ${schema}.corridor_follow_xids();`

/**
 * Makes one multi-statement script, which the server runs as one transaction. When several nodes start at once, one migrates and the others
 * wait for its lock. A database with a schema from different files is rejected: it would seem to work, and fail at the first write.
 *
 * Without `schema`, the script migrates the one that the connection's search path names. `files`: those of another release.
 */
export const makeMigrationScript = (schema?: string, files: ReadonlyArray<Migration> = migrations): string => `
select pg_advisory_xact_lock(4736214, 1);${schema === undefined ? "" : createSchema(schema)}
do $corridor_migrate$
declare
  applied text;
begin
  create table if not exists migration (name text primary key, applied_at timestamptz not null default now(), hash text not null);
  select min(m.name) into applied from migration m
  where m.name < '${files.at(-1)!.name}' and m.name <> all ('{${files.map(({ name }) => name).join(",")}}');
  if applied is not null then
    raise exception '${describeRefusal("%")}', applied;
  end if;${files.map(makeMigrationStep).join("")}
end
$corridor_migrate$;
${schema === undefined ? makeLastStep() : bindFunctions(schema)}`

/** As the last statement after `makeMigrationScript`: the names that it applied. */
export const appliedByScript =
  "select name from migration where xmin = pg_current_xact_id_if_assigned()::xid order by name"
