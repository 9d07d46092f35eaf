/** Writes `docs/openapi.json`, the published contract. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { openApi } from "../src/http/openapi.ts"

export const documentPath = fileURLToPath(new URL("../docs/openapi.json", import.meta.url))

/** The document as `npm start` serves it. */
export const openApiDocument = (): ReturnType<typeof openApi> => {
  const base_url = "http://127.0.0.1:8080"
  return openApi({ base_url, docs_url: `${base_url}/docs`, environment: "test" })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(documentPath, JSON.stringify(openApiDocument()))
