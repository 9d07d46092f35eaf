/** Exceptions: reports of the provider that fit no resource, for the operator (EXCEPTION-1). */
import { type ChangeSet, type KeyScope, requireVersion } from "../../commit/changeset.ts"
import { makeReport } from "../../commit/reported-outcomes.ts"
import { Effect } from "effect"
import {
  Exception,
  type ExceptionData,
  type ExceptionEvent,
  type ExceptionReason,
  type Exposure,
  findKeptAmount,
  findMoney,
  type Rest
} from "../../../machines/deposits/exception.ts"
import { isRecalled, type KnownRecall } from "../../../machines/kernel/recall.ts"
import type { AccountId } from "../../../machines/kernel/ledger.ts"
import { parseAmount } from "../../../machines/kernel/money.ts"
import { commandName, hasRefundFailed } from "../../../machines/kernel/payout.ts"
import { begin, jobId, step } from "../../commit/steps.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { makeApprovalEnding } from "../../commit/approval.ts"
import { makeSeenVersion } from "../../crypto/secrets.ts"
import { toCanonicalJson } from "../../ports/canonical-json.ts"
import { giveBack } from "../../calls/ActiveLimits.ts"
import { combineDerivedWrites, type Kind, type ResourceKind } from "../../commit/kind.ts"
import { toMinorOrNull } from "../../input/amounts.ts"
import { deriveStatementReference } from "../../input/statement-reference.ts"
import { isAnothers, payinProviderOf, type PayinEvent, type ProviderEvent } from "../../ports/Provider.ts"
import { requireCurrency, displayAmount } from "../../reference/currencies.ts"
import { EXACT_KEY, type Json, type Row, type RowKey, type RowWrite, Storage } from "../../ports/Storage.ts"

/** Money of a resource that came back and is kept by an exception: once for each resource. */
export const returnedScope: KeyScope = { name: "arrival", taken: "decide_again" }

/** Shows the deposit of a credit to operators. */
export const creditBody = ({ credited }: Pick<ExceptionData, "credited">) =>
  credited === undefined
    ? null
    : {
        merchant_id: credited.merchant_id,
        wallet_id: credited.wallet_id,
        transaction_id: credited.transaction_id
      }

/** A pay-in: its id belongs to one provider. */
export interface PayinKey {
  readonly provider: string
  readonly payin_id: string
}

/** The lookup key of the exception that reports that a confirmed pay-in failed. Its key is that of the pay-in. */
export const recallScope = "recall"
export const payinKeyOf = ({ payin_id, provider }: PayinKey): string => `${provider}/${payin_id}`

/** The index key of the exceptions about a resource: some have its money, which statements name as the resource. */
export const makeAboutKey = (resource_id: string): string => `${EXACT_KEY}about:${resource_id}`

/** Lists what each report of a return in parts has brought, as statements have it. */
const listBrought = ({
  amount,
  rest: { currency, parts, way }
}: Pick<ExceptionData, "amount"> & { readonly rest: Rest }): ReadonlyArray<
  readonly [minor: string, currency: string]
> => {
  const later = parts.reduce((sum, one) => sum + BigInt(one.amount), 0n)
  // What came first is in its money. More than was missing is not.
  const first = way === "suspense" && parts.length > 0 ? BigInt(amount ?? "0") - later : 0n
  return [
    ...(first > 0n ? [[first.toString(), currency] as const] : []),
    ...parts.map((one) => [one.amount, currency] as const)
  ]
}

type Stated = Pick<Row<ExceptionData>, "data" | "state">

/** Sums the parts of a pay-in that exceptions keep, in minor units. */
export const sumOfKept = (keepers: ReadonlyArray<Stated>): bigint =>
  keepers.reduce((sum, keeper) => sum + findKeptAmount(keeper), 0n)

const keepersPage = 100

const payinIndexKey = (payin: PayinKey): string => `payin=${payinKeyOf(payin)}`

/**
 * Lists the exceptions that have, or had, money of a pay-in: of the resource that it became or funded (`root`, or the first of them), of
 * what that was converted to, and of their refunds.
 */
