/**
 * Events of a verification: reports of the provider, the customer's form, and the expiry of the link. One commit updates the
 * session and its customer (KYC-8).
 */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Layer } from "effect"
import type { CustomerData, KycStatus } from "../../../machines/parties/customer.ts"
import {
  type Decline,
  declines,
  type HostedLink,
  IN_REVIEW,
  releaseTimer,
  type VerificationSubmission,
  type VerificationData
} from "../../../machines/parties/verification.ts"
import { type ChangeSet, requireVersion } from "../../commit/changeset.ts"
import { begin, type Stepped, makeDueTimer } from "../../commit/steps.ts"
import { InvalidStatus, InvariantViolation, type Unavailable } from "../../ports/errors.ts"
import { type Decision, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { type HandlerResult, type Source, unwrapResult } from "../../commit/call.ts"
import { Ids } from "../../ports/Ids.ts"
import { isAnothers, type VerificationReport } from "../../ports/Provider.ts"
import { customerBody, customerSummary } from "../../representations/parties/customer.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { CustomerKind, countIdentityChange } from "./customer.ts"
import { type ExceptionDetails, ExceptionKind, makeExceptionData } from "../deposits/exception.ts"
import { keyLifetime } from "../../settings/retention.ts"
import { HeldDeposits } from "../deposits/deposits.ts"
import { isHigherTier, VerificationKind } from "./verification.ts"
import {
  identityVersionOf,
  identityVersionsOf,
  isAboutCustomer,
  isAtProvider,
  makeDueLookup
} from "./verified-identity.ts"

/** An event of a session. */
type VerificationTrigger =
  | {
      readonly _tag: "reported"
      readonly provider: string
      readonly report: VerificationReport
      /** The `identity_version` of the customer that a look-up was about. Absent: it is a callback. */
      readonly asked?: number
    }
  | { readonly _tag: "opened" }
  | { readonly _tag: "submitted"; readonly submission: VerificationSubmission }
  | { readonly _tag: "timer"; readonly type: string }

/** Whether a report comes from another provider than the one that verifies. */
const isForeign = (trigger: VerificationTrigger, row: Row): boolean =>
  trigger._tag === "reported" && isAnothers(row, trigger.provider)

/** Whether a verdict is about a customer that has changed since the provider was told of it, or asked about it. */
const isOfAnotherCustomer = (
  trigger: VerificationTrigger,
  row: Row<VerificationData>,
  { data }: Row<CustomerData>
): boolean =>
  trigger._tag === "reported" && trigger.report.outcome !== "opened" && !isAboutCustomer(row, data, trigger.asked)

/** When a session lapses that waits for a verdict. */
const never = Number.MAX_SAFE_INTEGER

/** Leaves out members that are null, at any depth. */
const omitNulls = (members: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, typeof value === "object" ? omitNulls(value as object) : value])
  )

/** The changes of session and customer; undefined when the session's state does not accept the event. */
type SessionChanges = ReadonlyArray<ChangeSet> | undefined

const makeDeps = Effect.all({ unitOfWork: UnitOfWork, storage: Storage, deposits: HeldDeposits, ids: Ids })
type Deps = Effect.Success<typeof makeDeps>

/** Updates the customer, whose machine has one state. */
const stepCustomer = ({ unitOfWork }: Deps, customer: Row<CustomerData>, patch: Partial<CustomerData>, at: number) =>
  unitOfWork.stepOrDie(CustomerKind, customer, { type: "update", patch: countIdentityChange(customer.data, patch) }, at)

