/** What lines name in the books, as they are decided by it (MATCH-2, MATCH-3). */
import { Effect } from "effect"
import {
  type BookMovement,
  isName,
  listNamesOf,
  type NamedResource,
  type OpenLine
} from "../../../machines/kernel/matching.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { normalise } from "../../commit/index-keys.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { Row } from "../../ports/Storage.ts"
import {
  addKeepers,
  type BooksDeps,
  describeResource,
  findNamedRows,
  type MatchedAccount,
  readMovements
} from "./books.ts"
import { findApart } from "./references-in-text.ts"

type Line = Row<StatementLineData>

/** Lines with what they name in the books. */
export interface Names {
  readonly lines: ReadonlyArray<OpenLine>
  readonly movements: ReadonlyMap<string, BookMovement>
  readonly resources: ReadonlyMap<string, NamedResource>
}
const openLine = ({ mirrors }: MatchedAccount, { data, id }: Line, names: OpenLine["names"]): OpenLine => ({
  id,
  content: JSON.stringify([
    ...[data.bank_reference, data.end_to_end_id, data.counterparty.name, data.counterparty.account, data.remittance]
  ]),
  account: Math.max(0, mirrors.indexOf(data.external_account_id)),
  direction: data.direction,
  amount: BigInt(data.amount),
  day: data.booked_on,
  names
})

/** The names of a line, without references that are a part of a longer one in its text. */
const withoutPartsOfNames = (
  { data: { end_to_end_id, remittance } }: Line,
  names: OpenLine["names"],
  referenceOf: (resource_id: string) => string
): OpenLine["names"] => {
  const referred = names.filter(({ by }) => by === "reference").map(({ resource_id }) => referenceOf(resource_id))
  if (referred.length < 2) return names
  const own = findApart([end_to_end_id ?? "", remittance ?? ""], referred)
  return names.filter(({ by, resource_id }) => {
    const reference = normalise(referenceOf(resource_id))
    // An exception has the reference of its payment, and none of its own.
    return by !== "reference" || reference === "" || own.has(reference)
  })
}

/** The lines with what they name in the books. */
export const findNames = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  rows: ReadonlyArray<Row<StatementLineData>>
): Effect.fn.Return<Names & { readonly rows: ReadonlyMap<string, Row> }, StorageFault> {
  const named = yield* findNamedRows(deps, account, rows)
  const found = yield* readMovements(deps, account, yield* addKeepers(deps, named.rows.values()))
  const resources = new Map([...named.rows].map(([id, row]) => [id, describeResource(deps, account, row)]))
  // A row of the books that never moved money here, and owes none, names nothing.
  const isNamed = ({ resource_id }: { readonly resource_id: string }): boolean =>
    moved.has(resource_id) || (resources.get(resource_id)?.due ?? null) !== null
  const moved = Map.groupBy(
    found.flatMap((one) => listNamesOf(one).map((name) => ({ name, one }))),
    ({ name }) => name
  )
  const referenceOf = (id: string): string =>
    (named.rows.get(id)?.data as { reference?: string } | undefined)?.reference ?? ""
  const lines = rows.map((row) => {
    const line = openLine(account, row, (named.byLine.get(row.id) ?? []).filter(isNamed))
    const isOwn = (one: OpenLine["names"][number]): boolean =>
      isName(
        line,
        one,
        resources.get(one.resource_id),
        (moved.get(one.resource_id) ?? []).map(({ one }) => one)
      )
    const names = withoutPartsOfNames(row, line.names.filter(isOwn), referenceOf)
    const mentions = line.names.filter((one) => !isOwn(one)).map(({ resource_id }) => resource_id)
    return { ...line, names, ...(mentions.length === 0 ? {} : { mentions }) }
  })
  const movements = new Map(found.map((one) => [`${one.resource_id}@${one.version}`, one]))
  return { lines, movements, resources, rows: named.rows }
})
