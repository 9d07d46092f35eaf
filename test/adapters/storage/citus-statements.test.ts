/** The statements that a cell on Citus sends, without one. */
import { expect, it } from "vitest"
import { inlined } from "../../../src/adapters/storage/cells/citus.ts"
import { checked, partsOf, optimistic } from "../../../src/adapters/storage/sql/encode.ts"
import { isHere } from "../../../src/adapters/storage/sql/identity.ts"
import { covers } from "../../support/repository/covers.ts"
import { change } from "./support.ts"

const batch = partsOf([change("mer_1", {})], "server")

covers("RESTORE-1")
it.each([
  ["optimistic", optimistic],
  ["checked", checked]
] as const)("a commit on Citus never says that its database is the original: %s", (_, statement) => {
  const [compared, plain] = [statement(batch, "compared")!.text, statement(batch, "server")!.text]
  expect(compared).toContain(isHere)
  expect(inlined(compared)).toBe(inlined(plain))
})
