/** How long the texts of a statement may be, whatever the format (STATEMENT-15). */
import { describe, expect, it } from "vitest"
import { type ReadOptions, statementSteps } from "../../src/statements/index.ts"
import { covers } from "../support/repository/covers.ts"
import { startProcessing } from "../support/repository/processing.ts"
import { account, bai2, balance, camt, entry, mt940, read, refusalOf } from "../support/statements/samples.ts"

const csv: ReadOptions = {
  csv: {
    mapping: {
      columns: {
        booked_on: "Date",
        amount: "Amount",
        remittance: "Text",
        bank_reference: "Ref",
        counterparty_name: "Name",
        counterparty_account: "Account",
        code: "Code",
        end_to_end_id: "E2E",
        uetr: "UETR",
        transaction_hash: "Hash"
      },
      separator: ",",
      decimal: ".",
      dates: "ymd"
    },
    account: { identifiers: [{ scheme: "account_number", value: "1" }], currency: "EUR" }
  }
}

/** A CSV whose second row has a text in the column at a place. */
const csvRow = (place: number) => (text: string) => {
  const cells = ["2026-01-31", "1", "", "", "", "", "", "", "", ""]
  const header = "Date,Amount,Text,Ref,Name,Account,Code,E2E,UETR,Hash"
  return [header, cells.join(","), cells.map((cell, at) => (at === place ? `"${text}"` : cell)).join(",")].join("\n")
}

const details = (of: string) => `<TxDtls>${of}</TxDtls>`
const camtOf = (of: string) => camt(account + entry("1", "CRDT") + entry("1", "CRDT", { details: details(of) }))

type Case = readonly [
  name: string,
  file: (text: string) => string,
  member: string,
  max: number,
  place: RegExp,
  options?: ReadOptions
]

const camtLine = /^Document\/BkToCstmrStmt\/Stmt\[1\]\/Ntry\[2\](?:\/NtryDtls\[1\]\/TxDtls\[1\])?, line 3$/

const cases: ReadonlyArray<Case> = [
  ["camt", (text) => camtOf(`<RmtInf><Ustrd>${text}</Ustrd></RmtInf>`), "remittance", 10_000, camtLine],
  ["camt", (text) => camtOf(`<Refs><EndToEndId>${text}</EndToEndId></Refs>`), "end_to_end_id", 500, camtLine],
  ["camt", (text) => camtOf(`<Refs><AcctSvcrRef>${text}</AcctSvcrRef></Refs>`), "bank_reference", 500, camtLine],
  ["camt", (text) => camtOf(`<Refs><UETR>${text}</UETR></Refs>`), "uetr", 500, camtLine],
  [
    "camt",
    (text) => camtOf(`<RltdPties><Dbtr><Nm>${text}</Nm></Dbtr></RltdPties>`),
    "counterparty.name",
    500,
    camtLine
  ],
  [
    "camt",
    (text) => camtOf(`<RltdPties><DbtrAcct><Id><Othr><Id>${text}</Id></Othr></Id></DbtrAcct></RltdPties>`),
    "counterparty.account",
    500,
    camtLine
  ],
  ["camt", (text) => camtOf(`<BkTxCd><Prtry><Cd>${text}</Cd></Prtry></BkTxCd>`), "code", 500, camtLine],
  [
    "a pending entry of camt",
    (text) =>
      camt(
        account +
          entry("1", "CRDT") +
          entry("1", "CRDT", {
            status: "<Sts>PDNG</Sts>",
            details: details(`<RmtInf><Ustrd>${text}</Ustrd></RmtInf>`)
          })
      ),
    "remittance",
    10_000,
    camtLine
  ],
  [
    "the number of a camt",
    (text) => camt(`<ElctrncSeqNb>${text}</ElctrncSeqNb>${account}${entry("1", "CRDT")}`),
    "number",
    500,
    /^Document\/BkToCstmrStmt\/Stmt\[1\], line 3$/
  ],
  [
    "MT940",
    (text) => mt940([":61:2601310131C1,NTRFREF", `:86:${text}`], { closing: "C260131EUR1,00" }),
    "remittance",
    10_000,
    /^line 5$/
  ],
  [
    "MT940",
    (text) => mt940([`:61:2601310131C1,NTRFREF//${text}`], { closing: "C260131EUR1,00" }),
    "bank_reference",
    500,
    /^line 5$/
  ],
  [
    "the account of MT940",
    (text) => mt940([], { account: text.toUpperCase() }),
    "account.identifiers",
    500,
    /^line 1$/
  ],
  ["BAI2", (text) => bai2("1", [`16,142,1,Z,B,O,${text}/`], "1"), "remittance", 10_000, /^line 4$/],
  ["BAI2", (text) => bai2("1", [`16,142,1,Z,${text},O,T/`], "1"), "bank_reference", 500, /^line 4$/],
  ["CSV", csvRow(2), "remittance", 10_000, /^line 3$/, csv],
  ["CSV", csvRow(3), "bank_reference", 500, /^line 3$/, csv],
  ["CSV", csvRow(4), "counterparty.name", 500, /^line 3$/, csv],
  ["CSV", csvRow(5), "counterparty.account", 500, /^line 3$/, csv],
  ["CSV", csvRow(6), "code", 500, /^line 3$/, csv],
  ["CSV", csvRow(7), "end_to_end_id", 500, /^line 3$/, csv],
  ["CSV", csvRow(8), "uetr", 500, /^line 3$/, csv],
  ["CSV", csvRow(9), "transaction_hash", 500, /^line 3$/, csv]
]

