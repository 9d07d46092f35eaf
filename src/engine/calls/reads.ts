/**
 * Reads that all kinds of resource share: one resource by its id, a page of the resources that match a query, and all rows of a list,
 * however many they are. The last are for filters that no index key has: a page that is filtered afterwards misses rows.
 */
import { Clock, Effect } from "effect"
import { makeNotFound, UnitOfWork } from "../commit/UnitOfWork.ts"
import { appendAll } from "../../machines/kernel/order.ts"
import type { Call } from "../commit/call.ts"
import { normalizeDecimal } from "../commit/index-keys.ts"
import type { Kind } from "../commit/kind.ts"
import { type ListQuery, type Match, type MatchQuery, type Row, Storage } from "../ports/Storage.ts"
import { toSlice } from "../input/schemas.ts"
import type { NotFound, StorageFault } from "../ports/errors.ts"
import {
  type DecodedListQuery,
  type Listed,
  type ListInput,
  listRows,
  mapList,
  NeedsTotal,
  toTimeBounds,
  toIndexKeys,
  type Versioned
} from "./list.ts"

const pageSize = 200

/** The most rows of one page: what a reader holds that keeps none. */
const LARGEST_PAGE = 10_000

/**
 * Visits the rows of a list, newest first, each once, until `visit` returns false. They are read page by page, each from the time of the
 * last row of the one before: rows that are written or leave the list meanwhile hide no other. A store counts a list with each of its pages,
 * so that each page is twice as long as the one before: a list is counted a few times, however long it is.
 */
const visitRows = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  query: Omit<ListQuery, "offset" | "limit">,
  visit: (row: Row) => boolean,
  first: number
): Effect.fn.Return<void, StorageFault> {
  let size = first
  const seen = new Set<string>()
  let { created_before } = query
  let offset = 0
  for (;;) {
    const from = created_before === undefined ? {} : { created_before }
    const { items } = yield* storage.list({ ...query, ...from, offset, limit: size })
    for (const row of items) if (!seen.has(row.id) && !visit(row)) return
    const last = items.at(-1)
    if (last === undefined || items.length < size) return
    if (last.created_at === created_before) offset += size
    else {
      created_before = last.created_at
      offset = 0
      seen.clear()
    }
    for (const { created_at, id } of items) if (created_at === created_before) seen.add(id)
    size = Math.max(size, Math.min(2 * size, LARGEST_PAGE))
  }
})

/** Reads the rows of a list that `isWanted`, newest first, however many they are. */
export const readAllRows = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  query: Omit<ListQuery, "offset" | "limit">,
  isWanted: (row: Row) => boolean,
  size = pageSize
): Effect.fn.Return<ReadonlyArray<Row>, StorageFault> {
  const wanted: Array<Row> = []
  yield* visitRows(
    storage,
    query,
    (row) => {
      if (isWanted(row)) wanted.push(row)
      return true
    },
    size
  )
  return wanted
})

/**
 * Reads all rows that have one of the search keys, once for each key, however many a key has. A key with more than one page is read on from
 * its oldest row.
 */
export const readAllMatches = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  query: Omit<MatchQuery, "prefixes" | "limit">,
  size = 1_000
): Effect.fn.Return<ReadonlyArray<Match>, StorageFault> {
  const all: Array<Match> = []
  for (let n = 0; n < query.keys.length; n += size) {
    const found = yield* storage.matches({ ...query, keys: query.keys.slice(n, n + size), prefixes: [], limit: size })
    appendAll(all, found)
    for (const [key, some] of Map.groupBy(found, ({ index_key }) => index_key))
      for (let page: ReadonlyArray<Match> = some; page.length >= size; ) {
        const oldest = page.reduce((at, { created_at }) => Math.min(at, created_at), Infinity)
        page = yield* storage.matches({ ...query, keys: [key], prefixes: [], created_before: oldest - 1, limit: size })
        appendAll(all, page)
      }
  }
  return all
})

/** Reads the rows with one of the search keys that `isWanted`, newest first, however many they are. */
export const readAllRowsUnder = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  query: Omit<MatchQuery, "prefixes" | "limit">,
  isWanted: (row: Row) => boolean,
  size = 1_000
): Effect.fn.Return<ReadonlyArray<Row>, StorageFault> {
  const found = yield* readAllMatches(storage, query, size)
  const keys = [
    ...new Map(found.map(({ id, kind, merchant_id }) => [`${merchant_id} ${id}`, { merchant_id, kind, id }])).values()
  ]
  const wanted: Array<Row> = []
  for (let n = 0; n < keys.length; n += size)
    wanted.push(...(yield* storage.get(keys.slice(n, n + size))).filter(isWanted))
  return wanted.toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1))
})

