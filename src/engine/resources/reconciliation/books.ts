/**
 * The side of the books in matching: what lines name, and what the ledger says has moved at the account's `world`. Everything is found by
 * keys of the lines at hand, so that a statement costs what it has, however much the books hold.
 */
import { Clock, DateTime, Effect } from "effect"
import { toRefundName } from "../../../machines/kernel/lifecycle.ts"
import { type AccountId, clearing, ownerOf, world } from "../../../machines/kernel/ledger.ts"
import { parseExactAmount } from "../../../machines/kernel/money.ts"
import { appendAll } from "../../../machines/kernel/order.ts"
import { commandName, underWay } from "../../../machines/kernel/payout.ts"
import type { OnrampData } from "../../../machines/movements/onramp.ts"
import type { AdjustingEntryData } from "../../../machines/reconciliation/adjusting-entry.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import type { BookMovement, NamedResource, Naming, OpenLine } from "../../../machines/kernel/matching.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import type { BreakData } from "../../../machines/reconciliation/break.ts"
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import type { ExceptionData } from "../../../machines/deposits/exception.ts"
import { readAllMatches, readAllRowsUnder } from "../../calls/reads.ts"
import type { Kind, Kinds } from "../../commit/kind.ts"
import { listReports } from "../../commit/reported-outcomes.ts"
import { amountKey, normalise, listSearchValues, termKey } from "../../commit/index-keys.ts"
import { jobId } from "../../commit/steps.ts"
import {
  deriveStatementReference,
  findStatementReferences,
  deriveStemBeginning
} from "../../input/statement-reference.ts"
import { BoundedMap } from "../../ports/bounded-map.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { makeAboutKey } from "../deposits/exception.ts"
import { findReferred } from "./referred-rows.ts"
import { makeMatchKey } from "./statement-line.ts"
import { isAnothers, payinProviderOf, providerOf } from "../../ports/Provider.ts"
import { PLATFORM_MERCHANT, type Row, type RowKey, type Storage, type StoredPosting } from "../../ports/Storage.ts"
import { requireCurrency, displayAmount } from "../../reference/currencies.ts"

/** The account whose lines are matched. `account`: its side in the ledger. */
export interface MatchedAccount extends ExternalAccountData {
  readonly id: string
  readonly account: AccountId
  /** What names no account goes through this one: it is the first of its provider and currency with the use. */
  readonly isFirstFor: (use: "payouts" | "payins") => boolean
  readonly isClosed: boolean
  /** From when on the accounts of its side have payouts and pay-ins (CLOSE-4): what moved before is missing on none. */
  readonly begin: Readonly<Record<"payouts" | "payins", number>>
  /**
   * The version of the account's settings and of those of the other accounts of its side, which decide for which uses it is the first, and
   * from when. It only grows, also if a setting returns to an earlier value.
   */
  readonly settings: number
  /** The ids of all accounts that mirror its side, the first made first. */
  readonly mirrors: ReadonlyArray<string>
}

/** The ledger account, currency and time zone of an external account. */
type BookedAccount = Pick<MatchedAccount, "account" | "currency" | "time_zone">

type Lines = ReadonlyArray<Row<StatementLineData>>
type LineNaming = OpenLine["names"][number]

/** The rows that lines name, and by what. */
export interface NamedRows {
  readonly byLine: ReadonlyMap<string, ReadonlyArray<LineNaming>>
  readonly rows: ReadonlyMap<string, Row>
}

export interface BooksDeps {
  readonly storage: Storage["Service"]
  readonly kinds: Kinds["Service"]
}

/** The most ids that are read for one beginning. */
const FOUND_MAX = 1_000

/** Keys in one read. */
const KEYS_MAX = 1_000

const splitIntoChunks = <A>(items: ReadonlyArray<A>, size = KEYS_MAX): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))

const unique = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(items)]

/** The kinds that move money at `world`. */
export const listMoneyKinds = ({ transactions }: Kinds["Service"]): ReadonlyArray<string> => [
  ...transactions.map(({ kind }) => kind),
  "exception",
  "adjusting_entry"
]

const refundNames = [1, 2, 3, 4, 5].map(toRefundName)

/** The names of the commands of each kind, by id prefix. Only commands have statement references. */
const commandNamesByPrefix = (kinds: Kinds["Service"]): ReadonlyMap<string, ReadonlyArray<string>> => {
  const names = listMoneyKinds(kinds)
  return new Map(
    [...kinds.byName.values()].flatMap((kind) => {
      if (!names.includes(kind.kind) || !("prefix" in kind)) return []
      const sends = kind.payout !== undefined || kind.conversion !== undefined
      const commands = [...(sends ? [commandName] : []), ...(kind.refund === undefined ? [] : refundNames)]
      return commands.length === 0 ? [] : [[String(kind.prefix), commands] as const]
    })
  )
}

