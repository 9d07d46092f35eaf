/** The `/v1` shape of a batch, and of its rows (BATCH-1). */
import { Schema } from "effect"
import type { BatchData, BatchRow, BatchRowError, BatchSum } from "../../../machines/movements/batch.ts"
import { describe } from "../../input/schemas.ts"
import type { Row } from "../../ports/Storage.ts"
import { limitMembers } from "../../ports/errors.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  amountOf,
  anyIdOf,
  bodyOf,
  countOf,
  createdAt,
  currencyCodeOf,
  flagOf,
  idOf,
  orNull,
  textOf,
  timeOf,
  updatedAt,
  wordOf
} from "../members.ts"
import { offrampStatuses } from "./offramp.ts"
import { isoOrNull } from "../../ports/Time.ts"

export const batchStatuses = ["draft", "processing", "completed", "cancelled"] as const
export const batchRowStatuses = ["valid", "invalid", "pending", "created", "failed", "cancelled"] as const
export type BatchRowStatus = (typeof batchRowStatuses)[number]
export const batchOperations = ["transfer", "offramp"] as const

const SumBody = Schema.Struct({
  currency: currencyCodeOf("The currency of the sum."),
  amount: amountOf("The sum, in `currency`.", "39300.00")
}).annotate({ identifier: "BatchSum", description: "A sum of rows in one currency." })

const RowErrorBody = Schema.Struct({
  row: countOf("The row, from 1.", 7),
  field: textOf("The column.", "beneficiary_id"),
  code: textOf("What is wrong: as in `meta.errors`, or the code of the refusal.", "invalid_format"),
  message: textOf(
    "A sentence that says what was found and what is accepted.",
    'beneficiary_id is "b-17"; it takes an id that begins with ben_'
  ),
  ...limitMembers
}).annotate({ identifier: "BatchRowError", description: "What is wrong with one row." })

const CountsBody = Schema.Struct({
  rows: countOf("All rows.", 400),
  valid: countOf("Rows without an error. Only these are paid.", 393),
  invalid: countOf("Rows with an error.", 7),
  created: countOf("Rows that have become a movement.", 390),
  failed: countOf("Rows that were refused when they were paid.", 3),
  cancelled: countOf("Rows that had not begun when the batch was cancelled.", 0)
}).annotate({ identifier: "BatchCounts", description: "How many rows there are, and what became of them." })

const makeSumsSchema = (words: string) => describe(Schema.Array(SumBody), words)

export const BatchBody = Schema.Struct({
  id: idOf("bat", "The id of the batch."),
  reference: textOf("Your name for the batch. A row without a reference gets `<reference>-<row>`.", "payroll-2026-01"),
  status: wordOf(batchStatuses, "The status of the batch.", {
    draft: "its rows are checked, and nothing is paid",
    processing: "its valid rows become movements",
    completed: "each valid row has become a movement or was refused",
    cancelled: "what had not begun was stopped"
  }),
  counts: CountsBody,
  totals: makeSumsSchema(
    "What leaves the wallets for the valid rows, fees included, by currency: as checked, and once they are paid as they were. Rows that fail take nothing, and rows that a cancellation stops neither."
  ),
  received: makeSumsSchema(
    "What the recipients of the valid rows receive, by currency, without rows that fail or are stopped."
  ),
  fees: makeSumsSchema(
    "The fees of the valid rows, by currency, without rows that fail or are stopped. Quotes of their own decide them when the rows are paid: no row takes more than was confirmed."
  ),
  confirmed_at: orNull(timeOf("When it was confirmed. Null if it was not.")),
  ended_at: orNull(timeOf("When it was completed or cancelled. Null until then.")),
  created_at: createdAt,
  updated_at: updatedAt
}).annotate({ identifier: "Batch", description: "Payouts that are checked and confirmed together." })
export type BatchBody = typeof BatchBody.Type

export const CheckedBatchBody = Schema.Struct({
  ...BatchBody.fields,
  errors: describe(
    Schema.Array(RowErrorBody),
    "What is wrong with the invalid rows: the first 1,000. `GET /v1/batches/{id}/rows?status=invalid` has all."
  )
}).annotate({ identifier: "CheckedBatch", description: "A batch with the errors of its rows." })
export type CheckedBatchBody = typeof CheckedBatchBody.Type

