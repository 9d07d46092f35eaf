/**
 * The sandbox routes, in the test environment only (SANDBOX-1 to SANDBOX-12): they control the simulated provider and
 * the clock.
 */
import { Clock, Context, Effect, Layer, Semaphore, Struct } from "effect"
import { bindFirst } from "../../machines/kernel/bound.ts"
import type { DepositAddressData } from "../../machines/wallets/deposit-address.ts"
import type { WalletCredentialData } from "../../machines/wallets/wallet-credential.ts"
import type { WalletData } from "../../machines/wallets/wallet.ts"
import { BlockedJobs, obstacles } from "../commit/BlockedJobs.ts"
import { UnitOfWork } from "../commit/UnitOfWork.ts"
import type { Call } from "../commit/call.ts"
import { isSubmitted, type Kind, Kinds } from "../commit/kind.ts"
import { begin, jobId, type Stepped } from "../commit/steps.ts"
import { findCurrency } from "../input/amounts.ts"
import { Ids, cutStem } from "../ports/Ids.ts"
import { type Provider, Providers } from "../ports/Provider.ts"
import { Sandbox, Sandbox as SandboxPort, type ScheduledEvent } from "../ports/Sandbox.ts"
import { LAST_INSTANT, ServiceClock } from "../ports/ServiceClock.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../ports/Storage.ts"
import { iso } from "../ports/Time.ts"
import { BadRequest, makeFieldRefusal, Forbidden, invalid, type NotFound, type Unavailable } from "../ports/errors.ts"
import { verificationStatus } from "../representations/parties/verification.ts"
import { walletSummary } from "../representations/wallets/wallet.ts"
import {
  findTarget,
  type Issued,
  toOnrampTarget,
  type PayinTarget,
  targetOf
} from "../resources/deposits/payin-target.ts"
import { Payins } from "../resources/deposits/payin.ts"
import { OnrampKind } from "../resources/movements/onramp.ts"
import { BeneficiaryKind } from "../resources/parties/beneficiary.ts"
import { CustomerKind } from "../resources/parties/customer.ts"
import { VerificationKind } from "../resources/parties/verification.ts"
import { DepositAddressKind } from "../resources/wallets/deposit-address.ts"
import { WalletCredentialKind } from "../resources/wallets/wallet-credential.ts"
import { WalletKind } from "../resources/wallets/wallet.ts"
import { DispatcherEnabled } from "../settings/settings.ts"
import { keyLifetime } from "../settings/retention.ts"
import { Inbox } from "../work/providers/Inbox.ts"
import { Dispatcher } from "../work/queue/Dispatcher.ts"
import {
  type SandboxAdvance,
  type SandboxDeposit,
  type SandboxOutcome,
  type SandboxProvider,
  type SandboxScreen,
  type SandboxVerification,
  toReport
} from "./inputs.ts"

// Where a pay-in of the sandbox arrives: an address or an account, made for the purpose if there is none (SANDBOX-1).

const targets = ["wallet_id", "deposit_address_id", "credential_id", "onramp_id"] as const

const makeDeps = (
  provider: Provider["Service"],
  receive: (scheduled: ScheduledEvent) => Effect.Effect<void, Unavailable>
) =>
  Effect.gen(function* () {
    return {
      provider,
      receive,
      ...(yield* Effect.all({ unitOfWork: UnitOfWork, storage: Storage, sandbox: Sandbox, ids: Ids }))
    }
  })
type Deps = Effect.Success<ReturnType<typeof makeDeps>>

/** Has the simulated provider issue an address or credential now, and returns its row. */
const issueTarget = Effect.fnUntraced(function* <Data>(
  { receive, sandbox, unitOfWork }: Deps,
  kind: Kind<Data>,
  row: Row<Data>
) {
  yield* receive(yield* sandbox.issued(kind.issue!(row, jobId(row.id, "issue"))))
  return yield* unitOfWork.load(kind, row.merchant_id, row.id)
})

