/** Webhook endpoints: the receivers of a merchant's events (WEBHOOK-1 to WEBHOOK-13). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { makeRecordLifecycle, type Update } from "../../../machines/kernel/lifecycle.ts"
import {
  PREVIOUS_MAX,
  keepPreviousSecrets,
  WebhookEndpoint,
  type WebhookEndpointData,
  type WebhookEndpointEvent
} from "../../../machines/webhooks/webhook-endpoint.ts"
import { checkVersion, toTimeBounds } from "../../calls/list.ts"
import { findOfAnyMerchant, makeReads } from "../../calls/reads.ts"
import { makeNotFound, UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { Call } from "../../commit/call.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { Kind, ResourceKind } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import { formatSecret } from "../../crypto/signing.ts"
import { makeWordFilter } from "../../input/members.ts"
import {
  CreatedAfter,
  CreatedBefore,
  describe,
  HttpUrl,
  Id,
  listing,
  Optional,
  toSlice,
  TextOrEmpty
} from "../../input/schemas.ts"
import { Cipher } from "../../ports/Cipher.ts"
import { creationTimeOf, deliveryPrefix, Ids, deriveRedeliveryId, cutStem } from "../../ports/Ids.ts"
import { type JobWrite, type Row, Storage } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { WebhookSink } from "../../ports/WebhookSink.ts"
import {
  BadRequest,
  makeFieldRefusal,
  type FieldFault,
  refuseFuture,
  invalid,
  InvalidStatus,
  makeRangeError
} from "../../ports/errors.ts"
import { categories, type Category } from "../../reference/vocabulary.ts"
import { countedMax, endpointHealthBody } from "../../representations/webhooks/endpoint-health.ts"
import { pingBody } from "../../representations/webhooks/event.ts"
import { eventTypes } from "../../representations/webhooks/published.ts"
import { deliveryBody, deliveryStatuses, webhookEndpointBody } from "../../representations/webhooks/webhook-endpoint.ts"
import { readForgottenBefore } from "../../settings/retention.ts"

// The inputs of webhook endpoints.

const Categories = Schema.Array(Schema.Literals(categories))
  .annotate({ expected: `one or more of ${categories.join(", ")}` })
  .check(
    Schema.makeFilter((chosen: ReadonlyArray<Category>) => chosen.length > 0, {
      expected: `one or more of ${categories.join(", ")}`,
      code: "invalid_value",
      toJsonSchema: () => ({ minItems: 1 })
    })
  )

export const CreateWebhookEndpoint = Schema.Struct({
  url: describe(
    HttpUrl,
    "Where to post events: https with a public host. The test environment also accepts http and loopback.",
    "https://example.com/webhooks"
  ),
  description: Optional(TextOrEmpty(500), "A note for people.", "payouts service"),
  categories: Optional(Categories, "The categories whose events it receives, all events of each. Default: all.", [
    "offramp",
    "deposit"
  ])
}).annotate({ identifier: "CreateWebhookEndpoint" })
export type CreateWebhookEndpoint = typeof CreateWebhookEndpoint.Type

export const UpdateWebhookEndpoint = Schema.Struct({
  active: Optional(Schema.Boolean, "Whether it receives events."),
  url: Optional(HttpUrl, "Where to post events.", "https://example.com/webhooks"),
  description: Optional(TextOrEmpty(500), "A note for people.", "payouts service"),
  categories: Optional(Categories, "The categories whose events it receives, all events of each.", [
    "offramp",
    "deposit"
  ])
}).annotate({ identifier: "UpdateWebhookEndpoint" })
export type UpdateWebhookEndpoint = typeof UpdateWebhookEndpoint.Type

/** One event, or the events from `since` to `until`, both inclusive. Default of `until`: now. */
export const ReplayWebhookEndpoint = Schema.Struct({
  event_id: Optional(Id("evt"), "The event to send again. Either this or `since` is required."),
  since: Optional(
    CreatedAfter,
    "The beginning of the time whose events are sent again, inclusive: a date or an instant.",
    "2026-01-31T00:00:00Z"
  ),
  until: Optional(CreatedBefore, "The end of the time, inclusive: a date or an instant. Default: now.", "2026-01-31")
}).annotate({ identifier: "ReplayWebhookEndpoint" })
export type ReplayWebhookEndpoint = typeof ReplayWebhookEndpoint.Type

