/** The handlers of one provider's events. */
import { Clock, Effect } from "effect"
import type { ExceptionReason } from "../../../machines/deposits/exception.ts"
import { issueName } from "../../../machines/kernel/lifecycle.ts"
import { commandName } from "../../../machines/kernel/payout.ts"
import type { BeneficiaryData } from "../../../machines/parties/beneficiary.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { requireVersion, takeUniqueKey } from "../../commit/changeset.ts"
import { isSubmitted, type Kind, Kinds } from "../../commit/kind.ts"
import { makeReport } from "../../commit/reported-outcomes.ts"
import { type EventResult, type HandlerResult, type Source, unwrapResult } from "../../commit/call.ts"
import { jobId } from "../../commit/steps.ts"
import { sha256 } from "../../crypto/secrets.ts"
import { isKeptUnreadable, recordUnreadable, resourceIdOf } from "../../input/unreadable-event.ts"
import { Ids } from "../../ports/Ids.ts"
import {
  isAnothers,
  type IssuedEvent,
  type MovementEvent,
  type PayinEvent,
  payinProviderOf,
  type ProviderEvent,
  type RefundReport,
  type ScreenedEvent,
  type UnreadableEvent
} from "../../ports/Provider.ts"
import { type Lease, PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { toCanonicalJson } from "../../ports/canonical-json.ts"
import { decodeEvent } from "../../ports/checked-ports.ts"
import type { StorageFault, Unavailable } from "../../ports/errors.ts"
import { listLoggedCalls } from "../../reports/progress.ts"
import {
  assessReport,
  assessSeverity,
  describeUnknownMovement,
  omitRepeatedExposure
} from "../../resources/deposits/contradictions.ts"
import {
  makeExceptionData,
  type ExceptionDetails,
  raiseException,
  toReturnDetails,
  returnedScope
} from "../../resources/deposits/exception.ts"
import {
  toCanonicalTarget,
  detailsFault,
  type Issued,
  registerTarget,
  isSameTarget,
  targetOf,
  findTargetOwner
} from "../../resources/deposits/payin-target.ts"
import { normalizePayin, Payins } from "../../resources/deposits/payin.ts"
import {
  findForeignRefund,
  isOfLatest,
  findLatestRefund,
  assessRefundReport
} from "../../resources/deposits/refund-reports.ts"
import { keepRest, type LaterReport } from "../../resources/deposits/returned-parts.ts"
import { BeneficiaryKind } from "../../resources/parties/beneficiary.ts"
import { isScreeningKnown, recordVerdict } from "../../resources/parties/screening.ts"
import { VerificationOutcomes } from "../../resources/parties/verification-outcome.ts"
import type { VerificationData } from "../../../machines/parties/verification.ts"
import { VerificationKind } from "../../resources/parties/verification.ts"
import { toDaysMs, RetentionPolicy } from "../../settings/retention.ts"
import type { AcceptedAnswers } from "./accepted-answers.ts"
import { toEventResult, makeDeliver, toMachineEvent } from "./apply-event.ts"
import type { ProviderWord } from "./result-events.ts"

// Events that count for nothing by themselves, and are recorded for the operator: once for each content.

interface Recording {
  readonly kinds: Kinds["Service"]
  readonly storage: Storage["Service"]
  readonly provider: string
  /** How long an event id is remembered. */
  readonly remembering: Pick<Source, "deduplication_ms">
  readonly isOurs: (row: Row) => boolean
  /** The resource that an event is about, and what the event would put at risk under an id of its own (EXCEPTION-5). */
  readonly exposedBy: (
    event: ProviderEvent
  ) => Effect.Effect<Pick<ExceptionDetails, "exposure" | "row" | "severity">, StorageFault>
  readonly recordIgnored: (
    merchant_id: string,
    source: Source,
    details: Omit<ExceptionDetails, "provider">
  ) => Effect.Effect<HandlerResult, Unavailable>
}

/** Makes the functions that record the unreadable events of one provider, and those with the id of another event. */
const makeRecorder = ({ exposedBy, isOurs, kinds, provider, recordIgnored, remembering, storage }: Recording) => {
  /** The resource that a message names, if it exists and is this provider's. */
  const subjectOf = Effect.fnUntraced(function* (id: string | null): Effect.fn.Return<Row | undefined, StorageFault> {
    const kind = id === null ? undefined : kinds.ofId(id)
    const row = id === null || kind === undefined ? undefined : yield* storage.find(kind.kind, id)
    return row === undefined || !isOurs(row) ? undefined : row
  })

  return {
    /** Records, once for each content, an event whose id another event had before, beside that first one. */
    reused: Effect.fnUntraced(function* (merchant_id: string, event: ProviderEvent, source: Source) {
      const now = yield* Clock.currentTimeMillis
      const first = yield* storage.idempotencyRecord(merchant_id, source.deduplicationKey!, now)
      const recorded: unknown = first?.response ? JSON.parse(first.response) : null
      const deduplicationKey = `${source.deduplicationKey}/${yield* sha256(source.content!)}`
      const about = { event, reason: "event_id_reused", recorded, ...(yield* exposedBy(event)) } as const
      return yield* recordIgnored(merchant_id, { ...source, deduplicationKey }, about)
    }),

    /** A message that is no event (PROTOCOL-10): recorded with the resource that it names. Its id stays free for the event. */
    unreadable: Effect.fnUntraced(function* (sent: unknown) {
      const { content, fault, key } = isKeptUnreadable(sent) ? sent : yield* recordUnreadable(sent)
      yield* Effect.logWarning(`an event of ${provider} could not be read: ${fault}`)
      const row = yield* subjectOf(resourceIdOf(content))
      const deduplicationKey = `unreadable/${provider}/${key}`
      return yield* recordIgnored(
        row?.merchant_id ?? PLATFORM_MERCHANT,
        { ...remembering, deduplicationKey },
        {
          event: null,
          unreadable: content,
          reason: "unreadable_event",
          detail: fault,
          ...(row === undefined ? {} : { row })
        }
      )
    })
  }
}

interface Owner {
  readonly merchant_id: string
  readonly row?: Row
}

/** The job that brings an event. */
export type EventLease = Lease & Pick<Row, "merchant_id">

type Handler = (source: Source) => Effect.Effect<HandlerResult, Unavailable>

const makeServices = Effect.fnUntraced(function* (answers: AcceptedAnswers) {
  const { deliver, one } = yield* makeDeliver
  const remembered = toDaysMs((yield* RetentionPolicy).providerEvents)
  const remembering = remembered === null ? {} : { deduplication_ms: remembered }
  return {
    answers,
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, storage: Storage, kinds: Kinds, payins: Payins })),
    verifications: yield* VerificationOutcomes,
    ids: yield* Ids,
    deliver,
    one,
    remembering
  }
})
type Services = Effect.Success<ReturnType<typeof makeServices>>

