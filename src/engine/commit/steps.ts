/**
 * Steps of resources: pure functions from a kind's lifecycle to change sets. The bodies of events are rendered here,
 * from the same representation as REST responses, and never change afterwards.
 */
import { Effect } from "effect"
import { confirmTimer } from "../../machines/deposits/deposit.ts"
import { creditTimer } from "../../machines/deposits/exception.ts"
import type { CommandRequest, Outcome, Step, TimerRequest } from "../../machines/kernel/lifecycle.ts"
import { payTimer } from "../../machines/movements/batch.ts"
import { mergeChanges, type ChangeSet, type KeyScope } from "./changeset.ts"
import { InvariantViolation, makeNewerReleaseFault, type StorageFault } from "../ports/errors.ts"
import { Ids, cutStem } from "../ports/Ids.ts"
import { listIndexKeys } from "./index-keys.ts"
import type { Kind, TransactionKind } from "./kind.ts"
import { payinProviderOf, providerOf } from "../ports/Provider.ts"
import type { EventWrite, Job, JobWrite, Json, Row, RowWrite, Storage } from "../ports/Storage.ts"
import { iso } from "../ports/Time.ts"

/** A resource after a step, and the change set that writes it. */
export interface Stepped<Data> {
  readonly row: RowWrite<Data>
  readonly outcome: Outcome
  readonly changes: ChangeSet
}

export const jobId = (resource: string, name: string): string => `${resource}.${name}`

/** The body of a timer's job. The job's lease makes a replaced or cancelled timer stale. */
export interface TimerBody {
  readonly kind: string
  readonly id: string
  readonly name: string
}

/**
 * The body of a command's job. The id of the command is the id of its job. `provider` is the provider it is for, if the
 * row names one.
 */
export type CommandBody = TimerBody & {
  readonly operation: CommandRequest["operation"]
  readonly provider?: string
}

/** The timers whose work asks for a price. Each waits for the rate source. */
const priced: ReadonlySet<string> = new Set([confirmTimer, creditTimer, payTimer])

/**
 * Makes a job of a row. `whom` names who may be slow to answer it: it is the job's partition, so that they hold up only those that wait for
 * them too. Absent: only the row itself.
 */
const makeJob = (
  queue: "timer" | "command",
  row: Pick<Row, "id">,
  name: string,
  due_at: number,
  body: object,
  at: number,
  whom: string = row.id
): JobWrite => ({
  id: jobId(row.id, name),
  queue,
  partition_key: whom,
  status: "pending",
  due_at,
  attempt: 0,
  created_at: at,
  body: body as { readonly [key: string]: Json },
  log: []
})

/** The id of the resource of a job that is no delivery. The partition of a command is whom it asks, so its body names the resource. */
export const resourceIdOfJob = ({ body: { id }, partition_key }: Pick<Job, "body" | "partition_key">): string =>
  typeof id === "string" ? id : partition_key

const makeTimerJob = (row: Pick<Row, "id" | "kind">, timer: TimerRequest, at: number): JobWrite =>
  makeJob(
    "timer",
    row,
    timer.name,
    timer.at ?? at + (timer.after_ms ?? 0),
    { kind: row.kind, id: row.id, name: timer.name },
    at,
    priced.has(timer.name) ? "rates" : undefined
  )

/** The change set with a timer that is due now, which does the rest of an operation. The machine does not need to know it. */
export const makeDueTimer = (row: Pick<Row, "id" | "kind">, name: string, at: number): ChangeSet => ({
  jobs: [makeTimerJob(row, { name, at }, at)]
})

const makeCommandJob = (row: Row, { operation, name, after_ms = 0 }: CommandRequest, at: number): JobWrite => {
  const provider = operation === "refund" ? payinProviderOf(row) : providerOf(row)
  const body = { kind: row.kind, id: row.id, name, operation, ...(provider === undefined ? {} : { provider }) }
  return makeJob("command", row, name, at + after_ms, body, at, provider && `provider/${provider}`)
}

