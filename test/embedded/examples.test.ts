/** The examples run as they are, in a process of their own, and end with books that balance. */
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const examples = readdirSync("examples").filter((name) => name.startsWith("embedded-"))

it.for(examples)("%s ends with a balanced trial balance", async (name) => {
  const { stdout } = await promisify(execFile)(process.execPath, [`examples/${name}`])
  const rows = stdout.split("\n").filter((line) => /^│ \d/.test(line))
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.map((row) => row.split("│").at(-2)?.trim())).toEqual(rows.map(() => "'0.00'"))
})

it("examples exist", () => {
  expect(examples).toEqual(["embedded-effect.ts", "embedded-node.ts", "embedded-provider.ts"])
})

it("the guide to providers shows examples/provider.ts as it is, with the package's names", () => {
  const file = readFileSync("examples/provider.ts", "utf8")
  const shown = file.replaceAll(/"\.\.\/src\/([\w/-]+)\.ts"/g, '"corridor/$1"')
  expect(readFileSync("docs/providers.md", "utf8")).toContain(`\`\`\`ts\n${shown}\`\`\`\n`)
  expect(file.trimEnd().split("\n").length).toBeLessThanOrEqual(60)
})