/** Finds the merchant of a resource, and its row if there is one. The merchant that the provider names is only where to look first. */
const findOwner = Effect.fnUntraced(function* (
  { one, storage }: Services,
  kind: Kind,
  named: string | null,
  id: string
): Effect.fn.Return<Owner, StorageFault> {
  const row = (named === null ? undefined : yield* one(kind, named, id)) ?? (yield* storage.find(kind.kind, id))
  if (row !== undefined) return { merchant_id: row.merchant_id, row }
  const isKnown = named !== null && (yield* storage.find("merchant", named)) !== undefined
  return { merchant_id: isKnown ? named : PLATFORM_MERCHANT }
})

const makeDeps = (services: Services, provider: string) => {
  const { answers, deliver, ids, kinds, one, payins, remembering, storage, unitOfWork, verifications } = services
  return {
    services,
    provider,
    answers,
    deliver,
    ids,
    kinds,
    one,
    payins,
    remembering,
    storage,
    unitOfWork,
    verifications
  }
}
type Deps = ReturnType<typeof makeDeps>

/** Whether a resource is not of another provider, whose events about it alone count. */
const isOurs = ({ provider }: Deps, row: Row): boolean => !isAnothers(row, provider)

/** Adds the logged calls of a command to the source of its event: the step cancels the job, which has them until then. */
const addCalls = (
  { storage }: Deps,
  source: Source,
  merchant_id: string,
  command: string
): Effect.Effect<Source, StorageFault> =>
  source.origin?.calls === undefined
    ? Effect.map(storage.job(merchant_id, command), (job) =>
        job === undefined ? source : { ...source, origin: { calls: listLoggedCalls(job) } }
      )
    : Effect.succeed(source)

