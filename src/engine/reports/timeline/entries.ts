/** The entries of a timeline, made from what is stored about a resource (TIMELINE-1). */

import { deriveStatementReference } from "../../input/statement-reference.ts"
import { readNotes } from "../../commit/changeset.ts"
import type { CallRecord, Job, Row, StoredEvent, StoredPosting, Transition } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { displayAmount } from "../../reference/currencies.ts"
import type { TimelineEntry } from "../../representations/timeline.ts"
import type { Attempt } from "../../representations/webhooks/webhook-endpoint.ts"
import { listLoggedCalls } from "../progress.ts"
import type { Heirs } from "./heirs.ts"
import {
  describeCall,
  describeDelivery,
  describeEvent,
  describePosting,
  describeProviderEvent,
  describeRequest,
  describeTimer,
  describeTransition
} from "./sentences.ts"

/** What is stored about one resource. */
export interface Records {
  readonly row: Row
  /** Of the resource's own kind, in order. */
  readonly transitions: ReadonlyArray<Transition>
  readonly postings: ReadonlyArray<StoredPosting>
  readonly events: ReadonlyArray<StoredEvent>
  /** The resource's jobs that exist: those that have not ended. */
  readonly jobs: ReadonlyArray<Job>
  readonly deliveries: ReadonlyArray<Job>
  /** The addresses of the endpoints of its deliveries, by id. */
  readonly urls: ReadonlyMap<string, string>
  /** Answers that led to no transition. */
  readonly answers: ReadonlyArray<CallRecord>
  /** The open exceptions and breaks about it: exceptions first. */
  readonly doubts: ReadonlyArray<Row>
  /** What took its money over. */
  readonly heirs: Heirs
  /** What an exception is about, if it exists. */
  readonly subject: Row | undefined
}

/**
 * An entry and its place: by time, then by the version of the resource that it belongs to, then by cause: requests, provider
 * events and fired timers before the transition that they caused, then its postings, timers and events, and what follows.
 */
interface Placed {
  readonly at: number
  readonly version: number
  readonly rank: number
  readonly entry: TimelineEntry
}

const ranks = { cause: 0, asked: 0.5, transition: 1, posting: 2, timer: 3, event: 4, delivery: 5, call: 6 } as const

const REQUEST = /^(?:idem|req)\//
const PROVIDER_EVENT = /^provider\/([^/]+)\/(.*)$/s
/** The id of an event that Corridor makes of the result of its own call. */
const OWN_RESULT = /^issue\//

/** Lists the submissions to providers that transitions began. They are numbered from 1, over all providers. */
export const listSubmissions = (transitions: ReadonlyArray<Transition>): ReadonlyArray<Call> =>
  transitions
    .filter(({ via }) => via === "payout.begun")
    .map(({ at, cause, origin }, n) => ({
      command: cause.replace(/^job:/, ""),
      provider: origin?.provider ?? null,
      operation: "submit",
      attempt: n + 1,
      at,
      latency_ms: null,
      answer: null
    }))

const isRequest = ({ cause }: Pick<Transition, "cause">): boolean => REQUEST.test(cause)

const findProviderEvent = ({ cause }: Pick<Transition, "cause">) => {
  const [, provider, event_id] = PROVIDER_EVENT.exec(cause) ?? []
  return provider === undefined || event_id === undefined || OWN_RESULT.test(event_id)
    ? undefined
    : { provider, event_id }
}

const makeRequestEntry = ({ at, cause, origin }: Transition): TimelineEntry => {
  const { request } = origin ?? {}
  const operator = request?.operator ?? null
  const key_id = request?.key_id ?? null
  const operation = request?.operation ?? null
  const who = operator !== null ? "operator" : key_id !== null ? "key" : "unknown"
  return {
    type: "request",
    at: iso(at),
    summary: describeRequest(who, operation, operator?.name ?? key_id ?? ""),
    request_id: request?.id ?? null,
    key_id,
    operator,
    // A key has no slash. Before it is the operator whose key it is.
    idempotency_key: cause.startsWith("idem/") ? cause.slice(cause.lastIndexOf("/") + 1) : null,
    operation
  }
}

const makePostingEntry = ({ amount, at, credit, currency, debit, version }: StoredPosting): TimelineEntry => {
  const shown = displayAmount(amount, currency)
  const summary = describePosting(shown, currency, debit, credit)
  return { type: "posting", at: iso(at), summary, version, debit, credit, amount: shown, currency }
}

