/** Bank statements: what is taken of a file, and how it is found (INGEST-1 to INGEST-6). */
import { Clock, Context, Effect, Layer, Schema, Semaphore } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import {
  expandTimer,
  type StatementChunkData,
  type StatementData,
  type StatementFileData,
  statementSources
} from "../../../machines/reconciliation/statement.ts"
import type { CsvMapping } from "../../../statements/csv/mapping.ts"
import { type AccountIdentifier, statementFormats, UnreadableStatement } from "../../../statements/statement.ts"
import { readAllRows, findOfAnyMerchant, listBodies } from "../../calls/reads.ts"
import type { Call } from "../../commit/call.ts"
import { type ChangeSet, type KeyScope, requireVersion, takeUniqueKey } from "../../commit/changeset.ts"
import { Kinds } from "../../commit/kind.ts"
import { begin, makeDueTimer } from "../../commit/steps.ts"
import { makeHash, sha256 } from "../../crypto/secrets.ts"
import { inCurrency, ofExternalAccount, makeWordFilter } from "../../input/members.ts"
import { CalendarDate, describe, Id, listing, note, Optional } from "../../input/schemas.ts"
import {
  BadRequest,
  makeFieldRefusal,
  type InvalidInput,
  type InvalidStatus,
  invalid,
  type NotFound,
  type StorageFault
} from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row } from "../../ports/Storage.ts"
import { type BankStatementBody, bankStatementBody } from "../../representations/reconciliation/statement.ts"
import { keyLifetime } from "../../settings/retention.ts"
import { checkActive, ExternalAccountKind } from "./external-account.ts"
import { compareWith } from "./file-comparison.ts"
import { StatementChunks } from "./line-joining.ts"
import { makeRosterDeps, type RosterDeps, stepRoster } from "./statement-roster.ts"
import { chunkId, StatementChunkKind, StatementFileKind, StatementKind } from "./statement-kinds.ts"
import { splitChunks, type PlannedStatement, planStatements, toFileRefusal } from "./statement-plan.ts"
import { isReadOwn } from "./provider-statement.ts"
import { StatementMappingKind } from "./statement-mapping.ts"
import { runInSteps, StatementFileReader } from "./statement-reader.ts"

/** The most bytes of a file. */
export const FILE_MAX = 64 * 1024 * 1024

export const TakeStatements = Schema.Struct({
  file: describe(Schema.Uint8Array, "The file, as the bank made it: at most 64 MiB."),
  format: Optional(
    Schema.Literals(statementFormats),
    "The format, where it cannot be recognised. `csv` needs `mapping`."
  ),
  external_account_id: Optional(
    Id("xac"),
    "The external account, for a file that names none. A file that names another is refused."
  ),
  mapping: Optional(Id("stp"), "The statement mapping by which a CSV file is read."),
  note
}).annotate({ identifier: "TakeStatements" })
export type TakeStatements = typeof TakeStatements.Type

export const ListStatements = Schema.Struct({
  external_account_id: ofExternalAccount,
  format: makeWordFilter(statementSources, "format"),
  currency: inCurrency,
  number: Optional(Schema.String, "Only those with this number.", "5"),
  from: Optional(CalendarDate, "Only those that begin on this day.", "2026-01-05"),
  to: Optional(CalendarDate, "Only those that end on this day.", "2026-01-05"),
  ...listing
})
export type ListStatements = typeof ListStatements.Type

const makeDeps = Effect.gen(function* () {
  const rosterDeps = yield* makeRosterDeps
  return {
    ...rosterDeps,
    kinds: yield* Kinds,
    chunks: yield* StatementChunks,
    /** One file is read at a time, so that the memory of a process is bounded however many arrive. */
    reading: yield* Semaphore.make(1),
    list: listBodies(rosterDeps.storage, StatementKind, ListStatements, bankStatementBody)
  }
})
type Deps = Effect.Success<typeof makeDeps>

