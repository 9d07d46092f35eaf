/**
 * The lifecycle of one payment instruction at the provider, as pure decisions over the provider's books.
 *
 * Law: an instruction is accepted at most once, unless the provider itself drops it (`temporarily_unavailable`) before
 * it reports a final outcome. One command id is therefore paid out at most once, however often it is submitted.
 */
import type {
  AwaitedPerson,
  SubmissionResult,
  Destination,
  MovementEvent,
  MovementOutcome,
  PayoutCommand,
  ConversionCommand,
  ProviderEvent,
  CommandStatus
} from "../../../engine/ports/Provider.ts"
import type { OutcomeInput, Submissions } from "../../../engine/ports/Sandbox.ts"
import { deriveTransactionHash } from "./hashing.ts"
import { type SimulatedScript, chooseScript, silent } from "./script.ts"

/** A reported or scheduled outcome of an instruction. `at` is epoch milliseconds of the service clock. */
export interface SimulatedReport extends MovementOutcome {
  readonly event_id: string
  readonly at: number
  /** The acceptance that this outcome belongs to, counted from 1. */
  readonly take: number
}

/**
 * A stored instruction. `words` holds outcomes in the order in which they happened, which may differ from the order of
 * the reports.
 */
export interface SimulatedInstruction {
  readonly command_id: string
  readonly resource_id: string
  readonly kind: (PayoutCommand | ConversionCommand)["kind"]
  readonly amount: string
  readonly currency: string
  /** The chain of the payment. Null when unknown. */
  readonly network: string | null
  readonly submissions: number
  readonly takes: number
  readonly status: "absent" | "taken" | "rejected"
  /** Outcomes ever created, withdrawn ones included, so that no ordinal is used twice. */
  readonly reported: number
  readonly reports: ReadonlyArray<SimulatedReport>
  /** Without whom it does not go on, while it has no outcome. Absent: nobody. */
  readonly awaited_person?: AwaitedPerson
}

/** Events that are reported together at `due_at`. */
export interface ScheduledEvents {
  readonly resource_id: string
  readonly due_at: number
  readonly events: ReadonlyArray<ProviderEvent>
}

/** `loseReply`: the response never arrives. */
export type Reply = SubmissionResult | { readonly _tag: "lost" }

export interface Conditions {
  readonly mode: "auto" | "manual"
  readonly submissions: Submissions
  readonly delay_ms: number
  readonly now: number
}

export interface Submitted {
  readonly instruction: SimulatedInstruction
  readonly reply: Reply
  readonly scheduled: ReadonlyArray<ScheduledEvents>
}

const rejection = { reason: "failed", refundable: true } as const

export type MovementCommand = PayoutCommand | ConversionCommand

const readDestination = (command: MovementCommand): Destination | null =>
  "destination" in command ? command.destination : null

/** The amount and currency that the recipient gets. */
const toReceivedAmount = (command: MovementCommand): { readonly amount: string; readonly currency: string } =>
  "destination" in command
    ? { amount: command.amount, currency: command.currency }
    : { amount: command.destination_amount, currency: command.destination_currency }

const readNetwork = (destination: Destination | null): string | null =>
  destination?.type === "crypto" ? destination.network : null

const makeInstruction = (command: MovementCommand): SimulatedInstruction => ({
  command_id: command.id,
  resource_id: command.resource_id,
  kind: command.kind,
  ...toReceivedAmount(command),
  network: readNetwork(readDestination(command)),
  submissions: 0,
  takes: 0,
  status: "absent",
  reported: 0,
  reports: []
})

/**
 * Derives the transaction hash of an on-chain payment that succeeded. An onramp's payout names no network; without one, the
 * wallet is on Solana.
 */
const deriveOutcomeHash = (
  { command_id, kind, network }: SimulatedInstruction,
  outcome: MovementOutcome["outcome"]
): string | null =>
  outcome === "success" && (kind === "transfer" || kind === "onramp")
    ? deriveTransactionHash(network ?? "solana", command_id)
    : null

/** The outcome to report for a movement. A transfer cannot be returned: on a chain, a return is a reversal (TRANSFER-9). */
export const toReportOutcome = (
  kind: SimulatedInstruction["kind"],
  outcome: MovementOutcome["outcome"]
): MovementOutcome["outcome"] => (kind === "transfer" && outcome === "returned" ? "reversed" : outcome)

/** The outcome that a report states, without the members of its event. */
const toOutcome = ({ at: _at, event_id: _event_id, take: _take, ...outcome }: SimulatedReport): MovementOutcome =>
  outcome

export const toMovementEvent = (merchant_id: string, resource_id: string, report: SimulatedReport): MovementEvent => ({
  _tag: "movement",
  event_id: report.event_id,
  merchant_id,
  resource_id,
  ...toOutcome(report)
})

/** Computes the instruction after an accepted submission, with the reports that its script schedules, and the reply. */
const acceptSubmission = (
  before: SimulatedInstruction,
  merchant_id: string,
  script: SimulatedScript,
  { now, delay_ms }: Conditions
): Submitted => {
  const takes = before.takes + 1
  const reports = script.lines.map(
    (line, index): SimulatedReport => ({
      event_id: `${before.command_id}.${before.reported + index + 1}`,
      at: now + delay_ms + line.after_ms,
      take: takes,
      outcome: toReportOutcome(before.kind, line.outcome),
      reason: null,
      transaction_hash: deriveOutcomeHash(before, line.outcome)
    })
  )
  const { resource_id } = before
  const waiting = script.awaited_person === undefined ? {} : { awaited_person: script.awaited_person }
  const events = reports.map((report) => toMovementEvent(merchant_id, resource_id, report))
  const backwards = events.toReversed()
  return {
    instruction: {
      ...before,
      takes,
      status: "taken",
      reported: before.reported + reports.length,
      reports: [...before.reports, ...reports],
      ...waiting
    },
    reply: { _tag: "accepted", ...waiting },
    scheduled: script.jumbled
      ? [{ resource_id, due_at: now + delay_ms, events: [...backwards, ...backwards] }]
      : events.map((event, index) => ({ resource_id, due_at: reports[index]?.at ?? now, events: [event] }))
  }
}

