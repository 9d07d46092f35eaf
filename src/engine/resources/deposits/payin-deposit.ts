/** Pay-ins to deposit addresses and accounts. Each becomes one deposit, credited at most once (DEPOSIT-7). */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Effect } from "effect"
import {
  type DepositData,
  type DepositExchange,
  type HoldReason,
  recordHoldReasons
} from "../../../machines/deposits/deposit.ts"
import { hasRefundFailed } from "../../../machines/kernel/payout.ts"
import { converts, type WalletCredentialData } from "../../../machines/wallets/wallet-credential.ts"
import { type ChangeSet, requireVersion } from "../../commit/changeset.ts"
import { begin } from "../../commit/steps.ts"
import type { Unavailable } from "../../ports/errors.ts"
import type { EventResult } from "../../commit/call.ts"
import { type Decision, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { AutoConversions, repriceExchange } from "./auto-conversion.ts"
import { listBlockingReasons, DepositKind, makeDepositMetadata } from "./deposit.ts"
import { noChange, ownerOfDeposit, type PayinExceptions, addVersionCheck, type PayinReport } from "./payin-exception.ts"
import type { Issued } from "./payin-target.ts"
import type { PayinRecord, PayinRecords } from "./payin-record.ts"
import { Tiers } from "../parties/tiers.ts"
import { WalletCredentialKind } from "../wallets/wallet-credential.ts"

const isCredential = (issued: Row<Issued>): issued is Row<WalletCredentialData> =>
  issued.kind === WalletCredentialKind.kind

/** Whether what arrives there is converted. */
const isConverting = (issued: Row<Issued>): issued is Row<WalletCredentialData> =>
  isCredential(issued) && converts(issued.data)

/** `hold` is empty when the money is credited, and null when this cannot be decided yet. */
interface Decided {
  readonly hold: ReadonlyArray<HoldReason> | null
  readonly exchange: DepositExchange | undefined
  readonly changes: ReadonlyArray<ChangeSet>
}

const undecided: Decided = { hold: null, exchange: undefined, changes: [] }

const makeDeps = (records: PayinRecords, exceptions: PayinExceptions) =>
  Effect.gen(function* () {
    return {
      records,
      exceptions,
      ...(yield* Effect.all({ unitOfWork: UnitOfWork, storage: Storage, tiers: Tiers })),
      conversions: yield* AutoConversions,
      ids: yield* Ids
    }
  })
type Deps = Effect.Success<ReturnType<typeof makeDeps>>

/**
 * The reasons to hold money that arrives now. `changes` check that the address or account is unmodified, and count the
 * money towards the customer's limit.
 */
const checkHold = Effect.fnUntraced(function* (
  { tiers }: Deps,
  merchant_id: string,
  issued: Row<Issued>,
  money: Pick<DepositData, "customer_id" | "amount" | "currency">,
  at: number
) {
  const stopped = listBlockingReasons(issued)
  const { within, changes } = yield* tiers.admit(merchant_id, money, at, stopped.length > 0)
  const hold: ReadonlyArray<HoldReason> = within ? stopped : [...stopped, "tier_limit"]
  return { hold, changes: [requireVersion(issued, issued), ...changes] }
})

/**
 * Decides whether confirmed money is held or credited, and at which price. A price that was locked at detection
 * applies.
 */
const decide = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  issued: Row<Issued>,
  money: Pick<DepositData, "customer_id" | "amount" | "currency">,
  detected: DepositExchange | undefined,
  at: number
): Effect.fn.Return<Decided, Unavailable> {
  const { conversions } = deps
  const { hold, changes } = yield* checkHold(deps, merchant_id, issued, money, at)
  const exchange =
    isCredential(issued) && hold.length === 0
      ? yield* conversions.priceOnLockedTerms(issued, detected, money.amount, at)
      : undefined
  return { hold, changes, exchange }
})

/**
 * As `decide`, but undecided while the merchant is suspended, or while a required rate is unavailable (DEPOSIT-12,
 * MERCHANT-4). It then shows what the amount buys at the rate that was locked. What will be converted is held then too: a
 * deposit that is announced without a price has no other event for it (AUTOCONVERT-11).
 */