const approveSession = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row<VerificationData>,
  customer: Row<CustomerData>,
  at: number,
  late?: true
) {
  const { deposits, unitOfWork } = deps
  const { tier_requested, submission } = row.data
  const { tier: before, profile, type, verification = null } = customer.data
  // A person submits the form of a business, so the submitted name is not the business's.
  const named = submission !== null && type === "individual" ? { name: submission.name } : {}
  const tier = isHigherTier(tier_requested, before) ? tier_requested : before
  // An approval that is applied late ends its own session: one for a higher tier may have begun meanwhile.
  const open = verification?.id === row.id ? null : verification
  const after = yield* stepCustomer(
    deps,
    customer,
    {
      tier,
      kyc_status: "approved",
      verification: open,
      profile: submission === null ? profile : { ...profile, ...submission.profile },
      ...named
    },
    at
  )
  // The approval is applied also where no deposit can go on without a rate: the timer releases those that wait for one.
  const released = yield* Effect.catchTag(
    deposits.release(row.merchant_id, customer.id, tier, at),
    "ExternalServiceUnavailable",
    () => Effect.succeed({ changes: [], more: true })
  )
  const approval = {
    customer: customerSummary(after.row),
    profile: omitNulls(customerBody(after.row, at).profile),
    tier_upgraded_from: tier === before ? null : before
  }
  const event = {
    type: "provider.approved",
    at,
    approval,
    more_held: released.more,
    ...(late === undefined ? {} : { late })
  } as const
  const next = yield* unitOfWork.step(VerificationKind, row, event, at)
  return next === undefined ? undefined : [next.changes, after.changes, ...released.changes]
})

/** Makes the changes of a rejection, whose event has the customer after it. An approval of before outlasts it. */
const rejectSession = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row<VerificationData>,
  customer: Row<CustomerData>,
  reason: Decline,
  at: number
): Effect.fn.Return<SessionChanges, Unavailable> {
  const { kyc_status, verification } = customer.data
  const status = kyc_status === "approved" ? kyc_status : "rejected"
  const after =
    verification?.id === row.id
      ? yield* stepCustomer(deps, customer, { kyc_status: status, verification: null }, at)
      : undefined
  const event = { type: "provider.rejected", at, reason, customer: customerSummary(after?.row ?? customer) } as const
  const next = yield* deps.unitOfWork.step(VerificationKind, row, event, at)
  return next === undefined ? undefined : [next.changes, ...(after === undefined ? [] : [after.changes])]
})

/** Updates the customer after a step of its session. An earlier approval outlasts the end of a later session. */
const updateCustomer = Effect.fnUntraced(function* (
  deps: Deps,
  next: Stepped<VerificationData>,
  customer: Row<CustomerData>,
  at: number
): Effect.fn.Return<ReadonlyArray<ChangeSet>, Unavailable> {
  const { kyc_status, verification } = customer.data
  if (verification?.id !== next.row.id) return [next.changes]
  const status: KycStatus = kyc_status === "approved" ? kyc_status : (next.row.status as KycStatus)
  const isOver = next.row.status !== "pending" && next.row.status !== "in_progress"
  const waits = next.row.state === IN_REVIEW && verification.lapses_at !== never
  if (status === kyc_status && !isOver && !waits) return [next.changes]
  const open = isOver ? null : { ...verification, ...(waits ? { lapses_at: never } : {}) }
  const after = yield* stepCustomer(deps, customer, { kyc_status: status, verification: open }, at)
  return [next.changes, after.changes]
})

const toVerificationEvent = (trigger: VerificationTrigger, customer: CustomerData, at: number) => {
  switch (trigger._tag) {
    case "opened":
    case "reported":
      return { type: "provider.opened", at } as const
    case "submitted": {
      const submission = { ...trigger.submission, identity_version: identityVersionOf(customer) }
      return { type: "customer.submitted", at, submission } as const
    }
    case "timer":
      return { type: "timer.link_expiry", at } as const
  }
}

const stepSession = Effect.fnUntraced(function* (
  deps: Deps,
  trigger: VerificationTrigger,
  row: Row<VerificationData>,
  customer: Row<CustomerData>,
  at: number
): Effect.fn.Return<SessionChanges, Unavailable> {
  const { deposits, unitOfWork } = deps
  if (trigger._tag === "timer" && trigger.type === `timer.${releaseTimer}`) {
    const { changes, more } = yield* deposits.release(row.merchant_id, customer.id, customer.data.tier, at)
    return more ? [...changes, makeDueTimer(row, releaseTimer, at)] : changes
  }
  const { outcome, reason = null } = trigger._tag === "reported" ? trigger.report : {}
  if (outcome === "approved") return yield* approveSession(deps, row, customer, at)
  if (outcome === "rejected")
    return yield* rejectSession(deps, row, customer, declines.find((known) => known === reason) ?? "declined", at)
  const next = yield* unitOfWork.step(VerificationKind, row, toVerificationEvent(trigger, customer.data, at), at)
  return next === undefined ? undefined : yield* updateCustomer(deps, next, customer, at)
})

