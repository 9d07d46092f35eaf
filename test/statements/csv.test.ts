/** The reader of CSV by a mapping, the escape of formulas, and the recognition of formats. */
import { describe, expect, it } from "vitest"
import {
  type CsvMapping,
  escapeFormula,
  readStatements,
  statementMax,
  unescapeFormula,
  UnreadableStatement,
  writeCsv
} from "../../src/statements/index.ts"
import { readTable, decodeTable } from "../../src/statements/csv/table.ts"
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

const inCurrency = (currency: string, mapping: CsvMapping, ...rows: ReadonlyArray<string>) =>
  read(rows.join("\n"), { csv: { mapping, account: { ...owner, currency } } })[0]!
const amountIn = (currency: string, cell: string, mapping: CsvMapping) =>
  inCurrency(currency, { ...mapping, separator: ";" }, "Date;Amount;Text", `2026-01-31;${cell};x`).lines.map(
    ({ amount, direction }) => `${direction} ${amount}`
  )[0]
const thousands = (between: CsvMapping["thousands"], decimal: CsvMapping["decimal"] = "."): CsvMapping => ({
  ...plain,
  thousands: between,
  decimal
})

covers("STATEMENT-8")
describe("an amount of a CSV", () => {
  it.each([
    ["GBP", "\u00a31,183.23", ",", "credit 1183.23"],
    ["USD", "-$8000.00", null, "debit 8000"],
    ["USD", "$-8,000.00", ",", "debit 8000"],
    ["USD", "$ (8,000.00)", ",", "debit 8000"],
    ["USD", "(US$8,000.00)", ",", "debit 8000"],
    ["ZAR", "R 1 000.00", " ", "credit 1000"],
    ["ZAR", "R 1 000.00", null, "credit 1000"],
    ["ZAR", "-R1000.00", null, "debit 1000"],
    ["NGN", "N1,000.00 CR", ",", "credit 1000"],
    ["NGN", "\u20a61,000.00DR", ",", "debit 1000"],
    ["EUR", "5.00 eur", null, "credit 5"],
    ["EUR", "5.00\u00a0\u20ac-", null, "debit 5"],
    ["USDC", "5.00 USDC", null, "credit 5"],
    ["CHF", "CHF 1\u2019234\u2019567.50", "'", "credit 1234567.5"],
    ["CHF", "1'234\u2019567.50", "\u2019", "credit 1234567.5"],
    ["XDR", "5.00XDR", null, "credit 5"],
    ["ZAR", "5.00 Cr.", null, "credit 5"],
    ["ZAR", "5.00 dr", null, "debit 5"],
    ["EUR", "-5.00DR", null, "debit 5"],
    ["EUR", "(5.00) DR", null, "debit 5"],
    ["EUR", "5.00+", null, "credit 5"]
  ] as const)("in %s may be written %s, with %j between thousands", (currency, cell, between, amount) => {
    expect(amountIn(currency, cell, thousands(between))).toBe(amount)
  })

  it.each([
    ["another currency's sign", "\u00a35.00"],
    ["another currency's code", "USD 5.00"],
    ["a sign twice", "\u20ac5.00\u20ac"],
    ["a minus twice", "-5.00-"],
    ["a minus in parentheses", "(-5.00)"],
    ["both words", "5.00 CR DR"],
    ["a credit below zero", "-5.00 CR"],
    ["a credit in parentheses", "(5.00) CR"],
    ["a word before it", "CR 5.00"],
    ["spaces that part no thousands", "1 00.00"],
    ["a typographic apostrophe where nothing is between thousands", "1\u2019000.00"],
    ["a sign alone", "\u20ac"],
    ["a word alone", "CR"]
  ])("is refused for %s: %s", (_, cell) => {
    expect(refused(plain, "Date,Amount,Text", `2026-01-31,${cell},x`)).toMatchObject({
      place: 'line 2, column "Amount"',
      found: JSON.stringify(cell),
      taken: expect.stringContaining("an amount of EUR")
    })
  })

  it("with spaces is refused where something else is between thousands", () => {
    expect(refused({ ...thousands(","), separator: ";" }, "Date;Amount;Text", "2026-01-31;1 000.00;x").found).toBe(
      '"1 000.00"'
    )
  })

  it("does not contradict its column, or the word beside it", () => {
    const two: CsvMapping = { ...plain, columns: { booked_on: "Date", credit: "In", debit: "Out" } }
    const header = "Date,In,Out"
    expect(amounts(two, header, "2026-01-31,5 CR,", "2026-01-31,,6DR", "2026-01-31,,-7 DR")).toEqual([
      "credit 5",
      "debit 6",
      "debit 7"
    ])
    expect(amounts({ ...two, debits: "negative" }, header, "2026-01-31,,6 DR")).toEqual(["debit 6"])
    expect(refused(two, header, "2026-01-31,5 DR,").place).toBe('line 2, column "In"')
    expect(refused(two, header, "2026-01-31,,5 CR")).toMatchObject({
      place: 'line 2, column "Out"',
      taken: "an amount without CR"
    })
    const words = { credit: ["In"], debit: ["Out"] }
    const signs: CsvMapping = { ...plain, columns: { booked_on: "Date", amount: "Amount", direction: "Sign" }, words }
    expect(amounts(signs, "Date,Amount,Sign", "2026-01-31,5 DR,Out", "2026-01-31,6 CR,In")).toEqual([
      "debit 5",
      "credit 6"
    ])
    expect(refused(signs, "Date,Amount,Sign", "2026-01-31,5 DR,In").found).toBe('"5 DR"')
    expect(refused(signs, "Date,Amount,Sign", "2026-01-31,5 CR,Out").found).toBe('"5 CR"')
  })

  it("may be in a currency that is written in any case, or with its sign", () => {
    const mapping: CsvMapping = { ...plain, columns: { ...plain.columns, currency: "Ccy" } }
    const rows = ["eur", "EUR", "\u20ac", "Eur "].map((code) => `2026-01-31,5,x,${code}`)
    expect(amounts(mapping, "Date,Amount,Text,Ccy", ...rows)).toHaveLength(4)
    for (const code of ["usd", "$", ""])
      expect(refused(mapping, "Date,Amount,Text,Ccy", `2026-01-31,5,x,${code}`).place).toBe('line 2, column "Ccy"')
  })

  it("is that of a balance, too: overdrawn with DR", () => {
    const statement = one(running, "Date,Amount,Text,Balance", "2026-01-31,-6,x,\u20ac5.00 DR", "2026-01-31,7,x,2 CR")
    expect([statement.opening_balance!.amount, statement.closing_balance!.amount]).toEqual(["1", "2"])
  })
})

