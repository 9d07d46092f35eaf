/** Lists and single reads: one shape, one order, one way of filtering for every resource. */
import { Effect } from "effect"
import type { Call } from "../commit/call.ts"
import { Conflict, type StorageFault } from "../ports/errors.ts"
import { listing, type Paging, sliceOf } from "../input/schemas.ts"
import type { Storage } from "../ports/Storage.ts"
import { type Row } from "../ports/Storage.ts"
import { referenceScope } from "./reference.ts"

/** One page of `/v1` bodies and what its meta says. */
export interface Listed<Body> {
  readonly items: ReadonlyArray<Body>
  readonly page: number
  readonly per_page: number
  readonly total: number
}

/** One resource and the version its `ETag` names (HTTP-11). */
export interface Versioned<Body> {
  readonly body: Body
  readonly version: string
}

export interface ListInput extends Paging {
  readonly created_after?: number
  readonly created_before?: number
}

/** The schema of a list's query: the members of every list, and its filters by the names of their index keys. */
export interface ListQuery {
  readonly fields: Readonly<Record<string, unknown>>
  readonly Type: ListInput
}

/** The index keys that rows must have to match the filters of `input`. */
export const queriedKeys = <Q extends ListQuery>(query: Q, input: Q["Type"]): ReadonlyArray<string> =>
  Object.keys(query.fields).flatMap((name) => {
    const value = name in listing ? undefined : (input as Readonly<Record<string, unknown>>)[name]
    return value === undefined ? [] : [`${name}=${value}`]
  })

/** The bounds of a list that were given, as a store takes them. */
export const within = ({ created_after, created_before }: ListInput) => ({
  ...(created_after === undefined ? {} : { created_after }),
  ...(created_before === undefined ? {} : { created_before })
})

const REFERENCE = "reference="

/** The rows under a reference: one at most, which its unique key names. No counter and no index need to know of references. */
const referred = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  merchant_id: string,
  kinds: ReadonlyArray<string>,
  index_keys: ReadonlyArray<string>,
  { created_after = 0, created_before = Infinity }: ListInput
) {
  const word = index_keys.find((indexKey) => indexKey.startsWith(REFERENCE))!
  const id = yield* storage.uniqueKeyOwner(merchant_id, referenceScope.name, word.slice(REFERENCE.length))
  if (id === undefined) return []
  const rows = yield* storage.get(kinds.map((kind) => ({ merchant_id, kind, id })))
  return rows.filter(
    (row) =>
      !row.hidden &&
      index_keys.every((indexKey) => row.index_keys.includes(indexKey)) &&
      row.created_at >= created_after &&
      row.created_at <= created_before
  )
})

/** A page of the rows of `kinds` that carry `index_keys`; of every merchant's when `merchant_id` is null (operator). */
export const listRows = Effect.fnUntraced(function* <Data = unknown>(
  storage: Storage["Service"],
  merchant_id: string | null,
  kinds: ReadonlyArray<string>,
  index_keys: ReadonlyArray<string>,
  input: ListInput
): Effect.fn.Return<Listed<Row<Data>>, StorageFault> {
  const { page, per_page, offset, limit } = sliceOf(input)
  if (merchant_id !== null && index_keys.some((indexKey) => indexKey.startsWith(REFERENCE))) {
    const rows = yield* referred(storage, merchant_id, kinds, index_keys, input)
    const items = rows.slice(offset, offset + limit) as ReadonlyArray<Row<Data>>
    return { items, page, per_page, total: rows.length }
  }
  const { items, total } = yield* storage.list({
    ...(merchant_id === null ? {} : { merchant_id }),
    kinds,
    index_keys,
    ...within(input),
    offset,
    limit
  })
  return { items: items as ReadonlyArray<Row<Data>>, page, per_page, total }
})

export const mapListed = <A, B>(listed: Listed<A>, f: (item: A) => B): Listed<B> => ({
  ...listed,
  items: listed.items.map(f)
})

/** A page of a list that is known whole: reference data. */
export const pageOf = <Body>(all: ReadonlyArray<Body>, input: Paging): Listed<Body> => {
  const { page, per_page, offset, limit } = sliceOf(input)
  return { items: all.slice(offset, offset + limit), page, per_page, total: all.length }
}

/** Refuses a change made on another version than the caller has read. Errors: `Conflict`. Source: HTTP-11. */
export const checkVersion = (call: Call, version: string): Effect.Effect<void, Conflict> =>
  call.if_match === null || call.if_match === version
    ? Effect.void
    : Effect.fail(
        new Conflict({ message: `If-Match names version ${call.if_match}, and the resource is at ${version}.` })
      )
