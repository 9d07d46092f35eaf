/** What a provider's own statement becomes: a statement of an external account, and the job that reads it (INGEST-7 to INGEST-9). */
import { Effect } from "effect"
import { parseExactAmount } from "../../../machines/kernel/money.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import type { BookedLine } from "../../../machines/reconciliation/statement-line.ts"
import type { NoticedWarning, StatementData } from "../../../machines/reconciliation/statement.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { BlockBalances, StatementLine, StatementPage } from "../../ports/Provider.ts"
import { type JobWrite, PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import { requireCurrency, displayAmount } from "../../reference/currencies.ts"
import { toDay } from "./books.ts"
import { instantFault } from "./possible-days.ts"
import { sumSigned } from "./signed.ts"
import { StatementKind, unreachedCode } from "./statement-kinds.ts"

export const readStatementsOperation = "read_statements"

/** The id of the job, which belongs to the platform. */
export const toStatementJobId = (external_account_id: string): string => `statements.${external_account_id}`

/**
 * `failing_since`: when reading began to fail, in epoch milliseconds. Null: the last reading succeeded. `held`: what the account holds
 * where the cursor is, in minor units. Absent, or null: nothing has said it. `held_at`: of when that is, in epoch milliseconds. `held_block`: the
 * latest block whose balance is in it. `empty`: how many pages in a row had no line. Absent: none.
 */
export interface StatementJobBody {
  readonly operation: typeof readStatementsOperation
  readonly provider: string
  readonly external_account_id: string
  readonly cursor: string | null
  readonly held?: string | null
  readonly held_at?: number
  readonly held_block?: string
  readonly failing_since: number | null
  readonly empty?: number
}

/** Whether a statement is its provider's own, which has signed its lines. */
export const isOwn = ({ format }: Pick<StatementData, "format">): boolean => format === "protocol" || format === "chain"

/** Whether the latest statement of an account is its provider's own, or a file's. Undefined: the account has none. */
export const isReadOwn = (
  storage: Storage["Service"],
  external_account_id: string
): Effect.Effect<boolean | undefined, StorageFault> =>
  Effect.map(
    storage.list({
      merchant_id: PLATFORM_MERCHANT,
      kinds: [StatementKind.kind],
      index_keys: [`external_account_id=${external_account_id}`],
      offset: 0,
      limit: 1
    }),
    ({ items: [last] }) => last && isOwn((last as Row<StatementData>).data)
  )

/** How many of the latest statements of an account are looked at for a balance: those that come late have none. */
const LATEST = 100

/** The first day of the world begins so much before that of UTC, in milliseconds. */
const FIRST_ZONE_MS = 14 * 3_600_000

/**
 * Where the feed of a provider in a currency is read from by an account that begins to read it: after the last page that any account has of
 * it, which all mirror the same. What that account, the `reader`, held is what is there.
 */
export const findFeedPosition = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  mirrors: ReadonlyArray<Row<ExternalAccountData>>
) {
  let latest: ReadonlyArray<Row<StatementData>> = []
  for (const { id } of mirrors) {
    const index_keys = [`external_account_id=${id}`]
    const query = { merchant_id: PLATFORM_MERCHANT, kinds: [StatementKind.kind], index_keys, offset: 0, limit: LATEST }
    const items = (yield* storage.list(query)).items as ReadonlyArray<Row<StatementData>>
    const [last, before] = [items[0], latest[0]]
    if (last === undefined || !isOwn(last.data)) continue
    if (before === undefined || last.created_at > before.created_at) latest = items
  }
  const [last] = latest
  const closing = latest.find(({ data }) => data.closing_balance !== null)?.data.closing_balance
  const feed = { cursor: last?.data.message_id ?? null, reader: last?.data.external_account_id ?? null }
  if (closing === null || closing === undefined) return { ...feed, held: null }
  const block = latest.find(({ data: { number } }) => number !== null)?.data.number
  return {
    ...feed,
    held: closing.amount,
    // What is booked before the day of the balance is in it, whatever zone the account has.
    held_at: Date.parse(closing.date) - FIRST_ZONE_MS,
    ...(typeof block === "string" && { held_block: block })
  }
})

/** The job that reads the statements of an account. `cursor` is null until it is the one that reads. */
export const makeFirstReading = ({ data: { provider }, id }: Row<ExternalAccountData>, at: number): JobWrite => {
  const body: StatementJobBody = {
    operation: readStatementsOperation,
    provider,
    external_account_id: id,
    cursor: null,
    failing_since: null
  }
  const job_id = toStatementJobId(id)
  return {
    id: job_id,
    queue: "command",
    partition_key: job_id,
    status: "pending",
    due_at: at,
    attempt: 0,
    created_at: at,
    body: { ...body },
    log: []
  }
}

/** A line that cannot be booked, and why. */
export interface RefusedLine {
  readonly line: StatementLine
  readonly fault: string
}

