/** Statements as banks send them: small writers of MT940, MT942, camt and CSV. They know nothing of the readers. */

export type Format = "mt940" | "mt942" | "camt.052" | "camt.053" | "camt.054" | "csv"

/** One booking, as one file states it. `amount` is in hundredths. What a file does not state is null. */
export interface Entry {
  readonly day: string
  readonly direction: "credit" | "debit"
  readonly amount: bigint
  readonly reference: string | null
  readonly end_to_end: string | null
  readonly name: string | null
  readonly text: string | null
  /** The transactions of a batch, where the file has it in detail, as only camt can. */
  readonly parts?: ReadonlyArray<Part>
}

/** A transaction of a batch, in the direction of its booking. */
export interface Part {
  readonly amount: bigint
  readonly text: string | null
}

/**
 * One statement. `made` is its creation date, of camt alone. Both balances are there or none. `from` and `to` are its days: camt
 * states both, MT940 the last one with its closing balance.
 */
export interface Sheet {
  readonly format: Format
  readonly number: string | null
  readonly made: string | null
  readonly from: string
  readonly to: string
  readonly opening: bigint | null
  readonly closing: bigint | null
  readonly entries: ReadonlyArray<Entry>
  /** Which of {@link ACCOUNTS} it is of. Default: the first. */
  readonly account?: 0 | 1
}

const accountOf = ({ account = 0 }: Sheet): string => ACCOUNTS[account]

/** What statements call the accounts: the first, and another of the same provider and currency. */
export const ACCOUNTS = ["1100000001", "1100000002"] as const
export const CURRENCY = "NGN"

/** `1.05`, or `1,05`. */
export const decimal = (hundredths: bigint, point = "."): string => {
  const digits = `${hundredths < 0n ? -hundredths : hundredths}`.padStart(3, "0")
  return `${hundredths < 0n ? "-" : ""}${digits.slice(0, -2)}${point}${digits.slice(-2)}`
}

export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

export const signed = ({ amount, direction }: Pick<Entry, "amount" | "direction">): bigint =>
  direction === "credit" ? amount : -amount

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount)
const yymmdd = (day: string): string => day.replaceAll("-", "").slice(2)
const mmdd = (day: string): string => yymmdd(day).slice(2)
const sumOf = (entries: ReadonlyArray<Entry>): bigint => entries.reduce((sum, one) => sum + one.amount, 0n)

/** `:60F:` is dated on the day before, at whose end its balance was: most banks do that. */
const mtBalance = (tag: string, day: string, amount: bigint): string =>
  `:${tag}:${amount < 0n ? "D" : "C"}${yymmdd(day)}${CURRENCY}${decimal(size(amount), ",")}`

const mtEntry = ({ amount, day, direction, end_to_end, name, reference, text }: Entry): ReadonlyArray<string> => {
  const bank = reference === null ? "" : `//${reference}`
  const details = [
    end_to_end === null ? "" : `?20EREF+${end_to_end}`,
    text === null ? "" : `?21SVWZ+${text}`,
    name === null ? "" : `?32${name}`
  ].join("")
  return [
    `:61:${yymmdd(day)}${mmdd(day)}${direction === "credit" ? "C" : "D"}N${decimal(amount, ",")}NMSCNONREF${bank}`,
    ...(details === "" ? [] : [`:86:177?00X${details}`])
  ]
}

const mt940 = (sheet: Sheet, message: string): string =>
  [
    `:20:${message}`,
    `:25:${accountOf(sheet)}`,
    ...(sheet.number === null ? [] : [`:28C:${sheet.number.includes("/") ? sheet.number : `${sheet.number}/1`}`]),
    ...(sheet.opening === null ? [] : [mtBalance("60F", dayAfter(sheet.from, -1), sheet.opening)]),
    ...sheet.entries.flatMap(mtEntry),
    ...(sheet.closing === null ? [] : [mtBalance("62F", sheet.to, sheet.closing)]),
    "-"
  ].join("\r\n")

const mt942 = (sheet: Sheet, message: string): string => {
  const totals = (["debit", "credit"] as const).map((direction) => {
    const those = sheet.entries.filter((one) => one.direction === direction)
    const letter = direction === "debit" ? "D" : "C"
    return `:90${letter}:${those.length}${CURRENCY}${decimal(sumOf(those), ",")}`
  })
  return [
    `:20:${message}`,
    `:25:${accountOf(sheet)}`,
    ...(sheet.number === null ? [] : [`:28C:${sheet.number.includes("/") ? sheet.number : `${sheet.number}/1`}`]),
    `:34F:${CURRENCY}0,`,
    `:13D:${yymmdd(sheet.to)}1200+0100`,
    ...sheet.entries.flatMap(mtEntry),
    ...totals,
    "-"
  ].join("\r\n")
}

const element = (name: string, content: string | null): string =>
  content === null || content === "" ? "" : `<${name}>${content}</${name}>`
const amountIn = (amount: bigint): string => `<Amt Ccy="${CURRENCY}">${decimal(size(amount))}</Amt>`
const side = (amount: bigint): string => element("CdtDbtInd", amount < 0n ? "DBIT" : "CRDT")

const camtBalance = (code: string, day: string, amount: bigint | null): string =>
  amount === null
    ? ""
    : `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amountIn(amount)}${side(amount)}<Dt><Dt>${day}</Dt></Dt></Bal>`

