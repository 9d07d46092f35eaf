/**
 * A bank statement: what a bank or a chain says of an external account over some days. It never changes (INGEST-1).
 *
 * A file of any size is taken in steps of bounded size (INGEST-5). Its lines are stored in chunks, which nobody sees; then the file is
 * taken, which makes its statements; and then each chunk becomes lines, by itself where its caller has ended.
 */
import { assign, setup } from "xstate"
import { cancel, lifecycle, outcomes, makeRecordLifecycle } from "../kernel/lifecycle.ts"
import type { BookedLine } from "./statement-line.ts"

/** The formats of files, and what is read from a provider's protocol and from a chain. */
export const statementSources = [
  "camt.052",
  "camt.053",
  "camt.054",
  "mt940",
  "mt942",
  "bai2",
  "csv",
  "protocol",
  "chain"
] as const
type StatementSource = (typeof statementSources)[number]

/** `amount`: minor units as decimal integer text, below zero for an overdraft, at the start or the end of `date`. */
export interface BalanceOnDate {
  readonly date: string
  readonly amount: string
}

/** What was noticed and not refused. `place` is null where it is no place in the file. */
export interface NoticedWarning {
  readonly code: string
  readonly message: string
  readonly place: string | null
}

/**
 * `number` is the statement's within its series, where the bank numbers it; a chain's is the block of its closing balance. `from` and `to`
 * are dates, both included. `lines` and `pending` count; pending entries are not lines. `chunks`: how many records under its id have its
 * lines ({@link StatementChunkData}), at least one. `unreached`: what its closing balance has beyond what its lines lead to, in minor units,
 * which may be below zero. Absent: nothing. Without a balance, its lines came late, or were read again: less what those move that came late. `warnings`: those of its reader.
 *
 * `made_at`: when the bank made it. `first` and `last`: the days that it speaks of, its entries' included. `days`: what its lines sum to on
 * each of them, credits less debits. Absent in rows of earlier releases.
 *
 * Computed from all statements of the account, and written again when that says otherwise: `shared`, how many of its bookings are lines that
 * another statement had first, by day and statement; `noticed`, its warnings `gap`, `replaced` and `overlaps`.
 */
export interface StatementData {
  readonly external_account_id: string
  readonly format: StatementSource
  readonly message_id: string | null
  readonly number: string | null
  readonly from: string | null
  readonly to: string | null
  readonly currency: string
  readonly opening_balance: BalanceOnDate | null
  readonly closing_balance: BalanceOnDate | null
  readonly lines: number
  readonly pending: number
  readonly chunks: number
  readonly warnings: ReadonlyArray<NoticedWarning>
  readonly unreached?: string
  readonly made_at?: string | null
  /** An interim report, where its format does not say so. */
  readonly interim?: true
  readonly first?: string
  readonly last?: string
  readonly days?: Readonly<Record<string, string>>
  readonly shared?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly noticed?: ReadonlyArray<NoticedWarning>
}

export const StatementLifecycle = makeRecordLifecycle<StatementData>("statement")

/**
 * A file of statements. `digest` is the SHA-256 of its bytes, with how they were to be read where a file does not say it itself, as hex.
 * `ids` are those of its statements, which are there once it is `taken`.
 */
export interface StatementFileData {
  readonly digest: string
  readonly ids: ReadonlyArray<string>
  readonly taken: boolean
}

export const StatementFile = makeRecordLifecycle<StatementFileData>("statement_file")

/**
 * What an account has had: each statement, each part of its lines and each close writes it, so that two that decide at once are in order.
 * `sealed_until`: the latest day that is sealed. Rows of before have closes without it. `statements`: how many were taken.
 */
export interface StatementRosterData {
  readonly chunks: number
  readonly closings: number
  readonly sealed_until?: string
  readonly statements?: number
}

export const StatementRoster = makeRecordLifecycle<StatementRosterData>("statement_roster")

/** A part of the bookings of a statement, in their order, until they are lines. Then it is empty. */
export interface StatementChunkData {
  readonly statement_id: string
  readonly external_account_id: string
  readonly lines: ReadonlyArray<BookedLine>
}

export interface StatementChunkEvent {
  readonly type: "expanded"
}

/** The timer by which a chunk becomes lines where the caller that took its file has ended. */
export const expandTimer = "expand"

export const StatementChunk = lifecycle<StatementChunkData, StatementChunkEvent>(
  "statement_chunk",
  setup({
    types: { context: {} as StatementChunkData, events: {} as StatementChunkEvent, input: {} as StatementChunkData },
    actions: { ...outcomes, expanded: assign(() => ({ lines: [] })) }
  }).createMachine({
    id: "statement_chunk",
    version: "1",
    context: ({ input }) => input,
    initial: "stored",
    states: {
      stored: { on: { expanded: { target: "expanded", actions: ["expanded", cancel(expandTimer)] } } },
      expanded: { type: "final" }
    }
  })
)
