/** Batches: payouts that are checked together, confirmed once, and then paid row by row (BATCH-1 to BATCH-6). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { BeneficiaryData } from "../../../machines/parties/beneficiary.ts"
import {
  type BatchData,
  type BatchPartData,
  type BatchRow,
  listRemainingParts
} from "../../../machines/movements/batch.ts"
import type { OfframpData } from "../../../machines/movements/offramp.ts"
import { writeCsv } from "../../../statements/csv/write.ts"
import { ActiveLimits } from "../../calls/ActiveLimits.ts"
import { CurrentTerms } from "../../calls/CurrentTerms.ts"
import { makeDryRun } from "../../calls/dry-run.ts"
import type { Listed } from "../../calls/list.ts"
import { FileResponse } from "../../calls/operation.ts"
import { findOfAnyMerchant, makeReads } from "../../calls/reads.ts"
import { toLimitedAct } from "../../commit/acts.ts"
import type { Call } from "../../commit/call.ts"
import { outcomeOf } from "../../commit/index-keys.ts"
import { isSubmitted, Kinds } from "../../commit/kind.ts"
import { takeUniqueKey, type KeyScope } from "../../commit/changeset.ts"
import { begin } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { ofBeneficiary, makeWordFilter } from "../../input/members.ts"
import {
  BooleanParam,
  describe,
  listing,
  toSlice,
  Optional,
  paging,
  referenceMax,
  ReferenceText,
  TextOrEmpty
} from "../../input/schemas.ts"
import {
  BadRequest,
  DuplicateResource,
  makeFieldRefusal,
  type FieldFault,
  invalid,
  InvalidInput,
  InvalidStatus,
  type StorageFault
} from "../../ports/errors.ts"
import { DryRun } from "../../ports/dry-run.ts"
import { isWritable } from "../../ports/canonical-json.ts"
import { Ids } from "../../ports/Ids.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import {
  batchBody,
  type BatchBody,
  batchRowBody,
  type BatchRowBody,
  type BatchRowStatus,
  batchRowStatuses,
  batchStatuses,
  type CheckedBatchBody,
  batchSummaryBody,
  rowErrors,
  type RowMovement
} from "../../representations/movements/batch.ts"
import { offrampStatuses } from "../../representations/movements/offramp.ts"
import { BeneficiaryKind } from "../parties/beneficiary.ts"
import { sumByCurrency, sumRowActs, BatchChecks, isPayable, replaceTotals, toPriced, sumTotals } from "./batch-check.ts"
import {
  toBatchAct,
  BatchKind,
  BatchPartKind,
  batchRowsMax,
  readOwnReference,
  partId,
  partSize,
  parseCsvRows,
  type Sent,
  SentRow
} from "./batch-row.ts"
import { splitShares, addTakenBefore } from "./batch-payment.ts"
import { replaceCounts } from "./creation.ts"

/** Unique keys of the references of batches, taken when one is confirmed: a draft may be mended and sent again. */
const batchReferenceScope = {
  name: "batch_reference",
  taken: (reference: string) =>
    `The reference ${JSON.stringify(reference)} is that of another batch, which was confirmed.`
} satisfies KeyScope

/** The most errors that a response has. */
const errorsMax = 1_000

export const CreateBatch = Schema.Struct({
  reference: describe(
    ReferenceText,
    "Your name for the batch, unique among those that you confirm. A row without a reference of its own gets this one, a hyphen and its number.",
    "payroll-2026-01"
  ),
  rows: Optional(
    Schema.Array(SentRow).annotate({ members_max: batchRowsMax }),
    "The payouts, 1 to 10,000. Either this or `csv`.",
    []
  ),
  csv: Optional(
    TextOrEmpty(4 * 1024 * 1024),
    "The payouts as a CSV file, whose header has the names of the members of a row, dotted where nested. With the content type `text/csv` the body is the file, and `reference` is in the query.",
    "operation,wallet_id,beneficiary_id,amount\ntransfer,wal_01j9z3k4m5n6p7q8r9s0t1v2w3,ben_01j9z3k4m5n6p7q8r9s0t1v2w3,25.00"
  )
}).annotate({ identifier: "CreateBatch" })
export type CreateBatch = typeof CreateBatch.Type

