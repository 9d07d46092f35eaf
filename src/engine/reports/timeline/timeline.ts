/** Timelines: one story of each resource, from request to delivered webhook (TIMELINE-1 to TIMELINE-4). */
import { Clock, Context, Effect, Layer, Struct } from "effect"
import type { ExceptionData } from "../../../machines/deposits/exception.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { isGuarded } from "../../../machines/kernel/ledger.ts"
import type { WebhookEndpointData } from "../../../machines/webhooks/webhook-endpoint.ts"
import { makeNotFound } from "../../commit/UnitOfWork.ts"
import type { Call } from "../../commit/call.ts"
import { type Kind, Kinds, type ResourceKind } from "../../commit/kind.ts"
import { deliveryPrefix, cutStem } from "../../ports/Ids.ts"
import { Providers } from "../../ports/Provider.ts"
import {
  type CallRecord,
  type Job,
  PLATFORM_MERCHANT,
  type Row,
  Storage,
  type Transition
} from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { InvariantViolation, type NotFound, type StorageFault } from "../../ports/errors.ts"
import { isTransactionId } from "../../representations/movements/transaction.ts"
import type { TimelineBody, TimelineEntry, WaitsForBody } from "../../representations/timeline.ts"
import { ExceptionKind } from "../../resources/deposits/exception.ts"
import { BreakKind } from "../../resources/reconciliation/break.ts"
import { WebhookEndpointKind } from "../../resources/webhooks/webhook-endpoint.ts"
import { toDaysMs, RetentionPolicy } from "../../settings/retention.ts"
import { findAnywhere } from "../find.ts"
import { answerKey, isWaiting, lastProgressAt, findNextJobId, describeProgress, findTimerId } from "../progress.ts"
import { listEntries, type Records, listSubmissions } from "./entries.ts"
import { explainResource, listLimitsOver, toPublicReason, describeCurrentWait } from "./explanation.ts"
import { readHeirs } from "./heirs.ts"
import { describePosting, describeRequest, describeTransition } from "./sentences.ts"

// A timeline as the merchant sees it: nothing of the provider, the platform's accounts or its people (TIMELINE-2).

const PLATFORM = "platform"

const toMerchantAccount = (account: string): string => (isGuarded(account) ? account : PLATFORM)

