/** The close of a day, its seal, and the day's reconciliation (CLOSE-1 to CLOSE-4). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { Update } from "../../../machines/kernel/lifecycle.ts"
import { type ClosingData, ClosingLifecycle } from "../../../machines/reconciliation/closing.ts"
import type { StatementRosterData } from "../../../machines/reconciliation/statement.ts"
import { type Listed, slicePage, type Versioned } from "../../calls/list.ts"
import { readAllRows, findOfAnyMerchant, listBodies } from "../../calls/reads.ts"
import type { Call } from "../../commit/call.ts"
import { takeUniqueKey } from "../../commit/changeset.ts"
import { normalizeDecimal } from "../../commit/index-keys.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import { makeHash } from "../../crypto/secrets.ts"
import { makeIdFilter, inCurrency, ofExternalAccount } from "../../input/members.ts"
import {
  BooleanParam,
  CalendarDate,
  describe,
  Id,
  listing,
  Optional,
  paging,
  SignedAmount,
  Text
} from "../../input/schemas.ts"
import { invalid, InvalidStatus, type NotFound, type StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row } from "../../ports/Storage.ts"
import { isoOrNull } from "../../ports/Time.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  type ClosingBody,
  closingBody,
  type ReconciledAccountBody
} from "../../representations/reconciliation/closing.ts"
import {
  type AccountRow,
  type LineRow,
  readLinesOn,
  sumDayLines,
  findOpening,
  readStatedBalances
} from "./account-days.ts"
import { toDay } from "./books.ts"
import { ExternalAccountKind } from "./external-account.ts"
import { makeRosterDeps, findLastSealedDay, stepRoster } from "./statement-roster.ts"
import { readAccountStatements } from "./account-statements.ts"
import { findUnread } from "./line-joining.ts"
import { readBooks } from "./matched-account.ts"
import { computePosition } from "./position.ts"
import { findOldestBreak, listCountedParts, readOpenDifferences, findUnexplained } from "./unexplained.ts"
import { closingKind, makeSealKey, sealedScope } from "./statement-kinds.ts"
import { addLocks } from "./books-lock.ts"

export const ClosingKind: ResourceKind<ClosingData, Update<ClosingData>> = {
  kind: closingKind,
  prefix: "cls",
  lifecycle: ClosingLifecycle,
  indexKeys: ({ date, external_account_id }) => [`external_account_id=${external_account_id}`, `date=${date}`],
  auditView: ({ data: { accepted, closing, currency, date, external_account_id, unexplained } }) => ({
    external_account_id,
    date,
    closing: displayAmount(closing, currency),
    unexplained: displayAmount(unexplained, currency),
    currency,
    accepted
  })
}

const dateIn = describe(CalendarDate, "The day, in the time zone of the account.", "2026-01-05")

export const CreateClosing = Schema.Struct({
  external_account_id: describe(Id("xac"), "The external account."),
  date: dateIn,
  accept: Optional(
    Schema.Boolean,
    "Whether to seal the day although `unexplained` is not zero. It requires a note.",
    false
  ),
  unexplained: Optional(
    SignedAmount,
    "The `unexplained` of the day that you have seen. If it is another by now, the response is `invalid_status`, and nothing is sealed.",
    "-1.00"
  ),
  note: Optional(Text(500), "Why. The close and the audit log show it.", "The bank mends its fee tomorrow")
}).annotate({ identifier: "CreateClosing" })
export type CreateClosing = typeof CreateClosing.Type

export const ListClosings = Schema.Struct({
  external_account_id: ofExternalAccount,
  date: Optional(CalendarDate, "Only those of this day.", "2026-01-05"),
  currency: inCurrency,
  accepted: Optional(BooleanParam, "Only those that were sealed with something unexplained, or only the others.", true),
  sealed_by: Optional(Schema.String, "Only those that this operator sealed, by name.", "Ada Obi"),
  ...listing
})
export type ListClosings = typeof ListClosings.Type

export const ListReconciliation = Schema.Struct({
  external_account_id: makeIdFilter("xac", "Only this external account."),
  provider: Optional(Schema.String, "Only the accounts of this provider.", "simulated"),
  currency: inCurrency,
  date: Optional(CalendarDate, "The day, in the time zone of each account. Default: today.", "2026-01-05"),
  sealed: Optional(BooleanParam, "Only the accounts whose day is sealed, or only the others.", false),
  ...paging
})
export type ListReconciliation = typeof ListReconciliation.Type

const makeDeps = Effect.gen(function* () {
  const rosterDeps = yield* makeRosterDeps
  return {
    ...rosterDeps,
    list: listBodies(rosterDeps.storage, ClosingKind, ListClosings, closingBody, ["accepted", "currency", "sealed_by"])
  }
})
type Deps = Effect.Success<typeof makeDeps>

const computeSeal = (lines: ReadonlyArray<LineRow>): string => {
  const hash = makeHash()
  const inOrder = lines.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  for (const [at, { data, id }] of inOrder.entries())
    hash.add(`${at === 0 ? "" : "\n"}${id} ${data.direction} ${data.amount}`)
  return hash.end()
}

/** The figures of a day from the lines, statements and breaks of now. */
const computeFigures = Effect.fnUntraced(function* ({ storage }: Deps, account: AccountRow, date: string) {
  const lines = yield* readLinesOn(storage, account.id, date)
  const opening = yield* findOpening(storage, account, date, lines, yield* listCountedParts(storage, account))
  const booked = sumDayLines(lines)
  const closing = opening + booked
  const stated = (yield* readStatedBalances(storage, account)).balances.find((one) => one.date === date)
  const { outstanding, own } = yield* computePosition(storage, account, date)
  const { counts, isOpen, open, unexplained } = yield* readOpenDifferences(
    storage,
    account,
    date,
    own.get(account.id)!.lines
  )
  const figures = {
    opening: opening.toString(),
    booked: booked.toString(),
    closing: closing.toString(),
    statement_closing: stated?.amount.toString() ?? null,
    outstanding: outstanding.toString(),
    explained: sumDayLines(lines.filter(({ status }) => status === "explained")).toString(),
    unexplained: unexplained.toString(),
    lines: lines.length,
    seal: computeSeal(lines),
    open,
    counts
  }
  return { figures, isOpen }
})

