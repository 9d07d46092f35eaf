/**
 * Writes `docs/coverage.md`: each rule of the documents, and the tests that hold it.
 *
 * Rules are listed in `docs/normative.json`; tests name theirs with `covers("…")`. With `--check` it writes nothing and
 * fails where a rule has no test, where a test names a rule there is not, or where the table is stale.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { normative } from "../test/support/covers.ts"
import { sources } from "../test/support/source.ts"

export const coveragePath = fileURLToPath(new URL("../docs/coverage.md", import.meta.url))

interface Holding {
  readonly file: string
  readonly title: string
}

const call = /(?<![\w.])covers\(([^)]*)\)/g
/** The title of a test or group: of `it("…"`, of `scenario(` with a line between, or of the second call of `it.each(…)("…"`. */
const title = /(?:\b(?:it|describe|scenario|long|onEveryStore)(?:\.\w+)*|\))\(\s*(["`])((?:(?!\1)[^\\]|\\.)*)\1/g

/** The tests by the rule they name, and what is wrong with how they name it. */
export const tagged = (files: ReadonlyArray<{ readonly path: string; readonly code: string }>) => {
  const holding = new Map<string, Array<Holding>>()
  const faults: Array<string> = []
  for (const { path, code } of files) {
    for (const { 0: text, 1: list = "", index } of code.matchAll(call)) {
      title.lastIndex = index + text.length
      const named = title.exec(code)
      const ids = [...list.matchAll(/"([^"]+)"/g)].map(([, id = ""]) => id)
      if (named === null) faults.push(`${path}: no test follows ${text}`)
      else for (const id of ids) holding.set(id, [...(holding.get(id) ?? []), { file: path, title: named[2] ?? "" }])
    }
  }
  return { holding, faults }
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s+/g, " ")

export const coverage = () => {
  const { faults, holding } = tagged(sources("test").filter(({ path }) => path !== "test/support/covers.ts"))
  const rules = new Set<string>()
  let open = 0
  const tables = normative.map(({ id, rows, title }) => {
    const lines = Object.entries(rows).map(([key, says]) => {
      const rule = `${id}/${key}`
      rules.add(rule)
      const tests = holding.get(rule) ?? []
      if (tests.length === 0) open += 1
      if (tests.length === 0) faults.push(`${rule} has no test: ${says}`)
      const held = tests.map((test) => `${test.file.replace(/^test\//, "")}: ${cell(test.title)}`)
      return `| ${key} | ${cell(says)} | ${held.length === 0 ? "*open*" : held.join("<br/>")} |`
    })
    return `## ${title}\n\n\`${id}\`\n\n| | Rule | Held by |\n|---|---|---|\n${lines.join("\n")}\n`
  })
  for (const rule of holding.keys()) if (!rules.has(rule)) faults.push(`no such rule: ${rule}`)
  const text =
    "# What holds each rule\n\n" +
    "Each rule of the interface and of the decisions, in our own words, and the tests that fail when it is broken. A group of\n" +
    "tests stands for all of its tests. Written by `npm run coverage`.\n\n" +
    `${rules.size} rules: ${rules.size - open} held by tests, ${open} open.\n\n${tables.join("\n")}`
  return { text, faults }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { faults, text } = coverage()
  if (!process.argv.includes("--check")) writeFileSync(coveragePath, text)
  else if (readFileSync(coveragePath, "utf8") !== text) faults.push("docs/coverage.md is stale: npm run coverage")
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
