import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { ledgerDocument, path as ledgerPath } from "../../scripts/ledger-doc.ts"
import { machinesDocument, path as machinesPath } from "../../scripts/machines-doc.ts"

it("docs/machines.md shows the machines as they are", () => {
  expect(readFileSync(machinesPath, "utf8"), "run npm run docs").toBe(machinesDocument())
})

it("docs/ledger.md shows what the machines book", () => {
  expect(readFileSync(ledgerPath, "utf8"), "run npm run docs").toBe(ledgerDocument())
})