covers("STATEMENT-15")
describe("the texts of a file", () => {
  it.each(cases.map((one) => [`${one[2]} of ${one[0]}`, one] as const))(
    "%s: one as long as may be is taken, and a longer one refused with its place",
    (_, one) => {
      const [, file, member, max, place, options] = one
      expect(read(file("x".repeat(max)), options)).not.toHaveLength(0)
      const refusal = refusalOf(file("x".repeat(max + 1)), options)
      const [, at, named] = /^(.*), ([a-z_.0-9]+)$/.exec(refusal.place) ?? []
      expect(named).toBe(member)
      expect(at).toMatch(place)
      expect([refusal.found, refusal.taken]).toEqual([`${max + 1} characters`, `at most ${max} characters`])
    }
  )

  it("of 10 MB is refused, and not repeated in the refusal", () => {
    const text = "x".repeat(10 * 1024 * 1024)
    for (const reader of ["camt", "MT940", "BAI2", "CSV"]) {
      const [, file, , , , options] = cases.find(([name]) => name === reader)!
      expect(refusalOf(file(text), options).message.length).toBeLessThan(500)
    }
  })

  it.each([
    ["MT940", mt940([":61:2601310131C1,NTRFREF", ":86:a\u0000b"], { closing: "C260131EUR1,00" }), "line 5, remittance"],
    ["BAI2", bai2("1", ["16,142,1,Z,B,O,a\u0000b\u0000c/"], "1"), "line 4, remittance"],
    ["CSV", csvRow(2)("a\u0000b"), "line 3, remittance"]
  ])("%s: one that no store keeps is refused with its place", (name, file, place) => {
    const refusal = refusalOf(file, name === "CSV" ? csv : undefined)
    expect([refusal.place, refusal.found]).toEqual([place, "a NUL or half of a surrogate pair"])
  })

  it("with half of a surrogate pair, as a caller can give the number of a CSV, is refused", () => {
    const account = { identifiers: [{ scheme: "account_number" as const, value: "\ud83d" }], currency: "EUR" }
    const { found, place } = refusalOf(csvRow(2)("a"), { csv: { ...csv.csv!, account } })
    expect([place, found]).toEqual(["line 1, account.identifiers", "a NUL or half of a surrogate pair"])
  })

  it("is never cut into half of a surrogate pair: the file of a bank is read", () => {
    const reference = `${"x".repeat(15)}\u{1f600}`
    const [statement] = read(mt940([`:61:2601310131C1,NTRF${reference} rest`], { closing: "C260131EUR1,00" }))
    expect(statement!.lines[0]).toMatchObject({ end_to_end_id: reference, remittance: "rest" })
  })

  it("has no place and no warning that is as long as a file", () => {
    const long = "x".repeat(5000)
    const named = camt(
      account +
        `<Ntry><Amt Ccy="EUR">1</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-31</Dt></BookgDt><${long}>${details("")}</${long}></Ntry>`
    )
    expect(refusalOf(named).found).toMatch(/^an element "x{60}…"$/)
    for (const file of [named, camt(account).replaceAll("BkToCstmrStmt", long), `<${long}>`, `<a></${long}>`])
      expect(refusalOf(file).message.length).toBeLessThan(2500)
    expect(refusalOf(`Date,Amount,Text\n2026-01-31,1,a${long}"b"`, csv).message.length).toBeLessThan(2500)
    const counted = bai2("1", ["16,142,1,Z,B,O,T/"], "1").replace(/\/\n98,/, `${long}/\n98,`)
    const [statement] = read(counted)
    for (const { message } of statement!.warnings) expect(message.length).toBeLessThan(200)
    expect(statement!.warnings).not.toHaveLength(0)
  })
})

