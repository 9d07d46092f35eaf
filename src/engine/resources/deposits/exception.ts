/** Exceptions: reports of the provider that fit no resource, for the operator (EXCEPTION-1). */
import type { KeyScope } from "../../commit/changeset.ts"
import { reportOf } from "../../commit/reported-outcomes.ts"
import { Effect } from "effect"
import {
  Exception,
  type ExceptionData,
  type ExceptionEvent,
  type ExceptionReason,
  type Exposure,
  type Rest
} from "../../../machines/deposits/exception.ts"
import type { AccountId } from "../../../machines/kernel/ledger.ts"
import { parseAmount } from "../../../machines/kernel/money.ts"
import { begin, step } from "../../commit/steps.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { endsApprovals } from "../../commit/approval.ts"
import { givingBack } from "../../calls/ActiveLimits.ts"
import { allOf, type Kind, type ResourceKind } from "../../commit/kind.ts"
import { statementReferenceOf } from "../../input/statement-reference.ts"
import { isAnothers, payinProviderOf, type PayinEvent, type ProviderEvent } from "../../ports/Provider.ts"
import { currencyOf, displayAmount } from "../../reference/currencies.ts"
import { type Json, type Row, Storage } from "../../ports/Storage.ts"

/** Money of a resource that came back and is kept by an exception: once for each resource. */
export const returnedScope: KeyScope = { name: "arrival", taken: "decide_again" }

/** The deposit of a credit, as operators see it. */
export const shownCredit = ({ credited }: Pick<ExceptionData, "credited">) =>
  credited === undefined
    ? null
    : {
        merchant_id: credited.merchant_id,
        wallet_id: credited.wallet_id,
        transaction_id: credited.transaction_id
      }

/** Whether the money of an exception has left suspense, or may have. A dismissal pays nothing out. */
export const isPaidOut = ({ data, state }: Pick<Row<ExceptionData>, "data" | "state">): boolean =>
  state !== "open" && data.action !== "dismiss"

/** Tells the exception `id` what has become of the money whose recall it reports. */
const toldRecall = Effect.fnUntraced(function* (merchant_id: string, id: string, event: ExceptionEvent, at: number) {
  const storage = yield* Storage
  const [recall] = yield* storage.get([{ merchant_id, kind: ExceptionKind.kind, id }])
  const next = recall && (yield* step(ExceptionKind, recall as Row<ExceptionData>, event, at))
  return next === undefined ? [] : [next.changes]
})

/** Whether a recall puts its money at risk follows from whether that is paid out, or may be (EXCEPTION-5). */
const followedByRecall: NonNullable<Kind<ExceptionData>["derivedWrites"]> = (before, after, at) => {
  const { amount, currency, recalled_by } = before.data
  const isOut = isPaidOut(after)
  return recalled_by === undefined || isOut === isPaidOut(before) || amount === null || currency === null
    ? Effect.succeed([])
    : toldRecall(
        after.merchant_id,
        recalled_by,
        isOut ? { type: "exposed", exposure: { amount, currency } } : { type: "kept" },
        at
      )
}

