/** The operator's lists over all merchants: movements, customers and ledger accounts (OPERATOR-8, OPERATOR-9, LEDGER-3). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { classOf } from "../../machines/kernel/ledger.ts"
import type { CustomerData } from "../../machines/parties/customer.ts"
import { listRows, toIndexKeys } from "../calls/list.ts"
import { failureReasonOf } from "../commit/index-keys.ts"
import { Kinds } from "../commit/kind.ts"
import { listing, Optional, paging, toSlice } from "../input/schemas.ts"
import { comingTo, inCurrency, ofBeneficiary, ofCustomer, ofMerchant, makeWordFilter } from "../input/members.ts"
import type { StorageFault } from "../ports/errors.ts"
import { providerOf, Providers } from "../ports/Provider.ts"
import { type AccountBalance, type Row, Storage } from "../ports/Storage.ts"
import { displayAmount } from "../reference/currencies.ts"
import { transactionTypes } from "../reference/vocabulary.ts"
import { transactionStatuses } from "../representations/movements/transaction.ts"
import { customerBody } from "../representations/parties/customer.ts"
import type { LedgerAccountBody, MerchantCustomerBody, MovementBody } from "../representations/operator.ts"
import { BeneficiaryKind } from "../resources/parties/beneficiary.ts"
import { CustomerKind, ListCustomers } from "../resources/parties/customer.ts"
import { listMatchingMovements, type Looked } from "./matching-movements.ts"
import { readMerchantNames, toMerchantOrNull } from "./names.ts"
import { Transactions } from "./transaction.ts"

export const ListMovements = Schema.Struct({
  kind: makeWordFilter(transactionTypes, "kind"),
  status: makeWordFilter(transactionStatuses, "status"),
  merchant_id: ofMerchant,
  customer_id: ofCustomer,
  beneficiary_id: ofBeneficiary,
  provider: Optional(Schema.String, "Only those that this provider has.", "simulated"),
  ...comingTo,
  ...listing
})
export type ListMovements = typeof ListMovements.Type

export const ListAllCustomers = Schema.Struct({
  merchant_id: ofMerchant,
  ...ListCustomers.fields
})
export type ListAllCustomers = typeof ListAllCustomers.Type

const accountClasses = [
  "available",
  "reserved",
  "held",
  "credential",
  "clearing",
  "world",
  "fx",
  "fees",
  "rounding",
  "suspense",
  "losses",
  "costs",
  "receivable",
  "float"
] as const

export const ListAccounts = Schema.Struct({
  class: makeWordFilter(accountClasses, "class"),
  currency: inCurrency,
  ...paging
})
export type ListAccounts = typeof ListAccounts.Type

const toAccountBody = ({ account, balance, currency, merchant_id }: AccountBalance): LedgerAccountBody => ({
  account,
  class: classOf(account),
  merchant_id: toMerchantOrNull(merchant_id),
  currency,
  balance: displayAmount(balance, currency)
})

export class OperatorLists extends Context.Service<OperatorLists>()("corridor/engine/OperatorLists", {
  make: Effect.gen(function* () {
    const [providers, storage, kinds, transactions] = yield* Effect.all([Providers, Storage, Kinds, Transactions])

    /** The merchant whose rows match; null for all, undefined when no row can match. */
    const merchantOf = ({
      beneficiary_id,
      customer_id,
      merchant_id
    }: ListMovements): Effect.Effect<string | null | undefined, StorageFault> => {
      const [kind, id] =
        customer_id === undefined ? [BeneficiaryKind.kind, beneficiary_id] : [CustomerKind.kind, customer_id]
      return id === undefined
        ? Effect.succeed(merchant_id ?? null)
        : Effect.map(storage.find(kind, id), (owned) =>
            merchant_id === undefined || merchant_id === owned?.merchant_id ? owned?.merchant_id : undefined
          )
    }

    /** Which rows the list of movements looks at; undefined when no row can match. */
    const looked = Effect.fnUntraced(function* (
      input: ListMovements
    ): Effect.fn.Return<Looked | undefined, StorageFault> {
      const { kind, max_amount: _most, merchant_id: _merchant, min_amount: _least, provider, ...others } = input
      const query = provider === undefined ? others : { ...others, provider: providers.keyOf(provider) }
      // A customer or a beneficiary belongs to one merchant, whose list has an index for each of them.
      const merchant_id = yield* merchantOf(input)
      if (merchant_id === undefined) return undefined
      return {
        merchant_id,
        kinds: kinds.transactions.filter((one) => kind === undefined || one.kind === kind),
        index_keys: toIndexKeys(ListMovements, query)
      }
    })

    return {
      looked,

      /** Movements and deposits, newest first. Errors: as for {@link listMatchingMovements}. */
      movements: Effect.fnUntraced(function* (input: ListMovements) {
        const where = yield* looked(input)
        if (where === undefined) {
          const { page, per_page } = toSlice(input)
          return { items: [], page, per_page, total: 0 }
        }
        const listed = yield* listMatchingMovements(storage, where, input)
        const [bodyOf, nameOf] = yield* Effect.all(
          [transactions.bodies(listed.items), readMerchantNames(storage, listed.items)],
          { concurrency: 2 }
        )
        const items = listed.items.flatMap((row): ReadonlyArray<MovementBody> => {
          const body = bodyOf(row)
          if (body === undefined) return []
          const { merchant_id: owner } = row
          return [
            {
              ...body,
              merchant_id: owner,
              merchant_name: nameOf(owner),
              provider: providerOf(row) ?? null,
              failure_reason: failureReasonOf(row) ?? null
            }
          ]
        })
        return { ...listed, items }
      }),

      /** Customers, newest first. */
      customers: Effect.fnUntraced(function* ({ merchant_id, ...input }: ListAllCustomers) {
        const keys = toIndexKeys(ListCustomers, input)
        const listed = yield* listRows<CustomerData>(storage, merchant_id ?? null, [CustomerKind.kind], keys, input)
        const nameOf = yield* readMerchantNames(storage, listed.items)
        const at = yield* Clock.currentTimeMillis
        const items = listed.items.map(
          (row: Row<CustomerData>): MerchantCustomerBody => ({
            ...customerBody(row, at),
            merchant_id: row.merchant_id,
            merchant_name: nameOf(row.merchant_id)
          })
        )
        return { ...listed, items }
      }),

      /** Ledger accounts with their balances, ordered by account, merchant and currency. */
      accounts: Effect.fnUntraced(function* (input: ListAccounts) {
        const { page, per_page, offset, limit } = toSlice(input)
        const { class: name, currency } = input
        const { items, total } = yield* storage.balances({
          ...(name === undefined ? {} : { class: name }),
          ...(currency === undefined ? {} : { currency }),
          offset,
          limit
        })
        return { items: items.map(toAccountBody), page, per_page, total }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(Transactions.layer))
}
