/** The document that is published. */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { documentPath, openApiDocument } from "../../../scripts/openapi.ts"

it("docs/openapi.json equals the served document", () => {
  expect(JSON.parse(readFileSync(documentPath, "utf8")), "run npm run openapi").toEqual(openApiDocument())
})

it("the served document takes numbers as numbers, and no word for infinity", () => {
  expect(JSON.stringify(openApiDocument()).includes('"Infinity"')).toBe(false)
})