const makeTimerEntry = (
  at: number,
  name: string,
  outcome: "armed" | "fired" | "cancelled",
  due_at: number | null
): TimelineEntry => ({
  type: "timer",
  at: iso(at),
  summary: describeTimer(name, outcome, due_at, at),
  name,
  due_at: isoOrNull(due_at),
  outcome
})

type Call = Omit<CallRecord, "latency_ms" | "answer" | "provider"> & {
  readonly provider: string | null
  readonly latency_ms: number | null
  readonly answer: string | null
}

const makeCallEntry = ({
  answer,
  at,
  attempt,
  awaited_person,
  command,
  latency_ms,
  operation,
  provider,
  reference
}: Call): TimelineEntry => ({
  type: "provider_call",
  at: iso(at),
  summary: describeCall(provider, operation, attempt, answer, latency_ms, awaited_person ?? null),
  provider,
  operation,
  command_id: command,
  statement_reference: command === null ? null : deriveStatementReference(command),
  attempt,
  latency_ms,
  answer,
  provider_reference: reference ?? null,
  awaited_person: awaited_person ?? null
})

/** Makes the entries of a delivery: one for each attempt, and one while it is pending. */
const makeDeliveryEntries = (
  job: Job,
  url: string | null
): ReadonlyArray<readonly [at: number, entry: TimelineEntry]> => {
  const [event_id, event_type] = [String(job.body["event_id"]), String(job.body["event_type"])]
  const common = { delivery_id: job.id, event_id, event_type, endpoint_id: job.partition_key, url }
  const log = job.log as unknown as ReadonlyArray<Attempt>
  const entry = (
    at: number,
    attempt: number,
    outcome: "delivered" | "failed" | "retried" | "pending",
    { duration_ms, error, response_body, response_status }: Partial<Attempt>,
    next_attempt_at: number | null
  ): readonly [number, TimelineEntry] => {
    const facts = { event_type, url, attempt, error: error ?? null, status_code: response_status ?? null, outcome }
    return [
      at,
      {
        type: "delivery",
        at: iso(at),
        summary: describeDelivery({ ...facts, next_attempt_at, at }),
        ...common,
        attempt,
        status_code: facts.status_code,
        error: facts.error,
        latency_ms: duration_ms ?? null,
        response_body: response_body ?? null,
        outcome,
        next_attempt_at: isoOrNull(next_attempt_at)
      }
    ]
  }
  if (log.length === 0) return [entry(job.created_at, 0, "pending", {}, job.due_at)]
  return log.map((one, n) => {
    const isLast = n === log.length - 1
    const outcome = one.error === null ? "delivered" : isLast && job.status === "failed" ? "failed" : "retried"
    return entry(one.at, n + 1, outcome, one, isLast ? job.due_at : null)
  })
}

/** Lists the calls about a resource, each once: from its transitions, its jobs, and the answers that are kept alone. */
const listCalls = ({ answers, jobs, row, transitions }: Records): ReadonlyArray<Call> => {
  const calls = new Map<string, Call>()
  const keyOf = ({ at, attempt, command, operation }: Call): string =>
    `${command} ${operation} ${attempt} ${operation === "submit" ? "" : at}`
  const recorded: ReadonlyArray<CallRecord> = [
    ...transitions.flatMap((one) => (isRequest(one) ? [] : (one.origin?.calls ?? []))),
    ...answers,
    ...jobs.flatMap(listLoggedCalls)
  ]
  for (const call of recorded) if (call.command?.startsWith(`${row.id}.`) === true) calls.set(keyOf(call), call)
  for (const call of listSubmissions(transitions)) if (!calls.has(keyOf(call))) calls.set(keyOf(call), call)
  // Each look-up is a job of its own: they are counted from the submission.
  let lookups = 0
  return [...calls.values()]
    .sort((a, b) => a.at - b.at)
    .map((call) => {
      lookups = call.operation === "submit" ? 0 : lookups + 1
      return call.operation === "lookup" ? { ...call, attempt: lookups } : call
    })
}