const decideOrWait = Effect.fnUntraced(function* (
  ...input: Parameters<typeof decide>
): Effect.fn.Return<Decided, Unavailable> {
  const [{ storage }, merchant_id, issued, money, detected] = input
  const waits: Decided = { ...undecided, exchange: repriceExchange(detected, money.amount) }
  const [merchant] = yield* storage.get([{ merchant_id, kind: "merchant", id: merchant_id }])
  const isSuspended = merchant?.state === "suspended"
  const decided = yield* isSuspended && !isConverting(issued)
    ? Effect.succeed(waits)
    : Effect.catchTag(decide(...input), "ExternalServiceUnavailable", () => Effect.succeed(waits))
  const isHeld = decided.hold !== null && decided.hold.length > 0
  return isSuspended && !isHeld ? { ...waits, changes: [requireVersion(merchant, merchant)] } : decided
})

/**
 * The price of a deposit that is heard of and not decided yet, with its rate locked from now on. Undefined when the
 * deposit needs no conversion, would be held, or no rate is available.
 */
const priceAtDetection = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  issued: Row<Issued>,
  money: Pick<DepositData, "customer_id" | "amount" | "currency">,
  at: number
): Effect.fn.Return<DepositExchange | undefined, Unavailable> {
  const { conversions } = deps
  if (!isConverting(issued)) return undefined
  const unpriced = Effect.succeed(undefined)
  return yield* checkHold(deps, merchant_id, issued, money, at).pipe(
    Effect.flatMap(({ hold }) =>
      hold.length === 0
        ? conversions.exchange(issued, money.amount, at)
        : (unpriced as Effect.Effect<DepositExchange | undefined>)
    ),
    Effect.catchTag("ExternalServiceUnavailable", () => unpriced)
  )
})

/** Handles the first report of a pay-in, which locks the rate whether or not the deposit may go on (AUTOCONVERT-11). */
const handleFirst = Effect.fnUntraced(function* (
  deps: Deps,
  report: PayinReport,
  issued: Row<Issued>,
  amount: string
): Effect.fn.Return<Decision<EventResult>, Unavailable> {
  const { ids, conversions, records, exceptions } = deps
  const { provider, merchant_id, event, at } = report
  const customer_id = issued.customer_id ?? ""
  const money = { customer_id, amount, currency: event.currency }
  const id = yield* ids.make(DepositKind.prefix)
  const isConfirmed = event.stage === "confirmed"
  const decided = isConfirmed ? yield* decideOrWait(deps, merchant_id, issued, money, undefined, at) : undecided
  const { hold, changes } = decided
  const entry = !isConfirmed ? event.stage : hold === null ? "waiting" : hold.length > 0 ? "held" : "confirmed"
  const priced =
    hold === null && event.stage !== "failed"
      ? yield* priceAtDetection(deps, merchant_id, issued, money, at)
      : decided.exchange
  const exchange = priced ?? (isCredential(issued) ? yield* conversions.exchange(issued, null, at) : undefined)
  const deposit = yield* begin(
    DepositKind,
    { merchant_id, id, customer_id },
    {
      entry,
      source_type: isCredential(issued) ? "credential" : "deposit_address",
      source_id: issued.id,
      payin_id: event.payin_id,
      provider,
      customer_id,
      wallet_id: issued.data.wallet_id,
      amount,
      currency: event.currency,
      transaction_hash: event.transaction_hash,
      ...recordHoldReasons(hold ?? []),
      failure_reason: entry === "failed" ? "failed" : null,
      reference: null,
      metadata: makeDepositMetadata(issued, event),
      observed_at: event.observed_at,
      confirmed_at: entry === "confirmed" && exchange === undefined ? at : null,
      parent_transaction_id: null,
      ...(exchange === undefined ? {} : { exchange })
    },
    at,
    `payin.${event.stage}`
  ).pipe(Effect.provideService(Ids, ids))
  const converted = yield* conversions.startConversion(deposit, at)
  const decision: Decision<EventResult> = {
    changes: [
      ...converted.changes,
      ...changes,
      records.names({ provider, payin_id: event.payin_id }, "arrival", { kind: DepositKind.kind, id })
    ],
    result: "applied"
  }
  return isConfirmed ? yield* exceptions.withRemainder(report, deposit.row, decision) : decision
})

