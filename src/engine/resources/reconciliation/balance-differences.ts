/** Where the statements of an account do not follow from one another and from its lines (INGEST-6, INGEST-9, CLOSE-1). */
import { Effect } from "effect"
import {
  listDifferenceParts,
  type StatedDifference,
  type WalkedBalances,
  walkBalances
} from "../../../machines/kernel/balances.ts"
import { walkPages } from "../../../machines/kernel/pages.ts"
import { isDecisive, makeSameFinder, type StatementRelations } from "../../../machines/kernel/bookings.ts"
import type { BreakData } from "../../../machines/reconciliation/break.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import type { NoticedWarning, StatementData } from "../../../machines/reconciliation/statement.ts"
import { countShared } from "../../representations/reconciliation/statement.ts"
import { readAllRows } from "../../calls/reads.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import {
  type AccountStatements,
  readAccountStatements,
  toAccountStatements,
  toStatedDays
} from "./account-statements.ts"
import { isReadOwn } from "./provider-statement.ts"
import { toSignedDifference, toSignedAmount } from "./signed.ts"
import { StatementKind, unreachedKey } from "./statement-kinds.ts"
import { accountKey, makeDisownKey, readLinesUnder, looseKey } from "./statement-line.ts"
import { listDays } from "./statement-roster.ts"

type Store = Storage["Service"]
type Account = Pick<ExternalAccountData, "opening"> & { readonly id: string }

/** The days on which statements overlap, so that one may lack a line of another. */
const listDaysToCompare = ({ relations, stated }: AccountStatements): ReadonlyArray<string> => {
  const decisive = stated.filter(isDecisive)
  const last = decisive.reduce((day, one) => (one.last > day ? one.last : day), "")
  const counts = new Map<string, number>()
  for (const one of stated)
    for (const day of listDays(one.first, one.last < last ? one.last : last))
      counts.set(day, (counts.get(day) ?? 0) + 1)
  return [...counts].flatMap(([day, count]) => (count > 1 || relations.decisiveOn(day).length === 0 ? [day] : []))
}

/**
 * Lines of sealed days that the statements of those days no longer have: a difference each, on the statement that decides now. What was booked
 * before the account's first day is in its opening balance, which no statement moves.
 */
const readDisownedLines = Effect.fnUntraced(function* (
  storage: Store,
  { id, opening }: Account,
  { decisiveOn }: StatementRelations
) {
  const found: Array<StatedDifference> = []
  for (const { data } of yield* readLinesUnder(storage, [makeDisownKey(id)])) {
    if (data.booked_on < opening.date) continue
    const statement_id = decisiveOn(data.booked_on)[0]?.id ?? data.statement_id
    const statement_ids = [...new Set([data.statement_id, statement_id])]
    found.push({
      kind: "balance_differs",
      statement_ids,
      amount: -toSignedAmount(data),
      day: data.disowned_on!,
      differs: true,
      // No balance since the line has it.
      parts: [{ since: data.booked_on, amount: -toSignedAmount(data) }],
      messages: []
    })
  }
  return found
})

const makeDifferenceKey = ({ kind, statement_ids }: StatedDifference): string => `${kind} ${statement_ids.at(-1)}`

export const isMoneyDifference = ({ amount, differs = false }: StatedDifference): boolean => amount !== 0n || differs

