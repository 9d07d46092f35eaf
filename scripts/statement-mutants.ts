/** Mutants of SQL: what a statement compares, joins, counts, locks and orders by is another. */
import type { Mutant } from "./mutation-sample.ts"

/** What stands in a statement, and what stands there instead. */
const operators: ReadonlyArray<readonly [pattern: RegExp, replacement: (found: string) => string]> = [
  [
    / (?:<=|>=|<>|<|>|=) /g,
    (found) => ({ " <= ": " < ", " >= ": " > ", " <> ": " = ", " < ": " <= ", " > ": " >= ", " = ": " <> " })[found]!
  ],
  [/\band\b/g, () => "or"],
  [/\bor\b(?! replace)/g, () => "and"],
  [/\bis null\b/g, () => "is not null"],
  [/\bis not null\b/g, () => "is null"],
  [/\bnot exists\b/g, () => "exists"],
  [/\bleft join\b/g, () => "join"],
  [/ for (?:no key )?update(?: skip locked)?/g, () => ""],
  [/\bdesc\b/g, () => "asc"],
  [/\b(?:min|max)\(/g, (found) => (found === "min(" ? "max(" : "min(")],
  [/ [+-] /g, (found) => (found === " + " ? " - " : " + ")],
  [/(?<=[( ])[01](?=[), ;\n])/g, (found) => (found === "0" ? "1" : "0")],
  [/\bon conflict do nothing\b/g, () => ""]
]

export const statementMutants = (path: string, text: string): ReadonlyArray<Mutant> => {
  // The places of a text that are comments or quoted.
  const silent = [...text.matchAll(/--[^\n]*|'(?:[^']|'')*'/g)].map(
    (one) => [one.index, one.index + one[0].length] as const
  )
  const runs = ({ index }: RegExpExecArray): boolean => !silent.some(([start, end]) => start <= index && index < end)
  return operators.flatMap(([pattern, replacement]) =>
    [...text.matchAll(pattern)].filter(runs).map(({ 0: found, index }) => ({
      path,
      start: index,
      end: index + found.length,
      mutator: "Statement",
      replacement: replacement(found),
      within: null
    }))
  )
}
