/** Readers of camt.052, camt.053 and camt.054. */
import { describe, expect, it } from "vitest"
import { writeCamt053, type WrittenStatement } from "../../src/statements/index.ts"
import { covers } from "../support/repository/covers.ts"
import { account, balance, camt, entry, read, refusalOf } from "../support/statements/samples.ts"

const one = (body: string, options?: Parameters<typeof camt>[1]) => read(camt(body, options))[0]!
const opened = account + balance("OPBD", "100")

const parties =
  "<RltdPties><Dbtr><Nm>Payer</Nm></Dbtr><DbtrAcct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></DbtrAcct>" +
  "<Cdtr><Nm>Payee</Nm></Cdtr><CdtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id></CdtrAcct></RltdPties>"

const transaction = (amount: string, id: string, { sign = "", currency = "EUR" } = {}) =>
  `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs><Amt Ccy="${currency}">${amount}</Amt>${sign}</TxDtls>`

covers("STATEMENT-3", "STATEMENT-5")
describe("a camt file", () => {
  it("has its lines with what the bank says of them, exactly", () => {
    const details = `<TxDtls><Refs><InstrId>INS1</InstrId><EndToEndId>E2E1</EndToEndId><UETR>6C5A8BD5-6FA0-4E3C-9F1E-2B7F0D8C1A11</UETR><AcctSvcrRef>BANK1</AcctSvcrRef></Refs>${parties}<RmtInf><Ustrd>Invoice</Ustrd><Ustrd>17</Ustrd><Strd><CdtrRefInf><Ref>RF18</Ref></CdtrRefInf></Strd></RmtInf></TxDtls>`
    const more = "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>"
    const dates = "<BookgDt><DtTm>2026-01-30T23:30:00+01:00</DtTm></BookgDt><ValDt><Dt>2026-02-02</Dt></ValDt>"
    const statement = one(
      `<ElctrncSeqNb>31</ElctrncSeqNb>${opened}${balance("CLBD", "100.00001")}${entry("0.000010", "CRDT", { details, more, dates })}`
    )
    expect(statement).toEqual({
      format: "camt.053",
      message_id: "MSG1",
      number: "31",
      account: { identifiers: [{ scheme: "iban", value: "DE89370400440532013000" }], currency: "EUR", bank: null },
      currency: "EUR",
      from: "2026-01-30",
      to: "2026-01-31",
      made_at: null,
      opening_balance: { date: "2026-01-31", amount: "100" },
      closing_balance: { date: "2026-01-31", amount: "100.00001" },
      lines: [
        {
          booked_on: "2026-01-30",
          value_on: "2026-02-02",
          direction: "credit",
          amount: "0.00001",
          currency: "EUR",
          bank_reference: "BANK1",
          end_to_end_id: "E2E1",
          uetr: "6c5a8bd5-6fa0-4e3c-9f1e-2b7f0d8c1a11",
          transaction_hash: null,
          counterparty: { name: "Payer", account: "NL91ABNA0417164300" },
          remittance: "Invoice 17 RF18 INS1",
          code: "PMNT/RCDT/ESCT",
          reversal: false,
          entry: { reference: null, direction: "credit", amount: "0.00001", part: 0 },
          place: "Document/BkToCstmrStmt/Stmt[1]/Ntry[1], line 3"
        }
      ],
      pending: [],
      warnings: [],
      place: "Document/BkToCstmrStmt/Stmt[1], line 3"
    })
  })

  it.each(["01", "02", "08", "13"])("is read in version %s, of each kind", (version) => {
    const body =
      account + entry("1", "DBIT", { status: version < "08" ? "<Sts>BOOK</Sts>" : "<Sts><Cd>BOOK</Cd></Sts>" })
    const formats = (["052", "053", "054"] as const).map((type) => one(body, { type, version }).format)
    expect(formats).toEqual(["camt.052", "camt.053", "camt.054"])
  })

  it("has a line for each transaction in version 01, where they stand in the entry itself", () => {
    const of = (amount: string, id: string) =>
      `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">${amount}</Amt></TxAmt></AmtDtls></TxDtls>`
    const more = (second: string) => of("30", "A") + of(second, "B")
    const inVersion = (second: string) =>
      one(opened + balance("CLBD", "60") + entry("40", "DBIT", { more: more(second) }), { version: "01" })
    expect(inVersion("10").lines.map(({ amount, end_to_end_id, place }) => [amount, end_to_end_id, place])).toEqual([
      ["30", "A", "Document/BkToCstmrStmtV01/Stmt[1]/Ntry[1]/TxDtls[1], line 3"],
      ["10", "B", "Document/BkToCstmrStmtV01/Stmt[1]/Ntry[1]/TxDtls[2], line 3"]
    ])
    expect(inVersion("9").warnings.map(({ code }) => code)).toEqual(["sum_of_transactions"])
  })

  it("may stand in a wrapper", () => {
    const wrap = (document: string) => `<m:Envelope xmlns:m="urn:x"><AppHdr><Fr>A</Fr></AppHdr>${document}</m:Envelope>`
    expect(one(account + entry("1", "CRDT"), { wrap }).lines).toHaveLength(1)
  })

  it("has several statements of several accounts, in order", () => {
    const other = account.replace("DE89370400440532013000", "DE02120300000000202051")
    const found = read(camt([account + entry("1", "CRDT"), other + entry("2", "DBIT"), other + entry("3", "DBIT")]))
    expect(found.map(({ account: of, lines }) => [of.identifiers[0]!.value.slice(-2), lines[0]!.amount])).toEqual([
      ["00", "1"],
      ["51", "2"],
      ["51", "3"]
    ])
  })

  it("keeps pending and informational entries apart, and no balance has them", () => {
    const body = ["PDNG", "INFO", "FUTR"]
      .map((status) => entry("5", "CRDT", { status: `<Sts>${status}</Sts>` }))
      .join("")
    const statement = one(opened + balance("CLBD", "101") + entry("1", "CRDT") + body)
    expect([statement.lines.length, statement.pending.length]).toEqual([1, 3])
  })

  it("leaves two identical bookings two, and turns no direction for a reversal", () => {
    const twice = entry("4", "DBIT", { more: "<RvslInd>true</RvslInd>", details: `<TxDtls>${parties}</TxDtls>` })
    const { lines } = one(opened + balance("CLBD", "92") + twice + twice)
    expect(lines.map(({ direction, reversal }) => [direction, reversal])).toEqual([
      ["debit", true],
      ["debit", true]
    ])
    // A reversal has the sides of the booking that it takes back.
    expect(lines[0]!.counterparty.name).toBe("Payer")
  })

  it("says of the parts of a booking which one they are of, where they have references of their own", () => {
    const part = (amount: string, reference: string) =>
      `<TxDtls><Refs><AcctSvcrRef>${reference}</AcctSvcrRef></Refs><Amt Ccy="EUR">${amount}</Amt></TxDtls>`
    const more = "<AcctSvcrRef>BATCH</AcctSvcrRef>"
    const entriesOf = (details: string) =>
      one(opened + balance("CLBD", "140") + entry("40", "CRDT", { details, more })).lines.map(
        ({ bank_reference, entry: of }) => [bank_reference, of]
      )
    const batch = (nth: number) => ({ reference: "BATCH", direction: "credit", amount: "40", part: nth })
    expect(entriesOf(part("30", "A") + part("10", "B"))).toEqual([
      ["A", batch(0)],
      ["B", batch(1)]
    ])
    expect(entriesOf(part("30", "NONREF") + part("10", "B"))).toEqual([
      ["BATCH", batch(0)],
      ["B", batch(1)]
    ])
    expect(entriesOf(part("40", "A"))).toEqual([["A", batch(0)]])
    expect(entriesOf(part("30", "BATCH") + transaction("10", "B"))).toEqual([
      ["BATCH", batch(0)],
      ["BATCH", batch(1)]
    ])
    expect(entriesOf(part("30", "A") + part("11", "B"))).toEqual([["BATCH", undefined]])
  })

  it("has a line for each transaction of a batch that sums to it, whatever their directions", () => {
    const details =
      transaction("30", "A") +
      transaction("12.5", "B") +
      transaction("2.5", "C", { sign: "<CdtDbtInd>CRDT</CdtDbtInd>" })
    const { lines, warnings } = one(opened + balance("CLBD", "60") + entry("40", "DBIT", { details }))
    expect(lines.map(({ amount, direction, end_to_end_id }) => [end_to_end_id, direction, amount])).toEqual([
      ["A", "debit", "30"],
      ["B", "debit", "12.5"],
      ["C", "credit", "2.5"]
    ])
    expect(warnings).toEqual([])
  })

  it.each([
    ["do not sum to it", transaction("30", "A") + transaction("9.99", "B")],
    ["are in another currency", transaction("30", "A", { currency: "USD" }) + transaction("10", "B")]
  ])("has the entry for its line, and says so, where transactions %s", (_, details) => {
    const { lines, warnings } = one(opened + balance("CLBD", "60") + entry("40", "DBIT", { details }))
    expect(lines.map(({ amount }) => amount)).toEqual(["40"])
    expect(warnings.map(({ code }) => code)).toEqual(["sum_of_transactions"])
  })

  it("takes the amount in the account's currency where another is named first", () => {
    const details = `<TxDtls><AmtDtls><InstdAmt><Amt Ccy="USD">44</Amt></InstdAmt><TxAmt><Amt Ccy="EUR">15</Amt></TxAmt></AmtDtls></TxDtls>${transaction("25", "B")}`
    expect(one(opened + balance("CLBD", "60") + entry("40", "DBIT", { details })).lines).toHaveLength(2)
  })

  it("takes what an amount in another currency is worth in the account's, where that sums to the entry", () => {
    const exchanged = (usd: string, eur: string) =>
      `<TxDtls><AmtDtls><InstdAmt><Amt Ccy="USD">${usd}</Amt></InstdAmt><TxAmt><Amt Ccy="USD">${usd}</Amt></TxAmt><CntrValAmt><Amt Ccy="EUR">${eur}</Amt></CntrValAmt></AmtDtls></TxDtls>`
    const details = exchanged("30", "25") + exchanged("18", "15")
    const { lines, warnings } = one(opened + balance("CLBD", "60") + entry("40", "DBIT", { details }))
    expect([lines.map(({ amount, currency }) => `${amount} ${currency}`), warnings]).toEqual([["25 EUR", "15 EUR"], []])
  })

  const page = (last: boolean, number = 1) =>
    `<StmtPgntn><PgNb>${number}</PgNb><LastPgInd>${last}</LastPgInd></StmtPgntn>`
  const total = (name: string, body: string) => `<TxsSummry><${name}>${body}</${name}></TxsSummry>`
  const firstPage = page(false) + opened + balance("ITBD", "101") + entry("1", "CRDT")
  const secondPage = page(true) + account + balance("ITBD", "101") + balance("CLBD", "103") + entry("2", "CRDT")

  covers("STATEMENT-14")
  it("joins the pages of one statement, whose totals are of a page or of all", () => {
    const [statement, ...others] = read(
      camt([total("TtlCdtNtries", "<Sum>3</Sum>") + firstPage, total("TtlNtries", "<Sum>2.00</Sum>") + secondPage])
    )
    expect(others).toEqual([])
    expect(statement!.lines).toHaveLength(2)
    expect([statement!.opening_balance!.amount, statement!.closing_balance!.amount]).toEqual(["100", "103"])
    expect(statement!.warnings).toEqual([])
    const refusal = refusalOf(camt([firstPage, total("TtlNtries", "<Sum>1</Sum>") + secondPage]))
    expect([refusal.found, refusal.taken]).toEqual(["a total of 1", "2, the sum of the entries"])
  })

  const other = account.replace("DE89370400440532013000", "DE02120300000000202051")
  it.each([
    ["without those after it", [firstPage], "Stmt[1]/StmtPgntn/LastPgInd", '"false"'],
    ["before another account", [firstPage, other + entry("2", "CRDT")], "Stmt[1]/StmtPgntn/LastPgInd", '"false"'],
    [
      "before another number",
      [`<ElctrncSeqNb>31</ElctrncSeqNb>${firstPage}`, `<ElctrncSeqNb>32</ElctrncSeqNb>${secondPage}`],
      "Stmt[1]/StmtPgntn/LastPgInd",
      '"false"'
    ],
    ["without those before it", [page(true, 2) + account + entry("2", "CRDT")], "Stmt[1]/StmtPgntn/PgNb", '"2"']
  ])("refuses a page %s", (_, bodies, place, found) => {
    const refusal = refusalOf(camt(bodies))
    expect([refusal.place.includes(place), refusal.found]).toEqual([true, found])
  })

  it("refuses a statement that goes on in another message, and takes one that ends in a message of several", () => {
    const paged = (body: string) =>
      camt(body).replace("</GrpHdr>", "<MsgPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></MsgPgntn></GrpHdr>")
    const refusal = refusalOf(paged(opened + balance("ITBD", "101") + entry("1", "CRDT")))
    expect(refusal.place).toContain("GrpHdr/MsgPgntn/LastPgInd")
    expect(read(paged(opened + balance("CLBD", "101") + entry("1", "CRDT")))).toHaveLength(1)
  })

  const entries = entry("5", "CRDT") + entry("7", "DBIT") + entry("1", "CRDT", { status: "<Sts>PDNG</Sts>" })
  it.each([
    ["TtlNtries", "<NbOfNtries>3</NbOfNtries><Sum>13</Sum><TtlNetNtryAmt>1</TtlNetNtryAmt><CdtDbtInd>DBIT</CdtDbtInd>"],
    ["TtlNtries", "<NbOfNtries>2</NbOfNtries><Sum>12</Sum><TtlNetNtryAmt>2</TtlNetNtryAmt><CdtDbtInd>DBIT</CdtDbtInd>"],
    ["TtlNtries", "<TtlNetNtry><Amt>2</Amt><CdtDbtInd>DBIT</CdtDbtInd></TtlNetNtry>"],
    ["TtlNtries", "<TtlNetNtryAmt>2</TtlNetNtryAmt>"],
    ["TtlCdtNtries", "<NbOfNtries>1</NbOfNtries><Sum>5.00</Sum>"],
    ["TtlDbtNtries", "<NbOfNtries>1</NbOfNtries><Sum>7</Sum>"]
  ])("has totals of all its entries, or of the booked ones: %s %s", (name, body) => {
    expect(one(account + total(name, body) + entries).warnings.map(({ code }) => code)).toEqual(["no_balances"])
  })

  it.each([
    ["TtlNtries", "<Sum>14</Sum>", "TtlNtries/Sum", "a total of 14"],
    ["TtlNtries", "<Sum>many</Sum>", "TtlNtries/Sum", '"many"'],
    ["TtlNtries", "<TtlNetNtryAmt>2</TtlNetNtryAmt><CdtDbtInd>CRDT</CdtDbtInd>", "TtlNetNtryAmt", "a total of 2"],
    ["TtlNtries", "<TtlNetNtry><Amt>3</Amt><CdtDbtInd>DBIT</CdtDbtInd></TtlNetNtry>", "TtlNetNtry/Amt", "a total of 3"],
    ["TtlCdtNtries", "<Sum>7</Sum>", "TtlCdtNtries/Sum", "a total of 7"],
    ["TtlDbtNtries", "<Sum>5</Sum>", "TtlDbtNtries/Sum", "a total of 5"],
    ["TtlNtries", "<NbOfNtries>4</NbOfNtries>", "TtlNtries/NbOfNtries", 'a count of "4"'],
    ["TtlDbtNtries", "<NbOfNtries>2</NbOfNtries>", "TtlDbtNtries/NbOfNtries", 'a count of "2"']
  ])("is refused for totals that are neither: %s %s", (name, body, place, found) => {
    const refusal = refusalOf(camt(account + total(name, body) + entries))
    expect([refusal.place.includes(place), refusal.found]).toEqual([true, found])
  })

  it("counts an entry of nothing under its direction", () => {
    const counting = (debits: number) =>
      account + total("TtlDbtNtries", `<NbOfNtries>${debits}</NbOfNtries>`) + entry("7", "DBIT") + entry("0", "DBIT")
    expect(one(counting(2)).lines).toHaveLength(2)
    expect(refusalOf(camt(counting(1))).found).toBe('a count of "1"')
  })

  it("may count the transactions of its entries", () => {
    const details = transaction("15", "A") + transaction("25", "B")
    const summary = total("TtlNtries", "<NbOfNtries>2</NbOfNtries><Sum>40</Sum>")
    expect(one(account + summary + entry("40", "DBIT", { details })).lines).toHaveLength(2)
  })

  it("has no closing balance where a report within the day has only what came since the one before", () => {
    const body = opened + balance("ITBD", "150") + entry("1", "CRDT")
    const report = one(body, { type: "052" })
    expect([report.closing_balance, report.warnings.map(({ code }) => code)]).toEqual([null, ["no_balances"]])
    expect(refusalOf(camt(body)).message).toMatch(
      /: found a closing balance of 150, where 101 \(the opening balance of 100 and the entries, 1\) is taken$/
    )
  })

  it("says that a count is not right where the balances hold the entries, and where the currency is taken from", () => {
    const summary = total("TtlNtries", "<NbOfNtries>2</NbOfNtries>")
    const held = one(opened + balance("CLBD", "101") + summary + entry("1", "CRDT"))
    expect(held.warnings.map(({ code }) => code)).toEqual(["line_count"])
    const { warnings } = one(account.replace("<Ccy>EUR</Ccy>", "") + entry("1", "CRDT"))
    expect(warnings.map(({ code }) => code)).toEqual(["assumed_currency", "no_balances"])
  })

  it("may have any number of elements beside one another", () => {
    expect(one(account + entry("1", "CRDT").repeat(150)).lines).toHaveLength(150)
  })

  const good = entry("1", "CRDT")
  const whole = camt(account + good)
  it.each([
    ["another version", whole.replace("053.001.02", "053.001.14"), "camt.053.001.14"],
    ["version 00", whole.replace("053.001.02", "053.001.00"), "camt.053.001.00"],
    ["another message", whole.replace("camt.053", "pain.001"), "pain.001.001.02"],
    ["a root of another kind", whole.replaceAll("BkToCstmrStmt", "BkToCstmrAcctRpt"), "<BkToCstmrAcctRpt>"],
    ["no statement", camt([]), "no statement"],
    ["no document", "<html></html>", "<html>"],
    ["a document type", whole.replace("?>", '?><!DOCTYPE d [<!ENTITY e "1">]>'), "DOCTYPE"],
    ["an entity of its own", whole.replace("MSG1", "&e;"), "not well-formed"],
    ["a file that is cut off", whole.slice(0, -30), "not well-formed"],
    ["two documents' ends", `${whole}<x/>`, "not well-formed"],
    ["an entry without amount", camt(account + good.replace(/<Amt.*?<\/Amt>/, "")), "nothing"],
    ["an amount without currency", camt(account + good.replace(' Ccy="EUR"', "")), "nothing"],
    ["an amount with a comma", camt(account + good.replace(">1<", ">1,00<")), '"1,00"'],
    ["a negative amount", camt(account + good.replace(">1<", ">-1<")), '"-1"'],
    ["an amount with an exponent", camt(account + good.replace(">1<", ">1e3<")), '"1e3"'],
    ["an amount of 19 digits", camt(account + good.replace(">1<", ">1234567890123456789<")), "1234567890123456789"],
    ["an entry without direction", camt(account + good.replace(/<CdtDbtInd>.*?<\/CdtDbtInd>/, "")), "nothing"],
    ["another direction", camt(account + good.replace("CRDT", "CREDIT")), '"CREDIT"'],
    ["an entry without status", camt(account + good.replace("<Sts>BOOK</Sts>", "")), "nothing"],
    ["another status", camt(account + good.replace("BOOK", "OK")), '"OK"'],
    ["another status as a code", camt(account + good.replace("BOOK", "<Cd>OK</Cd>")), '"OK"'],
    ["a date outside the calendar", camt(account + good.replace("2026-01-31", "2026-02-30")), '"2026-02-30"'],
    ["an entry without any date", camt(account + entry("1", "CRDT", { dates: "" })), "nothing"],
    ["a flag of another word", camt(account + entry("1", "CRDT", { more: "<RvslInd>maybe</RvslInd>" })), '"maybe"'],
    ["an entry in another currency", camt(account + entry("1", "CRDT", { currency: "USD" })), "an amount in USD"],
    [
      "a balance in another currency",
      camt(account + balance("OPBD", "1", { currency: "USD" }) + good),
      "a balance in USD"
    ],
    ["no account", camt(good), "nothing"],
    [
      "opening and entries that miss the closing",
      camt(opened + balance("CLBD", "101.01") + good),
      "a closing balance of 101.01"
    ],
    ["no line and no balances", camt(account), "no entry"],
    ["no line and one balance", camt(opened), "no entry"],
    ["elements too deep", camt(account + "<x>".repeat(200) + "</x>".repeat(200)), "elements too deep"],
    [
      "elements too deep around the document",
      `${"<x>".repeat(200)}${whole}`.replace(/<\?xml.*?\?>/, ""),
      "elements too deep"
    ],
    ["an unknown encoding", whole.replace("UTF-8", "EBCDIC"), '"EBCDIC"'],
    ["another encoding than its own", whole.replace("UTF-8", "utf-16"), '"utf-16" above text'],
    ["two amounts of an entry", camt(account + good.replace("<Amt", '<Amt Ccy="EUR">2</Amt><Amt')), "<Amt> twice"],
    [
      "two amounts, of which one is of another namespace",
      camt(account + good.replace("<Amt", '<x:Amt xmlns:x="urn:x" Ccy="EUR">2</x:Amt><Amt')),
      "<Amt> twice"
    ],
    ["two directions of an entry", camt(account + good.replace("<Sts", "<CdtDbtInd>DBIT</CdtDbtInd><Sts")), "twice"],
    [
      "two amounts of a transaction",
      camt(account + entry("1", "CRDT", { details: transaction("1", "A", { sign: '<Amt Ccy="EUR">2</Amt>' }) })),
      "<Amt> twice"
    ],
    [
      "two amounts of a balance",
      camt(account + balance("OPBD", "1").replace("<Amt", '<Amt Ccy="EUR">2</Amt><Amt') + good),
      "<Amt> twice"
    ]
  ])("is refused for %s", (_, file, found) => {
    const refusal = refusalOf(file)
    expect(refusal.found).toContain(found)
    expect(refusal.place).toMatch(/line \d+/)
    expect(refusal.message).toBe(`${refusal.place}: found ${refusal.found}, where ${refusal.taken} is taken`)
  })

  it("names the path of an element with its line", () => {
    const file = camt([account + good, account + good + good.replace("CRDT", "X")])
    expect(refusalOf(file).place).toBe("Document/BkToCstmrStmt/Stmt[2]/Ntry[2]/CdtDbtInd, line 4")
  })

  it.each([
    [".5", "0.5"],
    ["5.", "5"],
    ["+5.50", "5.5"]
  ])("has an amount that XML writes as %s", (text, amount) => {
    expect(one(opened + entry(text, "CRDT")).lines[0]!.amount).toBe(amount)
  })

  const bare = (text: string) => text.replace(/<(?:CdtDbtInd|Sts)>\w+<\/\w+>/g, "")
  it("has entries without a status, and balances without a sign, where both balances say that they are booked", () => {
    const unsaid = entry("3", "DBIT", { status: "" })
    const statement = one(bare(opened + balance("CLBD", "97")) + unsaid)
    expect([statement.lines.length, statement.closing_balance!.amount]).toEqual([1, "97"])
    expect(statement.warnings.map(({ code }) => code)).toEqual(["assumed_direction"])
    expect(refusalOf(camt(opened + unsaid)).place).toContain("Ntry[1]/Sts")
    expect(refusalOf(camt(bare(opened) + entry("3", "DBIT"))).place).toContain("Bal[1]/CdtDbtInd")
    // Both are below zero: credits do not lead from one to the other.
    expect(refusalOf(camt(bare(opened + balance("CLBD", "103")) + unsaid)).found).toContain("103")
  })

  it("may be a report within the day that has only an available balance", () => {
    const [report] = read(camt(account + balance("CLAV", "5"), { type: "052" }))
    expect([report!.lines, report!.warnings.map(({ code }) => code)]).toEqual([[], ["no_balances"]])
  })

  it("may have no line where its balances are equal, or its count is zero", () => {
    expect(one(opened + balance("CLBD", "100.00")).lines).toEqual([])
    const summary = "<TxsSummry><TtlNtries><NbOfNtries>0</NbOfNtries></TtlNtries></TxsSummry>"
    expect(one(account + summary).warnings.map(({ code }) => code)).toEqual(["no_balances"])
  })
})

