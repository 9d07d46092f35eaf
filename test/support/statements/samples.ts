/** Samples of statements, made here: no bank wrote them. */
import {
  type BankStatement,
  type ReadOptions,
  readStatements,
  UnreadableStatement
} from "../../../src/statements/index.ts"

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

export const read = (text: string, options?: ReadOptions): ReadonlyArray<BankStatement> =>
  readStatements(bytesOf(text), options)

/** Why a file is refused. Errors: throws if it is read. */
export const refusalOf = (file: string | Uint8Array, options?: ReadOptions): UnreadableStatement => {
  try {
    readStatements(typeof file === "string" ? bytesOf(file) : file, options)
  } catch (error) {
    if (error instanceof UnreadableStatement) return error
    throw error
  }
  throw new Error("the file was read")
}

export const balance = (type: string, amount: string, { currency = "EUR", date = "2026-01-31" } = {}): string => {
  const [sign, value] = amount.startsWith("-") ? ["DBIT", amount.slice(1)] : ["CRDT", amount]
  return `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${value}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Dt><Dt>${date}</Dt></Dt></Bal>`
}

export const entry = (
  amount: string,
  sign: "CRDT" | "DBIT",
  {
    currency = "EUR",
    details = "",
    more = "",
    status = "<Sts>BOOK</Sts>",
    dates = "<BookgDt><Dt>2026-01-31</Dt></BookgDt>"
  } = {}
): string =>
  `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd>${more}${status}${dates}${details === "" ? "" : `<NtryDtls>${details}</NtryDtls>`}</Ntry>`

export const account = "<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>"

const roots = {
  "052": ["BkToCstmrAcctRpt", "Rpt"],
  "053": ["BkToCstmrStmt", "Stmt"],
  "054": ["BkToCstmrDbtCdtNtfctn", "Ntfctn"]
} as const

/** A camt file of one statement for each body. */
export const camt = (
  bodies: string | ReadonlyArray<string>,
  {
    type = "053",
    version = "02",
    wrap = (document: string) => document
  }: {
    readonly type?: keyof typeof roots
    readonly version?: string
    readonly wrap?: (document: string) => string
  } = {}
): string => {
  const [root, statement] = roots[type]
  const name = version === "01" ? `${root}V01` : root
  const all = [bodies].flat().map((body) => `<${statement}><Id>S</Id>${body}</${statement}>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${wrap(
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${type}.001.${version}"><${name}><GrpHdr><MsgId>MSG1</MsgId></GrpHdr>\n${all.join("\n")}\n</${name}></Document>`
  )}`
}

/** An MT940 of one message, with the lines between its balances. */
export const mt940 = (
  lines: ReadonlyArray<string>,
  {
    account: number = "DE89370400440532013000",
    closing = "C260131EUR0,00",
    first = "60F",
    last = "62F",
    opening = "C260130EUR0,00",
    page = "1/1"
  } = {}
): string =>
  [`:20:REF1`, `:25:${number}`, `:28C:${page}`, `:${first}:${opening}`, ...lines, `:${last}:${closing}`, "-", ""].join(
    "\r\n"
  )

/** A BAI2 file of one account. `total` is the control total of all levels. */
export const bai2 = (
  account: string,
  details: ReadonlyArray<string>,
  total: string,
  { records = details.length + 2, currency = "" } = {}
): string =>
  [
    "01,BANK,US,260201,0600,7,80,1,2/",
    `02,US,121000248,1,260131,2359,${currency},2/`,
    `03,${account}/`,
    ...details,
    `49,${total},${records}/`,
    `98,${total},1,${records + 2}/`,
    `99,${total},1,${records + 4}/`
  ].join("\n")