const idPattern = /[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{26}(?:\.[a-z]+(?:_\d+)?)?/g

const listSearchTexts = ({ bank_reference, end_to_end_id, remittance }: StatementLineData): ReadonlyArray<string> =>
  [end_to_end_id, bank_reference, remittance].flatMap((text) => (text === null ? [] : [text]))

/** Whether a text is in the remittance of a line and in no reference. */
const isInRemittanceOnly = ({ bank_reference, end_to_end_id }: StatementLineData, found: RegExp | string): boolean =>
  ![bank_reference, end_to_end_id].some((text) =>
    typeof found === "string" ? text?.toLowerCase().includes(found) : found.test(text ?? "")
  )

const findIds = (line: StatementLineData): ReadonlyArray<LineNaming> =>
  listSearchTexts(line)
    .flatMap((text) => text.toLowerCase().match(idPattern) ?? [])
    .map((found) => {
      const [resource_id = "", command] = found.split(".")
      const is_remitted = isInRemittanceOnly(line, found) ? ({ is_remitted: true } as const) : {}
      return { resource_id, by: command === undefined ? "resource_id" : "command_id", ...is_remitted }
    })

/** When a line was booked, in epoch milliseconds. */
const toBookingTime = ({ booked_on }: StatementLineData): number => Date.parse(booked_on)

interface FoundReference {
  readonly reference: string
  readonly is_remitted?: true
}

const findReferences = (line: StatementLineData, now: number): ReadonlyArray<FoundReference> => {
  const among = (texts: ReadonlyArray<string | null>) =>
    unique(texts.flatMap((text) => (text === null ? [] : findStatementReferences(text, toBookingTime(line), now))))
  const own = among([line.end_to_end_id, line.bank_reference])
  return [
    ...own.map((reference) => ({ reference })),
    ...among([line.remittance]).flatMap((reference) =>
      own.includes(reference) ? [] : [{ reference, is_remitted: true as const }]
    )
  ]
}

/** A word that may be a provider's reference. Shorter words are ambiguous, and words without a digit are ordinary language. */
const providerWord = /^(?=.*\d).{6,}$/

const uetrPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const uetrOr = (by: Naming, word: string): Naming => (uetrPattern.test(word) ? "uetr" : by)
/** A transaction hash of an EVM chain or of Solana. */
const hashPattern = /^(?:(?:0x)?[\da-f]{64}|[\da-z]{80,90})$/

/** The longest word that is compared. No name is longer. */
const WORD_LENGTH_MAX = 256

/** The words of a text, also without the prefixes and punctuation that banks add. */
const listBareWords = (text: string): ReadonlyArray<string> =>
  text
    .split(/[\s,;|+]+/)
    .filter((word) => word.length > 2 && word.length <= WORD_LENGTH_MAX)
    .flatMap((word) => {
      const [, after = ""] = /^\/?(?:EREF|KREF|SVWZ|REMI|ROC|REF|INV)[/+:]+(.+)$/i.exec(word) ?? []
      const trimmed = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")
      return [word, after, trimmed].filter((one) => one.length > 2)
    })

/**
 * Lists the normalised texts by which movements are searched for a line. `references`: its end-to-end id, its remittance, and each word of that.
 * `providerReferences`: those of them that may be a provider's reference or a transaction hash, with a digit and at least six characters.
 */
const listLineTerms = ({ end_to_end_id, remittance }: StatementLineData) => {
  const bare = listBareWords(remittance ?? "")
  const among = (words: ReadonlyArray<string>) =>
    unique([end_to_end_id, remittance, ...words].flatMap((one) => (one ? [normalise(one)] : [])))
  const isName = (word: string): boolean => providerWord.test(word)
  return { references: among(bare), providerReferences: among(bare.filter(isName)).filter(isName) }
}

/** The texts of a line in which references stand. */
const listTexts = ({ data: { end_to_end_id, remittance } }: Lines[number]): ReadonlyArray<string> =>
  [end_to_end_id, remittance].flatMap((text) => (text ? [text] : []))

/** Whether one of a resource's commands has this statement reference. */
const isCommandReference = (id: string, commands: ReadonlyArray<string>, reference: string): boolean =>
  commands.some((name) => deriveStatementReference(jobId(id, name)) === reference)

const joinKey = ({ id, kind, merchant_id }: RowKey): string => `${merchant_id} ${kind} ${id}`

/** Rows by id. An id is unique over all kinds. */
export const readRowsById = Effect.fnUntraced(function* ({ kinds, storage }: BooksDeps, keys: ReadonlyArray<RowKey>) {
  const own = [
    ...new Map(keys.filter(({ id, kind }) => kinds.ofId(id)?.kind === kind).map((key) => [joinKey(key), key])).values()
  ]
  const found = yield* Effect.forEach(splitIntoChunks(own), (some) => storage.get(some))
  return new Map(found.flat().map((row) => [row.id, row]))
})

const strength: Readonly<Record<Naming, number>> = {
  command_id: 0,
  statement_reference: 1,
  provider_reference: 2,
  transaction_hash: 3,
  uetr: 4,
  resource_id: 5,
  reference: 6
}

/**
 * Whether a naming is by an identifier that no person writes (neither a resource's id nor the merchant's reference) and was found in the line's
 * texts. Of one resource, every other naming goes before it.
 */
const isIdentifierFromText = ({ by, is_remitted, is_said }: LineNaming): boolean =>
  by !== "resource_id" && by !== "reference" && (is_remitted === true || is_said === true)

/** Lists the texts by which lines name a row: its id, the references of its commands, and its search terms. */
export const makeNameLister = ({ kinds }: Pick<BooksDeps, "kinds">) => {
  const commands = commandNamesByPrefix(kinds)
  return (row: Row): ReadonlyArray<string> => {
    const { id } = row
    const searched = listSearchValues((kinds.byName.get(row.kind) as Kind | undefined) ?? {}, row) ?? {}
    const { provider_references = [], references = [], transaction_hashes = [] } = searched
    return unique([
      id,
      ...(commands.get(id.slice(0, id.indexOf("_"))) ?? []).map((name) => deriveStatementReference(jobId(id, name))),
      ...[...provider_references, ...references, ...transaction_hashes].flatMap((one) => one ?? [])
    ])
  }
}

/** Reads rows, each once, and keeps those that can have moved money at the account. */
const makeRelevantReader = (deps: BooksDeps, account: MatchedAccount) => {
  const rows = new Map<string, Row>()
  const known = new Set<string>()
  const read = Effect.fnUntraced(function* (keys: ReadonlyArray<RowKey>) {
    const found = yield* readRowsById(
      deps,
      keys.filter(({ id }) => !known.has(id))
    )
    const others = [...found.values()].filter((row) => !isRelevant(account, row))
    const had = yield* findHadBy(deps, account, others)
    for (const { id } of keys) known.add(id)
    for (const [id, row] of found) if (had.has(id) || isRelevant(account, row)) rows.set(id, row)
  })
  return { rows, read }
}

/** Names the rows whose ids, or whose commands' statement references, lines have. Returns the keys of all that may be. */
const findIdsInLines = Effect.fnUntraced(function* (
  { kinds, storage }: BooksDeps,
  lines: Lines,
  name: (line: string, naming: LineNaming) => void
): Effect.fn.Return<ReadonlyArray<RowKey>, StorageFault> {
  const commands = [...commandNamesByPrefix(kinds)]
  const now = yield* Clock.currentTimeMillis
  const wanted = lines.map(({ data, id }) => ({ id, ids: findIds(data), references: findReferences(data, now) }))
  const beginnings = wanted.flatMap(({ ids, references }) => [
    ...ids.map(({ resource_id }) => resource_id),
    ...references.flatMap(({ reference }) => commands.map(([prefix]) => `${prefix}_${deriveStemBeginning(reference)}`))
  ])
  const begun = yield* Effect.forEach(splitIntoChunks(unique(beginnings)), (some) =>
    storage.idsBeginning(some, FOUND_MAX)
  )
  const keys = begun.flat()
  const byBeginning = new Map<string, Array<string>>()
  for (const { id } of keys) {
    const beginning = id.slice(0, id.indexOf("_") + 11)
    const known = byBeginning.get(beginning)
    if (known === undefined) byBeginning.set(beginning, [id])
    else if (!known.includes(id)) known.push(id)
  }
  const exists = new Set(keys.map(({ id }) => id))
  for (const { id, ids, references } of wanted) {
    for (const naming of ids) if (exists.has(naming.resource_id)) name(id, naming)
    for (const { reference, ...where } of references)
      for (const [prefix, names] of commands)
        for (const candidate of byBeginning.get(`${prefix}_${deriveStemBeginning(reference)}`) ?? [])
          if (isCommandReference(candidate, names, reference))
            name(id, { resource_id: candidate, by: "statement_reference", ...where })
  }
  return keys
})

/** The most rows that are read of what has come since an instant. */
const NEW_MAX = 10_000

/** The rows that were made, or have moved money at the side, since an instant. Undefined: too many. */
export const readNewRows = Effect.fnUntraced(function* (
  deps: BooksDeps,
  { account }: Pick<MatchedAccount, "account">,
  since: number
) {
  const created_after = since - CROSSED_MS
  const query = { kinds: listMoneyKinds(deps.kinds), index_keys: [], created_after, offset: 0, limit: NEW_MAX }
  const { items, total } = yield* deps.storage.list(query)
  if (total > items.length) return undefined
  const moved = new Map<string, RowKey>()
  // An exception has a reference only while it has money, which may come later.
  yield* streamPostings(deps, account, created_after, Infinity, (postings) =>
    Effect.sync(() => {
      for (const { merchant_id, resource_id: id } of postings) {
        const kind = deps.kinds.ofId(id)?.kind
        if (kind !== undefined) moved.set(id, { merchant_id, kind, id })
      }
      return moved.size <= NEW_MAX
    })
  )
  if (moved.size > NEW_MAX) return undefined
  for (const { id } of items) moved.delete(id)
  return [...items, ...(yield* readRowsById(deps, [...moved.values()])).values()]
})

/**
 * Finds the rows that each line names in its own text, if they can have moved money at the account. The words of a text are searched only
 * if it has nothing stronger.
 */
const findRowsNamedByLines = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  lines: Lines
): Effect.fn.Return<NamedRows, StorageFault> {
  const { kinds, storage } = deps
  const names = listMoneyKinds(kinds)
  const namings = new Map<string, Array<LineNaming>>()
  const name = (line: string, naming: LineNaming): void => {
    namings.set(line, [...(namings.get(line) ?? []), naming])
  }

  const keys = [...(yield* findIdsInLines(deps, lines, name))]
  /** Asks for terms, and names the lines that have them. */
  const byTerms = Effect.fnUntraced(function* (
    terms: ReadonlyMap<string, ReadonlyArray<readonly [line: string, by: Naming]>>,
    is_said: boolean
  ) {
    const found = yield* readAllMatches(storage, { keys: [...terms.keys()], kinds: names })
    for (const { created_at: _, index_key, ...key } of found) {
      keys.push(key)
      for (const [line, by] of terms.get(index_key) ?? [])
        name(line, { resource_id: key.id, by, ...(is_said ? { is_said } : {}) })
    }
  })
  const terms = new Map<string, Array<readonly [string, Naming]>>()
  const term = (key: string, line: string, by: Naming): void => {
    const known = terms.get(key)
    if (known === undefined) terms.set(key, [[line, by]])
    else known.push([line, by])
  }
  for (const { data, id } of lines) {
    const { bank_reference, end_to_end_id, transaction_hash, uetr } = data
    for (const one of unique([bank_reference, end_to_end_id]))
      if (one !== null) term(termKey("provider_reference", normalise(one)), id, "provider_reference")
    if (uetr !== null) term(termKey("provider_reference", normalise(uetr)), id, "uetr")
    if (transaction_hash !== null)
      term(termKey("transaction_hash", normalise(transaction_hash)), id, "transaction_hash")
  }
  yield* byTerms(terms, false)
  terms.clear()
  const relevant = makeRelevantReader(deps, account)
  const readRelevant = (isWanted: (naming: LineNaming) => boolean) => {
    const named = [...namings.values()].flatMap((found) => found.filter(isWanted))
    const ids = new Set(named.map(({ resource_id }) => resource_id))
    return relevant.read(keys.filter(({ id }) => ids.has(id)))
  }
  // A resource's id names as strongly as a reference does (MATCH-3), and what moves no money here names nothing.
  const isStrong = ({ by }: LineNaming): boolean => by !== "resource_id"
  yield* readRelevant(isStrong)
  const unnamed = lines.filter(
    ({ id }) => namings.get(id)?.some((one) => isStrong(one) && relevant.rows.has(one.resource_id)) !== true
  )
  const referred = yield* findReferred(
    deps,
    {
      kinds: names.filter((one) => (kinds.byName.get(one) as Kind | undefined)?.searchValues !== undefined),
      side: `${account.account} ${account.currency}`,
      readNew: (since) => readNewRows(deps, account, since)
    },
    unique(unnamed.flatMap(listTexts))
  )
  for (const line of unnamed) {
    const { data, id } = line
    for (const key of listTexts(line).flatMap((text) => referred.get(text)!)) {
      keys.push(key)
      name(id, { resource_id: key.id, by: "reference", is_said: true })
    }
    const { providerReferences, references } = listLineTerms(data)
    for (const one of references) term(termKey("reference", one), id, "reference")
    for (const one of providerReferences) {
      term(termKey("provider_reference", one), id, uetrOr("provider_reference", one))
      if (hashPattern.test(one)) term(termKey("transaction_hash", one), id, "transaction_hash")
    }
  }
  yield* byTerms(terms, true)

  yield* readRelevant(() => true)
  const byLine = new Map<string, ReadonlyArray<LineNaming>>()
  for (const [line, found] of namings) {
    const best = new Map<string, LineNaming>()
    for (const one of found.toSorted(
      (a, b) => Number(isIdentifierFromText(a)) - Number(isIdentifierFromText(b)) || strength[a.by] - strength[b.by]
    ))
      if (relevant.rows.has(one.resource_id) && !best.has(one.resource_id)) best.set(one.resource_id, one)
    if (best.size > 0) byLine.set(line, [...best.values()])
  }
  return { byLine, rows: relevant.rows }
})

