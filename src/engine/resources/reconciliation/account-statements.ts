/** All statements of an account, and how they relate. */
import { Effect } from "effect"
import { relateStatements, type StatedDays, type StatementRelations } from "../../../machines/kernel/bookings.ts"
import type { StatementData } from "../../../machines/reconciliation/statement.ts"
import { readAllRows } from "../../calls/reads.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import { StatementKind } from "./statement-kinds.ts"

/** All statements of an account, in the order in which they came. */
export interface AccountStatements {
  readonly rows: ReadonlyArray<Row<StatementData>>
  readonly stated: ReadonlyArray<StatedDays>
  readonly relations: StatementRelations
}

export const toMinor = (balance: StatementData["opening_balance"]): bigint | null =>
  balance === null ? null : BigInt(balance.amount)

/**
 * Converts a statement for comparison with others. If it states only its closing balance, the opening balance is what its lines leave of
 * that. Of an earlier release, all that it booked is of its last day.
 */
export const toStatedDays = ({ data, id }: Pick<Row<StatementData>, "data" | "id">, arrived: number): StatedDays => {
  const [stated, closing] = [toMinor(data.opening_balance), toMinor(data.closing_balance)]
  const booked = Object.values(data.days ?? {}).reduce((sum, amount) => sum + BigInt(amount), 0n)
  const opening = stated ?? (closing === null || data.days === undefined ? null : closing - booked)
  const last = data.last ?? data.closing_balance?.date ?? data.to ?? ""
  const net = opening === null || closing === null ? 0n : closing - opening
  return {
    id,
    format: data.format,
    ...(data.interim === true ? { interim: true as const } : {}),
    number: data.number,
    first: data.first ?? data.from ?? last,
    last,
    opening,
    closing,
    made_at: data.made_at ?? null,
    arrived,
    days:
      data.days === undefined
        ? new Map([[last, net]])
        : new Map(Object.entries(data.days).map(([day, amount]) => [day, BigInt(amount)]))
  }
}

export const compareStatements = (a: Row, b: Row): number => a.created_at - b.created_at || (a.id < b.id ? -1 : 1)

export const toAccountStatements = (found: ReadonlyArray<Row<StatementData>>): AccountStatements => {
  const rows = found.toSorted(compareStatements)
  const stated = rows.map(toStatedDays)
  return { rows, stated, relations: relateStatements(stated) }
}

export const readAccountStatements = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  external_account_id: string
): Effect.fn.Return<AccountStatements, StorageFault> {
  const index_keys = [`external_account_id=${external_account_id}`]
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [StatementKind.kind], index_keys }
  const found = yield* readAllRows(storage, query, () => true, 1_000)
  return toAccountStatements(found as ReadonlyArray<Row<StatementData>>)
})
