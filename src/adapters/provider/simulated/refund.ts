/** Pay-ins and refunds at the provider, as pure decisions over its books. */
import type {
  CommandStatus,
  PayinEvent,
  PayinSender,
  RefundCommand,
  RefundReport
} from "../../../engine/ports/Provider.ts"
import type { OutcomeInput, PayinInput, RefundHandling } from "../../../engine/ports/Sandbox.ts"
import { takeLastFour } from "../../../engine/ports/provider-events.ts"
import { parseExactAmount } from "../../../machines/kernel/money.ts"
import { deriveAddress, deriveTransactionHash } from "./hashing.ts"
import type { Reply, ScheduledEvents } from "./instruction.ts"
import { plain, type ScriptLine, chooseScriptByNumber, type SimulatedScript } from "./script.ts"

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

/** Masks the payer's account number to its last four digits: the store keeps no more (DEPOSIT-14). */
export const maskSender = (sender: PayinSender | null): PayinSender | null =>
  sender?.account_number === undefined ? sender : { ...sender, account_number: takeLastFour(sender.account_number) }

/**
 * Makes the event that reports a pay-in, or a later stage of it, and the pay-in after it. Each report is an event of its own,
 * even when it repeats an earlier one. The stored pay-in follows the reports until one confirms it.
 */
