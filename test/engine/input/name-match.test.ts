import { describe, expect, it } from "vitest"
import { nameMatch } from "../../../src/engine/input/name-match.ts"
import fc from "fast-check"
import { covers } from "../../support/repository/covers.ts"

const examples: ReadonlyArray<readonly [one: string, other: string, match: "full" | "partial" | "none" | null]> = [
  ["Ada Obi", "Ada Obi", "full"],
  ["Ada Obi", "OBI, ADA", "full"],
  ["Mr. Ada Obi", "ADA OBI", "full"],
  ["Alhaji Musa Bello", "Chief Musa Bello", "full"],
  ["José Núñez", "JOSE NUNEZ", "full"],
  ["Ọlá Ṣóyínká", "Ola Soyinka", "full"],
  ["Ɓala Ɗanjuma Ƙasim Ƴusuf", "Bala Danjuma Kasim Yusuf", "full"],
  ["Łukasz Søren Strauß", "Lukasz Soren Strauss", "full"],
  ["Conor O’Brien", "CONOR OBRIEN", "full"],
  ["Ngozi Okonjo-Iweala", "OKONJO IWEALA NGOZI", "full"],
  ["Jan Vandermerwe", "JAN VAN DER MERWE", "partial"],
  ["Jan van der Merwe", "Merwe Jan", "full"],
  ["Sipho Mac Donald", "Sipho MacDonald", "full"],
  ["J.P. Trading (Pty) Ltd", "JP Trading", "full"],
  ["Obi & Sons Limited", "OBI AND SONS LTD", "full"],
  ["Corridor GmbH", "CORRIDOR PLC", "full"],
  ["A. Obi", "Ada Obi", "full"],
  ["Ada N. Obi", "Obi A Ngozi", "full"],
  ["王伟", "王伟", "full"],
  ["王 伟", "伟 王", "full"],
  ["Chief", "Chief", "full"],
  ["A B", "A B", "full"],
  ["Ada Obi", "Ada Ngozi Obi", "partial"],
  ["Ada Obi", "Ada", "partial"],
  ["Ada Obi", "Ada Okafor", "partial"],
  ["A. Obi", "Bola Obi", "partial"],
  ["Ada Ada Obi", "Ada Obi Obi", "partial"],
  ["A. A. Obi", "Ada Bola Obi", "partial"],
  ["Lagos Trading Ltd", "Accra Trading Ltd", "partial"],
  ["Ada Obi Jr", "Ada Obi", "partial"],
  ["Zainab Bello", "Nomsa Mokoena", "none"],
  ["Mr Zainab Bello", "Mr Nomsa Mokoena", "none"],
  ["Bello Ltd", "Mokoena Ltd", "none"],
  ["Jan van Wyk", "Piet van Zyl", "none"],
  ["A Bello", "A Obi", "none"],
  ["A O", "Ada Obi", "none"],
  ["Ada Obi", "Adaobi Nwosu", "none"],
  ["Muhammad", "Mohammed", "none"],
  ["---", "Ada Obi", null],
  ["Ada Obi", "́ ", null],
  ["---", "---", null]
]

const word = fc.constantFrom(
  "Ada",
  "ada",
  "Obi",
  "Núñez",
  "A",
  "B.",
  "O'Brien",
  "Mr",
  "Ltd",
  "van",
  "王",
  "7",
  "-",
  "Adaobi"
)
const name = fc.oneof(
  fc.array(word, { maxLength: 5 }).map((words) => words.join(" ")),
  fc.string({ unit: "grapheme" })
)

covers("BENEFICIARY-8")
describe("the match of two names", () => {
  it.each(examples)("of %j and %j is %j", (one, other, match) => {
    expect(nameMatch(one, other)).toBe(match)
    expect(nameMatch(other, one)).toBe(match)
  })

  it("is the same from both sides, and full of a name with itself, if it has a letter or a digit", () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(nameMatch(one, other)).toBe(nameMatch(other, one))
        expect(nameMatch(one, one)).toBe(/[\p{L}\p{N}]/u.test(one.normalize("NFKD")) ? "full" : null)
      }),
      { numRuns: 500 }
    )
  })

  it("does not depend on the order of the words, nor on case", () => {
    const names = fc.array(fc.constantFrom("Ada", "Obi", "Núñez", "Okafor", "Bola"), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(names, name, (words, other) => {
        const turned = words.toReversed().join(" ").toUpperCase()
        expect(nameMatch(words.join(" "), turned)).toBe("full")
        // Only the letters of a name that is written without spaces have an order.
        if (!/^\S*$/.test(other))
          expect(nameMatch(turned, other) === "none").toBe(nameMatch(words.join(" "), other) === "none")
      })
    )
  })
})
