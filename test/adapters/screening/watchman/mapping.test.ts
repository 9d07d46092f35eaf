/** What Watchman may say, as a law: any status with any body is lists, hits or unusable, and only its own answers clear anybody. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { readJson } from "../../../../src/adapters/provider/company/client.ts"
import {
  readHits,
  isSearchable,
  isUnusable,
  readLists,
  type ListSearch,
  listSearchForms,
  decideVerdict,
  verdicts
} from "../../../../src/adapters/screening/watchman/mapping.ts"
import { Chance } from "../../../../src/testing/program/random.ts"
import { covers } from "../../../support/repository/covers.ts"

const now = Date.UTC(2026, 10, 29, 12)
const hour = 3_600_000
const at = (hours: number): string => new Date(now - hours * hour).toISOString()
const ofLists = { lists: ["us_ofac", "un_csl"], max_age_hours: 48 }
const info = {
  lists: { us_ofac: 17_646, un_csl: 900 },
  listHashes: { us_ofac: "a1", un_csl: "b2" },
  startedAt: at(2),
  endedAt: at(1),
  version: "v0.63.0"
}
const asked: ListSearch = { by: "name", name: "Ada Obi", type: "person" }
const answer = { query: { name: "Ada Obi", entityType: "person", cryptoAddresses: null }, entities: null as unknown }
const thresholds = { possible_match: 0.85, strong_match: 0.95, on_strong_match: "refused" } as const

const replyOf = (json: unknown, status = 200) => ({ status, json: readJson(JSON.stringify(json)) })
const sentenceOf = (said: ReturnType<typeof readLists | typeof readHits>): string | undefined =>
  isUnusable(said) ? said.sentence : undefined

const without = (object: object, member: string): object =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== member))

/** Values in the place of a member, or the member left out. */
const strange = [null, 0, 1, -1, 1.5, "", "0", "x", true, [], {}, [null], ["a"], { a: 1 }, "constructor", 1e300]
const changed = (chance: Chance, object: Readonly<Record<string, unknown>>): object => {
  const name = chance.pick(Object.keys(object))
  return chance.happens(0.3) ? without(object, name) : { ...object, [name]: chance.pick(strange) }
}
const statuses = [200, 200, 200, 201, 202, 204, 301, 302, 307, 400, 401, 403, 404, 429, 500, 502, 503]

