/**
 * The payment of a confirmed batch, part by part (BATCH-4 to BATCH-6). A row becomes its movement in one commit, which takes the row's unique
 * key. Whatever ends in between, a row that has its key is not paid again.
 *
 * Each part is looked at once, and those with rows that wait again after that, until nothing waits. One part is in memory at a time. A look
 * at which nothing has ended writes nothing of the batch.
 */
import { Clock, Context, Effect, Equal, Layer } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { Counted, Payout } from "../../../machines/kernel/payout.ts"
import {
  type BatchData,
  type BatchPartData,
  type BatchRow,
  type BatchRowError,
  type BatchSum,
  listRemainingParts
} from "../../../machines/movements/batch.ts"
import type { BeneficiaryData } from "../../../machines/parties/beneficiary.ts"
import { VolumeAhead } from "../../calls/CurrentTerms.ts"
import { KnownRecipients } from "../../calls/Routes.ts"
import { BatchOfRow, isAmountKey } from "../../calls/ActiveLimits.ts"
import { askAgainMs } from "../../commit/BlockedJobs.ts"
import { type Decision, isRefusal, makeContentionConflict, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { addCounts } from "../../commit/acts.ts"
import type { ApplyResult, Call, Source } from "../../commit/call.ts"
import { type ChangeSet, type KeyScope, mergeChanges, requireVersion, takeUniqueKey } from "../../commit/changeset.ts"
import { Ids } from "../../ports/Ids.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { type Fault, InvalidStatus, type Refusal, type StorageFault } from "../../ports/errors.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { Beneficiaries, BeneficiaryKind } from "../parties/beneficiary.ts"
import {
  toRowErrors,
  findIdentical,
  isMadeMovement,
  isPayable,
  isPriced,
  pickPayeeFacts,
  toPriced,
  findRecipient,
  replaceTotals
} from "./batch-check.ts"
import { amountField, BatchKind, BatchPartKind, decodeRow, partId, type RowInput } from "./batch-row.ts"
import { replaceCounts } from "./creation.ts"
import { Offramps } from "./offramp.ts"
import { Quotes } from "./quote.ts"
import { Transfers } from "./transfer.ts"

// The shares of rows in what their batch has counted of limits (LIMITS-11). A batch counts sums, once, when it is confirmed. A row that fails
// before it is a movement gives its share back in the commit that fails it; a movement keeps it with what it has counted itself, and so gives it
// back as that (LIMITS-4).
//
// Law: the shares of all rows of a batch come to exactly what it has counted of an amount. Nothing of it but its rows says what a share is, so that
// a process that asks again finds the same.

/**
 * Adds to each row what those before it take: in the same currencies, where its share begins, and of an offramp in its source currency, for
 * the volume that chooses its fee.
 */
export const addTakenBefore = (rows: ReadonlyArray<BatchRow>): ReadonlyArray<BatchRow> => {
  const taken = new Map<string, bigint>()
  const add = (name: string, amount: string): string => {
    const before = taken.get(name) ?? 0n
    taken.set(name, before + BigInt(amount))
    return before.toString()
  }
  return rows.map((row) => {
    if (row.priced === null) return row
    const { received, source } = row.priced
    const taken_before = add(`${source.currency}/${received.currency}`, source.amount)
    return isPriced(row)
      ? { ...row, taken_before, volume_before: add(source.currency, source.amount) }
      : { ...row, taken_before }
  })
}

/**
 * The volume that chooses the fee of a row. It depends on nothing that has become of the other rows, so that each is charged what was
 * checked, however many are paid at once, and whichever have failed or wait.
 */
const chooseVolume = ({ data: { volumes } }: Batch, { priced, volume_before }: BatchRow) => {
  if (volumes === undefined || volume_before === undefined) return { ahead: 0n }
  const since = volumes.find(({ currency }) => currency === priced?.source.currency)?.amount ?? "0"
  return { ahead: BigInt(volume_before), since: BigInt(since) }
}

/**
 * Whether rows have shares of a counter: of a count they have none. Of the sum of several currencies, they have none either where a release
 * before has counted it.
 */
const isShared =
  ({ sums }: Pick<BatchData, "sums">) =>
  ({ by_sum, key }: Counted): boolean =>
    isAmountKey(key) && (by_sum?.length ?? 1) === sums.length

/** Lists the counts of a batch that are not shared out to its rows. */
const listCounted = (data: BatchData): ReadonlyArray<Counted> => {
  const isOfRows = isShared(data)
  return (data.counted ?? []).filter((one) => !isOfRows(one))
}

/** Computes the share of a row in each amount that its batch counts. */
export const splitShares = (
  data: BatchData,
  { priced, taken_before = "0" }: Pick<BatchRow, "priced" | "taken_before">
): ReadonlyArray<Counted> => {
  const at =
    priced === null
      ? -1
      : data.sums.findIndex(
          ({ taken, received = taken }) =>
            taken[1] === priced.source.currency && received[1] === priced.received.currency
        )
  const sum = data.sums[at]
  if (priced === null || sum === undefined) return []
  const { received, source, worth = received } = priced
  return (data.counted ?? []).filter(isShared(data)).flatMap(({ add, bucket, by_sum, key }) => {
    const total = BigInt(by_sum?.[at] ?? add)
    if (total === 0n) return []
    // In the currency that is received, each row counts at its own rate.
    const isAtOwnRate = (sum.worth ?? sum.received)?.[0] === total.toString()
    const [own, all] = isAtOwnRate ? [worth.amount, total] : [source.amount, BigInt(sum.taken[0])]
    const before = BigInt(taken_before)
    // Rounded from the first row on, so that what one row loses the next has.
    const upTo = (minor: bigint): bigint => (all === 0n ? 0n : (total * minor) / all)
    return [{ key, bucket, add: (upTo(before + BigInt(own)) - upTo(before)).toString() }]
  })
}

/** Computes the shares of its row that a movement keeps: at most what the movement takes. */
const boundShares = (data: BatchData, row: BatchRow, movement: Pick<Row, "data" | "kind">): ReadonlyArray<Counted> => {
  const now = new Map(splitShares(data, { ...row, priced: toPriced(movement) }).map(({ add, key }) => [key, add]))
  return splitShares(data, row).map(({ add, ...one }) => {
    const taken = now.get(one.key) ?? add
    return { ...one, add: BigInt(taken) < BigInt(add) ? taken : add }
  })
}

/** Unique keys of the rows of batches, `<batch>/<row>`: the movement that a row has become. */
const batchRowScope: KeyScope = { name: "batch_row", taken: (key) => `Row ${key} has already been paid.` }

/** The same key, of a row that was refused: its batch has it, and no process makes a movement of it any more. */
const refusedRowScope: KeyScope = { name: batchRowScope.name, taken: "decide_again" }

/** How many rows of a part are paid at once. The batch is read again after each of these. */
const atOnce = 16

/** How long a row waits for the screening of the beneficiary that it has made. */
const screeningMaxMs = 86_400_000
/** How soon what waits is looked at again: in the first minute, and later. A row whose recipient was decided does not wait longer. */
const soonMs = 1000
const laterMs = 10_000
const minuteMs = 60_000

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

/** What has become of a row. `awaits`: nothing yet, and nothing will before this. Undefined: nothing yet. */
type Outcome =
  | { readonly resource_id: string }
  | { readonly failure: BatchRowError }
  | { readonly awaits: NonNullable<BatchRow["awaits"]> }
  | undefined

/** When a batch is looked at again, and why not before. `retry_at`: when its rows that wait for no screening are tried again. */
interface WaitingRow {
  readonly after_ms: number
  readonly waits_for: "awaiting_screening" | "service_unavailable"
  readonly retry_at: number
}

const makeRowKey = (batch: Batch, { row }: BatchRow): string => `${batch.id}/${row}`

/** Finds the id of the movement that a row has become. Undefined: none. */
const findRowMovement = (
  { storage }: Deps,
  batch: Batch,
  row: BatchRow
): Effect.Effect<string | undefined, StorageFault> =>
  Effect.map(storage.uniqueKeyOwner(batch.merchant_id, batchRowScope.name, makeRowKey(batch, row)), (owner) =>
    owner === batch.id ? undefined : owner
  )

/**
 * Whom a row pays. `screening_id`: that of the name and account that it pays. Undefined: none was checked.
 * `isAwaited`: it has no result yet. `described`: what the row says of it. Undefined: the row names it.
 */
interface Recipient {
  readonly id: string
  readonly screening_id: string | undefined
  readonly isAwaited: boolean
  readonly described?: ReturnType<typeof pickPayeeFacts>
}

/** Finds the beneficiary of a row, or makes it if there is none that is identical. */
const findOrMakeRecipient = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  batch: Batch,
  { screening_id }: BatchRow,
  input: RowInput
): Effect.fn.Return<Recipient, Failure> {
  const { made, id } = yield* findRecipient(deps, call, input)
  if (made === undefined) return { id, screening_id, isAwaited: false }
  const found = yield* findIdentical(deps, made as Row<BeneficiaryData>, batch.data.confirmed_at ?? 0)
  const payee =
    found === undefined ? yield* deps.beneficiaries.create(call, input.beneficiary!) : { ...found, ...found.data }
  return {
    id: payee.id,
    screening_id: payee.screening_id,
    isAwaited: payee.status === "pending",
    described: pickPayeeFacts(made.data as BeneficiaryData)
  }
})

