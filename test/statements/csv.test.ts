/** The reader of CSV by a mapping, the escape of formulas, and the recognition of formats. */
import { describe, expect, it } from "vitest"
import {
  type CsvMapping,
  escapeFormula,
  readStatements,
  statementMax,
  unescapeFormula,
  writeCsv
} from "../../src/statements/index.ts"
import { covers } from "../support/repository/covers.ts"
import { account, bai2, bytesOf, camt, entry, mt940, read, refusalOf } from "../support/statements/samples.ts"

const owner = { identifiers: [{ scheme: "account_number", value: "123 456" }], currency: "EUR" } as const

const plain: CsvMapping = {
  columns: { booked_on: "Date", amount: "Amount", remittance: "Text" },
  separator: ",",
  decimal: ".",
  dates: "ymd"
}
const running: CsvMapping = { ...plain, columns: { ...plain.columns, balance: "Balance" } }

const options = (mapping: CsvMapping) => ({ csv: { mapping, account: owner } })
const one = (mapping: CsvMapping, ...rows: ReadonlyArray<string>) => read(rows.join("\n"), options(mapping))[0]!
const refused = (mapping: CsvMapping, ...rows: ReadonlyArray<string>) => refusalOf(rows.join("\n"), options(mapping))
const amounts = (mapping: CsvMapping, ...rows: ReadonlyArray<string>) =>
  one(mapping, ...rows).lines.map(({ amount, direction }) => `${direction} ${amount}`)

