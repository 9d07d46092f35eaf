/**
 * A batch of payouts: a checked `draft` until it is confirmed, `processing` while its rows become movements, part by part, and then
 * `completed`; `cancelled` ends what has not begun (BATCH-1, BATCH-4). A part with rows that wait holds up no other: it is looked at again
 * after the others, until nothing of it waits.
 */
import { assign, setup } from "xstate"
import type { ActSum } from "../controls/approval-rule.ts"
import { lifecycle, outcomes, makeRecordLifecycle, type Update } from "../kernel/lifecycle.ts"
import type { Counted } from "../kernel/payout.ts"

/** The timer that looks at the next part, or again at those with rows that wait. */
export const payTimer = "pay"

/** A sum in one currency: minor units as decimal integer text. */
export interface BatchSum {
  readonly currency: string
  readonly amount: string
}

/**
 * The sums of the rows without an error. A row that became a movement has the amounts of the movement. A refused row has none, and neither
 * has one of a cancelled batch without a movement.
 */
export interface BatchTotals {
  /** What leaves the wallets, fees included. */
  readonly source: ReadonlyArray<BatchSum>
  readonly received: ReadonlyArray<BatchSum>
  readonly fees: ReadonlyArray<BatchSum>
}

/** Times are epoch milliseconds. */
export interface BatchData {
  readonly reference: string
  readonly rows: number
  /** Rows without an error: those that are paid. */
  readonly valid: number
  readonly totals: BatchTotals
  /** The amounts of its payment as an act. */
  readonly sums: ReadonlyArray<ActSum>
  /** The number of parts, each with the same number of rows but for the last. */
  readonly parts: number
  /** Whether rows have references of their own. */
  readonly has_own_references: boolean
  /** The parts that have rows with an error. */
  readonly faulty: ReadonlyArray<number>
  /** The first part that nobody has looked at. */
  readonly next: number
  /** The parts before it that have rows which wait, or which a cancelled batch may have begun. Absent: none. */
  readonly waiting?: ReadonlyArray<number>
  /** Rows that became movements, and rows that were refused when they were paid. */
  readonly created: number
  readonly failed: number
  /** The API key that confirmed it. Null: none has, or the embedding application did. */
  readonly confirmed_by: string | null
  readonly confirmed_at: number | null
  readonly ended_at: number | null
  /** What it has counted of limits of batches when it was confirmed. Absent: none covers it. Each row gives back its own share. */
  readonly counted?: ReadonlyArray<Counted>
  /**
   * What the merchant's offramps had come to in the month when it was confirmed, by source currency: its rows add to it, in their order, and
   * so have the fees that were checked. Absent: it is not confirmed, has no offramp, or a release before confirmed it.
   */
  readonly volumes?: ReadonlyArray<BatchSum>
}

export type BatchEvent =
  | {
      readonly type: "confirm"
      readonly at: number
      readonly by: string | null
      readonly volumes?: ReadonlyArray<BatchSum>
    }
  /** `totals`: without the rows that have not ended. */
  | { readonly type: "cancel"; readonly at: number; readonly totals: BatchTotals }
  | { readonly type: "timer.pay"; readonly at: number }
  /** A part was looked at, for the first time or so that rows of it ended. `waits`: whether rows of it are left. */
  | {
      readonly type: "part"
      readonly at: number
      readonly part: number
      readonly created: number
      readonly failed: number
      /** The current sums of the rows. */
      readonly totals: BatchTotals
      readonly waits: boolean
    }

type Left = Pick<BatchData, "parts" | "next" | "waiting">

/** The parts that may have rows which have not ended, those with rows that wait first. */
export const listRemainingParts = ({ next, parts, waiting = [] }: Left): ReadonlyArray<number> => [
  ...waiting,
  ...Array.from({ length: parts - next }, (_, at) => next + at)
]

/** The next part and the waiting ones, after a part was looked at. */
const advanceParts = (
  { next, waiting = [] }: Left,
  { part, waits }: Extract<BatchEvent, { readonly type: "part" }>
): Pick<BatchData, "next" | "waiting"> => ({
  next: part === next ? next + 1 : next,
  waiting: [...waiting.filter((one) => one !== part), ...(waits ? [part] : [])]
})

const soon = {
  type: "timer",
  params: ({ event }: { readonly event: BatchEvent }) => ({ name: payTimer, at: event.at })
} as const

