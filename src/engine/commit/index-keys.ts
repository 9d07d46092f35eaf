/** The index keys of a row: what its lists filter on. A row that is stored without one of them is indexed again. */
import type { Shown } from "../../machines/access/audit-entry.ts"
import { isAmount } from "../../machines/kernel/money.ts"
import { providerOf } from "../ports/Provider.ts"
import { EXACT_KEY, MEASURED_KEY, type Row, SEARCH_KEY } from "../ports/Storage.ts"
import { displayAmount, isCurrencyCode } from "../reference/currencies.ts"
import type { termSorts } from "../representations/search.ts"

// What statistics and totals count of a movement (STATS-2, TRANSACTION-12). For statistics it is an index key, which changes with the
// movement, and one for each fee that it has earned. A store sums the keys by the hour in which the movements were created.

/**
 * What a movement is counted with: the source amount in minor units. `fees`: what it earns if it succeeds. Absent: nothing. `has_arrived`:
 * it has succeeded, although its status does not say so. `is_counted`: false for what is no movement, of which only the fees are revenue.
 */
export interface Measured {
  readonly is_counted?: boolean
  readonly has_arrived?: boolean
  readonly source_currency: string
  readonly destination_currency: string
  readonly amount: string
  readonly fees?: ReadonlyArray<readonly [minor: bigint, currency: string]>
}

/** The tags of a measure, in order. `outcome` and `currency` are those of the amount. The outcome of a fee is `fee`. */
export const measureTags = ["outcome", "corridor", "provider", "failure_reason", "currency"] as const
type MeasureTag = (typeof measureTags)[number]

type MeasuredOutcome = "succeeded" | "failed" | "open"

const outcomes: Readonly<Record<string, MeasuredOutcome>> = {
  success: "succeeded",
  failed: "failed",
  returned: "failed"
}

/** The most significant bits of a duration that are kept: it is exact to 127 s, and above less than 1/64 too short. */
const BITS = 7

/** Rounds a duration in seconds down, as statistics keep it. */
const roundSeconds = (seconds: number): number => {
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, seconds))) + 1 - BITS)
  return Math.floor(seconds / unit) * unit
}

/** The outcome of a movement, by which statistics and totals count it: `open` while it has none. */
export const outcomeOf = ({ has_arrived = false }: Pick<Measured, "has_arrived">, status: string): MeasuredOutcome =>
  has_arrived ? "succeeded" : (outcomes[status] ?? "open")

const NONE = -1

/** Stands for `|` in the tags of a measure, which that separates. */
export const BAR = "\u001f"

/** Lists the index keys of a movement that statistics sum: one for its amount, and one for each fee. */
const listMeasureKeys = (
  measured: Measured,
  { created_at, data, status, updated_at }: Pick<Row, "created_at" | "updated_at" | "data" | "status">
): ReadonlyArray<string> => {
  const { amount, destination_currency, fees = [], is_counted = true, source_currency } = measured
  const { provider } = data as { readonly provider?: string | null }
  const outcome = outcomeOf(measured, status)
  const tags: Readonly<Record<Exclude<MeasureTag, "outcome" | "currency">, string>> = {
    corridor: `${source_currency}-${destination_currency}`,
    provider: provider ?? "",
    failure_reason: outcome === "failed" ? (failureReasonOf({ data, status }) ?? "") : ""
  }
  const key = (counted: MeasuredOutcome | "fee", sum: bigint | string, currency: string, seconds: number): string => {
    const all: Readonly<Record<MeasureTag, string>> = { ...tags, outcome: counted, currency }
    return `${MEASURED_KEY}${[sum, seconds, ...measureTags.map((tag) => all[tag].replaceAll("|", BAR))].join("|")}`
  }
  const seconds =
    outcome === "succeeded" ? roundSeconds(Math.max(0, Math.floor((updated_at - created_at) / 1000))) : NONE
  const earned = outcome === "succeeded" ? fees.filter(([fee]) => fee > 0n) : []
  return [
    ...(is_counted ? [key(outcome, amount, source_currency, seconds)] : []),
    ...earned.map(([fee, currency]) => key("fee", fee, currency, NONE))
  ]
}

// Search terms: what a row is found by, as index keys (SEARCH-2). A term and what a person types are normalised alike, so
// that they are compared as bytes.
//
// An index key is `<name>=<sort>:<text>`, of the name `search_id` for terms that are also found by their beginnings. The names
// end in `_id`, so that a store keeps an entry for each.

