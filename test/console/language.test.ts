/** The languages of the console: every text goes through one place, and each language has all of them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { drawings } from "../../scripts/documents/machines.ts"
import { formatList, formatNumber, rich, t } from "../../src/console/frame/language.ts"
import { matchRules } from "../../src/machines/kernel/matching.ts"
import { french } from "../../src/console/language/fr.ts"
import { formatAction, auditedActions } from "../../src/console/pages/people/audited-actions.ts"
import { exceptionReasons, holdReasons, stuckReasons } from "../../src/console/pages/queues/explained.ts"
import { describeDuration, spellName } from "../../src/console/parts/text.ts"
import * as vocabulary from "../../src/console/parts/vocabulary.ts"
import { textsIn, textsOfConsole } from "../support/console/texts.ts"
import { covers } from "../support/repository/covers.ts"
import { root, sources } from "../support/repository/source.ts"

/** Names that the document gives to members, and the values that it lists. */
const namesOfDocument = (): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    if (Array.isArray(value)) return value.forEach(visit)
    const { enum: values, properties, example: _, examples: __, ...rest } = value as Readonly<Record<string, unknown>>
    if (Array.isArray(values)) for (const one of values) if (typeof one === "string") found.add(one)
    if (typeof properties === "object" && properties !== null)
      for (const name of Object.keys(properties)) found.add(name)
    visit(properties)
    Object.values(rest).forEach(visit)
  }
  visit(JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8")))
  return [...found].filter((name) => /^[a-z]\w*$/.test(name))
}

/** The states of every machine, and what the machines are called. */
const namesOfMachines = async (): Promise<ReadonlyArray<string>> =>
  [...(await drawings())].flatMap(([kind, { versions }]) => [
    kind,
    ...[...versions.values()].flatMap((svg) => [...svg.matchAll(/data-state="(\w+)"/g)].map(([, state]) => state!))
  ])

/** What the machines call their deadlines: the timeline shows them. */
const namesOfTimers = (): ReadonlyArray<string> =>
  sources("src/machines").flatMap(({ code }) => [...code.matchAll(/"timer\.(\w+)"/g)].map(([, name]) => name!))

/** Names that the console makes of others, or that only its code has. */
const composed = [
  ...["approve", "decline"],
  ...["full", "partial", "none"].map((match) => `name_match_${match}`),
  ...["apply", "credit", "dismiss", "refund"].map((action) => `${action}_in_progress`)
]

const { keys, names, unwrapped } = textsOfConsole()
const texts = new Set(keys.map(({ text }) => text))
const words = new Set([
  ...[
    ...names.map(({ text }) => text),
    ...namesOfDocument(),
    ...(await namesOfMachines()),
    ...namesOfTimers(),
    ...matchRules,
    ...[exceptionReasons, stuckReasons, holdReasons].flatMap(Object.keys),
    ...Object.values(vocabulary).flat(),
    ...composed
  ].map(spellName),
  ...auditedActions.map(formatAction)
])

const holesOf = (text: string): ReadonlyArray<string> =>
  [...new Set([...text.matchAll(/\{\w+\}|<\/?\w+>/g)].map(([hole]) => hole))].toSorted()
const formsOf = (text: string): number => text.split("|").length

describe("the texts of the console", () => {
  covers("CONSOLE-27")
  it("are all looked up in the language that is shown", () => {
    expect(unwrapped).toEqual([])
    expect(texts.size).toBeGreaterThan(1000)
    expect(words.size).toBeGreaterThan(600)
  })

  covers("CONSOLE-27")
  it("have French, each of them and each word of the API, and French has nothing else", () => {
    const wanted = [...texts, ...words]
    expect(wanted.filter((text) => !Object.hasOwn(french, text)).toSorted()).toEqual([])
    expect(Object.keys(french).filter((text) => !texts.has(text) && !words.has(text))).toEqual([])
  })

  it("have the same holes and forms in French", () => {
    const differing = Object.entries(french).filter(
      ([text, translation]) =>
        formsOf(text) !== formsOf(translation) ||
        text.split("|").some((form, at) => {
          const [own, other] = [holesOf(form), holesOf(translation.split("|")[at]!)]
          // One is said without a figure in some languages.
          return own.join() !== other.join() && own.filter((hole) => hole !== "{count}").join() !== other.join()
        })
    )
    expect(differing).toEqual([])
  })

  it("in French have the spaces of French before its signs, and no straight quotation marks", () => {
    const amiss = Object.values(french).filter((text) => / [:;?!%»]|« |"|[^\s\u00A0\u202F][?!;](?:\s|$)/.test(text))
    expect(amiss).toEqual([])
  })

  it.each([
    ["<p>Sign out</p>", "Sign out"],
    [`<p>{isOpen ? "open" : null}</p>`, "open"],
    [`<p>{label}{isOpen && " (open)"}</p>`, "(open)"],
    [`<Field label={isOpen ? "open" : label} />`, "open"],
    [`<Field label="name" />`, "name"],
    ["<p title={`In ${currency}`} />", "In {}"],
    [`const columns = [{ title: "amount", cell }]`, "amount"],
    [`const why = { gone: "It is gone." }`, "It is gone."],
    [`t("{name} is here", { name: <b>nobody</b> })`, "nobody"]
  ])("finds the text of %s", (code, text) => {
    expect(textsIn("a.tsx", code).unwrapped.map((found) => found.text.trim())).toEqual([text])
  })

  it.each([`<p class="card flush">{t("Sign out")}</p>`, `<code>POST /v1/wallets</code>`, `const role = "admin"`])(
    "finds none in %s",
    (code) => {
      expect(textsIn("a.tsx", code).unwrapped).toEqual([])
    }
  )
})

describe("a text", () => {
  it("takes its form and its figures from the count", () => {
    const rows = (count: number): string => t("{count} row|{count} rows", { count })
    expect([0, 1, 2, 12_345].map(rows)).toEqual(["0 rows", "1 row", "2 rows", "12,345 rows"])
    expect(t("Status {status}", { status: "1000" })).toBe("Status 1000")
    expect(describeDuration("P1DT2H")).toBe("1 day 2 hours")
  })

  it("puts elements where its holes and tags are, in the order in which the language has them", () => {
    expect(rich("<a>Open</a> {id} of {count}.", { a: (inner) => `[${inner}]`, id: "ben_1", count: 1000 })).toEqual([
      ...["", "[Open]", " ", "ben_1", " of ", "1,000"],
      "."
    ])
  })

  it("lists, and writes numbers of any length exactly", () => {
    expect(formatList(["a", "b", "c"], "conjunction")).toBe("a, b and c")
    expect(formatNumber(123_456_789_012_345_678_901n)).toBe("123,456,789,012,345,678,901")
  })
})