/** The change set with a command for the provider of a row that is not part of the row's lifecycle. */
export const makeCommand = (row: Row, command: CommandRequest, at: number): ChangeSet => ({
  jobs: [makeCommandJob(row, command, at)]
})

/** Renders an event in its envelope (EVENT-1 to EVENT-11), as the exact text that is signed and sent. */
const freezeEvent = (
  kind: Kind,
  type: string,
  id: string,
  row: Row,
  previous: string | null,
  eventStatus: string,
  sequence: number,
  at: number
): EventWrite => {
  if (kind.events === undefined) throw new InvariantViolation(`${kind.kind} publishes ${type} but declares no events`)
  const { category, object } = kind.events
  const event_type = `${category}.${type}`
  return {
    id,
    object_id: row.id,
    sequence,
    type: event_type,
    category,
    created_at: at,
    body: JSON.stringify({
      event_id: id,
      event_type,
      event_category: category,
      event_developer_id: `int_${cutStem(row.merchant_id)}`,
      api_version: "v1",
      event_created_at: iso(at),
      event_object_id: row.id,
      event_object_status: eventStatus,
      event_object_changes: previous === eventStatus ? null : { status: [previous, eventStatus] },
      event_sequence: sequence,
      event_object: object(row, event_type)
    })
  }
}

const resourceStatusOf = (kind: Kind, state: string, data: unknown): string => kind.status?.(state, data) ?? state
const eventStatusOf = (kind: Kind, state: string, data: unknown): string | null =>
  kind.events?.status === undefined ? resourceStatusOf(kind, state, data) : kind.events.status(state, data)

/** The store takes each type of event once per resource. Another write that published it has moved the resource, too. */
const published: KeyScope = { name: "event", taken: "decide_again" }

/** Makes the ids of new events, in the order in which they are published. Most steps publish none or one. */
const makeEventIds = (count: number): Effect.Effect<ReadonlyArray<string>, never, Ids> =>
  count === 0
    ? Effect.succeed([])
    : Effect.flatMap(Ids, ({ make }) =>
        count === 1
          ? Effect.map(make("evt"), (id) => [id])
          : Effect.all(Array.from({ length: count }, () => make("evt")))
      )

/** Makes the resource and the change set of a step: its row, postings, events and jobs. */
const composeStep = <Data>(
  kind: Kind<Data>,
  before: Row<Data> | null,
  base: Pick<Row, "merchant_id" | "id" | "customer_id" | "root_id" | "created_at">,
  step: Step<Data>,
  via: string,
  at: number
): Effect.Effect<Stepped<Data>, never, Ids> =>
  Effect.map(makeEventIds(step.outcome.events.length), (ids): Stepped<Data> => {
    const { data, outcome, state } = step
    const status = resourceStatusOf(kind, state, data)
    const publishedCount = outcome.events.length
    const first = (before?.event_count ?? 0) + 1
    // What has ended was changed last when it ended: a note of the engine's own is nothing that receivers are told.
    const isNote = before?.state === state && publishedCount === 0 && kind.events !== undefined
    const updated_at = isNote && kind.lifecycle.hasEnded(state, before.machine) ? before.updated_at : at
    const row: RowWrite<Data> = {
      merchant_id: base.merchant_id,
      kind: kind.kind,
      id: base.id,
      version: (before?.version ?? 0) + 1,
      // A row keeps the version of the machine that created it, because its states belong to that version.
      machine: before?.machine ?? kind.lifecycle.version,
      state,
      status,
      customer_id: base.customer_id,
      root_id: base.root_id,
      created_at: base.created_at,
      updated_at,
      hidden: kind.isHidden?.(state) ?? false,
      event_count: first - 1 + publishedCount,
      index_keys: listIndexKeys(kind, {
        status,
        state,
        customer_id: base.customer_id,
        data,
        created_at: base.created_at,
        updated_at
      }),
      data,
      via,
      from: before?.state ?? null
    }
    const previous = before === null ? null : eventStatusOf(kind, before.state, before.data)
    const eventStatus = eventStatusOf(kind, state, data) ?? status
    const events: Array<EventWrite> = []
    let shown: string | null = previous
    for (const [index, request] of outcome.events.entries()) {
      const id = ids[index]!
      events.push(
        request.before === true && before !== null
          ? freezeEvent(
              kind,
              request.type,
              id,
              { ...row, state: before.state, status: before.status },
              previous,
              previous ?? eventStatus,
              first + index,
              at
            )
          : freezeEvent(kind, request.type, id, row, shown, eventStatus, first + index, at)
      )
      if (request.before !== true) shown = eventStatus
    }
    return {
      row,
      outcome,
      changes: {
        rows: [row],
        postings: outcome.postings.map((posting) => ({ ...posting, resource_id: row.id, version: row.version })),
        events,
        scopes: events.length === 0 ? [] : [published],
        jobs: [
          ...outcome.commands.map((command) => makeCommandJob(row, command, at)),
          ...outcome.timers.map((timer) => makeTimerJob(row, timer, at))
        ],
        cancels: outcome.cancels.map((name) => jobId(row.id, name))
      }
    }
  })