/** A page without the balances whose block has a time that is none, and why. */
export const splitReadable = (
  page: StatementPage,
  now: number
): {
  readonly page: StatementPage
  readonly faults: ReadonlyArray<{ readonly content: object; readonly fault: string }>
} => {
  const faults = (["opening", "closing"] as const).flatMap((name) => {
    const content = page[name]
    const fault = content && instantFault(`${name}.at`, content.at, now)
    return content === undefined || fault === undefined ? [] : [{ name, content, fault }]
  })
  const refused = new Set<string>(faults.map(({ name }) => name))
  const readable = Object.fromEntries(Object.entries(page).filter(([name]) => !refused.has(name))) as StatementPage &
    object
  return { page: readable, faults: faults.map(({ content, fault }) => ({ content, fault })) }
}

/** Where a line is in its feed: when it was booked, in epoch milliseconds, and the block that has it. */
type FeedPlace = Pick<StatementLine, "booked_at" | "block">

/** The lines of a page that are of an account, where each is, and those that are refused. */
export interface ReadLines {
  readonly lines: ReadonlyArray<BookedLine>
  readonly places: ReadonlyMap<BookedLine, FeedPlace>
  readonly refused: ReadonlyArray<RefusedLine>
}

const decimals = /^(\d{1,18})(?:\.(\d+))?$/

/**
 * A line as a bank's would be. Its id, which no other line has, is its bank reference; the command that it is of is its end-to-end id,
 * or without one the provider's own reference, or the pay-in's.
 */
const toBookedLine = (line: StatementLine, amount: string, time_zone: string): BookedLine => {
  const { booked_at, command_id, currency, direction, id, narration, payin_id, provider_reference, transaction_hash } =
    line
  const [reference = null, ...others] = [command_id, provider_reference, payin_id].filter((one) => one !== null)
  const texts = [narration, ...others].filter((one) => one !== null && one !== "")
  const booked_on = toDay(time_zone, booked_at)
  return {
    booked_on,
    value_on: booked_on,
    direction,
    amount,
    currency,
    bank_reference: id,
    end_to_end_id: reference,
    uetr: null,
    transaction_hash,
    counterparty: { name: null, account: null },
    remittance: texts.length === 0 ? null : texts.join(" "),
    code: null,
    reversal: false,
    place: `line ${id}`
  }
}

/** The lines of a page that are of an account's currency. One of zero moves nothing; one that is refused hides no other. */
export const readLines = (
  { currency, time_zone }: Pick<ExternalAccountData, "currency" | "time_zone">,
  page: ReadonlyArray<StatementLine>,
  now: number
): ReadLines => {
  const { code, ledger_scale } = requireCurrency(currency)
  const lines = new Map<string, BookedLine>()
  const refused: Array<RefusedLine> = []
  const places = new Map<BookedLine, FeedPlace>()
  for (const line of page) {
    if (line.currency !== code || !/[1-9]/.test(line.amount)) continue
    const [, whole, fraction = ""] = decimals.exec(line.amount) ?? []
    const fault = instantFault("booked_at", line.booked_at, now)
    if (fault !== undefined) refused.push({ line, fault })
    else if (whole === undefined || fraction.replace(/0+$/, "").length > ledger_scale)
      refused.push({
        line,
        fault: `amount is ${line.amount}; the ledger takes at most 18 digits and ${ledger_scale} decimals in ${code}`
      })
    else {
      // A line that a page has twice is one, as it is on two pages, whatever day it has then: with another amount it is two.
      const own = toBookedLine(line, parseExactAmount(line.amount, ledger_scale).toString(), time_zone)
      const key = JSON.stringify([line.id, own.direction, own.amount])
      if (lines.has(key)) continue
      lines.set(key, own)
      places.set(own, line)
    }
  }
  return { lines: [...lines.values()], places, refused }
}

type Account = Pick<ExternalAccountData, "currency" | "kind" | "time_zone">

interface HeldAt {
  readonly block: string
  readonly date: string
  readonly amount: bigint
}

/**
 * The balance of an account at a block, in minor units, without decimals that the ledger does not keep. Undefined: the page does not state
 * it.
 */
const toHeldAt = ({ currency, time_zone }: Account, stated: BlockBalances | undefined): HeldAt | undefined => {
  const { code, ledger_scale } = requireCurrency(currency)
  const found = stated?.balances.find((one) => one.currency === code)
  const [, whole, fraction = ""] = decimals.exec(found?.amount ?? "") ?? []
  if (stated === undefined || whole === undefined) return undefined
  const { at, block } = stated
  const amount = parseExactAmount(`${whole}.${fraction.slice(0, ledger_scale)}0`, ledger_scale + 1) / 10n
  return { block, date: toDay(time_zone, at), amount }
}

/** A part of a page that becomes one statement. */
export interface PageStatement {
  readonly lines: ReadonlyArray<BookedLine>
  readonly data: Omit<StatementData, "external_account_id" | "chunks">
}

/** The warning that a block has another balance than the lines lead to. */
const warnOfBalance = ({ amount, block }: HeldAt, reached: bigint, currency: string): NoticedWarning => ({
  code: unreachedCode,
  message: `At block ${block} the account holds ${displayAmount(amount.toString(), currency)} ${currency}; the lines lead to ${displayAmount(reached.toString(), currency)}.`,
  place: null
})

