/**
 * Writes `docs/rules.md`: each rule of the service, and the tests that hold it.
 *
 * Rules are listed in `docs/rules.json`; tests name theirs with `covers("…")`. With `--check` it writes nothing and fails
 * where a rule has no test, where a test names a rule that does not exist, or where the page is stale.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { subjects } from "../test/support/repository/covers.ts"
import { sources } from "../test/support/repository/source.ts"

export const rulesPath = fileURLToPath(new URL("../docs/rules.md", import.meta.url))

interface Holding {
  readonly file: string
  readonly title: string
}

const call = /(?<![\w.])covers\(([^)]*)\)/g
/**
 * Matches the title of a test or group: `it("…"`, `scenario(` with a line break, or the second call of
 * `it.each(…)("…"`.
 */
const title =
  /(?:\b(?:it|describe|scenario|long|on(?:EveryStore|Servers|Memory))(?:\.\w+)*|\))\(\s*(["`])((?:(?!\1)[^\\]|\\.)*)\1/g

/** The tests by the rule that they name, and errors in the names. */
export const findCoverage = (files: ReadonlyArray<{ readonly path: string; readonly code: string }>) => {
  const holding = new Map<string, Array<Holding>>()
  const faults: Array<string> = []
  for (const { path, code } of files) {
    for (const { 0: text, 1: list = "", index } of code.matchAll(call)) {
      title.lastIndex = index + text.length
      const match = title.exec(code)
      const ids = [...list.matchAll(/"([^"]+)"/g)].map(([, id = ""]) => id)
      if (match === null) faults.push(`${path}: no test follows ${text}`)
      else for (const id of ids) holding.set(id, [...(holding.get(id) ?? []), { file: path, title: match[2] ?? "" }])
    }
  }
  return { holding, faults }
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s+/g, " ")

export const coverage = () => {
  const { faults, holding } = findCoverage(
    sources("test").filter(({ path }) => path !== "test/support/repository/covers.ts")
  )
  const rules = new Set<string>()
  let open = 0
  const tables = subjects.map(({ subject, title, intro, rules: texts }) => {
    const lines = Object.entries(texts).map(([id, text]) => {
      if (!new RegExp(`^${subject}-[1-9]\\d*$`).test(id) || rules.has(id)) faults.push(`${id} is no id of ${subject}`)
      rules.add(id)
      const tests = holding.get(id) ?? []
      if (tests.length === 0) open += 1
      if (tests.length === 0) faults.push(`${id} has no test: ${text}`)
      const held = tests.map((test) => `${test.file.replace(/^test\//, "")}: ${cell(test.title)}`)
      return `| <a id="${id}"></a>${id} | ${cell(text)} | ${held.length === 0 ? "*open*" : held.join("<br/>")} |`
    })
    return `## ${title}\n\n${intro}\n\n| Id | Rule | Tests |\n|---|---|---|\n${lines.join("\n")}\n`
  })
  for (const rule of holding.keys()) if (!rules.has(rule)) faults.push(`no such rule: ${rule}`)
  const contents = subjects.map(
    ({ subject, title }) =>
      `- [${title}](#${title
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-")}): ${subject}`
  )
  const text =
    "# Rules\n\n" +
    "The behaviour of the service, rule by rule, and the tests that fail when a rule is broken. A group of tests stands for\n" +
    "all of its tests. Comments and tests cite a rule by its id, such as `IDEM-7`. An id never changes and is never reused:\n" +
    "a new rule takes the next number of its subject, and the number of a rule that is dropped stays free.\n\n" +
    `${rules.size} rules: ${rules.size - open} with tests, ${open} without. \`npm run coverage\` writes this page from\n` +
    "[rules.json](rules.json) and the tests.\n\n" +
    `${contents.join("\n")}\n\n${tables.join("\n")}`
  return { text, faults }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { faults, text } = coverage()
  if (!process.argv.includes("--check")) writeFileSync(rulesPath, text)
  else if (readFileSync(rulesPath, "utf8") !== text) faults.push("docs/rules.md is stale: npm run coverage")
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