const isMovement = ({ kinds }: Deps, event: ProviderEvent): boolean =>
  event._tag === "movement" && isSubmitted(kinds.ofId(event.resource_id))

/** Makes the changes of an exception. Money is returned once: a repeat has no amount, unless it is of a new part (`isPart`). */
const recordException = (
  { ids, storage }: Deps,
  merchant_id: string,
  at: number,
  details: ExceptionDetails,
  isPart = false
) =>
  Effect.gen(function* () {
    const { rest, ...data } = makeExceptionData(details)
    const about = isPart ? null : data.resource_id
    const brings =
      data.amount !== null &&
      (about === null || (yield* storage.uniqueKeyOwner(merchant_id, returnedScope.name, about)) === undefined)
    // The same money, told again: the exception before holds it, and exposes what is missing of it.
    const isTold = data.amount !== null && !brings
    const exposure = details.exposure ?? null
    const severity = exposure === null ? ("low" as const) : ("high" as const)
    const kept = isTold ? { ...data, amount: null, currency: null, exposure, severity } : data
    const isReturn = brings && rest !== undefined
    const input = { ...kept, ...(isReturn ? { rest } : {}) }
    const { changes, id } = yield* raiseException(merchant_id, input, at)
    const key = about ?? id
    const keys = isReturn ? [keepRest(jobId(key, commandName), id)] : []
    return brings ? [...changes, takeUniqueKey(returnedScope, key, id), ...keys] : changes
  }).pipe(Effect.provideService(Ids, ids), Effect.provideService(Storage, storage))

/** Makes the change sets of a report that its resource does not accept. */
const recordReport = (
  deps: Deps,
  row: Row,
  at: number,
  details: Pick<ExceptionDetails, "provider" | "event" | "kind">,
  { about, changes }: LaterReport
) =>
  about === undefined
    ? Effect.succeed(changes)
    : Effect.map(
        recordException(
          deps,
          row.merchant_id,
          at,
          { ...details, row, ...about },
          about.money !== undefined && changes.length > 0
        ),
        (more) => [...changes, ...more]
      )

const provideStores = <A, E>({ storage, ids }: Deps, effect: Effect.Effect<A, E, Ids | Storage>): Effect.Effect<A, E> =>
  effect.pipe(Effect.provideService(Storage, storage), Effect.provideService(Ids, ids))

const decimals: ReadonlySet<string> = new Set(["amount", "fee"])

/** Reads a member for comparison: null and false equal an absent member, and an amount has no trailing zeros. */
const comparableMember = (value: unknown, name: string): unknown => {
  if (value === null || value === false) return undefined
  if (Array.isArray(value)) return value.map((one) => comparableMember(one, name))
  if (typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, comparableMember(one, name)]))
  return typeof value === "string" && decimals.has(name) && value.includes(".") ? value.replace(/\.?0+$/, "") : value
}

/**
 * Writes an event as one text for comparison, however it was sent (DEPOSIT-8): without the merchant, which is only where to look first, and
 * with EVM addresses in one case.
 */