export type TermSort = (typeof termSorts)[number]

/**
 * The search values of a resource, besides its id.
 *
 * `accounts` are the numbers and addresses of accounts: their last four characters are terms, and addresses also as a
 * whole. `amounts` are minor units with their currency; results show the first.
 */
interface Searched {
  /** A name for people, as results show it. Default: the id. */
  readonly title?: string | null
  readonly names?: ReadonlyArray<string | null | undefined>
  readonly emails?: ReadonlyArray<string | null | undefined>
  readonly references?: ReadonlyArray<string | null | undefined>
  readonly provider_references?: ReadonlyArray<string | null | undefined>
  readonly transaction_hashes?: ReadonlyArray<string | null | undefined>
  readonly accounts?: ReadonlyArray<string | null | undefined>
  readonly addresses?: ReadonlyArray<string | null | undefined>
  readonly amounts?: ReadonlyArray<readonly [minor: string, currency: string]>
}

/** The most UTF-16 units of a term. Stores keep entries of keys up to 1,000 bytes. */
const LONGEST = 200

const marks = /[\u0300-\u036f]/g

/** Words of ASCII with one space between them. All forms of normalisation leave them as they are. */
const plain = /^[!-~]+(?: [!-~]+)*$/

/** Normalizes a search term: compatibility forms are equal (NFKC), letters are lower case; accents and repeated spaces do not count. */
export const normalise = (text: string): string => {
  // Almost every term is plain, and a normalisation costs more than the rest of a row's index keys.
  if (text.length <= LONGEST && plain.test(text)) return text.toLowerCase()
  return (
    text
      .normalize("NFKD")
      .toLowerCase()
      // A capital letter of Turkish becomes two characters.
      .normalize("NFKD")
      .replace(marks, "")
      .normalize("NFC")
      .trim()
      .replace(/\s+/g, " ")
      .slice(0, LONGEST)
      .toWellFormed()
  )
}

/** Splits a name into its words: runs of letters, digits and marks. */
export const splitName = (name: string): ReadonlyArray<string> => normalise(name).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** Lists a name as it reads from each of its words on, with the words before that at its end: "obi, ada" finds "Ada Obi". */
const listRotations = (name: string): ReadonlyArray<string> => {
  const words = splitName(name)
  return words.map((_, i) => [...words.slice(i), ...words.slice(0, i)].join(" "))
}

/** Removes from a decimal text what does not count: zeros at either end, and the point of a whole number. */
export const normalizeDecimal = (text: string): string => {
  const [whole = "", fraction = ""] = text.split(".")
  const kept = fraction.replace(/0+$/, "")
  return `${whole.replace(/^0+(?=\d)/, "")}${kept === "" ? "" : `.${kept}`}`
}

/** The index key of a search term. For the beginning of a term, the beginning of its index key. */
export const termKey = (sort: TermSort, text: string): string =>
  `${sort === "name" || sort === "email" ? SEARCH_KEY : EXACT_KEY}${sort}:${text}`

/** The index key by which an amount is found. */
export const amountKey = (decimal: string, currency: string): string =>
  termKey("amount", `${normalizeDecimal(decimal)}:${currency}`)

/** Reads the sort of a search term from its index key. */
export const termSortOf = (indexKey: string): TermSort =>
  indexKey.slice(indexKey.indexOf("=") + 1, indexKey.indexOf(":")) as TermSort

const takeLastFour = (account: string): string => [...normalise(account)].slice(-4).join("")

const keepWhole = (text: string): ReadonlyArray<string> => [normalise(text)]

/** Lists the index keys by which a search finds a resource, each once. */
export const listSearchKeys = (searched: Searched): ReadonlyArray<string> => {
  const keys = new Set<string>()
  const add = (
    sort: TermSort,
    texts: ReadonlyArray<string | null | undefined> | undefined,
    termsOf: (text: string) => ReadonlyArray<string>
  ): void => {
    if (texts === undefined) return
    for (const text of texts) {
      if (text === null || text === undefined) continue
      for (const term of termsOf(text)) keys.add(termKey(sort, term))
    }
  }
  add("reference", searched.references, keepWhole)
  add("provider_reference", searched.provider_references, keepWhole)
  add("transaction_hash", searched.transaction_hashes, keepWhole)
  add("account", searched.accounts, (text: string): ReadonlyArray<string> => [takeLastFour(text)])
  add("account", searched.addresses, (text: string): ReadonlyArray<string> => [takeLastFour(text), normalise(text)])
  add("email", searched.emails, keepWhole)
  add("name", searched.names, listRotations)
  for (const [minor, currency] of searched.amounts ?? []) {
    keys.add(amountKey(displayAmount(minor, currency), currency))
  }
  return [...keys]
}

