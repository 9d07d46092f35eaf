/** Search over all merchants (SEARCH-1 to SEARCH-6). */
import { Context, Effect, Layer, Schema, Struct } from "effect"
import { type Listed, mapList } from "../calls/list.ts"
import type { Call } from "../commit/call.ts"
import { type Kind, Kinds } from "../commit/kind.ts"
import {
  amountKey,
  normalise,
  normalizeDecimal,
  termSortOf,
  termKey,
  type TermSort,
  splitName
} from "../commit/index-keys.ts"
import { describe, Optional, paging, SearchText, toSlice } from "../input/schemas.ts"
import { ofMerchant } from "../input/members.ts"
import { invalid, type StorageFault } from "../ports/errors.ts"
import { cutStem } from "../ports/Ids.ts"
import { type Match, type Row, type RowKey, Storage } from "../ports/Storage.ts"
import { iso } from "../ports/Time.ts"
import { currencies, displayAmount } from "../reference/currencies.ts"
import type { FoundBody, OwnFoundBody } from "../representations/search.ts"
import { isTransactionId } from "../representations/movements/transaction.ts"
import { readCustomerNames, readMerchantNames, toMerchantOrNull } from "./names.ts"
import { compareCodeUnits } from "../../machines/kernel/order.ts"

export const Search = Schema.Struct({
  q: describe(
    SearchText,
    "An id, a reference, a hash, an account number or address, an email address, a name, or an amount with its currency."
  ),
  kind: Optional(Schema.String, "Only resources of this kind.", "offramp"),
  merchant_id: ofMerchant,
  ...paging
})
export type Search = typeof Search.Type

export const OwnSearch = Schema.Struct({ q: Search.fields.q, kind: Search.fields.kind, ...paging })
export type OwnSearch = typeof OwnSearch.Type

/** The kinds that a merchant's search has: those that it reads with its own key, by a name that it knows. */
const ownKinds: ReadonlySet<string> = new Set([
  "customer",
  "sender",
  "beneficiary",
  "wallet",
  "wallet_credential",
  "deposit_address",
  "onramp",
  "offramp",
  "conversion",
  "transfer",
  "deposit",
  "batch"
])

/** The most results of a search. */
const RESULTS_MAX = 1_000

type Matched = "id" | TermSort

/** Results are ordered by how much a match says, then newest first. */
const rank: Readonly<Record<Matched, number>> = {
  id: 0,
  reference: 1,
  provider_reference: 1,
  transaction_hash: 1,
  account: 2,
  email: 3,
  name: 3,
  amount: 4
}

const exactSorts = ["reference", "provider_reference", "transaction_hash", "account", "email"] as const

/** The fewest characters of a beginning of a name or an email address. */
const PREFIX_MIN = 3

const amountPattern = /^(\d{1,18}|\d{1,3}(?:,\d{3}){1,5})(\.\d{1,18})?(?: ?([a-z]{2,12}))?$/i
const codes = [...new Set(currencies.map(({ code }) => code))]

/** Lists the index keys of the amounts that a searched text can mean: of one currency, or without a currency of each. */
const listAmountKeys = (text: string): ReadonlyArray<string> => {
  const [, whole = "", fraction = "", code] = amountPattern.exec(text) ?? []
  if (whole === "") return []
  const decimal = normalizeDecimal(whole.replaceAll(",", "") + fraction)
  return codes.filter((one) => code === undefined || code.toUpperCase() === one).map((one) => amountKey(decimal, one))
}

/** Lists the index keys, and the beginnings of index keys, that a searched text can mean. */
export const listMeanings = (
  q: string
): { readonly keys: ReadonlyArray<string>; readonly prefixes: ReadonlyArray<string> } => {
  const text = normalise(q)
  const name = splitName(q).join(" ")
  return {
    keys: text === "" ? [] : [...exactSorts.map((sort) => termKey(sort, text)), ...listAmountKeys(text)],
    prefixes: [
      ...(name.length < PREFIX_MIN ? [] : [termKey("name", name)]),
      ...(text.length < PREFIX_MIN || !text.includes("@") ? [] : [termKey("email", text)])
    ]
  }
}

/**
 * Lists the meanings of a text for a merchant: without provider references, because a merchant does not learn which provider has a payment
 * (TIMELINE-2).
 */
const listOwnMeanings = (q: string) => {
  const { keys, prefixes } = listMeanings(q)
  return { keys: keys.filter((key) => termSortOf(key) !== "provider_reference"), prefixes }
}

interface Found extends RowKey {
  readonly created_at: number
  readonly matched: ReadonlyArray<Matched>
}

const rankFound = ({ matched }: Found): number => Math.min(...matched.map((one) => rank[one]))

const compareFound = (a: Found, b: Found): number =>
  rankFound(a) - rankFound(b) ||
  b.created_at - a.created_at ||
  compareCodeUnits(cutStem(b.id), cutStem(a.id)) ||
  compareCodeUnits(b.id, a.id) ||
  compareCodeUnits(b.merchant_id, a.merchant_id)

