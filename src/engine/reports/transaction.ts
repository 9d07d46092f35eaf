/** The unified history (TRANSACTION-2, TRANSACTION-3). */
import { Context, Effect, Layer, Schema } from "effect"
import type { Call } from "../commit/call.ts"
import { NotFound, type StorageFault } from "../ports/errors.ts"
import { stem } from "../ports/Ids.ts"
import { kindOfId, kinds } from "../resources/kinds.ts"
import {
  sourceTypes,
  transactionBody,
  transactionKinds,
  transactionStatuses,
  transactionTypes
} from "../representations/movements/transaction.ts"
import { listing, Optional } from "../input/schemas.ts"
import { type Row, type RowKey, Storage } from "../ports/Storage.ts"
import { listRows, queriedKeys } from "../calls/list.ts"

export const ListTransactions = Schema.Struct({
  type: Optional(Schema.Literals(transactionTypes)),
  source_type: Optional(Schema.Literals(sourceTypes)),
  customer_id: Optional(Schema.String),
  wallet_id: Optional(Schema.String),
  status: Optional(Schema.Literals(transactionStatuses)),
  source_currency: Optional(Schema.String),
  ...listing
})
export type ListTransactions = typeof ListTransactions.Type

export class Transactions extends Context.Service<Transactions>()("corridor/engine/Transactions", {
  make: Effect.gen(function* () {
    const storage = yield* Storage

    const rootOf = (row: Row): string => row.root_id ?? row.id

    /** The rows that share each row's root, without the row itself. */
    const related = Effect.fnUntraced(function* (
      merchant_id: string,
      rows: ReadonlyArray<Row>
    ): Effect.fn.Return<(row: Row) => ReadonlyArray<Row>, StorageFault> {
      const roots = [...new Set(rows.map(rootOf))]
      const elsewhere = [...new Set(rows.flatMap((row) => (row.root_id === null ? [] : [row.root_id])))]
      const [descendants, found] = yield* Effect.all(
        [
          storage.descendants(merchant_id, roots),
          storage.get(
            elsewhere.flatMap((id): ReadonlyArray<RowKey> => {
              const kind = kindOfId(id)
              return kind === undefined ? [] : [{ merchant_id, kind: kind.kind, id }]
            })
          )
        ],
        { concurrency: 2 }
      )
      const families = new Map<string, Array<Row>>()
      for (const row of [
        ...found,
        ...rows.filter((one) => one.root_id === null && !found.some((other) => other.id === one.id)),
        ...descendants
      ]) {
        const family = families.get(rootOf(row))
        if (family === undefined) families.set(rootOf(row), [row])
        else family.push(row)
      }
      return (row) => (families.get(rootOf(row)) ?? []).filter((other) => other.id !== row.id)
    })

    return {
      list: Effect.fn("Transactions.list")(function* (call: Call, input: ListTransactions) {
        // A transaction's type is the kind of the movement it shows.
        const { type, ...query } = input
        const listed = yield* listRows(
          storage,
          call.merchant_id,
          type === undefined ? transactionKinds : [type],
          queriedKeys(ListTransactions, query),
          input
        )
        const others = yield* related(call.merchant_id, listed.items)
        return { ...listed, items: listed.items.map((row) => transactionBody(row, others(row))) }
      }),

      /** Errors: `NotFound`. */
      get: Effect.fn("Transactions.get")(function* (call: Call, id: string) {
        const { merchant_id } = call
        const keys = transactionKinds.map((kind) => ({
          merchant_id,
          kind,
          id: `${kinds.get(kind)?.prefix}_${stem(id)}`
        }))
        const [row] = yield* storage.get(keys)
        if (row === undefined) return yield* new NotFound({ message: `There is no transaction ${JSON.stringify(id)}.` })
        const others = yield* related(merchant_id, [row])
        return { body: transactionBody(row, others(row)), version: String(row.version) }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
