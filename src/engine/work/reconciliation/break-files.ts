/** Breaks as a file: exported, edited, and resolved row by row (BREAK-7). */
import { Clock, Context, Effect, Layer, Result, Schema, Struct } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { BreakData } from "../../../machines/reconciliation/break.ts"
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
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
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
  "to"
] as const
type Column = (typeof columns)[number]

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
  ...Struct.pick(b, ["id", "external_account_id", "kind", "severity", "status", "amount", "currency", "since"]),
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

/** Reads the action that a row of the file asks for. Undefined: none. */
const parseInput = (cells: Readonly<Record<string, string>>) => {
  const action = trimCell(cells["action"])
  const ids = (name: string) => trimCell(cells[name])?.split(/[\s,;|]+/)
  if (action === undefined) return undefined
  const lines = ids("line_ids")
  const resources = ids("resource_ids")
  const undoes = action === "unmatch"
  return decode(
    ResolveBreak,
    {
      action,
      note: trimCell(cells["note"]),
      ...(lines !== undefined && (action === "match" || undoes) ? { line_ids: lines } : {}),
      ...(resources !== undefined && action === "match" ? { resource_ids: resources } : {}),
      ...(action === "explain"
        ? { from: trimCell(cells["from"]), to: trimCell(cells["to"]), amount: trimCell(cells["amount"]) }
        : {})
    },
    "body",
    true
  )
}

/** The result of a row that was refused. */
const describeRowFailure = (failure: Refusal | Fault): string => {
  const { errors } = failure as { readonly errors?: ReadonlyArray<{ readonly message: string }> }
  return errors !== undefined && errors.length > 0 ? errors.map(({ message }) => message).join("; ") : failure.message
}

/**
 * Errors: `InvalidInput` where the amount of a row is not that of its break: the file is older than the break. Of `explain` it is not checked,
 * whose amount is an input.
 */
const checkAmount = ({ data: b, id }: Row<BreakData>, { action }: ResolveBreak, cell: string | undefined) => {
  const amount = b.amount === null ? undefined : displayAmount(b.amount, b.currency)
  if (
    cell === undefined ||
    action === "explain" ||
    (amount !== undefined && normalizeDecimal(cell) === normalizeDecimal(amount))
  )
    return Effect.void
  const is = amount === undefined ? "has none" : `is of ${amount} ${b.currency}`
  return Effect.fail(invalid("amount", `amount is ${cell}, but break ${id} ${is}. Export it again.`))
}

/** The start of the result of a row that waits. */
const WAITS = "waits for approval"

/**
 * Does what one row says, as the same call of the API would: it counts to limits and waits for approval by itself (APPROVAL-3). The result
 * of the row.
 */
const resolveRow = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  { amount, id }: { readonly id: string | null; readonly amount: string | undefined },
  input: ResolveBreak
) {
  if (id?.startsWith("brk_") !== true)
    return yield* invalid("id", `id is ${JSON.stringify(id)}; it takes the id of a break.`)
  yield* checkAmount(yield* findOfAnyMerchant(deps.storage, BreakKind, id), input, amount)
  const operation = deps.operations.get("resolveBreak")
  if (operation === undefined) throw new InvariantViolation("the operation resolveBreak is there")
  let approval = ""
  const own: Call = {
    ...call,
    idempotency: null,
    subject: id,
    note: input.note,
    reply: () => "",
    waits: (given) => void (approval = given?.id ?? "")
  }
  const sent = () => Result.succeed({ params: { id }, body: input })
  const given = { call: own, params: { id }, input }
  const { waits } = yield* actOrWait(deps, operation, given, sent, unapproved, yield* DryRun)
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
    const row = { id, amount: trimCell(cells["amount"]) }
    const done = yield* Effect.result(Effect.flatMap(decoded, (input) => resolveRow(deps, call, row, input)))
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