const made = "<CreDtTm>2026-02-01T12:30:00.123456789+01:00</CreDtTm>"
const period = (from: string, to: string) => `<FrToDt><FrDtTm>${from}</FrDtTm><ToDtTm>${to}</ToDtTm></FrToDt>`
const dayOf = (dates: string, more: string) => one(account + more + entry("5", "CRDT", { dates }))
const booked = (day: string) => `<BookgDt><Dt>${day}</Dt></BookgDt>`

covers("STATEMENT-14", "STATEMENT-16", "STATEMENT-5")
describe("a camt.053 in the form of a large sender", () => {
  const total = (name: string, count: number, sum: string, more = "") =>
    `<${name}><NbOfNtries>${count}</NbOfNtries><Sum>${sum}</Sum>${more}</${name}>`
  const net = (amount: string, sign: string) =>
    `<TtlNetNtry><Amt>${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd></TtlNetNtry>`
  const numbered = (id: string) => `<BkTxCd><Prtry><Cd>${id}</Cd></Prtry></BkTxCd>`
  const closing = balance("CLBD", "700").replace(
    "<Dt><Dt>2026-01-31</Dt></Dt>",
    "<Dt><DtTm>2026-02-01T00:00:00+01:00</DtTm></Dt>"
  )
  const dates = "<BookgDt><DtTm>2026-01-20T12:35:33.115965+00:00</DtTm></BookgDt>"
  const entries =
    entry("30", "CRDT", { more: numbered("TRANSFER-1001"), dates }) +
    entry("80.5", "DBIT", { more: numbered("CARD_TRANSACTION-1002"), dates })
  const file = (summary: string) =>
    one(
      `${made}${period("2025-02-01T00:00:00+01:00", "2026-02-01T00:00:00+01:00")}${account}${closing}<TxsSummry>${summary}</TxsSummry>${entries}`
    )
  const summary =
    total("TtlNtries", 2, "-50.5", net("50.5", "DBIT")) +
    total("TtlCdtNtries", 1, "30") +
    total("TtlDbtNtries", 1, "-80.50")

  it("has its lines under the number of the payment that stands in its code alone", () => {
    const statement = file(summary)
    expect(statement).toMatchObject({
      from: "2025-02-01",
      to: "2026-01-31",
      made_at: "2026-02-01T11:30:00.123Z",
      opening_balance: null,
      closing_balance: { date: "2026-01-31", amount: "700" },
      warnings: [{ code: "no_balances" }]
    })
    expect(
      statement.lines.map(({ amount, bank_reference, code, direction }) => [direction, amount, bank_reference, code])
    ).toEqual([
      ["credit", "30", "TRANSFER-1001", "TRANSFER-1001"],
      ["debit", "80.5", "CARD_TRANSACTION-1002", "CARD_TRANSACTION-1002"]
    ])
  })

  it.each([
    ["the sum of all", total("TtlNtries", 2, "110.5")],
    ["the net without its sign", total("TtlNtries", 2, "50.5")],
    ["a net with a sign on either side", total("TtlNtries", 2, "-50.5", net("-50.5", "DBIT"))],
    ["a sum of debits without a minus", total("TtlDbtNtries", 1, "80.5")]
  ])("may have for its totals %s", (_, body) => {
    expect(file(body).lines).toHaveLength(2)
  })

  it.each([
    ["a net of the other sign", total("TtlNtries", 2, "-110.5"), "a total of -110.5"],
    ["a net that is a credit", total("TtlNtries", 2, "50.5", net("50.5", "CRDT")), "a total of 50.5"],
    ["another sum of debits", total("TtlDbtNtries", 1, "-80.51"), "a total of -80.51"],
    ["a sum of credits below zero", total("TtlCdtNtries", 1, "-30"), "a total of -30"],
    ["two signs", total("TtlDbtNtries", 1, "--80.5"), '"--80.5"'],
    ["a sign of each kind", total("TtlDbtNtries", 1, "-+80.5"), '"-+80.5"']
  ])("is refused for %s", (_, body, found) => {
    expect(refusalOf(camt(`${account}<TxsSummry>${body}</TxsSummry>${entries}`)).found).toBe(found)
  })

  it.each([
    ["the bank's own reference", `<AcctSvcrRef>B1</AcctSvcrRef>${numbered("TRANSFER-1")}`, "", "B1"],
    [
      "that of a transaction",
      numbered("TRANSFER-1"),
      "<TxDtls><Refs><AcctSvcrRef>T1</AcctSvcrRef></Refs></TxDtls>",
      "T1"
    ],
    ["the number of a transaction", numbered("CARD-1"), `<TxDtls>${numbered("TRANSFER-2")}</TxDtls>`, "TRANSFER-2"],
    ["none that says none", `<AcctSvcrRef>NONREF</AcctSvcrRef>${numbered("TRANSFER-1")}`, "", "TRANSFER-1"],
    ["a word for the kind", numbered("TRANSFER"), "", null],
    ["a word with a hyphen", numbered("CARD-FEE"), "", null],
    ["a code that others have agreed on", numbered("NTRF-166").replace("</Cd>", "</Cd><Issr>DK</Issr>"), "", null]
  ])("has for its reference %s", (_, more, details, reference) => {
    expect(one(account + entry("5", "CRDT", { more, details })).lines[0]!.bank_reference).toBe(reference)
  })
})