covers("STATEMENT-8")
describe("rows of a CSV that are pending", () => {
  const header = "Date,Amount,State"
  const state: CsvMapping = {
    ...plain,
    columns: { booked_on: "Date", amount: "Amount", remittance: "State" },
    pending: [{ column: "State", text: "PENDING" }]
  }
  const unnamed: CsvMapping = { ...state, pending: undefined }
  const bookedOn = (mapping: CsvMapping, ...rows: ReadonlyArray<string>) => {
    const { lines, pending, warnings } = one(mapping, header, ...rows)
    const dates = [lines, pending].map((some) => some.map(({ amount, booked_on }) => [amount, booked_on]))
    return [...dates, warnings.map(({ code }) => code)]
  }

  it("may have no date, where the mapping names them", () => {
    const rows = ["2026-01-31,10.00,COMPLETED", ",5.00,PENDING", "2026-01-31,6.00,PENDING"]
    expect(bookedOn(state, ...rows)).toEqual([
      [["10", "2026-01-31"]],
      [
        ["5", null],
        ["6", null]
      ],
      ["no_balances"]
    ])
    expect(refused(state, header, ",5.00,COMPLETED").place).toBe('line 2, column "Date"')
    expect(refused(state, header, "soon,5.00,PENDING").place).toBe('line 2, column "Date"')
    expect(refused(state, header, ",,PENDING").place).toBe('line 2, column "Amount"')
  })

  it("are those without a date at either end, where it names none, and a warning says so", () => {
    const rows = ["2026-01-31,10.00,a", "2026-01-30,11.00,b"]
    const taken = (...all: ReadonlyArray<string>) => bookedOn(unnamed, ...all)
    const booked = [
      ["10", "2026-01-31"],
      ["11", "2026-01-30"]
    ]
    const codes = ["assumed_pending", "no_balances"]
    expect(taken(",5.00,x", ...rows)).toEqual([booked, [["5", null]], codes])
    expect(taken(...rows, ",5.00,x")).toEqual([booked, [["5", null]], codes])
    expect(taken(",5.00,x", ",6.00,y")).toEqual([
      [],
      [
        ["5", null],
        ["6", null]
      ],
      codes
    ])
    const { warnings } = one(unnamed, header, ...rows, ",5.00,x", ",6.00,x")
    expect(warnings[0]).toEqual({
      code: "assumed_pending",
      message: "2 rows have no date: taken for pending, which no balance has.",
      place: "line 4"
    })
  })

  it("are not those without a date among others: these may be booked on the day above them", () => {
    expect(refused(unnamed, header, "2026-01-31,10.00,a", ",5.00,x", "2026-01-30,11.00,b")).toMatchObject({
      place: 'line 3, column "Date"',
      found: "nothing"
    })
  })

  it("are not those that have a balance, which no pending row has", () => {
    const mapping: CsvMapping = { ...running, columns: { ...running.columns } }
    const rows = ["2026-01-31,10,a,110", ",5,b,115"]
    expect(refused(mapping, "Date,Amount,Text,Balance", ...rows).place).toBe('line 3, column "Date"')
    const statement = one(mapping, "Date,Amount,Text,Balance", "2026-01-31,10,a,110", ",5,b,")
    expect([statement.closing_balance!.amount, statement.pending.length]).toEqual(["110", 1])
  })
})