const isCancelledBy = (now: Row | undefined): boolean => now?.state === "cancelled"

const readLatest = (
  { storage }: Deps,
  { id, merchant_id }: Pick<Batch, "id" | "merchant_id">
): Effect.Effect<Row | undefined, StorageFault> =>
  Effect.map(storage.get([{ merchant_id, kind: BatchKind.kind, id }]), ([row]) => row)

/**
 * Makes the version check of a recipient whose name and account are those that were checked, confirmed and approved. Errors:
 * `InvalidStatus` where they are others since; `Conflict` where the row describes the recipient, and the stored one has changed: the next
 * try finds or makes one.
 */
const requireUnchangedRecipient = Effect.fnUntraced(function* (
  { unitOfWork }: Deps,
  { merchant_id }: Batch,
  { described, id, screening_id }: Recipient
) {
  if (screening_id === undefined) return {}
  const now = yield* unitOfWork.load(BeneficiaryKind, merchant_id, id)
  const isAsDescribed = described === undefined || Equal.equals(pickPayeeFacts(now.data), described)
  if (now.data.screening_id === screening_id && isAsDescribed) return requireVersion(now, now)
  if (described !== undefined) return yield* makeContentionConflict()
  return yield* new InvalidStatus({
    message: `Beneficiary ${id} was modified after the batch was checked. Check the row in a new batch.`
  })
})

