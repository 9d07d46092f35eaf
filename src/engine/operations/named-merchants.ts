/** Lists of operators whose rows name the merchant that they belong to (OPERATOR-11). */
import { Effect, Schema } from "effect"
import { mapList } from "../calls/list.ts"
import type { AnyOperation, Operation } from "../calls/operation.ts"
import { Storage } from "../ports/Storage.ts"
import { readMerchantNames } from "../reports/merchant-names.ts"
import { merchantFields } from "../representations/operator.ts"

type Named = Pick<typeof merchantFields, "merchant_name">
type Owned = Schema.Struct.Fields & { readonly merchant_id: Schema.Schema<string> | Schema.Schema<string | null> }

/**
 * A list whose rows have `merchant_name` beside their `merchant_id`, read for the whole page at once.
 *
 * `identifier`: what its rows are called in the API's document, where the acts on one answer with the body without a name.
 */
export const nameMerchants = <Id, P, N, I, F extends Owned, R>(
  operation: Operation<Id, "GET", P, N, I, Schema.Struct<F>, true, R, {}>,
  identifier?: string
): Operation<Id, "GET", P, N, I, Schema.Struct<F & Named>, true, R | Storage, {}> => {
  const { fields, ast } = operation.output
  const own = ast.annotations as { readonly identifier: string; readonly description: string }
  const { merchant_name } = merchantFields
  return {
    ...(operation as AnyOperation),
    output: Schema.Struct({ ...fields, merchant_name }).annotate({ ...own, identifier: identifier ?? own.identifier }),
    run: (given: never) =>
      Effect.gen(function* () {
        const listed = yield* operation.run(given)
        const rows = listed.items as ReadonlyArray<{ readonly merchant_id: string | null }>
        const nameOf = yield* readMerchantNames(
          yield* Storage,
          rows.flatMap(({ merchant_id }) => (merchant_id === null ? [] : [{ merchant_id }]))
        )
        return mapList({ ...listed, items: rows }, (row) => ({
          ...row,
          merchant_name: row.merchant_id === null ? null : nameOf(row.merchant_id)
        }))
      })
  } as never
}