export const ListWebhookEndpoints = Schema.Struct(listing)

export const ListDeliveries = Schema.Struct({
  status: makeWordFilter(deliveryStatuses, "status"),
  event_type: Optional(
    Schema.Literals([...eventTypes, "ping"]),
    "Only deliveries of events of this type.",
    "offramp.success"
  ),
  event_id: Optional(Id("evt"), "Only deliveries of this event."),
  ...listing
})
export type ListDeliveries = typeof ListDeliveries.Type

// The number of webhook endpoints of a merchant.

/** The number is a row, so that two concurrent creations cannot both be the last one permitted. */
export interface WebhookRoster {
  readonly endpoints: number
}

/** The id of a roster is the merchant's. */
export const WebhookRosterKind: Kind<WebhookRoster, Update<WebhookRoster>> = {
  kind: "webhook_roster",
  lifecycle: makeRecordLifecycle<WebhookRoster>("webhook_roster"),
  isHidden: () => true
}

export const WebhookEndpointKind: ResourceKind<WebhookEndpointData, WebhookEndpointEvent> = {
  kind: "webhook_endpoint",
  prefix: "whe",
  lifecycle: WebhookEndpoint,
  isHidden: (state) => state === "deleted"
}

const ENDPOINTS_MAX = 20
const SECRET_BYTES = 32

/** The maximum number of events in one replay. */
export const REPLAY_MAX = 5000
const REPLAY_PAGE = 500

/** So many deliveries of the events of one millisecond are read first. */
const SIBLINGS_MAX = 200

/** The selection of a replay: an event id or a time range. */
type Selection = string | { readonly created_after: number; readonly created_before: number }

/** Checks the selection of a replay. Errors: `BadRequest` unless exactly one of `event_id` and `since` is given. */
const requireEither = ({ event_id, since, until }: ReplayWebhookEndpoint): Effect.Effect<void, BadRequest> => {
  const refuse = (name: string, code: FieldFault["code"]) =>
    Effect.fail(new BadRequest(makeFieldRefusal(name, code, "Specify either event_id, or since and optionally until.")))
  if (event_id !== undefined)
    return since === undefined && until === undefined ? Effect.void : refuse("event_id", "invalid_value")
  if (since !== undefined) return Effect.void
  return refuse(until === undefined ? "event_id" : "since", "required")
}

/** Converts the input of a replay. Errors: `InvalidInput` for a range that ends before it starts, or starts in the future. */
const toSelection = ({ event_id, since = 0, until }: ReplayWebhookEndpoint, now: number) => {
  const created_before = until ?? now
  if (event_id !== undefined) return Effect.succeed<Selection>(event_id)
  if (since <= created_before) return Effect.succeed<Selection>({ created_after: since, created_before })
  return Effect.fail(
    until === undefined
      ? refuseFuture("since", since, now)
      : makeRangeError(
          "since",
          "until",
          `since is ${iso(since)}, and until is ${iso(until)}. since must not be after until.`
        )
  )
}

/** Makes the change set that subscribes an endpoint, from this write on, to its categories while it is active, and to none otherwise. */
export const makeSubscription = ({ id, state, data }: Row<WebhookEndpointData>): ChangeSet => ({
  subscriptions: [{ endpoint_id: id, categories: state === "active" ? data.categories : [] }]
})

/** Sorts categories in the order of {@link categories}, each once. */
const sortCategories = (chosen: ReadonlyArray<Category>): ReadonlyArray<Category> =>
  categories.filter((category) => chosen.includes(category))

const makeDelivery = (id: string, endpoint: string, body: JobWrite["body"], at: number): JobWrite => ({
  id,
  queue: "delivery",
  partition_key: endpoint,
  status: "pending",
  due_at: at,
  attempt: 0,
  created_at: at,
  body,
  log: []
})

