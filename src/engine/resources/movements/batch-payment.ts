/**
 * The payment of a confirmed batch, part by part (BATCH-4 to BATCH-6). A row becomes its movement in one commit, which takes the row's unique
 * key. Whatever ends in between, a row that has its key is not paid again.
 */
import { Clock, Context, Effect, Equal, Layer } from "effect"
import { bound } from "../../../machines/kernel/bound.ts"
import type { BatchData, BatchPartData, BatchRow, BatchRowError } from "../../../machines/movements/batch.ts"
import type { BeneficiaryData } from "../../../machines/parties/beneficiary.ts"
import { givingBack } from "../../calls/ActiveLimits.ts"
import type { Call } from "../../commit/call.ts"
import { type ChangeSet, requireUnchanged, uniqueKey, type KeyScope } from "../../commit/changeset.ts"
import { askAgainMs } from "../../commit/Parking.ts"
import { termKey, wordsOf } from "../../commit/search-terms.ts"
import type { ApplyResult, Source } from "../../commit/source.ts"
import { type Decision, isRefusal, modifiedRepeatedly, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { type Fault, InvalidStatus, type Refusal, type StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { Beneficiaries, BeneficiaryKind } from "../parties/beneficiary.ts"
import { errorsOf, isOpen, recipient } from "./batch-check.ts"
import { BatchKind, BatchPartKind, partId } from "./batch-kind.ts"
import { type RowInput, rowOf } from "./batch-row.ts"
import { Offramps } from "./offramp.ts"
import { Quotes } from "./quote.ts"
import { Transfers } from "./transfer.ts"

/** Unique keys of the rows of batches, `<batch>/<row>`: the movement that a row has become. */
export const batchRowScope: KeyScope = { name: "batch_row", taken: (key) => `Row ${key} has already been paid.` }

/** How many rows of a part are paid at once. The batch is read again after each of these. */
const atOnce = 16

/** How long a row waits for the screening of the beneficiary that it has made. */
const screeningMaxMs = 86_400_000
/** How soon what waits is tried again in the first minute. */
const soonMs = 1000
const minuteMs = 60_000

/** The most beneficiaries of one name that are compared. */
const sameNameMax = 100

const makeDeps = Effect.all({
  storage: Storage,
  unitOfWork: UnitOfWork,
  ids: Ids,
  transfers: Transfers,
  offramps: Offramps,
  quotes: Quotes,
  beneficiaries: Beneficiaries
})
type Deps = Effect.Success<typeof makeDeps>

type Batch = Row<BatchData>
type Failure = Refusal | Fault

/** What has become of a row. Undefined: nothing yet. */
type Outcome = { readonly resource_id: string } | { readonly failure: BatchRowError } | undefined

const keyOf = (batch: Batch, { row }: BatchRow): string => `${batch.id}/${row}`

const ownerOf = ({ storage }: Deps, batch: Batch, row: BatchRow): Effect.Effect<string | undefined, StorageFault> =>
  storage.uniqueKeyOwner(batch.merchant_id, batchRowScope.name, keyOf(batch, row))

/** The names by which beneficiaries are found are those of their first six words. */
const wordsMax = 6

/**
 * The stored beneficiary of the same customer that pays the same account or address to the same name. One that can be paid goes first, and
 * one that was blocked goes last, if it is newer than the batch: what the batch has made is not made again when it is refused.
 */
const identical = Effect.fnUntraced(function* (
  { storage }: Deps,
  { data: { confirmed_at }, merchant_id }: Batch,
  made: Row<BeneficiaryData>
): Effect.fn.Return<Row<BeneficiaryData> | undefined, StorageFault> {
  const { data } = made
  const words = wordsOf(data.name).slice(0, wordsMax).join(" ")
  const found = yield* storage.matches({
    keys: [termKey("name", words)],
    prefixes: [],
    kinds: [BeneficiaryKind.kind],
    merchant_id,
    limit: sameNameMax
  })
  const rows = yield* storage.get(found.map(({ id, kind }) => ({ merchant_id, kind, id })))
  const alike = (rows as ReadonlyArray<Row<BeneficiaryData>>).filter(
    ({ created_at, data: one, status }) =>
      (status !== "blocked" || created_at >= (confirmed_at ?? 0)) &&
      one.name === data.name &&
      one.currency === data.currency &&
      one.customer_id === data.customer_id &&
      Equal.equals({ ...one.details, name_match: null }, { ...data.details, name_match: null })
  )
  const first = (wanted: string) => alike.find(({ status }) => status === wanted)
  return first("active") ?? first("pending") ?? alike[0]
})

const describesRecipient = ({ sent }: BatchRow): boolean => sent["beneficiary"] !== undefined

/** Whom a row pays. `screening_id`: that of the name and account that it pays. Undefined: the row was checked by an earlier release. */
type Recipient = { readonly id: string; readonly screening_id: string | undefined }

/** The recipient of a row, made if there is none that is identical. Undefined: it is being screened. */
const recipientOf = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  batch: Batch,
  { screening_id }: BatchRow,
  input: RowInput
): Effect.fn.Return<Recipient | undefined, Failure> {
  const { made, id } = yield* recipient(deps, call, input)
  if (made === undefined) return { id, screening_id }
  const found = yield* identical(deps, batch, made as Row<BeneficiaryData>)
  if (found !== undefined)
    return found.status === "pending" ? undefined : { id: found.id, screening_id: found.data.screening_id }
  const created = yield* deps.beneficiaries.create(call, input.beneficiary!)
  return created.status === "pending" ? undefined : created
})

