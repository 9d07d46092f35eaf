/** Ties a test to the rules it holds: `docs/rules.json` lists them, `npm run coverage` writes the page. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export interface Subject {
  /** What the ids of its rules begin with: `IDEM` of `IDEM-7`. */
  readonly subject: string
  readonly title: string
  readonly intro: string
  /** The text of each rule, by its id. */
  readonly rules: Readonly<Record<string, string>>
}

const path = fileURLToPath(new URL("../../../docs/rules.json", import.meta.url))
export const subjects = JSON.parse(readFileSync(path, "utf8")) as ReadonlyArray<Subject>

/** The ids of all rules. */
export const rules: ReadonlySet<string> = new Set(subjects.flatMap(({ rules }) => Object.keys(rules)))

/**
 * Stands before a test, or a group of tests, and names the rules they hold. The page is written from the source, so the
 * ids are literals. Errors: throws on an id that is no rule's.
 */
export const covers = (...ids: readonly [string, ...ReadonlyArray<string>]): void => {
  const unknown = ids.filter((id) => !rules.has(id))
  if (unknown.length > 0) throw new RangeError(`no such rule: ${unknown.join(", ")}`)
}
