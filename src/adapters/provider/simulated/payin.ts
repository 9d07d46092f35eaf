/** Pay-ins and refunds at the provider, as pure decisions over its books. */
import { exactAmount } from "../../../machines/kernel/money.ts"
import type { PayinEvent, RefundCommand, Sender, CommandStatus } from "../../../engine/ports/Provider.ts"
import type { PayinInput } from "../../../engine/ports/Sandbox.ts"
import { addressOf, transactionHashOf } from "./hashing.ts"
import type { Conditions, Reply } from "./instruction.ts"
import { plain, scriptOfNumber } from "./script.ts"

/** A stored pay-in. `reports` counts its reports; `refunded` is the amount sent back, a decimal string. */
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

/** The store keeps only the last four digits of a payer's account number (DEPOSIT-14). */
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

/** Reports a pay-in once more. Each report is an event of its own, even when it repeats an earlier one. */
export const report = (
  known: Payin | undefined,
  input: PayinInput,
  payin_id: string,
  now: number
): { readonly payin: Payin; readonly event: PayinEvent } => {
  const before = known ?? arrived(input, payin_id, now)
  const payin = { ...before, reports: before.reports + 1 }
  const { reports, refunded: _, ...reported } = payin
  return {
    payin,
    event: {
      _tag: "payin",
      event_id: `${input.merchant_id}.${payin_id}.${reports}`,
      payin_id,
      stage: input.stage,
      ...reported
    }
  }
}

/** A stored refund: how often it was requested, and whether the money went back. */
export interface Refund {
  readonly payin_id: string
  readonly amount: string
  readonly currency: string
  readonly submissions: number
  readonly status: "absent" | "taken" | "rejected"
}

export interface Refunded {
  readonly refund: Refund
  /** The pay-in after the refund. Null when it does not change. */
  readonly payin: Payin | null
  readonly reply: Reply
}

const scale = 18
const units = (amount: string): bigint => exactAmount(amount, scale)
const decimal = (amount: bigint): string => {
  const digits = amount.toString().padStart(scale + 1, "0")
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

const returned = { _tag: "settled", outcome: { outcome: "success", reason: null, transaction_hash: null } } as const

/** Whether the money went back, as the result of a lookup. */
export const refundStatus = (known: Refund | undefined): CommandStatus =>
  known?.status === "taken" ? returned : { _tag: "absent" }

const refused: Reply = { _tag: "rejected", reason: "refund_failed", refundable: false }

/**
 * Handles a request to refund a pay-in, the first or a repeat. A refund ends at once.
 *
 * Refunds never exceed the amount of the pay-in. In `auto` mode the magic endings of the payer's account number apply:
 * `0002` and `0007` cannot be refunded. A pay-in that is not in the books came from a callback, and is refunded.
 */
export const refund = (
  known: Refund | undefined,
  payin: Payin | undefined,
  command: RefundCommand,
  mode: Conditions["mode"]
): Refunded => {
  const { payin_id, amount, currency } = command
  const before: Refund = known ?? { payin_id, amount, currency, submissions: 0, status: "absent" }
  const here = { ...before, submissions: before.submissions + 1 }
  const answered = (reply: Reply, status = here.status): Refunded => ({
    refund: { ...here, status },
    payin: null,
    reply
  })
  if (here.status === "taken") return answered(returned)
  if (here.status === "rejected") return answered(refused)
  const script = mode === "auto" ? scriptOfNumber(payin?.sender?.account_number ?? "") : plain
  if (script.rejects || script.lines[0]?.outcome === "refund_failed") return answered(refused, "rejected")
  if (here.submissions <= script.unavailable) return answered({ _tag: "unavailable" })
  if (script.loses === "absent" && here.submissions === 1) return answered({ _tag: "lost" })
  const total = units(payin?.refunded ?? "0") + units(amount)
  if (payin !== undefined && (total > units(payin.amount) || currency !== payin.currency))
    return answered(refused, "rejected")
  return {
    refund: { ...here, status: "taken" },
    payin: payin === undefined ? null : { ...payin, refunded: decimal(total) },
    reply: script.loses === "executed" ? { _tag: "lost" } : returned
  }
}
