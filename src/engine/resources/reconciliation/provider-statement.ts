/** What a provider's own statement becomes: a statement of an external account, and the job that reads it (INGEST-7, INGEST-8). */
import { Effect } from "effect"
import { exactAmount } from "../../../machines/kernel/money.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import type { ChunkLine, StatementData } from "../../../machines/reconciliation/statement.ts"
import type { StatementLine } from "../../ports/Provider.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { type JobWrite, PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import { currencyOf } from "../../reference/currencies.ts"
import { dayIn } from "./books.ts"
import { StatementKind } from "./statement-kinds.ts"

/** The operation of the job. */
export const readStatementsOperation = "read_statements"

/** The id of the job, which belongs to the platform. */
export const statementJobOf = (external_account_id: string): string => `statements.${external_account_id}`

/** `failing_since`: when reading began to fail, in epoch milliseconds. Null: the last reading succeeded. */
export interface StatementJobBody {
  readonly operation: typeof readStatementsOperation
  readonly provider: string
  readonly external_account_id: string
  readonly cursor: string | null
  readonly failing_since: number | null
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

/** The job that reads the statements of an account for the first time. */
export const firstReading = ({ data: { provider }, id }: Row<ExternalAccountData>, at: number): JobWrite => {
  const body: StatementJobBody = {
    operation: readStatementsOperation,
    provider,
    external_account_id: id,
    cursor: null,
    failing_since: null
  }
  const job_id = statementJobOf(id)
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

/** A line that the ledger cannot have, and why. */
export interface RefusedLine {
  readonly line: StatementLine
  readonly fault: string
}

/** What a page has of an account: its lines, and those that are refused, each for itself. */
export interface ReadLines {
  readonly lines: ReadonlyArray<ChunkLine>
  readonly refused: ReadonlyArray<RefusedLine>
}

const decimals = /^(\d{1,18})(?:\.(\d+))?$/

/**
 * A line as a bank's would be. Its id, which no other line has, is its bank reference; the command that it is of is its end-to-end id,
 * or without one the provider's own reference, or the pay-in's.
 */
const lineOf = (line: StatementLine, amount: string, time_zone: string): ChunkLine => {
  const { booked_at, command_id, currency, direction, id, narration, payin_id, provider_reference, transaction_hash } =
    line
  const [reference = null, ...others] = [command_id, provider_reference, payin_id].filter((one) => one !== null)
  const texts = [narration, ...others].filter((one) => one !== null && one !== "")
  const booked_on = dayIn(time_zone, booked_at)
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
    place: `line ${id}`,
    nth: 0
  }
}

/** The lines of a page that are of an account's currency. One of zero moves nothing; one that is refused hides no other. */
export const readLines = (
  { currency, time_zone }: Pick<ExternalAccountData, "currency" | "time_zone">,
  page: ReadonlyArray<StatementLine>
): ReadLines => {
  const { code, ledger_scale } = currencyOf(currency)
  const lines = new Map<string, ChunkLine>()
  const refused: Array<RefusedLine> = []
  for (const line of page) {
    if (line.currency !== code || !/[1-9]/.test(line.amount)) continue
    const [, whole, fraction = ""] = decimals.exec(line.amount) ?? []
    if (whole === undefined || fraction.replace(/0+$/, "").length > ledger_scale)
      refused.push({
        line,
        fault: `amount is ${line.amount}; the ledger takes at most 18 digits and ${ledger_scale} decimals in ${code}`
      })
    // A line that a page has twice is one: its id names it.
    else lines.set(line.id, lineOf(line, exactAmount(line.amount, ledger_scale).toString(), time_zone))
  }
  return { lines: [...lines.values()], refused }
}

/** The statement of an account's lines, of which there is at least one. `cursor`: up to where the provider was read. */
export const statementOf = (
  { currency, kind }: Pick<ExternalAccountData, "currency" | "kind">,
  external_account_id: string,
  lines: ReadonlyArray<ChunkLine>,
  cursor: string | null,
  chunks: number
): StatementData => {
  const days = lines.map(({ booked_on }) => booked_on).sort()
  return {
    external_account_id,
    format: kind === "chain" ? "chain" : "protocol",
    message_id: cursor,
    number: null,
    from: days[0]!,
    to: days.at(-1)!,
    currency,
    opening_balance: null,
    closing_balance: null,
    lines: lines.length,
    pending: 0,
    chunks,
    warnings: []
  }
}