const comparableText = (event: ProviderEvent): string => {
  const { from_address = null, target } = event._tag === "payin" ? event : {}
  const addresses = Object.entries({ from_address, target }).flatMap(([name, address]) =>
    typeof address === "string" ? [[name, toCanonicalTarget(address)]] : []
  )
  return toCanonicalJson(comparableMember({ ...event, ...Object.fromEntries(addresses), merchant_id: null }, ""))
}

/** The deduplication key of a provider's event, which counts once for a merchant. */
export const eventKey = (provider: string, { event_id }: Pick<ProviderEvent, "event_id">): string =>
  `provider/${provider}/${event_id}`

const makeSource = ({ provider, remembering }: Deps, event: ProviderEvent): Source => ({
  deduplicationKey: eventKey(provider, event),
  content: toCanonicalJson(event),
  isSame: (stored) => comparableText(JSON.parse(stored) as ProviderEvent) === comparableText(event),
  ...remembering
})

/** Records an event that moves no money. */
const recordIgnoredEvent = (
  deps: Deps,
  merchant_id: string,
  source: Source,
  details: Omit<ExceptionDetails, "provider">
) =>
  deps.unitOfWork
    .apply(
      merchant_id,
      source,
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const changes = yield* recordException(deps, merchant_id, at, { provider: deps.provider, ...details })
        return { changes, result: "ignored" as HandlerResult }
      })
    )
    .pipe(Effect.map(unwrapResult))

/** Handles a report of a movement that its row does not accept. */
const handleMovementReport = (deps: Deps, kind: Kind, row: Row, event: MovementEvent, at: number) => {
  const { provider } = deps
  return Effect.flatMap(provideStores(deps, assessReport(kind, row, event, provider, at)), (report) =>
    recordReport(deps, row, at, { provider, event, kind }, report)
  )
}

/** Handles a report of a refund that its row does not accept. */
const handleRefundReport = (deps: Deps, kind: Kind, row: Row, event: RefundReport, at: number) => {
  const { provider, storage } = deps
  const assessed = isAnothers(row, provider, payinProviderOf)
    ? omitRepeatedExposure(storage, kind, row, event, provider, {
        changes: [],
        about: findForeignRefund(kind, row, event)
      })
    : assessRefundReport(storage, kind, row, event, at, provider)
  return Effect.flatMap(provideStores(deps, assessed), (report) =>
    recordReport(deps, row, at, { provider, event }, report)
  )
}

const handleMovement = (deps: Deps, event: MovementEvent, merchant_id: string, source: Source, first?: Row) => {
  const { answers, kinds, deliver, provider } = deps
  const kind = kinds.ofId(event.resource_id)
  if (!isSubmitted(kind))
    return recordIgnoredEvent(deps, PLATFORM_MERCHANT, source, { event, ...describeUnknownMovement(event) })
  return answers.telling(jobId(event.resource_id, commandName), (calls) =>
    deliver(
      kind,
      merchant_id,
      event.resource_id,
      (at) => toMachineEvent(event, at),
      calls.length === 0
        ? source
        : { ...source, origin: { ...source.origin, calls: [...calls, ...(source.origin?.calls ?? [])] } },
      (row, at) =>
        row === undefined
          ? recordException(deps, merchant_id, at, { provider, event, ...describeUnknownMovement(event) })
          : handleMovementReport(deps, kind, row, event, at),
      { accepts: (row: Row) => isOurs(deps, row), first }
    ).pipe(Effect.map(({ result }) => result))
  )
}

