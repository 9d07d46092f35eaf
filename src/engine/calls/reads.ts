/** Reads that all kinds of resource share: one resource by its id, and a page of the resources that match a query. */
import { Clock, Effect } from "effect"
import type { Call } from "../commit/call.ts"
import type { Kind } from "../commit/kind.ts"
import { plainDecimal } from "../commit/search-terms.ts"
import { missing, UnitOfWork } from "../commit/UnitOfWork.ts"
import type { NotFound, StorageFault } from "../ports/errors.ts"
import { type Row, Storage } from "../ports/Storage.ts"
import { listMatching } from "./every-row.ts"
import { type Listed, type DecodedListQuery, listRows, mapList, toIndexKeys, type Versioned } from "./list.ts"

/** Whether a member is what a filter names, or a list that has it: of identifiers, one with this value. */
const isIn = (member: unknown, wanted: unknown): boolean =>
  Array.isArray(member)
    ? member.some((one) => one === wanted || (one as { readonly value?: unknown } | null)?.value === wanted)
    : member === wanted

/** Whether a member is what its filter names. Of an amount, the zeros at its ends do not count. */
const isOf = (name: string, member: unknown, wanted: unknown): boolean =>
  name === "amount" ? plainDecimal(String(member)) === plainDecimal(String(wanted)) : isIn(member, wanted)

/**
 * Lists resources whose `/v1` body depends only on the row and the time. `merchant_id` null: the resources of every merchant
 * (operator). `query` is the schema of the query. `compared`: filters that no index key has, of lists that are short: each is compared with
 * the member of the body that has its name, or with each of a list.
 */
export const listOf =
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
        return given.every((name) => isOf(name, body[name], input[name]))
      }
      const listed =
        given.length === 0
          ? yield* listRows<Data>(storage, merchant_id, kinds, index_keys, input)
          : yield* listMatching<Data>(
              storage,
              { ...(merchant_id === null ? {} : { merchant_id }), kinds, index_keys },
              input,
              isWanted
            )
      return mapList(listed, (row) => bodyOf(row, at))
    })

/**
 * `get` and `list` of the resources of a merchant, with the bodies of {@link listOf}.
 *
 * Errors of `get`: `NotFound`.
 */
export const readsOf = <Data, Body, Q extends DecodedListQuery>(
  kind: Kind<Data>,
  query: Q,
  bodyOf: (row: Row<Data>, at: number) => Body,
  compared?: ReadonlyArray<keyof Body & keyof Q["Type"] & string>
) =>
  Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork
    const list = listOf(yield* Storage, kind, query, bodyOf, compared)
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
