/**
 * Resources that wait: since when, and for what (OPERATOR-4). A resource that has not ended and makes no progress needs
 * attention, whether or not work is due for it.
 */
import { confirmTimer } from "../../machines/deposits/deposit.ts"
import { toRefundName } from "../../machines/kernel/lifecycle.ts"
import { payTimer } from "../../machines/movements/batch.ts"
import { toPhase, underWay } from "../../machines/kernel/payout.ts"
import { IN_REVIEW } from "../../machines/parties/verification.ts"
import { waitingKey } from "../commit/index-keys.ts"
import { jobId } from "../commit/steps.ts"
import { type AwaitedPerson, payinProviderOf, type Providers, providerOf } from "../ports/Provider.ts"
import { type CallRecord, type IdleQuery, type Job, pausedQueue, type Row, type Transition } from "../ports/Storage.ts"
import { iso } from "../ports/Time.ts"

/**
 * The statuses in which each kind waits, each with the timer, if any, until which waiting is expected: a payer or a
 * customer has that time. `detected`: of a deposit that is `received` like one that has ended.
 */
const waiting: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  access_request: { pending: null },
  batch: { processing: null },
  beneficiary: { pending: null },
  break: { open: null },
  conversion: { created: null, processing: null, temporary_failure: null },
  deposit: { processing: null, detected: null },
  deposit_address: { pending: null },
  exception: { open: null },
  offramp: { created: null, processing: null, temporary_failure: null },
  onramp: { awaiting_deposit: "quote_expiry", processing: null, temporary_failure: null },
  transfer: { processing: null },
  verification: { pending: "link_expiry", in_progress: "link_expiry" },
  wallet_credential: { pending: null }
}

/** What lists of their own show people who decide: the statuses of each kind, and the states of payouts that wait for approval. */
const decided: Readonly<Record<string, ReadonlyArray<string>>> = {
  access_request: ["pending"],
  break: ["open"],
  exception: ["open"],
  verification: ["in_progress"]
}
export const statesOfQueues: ReadonlyArray<string> = ["approving"]

export const waitingKinds = Object.keys(waiting)

/**
 * Lists the statuses in which resources wait, for {@link Storage.idle}: of one kind or of all. `isWithoutQueues`: without those that a list
 * of their own shows.
 */
export const listWaits = (only?: string, isWithoutQueues = false): IdleQuery["waits"] =>
  Object.entries(waiting)
    .filter(([kind]) => only === undefined || kind === only)
    .flatMap(([kind, statuses]) => Object.entries(statuses).map(([status, until]) => ({ kind, status, until })))
    .filter(({ kind, status }) => !isWithoutQueues || decided[kind]?.includes(status) !== true)

/** Whether a resource waits, by its status or its index keys. */
export const isWaiting = ({
  index_keys = [],
  kind,
  status
}: Pick<Row, "kind" | "status"> & Partial<Pick<Row, "index_keys">>): boolean =>
  Object.keys(waiting[kind] ?? {}).some((word) => word === status || index_keys.includes(waitingKey(word)))

/** Finds the id of the timer until which a resource's waiting is expected. Undefined: there is none. */
export const findTimerId = ({ id, kind, status }: Pick<Row, "id" | "kind" | "status">): string | undefined => {
  const name = waiting[kind]?.[status]
  return typeof name === "string" ? jobId(id, name) : undefined
}

/** What {@link Storage.idle} counts as progress, beside another state: of a batch, that rows of it ended or were looked at first. */
export const progressRule: Pick<IdleQuery, "under_way" | "steps"> = { under_way: [...underWay], steps: ["batch/part"] }

/** Finds when a resource last made progress, from its transitions. */
export const lastProgressAt = (transitions: ReadonlyArray<Transition>): number =>
  Math.max(
    0,
    ...transitions
      .filter(
        ({ from, kind, to, via }) =>
          from === null || toPhase(from) !== toPhase(to) || progressRule.steps.includes(`${kind}/${via}`)
      )
      .map(({ at }) => at)
  )

/** The name of the command that a state waits for. */
const commands: Readonly<Record<string, string>> = {
  created: "payout",
  queued: "payout",
  submitting: "payout",
  unknown: "payout",
  waiting: "payout",
  rerouted: "payout"
}

/** Finds the id of the job that makes a resource's next step. Undefined when the engine has nothing to do. */
export const findNextJobId = ({ data, id, kind, state, status }: Row): string | undefined => {
  if (state === IN_REVIEW || state === "approving") return undefined
  const issues = kind === "deposit_address" || kind === "wallet_credential"
  if (kind === "deposit" && state === "waiting") return jobId(id, confirmTimer)
  if (kind === "batch" && state === "processing") return jobId(id, payTimer)
  const name =
    state === "refunding"
      ? toRefundName((data as { readonly refunds?: number }).refunds ?? 1)
      : issues && state === "pending"
        ? "issue"
        : (commands[state] ?? waiting[kind]?.[status])
  return typeof name === "string" ? jobId(id, name) : undefined
}