/** Merges the matches of a search: each row once, with the sorts of terms that matched. */
const mergeMatches = (matches: ReadonlyArray<Match>, byId: ReadonlyArray<Row>): ReadonlyArray<Found> => {
  const found = new Map<string, { key: Omit<Found, "matched">; matched: Set<Matched> }>()
  const add = ({ merchant_id, kind, id, created_at }: Omit<Found, "matched">, matched: Matched): void => {
    const name = `${merchant_id} ${kind} ${id}`
    const one = found.get(name)
    if (one !== undefined) one.matched.add(matched)
    else found.set(name, { key: { merchant_id, kind, id, created_at }, matched: new Set([matched]) })
  }
  for (const row of byId) add(row, "id")
  for (const match of matches) add(match, termSortOf(match.index_key))
  return [...found.values()]
    .map(({ key, matched }) => ({
      ...key,
      matched: [...matched].sort((a, b) => rank[a] - rank[b] || compareCodeUnits(a, b))
    }))
    .sort(compareFound)
}

const idPattern = /^[a-z]{2,7}_[0-9a-z]{26}$/

export class Searches extends Context.Service<Searches>()("corridor/engine/Searches", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const kinds = yield* Kinds
    const searchable = [...kinds.byName.values()].filter(({ searchValues: searched }) => searched !== undefined)

    const rowOf = Effect.fnUntraced(function* (kind: string, id: string) {
      const row = yield* storage.find(kind, id)
      return row === undefined || row.hidden ? [] : [row]
    })

    /** The resource that an id names: the resource with this id, or that of a transaction or an event with it. */
    const named = Effect.fnUntraced(function* (q: string): Effect.fn.Return<ReadonlyArray<Row>, StorageFault> {
      const id = q.trim().toLowerCase()
      if (!idPattern.test(id)) return []
      if (isTransactionId(id)) {
        const rows = yield* Effect.forEach(
          kinds.transactions,
          ({ kind, prefix }) => rowOf(kind, `${prefix}_${cutStem(id)}`),
          { concurrency: "unbounded" }
        )
        return rows.flat()
      }
      if (!id.startsWith("evt_")) {
        const kind = kinds.ofId(id)
        return kind === undefined ? [] : yield* rowOf(kind.kind, id)
      }
      const event = yield* storage.findEvent(id)
      const kind = event === undefined ? undefined : kinds.ofId(event.object_id)
      return kind === undefined || event === undefined ? [] : yield* rowOf(kind.kind, event.object_id)
    })

    const bodyOf = (
      row: Row,
      matched: ReadonlyArray<Matched>,
      names: Pick<FoundBody, "customer_name" | "merchant_name">
    ): FoundBody => {
      const { amounts = [], title } = (kinds.byName.get(row.kind) as Kind | undefined)?.searchValues?.(row.data) ?? {}
      const [amount] = amounts
      return {
        ...Struct.pick(row, ["id", "kind", "customer_id", "status"]),
        merchant_id: toMerchantOrNull(row.merchant_id),
        ...names,
        matched,
        title: title ?? row.id,
        amount: amount === undefined ? null : displayAmount(amount[0], amount[1]),
        currency: amount?.[1] ?? null,
        created_at: iso(row.created_at)
      }
    }

    /** The best {@link RESULTS_MAX} resources that a text names, page by page. `isOwn`: as their merchant may know them. */
    const search = Effect.fnUntraced(function* ({ q, kind, merchant_id, ...input }: Search, isOwn: boolean) {
      const { page, per_page, offset, limit } = toSlice(input)
      const isThere = (name: string): boolean => kinds.byName.has(name) && (!isOwn || ownKinds.has(name))
      if (kind !== undefined && !isThere(kind)) return yield* invalid("kind", `There is no kind ${kind}.`)
      const isLookedFor = (name: string): boolean => isThere(name) && (kind === undefined || name === kind)
      const names = searchable.map((one) => one.kind).filter(isLookedFor)
      const [matches, byId] = yield* Effect.all(
        [
          storage.matches({
            ...(isOwn ? listOwnMeanings(q) : listMeanings(q)),
            kinds: names,
            ...(merchant_id === undefined ? {} : { merchant_id }),
            limit: RESULTS_MAX
          }),
          named(q)
        ],
        { concurrency: 2 }
      )
      const own = byId.filter(
        (row) => isLookedFor(row.kind) && (merchant_id === undefined || row.merchant_id === merchant_id)
      )
      const found = mergeMatches(matches, own).slice(0, RESULTS_MAX)
      const shown = found.slice(offset, offset + limit)
      const rows = yield* storage.get(shown)
      const [merchantNameOf, customerNameOf] = yield* Effect.all(
        [readMerchantNames(storage, rows), readCustomerNames(storage, rows)],
        { concurrency: 2 }
      )
      const byKey = new Map(rows.map((row) => [`${row.merchant_id} ${row.id} ${row.kind}`, row]))
      const items = shown.flatMap((one) => {
        const row = byKey.get(`${one.merchant_id} ${one.id} ${one.kind}`)
        if (row === undefined) return []
        const { customer_id, merchant_id } = row
        const customer_name = customer_id === null ? null : customerNameOf(customer_id)
        return [bodyOf(row, one.matched, { merchant_name: merchantNameOf(merchant_id), customer_name })]
      })
      return { items, page, per_page, total: found.length } satisfies Listed<FoundBody>
    })

    return {
      /** The resources of all merchants. Errors: `InvalidInput` for a kind that does not exist. */
      search: (input: Search) => search(input, false),
      /** The resources of the caller that it can read itself. Errors: as for `search`. */
      own: ({ merchant_id }: Call, input: OwnSearch) =>
        Effect.map(search({ ...input, merchant_id }, true), (listed) =>
          mapList(listed, ({ merchant_id: _id, merchant_name: _name, ...own }): OwnFoundBody => own)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