export const listKeepers = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  root: RowKey,
  payin: PayinKey
): Effect.fn.Return<ReadonlyArray<Row<ExceptionData>>, StorageFault> {
  const { merchant_id } = root
  const keepers = new Map<string, Row<ExceptionData>>()
  // Exceptions of earlier releases have no key of their pay-in: they are found by what they are about.
  const keys = [payinIndexKey(payin), `resource_id=${root.id}`]
  const add = (rows: ReadonlyArray<Row>) => {
    for (const row of rows as ReadonlyArray<Row<ExceptionData>>) {
      const { data, id } = row
      if (keepers.has(id) || data.payin_id !== payin.payin_id || data.provider !== payin.provider) continue
      keepers.set(id, row)
      keys.push(`resource_id=${id}`)
    }
  }
  if (root.kind === ExceptionKind.kind) add(yield* storage.get([root]))
  for (const key of keys) {
    for (let offset = 0; ; offset += keepersPage) {
      const query = { merchant_id, kinds: [ExceptionKind.kind], index_keys: [key], offset, limit: keepersPage }
      const { items } = yield* storage.list(query)
      add(items)
      if (items.length < keepersPage) break
    }
  }
  return [...keepers.values()]
})

/** Reads the whole amount of a pay-in from the exception that reports its recall. */
const toRecalledWhole = ({ data: { recorded } }: Row<ExceptionData>): Exposure | undefined => {
  const { amount, currency } = recorded as { readonly amount: string | null; readonly currency: string }
  const minor = amount === null ? null : toMinorOrNull({ amount, currency })
  return minor === null ? undefined : { amount: minor, currency }
}

/** Computes the part of a recalled pay-in that no exception keeps, and that is therefore at risk. */
export const computeRemainder = ({ amount, currency }: Exposure, kept: bigint): Exposure | null =>
  BigInt(amount) > kept ? { amount: (BigInt(amount) - kept).toString(), currency } : null

/**
 * Updates the exposure of the exception `recalled_by`, which reports the recall of a pay-in, when another exception keeps more or less of
 * that money than `before` (EXCEPTION-5, OUTCOME-9). Law: the exposure is the pay-in less what exceptions keep of it, whatever came first.
 */
const updateExposure = Effect.fnUntraced(function* (
  recalled_by: string,
  now: Pick<RowWrite<ExceptionData>, "data" | "id" | "merchant_id" | "state">,
  before: bigint,
  at: number
): Effect.fn.Return<ReadonlyArray<ChangeSet>, StorageFault, Ids | Storage> {
  const after = findKeptAmount(now)
  if (after === before) return []
  const storage = yield* Storage
  const { merchant_id } = now
  // Before the keepers: what changes them meanwhile also changes this row, or is one of those that are checked.
  const [found] = yield* storage.get([{ merchant_id, kind: ExceptionKind.kind, id: recalled_by }])
  const recall = found as Row<ExceptionData> | undefined
  const whole = recall && toRecalledWhole(recall)
  if (recall === undefined || whole === undefined) return []
  const { provider, provider_event, resource_id, resource_kind } = recall.data
  const { payin_id } = provider_event as PayinEvent
  const root = { merchant_id, kind: resource_kind ?? "", id: resource_id ?? "" }
  const others = (yield* listKeepers(storage, root, { provider, payin_id })).filter(({ id }) => id !== now.id)
  const exposure = computeRemainder(whole, sumOfKept(others) + after)
  const next = yield* step(ExceptionKind, recall, { type: after < before ? "exposed" : "kept", exposure }, at)
  return [...others.map((row) => requireVersion(row, row)), next?.changes ?? requireVersion(recall, recall)]
})

/**
 * Makes the changes of a new exception, and its id. An exception with money of a recalled pay-in names the recall, which then puts that
 * much less at risk.
 */
export const raiseException = Effect.fnUntraced(function* (
  merchant_id: string,
  data: ExceptionData,
  at: number
): Effect.fn.Return<{ readonly id: string; readonly changes: ReadonlyArray<ChangeSet> }, StorageFault, Ids | Storage> {
  const { amount, payin_id, provider } = data
  const storage = yield* Storage
  const id = yield* (yield* Ids).make(ExceptionKind.prefix)
  const recall =
    amount === null || payin_id === null
      ? undefined
      : yield* storage.lookup(recallScope, payinKeyOf({ provider, payin_id }))
  const recalled = recall === undefined ? {} : ({ recalled: true, recalled_by: recall.id } as const)
  const { changes, row } = yield* begin(ExceptionKind, { merchant_id, id }, { ...data, ...recalled }, at)
  const exposures = recall === undefined ? [] : yield* updateExposure(recall.id, row, 0n, at)
  return { id, changes: [changes, ...exposures] }
})

