/** The numbered schema files, and the script that applies them to any database. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

/** In order. A released file is never edited: later changes go into a new file at the end. */
export const migrationNames = [
  "0001_init.sql",
  "0002_commit.sql",
  "0003_retention.sql",
  "0004_list_counters.sql",
  "0005_search.sql",
  "0006_measures.sql"
] as const

const TAG = "$corridor_migration$"

const fileOf = (name: string): string => readFileSync(new URL(`./migrations/${name}`, import.meta.url), "utf8")

/** The hash of a file, which a database records with its name. */
export const migrationHash = (name: string): string => createHash("sha256").update(fileOf(name)).digest("hex")

const step = (name: string): string => {
  const [file, hash] = [fileOf(name), migrationHash(name)]
  return `
  select m.hash into applied from migration m where m.name = '${name}';
  if not found then
    execute ${TAG}${file}${TAG};
    insert into migration (name, hash) values ('${name}', '${hash}');
  elsif applied is distinct from '${hash}' then
    raise exception 'this database was migrated by a different ${name}: it belongs to an unreleased version';
  end if;`
}

/**
 * One multi-statement script, which the server runs as one transaction. When several nodes start at once, one migrates
 * and the others wait for its lock. A database with a schema from different files is rejected: it would seem to work,
 * and fail at the first write.
 */
export const migrationScript = (): string => `
select pg_advisory_xact_lock(4736214, 1);
do $corridor_migrate$
declare
  applied text;
begin
  create table if not exists migration (name text primary key, applied_at timestamptz not null default now());
  alter table migration add column if not exists hash text;${migrationNames.map(step).join("")}
end
$corridor_migrate$;
`

/** As the last statement after `migrationScript`: the names that it applied. */
export const appliedByScript =
  "select name from migration where xmin = pg_current_xact_id_if_assigned()::xid order by name"