const ignoreOutcome = Effect.fnUntraced(function* (
  { ids }: Deps,
  merchant_id: string,
  id: string,
  trigger: VerificationTrigger,
  row: Row | undefined,
  at: number
): Effect.fn.Return<Decision<HandlerResult>> {
  const unchanged = requireVersion({ kind: VerificationKind.kind, id }, row)
  const isAnother = row !== undefined && isForeign(trigger, row)
  if (
    trigger._tag !== "reported" ||
    !(isAnother || (trigger.report.outcome !== "opened" && trigger.report.outcome !== row?.state))
  )
    return { changes: [unchanged], result: "ignored" }
  const details: ExceptionDetails = {
    provider: trigger.provider,
    event: trigger.report,
    reason: row === undefined ? "unknown_resource" : isAnother ? "another_provider" : "contradicts_state",
    ...(row === undefined ? {} : { row })
  }
  const exception = yield* Effect.flatMap(ids.make(ExceptionKind.prefix), (exception_id) =>
    begin(ExceptionKind, { merchant_id, id: exception_id }, makeExceptionData(details), at)
  ).pipe(Effect.provideService(Ids, ids))
  return { changes: [unchanged, exception.changes], result: "ignored" }
})

const readSession = Effect.fnUntraced(function* ({ storage }: Deps, merchant_id: string, id: string) {
  const [row] = yield* storage.get([{ merchant_id, kind: VerificationKind.kind, id }])
  return row as Row<VerificationData> | undefined
})

const readCustomer = Effect.fnUntraced(function* ({ storage }: Deps, { merchant_id, id, data }: Row<VerificationData>) {
  const [customer] = yield* storage.get([{ merchant_id, kind: CustomerKind.kind, id: data.customer_id }])
  if (customer === undefined) throw new InvariantViolation(`verification ${id} has a customer`)
  return customer as Row<CustomerData>
})

/**
 * Handles an event of a session. An event that the state does not accept is ignored. A verdict that the state does not
 * accept is recorded as an exception for the operator, unless it repeats the current verdict.
 *
 * Law: the approval, the tier, the events and the release of deposits within the new limit are one commit. When there are
 * more than fifty deposits, a timer releases the others, each once.
 */
const handleTrigger = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  id: string,
  trigger: VerificationTrigger,
  source: Source
): Effect.fn.Return<HandlerResult, Unavailable> {
  const { unitOfWork } = deps
  const result = yield* unitOfWork.apply(merchant_id, source, function* (): Effect.fn.Return<
    Decision<HandlerResult>,
    Unavailable
  > {
    const at = yield* Clock.currentTimeMillis
    const row = yield* readSession(deps, merchant_id, id)
    if (row === undefined) return yield* ignoreOutcome(deps, merchant_id, id, trigger, undefined, at)
    if (isForeign(trigger, row)) return yield* ignoreOutcome(deps, merchant_id, id, trigger, row, at)
    const customer = yield* readCustomer(deps, row)
    const changes = yield* stepSession(deps, trigger, row, customer, at)
    // The provider means another customer than this one, about which it is asked.
    if (changes !== undefined && isOfAnotherCustomer(trigger, row, customer))
      return {
        changes: [requireVersion({ kind: VerificationKind.kind, id }, row), makeDueLookup(row, at)],
        result: "ignored"
      }
    return changes === undefined
      ? yield* ignoreOutcome(deps, merchant_id, id, trigger, row, at)
      : { changes, result: "applied" }
  })
  return unwrapResult(result)
})

/**
 * Records that a provider was told of a customer that had changed: its new page replaces the former, which ends now. Where the session has
 * gone on since the page was requested, or has ended, the page is of no use, and the provider is asked again.
 */
