/**
 * Reads the statements of providers into their external accounts (INGEST-7, INGEST-8).
 *
 * Each account has one job, which keeps the cursor and holds a lease until the next read: one node reads at a time, and moving the
 * service's clock makes no read due. A page becomes a statement in the commit that moves the cursor, so that it is read once; and a line
 * that is read again, because a provider's cursor went back, is the line that is there (INGEST-4). A page of a chain that says what its
 * addresses hold becomes a statement for each of its days, and its lines must lead to that balance (INGEST-9).
 */
import { Clock, Context, Effect } from "effect"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import { expandTimer, type StatementChunkData, type StatementData } from "../../../machines/reconciliation/statement.ts"
import { readAllRows } from "../../calls/reads.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { begin, makeDueTimer } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { Unavailable } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { type Provider, providerTimeoutMs, type StatementPage } from "../../ports/Provider.ts"
import { type Job, type JobWrite, PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { wallNow } from "../../ports/Time.ts"
import { addLogEntry } from "../../reports/progress.ts"
import { ExternalAccountKind, readMirrors } from "../../resources/reconciliation/external-account.ts"
import {
  findFeedPosition,
  makeFirstReading,
  type FeedHolding,
  isReadOwn,
  type PageStatement,
  readLines,
  splitReadable,
  type StatementJobBody,
  toStatementJobId,
  splitStatements
} from "../../resources/reconciliation/provider-statement.ts"
import { findKnownLines, StatementChunks } from "../../resources/reconciliation/line-joining.ts"
import { stepRoster } from "../../resources/reconciliation/statement-roster.ts"
import { chunkId, StatementChunkKind, StatementKind } from "../../resources/reconciliation/statement-kinds.ts"
import { ChunkLines } from "../../resources/reconciliation/statement-plan.ts"
import { keyLifetime } from "../../settings/retention.ts"
import { Inbox } from "../providers/Inbox.ts"
import { Reconciliations } from "./Reconciliations.ts"

/** The delay between two reads of an account, in milliseconds of real time. */
export const StatementInterval = Context.Reference<number>("corridor/engine/StatementInterval", {
  defaultValue: () => 300_000
})

/** How long after a page was read its chunks become lines by themselves, unless the reader has made them. */
const EXPAND_MS = 60_000

/** The most pages without a line that are read one after another: a provider's cursor may always move. */
const emptyMax = 100

const toPlatformCall = (id: string) => ({ merchant_id: PLATFORM_MERCHANT, id })

type AccountRow = Row<ExternalAccountData>

const makeDeps = Effect.all({
  storage: Storage,
  unitOfWork: UnitOfWork,
  ids: Ids,
  inbox: Inbox,
  chunks: StatementChunks,
  reconciliations: Reconciliations
})
type Deps = Effect.Success<typeof makeDeps>

/** The job that reads again after `after_ms` of real time. */
const makeNextReading = Effect.fnUntraced(function* (
  { ids }: Deps,
  job: Job,
  body: StatementJobBody,
  after_ms: number
) {
  const at = yield* Clock.currentTimeMillis
  const { created_at, id, log, partition_key, queue } = job
  const next: JobWrite = {
    ...{ id, queue, partition_key, created_at, log },
    status: "pending",
    due_at: at,
    attempt: 0,
    body: { ...body }
  }
  if (after_ms === 0) return next
  return { ...next, lease: { token: yield* ids.make("lease"), wall: yield* wallNow, lease_ms: after_ms } }
})

/** Whether statements of a provider in a currency belong to this account: the first active one, if no statement files were taken for it. */
const isRead = Effect.fnUntraced(function* ({ storage }: Deps, { data, id }: AccountRow) {
  const index_keys = [`provider=${data.provider}`, `currency=${data.currency}`, "status=active"]
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [ExternalAccountKind.kind], index_keys }
  // Newest first.
  const first = (yield* readAllRows(storage, query, () => true)).at(-1)
  if (first?.id !== id) return false
  return (yield* isReadOwn(storage, id)) !== false
})