const toPlatformCall = (id: string) => ({ merchant_id: PLATFORM_MERCHANT, id })

/** A file that was taken has its digest alone. Of two that take it at once, one finds what the other wrote. */
const fileScope: KeyScope = { name: "statement_file", taken: "decide_again" }

type FileRow = Row<StatementFileData>

const findFile = Effect.fnUntraced(function* ({ storage }: RosterDeps, key: string) {
  const id = yield* storage.uniqueKeyOwner(PLATFORM_MERCHANT, fileScope.name, key)
  if (id === undefined) return undefined
  const [row] = yield* storage.get([{ ...toPlatformCall(id), kind: StatementFileKind.kind }])
  return row as FileRow | undefined
})

const readStatements = Effect.fnUntraced(function* ({ storage }: RosterDeps, ids: ReadonlyArray<string>) {
  const rows = yield* storage.get(ids.map((id) => ({ ...toPlatformCall(id), kind: StatementKind.kind })))
  return rows as ReadonlyArray<Row<StatementData>>
})

/** The digests of a file: of its bytes, where they say all of it, and with the account and the mapping where they do not. */
const computeDigests = Effect.fnUntraced(function* ({ external_account_id, file, mapping }: TakeStatements) {
  const bytes = yield* sha256(file)
  return { bytes, withOptions: yield* sha256(`${bytes} ${mapping ?? external_account_id ?? ""}`) }
})
type Digests = Effect.Success<ReturnType<typeof computeDigests>>

type Planned = ReadonlyArray<Pick<PlannedStatement, "account" | "read">>

/** Whether a file was taken for these accounts, or for the one that is named, if any is. */
const isTakenFor = Effect.fnUntraced(function* (deps: RosterDeps, file: FileRow, accounts: ReadonlyArray<string>) {
  const statements = accounts.length === 0 ? [] : yield* readStatements(deps, file.data.ids)
  return statements.every(({ data }) => accounts.includes(data.external_account_id))
})

/**
 * The digest of a file for the accounts of its statements: that of its bytes alone, unless these bytes were taken before for other
 * accounts, which had its numbers then.
 */
const digestFor = Effect.fnUntraced(function* (deps: RosterDeps, { bytes, withOptions }: Digests, plan: Planned) {
  if (!plan.every(({ read }) => read.account.identifiers.length > 0 && read.format !== "csv")) return withOptions
  const accounts = [...new Set(plan.map(({ account }) => account.id))].sort()
  const before = yield* findFile(deps, bytes)
  if (before === undefined || (yield* isTakenFor(deps, before, accounts))) return bytes
  return yield* sha256(`${bytes} ${accounts.join()}`)
})

/** The file that was taken with these bytes. Not one of another account than the one that is named now. */
const findTakenFile = Effect.fnUntraced(function* (
  deps: Deps,
  { bytes, withOptions }: Digests,
  { external_account_id }: TakeStatements
) {
  for (const digest of [withOptions, bytes]) {
    const file = yield* findFile(deps, digest)
    if (file === undefined) continue
    if (yield* isTakenFor(deps, file, external_account_id === undefined ? [] : [external_account_id])) return file
  }
  return undefined
})

/** The mapping of a CSV file. Errors: `InvalidInput` for one of another account or format, and without one; `NotFound`. */
const readMapping = Effect.fnUntraced(function* (
  { storage }: Deps,
  { external_account_id, format, mapping }: TakeStatements
) {
  if (mapping === undefined)
    return format === "csv"
      ? yield* invalid("mapping", "mapping is missing; a CSV file is read by a statement mapping.")
      : undefined
  if (format !== undefined && format !== "csv")
    return yield* invalid(
      "mapping",
      `mapping is given with the format ${format}; only a CSV file is read by a mapping.`
    )
  const { data } = yield* findOfAnyMerchant(storage, StatementMappingKind, mapping)
  return external_account_id === undefined || external_account_id === data.external_account_id
    ? data
    : yield* invalid(
        "external_account_id",
        `external_account_id is ${external_account_id}, but ${mapping} reads the files of ${data.external_account_id}.`
      )
})

