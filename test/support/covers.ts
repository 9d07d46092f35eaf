/** Ties a test to the rules it holds: `docs/normative.json` lists them, `npm run coverage` writes the table. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export interface Section {
  readonly id: string
  readonly title: string
  /** What each rule says, in short, by its key: a rule's id is the section's, a slash, and its key. */
  readonly rows: Readonly<Record<string, string>>
}

export const normativePath = fileURLToPath(new URL("../../docs/normative.json", import.meta.url))
export const normative = JSON.parse(readFileSync(normativePath, "utf8")) as ReadonlyArray<Section>

const known = new Set(normative.flatMap(({ id, rows }) => Object.keys(rows).map((key) => `${id}/${key}`)))

/**
 * Stands before a test, or a group of tests, and names the rules they hold. The table is read from the source, so the
 * ids are literals. Errors: throws on an id that is no rule's.
 */
export const covers = (...ids: readonly [string, ...ReadonlyArray<string>]): void => {
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length > 0) throw new RangeError(`no such rule: ${unknown.join(", ")}`)
}