covers("STATEMENT-16")
describe("the days of a camt statement", () => {
  const at = (type: string, date: string) => balance(type, type === "CLBD" ? "5" : "0", { date })
  it.each([
    [
      "those that it names",
      "",
      `<FrToDt><FrDt>2026-01-01</FrDt><ToDt>2026-01-31</ToDt></FrToDt>`,
      ["2026-01-01", "2026-01-31"]
    ],
    [
      "those of its entries to its closing balance",
      booked("2026-01-20"),
      at("OPBD", "2026-01-14") + at("CLBD", "2026-01-31"),
      ["2026-01-20", "2026-01-31"]
    ],
    [
      "those of its entries, where the balance before is of the last statement",
      booked("2026-01-20"),
      at("PRCD", "2026-01-14") + at("CLBD", "2026-01-20"),
      ["2026-01-20", "2026-01-20"]
    ],
    ["those of its entries without balances", booked("2026-01-20"), "", ["2026-01-20", "2026-01-20"]],
    [
      "up to the day before a midnight",
      booked("2026-01-20"),
      period("2026-01-01T00:00:00", "2026-02-01T00:00:00.000Z"),
      ["2026-01-01", "2026-01-31"]
    ],
    [
      "up to a day that is not over",
      booked("2026-01-20"),
      period("2026-01-01T00:00:00", "2026-02-01T00:00:01"),
      ["2026-01-01", "2026-02-01"]
    ],
    [
      "a day whose begin and end are written as midnight",
      booked("2026-01-20"),
      period("2026-02-01T00:00:00", "2026-02-01T00:00:00"),
      ["2026-02-01", "2026-02-01"]
    ],
    [
      "up to a midnight on a day with an entry",
      booked("2026-02-01"),
      period("2026-01-01T00:00:00", "2026-02-01T00:00:00"),
      ["2026-01-01", "2026-02-01"]
    ],
    [
      "up to a midnight on the day of its balance",
      booked("2026-01-20"),
      period("2026-01-01T00:00:00", "2026-02-01T00:00:00") + at("CLBD", "2026-02-01"),
      ["2026-01-01", "2026-02-01"]
    ]
  ])("are %s", (_, dates, more, days) => {
    const { from, to } = dayOf(dates || booked("2026-01-20"), more)
    expect([from, to]).toEqual(days)
  })

  it("are those of its closing balance, where nothing was booked", () => {
    const { from, to } = one(account + balance("OPBD", "5", { date: "2026-01-30" }) + at("CLBD", "2026-01-31"))
    expect([from, to]).toEqual(["2026-01-31", "2026-01-31"])
  })

  it("are those of all its pages", () => {
    const page = (last: boolean, body: string) =>
      `<StmtPgntn><PgNb>1</PgNb><LastPgInd>${last}</LastPgInd></StmtPgntn>${account}${body}`
    const later = page(false, balance("OPBD", "0") + entry("2", "CRDT", { dates: booked("2026-01-30") }))
    const earlier = page(true, entry("2", "CRDT", { dates: booked("2026-01-29") }) + balance("CLBD", "4"))
    const [statement] = read(camt([later, earlier]))
    expect([statement!.from, statement!.to]).toEqual(["2026-01-29", "2026-01-31"])
  })

  it.each([
    [
      "its own time before that of its message",
      made,
      "<CreDtTm>2026-02-02T00:00:00Z</CreDtTm>",
      "2026-02-01T11:30:00.123Z"
    ],
    ["that of its message", "", "<CreDtTm>2026-02-02T00:00:00-02:30</CreDtTm>", "2026-02-02T02:30:00.000Z"],
    ["a time without an offset, as UTC", "<CreDtTm>2026-02-01T12:30:00</CreDtTm>", "", "2026-02-01T12:30:00.000Z"],
    ["a day, as its begin", "<CreDtTm>2026-02-01</CreDtTm>", "", "2026-02-01T00:00:00.000Z"],
    ["the end of a day", "<CreDtTm>2026-01-31T24:00:00</CreDtTm>", "", "2026-02-01T00:00:00.000Z"],
    ["none of a day outside the calendar", "<CreDtTm>2026-02-30T12:30:00</CreDtTm>", "", null],
    ["none of an hour outside the day", "<CreDtTm>2026-02-01T24:30:00</CreDtTm>", "", null],
    ["none of words", "<CreDtTm>today</CreDtTm>", "", null],
    ["none", "", "", null]
  ])("and when it was made: %s", (_, own, group, made_at) => {
    const file = camt(account + own + entry("1", "CRDT")).replace("</GrpHdr>", `${group}</GrpHdr>`)
    expect(read(file)[0]!.made_at).toBe(made_at)
  })
})