/**
 * Finds out whether a movement would take more from its wallet than the row that was checked, confirmed and approved, because a rate or a
 * fee has changed (BATCH-4). Returns the error of the row. Undefined: it takes no more.
 */
const findPriceChange = (
  { priced }: BatchRow,
  input: RowInput,
  changes: ReadonlyArray<ChangeSet>
): BatchRowError | undefined => {
  const made = mergeChanges(changes).rows.find(isMadeMovement)
  if (made === undefined || priced === null) return undefined
  const { source } = toPriced(made)
  if (BigInt(source.amount) <= BigInt(priced.source.amount)) return undefined
  const show = ({ amount, currency }: BatchSum): string => `${displayAmount(amount, currency)} ${currency}`
  const message = `The row would take ${show(source)} now, and ${show(priced.source)} was confirmed. Check the row in a new batch.`
  return { field: amountField(input), code: "price_changed", message }
}

/** Lists the counters at which a batch has counted an amount of a row, and itself as one act. */
const listCountedKeys = ({ data }: Batch, row: BatchRow) => ({
  row: splitShares(data, row).map(({ key }) => key),
  act: (data.counted ?? []).map(({ key }) => key).filter((key) => !isAmountKey(key))
})

/** Adds to a row's movement the row's shares of what the batch counts, so that the movement can give them back. */
const addShares = ({ data }: Batch, row: BatchRow, changes: ReadonlyArray<ChangeSet>): ReadonlyArray<ChangeSet> => {
  const made = mergeChanges(changes).rows.find(isMadeMovement)
  if (made === undefined || data.counted === undefined) return changes
  const shares = boundShares(data, row, made)
  const counted = [...((made.data as Payout).counted ?? []), ...shares.filter(({ add }) => add !== "0")]
  return [
    ...addCounts(changes, made, counted.length === 0 ? {} : { counted }),
    ...replaceCounts(splitShares(data, row), shares)
  ]
}

/** The id of a row's movement, or why there is none. Undefined: its batch is cancelled. */
type Made = string | { readonly failure: BatchRowError } | undefined

