/** Exceptions: what the provider said that fits no resource, for the operator (EXCEPTION-1). */
import type { KeyScope } from "../../commit/changeset.ts"
import { Effect } from "effect"
import {
  Exception,
  type ExceptionData,
  type ExceptionEvent,
  type Exposure
} from "../../../machines/deposits/exception.ts"
import type { AccountId } from "../../../machines/kernel/ledger.ts"
import { formatAmount } from "../../../machines/kernel/money.ts"
import { begin } from "../../commit/steps.ts"
import { Ids } from "../../ports/Ids.ts"
import type { Kind, ResourceKind } from "../../commit/kind.ts"
import { isAnothers, type ProviderEvent } from "../../ports/Provider.ts"
import { currencyOf } from "../../reference/currencies.ts"
import type { Json, Row } from "../../ports/Storage.ts"

/** Money of a resource that came back and is kept by an exception: once for each resource. */
export const returnedScope: KeyScope = { name: "arrival", taken: "decide_again" }

export const ExceptionKind: ResourceKind<ExceptionData, ExceptionEvent> = {
  kind: "exception",
  prefix: "exc",
  lifecycle: Exception,
  status: (state) => (state === "resolved" ? "resolved" : "open"),
  refund: ({ merchant_id, id: resource_id, data: e }, id) => ({
    id,
    merchant_id,
    resource_id,
    payin_id: e.payin_id ?? "",
    amount: e.amount === null || e.currency === null ? "0" : formatAmount(BigInt(e.amount), currencyOf(e.currency)),
    currency: e.currency ?? ""
  })
}

/**
 * Money that came with an exception, in minor units. `payin_id` names what a refund sends back; `wallet_id` or
 * `credit_account` where a credit puts it; `booked`: it stands in suspense already.
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
  readonly reason: string
  readonly event: ProviderEvent | null
  readonly row?: Row
  readonly kind?: Kind
  readonly money?: ExceptionMoney
  /** What was told that is no event, in the place of one. */
  readonly unreadable?: Json
  /** What is on record that the event contradicts. */
  readonly recorded?: unknown
  /** Money that was given on the strength of what is now taken back, minor units: it makes the exception a severe one. */
  readonly exposure?: Exposure
}

/** Words that say that money came back to us. */
const sentBack: ReadonlySet<string> = new Set(["returned", "reversed"])

const broughtBack = ({ event, provider, row }: ExceptionDetails): ExceptionDetails["money"] => {
  if (
    event?._tag !== "movement" ||
    row === undefined ||
    isAnothers(row, provider) ||
    row.status !== "success" ||
    !sentBack.has(event.outcome)
  )
    return undefined
  const { amount, currency, wallet_id } = row.data as { amount?: string; currency?: string; wallet_id?: string }
  if (amount === undefined || currency === undefined) return undefined
  return { amount, currency, payin_id: null, wallet_id: wallet_id ?? null, booked: false }
}

/** The data of an exception: with the money that came with the provider's word, if any did. */
export const exceptionData = (details: ExceptionDetails): ExceptionData => {
  const money = details.money ?? broughtBack(details)
  return {
    resource_id:
      details.row?.id ?? (details.event === null || details.event._tag === "payin" ? null : details.event.resource_id),
    resource_kind: details.row?.kind ?? null,
    reason: details.reason,
    provider: details.provider,
    provider_event: details.unreadable ?? details.event,
    recorded: details.recorded ?? null,
    severity: details.exposure === undefined ? "low" : "high",
    exposure: details.exposure ?? null,
    amount: money?.amount ?? null,
    currency: money?.currency ?? null,
    booked: money?.booked ?? false,
    payin_id: money?.payin_id ?? null,
    wallet_id: money?.wallet_id ?? null,
    credit_account: money?.credit_account ?? null,
    action: null,
    note: null,
    resolved_at: null
  }
}

/**
 * For `Kind.derivedWrites`: what could not be given back stands in suspense, and this is for the operator (PAYOUT-2).
 * `moneyOf` says what stands there, and whose it is.
 */
export const unappliedFunds =
  <Data extends { readonly provider: string; readonly failure_reason: string | null }>(
    moneyOf: (data: Data) => Omit<ExceptionMoney, "booked">
  ): NonNullable<Kind<Data>["derivedWrites"]> =>
  (before, after, at) =>
    after.data.failure_reason !== "refund_failed" || before.data.failure_reason === "refund_failed"
      ? Effect.succeed([])
      : Effect.gen(function* () {
          const ids = yield* Ids
          const money = { ...moneyOf(after.data), booked: true }
          const exception = yield* begin(
            ExceptionKind,
            { merchant_id: after.merchant_id, id: yield* ids.make(ExceptionKind.prefix) },
            exceptionData({ provider: after.data.provider, reason: "refund_failed", event: null, row: after, money }),
            at
          )
          return [exception.changes]
        })

/** {@link unappliedFunds} for the money of one wallet. */
export const refundFailed = unappliedFunds<any>((data) => ({
  amount: data.amount ?? data.source_amount,
  currency: data.currency ?? data.source_currency,
  payin_id: data.payin_id ?? null,
  wallet_id: data.wallet_id
}))
