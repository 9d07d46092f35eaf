/** `corridor batch` */
import { Effect, Option, Schedule } from "effect"
import { Argument, Command } from "effect/cli"
import type { BatchRow, BatchSummary, CheckedBatch } from "../../client/index.ts"
import { found } from "../failure.ts"
import { readCsvText, writeFileText } from "../files.ts"
import { makeOptionalTextFlag, printResult, makeTextFlag } from "../globals.ts"
import { drawProgress } from "../progress.ts"
import { asDryRun, asMerchant, readAllItems, openMerchantApi, printAct, type ServerApi } from "../server/api.ts"

const formatSums = (sums: CheckedBatch["totals"]): string =>
  sums.length === 0 ? "nothing" : sums.map(({ amount, currency }) => `${amount} ${currency}`).join(", ")

const formatSummary = ({
  counts: n,
  fees,
  id,
  received,
  reference,
  status,
  totals
}: CheckedBatch): ReadonlyArray<string> => [
  `${id}  ${reference}  ${status}`,
  `  ${n.rows} rows: ${[
    `${n.valid} valid`,
    `${n.invalid} invalid`,
    ...(status === "draft" ? [] : [`${n.created} created`, `${n.failed} failed`, `${n.cancelled} cancelled`])
  ].join(", ")}`,
  `  leaves the wallets: ${formatSums(totals)}; recipients receive: ${formatSums(received)}; fees: ${formatSums(fees)}`
]

type RowError = CheckedBatch["errors"][number]

const formatRowError = ({ code, field, message, row }: RowError): string => `row ${row}, ${field}: ${message} (${code})`

/** Says how many invalid rows a response leaves out. */
const describeFurtherErrors = ({ counts, errors, id }: CheckedBatch): ReadonlyArray<string> => {
  const shown = new Set(errors.map(({ row }) => row)).size
  return counts.invalid > shown
    ? [`${counts.invalid - shown} more invalid rows: corridor batch status ${id} --results FILE has all.`]
    : []
}

const id = Argument.String("id").pipe(Argument.withDescription("The batch, bat_…"))
const makeBatchPath = (id: string): string => `/v1/batches/${encodeURIComponent(id)}`

const getBatch = (
  api: ServerApi,
  id: string
): Effect.Effect<CheckedBatch, Effect.Error<ReturnType<ServerApi["ask"]>>> =>
  Effect.map(api.ask("GET", makeBatchPath(id)), ({ data }) => data as CheckedBatch)

const check = Command.make(
  "check",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("A CSV file whose header has the names of the members of a row")
    ),
    reference: makeTextFlag("reference", "TEXT", "Your name for the batch, unique among those that you pay"),
    ...asDryRun,
    ...asMerchant
  },
  Effect.fnUntraced(function* ({ dryRun, file, reference, ...given }) {
    const api = yield* openMerchantApi(given)
    const csv = yield* readCsvText(file)
    const response = yield* api.ask("POST", "/v1/batches", { reference, csv }, dryRun)
    const batch = response.data as CheckedBatch
    const next =
      batch.counts.valid === 0 ? "No row can be paid." : `Pay the valid rows with: corridor batch pay ${batch.id}`
    const [rest, end] = dryRun ? [[], []] : [describeFurtherErrors(batch), [next]]
    yield* printAct(response, [...batch.errors.map(formatRowError), ...rest, ...formatSummary(batch), ...end])
    if (batch.counts.invalid > 0) return yield* found
  })
).pipe(
  Command.withShortDescription("Check a file of payouts, and make it a draft"),
  Command.withDescription(
    "Checks each payout of a CSV file as it would be decided now, and all of them together. Nothing is paid. Prints what is wrong by row and column, the totals and the fees. Rows count from 1, after the header. Exit code 1 if a row is invalid."
  ),
  Command.withExamples([{ command: "corridor batch check payroll.csv --reference payroll-2026-01" }])
)