export const ListBatches = Schema.Struct({ status: makeWordFilter(batchStatuses, "status"), ...listing })
export type ListBatches = typeof ListBatches.Type

export const ListBatchRows = Schema.Struct({
  status: makeWordFilter(batchRowStatuses, "status"),
  resource_status: makeWordFilter(offrampStatuses, "status of their movement"),
  beneficiary_id: ofBeneficiary,
  awaits_approval: Optional(BooleanParam, "Only rows whose movement waits for approval, or only the others.", true),
  format: Optional(
    Schema.Literals(["json", "csv"]),
    "`csv`: all rows as a file, instead of a page. Default: `json`.",
    "csv"
  ),
  ...paging
})
export type ListBatchRows = typeof ListBatchRows.Type

const makeDeps = Effect.gen(function* () {
  return {
    ...(yield* Effect.all({
      storage: Storage,
      unitOfWork: UnitOfWork,
      ids: Ids,
      kinds: Kinds,
      checks: BatchChecks,
      terms: CurrentTerms
    })),
    limits: yield* ActiveLimits,
    ...(yield* makeReads(BatchKind, ListBatches, batchBody))
  }
})
type Deps = Effect.Success<typeof makeDeps>

type Batch = Row<BatchData>

/** Finds every place in a value with a member of the name, at any depth. The value is writable. */
const findPaths = (name: string, value: unknown): ReadonlyArray<string> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([own, inner]) =>
        own === name ? [own] : findPaths(name, inner).map((path) => `${own}.${path}`)
      )

/** Finds the members of rows that cannot be stored as they were sent, or must not be stored (BENEFICIARY-13). */
const findUnwritable = (sent: ReadonlyArray<Sent>): ReadonlyArray<FieldFault> =>
  sent.flatMap((row, at) =>
    Object.entries(row).flatMap(([name, value]): ReadonlyArray<FieldFault> => {
      const field = `rows.${at}.${name}`
      if (!isWritable(value))
        return [{ field, code: "invalid_type", message: `${field} is nested too deeply, or is not JSON.` }]
      if (name === "metadata") return []
      return findPaths("holder_document", { [name]: value }).map((path) => ({
        field: `rows.${at}.${path}`,
        code: "invalid_value",
        message:
          "A row takes no holder_document: a batch is stored, and the document is not. Make the beneficiary by POST /v1/beneficiaries, and name it by beneficiary_id."
      }))
    })
  )

/**
 * Reads the rows of a request, from JSON or from a CSV file. Errors: `BadRequest` for rows and a file, or neither, for a file that is no
 * CSV, for too many rows, and for values that cannot be stored; `InvalidInput` for no rows.
 */
const parseRows = Effect.fnUntraced(function* ({
  csv,
  rows
}: CreateBatch): Effect.fn.Return<ReadonlyArray<Sent>, BadRequest | InvalidInput> {
  if ((csv === undefined) === (rows === undefined))
    return yield* new BadRequest(makeFieldRefusal("rows", "required", "Exactly one of rows and csv is required."))
  const sent: ReadonlyArray<Sent> = csv === undefined ? (rows ?? []) : yield* parseCsvRows(csv)
  const counted = `The batch has ${sent.length} rows; it takes 1 to ${batchRowsMax}.`
  if (sent.length > batchRowsMax) return yield* new BadRequest(makeFieldRefusal("rows", "too_long", counted))
  if (sent.length === 0) return yield* invalid("rows", counted)
  const [first, ...others] = findUnwritable(sent).slice(0, errorsMax)
  if (first !== undefined) return yield* new BadRequest({ message: first.message, errors: [first, ...others] })
  return sent
})

/** Refuses the reference of a batch that is too long for the references of its rows. Undefined: each fits. */
const refuseTooLong = (batch: string, sent: ReadonlyArray<Sent>): InvalidInput | undefined => {
  const last = sent.findLastIndex((row) => readOwnReference(row) === undefined) + 1
  const [has, most] = [batch, `-${last}`].map((text) => [...text].length) as [number, number]
  return last === 0 || has + most <= referenceMax
    ? undefined
    : new InvalidInput(
        makeFieldRefusal(
          "reference",
          "too_long",
          `reference has ${has} characters, and the reference of row ${last} would have ${has + most}. A batch with these rows takes one of at most ${referenceMax - most} characters, or rows with references of their own.`
        )
      )
}