/** The changes that store one statement, and its row. */
const storeStatement = Effect.fnUntraced(function* (
  { ids }: Deps,
  external_account_id: string,
  { data, lines }: PageStatement,
  at: number
) {
  const size = yield* ChunkLines
  const chunks = Math.ceil(lines.length / size)
  const statement_id = yield* ids.make(StatementKind.prefix)
  const started = (effect: ReturnType<typeof begin>) => Effect.provideService(effect, Ids, ids)
  const { changes, row } = yield* started(
    begin(StatementKind, toPlatformCall(statement_id), { ...data, external_account_id, chunks }, at)
  )
  const made: Array<ChangeSet> = [changes]
  for (let number = 0; number < chunks; number++) {
    const chunk: StatementChunkData = {
      statement_id,
      external_account_id,
      lines: lines.slice(number * size, (number + 1) * size)
    }
    const begun = yield* started(begin(StatementChunkKind, toPlatformCall(chunkId(statement_id, number)), chunk, at))
    made.push(begun.changes, makeDueTimer(begun.row, expandTimer, at + EXPAND_MS))
  }
  return { changes: made, row: row as Row<StatementData> }
})

/** The changes that store the statements of a page, their rows, and what the account holds after it. */
const storeStatements = Effect.fnUntraced(function* (
  deps: Deps,
  { data, id }: AccountRow,
  page: StatementPage,
  before: FeedHolding,
  at: number
) {
  const read = readLines(data, page.lines, at)
  const readable = splitReadable(page, at)
  const known = yield* findKnownLines(deps, id, read.lines)
  const { statements, ...holding } = splitStatements(data, read, readable.page, before, known)
  const stored = yield* Effect.forEach(statements, (one) => storeStatement(deps, id, one, at))
  const faults = [
    ...readable.faults,
    ...read.refused.map(({ fault, line }) => ({ content: line, fault: `line ${line.id}: ${fault}` }))
  ]
  const changes = stored.flatMap(({ changes }) => changes)
  return { faults, holding, changes, statements: stored.map(({ row }) => row) }
})

/** Makes the lines of statements that were read, and matches them. What is not done here is done by the clock. */
const useStatements = Effect.fnUntraced(function* (
  { chunks, reconciliations }: Deps,
  statements: ReadonlyArray<Row<StatementData>>
): Effect.fn.Return<void, Unavailable> {
  yield* chunks.expandStatements(statements)
  yield* reconciliations.taken(
    statements.map(({ data: { external_account_id, lines }, id }) => ({ id, external_account_id, lines }))
  )
})

/** Records what a page has that is no line, each as an exception that names it (INGEST-8). */
const recordUnreadable = Effect.fnUntraced(function* (
  { inbox }: Deps,
  provider: string,
  { unreadable = [] }: StatementPage,
  faults: ReadonlyArray<{ readonly content: object; readonly fault: string }>
) {
  const about = [...unreadable.map((content) => ({ content, fault: "it is no line of a statement" })), ...faults]
  for (const { content, fault } of about)
    yield* inbox.receive(provider, { _tag: "unreadable", content, fault: `The statement of ${provider}: ${fault}.` })
})

const leaseOf = (job: Job) => ({ lease: { job: job.id, token: job.lease ?? "" } })

/** A page, or why there is none. */
const fetchPage = (provider: Provider["Service"], cursor: string | null) =>
  Effect.match(Effect.timeoutOption(provider.statements!.lines(cursor), providerTimeoutMs), {
    onFailure: ({ message }) => message.slice(0, 200),
    onSuccess: (page) => (page._tag === "None" ? `no answer within ${providerTimeoutMs} ms` : page.value)
  })

/**
 * Reads a page after the cursor. What cannot be read, or recorded, now is read again: the cursor stays. An account that is closed, or
 * whose lines are another's, is looked at again later.
 */