export const reportPayin = (
  known: SimulatedPayin | undefined,
  input: PayinInput,
  payin_id: string,
  now: number
): { readonly payin: SimulatedPayin; readonly event: PayinEvent } => {
  const chain = input.network === null || input.network === "bank" ? null : input.network
  const seed = `${input.merchant_id} ${payin_id}`
  const first = {
    target: input.target,
    amount: input.amount,
    currency: input.currency,
    network: input.network,
    transaction_hash: chain === null ? null : deriveTransactionHash(chain, seed),
    from_address: input.from_address ?? (chain === null ? null : deriveAddress(chain, `payer of ${seed}`)),
    sender: maskSender(input.sender),
    narration: input.narration,
    observed_at: known?.observed_at ?? now,
    reports: 0,
    refunded: "0"
  }
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

/** A reported or scheduled outcome of a refund. `at` is epoch milliseconds of the service clock. */
export interface ScheduledRefund {
  readonly event_id: string
  readonly at: number
  readonly outcome: RefundReport["outcome"]
  readonly reason: string | null
  readonly figures?: OutcomeInput["figures"]
}

/**
 * A stored refund. `reports` are its outcomes, in order; absent on a refund that succeeded at once. `reported` counts them,
 * withdrawn ones included.
 */
export interface SimulatedRefund {
  readonly payin_id: string
  readonly amount: string
  readonly currency: string
  readonly submissions: number
  readonly status: "absent" | "taken" | "rejected"
  readonly command_id?: string
  readonly resource_id?: string
  readonly reported?: number
  readonly reports?: ReadonlyArray<ScheduledRefund>
}

export interface Refunded {
  readonly refund: SimulatedRefund
  /** The pay-in after the refund. Null when it does not change. */
  readonly payin: SimulatedPayin | null
  readonly reply: Reply
  readonly scheduled: ReadonlyArray<ScheduledEvents>
}

interface Conditions {
  readonly mode: "auto" | "manual"
  readonly refunds: RefundHandling
  readonly delay_ms: number
  readonly now: number
}

const scale = 18
const toUnits = (amount: string): bigint => parseExactAmount(amount, scale)
const formatUnits = (amount: bigint): string => {
  const digits = amount.toString().padStart(scale + 1, "0")
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

const toSettledRefund = (
  outcome: RefundReport["outcome"],
  reason: string | null = null,
  figures?: OutcomeInput["figures"]
) => ({ _tag: "settled", outcome: { outcome, reason, transaction_hash: null, ...figures } }) as const

/** Finds the status of a refund at `now`, as a look-up returns it. */
export const findRefundStatus = (known: SimulatedRefund | undefined, now: number): CommandStatus => {
  if (known?.status !== "taken") return { _tag: "absent" }
  if (known.reports === undefined) return toSettledRefund("success")
  const latest = known.reports.findLast(({ at }) => at <= now)
  return latest === undefined ? { _tag: "pending" } : toSettledRefund(latest.outcome, latest.reason, latest.figures)
}

const refused: Reply = { _tag: "rejected", reason: "refund_failed", refundable: false }

/** Sums the refunds of a pay-in, less those that were returned by `now`. */
const sumRefunds = ({ came_back = [], refunded }: SimulatedPayin, now: number): bigint =>
  came_back.reduce((sum, { amount, at }) => (at <= now ? sum - toUnits(amount) : sum), toUnits(refunded))

export const toRefundEvent = (
  merchant_id: string,
  resource_id: string,
  command_id: string | null,
  { event_id, figures, outcome, reason }: Omit<ScheduledRefund, "at">
): RefundReport => ({ _tag: "refund", event_id, merchant_id, resource_id, command_id, outcome, reason, ...figures })

/** A return by the rail brings a refund back. An onramp's words about a payout say nothing about a refund. */
const outcomeOf: Partial<Readonly<Record<ScriptLine["outcome"], RefundReport["outcome"]>>> = {
  success: "success",
  returned: "failed"
}

const planRefundReports = (script: SimulatedScript, command: RefundCommand, { delay_ms, now }: Conditions) =>
  script.lines
    .flatMap(({ after_ms, outcome: word }) => {
      const outcome = outcomeOf[word]
      return outcome === undefined ? [] : [{ at: now + delay_ms + after_ms, outcome, reason: null }]
    })
    .map((report, index): ScheduledRefund => ({ event_id: `${command.id}.${index + 1}`, ...report }))

/**
 * Handles a request to refund a pay-in, the first or a repeat.
 *
 * Refunds never exceed the amount of the pay-in. In `auto` mode a refund succeeds after the provider's delay, and the magic
 * endings of the payer's account number apply: `0002` and `0007` cannot be refunded, `0006` comes back after three days,
 * `0008` is reported twice. In `manual` mode it succeeds at once. `refunds: "accept"`: its outcome waits for a sandbox call.
 * A pay-in that is not in the books came from a callback, and is refunded.
 */
export const refundPayin = (
  known: SimulatedRefund | undefined,
  payin: SimulatedPayin | undefined,
  command: RefundCommand,
  conditions: Conditions
): Refunded => {
  const { amount, currency, id: command_id, merchant_id, payin_id, resource_id } = command
  const { mode, now } = conditions
  const before: SimulatedRefund = known ?? { payin_id, amount, currency, submissions: 0, status: "absent" }
  const here: SimulatedRefund = { ...before, command_id, resource_id, submissions: before.submissions + 1 }
  const answered = (reply: Reply, status = here.status): Refunded => ({
    refund: { ...here, status },
    payin: null,
    reply,
    scheduled: []
  })
  if (here.status === "taken") {
    const status = findRefundStatus(here, now)
    return answered(status._tag === "settled" ? status : { _tag: "accepted" })
  }
  if (here.status === "rejected") return answered(refused)
  const script = mode === "auto" ? chooseScriptByNumber(payin?.sender?.account_number ?? "") : plain
  if (script.rejects || script.lines[0]?.outcome === "refund_failed") return answered(refused, "rejected")
  if (here.submissions <= script.unavailable) return answered({ _tag: "unavailable" })
  if (script.loses === "absent" && here.submissions === 1) return answered({ _tag: "lost" })
  const total = (payin === undefined ? 0n : sumRefunds(payin, now)) + toUnits(amount)
  if (payin !== undefined && (total > toUnits(payin.amount) || currency !== payin.currency))
    return answered(refused, "rejected")
  const isImmediate = mode === "manual" && conditions.refunds === "settle"
  const reports = isImmediate || conditions.refunds === "accept" ? [] : planRefundReports(script, command, conditions)
  const came_back = reports.flatMap(({ at, outcome }) => (outcome === "failed" ? [{ command_id, at, amount }] : []))
  const reply: Reply = isImmediate ? toSettledRefund("success") : { _tag: "accepted" }
  return {
    refund: { ...here, status: "taken", ...(isImmediate ? {} : { reports, reported: reports.length }) },
    payin:
      payin === undefined
        ? null
        : {
            ...payin,
            refunded: formatUnits(toUnits(payin.refunded) + toUnits(amount)),
            came_back: [...(payin.came_back ?? []), ...came_back]
          },
    reply: script.loses === "executed" ? { _tag: "lost" } : reply,
    scheduled: reports.map((report) => {
      const event = toRefundEvent(merchant_id, resource_id, command_id, report)
      return { resource_id, due_at: report.at, events: script.jumbled ? [event, event] : [event] }
    })
  }
}

/** Whether an outcome that the sandbox reports is about this refund, and not about the movement. */
export const isAboutRefund = (
  known: SimulatedRefund,
  { figures, outcome }: Pick<OutcomeInput, "figures" | "outcome">,
  now: number
): boolean => {
  const status = findRefundStatus(known, now)
  if (status._tag === "pending") return Object.hasOwn(spoken, outcome)
  if (status._tag !== "settled" || status.outcome.outcome !== "success") return false
  return outcome === "refund_failed" || (outcome === "success" && figures?.parts !== undefined)
}

/** What an outcome that the sandbox reports means for a refund. */
export const spoken: Readonly<Record<string, RefundReport["outcome"]>> = {
  success: "success",
  failed: "failed",
  refund_failed: "failed",
  returned: "failed"
}

/** Sums what the payer receives of a successful refund. If the report states no readable amount, it is the whole refund. */
const sumReceived = ({ amount }: SimulatedRefund, { figures }: Pick<ScheduledRefund, "figures">): bigint =>
  figures?.parts
    ? figures.parts.reduce((sum, part) => sum + toUnits(part.amount), 0n)
    : toUnits(figures?.amount ?? amount)

/** Applies an outcome that the sandbox reports now. It replaces every outcome that is still scheduled. */
export const reportRefund = (
  known: SimulatedRefund,
  payin: SimulatedPayin | undefined,
  report: {
    readonly outcome: RefundReport["outcome"]
    readonly reason: string | null
    readonly event_id: string | null
    readonly figures?: OutcomeInput["figures"]
  },
  now: number
): {
  readonly refund: SimulatedRefund
  readonly payin: SimulatedPayin | null
  readonly report: ScheduledRefund
  readonly withdrawn: ReadonlyArray<ScheduledRefund>
} => {
  const reported = (known.reported ?? 0) + 1
  const made = { ...report, event_id: report.event_id ?? `${known.command_id}.${reported}`, at: now }
  const reports = known.reports ?? []
  const past = reports.filter(({ at }) => at <= now)
  const others = (payin?.came_back ?? []).filter(({ command_id }) => command_id !== known.command_id)
  const missing = made.outcome === "failed" ? toUnits(known.amount) : toUnits(known.amount) - sumReceived(known, report)
  const own =
    missing > 0n
      ? [
          {
            command_id: known.command_id ?? "",
            at: now,
            amount: made.outcome === "failed" ? known.amount : formatUnits(missing)
          }
        ]
      : []
  return {
    refund: { ...known, reported, reports: [...past, made] },
    payin: payin === undefined ? null : { ...payin, came_back: [...others, ...own] },
    report: made,
    withdrawn: reports.filter(({ at }) => at > now)
  }
}
