import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { fillTables, pages } from "../../scripts/company-docs.ts"
import { ledgerDocument, path as ledgerPath } from "../../scripts/ledger-doc.ts"
import { machinesDocument, path as machinesPath } from "../../scripts/machines-doc.ts"
import { statusesPath, statusesSource, vocabularyPath, vocabularySource } from "../../scripts/vocabulary.ts"

it("docs/machines.md shows the machines as they are", () => {
  expect(readFileSync(machinesPath, "utf8"), "run npm run docs").toBe(machinesDocument())
})

it("docs/ledger.md shows what the machines book", () => {
  expect(readFileSync(ledgerPath, "utf8"), "run npm run docs").toBe(ledgerDocument())
})

it("the pages of docs/providers show the tables that the connectors decide by", () => {
  for (const one of pages) {
    const page = readFileSync(one.path, "utf8")
    expect(page, `run npm run docs: ${one.path}`).toBe(fillTables(one, page))
  }
})

it("the words of /v1 and the receiver's terminal statuses are those of the registered resources", () => {
  expect(readFileSync(vocabularyPath, "utf8"), "run npm run docs").toBe(vocabularySource())
  expect(readFileSync(statusesPath, "utf8"), "run npm run docs").toBe(statusesSource())
})
