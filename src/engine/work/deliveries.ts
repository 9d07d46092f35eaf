/**
 * The delivery of events to webhook endpoints: one attempt for each claimed job, completed in one commit.
 *
 * Delivery is at least once: if the completion of an attempt is lost, the attempt is repeated with the same message id
 * (DELIVERY-4).
 */
import { Clock, Context, Effect, Layer, Random, Struct } from "effect"
import {
  FAILURES_MIN,
  type WebhookEndpointData,
  type WebhookEndpointEvent
} from "../../machines/webhooks/webhook-endpoint.ts"
import { BoundedMap } from "../ports/bounded-map.ts"
import { Cipher } from "../ports/Cipher.ts"
import type { ChangeSet } from "../commit/changeset.ts"
import { requireKnownMachine } from "../commit/steps.ts"
import { MissingKey, type StorageFault } from "../ports/errors.ts"
import { UnitOfWork } from "../commit/UnitOfWork.ts"
import { type Attempt, listAttempts } from "../representations/webhooks/webhook-endpoint.ts"
import { logFailure } from "../settings/settings.ts"
import { makeSubscription, WebhookEndpointKind } from "../resources/webhooks/webhook-endpoint.ts"
import { metrics } from "../ports/metrics.ts"
import { type Job, type JobWrite, type Row, Storage } from "../ports/Storage.ts"
import { type DeliveryAnswer, WebhookSink } from "../ports/WebhookSink.ts"
import { traceDelivery } from "./traced-jobs.ts"

/**
 * The retry schedule of deliveries: `delays_ms[n]` is the delay after attempt n + 1; there is no retry after the last.
 * The default is the Standard Webhooks schedule (DELIVERY-10).
 */
export const DeliverySchedule = Context.Reference<{ readonly delays_ms: ReadonlyArray<number> }>(
  "corridor/engine/DeliverySchedule",
  {
    defaultValue: () => ({
      delays_ms: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1000)
    })
  }
)

const HOUR_MS = 60 * 60 * 1000

/** An endpoint is deactivated after attempts have failed for this long without an acknowledgement (WEBHOOK-13). */
const FAILING_MAX_MS = 5 * 24 * HOUR_MS

/** The longest delay that a receiver's `Retry-After` may set. */
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS

const GONE = 410

/** The most endpoints, and the most decrypted secrets, that are cached. */
const REMEMBERED_MAX = 2048

/** Classifies the result of an attempt for the metrics. */
const classifyAttempt = ({ error, response_status: status }: DeliveryAnswer): string =>
  error === null ? "acknowledged" : status === null || status < 300 ? "no_answer" : `${Math.floor(status / 100)}xx`

const delivering = metrics.delivering.of({})

/** Records the result of an attempt in the metrics. */
const recordAttempt = (result: string, endpoint?: WebhookEndpointData): void =>
  metrics.deliveries
    .of({ endpoint: (endpoint?.failing_since ?? null) === null ? "healthy" : "failing", result })
    .record(1)

interface Opened {
  readonly secret: string
  readonly until: number | null
}

const makeDeps = Effect.gen(function* () {
  const { delays_ms } = yield* DeliverySchedule
  /**
   * Endpoints that failed on this node after they were last read. The acknowledgement of an earlier attempt applies
   * to them too.
   */
  const failing = new BoundedMap<string, true>(REMEMBERED_MAX)
  /**
   * The longest time between two failures, longer than any delay between two attempts. If more time passed, nothing
   * was attempted.
   */
  const silentMs = Math.max(RETRY_AFTER_MAX_MS, ...delays_ms.map((delay) => delay * 1.1)) + HOUR_MS
  return {
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, storage: Storage, cipher: Cipher, sink: WebhookSink })),
    delays_ms,
    remembered: new BoundedMap<string, ReadonlyArray<Opened>>(REMEMBERED_MAX),
    endpoints: new BoundedMap<string, Row<WebhookEndpointData>>(REMEMBERED_MAX),
    failing,
    silentMs
  }
})
type Deps = Effect.Success<typeof makeDeps>

const listValidSecrets = (opened: ReadonlyArray<Opened>, now: number): ReadonlyArray<string> =>
  opened.filter(({ until }) => until === null || until > now).map(({ secret }) => secret)

/** Reads the secrets that sign at `now`, decrypted once per version of the endpoint. */
const readSecrets = (
  { remembered, cipher }: Deps,
  { id, version, data }: Row<WebhookEndpointData>,
  now: number
): Effect.Effect<ReadonlyArray<string>, StorageFault> => {
  const name = `${id}@${version}`
  const known = remembered.get(name)
  if (known !== undefined) return Effect.succeed(listValidSecrets(known, now))
  const opening = Effect.forEach(data.secrets, ({ sealed, until }) =>
    Effect.map(cipher.open(sealed), (secret) => ({ secret, until }))
  )
  return Effect.map(opening, (opened) => {
    remembered.set(name, opened)
    return listValidSecrets(opened, now)
  })
}