/** Reads the parts of a batch with these numbers, in that order. */
const readParts = (
  { storage }: Deps,
  { id, merchant_id }: Pick<Batch, "id" | "merchant_id">,
  numbers: ReadonlyArray<number>
) => {
  const keys = numbers.map((part) => ({ merchant_id, kind: BatchPartKind.kind, id: partId(id, part) }))
  return storage.get(keys) as Effect.Effect<ReadonlyArray<Row<BatchPartData>>, StorageFault>
}

const readRowsOfParts = (
  deps: Deps,
  batch: Pick<Batch, "id" | "merchant_id">,
  numbers: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<BatchRow>, StorageFault> =>
  Effect.map(readParts(deps, batch, numbers), (parts) => parts.flatMap(({ data }) => data.rows))

const toCheckedBody = (batch: Batch, rows: ReadonlyArray<BatchRow>): CheckedBatchBody => ({
  ...batchBody(batch),
  errors: rows.flatMap((row) => (row.errors.length === 0 ? [] : rowErrors(row))).slice(0, errorsMax)
})

/** Reads the body of a batch with the errors of its rows. */
const readCheckedBody = (deps: Deps, batch: Batch): Effect.Effect<CheckedBatchBody, StorageFault> =>
  Effect.map(readRowsOfParts(deps, batch, batch.data.faulty.slice(0, errorsMax / 10)), (rows) =>
    toCheckedBody(batch, rows)
  )

/**
 * Checks the rows and keeps them as a draft. Nothing is paid, and no reference is taken.
 *
 * Errors: `BadRequest` and `InvalidInput` for rows that cannot be read as rows at all; `DuplicateResource` for the reference of a batch that
 * was confirmed, which could never be paid. What is wrong with one row is an error of that row.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateBatch) {
  const { checks, ids, storage, unitOfWork } = deps
  const { merchant_id } = call
  const sent = yield* parseRows(input)
  const long = refuseTooLong(input.reference, sent)
  if (long !== undefined) return yield* long
  const owner = yield* storage.uniqueKeyOwner(merchant_id, batchReferenceScope.name, input.reference)
  if (owner !== undefined) return yield* new DuplicateResource({ message: batchReferenceScope.taken(input.reference) })
  const rows = addTakenBefore(yield* checks.check(call, input.reference, sent))
  const parts = Array.from({ length: Math.ceil(rows.length / partSize) }, (_, at) =>
    rows.slice(at * partSize, (at + 1) * partSize)
  )
  const id = yield* ids.make(BatchKind.prefix)
  return yield* unitOfWork.write(call, function* () {
    const at = yield* Clock.currentTimeMillis
    const batch = yield* begin(
      BatchKind,
      { merchant_id, id },
      {
        reference: input.reference,
        rows: rows.length,
        valid: rows.filter(({ errors }) => errors.length === 0).length,
        totals: sumTotals(rows),
        sums: sumRowActs(rows),
        parts: parts.length,
        has_own_references: sent.some((row) => readOwnReference(row) !== undefined),
        faulty: parts.flatMap((part, n) => (part.some(({ errors }) => errors.length > 0) ? [n] : [])),
        next: 0,
        created: 0,
        failed: 0,
        confirmed_by: null,
        confirmed_at: null,
        ended_at: null
      },
      at
    )
    const written = yield* Effect.forEach(parts, (part, n) =>
      begin(BatchPartKind, { merchant_id, id: partId(id, n) }, { rows: part }, at)
    )
    return {
      changes: [batch.changes, ...written.map(({ changes }) => changes)],
      result: toCheckedBody(batch.row, rows)
    }
  })
})

/** Reads all rows of a batch without an error. */
const readValidRows = (deps: Deps, batch: Batch) =>
  Effect.map(readRowsOfParts(deps, batch, listParts(batch)), (all) => all.filter(({ errors }) => errors.length === 0))

/** Reads the volumes of the merchant to which the rows of a batch add. Nothing: it has no offramp. */
const readOfframpVolumes = Effect.fnUntraced(function* ({ terms }: Deps, { data, merchant_id }: Batch, at: number) {
  if (!data.sums.some(({ received }) => received !== undefined)) return {}
  const volumes = yield* terms.volumes({ merchant_id, operation: "offramp" }, at)
  return { volumes: sumByCurrency([...volumes].map(([currency, minor]) => [minor, currency])) }
})

/** Adds to a dry run the use of limits of the rows, and whether one would wait, if they were paid now (DRYRUN-4). */
const previewBatch = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const batch = yield* deps.unitOfWork.load(BatchKind, call.merchant_id, id)
  if (batch.state !== "draft") return
  const weighed = yield* deps.limits.weigh([toLimitedAct(call, toBatchAct(batch))], yield* Clock.currentTimeMillis)
  const sent = (yield* readValidRows(deps, batch)).map((row) => ({ ...row.sent, reference: row.reference }))
  yield* deps.checks.check(call, batch.data.reference, sent, weighed.changes())
})