/** Finds the newest active resource of a kind with these index keys. */
const findActive = Effect.fnUntraced(function* <Data>(
  { storage }: Deps,
  kind: Kind<Data>,
  merchant_id: string,
  index_keys: ReadonlyArray<string>
) {
  const { items } = yield* storage.list({
    merchant_id,
    kinds: [kind.kind],
    index_keys: [...index_keys, "status=active"],
    offset: 0,
    limit: 1
  })
  return items[0] as Row<Data> | undefined
})

/** Stores a new address or credential, and has the simulated provider issue it now. */
const openTarget = Effect.fnUntraced(function* <Data>(deps: Deps, kind: Kind<Data>, { changes, row }: Stepped<Data>) {
  const { unitOfWork } = deps
  yield* unitOfWork.apply(
    row.merchant_id,
    { deduplicationKey: `sandbox/${row.id}`, deduplication_ms: keyLifetime },
    Effect.succeed({ changes: [changes], result: undefined })
  )
  return yield* issueTarget(deps, kind, row)
})

/** Finds an active credential of a fiat wallet in its own currency, or makes one. */
const findOrMakeCredential = Effect.fnUntraced(function* (
  deps: Deps,
  { data: w, id: wallet_id, merchant_id }: Row<WalletData>
) {
  const { unitOfWork, ids, provider } = deps
  const active = yield* findActive(deps, WalletCredentialKind, merchant_id, [
    `wallet_id=${wallet_id}`,
    `currency=${w.currency}`
  ])
  if (active !== undefined) return active
  const customer = yield* unitOfWork.load(CustomerKind, merchant_id, w.customer_id)
  const made = yield* begin<WalletCredentialData>(
    WalletCredentialKind,
    { merchant_id, id: yield* ids.make(WalletCredentialKind.prefix), customer_id: w.customer_id },
    {
      wallet_id,
      ...Struct.pick(w, ["type", "currency", "country_code", "network"]),
      wallet_currency: w.currency,
      holder: customer.data.name,
      label: "sandbox",
      metadata: {},
      target: null,
      details: null,
      provider_resource_id: null,
      provider: provider.name
    },
    yield* Clock.currentTimeMillis
  ).pipe(Effect.provideService(Ids, ids))
  return yield* openTarget(deps, WalletCredentialKind, made)
})

/** Finds an active deposit address of a crypto wallet, or makes one. */
const findOrIssueAddress = Effect.fnUntraced(function* (deps: Deps, wallet: Row<WalletData>) {
  const { ids, provider } = deps
  const { id: wallet_id, merchant_id } = wallet
  const active = yield* findActive(deps, DepositAddressKind, merchant_id, [`wallet_id=${wallet_id}`])
  if (active !== undefined) return active
  const made = yield* begin<DepositAddressData>(
    DepositAddressKind,
    { merchant_id, id: yield* ids.make(DepositAddressKind.prefix), customer_id: wallet.customer_id },
    {
      wallet_id,
      wallet: walletSummary(wallet),
      currency: wallet.data.currency,
      network: wallet.data.network,
      label: "sandbox",
      metadata: {},
      address: null,
      provider_resource_id: null,
      disabled_reason: null,
      provider: provider.name
    },
    yield* Clock.currentTimeMillis
  ).pipe(Effect.provideService(Ids, ids))
  return yield* openTarget(deps, DepositAddressKind, made)
})

/** Finds the address or account of a wallet at which a pay-in was reported before. */
const findEarlierTarget = Effect.fnUntraced(function* (
  { provider, storage }: Deps,
  { id }: Row<WalletData>,
  before: PayinTarget
) {
  const { owner } = yield* findTarget(storage, before, provider.name)
  const [row] = owner === null ? [] : yield* storage.get([owner])
  const isIssued = row?.kind === DepositAddressKind.kind || row?.kind === WalletCredentialKind.kind
  return isIssued && (row.data as Issued).wallet_id === id ? (row as Row<Issued>) : undefined
})