covers("STATEMENT-8")
describe("a CSV", () => {
  it("has the members that its mapping names, below a preamble", () => {
    const mapping: CsvMapping = {
      columns: {
        booked_on: "Buchungstag",
        value_on: "Valuta",
        amount: "Betrag",
        currency: "W\u00e4hrung",
        account: "Konto",
        bank_reference: "Ref",
        end_to_end_id: "E2E",
        counterparty_name: "Name",
        counterparty_account: "IBAN",
        remittance: ["Zweck", "Zweck 2"],
        code: "Art",
        uetr: "UETR",
        transaction_hash: "Hash"
      },
      separator: ";",
      decimal: ",",
      thousands: ".",
      dates: "dmy",
      encoding: "windows-1252"
    }
    const text = [
      "Ums\u00e4tze;;",
      "",
      '"Konto";"Buchungstag";Valuta;Betrag;W\u00e4hrung;Ref;E2E;Name;IBAN;Zweck;"Zweck 2";Art;UETR;Hash',
      '123456;31.01.26;02.02.2026 10:15;"-1.234,50";EUR;R1;NOTPROVIDED;"M\u00fcller; S\u00f6hne";DE1;"Re ""17""";Januar;SEPA;u1;0xh'
    ].join("\r\n")
    const [statement] = readStatements(
      Uint8Array.from(text, (character) => character.charCodeAt(0)),
      options(mapping)
    )
    expect(statement).toMatchObject({
      format: "csv",
      number: null,
      from: "2026-01-31",
      to: "2026-01-31",
      account: { ...owner, bank: null }
    })
    expect(statement!.lines).toEqual([
      {
        booked_on: "2026-01-31",
        value_on: "2026-02-02",
        direction: "debit",
        amount: "1234.5",
        currency: "EUR",
        bank_reference: "R1",
        end_to_end_id: null,
        uetr: "u1",
        transaction_hash: "0xh",
        counterparty: { name: "M\u00fcller; S\u00f6hne", account: "DE1" },
        remittance: 'Re "17" Januar',
        code: "SEPA",
        reversal: false,
        place: "line 4"
      }
    ])
  })

  it.each([
    ["5.00", "credit 5"],
    ["+5", "credit 5"],
    ["-5.00", "debit 5"],
    ["\u22125.00", "debit 5"],
    ["5.00-", "debit 5"],
    ["(5.00)", "debit 5"],
    ["'-5.00", "debit 5"],
    ["0.00", "credit 0"],
    ["0.000000000000000001", "credit 0.000000000000000001"]
  ])("reads the amount %s", (cell, expected) => {
    expect(amounts(plain, "Date,Amount,Text", `2026-01-31,${cell},x`)).toEqual([expected])
  })

  it.each([
    [",", "1,234,567.5", "1234567.5"],
    [" ", "1 234\u00a0567.5", "1234567.5"],
    ["'", "1'234.5", "1234.5"],
    [",", "12,34,567.5", "1234567.5"]
  ] as const)("takes %j between thousands of %s", (thousands, cell, amount) => {
    expect(amounts({ ...plain, thousands, separator: ";" }, "Date;Amount;Text", `2026-01-31;${cell};x`)).toEqual([
      `credit ${amount}`
    ])
  })

  it.each([
    ["ymd", "20260131"],
    ["ymd", "2026/1/31"],
    ["ymd", "2026-01-31T10:00:00Z"],
    ["dmy", "31/01/2026"],
    ["dmy", "31.1.26"],
    ["dmy", "31012026"],
    ["mdy", "01/31/2026"],
    ["mdy", "1-31-26"]
  ] as const)("reads a date in the order %s: %s", (dates, cell) => {
    expect(one({ ...plain, dates }, "Date,Amount,Text", `${cell},1,x`).lines[0]!.booked_on).toBe("2026-01-31")
  })

  it("has the sign in a column of words, or in two columns", () => {
    const words = { credit: ["C", "Haben"], debit: ["D"] }
    const signs = { ...plain, columns: { booked_on: "Date", amount: "Amount", direction: "Sign" }, words }
    expect(amounts(signs, "Date,Amount,Sign", "2026-01-31,5,Haben", "2026-01-31,6,D", "2026-01-31,-7,D")).toEqual([
      "credit 5",
      "debit 6",
      "debit 7"
    ])
    expect(refused(signs, "Date,Amount,Sign", "2026-01-31,5,X")).toMatchObject({
      found: '"X"',
      taken: '"C", "Haben", "D"'
    })
    expect(refused(signs, "Date,Amount,Sign", "2026-01-31,-5,C").found).toBe('"-5"')
    const two: CsvMapping = { ...plain, columns: { booked_on: "Date", credit: "In", debit: "Out" } }
    expect(amounts(two, "Date,In,Out", "2026-01-31,5,", "2026-01-31,0.00,6", "2026-01-31,7,0")).toEqual([
      "credit 5",
      "debit 6",
      "credit 7"
    ])
    expect(amounts({ ...two, debits: "negative" }, "Date,In,Out", "2026-01-31,,-6")).toEqual(["debit 6"])
    for (const row of ["5,6", ",", "-5,", ",-6"])
      expect(refused(two, "Date,In,Out", `2026-01-31,${row}`).place).toContain("line 2, column")
    expect(refused({ ...two, debits: "negative" }, "Date,In,Out", "2026-01-31,,6").taken).toBe(
      "an amount with a minus sign"
    )
  })

  it("may have no header, and columns by their place", () => {
    const mapping = { ...plain, header: false, columns: { booked_on: 1, amount: 3 } }
    expect(amounts(mapping, "2026-01-31,x,5", "2026-01-31,y,-6")).toEqual(["credit 5", "debit 6"])
  })

  it("leaves out the rows that the mapping names, and keeps pending ones apart", () => {
    const mapping: CsvMapping = {
      ...plain,
      ignore: [{ column: "Text", text: "Total" }],
      pending: [{ column: "Text", text: "Pending" }]
    }
    const statement = one(mapping, "Date,Amount,Text", "2026-01-31,5,x", ",,", "2026-01-31,6,Pending", ",11,Total")
    expect([statement.lines.length, statement.pending.map(({ booked_on }) => booked_on)]).toEqual([1, [null]])
    expect(refused(plain, "Date,Amount,Text", "2026-01-31,5,x", ",5,Total").place).toBe('line 3, column "Date"')
  })

  it.each([
    ["oldest", ["2026-01-30,5,a,105", "2026-01-31,-2,b,103"]],
    ["newest", ["2026-01-31,-2,b,103", "2026-01-30,5,a,105"]]
  ])("follows the balance after each row, the %s first", (_, rows) => {
    const statement = one(running, "Date,Amount,Text,Balance", ...rows)
    expect(statement.opening_balance).toEqual({ date: "2026-01-30", amount: "100" })
    expect(statement.closing_balance).toEqual({ date: "2026-01-31", amount: "103" })
    expect(statement.lines.map(({ remittance }) => remittance)).toEqual(["a", "b"])
  })

  it("has its newest row first where the days say so, although the balances of a payment and its return fit in either order", () => {
    const statement = one(running, "Date,Amount,Text,Balance", "2026-01-31,5,returned,105", "2026-01-30,-5,paid,100")
    expect(statement.opening_balance).toEqual({ date: "2026-01-30", amount: "105" })
    expect(statement.closing_balance).toEqual({ date: "2026-01-31", amount: "105" })
    expect(statement.lines.map(({ remittance }) => remittance)).toEqual(["paid", "returned"])
  })

  it("is refused where a balance is not that of the row before it", () => {
    const rows = ["2026-01-30,5,a,105", "2026-01-31,-2,b,103.01", "2026-01-31,1,c,104.01"]
    expect(refused(running, "Date,Amount,Text,Balance", ...rows)).toMatchObject({
      place: 'line 3, column "Balance"',
      found: '"103.01"'
    })
    expect(refused(running, "Date,Amount,Text,Balance", "2026-01-30,5,a,").taken).toBe("the balance after the row")
  })

  it("has balances in rows of their own, with a column of balances and without", () => {
    const beside: CsvMapping = {
      ...plain,
      opening: { column: 1, text: "Opening" },
      closing: { column: 1, text: "Closing" }
    }
    const statement = one(beside, "Opening,EUR,100", "Date,Amount,Text", "2026-01-31,5,x", "Closing,,105")
    expect([statement.opening_balance!.amount, statement.closing_balance!.amount]).toEqual(["100", "105"])
    expect(refused(beside, "Opening,100", "Date,Amount,Text", "2026-01-31,5,x", "Closing,104").found).toBe(
      "a closing balance of 104"
    )
    expect(refused(beside, "Opening,none", "Date,Amount,Text", "2026-01-31,5,x").taken).toContain("Opening")
    expect(refused(beside, "Opening,1", "Opening,1", "Date,Amount,Text").taken).toBe("one row of the opening balance")
    expect(one(beside, "Opening,100", "Date,Amount,Text", "Closing,100").lines).toEqual([])
  })

  it("warns where it has no balances, and is refused without any row", () => {
    expect(one(plain, "Date,Amount,Text", "2026-01-31,5,x").warnings.map(({ code }) => code)).toEqual(["no_balances"])
    expect(refused(plain, "Date,Amount,Text").found).toBe("no entry")
  })

  it.each([
    ["no header", ["a,b,c", "2026-01-31,5,x"], "line 1", "no header row"],
    [
      "a header without a column",
      ["Export of,2026-01-31", "Date,Sum,Text", "2026-01-31,5,Date"],
      "line 2",
      'no header row: this one has no "Amount"'
    ],
    ["a date", ["Date,Amount,Text", "31.01.2026,5,x"], 'line 2, column "Date"', '"31.01.2026"'],
    ["a date outside the calendar", ["Date,Amount,Text", "2026-02-30,5,x"], 'line 2, column "Date"', '"2026-02-30"'],
    ["a decimal comma", ["Date,Amount,Text", '2026-01-31,"5,00",x'], 'line 2, column "Amount"', '"5,00"'],
    ["thousands", ["Date,Amount,Text", '2026-01-31,"1,000.00",x'], 'line 2, column "Amount"', '"1,000.00"'],
    ["words", ["Date,Amount,Text", "2026-01-31,five,x"], 'line 2, column "Amount"', '"five"'],
    ["no amount", ["Date,Amount,Text", "2026-01-31,,x"], 'line 2, column "Amount"', "nothing"],
    ["more cells than columns", ["Date,Amount,Text", "2026-01-31,1,234.50,x"], "line 2", 'a cell "x"'],
    ["fewer cells than columns", ["Date,Amount,Text,More", "2026-01-31,1"], "line 2", "a row of 2 cells"],
    ["a quote that has no end", ["Date,Amount,Text", '2026-01-31,1,"x'], "line 2", "no CSV"]
  ])("is refused for %s", (_, rows, place, found) => {
    const refusal = refused(plain, ...rows)
    expect([refusal.place, refusal.found]).toEqual([place, expect.stringContaining(found)])
  })

  it("is refused without a column or a row that its mapping names, as a file that is cut off", () => {
    const places = { ...plain, header: false, columns: { booked_on: 1, amount: 2, remittance: 4 } }
    expect(refused(places, "2026-01-31,5").found).toBe("a row of 2 cells")
    expect(amounts(plain, "Date,Amount,Text,,", "2026-01-31,5,x")).toEqual(["credit 5"])
    const closed: CsvMapping = { ...plain, closing: { column: 1, text: "Closing" } }
    expect(refused(closed, "Date,Amount,Text", "2026-01-31,5,x").found).toBe("no row of the closing balance")
    expect(refused({ ...plain, opening: closed.closing }, "Date,Amount,Text", "2026-01-31,5,x").found).toBe(
      "no row of the opening balance"
    )
  })

  it.each([
    ["dmy", "01-Feb-2026"],
    ["dmy", "1 FEB 26"],
    ["dmy", "01/february/2026"],
    ["mdy", "Feb 1, 2026"],
    ["ymd", "2026-Feb-01"]
  ] as const)("may have months by their English names: %s, %s", (dates, date) => {
    const mapping: CsvMapping = { ...plain, dates }
    expect(one(mapping, "Date,Amount,Text", `"${date}",.5,x`).lines).toMatchObject([
      { booked_on: "2026-02-01", amount: "0.5" }
    ])
    expect(refused(mapping, "Date,Amount,Text", `"${date.replace(/feb(?:ruary)?/i, "Fev")}",1,x`).place).toContain(
      "Date"
    )
  })

  it.each([
    ["mdy", "01-Feb-2026"],
    ["mdy", "1 February 2026"],
    ["dmy", "Feb 1, 2026"],
    ["ymd", "Feb 1, 2026"]
  ] as const)(
    "is refused for a month by its name that does not stand where the mapping has it: %s, %s",
    (dates, date) => {
      expect(refused({ ...plain, dates }, "Date,Amount,Text", `"${date}",1,x`)).toMatchObject({
        place: 'line 2, column "Date"',
        found: JSON.stringify(date)
      })
    }
  )

  it("may have a name twice in its header if both columns say the same, and is refused where they do not", () => {
    const mapping: CsvMapping = { ...plain, columns: { ...plain.columns, currency: "Ccy" } }
    const header = "Date,Balance,Ccy,Amount,Ccy,Text"
    expect(amounts(mapping, header, "2026-01-31,9,EUR,5,EUR,x")).toEqual(["credit 5"])
    expect(refused(mapping, header, "2026-01-31,9,EUR,5,USD,x")).toMatchObject({
      place: 'line 2, column "Ccy"',
      found: '"EUR" and "USD", as the header has the name twice'
    })
    const twice = "Date,Amount,Text,Amount"
    expect(refused(plain, twice, "2026-01-31,5,x,5.40").place).toBe('line 2, column "Amount"')
    const opening = { column: "Text", text: "Opening" }
    const running: CsvMapping = { ...plain, opening, columns: { ...plain.columns, balance: "Balance" } }
    const header2 = "Date,Amount,Text,Balance,Balance"
    expect(amounts(running, header2, "2026-01-30,,Opening,4,4", "2026-01-31,5,x,9,9")).toEqual(["credit 5"])
    expect(refused(running, header2, "2026-01-30,,Opening,4,900", "2026-01-31,5,x,9,9").place).toBe(
      'line 2, column "Balance"'
    )
    const byPlace: CsvMapping = { ...plain, columns: { ...plain.columns, amount: 4 } }
    expect(amounts(byPlace, twice, "2026-01-31,5,x,5.40")).toEqual(["credit 5.4"])
  })

  it("is refused for a group of thousands that is none", () => {
    const mapping = { ...plain, thousands: ",", separator: ";" } as const
    for (const cell of ["1,00.00", "1,0000.00", ",100", "1,,000"])
      expect(refused(mapping, "Date;Amount;Text", `2026-01-31;${cell};x`).found).toBe(JSON.stringify(cell))
  })

  it("is refused for a row of another currency or account", () => {
    const mapping: CsvMapping = { ...plain, columns: { ...plain.columns, currency: "Ccy", account: "Account" } }
    expect(amounts(mapping, "Date,Amount,Text,Ccy,Account", "2026-01-31,5,x,EUR,123456")).toEqual(["credit 5"])
    expect(refused(mapping, "Date,Amount,Text,Ccy,Account", "2026-01-31,5,x,USD,123456").place).toBe(
      'line 2, column "Ccy"'
    )
    expect(refused(mapping, "Date,Amount,Text,Ccy,Account", "2026-01-31,5,x,EUR,123457").place).toBe(
      'line 2, column "Account"'
    )
  })

  it("names the line in a file of many pieces, after cells with line breaks", () => {
    const rows = Array.from({ length: 30_000 }, (_, at) => `2026-01-31,1,"${at}\n${"x".repeat(40)}"`)
    const file = ["Date,Amount,Text", ...rows, "2026-01-31,bad,x"].join("\n")
    expect(refusalOf(file, options(plain)).place).toBe('line 60002, column "Amount"')
    expect(read(file.replace("bad", "2"), options(plain))[0]!.lines.at(-1)!.place).toBe("line 60002")
  })
})