/**
 * Has the rows without an error paid. A batch that was confirmed before is returned as it is now.
 *
 * Errors: `NotFound`; `InvalidStatus` for a batch that was cancelled, or has no row without an error; `DuplicateResource` for the reference
 * of a batch that was confirmed; `InvalidInput` when a limit of batches has no room for it, with its rows.
 */
const confirmBatch = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { unitOfWork } = deps
  const dryRun = yield* DryRun
  const confirmation = unitOfWork.write(call, function* () {
    const batch = yield* unitOfWork.load(BatchKind, call.merchant_id, id)
    if (batch.state === "processing" || batch.state === "completed")
      return { changes: [], result: yield* readCheckedBody(deps, batch) }
    if (batch.state === "draft" && batch.data.valid === 0)
      return yield* new InvalidStatus({ message: `Batch ${id} has no row without an error. Send a mended batch.` })
    const at = yield* Clock.currentTimeMillis
    const volumes = yield* readOfframpVolumes(deps, batch, at)
    const next = yield* unitOfWork.step(BatchKind, batch, { type: "confirm", at, by: call.key_id, ...volumes }, at)
    if (next === undefined) return yield* new InvalidStatus({ message: `Batch ${id} is ${batch.state}.` })
    const key = takeUniqueKey(batchReferenceScope, batch.data.reference, id)
    return { changes: [next.changes, key], result: yield* readCheckedBody(deps, next.row) }
  })
  const confirmed = yield* Effect.result(confirmation)
  if (dryRun !== undefined && dryRun.isTrial !== true) {
    // The rows are decided beside the confirmation: from what is there before it.
    const rows = { ...makeDryRun(dryRun.within), limits: dryRun.limits }
    yield* Effect.provideService(previewBatch(deps, call, id), DryRun, rows)
    dryRun.limits = rows.limits
    if (rows.awaits !== undefined) dryRun.awaits = rows.awaits
  }
  return yield* Effect.fromResult(confirmed)
})

/**
 * Cancels a batch: a draft is never paid, and of a batch that is being paid no further row. Rows that have become movements stay as they
 * are. Errors: `NotFound`; `InvalidStatus` for a batch that is completed.
 */
const cancelBatch = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { unitOfWork } = deps
  return yield* unitOfWork.write(call, function* () {
    const batch = yield* unitOfWork.load(BatchKind, call.merchant_id, id)
    if (batch.state === "cancelled") return { changes: [], result: yield* readCheckedBody(deps, batch) }
    const at = yield* Clock.currentTimeMillis
    const left = yield* readParts(deps, batch, listRemainingParts(batch.data))
    const open = left.flatMap(({ data }) => data.rows).filter(isPayable)
    const totals = replaceTotals(batch.data.totals, open, [])
    const next = yield* unitOfWork.step(BatchKind, batch, { type: "cancel", at, totals }, at)
    if (next === undefined)
      return yield* new InvalidStatus({
        message: `Batch ${id} is ${batch.state}: each of its rows was paid or refused.`
      })
    // What nobody will look at gives back here. The other parts do, when what was begun of them is recorded.
    const looked = new Set(listRemainingParts(next.row.data).map((number) => partId(id, number)))
    const dropped = left.filter((part) => !looked.has(part.id)).flatMap(({ data }) => data.rows)
    const lost = batch.data.counted === undefined ? [] : dropped.flatMap((row) => splitShares(batch.data, row))
    return {
      changes: [next.changes, ...replaceCounts(lost, [])],
      result: yield* readCheckedBody(deps, next.row)
    }
  })
})