const findSeal = Effect.fnUntraced(function* ({ storage }: Deps, external_account_id: string, date: string) {
  const key = makeSealKey(external_account_id, date)
  const id = yield* storage.uniqueKeyOwner(PLATFORM_MERCHANT, sealedScope.name, key)
  if (id === undefined) return undefined
  const [row] = yield* storage.get([{ merchant_id: PLATFORM_MERCHANT, kind: closingKind, id }])
  return row as Row<ClosingData> | undefined
})

/** Errors: `InvalidStatus` while lines of statements of the day, or of open days before it, are still to be made. */
const requireRead = Effect.fnUntraced(function* (deps: Deps, account_id: string, date: string, sealed: string) {
  const all = yield* readAccountStatements(deps.storage, account_id)
  const [unread] = yield* findUnread(deps, all, ({ first, last }) => first <= date && last > sealed)
  if (unread !== undefined)
    return yield* new InvalidStatus({
      message: `Statement ${unread.id} is still being read. Close ${date} once its lines are there.`
    })
})

/** Errors: `InvalidInput` for a day before the account's first or after today. */
const requireDay = ({ data: { opening, time_zone } }: AccountRow, date: string, at: number) => {
  const today = toDay(time_zone, at)
  return date >= opening.date && date <= today
    ? Effect.void
    : Effect.fail(
        invalid(
          "date",
          `date is ${date}. It takes a day from ${opening.date}, the first of the account, to today, ${today} in ${time_zone}.`
        )
      )
}

