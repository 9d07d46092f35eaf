/** The reader of BAI2. */
import { describe, expect, it } from "vitest"
import { covers } from "../support/repository/covers.ts"
import { bai2, read, refusalOf } from "../support/statements/samples.ts"

const balances = (opening: number, closing: number) => `0975312468,USD,010,${opening},,,015,${closing},,`

covers("STATEMENT-7")
describe("a BAI2 file", () => {
  it.each([
    ["", false],
    ["1", true],
    ["2", false],
    ["3", true],
    ["4", false]
  ])("is an interim report by its as-of date modifier: %s", (modifier, isInterim) => {
    const text = bai2(balances(100, 100), [], "200", { records: 2 })
    const group = /^02,.*$/m.exec(text)![0]
    const [, receiver, originator, status, date, time, currency] = group.replace("/", "").split(",")
    const given = ["02", receiver, originator, status, date, time, currency ?? "", modifier].join(",")
    const [one] = read(text.replace(group, `${given}/`))
    expect([one!.interim ?? false, one!.warnings.some(({ code }) => code === "interim")]).toEqual([
      isInterim,
      isInterim
    ])
  })

  it("has lines in cents, with their text and their references", () => {
    const details = [
      "16,142,150,V,260202,1200,BANKREF,OURREF,ACH CREDIT, ACME, INC/",
      "88,INVOICE 17",
      "16,495,100050,Z,,NONREF,WIRE OUT/"
    ]
    const [statement] = read(bai2(balances(100000, 100), details, "200300", { records: 5 }))
    expect(statement).toMatchObject({
      format: "bai2",
      message_id: "7",
      account: { identifiers: [{ scheme: "account_number", value: "0975312468" }], currency: "USD", bank: "121000248" },
      from: "2026-01-31",
      to: "2026-01-31",
      made_at: "2026-02-01T06:00:00.000Z",
      opening_balance: { amount: "1000" },
      closing_balance: { amount: "1" },
      warnings: []
    })
    expect(statement!.lines).toEqual([
      {
        booked_on: "2026-01-31",
        value_on: "2026-02-02",
        direction: "credit",
        amount: "1.5",
        currency: "USD",
        bank_reference: "BANKREF",
        end_to_end_id: "OURREF",
        uetr: null,
        transaction_hash: null,
        counterparty: { name: null, account: null },
        remittance: "ACH CREDIT, ACME, INC INVOICE 17",
        code: "142",
        reversal: false,
        place: "line 4"
      },
      expect.objectContaining({
        direction: "debit",
        amount: "1000.5",
        bank_reference: null,
        end_to_end_id: null,
        remittance: "WIRE OUT"
      })
    ])
  })

  covers("STATEMENT-16")
  it.each([
    ["2400", "2026-02-02T00:00:00.000Z"],
    ["600", "2026-02-01T06:00:00.000Z"],
    ["", "2026-02-01T00:00:00.000Z"],
    ["noon", null]
  ])("says when it was made: at %j", (time, made_at) => {
    const file = bai2(balances(0, 0), [], "0").replace("260201,0600", `260201,${time}`)
    expect(read(file)[0]!.made_at).toBe(made_at)
    expect(read(file.replace("260201", "260230"))[0]!.made_at).toBeNull()
  })

  it("reads a summary that continues, and funds of every type", () => {
    const details = [
      "88,S,1,2,3,015,600,,/",
      "16,195,100,D,2,0,60,1,40,A,B,TEXT/",
      "16,195,100,S,1,2,3,C,D,TEXT/",
      "16,409,0,0,E,F,TEXT/"
    ]
    const [statement] = read(bai2("0975312468,,010,400,", details, "1200", { records: 6 }))
    expect(statement!.lines.map(({ bank_reference, remittance }) => [bank_reference, remittance])).toEqual([
      ["A", "TEXT"],
      ["C", "TEXT"],
      ["E", "TEXT"]
    ])
  })

  it.each([
    ["JPY", "1234", "1234"],
    ["KWD", "1234", "1.234"],
    ["CLF", "1234", "0.1234"],
    ["EUR", "7", "0.07"]
  ])("takes the decimals of %s, from the group", (currency, cents, amount) => {
    const [statement] = read(bai2("1", [`16,142,${cents},,,,`], cents, { currency }))
    expect([statement!.currency, statement!.lines[0]!.amount]).toEqual([currency, amount])
  })

  it.each([
    ["100", "credit"],
    ["399", "credit"],
    ["920", "credit"],
    ["400", "debit"],
    ["699", "debit"],
    ["999", "debit"]
  ])("takes the type %s for a %s", (type, direction) => {
    expect(read(bai2("1", [`16,${type},5,,,,`], "5"))[0]!.lines[0]!.direction).toBe(direction)
  })

  it("reads several records on a line, text that goes on in the next line, and slashes in text", () => {
    const file = bai2(balances(0, 1), ["16,142,1,Z,,,A/B", "CD/EF          /  16,890,,,,,NOTE/"], "2", { records: 5 })
    expect(read(file)[0]!.lines.map(({ remittance }) => remittance)).toEqual(["A/B CD/EF"])
  })

  it("has the other side and the references where a bank names them", () => {
    const details = ["16,142,1,Z,A,B,Wire", "88,EREF: E2E-9", "88,DBNM: ACME INC", "88,DACT: 12345/"]
    expect(read(bai2("1", details, "1"))[0]!.lines[0]).toMatchObject({
      end_to_end_id: "E2E-9",
      counterparty: { name: "ACME INC", account: "12345" }
    })
  })

  it("says that a count of records, accounts or groups is not right, and that details miss a summary", () => {
    const file = bai2("1,,100,7,1,", ["16,142,5,,,,"], "12", { records: 9 })
      .replace("98,12,1,", "98,12,2,")
      .replace("99,12,1,", "99,12,3,")
    const messages = read(file)[0]!.warnings.map(({ code, message }) => `${code}: ${message}`)
    expect(messages).toEqual([
      "line_count: Record 49 counts 9 records; there are 3.",
      "line_count: The summary has credits of 0.07; the details have 0.05.",
      expect.stringContaining("no_balances"),
      "line_count: Record 98 counts 2 accounts; there are 1.",
      "line_count: Record 98 counts 11 records; there are 5.",
      "line_count: Record 99 counts 3 groups; there are 1.",
      "line_count: Record 99 counts 13 records; there are 7."
    ])
  })

  const good = bai2(balances(100, 101), ["16,142,1,Z,A,B,TEXT/"], "202")
  it.each([
    ["a control total of an account", good.replace("49,202", "49,203"), "line 5", "the control total 203"],
    ["a control total of a group", good.replace("98,202", "98,203"), "line 6", "the control total 203"],
    ["a control total of the file", good.replace("99,202", "99,203"), "line 7", "the control total 203"],
    ["a closing balance that is missed", bai2(balances(100, 102), ["16,142,1,Z,A,B,TEXT/"], "203"), "line 3", "1.02"],
    ["an amount with a point", good.replace("16,142,1,", "16,142,1.00,"), "line 4", "1.00"],
    ["an amount with a sign", good.replace("16,142,1,", "16,142,-1,"), "line 4", "-1"],
    [
      "an amount of 19 digits",
      good.replace("16,142,1,", "16,142,1234567890123456789,"),
      "line 4",
      "1234567890123456789"
    ],
    ["no amount", good.replace("16,142,1,", "16,142,,"), "line 4", "nothing"],
    ["a type that is neither", good.replace("16,142,", "16,720,"), "line 4", "720"],
    ["a type of two digits", good.replace("16,142,", "16,14,"), "line 4", "14"],
    ["a type of funds", good.replace(",1,Z,", ",1,Q,"), "line 4", "Q"],
    ["a count of days", good.replace(",1,Z,", ",1,D,x,"), "line 4", "x"],
    ["a value date outside the calendar", good.replace(",1,Z,", ",1,V,260230,"), "line 4", "260230"],
    ["a date outside the calendar", good.replace("260131", "260231"), "line 2", "260231"],
    ["a deletion", good.replace("121000248,1,", "121000248,2,"), "line 2", '"2"'],
    ["a test", good.replace("121000248,1,", "121000248,4,"), "line 2", '"4"'],
    ["no number of the account", good.replace("03,0975312468", "03,"), "line 3", "nothing"],
    ["a currency", good.replace("USD", "usd"), "line 3", "usd"],
    ["a summary without a type", good.replace("010,", ","), "line 3", "nothing"],
    ["another record", good.replace("16,142", "17,142"), "line 4", "17,142"],
    ["a detail outside an account", good.replace(/03,.*\n/, ""), "line 3", "record 16 here"],
    ["a group outside a file", `${good}\n02,US,1,1,260131,,,2/`, "line 8", "record 02 here"],
    ["an account within another", good.replace("16,142", "03,1/\n16,142"), "line 4", "record 03 here"],
    ["an end of a group within an account", good.replace(/49,.*\n/, ""), "line 5", "record 98 here"],
    ["an end of a file within a group", good.replace(/98,.*\n/, ""), "line 6", "record 99 here"],
    ["a second begin", `${good.split("\n")[0]}\n${good}`, "line 2", "record 01 here"],
    ["a file that is cut off", good.replace(/\n99,.*/, ""), "line 6", "the last record"],
    ["a file without an account", "01,A,B,260131,0600,1,,,2/\n99,0,0,2/", "line 1", "no account"],
    ["an account that moved and has no detail", bai2("1,,100,7,1,", [], "7"), "line 3", "no entry"]
  ])("is refused for %s", (_, file, place, found) => {
    const refusal = refusalOf(file)
    expect([refusal.place, refusal.found]).toEqual([place, expect.stringContaining(found)])
  })

  it("reads a summary whose record ends in an empty field before its continuation", () => {
    const details = ["88,040,5,,,015,101,,,/", "88,100,1,1,/", "16,142,1,Z,A,B,TEXT/"]
    const [statement] = read(bai2("1,USD,010,100,,,045,6,,,", details, "214"))
    expect([statement!.closing_balance!.amount, statement!.lines.length]).toEqual(["1.01", 1])
  })

  it("may have an account of which nothing is said but that it has no amounts", () => {
    for (const total of ["0", ""]) {
      const [statement] = read(bai2("1,", [], total))
      expect([statement!.lines, statement!.warnings.map(({ code }) => code)]).toEqual([[], ["no_balances"]])
    }
    expect(refusalOf(good.replace("49,202", "49,")).found).toContain("nothing")
  })

  it("may have an account in which nothing moved", () => {
    expect(read(bai2("1,,060,500,,,100,0,0,,400,0,0,", [], "500"))[0]!.lines).toEqual([])
  })
})
