/** All that a database has, so that two moments of it can be compared. */
import { query } from "./database.ts"

/** Each table and each sequence of the schemas of a store, as one text: the rows in order, and where the sequence stands. */
export const dumpOf = async (url: string): Promise<Readonly<Record<string, string>>> => {
  const relations = await query<{ schema: string; name: string; kind: string }>(
    url,
    `select n.nspname as schema, c.relname as name, c.relkind as kind from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' and c.relkind in ('r', 'S') order by 1, 2`
  )
  const dumped = relations.map(({ kind, name, schema }) => {
    const relation = `"${schema}"."${name}"`
    const rows =
      kind === "S"
        ? `select last_value || '/' || is_called from ${relation}`
        : `select coalesce(string_agg(t::text, E'\\n' order by t::text), '') from ${relation} t`
    return `select '${schema}.${name}' as name, (${rows})::text as rows`
  })
  const found = await query<{ name: string; rows: string }>(url, dumped.join(" union all "))
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]))
}
