/** Lists and single reads: every resource has the same shape, order and filters. */
import { Context, Effect } from "effect"
import type { Call } from "../commit/call.ts"
import { Conflict, type StorageFault } from "../ports/errors.ts"
import { listing, type Paging, toSlice } from "../input/schemas.ts"
import type { Storage, Row } from "../ports/Storage.ts"
import { referenceScope } from "../commit/changeset.ts"

/** One page of `/v1` bodies, and the paging fields of its meta. */
export interface Listed<Body> {
  readonly items: ReadonlyArray<Body>
  readonly page: number
  readonly per_page: number
  readonly total: number
}

/** One resource and the version in its `ETag` (HTTP-11). */
export interface Versioned<Body> {
  readonly body: Body
  readonly version: string
}

/**
 * Whether a page must have the total of its list. A file has it from its first page: where rows are filtered one by one, later pages are
 * read no further than one row after them, so that a file reads its list a fixed number of times. `total` is then what was found until there.
 */
export const NeedsTotal = Context.Reference<boolean>("corridor/engine/NeedsTotal", { defaultValue: () => true })

export interface ListInput extends Paging {
  readonly created_after?: number
  readonly created_before?: number
}

/** The schema of a list's query: the parameters of every list, and filters with the names of index keys. */
export interface DecodedListQuery {
  readonly fields: Readonly<Record<string, unknown>>
  readonly Type: ListInput
}

/** Converts the filters of a list to the index keys that its rows must have. */
export const toIndexKeys = <Q extends DecodedListQuery>(query: Q, input: Q["Type"]): ReadonlyArray<string> =>
  Object.keys(query.fields).flatMap((name) => {
    const value = name in listing ? undefined : (input as Readonly<Record<string, unknown>>)[name]
    return value === undefined ? [] : [`${name}=${value}`]
  })

/** Picks the time bounds that the caller of a list gave, for the store. */
export const toTimeBounds = ({ created_after, created_before }: ListInput) => ({
  ...(created_after === undefined ? {} : { created_after }),
  ...(created_before === undefined ? {} : { created_before })
})

const REFERENCE = "reference="

/** Finds the rows with a reference: at most one, the owner of the unique key. References need no list counter and no index entry. */
const findByReference = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  merchant_id: string,
  kinds: ReadonlyArray<string>,
  index_keys: ReadonlyArray<string>,
  { created_after = 0, created_before = Infinity }: ListInput
) {
  const indexed = index_keys.find((indexKey) => indexKey.startsWith(REFERENCE))!
  const id = yield* storage.uniqueKeyOwner(merchant_id, referenceScope.name, indexed.slice(REFERENCE.length))
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

/** Reads a page of the rows of `kinds` that have all `index_keys`. `merchant_id` null: the rows of every merchant (operator). */
export const listRows = Effect.fnUntraced(function* <Data = unknown>(
  storage: Storage["Service"],
  merchant_id: string | null,
  kinds: ReadonlyArray<string>,
  index_keys: ReadonlyArray<string>,
  input: ListInput
): Effect.fn.Return<Listed<Row<Data>>, StorageFault> {
  const { page, per_page, offset, limit } = toSlice(input)
  if (merchant_id !== null && index_keys.some((indexKey) => indexKey.startsWith(REFERENCE))) {
    const rows = yield* findByReference(storage, merchant_id, kinds, index_keys, input)
    const items = rows.slice(offset, offset + limit) as ReadonlyArray<Row<Data>>
    return { items, page, per_page, total: rows.length }
  }
  const { items, total } = yield* storage.list({
    ...(merchant_id === null ? {} : { merchant_id }),
    kinds,
    index_keys,
    ...toTimeBounds(input),
    offset,
    limit
  })
  return { items: items as ReadonlyArray<Row<Data>>, page, per_page, total }
})

export const mapList = <A, B>(listed: Listed<A>, f: (item: A) => B): Listed<B> => ({
  ...listed,
  items: listed.items.map(f)
})

/** Cuts a page of a list that is in memory, such as reference data. */
export const slicePage = <Body>(all: ReadonlyArray<Body>, input: Paging): Listed<Body> => {
  const { page, per_page, offset, limit } = toSlice(input)
  return { items: all.slice(offset, offset + limit), page, per_page, total: all.length }
}

/** Checks that a change names the current version (HTTP-11), or what its resource shows as its version. Errors: `Conflict`. */
export const checkVersion = (call: Call, version: string, shown?: string): Effect.Effect<void, Conflict> =>
  call.if_match === null || call.if_match.split(" ").some((one) => one === version || one === shown)
    ? Effect.void
    : Effect.fail(
        new Conflict({
          message: `If-Match names ${describeVersions(call.if_match)}; the current version is ${version}.`
        })
      )

const describeVersions = (if_match: string): string =>
  if_match === "" ? "no version" : `version ${if_match.replaceAll(" ", " or ")}`