const makeDeps = Effect.gen(function* () {
  const { list } = yield* makeReads(WebhookEndpointKind, ListWebhookEndpoints, webhookEndpointBody)
  return {
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, storage: Storage, cipher: Cipher, sink: WebhookSink, ids: Ids })),
    list
  }
})
type Deps = Effect.Success<typeof makeDeps>

const loadEndpoint = Effect.fnUntraced(function* ({ unitOfWork }: Deps, call: Call, id: string) {
  const row = yield* unitOfWork.load(WebhookEndpointKind, call.merchant_id, id)
  return row.state === "deleted" ? yield* makeNotFound(WebhookEndpointKind, id) : row
})

const loadActive = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const row = yield* loadEndpoint(deps, call, id)
  if (row.state === "active") return row
  return yield* new InvalidStatus({ message: `Webhook endpoint ${id} is inactive. Activate it first.` })
})

/** Lists the deliveries of an endpoint, newest first. Errors: `NotFound`. */
const listDeliveries = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: ListDeliveries) {
  const { storage } = deps
  yield* loadEndpoint(deps, call, id)
  const { page, per_page, offset, limit } = toSlice(input)
  const { event_id, event_type } = input
  const { items, total } = yield* storage.jobs({
    merchant_id: call.merchant_id,
    queue: "delivery",
    partition_key: id,
    ...(input.status === undefined ? {} : { status: input.status }),
    body: { ...(event_id && { event_id }), ...(event_type && { event_type }) },
    ...toTimeBounds(input),
    offset,
    limit
  })
  return { items: items.map(deliveryBody), page, per_page, total }
})

/** Checks the URL of an endpoint before the write, because it resolves the host on the network. Errors: `InvalidInput`. */
const checkUrl = Effect.fnUntraced(function* ({ sink }: Deps, url: string | undefined) {
  const fault = url === undefined ? null : yield* sink.check(url)
  if (fault !== null) return yield* invalid("url", fault)
})

const makeSecret = ({ ids, cipher }: Deps) =>
  Effect.gen(function* () {
    const signing_secret = formatSecret(yield* ids.secret(SECRET_BYTES))
    return { signing_secret, sealed: yield* cipher.seal(signing_secret) }
  })

/** Adds an endpoint to the merchant's count, or removes it. Errors: `InvalidStatus` when the maximum is exceeded. */
const countEndpoint = Effect.fnUntraced(function* (
  { storage, unitOfWork }: Deps,
  merchant_id: string,
  change: 1 | -1,
  at: number
) {
  const [found] = yield* storage.get([{ merchant_id, kind: WebhookRosterKind.kind, id: merchant_id }])
  if (found === undefined)
    return (yield* begin(WebhookRosterKind, { merchant_id, id: merchant_id }, { endpoints: 1 }, at)).changes
  const row = found as Row<WebhookRoster>
  if (change === 1 && row.data.endpoints >= ENDPOINTS_MAX)
    return yield* new InvalidStatus({
      message: `The merchant already has ${ENDPOINTS_MAX} webhook endpoints, the maximum. Delete one first.`
    })
  const next = yield* unitOfWork.stepOrDie(
    WebhookRosterKind,
    row,
    { type: "update", patch: { endpoints: row.data.endpoints + change } },
    at
  )
  return next.changes
})

/** Reads the events of a replay, oldest first. Errors: `NotFound`; `InvalidInput` for too many events. */
const readReplay = Effect.fnUntraced(function* (
  { storage }: Deps,
  call: Call,
  row: Row<WebhookEndpointData>,
  selection: Selection
) {
  const { merchant_id } = call
  if (typeof selection === "string") {
    const event = yield* storage.event(merchant_id, selection)
    return event === undefined ? yield* makeNotFound({ kind: "event" }, selection) : [event]
  }
  const { created_after, created_before } = selection
  // Pages are newest first: an event that is published meanwhile moves the others, and the next page repeats one.
  const found = new Map<string, { readonly id: string; readonly type: string; readonly created_at: number }>()
  for (const category of row.data.categories) {
    for (let offset = 0; ; offset += REPLAY_PAGE) {
      const query = { merchant_id, category, created_after, created_before, offset, limit: REPLAY_PAGE }
      const { items, total } = yield* storage.events(query)
      if (found.size + total - offset > REPLAY_MAX)
        return yield* invalid(
          "since",
          `There are more than ${REPLAY_MAX} events between since and until. Replay a shorter range.`
        )
      for (const { id, type, created_at } of items) found.set(id, { id, type, created_at })
      if (offset + REPLAY_PAGE >= total) break
    }
  }
  // Ids of one millisecond sort as they were made.
  return [...found.values()].sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
})

