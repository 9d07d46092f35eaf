/** The books of a provider and a currency against the statements of all their accounts, at the end of a day (CLOSE-4). */
import { Clock, Effect } from "effect"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import type { StatementData } from "../../../machines/reconciliation/statement.ts"
import { world } from "../../../machines/kernel/ledger.ts"
import { readAllRows } from "../../calls/reads.ts"
import { BoundedMap } from "../../ports/bounded-map.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type StoredPosting } from "../../ports/Storage.ts"
import {
  type AccountRow,
  type Beginnings,
  findBeginnings,
  findDayEnd,
  isBefore,
  type LineRow,
  sumDayLines,
  listOpenLinesUntil,
  readStatementBalance,
  type Store
} from "./account-days.ts"
import { readAccountStatements, toStatedDays } from "./account-statements.ts"
import { readMirrors } from "./external-account.ts"
import { findAccountDifferences } from "./balance-differences.ts"
import { findAccountedSteps, CROSSED_MS, readPlaces, streamPostings, stepKey, sumSteps } from "./books.ts"
import { readShares } from "./line-shares.ts"
import { isAccounted } from "./release.ts"
import { accountKey, StatementLineKind } from "./statement-line.ts"
import { listDays } from "./statement-roster.ts"

type Side = Pick<ExternalAccountData, "currency" | "provider">

/** Entries that are read at once. */
const ENTRIES = 1_000

/** The balance of `world`, credits less debits, before an instant. Postings meanwhile do not change it. */
export const readWorldBefore = Effect.fnUntraced(function* (
  storage: Store,
  { currency, provider }: Side,
  before: number
): Effect.fn.Return<bigint, StorageFault> {
  const account = world(provider)
  const places = yield* readPlaces(storage, account)
  let [balance, end] = [0n, -1]
  // Of which postings the balance is: none came while it was read.
  while (end !== places.total()) {
    end = places.total()
    const balances = yield* storage.platformBalances(["world"])
    const own = balances.filter((one) => one.account === account && one.currency === currency)
    balance = own.reduce((sum, one) => sum + BigInt(one.balance), 0n)
    yield* places.at(end, 1)
  }
  // Newest first: what was posted since is taken back.
  for (; end > 0; end -= ENTRIES) {
    const items = yield* places.at(Math.max(0, end - ENTRIES), Math.min(ENTRIES, end))
    for (const { amount, at, credit, currency: posted } of items)
      if (at >= before && posted === currency) balance += credit === account ? -BigInt(amount) : BigInt(amount)
    if (items[0]!.at < before - CROSSED_MS) break
  }
  return balance
})

/** How long before an account's first day a movement was made that the bank may book since then: payouts over long holidays. */
const UNDER_WAY_MS = 7 * 86_400_000

/** A step of the books, `resource@version`, and what it moved at `world`: credits less debits. */
type UnderWay = ReadonlyMap<string, { readonly resource_id: string; readonly moved: bigint }>

interface Moved {
  readonly moved: bigint
  readonly underWay: UnderWay
}

/** What was posted before an account begins never changes, so it is cached by store. */
const known = new WeakMap<Store, BoundedMap<string, Moved>>()

/** Sums what `world` moved before the accounts began, and how much of it may have been under way then. */
export const sumMovedBefore = Effect.fnUntraced(function* (
  storage: Store,
  { currency, provider }: Side,
  { payins, payouts }: Beginnings
): Effect.fn.Return<Moved, StorageFault> {
  const key = [provider, currency, payouts, payins].join(" ")
  const own = known.get(storage) ?? new BoundedMap<string, Moved>(1_000)
  known.set(storage, own)
  const found = own.get(key)
  if (found !== undefined) return found
  const account = world(provider)
  const begin = ({ credit }: Pick<StoredPosting, "credit">): number => (credit === account ? payouts : payins)
  const latest = Math.max(payouts, payins)
  let moved = 0n
  const late: Array<StoredPosting> = []
  yield* streamPostings({ storage }, account, 0, latest + CROSSED_MS, (postings) =>
    Effect.sync(() => {
      for (const posting of postings) {
        const until = begin(posting)
        if (posting.currency !== currency || posting.at >= until) continue
        moved += posting.credit === account ? BigInt(posting.amount) : -BigInt(posting.amount)
        if (posting.at >= until - UNDER_WAY_MS) late.push(posting)
      }
      return true
    })
  )
  const steps = sumSteps({ account, currency, time_zone: "UTC" }, late)
  const underWay = new Map(
    steps.map(({ amount, direction, resource_id, version }) => [
      stepKey(resource_id, version),
      { resource_id, moved: direction === "debit" ? amount : -amount }
    ])
  )
  if (latest + CROSSED_MS < (yield* Clock.currentTimeMillis)) own.set(key, { moved, underWay })
  return { moved, underWay }
})