/** Lists the entries of a resource's timers: when each was set, and how it ended. */
const listTimers = ({ jobs, row, transitions }: Records): ReadonlyArray<Placed> => {
  const placed: Array<Placed> = []
  const armed = new Map<string, number | null>()
  const nameOf = (id: string): string | undefined =>
    id.startsWith(`${row.id}.`) ? id.slice(row.id.length + 1) : undefined
  for (const { at, cause, origin, version, via } of transitions) {
    const fired = cause.startsWith("job:") ? nameOf(cause.slice("job:".length)) : undefined
    if (fired !== undefined && (armed.has(fired) || via === `timer.${fired}`)) {
      placed.push({
        at,
        version,
        rank: ranks.cause,
        entry: makeTimerEntry(at, fired, "fired", armed.get(fired) ?? null)
      })
      armed.delete(fired)
    }
    for (const id of origin?.cancels ?? []) {
      const name = nameOf(id)
      if (name === undefined || !armed.has(name)) continue
      const entry = makeTimerEntry(at, name, "cancelled", armed.get(name) ?? null)
      placed.push({ at, version, rank: ranks.timer, entry })
      armed.delete(name)
    }
    for (const [id, due_at] of Object.entries(origin?.timers ?? {})) {
      const name = nameOf(id)
      if (name === undefined) continue
      placed.push({ at, version, rank: ranks.timer, entry: makeTimerEntry(at, name, "armed", due_at) })
      armed.set(name, due_at)
    }
  }
  // Timers that were set before their times were recorded with the transition.
  for (const { created_at: at, due_at, id, queue, status } of jobs) {
    const name = nameOf(id)
    if (queue !== "timer" || status !== "pending" || name === undefined || armed.has(name)) continue
    const { version } = transitions.findLast((one) => one.at <= at) ?? { version: 1 }
    placed.push({ at, version, rank: ranks.timer, entry: makeTimerEntry(at, name, "armed", due_at) })
  }
  return placed
}

/** Makes all entries of a timeline, oldest first. */
export const listEntries = (records: Records): ReadonlyArray<TimelineEntry> => {
  const { deliveries, events, postings, row, transitions, urls } = records
  const notes = readNotes(row)
  const placed: Array<Placed> = [...listTimers(records)]
  const versionAt = new Map<string, number>()
  let published = 0
  for (const transition of transitions) {
    const { at, cause, event_count, from, to, version, via } = transition
    const place = (rank: number, entry: TimelineEntry): void => void placed.push({ at, version, rank, entry })
    if (isRequest(transition)) place(ranks.cause, makeRequestEntry(transition))
    const reported = findProviderEvent(transition)
    if (reported !== undefined) {
      const summary = describeProviderEvent(reported.provider, via)
      place(ranks.cause, { type: "provider_event", at: iso(at), summary, ...reported, event: via })
    }
    // A request asks before it writes: its questions stand at the time of the write.
    if (isRequest(transition))
      for (const call of transition.origin?.calls ?? []) place(ranks.asked, makeCallEntry({ ...call, at }))
    const summary = describeTransition(row.kind, via, from, to)
    const note = notes[version] ?? null
    place(ranks.transition, { type: "transition", at: iso(at), summary, version, from, to, event: via, cause, note })
    for (const posting of postings) if (posting.version === version) place(ranks.posting, makePostingEntry(posting))
    for (const event of events) {
      if (event.sequence <= published || event.sequence > event_count) continue
      const { id: event_id, sequence: event_sequence, type: event_type } = event
      const summary = describeEvent(event_type)
      place(ranks.event, { type: "event", at: iso(at), summary, event_id, event_type, event_sequence })
      versionAt.set(event_id, version)
    }
    published = event_count
  }
  for (const job of deliveries) {
    const version = versionAt.get(String(job.body["event_id"])) ?? row.version
    for (const [at, entry] of makeDeliveryEntries(job, urls.get(job.partition_key) ?? null))
      placed.push({ at, version, rank: ranks.delivery, entry })
  }
  for (const call of listCalls(records)) {
    // The answer is known before the transition that it leads to.
    const led = transitions.findIndex(({ origin }) => origin?.calls?.some((one) => one.at === call.at) === true)
    const before = led >= 0 ? transitions[led]!.version - 1 : undefined
    const version = before ?? transitions.findLast((one) => one.at <= call.at)?.version ?? row.version
    placed.push({ at: call.at, version, rank: ranks.call, entry: makeCallEntry(call) })
  }
  return placed.sort((a, b) => a.at - b.at || a.version - b.version || a.rank - b.rank).map(({ entry }) => entry)
}