covers("STATEMENT-8")
describe("rows of a CSV that continue the text of the row before", () => {
  const header = "Date,Text,More,Amount"
  const mapping: CsvMapping = {
    ...plain,
    columns: { booked_on: "Date", amount: "Amount", remittance: ["Text", "More"] }
  }
  const texts = (...rows: ReadonlyArray<string>) =>
    one(mapping, header, ...rows).lines.map(({ amount, place, remittance }) => [amount, remittance, place])

  it("are added to it", () => {
    expect(
      texts("2026-01-31,Payment,,5", ",to Jansen,invoice 17,", ",of January", "2026-01-31,,,6", ",a text alone,,")
    ).toEqual([
      ["5", "Payment to Jansen invoice 17 of January", "line 2"],
      ["6", "a text alone", "line 5"]
    ])
  })

  it("are warned of behind the last booking, where they may be the foot of the file", () => {
    const warned = (...rows: ReadonlyArray<string>) =>
      one(mapping, header, ...rows).warnings.filter(({ code }) => code !== "no_balances")
    const foot = one(mapping, header, "2026-01-31,Fee,,5", ',"Total of 1 booking, page 77",,')
    expect(foot.lines[0]!.remittance).toBe("Fee Total of 1 booking, page 77")
    expect(foot.warnings[0]).toEqual({
      code: "assumed_text",
      message:
        'A row stands behind the last booking with nothing but a text, "Total of 1 booking, page 77": taken for the rest of its text. Name what is none under `ignore`.',
      place: "line 3"
    })
    const [first, last] = ["2026-01-31,Payment,,5", "2026-01-31,Fee,,6"]
    expect(warned(first, ",to Jansen,,", ",invoice 17,,", last)).toEqual([])
    expect(warned(first, ",to Jansen,,", last, ",of January,,", ",Total,,", "")).toMatchObject([
      {
        code: "assumed_text",
        message: expect.stringMatching(/^2 rows stand behind .*"of January"/),
        place: "line 5"
      }
    ])
    const closing = { column: "Text", text: "Closing" }
    const closed = one({ ...mapping, closing }, header, first, ",Total,,", ",Closing,,5")
    expect(closed.warnings).toMatchObject([{ code: "assumed_text", place: "line 3" }, { code: "no_balances" }])
    const ignored: CsvMapping = { ...mapping, ignore: [{ column: "Text", text: "Total" }] }
    expect(one(ignored, header, first, ",Total,,").warnings).toMatchObject([{ code: "no_balances" }])
    // What is pending has a last row and a heading of its own.
    const pending = { ...mapping, pending: [{ column: "More", text: "Pending" }] }
    const parts = one(
      pending,
      header,
      first,
      ",a,,",
      last,
      ",Not booked:,,",
      ",Later,Pending,7",
      ",b,,",
      ",Last,Pending,7"
    )
    expect(parts.warnings).toMatchObject([{ code: "assumed_text", place: "line 5" }, { code: "no_balances" }])
  })

  it("are added to a row that is pending", () => {
    const pending = [{ column: "Text", text: "Pending" }]
    const statement = one({ ...mapping, pending }, header, ",Pending,,5", ",more,,", "2026-01-31,x,,6")
    expect([...statement.pending, ...statement.lines].map(({ remittance }) => remittance)).toEqual([
      "Pending more",
      "x"
    ])
  })

  it.each([
    ["stand first", [",text,,", "2026-01-31,x,,5"], 'line 2, column "Date"'],
    ["stand behind an empty row", ["2026-01-31,x,,5", "", ",text,,"], 'line 4, column "Date"'],
    ["stand behind a row of empty cells", ["2026-01-31,x,,5", ",,,", ",text,,"], 'line 4, column "Date"'],
    ["have more cells than the header", ["2026-01-31,x,,5", ",text,,,more"], "line 3"]
  ])("are refused where they %s", (_, rows, place) => {
    expect(refused(mapping, header, ...rows).place).toBe(place)
  })

  it("are refused behind a row that is ignored or has a balance", () => {
    const ignored: CsvMapping = { ...mapping, ignore: [{ column: "Text", text: "Total" }] }
    expect(refused(ignored, header, "2026-01-31,x,,5", ",Total,,5", ",text,,").place).toBe('line 4, column "Date"')
    const closed: CsvMapping = { ...mapping, closing: { column: "Text", text: "Closing" } }
    expect(refused(closed, header, "2026-01-31,x,,5", ",Closing,,5", ",text,,").place).toBe('line 4, column "Date"')
  })

  it("have nothing else that a line has, but for its currency and account", () => {
    const more: CsvMapping = {
      ...mapping,
      columns: { ...mapping.columns, code: "Code", currency: "Ccy", account: "Account", balance: "Balance" }
    }
    const wide = `${header},Code,Ccy,Account,Balance`
    const first = "2026-01-31,x,,5,c,EUR,123456,5"
    const of = (...rows: ReadonlyArray<string>) =>
      one(more, wide, first, ...rows).lines.map(({ remittance }) => remittance)
    expect(of(",y,,,,EUR,123456,", ",z,,,,,,")).toEqual(["x y z"])
    expect(refused(more, wide, first, ",y,,,,USD,123456,").place).toBe('line 3, column "Ccy"')
    expect(refused(more, wide, first, ",y,,,d,EUR,123456,").place).toBe('line 3, column "Date"')
    expect(refused(more, wide, first, ",y,,,,EUR,123456,5").place).toBe('line 3, column "Date"')
  })

  it("are no bookings that are cut off: an empty date or amount has ended before their text does", () => {
    const last: CsvMapping = { ...plain, columns: { remittance: "Text", amount: "Amount", booked_on: "Date" } }
    const behind = ["Text,Amount,Date", "x,5,2026-01-31"]
    expect(one(last, ...behind, "y,,").lines[0]!.remittance).toBe("x y")
    for (const row of ["y", "y,"])
      expect(refused(last, ...behind, row).found).toBe(row === "y" ? "a row of 1 cell" : "a row of 2 cells")
    const two: CsvMapping = { ...plain, columns: { remittance: 1, credit: 2, debit: 3, booked_on: 4 }, header: false }
    expect(refused(two, "x,5,,2026-01-31", "y,,").found).toBe("a row of 3 cells")
    expect(one(two, "x,5,,2026-01-31", "y,,,").lines[0]!.remittance).toBe("x y")
    expect(one(mapping, header, "2026-01-31,x,,5", ",y").lines[0]!.remittance).toBe("x y")
  })
})

