/** Lists whose rows name the merchant and the customer that they belong to (OPERATOR-11, LIST-7). */
import { Effect, Schema } from "effect"
import { type Listed, mapList } from "../calls/list.ts"
import type { AnyOperation, Operation } from "../calls/operation.ts"
import type { Call } from "../commit/call.ts"
import type { StorageFault } from "../ports/errors.ts"
import { Storage } from "../ports/Storage.ts"
import { readCustomerNames, readMerchantNames } from "../reports/names.ts"
import { customerFields, merchantFields } from "../representations/operator.ts"

type OfMerchant = Schema.Struct.Fields & {
  readonly merchant_id: Schema.Schema<string> | Schema.Schema<string | null>
}
type OfCustomer = Schema.Struct.Fields & { readonly customer_id: Schema.Schema<string> }

/** The names of the rows of one page: what is added to each. */
type NamesOf<Row> = (
  storage: Storage["Service"],
  rows: ReadonlyArray<Row>,
  call: Call
) => Effect.Effect<(row: Row) => object, StorageFault>

/**
 * Adds `names` to the rows of a list, read for the whole page at once.
 *
 * `identifier`: the name of its rows in the API's document, where other operations answer with the body without a name.
 */
const addNames = <Row>(
  operation: AnyOperation,
  names: Schema.Struct.Fields,
  namesOf: NamesOf<Row>,
  identifier: string | undefined
): never => {
  const { fields, ast } = operation.output as Schema.Struct<Schema.Struct.Fields>
  const own = ast.annotations as { readonly identifier: string; readonly description: string }
  const run = operation.run as (given: { readonly call: Call }) => Effect.Effect<Listed<Row>>
  return {
    ...operation,
    output: Schema.Struct({ ...fields, ...names }).annotate({ ...own, identifier: identifier ?? own.identifier }),
    run: (given: { readonly call: Call }) =>
      Effect.gen(function* () {
        const listed = yield* run(given)
        const nameOf = yield* namesOf(yield* Storage, listed.items, given.call)
        return mapList(listed, (row: Row) => ({ ...row, ...nameOf(row) }))
      })
  } as never
}

/** Adds `merchant_name` to the rows of a list, beside their `merchant_id`. `identifier`: as for `addNames`. */
export const nameMerchants = <Id, P, N, I, F extends OfMerchant, R>(
  operation: Operation<Id, "GET", P, N, I, Schema.Struct<F>, true, R, {}>,
  identifier?: string
): Operation<
  Id,
  "GET",
  P,
  N,
  I,
  Schema.Struct<F & Pick<typeof merchantFields, "merchant_name">>,
  true,
  R | Storage,
  {}
> =>
  addNames<{ readonly merchant_id: string | null }>(
    operation as AnyOperation,
    { merchant_name: merchantFields.merchant_name },
    (storage, rows) =>
      Effect.map(
        readMerchantNames(
          storage,
          rows.flatMap(({ merchant_id }) => (merchant_id === null ? [] : [{ merchant_id }]))
        ),
        (nameOf) =>
          ({ merchant_id }) => ({ merchant_name: merchant_id === null ? null : nameOf(merchant_id) })
      ),
    identifier
  )

/** Adds `customer_name` to the rows of a list, of the row's merchant or of the caller. `identifier`: as for `addNames`. */
export const nameCustomers = <Id, P, N, I, F extends OfCustomer, R>(
  operation: Operation<Id, "GET", P, N, I, Schema.Struct<F>, true, R, {}>,
  identifier?: string
): Operation<Id, "GET", P, N, I, Schema.Struct<F & typeof customerFields>, true, R | Storage, {}> =>
  addNames<{ readonly customer_id: string; readonly merchant_id?: string }>(
    operation as AnyOperation,
    customerFields,
    (storage, rows, call) =>
      Effect.map(
        readCustomerNames(
          storage,
          rows.map(({ customer_id, merchant_id = call.merchant_id }) => ({ merchant_id, customer_id }))
        ),
        (nameOf) =>
          ({ customer_id }) => ({ customer_name: nameOf(customer_id) })
      ),
    identifier
  )