/** How a bank names an account. */
export const listIdentifiers = ({ data }: Row<ExternalAccountData>): ReadonlyArray<AccountIdentifier> =>
  data.identifiers.map(({ scheme, value }) => ({ scheme: scheme === "address" ? "account_number" : scheme, value }))

/**
 * Reads and plans a file. Errors: `InvalidInput` with the place; `NotFound` for the account or the mapping; `InvalidStatus` for an account
 * that is closed.
 */
const planFile = Effect.fnUntraced(function* (
  deps: Deps,
  input: TakeStatements
): Effect.fn.Return<ReadonlyArray<PlannedStatement>, InvalidInput | InvalidStatus | NotFound | StorageFault> {
  const { storage } = deps
  const { file, format } = input
  const mapping = yield* readMapping(deps, input)
  const external_account_id = mapping?.external_account_id ?? input.external_account_id
  const given =
    external_account_id === undefined
      ? undefined
      : yield* findOfAnyMerchant(storage, ExternalAccountKind, external_account_id)
  if (given !== undefined) yield* checkActive(given)
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [ExternalAccountKind.kind], index_keys: ["status=active"] }
  const accounts = (yield* readAllRows(storage, query, () => true)) as ReadonlyArray<Row<ExternalAccountData>>
  const read = yield* StatementFileReader
  const options = {
    ...(format === undefined ? {} : { format }),
    ...(mapping === undefined || given === undefined
      ? {}
      : {
          csv: {
            mapping: mapping.csv as CsvMapping,
            account: { identifiers: listIdentifiers(given), currency: given.data.currency }
          }
        })
  }
  return yield* Effect.mapError(
    Effect.flatMap(read(file, options), (statements) => planStatements(statements, accounts, given)),
    toFileRefusal
  )
})

/** A statement that is being taken, with the id that it will have. */
interface Taking extends PlannedStatement {
  readonly id: string
}

/** Chunks that are written with the statements. With more, all are stored before, in writes of their own. */
const TOGETHER_MAX = 4

const chunkRows = function* (taking: ReadonlyArray<Taking>): Generator<{ id: string; data: StatementChunkData }> {
  for (const one of taking) {
    let number = 0
    for (const lines of splitChunks(one))
      yield {
        id: chunkId(one.id, number++),
        data: { statement_id: one.id, external_account_id: one.account.id, lines }
      }
  }
}

/** Finds the statement ids of an earlier attempt to take this file that was cut off, if that planned the same statements. */
const findCutOffAttempt = Effect.fnUntraced(function* (
  deps: Deps,
  plan: ReadonlyArray<PlannedStatement>,
  digest: string
) {
  const { ids, unitOfWork } = deps
  const texts = function* (): Generator<void, string> {
    const hash = makeHash()
    for (const { data, ...one } of plan) {
      hash.add(JSON.stringify(data))
      for (const lines of splitChunks(one)) yield hash.add(JSON.stringify(lines))
    }
    return hash.end()
  }
  const key = `${digest} ${yield* Effect.orDie(runInSteps(texts))}`
  const made = yield* Effect.forEach(plan, () => ids.make(StatementKind.prefix))
  const data: StatementFileData = { digest, ids: made, taken: false }
  yield* unitOfWork.apply(
    PLATFORM_MERCHANT,
    { deduplicationKey: `file/${made[0]}`, deduplication_ms: keyLifetime },
    Effect.gen(function* () {
      if ((yield* findFile(deps, key)) !== undefined) return { changes: [], result: undefined }
      const at = yield* Clock.currentTimeMillis
      const { changes, row } = yield* begin(StatementFileKind, toPlatformCall(made[0]!), data, at)
      return { changes: [changes, takeUniqueKey(fileScope, key, row.id)], result: undefined }
    }).pipe(Effect.provideService(Ids, ids))
  )
  return yield* findFile(deps, key)
})