/** How often a batch that is being paid is read. */
const every = Schedule.spaced("1 second")

const listRefusedRows = Effect.fnUntraced(function* (api: ServerApi, batch: CheckedBatch) {
  if (batch.counts.failed === 0) return []
  const rows = (yield* readAllItems(api, `${makeBatchPath(batch.id)}/rows`, {
    status: "failed"
  })) as ReadonlyArray<BatchRow>
  return rows.flatMap(({ errors }) => errors.map(formatRowError))
})

const pay = Command.make(
  "pay",
  { id, ...asDryRun, ...asMerchant },
  Effect.fnUntraced(function* ({ dryRun, id, ...given }) {
    const api = yield* openMerchantApi(given)
    const response = yield* api.ask("POST", `${makeBatchPath(id)}/confirm`, {}, dryRun)
    const isWaiting = response.meta["approval"] !== undefined
    if (dryRun || isWaiting) return yield* printAct(response, formatSummary(response.data as CheckedBatch))
    const { end, progress } = yield* drawProgress()
    const read = Effect.tap(getBatch(api, id), ({ counts: n }) =>
      Effect.sync(() => progress(n.valid === 0 ? 1 : (n.created + n.failed) / n.valid, `${n.created} of ${n.valid}`))
    )
    const ended = yield* Effect.repeat(read, {
      schedule: every,
      while: ({ status }) => status === "processing"
    }).pipe(Effect.ensuring(end))
    const refused = yield* listRefusedRows(api, ended)
    yield* printResult([...refused, ...formatSummary(ended)], ended)
    if (ended.counts.failed > 0 || ended.status === "cancelled") return yield* found
  })
).pipe(
  Command.withShortDescription("Pay the valid rows of a batch"),
  Command.withDescription(
    "Confirms a batch and waits until each valid row has become a movement or was refused. It may be stopped and repeated at any time: the server goes on, and each row is paid once. What becomes of the movements afterwards, corridor batch status shows. Exit code 1 if a row was refused."
  ),
  Command.withExamples([{ command: "corridor batch pay bat_01j9z3k4m5n6p7q8r9s0t1v2w3" }])
)

const status = Command.make(
  "status",
  {
    id,
    results: makeOptionalTextFlag(
      "results",
      "FILE",
      "Write all rows there as CSV, each with its movement as it is now"
    ),
    ...asMerchant
  },
  Effect.fnUntraced(function* ({ id, results, ...given }) {
    const api = yield* openMerchantApi(given)
    const batch = yield* getBatch(api, id)
    if (Option.isSome(results)) {
      const { data } = yield* api.ask("GET", `${makeBatchPath(id)}/rows?format=csv`)
      yield* writeFileText(results.value, String(data))
    }
    const { data } = yield* api.ask("GET", `${makeBatchPath(id)}/summary`)
    const { movements } = data as BatchSummary
    const refused = yield* listRefusedRows(api, batch)
    const errors =
      batch.status === "draft" ? [...batch.errors.map(formatRowError), ...describeFurtherErrors(batch)] : refused
    const made = movements.map(({ awaits_approval, count, resource_status, totals }) => {
      const status = awaits_approval ? (count === 1 ? "waits for approval" : "wait for approval") : resource_status
      return `  ${count} ${status}: ${formatSums(totals)}`
    })
    yield* printResult([...errors, ...formatSummary(batch), ...made], { ...batch, movements })
  })
).pipe(
  Command.withDescription("Prints what became of a batch, and writes its results as a file."),
  Command.withExamples([{ command: "corridor batch status bat_01j9z3k4m5n6p7q8r9s0t1v2w3 --results results.csv" }])
)

export const batch = Command.make("batch").pipe(
  Command.withDescription(
    "Up to 10,000 payouts that are checked together and paid row by row, with a merchant's API key."
  ),
  Command.withSubcommands([check, pay, status])
)