const handleRefund = Effect.fnUntraced(function* (
  deps: Deps,
  event: RefundReport,
  merchant_id: string,
  source: Source,
  before?: Row
) {
  const { kinds, provider, deliver } = deps
  const kind = kinds.ofId(event.resource_id)
  if (kind?.refund === undefined)
    return yield* recordIgnoredEvent(deps, PLATFORM_MERCHANT, source, { event, ...describeUnknownMovement(event) })
  const type = event.outcome === "success" ? "refund.accepted" : "refund.rejected"
  const isOurRefund = (row: Row): boolean => !isAnothers(row, provider, payinProviderOf)
  const { result } = yield* deliver(
    kind,
    merchant_id,
    event.resource_id,
    (at) => ({ type, at }),
    before === undefined ? source : yield* addCalls(deps, source, merchant_id, findLatestRefund(before)),
    (row, at) =>
      row === undefined
        ? recordException(deps, merchant_id, at, { provider, event, ...describeUnknownMovement(event) })
        : handleRefundReport(deps, kind, row, event, at),
    {
      accepts: (row) => isOurRefund(row) && isOfLatest(row, event),
      readPrecondition: (row, at) =>
        Effect.succeed({
          changes: [{ cancels: [findLatestRefund(row)] }],
          event: { type, at, command_id: findLatestRefund(row), report: makeReport(event) }
        })
    }
  )
  return result
})

const handleIssue = Effect.fnUntraced(function* (deps: Deps, event: IssuedEvent, merchant_id: string, given: Source) {
  const { kinds, unitOfWork, one, provider, storage } = deps
  const kind = kinds.byName.get(event.kind)!
  const source = yield* addCalls(deps, given, merchant_id, jobId(event.resource_id, issueName))
  const issuedEvent = { type: "provider.issued", ...event, target: event.target.trim() }
  const applied = yield* unitOfWork.apply(merchant_id, source, function* () {
    const at = yield* Clock.currentTimeMillis
    const row = (yield* one(kind, merchant_id, event.resource_id)) as Row<Issued> | undefined
    const asItWas = requireVersion({ kind: kind.kind, id: event.resource_id }, row)
    const refused = (reason: ExceptionReason, recorded?: unknown, detail?: string) =>
      Effect.map(
        recordException(deps, merchant_id, at, {
          provider,
          event,
          reason,
          ...(row === undefined ? {} : { row }),
          ...(recorded === undefined ? {} : { recorded }),
          ...(detail === undefined ? {} : { detail })
        }),
        (changes) => ({ changes: [asItWas, ...changes], result: "ignored" as HandlerResult })
      )
    if (row === undefined) return yield* refused("unknown_resource")
    if (!isOurs(deps, row)) return yield* refused("another_provider")
    const payinTarget = targetOf(row)
    if (payinTarget !== undefined && isSameTarget(payinTarget, { ...issuedEvent, network: null }))
      return { changes: [asItWas], result: "ignored" as HandlerResult }
    const fault = detailsFault(issuedEvent, kind.issue!(row, ""))
    if (fault !== undefined) return yield* refused("not_applicable", undefined, fault)
    const next = yield* unitOfWork.step(kind, row, { ...issuedEvent, at }, at)
    if (next === undefined) return yield* refused("contradicts_state", payinTarget)
    const name = targetOf(next.row)!
    const owner = yield* findTargetOwner(storage, name, provider)
    if (owner !== undefined) return yield* refused("target_taken", { ...name, resource_id: owner.id })
    return { changes: [next.changes, registerTarget(name, provider, row)], result: "applied" as HandlerResult }
  })
  return unwrapResult(applied)
})