covers("STATEMENT-8", "STATEMENT-2")
describe("a balance on some rows of a CSV", () => {
  const header = "Date,Amount,Text,Balance"
  const balancesOf = (...rows: ReadonlyArray<string>) => {
    const { closing_balance, lines, opening_balance, warnings } = one(running, header, ...rows)
    return [
      opening_balance?.amount,
      closing_balance?.amount,
      lines.map(({ remittance }) => remittance).join(""),
      warnings
    ]
  }

  it.each([
    ["on the last of each day", ["30,5,a,", "30,1,b,106", "31,-2,c,", "31,3,d,107"], ["100", "107", "abcd"]],
    [
      "on the last of each day, newest first",
      ["31,3,d,107", "31,-2,c,", "30,1,b,106", "30,5,a,"],
      ["100", "107", "abcd"]
    ],
    ["in the middle of two days", ["30,5,a,", "31,1,b,106", "31,-2,c,"], ["100", "104", "abc"]],
    ["on the first of one day", ["31,428.03,a,528.03", "31,29.5,b,", "31,-512,c,45.53"], ["100", "45.53", "abc"]],
    ["on the last of one day", ["31,5,a,", "31,1,b,106"], ["100", "106", "ab"]],
    ["on the last of one day, which stands first", ["31,1,b,106", "31,5,a,"], ["100", "106", "ab"]]
  ])("stands %s: opening and closing balance follow", (_, rows, expected) => {
    expect(balancesOf(...rows.map((row) => `2026-01-${row}`))).toEqual([...expected, []])
  })

  it.each([
    ["in the middle", ["31,5,a,", "31,1,b,106", "31,-2,c,"]],
    ["at both ends, of a payment and its return", ["31,5,a,105", "31,-5,b,100"]]
  ])("says neither where one day's rows fit in either order: %s", (_, rows) => {
    const [opening, closing, , warnings] = balancesOf(...rows.map((row) => `2026-01-${row}`))
    expect([opening, closing, warnings]).toMatchObject([
      undefined,
      undefined,
      [{ code: "no_balances", place: "line 2" }]
    ])
  })

  it("must follow on the one before with the amounts since", () => {
    const rows = ["2026-01-30,5,a,105", "2026-01-30,1,b,", "2026-01-31,-2,c,104.01"]
    expect(refused(running, header, ...rows)).toMatchObject({ place: 'line 4, column "Balance"', found: '"104.01"' })
    expect(refused(running, header, "2026-01-30,5,a,", "2026-01-31,-2,b,").taken).toBe("the balance after the row")
  })
})

