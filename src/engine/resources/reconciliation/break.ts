/** Breaks: their index keys, their list and their reads (BREAK-1). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import {
  Break,
  breakActions,
  type BreakData,
  type BreakEvent,
  breakKinds,
  isOfLines,
  isSeenBreak
} from "../../../machines/reconciliation/break.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { giveBack } from "../../calls/ActiveLimits.ts"
import { type Listed, listRows, mapList, slicePage, type Versioned, toTimeBounds } from "../../calls/list.ts"
import { readAllRows, findOfAnyMerchant } from "../../calls/reads.ts"
import { makeApprovalEnding } from "../../commit/approval.ts"
import { combineDerivedWrites, type ResourceKind } from "../../commit/kind.ts"
import type { RowAction } from "../../commit/row-act.ts"
import { normalizeDecimal } from "../../commit/index-keys.ts"
import { inCurrency, makeWordFilter } from "../../input/members.ts"
import { Amount, IntegerParam, listing, Optional, toSlice } from "../../input/schemas.ts"
import type { NotFound, StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, SEARCH_KEY, Storage } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  type BreakBody,
  breakBody,
  breakSeverities,
  breakStatuses
} from "../../representations/reconciliation/break.ts"
import { lineDirections } from "../../representations/reconciliation/statement-line.ts"
import { makeMatchKey, accountKey } from "./statement-line.ts"

/** The index keys of the breaks of a line, of a step of a resource, and of a statement. */
export const lineBreakKey = (line_id: string): string => `${SEARCH_KEY}break:${line_id}`
export const stepBreakKey = (resource_id: string, version: number): string =>
  `${SEARCH_KEY}break:${resource_id}@${version}`
export const statementBreakKey = (statement_id: string, kind: string): string =>
  `${SEARCH_KEY}break:${statement_id}/${kind}`

/** The index key of the breaks that a match of a line has ended. */
export const makeSettledKey = (line_id: string): string => `${SEARCH_KEY}settled:${line_id}`

/** The index key of the breaks of lines that name a resource: open ones, and those that a person has dismissed. */
export const breakKeyOf = (resource_id: string): string => `${SEARCH_KEY}named:${resource_id}`

/** The index key of the breaks of an account with lines that people hold. */
export const makeHoldKey = (external_account_id: string): string => `${SEARCH_KEY}held:${external_account_id}`

/** The lines of a break that people hold, withdrawn lines too. */
export const listHeldLines = ({ held, held_lines, line_ids }: BreakData): ReadonlyArray<string> =>
  held ? (held_lines ?? line_ids) : []

/** Whether a person has dismissed the difference of a break: it is explained by the note for as long as it is the same (BREAK-6). */
export const isDismissed = ({ data, state }: { readonly data: BreakData; readonly state: string }): boolean =>
  state === "resolved" && data.action === "dismiss"

/** Whether matching leaves the lines of a break to people: they hold some, which no match and no entry has. */
export const isLeftToPeople = (row: { readonly data: BreakData; readonly state: string }): boolean =>
  listHeldLines(row.data).length > 0 && (row.state === "open" || row.data.action === "cleared" || isDismissed(row))

/** Whether a break was ended by an entry that settles no line. */
const isExplainedAlone = (state: string, { action, settled_lines }: BreakData): boolean =>
  state === "resolved" && action === "explain" && settled_lines.length === 0

/**
 * The act of an adoption, which recognises that a line has paid a movement, and of a dismissal, which says that an amount is no difference. Other
 * resolutions move money by their entry alone.
 */
export const toResolutionAct = ({ amount, currency }: Pick<StatementLineData, "amount" | "currency">): RowAction => ({
  words: ["break_resolution"],
  sums: [{ taken: [amount, currency] }],
  field: "id"
})