/** Lists the lines once more as their other statements state them. */
const listOtherVersions = (lines: Lines): Lines =>
  lines.flatMap((line) =>
    (line.data.bookings ?? []).flatMap(({ stated }) =>
      stated === undefined ? [] : [{ ...line, data: { ...line.data, ...(stated as Partial<StatementLineData>) } }]
    )
  )

/** Finds the rows that each line names. Other statements of the line are read only if its own text names none. */
export const findNamedRows = Effect.fnUntraced(function* (deps: BooksDeps, account: MatchedAccount, lines: Lines) {
  const own = yield* findRowsNamedByLines(deps, account, lines)
  const others = listOtherVersions(lines.filter(({ id }) => !own.byLine.has(id)))
  if (others.length === 0) return own
  const more = yield* findRowsNamedByLines(deps, account, others)
  return { byLine: new Map([...own.byLine, ...more.byLine]), rows: new Map([...own.rows, ...more.rows]) }
})

/** Whether a row can have moved money at the account's provider. The postings say whether it has. */
const isRelevant = ({ account, provider }: MatchedAccount, row: Row): boolean =>
  row.kind === "adjusting_entry"
    ? [row.data].some((data) => {
        const { from, to } = data as { readonly from: string; readonly to: string }
        return from === account || to === account
      })
    : [providerOf(row), payinProviderOf(row)].some((one) => one === undefined || one === provider) ||
      listReports(row).some((one) => one.provider === provider)

