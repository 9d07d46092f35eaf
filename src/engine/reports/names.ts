/** The names of merchants and customers, for the rows of lists. */
import { Effect } from "effect"
import type { MerchantData } from "../../machines/access/merchant.ts"
import type { CustomerData } from "../../machines/parties/customer.ts"
import type { StorageFault } from "../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../ports/Storage.ts"

/** The id of a merchant; null for the platform, whose records belong to no merchant. */
export const toMerchantOrNull = (merchant_id: string): string | null =>
  merchant_id === PLATFORM_MERCHANT ? null : merchant_id

/** Reads the names of the merchants of some rows. Returns a function from id to name, with null for the platform. */
export const readMerchantNames = (
  storage: Storage["Service"],
  rows: ReadonlyArray<{ readonly merchant_id: string }>
): Effect.Effect<(merchant_id: string) => string | null, StorageFault> => {
  const owners = [...new Set(rows.map(({ merchant_id }) => merchant_id))]
  return Effect.map(
    storage.get(owners.map((merchant_id) => ({ merchant_id, kind: "merchant", id: merchant_id }))),
    (found) => {
      const names = new Map((found as ReadonlyArray<Row<MerchantData>>).map(({ id, data }) => [id, data.name]))
      return (merchant_id) => names.get(merchant_id) ?? null
    }
  )
}

/** Reads the names of the customers of some rows. Returns a function from id to name, with null for an unknown one. */
export const readCustomerNames = (
  storage: Storage["Service"],
  rows: ReadonlyArray<{ readonly merchant_id: string; readonly customer_id: string | null }>
): Effect.Effect<(customer_id: string) => string | null, StorageFault> => {
  const keys = new Map(
    rows.flatMap(({ customer_id: id, merchant_id }) =>
      id === null ? [] : [[id, { merchant_id, kind: "customer", id }] as const]
    )
  )
  return Effect.map(storage.get([...keys.values()]), (found) => {
    const names = new Map((found as ReadonlyArray<Row<CustomerData>>).map(({ id, data }) => [id, data.name]))
    return (id) => names.get(id) ?? null
  })
}