export const ExceptionKind: ResourceKind<ExceptionData, ExceptionEvent> = {
  kind: "exception",
  prefix: "exc",
  lifecycle: Exception,
  derivedWrites: allOf(
    endsApprovals((state) => state === "open"),
    ({ data: { counted = [] } }, { data }) =>
      Effect.succeed(data.counted?.length === 0 && counted.length > 0 ? [givingBack(counted)] : []),
    followedByRecall
  ),
  status: (state) => (state === "resolved" ? "resolved" : "open"),
  // Without a stored resource, the id is whatever the provider sent.
  indexKeys: ({ reason, resource_id, resource_kind, severity = "low" }) => [
    `severity=${severity}`,
    `reason=${reason}`,
    ...(resource_id === null || resource_kind === null ? [] : [`resource_id=${resource_id}`])
  ],
  searched: ({ amount, currency, payin_id, provider_event }) => {
    if (amount === null || currency === null) return {}
    const event = provider_event as ProviderEvent | null
    const { narration, transaction_hash }: Partial<PayinEvent> = event?._tag === "payin" ? event : {}
    return {
      references: [narration],
      provider_references: [payin_id],
      transaction_hashes: [transaction_hash],
      amounts: [[amount, currency]]
    }
  },
  audited: ({ data: { action, adjusting_entry_id = null, amount, credited = null, currency, reason } }) => ({
    reason,
    action,
    amount: amount === null || currency === null ? null : displayAmount(amount, currency),
    currency,
    credited: credited === null ? null : shownCredit({ credited }),
    adjusting_entry_id
  }),
  // Whatever ends it, or opens it again, is an act about its money, in the wallet that gets it.
  act: ({ data: { amount, credited, currency }, merchant_id, via }) =>
    via !== "resolve" && via !== "adjusted" && via !== "reopened"
      ? undefined
      : {
          words: ["exception_credit"],
          sums: amount === null || currency === null ? [] : [{ taken: [amount, currency] }],
          merchant_id: credited?.merchant_id ?? merchant_id,
          customer_id: credited?.customer_id ?? null,
          wallet_id: credited?.wallet_id ?? null,
          field: "id"
        },
  refund: ({ merchant_id, id: resource_id, data: e }, id) => ({
    id,
    statement_reference: statementReferenceOf(id),
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
  /** The exception that reports the recall of its pay-in. */
  readonly recalled_by?: string
}

/** Outcomes of a movement in which its money returns to the platform. */
export const returningOutcomes: ReadonlySet<string> = new Set(["returned", "reversed"])

/** What came back of a transfer that was paid. Less than was paid, or more, is exposed (OUTCOME-5). */
export const returnedMoney = ({
  event,
  provider,
  row
}: ExceptionDetails): Pick<ExceptionDetails, "money" | "exposure" | "severity" | "rest"> => {
  if (
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
  const { amount: told } = reportOf(event)
  const stated = told === null ? paid : parseAmount(told, currencyOf(currency).ledger_scale)
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

/** The data of a new exception, with the money that the event returned, if any. */
export const exceptionData = (details: ExceptionDetails): ExceptionData => {
  const returned = details.money === undefined ? returnedMoney(details) : {}
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
    ...(details.recalled_by === undefined ? {} : { recalled: true as const, recalled_by: details.recalled_by }),
    action: null,
    note: null,
    resolved_at: null
  }
}

/**
 * For `Kind.derivedWrites`: records an exception when a refund fails, with the money in suspense (PAYOUT-2). `moneyOf`
 * returns the money and its owner. If its pay-in was recalled meanwhile, that recall puts nothing at risk any more.
 */
export const unappliedFunds =
  <
    Data extends {
      readonly provider: string
      readonly failure_reason: string | null
      readonly recalled_by?: string
    }
  >(
    moneyOf: (data: Data) => Omit<ExceptionMoney, "booked">
  ): NonNullable<Kind<Data>["derivedWrites"]> =>
  (before, after, at) =>
    after.data.failure_reason !== "refund_failed" || before.data.failure_reason === "refund_failed"
      ? Effect.succeed([])
      : Effect.gen(function* () {
          const ids = yield* Ids
          const { recalled_by } = after.data
          const money = { ...moneyOf(after.data), booked: true }
          const provider = payinProviderOf(after) ?? after.data.provider
          const exception = yield* begin(
            ExceptionKind,
            { merchant_id: after.merchant_id, id: yield* ids.make(ExceptionKind.prefix) },
            exceptionData({
              provider,
              reason: "refund_failed",
              event: null,
              row: after,
              money,
              ...(recalled_by === undefined ? {} : { recalled_by })
            }),
            at
          )
          const recall =
            recalled_by === undefined ? [] : yield* toldRecall(after.merchant_id, recalled_by, { type: "kept" }, at)
          return [exception.changes, ...recall]
        })

/** The exception that {@link unappliedFunds} has recorded of a resource, if it has. */
export const unappliedOf = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  { data, id, merchant_id }: Row
): Effect.fn.Return<{ readonly unapplied?: Row<ExceptionData> }, StorageFault> {
  if ((data as { readonly failure_reason?: string | null }).failure_reason !== "refund_failed") return {}
  const index_keys = [`resource_id=${id}`, "reason=refund_failed"]
  const { items } = yield* storage.list({ merchant_id, kinds: [ExceptionKind.kind], index_keys, offset: 0, limit: 1 })
  return items[0] === undefined ? {} : { unapplied: items[0] as Row<ExceptionData> }
})

/** {@link unappliedFunds} for the money of one wallet. */
export const refundFailed = unappliedFunds<any>((data) => ({
  amount: data.amount ?? data.source_amount,
  currency: data.currency ?? data.source_currency,
  payin_id: data.payin_id ?? null,
  wallet_id: data.wallet_id
}))