/** Finds the target that a pay-in names. A wallet's is the one at which the pay-in was reported `before`, if there is one. */
const findPayinTarget = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  input: SandboxDeposit,
  before: PayinTarget | undefined
): Effect.fn.Return<PayinTarget<string>, BadRequest | NotFound | Unavailable> {
  const { unitOfWork } = deps
  const named = targets.filter((name) => input[name] !== undefined)
  if (named.length !== 1) {
    const message = `Send exactly one of ${targets.join(", ")}; found ${named.length === 0 ? "none" : named.join(", ")}.`
    return yield* new BadRequest(
      makeFieldRefusal(named[0] ?? "wallet_id", named.length === 0 ? "required" : "invalid_value", message)
    )
  }
  if (input.wallet_id !== undefined) {
    const wallet = yield* unitOfWork.load(WalletKind, call.merchant_id, input.wallet_id)
    const row =
      (before && (yield* findEarlierTarget(deps, wallet, before))) ??
      (wallet.data.type === "crypto"
        ? yield* findOrIssueAddress(deps, wallet)
        : yield* findOrMakeCredential(deps, wallet))
    return targetOf(row)!
  }
  if (input.deposit_address_id !== undefined) {
    const row = yield* unitOfWork.load(DepositAddressKind, call.merchant_id, input.deposit_address_id)
    return targetOf(row) ?? targetOf(yield* issueTarget(deps, DepositAddressKind, row))!
  }
  if (input.credential_id !== undefined) {
    const row = yield* unitOfWork.load(WalletCredentialKind, call.merchant_id, input.credential_id)
    return targetOf(row) ?? targetOf(yield* issueTarget(deps, WalletCredentialKind, row))!
  }
  const { data: o } = yield* unitOfWork.load(OnrampKind, call.merchant_id, input.onramp_id ?? "")
  return toOnrampTarget(o)
})

/** Makes the functions that find and issue the targets of pay-ins. `receive` hands a report of the provider to the engine. */
const makePayinTargets = (
  provider: Provider["Service"],
  receive: (scheduled: ScheduledEvent) => Effect.Effect<void, Unavailable>
) =>
  Effect.map(makeDeps(provider, receive), (deps) => ({
    ...bindFirst(deps, { targetIn: findPayinTarget }),
    issue: <Data>(kind: Kind<Data>, row: Row<Data>) => issueTarget(deps, kind, row)
  }))

/** The outcomes of a resource that only a refund has. */
const refundOutcomes: ReadonlySet<string> = new Set(["success", "failed", "returned", "refund_failed"])

const makeSelf = Effect.gen(function* () {
  const provider = (yield* Providers).all.find((each) => each.sandbox !== undefined)!
  const [dispatcher, dispatcherEnabled, clock] = yield* Effect.all([Dispatcher, DispatcherEnabled, ServiceClock])
  /** Refuses on a node without a dispatcher: the operation would run the store's work on that node. */
  const working = Effect.suspend(() =>
    dispatcherEnabled
      ? Effect.void
      : Effect.fail(
          new Forbidden({
            message:
              "This node runs no work. Nothing was run and the clock was not moved. Use a node whose dispatcher is on."
          })
        )
  )
  const advancing = yield* Semaphore.make(1)
  return {
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, storage: Storage, kinds: Kinds })),
    provider,
    ...(yield* Effect.all({ inbox: Inbox, sandbox: SandboxPort, payins: Payins })),
    dispatcher,
    blockedJobs: yield* BlockedJobs,
    clock,
    ids: yield* Ids,
    working,
    advancing
  }
})
type Self = Effect.Success<typeof makeSelf>

/** Handles an event that the simulated provider has scheduled, and completes its job. */
const receiveScheduled = Effect.fnUntraced(function* (
  { inbox, provider }: Self,
  { event, done }: ScheduledEvent
): Effect.fn.Return<void, Unavailable> {
  yield* inbox.receive(provider.name, event)
  yield* done
})

const advanceClock = Effect.fnUntraced(function* ({ dispatcher, clock }: Self, seconds: number) {
  const target = (yield* Clock.currentTimeMillis) + Math.round(seconds * 1000)
  if (target > LAST_INSTANT)
    return yield* invalid("seconds", `The clock would show ${iso(target)}; its latest time is ${iso(LAST_INSTANT)}.`)
  const steps = yield* dispatcher.advance(target, clock.moveTo)
  return { now: iso(yield* Clock.currentTimeMillis), steps }
})

