/** The schema's numbered files, and the one script that brings any database up to them. */
import { readFileSync } from "node:fs"

/** In order. A released file is never edited: what changes later is a new file at the end. */
const names = ["0001_init.sql", "0002_commit.sql", "0003_retention.sql", "0004_tally.sql"] as const

const TAG = "$corridor_migration$"

const step = (name: string): string => {
  const file = readFileSync(new URL(`./migrations/${name}`, import.meta.url), "utf8")
  return `
  if not exists (select from migration where name = '${name}') then
    execute ${TAG}${file}${TAG};
    insert into migration (name) values ('${name}');
  end if;`
}

/**
 * One multi-statement script, which the server runs as one transaction. Of nodes that start at once, one works and the
 * others wait at the lock and find it done.
 */
export const migrationScript = (): string => `
select pg_advisory_xact_lock(4736214, 1);
do $corridor_migrate$
begin
  if to_regclass('migration') is null then
    create table migration (name text primary key, applied_at timestamptz not null default now());
  end if;${names.map(step).join("")}
end
$corridor_migrate$;
`