const isCancelledBy = (now: Row | undefined): boolean => now?.state === "cancelled"

const latest = ({ storage }: Deps, { id, merchant_id }: Batch): Effect.Effect<Row | undefined, StorageFault> =>
  Effect.map(storage.get([{ merchant_id, kind: BatchKind.kind, id }]), ([row]) => row)

/**
 * The check that pays the recipient who was checked, and confirmed, and approved. Errors: `InvalidStatus` where it has another name or
 * account since; `Conflict` where the row describes it, since the next try finds or makes what it describes.
 */
const asChecked = Effect.fnUntraced(function* (
  { unitOfWork }: Deps,
  { merchant_id }: Batch,
  row: BatchRow,
  { id, screening_id }: Recipient
) {
  if (screening_id === undefined) return {}
  const now = yield* unitOfWork.load(BeneficiaryKind, merchant_id, id)
  if (now.data.screening_id === screening_id) return requireUnchanged(now, now)
  if (describesRecipient(row)) return yield* modifiedRepeatedly()
  return yield* new InvalidStatus({
    message: `Beneficiary ${id} was modified after the batch was checked. Check the row in a new batch.`
  })
})

/**
 * Makes the movement of a row, with the row's key, unless the batch is cancelled: once its cancellation is answered, no row begins.
 * Undefined: it is.
 */
const moved = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  batch: Batch,
  row: BatchRow,
  input: RowInput,
  payee: Recipient
): Effect.fn.Return<string | undefined, Failure> {
  const { offramps, quotes, transfers, unitOfWork } = deps
  const { amount, metadata, source_amount, target_amount, wallet_id } = input
  const beneficiary_id = payee.id
  const own = { reference: row.reference, ...(metadata === undefined ? {} : { metadata }) }
  const committed = (decision: Effect.Effect<Decision<{ readonly id: string }>, Failure>) =>
    unitOfWork.write(call, function* () {
      const now = yield* latest(deps, batch)
      if (now === undefined || isCancelledBy(now)) return { changes: [], result: undefined }
      const unchanged = [requireUnchanged(now, now), yield* asChecked(deps, batch, row, payee)]
      const { changes, result } = yield* decision
      const key = uniqueKey(batchRowScope, keyOf(batch, row), result.id)
      return { changes: [...changes, key, ...unchanged], result: result.id }
    })
  if (amount !== undefined)
    return yield* committed(yield* transfers.decision(call, { wallet_id, beneficiary_id, amount, ...own }))
  const quote = yield* quotes.offramp(call, {
    wallet_id,
    beneficiary_id,
    ...(source_amount === undefined ? {} : { source_amount }),
    ...(target_amount === undefined ? {} : { target_amount })
  })
  return yield* committed(yield* offramps.decision(call, { quote_id: quote.id, ...own }))
})

/** Pays one row, if it has not been paid. Errors: `StorageFault`: the part is tried again. */
const paid = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  batch: Batch,
  row: BatchRow
): Effect.fn.Return<Outcome, StorageFault> {
  const before = yield* ownerOf(deps, batch, row)
  if (before !== undefined) return { resource_id: before }
  let input: RowInput | undefined
  const made = Effect.gen(function* () {
    input = yield* rowOf(row.sent)
    const payee = yield* recipientOf(deps, call, batch, row, input)
    return payee === undefined ? undefined : yield* moved(deps, call, batch, row, input, payee)
  })
  const found = yield* Effect.result(made as Effect.Effect<string | undefined, Failure>)
  if (found._tag === "Success") {
    if (found.success !== undefined) return { resource_id: found.success }
    if (isCancelledBy(yield* latest(deps, batch))) return undefined
    const waited = (yield* Clock.currentTimeMillis) - (batch.data.confirmed_at ?? 0)
    const message = "The beneficiary of the row was not screened in time."
    return waited < screeningMaxMs ? undefined : { failure: { field: "beneficiary", code: "invalid_status", message } }
  }
  const error = found.failure
  if (error._tag === "StorageFault") return yield* error
  const owner = yield* ownerOf(deps, batch, row)
  if (owner !== undefined) return { resource_id: owner }
  // What passes by itself is tried again.
  if (!isRefusal(error) || error._tag === "ExternalServiceUnavailable" || error._tag === "Conflict") return undefined
  return { failure: errorsOf(error, input)[0]! }
})