/** Reads a batch that the caller may read: an operator reads those of all merchants. Errors: `NotFound`. */
const readBatch = ({ storage, unitOfWork }: Deps, { merchant_id, operator }: Call, id: string) =>
  operator === null ? unitOfWork.load(BatchKind, merchant_id, id) : findOfAnyMerchant(storage, BatchKind, id)

const get = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const batch = yield* readBatch(deps, call, id)
  return { body: yield* readCheckedBody(deps, batch), version: String(batch.version) }
})

const list = ({ list }: Deps, call: Call, input: ListBatches): Effect.Effect<Listed<BatchBody>, StorageFault> =>
  list(call, input)

const chooseRowStatus = (batch: Batch, { errors, failure, resource_id }: BatchRow): BatchRowStatus => {
  if (errors.length > 0) return "invalid"
  if (resource_id !== null) return "created"
  if (failure !== null) return "failed"
  return batch.state === "draft" ? "valid" : batch.state === "cancelled" ? "cancelled" : "pending"
}

const toRowMovement = (row: Row): RowMovement => {
  const { fees, received, source } = toPriced(row)
  const { beneficiary, beneficiary_id, failure_reason = null, received_amount } = row.data as Partial<OfframpData>
  const isReversed = outcomeOf({}, row.status) === "failed"
  return {
    status: row.status,
    awaits_approval: row.state === "approving",
    recipient: beneficiary!.name,
    beneficiary_id: beneficiary_id!,
    failure_reason: failure_reason ?? null,
    source: source.amount,
    source_currency: source.currency,
    received: isReversed ? null : (received_amount ?? received.amount),
    fees: isReversed ? [] : fees
  }
}

/** Reads the movements of the rows of one part; for rows without a movement, the names of their beneficiaries. */
const readPayments = Effect.fnUntraced(function* (
  { kinds, storage }: Deps,
  { merchant_id }: Batch,
  rows: ReadonlyArray<BatchRow>
): Effect.fn.Return<
  {
    readonly movements: ReadonlyMap<string, RowMovement>
    readonly payees: ReadonlyMap<string, string>
    readonly payeeOf: (row: BatchRow) => string
  },
  StorageFault
> {
  // A row may have sent anything as the id of its beneficiary.
  const payeeOf = ({ resource_id, sent: { beneficiary_id: id } }: BatchRow): string =>
    resource_id === null && typeof id === "string" && kinds.ofId(id)?.kind === BeneficiaryKind.kind ? id : ""
  const idOf = (row: BatchRow): string => row.resource_id ?? payeeOf(row)
  const ids = [...new Set(rows.map(idOf))].filter((id) => kinds.ofId(id) !== undefined)
  const movements = new Map<string, RowMovement>()
  const payees = new Map<string, string>()
  const keys = ids.map((id) => ({ merchant_id, kind: kinds.ofId(id)!.kind, id }))
  for (const row of yield* storage.get(keys))
    if (isSubmitted(kinds.byName.get(row.kind))) movements.set(row.id, toRowMovement(row))
    else if (row.kind === BeneficiaryKind.kind) payees.set(row.id, (row.data as BeneficiaryData).name)
  return { movements, payees, payeeOf }
})

const showRows = Effect.fnUntraced(function* (deps: Deps, batch: Batch, rows: ReadonlyArray<BatchRow>) {
  const { movements, payeeOf, payees } = yield* readPayments(deps, batch, rows)
  return rows.map((row) =>
    batchRowBody(row, chooseRowStatus(batch, row), movements.get(row.resource_id ?? ""), payees.get(payeeOf(row)))
  )
})