const loseReply = (submitted: Submitted): Submitted => ({ ...submitted, reply: { _tag: "lost" } })

/** Finds the last outcome report that is due at `now`. */
const findReportAt = ({ reports, takes }: SimulatedInstruction, now: number): SimulatedReport | undefined =>
  reports.findLast(({ at, outcome, take }) => at <= now && take === takes && outcome !== "temporarily_unavailable")

/** The person whose action an instruction waits for. Empty: it waits for nobody. */
const toAwaitedPerson = (known: SimulatedInstruction, now: number): { readonly awaited_person?: AwaitedPerson } =>
  known.awaited_person === undefined || findReportAt(known, now) !== undefined
    ? {}
    : { awaited_person: known.awaited_person }

/** Computes the instruction and the reply after a submission, the first or a repeat. */
export const submitInstruction = (
  known: SimulatedInstruction | undefined,
  command: MovementCommand,
  conditions: Conditions
): Submitted => {
  const before = known ?? makeInstruction(command)
  const here = { ...before, submissions: before.submissions + 1 }
  const answered = (reply: Reply, instruction: SimulatedInstruction = here): Submitted => ({
    instruction,
    reply,
    scheduled: []
  })
  const drowned = conditions.submissions === "timeout" ? loseReply : (submitted: Submitted) => submitted
  if (here.status === "rejected") return drowned(answered({ _tag: "rejected", ...rejection }))
  if (here.status === "taken") return drowned(answered({ _tag: "accepted", ...toAwaitedPerson(here, conditions.now) }))
  if (conditions.submissions === "unavailable") return answered({ _tag: "unavailable" })
  const script = conditions.mode === "auto" ? chooseScript(readDestination(command)) : silent
  if (script.rejects) return drowned(answered({ _tag: "rejected", ...rejection }, { ...here, status: "rejected" }))
  if (here.submissions <= script.unavailable) return drowned(answered({ _tag: "unavailable" }))
  if (script.loses === "absent" && here.submissions === 1) return answered({ _tag: "lost" })
  const taken = acceptSubmission(here, command.merchant_id, script, conditions)
  return script.loses === "executed" ? loseReply(taken) : drowned(taken)
}

/**
 * The state of an instruction at `now`. Scheduled outcomes are not yet known. `temporarily_unavailable` reported after
 * a final outcome does not change that outcome.
 */
export const toCommandStatus = (known: SimulatedInstruction | undefined, now: number): CommandStatus => {
  if (known === undefined || known.status === "absent") return { _tag: "absent" }
  if (known.status === "rejected")
    return { _tag: "settled", outcome: { outcome: "failed", reason: rejection.reason, transaction_hash: null } }
  const report = findReportAt(known, now)
  if (report === undefined) return { _tag: "pending", ...toAwaitedPerson(known, now) }
  return { _tag: "settled", outcome: toOutcome(report) }
}

/**
 * Reports an earlier outcome again under its event id, with the words that the sandbox gives now. Members that it leaves out keep
 * their values, and the stored instruction does not change.
 */
export const restateOutcome = (
  earlier: SimulatedReport,
  kind: SimulatedInstruction["kind"],
  { figures, outcome, reason, transaction_hash }: OutcomeInput
): SimulatedReport => ({
  ...earlier,
  outcome: toReportOutcome(kind, outcome),
  reason: reason ?? earlier.reason,
  transaction_hash: transaction_hash ?? earlier.transaction_hash,
  ...figures
})

export interface Recorded {
  readonly instruction: SimulatedInstruction
  readonly report: SimulatedReport
  /** Scheduled outcomes that will not be reported. */
  readonly withdrawn: ReadonlyArray<SimulatedReport>
}

/**
 * Applies an outcome that the sandbox reports. It replaces every outcome still scheduled.
 *
 * `temporarily_unavailable` drops an instruction without a final outcome, and it may be submitted again. Any other
 * outcome is final, even for an instruction that was dropped or never accepted: every later submission is a repeat.
 */
export const applyOutcome = (before: SimulatedInstruction, input: OutcomeInput, now: number): Recorded => {
  const reported = before.reported + 1
  const report: SimulatedReport = {
    event_id: input.event_id ?? `${before.command_id}.${reported}`,
    at: now,
    take: before.takes,
    outcome: toReportOutcome(before.kind, input.outcome),
    reason: input.reason,
    transaction_hash: input.transaction_hash ?? deriveOutcomeHash(before, input.outcome),
    ...input.figures
  }
  const past = before.reports.filter(({ at }) => at <= now)
  const ended = [...past, report].some(
    ({ outcome, take }) => outcome !== "temporarily_unavailable" && take === before.takes
  )
  const status = before.status === "rejected" ? "rejected" : ended ? "taken" : "absent"
  return {
    instruction: { ...before, reported, status, reports: [...past, report] },
    report,
    withdrawn: before.reports.filter(({ at }) => at > now)
  }
}

/** How often the instruction was paid out: acceptances with a successful outcome, reported or scheduled. */
export const countExecutions = ({ reports }: SimulatedInstruction): number =>
  new Set(reports.filter(({ outcome }) => outcome === "success").map(({ take }) => take)).size