/** The ids of rows whose money was in the provider's clearing account, also if another provider pays it now (ROUTE-2, ROUTE-4). */
const findHadBy = Effect.fnUntraced(function* (
  { storage }: BooksDeps,
  { provider }: MatchedAccount,
  rows: ReadonlyArray<Row>
): Effect.fn.Return<ReadonlySet<string>, StorageFault> {
  const found = yield* Effect.forEach(splitIntoChunks(rows), (some) =>
    storage.postingsOf(
      clearing(provider),
      some.map(({ id, merchant_id }) => ({ merchant_id, resource_id: id }))
    )
  )
  return new Set(found.flat().map(({ resource_id }) => resource_id))
})

/** Days begin, and offsets of time zones change, on a quarter of an hour. Days are cached: computing one is expensive. */
const QUARTER_MS = 900_000
const daysByQuarter = new BoundedMap<string, string>(20_000)

/** The day of an instant in a time zone. */
export const toDay = (time_zone: string, at: number): string => {
  const key = `${time_zone} ${Math.floor(at / QUARTER_MS)}`
  const known = daysByQuarter.get(key)
  if (known !== undefined) return known
  const day = DateTime.formatIsoDate(DateTime.makeZonedUnsafe(at, { timeZone: time_zone }))
  daysByQuarter.set(key, day)
  return day
}