/** Who caused a transition, without ids. */
const causes: ReadonlyArray<readonly [pattern: RegExp, cause: string]> = [
  [/^(?:idem|req)\//, "request"],
  [/^(?:provider|answer|lookup|issue)\//, "provider"]
]

/**
 * Keeps the entries that the owner of a resource may see. Its transitions are those between statuses, because states between them say how a
 * provider treats the movement. A posting between two accounts of the platform is left out.
 */
const keepOwnEntries = (
  kind: Kind,
  { data }: Row,
  entries: ReadonlyArray<TimelineEntry>
): ReadonlyArray<TimelineEntry> => {
  const statusOf = (state: string): string => kind.status?.(state, data) ?? state
  let isOperators = false
  return entries.flatMap((entry): ReadonlyArray<TimelineEntry> => {
    switch (entry.type) {
      case "request": {
        isOperators = entry.operator !== null
        if (!isOperators) return [entry]
        const operator = { id: null, name: "operator" }
        const summary = describeRequest("operator", null, operator.name)
        return [{ ...entry, summary, request_id: null, key_id: null, idempotency_key: null, operation: null, operator }]
      }
      case "transition": {
        const from = entry.from === null ? null : statusOf(entry.from)
        const to = statusOf(entry.to)
        const caused = causes.find(([pattern]) => pattern.test(entry.cause))?.[1] ?? "corridor"
        const cause = caused === "request" && isOperators ? "operator" : caused
        if (from === to) return []
        return [
          { ...entry, summary: describeTransition(kind.kind, entry.event, from, to), from, to, cause, note: null }
        ]
      }
      case "posting": {
        const [debit, credit] = [toMerchantAccount(entry.debit), toMerchantAccount(entry.credit)]
        if (debit === PLATFORM && credit === PLATFORM) return []
        return [{ ...entry, summary: describePosting(entry.amount, entry.currency, debit, credit), debit, credit }]
      }
      case "provider_call":
      case "provider_event":
        return []
      default:
        return [entry]
    }
  })
}

/** The most entries of one response. The newest are kept. */
export const ENTRIES_MAX = 500

/** The most jobs that are read under one resource, and under the prefix of one event's deliveries. */
const JOBS_MAX = 500

const makeDeps = Effect.gen(function* () {
  const recordsMs = toDaysMs((yield* RetentionPolicy).deliveries)
  return { storage: yield* Storage, providers: yield* Providers, kinds: yield* Kinds, recordsMs }
})
type Deps = Effect.Success<typeof makeDeps>

const requireKind = ({ kinds }: Deps, { kind }: Row): ResourceKind => {
  const found = kinds.byName.get(kind)
  if (found === undefined) throw new InvariantViolation(`the kind ${kind} is registered`)
  return found as ResourceKind
}

const readUrls = Effect.fnUntraced(function* ({ storage }: Deps, merchant_id: string, deliveries: ReadonlyArray<Job>) {
  const ids = [...new Set(deliveries.map(({ partition_key }) => partition_key))]
  const rows = yield* storage.get(ids.map((id) => ({ merchant_id, kind: WebhookEndpointKind.kind, id })))
  return new Map(rows.map(({ id, data }) => [id, (data as WebhookEndpointData).url]))
})

/** Reads the answers to submissions that led to no step: the provider accepted them. */
const readAnswers = Effect.fnUntraced(function* (
  { storage }: Deps,
  merchant_id: string,
  transitions: ReadonlyArray<Transition>
) {
  const now = yield* Clock.currentTimeMillis
  const found = yield* Effect.forEach(
    listSubmissions(transitions),
    (submission) => storage.idempotencyRecord(merchant_id, answerKey(submission), now),
    { concurrency: "unbounded" }
  )
  return found.flatMap((record) => (record?.response ? [JSON.parse(record.response) as CallRecord] : []))
})

/** The most doubts that are read of each kind and severity. */
const doubtsMax = 100

/** Reads the open exceptions and breaks about a resource: those of high severity, or else the others. */
const readDoubts = Effect.fnUntraced(function* ({ storage }: Deps, { id, merchant_id }: Row) {
  const open = (severity: "high" | "low") => {
    const query = {
      index_keys: [`resource_id=${id}`, "status=open", `severity=${severity}`],
      offset: 0,
      limit: doubtsMax
    }
    return Effect.all(
      [
        storage.list({ ...query, merchant_id, kinds: [ExceptionKind.kind] }),
        storage.list({ ...query, merchant_id: PLATFORM_MERCHANT, kinds: [BreakKind.kind] })
      ],
      { concurrency: 2 }
    ).pipe(Effect.map((lists) => lists.flatMap(({ items }) => items)))
  }
  const urgent = yield* open("high")
  return urgent.length > 0 ? urgent : yield* open("low")
})

/** Finds the resource that an exception is about. */
const findExceptionSubject = (
  { storage }: Deps,
  { data, kind, merchant_id }: Row
): Effect.Effect<Row | undefined, StorageFault> => {
  const { resource_id = null, resource_kind = null } = data as Partial<ExceptionData>
  return kind !== ExceptionKind.kind || resource_id === null || resource_kind === null
    ? Effect.succeed(undefined)
    : Effect.map(storage.get([{ merchant_id, kind: resource_kind, id: resource_id }]), ([row]) => row)
}

const readRecords = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row,
  isOwn: boolean
): Effect.fn.Return<Records, StorageFault> {
  const { storage } = deps
  const { id, kind, merchant_id } = row
  const { events, postings, transitions } = yield* storage.history(merchant_id, id)
  const published = new Set(events.map((event) => event.id))
  const [jobs, delivered] = yield* Effect.all(
    [
      storage.jobsBeginning(merchant_id, [`${id}.`], JOBS_MAX),
      storage.jobsBeginning(merchant_id, [...new Set([...published].map(deliveryPrefix))], JOBS_MAX)
    ],
    { concurrency: 2 }
  )
  const deliveries = delivered.filter(({ body }) => published.has(String(body["event_id"])))
  const urls = yield* readUrls(deps, merchant_id, deliveries)
  const own = transitions.filter((one) => one.kind === kind)
  const answers = yield* readAnswers(deps, merchant_id, own)
  const doubts = yield* readDoubts(deps, row)
  const heirs = yield* readHeirs(deps, row, { postings, transitions }, isOwn)
  const subject = yield* findExceptionSubject(deps, row)
  return { row, transitions: own, postings, events, jobs, deliveries, urls, answers, doubts, heirs, subject }
})

