/** The document that is published, and the types that openapi-typescript makes of it. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { documentPath, openApiDocument } from "../../../scripts/openapi.ts"

const fileOf = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

it("docs/openapi.json equals the served document", () => {
  expect(JSON.parse(readFileSync(documentPath, "utf8")), "run npm run openapi").toEqual(openApiDocument())
})

it("the served document takes numbers as numbers, and no word for infinity", () => {
  expect(JSON.stringify(openApiDocument()).includes('"Infinity"')).toBe(false)
})

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
