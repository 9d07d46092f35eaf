/** The index keys of a row: what its lists filter on. A row that is stored without one of them is indexed again. */
import { providerOf } from "../ports/Provider.ts"
import type { Row } from "../ports/Storage.ts"
import type { Kind } from "./kind.ts"

/** The members of a row that decide its index keys. */
export type Indexed<Data = unknown> = Pick<Row<Data>, "status" | "state" | "customer_id" | "data">

/** Movements are listed by the provider that has them now. */
const providerKeys = (kind: Kind, row: Indexed): ReadonlyArray<string> => {
  const provider = kind.transaction === undefined ? undefined : providerOf(row)
  return provider === undefined ? [] : [`provider=${provider}`]
}

export const indexKeysOf = <Data>(kind: Kind<Data>, row: Indexed<Data>): ReadonlyArray<string> => [
  `status=${row.status}`,
  ...(row.customer_id === null ? [] : [`customer_id=${row.customer_id}`]),
  ...(kind.indexKeys?.(row.data, row.state) ?? []),
  ...providerKeys(kind, row)
]
