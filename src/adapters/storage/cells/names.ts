/** Statements that name a schema, so that one connection serves several, also behind a pooler. */

/** The tables and views of a schema, except `migration`, which only migrations use. A migration that adds one adds it here. */
export const relations = [
  "account",
  "balance",
  "bucket",
  "event",
  "event_movement",
  "guarded_counter",
  "idempotency_record",
  "job",
  "key_entry",
  "list_counter",
  "lookup_key",
  "measure",
  "measure_movement",
  "node",
  "posting",
  "posting_movement",
  "resource",
  "row_change",
  "row_movement",
  "search_entry",
  "setting",
  "subscription",
  "transition",
  "unique_key"
] as const

const relation = new RegExp(String.raw`\b(from|join|into|update)(\s+)(?=(?:${relations.join("|")})\b(?!\.))`, "g")
const routine = /\b(?=corridor_\w+\()/g

/** Most statements whose named text is kept. Lists have one for each shape of a query. */
const keptMax = 2_000

/**
 * Makes the function that adds the schema's name to each relation and function of a statement. A statement is written for one
 * schema: a name of `relations` after `from`, `join`, `into` or `update` is never that of a query in `with`.
 */
export const makeSchemaQualifier = (schema: string): ((text: string) => string) => {
  const kept = new Map<string, string>()
  return (text) => {
    const found = kept.get(text)
    if (found !== undefined) return found
    const named = text.replace(relation, `$1$2${schema}.`).replace(routine, `${schema}.`)
    if (kept.size >= keptMax) kept.clear()
    kept.set(text, named)
    return named
  }
}
