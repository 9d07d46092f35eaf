/** The types that openapi-typescript makes of the document that is published. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { it } from "vitest"
import { documentPath } from "../../../scripts/openapi.ts"

const fileOf = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

it("docs/openapi.json generates the types of the client", () => {
  const folder = mkdtempSync(join(tmpdir(), "corridor-openapi-"))
  const run = (script: string, ...args: ReadonlyArray<string>): void =>
    void execFileSync(process.execPath, [fileOf(script), ...args], { encoding: "utf8" })
  try {
    const types = join(folder, "openapi.d.ts")
    const project = join(folder, "tsconfig.json")
    // openapi-typescript has a TypeScript of its own, and so a folder.
    run("tools/openapi-types/node_modules/openapi-typescript/bin/cli.js", documentPath, "--output", types)
    const compilerOptions = { paths: { "#openapi": [types] }, typeRoots: [fileOf("node_modules/@types")] }
    const files = [fileOf("test/http/document/openapi-client.test.ts")]
    writeFileSync(
      project,
      JSON.stringify({ extends: fileOf("tsconfig.json"), compilerOptions, files, include: [], exclude: [] })
    )
    run("node_modules/typescript/bin/tsc", "--project", project, "--checkers", "1")
  } finally {
    rmSync(folder, { recursive: true })
  }
})
