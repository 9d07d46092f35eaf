/** Search terms: how texts are normalised, and what a text that a person types can mean (SEARCH-2 to SEARCH-4). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { normalise, normalizeDecimal, listSearchKeys, splitName } from "../../../src/engine/commit/index-keys.ts"
import { listMeanings } from "../../../src/engine/reports/search.ts"
import { covers } from "../../support/repository/covers.ts"

const finds = (q: string, searched: Parameters<typeof listSearchKeys>[0]): ReadonlyArray<string> => {
  const { keys, prefixes } = listMeanings(q)
  return listSearchKeys(searched).filter((key) => keys.includes(key) || prefixes.some((begin) => key.startsWith(begin)))
}
const isFound = (q: string, searched: Parameters<typeof listSearchKeys>[0]): boolean => finds(q, searched).length > 0

describe("texts", () => {
  covers("SEARCH-3")
  it.each([
    ["INV-1", "inv-1"],
    ["  Ada   Obi ", "ada obi"],
    ["Ọbi Ñoño", "obi nono"],
    ["ＡＤＡ①", "ada1"],
    ["İSTANBUL", "istanbul"],
    ["ﬁnance", "finance"],
    ["שָׁלוֹם", "שָׁלוֹם".normalize("NFKC")],
    ["😀", "😀"]
  ])("%j is %j", (given, text) => expect(normalise(given)).toBe(text))

  it("are the same after they were normalised", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        expect(normalise(normalise(text))).toBe(normalise(text))
      })
    )
  })

  it("of ASCII are normalised as all others are", () => {
    const words = fc.string({ unit: "binary-ascii", maxLength: 240 })
    fc.assert(
      fc.property(words, (text) => {
        expect(normalise(text)).toBe(text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ").slice(0, 200))
      })
    )
  })

  it("stay within what a store keeps as a key", () => {
    const keys = listSearchKeys({ references: ["\ufdfa".repeat(255)], names: ["語".repeat(255)] })
    expect(keys).toHaveLength(2)
    for (const key of keys) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(1000)
  })

  it("of a reference match whatever they are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 2, maxLength: 255 }), (text) => {
        fc.pre(normalise(text) !== "")
        expect(isFound(text, { references: [text] })).toBe(true)
        expect(isFound(text.toUpperCase().toLowerCase(), { references: [text] })).toBe(
          normalise(text.toUpperCase().toLowerCase()) === normalise(text)
        )
      })
    )
  })
})

describe("names", () => {
  covers("SEARCH-3")
  const name = { names: ["Adaeze Chidi-Obi, Ltd."] }
  it.each([
    "ada",
    "Adaeze chi",
    "chidi",
    "obi",
    "CHIDI-OBI",
    "obi ltd",
    "ltd adaeze",
    "adaeze chidi obi ltd adaeze".slice(0, 20)
  ])("%j finds it", (q) => expect(isFound(q, name)).toBe(true))
  it.each(["ad", "ob", "daeze", "chidiobi", "adaeze obi", "ada chidi", "obi chidi", "adaeze  x"])("%j does not", (q) =>
    expect(isFound(q, name)).toBe(false)
  )
  it("are words of any script", () => {
    expect(splitName("محمد علي 李小龍 ગુજરાતી")).toHaveLength(4)
    expect(isFound("علي", { names: ["محمد علي"] })).toBe(true)
  })
})

describe("a name of any length", () => {
  covers("SEARCH-2", "SEARCH-3")
  const word = fc.stringMatching(/^[a-zà-ÿ]{1,12}$/)
  const name = fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => words.join(" "))

  it("is found by the whole of it, from each of its words on, and around its end", () => {
    fc.assert(
      fc.property(name, fc.nat(13), (text, at) => {
        const words = splitName(text)
        const around = [...words.slice(at % words.length), ...words.slice(0, at % words.length)]
        for (const q of [text, around.join(" "), around.slice(0, 3).join(" ")]) {
          // Signs are no letters of a name: ÷aa is found as aa would be, and that is too short.
          fc.pre(splitName(q).join(" ").length >= 3)
          expect([q, isFound(q, { names: [text] })]).toEqual([q, true])
        }
      })
    )
  })

  it.each(["The Lagos State Import and Export Trading Company", "Trading", "company the lagos", "Company"])(
    "of eight words is found by %j",
    (q) => expect(isFound(q, { names: ["The Lagos State Import and Export Trading Company"] })).toBe(true)
  )

  it("that is longer than a term is found by itself and by each word that the term has", () => {
    const long = Array.from({ length: 60 }, (_, n) => `word${n}`).join(" ")
    for (const q of [long, "word0", "word29", "word29 word0"])
      expect([q, isFound(q, { names: [long] })]).toEqual([q, true])
  })
})

describe("emails and references", () => {
  covers("SEARCH-3", "SEARCH-2")
  it("match from the beginning, and as a whole", () => {
    const one = { emails: ["Ada@Example.com"], references: ["INV 1"] }
    expect(["ada@", "ADA@example.com", "inv 1", "INV  1"].map((q) => isFound(q, one))).toEqual([true, true, true, true])
    expect(["ada", "@example.com", "inv", "da@example.com", "a@"].map((q) => isFound(q, one))).toEqual(
      [1, 2, 3, 4, 5].map(() => false)
    )
  })

  it("of an account are its last four characters, and its whole address", () => {
    const bank = { accounts: ["0123456789"] }
    expect(["6789", "0123456789", "3456", "789", "56789"].map((q) => isFound(q, bank))).toEqual([
      true,
      false,
      false,
      false,
      false
    ])
    const chain = { addresses: ["0x52908400098527886E0F7030069857D2E4169EE7"] }
    expect(["9ee7", "0X52908400098527886e0f7030069857d2e4169ee7", "5290"].map((q) => isFound(q, chain))).toEqual([
      true,
      true,
      false
    ])
  })
})

describe("amounts", () => {
  covers("SEARCH-4")
  const usdc = { amounts: [["1000000000", "USDC"]] as const }
  it.each(["1000", "1000.00", "01000", "1,000", "1,000.0", "1000 USDC", "1000usdc", "1,000.00 usdc"])(
    "%j finds 1,000 USDC",
    (q) => expect(isFound(q, usdc)).toBe(true)
  )
  it.each(["1000 NGN", "1000 XYZ", "100", "10,00", "1000.01", "1e3", "-1000", "1000 us", "1,0000", "1000,00", "1.000"])(
    "%j does not",
    (q) => expect(isFound(q, usdc)).toBe(false)
  )
  it("are found with every digit", () => {
    expect(isFound("0.000001", { amounts: [["1", "USDC"]] })).toBe(true)
    expect(isFound("500", { amounts: [["500", "XOF"]] })).toBe(true)
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 17n), (minor) => {
        const text = `${minor / 1_000_000n}.${(minor % 1_000_000n).toString().padStart(6, "0")}`
        expect(finds(text, { amounts: [[`${minor}`, "USDC"]] })).toHaveLength(1)
        expect(normalizeDecimal(text)).toBe(normalizeDecimal(normalizeDecimal(`00${text}00`)))
      })
    )
  })
})

it("any text is some meaning, or none", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (q) => {
      const { keys, prefixes } = listMeanings(q)
      for (const key of keys) expect(key).toMatch(/^(?:search|exact)_id=/)
      for (const prefix of prefixes) expect(prefix.startsWith("search_id=")).toBe(true)
    })
  )
})