const readPage = Effect.fnUntraced(function* (deps: Deps, job: Job, provider: Provider["Service"]) {
  const { storage, unitOfWork } = deps
  const body = job.body as unknown as StatementJobBody
  const { operation, provider: name, external_account_id } = body
  const waiting = { operation, provider: name, external_account_id }
  const interval = yield* StatementInterval
  const [found] = yield* storage.get([{ ...toPlatformCall(body.external_account_id), kind: ExternalAccountKind.kind }])
  const account = found as AccountRow | undefined
  const ended = (
    next: { readonly body: StatementJobBody; readonly after_ms: number; readonly log?: Job["log"] } | undefined
  ) =>
    unitOfWork.apply(job.merchant_id, leaseOf(job), function* () {
      const jobs =
        next === undefined
          ? []
          : [yield* makeNextReading(deps, { ...job, log: next.log ?? job.log }, next.body, next.after_ms)]
      return { changes: [{ jobs }], result: undefined }
    })
  // A closed account gets another job when it is opened again, and one whose provider reports none when a node starts with one that does.
  if (account === undefined || account.state === "closed" || provider.statements === undefined)
    return yield* ended(undefined)
  // Another account reads on: where this one was is no place to go on from.
  if (!(yield* isRead(deps, account)))
    return yield* ended({ body: { ...waiting, cursor: null, failing_since: null }, after_ms: interval })
  const position =
    body.cursor === null ? yield* findFeedPosition(storage, yield* readMirrors(deps, account.data)) : body
  const at = yield* Clock.currentTimeMillis
  const failed = (answer: string) =>
    ended({
      body: { ...body, failing_since: body.failing_since ?? at },
      after_ms: interval,
      log: addLogEntry(job, { at, answer })
    })
  const page = yield* fetchPage(provider, position.cursor)
  if (typeof page === "string") return yield* failed(page)
  const cursor = page.cursor ?? position.cursor
  const { changes, faults, holding, statements } = yield* storeStatements(
    deps,
    account,
    { ...page, cursor },
    position,
    at
  )
  const recorded = yield* Effect.result(recordUnreadable(deps, provider.name, page, faults))
  if (recorded._tag === "Failure") return yield* failed(recorded.failure.message.slice(0, 200))
  const hasMoved = cursor !== position.cursor
  const empty = page.lines.length > 0 ? 0 : (body.empty ?? 0) + 1
  const isMore = hasMoved && page.closing === undefined && empty < emptyMax
  const next = {
    ...body,
    cursor,
    ...holding,
    failing_since: null,
    empty: isMore ? empty : 0
  } satisfies StatementJobBody
  const written = yield* unitOfWork.apply(job.merchant_id, leaseOf(job), function* () {
    const roster = statements.length === 0 ? [] : [yield* stepRoster(deps, account.id, () => ({}), at)]
    // The first file of the account may have come since the page was asked for: then its lines are those of the files.
    const isTaken = statements.length === 0 || (yield* isRead(deps, account))
    const jobs = isTaken
      ? [yield* makeNextReading(deps, { ...job, log: [] }, next, isMore ? 0 : interval)]
      : [yield* makeNextReading(deps, job, body, interval)]
    return { changes: isTaken ? [...roster, ...changes, { jobs }] : [{ jobs }], result: isTaken }
  })
  if (written._tag === "applied" && written.result) yield* useStatements(deps, statements)
})

/** Writes the job of each active account that has none, if its provider reports statements now. */
const arm = Effect.fnUntraced(function* ({ storage, unitOfWork }: Deps, providers: ReadonlyArray<Provider["Service"]>) {
  const reporting = new Set(providers.flatMap(({ name, statements }) => (statements === undefined ? [] : [name])))
  if (reporting.size === 0) return
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [ExternalAccountKind.kind], index_keys: ["status=active"] }
  for (const row of (yield* readAllRows(storage, query, () => true)) as ReadonlyArray<AccountRow>) {
    if (!reporting.has(row.data.provider)) continue
    if ((yield* storage.job(PLATFORM_MERCHANT, toStatementJobId(row.id))) !== undefined) continue
    yield* unitOfWork.apply(
      PLATFORM_MERCHANT,
      { deduplicationKey: `read/${row.id}/${row.version}`, deduplication_ms: keyLifetime },
      Effect.map(Clock.currentTimeMillis, (at) => ({
        changes: [{ jobs: [makeFirstReading(row, at)] }],
        result: undefined
      }))
    )
  }
})

export const makeStatementReading = Effect.map(makeDeps, (deps) => ({
  arm: (providers: ReadonlyArray<Provider["Service"]>) => arm(deps, providers),
  read: (job: Job, provider: Provider["Service"]) => readPage(deps, job, provider)
}))