const sumAmounts = (parts: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  parts.reduce((sum, { amount }) => sum + amount, 0n)

/**
 * Merges differences of one kind and statement, and drops those that are zero. Differences of several days are kept even if they cancel
 * each other out: the balances between them differ.
 */
const mergeDifferences = (differences: ReadonlyArray<StatedDifference>): ReadonlyArray<StatedDifference> =>
  [...Map.groupBy(differences, makeDifferenceKey).values()]
    .map((some) => {
      const parts = some.flatMap(listDifferenceParts)
      const ofDays = [...Map.groupBy(parts, ({ since }) => since).values()]
      return {
        ...some[0]!,
        amount: sumAmounts(some),
        statement_ids: [
          ...new Set(some.flatMap((one) => one.statement_ids.slice(0, -1))),
          some[0]!.statement_ids.at(-1)!
        ],
        day: some.at(-1)!.day,
        messages: some.flatMap(({ messages }) => messages),
        parts,
        differs: some.some(({ differs }) => differs) || ofDays.some((own) => sumAmounts(own) !== 0n)
      }
    })
    .filter((one) => one.messages.length > 0 || isMoneyDifference(one))

/** Walks over the pages of an account that is read from its provider: they follow one another, in the order in which they were read. */
export const walkReadPages = ({ opening }: Pick<Account, "opening">, { rows, stated }: AccountStatements) =>
  walkPages(
    { date: opening.date, balance: BigInt(opening.balance) },
    stated.map((one, n) => {
      const { unreached } = rows[n]!.data
      return { ...one, unreached: unreached === undefined ? null : BigInt(unreached) }
    })
  )

/** Walks over the statements of an account. */
export const walkStatements = Effect.fnUntraced(function* (
  storage: Store,
  { id, opening: { balance, date } }: Account,
  statements: AccountStatements
): Effect.fn.Return<WalkedBalances, StorageFault> {
  const loose = yield* readLinesUnder(
    storage,
    listDaysToCompare(statements).map((day) => looseKey(id, day))
  )
  return walkBalances(
    { date, balance: BigInt(balance) },
    statements.relations,
    loose.map(({ data }) => ({
      day: data.booked_on,
      signed: toSignedAmount(data),
      statement_ids: [...(data.bookings ?? [data]).map(({ statement_id }) => statement_id), ...(data.within ?? [])]
    }))
  )
})

/**
 * Of an account that is read from its provider. Where no line came late, and the account begins with its first page, each page says itself
 * what its balance has beyond its lines: the others are not read.
 */
const walkProviderStatements = Effect.fnUntraced(function* (
  storage: Store,
  account: Account
): Effect.fn.Return<ReadonlyArray<StatedDifference>, StorageFault> {
  const index_keys = [`external_account_id=${account.id}`]
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [StatementKind.kind], index_keys }
  const { total } = yield* storage.list({ ...query, offset: 0, limit: 0 })
  const { items: oldest } = yield* storage.list({ ...query, offset: Math.max(0, total - 1), limit: 1 })
  const unreached = yield* readAllRows(storage, { ...query, index_keys: [...index_keys, unreachedKey] }, () => true)
  const own = [...new Map([...unreached, ...oldest].map((row) => [row.id, row as Row<StatementData>])).values()]
  const isWhole = own.some(
    ({ data: { closing_balance, from, unreached } }) =>
      (closing_balance === null && unreached !== undefined) || (from !== null && from < account.opening.date)
  )
  const statements = isWhole ? yield* readAccountStatements(storage, account.id) : toAccountStatements(own)
  return walkReadPages(account, statements).differences
})

/** The differences that the statements of an account state. `statements` is undefined where its provider reports them. */
const readStatedDifferences = Effect.fnUntraced(function* (
  storage: Store,
  account: Account
): Effect.fn.Return<
  { readonly found: ReadonlyArray<StatedDifference>; readonly statements: AccountStatements | undefined },
  StorageFault
> {
  if ((yield* isReadOwn(storage, account.id)) === true)
    return { found: yield* walkProviderStatements(storage, account), statements: undefined }
  const statements = yield* readAccountStatements(storage, account.id)
  const { differences } = yield* walkStatements(storage, account, statements)
  return {
    statements,
    found: [...differences, ...(yield* readDisownedLines(storage, account, statements.relations))]
  }
})

/** The differences that entries explain, with the opposite sign: added to the stated differences, they cancel them. */
const readExplainedDifferences = Effect.fnUntraced(function* (storage: Store, id: string) {
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: ["break"] }
  const rows = yield* Effect.forEach(["gap", "balance_differs"], (kind) =>
    readAllRows(
      storage,
      { ...query, index_keys: [accountKey(id), `kind=${kind}`, "status=resolved"] },
      ({ data }) => (data as BreakData).action === "explain"
    )
  )
  return (rows.flat() as ReadonlyArray<Row<BreakData>>).map(
    ({ data }): StatedDifference => ({
      kind: data.kind as StatedDifference["kind"],
      statement_ids: data.statement_ids ?? [data.statement_id!],
      amount: -toSignedDifference(data),
      day: data.accounted_on ?? "",
      messages: []
    })
  )
})

/**
 * The differences of an account that nothing accounts for, computed from all its statements, and these.
 *
 * Laws: with what people have explained they are what the statements state. An entry whose difference has gone, or has changed, is one.
 * `beyondLines` of a day with a balance is that balance, less the opening one, all lines booked since, and what is explained of it.
 */