/** Handles a verdict. One on another screening than the current one is stored. A contradiction is an exception as well. */
const handleScreening = Effect.fnUntraced(function* (
  deps: Deps,
  event: ScreenedEvent,
  merchant_id: string,
  source: Source,
  first?: Row
) {
  const { deliver, provider, storage } = deps
  const { cleared, screening_id } = event
  const { result } = yield* deliver(
    BeneficiaryKind,
    merchant_id,
    event.resource_id,
    () => ({ type: "provider.screened", screening_id, cleared }),
    source,
    Effect.fnUntraced(function* (row, at) {
      const isCurrent = (row?.data as BeneficiaryData | undefined)?.screening_id === screening_id
      // Another provider may have made a screening that was replaced, or make the one that is about to be written.
      const isMade = !isCurrent && (yield* isScreeningKnown(storage, merchant_id, screening_id))
      const kept = isCurrent ? [] : yield* recordVerdict(storage, merchant_id, provider, event, at)
      if (row !== undefined && !isOurs(deps, row) && !isMade)
        return [
          ...kept,
          ...(yield* recordException(deps, merchant_id, at, { provider, event, reason: "another_provider", row }))
        ]
      const contradicts = row !== undefined && (isCurrent ? cleared && row.status === "blocked" : !cleared)
      if (!contradicts) return kept
      const reason = isCurrent ? "contradicts_state" : "refused_screening"
      return [...kept, ...(yield* recordException(deps, merchant_id, at, { provider, event, reason, row }))]
    }),
    { accepts: (row: Row) => isOurs(deps, row), first }
  )
  return result
})

/** Finds the merchant that an event belongs to, and its handler. */
const findHandler = (deps: Deps, event: ProviderEvent): Effect.Effect<readonly [string, Handler], Unavailable> => {
  const { services, kinds, payins, provider, verifications } = deps
  const owned = <E extends Exclude<ProviderEvent, PayinEvent>>(
    kind: Kind | undefined,
    event: E,
    handle: (event: E, merchant_id: string, source: Source, row?: Row) => Effect.Effect<HandlerResult, Unavailable>
  ) =>
    Effect.map(
      kind === undefined
        ? Effect.succeed<Owner>({ merchant_id: PLATFORM_MERCHANT })
        : findOwner(services, kind, event.merchant_id, event.resource_id),
      ({ merchant_id, row }: Owner) =>
        [merchant_id, (source: Source) => handle(event, merchant_id, source, row)] as const
    )
  switch (event._tag) {
    case "movement":
      return owned(kinds.ofId(event.resource_id), event, (event, merchant_id, source, first) =>
        handleMovement(deps, event, merchant_id, source, first)
      )
    case "issued":
      return owned(kinds.byName.get(event.kind), event, (event, merchant_id, given) =>
        handleIssue(deps, event, merchant_id, given)
      )
    case "screened":
      return owned(BeneficiaryKind, event, (event, merchant_id, source, first) =>
        handleScreening(deps, event, merchant_id, source, first)
      )
    case "refund":
      return owned(kinds.ofId(event.resource_id), event, (event, merchant_id, source, before) =>
        handleRefund(deps, event, merchant_id, source, before)
      )
    case "payin":
      return Effect.map(
        payins.route(provider, event),
        (payinTarget) =>
          [payinTarget.merchant_id, (source: Source) => payins.receive(provider, event, payinTarget, source)] as const
      )
    case "verification":
      return owned(VerificationKind, event, (report, merchant_id, source) =>
        verifications.handle(merchant_id, report.resource_id, { _tag: "reported", provider, report }, source)
      )
  }
}

/** Finds the resource of an event that reuses an id, and its exposure: also the money that it would have booked. */
const assessExposure = Effect.fnUntraced(function* (deps: Deps, event: ProviderEvent) {
  const { payins, provider, kinds, services, storage } = deps
  if (event._tag === "payin") return yield* payins.exposedBy(provider, event)
  const kind = kinds.ofId(event.resource_id)
  const { row } = kind === undefined ? {} : yield* findOwner(services, kind, event.merchant_id, event.resource_id)
  if (event._tag !== "movement" && event._tag !== "refund") return row === undefined ? {} : { row }
  const isKnown = event._tag === "movement" ? isSubmitted(kind) : kind?.refund !== undefined
  if (row === undefined || !isKnown) return assessSeverity(describeUnknownMovement(event))
  const at = yield* Clock.currentTimeMillis
  if (event._tag === "movement") {
    const { about, changes } = yield* provideStores(deps, assessReport(kind!, row, event, provider, at))
    const reason = "contradicts_state"
    const returned = about?.reason === reason ? toReturnDetails({ event, provider, row, reason }) : {}
    return { row, ...assessSeverity({ ...returned, ...about }, changes.length > 0) }
  }
  if (isAnothers(row, provider, payinProviderOf))
    return { row, ...assessSeverity(findForeignRefund(kind!, row, event)) }
  const { about, changes } = yield* provideStores(deps, assessRefundReport(storage, kind!, row, event, at, provider))
  return { row, ...assessSeverity({ ...about }, changes.length > 0) }
})