const failDeposit = Effect.fnUntraced(function* (
  { unitOfWork, exceptions }: Deps,
  report: PayinReport,
  deposit: Row<DepositData>,
  known: PayinRecord
) {
  // Money that never arrived needs no recall. Money that was refunded has left twice.
  if (deposit.state === "failed" && known.amount === null && !hasRefundFailed(deposit.data)) return noChange
  const { at } = report
  const next = yield* unitOfWork.step(DepositKind, deposit, { type: "payin.failed", at }, at)
  if (next === undefined) return yield* exceptions.recordRecall(report, known)
  return { changes: [next.changes], result: "applied" } satisfies Decision<EventResult> as Decision<EventResult>
})

const confirmDeposit = Effect.fnUntraced(function* (
  deps: Deps,
  report: PayinReport,
  deposit: Row<DepositData>,
  issued: Row<Issued>,
  known: PayinRecord,
  amount: string
): Effect.fn.Return<Decision<EventResult>, Unavailable> {
  const { exceptions, unitOfWork, conversions } = deps
  const { merchant_id, event, at } = report
  if (deposit.data.turned_away === true || known.late !== undefined) return noChange
  if (deposit.state === "failed")
    return yield* exceptions.record(report, "contradicts_state", known, deposit, ownerOfDeposit(deposit.data))
  if (deposit.state !== "detected" && deposit.state !== "detected_unpriced") return noChange
  const money = { customer_id: deposit.data.customer_id, amount, currency: event.currency }
  const { exchange, hold, changes } = yield* decideOrWait(deps, merchant_id, issued, money, deposit.data.exchange, at)
  const { transaction_hash } = event
  const confirmed = {
    type: "payin.confirmed",
    at,
    hold,
    amount,
    transaction_hash,
    ...(exchange === undefined ? {} : { exchange })
  } as const
  const next = yield* unitOfWork.step(DepositKind, deposit, confirmed, at)
  if (next === undefined) return noChange
  return yield* exceptions.withRemainder(report, next.row, {
    changes: [...(yield* conversions.startConversion(next, at)).changes, ...changes],
    result: "applied"
  })
})

/**
 * Decides a deposit that is `waiting`. Returns no changes in any other state.
 * Errors: `ExternalServiceUnavailable` while a required rate is unavailable.
 */
const resume = Effect.fnUntraced(function* (
  deps: Deps,
  deposit: Row<DepositData>,
  issued: Row<Issued>,
  at: number
): Effect.fn.Return<ReadonlyArray<ChangeSet>, Unavailable> {
  const { unitOfWork, conversions } = deps
  const { merchant_id, data: d } = deposit
  if (deposit.state !== "waiting") return []
  const { exchange, hold, changes } = yield* decide(deps, merchant_id, issued, d, d.exchange, at)
  const { amount, transaction_hash } = d
  const priced = exchange === undefined ? {} : { exchange }
  const confirmed = { type: "payin.confirmed", at, hold, amount, transaction_hash, ...priced } as const
  const next = yield* unitOfWork.step(DepositKind, deposit, confirmed, at)
  return next === undefined ? [] : [...(yield* conversions.startConversion(next, at)).changes, ...changes]
})

/** Handles a later report of a pay-in that became a deposit. */
const handleLater = (
  deps: Deps,
  report: PayinReport,
  deposit: Row<DepositData>,
  known: PayinRecord & { readonly issued: Row<Issued> },
  amount: string
): Effect.Effect<Decision<EventResult>, Unavailable> => {
  switch (report.event.stage) {
    case "detected":
      return Effect.succeed(addVersionCheck(deposit, noChange))
    case "failed":
      return Effect.map(failDeposit(deps, report, deposit, known), (decision) => addVersionCheck(deposit, decision))
    case "confirmed":
      return Effect.map(confirmDeposit(deps, report, deposit, known.issued, known, amount), (decision) =>
        addVersionCheck(deposit, decision)
      )
  }
}

export const makePayinDeposits = (records: PayinRecords, exceptions: PayinExceptions) =>
  Effect.map(makeDeps(records, exceptions), (deps) => bindFirst(deps, { handleFirst, resume, handleLater }))