const withOutcome = (row: BatchRow, outcome: Outcome): BatchRow =>
  outcome === undefined ? row : { ...row, ...outcome }

/** The outcomes of the rows of a part, in their order. Once the batch is cancelled, nothing is begun. */
const payRows = Effect.fnUntraced(function* (deps: Deps, batch: Batch, rows: ReadonlyArray<BatchRow>) {
  const { ids } = deps
  const { merchant_id } = batch
  const call: Call = {
    merchant_id,
    role: "developer",
    key_id: batch.data.confirmed_by,
    operator: null,
    operation: "confirmBatch",
    request_id: yield* ids.make("req"),
    idempotency: null,
    if_match: null,
    reply: () => ""
  }
  const outcomes = new Map<number, Outcome>()
  let isCancelled = batch.state === "cancelled"
  for (let at = 0; at < rows.length; at += atOnce) {
    const group = rows.slice(at, at + atOnce)
    // Two rows with the same details are paid one after the other, so that the second finds what the first has made.
    const found = yield* Effect.forEach(
      group,
      (row) =>
        isCancelled
          ? Effect.map(ownerOf(deps, batch, row), (owner) => (owner === undefined ? undefined : { resource_id: owner }))
          : paid(deps, call, batch, row),
      { concurrency: group.some(describesRecipient) ? 1 : atOnce }
    )
    for (const [i, { row }] of group.entries()) outcomes.set(row, found[i])
    isCancelled = isCancelledBy(yield* latest(deps, batch))
  }
  return outcomes
})

const again = (batch: Batch, at: number): number => {
  const waited = at - (batch.data.confirmed_at ?? at)
  return at + (waited < minuteMs ? soonMs : askAgainMs(waited))
}

/** A batch of which no row became a movement gives back what it counted of limits, once: at its last part (LIMITS-4). */
const unpaid = ({ data, state }: Pick<Batch, "data" | "state">): ReadonlyArray<ChangeSet> =>
  state !== "processing" && data.created === 0 && data.counted !== undefined ? [givingBack(data.counted)] : []

/**
 * Pays the next part of a batch, and has its timer pay the one after it. `source`: the lease of the timer. Of a cancelled batch, it records
 * what was begun.
 */
const pay = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  id: string,
  source: Source
): Effect.fn.Return<ApplyResult<undefined>, StorageFault> {
  const { storage, unitOfWork } = deps
  const loaded = Effect.map(
    storage.get([{ merchant_id, kind: BatchKind.kind, id }]),
    ([row]) => row as Batch | undefined
  )
  const nothing = unitOfWork.apply(merchant_id, source, Effect.succeed({ changes: [], result: undefined }))
  const batch = yield* loaded
  if (batch === undefined || batch.state === "draft" || batch.state === "completed") return yield* nothing
  const partKey = { merchant_id, kind: BatchPartKind.kind, id: partId(id, batch.data.next) }
  const [part] = (yield* storage.get([partKey])) as ReadonlyArray<Row<BatchPartData>>
  if (part === undefined) return yield* nothing
  const outcomes = yield* payRows(deps, batch, part.data.rows.filter(isOpen))
  const ended = [...outcomes.values()]
  const created = ended.filter((one) => one !== undefined && "resource_id" in one).length
  const failed = ended.filter((one) => one !== undefined && "failure" in one).length
  return yield* unitOfWork.apply(merchant_id, source, function* () {
    const at = yield* Clock.currentTimeMillis
    const now = (yield* loaded) ?? batch
    // Another process has taken this part meanwhile, and has recorded it: this one has lost its lease.
    if (now.state === "completed" || now.data.next !== batch.data.next) return { changes: [], result: undefined }
    const again_at = ended.includes(undefined) ? again(batch, at) : null
    const counted = yield* unitOfWork.accepted(BatchKind, now, { type: "part", at, created, failed, again_at }, at)
    const rows = part.data.rows.map((row) => withOutcome(row, outcomes.get(row.row)))
    const written = yield* unitOfWork.accepted(BatchPartKind, part, { type: "update", patch: { rows } }, at)
    return { changes: [counted.changes, written.changes, ...unpaid(counted.row)], result: undefined }
  })
})

export class BatchPayments extends Context.Service<BatchPayments>()("corridor/engine/BatchPayments", {
  make: Effect.map(makeDeps, (deps) => bound(deps, { pay }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