const machine = setup({
  types: { context: {} as BatchData, events: {} as BatchEvent, input: {} as BatchData },
  actions: {
    ...outcomes,
    confirmed: assign(({ event }) =>
      event.type === "confirm"
        ? { confirmed_at: event.at, confirmed_by: event.by, ...(event.volumes && { volumes: event.volumes }) }
        : {}
    ),
    counted: assign(({ context, event }) =>
      event.type === "part"
        ? {
            created: context.created + event.created,
            failed: context.failed + event.failed,
            totals: event.totals,
            ...advanceParts(context, event)
          }
        : {}
    ),
    withoutUnpaid: assign(({ event }) => (event.type === "cancel" ? { totals: event.totals } : {})),
    // What may have been begun is in the parts that were looked at, and in the next one. The others are left alone.
    stopped: assign(({ context, event }) => ({
      ended_at: event.at,
      next: context.parts,
      waiting: listRemainingParts({ ...context, parts: Math.min(context.next + 1, context.parts) })
    })),
    ended: assign(({ event }) => ({ ended_at: event.at }))
  },
  guards: {
    isLast: ({ context, event }) =>
      event.type === "part" && listRemainingParts({ ...context, ...advanceParts(context, event) }).length === 0
  }
}).createMachine({
  id: "batch",
  version: "1",
  context: ({ input }) => input,
  initial: "draft",
  states: {
    draft: {
      on: {
        confirm: { target: "processing", actions: ["confirmed", soon] },
        cancel: { target: "cancelled", actions: ["withoutUnpaid", "ended"] }
      }
    },
    processing: {
      on: {
        part: [{ guard: "isLast", target: "completed", actions: ["counted", "ended"] }, { actions: ["counted", soon] }],
        // The timer stays: it records what was begun.
        cancel: { target: "cancelled", actions: ["withoutUnpaid", "stopped"] }
      }
    },
    completed: { type: "final" },
    // What was begun when it was cancelled is counted.
    cancelled: {
      on: { part: [{ guard: "isLast", actions: "counted" }, { actions: ["counted", soon] }] }
    }
  }
})

export const PayoutBatch = lifecycle<BatchData, BatchEvent>("batch", machine)

/** What is wrong with a row: the column, and why. */
export interface BatchRowError {
  readonly field: string
  readonly code: string
  readonly message: string
  /** Of `limit_exceeded`. */
  readonly limit_id?: string
  readonly max?: string | number
  readonly used?: string | number
  readonly resets_at?: string | null
}

/** One row. Amounts are minor units as decimal integer text. */
export interface BatchRow {
  /** From 1. */
  readonly row: number
  /** What was sent. */
  readonly sent: { readonly [member: string]: unknown }
  /** The reference that its movement has. */
  readonly reference: string
  readonly errors: ReadonlyArray<BatchRowError>
  /** The amounts of the row as it was checked. Null: it has errors. */
  readonly priced: {
    readonly source: BatchSum
    readonly received: BatchSum
    readonly fees: ReadonlyArray<BatchSum>
    /** `source` in the currency of `received`, for limits. Absent: they have one currency. */
    readonly worth?: BatchSum
  } | null
  /** That of the beneficiary whom it names, as it was checked: another account has another. Absent: it names none, or has errors. */
  readonly screening_id?: string
  /**
   * Where its share of the batch's limit counts begins: the sum of the rows before it in the same currencies, minor units as decimal
   * integer text. Absent: it has errors, or a release before stored it.
   */
  readonly taken_before?: string
  /**
   * What the offramps before it take in its source currency, minor units as decimal integer text: the volume that chooses its fee has it.
   * Absent: it is no offramp, has errors, or a release before stored it.
   */
  readonly volume_before?: string
  /** Its movement. Null: it has none. */
  readonly resource_id: string | null
  /** Why it was refused when it was paid. */
  readonly failure: BatchRowError | null
  /**
   * The screening of its recipient that it waits for, and since when: epoch milliseconds. Absent: none, or it has ended.
   */
  readonly awaits?: { readonly beneficiary_id: string; readonly screening_id: string; readonly since: number }
}

/** Some rows of a batch, which are written together: `rows` counts as many for each part but the last. */
export interface BatchPartData {
  readonly rows: ReadonlyArray<BatchRow>
}

export const BatchPart = makeRecordLifecycle<BatchPartData>("batch_part")
export type BatchPartEvent = Update<BatchPartData>