export const findAccountDifferences = Effect.fnUntraced(function* (storage: Store, account: Account) {
  const { found, statements } = yield* readStatedDifferences(storage, account)
  const stated = mergeDifferences(found)
  const sinceOf = new Map(found.map((one) => [makeDifferenceKey(one), listDifferenceParts(one).at(-1)?.since]))
  const same = statements === undefined ? (id: string) => [id] : makeSameFinder(statements.relations)
  const own = yield* readExplainedDifferences(storage, account.id)
  const ids = own.flatMap(({ statement_ids }) => same(statement_ids.at(-1)!))
  const rows = yield* storage.get(ids.map((id) => ({ merchant_id: PLATFORM_MERCHANT, kind: StatementKind.kind, id })))
  const daysOf = new Map((rows as ReadonlyArray<Row<StatementData>>).map((row) => [row.id, toStatedDays(row, 0)]))
  // A statement that does not differ any more had it on its day: the close that counts it may be of a later one.
  const findSince = (one: StatedDifference): string => {
    const stated = daysOf.get(one.statement_ids.at(-1)!)
    return sinceOf.get(makeDifferenceKey(one)) ?? (one.kind === "gap" ? stated?.first : stated?.last) ?? one.day
  }
  // Whichever statement says by now what was explained of one of them.
  const toCurrent = (one: StatedDifference): StatedDifference => {
    const again = same(one.statement_ids.at(-1)!).map((id) => ({
      ...one,
      statement_ids: [...one.statement_ids.slice(0, -1), id]
    }))
    return again.find((each) => sinceOf.has(makeDifferenceKey(each))) ?? one
  }
  const explained = own
    .map(toCurrent)
    .map((one) => ({ ...one, parts: [{ since: findSince(one), amount: one.amount }] }))
  const without = mergeDifferences([...explained, ...stated])
  const known = new Set(explained.map(makeDifferenceKey))
  const parts = [...found, ...explained].flatMap(listDifferenceParts)
  return {
    statements,
    stated,
    /** The statements that are the same one: what people decide about one is about each. */
    same,
    explained,
    // What comes to nothing is one, unless it is explained.
    differences: without.filter((one) => one.amount !== 0n || !known.has(makeDifferenceKey(one))),
    beyondLines: (day: string): bigint => parts.reduce((sum, one) => (one.since <= day ? sum + one.amount : sum), 0n)
  }
})

/** The statements of an account that are the same one, a given one first. */
export const listSameStatements = Effect.fnUntraced(function* (storage: Store, account_id: string, id: string) {
  if ((yield* isReadOwn(storage, account_id)) === true) return [id]
  return makeSameFinder((yield* readAccountStatements(storage, account_id)).relations)(id)
})

export type AccountDifferences = Effect.Success<ReturnType<typeof findAccountDifferences>>

/** Identifies a difference by its statement, kind and amount: its own key, and those that it has under each statement that is the same. */
export const listDifferenceKeys = (
  { same }: Pick<AccountDifferences, "same">,
  { amount, kind, statement_ids }: StatedDifference
): ReadonlyArray<string> => same(statement_ids.at(-1)!).map((id) => `${id}/${kind} ${amount}`)

const makeNotice = (code: string, message: string): NoticedWarning => ({ code, message, place: null })

/** The warnings of each statement: what it shares with others, what it replaces, and what is missing before it. */
export const listNotices = (
  { relations, rows }: AccountStatements,
  differences: ReadonlyArray<StatedDifference>
): ReadonlyMap<string, ReadonlyArray<NoticedWarning>> => {
  const notices = new Map<string, Array<NoticedWarning>>(rows.map(({ id }) => [id, []]))
  const hasBalances = new Map(relations.all.map((one) => [one.id, isDecisive(one)]))
  for (const { kind, messages, statement_ids } of differences)
    if (kind === "gap")
      notices.get(statement_ids.at(-1)!)!.push(...messages.map((message) => makeNotice("gap", message)))
  for (const { id, data } of rows) {
    const later = relations.replacedBy(id)
    if (later !== undefined)
      notices
        .get(later.id)!
        .push(makeNotice("replaced", `It replaces ${id}, which has the same number, page and days.`))
    if (data.format !== "csv" || hasBalances.get(id) === true) continue
    for (const { lines, statement_id: other } of countShared(data))
      if (hasBalances.get(other) === false)
        notices
          .get(id)!
          .push(makeNotice("overlaps", `${lines} of its lines are those of ${other}, which came before it.`))
  }
  return notices
}
