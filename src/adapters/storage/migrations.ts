/** The schema's numbered files, and the one script that brings any database up to them. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

/** In order. A released file is never edited: what changes later is a new file at the end. */
const names = ["0001_init.sql", "0002_commit.sql", "0003_retention.sql", "0004_tally.sql"] as const

const TAG = "$corridor_migration$"

const step = (name: string): string => {
  const file = readFileSync(new URL(`./migrations/${name}`, import.meta.url), "utf8")
  const hash = createHash("sha256").update(file).digest("hex")
  return `
  select m.hash into applied from migration m where m.name = '${name}';
  if not found then
    execute ${TAG}${file}${TAG};
    insert into migration (name, hash) values ('${name}', '${hash}');
  elsif applied is distinct from '${hash}' then
    raise exception 'this database was made by another ${name} than this release has: it is of an unreleased version';
  end if;`
}

/**
 * One multi-statement script, which the server runs as one transaction. Of nodes that start at once, one works and the
 * others wait at the lock and find it done. A database whose schema came from other files than these is refused: it would
 * answer, and fail at the first write.
 */
export const migrationScript = (): string => `
select pg_advisory_xact_lock(4736214, 1);
do $corridor_migrate$
declare
  applied text;
begin
  create table if not exists migration (name text primary key, applied_at timestamptz not null default now());
  alter table migration add column if not exists hash text;${names.map(step).join("")}
end
$corridor_migrate$;
`
