/** Readers of MT940 and MT942. */
import { describe, expect, it } from "vitest"
import { covers } from "../support/repository/covers.ts"
import { startProcessing } from "../support/repository/processing.ts"
import { readStatements } from "../../src/statements/index.ts"
import { bytesOf, mt940, read, refusalOf } from "../support/statements/samples.ts"

const lineOf = (booking: string, details: ReadonlyArray<string>, closing: string) =>
  read(
    mt940([`:61:${booking}`, ...details], {
      closing: `${closing.startsWith("-") ? "D" : "C"}260131EUR${closing.replace("-", "")}`
    })
  )[0]!.lines[0]!

const mt942 = (lines: ReadonlyArray<string>) =>
  [":20:REF2", ":25:DE89370400440532013000", ":28C:4/1", ":34F:EUR0,", ":13D:2601311200+0100", ...lines, "-"].join("\n")

covers("STATEMENT-6", "STATEMENT-4")
describe("an MT940", () => {
  it.each([
    ["5/1", "5"],
    ["00005/00001", "00005"],
    ["5/2", "5/2"],
    ["00005/00002", "00005/00002"],
    ["5", "5"],
    ["0/1", "0"]
  ])("of the number %s has it with its page where that is not the first: %s", (stated, number) => {
    expect(read(mt940([]).replace(/:28C:.*/, `:28C:${stated}`))[0]!.number).toBe(number)
  })

  it("has its lines with both dates, its references and the text", () => {
    const [statement] = read(
      mt940([":61:2601310201C1000,5NTRFORDER17//BANK99", "Supplement", ":86:Payment of", "invoice 17"], {
        closing: "C260131EUR1000,50"
      })
    )
    expect(statement).toEqual({
      format: "mt940",
      message_id: "REF1",
      number: "1",
      account: { identifiers: [{ scheme: "iban", value: "DE89370400440532013000" }], currency: null, bank: null },
      currency: "EUR",
      from: "2026-01-31",
      to: "2026-01-31",
      made_at: null,
      opening_balance: { date: "2026-01-30", amount: "0" },
      closing_balance: { date: "2026-01-31", amount: "1000.5" },
      lines: [
        {
          booked_on: "2026-02-01",
          value_on: "2026-01-31",
          direction: "credit",
          amount: "1000.5",
          currency: "EUR",
          bank_reference: "BANK99",
          end_to_end_id: "ORDER17",
          uetr: null,
          transaction_hash: null,
          counterparty: { name: null, account: null },
          remittance: "Payment of invoice 17 Supplement",
          code: "NTRF",
          reversal: false,
          place: "line 5"
        }
      ],
      pending: [],
      warnings: [],
      place: "line 1"
    })
  })

  it.each([
    ["C", "credit", false, "1,"],
    ["D", "debit", false, "-1,"],
    ["RC", "debit", true, "-1,"],
    ["RD", "credit", true, "1,"],
    // The third letter of the currency.
    ["CR", "credit", false, "1,"],
    ["DR", "debit", false, "-1,"],
    ["RCR", "debit", true, "-1,"]
  ])("takes the mark %s for a %s", (mark, direction, reversal, closing) => {
    expect(lineOf(`260131${mark}1,NTRFNONREF`, [], closing)).toMatchObject({ direction, reversal, end_to_end_id: null })
  })

  it("keeps what is expected apart", () => {
    const [statement] = read(mt940([":61:260131EC5,NTRFNONREF", ":61:260131ED6,NTRFNONREF"]))
    expect(statement!.pending.map(({ booked_on, direction }) => [booked_on, direction])).toEqual([
      [null, "credit"],
      [null, "debit"]
    ])
  })

  it.each([
    ["260102", "1231", "2025-12-31"],
    ["251231", "0102", "2026-01-02"],
    ["240301", "0229", "2024-02-29"],
    ["260131", "    ", "2026-01-31"],
    ["991231", "0101", "2000-01-01"],
    // Months from the value date, the statement of the day says which year it is.
    ["250301", "0131", "2026-01-31"],
    ["261031", "0131", "2026-01-31"],
    ["210701", "0131", "2026-01-31"]
  ])("takes for value date %s and entry date %s the day %s", (value, entry, booked_on) => {
    expect(lineOf(`${value}${entry}C1,NTRFNONREF`, [], "1,").booked_on).toBe(booked_on)
  })

  it("that is a report has the entry dates of its day", () => {
    const [report] = read(mt942([":61:2503010131C1,NTRFNONREF", ":61:2601300130C1,NTRFNONREF"]))
    expect(report!.lines.map(({ booked_on }) => booked_on)).toEqual(["2026-01-31", "2026-01-30"])
  })

  it("reads the fields of Germany, cut anywhere", () => {
    const details = [
      ":86:166?00GUTSCHRIFT?109300?20EREF+E2E-17?21KREF+OURS1?22SVWZ+Rechnung 17 vom ",
      "Januar?23 2026?30COBADEFFXXX?31DE8937040044053201",
      "3000?32Erika Muster?33mann?34000"
    ]
    expect(lineOf("260131C1,N166NONREF", details, "1,")).toMatchObject({
      end_to_end_id: "E2E-17",
      counterparty: { name: "Erika Mustermann", account: "DE89370400440532013000" },
      remittance: "Rechnung 17 vom Januar 2026 OURS1"
    })
  })

  it("keeps text that has the sign of the fields", () => {
    const details = [":86:166?00GUTSCHRIFT?20SVWZ+Paid? Ref?21? K7Q2M9X4W1B8T6ZN?32Who?"]
    expect(lineOf("260131C1,N166NONREF", details, "1,")).toMatchObject({
      counterparty: { name: "Who?" },
      remittance: "Paid? Ref? K7Q2M9X4W1B8T6ZN"
    })
  })

  it("reads the fields of the Netherlands", () => {
    const details = [":86:/EREF/E2E-18/IBAN/NL91ABNA0417164300/NAME/J JANS", "EN/REMI/Factuur 18/ISDT/2026-01-31"]
    expect(lineOf("260131D1,N102EREF", details, "-1,")).toMatchObject({
      end_to_end_id: "E2E-18",
      counterparty: { name: "J JANSEN", account: "NL91ABNA0417164300" },
      remittance: "Factuur 18"
    })
    const ing = [":86:/EREF/X1//CNTP/NL20INGB0001234567/INGBNL2A/De Winkel///REMI/USTD//Bestelling 9/"]
    expect(lineOf("260131D1,N102EREF", ing, "-1,")).toMatchObject({
      end_to_end_id: "X1",
      counterparty: { name: "De Winkel", account: "NL20INGB0001234567" },
      remittance: "Bestelling 9"
    })
  })

  it("takes text that looks like a field for text, and several :86: of a line for one", () => {
    const details = [":86:Order of 12:07", ":12:08 delivered", "", ":86:second"]
    expect(lineOf("260131C1,NTRFNONREF", details, "1,").remittance).toBe("Order of 12:07 :12:08 delivered second")
  })

  it("takes lines of a text that begin with a dash for text: a message ends with its closing balance", () => {
    const details = [":86:Period 01-01-2026/31-01-2026 -", "-", "- second half", "-EUR"]
    expect(lineOf("260131C1,NTRFNONREF", details, "1,").remittance).toBe(
      "Period 01-01-2026/31-01-2026 - - - second half -EUR"
    )
  })

  it("reads what follows a reference of 16 characters as text", () => {
    expect(lineOf("260131D1,N0440121470966      W.P. Jansen", [], "-1,")).toMatchObject({
      end_to_end_id: "0121470966",
      code: "N044",
      remittance: "W.P. Jansen"
    })
  })

  it.each([
    [":61:2601310131D12,35 NRTIKREF+//B1", "NRTI", null, "B1"],
    [":61:2601310131DR12,35NTRFA-1//B1", "NTRF", "A-1", "B1"],
    [":61:2601310131DN12,35//B1", null, null, "B1"]
  ])("reads a line as some banks write it: %s", (line, code, end_to_end_id, bank_reference) => {
    const [statement] = read(mt940([line], { closing: "D260131EUR12,35" }))
    expect(statement!.lines).toMatchObject([
      { amount: "12.35", direction: "debit", code, end_to_end_id, bank_reference }
    ])
  })

  it("leaves two identical bookings two", () => {
    const [statement] = read(mt940([":61:260131C1,NTRFX//Y", ":61:260131C1,NTRFX//Y"], { closing: "C260131EUR2," }))
    expect(statement!.lines).toHaveLength(2)
  })

  it.each([
    ["DE89370400440532013000EUR", [["iban", "DE89370400440532013000"]], null, "EUR"],
    [
      "37040044/532013000EUR",
      [
        ["bban", "37040044/532013000"],
        ["account_number", "532013000"]
      ],
      "37040044",
      "EUR"
    ],
    ["COBADEFF/DE89370400440532013000", [["iban", "DE89370400440532013000"]], "COBADEFF", null],
    ["1291.99.348", [["account_number", "1291.99.348"]], null, null]
  ])("reads the account %s", (number, identifiers, bank, currency) => {
    const [statement] = read(mt940([], { account: number }))
    expect(statement!.account).toEqual({
      identifiers: identifiers.map(([scheme, value]) => ({ scheme, value })),
      bank,
      currency
    })
  })

  it("is read within the blocks of the network, with any line breaks and without an end", () => {
    const plain = mt940([":61:260131C1,NTRFNONREF"], { closing: "C260131EUR1," })
    const blocks = (text: string) =>
      `{1:F01BANKDEFFAXXX0000000000}{2:O9401200260131BANKDEFFAXXX00000000002601311200N}{4:\r\n${text.replace(/-\r\n$/, "-}{5:{CHK:123}}")}`
    const [expected] = read(plain)
    for (const text of [
      `${blocks(plain)}${blocks(plain)}`,
      plain.replaceAll("\r\n", "\n") + plain,
      `\u0001\r\n${plain.replaceAll("\r\n", "\r")}${plain.replace("-\r\n", "")}`
    ])
      expect(read(text).map(({ lines }) => lines.map(({ amount }) => amount))).toEqual([["1"], ["1"]])
    expect(expected!.lines).toHaveLength(1)
  })

  it.each([
    ["windows-1252", (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))],
    ["utf-8", bytesOf],
    ["utf-16", (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"))]
  ])("is read in %s", (_, encode) => {
    const text = mt940([":61:260131C1,NTRFNONREF", ":86:M\u00fcller"], { closing: "C260131EUR1," })
    expect(readStatements(encode(text))[0]!.lines[0]!.remittance).toBe("M\u00fcller")
  })

  it("joins pages of each account, in whatever order the accounts come", () => {
    const page = (
      account: string,
      first: string,
      last: string,
      opening: string,
      closing: string,
      lines: ReadonlyArray<string>
    ) => mt940(lines, { account, first, last, opening: `C260131EUR${opening}`, closing: `C260131EUR${closing}` })
    const file = [
      page("111", "60F", "62M", "1,", "2,", [":61:260131C1,NTRFA"]),
      page("222", "60F", "62M", "5,", "4,", [":61:260131D1,NTRFB"]),
      page("111", "60M", "62M", "2,", "3,", [":61:260131C1,NTRFC"]),
      page("222", "60M", "62F", "4,", "4,", []),
      page("111", "60M", "62F", "3,", "9,", [":61:260131C6,NTRFD"])
    ].join("")
    expect(
      read(file).map(({ closing_balance, lines, opening_balance }) => [
        opening_balance!.amount,
        lines.length,
        closing_balance!.amount
      ])
    ).toEqual([
      ["5", 1, "4"],
      ["1", 3, "9"]
    ])
    const [first = "", , , , last = ""] = file.split(/(?<=-\r\n)/)
    expect(refusalOf(first).found).toBe(":62M: without the next page")
    expect(refusalOf(last).found).toBe(":60M:")
    expect(refusalOf(first + last).found).toBe("a page that opens with 3")
  })

  it("joins thousands of pages in a time that follows their lines: a message of the network has fifteen", () => {
    const [pages, per] = [2000, 15]
    const file = Array.from({ length: pages }, (_, at) =>
      mt940(
        Array.from({ length: per }, () => ":61:260131C1,NTRFNONREF"),
        {
          first: at === 0 ? "60F" : "60M",
          last: at === pages - 1 ? "62F" : "62M",
          opening: `C260131EUR${at * per},`,
          closing: `C260131EUR${(at + 1) * per},`
        }
      )
    ).join("")
    const processed = startProcessing()
    const [statement, ...others] = read(file)
    expect([statement!.lines.length, statement!.closing_balance!.amount, others]).toEqual([30_000, "30000", []])
    // Twenty times as long as it takes; each page summed with all before it took as long again.
    expect(processed()).toBeLessThan(8000)
  })

  const good = mt940([":61:260131C1,NTRFNONREF"], { closing: "C260131EUR1," })
  it.each([
    ["no opening balance", good.replace(/:60F:.*\r\n/, ""), "line 1", "without it"],
    ["no closing balance", good.replace(/:62F:.*\r\n/, ""), "line 1", "without it"],
    ["no account", good.replace(/:25:.*\r\n/, ""), "line 1", "without it"],
    ["an empty account", good.replace(/:25:.*\r\n/, ":25:\r\n"), "line 2", ":25: with nothing"],
    ["a closing balance that is missed", good.replace("C260131EUR1,", "C260131EUR1,01"), "line 6", "1.01"],
    ["30 February", good.replace("260131C", "260230C"), "line 5", "260230"],
    ["an entry date outside the calendar", good.replace("260131C", "2601310230C"), "line 5", "0230"],
    ["an entry date that its year does not have", good.replace("260131C", "2503010229C"), "line 5", "0229"],
    ["an amount without a comma", good.replace("C1,", "C1"), "line 5", "C1NTRF"],
    ["an amount with a point", good.replace("C1,", "C1.00"), "line 5", "C1.00"],
    ["another mark", good.replace("C1,", "X1,"), "line 5", "X1,"],
    ["a balance without a comma", good.replace("EUR1,", "EUR1"), "line 6", '"1"'],
    ["a balance of a day outside the calendar", good.replace("C260130", "C260132"), "line 4", "260132"],
    ["an opening balance without a currency", good.replace("C260130EUR", "C260130"), "line 4", "C2601300,00"],
    ["a closing balance in another currency", good.replace("EUR1,", "USD1,"), "line 6", "a balance in USD"],
    ["a second account", good.replace(":28C:", ":25:1\r\n:28C:"), "line 3", "twice"],
    [
      "a line after the closing balance",
      good.replace("-\r\n", ":61:260131C1,NTRFX\r\n-\r\n"),
      "line 7",
      "after the closing"
    ],
    ["a line outside a message", `${good}:61:260131C1,NTRFX`, "line 8", "outside a message"],
    [
      "a message of another type",
      `{1:F01BANKDEFFAXXX0000000000}{2:I103BANKDEFFXXXXN}{4:\r\n${good}`,
      "line 1",
      "MT103"
    ],
    [
      "a block that is cut off",
      `{1:F01BANKDEFFAXXX0000000000}{4:\r\n${good.replace("-\r\n", "")}`,
      "the end",
      "cut off"
    ]
  ])("is refused for %s", (_, file, place, found) => {
    const refusal = refusalOf(file)
    expect(refusal.place).toContain(place)
    expect(refusal.found).toContain(found)
  })
})

covers("STATEMENT-6")
describe("an MT940 as some banks write it", () => {
  const plain = mt940([":61:2601310131C1,NTRFA-1", ":86:Invoice 17", "of January"], { closing: "C260131EUR1," })
  const [expected] = read(plain)

  it("may have no :20:, and begin with its account", () => {
    const bare = plain.replace(/^:20:.*\r\n/, "")
    const lower = (text: string) =>
      read(text).map(({ lines, message_id }) => [message_id, lines.map(({ remittance }) => remittance)])
    const lines = ["Invoice 17 of January"]
    expect(lower(bare)).toEqual([[null, lines]])
    expect(lower(bare + bare)).toEqual([
      [null, lines],
      [null, lines]
    ])
    expect(lower(bare.replace(/-\r\n$/, "") + bare)).toEqual([
      [null, lines],
      [null, lines]
    ])
    expect(lower(plain.replace(/-\r\n$/, "") + bare)).toEqual([
      ["REF1", lines],
      [null, lines]
    ])
    expect(read(`ABNANL2A\r\n940\r\nABNANL2A\r\n${bare}`)[0]!.lines).toHaveLength(1)
    expect(refusalOf(bare.replace(":28C:", ":25:1\r\n:28C:")).found).toBe(":25: twice in a message")
    expect(refusalOf(bare.replace(/:25:.*\r\n/, "")).found).toBe(":28C: outside a message")
  })

  it("may have @@ for its line breaks, as FinTS hands it out", () => {
    const text = plain.replaceAll("\r\n", "@@")
    expect(read(text)).toEqual([expected])
    expect(read(`@@${text}${text}`)).toHaveLength(2)
    expect(refusalOf(text.replace("C1,N", "C1N")).place).toBe("line 5")
    // In the text of a booking it is no line break.
    const at = mt940([":61:260131C1,NTRFX", ":86:mail@@:86:x"], { closing: "C260131EUR1," })
    expect(read(at)[0]!.lines[0]!.remittance).toBe("mail@@:86:x")
  })

  it.each([
    ["in a message", mt940([], { first: "60M" }), "line 4"],
    ["alone", ":60M:C260130EUR0,\r\n:61:260131C1,NTRFX\r\n:62F:C260131EUR1,\r\n", "line 1"]
  ])("is refused by its name for a last page %s", (_, file, place) => {
    expect(refusalOf(file)).toMatchObject({
      place,
      found: ":60M:",
      taken: "a statement from its first page (:60F:) to its last (:62F:) in one file"
    })
  })
})

covers("STATEMENT-16")
describe("the days of an MT940", () => {
  it.each([
    ["of the day before", "C260130EUR0,", "0130"],
    ["of the day of the export, after the lines", "C260210EUR0,", "0130"],
    ["of its own day", "C260131EUR0,", "0130"],
    ["before a line that is booked after the closing balance", "C260130EUR0,", "0202"]
  ])("are those of its entries to its closing balance, with an opening balance %s", (_, opening, entry) => {
    const [{ from, opening_balance, to } = expect.fail()] = read(
      mt940([`:61:260131${entry}C1,NTRFX`, ":61:2601310131C1,NTRFX"], { opening, closing: "C260131EUR2," })
    )
    expect([from, to]).toEqual([entry === "0130" ? "2026-01-30" : "2026-01-31", "2026-01-31"])
    expect(opening_balance!.date).toBe(`20${opening.slice(1, 3)}-${opening.slice(3, 5)}-${opening.slice(5, 7)}`)
  })

  it("are that of its closing balance where nothing was booked, and those of all its pages", () => {
    expect(read(mt940([]))[0]).toMatchObject({ from: "2026-01-31", to: "2026-01-31" })
    const page = (first: string, last: string, day: string, opening: string, closing: string) =>
      mt940([`:61:26${day}C1,NTRFX`], {
        first,
        last,
        opening: `C260101EUR${opening}`,
        closing: `C26${day}EUR${closing}`
      })
    const file = page("60F", "62M", "0130", "0,", "1,") + page("60M", "62F", "0131", "1,", "2,")
    expect(read(file)).toMatchObject([{ from: "2026-01-30", to: "2026-01-31" }])
  })

  it("and when it was made, where it says so", () => {
    const [statement] = read(mt940([]).replace(":60F:", ":13D:2601312330-0130\r\n:60F:"))
    expect(statement!.made_at).toBe("2026-02-01T01:00:00.000Z")
    expect(read(mt940([]).replace(":60F:", ":13:2601312330\r\n:60F:"))[0]!.made_at).toBe("2026-01-31T23:30:00.000Z")
  })
})

covers("STATEMENT-16")
it("an MT942 speaks of the days from its first entry to its own, and says when it was made", () => {
  const lines = [":61:2601300130C1,NTRFX", ":61:2601310131C1,NTRFX"]
  expect(read(mt942(lines))).toMatchObject([
    { from: "2026-01-30", to: "2026-01-31", made_at: "2026-01-31T11:00:00.000Z" }
  ])
  const empty = mt942([":90D:0EUR0,", ":90C:0EUR0,"])
  expect(read(empty)).toMatchObject([{ from: "2026-01-31", to: "2026-01-31" }])
  expect(read(empty.replace(/:13D:.*\n/, ""))).toMatchObject([{ from: null, to: null, made_at: null }])
  expect(read(mt942(lines).replace(/:13D:.*\n/, ""))).toMatchObject([{ from: "2026-01-30", to: "2026-01-31" }])
  expect(read(mt942(lines).replace("1200+0100", ""))).toMatchObject([{ to: "2026-01-31", made_at: null }])
})

covers("STATEMENT-6")
describe("an MT942", () => {
  it("has its lines and no balances", () => {
    const [report] = read(mt942([":61:2601310131D3,NTRFX//B1", ":90D:1EUR3,", ":90C:0EUR0,"]))
    expect([report!.format, report!.from, report!.number, report!.currency, report!.lines.length]).toEqual([
      "mt942",
      "2026-01-31",
      "4",
      "EUR",
      1
    ])
    expect(report!.warnings.map(({ code }) => code)).toEqual(["no_balances"])
  })

  it("may have no line where its totals count none", () => {
    expect(read(mt942([":90D:0EUR0,", ":90C:0EUR0,"]))[0]!.lines).toEqual([])
    expect(refusalOf(mt942([])).found).toBe("no entry")
  })

  it("is refused for totals that are not those of its lines, except above a floor", () => {
    const lines = [":61:2601310131D3,NTRFX//B1", ":90D:1EUR3,01"]
    expect(refusalOf(mt942(lines)).place).toBe("line 7")
    expect(read(mt942(lines).replace("EUR0,", "EUR100,"))[0]!.warnings.map(({ code }) => code)).toEqual([
      "line_count",
      "no_balances"
    ])
    expect(read(mt942([":61:2601310131D3,NTRFX//B1", ":90D:2EUR3,"]))[0]!.warnings.map(({ code }) => code)).toEqual([
      "line_count",
      "no_balances"
    ])
    expect(refusalOf(mt942([":61:2601310131D3,NTRFX//B1", ":90D:1USD3,"])).found).toBe("a total in USD")
  })

  it("keeps lines of a text that begin with a dash and go on", () => {
    const details = [
      ":61:2601310131C1,NTRFX",
      ":86:Invoice 17",
      "- second half",
      ":61:2601310131C1,NTRFY",
      ":86:Y",
      "-  "
    ]
    const [report] = read(mt942(details))
    expect(report!.lines.map(({ remittance }) => remittance)).toEqual(["Invoice 17 - second half", "Y"])
  })

  it("has one total of each side: each one was held against all lines", () => {
    const lines = [":61:2601310131C1,NTRFX", ":90C:1EUR1,", ":90C:1EUR1,"]
    expect([refusalOf(mt942(lines)).place, refusalOf(mt942(lines)).found]).toEqual([
      "line 8",
      ":90C: twice in a message"
    ])
  })

  it("is refused for a floor, a total or a time that it cannot have", () => {
    expect(refusalOf(mt942([":90D:EUR3"])).found).toContain(":90D:")
    expect(refusalOf(mt942([":90D:0EUR0,"]).replace("EUR0,", "EURO")).found).toContain(":34F:")
    expect(refusalOf(mt942([":90D:0EUR0,"]).replace("2601311200", "2613311200")).found).toContain("261331")
    expect(refusalOf([":20:A", ":25:1", ":13D:2601311200+0100", "-"].join("\n")).taken).toContain("a currency")
  })
})