export const BatchRowBody = Schema.Struct({
  row: countOf("The row, from 1.", 1),
  status: wordOf(batchRowStatuses, "What has become of the row.", {
    valid: "it has no error, and is paid once the batch is confirmed",
    invalid: "it has errors, and is never paid",
    pending: "it is paid next",
    created: "`resource_id` names its movement",
    failed: "it was refused when it was paid",
    cancelled: "it had not begun when the batch was cancelled"
  }),
  operation: orNull(textOf("The operation: `transfer` or `offramp`. Null if the row has none.", "offramp")),
  wallet_id: orNull(textOf("The wallet to debit. Null if the row has none.", "wal_01j9z3k4m5n6p7q8r9s0t1v2w3")),
  beneficiary_id: orNull(
    textOf(
      "The recipient: that of its movement, or the one that it names. Null as long as a row with details has no movement.",
      "ben_01j9z3k4m5n6p7q8r9s0t1v2w3"
    )
  ),
  recipient: orNull(
    textOf(
      "The name of whom it pays: of its movement, of its details, or of its beneficiary. Null if none is known.",
      "Chidi Okafor"
    )
  ),
  reference: textOf("The reference of its movement.", "payroll-2026-01-1"),
  source_amount: orNull(
    amountOf("What leaves the wallet, as checked, or of its movement. Null with errors.", "100.00")
  ),
  source_currency: orNull(currencyCodeOf("The currency of `source_amount`. Null with errors.")),
  received_amount: orNull(
    amountOf(
      "What the recipient receives, as checked, or by its movement. Null with errors, and once the movement has failed or came back.",
      "147753.75"
    )
  ),
  destination_currency: orNull(currencyCodeOf("The currency of `received_amount`. Null with errors.", "NGN")),
  fees: makeSumsSchema("The fees, by currency. None once the movement has failed or came back."),
  resource_id: orNull(anyIdOf("Its movement. Null as long as it has none.", "ofr")),
  resource_status: orNull(textOf("The status of its movement now. Null as long as it has none.", "success")),
  awaits_approval: flagOf("Whether its movement waits for other people to approve it.", false),
  resource_failure_reason: orNull(textOf("Why its movement failed. Null if it has not.", "quote_expired")),
  errors: describe(Schema.Array(RowErrorBody), "What is wrong with it, or why it was refused.")
}).annotate({ identifier: "BatchRow", description: "One payout of a batch." })
export type BatchRowBody = typeof BatchRowBody.Type

/** How many movements of a batch have one status, and what leaves the wallets for them. */
const BatchMovementsBody = Schema.Struct({
  resource_status: textOf("The status of these movements.", "success"),
  awaits_approval: flagOf("Whether these movements wait for other people to approve them.", false),
  count: countOf("How many they are.", 398),
  totals: makeSumsSchema("What leaves the wallets for them, fees included, by currency.")
}).annotate({ identifier: "BatchMovements", description: "Movements of a batch that are alike in their status." })

export const BatchSummaryBody = Schema.Struct({
  movements: describe(
    Schema.Array(BatchMovementsBody),
    "Those of all rows that have become a movement, by status. What waits for approval is counted apart."
  )
}).annotate({ identifier: "BatchSummary", description: "What has become of the movements of a batch." })
export type BatchSummaryBody = typeof BatchSummaryBody.Type

const formatSums = (all: ReadonlyArray<BatchSum>) =>
  all.map(({ amount, currency }) => ({ currency, amount: displayAmount(amount, currency) }))

const nothing: BatchData["totals"] = { source: [], received: [], fees: [] }

/**
 * The totals of a batch. One that was cancelled with no row begun takes nothing: earlier releases kept the totals of the check. Of one that
 * they cancelled amid its payment, only the rows say what is left.
 */
const readTotals = (status: string, { created, totals }: BatchData): BatchData["totals"] =>
  status === "cancelled" && created === 0 ? nothing : totals

