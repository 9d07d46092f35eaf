/** All that a database has, so that two moments of it can be compared. */
import postgres from "postgres"

export interface Dumping {
  /** Each table and each sequence of the schemas of a store, as one text: the rows in order, and where the sequence stands. */
  readonly dump: () => Promise<Readonly<Record<string, string>>>
  readonly close: () => Promise<void>
}

/** Reads over one connection, whose start costs as much as what it reads. The tables are those that are there now. */
export const dumping = async (url: string): Promise<Dumping> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const relations = await sql<Array<{ schema: string; name: string; kind: string }>>`
    select n.nspname as schema, c.relname as name, c.relkind as kind from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' and c.relkind in ('r', 'S') order by 1, 2`
  const text = relations
    .map(({ kind, name, schema }) => {
      const relation = `"${schema}"."${name}"`
      const rows =
        kind === "S"
          ? `select last_value || '/' || is_called from ${relation}`
          : `select coalesce(string_agg(t::text, E'\\n' order by t::text), '') from ${relation} t`
      return `select '${schema}.${name}' as name, (${rows})::text as rows`
    })
    .join(" union all ")
  return {
    dump: async () => {
      const found = await sql.unsafe<Array<{ name: string; rows: string }>>(text, [], { prepare: true })
      return Object.fromEntries(found.map(({ name, rows }) => [name, rows]))
    },
    close: () => sql.end()
  }
}
