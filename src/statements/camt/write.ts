/** Writes camt.053.001.08 (STATEMENT-9): what is written is read to the same lines and balances. */
import type { AccountIdentifier, StatementBalance } from "../statement.ts"

/** A line to write. `at` is an instant (ISO 8601), `amount` decimal text without a sign. */
export interface WrittenLine {
  readonly at: string
  readonly direction: "credit" | "debit"
  readonly amount: string
  /** To 35 characters, as the two below. */
  readonly bank_reference: string
  readonly end_to_end_id: string | null
  readonly code: string
  readonly remittance: string | null
}

export interface WrittenStatement {
  /** To 35 characters. */
  readonly id: string
  readonly created_at: string
  readonly account: AccountIdentifier
  readonly currency: string
  readonly from: string
  readonly to: string
  readonly opening_balance: StatementBalance
  readonly closing_balance: StatementBalance
  readonly lines: ReadonlyArray<WrittenLine>
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Escapes the text of an element. A space replaces each control character and each half of a character, which XML cannot have. */
const escapeText = (value: string): string =>
  value
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      " "
    )
    .replace(/[&<>"]/g, (character) => escapes[character]!)

const renderElement = (name: string, value: string): string => `<${name}>${escapeText(value)}</${name}>`

const renderAmount = (value: string, currency: string): string => {
  if (!/^\d{1,18}(?:\.\d{1,5})?$/.test(value))
    throw new RangeError(`${value} has more than the five decimals of camt.053`)
  return `<Amt Ccy="${escapeText(currency)}">${value}</Amt>`
}

const renderBalance = (type: string, { amount: value, date }: StatementBalance, currency: string): string => {
  const isOverdrawn = value.startsWith("-")
  const indicator = renderElement("CdtDbtInd", isOverdrawn ? "DBIT" : "CRDT")
  return `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${renderAmount(isOverdrawn ? value.slice(1) : value, currency)}${indicator}<Dt>${renderElement("Dt", date)}</Dt></Bal>`
}

const renderAccount = ({ scheme, value }: AccountIdentifier): string =>
  scheme === "iban" ? renderElement("IBAN", value) : `<Othr>${renderElement("Id", value)}</Othr>`

/** The length of `Ustrd`; a reader joins what is cut there. */
const cut = 140

const renderRemittance = (value: string): string =>
  (value.match(new RegExp(`[^]{1,${cut}}`, "gu")) ?? []).map((part) => renderElement("Ustrd", part)).join("")

/** Writes a statement as camt.053. Errors: throws `RangeError` for an amount of more than five decimals, which it cannot have. */
export const writeCamt053 = (statement: WrittenStatement): string => [...camt053Rows(statement)].join("\n")

/** The rows of the file that {@link writeCamt053} writes, one by one. */
export function* camt053Rows(statement: WrittenStatement): Generator<string> {
  const { closing_balance, created_at, currency, from, id, lines, opening_balance, to } = statement
  yield* [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">',
    `<BkToCstmrStmt><GrpHdr>${renderElement("MsgId", id)}${renderElement("CreDtTm", created_at)}</GrpHdr>`,
    `<Stmt>${renderElement("Id", id)}${renderElement("CreDtTm", created_at)}`,
    `<FrToDt>${renderElement("FrDtTm", `${from}T00:00:00.000Z`)}${renderElement("ToDtTm", `${to}T23:59:59.999Z`)}</FrToDt>`,
    `<Acct><Id>${renderAccount(statement.account)}</Id>${renderElement("Ccy", currency)}</Acct>`,
    renderBalance("OPBD", opening_balance, currency),
    renderBalance("CLBD", closing_balance, currency),
    `<TxsSummry><TtlNtries>${renderElement("NbOfNtries", String(lines.length))}</TtlNtries></TxsSummry>`
  ]
  for (const line of lines) {
    const { at, bank_reference, code, direction, end_to_end_id, remittance } = line
    const references = end_to_end_id === null ? "" : `<Refs>${renderElement("EndToEndId", end_to_end_id)}</Refs>`
    const information = remittance === null ? "" : `<RmtInf>${renderRemittance(remittance)}</RmtInf>`
    const details =
      references + information === "" ? "" : `<NtryDtls><TxDtls>${references}${information}</TxDtls></NtryDtls>`
    yield [
      `<Ntry>${renderAmount(line.amount, currency)}${renderElement("CdtDbtInd", direction === "credit" ? "CRDT" : "DBIT")}`,
      `<Sts><Cd>BOOK</Cd></Sts><BookgDt>${renderElement("DtTm", at)}</BookgDt><ValDt>${renderElement("DtTm", at)}</ValDt>`,
      `${renderElement("AcctSvcrRef", bank_reference)}<BkTxCd><Prtry>${renderElement("Cd", code)}</Prtry></BkTxCd>${details}</Ntry>`
    ].join("")
  }
  yield* ["</Stmt></BkToCstmrStmt>", "</Document>", ""]
}