covers("STATEMENT-1")
describe("a file that is no statement", () => {
  const bytes = (...parts: ReadonlyArray<string | number>) =>
    Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : [...bytesOf(part)])))
  const zip = (...names: ReadonlyArray<string>) => bytes("PK", 3, 4, 20, 0, ...names)
  it.each([
    ["a ZIP archive", zip("statement.xml"), "unpack it"],
    ["a ZIP archive", bytes("PK", 5, 6), "unpack it"],
    ["a workbook of a spreadsheet (XLSX)", zip("[Content_Types].xml"), "save the sheet as one"],
    ["a workbook of a spreadsheet (XLSX)", zip("xl/workbook.xml"), "save the sheet as one"],
    ["a document of an office program (ODS)", zip("mimetypeapplication/vnd.oasis.opendocument.x"), "a CSV"],
    ["a document of an office program (XLS)", bytes(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1), "a CSV"],
    ["a gzip archive", bytes(0x1f, 0x8b, 8), "unpack it"],
    ["a 7z archive", bytes("7z", 0xbc, 0xaf, 0x27, 0x1c), "unpack it"],
    ["a RAR archive", bytes("Rar!", 0x1a, 7), "unpack it"],
    ["a PDF document", bytes("%PDF-1.7"), "camt, MT940, BAI2 or CSV"],
    ["an image", bytes(0x89, "PNG"), "a file for programs"],
    ["an image", bytes(0xff, 0xd8, 0xff), "a file for programs"],
    ["an RTF document", bytes("{\\rtf1"), "a file for programs"],
    [
      "a page of a website (<html>), as of a session that has ended",
      bytes("\ufeff\n<!DOCTYPE html><html>"),
      "an export"
    ],
    ["an OFX file", bytes("OFXHEADER:100"), "an export"],
    ["an OFX file", bytes('<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?><OFX>'), "an export"],
    ["a QIF file", bytes("!Type:Bank\nD1/2"), "an export"]
  ])("is refused by its name, %s", (found, file, taken) => {
    for (const given of [undefined, options(plain), { format: "mt940" as const }])
      expect(refusalOf(file, given)).toMatchObject({ place: "line 1", found, taken: expect.stringContaining(taken) })
    expect(() => decodeTable(file)).toThrow(found)
  })
})

covers("STATEMENT-17", "STATEMENT-8")
describe("a line that names the separator", () => {
  const mapping: CsvMapping = { ...plain, separator: ";", header: false, columns: { booked_on: 1, amount: 2 } }
  it.each(["sep=;", '"sep=;"', "SEP=;"])("is none of the rows: %s", (line) => {
    const { lines } = one(mapping, line, "2026-01-31;5", "2026-01-31;6")
    expect(lines.map(({ place }) => place)).toEqual(["line 2", "line 3"])
  })
  it("is refused where the mapping has another", () => {
    expect(refused(plain, "sep=;", "Date,Amount,Text", "2026-01-31,5,x")).toMatchObject({
      place: "line 1",
      found: 'the separator ";"',
      taken: '","'
    })
  })
})