/**
 * Creates an endpoint, which is inactive. Only this response and that of `rotateSecret` contain a signing secret.
 *
 * Errors: `InvalidInput` for a url with a prohibited host; `InvalidStatus` when there are 20 endpoints.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateWebhookEndpoint) {
  const { unitOfWork, ids } = deps
  const { merchant_id } = call
  yield* checkUrl(deps, input.url)
  return yield* unitOfWork.write(call, function* () {
    const at = yield* Clock.currentTimeMillis
    const counted = yield* countEndpoint(deps, merchant_id, 1, at)
    const { sealed, signing_secret } = yield* makeSecret(deps)
    const endpoint = yield* begin(
      WebhookEndpointKind,
      { merchant_id, id: yield* ids.make(WebhookEndpointKind.prefix) },
      {
        url: input.url,
        description: input.description ?? null,
        categories: sortCategories(input.categories ?? categories),
        secrets: [{ sealed, until: null }],
        failing_since: null,
        deactivated_for: null
      },
      at
    )
    return {
      changes: [endpoint.changes, counted],
      result: { ...webhookEndpointBody(endpoint.row), signing_secret },
      secret: true
    }
  })
})

/** Changes an endpoint. Errors: `NotFound`; `InvalidInput` for the url; `Conflict` when `If-Match` does not match. */
const update = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: UpdateWebhookEndpoint) {
  const { unitOfWork } = deps
  yield* loadEndpoint(deps, call, id)
  yield* checkUrl(deps, input.url)
  const { active, url, description, categories: chosen } = input
  const patch = {
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description }),
    ...(chosen === undefined ? {} : { categories: sortCategories(chosen) })
  }
  return yield* unitOfWork.write(call, function* () {
    const row = yield* loadEndpoint(deps, call, id)
    yield* checkVersion(call, String(row.version))
    const event = { type: "update", patch, ...(active === undefined ? {} : { active }) } as const
    const next = yield* unitOfWork.stepOrDie(WebhookEndpointKind, row, event, yield* Clock.currentTimeMillis)
    return { changes: [next.changes, makeSubscription(next.row)], result: webhookEndpointBody(next.row) }
  })
})

/**
 * Deletes an endpoint. Its pending deliveries fail.
 * Errors: `NotFound`; `Conflict` when `If-Match` does not match.
 */
const removeEndpoint = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { unitOfWork } = deps
  return yield* unitOfWork.write(call, function* () {
    const at = yield* Clock.currentTimeMillis
    const row = yield* loadEndpoint(deps, call, id)
    yield* checkVersion(call, String(row.version))
    const next = yield* unitOfWork.stepOrDie(WebhookEndpointKind, row, { type: "delete" }, at)
    const counted = yield* countEndpoint(deps, call.merchant_id, -1, at)
    return {
      changes: [next.changes, makeSubscription(next.row), counted],
      result: { id, success: true } as const
    }
  })
})

/**
 * Returns a new signing secret. The previous one also signs for 24 hours.
 * Errors: `NotFound`; `InvalidStatus` while {@link PREVIOUS_MAX} previous secrets sign.
 */