type Step = Pick<BookMovement, "resource_id" | "version" | "direction" | "amount" | "day"> & { readonly at: number }

/** Sums what each step moved at the account. Steps that sum to zero are left out. */
export const sumSteps = (
  { account, currency, time_zone }: BookedAccount,
  postings: ReadonlyArray<StoredPosting>
): ReadonlyArray<Step> => {
  const sums = new Map<string, { readonly posting: StoredPosting; sum: bigint }>()
  for (const posting of postings) {
    if (posting.currency !== currency || (posting.debit !== account && posting.credit !== account)) continue
    const key = `${posting.resource_id}@${posting.version}`
    const sum = (posting.credit === account ? 1n : -1n) * BigInt(posting.amount)
    const known = sums.get(key)
    if (known === undefined) sums.set(key, { posting, sum })
    else known.sum += sum
  }
  return [...sums.values()].flatMap(({ posting: { at, resource_id, version }, sum }) =>
    sum === 0n
      ? []
      : [
          {
            resource_id,
            version,
            at,
            direction: sum > 0n ? ("debit" as const) : ("credit" as const),
            amount: sum > 0n ? sum : -sum,
            day: toDay(time_zone, at)
          }
        ]
  )
}

export const stepKey = (resource_id: string, version: number): string => `${resource_id}@${version}`

