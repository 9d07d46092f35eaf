/** Pay-ins at the provider, as pure decisions over its books. */
import type { PayinEvent, PayinSender } from "../../../engine/ports/Provider.ts"
import { lastFour } from "../../../engine/ports/provider-events.ts"
import type { PayinInput } from "../../../engine/ports/Sandbox.ts"
import { deriveAddress, transactionHashOf } from "./hashing.ts"

/**
 * A stored pay-in. `reports` counts its reports; `refunded` is the amount sent back, a decimal string. `came_back`: parts of
 * that amount which came back, or will.
 */
export interface SimulatedPayin {
  readonly target: string
  readonly amount: string
  readonly currency: string
  readonly network: string | null
  readonly transaction_hash: string | null
  readonly from_address: string | null
  readonly sender: PayinSender | null
  readonly narration: string | null
  readonly observed_at: number
  readonly reports: number
  readonly refunded: string
  /** It was reported as confirmed: what the books have of it does not change any more. */
  readonly confirmed?: true
  readonly came_back?: ReadonlyArray<{ readonly command_id: string; readonly at: number; readonly amount: string }>
}

/** The store keeps only the last four digits of a payer's account number (DEPOSIT-14). */
export const maskSender = (sender: PayinSender | null): PayinSender | null =>
  sender?.account_number === undefined ? sender : { ...sender, account_number: lastFour(sender.account_number) }

const makePayin = (input: PayinInput, payin_id: string, now: number): SimulatedPayin => {
  const chain = input.network === null || input.network === "bank" ? null : input.network
  const seed = `${input.merchant_id} ${payin_id}`
  return {
    target: input.target,
    amount: input.amount,
    currency: input.currency,
    network: input.network,
    transaction_hash: chain === null ? null : transactionHashOf(chain, seed),
    from_address: input.from_address ?? (chain === null ? null : deriveAddress(chain, `payer of ${seed}`)),
    sender: maskSender(input.sender),
    narration: input.narration,
    observed_at: now,
    reports: 0,
    refunded: "0"
  }
}

/**
 * Reports a pay-in, or a later stage of it, as `input` says. Each report is an event of its own, even when it repeats an
 * earlier one. The books follow the reports until one confirms the pay-in.
 */
export const report = (
  known: SimulatedPayin | undefined,
  input: PayinInput,
  payin_id: string,
  now: number
): { readonly payin: SimulatedPayin; readonly event: PayinEvent } => {
  const first = makePayin(input, payin_id, known?.observed_at ?? now)
  const stated: SimulatedPayin =
    known === undefined
      ? first
      : {
          ...first,
          from_address: input.from_address ?? known.from_address,
          sender: first.sender ?? known.sender,
          narration: first.narration ?? known.narration
        }
  const reports = (known?.reports ?? 0) + 1
  const booked: SimulatedPayin = known?.confirmed === true ? known : stated
  const { reports: _, refunded: __, confirmed: ___, ...reported } = stated
  return {
    payin: {
      ...booked,
      reports,
      refunded: known?.refunded ?? "0",
      ...(known?.came_back === undefined ? {} : { came_back: known.came_back }),
      ...(known?.confirmed === true || input.stage === "confirmed" ? { confirmed: true as const } : {})
    },
    event: {
      _tag: "payin",
      event_id: `${input.merchant_id}.${payin_id}.${reports}`,
      payin_id,
      stage: input.stage,
      ...reported
    }
  }
}