const rotateSecret = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { unitOfWork } = deps
  return yield* unitOfWork.write(call, function* () {
    const at = yield* Clock.currentTimeMillis
    const row = yield* loadEndpoint(deps, call, id)
    const { sealed, signing_secret } = yield* makeSecret(deps)
    const next = yield* unitOfWork.step(WebhookEndpointKind, row, { type: "rotate", sealed, at }, at)
    if (next === undefined) {
      const until = iso(keepPreviousSecrets(row.data.secrets, at).at(-1)!.until)
      return yield* new InvalidStatus({
        message: `${PREVIOUS_MAX} previous secrets of webhook endpoint ${id} sign its deliveries, the maximum. The oldest of them signs until ${until}. Rotate again then.`
      })
    }
    return {
      changes: [next.changes],
      result: { ...webhookEndpointBody(next.row), signing_secret },
      secret: true
    }
  })
})

/**
 * Sends events again, with their original ids.
 *
 * Errors: `BadRequest` unless exactly one of `event_id` and `since` is given; `NotFound` for endpoint or event;
 * `InvalidStatus` while inactive; `InvalidInput` for a range that ends before it starts or has more than 5000 events.
 */
const replayEvents = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: ReplayWebhookEndpoint) {
  const { unitOfWork, ids } = deps
  const row = yield* loadActive(deps, call, id)
  yield* requireEither(input)
  const events = yield* readReplay(deps, call, row, yield* toSelection(input, yield* Clock.currentTimeMillis))
  return yield* unitOfWork.write(call, function* () {
    yield* loadActive(deps, call, id)
    const at = yield* Clock.currentTimeMillis
    const jobs = yield* Effect.forEach(events, (event) =>
      Effect.map(ids.make("dlv"), (dlv) =>
        makeDelivery(deriveRedeliveryId(event.id, dlv), id, { event_id: event.id, event_type: event.type }, at)
      )
    )
    return { changes: [{ jobs }], result: { id, replayed: jobs.length } }
  })
})

/**
 * Sends a signed test event to this endpoint only, without retries. Returns its delivery.
 * Errors: `NotFound`; `InvalidStatus` while inactive.
 */
const pingEndpoint = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { unitOfWork, ids } = deps
  return yield* unitOfWork.write(call, function* () {
    const row = yield* loadActive(deps, call, id)
    const at = yield* Clock.currentTimeMillis
    const event_id = yield* ids.make("evt")
    const payload = JSON.stringify(pingBody(event_id, call.merchant_id, webhookEndpointBody(row), at))
    const job = makeDelivery(yield* ids.make("dlv"), id, { event_id, event_type: "ping", payload }, at)
    return { changes: [{ jobs: [job] }], result: deliveryBody(job) }
  })
})

/**
 * Reads the events that did not reach the endpoint, oldest first: each has a failed delivery to it, and none that is delivered or pending.
 * Pings, and events that are no longer kept, are left out.
 */
const readUndelivered = Effect.fnUntraced(function* ({ storage }: Deps, { id, merchant_id }: Row<WebhookEndpointData>) {
  const of = { merchant_id, queues: ["delivery"], of: { failed: id }, limit: REPLAY_PAGE } as const
  const forgotten = yield* readForgottenBefore(storage)
  const failed = new Map<string, { readonly event_id: string; readonly event_type: string }>()
  for (let after = ""; ; ) {
    const page = yield* storage.jobsAfter({ ...of, after })
    for (const { body } of page) {
      const event = { event_id: String(body["event_id"]), event_type: String(body["event_type"]) }
      const isKept = (creationTimeOf(event.event_id) ?? 0) >= forgotten
      if (body["payload"] === undefined && isKept) failed.set(event.event_id, event)
    }
    if (page.length < REPLAY_PAGE) break
    after = page.at(-1)!.id
  }
  const settled = new Set<string>()
  let beginnings = [...new Set([...failed.keys()].map(deliveryPrefix))]
  // Of a millisecond with more deliveries than were asked for, more are asked for.
  for (let limit = SIBLINGS_MAX; beginnings.length > 0; limit *= 10) {
    const cut: Array<string> = []
    for (let n = 0; n < beginnings.length; n += REPLAY_PAGE) {
      const found = yield* storage.jobsBeginning(merchant_id, beginnings.slice(n, n + REPLAY_PAGE), limit)
      for (const { body, partition_key, status } of found)
        if (partition_key === id && status !== "failed") settled.add(String(body["event_id"]))
      for (const [beginning, jobs] of Map.groupBy(found, (job) => deliveryPrefix(job.id)))
        if (jobs.length >= limit) cut.push(beginning)
    }
    beginnings = cut
  }
  return [...failed.values()]
    .filter(({ event_id }) => !settled.has(event_id))
    .sort((a, b) => (cutStem(a.event_id) < cutStem(b.event_id) ? -1 : 1))
})

