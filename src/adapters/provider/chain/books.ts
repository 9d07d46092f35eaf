/**
 * The books of a chain's adapter. A store that does not answer is a fault of the provider, which the engine asks again.
 *
 * All entries belong to `PLATFORM_MERCHANT`: what one decision changes changes together, whichever merchants it concerns, and what is
 * listed of all merchants is in one database of a set, whichever others are away.
 */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type RowKey } from "../../../engine/ports/Storage.ts"
import { type Amendment, openBooks } from "../books.ts"

const toBooksFault = (cause: unknown): ProviderFault =>
  new ProviderFault({ message: "the adapter cannot read its books", cause })

/** Rows of one read. */
const pageSize = 500

/** Which entries are listed. `from`: a place in the list; `limit`: how many from there. Default: all of them. */
export interface EntryList {
  readonly kind: string
  readonly index_keys: ReadonlyArray<string>
  /** Of all merchants, in all databases. Default: of the platform. */
  readonly isOfAll?: true
  /** Epoch milliseconds. */
  readonly created_after?: number
  readonly from?: number
  readonly limit?: number
}

/** Makes the key of an entry, which belongs to no merchant. */
export const entryKey = <Kind extends string>(kind: Kind, id: string) => ({ merchant_id: PLATFORM_MERCHANT, kind, id })

export const readData = <Data>(row: Row | undefined): Data | undefined => row?.data as Data | undefined

/** Opens the state store of the chain adapter `via`. Errors of every call: `ProviderFault` when the store did not answer. */
export const openChainBooks = (via: string) =>
  Effect.map(openBooks(via), ({ amend, storage }) => {
    const get = (keys: ReadonlyArray<RowKey>) => Effect.mapError(storage.get(keys), toBooksFault)
    return {
      get,
      /** An entry of any merchant. Errors: also when the database of another one is away. */
      find: (kind: string, id: string) => Effect.mapError(storage.find(kind, id), toBooksFault),
      read: <Data>(key: RowKey) => Effect.map(get([key]), ([row]) => readData<Data>(row)),
      /** Entries, newest first. One that is written meanwhile may be missing, or be there twice; the next round finds it. */
      list: Effect.fnUntraced(function* (list: EntryList) {
        const { kind, from = 0, isOfAll = false, limit = Number.POSITIVE_INFINITY, ...which } = list
        const rows: Array<Row> = []
        while (rows.length < limit) {
          const asked = Math.min(pageSize, limit - rows.length)
          const page = {
            ...which,
            ...(isOfAll ? {} : { merchant_id: PLATFORM_MERCHANT }),
            kinds: [kind],
            offset: from + rows.length,
            limit: asked
          }
          const { items } = yield* Effect.mapError(storage.list(page), toBooksFault)
          rows.push(...items)
          if (items.length < asked) break
        }
        return rows
      }),
      /** `amend` of the books: see there. */
      amend: <A, Key extends RowKey>(
        keys: ReadonlyArray<Key>,
        decide: (entries: ReadonlyArray<Row | undefined>, now: number) => Amendment<A, Key>
      ) => Effect.mapError(amend(keys, decide), toBooksFault)
    }
  })

export type ChainBooks = Effect.Success<ReturnType<typeof openChainBooks>>
