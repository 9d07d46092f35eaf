/**
 * Generates a client for Python with OpenAPI Generator, which needs Java: `node examples/python-client/generate.ts FOLDER`.
 * The folder then has the package `corridor_client`, its documentation and its requirements.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { inVersion30 } from "./document.ts"

const root = join(import.meta.dirname, "..", "..")
const jar = createRequire(import.meta.url).resolve("@openapitools/openapi-generator-cli/bin/openapi-generator.jar")

export const generate = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  const document = join(folder, "openapi-3.0.json")
  writeFileSync(
    document,
    JSON.stringify(inVersion30(JSON.parse(readFileSync(join(root, "docs", "openapi.json"), "utf8"))))
  )
  const options = ["--generator-name", "python", "--package-name", "corridor_client"]
  execFileSync("java", ["-jar", jar, "generate", "--input-spec", document, "--output", folder, ...options], {
    stdio: ["ignore", "ignore", "pipe"]
  })
}

if (import.meta.main) generate(resolve(process.argv[2] ?? "corridor-client"))