export const batchBody = bodyOf(BatchBody, ({ status, data: b }: Row<BatchData>) => ({
  counts: {
    rows: b.rows,
    valid: b.valid,
    invalid: b.rows - b.valid,
    created: b.created,
    failed: b.failed,
    cancelled: status === "cancelled" ? b.valid - b.created - b.failed : 0
  },
  totals: formatSums(readTotals(status, b).source),
  received: formatSums(readTotals(status, b).received),
  fees: formatSums(readTotals(status, b).fees),
  confirmed_at: isoOrNull(b.confirmed_at),
  ended_at: isoOrNull(b.ended_at)
}))

/** Lists the errors of a row, each with its number. */
export const rowErrors = ({ errors, failure, row }: BatchRow): BatchRowBody["errors"] =>
  [...errors, ...(failure === null ? [] : [failure])].map((one: BatchRowError) => ({ row, ...one }))

/** What a row shows of its movement. */
export interface RowMovement {
  readonly status: string
  readonly awaits_approval: boolean
  readonly recipient: string
  readonly beneficiary_id: string
  readonly failure_reason: string | null
  readonly source: string
  readonly source_currency: string
  readonly received: string | null
  readonly fees: ReadonlyArray<BatchSum>
}

/** Ranks a status in the order in which statuses follow each other; what waits for approval comes last. */
const rankStatus = (one: Pick<BatchSummaryBody["movements"][number], "resource_status" | "awaits_approval">): number =>
  (one.awaits_approval ? offrampStatuses.length : 0) +
  offrampStatuses.findIndex((status) => status === one.resource_status)

export const batchSummaryBody = (movements: ReadonlyArray<RowMovement>): BatchSummaryBody => {
  const groups = new Map<string, BatchSummaryBody["movements"][number] & { readonly minor: Map<string, bigint> }>()
  for (const { awaits_approval, source, source_currency: currency, status } of movements) {
    const key = `${status} ${awaits_approval}`
    const { count, minor } = groups.get(key) ?? { count: 0, minor: new Map<string, bigint>() }
    minor.set(currency, (minor.get(currency) ?? 0n) + BigInt(source))
    groups.set(key, { resource_status: status, awaits_approval, count: count + 1, totals: [], minor })
  }
  return {
    movements: [...groups.values()]
      .toSorted((a, b) => rankStatus(a) - rankStatus(b))
      .map(({ minor, ...one }) => ({
        ...one,
        totals: formatSums([...minor].toSorted().map(([currency, sum]) => ({ currency, amount: sum.toString() })))
      }))
  }
}

const toTextOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** Reads the name in the details of a recipient as they were sent: they may be anything. */
const readSentName = (sent: unknown): string | null =>
  typeof sent === "object" && sent !== null && "name" in sent ? toTextOrNull(sent.name) : null

/** Shows a row with its movement. `payee`: the name of the beneficiary that the row names. */
export const batchRowBody = (
  row: BatchRow,
  status: BatchRowStatus,
  movement: RowMovement | undefined,
  payee: string | undefined
): BatchRowBody => {
  const { priced, sent } = row
  const source = priced === null ? null : (movement?.source ?? priced.source.amount)
  const received = priced === null ? null : movement === undefined ? priced.received.amount : movement.received
  return {
    row: row.row,
    status,
    operation: toTextOrNull(sent["operation"]),
    wallet_id: toTextOrNull(sent["wallet_id"]),
    beneficiary_id: movement?.beneficiary_id ?? toTextOrNull(sent["beneficiary_id"]),
    recipient: movement?.recipient ?? payee ?? readSentName(sent["beneficiary"]),
    reference: row.reference,
    source_amount: source === null ? null : displayAmount(source, priced!.source.currency),
    source_currency: priced?.source.currency ?? null,
    received_amount: received === null ? null : displayAmount(received, priced!.received.currency),
    destination_currency: priced?.received.currency ?? null,
    fees: formatSums(movement?.fees ?? priced?.fees ?? []),
    resource_id: row.resource_id,
    resource_status: movement?.status ?? null,
    awaits_approval: movement?.awaits_approval ?? false,
    resource_failure_reason: movement?.failure_reason ?? null,
    errors: rowErrors(row)
  }
}
