/** Breaks as a file: exported, edited, and resolved row by row (BREAK-7). */
import { Clock, Context, Effect, Layer, Result, Schema, Struct } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { BreakAction } from "../../../machines/reconciliation/break.ts"
import { actOrWait, unapproved } from "../../calls/acts.ts"
import { ActiveApprovalRules } from "../../calls/ActiveApprovalRules.ts"
import { ActiveLimits } from "../../calls/ActiveLimits.ts"
import { type Listed, toTimeBounds } from "../../calls/list.ts"
import { FileResponse, Operations } from "../../calls/operation.ts"
import { findOfAnyMerchant } from "../../calls/reads.ts"
import type { Call } from "../../commit/call.ts"
import { normalizeDecimal } from "../../commit/index-keys.ts"
import { Kinds } from "../../commit/kind.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { parseCsvBytes } from "../../input/csv.ts"
import { describe, Optional } from "../../input/schemas.ts"
import { decode } from "../../input/validation.ts"
import {
  BadRequest,
  type Fault,
  makeFieldRefusal,
  type InvalidInput,
  invalid,
  type Refusal,
  InvariantViolation,
  type StorageFault
} from "../../ports/errors.ts"
import { Cipher } from "../../ports/Cipher.ts"
import { DryRun } from "../../ports/dry-run.ts"
import { PLATFORM_MERCHANT, Storage } from "../../ports/Storage.ts"
import { countOf, orNull, textOf } from "../../representations/members.ts"
import { type BreakBody, breakBody } from "../../representations/reconciliation/break.ts"
import {
  addTimeBounds,
  BreakKind,
  breakKeys,
  Breaks,
  type ListBreaks,
  listEveryBreak
} from "../../resources/reconciliation/break.ts"
import { ResolveBreak } from "../../resources/reconciliation/resolution.ts"
import type { CsvTable } from "../../../statements/csv/table.ts"
import { writeCsv } from "../../../statements/csv/write.ts"

const columns = [
  "id",
  "external_account_id",
  "kind",
  "severity",
  "status",
  "amount",
  "currency",
  "since",
  "line_ids",
  "resource_ids",
  "action",
  "note",
  "from",
  "to",
  "version"
] as const
type Column = (typeof columns)[number]
type Cells = Readonly<Record<string, string>>

/** Several ids in one cell. */
const BETWEEN = " "

/** The most breaks in one file, and the most rows of a file that is sent back. */
const ROWS_MAX = 100_000

export const ResolveBreaks = Schema.Struct({
  file: Schema.Uint8Array,
  format: Optional(
    Schema.Literals(["csv", "json"]),
    "`csv`, the default: the response is the file with a column `result`. `json`: the rows alone, with counts.",
    "csv"
  )
}).annotate({ identifier: "ResolveBreaks" })
export type ResolveBreaks = typeof ResolveBreaks.Type

export const ResolvedBreaks = Schema.Struct({
  succeeded: countOf("How many rows were carried out.", 391),
  failed: countOf("How many were not.", 2),
  skipped: countOf("How many have no action.", 7),
  waiting: countOf("How many wait for approval, each by itself.", 0),
  rows: describe(
    Schema.Array(
      Schema.Struct({
        line: countOf("The line of the file on which the row begins.", 2),
        id: orNull(textOf("The break. Null where the row names none.", "brk_01j9z3k4m5n6p7q8r9s0t1v2w3")),
        result: textOf("`ok`, `skipped`, `waits for approval <id>`, or why not.", "ok")
      }).annotate({ identifier: "ResolvedBreak", description: "A row of the file." })
    ),
    "The rows, in their order."
  )
}).annotate({ identifier: "ResolvedBreaks", description: "What became of a file of breaks." })
export type ResolvedBreaks = typeof ResolvedBreaks.Type

const makeDeps = Effect.all({
  storage: Storage,
  breaks: Breaks,
  operations: Operations,
  rules: ActiveApprovalRules,
  limits: ActiveLimits,
  unitOfWork: UnitOfWork,
  cipher: Cipher,
  kinds: Kinds
})
type Deps = Effect.Success<typeof makeDeps>

const toCells = (b: BreakBody): Readonly<Record<Column, string | null>> => ({
  ...Struct.pick(b, [
    "id",
    "external_account_id",
    "kind",
    "severity",
    "status",
    "amount",
    "currency",
    "since",
    "version"
  ]),
  line_ids: b.lines.join(BETWEEN),
  resource_ids: (b.resources.length > 0 ? b.resources : b.candidates.map((one) => one.resource_id)).join(BETWEEN),
  action: null,
  note: null,
  from: null,
  to: null
})