covers("STATEMENT-10")
describe("cells that a spreadsheet would run", () => {
  it.each(["=1+1", "+1", "-1+1", "-x", "@SUM(A1)", "\tx", "\rx", "'=1", "''-x"])(
    "are escaped and taken back: %j",
    (cell) => {
      expect(escapeFormula(cell)).toBe(`'${cell}`)
      expect(unescapeFormula(escapeFormula(cell))).toBe(cell)
    }
  )
  it.each([
    ["\t=1", "'\t'=1"],
    ["\r=1", "'\r'=1"],
    ["x;=1+1", "x;'=1+1"],
    ["x;'=1", "x;''=1"],
    ["a\t@b", "a\t'@b"],
    ["a\n+b", "a\n'+b"],
    ["=a;-b;c", "'=a;'-b;c"]
  ])("are escaped behind what another spreadsheet takes for a separator, and taken back: %j", (cell, written) => {
    expect(escapeFormula(cell)).toBe(written)
    expect(unescapeFormula(written)).toBe(cell)
  })
  it.each(["", "1", "-1", "-1.50", "a=b", "a; b", "a,=b", "'", "'a", "''"])("are not %j", (cell) => {
    expect(escapeFormula(cell)).toBe(cell)
    expect(unescapeFormula(cell)).toBe(cell)
  })
  it("are written so, with cells in quotes where they need them", () => {
    expect(
      writeCsv(
        ["a", "b"],
        [
          ["=1", null],
          ['x,"y"', "-2.5"]
        ]
      )
    ).toBe('a,b\r\n\'=1,\r\n"x,""y""",-2.5\r\n')
  })
})