/** How rows of a kind are listed, searched, counted and shown to operators. */
export interface KindQueries<Data> {
  /** The index keys that its lists filter on, in addition to those of every row. */
  readonly indexKeys?: (data: Data, state: string) => ReadonlyArray<string>
  /** The values that search finds it by, besides its id (SEARCH-2). Never an id number. */
  readonly searchValues?: (data: Data) => Searched
  /** The values that statistics count (STATS-2). Undefined: this movement is not counted. */
  readonly statistics?: (data: Data, state: string) => Measured | undefined
  /** Whether lists and reads leave out rows in this state. */
  readonly isHidden?: (state: string) => boolean
  /** The members that the audit log shows beside the status: those that operators change. Never a secret. */
  readonly auditView?: (row: Row<Data>) => Shown
}

/** The index key of a row that waits, although its status does not say so. `word`: what {@link Storage.idle} takes in place of a status. */
export const waitingKey = (word: string): string => `:${word}`

/** The members of a row that decide its index keys. */
type Indexed<Data = unknown> = Pick<
  Row<Data>,
  "status" | "state" | "customer_id" | "data" | "created_at" | "updated_at"
>

/** Lists the search values of a row: those that its kind declares, and those that the provider reported. */
export const listSearchValues = <Data>(
  kind: Pick<KindQueries<Data>, "searchValues">,
  { data }: Pick<Indexed<Data>, "data">
): Searched | undefined => {
  const declared = kind.searchValues?.(data)
  if (declared === undefined) return undefined
  const { provider_reference = null, transaction_hash = null } = data as {
    readonly provider_reference?: string | null
    readonly transaction_hash?: string | null
  }
  return {
    ...declared,
    provider_references: [...(declared.provider_references ?? []), provider_reference],
    transaction_hashes: [...(declared.transaction_hashes ?? []), transaction_hash]
  }
}

interface Failed {
  readonly failure_reason?: string | null
  readonly rejection_reason?: string
}

/** The failure reason of a movement that has failed or was returned: of a rejected deposit, the operator's words. Undefined for any other. */
export const failureReasonOf = ({ data, status }: Pick<Indexed, "data" | "status">): string | undefined => {
  const { failure_reason, rejection_reason } = data as Failed
  return outcomes[status] === "failed" ? (failure_reason ?? rejection_reason) : undefined
}

/** Of a report of a provider: a decimal string, and its currency where it is stated. */
interface ReportedAmount {
  readonly amount: string | null
  readonly currency: string | null
}

/** Lists the index keys of the amounts that a movement's provider reported. A report without a currency has that of the amount due. */
const listReportedKeys = ({ data }: Pick<Indexed, "data">, { amounts = [] }: Searched): ReadonlyArray<string> => {
  const { outcomes = [] } = data as { readonly outcomes?: ReadonlyArray<ReportedAmount> }
  const due = amounts.at(-1)?.[1] ?? ""
  return outcomes.flatMap(({ amount, currency }) => {
    const code = currency ?? due
    return amount !== null && isAmount(amount) && isCurrencyCode(code) ? [amountKey(amount, code)] : []
  })
}

/** Lists all index keys of a row. */
export const listIndexKeys = <Data>(
  kind: KindQueries<Data> & { readonly transaction?: unknown },
  row: Indexed<Data>
): ReadonlyArray<string> => {
  const keys = [`status=${row.status}`]
  if (row.customer_id !== null) keys.push(`customer_id=${row.customer_id}`)
  if (kind.indexKeys !== undefined) keys.push(...kind.indexKeys(row.data, row.state))
  // Movements are listed by the provider that has them now.
  const provider = kind.transaction === undefined ? undefined : providerOf(row)
  if (provider !== undefined) keys.push(`provider=${provider}`)
  const failure_reason = kind.transaction === undefined ? undefined : failureReasonOf(row)
  if (failure_reason !== undefined) keys.push(`failure_reason=${failure_reason}`)
  const measured = kind.statistics?.(row.data, row.state)
  if (measured !== undefined) keys.push(...listMeasureKeys(measured, row))
  const searched = listSearchValues(kind, row)
  if (searched !== undefined) keys.push(...new Set([...listSearchKeys(searched), ...listReportedKeys(row, searched)]))
  return keys
}