/** Reads the endpoint as it was when the job was claimed; each version is read once. */
const readEndpoint = (deps: Deps, job: Job): Effect.Effect<Row<WebhookEndpointData> | undefined, StorageFault> => {
  const { endpoints } = deps
  const seen = endpoints.get(job.partition_key)
  if (seen?.version === job.endpoint_version && seen?.merchant_id === job.merchant_id) return Effect.succeed(seen)
  return Effect.map(findEndpoint(deps, job), (row) => {
    if (row === undefined) return undefined
    endpoints.delete(job.partition_key)
    endpoints.set(job.partition_key, row)
    return row
  })
}

const findEndpoint = ({ storage }: Deps, job: Job) =>
  Effect.map(
    storage.get([{ merchant_id: job.merchant_id, kind: WebhookEndpointKind.kind, id: job.partition_key }]),
    ([row]) => row as Row<WebhookEndpointData> | undefined
  )

const completeDelivery = (
  { unitOfWork }: Deps,
  job: Job,
  write: Pick<JobWrite, "status" | "due_at">,
  attempt: Attempt,
  endpoint: Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault>
) =>
  unitOfWork.apply(
    job.merchant_id,
    { lease: { job: job.id, token: job.lease ?? "" } },
    Effect.map(endpoint, (changes) => ({
      changes: [
        {
          jobs: [
            {
              ...Struct.pick(job, ["id", "queue", "partition_key", "attempt", "created_at", "body"]),
              ...write,
              log: [...job.log, { ...attempt }]
            }
          ]
        },
        ...changes
      ],
      result: undefined
    }))
  )

/** The answer of an attempt that this node could not make: it is none of the endpoint's, and takes no turn of the schedule. */
const unreadable = "not sent: the signing secret could not be read; another attempt follows"

/** How long a delivery is left to other nodes that this one lacks the encryption key for. */
const unreadMs = 5000

/** Counts the attempts that were made, or at least begun. */
const countAttempts = (job: Job): number =>
  listAttempts(job).filter((one) => (one as Partial<Attempt>).error !== unreadable).length

/** Leaves a delivery to the nodes that have the key of its endpoint's secret. The log of the delivery has the reason once. */
const leaveUnread = Effect.fnUntraced(function* (deps: Deps, job: Job, at: number, { message }: StorageFault) {
  recordAttempt("unsent")
  yield* Effect.annotateLogs(Effect.logWarning(`a delivery is left to another node: ${message}`), {
    job_id: job.id,
    merchant_id: job.merchant_id,
    endpoint_id: job.partition_key
  })
  const log = job.log.filter((one, n) => n < job.log.length - 1 || (one as Partial<Attempt>).error !== unreadable)
  return yield* completeDelivery(
    deps,
    { ...job, log },
    { status: "pending", due_at: at + unreadMs },
    { at, response_status: null, error: unreadable, duration_ms: 0, unsent: true },
    Effect.succeed([])
  )
})

/** Fails a delivery that cannot be sent. `why`: for its log. */
const failUnsent = (deps: Deps, job: Job, at: number, why: string) => {
  recordAttempt("unsent")
  return completeDelivery(
    deps,
    job,
    { status: "failed", due_at: null },
    { at, response_status: null, error: `not sent: ${why}`, duration_ms: 0, unsent: true },
    Effect.succeed([])
  )
}

/** Whether a response says that the endpoint is gone for good. */
const isGone = ({ response_status }: DeliveryAnswer, { data }: Row<WebhookEndpointData>, url: string): boolean =>
  response_status === GONE && data.url === url

/**
 * Decides the event of the endpoint that follows from a response of `url`, on the endpoint's state at the commit. A response of a URL that
 * it no longer has says nothing about it (WEBHOOK-13).
 */
const decideEndpointEvent = (
  { silentMs }: Deps,
  row: Row<WebhookEndpointData>,
  answer: DeliveryAnswer,
  url: string,
  at: number
): WebhookEndpointEvent | undefined => {
  const { state, data } = row
  if (state !== "active" || data.url !== url) return undefined
  if (answer.error === null) return data.failing_since === null ? undefined : { type: "delivery.acknowledged" }
  if (isGone(answer, row, url)) return { type: "deactivate", reason: "gone" }
  const { failing_since: began, failed_at: last, failures = 0 } = data
  if (began === null) return { type: "delivery.failed", at, since: at }
  const gap = at - (last ?? began)
  const since = gap > silentMs ? began + gap : began
  if (failures + 1 >= FAILURES_MIN && at - since >= FAILING_MAX_MS) return { type: "deactivate", reason: "failing" }
  // Beyond this count, failures are recorded at most once an hour, so that not every attempt writes the endpoint.
  return failures >= FAILURES_MIN && gap < HOUR_MS ? undefined : { type: "delivery.failed", at, since }
}