const million = 1_000_000
const posting = ":61:260131C1,NTRFNONREF"
const tooLong = `of more than ${million} characters`

covers("STATEMENT-1", "STATEMENT-15")
describe("a file that is larger than a process has memory for", () => {
  it.each<[string, () => string, string, string, ReadOptions?]>([
    [
      "elements of an entry",
      () => camt(account + entry("1", "CRDT", { more: "<a/>".repeat(100_001) })),
      "line 3",
      "too many elements"
    ],
    ["elements before the first entry", () => camt(account + "<Bal/>".repeat(100_001)), "line 3", "too many elements"],
    [
      "attributes",
      () => camt(`<a${Array.from({ length: 1001 }, (_, at) => ` b${at}=""`).join("")}/>`),
      "line 3",
      "too many attributes"
    ],
    ["blocks of the network", () => `{1:F01${"a".repeat(20 * million)}`, "line 1", "no message"],
    ["fields of blocks", () => `{1:F01${"{a}".repeat(5 * million)}`, "line 1", "no message"],
    ["characters of a field", () => mt940([posting, `:86:${"/EREF/a".repeat(million / 7 + 1)}`]), "line 6", "a field"],
    [
      "slashes",
      () => mt940([posting, `:86:/REMI/x${"/".repeat(900_000)}x`], { closing: "C260131EUR1," }),
      "line 5, remittance",
      "characters"
    ],
    ["lines of a field", () => mt940([posting, ":86:", "\n".repeat(million)]), "line", `a field ${tooLong}`],
    [
      "postings",
      () => mt940(Array.from({ length: million + 1 }, () => posting)),
      "line 1000005",
      "more than 1000000 lines"
    ],
    [
      "fields of a record",
      () => bai2("1", [`16,142,1,Z${",".repeat(million)}/`], "1"),
      "line 4",
      `a record ${tooLong}`
    ],
    [
      "continuations",
      () => bai2("1", ["16,142,1,Z,,,/", ..."88,a/\n".repeat(400_000).split("\n", 400_000)], "1"),
      "line 4",
      "a record"
    ],
    ["cells", () => `${csvRow(2)("a")}\n2026-01-31,1${",".repeat(million)}`, "line 4", `a row ${tooLong}`, csv],
    ["quotes in a cell", () => csvRow(2)('""'.repeat(million)), "line 3", `a row ${tooLong}`, csv],
    [
      "accounts",
      () => bai2("1,,,,,", ["49,0,2/", ..."03,1/\n49,0,2/\n".repeat(100_000).split("\n", 200_000), "03,1/"], "0"),
      "line 200003",
      "more than 100000 statements"
    ],
    [
      "groups",
      () => bai2("1", [], "0").replace("\n99,", `\n${"02,US,1,1,260131,,,2/\n98,0,0,2/\n".repeat(100_000)}99,`),
      "line 200004",
      "more than 100000 groups"
    ],
    ["messages", () => mt940([]).repeat(100_001), "line 600001", "more than 100000 statements"],
    [
      "statements whose pages do not come",
      () => mt940([], { last: "62M" }).repeat(100_001),
      "line 600001",
      "more than 100000 statements"
    ],
    [
      "statements",
      () =>
        camt(
          Array.from(
            { length: 100_001 },
            () => `${account}<TxsSummry><TtlNtries><NbOfNtries>0</NbOfNtries></TtlNtries></TxsSummry>`
          )
        ),
      "line 100003",
      "more than 100000 statements"
    ],
    ["a cell without an end", () => `${csvRow(2)("a")}\n2026-01-31,1,"${"a".repeat(million)}`, "line 4", "no CSV", csv]
  ])("is refused for its %s, with its place", (_, file, place, found, options) => {
    const refusal = refusalOf(file(), options)
    expect(refusal.place).toContain(place)
    expect(refusal.found).toContain(found)
  })

  it("may be of thousands of accounts on which nothing was booked", () => {
    const empty = account + ["OPBD", "CLBD", "CLAV"].map((type) => balance(type, "1")).join("")
    expect(read(camt(Array.from({ length: 5000 }, () => empty)))).toHaveLength(5000)
  })

  it.each<[string, (many: string) => string | ReadonlyArray<string>]>([
    ["between entries", (many) => account + (entry("1", "CRDT") + many).repeat(2)],
    ["between transactions", (many) => account + entry("1", "CRDT", { more: ("<TxDtls/>" + many).repeat(2) })],
    [
      "of the totals of pages",
      (many) => {
        const page = `${account}<StmtPgntn><LastPgInd>false</LastPgInd></StmtPgntn>${entry("1", "CRDT")}`
        return Array.from({ length: 2 }, () => `${page}<TxsSummry>${many}</TxsSummry>`)
      }
    ]
  ])("is refused for all its elements that are kept together: %s", (_, body) => {
    expect(() => read(camt(body("<a/>".repeat(40_000))))).not.toThrow("too many elements")
    expect(refusalOf(camt(body("<a/>".repeat(60_000)))).found).toBe("too many elements")
  })

  it("may have a batch of thousands of transactions, and thousands of pages", () => {
    const one = '<NtryDtls><Btch><NbOfTxs>1</NbOfTxs></Btch><TxDtls><Amt Ccy="EUR">1</Amt></TxDtls></NtryDtls>'
    const batch = entry("60000", "CRDT", { more: one.repeat(60_000) })
    expect(read(camt(account + batch))[0]!.lines).toHaveLength(60_000)
    const balances = ["OPBD", "CLBD", "CLAV"].map((type) => balance(type, "1")).join("")
    const page = (isLast: boolean) => `<StmtPgntn><LastPgInd>${isLast}</LastPgInd></StmtPgntn>${account}${balances}`
    const pages = Array.from({ length: 4000 }, (_, at) => page(at === 3999))
    const statements = Array.from({ length: 4000 }, (_, at) => page(at % 2 === 1))
    expect(read(camt([...pages, ...statements]))).toHaveLength(2001)
  })

  it("may have the pages of thousands of accounts behind all their first ones", () => {
    const [accounts, processed] = [20_000, startProcessing()]
    const pages = (first: string, last: string, numbers: ReadonlyArray<number>) =>
      numbers.map((number) =>
        mt940([], { account: String(1_000_000 + number), first, last, closing: "C260130EUR0,00" })
      )
    const numbers = Array.from({ length: accounts }, (_, at) => at)
    const file = [...pages("60F", "62M", numbers), ...pages("60M", "62F", numbers.toReversed())].join("")
    expect(read(file)).toHaveLength(accounts)
    // Twenty times as long as it takes; each page was looked for among all.
    expect(processed()).toBeLessThan(8000)
  })

  it("may have thousands of groups that count otherwise", () => {
    const processed = startProcessing()
    const groups = "02,US,1,1,260131,,,2/\n98,0,5,9/\n".repeat(40_000)
    const [statement] = read(bai2("1", [], "0").replace("\n99,", `\n${groups}99,`))
    expect(statement!.warnings.length).toBeGreaterThan(80_000)
    // Twenty times as long as it takes; each had a copy of what all before it had.
    expect(processed()).toBeLessThan(8000)
  })

  it("may have all its records on one line, and its rows end in carriage returns", () => {
    const details = Array.from({ length: 60_000 }, () => "16,195,1,Z,,,TEXT/")
    const records = bai2("1,,010,0,,,015,60000,,", details, "120000").replaceAll("\n", " ")
    expect(read(records)[0]!.lines).toHaveLength(60_000)
    const rows = ["Date,Amount,Text", ...Array.from({ length: 60_000 }, () => "2026-01-31,1,text")]
    const mapping = { ...csv.csv!.mapping, columns: { booked_on: "Date", amount: "Amount" } }
    const [statement] = read(rows.join("\r"), { csv: { ...csv.csv!, mapping } })
    expect([statement!.lines.length, statement!.lines.at(-1)!.place]).toEqual([60_000, "line 60001"])
  })

  it.each<[string, () => string, ReadOptions?]>([
    [
      "MT940",
      () =>
        mt940(
          Array.from({ length: 20_000 }, () => posting),
          { closing: "C260131EUR20000," }
        )
    ],
    [
      "CSV",
      () => ["Date,Amount", ...Array.from({ length: 120_000 }, () => "2026-01-31,1")].join("\r"),
      {
        csv: { ...csv.csv!, mapping: { ...csv.csv!.mapping, columns: { booked_on: "Date", amount: "Amount" } } }
      }
    ]
  ])("is read in steps, between which others run: %s", (_, file, options) => {
    const steps = statementSteps(new TextEncoder().encode(file()), options)
    const longest: Array<number> = []
    for (let isDone = false; !isDone; ) {
      const processed = startProcessing()
      isDone = steps.next().done === true
      longest.push(processed())
    }
    // One step had all of it.
    const total = longest.reduce((sum, each) => sum + each, 0)
    expect(Math.max(...longest)).toBeLessThan(Math.max(100, total * 0.7))
  })
})