/** All breaks of the filters, as a file. Errors: `InvalidInput` where they are more than a file has. */
const writeBreakFile = Effect.fnUntraced(function* ({ storage }: Deps, given: ListBreaks) {
  const input = addTimeBounds(given, yield* Clock.currentTimeMillis)
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [BreakKind.kind], index_keys: breakKeys(input) }
  const { total } = yield* storage.list({ ...query, ...toTimeBounds(input), offset: 0, limit: 0 })
  if (total > ROWS_MAX)
    return yield* invalid(
      "format",
      `${total} breaks match, and a file has at most ${ROWS_MAX}: filter them by account, kind or age.`
    )
  const rows = yield* listEveryBreak(storage, input)
  const text = writeCsv(
    columns,
    rows.map((row) => {
      const cells = toCells(breakBody(row))
      return columns.map((name) => cells[name])
    })
  )
  return new FileResponse<"csv">("csv", text)
})

/** A page of breaks, or with `format` all of them as a file. */
const list = (
  deps: Deps,
  input: ListBreaks
): Effect.Effect<Listed<BreakBody> | FileResponse<"csv">, StorageFault | InvalidInput> =>
  input.format === undefined ? deps.breaks.list(input) : writeBreakFile(deps, input)

const trimCell = (cell: string | undefined): string | undefined => cell?.trim() || undefined

/** The columns that an action takes. What the others say is what the break is. */
const takenBy: Readonly<Record<BreakAction, ReadonlyArray<Column>>> = {
  match: ["line_ids", "resource_ids"],
  explain: ["amount", "from", "to"],
  adopt: ["resource_ids"],
  dismiss: [],
  unmatch: ["line_ids"],
  reopen: []
}

const splitIds = (cell: string | undefined): ReadonlyArray<string> | undefined => cell?.split(/[\s,;|]+/)

/** Reads the action that a row of the file asks for. Undefined: none. */
const parseInput = (cells: Cells) => {
  const action = trimCell(cells["action"])
  if (action === undefined) return undefined
  const taken: ReadonlyArray<Column> = Object.entries(takenBy).find(([name]) => name === action)?.[1] ?? []
  const cell = (name: Column) => (taken.includes(name) ? trimCell(cells[name]) : undefined)
  const resource_ids = splitIds(cell("resource_ids"))
  const resources =
    action === "adopt" ? { resource_id: resource_ids?.length === 1 ? resource_ids[0] : undefined } : { resource_ids }
  const input = {
    ...{ action, note: trimCell(cells["note"]), from: cell("from"), to: cell("to"), amount: cell("amount") },
    ...{ line_ids: splitIds(cell("line_ids")), ...resources }
  }
  return decode(ResolveBreak, input, "body", true)
}

/** The result of a row that was refused. */
const describeRowFailure = (failure: Refusal | Fault): string => {
  const { errors } = failure as { readonly errors?: ReadonlyArray<{ readonly message: string }> }
  return errors !== undefined && errors.length > 0 ? errors.map(({ message }) => message).join("; ") : failure.message
}

/** The columns that say what a break is. A spreadsheet may write `since` otherwise. */
const saying = columns.filter((name) => !["id", "since", "action", "note"].includes(name))

const toComparable = (name: Column, cell: string): string =>
  name === "amount"
    ? normalizeDecimal(cell)
    : name === "line_ids" || name === "resource_ids"
      ? String(splitIds(cell)!.toSorted())
      : cell

const isSameCell = (name: Column, a: string, b: string): boolean => toComparable(name, a) === toComparable(name, b)

/**
 * Checks that a break still is what its row says, so that nothing is decided of one that has become another since the export. Cells that the
 * action takes are not compared, nor are the candidates of a break without resources whose row has a `version` (APPROVAL-18). Errors:
 * `InvalidInput`.
 */
const checkRow = Effect.fnUntraced(function* (b: BreakBody, action: BreakAction, cells: Cells) {
  const now = toCells(b)
  const isProposal = b.resources.length === 0 && trimCell(cells["version"]) !== undefined
  for (const name of saying) {
    const [cell, is] = [trimCell(cells[name]), now[name] ?? ""]
    if (cell === undefined || takenBy[action].includes(name) || (isProposal && name === "resource_ids")) continue
    if (isSameCell(name, cell, is)) continue
    if (name === "version")
      return yield* invalid(name, `Break ${b.id} has become another since this row was written. Export it again.`)
    if (name === "from" || name === "to")
      return yield* invalid(name, `${name} is ${cell}, which ${action} does not take.`)
    const what = is === "" ? "has none" : name === "amount" ? `is of ${is} ${b.currency}` : `has ${is}`
    return yield* invalid(name, `${name} is ${cell}, but break ${b.id} ${what}. Export it again.`)
  }
})

/** The start of the result of a row that waits. */
const WAITS = "waits for approval"

/**
 * Does what one row says, as the same call of the API would: it counts to limits and waits for approval by itself (APPROVAL-3). The result
 * of the row.
 */