/**
 * The provider of a movement that has succeeded is asked about a report that cannot be true until it answers, or a person has decided
 * about it (OUTCOME-6).
 */
const endAsking: NonNullable<Kind<ExceptionData>["derivedWrites"]> = Effect.fnUntraced(function* (before, after) {
  const { reason, resource_id, resource_kind } = after.data
  const isDecided = before.state !== "resolved" && after.state === "resolved" && reason === "implausible_amount"
  if (!isDecided || resource_id === null || resource_kind === null) return []
  const [row] = yield* (yield* Storage).get([{ merchant_id: after.merchant_id, kind: resource_kind, id: resource_id }])
  return row?.state === "success" ? [{ cancels: [jobId(row.id, commandName)] }] : []
})

/** Whether a step undoes an act, so that its counts in limits are given back (LIMITS-13). Later payments and bookings stay counted. */
const isUndone = ({ data: { action }, state }: Row<ExceptionData>, { via }: RowWrite<ExceptionData>): boolean =>
  via === "refund.rejected" || (via === "reopened" && state === "resolved" && action === "adjust")

/** What a person who decides about an exception has seen of it: what it says of which money. */
const toSeenException = (e: ExceptionData): string =>
  toCanonicalJson(
    (["reason", "severity", "exposure", "amount", "currency", "recalled", "confirmed_again"] as const).map(
      (name) => e[name] ?? null
    )
  )

/** Whether an exception is about the same money in the same way as before: whoever approves an act on it was shown that (APPROVAL-18). */
const isSameException = (before: ExceptionData, after: ExceptionData): boolean =>
  toSeenException(before) === toSeenException(after)

/** The version of an exception for those who decide about it: another one once it says something else (HTTP-11). */
export const makeExceptionVersion = ({ data, state }: Pick<Row<ExceptionData>, "data" | "state">): string =>
  makeSeenVersion([state, data.action, data.resolved_at, toCanonicalJson(findMoney(data)), toSeenException(data)])

export const ExceptionKind: ResourceKind<ExceptionData, ExceptionEvent> = {
  kind: "exception",
  prefix: "exc",
  lifecycle: Exception,
  derivedWrites: combineDerivedWrites(
    makeApprovalEnding((state) => state === "open", isSameException),
    (before, after) => {
      const { counted = [] } = before.data
      const isGiven = isUndone(before, after) && after.data.counted?.length === 0 && counted.length > 0
      return Effect.succeed(isGiven ? [giveBack(counted)] : [])
    },
    (before, after, at) =>
      before.data.recalled_by === undefined
        ? Effect.succeed([])
        : updateExposure(before.data.recalled_by, after, findKeptAmount(before), at),
    endAsking
  ),
  status: (state) => (state === "resolved" ? "resolved" : "open"),
  // Without a stored resource, the id is whatever the provider sent.
  indexKeys: ({ payin_id, provider, reason, resource_id, resource_kind, severity = "low" }) => [
    `severity=${severity}`,
    `reason=${reason}`,
    ...(resource_id === null || resource_kind === null
      ? []
      : [`resource_id=${resource_id}`, makeAboutKey(resource_id)]),
    ...(payin_id === null ? [] : [payinIndexKey({ provider, payin_id })])
  ],
  searchValues: ({ amount, currency, payin_id, provider_event, rest }) => {
    const parts = rest === undefined ? [] : listBrought({ amount, rest })
    if (amount === null || currency === null) return parts.length === 0 ? {} : { amounts: parts }
    const event = provider_event as ProviderEvent | null
    const { narration, transaction_hash }: Partial<PayinEvent> = event?._tag === "payin" ? event : {}
    return {
      references: [narration],
      provider_references: [payin_id],
      transaction_hashes: [transaction_hash],
      amounts: [[amount, currency], ...parts]
    }
  },
  auditView: ({ data: { action, adjusting_entry_id = null, credited = null, currency, reason, ...e } }) => ({
    reason,
    action,
    amount: e.amount === null || currency === null ? null : displayAmount(e.amount, currency),
    currency,
    credited: credited === null ? null : creditBody({ credited }),
    adjusting_entry_id
  }),
  // Whatever ends it, or opens it again, is an act about its money, in the wallet that gets it.
  controlledAction: ({ data, from, merchant_id, state, via }) => {
    if (via !== "resolve" && via !== "adjusted" && via !== "reopened") return undefined
    // The reversal of an entry from before is no act about it.
    if (via === "reopened" && from === state) return undefined
    const { credited } = data
    // Money that is credited of a recall has left with this act, which keeps it open.
    const money = via === "resolve" && state === "open" ? findMoney({ ...data, gone: null }) : findMoney(data)
    return {
      words: ["exception_credit"],
      sums: money === null ? [] : [{ taken: [money.amount, money.currency] }],
      merchant_id: credited?.merchant_id ?? merchant_id,
      customer_id: credited?.customer_id ?? null,
      wallet_id: credited?.wallet_id ?? null,
      field: "id"
    }
  },
  refund: ({ merchant_id, id: resource_id, data: e }, id) => ({
    id,
    statement_reference: deriveStatementReference(id),
    merchant_id,
    resource_id,
    payin_id: e.payin_id ?? "",
    amount: e.amount === null || e.currency === null ? "0" : displayAmount(e.amount, e.currency),
    currency: e.currency ?? ""
  })
}

