/** What the magic endings of an account number or an EVM address do, in `auto` mode (decisions 12). */
import type { Destination, MovementOutcomeType } from "../../../engine/ports/Provider.ts"

const days = 24 * 60 * 60 * 1000

/** Something to be said once the provider has the instruction. */
export interface Line {
  readonly outcome: MovementOutcomeType
  /** After the delay of the provider, milliseconds. */
  readonly after_ms: number
}

export interface Script {
  /** Turned away at once, for good. */
  readonly rejects: boolean
  /** How many submissions are turned away for want of capacity before one is taken. */
  readonly unavailable: number
  /** The first submission times out: after it was taken (`executed`) or before (`absent`). */
  readonly loses: "executed" | "absent" | null
  readonly lines: ReadonlyArray<Line>
  /** The lines are told together, the last one first, and each twice. */
  readonly jumbled: boolean
}

const success: Line = { outcome: "success", after_ms: 0 }

/** Taken, and paid. */
export const plain: Script = { rejects: false, unavailable: 0, loses: null, lines: [success], jumbled: false }

/** Taken, and nothing said: in `manual` mode every word waits for a call. */
export const silent: Script = { ...plain, lines: [] }

const magic: Readonly<Record<string, Script>> = {
  "0002": { ...plain, rejects: true, lines: [] },
  "0003": { ...plain, unavailable: 2 },
  "0004": { ...plain, loses: "executed" },
  "0005": { ...plain, loses: "absent" },
  "0006": { ...plain, lines: [success, { outcome: "returned", after_ms: 3 * days }] },
  "0007": { ...plain, lines: [{ outcome: "refund_failed", after_ms: 0 }] },
  "0008": { ...plain, lines: [{ outcome: "temporarily_unavailable", after_ms: 0 }, success], jumbled: true }
}

/** The script of an account number or EVM address by its last four characters. */
export const scriptOfNumber = (number: string): Script => magic[number.slice(-4)] ?? plain

/** A payshap proxy is no account number, and a Solana address has no magic ending. */
export const scriptOf = (destination: Destination | null): Script => {
  if (destination === null) return plain
  if (destination.type === "fiat")
    return destination.rail === "payshap" ? plain : scriptOfNumber(destination.account_number)
  return destination.address.startsWith("0x") ? scriptOfNumber(destination.address) : plain
}