/**
 * Reads a page of the rows of a list that `isWanted`: for filters that no index key has. It reads the whole list where its total is needed
 * ({@link NeedsTotal}); else it ends once it knows that another page follows.
 */
export const readPageWhere = Effect.fnUntraced(function* <Data>(
  storage: Storage["Service"],
  query: Pick<ListQuery, "merchant_id" | "kinds" | "index_keys">,
  input: ListInput,
  isWanted: (row: Row<Data>) => boolean
): Effect.fn.Return<Listed<Row<Data>>, StorageFault> {
  const { page, per_page, offset, limit } = toSlice(input)
  const needsTotal = yield* NeedsTotal
  const items: Array<Row<Data>> = []
  let total = 0
  const visit = (row: Row): boolean => {
    if (isWanted(row as Row<Data>)) {
      total += 1
      if (total > offset && total <= offset + limit) items.push(row as Row<Data>)
    }
    return needsTotal || total <= offset + limit
  }
  yield* visitRows(storage, { ...query, ...toTimeBounds(input) }, visit, pageSize)
  return { items, page, per_page, total }
})

/** Whether a member has the value that a filter names, or is a list that has it: of identifiers, one with this value. */
const hasValue = (member: unknown, wanted: unknown): boolean =>
  Array.isArray(member)
    ? member.some((one) => one === wanted || (one as { readonly value?: unknown } | null)?.value === wanted)
    : member === wanted

/** Whether a member matches its filter. Of an amount, the zeros at its ends do not count. */
const isMatch = (name: string, member: unknown, wanted: unknown): boolean =>
  name === "amount" ? normalizeDecimal(String(member)) === normalizeDecimal(String(wanted)) : hasValue(member, wanted)

/**
 * Makes the list of resources whose `/v1` body depends only on the row and the time. `merchant_id` null: the resources of every merchant
 * (operator). `query` is the schema of the query. `compared`: filters that no index key has, of lists that are short: each is compared with
 * the member of the body that has its name, or with each of a list.
 */
export const listBodies =
  <Data, Body, Q extends DecodedListQuery>(
    storage: Storage["Service"],
    kind: Kind<Data>,
    query: Q,
    bodyOf: (row: Row<Data>, at: number) => Body,
    compared: ReadonlyArray<keyof Body & keyof Q["Type"] & string> = []
  ) =>
  (merchant_id: string | null, input: Q["Type"]): Effect.Effect<Listed<Body>, StorageFault> =>
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const given = compared.filter((name) => input[name] !== undefined)
      const indexed = { ...input, ...Object.fromEntries(given.map((name) => [name, undefined])) }
      const [kinds, index_keys] = [[kind.kind], toIndexKeys(query, indexed)]
      const isWanted = (row: Row<Data>): boolean => {
        const body = bodyOf(row, at)
        return given.every((name) => isMatch(name, body[name], input[name]))
      }
      const listed =
        given.length === 0
          ? yield* listRows<Data>(storage, merchant_id, kinds, index_keys, input)
          : yield* readPageWhere<Data>(
              storage,
              { ...(merchant_id === null ? {} : { merchant_id }), kinds, index_keys },
              input,
              isWanted
            )
      return mapList(listed, (row) => bodyOf(row, at))
    })

/**
 * Makes `get` and `list` of the resources of a merchant, with the bodies of {@link listBodies}.
 *
 * Errors of `get`: `NotFound`.
 */
export const makeReads = <Data, Body, Q extends DecodedListQuery>(
  kind: Kind<Data>,
  query: Q,
  bodyOf: (row: Row<Data>, at: number) => Body,
  compared?: ReadonlyArray<keyof Body & keyof Q["Type"] & string>
) =>
  Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork
    const list = listBodies(yield* Storage, kind, query, bodyOf, compared)
    return {
      get: Effect.fnUntraced(function* (
        call: Call,
        id: string
      ): Effect.fn.Return<Versioned<Body>, NotFound | StorageFault> {
        const row = yield* unitOfWork.load(kind, call.merchant_id, id)
        return { body: bodyOf(row, yield* Clock.currentTimeMillis), version: String(row.version) }
      }),
      list: (call: Call, input: Q["Type"]) => list(call.merchant_id, input)
    }
  })

/** Finds a resource of any merchant by its id (operator). Errors: `NotFound`. */
export const findOfAnyMerchant = Effect.fnUntraced(function* <Data>(
  storage: Storage["Service"],
  kind: Kind<Data>,
  id: string
): Effect.fn.Return<Row<Data>, NotFound | StorageFault> {
  const row = yield* storage.find(kind.kind, id)
  return row === undefined ? yield* makeNotFound(kind, id) : (row as Row<Data>)
})