/**
 * Sends again the events that did not reach the endpoint, at most 5000, the oldest first.
 *
 * Law: an event whose delivery is delivered or pending is not sent, so that repeats and concurrent calls send each event once: the endpoint
 * is written with the deliveries, and of two calls at one version one decides again. Errors: `NotFound`; `InvalidStatus` while inactive.
 */
const replayFailures = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { unitOfWork, ids } = deps
  return yield* unitOfWork.write(call, function* () {
    const row = yield* loadActive(deps, call, id)
    const failed = yield* readUndelivered(deps, row)
    if (failed.length === 0) return { changes: [], result: { id, replayed: 0, remaining: 0 } }
    const at = yield* Clock.currentTimeMillis
    const events = failed.slice(0, REPLAY_MAX)
    const jobs = yield* Effect.forEach(events, (event) =>
      Effect.map(ids.make("dlv"), (dlv) => makeDelivery(deriveRedeliveryId(event.event_id, dlv), id, event, at))
    )
    const touched = yield* unitOfWork.stepOrDie(WebhookEndpointKind, row, { type: "update", patch: {} }, at)
    return {
      changes: [touched.changes, { jobs }],
      result: { id, replayed: jobs.length, remaining: failed.length - jobs.length }
    }
  })
})

/** Operator: {@link replayFailures} for an endpoint of any merchant. */
const replayAnyFailed = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { merchant_id } = yield* findOfAnyMerchant(deps.storage, WebhookEndpointKind, id)
  return yield* replayFailures(deps, { ...call, merchant_id }, id)
})

const readRowHealth = Effect.fnUntraced(function* ({ storage }: Deps, row: Row<WebhookEndpointData>) {
  const { items } = yield* storage.jobs({
    merchant_id: row.merchant_id,
    queue: "delivery",
    partition_key: row.id,
    offset: 0,
    limit: countedMax
  })
  return endpointHealthBody(row, items)
})

/** Reads how an endpoint does, by its newest deliveries. Errors: `NotFound`. */
const readHealth = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  return yield* readRowHealth(deps, yield* loadEndpoint(deps, call, id))
})

/** Operator: {@link readHealth} for an endpoint of any merchant. */
const readAnyHealth = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { merchant_id } = yield* findOfAnyMerchant(deps.storage, WebhookEndpointKind, id)
  return yield* readHealth(deps, { ...call, merchant_id }, id)
})

const get = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const row = yield* loadEndpoint(deps, call, id)
  return { body: webhookEndpointBody(row), version: String(row.version) }
})

/** Operator: lists the deliveries of an endpoint of any merchant. Errors: `NotFound`. */
const listAnyDeliveries = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: ListDeliveries) {
  const { storage } = deps
  const { merchant_id } = yield* findOfAnyMerchant(storage, WebhookEndpointKind, id)
  return yield* listDeliveries(deps, { ...call, merchant_id }, id, input)
})

export class WebhookEndpoints extends Context.Service<WebhookEndpoints>()("corridor/engine/WebhookEndpoints", {
  make: Effect.gen(function* () {
    const deps = yield* makeDeps
    const { list } = deps

    return {
      ...bindFirst(deps, {
        checkActive: loadActive,
        create,
        update,
        remove: removeEndpoint,
        rotateSecret,
        replay: replayEvents,
        ping: pingEndpoint,
        get,
        deliveries: listDeliveries,
        anyDeliveries: listAnyDeliveries,
        replayFailed: replayFailures,
        replayAnyFailed,
        health: readHealth,
        anyHealth: readAnyHealth
      }),

      list
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
