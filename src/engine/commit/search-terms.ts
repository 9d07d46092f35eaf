/**
 * Search terms: what a row is found by, as index keys (SEARCH-2). A term and what a person types are normalised alike, so
 * that they are compared as bytes.
 *
 * An index key is `<name>=<sort>:<text>`, of the name `search_id` for terms that are also found by their beginnings. The names
 * end in `_id`, so that a store keeps an entry for each.
 */

import { EXACT_KEY, SEARCH_KEY } from "../ports/Storage.ts"
import { displayAmount } from "../reference/currencies.ts"
import type { termSorts } from "../representations/search.ts"

export type TermSort = (typeof termSorts)[number]

/**
 * The search values of a resource, besides its id.
 *
 * `accounts` are the numbers and addresses of accounts: their last four characters are terms, and addresses also as a
 * whole. `amounts` are minor units with their currency; results show the first.
 */
export interface Searched {
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

/** Compatibility forms are made equal (NFKC), and letters lower case; accents and repeated spaces do not count. */
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

/** The words of a name: runs of letters, digits and marks. */
export const wordsOf = (name: string): ReadonlyArray<string> => normalise(name).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** A name from each of its words on, and then from its start: "obi, ada" finds "Ada Obi". Only the length of a term bounds them. */
const rotations = (name: string): ReadonlyArray<string> => {
  const words = wordsOf(name)
  return words.map((_, i) => [...words.slice(i), ...words.slice(0, i)].join(" "))
}

/** A decimal text without what does not count: zeros at either end, and the point of a whole number. */
export const plainDecimal = (text: string): string => {
  const [whole = "", fraction = ""] = text.split(".")
  const kept = fraction.replace(/0+$/, "")
  return `${whole.replace(/^0+(?=\d)/, "")}${kept === "" ? "" : `.${kept}`}`
}

/** The index key of a term. With a text that is a beginning of terms, the beginning of their index keys. */
export const termKey = (sort: TermSort, text: string): string =>
  `${sort === "name" || sort === "email" ? SEARCH_KEY : EXACT_KEY}${sort}:${text}`

export const amountKey = (decimal: string, currency: string): string =>
  termKey("amount", `${plainDecimal(decimal)}:${currency}`)

/** The sort of a term, from its index key. */
export const sortOf = (indexKey: string): TermSort =>
  indexKey.slice(indexKey.indexOf("=") + 1, indexKey.indexOf(":")) as TermSort

const lastFour = (account: string): string => [...normalise(account)].slice(-4).join("")

const asItIs = (text: string): ReadonlyArray<string> => [normalise(text)]

/** The index keys of what a resource is found by. Each once. */
export const searchKeysOf = (searched: Searched): ReadonlyArray<string> => {
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
  add("reference", searched.references, asItIs)
  add("provider_reference", searched.provider_references, asItIs)
  add("transaction_hash", searched.transaction_hashes, asItIs)
  add("account", searched.accounts, (text: string): ReadonlyArray<string> => [lastFour(text)])
  add("account", searched.addresses, (text: string): ReadonlyArray<string> => [lastFour(text), normalise(text)])
  add("email", searched.emails, asItIs)
  add("name", searched.names, rotations)
  for (const [minor, currency] of searched.amounts ?? []) {
    keys.add(amountKey(displayAmount(minor, currency), currency))
  }
  return [...keys]
}