interface Begun {
  readonly merchant_id: string
  readonly id: string
  readonly customer_id?: string | null
}

/** A resource that descends from another: a reversal from its offramp, a conversion from its deposit. */
type Descended = Begun & { readonly root_id?: string | null }

type Begin = {
  <Data>(
    kind: TransactionKind<Data>,
    base: Descended,
    data: Data,
    at: number,
    via?: string
  ): Effect.Effect<Stepped<Data>, never, Ids>
  <Data>(
    kind: Kind<Data>,
    base: Begun & { readonly root_id?: never },
    data: Data,
    at: number,
    via?: string
  ): Effect.Effect<Stepped<Data>, never, Ids>
}

/**
 * Begins a new resource of `kind`: its row at version 1, and the requests of its machine's first state. It may descend
 * from another resource (`root_id`) only if it is shown as a transaction, because each transaction shows those it is
 * related to.
 */
export const begin: Begin = <Data>(kind: Kind<Data>, base: Descended, data: Data, at: number, via = "create") =>
  composeStep(
    kind,
    null,
    { customer_id: null, root_id: null, ...base, created_at: at },
    kind.lifecycle.begin(data),
    via,
    at
  )

/** Fails for a row that a newer release has written: this release does not know its states or its data. */
export const requireKnownMachine = (kind: Kind, { id, machine }: Row): Effect.Effect<void, StorageFault> =>
  kind.lifecycle.knows(machine)
    ? Effect.void
    : Effect.fail(makeNewerReleaseFault(`${id} (${kind.kind}, version ${machine})`))

/** Takes the next step of a resource. `undefined` when its state does not accept the event. */
export const step = <Data, Event extends { readonly type: string }>(
  kind: Kind<Data, Event>,
  row: Row<Data>,
  event: Event,
  at: number
): Effect.Effect<Stepped<Data> | undefined, StorageFault, Ids | Storage> => {
  if (!kind.lifecycle.knows(row.machine)) return Effect.as(requireKnownMachine(kind, row), undefined)
  const next = kind.lifecycle.step(row.state, row.data, event, row.machine)
  if (next === undefined) return Effect.succeed(undefined)
  const moved = composeStep(kind, row, row, next, event.type, at)
  const { derivedWrites } = kind
  if (derivedWrites === undefined) return moved
  return Effect.flatMap(moved, (after) =>
    Effect.map(derivedWrites(row, after.row, at), (with_) => ({
      ...after,
      changes: mergeChanges([after.changes, ...with_])
    }))
  )
}
