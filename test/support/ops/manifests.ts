/** The YAML files of `ops`, and the settings that they name. */
import { readFileSync } from "node:fs"
import { parseAllDocuments } from "yaml"

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly [member: string]: unknown
}

/** The documents of a file. Throws for what is no YAML: a repeated key, a tab, an unresolved tag. */
export const documentsOf = <A = Manifest>(path: string): ReadonlyArray<A> => documentsIn(readFileSync(path, "utf8"))

/** The documents of a text. */
export const documentsIn = <A = Manifest>(text: string): ReadonlyArray<A> => {
  const documents = parseAllDocuments(text, { strict: true, uniqueKeys: true })
  if (!Array.isArray(documents)) return []
  return documents.map((document) => {
    const [error] = [...document.errors, ...document.warnings]
    if (error !== undefined) throw error
    return document.toJS() as A
  })
}

/** The names that an env file sets. */
export const namesIn = (path: string): ReadonlyArray<string> =>
  [...readFileSync(path, "utf8").matchAll(/^(\w+)=/gm)].map(([, name = ""]) => name)
