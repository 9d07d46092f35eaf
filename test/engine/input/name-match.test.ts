import { describe, expect, it } from "vitest"
import { compareNames } from "../../../src/engine/input/name-match.ts"
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
  ["Jürgen Müller", "JUERGEN MUELLER", "full"],
  ["Jürgen Müller", "Jurgen Muller", "full"],
  ["Jurgen Muller", "MUELLER JUERGEN", "full"],
  ["Åse Ødegård", "AASE OEDEGAARD", "full"],
  ["Åse Ødegård", "ASE ODEGARD", "full"],
  ["Ase Oedegard", "AASE ODEGAARD", "full"],
  ["Søren Kjær", "SOEREN KJAER", "full"],
  ["Soren Kjær", "SOEREN KJAER", "full"],
  ["Jörg Weiß", "JOERG WEISS", "full"],
  ["Pieter IJssel", "PIETER YSSEL", "full"],
  ["Pieter Ĳssel", "Pieter IJssel", "full"],
  ["Hön Anna", "HOEN ANNA", "full"],
  ["Jürgen Müller", "J. MUELLER", "full"],
  ["Ö. Müller", "OESTEN MUELLER", "full"],
  ["I. Obi", "Ijeoma Obi", "full"],
  ["Ada Eze", "AdaEze", "full"],
  ["Jürgen Müller", "Jürgen Miller", "partial"],
  ["Jürgen Müller", "Jürgen Möller", "partial"],
  ["Jürgen Müller", "Jorgen Mahler", "none"],
  ["Hans Mueller", "Hans Miller", "partial"],
  ["Anna E.", "Anna", "partial"],
  ["Joanna Eze", "Joanna Ze", "partial"],
  ["Kenzaburo Oe", "Kenzaburo Okada", "partial"],
  ["Ae Kim", "A. Lee", "none"],
  ["Bauer", "Beuer", "none"],
  ["Strauß", "Straus", "none"],
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

/** Each letter with the ways to spell it: its own, without a mark, and as banks transcribe it. */
const spellings: Readonly<Record<string, ReadonlyArray<string>>> = {
  ä: ["ä", "a\u0308", "a", "ae"],
  å: ["å", "a\u030a", "a", "aa"],
  æ: ["æ", "ae"],
  ö: ["ö", "o", "oe"],
  ø: ["ø", "o", "oe"],
  ü: ["ü", "u\u0308", "u", "ue"],
  ß: ["ß", "ss"],
  ÿ: ["ÿ", "y", "ij", "ĳ"]
}
/** A word of at least two letters, which is no particle, and begins with no `ÿ`: whether that is an I or a Y decides of initials. */
const transcribable = fc
  .tuple(
    fc.constantFrom("b", "k", "j", "ä", "å", "æ", "ö", "ø", "ü", "a", "o", "u", "e"),
    fc.array(fc.constantFrom("n", "r", "k", ...Object.keys(spellings), "a", "e", "i", "o", "u", "y"), {
      minLength: 2,
      maxLength: 6
    })
  )
  .map(([first, others]) => `${first}${others.join("")}g`)
const transcribableName = fc.array(transcribable, { minLength: 1, maxLength: 3 })
const spelled = (name: string, picks: ReadonlyArray<number>, isUpper: boolean): string => {
  const text = [...name]
    .map((letter, at) => {
      const ways = spellings[letter] ?? [letter]
      return ways[picks[at % picks.length]! % ways.length]!
    })
    .join("")
  return isUpper ? text.toUpperCase() : text
}
const picks = fc.array(fc.nat(11), { minLength: 1, maxLength: 20 })

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
    expect(compareNames(one, other)).toBe(match)
    expect(compareNames(other, one)).toBe(match)
  })

  it("is the same from both sides, and full of a name with itself, if it has a letter or a digit", () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(compareNames(one, other)).toBe(compareNames(other, one))
        expect(compareNames(one, one)).toBe(/[\p{L}\p{N}]/u.test(one.normalize("NFKD")) ? "full" : null)
      }),
      { numRuns: 500 }
    )
  })

  it("does not depend on how the letters of a word are transcribed", () => {
    fc.assert(
      fc.property(
        transcribableName,
        fc.oneof(
          name,
          transcribableName.map((words) => words.join(" "))
        ),
        picks,
        picks,
        fc.boolean(),
        (words, other, one, two, isUpper) => {
          const own = words.join(" ")
          const written = spelled(own, one, isUpper)
          expect(compareNames(written, spelled(own, two, !isUpper)), written).toBe("full")
          expect(compareNames(written, other), `${written} and ${other}`).toBe(compareNames(own, other))
          const half = `${words[0]} ${other}`
          expect(compareNames(written, half), `${written} and ${half}`).toBe(compareNames(own, half))
        }
      ),
      { numRuns: 1000 }
    )
  })

  it("tells words apart that no transcription makes equal", () => {
    const consonants = (text: string) =>
      text
        .replace(/[aeouäåæöøü]/g, "")
        .replace(/ÿ|ij/g, "y")
        .replaceAll("ß", "ss")
    fc.assert(
      fc.property(transcribable, transcribable, picks, (one, other, how) => {
        fc.pre(consonants(one) !== consonants(other))
        expect(compareNames(spelled(one, how, false), other)).toBe("none")
      })
    )
  })

  it("does not depend on the order of the words, nor on case", () => {
    const names = fc.array(fc.constantFrom("Ada", "Obi", "Núñez", "Okafor", "Bola"), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(names, name, (words, other) => {
        const turned = words.toReversed().join(" ").toUpperCase()
        expect(compareNames(words.join(" "), turned)).toBe("full")
        // Only the letters of a name that is written without spaces have an order.
        if (!/^\S*$/.test(other))
          expect(compareNames(turned, other) === "none").toBe(compareNames(words.join(" "), other) === "none")
      })
    )
  })
})
