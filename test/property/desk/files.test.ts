/** Files that readers refused, misread or dropped a booking of, from the upload to the lines. */
import { describe, expect, it } from "vitest"
import { open } from "./desk.ts"
import { history } from "./examples.ts"

/** Files as banks and their customers make them, in the account's number and currency. */
describe("a file", () => {
  const id = "<Acct><Id><Othr><Id>1100000001</Id></Othr></Id><Ccy>NGN</Ccy></Acct>"
  const balance = (code: string, amount: string, day: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="NGN">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`
  const entry = (amount: string, side: string, code: string) =>
    `<Ntry><NtryRef>${code}</NtryRef><Amt Ccy="NGN">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><DtTm>2023-06-21T12:35:33.115965+00:00</DtTm></BookgDt><BkTxCd><Prtry><Cd>${code}</Cd></Prtry></BkTxCd></Ntry>`
  const csv = { separator: ",", decimal: "." } as const
  const files = [
    {
      name: "of Wise, whose totals are the net and negative debits",
      text: `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.10"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId><CreDtTm>2023-07-06T10:27:07.213294607Z</CreDtTm></GrpHdr><Stmt><Id>1</Id><CreDtTm>2023-07-06T10:27:07.213294607Z</CreDtTm><FrToDt><FrDtTm>2022-07-07T00:00:00+02:00</FrDtTm><ToDtTm>2023-07-07T00:00:00+02:00</ToDtTm></FrToDt>${id}${balance("CLBD", "600.00", "2023-07-07")}<TxsSummry><TtlNtries><NbOfNtries>2</NbOfNtries><Sum>100.00</Sum><TtlNetNtry><Amt>100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></TtlNetNtry></TtlNtries><TtlCdtNtries><NbOfNtries>1</NbOfNtries><Sum>195.86</Sum></TtlCdtNtries><TtlDbtNtries><NbOfNtries>1</NbOfNtries><Sum>-95.86</Sum></TtlDbtNtries></TxsSummry>${entry("195.86", "CRDT", "TRANSFER-1")}${entry("95.86", "DBIT", "TRANSFER-2")}</Stmt></BkToCstmrStmt></Document>`,
      lines: ["2023-06-21 credit 19586", "2023-06-21 debit 9586"]
    },
    {
      name: "that reports balances only",
      text: `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.052.001.06"><BkToCstmrAcctRpt><GrpHdr><MsgId>1</MsgId><CreDtTm>2024-03-11T01:00:00+02:00</CreDtTm></GrpHdr><Rpt><Id>1</Id><CreDtTm>2024-03-11T01:00:00+02:00</CreDtTm>${id}${balance("OPAV", "100.00", "2024-03-10")}</Rpt></BkToCstmrAcctRpt></Document>`,
      lines: []
    },
    {
      name: "whose pending rows have no date",
      text: "Date,Amount,State\n2026-01-01,10.00,COMPLETED\n,5.00,PENDING\n",
      mapping: {
        ...csv,
        columns: { booked_on: "Date", amount: "Amount" },
        dates: "ymd",
        pending: [{ column: "State", text: "PENDING" }]
      },
      lines: ["2026-01-01 credit 1000"],
      pending: 1
    },
    {
      name: "with CR and DR behind its amounts",
      text: 'Date,Narration,Amount\n31-01-2026,x,"1,000.00 CR"\n31-01-2026,y,"1,000.00DR"\n',
      mapping: {
        ...csv,
        columns: { booked_on: "Date", amount: "Amount", remittance: "Narration" },
        dates: "dmy",
        thousands: ","
      },
      lines: ["2026-01-31 credit 100000", "2026-01-31 debit 100000"]
    },
    {
      name: "with a balance on the last row of a day",
      text: "Date,Details,Debit,Credit,Balance\n01/09/2017,A,,428.03,528.03\n01/09/2017,B,,29.5,\n01/09/2017,C,512.0,,45.53\n",
      mapping: {
        ...csv,
        columns: { booked_on: "Date", debit: "Debit", credit: "Credit", balance: "Balance", remittance: "Details" },
        dates: "dmy"
      },
      lines: ["2017-09-01 credit 2950", "2017-09-01 credit 42803", "2017-09-01 debit 51200"]
    }
  ] as const

  it.each(files)("$name has all its bookings", async (file) => {
    const desk = await open(history([], [], { first: "2016-01-01" }))
    const mapping =
      "mapping" in file
        ? (
            await desk.node.operator.statementMappings.create({
              ...file.mapping,
              name: file.name,
              external_account_id: desk.account
            })
          ).id
        : undefined
    const [statement_id] = await desk.take("F", new TextEncoder().encode(file.text), mapping)
    const { lines, statements } = await desk.read()
    expect(lines.map(({ amount, day, direction }) => `${day} ${direction} ${amount}`).toSorted()).toEqual(file.lines)
    expect(statements).toMatchObject([{ lines: file.lines.length, own: file.lines.length, shared: [] }])
    const body = await desk.node.operator.statements.get(statement_id!)
    expect(body.pending).toBe("pending" in file ? file.pending : 0)
    if (file.lines.length === 0) expect(body.warnings).not.toEqual([])
    await desk.end()
  })
})