const columns = [
  "row",
  "status",
  "operation",
  "wallet_id",
  "beneficiary_id",
  "reference",
  "source_amount",
  "source_currency",
  "received_amount",
  "destination_currency",
  "fees",
  "resource_id",
  "resource_status",
  "resource_failure_reason",
  "error_field",
  "error_code",
  "error_message",
  // Columns of before keep their places.
  "recipient",
  "awaits_approval"
] as const

const toCells = ({ awaits_approval, errors, fees, row, ...one }: BatchRowBody): ReadonlyArray<string | null> => {
  const [error] = errors
  const cells: Readonly<Record<string, string | null | undefined>> = {
    ...one,
    row: String(row),
    awaits_approval: one.resource_id === null ? null : String(awaits_approval),
    fees: fees.map(({ amount, currency }) => `${amount} ${currency}`).join("; "),
    error_field: error?.field,
    error_code: error?.code,
    error_message: errors.length === 0 ? null : errors.map(({ message }) => message).join(" ")
  }
  return columns.map((name) => cells[name] ?? null)
}

/** Lists the numbers of the parts of a batch that have rows from `from` (counted from 0) up to `to`, exclusive. */
const listParts = ({ data }: Batch, from = 0, to = Infinity): ReadonlyArray<number> =>
  Array.from({ length: data.parts }, (_, part) => part).filter(
    (part) => (part + 1) * partSize > from && part * partSize < to
  )

/**
 * Reads the rows in their order: a page of them, or all as a CSV file. They are read part by part: all of them for a filter, and the
 * movements too for one of these; otherwise the parts of the page. Errors: `NotFound`.
 */
const readRows = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: ListBatchRows) {
  const batch = yield* readBatch(deps, call, id)
  const { awaits_approval, beneficiary_id, format, resource_status, status } = input
  const { page, per_page, offset, limit } = toSlice(input)
  const isFile = format === "csv"
  const isByMovement = [awaits_approval, beneficiary_id, resource_status].some((filter) => filter !== undefined)
  const isWhole = isFile || isByMovement || status !== undefined
  const parts = isWhole ? listParts(batch) : listParts(batch, offset, offset + limit)
  const found: Array<BatchRowBody> = []
  let total = isWhole ? 0 : (parts[0] ?? 0) * partSize
  const inPage = <One>(of: ReadonlyArray<One>): ReadonlyArray<One> =>
    isFile ? of : of.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total))
  for (const part of parts) {
    const chosen = (yield* readRowsOfParts(deps, batch, [part])).filter(
      (row) => status === undefined || chooseRowStatus(batch, row) === status
    )
    if (isByMovement) {
      const matching = (yield* showRows(deps, batch, chosen)).filter(
        (row) =>
          (beneficiary_id === undefined || row.beneficiary_id === beneficiary_id) &&
          (resource_status === undefined || row.resource_status === resource_status) &&
          (awaits_approval === undefined || row.awaits_approval === awaits_approval)
      )
      found.push(...inPage(matching))
      total += matching.length
    } else {
      found.push(...(yield* showRows(deps, batch, inPage(chosen))))
      total += chosen.length
    }
  }
  return isFile
    ? new FileResponse("csv" as const, writeCsv(columns, found.map(toCells)))
    : { items: found, page, per_page, total: isWhole ? total : batch.data.rows }
})

/** Summarises the movements of a batch, which are read part by part. Errors: `NotFound`. */
const readSummary = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const batch = yield* readBatch(deps, call, id)
  const all = yield* Effect.forEach(listParts(batch), (part) =>
    Effect.gen(function* () {
      const made = (yield* readRowsOfParts(deps, batch, [part])).filter(({ resource_id }) => resource_id !== null)
      return [...(yield* readPayments(deps, batch, made)).movements.values()]
    })
  )
  return batchSummaryBody(all.flat())
})

export class Batches extends Context.Service<Batches>()("corridor/engine/Batches", {
  make: Effect.map(makeDeps, (deps) =>
    bindFirst(deps, {
      create,
      confirm: confirmBatch,
      cancel: cancelBatch,
      get,
      list,
      rows: readRows,
      summary: readSummary
    })
  )
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(BatchChecks.layer))
}