covers("STATEMENT-1")
describe("a file", () => {
  it("is recognised by its first bytes", () => {
    const files = [camt(account + entry("1", "CRDT")), mt940([]), bai2("1", ["16,142,1,,,,"], "1")]
    expect(files.map((file) => read(`\ufeff  \n${file}`)[0]!.format)).toEqual(["camt.053", "mt940", "bai2"])
  })
  it("is read as what it is said to be, or refused", () => {
    expect(read(mt940([]), { format: "mt940" })).toHaveLength(1)
    expect(refusalOf(mt940([]), { format: "mt942" }).found).toBe("a statement of mt940")
    expect(refusalOf(camt(account + entry("1", "CRDT"), { type: "052" }), { format: "camt.053" }).found).toBe(
      "a statement of camt.052"
    )
    expect(refusalOf(mt940([]), { format: "bai2" }).place).toBe("line 1")
    expect(refusalOf("a,b", { format: "csv" }).found).toBe("a CSV without a mapping")
    expect(refusalOf("a,b").found).toBe('"a,b"')
    expect(refusalOf("").found).toBe("an empty file")
  })
  it("has at most 64 MiB", () => {
    expect(refusalOf(new Uint8Array(statementMax + 1)).taken).toContain("67108864 bytes")
  })
  it("is refused for bytes that are not of the encoding that it names", () => {
    expect(refusalOf(new Uint8Array([...bytesOf('<?xml version="1.0" encoding="UTF-8"?><a>'), 0xff])).found).toBe(
      "bytes that are not UTF-8"
    )
    expect(refusalOf(new Uint8Array([0xef, 0xbb, 0xbf, ...bytesOf(":20:x"), 0xff])).found).toBe(
      "bytes that are not utf-8"
    )
  })
})
