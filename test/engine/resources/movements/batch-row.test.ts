/** Rows of a CSV file, whatever its columns are called (BATCH-2). */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { parseCsvRows } from "../../../../src/engine/resources/movements/batch-row.ts"
import { covers } from "../../../support/repository/covers.ts"

const rowsOf = (csv: string) => Effect.runPromise(parseCsvRows(csv))
const refusalOf = async (csv: string) => (await Effect.runPromise(Effect.flip(parseCsvRows(csv)))).message

describe("a file of rows", () => {
  covers("BATCH-2")
  it("has keys of metadata alone under metadata.__proto__", async () => {
    const rows = await rowsOf("operation,metadata.__proto__\ntransfer,yes")
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
    expect(JSON.stringify(rows)).toContain('"yes"')
  })

  covers("BATCH-2")
  it.each(["beneficiary.__proto__.polluted", "beneficiary.constructor.prototype.polluted", "beneficiary.nmae"])(
    "takes no column %s, and changes nothing of other objects",
    async (column) => {
      expect(await refusalOf(`operation,${column}\ntransfer,yes`)).toContain(
        `The column ${JSON.stringify(column)} is not a field of a row.`
      )
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
    }
  )

  covers("BATCH-2")
  it.each([
    ["beneficiary", "beneficiary.name"],
    ["metadata.team", "metadata"],
    ["beneficiary.details", "beneficiary.details.address"]
  ])("that has %s and %s is refused: one is part of the other", async (one, other) => {
    expect(await refusalOf(`operation,${one},${other}\ntransfer,a,b`)).toContain("is part of the column")
  })

  covers("BATCH-2")
  it("keeps the dots of a key of metadata", async () => {
    expect(await rowsOf("metadata.a.b,metadata.a\n1,2")).toEqual([{ metadata: { "a.b": "1", a: "2" } }])
  })
})