/** What an account holds where a reading is, in minor units, and of when that is. */
export type FeedHolding = Pick<StatementJobBody, "held" | "held_at" | "held_block">

const isBlockNumber = (block: string | null | undefined): block is string => /^\d+$/.test(block ?? "")

/**
 * Whether what is held there has a line already: it is in a block whose balance is known, or of a day that the feed has passed. Of two blocks of
 * one time, either may have a line that names none.
 */
const isInHolding = (time_zone: string, { held_at, held_block }: FeedHolding, { block, booked_at }: FeedPlace) => {
  if (held_at === undefined) return false
  if (!isBlockNumber(block) || !isBlockNumber(held_block)) return booked_at <= held_at
  return BigInt(block) <= BigInt(held_block) || toDay(time_zone, booked_at) < toDay(time_zone, held_at)
}

/**
 * The statements of a page, and what the account holds after it: null where no block has said it yet. `before`: before the page.
 *
 * Without balances, a page with lines is one statement. With them, each day of the account's time zone has one, so that a day ends with
 * what it had. The last one names the block of the page's closing balance; the others end with what their lines lead to. Lines from
 * before the balance before come late, and `known` ones are read again: what they moved is in it, so that their statements have no balance.
 */
export const splitStatements = (
  account: Account,
  { lines, places }: Pick<ReadLines, "lines" | "places">,
  { closing, cursor, opening }: StatementPage,
  before: FeedHolding,
  known: ReadonlySet<BookedLine>
): FeedHolding & { readonly statements: ReadonlyArray<PageStatement> } => {
  const { currency, kind } = account
  const opened = toHeldAt(account, opening)
  let held = opened?.amount ?? (before.held === null || before.held === undefined ? null : BigInt(before.held))
  const balance = (date: string) => (held === null ? null : { date, amount: held.toString() })
  const makeStatement = (
    some: ReadonlyArray<BookedLine>,
    from: string,
    to: string,
    balances: Pick<StatementData, "opening_balance" | "closing_balance" | "number" | "warnings" | "unreached">
  ): PageStatement => {
    const days = [...Map.groupBy(some, ({ booked_on }) => booked_on)].map(([day, own]) => [day, `${sumSigned(own)}`])
    return {
      lines: some,
      data: {
        format: kind === "chain" ? "chain" : "protocol",
        message_id: cursor,
        ...{ from, to, currency, days: Object.fromEntries(days), ...balances },
        lines: some.length,
        pending: 0
      }
    }
  }
  const statementOf = (some: ReadonlyArray<BookedLine>, from: string, to: string, end?: HeldAt) => {
    const opening_balance = balance(from)
    const reached = held === null ? null : held + sumSigned(some)
    held = end === undefined ? reached : end.amount
    const isReached = end === undefined || reached === null || reached === end.amount
    return makeStatement(some, from, to, {
      number: end?.block ?? null,
      ...{ opening_balance, closing_balance: balance(to) },
      ...(isReached
        ? { warnings: [] }
        : { warnings: [warnOfBalance(end, reached, currency)], unreached: (end.amount - reached).toString() })
    })
  }
  const isAfterBalance = opened === undefined && held !== null
  const isHeld = (line: BookedLine): boolean =>
    known.has(line) || (isAfterBalance && isInHolding(account.time_zone, before, places.get(line)!))
  const groupByDay = (some: ReadonlyArray<BookedLine>) =>
    [...Map.groupBy(some, ({ booked_on }) => booked_on)].sort(([a], [b]) => (a < b ? -1 : 1))
  const end = toHeldAt(account, closing)
  const latest_at = [...places.values()].reduce(
    (at, { booked_at }) => Math.max(at, booked_at),
    before.held_at ?? -Infinity
  )
  const held_at = end === undefined ? latest_at : closing!.at
  const held_block = (end ?? opened)?.block ?? before.held_block
  const until = { ...(Number.isFinite(held_at) && { held_at }), ...(held_block !== undefined && { held_block }) }
  if (end === undefined && held === null) {
    const days = lines.map(({ booked_on }) => booked_on).sort()
    const statements = days.length === 0 ? [] : [statementOf(lines, days[0]!, days.at(-1)!)]
    return { held: null, ...until, statements }
  }
  const days = groupByDay(lines.filter((line) => !isHeld(line)))
  const last = days.at(-1)?.[0]
  const late = groupByDay(lines.filter(isHeld)).map(([day, some]) => {
    const moved = sumSigned(some.filter((line) => !known.has(line)))
    const none = { number: null, opening_balance: null, closing_balance: null, warnings: [] }
    return makeStatement(some, day, day, { ...none, unreached: (-moved).toString() })
  })
  const statements = days.map(([day, some]) =>
    statementOf(some, day, day, day === last && day === end?.date ? end : undefined)
  )
  // A block of a later day than its lines, or another balance than before without any line.
  if (end !== undefined && (held !== end.amount || (last !== undefined && last !== end.date)))
    statements.push(statementOf([], end.date, end.date, end))
  return { held: held === null ? null : String(held), ...until, statements: [...late, ...statements] }
}