const recordRestart = Effect.fnUntraced(function* (
  deps: Deps,
  { id, merchant_id, version }: Row<VerificationData>,
  begun: {
    readonly link: HostedLink
    readonly starts: number
    readonly command_id: string
    readonly latest: number
  },
  source: Source
) {
  const { unitOfWork } = deps
  return yield* unitOfWork.apply(merchant_id, source, function* (): Effect.fn.Return<Decision<undefined>, Unavailable> {
    const at = yield* Clock.currentTimeMillis
    const row = yield* readSession(deps, merchant_id, id)
    if (row === undefined) return { changes: [], result: undefined }
    if (row.version !== version) return { changes: [makeDueLookup(row, at)], result: undefined }
    const customer = yield* readCustomer(deps, row)
    const { command_id, latest, link, starts } = begun
    const verifier = { starts, command_id, identity_versions: { ...identityVersionsOf(row.data), latest } }
    // The time of the event is when the link of before would have lapsed.
    const ends_at = Math.max(at, row.data.link?.expires_at ?? 0)
    const event = { type: "refresh", at: ends_at, link, redirect_url: null, verifier } as const
    const next = yield* unitOfWork.step(VerificationKind, row, event, at)
    if (next === undefined) return { changes: [makeDueLookup(row, at)], result: undefined }
    const { kyc_status, verification } = customer.data
    const open = { id, tier: row.data.tier_requested, lapses_at: link.expires_at }
    const patch = { verification: open, ...(kyc_status === "approved" ? {} : { kyc_status: "pending" as const }) }
    const after = verification?.id === id ? [(yield* stepCustomer(deps, customer, patch, at)).changes] : []
    return { changes: [next.changes, ...after, makeDueLookup(next.row, at)], result: undefined }
  })
})

/**
 * Asks about a session whose customer has changed since its provider was told of it: what the provider says of that one counts no more.
 * False: the provider was told of the customer as it is, or is not asked any more.
 */
const askIfChanged = Effect.fnUntraced(function* (deps: Deps, provider: string, row: Row<VerificationData>) {
  const { id, machine, merchant_id, state, version } = row
  if (isAnothers(row, provider) || !isAtProvider(row) || VerificationKind.lifecycle.hasEnded(state, machine))
    return false
  const { data } = yield* readCustomer(deps, row)
  if (identityVersionOf(data) === identityVersionsOf(row.data).latest) return false
  // Once for each version of the session: a new link makes another one.
  const source = { deduplicationKey: `ask/${id}/${version}`, deduplication_ms: keyLifetime }
  yield* deps.unitOfWork.apply(
    merchant_id,
    source,
    Effect.map(Clock.currentTimeMillis, (at) => ({
      changes: [requireVersion({ kind: VerificationKind.kind, id }, row), makeDueLookup(row, at)],
      result: undefined
    }))
  )
  return true
})

/** Whether a business has changed since its form was sent. An approval is one of the name of that time, which the form lacks. */
const isOfAnotherBusiness = ({ data: { submission } }: Row<VerificationData>, { data }: Row<CustomerData>): boolean =>
  data.type === "business" && submission !== null && (submission.identity_version ?? 0) !== identityVersionOf(data)

/**
 * Operator: makes the changes of a verdict on a session. Undefined when its state does not accept one. Errors: `InvalidStatus` for an
 * approval of a business that has changed since the form was sent.
 */
const reviewSession = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row<VerificationData>,
  { decision, reason }: { readonly decision: "approve" | "reject"; readonly reason: Decline },
  at: number
): Effect.fn.Return<SessionChanges, InvalidStatus | Unavailable> {
  const customer = yield* readCustomer(deps, row)
  if (decision === "approve" && isOfAnotherBusiness(row, customer))
    return yield* new InvalidStatus({
      message: `Customer ${customer.id} has changed since the form of verification ${row.id} was sent. Reject it: the merchant then starts a new one.`
    })
  return decision === "approve"
    ? yield* approveSession(deps, row, customer, at)
    : yield* rejectSession(deps, row, customer, reason, at)
})

/**
 * Operator: makes the changes of an approval that arrived after its link expired. Undefined when there is a verdict already, or the
 * customer has changed since.
 */
const approveLate = Effect.fnUntraced(function* (deps: Deps, merchant_id: string, id: string, at: number) {
  const row = yield* readSession(deps, merchant_id, id)
  if (row === undefined) return undefined
  const customer = yield* readCustomer(deps, row)
  return isAboutCustomer(row, customer.data) ? yield* approveSession(deps, row, customer, at, true) : undefined
})

export class VerificationOutcomes extends Context.Service<VerificationOutcomes>()(
  "corridor/engine/VerificationOutcomes",
  {
    make: Effect.map(makeDeps, (deps) =>
      bindFirst(deps, {
        handle: handleTrigger,
        review: reviewSession,
        restart: recordRestart,
        askIfChanged,
        approveLate
      })
    )
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
