/** Writes `docs/openapi.json`, the contract as it is served, and `docs/openapi.d.ts`, its types for `openapi-fetch`. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { openApi } from "../src/http/openapi.ts"

const fileOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

export const documentPath = fileOf("docs/openapi.json")
export const typesPath = fileOf("docs/openapi.d.ts")

/** The document of a server as `npm start` starts it. */
export const openApiDocument = (): string => {
  const base_url = "http://127.0.0.1:8080"
  return `${JSON.stringify(openApi({ base_url, docs_url: `${base_url}/docs`, environment: "test" }), null, 2)}\n`
}

/** The types of the document at `path`, written by openapi-typescript: it has a TypeScript of its own, and so a folder. */
export const openApiTypes = (path: string): string =>
  execFileSync(process.execPath, [fileOf("tools/openapi-types/node_modules/openapi-typescript/bin/cli.js"), path], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"]
  })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(documentPath, openApiDocument())
  writeFileSync(typesPath, openApiTypes(documentPath))
}