/**
 * Whether rows about external accounts are about a side of the ledger: an entry between two providers is a movement of each of them. Of
 * an account, provider and currency never change.
 */
export const isAtSide = Effect.fnUntraced(function* (
  { storage }: Pick<BooksDeps, "storage">,
  { account, currency }: Pick<MatchedAccount, "account" | "currency">,
  rows: ReadonlyArray<Row>
): Effect.fn.Return<(row: Row) => boolean, StorageFault> {
  const accountIn = ({ data }: Row): string => (data as Pick<BreakData, "external_account_id">).external_account_id
  const ids = [...new Set(rows.map(accountIn))]
  const found = yield* storage.get(ids.map((id) => ({ merchant_id: PLATFORM_MERCHANT, kind: "external_account", id })))
  const own = (found as ReadonlyArray<Row<ExternalAccountData>>).filter(
    ({ data }) => world(data.provider) === account && data.currency === currency
  )
  const sides = new Set(own.map(({ id }) => id))
  return (row) => sides.has(accountIn(row))
})

/**
 * The steps of these resources that a line of the side is matched with, or that an entry explains there, by `resource@version`, with the entry
 * that explains one which no line has. `isCounted`: of these lines and breaks alone.
 */
export const findAccountedSteps = Effect.fnUntraced(function* (
  { storage }: Pick<BooksDeps, "storage">,
  side: Pick<MatchedAccount, "account" | "currency">,
  resource_ids: ReadonlyArray<string>,
  isCounted: (row: Row) => boolean = () => true
): Effect.fn.Return<ReadonlyMap<string, string | undefined>, StorageFault> {
  const taken = new Map<string, string | undefined>()
  for (const some of splitIntoChunks(unique(resource_ids))) {
    const found = yield* readAllMatches(storage, { keys: some.map(makeMatchKey), kinds: ["statement_line", "break"] })
    for (const keys of splitIntoChunks(found)) {
      const rows = yield* storage.get(keys.map(({ id, kind, merchant_id }) => ({ merchant_id, kind, id })))
      const isHere = yield* isAtSide({ storage }, side, rows)
      for (const { data } of rows.filter((row) => isHere(row) && isCounted(row))) {
        const { adjusting_entry_id, matches = [], movements = [] } = data as Partial<StatementLineData & BreakData>
        for (const { resource_id, version = 1 } of matches) taken.set(stepKey(resource_id, version), undefined)
        for (const { resource_id, version } of movements) {
          const key = stepKey(resource_id, version)
          if (!taken.has(key)) taken.set(key, adjusting_entry_id ?? undefined)
        }
      }
    }
  }
  return taken
})

/**
 * The steps that never reach a statement: entries that were reversed, with their reversals; and what a decision makes of the money of an
 * exception, which is on statements as it came: out of suspense, and into a deposit or an onramp.
 */
const isInternal = (row: Row | undefined, step: Pick<Step, "at" | "direction">, isTaken: boolean): boolean => {
  if (row === undefined || isTaken) return false
  switch (row.kind) {
    case "adjusting_entry": {
      const { reversed_by, reverses } = row.data as AdjustingEntryData
      return reversed_by !== null || reverses !== null
    }
    case "deposit":
      return (row.data as DepositData).from_suspense === true
    case "onramp":
      return (row.data as OnrampData).revived === true && step.direction === "credit"
    case "exception": {
      const { action, given_at, resolved_at } = row.data as ExceptionData
      // What a recall has credited stays so, however the recall ends.
      const since = given_at ?? (action === "credit" || action === "apply" ? resolved_at : null)
      return since !== null && step.at >= since && step.direction === "debit"
    }
    default:
      return false
  }
}

/**
 * The resource whose money a movement of an exception is: what came back of it, and parts of a refund that reached its payer. What the
 * exception pays out is its own.
 */
const findPayment = (row: Row | undefined, { direction }: Pick<Step, "direction">): string | undefined => {
  if (row?.kind !== "exception") return undefined
  const { resource_id, resource_kind, rest } = row.data as ExceptionData
  const isOfPayment = direction === "credit" || rest?.way === "payer"
  return isOfPayment && resource_id !== null && resource_kind !== null ? resource_id : undefined
}