export const BreakKind: ResourceKind<BreakData, BreakEvent> = {
  kind: "break",
  prefix: "brk",
  lifecycle: Break,
  controlledAction: ({ data, via }) => {
    const { action, adopted_amount, currency } = data
    if (via !== "resolved" && via !== "reopened" && via !== "adopting") return undefined
    const amount = action === "dismiss" ? (data.amount ?? "0") : (adopted_amount ?? "0")
    return amount === "0" ? undefined : toResolutionAct({ amount, currency })
  },
  derivedWrites: combineDerivedWrites(
    // A resolved one can be opened again, which may wait, too.
    makeApprovalEnding((state) => state === "open", isSeenBreak),
    ({ data: { action, counted } }, { via }) =>
      Effect.succeed(action === "dismiss" && via === "reopened" && counted !== undefined ? [giveBack(counted)] : [])
  ),
  indexKeys: (b, state) => [
    accountKey(b.external_account_id),
    `kind=${b.kind}`,
    `severity=${b.severity}`,
    `currency=${b.currency}`,
    ...[...new Set([...b.resource_ids, ...b.movements.map(({ resource_id }) => resource_id)])].map(
      (id) => `resource_id=${id}`
    ),
    ...[...new Set([...b.line_ids, ...listHeldLines(b)])].map(lineBreakKey),
    ...(b.action === "match" ? b.settled_lines.map(makeSettledKey) : []),
    ...(isLeftToPeople({ data: b, state }) ? [makeHoldKey(b.external_account_id)] : []),
    ...(isOfLines(b.kind) && (state === "open" || b.action === "dismiss")
      ? [...new Set(b.resource_ids)].map(breakKeyOf)
      : []),
    ...(b.kind === "missing_on_statement"
      ? b.movements.map(({ resource_id, version }) => stepBreakKey(resource_id, version))
      : []),
    ...(b.statement_id === null ? [] : [statementBreakKey(b.statement_id, b.kind)]),
    ...(isExplainedAlone(state, b) ? [...new Set(b.movements.map(({ resource_id }) => makeMatchKey(resource_id)))] : [])
  ],
  auditView: ({ data: { action, adjusting_entry_id, amount, currency, kind, severity } }) => ({
    kind,
    severity,
    amount: amount === null ? null : displayAmount(amount, currency),
    currency,
    action,
    adjusting_entry_id
  })
}