/** Stores the chunks of a file, each in its own write. Chunks that a cut-off attempt has stored are kept. */
const store = Effect.fnUntraced(function* ({ ids, storage, unitOfWork }: Deps, taking: ReadonlyArray<Taking>) {
  for (const { data, id } of chunkRows(taking)) {
    const [there] = yield* storage.get([{ ...toPlatformCall(id), kind: StatementChunkKind.kind }])
    if (there !== undefined) continue
    yield* unitOfWork.apply(
      PLATFORM_MERCHANT,
      { deduplicationKey: `store/${id}`, deduplication_ms: keyLifetime },
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        return {
          changes: [(yield* begin(StatementChunkKind, toPlatformCall(id), data, at)).changes],
          result: undefined
        }
      }).pipe(Effect.provideService(Ids, ids))
    )
  }
})

/** How long after its file was taken a chunk becomes lines by itself, unless the caller has made them. */
const EXPAND_MS = 60_000

/** Errors: `InvalidInput` for an account whose lines are read from its provider. */
const checkNotRead = Effect.fnUntraced(function* (
  { storage }: Deps,
  plan: ReadonlyArray<Pick<PlannedStatement, "account">>
): Effect.fn.Return<void, InvalidInput | StorageFault> {
  for (const [at, { account }] of plan.entries())
    if ((yield* isReadOwn(storage, account.id)) === true)
      return yield* toFileRefusal(
        new UnreadableStatement(
          `statement ${at + 1}`,
          `${account.id}, whose lines are read from its provider`,
          "an external account whose provider reports no statement: the lines of the file would be there twice"
        )
      )
})

/**
 * Takes a file: the one commit after which its statements are there, and its lines become so by themselves. `stored`: the row of a file
 * whose chunks are stored already.
 */
const accept = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  taking: ReadonlyArray<Taking>,
  digests: Digests,
  stored: FileRow | undefined,
  isLong: boolean
) {
  const { unitOfWork } = deps
  const first = taking[0]!.id
  return yield* unitOfWork.write({ ...call, merchant_id: PLATFORM_MERCHANT }, function* () {
    // Another may have taken the bytes since, for these accounts or for others.
    const digest = yield* digestFor(deps, digests, taking)
    const before = yield* findFile(deps, digest)
    if (before !== undefined) {
      call.existing?.()
      return { changes: [], result: (yield* readStatements(deps, before.data.ids)).map(bankStatementBody) }
    }
    const at = yield* Clock.currentTimeMillis
    const changes: Array<ChangeSet> = [takeUniqueKey(fileScope, digest, first)]
    // Of a file and of a provider's first page that come at once, one is taken.
    for (const [id, own] of Map.groupBy(taking, ({ account }) => account.id)) {
      changes.push(yield* stepRoster(deps, id, ({ statements = 0 }) => ({ statements: statements + own.length }), at))
      const account = yield* unitOfWork.load(ExternalAccountKind, PLATFORM_MERCHANT, id)
      yield* checkActive(account)
      changes.push(requireVersion(account, account))
    }
    yield* checkNotRead(deps, taking)
    const made = yield* Effect.forEach(taking, ({ data, id }) => begin(StatementKind, toPlatformCall(id), data, at))
    changes.push(...made.map(({ changes }) => changes))
    const data: StatementFileData = { digest, ids: taking.map(({ id }) => id), taken: true }
    const file =
      stored === undefined
        ? yield* begin(StatementFileKind, toPlatformCall(first), data, at)
        : yield* unitOfWork.stepOrDie(StatementFileKind, stored, { type: "update", patch: { taken: true, digest } }, at)
    changes.push(file.changes)
    if (!isLong)
      for (const { data, id } of chunkRows(taking))
        changes.push((yield* begin(StatementChunkKind, toPlatformCall(id), data, at)).changes)
    for (const { data, id } of taking)
      for (let number = 0; number < data.chunks; number++) {
        const chunk = { ...toPlatformCall(chunkId(id, number)), kind: StatementChunkKind.kind } as Row
        changes.push(makeDueTimer(chunk, expandTimer, at + EXPAND_MS))
      }
    return { changes, result: made.map(({ row }) => bankStatementBody(row)), audited: made[0]!.row }
  })
})