/** The rows, and the exceptions that may have money of theirs. */
export const addKeepers = Effect.fnUntraced(function* (
  { storage }: Pick<BooksDeps, "storage">,
  rows: Iterable<Row>
): Effect.fn.Return<ReadonlyArray<Row>, StorageFault> {
  const all = new Map([...rows].map((row) => [row.id, row]))
  const keys = [...all.keys()].map(makeAboutKey)
  const isAbout = ({ data, merchant_id }: Row): boolean =>
    all.get((data as ExceptionData).resource_id!)?.merchant_id === merchant_id
  for (const row of yield* readAllRowsUnder(storage, { keys, kinds: ["exception"] }, isAbout)) all.set(row.id, row)
  return [...all.values()]
})

/**
 * Reads the postings of rows at the account, and makes movements of them: one for each step of a row that moved money there in sum, without the
 * steps that never reach a statement (`isInternal`).
 */
export const readMovements = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: BookedAccount,
  rows: ReadonlyArray<Row>
): Effect.fn.Return<ReadonlyArray<BookMovement & { readonly at: number }>, StorageFault> {
  const { storage } = deps
  const postings = yield* Effect.forEach(splitIntoChunks(rows), (some) =>
    storage.postingsOf(
      account.account,
      some.map(({ id, merchant_id }) => ({ merchant_id, resource_id: id }))
    )
  )
  const steps = sumSteps(account, postings.flat())
  return yield* toMovements(deps, account, steps, new Map(rows.map((row) => [row.id, row])))
})

const toMovements = Effect.fnUntraced(function* (
  deps: BooksDeps,
  side: Pick<MatchedAccount, "account" | "currency">,
  steps: ReadonlyArray<Step>,
  rows: ReadonlyMap<string, Row>
) {
  const taken = yield* findAccountedSteps(
    deps,
    side,
    steps.map(({ resource_id }) => resource_id)
  )
  return steps.flatMap((step) => {
    const isTaken = taken.has(stepKey(step.resource_id, step.version))
    const isPayout = step.direction === "debit" && deps.kinds.ofId(step.resource_id)?.payout !== undefined
    const explained_by = taken.get(stepKey(step.resource_id, step.version))
    const row = rows.get(step.resource_id)
    const payment = findPayment(row, step)
    return isInternal(row, step, isTaken)
      ? []
      : [
          {
            ...{ ...step, open: !isTaken, isPayout },
            ...(explained_by === undefined ? {} : { explained_by }),
            ...(payment === undefined ? {} : { payment })
          }
        ]
  })
})

/** The movements of postings. Their rows are read. */
export const toMovementsOfPostings = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  postings: ReadonlyArray<StoredPosting>
) {
  const { kinds } = deps
  const keys = postings.flatMap(({ merchant_id, resource_id: id }): ReadonlyArray<RowKey> => {
    const kind = kinds.ofId(id)
    return kind?.kind === "exception" || kind?.kind === "adjusting_entry" ? [{ merchant_id, kind: kind.kind, id }] : []
  })
  return yield* toMovements(deps, account, sumSteps(account, postings), yield* readRowsById(deps, keys))
})

/** Leaves out movements that never reach a statement. It reads their rows, so it is for few movements. */
export const excludeInternal = Effect.fnUntraced(function* <Movement extends BookMovement & Pick<Step, "at">>(
  deps: BooksDeps,
  movements: ReadonlyArray<Movement>,
  postings: ReadonlyArray<StoredPosting>
) {
  const merchants = new Map(postings.map(({ merchant_id, resource_id }) => [resource_id, merchant_id]))
  const rows = yield* readRowsById(
    deps,
    movements.flatMap(({ resource_id: id }): ReadonlyArray<RowKey> => {
      const kind = deps.kinds.ofId(id)?.kind
      return kind === "deposit" || kind === "onramp" ? [{ merchant_id: merchants.get(id)!, kind, id }] : []
    })
  )
  return movements.filter((one) => !isInternal(rows.get(one.resource_id), one, !one.open))
})

/** Describes a row for matching. A payout of another provider is `not_paid` at this account, whatever its status. */
export const describeResource = (
  { kinds }: BooksDeps,
  { account, currency }: BookedAccount,
  row: Row
): NamedResource => {
  const { ledger_scale } = requireCurrency(currency)
  const kind = kinds.byName.get(row.kind)
  const command = kind?.payout?.(row, jobId(row.id, commandName))
  const due =
    command === undefined || command.currency !== currency
      ? null
      : { direction: "debit" as const, amount: parseExactAmount(command.amount, ledger_scale) as bigint }
  const fees = listReports(row).flatMap(({ fee, fee_currency, currency: paid }) =>
    fee !== null && (fee_currency ?? paid) === currency ? [parseExactAmount(fee, ledger_scale) as bigint] : []
  )
  const isElsewhere = command !== undefined && isAnothers(row, ownerOf(account))
  const payment = isElsewhere
    ? ("not_paid" as const)
    : command !== undefined && underWay.has(row.state)
      ? ("under_way" as const)
      : row.state === "refunding"
        ? ("returning" as const)
        : row.status === "success" || row.status === "confirmed"
          ? ("paid" as const)
          : ("not_paid" as const)
  return { id: row.id, payment, due, fees: fees.filter((fee) => fee > 0n) }
}

