/** Lines of bank statements: their index keys, their list and their reads (LINE-1, LINE-2). */
import { Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import {
  type StatementLineData,
  type StatementLineEvent,
  StatementLineLifecycle
} from "../../../machines/reconciliation/statement-line.ts"
import { type Listed, listRows, mapList, toTimeBounds } from "../../calls/list.ts"
import { readAllRowsUnder, findOfAnyMerchant, readPageWhere } from "../../calls/reads.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { amountKey, normalise, normalizeDecimal, termKey } from "../../commit/index-keys.ts"
import { makeIdFilter, inCurrency, ofExternalAccount, makeWordFilter } from "../../input/members.ts"
import { BooleanParam, CalendarDate, listing, Optional } from "../../input/schemas.ts"
import { type InvalidInput, invalid, type NotFound, type StorageFault } from "../../ports/errors.ts"
import { EXACT_KEY, type Match, PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  type BankStatementLineBody,
  bankStatementLineBody,
  lineDirections,
  statementLineStatuses
} from "../../representations/reconciliation/statement-line.ts"

/** The index key of the lines and explained breaks that account for a resource. */
export const makeMatchKey = (resource_id: string): string => `${EXACT_KEY}match:${resource_id}`

/** A prime, so that the parts of similar places differ. */
const OPEN_PARTS = 17

/** The index key of one part of the open lines of an account. */
const openKey = (external_account_id: string, part: number): string =>
  `${EXACT_KEY}open_line:${external_account_id}/${part}`

const openKeys = (external_account_id: string): ReadonlyArray<string> =>
  Array.from({ length: OPEN_PARTS }, (_, part) => openKey(external_account_id, part))

/**
 * The index key of a line that nothing accounts for. The lines of a chunk are made in one millisecond, and a store takes an entry away by
 * reading those of its key and millisecond: the places of lines part them.
 */
const toOpenKey = ({ external_account_id, place }: StatementLineData): string =>
  openKey(
    external_account_id,
    [...place].reduce((part, character) => (part * 31 + character.codePointAt(0)!) % OPEN_PARTS, 0)
  )

/** The index key of withdrawn lines. */
export const makeWithdrawalKey = (external_account_id: string): string =>
  `${EXACT_KEY}withdrawn_line:${external_account_id}`
/** The index key of lines that are matched by likeness alone: another line or movement of their day may change that. */
export const weakKey = (external_account_id: string, day: string, direction: string): string =>
  `${EXACT_KEY}alike_line:${external_account_id}/${day}/${direction}`
export const looseKey = (external_account_id: string, day: string): string =>
  `${EXACT_KEY}loose_line:${external_account_id}/${day}`
export const makeDisownKey = (external_account_id: string): string => `${EXACT_KEY}disowned_line:${external_account_id}`

const weakRules: ReadonlySet<string> = new Set(["alike", "batch_day"])

/** Whether likeness alone decided the matches of a line. */
export const isWeak = ({ matches }: Pick<StatementLineData, "matches">): boolean =>
  matches.length > 0 && matches.every(({ rule }) => weakRules.has(rule))

/** Whether a person decided what a line is. */
export const isDecided = ({ data, state }: Row<StatementLineData>): boolean =>
  state === "explained" || data.matches.some(({ rule }) => rule === "person")

/**
 * Accounts, days and directions have few values, so that they are counted by the hour and cost a line no entry of its own. Its
 * references and its amount are search terms.
 */
export const StatementLineKind: ResourceKind<StatementLineData, StatementLineEvent> = {
  kind: "statement_line",
  prefix: "stl",
  lifecycle: StatementLineLifecycle,
  isHidden: (state) => state === "merged",
  indexKeys: (line, state) => [
    ...(state === "matched" || state === "explained"
      ? [...new Set(line.matches.map(({ resource_id }) => makeMatchKey(resource_id)))]
      : state === "withdrawn"
        ? [makeWithdrawalKey(line.external_account_id)]
        : state === "merged"
          ? []
          : [toOpenKey(line)]),
    ...(state === "matched" && isWeak(line) ? [weakKey(line.external_account_id, line.booked_on, line.direction)] : []),
    ...(line.loose === true ? [looseKey(line.external_account_id, line.booked_on)] : []),
    ...(line.disowned_on === undefined ? [] : [makeDisownKey(line.external_account_id)]),
    accountKey(line.external_account_id),
    statementKey(line.statement_id),
    ...wordNames.map((name) => `${name}=${line[name]}`)
  ],
  // One part of a booking stands for it: a batch may have a hundred thousand.
  searchValues: ({ amount, bank_reference, counterparty, currency, end_to_end_id, entry, transaction_hash, uetr }) => ({
    title: counterparty.name,
    references: [bank_reference, end_to_end_id, uetr, transaction_hash, entry?.part === 0 ? entry.reference : null],
    amounts: [[amount, currency]]
  }),
  auditView: ({ data: { amount, currency, direction, external_account_id, matches } }) => ({
    external_account_id,
    direction,
    amount: displayAmount(amount, currency),
    currency,
    matches: matches.map(({ resource_id, rule }) => ({ resource_id, rule }))
  })
}

/** Open lines in one read. */
const OPEN_PAGE = 1_000
const PART_PAGE = Math.ceil(OPEN_PAGE / OPEN_PARTS)

/**
 * The time down to which all parts of a list were read: that of the last entry of a part that may have more. Undefined: every part is
 * complete.
 */
const readDownTo = (found: ReadonlyArray<Match>): number | undefined => {
  const full = [...Map.groupBy(found, ({ index_key }) => index_key).values()].filter(
    ({ length }) => length >= PART_PAGE
  )
  return full.length === 0
    ? undefined
    : Math.max(...full.map((part) => part.reduce((oldest, { created_at }) => Math.min(oldest, created_at), Infinity)))
}

/**
 * The lines of an account that nothing accounts for, newest first and page by page: each page costs what it has, however many lines the
 * account has, and no more than a page is in memory. Lines that are new meanwhile may be left out.
 */
export const visitOpenLines = <E, R>(
  storage: Storage["Service"],
  external_account_id: string,
  take: (lines: ReadonlyArray<Row<StatementLineData>>) => Effect.Effect<void, E, R>
): Effect.Effect<void, E | StorageFault, R> =>
  Effect.gen(function* () {
    const keys = openKeys(external_account_id)
    let until: number | undefined
    for (;;) {
      const found = yield* storage.matches({
        keys,
        prefixes: [],
        kinds: [StatementLineKind.kind],
        merchant_id: PLATFORM_MERCHANT,
        ...(until === undefined ? {} : { created_before: until }),
        limit: PART_PAGE
      })
      const down_to = readDownTo(found)
      const page = found
        .filter(({ created_at }) => down_to === undefined || created_at >= down_to)
        .toSorted((a, b) => b.created_at - a.created_at)
      // A chunk of a statement is written in one millisecond, so that a page may be longer.
      for (let n = 0; n < page.length; n += OPEN_PAGE) {
        const rows = yield* storage.get(
          page.slice(n, n + OPEN_PAGE).map(({ id, kind, merchant_id }) => ({ merchant_id, kind, id }))
        )
        yield* take((rows as ReadonlyArray<Row<StatementLineData>>).filter(isOpen))
      }
      if (down_to === undefined) return
      until = down_to - 1
    }
  })

/** Whether the open lines of an account are about `most` or fewer: no part has more than its share. */
export const hasFewOpenLines = (
  storage: Storage["Service"],
  external_account_id: string,
  most: number
): Effect.Effect<boolean, StorageFault> => {
  const share = Math.ceil(most / OPEN_PARTS)
  return Effect.map(
    storage.matches({
      keys: openKeys(external_account_id),
      prefixes: [],
      kinds: [StatementLineKind.kind],
      merchant_id: PLATFORM_MERCHANT,
      limit: share + 1
    }),
    (found) => [...Map.groupBy(found, ({ index_key }) => index_key).values()].every(({ length }) => length <= share)
  )
}

/** Lists the accounts among these that have open lines. */
export const listAccountsWithOpenLines = (
  storage: Storage["Service"],
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlySet<string>, StorageFault> => {
  const accounts = new Map(ids.flatMap((id) => openKeys(id).map((key) => [key, id])))
  if (accounts.size === 0) return Effect.succeed(new Set())
  const query = { keys: [...accounts.keys()], prefixes: [], kinds: [StatementLineKind.kind], limit: 1 }
  return Effect.map(
    storage.matches({ ...query, merchant_id: PLATFORM_MERCHANT }),
    (found) => new Set(found.map(({ index_key }) => accounts.get(index_key)!))
  )
}

/** All lines of index keys of the name `exact_id`, oldest first, however many a key has. */
export const readLinesUnder = (
  storage: Storage["Service"],
  keys: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Row<StatementLineData>>, StorageFault> =>
  Effect.map(
    readAllRowsUnder(storage, { merchant_id: PLATFORM_MERCHANT, keys, kinds: [StatementLineKind.kind] }, () => true),
    (rows) => (rows as ReadonlyArray<Row<StatementLineData>>).toReversed()
  )

/** Whether nothing accounts for a line. */
export const isOpen = ({ state }: Row<StatementLineData>): boolean => state === "unmatched" || state === "proposed"

/** All statements that have any of the lines, each once. */
export const listStatementIds = (lines: ReadonlyArray<Row<StatementLineData>>): ReadonlyArray<string> => [
  ...new Set(lines.flatMap(({ data }) => (data.bookings ?? [data]).map(({ statement_id }) => statement_id)))
]

const wordNames = ["booked_on", "accounted_on", "direction", "currency"] as const

/** The index keys of a line's account and statement. Their names have no `_id`: they are few beside the lines. */
export const accountKey = (external_account_id: string): string => `account=${external_account_id}`
export const statementKey = (statement_id: string): string => `statement=${statement_id}`

const day = (description: string) => Optional(CalendarDate, description, "2026-01-05")

const wordFilter = (word: string, example: string) =>
  Optional(Schema.String, `Only those with this ${word}. Case does not count.`, example)

export const ListStatementLines = Schema.Struct({
  external_account_id: ofExternalAccount,
  statement_id: makeIdFilter("stm", "Only those that this statement was the first to have."),
  status: makeWordFilter(statementLineStatuses, "status"),
  direction: makeWordFilter(lineDirections, "direction"),
  reversal: Optional(BooleanParam, "Only those that take an earlier booking back, or only the others.", true),
  resource_id: makeIdFilter("ofr", "Only those that this resource accounts for."),
  currency: inCurrency,
  booked_on: day("Only those that the bank booked on this day."),
  accounted_on: day("Only those that the close of this day counts."),
  booked_after: day("Only those that the bank booked on this day or later."),
  booked_before: day("Only those that the bank booked on this day or earlier."),
  value_on: day("Only those with this value date."),
  amount: Optional(Schema.String, "Only those of this amount.", "147753.75"),
  reference: Optional(
    Schema.String,
    "Only those with this bank reference, end-to-end id, UETR or transaction hash.",
    "FT26031XK92"
  ),
  bank_reference: wordFilter("bank reference", "FT26031XK92"),
  end_to_end_id: wordFilter("end-to-end id", "INV-1042"),
  uetr: wordFilter("UETR", "97ed4827-7b6f-4491-a06f-b548d5a7512d"),
  transaction_hash: wordFilter("transaction hash", `0x${"9f2b".repeat(16)}`),
  code: wordFilter("code", "PMNT/ICDT/ESCT"),
  remittance: Optional(Schema.String, "Only those with this text in the remittance.", "Invoice 77"),
  text: Optional(
    Schema.String,
    "Only those with this text in the counterparty, the remittance, a reference or the code. Case and accents do not count.",
    "ada obi"
  ),
  ...listing
})
export type ListStatementLines = typeof ListStatementLines.Type

const makeDeps = Effect.map(Storage, (storage) => ({ storage }))
type Deps = Effect.Success<typeof makeDeps>

/** The most lines that are read for a filter that no index has. */
const READ_MAX = 50_000

type Wanted = (line: StatementLineData) => boolean

/** The index keys of a query, and what they leave to be read line by line. Errors: `InvalidInput` for an amount of another form. */
const planReading = Effect.fnUntraced(function* (
  input: ListStatementLines
): Effect.fn.Return<
  { readonly index_keys: ReadonlyArray<string>; readonly wanted: ReadonlyArray<Wanted> },
  InvalidInput
> {
  const {
    amount,
    booked_after,
    booked_before,
    currency,
    external_account_id,
    reference,
    resource_id,
    reversal,
    statement_id,
    text,
    value_on
  } = input
  if (amount !== undefined && !/^\d{1,38}(\.\d{1,18})?$/.test(amount))
    return yield* invalid("amount", `amount is ${JSON.stringify(amount)}. It takes a decimal string such as "10.00".`)
  const index_keys = (["status", ...wordNames] as const).flatMap((name) =>
    input[name] === undefined ? [] : [`${name}=${input[name]}`]
  )
  if (external_account_id !== undefined) index_keys.push(accountKey(external_account_id))
  if (statement_id !== undefined) index_keys.push(statementKey(statement_id))
  if (resource_id !== undefined) index_keys.push(makeMatchKey(resource_id))
  if (reference !== undefined) index_keys.push(termKey("reference", normalise(reference)))
  const wanted: Array<Wanted> = []
  if (amount !== undefined && currency !== undefined) index_keys.push(amountKey(amount, currency))
  else if (amount !== undefined)
    wanted.push((line) => normalizeDecimal(displayAmount(line.amount, line.currency)) === normalizeDecimal(amount))
  for (const name of ["bank_reference", "end_to_end_id", "uetr", "transaction_hash", "code"] as const) {
    const term = normalise(input[name] ?? "")
    if (input[name] === undefined) continue
    if (name !== "code") index_keys.push(termKey("reference", term))
    wanted.push((line) => normalise(line[name] ?? "") === term)
  }
  const part = normalise(input.remittance ?? "")
  if (part !== "") wanted.push((line) => normalise(line.remittance ?? "").includes(part))
  if (reversal !== undefined) wanted.push((line) => line.reversal === reversal)
  if (value_on !== undefined) wanted.push((line) => line.value_on === value_on)
  if (booked_after !== undefined) wanted.push((line) => line.booked_on >= booked_after)
  if (booked_before !== undefined) wanted.push((line) => line.booked_on <= booked_before)
  if (text !== undefined) {
    const looked = normalise(text)
    wanted.push((line) => listLineTexts(line).some((one) => one !== null && normalise(one).includes(looked)))
  }
  return { index_keys, wanted }
})

const listLineTexts = (line: StatementLineData): ReadonlyArray<string | null> => [
  line.counterparty.name,
  line.counterparty.account,
  line.remittance,
  line.bank_reference,
  line.end_to_end_id,
  line.uetr,
  line.transaction_hash,
  line.code
]

/**
 * A page of lines, newest first. Filters that no index has (days from and to, value dates, texts, codes, reversals, an amount without a currency)
 * are compared line by line, with at most 50,000 lines that the others leave.
 *
 * Errors: `InvalidInput` for an amount of another form, and where more lines would be read.
 */
const list = Effect.fnUntraced(function* (
  { storage }: Deps,
  input: ListStatementLines
): Effect.fn.Return<Listed<BankStatementLineBody>, InvalidInput | StorageFault> {
  const { index_keys, wanted } = yield* planReading(input)
  const kinds = [StatementLineKind.kind]
  if (wanted.length === 0)
    return mapList(
      yield* listRows<StatementLineData>(storage, PLATFORM_MERCHANT, kinds, index_keys, input),
      bankStatementLineBody
    )
  const query = { merchant_id: PLATFORM_MERCHANT, kinds, index_keys }
  const { total } = yield* storage.list({ ...query, ...toTimeBounds(input), offset: 0, limit: 1 })
  if (total > READ_MAX)
    return yield* invalid(
      "external_account_id",
      `The other filters leave ${total} lines, and at most ${READ_MAX} are read for text, remittance, code, reversal, value_on, booked_after, booked_before and an amount without currency. Add external_account_id, booked_on, status or created_after.`
    )
  const listed = yield* readPageWhere<StatementLineData>(storage, query, input, ({ data }) =>
    wanted.every((is) => is(data))
  )
  return mapList(listed, bankStatementLineBody)
})

const get = ({ storage }: Deps, id: string): Effect.Effect<BankStatementLineBody, NotFound | StorageFault> =>
  Effect.map(findOfAnyMerchant(storage, StatementLineKind, id), bankStatementLineBody)

export class StatementLines extends Context.Service<StatementLines>()("corridor/engine/StatementLines", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { get, list }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