/** Makes the movement of a row, with the row's key. Undefined: the batch is cancelled. Once a cancellation is answered, no row begins. */
const makeMovement = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  batch: Batch,
  row: BatchRow,
  input: RowInput,
  payee: Recipient
): Effect.fn.Return<Made, Failure> {
  const { offramps, quotes, transfers, unitOfWork } = deps
  const { amount, metadata, source_amount, target_amount, wallet_id } = input
  const beneficiary_id = payee.id
  const own = { reference: row.reference, ...(metadata === undefined ? {} : { metadata }) }
  const committed = (decision: Effect.Effect<Decision<{ readonly id: string }>, Failure>) =>
    unitOfWork
      .write(call, function* (): Effect.gen.Return<Decision<Made>, Failure> {
        const now = yield* readLatest(deps, batch)
        if (now === undefined || isCancelledBy(now)) return { changes: [], result: undefined }
        const unchanged = [requireVersion(now, now), yield* requireUnchangedRecipient(deps, batch, payee)]
        const { changes, result } = yield* decision
        const failure = findPriceChange(row, input, changes)
        if (failure !== undefined) return { changes: [], result: { failure } }
        const key = takeUniqueKey(batchRowScope, makeRowKey(batch, row), result.id)
        return { changes: [...addShares(batch, row, changes), key, ...unchanged], result: result.id }
      })
      .pipe(Effect.provideService(BatchOfRow, listCountedKeys(batch, row)))
  if (amount !== undefined)
    return yield* committed(yield* transfers.decision(call, { wallet_id, beneficiary_id, amount, ...own }))
  const asked = quotes.offramp(call, {
    wallet_id,
    beneficiary_id,
    ...(source_amount === undefined ? {} : { source_amount }),
    ...(target_amount === undefined ? {} : { target_amount })
  })
  const quote = yield* Effect.provideService(asked, VolumeAhead, chooseVolume(batch, row))
  return yield* committed(yield* offramps.decision(call, { quote_id: quote.id, ...own }))
})

/** Pays one row, if it has not been paid. Errors: `StorageFault`: the part is tried again. */
const payRow = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  batch: Batch,
  row: BatchRow
): Effect.fn.Return<Outcome, StorageFault> {
  const before = yield* findRowMovement(deps, batch, row)
  if (before !== undefined) return { resource_id: before }
  let input: RowInput | undefined
  const made = Effect.gen(function* () {
    input = yield* decodeRow(row.sent)
    const payee = yield* findOrMakeRecipient(deps, call, batch, row, input)
    if (!payee.isAwaited) return yield* makeMovement(deps, call, batch, row, input, payee)
    const { id: beneficiary_id, screening_id = "" } = payee
    const since = findWaitStart(row, yield* Clock.currentTimeMillis)
    return { awaits: { beneficiary_id, screening_id, since } }
  })
  const found = yield* Effect.result(made as Effect.Effect<Effect.Success<typeof made>, Failure>)
  if (found._tag === "Success") {
    const made = found.success
    if (typeof made !== "object") return made === undefined ? undefined : { resource_id: made }
    if ("failure" in made) return made
    const message = "The beneficiary of the row was not screened in time."
    const isInTime = (yield* Clock.currentTimeMillis) - made.awaits.since < screeningMaxMs
    return isInTime ? made : { failure: { field: "beneficiary", code: "invalid_status", message } }
  }
  const error = found.failure
  if (error._tag === "StorageFault") return yield* error
  const owner = yield* findRowMovement(deps, batch, row)
  if (owner !== undefined) return { resource_id: owner }
  // What passes by itself is tried again.
  if (!isRefusal(error) || error._tag === "ExternalServiceUnavailable" || error._tag === "Conflict") return undefined
  return { failure: toRowErrors(error, input)[0]! }
})

/** When a row began to wait for its screening, or `now`: the batch of a suspended merchant begins none, perhaps for long. */
const findWaitStart = ({ awaits }: BatchRow, now: number): number => awaits?.since ?? now

const isPaid = (outcome: Outcome) => outcome !== undefined && "resource_id" in outcome
const isRefused = (outcome: Outcome) => outcome !== undefined && "failure" in outcome
const hasEnded = (outcome: Outcome): boolean => isPaid(outcome) || isRefused(outcome)

/** The row with its outcome. The same row if nothing changes. */
const addOutcome = (row: BatchRow, outcome: Outcome): BatchRow => {
  const { awaits: _, ...rest } = row
  const after = { ...rest, ...outcome }
  return Equal.equals(after, row) ? row : after
}