/**
 * The money of an exception, in minor units. `payin_id`: the pay-in that a refund returns. `wallet_id` or `credit_account`:
 * the default target of a credit. `booked`: the money is already in suspense.
 */
export interface ExceptionMoney {
  readonly amount: string
  readonly currency: string
  readonly payin_id: string | null
  readonly wallet_id: string | null
  readonly credit_account?: AccountId | null
  readonly booked: boolean
}

export interface ExceptionDetails {
  readonly provider: string
  readonly reason: ExceptionReason
  readonly event: ProviderEvent | null
  readonly row?: Row
  readonly kind?: Kind
  readonly money?: ExceptionMoney
  /** A report that could not be read, stored in the place of `event`. */
  readonly unreadable?: Json
  /** The record that the event contradicts. */
  readonly recorded?: unknown
  /** What could not be taken: the member, what was found in it, and what is taken. */
  readonly detail?: string
  /** Money at risk, in minor units. It makes the severity `high`. */
  readonly exposure?: Exposure
  /** `high` without an exposure: a customer was told a success that was none, and its money is in suspense. */
  readonly severity?: "high"
  /** The provider withheld the money as its fee. */
  readonly withheld?: true
  /** What may still come of a return. */
  readonly rest?: Rest
}

/** Whether the pay-in whose recall an exception reports was confirmed again (DEPOSIT-17). */
export const hasConfirmedAgain = ({ confirmed_again, reason }: ExceptionData): boolean =>
  reason === "recalled" && confirmed_again === true

/** What is said of it then. */
export const confirmedAgain = "The provider has confirmed it again since then."

/** Outcomes of a movement in which its money returns to the platform. */
export const returningOutcomes: ReadonlySet<string> = new Set(["returned", "reversed"])

/** The members of an exception about a paid movement whose money came back. A difference between both amounts is exposed (OUTCOME-5). */
export const toReturnDetails = ({
  event,
  provider,
  reason,
  row
}: ExceptionDetails): Pick<ExceptionDetails, "money" | "exposure" | "severity" | "rest"> => {
  if (
    // An event under the id of another one books nothing.
    reason === "event_id_reused" ||
    event?._tag !== "movement" ||
    row === undefined ||
    isAnothers(row, provider) ||
    row.status !== "success" ||
    !returningOutcomes.has(event.outcome)
  )
    return {}
  const { amount, currency, received_amount, wallet_id } = row.data as {
    readonly amount?: string
    readonly currency?: string
    readonly received_amount?: string
    readonly wallet_id?: string
  }
  if (amount === undefined || currency === undefined) return {}
  const paid = BigInt(received_amount ?? amount)
  const { amount: amountTold } = makeReport(event)
  const stated = amountTold === null ? paid : parseAmount(amountTold, requireCurrency(currency).ledger_scale)
  const came = typeof stated === "bigint" ? stated : paid
  const difference = came > paid ? came - paid : paid - came
  const kept = came > paid ? paid : came
  return {
    severity: "high",
    money: { amount: kept.toString(), currency, payin_id: null, wallet_id: wallet_id ?? null, booked: false },
    rest: { way: "suspense", missing: (paid - kept).toString(), currency, parts: [] },
    ...(difference === 0n ? {} : { exposure: { amount: difference.toString(), currency } })
  }
}

