/** The index keys of a row: what its lists filter on. A row that is stored without one of them is indexed again. */
import { providerOf } from "../ports/Provider.ts"
import type { Row } from "../ports/Storage.ts"
import type { Kind } from "./kind.ts"
import { isFailed, measureKeys } from "./measures.ts"
import { type Searched, searchKeysOf } from "./search-terms.ts"

/** The index key of a row that waits, although its status does not say so. `word`: in the place of a status for {@link Storage.idle}. */
export const waitingKey = (word: string): string => `:${word}`

/** The members of a row that decide its index keys. */
export type Indexed<Data = unknown> = Pick<
  Row<Data>,
  "status" | "state" | "customer_id" | "data" | "created_at" | "updated_at"
>

/** The search values of a row: those of its kind, and what the provider reported. */
const searchValuesOf = (kind: Kind, { data }: Pick<Indexed, "data">): Searched | undefined => {
  const declared = kind.searchValues?.(data)
  if (declared === undefined) return undefined
  const { provider_reference = null, transaction_hash = null } = data as {
    readonly provider_reference?: string | null
    readonly transaction_hash?: string | null
  }
  return {
    ...declared,
    provider_references: [...(declared.provider_references ?? []), provider_reference],
    transaction_hashes: [...(declared.transaction_hashes ?? []), transaction_hash]
  }
}

/** Why a movement has failed or was returned; undefined for any other. */
export const failureReasonOf = ({ data, status }: Pick<Indexed, "data" | "status">): string | undefined =>
  isFailed(status) ? ((data as { readonly failure_reason?: string | null }).failure_reason ?? undefined) : undefined

export const indexKeysOf = <Data>(kind: Kind<Data>, row: Indexed<Data>): ReadonlyArray<string> => {
  const keys = [`status=${row.status}`]
  if (row.customer_id !== null) keys.push(`customer_id=${row.customer_id}`)
  if (kind.indexKeys !== undefined) keys.push(...kind.indexKeys(row.data, row.state))
  // Movements are listed by the provider that has them now.
  const provider = kind.transaction === undefined ? undefined : providerOf(row)
  if (provider !== undefined) keys.push(`provider=${provider}`)
  const failure_reason = kind.transaction === undefined ? undefined : failureReasonOf(row)
  if (failure_reason !== undefined) keys.push(`failure_reason=${failure_reason}`)
  const measured = kind.statistics?.(row.data, row.state)
  if (measured !== undefined) keys.push(...measureKeys(measured, row))
  const searched = searchValuesOf(kind, row)
  if (searched !== undefined) keys.push(...searchKeysOf(searched))
  return keys
}