/** Lists the rows that can be worked on: not those that wait for a screening, nor, before `retry_at`, those that wait for anything else. */
const listDueRows = Effect.fnUntraced(function* (
  { storage }: Deps,
  batch: Batch,
  rows: ReadonlyArray<BatchRow>,
  isRetried: boolean
) {
  const { merchant_id } = batch
  const at = yield* Clock.currentTimeMillis
  const ids = [...new Set(rows.flatMap(({ awaits }) => awaits?.beneficiary_id ?? []))]
  const found = yield* storage.get(ids.map((id) => ({ merchant_id, kind: BeneficiaryKind.kind, id })))
  const awaited = new Set(
    (found as ReadonlyArray<Row<BeneficiaryData>>).flatMap(({ data, status }) =>
      status === "pending" ? [data.screening_id] : []
    )
  )
  const isOver = (row: BatchRow): boolean => at - findWaitStart(row, at) >= screeningMaxMs
  return rows.filter((row) =>
    row.awaits === undefined ? isRetried : isOver(row) || !awaited.has(row.awaits.screening_id)
  )
})

/** Pays rows, and returns the outcome of each, in their order. Once the batch is cancelled, no row begins. */
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
          ? Effect.map(findRowMovement(deps, batch, row), (owner) =>
              owner === undefined ? undefined : { resource_id: owner }
            )
          : payRow(deps, call, batch, row),
      { concurrency: group.some(({ sent }) => sent["beneficiary"] !== undefined) ? 1 : atOnce }
    )
    for (const [i, { row }] of group.entries()) outcomes.set(row, found[i])
    isCancelled = isCancelledBy(yield* readLatest(deps, batch))
  }
  return outcomes
})

/**
 * Gives back the counts of a batch of which no row became a movement: it was no act. Done once, when none of its rows is left (LIMITS-11).
 */
const giveBackCount = ({ data, state }: Pick<Batch, "data" | "state">): ReadonlyArray<ChangeSet> =>
  state !== "processing" && listRemainingParts(data).length === 0 && data.created === 0
    ? replaceCounts(listCounted(data), [])
    : []

/** Replaces the amounts of rows by those of their movements, where these were made. A refused row takes nothing. */
const updatePrices = Effect.fnUntraced(function* (
  { storage }: Deps,
  { merchant_id }: Batch,
  rows: ReadonlyArray<BatchRow>
): Effect.fn.Return<ReadonlyArray<BatchRow>, StorageFault> {
  const keys = rows.flatMap(({ resource_id, sent }) =>
    resource_id === null ? [] : [{ merchant_id, kind: String(sent["operation"]), id: resource_id }]
  )
  const prices = new Map((yield* storage.get(keys)).map((made) => [made.id, toPriced(made)]))
  return rows.map((row) => ({ ...row, priced: prices.get(row.resource_id ?? "") ?? null }))
})

/**
 * Reads the outcomes of a part's rows again when they are recorded. A process that lost its lease may have paid a row since this one
 * looked: that row is paid, whatever refused it here.
 */
const recheckOutcomes = Effect.fnUntraced(function* (
  deps: Deps,
  batch: Batch,
  { data: { rows } }: Row<BatchPartData>,
  outcomes: ReadonlyMap<number, Outcome>
): Effect.fn.Return<ReadonlyMap<number, Outcome>, StorageFault> {
  const unpaid = rows.filter(({ row }) => outcomes.has(row) && !isPaid(outcomes.get(row)))
  const found = yield* Effect.forEach(unpaid, (row) => findRowMovement(deps, batch, row), { concurrency: atOnce })
  const paid = unpaid.flatMap(({ row }, n) =>
    found[n] === undefined ? [] : [[row, { resource_id: found[n] }] as const]
  )
  return new Map([...outcomes, ...paid])
})