/** The days that a statement has lines of. In rows of earlier releases, those that it speaks of. */
const listStatedDays = (row: Row<StatementData>): ReadonlyArray<string> => {
  const { days } = row.data
  if (days !== undefined) return Object.keys(days)
  const { first, last } = toStatedDays(row, 0)
  return first === "" ? [] : [...listDays(first, last)]
}

/**
 * The lines of an account from before its first day, which its opening balance has, and which something accounts for. It reads the days that
 * statements have: a calendar has thousands from one old day on.
 */
const readLinesBefore = Effect.fnUntraced(function* (storage: Store, { data, id }: AccountRow) {
  const { rows } = yield* readAccountStatements(storage, id)
  const days = [...new Set(rows.flatMap(listStatedDays))].filter((day) => day < data.opening.date).toSorted()
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [StatementLineKind.kind] }
  const found = yield* Effect.forEach(days, (day) =>
    readAllRows(storage, { ...query, index_keys: [accountKey(id), `booked_on=${day}`] }, ({ state }) =>
      isAccounted(state)
    )
  )
  return found.flat() as ReadonlyArray<LineRow>
})

/**
 * What the lines from before their account's first day are of each step of the books, which the opening balance has: `lines` in the direction of
 * the lines, credits of `world` less debits, and `steps` in that of the step.
 */
const readSharesBefore = Effect.fnUntraced(function* (storage: Store, mirrors: ReadonlyArray<AccountRow>) {
  const all = (yield* Effect.forEach(mirrors, (one) => readLinesBefore(storage, one))).flat()
  const [lines, steps] = [new Map<string, bigint>(), new Map<string, bigint>()]
  for (const { data } of all) {
    const { isOwn, shares } = readShares(data)
    for (const { amount, resource_id, version = 1 } of shares) {
      const key = stepKey(resource_id, version)
      if (isOwn) lines.set(key, (lines.get(key) ?? 0n) + (data.direction === "debit" ? amount : -amount))
      else steps.set(key, (steps.get(key) ?? 0n) + amount)
    }
  }
  const ids = [...new Set(all.flatMap(({ data }) => data.matches.map(({ resource_id }) => resource_id)))]
  return { lines, steps, ids }
})
type SharesBefore = Effect.Success<ReturnType<typeof readSharesBefore>>

/**
 * What of a step its lines from before the first day are. `moved`: credits less debits. It is more than the step where a line since then takes
 * some of it back, and of the other direction where it is such a line.
 */
const shareBefore = ({ lines, steps }: SharesBefore, key: string, moved: bigint): bigint => {
  const share = steps.get(key) ?? 0n
  const ofStep = moved < 0n ? (-share < moved ? moved : -share) : share > moved ? moved : share
  return ofStep + (lines.get(key) ?? 0n)
}

/** What `world` moved between two instants, and lines from before the first day are: the books have it later. Credits less debits. */
const sumMovedOfBefore = Effect.fnUntraced(function* (
  storage: Store,
  { currency, provider }: Side,
  before: SharesBefore,
  begin: Beginnings,
  end: number
) {
  const { ids } = before
  if (ids.length === 0) return 0n
  const account = world(provider)
  const names = (yield* storage.idsBeginning(ids, 1)).map(({ id, merchant_id }) => ({ merchant_id, resource_id: id }))
  const postings = yield* storage.postingsOf(account, names)
  return sumSteps({ account, currency, time_zone: "UTC" }, postings).reduce((sum, one) => {
    const isMoved = one.at >= (one.direction === "debit" ? begin.payouts : begin.payins) && one.at < end
    const moved = one.direction === "debit" ? one.amount : -one.amount
    return isMoved ? sum + shareBefore(before, stepKey(one.resource_id, one.version), moved) : sum
  }, 0n)
})

