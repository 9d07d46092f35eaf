/** Money that comes in at the provider, and money that it sends back, as pure decisions over what its books hold. */
import { exactAmount } from "../../../machines/kernel/money.ts"
import type { PayinEvent, RefundCommand, Sender, Standing } from "../../../engine/ports/Provider.ts"
import type { PayinInput } from "../../../engine/ports/Sandbox.ts"
import { addressOf, transactionHashOf } from "./hashing.ts"
import type { Conditions, Reply } from "./instruction.ts"
import { plain, scriptOfNumber } from "./script.ts"

/** A pay-in at rest. `reports` counts what was said of it; `refunded` is a decimal string, what went back. */
export interface Payin {
  readonly target: string
  readonly amount: string
  readonly currency: string
  readonly network: string | null
  readonly transaction_hash: string | null
  readonly from_address: string | null
  readonly sender: Sender | null
  readonly narration: string | null
  readonly observed_at: number
  readonly reports: number
  readonly refunded: string
}

/** Decisions 10.6: of a payer's account number only the last four digits enter a store. */
export const masked = (sender: Sender | null): Sender | null =>
  sender?.account_number === undefined ? sender : { ...sender, account_number: sender.account_number.slice(-4) }

const arrived = (input: PayinInput, payin_id: string, now: number): Payin => {
  const chain = input.network === null || input.network === "bank" ? null : input.network
  const seed = `${input.merchant_id} ${payin_id}`
  return {
    target: input.target,
    amount: input.amount,
    currency: input.currency,
    network: input.network,
    transaction_hash: chain === null ? null : transactionHashOf(chain, seed),
    from_address: input.from_address ?? (chain === null ? null : addressOf(chain, `payer of ${seed}`)),
    sender: masked(input.sender),
    narration: input.narration,
    observed_at: now,
    reports: 0,
    refunded: "0"
  }
}

/** One more report of a pay-in. Every report is an event of its own, also when it says what was said before. */
export const report = (
  known: Payin | undefined,
  input: PayinInput,
  payin_id: string,
  now: number
): { readonly payin: Payin; readonly event: PayinEvent } => {
  const before = known ?? arrived(input, payin_id, now)
  const payin = { ...before, reports: before.reports + 1 }
  const { reports, refunded: _, ...told } = payin
  return {
    payin,
    event: {
      _tag: "payin",
      event_id: `${input.merchant_id}.${payin_id}.${reports}`,
      payin_id,
      stage: input.stage,
      ...told
    }
  }
}

/** A refund at rest: how often it was asked for, and whether the money went back. */
export interface Refund {
  readonly payin_id: string
  readonly amount: string
  readonly currency: string
  readonly submissions: number
  readonly standing: "absent" | "taken" | "rejected"
}

export interface Refunded {
  readonly refund: Refund
  /** The pay-in it is taken from, when that changes. */
  readonly payin: Payin | null
  readonly reply: Reply
}

const scale = 18
const units = (amount: string): bigint => exactAmount(amount, scale)
const decimal = (amount: bigint): string => {
  const digits = amount.toString().padStart(scale + 1, "0")
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Whether the money went back. */
export const refundStanding = (known: Refund | undefined): Standing =>
  known?.standing === "taken"
    ? { _tag: "settled", outcome: { outcome: "success", reason: null, transaction_hash: null } }
    : { _tag: "absent" }

const refused: Reply = { _tag: "rejected", reason: "refund_failed", refundable: false }

/**
 * A request to send a pay-in back, the first or a repeat. Accepted, it is done.
 *
 * More than came in never goes back. In `auto` mode the payer's account number has its magic endings here too: a payer
 * `0002` or `0007` cannot be paid back. A pay-in that is not in the books was reported by a callback, and is sent back.
 */
export const refund = (
  known: Refund | undefined,
  payin: Payin | undefined,
  command: RefundCommand,
  mode: Conditions["mode"]
): Refunded => {
  const { payin_id, amount, currency } = command
  const before: Refund = known ?? { payin_id, amount, currency, submissions: 0, standing: "absent" }
  const here = { ...before, submissions: before.submissions + 1 }
  const answered = (reply: Reply, standing = here.standing): Refunded => ({
    refund: { ...here, standing },
    payin: null,
    reply
  })
  if (here.standing === "taken") return answered({ _tag: "accepted" })
  if (here.standing === "rejected") return answered(refused)
  const script = mode === "auto" ? scriptOfNumber(payin?.sender?.account_number ?? "") : plain
  if (script.rejects || script.lines[0]?.outcome === "refund_failed") return answered(refused, "rejected")
  if (here.submissions <= script.unavailable) return answered({ _tag: "unavailable" })
  if (script.loses === "absent" && here.submissions === 1) return answered({ _tag: "lost" })
  const total = units(payin?.refunded ?? "0") + units(amount)
  if (payin !== undefined && (total > units(payin.amount) || currency !== payin.currency))
    return answered(refused, "rejected")
  return {
    refund: { ...here, standing: "taken" },
    payin: payin === undefined ? null : { ...payin, refunded: decimal(total) },
    reply: script.loses === "executed" ? { _tag: "lost" } : { _tag: "accepted" }
  }
}