/**
 * Reports the outcome of a movement, or of the refund of an onramp, a deposit or an exception. An outcome that
 * contradicts its state becomes an exception (EXCEPTION-1). Errors: `NotFound`; `InvalidInput` for another
 * resource, and for an outcome that a refund cannot have.
 */
const reportOutcome = Effect.fnUntraced(function* (self: Self, call: Call, input: SandboxOutcome) {
  const { kinds, unitOfWork, sandbox } = self
  const kind = kinds.ofId(input.resource_id)
  const isRefunded = kind?.refund !== undefined
  const isMovement = isSubmitted(kind)
  if (kind === undefined || !(isMovement || isRefunded))
    return yield* invalid(
      "resource_id",
      `${JSON.stringify(input.resource_id)} is not the id of an onramp, offramp, conversion or transfer, nor of a deposit or exception that is refunded.`
    )
  if (!isMovement && !refundOutcomes.has(input.outcome))
    return yield* invalid(
      "outcome",
      `${input.outcome} is not an outcome of a refund. Use ${[...refundOutcomes].join(", ")}.`
    )
  const row = yield* unitOfWork.load(kind, call.merchant_id, input.resource_id)
  yield* receiveScheduled(
    self,
    yield* sandbox.outcome({ merchant_id: call.merchant_id, resource_id: row.id, ...toReport(input) })
  )
  const after = yield* unitOfWork.load(kind, call.merchant_id, input.resource_id)
  return { resource_id: row.id, status: after.status }
})

/** Reports the verdict on a screening. Default: the beneficiary's current one. Errors: `NotFound`. */
const screenBeneficiary = Effect.fnUntraced(function* (
  self: Self,
  call: Call,
  id: string,
  { outcome, screening_id }: SandboxScreen
) {
  const { unitOfWork, sandbox, blockedJobs } = self
  const { merchant_id } = call
  const { data } = yield* unitOfWork.load(BeneficiaryKind, merchant_id, id)
  const screening = { merchant_id, resource_id: id, screening_id: screening_id ?? data.screening_id }
  yield* receiveScheduled(self, yield* sandbox.screened({ ...screening, cleared: outcome === "screened" }))
  if (outcome === "refused") for (const obstacle of obstacles) yield* blockedJobs.unblock(merchant_id, obstacle)
  const after = yield* unitOfWork.load(BeneficiaryKind, merchant_id, id)
  return { id, status: after.status }
})

/**
 * Reports the outcome of a verification. An outcome that contradicts its state becomes an exception. Errors:
 * `NotFound`.
 */
const reportVerification = Effect.fnUntraced(function* (
  self: Self,
  call: Call,
  id: string,
  { outcome, reason }: SandboxVerification
) {
  const { unitOfWork, sandbox } = self
  const { merchant_id } = call
  yield* unitOfWork.load(VerificationKind, merchant_id, id)
  yield* receiveScheduled(
    self,
    yield* sandbox.verification({ merchant_id, resource_id: id, outcome, reason: reason ?? null })
  )
  const after = yield* unitOfWork.load(VerificationKind, merchant_id, id)
  return { id, status: verificationStatus(after, yield* Clock.currentTimeMillis) }
})

/** Sets how the provider treats this merchant's submissions from now on. */
const setBehaviour = Effect.fnUntraced(function* ({ sandbox, blockedJobs }: Self, call: Call, input: SandboxProvider) {
  const behaviour = yield* sandbox.behave(call.merchant_id, input)
  if (input.submissions !== "hold") yield* blockedJobs.unblock(call.merchant_id, "provider_not_ready")
  return behaviour
})

const readBehaviour = ({ sandbox }: Self, { merchant_id }: Call) => sandbox.behaviour(merchant_id)

/**
 * Moves the service's clock forward. The clock stops at every deadline on the way, so that due work runs at its
 * time and in order, together with the work that it makes due. Deliveries are made between the stops, with the
 * clock at their due time. Concurrent calls run one after the other. Errors: `InvalidInput` for a time after the
 * latest that the clock can show.
 */
