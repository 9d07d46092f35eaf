/** Transactions: the unified history of money (TRANSACTION-2, TRANSACTION-3). */
import { Context, Effect, Layer, Schema } from "effect"
import type { Call } from "../commit/call.ts"
import { NotFound, type StorageFault } from "../ports/errors.ts"
import { cutStem } from "../ports/Ids.ts"
import { Kinds } from "../commit/kind.ts"
import { transactionTypes } from "../reference/vocabulary.ts"
import {
  sourceTypes,
  type Transacted,
  type TransactionBody,
  transactionBody,
  transactionStatuses
} from "../representations/movements/transaction.ts"
import { listing } from "../input/schemas.ts"
import { comingTo, inCurrency, ofBeneficiary, ofCustomer, ofWallet, makeWordFilter } from "../input/members.ts"
import { type Row, type RowKey, Storage } from "../ports/Storage.ts"
import { toIndexKeys } from "../calls/list.ts"
import { listMatchingMovements, type Looked } from "./matching-movements.ts"

export const ListTransactions = Schema.Struct({
  type: makeWordFilter(transactionTypes, "type"),
  source_type: makeWordFilter(sourceTypes, "source type"),
  customer_id: ofCustomer,
  wallet_id: ofWallet,
  beneficiary_id: ofBeneficiary,
  status: makeWordFilter(transactionStatuses, "status"),
  source_currency: inCurrency,
  ...comingTo,
  ...listing
})
export type ListTransactions = typeof ListTransactions.Type

export class Transactions extends Context.Service<Transactions>()("corridor/engine/Transactions", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const kinds = yield* Kinds

    const rootOf = (row: Row): string => row.root_id ?? row.id

    /** A row as a transaction. Empty for a kind of a newer release. */
    const transacted = (row: Row): ReadonlyArray<Transacted> => {
      const view = kinds.byName.get(row.kind)?.transaction
      return view === undefined ? [] : [view(row)]
    }

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
              const kind = kinds.ofId(id)
              return kind?.transaction === undefined ? [] : [{ merchant_id, kind: kind.kind, id }]
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

    /** Rows as transactions, each with its related transactions. */
    const shown = Effect.fnUntraced(function* (
      merchant_id: string,
      rows: ReadonlyArray<Row>
    ): Effect.fn.Return<ReadonlyArray<TransactionBody>, StorageFault> {
      const others = yield* related(merchant_id, rows)
      return rows.flatMap((row) => transacted(row).map((own) => transactionBody(own, others(row).flatMap(transacted))))
    })

    /** Which rows a list of a merchant looks at. A transaction's type is the kind of the movement it shows. */
    const looked = (
      { merchant_id }: Pick<Call, "merchant_id">,
      { max_amount: _most, min_amount: _least, type, ...query }: ListTransactions
    ): Looked => ({
      merchant_id,
      kinds: kinds.transactions.filter(({ kind }) => type === undefined || kind === type),
      index_keys: toIndexKeys(ListTransactions, query)
    })

    return {
      looked,

      /** Rows of any merchants as transactions, by the row's id. Rows of a newer release are left out. */
      bodies: Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
        const owners = [...new Set(rows.map(({ merchant_id }) => merchant_id))]
        const found = yield* Effect.forEach(
          owners,
          (owner) =>
            shown(
              owner,
              rows.filter(({ merchant_id }) => merchant_id === owner)
            ),
          { concurrency: 8 }
        )
        const bodies = new Map(found.flat().map((body) => [cutStem(body.id), body]))
        return (row: Row) => bodies.get(cutStem(row.id))
      }),

      list: Effect.fnUntraced(function* (call: Call, input: ListTransactions) {
        const listed = yield* listMatchingMovements(storage, looked(call, input), input)
        return { ...listed, items: yield* shown(call.merchant_id, listed.items) }
      }),

      /** Errors: `NotFound`. */
      get: Effect.fnUntraced(function* (call: Call, id: string) {
        const { merchant_id } = call
        const stem = cutStem(id)
        const keys = kinds.transactions.map(({ kind, prefix }) => ({ merchant_id, kind, id: `${prefix}_${stem}` }))
        const [row] = yield* storage.get(keys)
        const [body] = row === undefined ? [] : yield* shown(merchant_id, [row])
        if (row === undefined || body === undefined)
          return yield* new NotFound({ message: `There is no transaction ${JSON.stringify(id)}.` })
        return { body, version: String(row.version) }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