/**
 * Seals a day. A day that is sealed returns its seal.
 *
 * Errors: `NotFound`; `InvalidInput` for a day before the account's first or after today, and for `accept` without a note;
 * `InvalidStatus` when a difference of the day is open and `accept` is not `true`, when another `unexplained` was seen, and while a statement of it is being read.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateClosing) {
  const { ids, storage, unitOfWork } = deps
  const { accept = false, date, external_account_id, note, unexplained: seen } = input
  if (accept && note === undefined)
    return yield* invalid("note", "note is missing; a day that is accepted with something unexplained requires one.")
  yield* findOfAnyMerchant(storage, ExternalAccountKind, external_account_id)
  const id = yield* ids.make(ClosingKind.prefix)
  return yield* unitOfWork.write({ ...call, merchant_id: PLATFORM_MERCHANT }, function* () {
    // The account may begin later by now, or be in another time zone: a seal stays.
    const before = yield* findSeal(deps, external_account_id, date)
    if (before !== undefined) {
      call.existing?.()
      return { changes: [], result: closingBody(before) }
    }
    const at = yield* Clock.currentTimeMillis
    // Whatever takes from a line what accounts for it, or opens a break, steps the books: before this seal, or after it.
    const books = yield* readBooks(deps, external_account_id)
    const sealed = yield* findLastSealedDay(deps, external_account_id)
    const last = sealed ?? date
    const sealed_until = last > date ? last : date
    const counted = ({ closings }: StatementRosterData) => ({ closings: closings + 1, sealed_until })
    const roster = yield* stepRoster(deps, external_account_id, counted, at)
    // A change of its opening or its time zone is before this seal, or after it: it writes the same row.
    const account: AccountRow = yield* findOfAnyMerchant(storage, ExternalAccountKind, external_account_id)
    yield* requireDay(account, date, at)
    yield* requireRead(deps, external_account_id, date, sealed ?? "")
    const { figures, isOpen } = yield* computeFigures(deps, account, date)
    const { currency } = account.data
    const now = displayAmount(figures.unexplained, currency)
    if (seen !== undefined && normalizeDecimal(seen) !== normalizeDecimal(now))
      return yield* new InvalidStatus({
        message: `${date} has ${now} ${currency} unexplained by now, and unexplained is ${seen}: look at the day again.`
      })
    if (isOpen && !accept)
      return yield* new InvalidStatus({
        message: `${date} has open breaks: ${now} ${currency} is unexplained. Resolve them, or seal the day with accept and a note.`
      })
    const data: ClosingData = {
      external_account_id,
      date,
      currency,
      ...figures,
      accepted: isOpen,
      note: note ?? null,
      sealed_by: call.operator?.name ?? "application"
    }
    const made = yield* begin(ClosingKind, { merchant_id: PLATFORM_MERCHANT, id }, data, at)
    const key = takeUniqueKey(sealedScope, makeSealKey(external_account_id, date), id)
    const changes = yield* addLocks([roster, made.changes, key], [books], at)
    return { changes, result: closingBody(made.row), audited: made.row }
  })
})

const get = ({ storage }: Deps, id: string): Effect.Effect<Versioned<ClosingBody>, NotFound | StorageFault> =>
  Effect.map(findOfAnyMerchant(storage, ClosingKind, id), (row) => ({
    body: closingBody(row),
    version: String(row.version)
  }))

const list = ({ list }: Deps, input: ListClosings) => list(PLATFORM_MERCHANT, input)

type Position = Effect.Success<ReturnType<typeof computePosition>>

/** `positions`: those of the page, each of which reads all accounts of its provider and currency. */
const reconcileAccount = Effect.fnUntraced(function* (
  deps: Deps,
  account: AccountRow,
  date: string,
  positions: Map<string, Position>
): Effect.fn.Return<ReconciledAccountBody, StorageFault> {
  const { storage } = deps
  const { currency, provider, time_zone } = account.data
  const key = [provider, currency, time_zone, date].join(" ")
  const position = positions.get(key) ?? (yield* computePosition(storage, account, date))
  positions.set(key, position)
  const { difference, ledger, outstanding, own } = position
  const { balance, last, lines } = own.get(account.id)!
  const seal = yield* findSeal(deps, account.id, date)
  // A sealed day never changes: what is found of it later counts on the first open day.
  const unexplained =
    seal === undefined ? yield* findUnexplained(storage, account, date, lines) : BigInt(seal.data.unexplained)
  const shown = (amount: bigint): string => displayAmount(amount.toString(), currency)
  return {
    external_account_id: account.id,
    provider,
    currency,
    date,
    ledger: shown(ledger),
    statement: shown(balance),
    difference: shown(difference),
    outstanding: shown(outstanding),
    unexplained: shown(unexplained),
    oldest_break: isoOrNull(yield* findOldestBreak(storage, account.id)),
    last_statement: last,
    sealed: seal !== undefined
  }
})

/** One row for each active account, on a day. */
const listReconciliation = Effect.fnUntraced(function* (
  deps: Deps,
  { date, external_account_id: wanted, sealed, ...input }: ListReconciliation
): Effect.fn.Return<Listed<ReconciledAccountBody>, StorageFault> {
  const now = yield* Clock.currentTimeMillis
  const index_keys = [
    "status=active",
    ...(["currency", "provider"] as const).flatMap((name) =>
      input[name] === undefined ? [] : [`${name}=${input[name]}`]
    )
  ]
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [ExternalAccountKind.kind], index_keys }
  const accounts = (yield* readAllRows(
    deps.storage,
    query,
    ({ id }) => wanted === undefined || id === wanted
  )) as ReadonlyArray<AccountRow>
  const dayAt = ({ data }: AccountRow): string => date ?? toDay(data.time_zone, now)
  const isListed = (account: AccountRow) =>
    Effect.map(findSeal(deps, account.id, dayAt(account)), (row) => (row !== undefined) === sealed)
  const listed = slicePage(sealed === undefined ? accounts : yield* Effect.filter(accounts, isListed), input)
  const positions = new Map<string, Position>()
  const items = yield* Effect.forEach(listed.items, (account) =>
    reconcileAccount(deps, account, dayAt(account), positions)
  )
  return { ...listed, items }
})

export class Closings extends Context.Service<Closings>()("corridor/engine/Closings", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { create, get, list, reconciliation: listReconciliation }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