/** Whether what cannot be read is about a customer that has changed since, about whom the provider is asked now. */
const isOutdated = Effect.fnUntraced(function* ({ storage, verifications }: Deps, provider: string, sent: object) {
  const { _tag, verification } = (sent ?? {}) as { readonly [member: string]: unknown }
  if (_tag !== "unreadable" || typeof verification !== "string") return false
  const session = yield* storage.find(VerificationKind.kind, verification)
  return session !== undefined && (yield* verifications.askIfChanged(provider, session as Row<VerificationData>))
})

const makeReceiver = (services: Services, provider: string) => {
  const deps = makeDeps(services, provider)
  const { kinds, storage, remembering } = deps
  const recorded = makeRecorder({
    kinds,
    storage,
    isOurs: (row: Row) => isOurs(deps, row),
    provider,
    recordIgnored: (merchant_id: string, source: Source, details: Omit<ExceptionDetails, "provider">) =>
      recordIgnoredEvent(deps, merchant_id, source, details),
    remembering,
    exposedBy: (event: ProviderEvent) => assessExposure(deps, event)
  })
  return Effect.fnUntraced(function* (
    sent: ProviderEvent | UnreadableEvent,
    origin: Source["origin"] & {},
    lease?: EventLease
  ): Effect.fn.Return<EventResult, Unavailable> {
    const read = decodeEvent(sent)
    if (read === undefined && (yield* isOutdated(deps, provider, sent))) return toEventResult("ignored")
    if (read === undefined) return toEventResult(yield* recorded.unreadable(sent))
    const event = read._tag === "payin" ? normalizePayin(read) : read
    const [merchant_id, handle] = yield* findHandler(deps, event)
    const source = {
      ...makeSource(deps, event),
      origin,
      // A lease counts for its merchant. Without it the job runs again, and the event is a duplicate then.
      ...(lease?.merchant_id === merchant_id && isMovement(deps, event)
        ? { lease: { job: lease.job, token: lease.token } }
        : {})
    }
    const result = yield* handle(source).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError(`provider event ${event.event_id} cannot be applied`, defect),
          recordIgnoredEvent(deps, merchant_id, source, { event, reason: "not_applicable" })
        )
      )
    )
    return result === "reused" ? toEventResult(yield* recorded.reused(merchant_id, event, source)) : result
  })
}

/**
 * Makes the services for events of providers. `eventsOf` makes the handler of a provider's events from the provider's name. The laws are
 * those of `Inbox.receive`. `recordedAs`: what follows from an outcome in a result that a row does not accept.
 */
export const makeProviderEvents = (answers: AcceptedAnswers) =>
  Effect.map(makeServices(answers), (services) => ({
    eventsOf: (
      provider: string
    ): ((
      sent: ProviderEvent | UnreadableEvent,
      origin: Source["origin"] & {},
      lease?: EventLease
    ) => Effect.Effect<EventResult, Unavailable>) => makeReceiver(services, provider),
    recordedAs: (kind: Kind, row: Row, { event, provider }: ProviderWord, at: number) => {
      const deps = makeDeps(services, provider)
      return event._tag === "movement"
        ? handleMovementReport(deps, kind, row, event, at)
        : handleRefundReport(deps, kind, row, event, at)
    }
  }))
