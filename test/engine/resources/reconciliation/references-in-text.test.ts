/** A merchant's reference is found wherever it stands in a text (MATCH-3). */
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { normalise } from "../../../../src/engine/commit/index-keys.ts"
import {
  listPossibleReferences,
  findApart
} from "../../../../src/engine/resources/reconciliation/references-in-text.ts"
import { covers } from "../../../support/repository/covers.ts"

const piece = fc.constantFrom("a", "B7", "77", "é", " ", ", ", "+", "/", ".", ":", "#", "-", "(", "Invoice")
const text = fc.array(piece, { maxLength: 12 }).map((all) => all.join(""))
const reference = text.map((one) => one.trim().replace(/\s+/g, " ")).filter((one) => /[\p{L}\p{N}]/u.test(one))
const separator = fc.constantFrom("", " ", ",", "/", "\n", "+:", " - ")

describe("a reference in a text", () => {
  covers("MATCH-3")
  it("is one of its parts, wherever it stands between characters that are no letters or digits", () => {
    fc.assert(
      fc.property(text, separator, reference, separator, text, (before, left, one, right, after) => {
        const isWord = (character: string | undefined): boolean => /[\p{L}\p{N}]/u.test(character ?? "")
        const [start, end] = [before + left, right + after]
        fc.pre(!(isWord(start.at(-1)) && isWord(one[0])) && !(isWord(one.at(-1)) && isWord(end[0])))
        assert.include(listPossibleReferences(start + one + end), normalise(one))
      })
    )
  })

  covers("MATCH-3")
  it("is no name where a longer one has it, unless it stands beside that too", () => {
    const own = (text: string, ...references: ReadonlyArray<string>) => [...findApart([text], references)].sort()
    assert.deepEqual(own("SEPA Invoice 77 thanks", "77", "Invoice 77"), ["invoice 77"])
    assert.deepEqual(own("77, Invoice 77", "77", "Invoice 77"), ["77", "invoice 77"])
    assert.deepEqual(own("Invoice  77\nthanks", "77", "INVOICE 77"), ["invoice 77"])
    assert.deepEqual(own("Invoice 77 and 78", "78", "Invoice 77"), ["78", "invoice 77"])
    assert.deepEqual(own("nothing of it", "77"), ["77"])
    assert.deepEqual(own("/ROC/ 77", "", "77"), ["77"])
  })
})