const resolveRow = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  id: string | null,
  cells: Cells,
  given: ResolveBreak
) {
  if (id?.startsWith("brk_") !== true)
    return yield* invalid("id", `id is ${JSON.stringify(id)}; it takes the id of a break.`)
  const row = yield* findOfAnyMerchant(deps.storage, BreakKind, id)
  const b = breakBody(row)
  // A repeat is told what its break is by now, and one that finishes an adoption finishes it.
  const isRepeat = !b.actions.includes(given.action) || (given.action === "adopt" && row.data.adopting === true)
  if (!isRepeat) yield* checkRow(b, given.action, cells)
  // All that the line names: what it pays is one of them.
  const named = given.action === "adopt" ? trimCell(cells["resource_ids"]) : undefined
  const isNamed = named !== undefined && isSameCell("resource_ids", named, toCells(b).resource_ids!)
  if (named !== undefined && !isNamed && given.resource_id === undefined)
    return yield* invalid("resource_ids", `resource_ids is ${JSON.stringify(named)}; it takes the id of one resource.`)
  const input = isNamed ? Struct.omit(given, ["resource_id"]) : given
  const operation = deps.operations.get("resolveBreak")
  if (operation === undefined) throw new InvariantViolation("the operation resolveBreak is there")
  let approval = ""
  const own: Call = {
    ...call,
    idempotency: null,
    subject: id,
    note: input.note,
    if_match: b.version,
    reply: () => "",
    waits: (given) => void (approval = given?.id ?? "")
  }
  const sent = () => Result.succeed({ params: { id }, body: input })
  const act = { call: own, params: { id }, input }
  const { waits } = yield* actOrWait(deps, operation, act, sent, unapproved, yield* DryRun)
  return waits ? `${WAITS} ${approval}` : "ok"
})

const isNot = "The file is no CSV of breaks"
const refuseFile = (why: string) => new BadRequest(makeFieldRefusal("file", "invalid_format", `${isNot}: ${why}.`))

/**
 * The table of a file. Errors: `BadRequest` for bytes that are neither UTF-8 nor what a byte order mark says, for what is no CSV, for a column
 * that no row takes, for one that is missing, and for too many rows.
 */
const parseTable = Effect.fnUntraced(function* (bytes: Uint8Array): Effect.fn.Return<CsvTable, BadRequest> {
  const table = yield* Effect.fromResult(parseCsvBytes(bytes, "file", isNot))
  const taken = `It takes ${columns.join(", ")}, and id and action at least`
  const unknown = table.columns.find((name) => ![...columns, "result"].includes(name))
  if (unknown !== undefined)
    return yield* refuseFile(`the column ${JSON.stringify(unknown)} is none of a break. ${taken}`)
  const absent = ["id", "action"].find((name) => !table.columns.includes(name))
  if (absent !== undefined) return yield* refuseFile(`the column ${absent} is missing. ${taken}`)
  return table.rows.length > ROWS_MAX
    ? yield* refuseFile(`it has ${table.rows.length} rows, and takes at most ${ROWS_MAX}`)
    : table
})

/**
 * Resolves breaks as the rows of a file say. Each row is a call of its own: it succeeds, waits or fails by itself, and a repeat of the file
 * says of a row that was carried out that its break is resolved.
 *
 * Errors: `BadRequest` for a file that {@link parseTable} refuses. Then no row of it is done.
 */
const resolveFile = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  { file: bytes, format = "csv" }: ResolveBreaks
) {
  const table = yield* parseTable(bytes)
  const rows: Array<ResolvedBreaks["rows"][number]> = []
  for (const { cells, line } of table.rows) {
    const id = trimCell(cells["id"]) ?? null
    const decoded = parseInput(cells)
    if (decoded === undefined) {
      rows.push({ line, id, result: "skipped" })
      continue
    }
    const done = yield* Effect.result(Effect.flatMap(decoded, (input) => resolveRow(deps, call, id, cells, input)))
    rows.push({ line, id, result: done._tag === "Success" ? done.success : describeRowFailure(done.failure) })
  }
  if (format === "csv") {
    const kept = table.columns.filter((name) => name !== "result")
    const text = writeCsv(
      [...kept, "result"],
      table.rows.map(({ cells }, n) => [...kept.map((name) => cells[name] ?? null), rows[n]!.result])
    )
    return new FileResponse<"csv">("csv", text)
  }
  const count = (isOf: (result: string) => boolean): number => rows.filter(({ result }) => isOf(result)).length
  const [succeeded, skipped, waiting] = [
    count((result) => result === "ok"),
    count((result) => result === "skipped"),
    count((result) => result.startsWith(WAITS))
  ]
  return {
    succeeded,
    failed: rows.length - succeeded - skipped - waiting,
    skipped,
    waiting,
    rows
  }
})

export class BreakFiles extends Context.Service<BreakFiles>()("corridor/engine/BreakFiles", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { list, resolve: resolveFile }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