it("the line of a row is its first, after cells with line breaks of any kind", () => {
  const file = ["Date,Amount,Text", '2026-01-31,1,"a\r\nb"', "", '2026-01-31,2,"a\nb\r\nc"', "2026-01-31,3,x"].join(
    "\r\n"
  )
  expect(read(file, options(plain))[0]!.lines.map(({ place }) => place)).toEqual(["line 2", "line 5", "line 8"])
  expect(refusalOf(`${file}\r\n2026-01-31,3,"x`, options(plain)).place).toBe("line 9")
})

covers("STATEMENT-17")
describe("a CSV that is sent back edited", () => {
  const rowsIn = (text: string) => readTable(text).rows.map(({ cells, line }) => [line, ...Object.values(cells)])
  const refusalIn = (text: string) => {
    try {
      readTable(text)
    } catch (fault) {
      if (fault instanceof UnreadableStatement) return [fault.place, fault.found]
      throw fault
    }
    throw new Error("the file was read")
  }
  const rows = [
    [3, "1", "2"],
    [6, "3", "4"]
  ]
  it.each([",", ";", "\t"])("may have %j between its cells, and empty rows and columns", (between) => {
    const file = ["", "a,b,,", "1,2,,", " ,,,", "", "3,4,,", ",,,", ""].join("\r\n").replaceAll(",", between)
    expect(readTable(file).columns).toEqual(["a", "b"])
    expect(rowsIn(file)).toEqual(rows)
    expect(rowsIn(file.replaceAll("\r\n", "\r"))).toEqual(rows)
    expect(rowsIn(`\ufeff${file}`)).toEqual(rows)
  })
  it.each(["|", ","])("may name %j between its cells in its first line", (between) => {
    const file = ["a,b", "1,2", "", "", "3,4"].join("\n").replaceAll(",", between)
    expect(rowsIn(`sep=${between}\n${file}`)).toEqual(rows)
    expect(rowsIn(`\ufeffsep=${between}\n${file}`)).toEqual(rows)
  })
  it("may lack the separators of empty cells at the end of a row", () => {
    expect(rowsIn("a,b,c\n1,2\n3,4,5\n6\n")).toEqual([
      [2, "1", "2"],
      [3, "3", "4", "5"],
      [4, "6"]
    ])
  })
  it.each([
    ["nothing", "\n,,\n", ["line 1", "an empty file"]],
    ["a last row that is cut off", "a,b\n1,2\n\n3", ["line 4", "a row of 1 cell"]],
    ["a cell behind the last column", "a,b\n1,2,\n3,4,5\n", ["line 3", 'a cell "5" behind the last column']],
    ["a column twice", "\na,b,a\n", ["line 2", 'a header in which the column "a" is there twice']],
    ["a quote within a cell", 'a,b\n1,"2\r\n"\n3,4 "x"\n', ["line 4", expect.stringContaining("a row that is no CSV")]]
  ])("is refused for %s", (_, text, expected) => {
    expect(refusalIn(text)).toEqual(expected)
  })
  it.each([
    ["utf-8", (text: string) => bytesOf(text)],
    ["UTF-16", (text: string) => Buffer.from(text, "utf16le")],
    ["utf-16be", (text: string) => Buffer.from(text, "utf16le").swap16()],
    ["windows-1252", (text: string) => Buffer.from(text, "latin1")],
    ["ISO-8859-1", (text: string) => Buffer.from(text, "latin1")]
  ])("is read in %s, where that is named", (charset, encode) => {
    expect(decodeTable(encode("Jos\u00e9"), charset)).toBe("Jos\u00e9")
    const marked = { "utf-8": true, "UTF-16": true, "utf-16be": true }[charset]
    if (marked) expect(decodeTable(encode("\ufeffJos\u00e9"), "windows-1252")).toBe("Jos\u00e9")
  })
  it("is refused in an encoding that nothing has, and for bytes that are not of its own", () => {
    expect(() => decodeTable(bytesOf("a"), "klingon")).toThrow('line 1: found the encoding "klingon"')
    const latin = Buffer.from("a\nJos\u00e9\n", "latin1")
    expect(() => decodeTable(latin)).toThrow("line 2: found bytes that are not utf-8, where text in utf-8 is taken")
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
    const breaks = ["a\nb", "a\rb", "a\r\nb"]
    expect(readTable(writeCsv(breaks, [breaks])).rows.map(({ cells }) => Object.values(cells))).toEqual([breaks])
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