covers("STATEMENT-2")
it("an interim report with available balances alone has no line, and says so", () => {
  const body = `${account}${balance("OPAV", "100", { date: "2026-01-30" })}`
  const [report] = read(camt(body, { type: "052", version: "06" }))
  expect(report).toMatchObject({
    from: null,
    to: null,
    lines: [],
    pending: [],
    opening_balance: null,
    closing_balance: null
  })
  expect(report!.warnings.map(({ code, message }) => [code, message])).toEqual([
    ["no_balances", "The statement has no opening and no closing balance and no booked entry: it has no line."]
  ])
})

covers("STATEMENT-9")
describe("a camt.053 that is written", () => {
  const statement: WrittenStatement = {
    id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3",
    created_at: "2026-02-01T00:00:00.000Z",
    account: { scheme: "account_number", value: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3" },
    currency: "EUR",
    from: "2026-01-01",
    to: "2026-01-31",
    opening_balance: { date: "2026-01-01", amount: "-5.00" },
    closing_balance: { date: "2026-01-31", amount: "2.5" },
    lines: [
      {
        at: "2026-01-02T10:00:00.000Z",
        direction: "credit",
        amount: "10.00",
        bank_reference: "dep_1",
        end_to_end_id: null,
        code: "deposit",
        remittance: null
      },
      {
        at: "2026-01-31T23:59:59.999Z",
        direction: "debit",
        amount: "2.50",
        bank_reference: "trf_1",
        end_to_end_id: 'a <b> & "c"',
        code: "transfer",
        remittance: `${"x".repeat(139)}é ${"y".repeat(200)}`
      }
    ]
  }

  it("is read to the same balances and lines", () => {
    const [found] = read(writeCamt053(statement))
    expect(found).toMatchObject({
      number: null,
      from: "2026-01-01",
      to: "2026-01-31",
      made_at: "2026-02-01T00:00:00.000Z",
      opening_balance: { date: "2026-01-01", amount: "-5" },
      closing_balance: { date: "2026-01-31", amount: "2.5" },
      warnings: []
    })
    expect(found!.lines.map(({ amount, booked_on, direction }) => [booked_on, direction, amount])).toEqual([
      ["2026-01-02", "credit", "10"],
      ["2026-01-31", "debit", "2.5"]
    ])
    expect(found!.lines[1]).toMatchObject({
      end_to_end_id: 'a <b> & "c"',
      bank_reference: "trf_1",
      remittance: statement.lines[1]!.remittance
    })
  })

  it("has characters that XML can have, and no others", () => {
    const [found] = read(
      writeCamt053({
        ...statement,
        lines: [statement.lines[0]!, { ...statement.lines[1]!, remittance: "a\u0000b\ud800c\u{1f600}" }]
      })
    )
    expect(found!.lines[1]!.remittance).toBe("a b c\u{1f600}")
  })

  it("cannot have an amount of six decimals", () => {
    const lines = [{ ...statement.lines[0]!, amount: "0.000001" }]
    expect(() => writeCamt053({ ...statement, lines })).toThrow(RangeError)
  })
})