/** Makes the data of a new exception, with the money that the event returned, if any. */
export const makeExceptionData = (details: ExceptionDetails): ExceptionData => {
  const returned = details.money === undefined ? toReturnDetails(details) : {}
  const money = details.money ?? returned.money
  const exposure = details.exposure ?? returned.exposure
  const rest = details.rest ?? returned.rest
  return {
    resource_id:
      details.row?.id ?? (details.event === null || details.event._tag === "payin" ? null : details.event.resource_id),
    resource_kind: details.row?.kind ?? null,
    reason: details.reason,
    provider: details.provider,
    provider_event: details.unreadable ?? details.event,
    recorded: details.recorded ?? null,
    ...(details.detail === undefined ? {} : { detail: details.detail }),
    severity: exposure === undefined ? (details.severity ?? returned.severity ?? "low") : "high",
    exposure: exposure ?? null,
    amount: money?.amount ?? null,
    currency: money?.currency ?? null,
    booked: money?.booked ?? false,
    payin_id: money?.payin_id ?? null,
    wallet_id: money?.wallet_id ?? null,
    credit_account: money?.credit_account ?? null,
    ...(details.withheld === true ? { withheld: true as const } : {}),
    ...(rest === undefined ? {} : { rest }),
    action: null,
    note: null,
    resolved_at: null
  }
}

/** Money that could not be given back, and its owner. `deposit`: the one that it is of, and the provider that had it from the payer. */
interface UnappliedFunds extends Omit<ExceptionMoney, "booked"> {
  readonly deposit?: { readonly id: string; readonly provider: string }
}

/** For `Kind.derivedWrites`: records an exception when a refund fails, with the money in suspense (PAYOUT-2). */
export const recordUnappliedFunds =
  <Data extends { readonly provider: string }>(
    fundsOf: (data: Data) => UnappliedFunds
  ): NonNullable<Kind<Data>["derivedWrites"]> =>
  (before, after, at) => {
    if (!hasRefundFailed(after.data) || hasRefundFailed(before.data)) return Effect.succeed([])
    return Effect.gen(function* () {
      const { merchant_id } = after
      const { deposit, ...money } = fundsOf(after.data)
      // A recall that is recorded meanwhile changes the deposit, and must find this exception.
      const key = deposit && { merchant_id, kind: "deposit", id: deposit.id }
      const [row] = key === undefined ? [] : yield* (yield* Storage).get([key])
      const data = makeExceptionData({
        provider: deposit?.provider ?? payinProviderOf(after) ?? after.data.provider,
        reason: "refund_failed",
        event: null,
        row: after,
        money: { ...money, booked: true }
      })
      const { changes } = yield* raiseException(merchant_id, data, at)
      return row === undefined ? changes : [requireVersion(row, row), ...changes]
    })
  }

/**
 * For `Kind.derivedWrites`: the recall that has ended a movement keeps its money, which is in suspense (ONRAMP-9). `moneyOf` returns the
 * money. Undefined: its end is another.
 */
export const keepRecalled =
  <Data extends KnownRecall>(
    moneyOf: (after: RowWrite<Data>) => (Exposure & { readonly payin_id: string | null }) | undefined
  ): NonNullable<Kind<Data>["derivedWrites"]> =>
  (_, after, at) => {
    const { merchant_id } = after
    const id = isRecalled(after.data) ? after.data.recalled_by : undefined
    const money = id === undefined ? undefined : moneyOf(after)
    return id === undefined || money === undefined
      ? Effect.succeed([])
      : Effect.gen(function* () {
          const [recall] = yield* (yield* Storage).get([{ merchant_id, kind: ExceptionKind.kind, id }])
          const kept = { type: "kept", exposure: null, money } as const
          const next = recall && (yield* step(ExceptionKind, recall as Row<ExceptionData>, kept, at))
          return next === undefined ? [] : [next.changes]
        })
  }

/** {@link recordUnappliedFunds} for the money of one wallet. */
export const refundFailed = recordUnappliedFunds<any>((data) => ({
  amount: data.amount ?? data.source_amount,
  currency: data.currency ?? data.source_currency,
  payin_id: data.payin_id ?? null,
  wallet_id: data.wallet_id
}))