export const ListBreaks = Schema.Struct({
  external_account_id: Optional(
    Schema.String,
    "Only those of this external account. An unknown id gives an empty page.",
    "xac_01j9z3k4m5n6p7q8r9s0t1v2w3"
  ),
  kind: makeWordFilter(breakKinds, "kind"),
  severity: makeWordFilter(breakSeverities, "severity"),
  status: makeWordFilter(breakStatuses, "status"),
  direction: makeWordFilter(lineDirections, "direction"),
  currency: inCurrency,
  resource_id: Optional(Schema.String, "Only those about this resource.", "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  resources: Optional(Schema.String, "As `resource_id`.", "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  lines: Optional(Schema.String, "As `line_id`.", "stl_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  line_id: Optional(Schema.String, "Only those about this line.", "stl_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  statement_id: Optional(Schema.String, "Only those of this statement.", "stm_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  amount: Optional(Amount, "Only those of this amount.", "147753.75"),
  action: makeWordFilter([...breakActions, "cleared"], "action"),
  older_than_seconds: Optional(
    IntegerParam(0, 315_360_000),
    "Only those that were found at least this long ago, in seconds.",
    86_400
  ),
  order: Optional(
    Schema.Literals(["newest", "urgent"]),
    "`newest`: newest first. `urgent`: those of severity `high` first, and of each severity the oldest first.",
    "urgent"
  ),
  format: Optional(Schema.Literals(["csv"]), "`csv`: all that match, as a file.", "csv"),
  ...listing
})
export type ListBreaks = typeof ListBreaks.Type

/** The index keys of a query's filters. */
export const breakKeys = ({
  currency,
  external_account_id,
  kind,
  resource_id,
  resources,
  severity,
  status
}: ListBreaks) => [
  ...(resources === undefined ? [] : [`resource_id=${resources}`]),
  ...Object.entries({ currency, kind, resource_id, severity, status }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`]
  ),
  ...(external_account_id === undefined ? [] : [accountKey(external_account_id)])
]

/** The filters of a query that no index has. Undefined: there are none. */
export const filterFrom = (input: ListBreaks): ((row: Row<BreakData>) => boolean) | undefined => {
  const { action, amount, direction, line_id, lines, statement_id } = input
  if ([action, amount, direction, line_id, lines, statement_id].every((one) => one === undefined)) return undefined
  return ({ data: b }) =>
    (action === undefined || b.action === action) &&
    (direction === undefined || b.direction === direction) &&
    (amount === undefined ||
      (b.amount !== null && normalizeDecimal(displayAmount(b.amount, b.currency)) === normalizeDecimal(amount))) &&
    [line_id, lines].every((id) => id === undefined || b.line_ids.includes(id)) &&
    (statement_id === undefined || b.statement_id === statement_id || b.statement_ids?.includes(statement_id) === true)
}

/** The time bounds of a query: by age, the newest that is old enough. */
export const addTimeBounds = (input: ListBreaks, now: number): ListBreaks => {
  const { created_before = Infinity, older_than_seconds } = input
  return older_than_seconds === undefined
    ? input
    : { ...input, created_before: Math.min(created_before, now - older_than_seconds * 1000) }
}

/** Most urgent first, of rows that are newest first. */
const sortUrgentFirst = (rows: ReadonlyArray<Row<BreakData>>): ReadonlyArray<Row<BreakData>> =>
  breakSeverities.toReversed().flatMap((severity) => rows.filter(({ data }) => data.severity === severity).toReversed())

/** Breaks in one read. Each read counts the list again, which costs more than its rows. */
const TOGETHER = 10_000

/** All breaks of a query, in its order. */
export const listEveryBreak = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  query: ListBreaks
): Effect.fn.Return<ReadonlyArray<Row<BreakData>>, StorageFault> {
  const { created_after, created_before = Infinity, order } = query
  const isWanted = filterFrom(query) ?? (() => true)
  const rows = (yield* readAllRows(
    storage,
    {
      merchant_id: PLATFORM_MERCHANT,
      kinds: [BreakKind.kind],
      index_keys: breakKeys(query),
      ...(created_after === undefined ? {} : { created_after })
    },
    (row) => row.created_at <= created_before && isWanted(row as Row<BreakData>),
    TOGETHER
  )) as ReadonlyArray<Row<BreakData>>
  return order === "urgent" ? sortUrgentFirst(rows) : rows
})

/** How often a page is read again if the list changes meanwhile. */
const END_TRIES = 8

/** Lists a page, most urgent first, for a query that the store can filter: for each severity, from the end of the store's list. */
const listUrgentPage = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  query: ListBreaks
): Effect.fn.Return<Listed<Row<BreakData>>, StorageFault> {
  const { limit, offset, page, per_page } = toSlice(query)
  const severities = query.severity === undefined ? breakSeverities.toReversed() : [query.severity]
  const items: Array<Row<BreakData>> = []
  let before = 0
  for (const severity of severities) {
    const index_keys = breakKeys({ ...query, severity })
    const own = { merchant_id: PLATFORM_MERCHANT, kinds: [BreakKind.kind], index_keys, ...toTimeBounds(query) }
    const read = (at: number, count: number) => storage.list({ ...own, offset: at, limit: count })
    let { total } = yield* read(0, 0)
    for (let tries = 1; ; tries++) {
      const [from, to] = [Math.max(0, offset - before), Math.min(total, offset + limit - before)]
      if (from >= to) break
      const listed = yield* read(total - to, to - from)
      const isEnd = listed.total === total
      total = listed.total
      // What has come or gone in between has moved the end of the list, and the most urgent with it.
      if (!isEnd && tries < END_TRIES) continue
      items.push(...(listed.items as ReadonlyArray<Row<BreakData>>).toReversed())
      break
    }
    before += total
  }
  return { items, page, per_page, total: before }
})

const makeDeps = Effect.map(Storage, (storage) => ({ storage }))
type Deps = Effect.Success<typeof makeDeps>

const list = Effect.fnUntraced(function* (
  { storage }: Deps,
  input: ListBreaks
): Effect.fn.Return<Listed<BreakBody>, StorageFault> {
  const query = addTimeBounds(input, yield* Clock.currentTimeMillis)
  const isWanted = filterFrom(input)
  const listed =
    isWanted !== undefined
      ? slicePage(yield* listEveryBreak(storage, query), query)
      : input.order === "urgent"
        ? yield* listUrgentPage(storage, query)
        : yield* listRows<BreakData>(storage, PLATFORM_MERCHANT, [BreakKind.kind], breakKeys(input), query)
  return mapList(listed, (row) => breakBody(row))
})

/** Errors: `NotFound`. */
const get = ({ storage }: Deps, id: string): Effect.Effect<Versioned<BreakBody>, NotFound | StorageFault> =>
  Effect.map(findOfAnyMerchant(storage, BreakKind, id), (row) => ({
    body: breakBody(row),
    version: String(row.version)
  }))

export class Breaks extends Context.Service<Breaks>()("corridor/engine/Breaks", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { get, list }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
