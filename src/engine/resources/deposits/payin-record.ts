/** The record of a pay-in, and whether a later report contradicts it (DEPOSIT-8). */
import { Effect } from "effect"
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import type { ExceptionData } from "../../../machines/deposits/exception.ts"
import type { OnrampData } from "../../../machines/movements/onramp.ts"
import { addLookupKey, type ChangeSet, type KeyScope } from "../../commit/changeset.ts"
import { makeHash } from "../../crypto/secrets.ts"
import { InvariantViolation, type StorageFault } from "../../ports/errors.ts"
import type { PayinEvent } from "../../ports/Provider.ts"
import { splitArrival } from "../../input/amounts.ts"
import { displayAmountOrNull } from "../../reference/currencies.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { DepositAddressKind } from "../wallets/deposit-address.ts"
import { DepositKind } from "./deposit.ts"
import { ExceptionKind, payinKeyOf, type PayinKey, type recallScope } from "./exception.ts"
import { OnrampKind } from "../movements/onramp.ts"
import { type Issued, toOnrampTarget, type PayinTarget, targetOf, isSameTarget } from "./payin-target.ts"
import { WalletCredentialKind } from "../wallets/wallet-credential.ts"

/**
 * Lookup keys of a pay-in. Each refers to one row permanently.
 *
 * - `arrival`: the holder: the deposit that the pay-in became, the onramp that it funded, or the exception with its money.
 *   For a pay-in to an onramp that failed before it was confirmed: that onramp.
 * - `detection`: the row that keeps the first report while the pay-in has no holder.
 * - `late_arrival`: the exception with money that arrived after the pay-in was reported as failed.
 * - `recall`: the exception of a failure after the pay-in was confirmed.
 * - `remainder`: the exception that names what was not booked of a deposit or a funded onramp.
 * - `dust`: the exception of an amount of which nothing is booked, by that amount.
 * - `contradiction`: the exception of a report that contradicts the record and puts money at risk, by what it says.
 */
export type PayinLookup =
  | "arrival"
  | "detection"
  | "late_arrival"
  | typeof recallScope
  | "remainder"
  | "dust"
  | "contradiction"

export const payinScope = (name: PayinLookup): KeyScope => ({ name, taken: "decide_again" })

/**
 * The record of a pay-in. `held`: `row` is its holder; otherwise `row` only keeps the first report. `amount`: minor units,
 * null until confirmed. `failed_amount`: the amount as which a deposit was confirmed that has failed since, and has none. `rest`: what was confirmed below the ledger's smallest unit, a decimal string. `issued`: the address or
 * account that was paid to. `late`: the exception with money that arrived late.
 */
export interface PayinRecord {
  readonly row: Row
  readonly held: boolean
  readonly payinTarget: PayinTarget
  readonly amount: string | null
  readonly failed_amount?: string
  readonly rest: string | null
  readonly issued?: Row<Issued>
  readonly late?: Row<ExceptionData>
}

/** The field in which a report contradicts the record of its pay-in. */
export type Contradiction = "another_currency" | "another_target" | "another_amount"

/**
 * Finds how a report contradicts the record; undefined when both can be true. The amount can change until it is confirmed, so the amount of
 * a `detected` report is not compared. Amounts are compared exactly, with their unbooked part.
 */
export const findContradiction = (
  event: PayinEvent,
  { amount, failed_amount, payinTarget, rest }: PayinRecord
): Contradiction | undefined => {
  if (!isSameTarget(event, payinTarget)) return "another_target"
  if (event.currency !== payinTarget.currency) return "another_currency"
  const confirmed = amount ?? failed_amount
  if (event.stage === "detected" || confirmed === undefined) return undefined
  const stated = splitArrival(event)
  return stated.booked === confirmed && stated.rest === rest ? undefined : "another_amount"
}

/** Converts a record to the form in which an exception stores it, with a decimal amount. */
export const toStoredRecord = ({ amount, failed_amount, payinTarget, rest, row }: PayinRecord) => ({
  resource_id: row.id,
  resource_kind: row.kind,
  status: row.status,
  ...payinTarget,
  amount: displayAmountOrNull(amount ?? failed_amount ?? null, payinTarget.currency),
  ...(rest === null ? {} : { remainder: rest })
})

/** The key of an amount of which nothing is booked, as the id of a pay-in for `dust`: an amount has no slash. */
export const toDustKey = ({ payin_id, provider }: PayinKey, event: PayinEvent): PayinKey => ({
  provider,
  payin_id: `${payin_id}/${splitArrival(event).rest}`
})

/** The key of what a report says of a pay-in, as the id of a pay-in for `contradiction`: a hash, as texts of a provider can be long. */
export const toReportKey = ({ payin_id, provider }: PayinKey, event: PayinEvent): PayinKey => {
  const { booked, rest } = splitArrival(event)
  const hash = makeHash()
  hash.add(JSON.stringify([payin_id, event.stage, event.target, event.network, event.currency, booked, rest]))
  return { provider, payin_id: hash.end() }
}

/** Reads the part of an exception's report that is below the ledger's smallest unit. */
const readRest = ({ data }: Row<ExceptionData>): string | null => splitArrival(data.provider_event as PayinEvent).rest

/** The amount of a deposit in minor units; null until it is confirmed. */
const amountOnceConfirmed = ({ data: d, state }: Row<DepositData>): string | null =>
  state === "detected" || state === "detected_unpriced" || (state === "failed" && d.turned_away !== true)
    ? null
    : d.amount