const describeWait = (
  { providers }: Deps,
  { answers, jobs, row, transitions }: Records,
  isOwn: boolean,
  now: number
): WaitsForBody | null => {
  if (!isWaiting(row)) return null
  const jobNamed = (id: string | undefined) => jobs.find((job) => job.id === id)
  const progress = describeProgress(
    row,
    jobNamed(findNextJobId(row)),
    providers,
    row.state === "refunding" ? [] : answers
  )
  const reason = isOwn ? toPublicReason(progress.reason) : progress.reason
  const awaited_person = isOwn ? null : progress.awaited_person
  const until = jobNamed(findTimerId(row))?.due_at ?? null
  const next_attempt_at = isOwn ? null : progress.next_attempt_at
  const next = next_attempt_at === null ? null : Date.parse(next_attempt_at)
  return {
    reason,
    sentence: describeCurrentWait({
      ...{ kind: row.kind, over: listLimitsOver(row), reason, awaited_person },
      ...{ until, next_attempt_at: next, now }
    }),
    since: iso(lastProgressAt(transitions)),
    until: isoOrNull(until),
    next_attempt_at,
    attempts: isOwn ? 0 : progress.attempts,
    awaited_person
  }
}

const findEndTime = (deps: Deps, { row, transitions }: Records): string | null => {
  const { machine, state } = row
  const { lifecycle } = requireKind(deps, row)
  if (!lifecycle.knows(machine) || !lifecycle.hasEnded(state, machine)) return null
  const isEnd = ({ from, to }: Transition): boolean => to === state && from !== to
  return iso(transitions.findLast(isEnd)?.at ?? row.updated_at)
}

const readTimeline = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row,
  isOwn: boolean
): Effect.fn.Return<TimelineBody, StorageFault> {
  const { recordsMs } = deps
  const now = yield* Clock.currentTimeMillis
  const records = yield* readRecords(deps, row, isOwn)
  const all = listEntries(records)
  const kind = requireKind(deps, row)
  const entries = isOwn ? keepOwnEntries(kind, row, all) : all
  const waits_for = describeWait(deps, records, isOwn, now)
  const isForgotten =
    records.events.length < row.event_count || (recordsMs !== null && row.created_at < now - recordsMs)
  return {
    ...Struct.pick(row, ["id", "kind", "merchant_id", "status", "machine"]),
    state: isOwn ? row.status : row.state,
    created_at: iso(row.created_at),
    ended_at: findEndTime(deps, records),
    waits_for,
    explanation: explainResource(kind, records, waits_for, isOwn),
    entries: entries.slice(-ENTRIES_MAX),
    truncated: isForgotten || entries.length > ENTRIES_MAX
  }
})

/** Reads the timeline of any resource, for the operator. Errors: `NotFound`. */
const readWholeTimeline = Effect.fnUntraced(function* (deps: Deps, id: string) {
  const { storage, kinds } = deps
  return yield* readTimeline(deps, yield* findAnywhere(storage, kinds, id), false)
})

/**
 * Reads the timeline of a movement or deposit of the caller, without what is the platform's own. The id of a transaction names its movement
 * or deposit. Errors: `NotFound`.
 */
const readOwnTimeline = Effect.fnUntraced(function* (
  deps: Deps,
  { merchant_id }: Call,
  id: string
): Effect.fn.Return<TimelineBody, NotFound | StorageFault> {
  const { kinds, storage } = deps
  const kind = kinds.ofId(id)
  const candidates = isTransactionId(id) ? kinds.transactions : kind === undefined ? [] : [kind]
  const [row] = yield* storage.get(
    candidates.map(({ kind: name, prefix }) => ({ merchant_id, kind: name, id: `${prefix}_${cutStem(id)}` }))
  )
  if (row === undefined)
    return yield* makeNotFound({ kind: isTransactionId(id) ? "transaction" : (kind?.kind ?? "resource") }, id)
  return yield* readTimeline(deps, row, true)
})

export class Timelines extends Context.Service<Timelines>()("corridor/engine/Timelines", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { whole: readWholeTimeline, own: readOwnTimeline }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