/** Makes the lines of taken statements, and returns the statements. Lines that exist are kept. */
const expandAll = Effect.fnUntraced(function* (deps: Deps, ids: ReadonlyArray<string>) {
  yield* deps.chunks.expandStatements(yield* readStatements(deps, ids))
  return (yield* readStatements(deps, ids)).map(bankStatementBody)
})

const takeNew = Effect.fnUntraced(function* (deps: Deps, call: Call, input: TakeStatements, digests: Digests) {
  const plan = yield* planFile(deps, input)
  yield* checkNotRead(deps, plan)
  const isLong = plan.reduce((sum, { data }) => sum + data.chunks, 0) > TOGETHER_MAX
  const stored = isLong ? yield* findCutOffAttempt(deps, plan, yield* digestFor(deps, digests, plan)) : undefined
  const ids = stored?.data.ids ?? (yield* Effect.forEach(plan, () => deps.ids.make(StatementKind.prefix)))
  const taking = plan.map((one, at) => ({ ...one, id: ids[at]! }))
  if (stored !== undefined) yield* store(deps, taking)
  const bodies = yield* accept(deps, call, taking, digests, stored, isLong)
  // In a dry run too: what its lines are, and what they have in common with others, is read from what it would have written.
  return yield* expandAll(
    deps,
    bodies.map(({ id }) => id)
  )
})

/**
 * Takes a file whole, or refuses it whole. The same bytes again return the same statements.
 *
 * Errors: `BadRequest` for an empty file; `InvalidInput` with the place, what was found and what is taken; `NotFound` for the account.
 * Law: after a crash at any moment, nothing of a file is to be seen, or all of it is or becomes so by itself; a repeat continues.
 */
const takeStatements = Effect.fnUntraced(function* (deps: Deps, call: Call, input: TakeStatements) {
  if (input.file.length === 0)
    return yield* new BadRequest(
      makeFieldRefusal("file", "required", "The file is empty; it takes a file of bank statements.")
    )
  const digests = yield* computeDigests(input)
  const before = yield* findTakenFile(deps, digests, input)
  if (before === undefined) return yield* deps.reading.withPermits(1)(takeNew(deps, call, input, digests))
  call.existing?.()
  return yield* expandAll(deps, before.data.ids)
})

/** Compares a file with the books, and writes nothing. Errors: those of reading it. */
const compareFileWithBooks = Effect.fnUntraced(function* (deps: Deps, input: TakeStatements) {
  const before = yield* findTakenFile(deps, yield* computeDigests(input), input)
  return yield* compareWith(deps, yield* planFile(deps, input), before?.data.taken === true)
})

const get = ({ storage }: Deps, id: string): Effect.Effect<BankStatementBody, NotFound | StorageFault> =>
  Effect.map(findOfAnyMerchant(storage, StatementKind, id), bankStatementBody)

const list = ({ list }: Deps, input: ListStatements) => list(PLATFORM_MERCHANT, input)

export class BankStatements extends Context.Service<BankStatements>()("corridor/engine/BankStatements", {
  make: Effect.map(makeDeps, (deps) =>
    bindFirst(deps, { compare: compareFileWithBooks, get, list, take: takeStatements })
  )
}) {
  static readonly layer = Layer.effect(this, this.make)
}