/** Whether a deposit that failed was confirmed before: only what is confirmed is withheld. */
const isFailedSince = ({ data: d, state }: Row<DepositData>): boolean =>
  state === "failed" && d.turned_away !== true && d.hold_reason !== null

/** Reads the records of pay-ins, and makes their lookup keys. */
export const makePayinRecords = Effect.gen(function* () {
  const storage = yield* Storage
  const find = (payin: PayinKey, scope: PayinLookup) => storage.lookup(scope, payinKeyOf(payin))

  const loaded = Effect.fnUntraced(function* <Data>(key: { merchant_id: string; kind: string; id: string }) {
    const [row] = yield* storage.get([key])
    if (row === undefined) throw new InvariantViolation(`the holder of a pay-in exists: ${key.kind} ${key.id}`)
    return row as Row<Data>
  })

  /** The exception with money that arrived after the pay-in was reported as failed. */
  const lateOf = Effect.fnUntraced(function* (payin: PayinKey) {
    const late = yield* find(payin, "late_arrival")
    return late === undefined ? undefined : yield* loaded<ExceptionData>(late)
  })

  /**
   * The part of a pay-in that is below the ledger's smallest unit and not booked: that of its late money, or else of its deposit or onramp.
   */
  const restOf = Effect.fnUntraced(function* (payin: PayinKey, late: Row<ExceptionData> | undefined) {
    if (late !== undefined) return readRest(late)
    const named = yield* find(payin, "remainder")
    return named === undefined ? null : readRest(yield* loaded<ExceptionData>(named))
  })

  const ofDeposit = Effect.fnUntraced(function* (row: Row<DepositData>, payin: PayinKey) {
    const { merchant_id, data: d } = row
    const kind = d.source_type === "credential" ? WalletCredentialKind.kind : DepositAddressKind.kind
    const issued = yield* loaded<Issued>({ merchant_id, kind, id: d.source_id })
    const payinTarget = targetOf(issued)
    if (payinTarget === undefined) throw new InvariantViolation(`${issued.id} is issued before it is paid to`)
    const late = row.state === "failed" ? yield* lateOf(payin) : undefined
    const amount = late?.data.amount ?? amountOnceConfirmed(row)
    const failed = amount === null && isFailedSince(row) ? { failed_amount: d.amount } : undefined
    const rest = amount === null && failed === undefined ? null : yield* restOf(payin, late)
    return { row, payinTarget, amount, ...failed, rest, issued, ...(late === undefined ? {} : { late }) }
  })

  const ofOnramp = Effect.fnUntraced(function* (row: Row<OnrampData>, payin: PayinKey) {
    const payinTarget = toOnrampTarget(row.data)
    const late = yield* lateOf(payin)
    if (row.data.payin_id === payin.payin_id)
      // Its late money may have been applied to it.
      return { row, payinTarget, amount: row.data.funded_amount, rest: yield* restOf(payin, late) }
    if (late === undefined) return { row, payinTarget, amount: null, rest: null }
    return { row, payinTarget, amount: late.data.amount, rest: readRest(late), late }
  })

  const ofException = (row: Row<ExceptionData>) => {
    const { currency, network, target } = row.data.provider_event as PayinEvent
    return { row, payinTarget: { currency, network, target }, amount: row.data.amount, rest: readRest(row) }
  }

  /** The onramp that a late pay-in was applied to (EXCEPTION-2). It holds the money. */
  const appliedTo = Effect.fnUntraced(function* ({ merchant_id, data: e }: Row<ExceptionData>) {
    if (e.action !== "apply" || e.resource_kind !== OnrampKind.kind || e.resource_id === null) return undefined
    const onramp = yield* loaded<OnrampData>({ merchant_id, kind: OnrampKind.kind, id: e.resource_id })
    return onramp.data.payin_id === e.payin_id ? onramp : undefined
  })

  return {
    find,

    /** Makes a row the permanent owner of a pay-in's lookup key. */
    names: (
      payin: PayinKey,
      scope: PayinLookup,
      { kind, id }: { readonly kind: string; readonly id: string }
    ): ChangeSet => addLookupKey(payinScope(scope), { key: payinKeyOf(payin), kind, id }),

    /** The record of a pay-in; undefined when nothing was reported. */
    of: Effect.fnUntraced(function* (payin: PayinKey): Effect.fn.Return<PayinRecord | undefined, StorageFault> {
      const holder = yield* find(payin, "arrival")
      const known = holder ?? (yield* find(payin, "detection"))
      if (known === undefined) return undefined
      const row = yield* loaded<any>(known)
      const held = holder !== undefined
      switch (row.kind) {
        case DepositKind.kind:
          return { held, ...(yield* ofDeposit(row, payin)) }
        case OnrampKind.kind:
          return { held, ...(yield* ofOnramp(row, payin)) }
        case ExceptionKind.kind: {
          const onramp = yield* appliedTo(row)
          const itself = ofException(row)
          return {
            held,
            ...itself,
            ...(onramp === undefined ? {} : { ...(yield* ofOnramp(onramp, payin)), rest: itself.rest })
          }
        }
      }
      throw new InvariantViolation(`a ${row.kind} holds no pay-in`)
    })
  }
})

export type PayinRecords = Effect.Success<typeof makePayinRecords>