const advanceInTurn = Effect.fnUntraced(function* (self: Self, input: SandboxAdvance) {
  const { working, advancing } = self
  yield* working
  return yield* Effect.interruptible(advancing.withPermit(advanceClock(self, input.seconds)))
})

/**
 * Runs the merchant's due work and the work that it makes due, and the due work that belongs to no merchant,
 * which no other call could run. `deliveries_pending` is the number of the merchant's deliveries that are not
 * made yet.
 */
const runMerchantWork = Effect.fnUntraced(function* (
  { working, dispatcher, storage }: Self,
  { merchant_id }: Pick<Call, "merchant_id">
) {
  yield* working
  // The database of work that belongs to no merchant may be unreachable while the merchant's own is not.
  const platform = Effect.catch(dispatcher.drain(PLATFORM_MERCHANT), (fault) =>
    Effect.as(Effect.logWarning("cannot run the work that belongs to no merchant", fault), 0)
  )
  const [own, others] = yield* Effect.interruptible(Effect.all([dispatcher.drain(merchant_id), platform]))
  const { total } = yield* storage.jobs({
    merchant_id,
    queue: "delivery",
    status: "pending",
    offset: 0,
    limit: 0
  })
  return { steps: own + others, deliveries_pending: total }
})

export class SandboxOperations extends Context.Service<SandboxOperations>()("corridor/engine/SandboxOperations", {
  make: Effect.gen(function* () {
    const self = yield* makeSelf
    const { provider, ids, sandbox, payins, unitOfWork } = self
    const { issue, targetIn } = yield* makePayinTargets(provider, (input) => receiveScheduled(self, input))
    return {
      ...bindFirst(self, {
        outcome: reportOutcome,
        screenBeneficiary,
        verification: reportVerification,
        behave: setBehaviour,
        behaviour: readBehaviour,
        advance: advanceInTurn,
        settle: runMerchantWork
      }),
      /**
       * Reports a pay-in. Errors: `BadRequest` unless exactly one target is given; `NotFound`; `InvalidInput` for a
       * currency that there is not.
       */
      deposit: Effect.fnUntraced(function* (call: Call, input: SandboxDeposit) {
        const { merchant_id } = call
        // The ids of a provider are unique over all merchants. An id that a merchant chose is prefixed with the
        // merchant's.
        const name = input.payin_id ?? (yield* ids.make("payin"))
        const payin_id = `${cutStem(merchant_id)}.${name}`
        const before = yield* sandbox.payinOf(merchant_id, payin_id)
        const place = yield* targetIn(call, input, before)
        const currency = input.currency ?? before?.currency ?? place.currency
        yield* findCurrency(currency)
        const scheduled = yield* sandbox.payin({
          merchant_id,
          payin_id,
          stage: input.stage ?? "confirmed",
          target: place.target,
          amount: input.amount,
          currency,
          network: place.network,
          from_address: input.from_address ?? null,
          sender: (input.sender as SandboxDeposit["sender"]) ?? null,
          narration: input.narration ?? null
        })
        yield* receiveScheduled(self, scheduled)
        const transaction_id =
          (yield* payins.transactionOf(merchant_id, {
            provider: provider.name,
            payin_id: scheduled.event.payin_id
          })) ?? null
        return { payin_id: name, transaction_id }
      }),

      /** Issues a deposit address now. Errors: `NotFound`. */
      issueDepositAddress: Effect.fnUntraced(function* (call: Call, id: string) {
        const row = yield* issue(DepositAddressKind, yield* unitOfWork.load(DepositAddressKind, call.merchant_id, id))
        return { id, status: row.status }
      }),

      /** Issues a wallet credential now. Errors: `NotFound`. */
      issueWalletCredential: Effect.fnUntraced(function* (call: Call, id: string) {
        const row = yield* issue(
          WalletCredentialKind,
          yield* unitOfWork.load(WalletCredentialKind, call.merchant_id, id)
        )
        return { id, status: row.status }
      }),

      /** The time that the service's clock shows, and the latest that it can show. */
      clock: Effect.map(Clock.currentTimeMillis, (at) => ({ now: iso(at), latest: iso(LAST_INSTANT) }))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