const dayMs = 86_400_000

/** How long before its booking a movement of another day can have been made to be a candidate of a line without a name (MATCH-5). */
const MADE_BEFORE_MS = 31 * dayMs

/** The rows with the amounts of lines that were made around their days. The lines of a day take one read. */
export const findAlike = Effect.fnUntraced(function* (
  deps: BooksDeps,
  { currency }: MatchedAccount,
  lines: ReadonlyArray<{ readonly day: string; readonly amount: bigint }>
): Effect.fn.Return<ReadonlyArray<Row>, StorageFault> {
  const { kinds, storage } = deps
  const keys: Array<RowKey> = []
  for (const [day, own] of Map.groupBy(lines, (line) => line.day)) {
    const at = Date.parse(day)
    const found = yield* readAllMatches(storage, {
      keys: unique(own.map(({ amount }) => amountKey(displayAmount(amount.toString(), currency), currency))),
      kinds: listMoneyKinds(kinds),
      created_after: at - MADE_BEFORE_MS,
      created_before: at + 2 * dayMs
    })
    appendAll(
      keys,
      found.map(({ id, kind, merchant_id }) => ({ merchant_id, kind, id }))
    )
  }
  return [...(yield* readRowsById(deps, keys)).values()]
})

/** Of two postings the later one may be posted first, where clocks differ or commits cross: more than they can. */
export const CROSSED_MS = 300_000

/** Postings in one read. */
const PAGE = 1_000

/** Reads postings of an account by position. Positions count from the oldest, so that new postings do not move them. */
export const readPlaces = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  account: AccountId
): Effect.fn.Return<
  {
    readonly total: () => number
    readonly at: (first: number, count: number) => Effect.Effect<ReadonlyArray<StoredPosting>, StorageFault>
  },
  StorageFault
> {
  let { total } = yield* storage.entries(account, 0, 1)
  const at = Effect.fnUntraced(function* (first: number, count: number) {
    for (;;) {
      const page = yield* storage.entries(account, Math.max(0, total - first - count), count)
      if (page.total === total) return page.items.toReversed()
      total = page.total
    }
  })
  return { total: () => total, at }
})

/**
 * The postings at the account between two instants (`from` included, `to` not), oldest first, page by page, until `take` returns false.
 * They are found from the newest on, so that recent days cost what they have.
 */
export const streamPostings = <E, R>(
  { storage }: Pick<BooksDeps, "storage">,
  account: AccountId,
  from: number,
  to: number,
  take: (postings: ReadonlyArray<StoredPosting>) => Effect.Effect<boolean, E, R>
): Effect.Effect<void, E | StorageFault, R> =>
  Effect.gen(function* () {
    const { at, total } = yield* readPlaces(storage, account)
    const isBefore = (place: number) => Effect.map(at(place, 1), ([one]) => one !== undefined && one.at < from)
    let step = PAGE
    while (step < total() && !(yield* isBefore(total() - step))) step *= 2
    // What is before `low` is before `from`.
    let low = Math.max(0, total() - step)
    for (let high = total() - step / 2; high - low > PAGE; ) {
      const middle = (low + high) >>> 1
      if (yield* isBefore(middle)) low = middle
      else high = middle
    }
    for (let first = low; first < total(); first += PAGE) {
      const items = yield* at(first, Math.min(PAGE, total() - first))
      const some = items.filter((one) => one.at >= from && one.at < to)
      if (some.length > 0 && !(yield* take(some))) return
      if (items.length === 0 || items[0]!.at >= to) return
    }
  })

/** The rows of resources by their ids alone. */
export const findRowsByIds = Effect.fnUntraced(function* (
  { kinds, storage }: Pick<BooksDeps, "kinds" | "storage">,
  ids: ReadonlyArray<string>
) {
  const rows: Array<Row> = []
  for (const id of new Set(ids)) {
    const kind = kinds.ofId(id)
    const row = kind === undefined ? undefined : yield* storage.find(kind.kind, id)
    if (row !== undefined) rows.push(row)
  }
  return rows
})