describe("what Watchman says", () => {
  covers("WATCHMAN-1", "WATCHMAN-3")
  it("clears by nothing but an answer of 200 that repeats the search and has no match", () => {
    const chance = new Chance("watchman searches")
    let cleared = 0
    for (let seed = 0; seed < 4000; seed++) {
      const best = chance.pick([0, 0.5, 0.84999, 0.85, 0.9, 0.94, 0.95, 1])
      const entities = chance.pick([null, [], [{ match: best, sourceList: "us_ofac", sourceID: "1" }]])
      const usual = { ...answer, entities }
      const body = chance.happens(0.6)
        ? usual
        : chance.pick<unknown>([changed(chance, usual), { ...usual, query: changed(chance, usual.query) }, ...strange])
      const status = chance.pick(statuses)
      const hits = readHits(replyOf(body, status), asked)
      const result = isUnusable(hits) ? "unknown" : decideVerdict(hits, thresholds, true).result
      const echoes = (body as typeof answer | null)?.query as Record<string, unknown> | undefined
      const listed = (body as typeof answer | null)?.entities
      const isItsOwn =
        status === 200 && echoes?.["name"] === "Ada Obi" && echoes["entityType"] === "person" && listed !== undefined
      const hasMatch =
        Array.isArray(listed) && listed.some((one) => !(Number((one as { match: unknown })?.match) < 0.85))
      if (!isItsOwn) assert.strictEqual(result, "unknown", JSON.stringify([status, body]))
      if (result === "cleared") {
        cleared++
        assert.isTrue(isItsOwn && !hasMatch, JSON.stringify([status, body]))
      }
    }
    assert.isAbove(cleared, 100)
  })

  covers("WATCHMAN-2")
  it("takes lists only if each has entries and their age is known and allowed, whatever the body is", () => {
    const chance = new Chance("watchman lists")
    let usable = 0
    for (let seed = 0; seed < 4000; seed++) {
      const usual = {
        ...info,
        endedAt: chance.pick([at(1), at(47), at(48), at(49), at(-2), "0001-01-01T00:00:00Z", "yes"])
      }
      const body = chance.happens(0.5)
        ? usual
        : chance.pick<unknown>([changed(chance, usual), { ...usual, lists: changed(chance, usual.lists) }, ...strange])
      const status = chance.pick(statuses)
      const lists = readLists(replyOf(body, status), ofLists, now)
      if (isUnusable(lists)) continue
      usable++
      const { endedAt, lists: counts } = body as typeof info
      assert.strictEqual(status, 200)
      assert.isTrue(counts.us_ofac > 0 && counts.un_csl > 0, JSON.stringify(body))
      assert.isTrue([at(1), at(47), at(48)].includes(endedAt) || Math.abs(Date.parse(endedAt) - now) <= 48 * hour)
      assert.strictEqual(lists.refreshed_at, Date.parse(endedAt))
    }
    assert.isAbove(usable, 100)
  })

  covers("WATCHMAN-2")
  it.each([
    ["old", { ...info, endedAt: at(49) }, 200, /are old: they were refreshed 49 hours ago, and 48 are allowed/],
    ["of the future", { ...info, endedAt: at(-1) }, 200, /in the future/],
    ["before the first refresh", { ...info, endedAt: "0001-01-01T00:00:00Z" }, 200, /are old/],
    ["without a time", { ...info, endedAt: "soon" }, 200, /does not say when/],
    [
      "with an empty one",
      { ...info, lists: { us_ofac: 17_646, un_csl: 0 } },
      200,
      /no entries of un_csl: an empty list/
    ],
    ["without one", { ...info, lists: { us_ofac: 17_646 } }, 200, /no entries of un_csl/],
    ["of an error", { error: "database is down" }, 500, /status 500: database is down/],
    ["under another status", info, 203, /status 203/]
  ])("says what is wrong with lists that are %s", (_, body, status, sentence) => {
    assert.match(sentenceOf(readLists(replyOf(body, status), ofLists, now)) ?? "", sentence)
  })

  covers("WATCHMAN-2")
  it("knows lists again by their contents and their refresh", () => {
    const versionOf = (body: object): string => {
      const lists = readLists(replyOf(body), ofLists, now)
      return isUnusable(lists) ? "unusable" : lists.version
    }
    const same = { ...info, lists: { un_csl: 900, us_ofac: 17_646 }, listHashes: { un_csl: "b2", us_ofac: "a1" } }
    assert.strictEqual(versionOf(same), versionOf(info))
    const others = [
      { ...info, listHashes: { us_ofac: "a2", un_csl: "b2" } },
      { ...info, lists: { us_ofac: 17_647, un_csl: 900 } },
      { ...info, endedAt: at(0.5) }
    ]
    for (const other of others) assert.notStrictEqual(versionOf(other), versionOf(info))
  })

  covers("WATCHMAN-1")
  it("takes an address from the answer to the search for it, however its letters are written", () => {
    const address: ListSearch = { by: "address", address: "0xAbC1" }
    const hitsIn = (of: string) =>
      readHits(replyOf({ query: { cryptoAddresses: [{ currency: "", address: of }] }, entities: null }), address)
    assert.deepStrictEqual(hitsIn("0xabc1"), [])
    assert.match(sentenceOf(hitsIn("0xabc2")) ?? "", /another search/)
  })

  covers("WATCHMAN-3")
  it.each([
    ["refused", 0.849, "cleared", "cleared"],
    ["refused", 0.85, "held", "refused"],
    ["refused", 0.949, "held", "refused"],
    ["refused", 0.95, "refused", "refused"],
    ["held", 0.849, "cleared", "cleared"],
    ["held", 0.85, "held", "refused"],
    ["held", 0.95, "held", "refused"],
    ["held", 1, "held", "refused"]
  ] as const)(
    "with %s for strong matches, says of a match of %d that a name is %s and an address %s",
    (on, match, name, address) => {
      const of = (by: "name" | "address") =>
        decideVerdict([{ by, match, source: "us_ofac/1" }], { ...thresholds, on_strong_match: on }, true).result
      assert.deepStrictEqual([of("name"), of("address")], [name, address])
    }
  )

  covers("WATCHMAN-4")
  it.each([
    ["Ada Obi", true],
    ["Zoë Łukaszewicz-Nuñez", true],
    ["3M", true],
    ["Иван Сидоров", false],
    ["محمد علي", false],
    ["王伟", false],
    ["Ivan Сидоров", false],
    ["A", false],
    ["--", false],
    ["", false],
    ["12345", false],
    ["O\u2019Neil & Söhne (Lagos), Ltd.", true],
    ["Zoe\u0308 Obi", true],
    ["Ɗanjuma Ŋɔ Ọláṣèní Straße", true],
    ["Ｖｌａｄｉｍｉｒ", false],
    ["ᴠʟᴀᴅɪᴍɪʀ", false],
    ["𝐕𝐥𝐚𝐝𝐢𝐦𝐢𝐫", false],
    ["Ⓥladimir", false],
    ["V\u200Bl\u200Badimir", false],
    ["Vladimir\u00AD", false],
    ["Vladi\u034Fmir", false],
    ["Vladi\u2800mir", false],
    ["Vladi\u{E0041}mir", false],
    ["Vladi\u0000mir", false],
    ["V\u20DDladimir", false],
    ["Vladimir\u2026", false],
    ["Vladimir\u00A0Putin", false],
    ["\uFEFFVladimir", false],
    ["Vladimir\n", false],
    ["Vlɐdimir", false],
    ["Vlad \u{1F600}", false]
  ])("says whether %j can be on a list in Latin letters: %s", (name, can) => {
    assert.strictEqual(isSearchable(name, false), can)
    const { result } = decideVerdict([], thresholds, can)
    assert.strictEqual(result, can ? "cleared" : "held")
  })

  covers("WATCHMAN-4")
  it.each([
    ["Иван Сидоров", true],
    ["王伟", true],
    ["محمد علي", true],
    ["王", true],
    ["--", false],
    ["ᴠʟᴀᴅɪᴍɪʀ", false],
    ["Ｖｌａｄｉｍｉｒ", false],
    ["Ив\u200Bан", false],
    ["ｲﾜﾝ", false],
    ["이\u3164반", false],
    ["\uFEFFИван", false],
    ["12345", false]
  ])("says whether %j can be on a list across scripts: %s", (name, can) => {
    assert.strictEqual(isSearchable(name, true), can)
  })

  covers("WATCHMAN-4")
  it.each([
    ["Ａｄａ\u3000Ｏｂｉ", ["Ada Obi"]],
    ["A\u200Bd\u200Ba  Obi\u00AD", ["Ada Obi"]],
    ["Zoë Łukaszewicz", ["Zoë Łukaszewicz", "Zoë Lukaszewicz"]],
    ["Straße", ["Straße", "Strasse"]],
    ["\u200B\u2060", []]
  ])("searches for %j as it is read, and with plain letters", (name, forms) => {
    assert.deepStrictEqual(listSearchForms(name), forms)
  })

  covers("WATCHMAN-4")
  it("never clears a name by a character that is not seen, or that stands for another, whatever the name is", () => {
    const chance = new Chance("watchman names")
    const hidden = [
      "\u200B",
      "\u200D",
      "\u2060",
      "\uFEFF",
      "\u00AD",
      "\u034F",
      "\uFE0F",
      "\u180E",
      "\u202E",
      "\u3164",
      "\u{E0020}"
    ]
    for (let seed = 0; seed < 1000; seed++) {
      const letters = Array.from({ length: chance.between(3, 9) }, () => String.fromCharCode(chance.between(97, 122)))
      const at = chance.between(0, letters.length - 1)
      const name = letters.join("")
      const wide = String.fromCodePoint(letters[at]!.charCodeAt(0) + 0xfee0)
      for (const written of [letters.with(at, wide), letters.toSpliced(at, 0, chance.pick(hidden))]) {
        const one = written.join("")
        for (const cross_script of [false, true]) {
          assert.isTrue(isSearchable(name, cross_script))
          assert.isFalse(isSearchable(one, cross_script), JSON.stringify(one))
        }
        assert.deepStrictEqual(listSearchForms(one), [name])
      }
    }
  })

  covers("WATCHMAN-4")
  it("refuses a strong match of a name that could not be searched for whole", () => {
    assert.strictEqual(decideVerdict([{ by: "name", match: 1, source: "x/1" }], thresholds, false).result, "refused")
  })

  covers("WATCHMAN-3")
  it("has its table on the page", () => {
    const page = readFileSync(new URL("../../../../docs/providers/watchman.md", import.meta.url), "utf8")
    const rows = {
      none: "below `possible_match`",
      possible: "from `possible_match` on",
      strong: "from `strong_match` on",
      listed_address: "a listed address"
    } as const
    for (const strength of ["none", "possible", "strong", "listed_address"] as const) {
      const { held, refused } = { held: verdicts.held[strength], refused: verdicts.refused[strength] }
      assert.include(page, `| ${rows[strength]} | \`${refused}\` | \`${held}\` |`)
    }
  })
})
