/**
 * The effects of the magic endings of an account number or an EVM address, in `auto` mode (SANDBOX-13 to SANDBOX-19, SANDBOX-24).
 */
import type { AwaitedPerson, Destination, MovementOutcomeType } from "../../../engine/ports/Provider.ts"

const days = 24 * 60 * 60 * 1000

/** An outcome that is reported after the provider accepts the instruction. */
export interface ScriptLine {
  readonly outcome: MovementOutcomeType
  /** Milliseconds after the provider's own delay. */
  readonly after_ms: number
}

export interface SimulatedScript {
  /** The submission is rejected at once and for good. */
  readonly rejects: boolean
  /** Number of submissions rejected as `unavailable` before one is accepted. */
  readonly unavailable: number
  /** The first submission times out, after it was accepted (`executed`) or before (`absent`). */
  readonly loses: "executed" | "absent" | null
  readonly lines: ReadonlyArray<ScriptLine>
  /** All outcomes are reported at once, in reverse order, each twice. */
  readonly jumbled: boolean
  /** Without whom it does not go on, until the first outcome. */
  readonly awaited_person?: AwaitedPerson
}

const success: ScriptLine = { outcome: "success", after_ms: 0 }

/** Accepted and paid. */
export const plain: SimulatedScript = { rejects: false, unavailable: 0, loses: null, lines: [success], jumbled: false }

/** Accepted without an outcome: in `manual` mode every outcome waits for a sandbox call. */
export const silent: SimulatedScript = { ...plain, lines: [] }

const magic: Readonly<Record<string, SimulatedScript>> = {
  "0002": { ...plain, rejects: true, lines: [] },
  "0003": { ...plain, unavailable: 2 },
  "0004": { ...plain, loses: "executed" },
  "0005": { ...plain, loses: "absent" },
  "0006": { ...plain, lines: [success, { outcome: "returned", after_ms: 3 * days }] },
  "0007": { ...plain, lines: [{ outcome: "refund_failed", after_ms: 0 }] },
  "0010": {
    ...plain,
    lines: [{ outcome: "success", after_ms: 30 * 60_000 }],
    awaited_person: { party: "provider", action: "review the payout" }
  },
  "0008": { ...plain, lines: [{ outcome: "temporarily_unavailable", after_ms: 0 }, success], jumbled: true }
}

/** Chooses a script by the last four characters of an account number or EVM address. */
export const chooseScriptByNumber = (number: string): SimulatedScript => magic[number.slice(-4)] ?? plain

/**
 * Chooses the script of a destination. A payshap proxy is not an account number, and Solana addresses have no magic endings: they
 * get the plain one.
 */
export const chooseScript = (destination: Destination | null): SimulatedScript => {
  if (destination === null) return plain
  if (destination.type === "fiat")
    return destination.rail === "payshap" ? plain : chooseScriptByNumber(destination.account_number)
  return destination.address.startsWith("0x") ? chooseScriptByNumber(destination.address) : plain
}