/** The reason why a state waits, unless a job gives a better one. */
const reasons: Readonly<Record<string, string>> = {
  awaiting_deposit: "awaiting_payment",
  approving: "awaiting_approval",
  created: "not_submitted",
  queued: "not_submitted",
  submitting: "awaiting_outcome",
  unknown: "outcome_unknown",
  waiting: "provider_unavailable",
  rerouted: "not_submitted",
  refunding: "awaiting_refund",
  detected: "awaiting_confirmation",
  detected_unpriced: "awaiting_confirmation",
  held: "awaiting_release",
  open: "awaiting_operator"
}

const pendingReasons: Readonly<Record<string, string>> = {
  access_request: "awaiting_operator",
  beneficiary: "awaiting_screening",
  deposit_address: "awaiting_issue",
  verification: "awaiting_customer",
  wallet_credential: "awaiting_issue"
}

/** Finds the reason why a resource waits, from its job or its state. */
const explainWait = (row: Row, job: Job | undefined, providers: Providers["Service"]): string => {
  if (findNextJobId(row) !== undefined) {
    if (job?.status !== "pending") return "no_work_due"
    const name = row.state === "refunding" ? payinProviderOf(row) : providerOf(row)
    if (job.queue !== "timer" && name !== undefined && providers.byName(name) === undefined) return "other_provider"
    if (job.queue === pausedQueue) return "paused"
    const { parked } = job.body
    if (typeof parked === "string") return parked
  }
  if (row.state === IN_REVIEW) return "awaiting_operator"
  return pendingReasons[row.kind] ?? reasons[row.state] ?? row.state
}

/** The result of a command, as logged in its job. */
export interface LoggedAnswer {
  readonly at: number
  readonly answer: string
  readonly awaited_person?: AwaitedPerson
}

/** The most results that a job keeps: the first ones, and the latest. */
const FIRST_MAX = 5
const LATEST_MAX = 15

/** Adds a result to the log of a job. A command can be looked up for ever, so the results in the middle are dropped. */
export const addLogEntry = ({ log }: Pick<Job, "log">, answer: LoggedAnswer | CallRecord): Job["log"] => [
  ...log.slice(0, FIRST_MAX),
  ...log.slice(FIRST_MAX).slice(1 - LATEST_MAX),
  { ...answer }
]

/** The key of the record that keeps an answer which led to no step. */
export const answerKey = ({ attempt, command }: Pick<CallRecord, "attempt" | "command">): string =>
  `call/${command}/${attempt}`

/** Lists the calls in the log of a job, which also has other lines. */
export const listLoggedCalls = ({ log }: Pick<Job, "log">): ReadonlyArray<CallRecord> =>
  log.filter((logged) => Object.hasOwn(logged as object, "command")) as unknown as ReadonlyArray<CallRecord>

/** Reasons that wait for the end of a command which the provider has: a person may be why. */
const openCommands: ReadonlySet<string> = new Set([
  "awaiting_outcome",
  "outcome_unknown",
  "awaiting_refund",
  "awaiting_issue"
])

/**
 * Describes why a resource waits, for whom, how often it was tried, the last result, and when it is tried again. `accepted`: the answers to
 * submissions that no job has logged.
 */
export const describeProgress = (
  row: Row,
  job: Job | undefined,
  providers: Providers["Service"],
  accepted: ReadonlyArray<LoggedAnswer> = []
) => {
  const [logged, kept] = [job?.log.at(-1) as LoggedAnswer | undefined, accepted.at(-1)]
  const last = kept !== undefined && kept.at >= (logged?.at ?? 0) ? kept : logged
  const cause = explainWait(row, job, providers)
  const awaited_person = openCommands.has(cause) ? (last?.awaited_person ?? null) : null
  const reason = awaited_person === null ? cause : "awaiting_person"
  const { attempts } = row.data as { readonly attempts?: unknown }
  const isLeft = reason === "other_provider" || job?.status !== "pending" || job.due_at === null
  return {
    reason,
    awaited_person,
    attempts: typeof attempts === "number" && row.state !== "refunding" ? attempts : (job?.attempt ?? 0),
    last_answer: last === undefined ? null : { at: iso(last.at), answer: last.answer },
    next_attempt_at: isLeft ? null : iso(job.due_at)
  }
}