/**
 * What `world` moved of the accounts of a side since they began, before the end of a day: credits less debits. Law: of a step that was under
 * way when they began, and of one since then, their opening balances have the shares of its lines from before, and no more.
 */
const sumMovedUntil = Effect.fnUntraced(function* (
  storage: Store,
  side: Side,
  mirrors: ReadonlyArray<AccountRow>,
  date: string,
  end: number
): Effect.fn.Return<bigint, StorageFault> {
  const { payins, payouts } = findBeginnings(mirrors)
  const begin = { payins: Math.min(payins, end), payouts: Math.min(payouts, end) }
  const { moved, underWay } = yield* sumMovedBefore(storage, side, begin)
  const opened = new Map(mirrors.map(({ data, id }) => [id, data]))
  const isCounted = ({ data, kind }: Row): boolean => {
    if (kind !== StatementLineKind.kind) return false
    const line = data as LineRow["data"]
    return line.booked_on <= date && !isBefore(opened.get(line.external_account_id)!, { data: line })
  }
  const names = [...underWay.values()].map(({ resource_id }) => resource_id)
  const booked = yield* findAccountedSteps(
    { storage },
    { account: world(side.provider), currency: side.currency },
    names,
    isCounted
  )
  const before = yield* readSharesBefore(storage, mirrors)
  const late = yield* sumMovedOfBefore(storage, side, before, begin, end)
  let since = (yield* readWorldBefore(storage, side, end)) - moved - late
  for (const [key, one] of underWay) if (booked.has(key)) since += one.moved - shareBefore(before, key, one.moved)
  return since
})

interface OwnPosition {
  readonly lines: ReadonlyArray<LineRow>
  readonly balance: bigint
  readonly last: string | null
}

/**
 * The books of a provider and a currency against the statements of all their accounts, at the end of a day of one account.
 *
 * Laws: `ledger` is the opening balances, less what `world` moved since the accounts began: what moved before their first day is in their
 * opening balances. `statements`, with the lines since their balances, = `ledger` − `outstanding` + what statements have and the books do
 * not: the open lines, but for those that the opening balance has, and what the statements state otherwise than their lines lead to. So
 * `outstanding` is what the books have moved since then and no line is yet, by the days on which lines were booked: a seal changes nothing of it.
 * `own`: by account, the open lines that the closes up to the day count, its balance by its statements, and their last day.
 */
export const computePosition = Effect.fnUntraced(function* (storage: Store, { data }: AccountRow, date: string) {
  const own = new Map<string, OwnPosition>()
  const mirrors = yield* readMirrors({ storage }, data)
  const moved = yield* sumMovedUntil(storage, data, mirrors, date, findDayEnd(date, data.time_zone))
  let [ledger, statements, since, unknown] = [-moved, 0n, 0n, 0n]
  for (const one of mirrors) {
    if (one.data.opening.date <= date) ledger += BigInt(one.data.opening.balance)
    const { balance, last, since: later, stated } = yield* readStatementBalance(storage, one, date)
    statements += balance
    since += later
    const lines = yield* listOpenLinesUntil(storage, one.id, date)
    own.set(one.id, { balance, last, lines: lines.filter(({ data }) => data.accounted_on <= date) })
    unknown += sumDayLines(lines.filter((line) => !isBefore(one.data, line)))
    const { beyondLines } = yield* findAccountDifferences(storage, { ...one.data, id: one.id })
    if (stated !== null) unknown += beyondLines(stated)
  }
  const difference = statements - ledger
  return { ledger, statements, difference, outstanding: unknown - difference - since, own }
})
