/** The field `:86:`: the structures that banks agree on by country, and plain text. */
import type { StatementCounterparty } from "../statement.ts"
import { readReference, trimToNull } from "../text.ts"

/** What `:86:` says of a booking. */
export interface Details {
  readonly end_to_end_id: string | null
  /** A reference of the account's owner that is no end-to-end id. */
  readonly own_reference: string | null
  readonly counterparty: StatementCounterparty
  readonly remittance: string | null
}

/** Germany and others: a code of three digits, and fields of two digits after a sign (`166?00GUTSCHRIFT?20EREF+…`). */
const fields = /^\s*\d{3}([?>~@+#$^!])(?=\d\d)/

const sepaKeys = /(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|RREF|SQTP)\+/g

const dutchKeys =
  /\/(EREF|REMI|NAME|IBAN|BIC|BENM|ORDP|CNTP|MARF|CSID|ISDT|TRTP|RTRN|TRCD|PREF|PURP|ULTC|ULTD|ULTB|ADDR|SVCL|OCMT|CHGS|ID)\//g

/** The text without slashes at either end. A pattern would look at each run of slashes as often as it is long. */
const withoutSlashes = (text: string): string => {
  let [from, to] = [0, text.length]
  while (text[from] === "/") from++
  while (to > from && text[to - 1] === "/") to--
  return text.slice(from, to)
}

/** Reads the lines of one or several `:86:`. Structures are cut at the length of a line, in the middle of a word. */
export const detailsOf = (lines: ReadonlyArray<string>): Details => {
  const joined = lines.join("")
  const separator = fields.exec(joined)?.[1]
  if (separator !== undefined) {
    const values = new Map<number, string>()
    let at = 0
    for (const part of joined.split(separator).slice(1)) {
      const number = /^\d\d/.exec(part)?.[0]
      // Text may have the sign, too.
      if (number === undefined) values.set(at, `${values.get(at) ?? ""}${separator}${part}`)
      else {
        at = Number(number)
        values.set(at, `${values.get(at) ?? ""}${part.slice(2)}`)
      }
    }
    const between = (from: number, to: number): string =>
      [...values]
        .filter(([at]) => at >= from && at <= to)
        .map(([, value]) => value)
        .join("")
    const free = between(20, 29) + between(60, 63)
    const found = [...free.matchAll(sepaKeys)]
    const keys = new Map(
      found.map(({ 0: all, 1: key = "", index }, at) => [
        key,
        free.slice(index + all.length, found[at + 1]?.index).trim()
      ])
    )
    return {
      end_to_end_id: readReference(keys.get("EREF")),
      own_reference: readReference(keys.get("KREF")),
      counterparty: {
        name: trimToNull(between(32, 33)),
        account: trimToNull(values.get(38))?.replace(/\s/g, "") ?? trimToNull(values.get(31))
      },
      remittance: trimToNull(keys.get("SVWZ")) ?? trimToNull(free) ?? trimToNull(values.get(0))
    }
  }
  if (joined.search(dutchKeys) >= 0) {
    // The Netherlands and others: `/EREF/…//BENM//NAME/…/REMI/…`.
    const found = [...joined.matchAll(dutchKeys)]
    const values = new Map<string, string>()
    for (const [at, { 0: all, 1: key = "", index }] of found.entries()) {
      const value = withoutSlashes(joined.slice(index + all.length - 1, found[at + 1]?.index))
      if (value.trim() !== "" && !values.has(key)) values.set(key, value.trim())
    }
    // The other side in one key: its account, its bank, its name.
    const [account, , name] = values.get("CNTP")?.split("/") ?? []
    const remittance = values.get("REMI")?.replace(/^(?:USTD|STRD)\/\//, "")
    return {
      end_to_end_id: readReference(values.get("EREF")),
      own_reference: readReference(values.get("PREF")),
      counterparty: {
        name: trimToNull(values.get("NAME")) ?? trimToNull(name),
        account: trimToNull(values.get("IBAN")) ?? trimToNull(account)
      },
      remittance: trimToNull(remittance) ?? trimToNull(joined)
    }
  }
  return {
    end_to_end_id: null,
    own_reference: null,
    counterparty: { name: null, account: null },
    remittance: trimToNull(
      lines
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join(" ")
    )
  }
}