const camtParts = (one: Entry): string =>
  (one.parts ?? [])
    .map(({ amount, text }) =>
      element(
        "TxDtls",
        [
          element("AmtDtls", element("TxAmt", amountIn(amount))),
          element("RmtInf", text === null ? null : element("Ustrd", text))
        ].join("")
      )
    )
    .join("")

const camtEntry = (one: Entry): string => {
  const party = one.direction === "credit" ? "Dbtr" : "Cdtr"
  const details = [
    element("Refs", element("EndToEndId", one.end_to_end)),
    element("RltdPties", one.name === null ? null : element(party, element("Nm", one.name))),
    element("RmtInf", one.text === null ? null : element("Ustrd", one.text))
  ].join("")
  return element(
    "Ntry",
    [
      amountIn(one.amount),
      side(signed(one)),
      "<Sts>BOOK</Sts>",
      element("BookgDt", element("Dt", one.day)),
      element("ValDt", element("Dt", one.day)),
      element("AcctSvcrRef", one.reference),
      "<BkTxCd><Prtry><Cd>NMSC</Cd></Prtry></BkTxCd>",
      one.parts !== undefined
        ? element("NtryDtls", camtParts(one))
        : details === ""
          ? ""
          : element("NtryDtls", element("TxDtls", details))
    ].join("")
  )
}

const camtBodies = {
  "camt.052": ["BkToCstmrAcctRpt", "Rpt"],
  "camt.053": ["BkToCstmrStmt", "Stmt"],
  "camt.054": ["BkToCstmrDbtCdtNtfctn", "Ntfctn"]
} as const

const camt = (sheet: Sheet, message: string, format: keyof typeof camtBodies): string => {
  const [body, each] = camtBodies[format]
  const made = sheet.made ?? `${sheet.to}T20:00:00Z`
  const content = [
    element("Id", message),
    element("ElctrncSeqNb", sheet.number),
    element("CreDtTm", made),
    element("FrToDt", `<FrDtTm>${sheet.from}T00:00:00</FrDtTm><ToDtTm>${sheet.to}T23:59:59</ToDtTm>`),
    `<Acct><Id><Othr><Id>${accountOf(sheet)}</Id></Othr></Id><Ccy>${CURRENCY}</Ccy></Acct>`,
    camtBalance("OPBD", sheet.from, sheet.opening),
    camtBalance("CLBD", sheet.to, sheet.closing),
    ...sheet.entries.map(camtEntry)
  ].join("")
  return [
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${format}.001.02"><${body}>`,
    `<GrpHdr><MsgId>${message}</MsgId><CreDtTm>${made}</CreDtTm></GrpHdr>`,
    `<${each}>${content}</${each}></${body}></Document>`
  ].join("")
}

/** How {@link csv} is read: the columns of every file; the balance is a column of its own where the statement has balances. */
export const csvMapping = (hasBalances: boolean) => ({
  name: hasBalances ? "Export with balances" : "Export",
  columns: {
    booked_on: "Date",
    amount: "Amount",
    bank_reference: "Reference",
    end_to_end_id: "End to end",
    counterparty_name: "Name",
    remittance: "Text",
    ...(hasBalances ? { balance: "Balance" } : {})
  },
  separator: ";" as const,
  decimal: "." as const,
  dates: "ymd" as const
})

const csv = (sheet: Sheet, message: string): string => {
  let balance = sheet.opening
  const header = ["Date", "Amount", "Reference", "End to end", "Name", "Text"]
  const rows = sheet.entries.map((one) => {
    if (balance !== null) balance += signed(one)
    const cells = [one.day, decimal(signed(one)), one.reference, one.end_to_end, one.name, one.text]
    return balance === null ? cells : [...cells, decimal(balance)]
  })
  // A preamble makes the bytes of each export its own.
  return [[message], sheet.opening === null ? header : [...header, "Balance"], ...rows]
    .map((cells) => cells.map((cell) => cell ?? "").join(";"))
    .join("\n")
}

/** The bytes of a statement. `message` names the file. */
export const bytesOf = (sheet: Sheet, message: string): Uint8Array =>
  new TextEncoder().encode(
    sheet.format === "mt940"
      ? mt940(sheet, message)
      : sheet.format === "mt942"
        ? mt942(sheet, message)
        : sheet.format === "csv"
          ? csv(sheet, message)
          : camt(sheet, message, sheet.format)
  )

/** The bytes of several statements of one format in one file, in this order. MT and camt alone. */
export const joined = (sheets: ReadonlyArray<Sheet>, message: string): Uint8Array => {
  const [first] = sheets
  const texts = sheets.map((sheet, n) => new TextDecoder().decode(bytesOf(sheet, `${message}${n + 1}`)))
  if (first === undefined || !first.format.startsWith("camt")) return new TextEncoder().encode(texts.join("\r\n"))
  const [, each] = camtBodies[first.format as keyof typeof camtBodies]
  const parts = texts.map((text) => text.slice(text.indexOf(`<${each}>`), text.lastIndexOf(`</${each}>`)))
  const [text = ""] = texts
  const head = text.slice(0, text.indexOf(`<${each}>`))
  const tail = text.slice(text.lastIndexOf(`</${each}>`))
  return new TextEncoder().encode(`${head}${parts.join(`</${each}>`)}${tail}`)
}