const makeEndpointChanges = (
  deps: Deps,
  job: Job,
  answer: DeliveryAnswer,
  url: string,
  at: number
): Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault> =>
  Effect.gen(function* () {
    const row = yield* findEndpoint(deps, job)
    const event = row === undefined ? undefined : decideEndpointEvent(deps, row, answer, url, at)
    if (row === undefined || event === undefined) return []
    const next = yield* deps.unitOfWork.step(WebhookEndpointKind, row, event, at)
    if (next === undefined) return []
    return event.type === "deactivate" ? [next.changes, makeSubscription(next.row)] : [next.changes]
  })

/** Finds when the next attempt is due. Null: there is none. */
const findNextDue = Effect.fnUntraced(function* (
  deps: Deps,
  job: Job,
  answer: DeliveryAnswer,
  url: string,
  at: number
) {
  const delay = job.body["payload"] === undefined ? deps.delays_ms[countAttempts(job)] : undefined
  if (delay === undefined) return null
  if (answer.response_status === GONE) {
    const row = yield* findEndpoint(deps, job)
    if (row === undefined || isGone(answer, row, url)) return null
  }
  const jitter = yield* Random.nextBetween(0.9, 1.1)
  return at + Math.max(Math.round(delay * jitter), Math.min(answer.retry_after_ms ?? 0, RETRY_AFTER_MAX_MS))
})

const runDelivery = Effect.fnUntraced(function* (deps: Deps, job: Job, answered?: (isAcknowledged: boolean) => void) {
  const { sink, failing } = deps
  const clock = yield* Clock.Clock
  const began = clock.currentTimeMillisUnsafe()
  const row = yield* readEndpoint(deps, job)
  if (row !== undefined) yield* requireKnownMachine(WebhookEndpointKind, row)
  if (row === undefined || row.state !== "active") {
    return yield* failUnsent(
      deps,
      job,
      began,
      row === undefined || row.state === "deleted" ? "the endpoint is deleted" : "the endpoint is inactive"
    )
  }
  const { event_id, payload } = job.body
  const body = typeof payload === "string" ? payload : job.payload
  if (body === undefined) return yield* failUnsent(deps, job, began, "the event is not stored")
  const opened = yield* Effect.result(readSecrets(deps, row, began))
  if (opened._tag === "Failure") {
    if (opened.failure.cause instanceof MissingKey) return yield* leaveUnread(deps, job, began, opened.failure)
    return yield* opened.failure
  }
  const delivery = { url: row.data.url, message_id: `msg_${event_id}`, body, secrets: opened.success }
  const answer = yield* traceDelivery(job, delivery, sink)
  answered?.(answer.error === null)
  recordAttempt(classifyAttempt(answer), row.data)
  delivering.record(answer.duration_ms / 1000)
  if (answer.error !== null)
    yield* logFailure(`a delivery failed: ${answer.error}`, {
      job_id: job.id,
      merchant_id: job.merchant_id,
      endpoint_id: row.id,
      event_id,
      event_type: job.body["event_type"],
      attempt: countAttempts(job) + 1,
      status: answer.response_status
    })
  const at = clock.currentTimeMillisUnsafe()
  const { response_status, error, duration_ms, request, response_body } = answer
  const due_at = error === null ? null : yield* findNextDue(deps, job, answer, delivery.url, at)
  const status = error === null ? "delivered" : due_at === null ? "failed" : "pending"
  const attempt = {
    at: began,
    response_status,
    error,
    duration_ms,
    ...(request === undefined ? {} : { request }),
    ...(response_body === undefined ? {} : { response_body })
  }
  // Most responses do not change the endpoint as it was just read. It is then not read again.
  const isOvertaken = error === null && failing.delete(job.partition_key)
  if (error !== null) failing.set(job.partition_key, true)
  const isUnchanged = !isOvertaken && decideEndpointEvent(deps, row, answer, delivery.url, at) === undefined
  return yield* completeDelivery(
    deps,
    job,
    { status, due_at },
    attempt,
    isUnchanged ? Effect.succeed([]) : makeEndpointChanges(deps, job, answer, delivery.url, at)
  )
})

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * Makes one attempt for a claimed job of the queue `delivery`, and completes the job. `answered` is called with the
     * result before the completion; the endpoint's partition is free from then on.
     *
     * Shapes: `job.partition_key` is the endpoint's id; `job.body` is `{event_id, event_type}`. A ping, which has no
     * stored event, also has its `payload`.
     * Laws: it completes under the job's lease, or not at all. A 2xx is `delivered`. After any other result the
     * delivery is due again by the schedule, later if the receiver requests it, and `failed` after the last attempt. A
     * delivery to an inactive or deleted endpoint is `failed` without an attempt. A 410 deactivates the endpoint in the
     * same commit. So does a failure after five days of failures only, if it is at least the tenth; time without attempts does not
     * count. Nothing that an address answers counts once the endpoint has left it.
     */
    readonly run: (job: Job, answered?: (isAcknowledged: boolean) => void) => Effect.Effect<unknown, StorageFault>
  }
>()("corridor/engine/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.map(makeDeps, (deps) => Deliveries.of({ run: (job, answered) => runDelivery(deps, job, answered) }))
  )
}