/** Records the outcomes of rows of a part, and has the timer go on at once. */
const recordRows = (
  deps: Deps,
  batch: Batch,
  part: Row<BatchPartData>,
  number: number,
  seen: ReadonlyMap<number, Outcome>,
  source: Source
): Effect.Effect<ApplyResult<undefined>, StorageFault> => {
  const { storage, unitOfWork } = deps
  const { id, merchant_id } = batch
  const keys = [batch, part].map(({ id, kind }) => ({ merchant_id, kind, id }))
  return unitOfWork.apply(merchant_id, source, function* () {
    const at = yield* Clock.currentTimeMillis
    const read = yield* storage.get(keys)
    const now = (read.find((row) => row.id === id) ?? batch) as Batch
    // Another process has taken this part meanwhile, and has recorded it: this one has lost its lease.
    if (now.state === "completed" || read.find((row) => row.id === part.id)?.version !== part.version)
      return { changes: [], result: undefined }
    const outcomes = yield* recheckOutcomes(deps, batch, part, seen)
    // What was not looked at waits as before.
    const rows = part.data.rows.map((row) => (outcomes.has(row.row) ? addOutcome(row, outcomes.get(row.row)) : row))
    const ended = [...outcomes.values()].filter(hasEnded)
    const created = ended.filter(isPaid).length
    const waits = now.state !== "cancelled" && rows.some(isPayable)
    const isEnded = ({ row }: BatchRow): boolean => hasEnded(outcomes.get(row))
    const prices = yield* updatePrices(deps, batch, rows.filter(isEnded))
    // The totals of a cancelled batch have nothing of rows that had not ended when it was.
    const before = now.state === "cancelled" ? [] : part.data.rows.filter(isEnded)
    const totals = replaceTotals(now.data.totals, before, prices)
    const failed = ended.length - created
    // What has not begun of a cancelled batch never will.
    const isLost = (row: BatchRow): boolean => {
      const outcome = outcomes.get(row.row)
      return isPayable(row) && (isRefused(outcome) || (now.state === "cancelled" && !isPaid(outcome)))
    }
    const lost = part.data.rows.filter(isLost).flatMap((row) => splitShares(now.data, row))
    const event = { type: "part", at, part: number, created, failed, totals, waits } as const
    const refused = part.data.rows
      .filter(({ row }) => isRefused(outcomes.get(row)))
      .map((row) => takeUniqueKey(refusedRowScope, makeRowKey(batch, row), id))
    const counted = yield* unitOfWork.stepOrDie(BatchKind, now, event, at)
    const written = yield* unitOfWork.stepOrDie(BatchPartKind, part, { type: "update", patch: { rows } }, at)
    return {
      changes: [
        counted.changes,
        written.changes,
        ...refused,
        ...replaceCounts(lost, []),
        ...giveBackCount(counted.row)
      ],
      result: undefined
    }
  })
}

/**
 * Pays the rows of one part that can be paid: of the first part that was not looked at, or else of parts with waiting rows. Its timer then
 * fires at once. Where no row of any part can be paid, it returns when to look again, and the caller writes the timer's job. For a
 * cancelled batch, it records the payments that were begun. `source`: the lease of the timer. `retry_at`: {@link WaitingRow.retry_at} of
 * the look before.
 */
const payPart = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  id: string,
  source: Source,
  retry_at: number
): Effect.fn.Return<WaitingRow | undefined, StorageFault> {
  const { storage, unitOfWork } = deps
  const batch = (yield* readLatest(deps, { id, merchant_id })) as Batch | undefined
  const left = batch === undefined ? [] : listRemainingParts(batch.data)
  if (batch === undefined || batch.state === "draft" || batch.state === "completed" || left.length === 0) {
    yield* unitOfWork.apply(merchant_id, source, Effect.succeed({ changes: [], result: undefined }))
    return undefined
  }
  const { confirmed_at, next, parts } = batch.data
  const began = yield* Clock.currentTimeMillis
  const isRetried = began >= retry_at
  let isTried = false
  for (const number of next < parts ? [next] : left) {
    const key = { merchant_id, kind: BatchPartKind.kind, id: partId(id, number) }
    const [part] = (yield* storage.get([key])) as ReadonlyArray<Row<BatchPartData>>
    if (part === undefined) continue
    const open = part.data.rows.filter(isPayable)
    const isFirst = number === next || batch.state === "cancelled"
    const due = isFirst ? open : yield* listDueRows(deps, batch, open, isRetried)
    const outcomes = yield* Effect.provideService(payRows(deps, batch, due), KnownRecipients, new Map())
    if (isFirst || due.some((row) => addOutcome(row, outcomes.get(row.row)) !== row)) {
      yield* recordRows(deps, batch, part, number, outcomes, source)
      return undefined
    }
    isTried ||= open.some(({ awaits }) => awaits === undefined)
  }
  const at = yield* Clock.currentTimeMillis
  const waited = at - (confirmed_at ?? at)
  const look = waited < minuteMs ? soonMs : laterMs
  const retry = !isTried ? Infinity : isRetried ? at + (waited < minuteMs ? soonMs : askAgainMs(waited)) : retry_at
  return {
    after_ms: Math.max(soonMs, Math.min(look, retry - at)),
    waits_for: isTried ? "service_unavailable" : "awaiting_screening",
    retry_at: isTried ? retry : 0
  }
})

export class BatchPayments extends Context.Service<BatchPayments>()("corridor/engine/BatchPayments", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { pay: payPart }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
