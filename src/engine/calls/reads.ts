/** Reads that all kinds of resource share: one resource by its id, and a page of the resources that match a query. */
import { Clock, Effect } from "effect"
import type { Call } from "../commit/call.ts"
import type { Kind } from "../commit/kind.ts"
import { missing, UnitOfWork } from "../commit/UnitOfWork.ts"
import type { NotFound, StorageFault } from "../ports/errors.ts"
import { type Row, Storage } from "../ports/Storage.ts"
import { type Listed, type DecodedListQuery, listRows, mapListed, queriedKeys, type Versioned } from "./list.ts"

/**
 * Lists resources whose `/v1` body depends only on the row and the time. `merchant_id` null: the resources of every merchant
 * (operator). `query` is the schema of the query.
 */
export const listOf =
  <Data, Body, Q extends DecodedListQuery>(
    storage: Storage["Service"],
    kind: Kind<Data>,
    query: Q,
    bodyOf: (row: Row<Data>, at: number) => Body
  ) =>
  (merchant_id: string | null, input: Q["Type"]): Effect.Effect<Listed<Body>, StorageFault> =>
    Effect.gen(function* () {
      const listed = yield* listRows<Data>(storage, merchant_id, [kind.kind], queriedKeys(query, input), input)
      const at = yield* Clock.currentTimeMillis
      return mapListed(listed, (row) => bodyOf(row, at))
    })

/**
 * `get` and `list` of the resources of a merchant, with the bodies of {@link listOf}.
 *
 * Errors of `get`: `NotFound`.
 */
export const readsOf = <Data, Body, Q extends DecodedListQuery>(
  kind: Kind<Data>,
  query: Q,
  bodyOf: (row: Row<Data>, at: number) => Body
) =>
  Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork
    const list = listOf(yield* Storage, kind, query, bodyOf)
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
export const findOf = Effect.fnUntraced(function* <Data>(
  storage: Storage["Service"],
  kind: Kind<Data>,
  id: string
): Effect.fn.Return<Row<Data>, NotFound | StorageFault> {
  const row = yield* storage.find(kind.kind, id)
  return row === undefined ? yield* missing(kind, id) : (row as Row<Data>)
})
