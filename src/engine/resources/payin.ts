/**
 * Pay-ins: what the provider reports of money that arrives, in any order and any number of times. Each becomes one
 * deposit, credited at most once (decisions 10).
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { DepositAddressData } from "../../machines/deposit-address.ts"
import type { DepositData, HoldReason } from "../../machines/deposit.ts"
import { type AccountId, credentialBalance } from "../../machines/kernel/ledger.ts"
import { parseAmount } from "../../machines/kernel/money.ts"
import type { OnrampData } from "../../machines/onramp.ts"
import type { WalletCredentialData } from "../../machines/wallet-credential.ts"
import { alias, begin, type Parts, unchanged } from "../Change.ts"
import type { StorageFault, Unavailable } from "../errors.ts"
import { type Decision, Host, type Source } from "../Host.ts"
import { Ids } from "../Ids.ts"
import { isAnothers, type PayinEvent, Provider } from "../Provider.ts"
import { currencyOf, isCurrencyCode } from "../reference/currencies.ts"
import { transactionId } from "../representations/transaction.ts"
import { HOUSE, type Row, Storage } from "../Storage.ts"
import { AutoConversions } from "./auto-conversion.ts"
import { DepositAddressKind } from "./deposit-address.ts"
import { DepositKind } from "./deposit.ts"
import { ExceptionKind, raised } from "./exception.ts"
import { OnrampKind } from "./onramp.ts"
import { Tiers } from "./tiers.ts"
import { WalletCredentialKind } from "./wallet-credential.ts"

/** Under which a pay-in's holder is found; `late_arrival`: that of money which came after it was told to have failed. */
type Arrival = "arrival" | "late_arrival"

export type PayinHeard = "moved" | "refused" | "repeated"

/** Decisions 10.6: of a payer's account number only the last four digits enter the store, whatever a provider tells. */
const curtailed = (sender: PayinEvent["sender"]): PayinEvent["sender"] =>
  sender?.account_number === undefined ? sender : { ...sender, account_number: sender.account_number.slice(-4) }

/** What the provider reported of the payer; what it did not report is left out (decisions 10.5 and 10.6). */
const payer = ({ from_address, narration, sender }: PayinEvent): Readonly<Record<string, string>> => {
  const reported: ReadonlyArray<readonly [string, string | null | undefined]> = [
    ["from_address", from_address],
    ["sender_name", sender?.name],
    ["sender_bank", sender?.bank],
    ["sender_account_number", sender?.account_number],
    ["narration", narration]
  ]
  return Object.fromEntries(
    reported.filter(([, value]) => value !== null && value !== undefined && value !== "")
  ) as Record<string, string>
}

/** What pay-ins are made to. */
type Place = DepositAddressData | WalletCredentialData

const isCredential = (place: Row<Place>): place is Row<WalletCredentialData> => place.kind === WalletCredentialKind.kind

const frozen: Readonly<Record<string, HoldReason>> = { frozen: "payin_frozen", disabled: "payin_disabled" }

export class Payins extends Context.Service<Payins>()("corridor/engine/Payins", {
  make: Effect.gen(function* () {
    const host = yield* Host
    const storage = yield* Storage
    const provider = yield* Provider
    const tiers = yield* Tiers
    const conversions = yield* AutoConversions
    const ids = yield* Ids

    const keyOf = (payin_id: string): string => `${provider.name}/${payin_id}`

    const minorOf = ({ amount, currency }: PayinEvent): string | null => {
      if (!isCurrencyCode(currency)) return null
      const minor = parseAmount(amount, currencyOf(currency).ledger_scale)
      return typeof minor === "string" ? null : minor.toString()
    }

    const nothing: Decision<PayinHeard> = { parts: [], result: "repeated" }

    /** A word that a row has no use for is refused for as long as the row stands as it was read. */
    const weighed = (row: Row, { parts, result }: Decision<PayinHeard>): Decision<PayinHeard> => ({
      parts: [unchanged(row, row), ...parts],
      result
    })

    /** Who holds a pay-in, of whichever merchant: the deposit or the onramp it became, or the exception its money is booked under. */
    const holderOf = (payin_id: string, scope: Arrival = "arrival") => storage.alias(scope, keyOf(payin_id))

    /** Makes `id` the holder of a pay-in: the only one, so that its money is booked once. */
    const holds = (event: PayinEvent, kind: string, id: string, scope: Arrival = "arrival"): Parts =>
      alias({ scope, key: keyOf(event.payin_id), kind, id })

    /** Keeps a pay-in that has no place, with its money in suspense once it has really come, unless another holds it. */
    const except = Effect.fnUntraced(function* (
      merchant_id: string,
      event: PayinEvent,
      reason: string,
      at: number,
      place: {
        readonly row?: Row
        readonly wallet_id?: string
        readonly credit_account?: AccountId
        readonly scope?: Arrival
      } = {}
    ) {
      const come = event.stage === "confirmed" ? minorOf(event) : null
      const holder = come === null ? undefined : yield* holderOf(event.payin_id, place.scope)
      if (holder?.kind === ExceptionKind.kind) return nothing
      const amount = holder === undefined ? come : null
      const exception = yield* begin(
        ExceptionKind,
        { merchant_id, id: yield* ids.make("exc") },
        raised({
          provider: provider.name,
          reason,
          event,
          ...(place.row === undefined ? {} : { row: place.row }),
          ...(amount === null
            ? {}
            : {
                money: {
                  amount,
                  currency: event.currency,
                  payin_id: event.payin_id,
                  wallet_id: place.wallet_id ?? null,
                  credit_account: place.credit_account ?? null,
                  booked: false
                }
              })
        }),
        at
      ).pipe(Effect.provideService(Ids, ids))
      const parts =
        amount === null
          ? [exception.parts]
          : [exception.parts, holds(event, ExceptionKind.kind, exception.row.id, place.scope)]
      return { parts, result: "refused" } satisfies Decision<PayinHeard> as Decision<PayinHeard>
    })

    /** Why money that arrives here now is withheld, and what resting on that, and counting the money, takes. */
    const gate = Effect.fnUntraced(function* (
      merchant_id: string,
      address: Row<Place>,
      money: Pick<DepositData, "customer_id" | "amount" | "currency">,
      at: number
    ) {
      const hold = frozen[address.status] ?? null
      const open = unchanged(address, address)
      if (hold !== null) return { hold, parts: [open] as ReadonlyArray<Parts> }
      const { within, parts } = yield* tiers.admit(merchant_id, money, at)
      return { hold: within ? null : ("tier_limit" as const), parts: [open, ...parts] }
    })

    const arrive = Effect.fnUntraced(function* (
      merchant_id: string,
      address: Row<Place>,
      event: PayinEvent,
      amount: string,
      at: number
    ) {
      const customer_id = address.customer_id ?? ""
      const { hold, parts } =
        event.stage === "confirmed"
          ? yield* gate(merchant_id, address, { customer_id, amount, currency: event.currency }, at)
          : { hold: null, parts: [] }
      const id = yield* ids.make("txn")
      const entry = event.stage === "confirmed" && hold !== null ? "held" : event.stage
      const exchange = isCredential(address)
        ? yield* conversions.exchange(address, entry === "confirmed" ? amount : null)
        : undefined
      const deposit = yield* begin(
        DepositKind,
        { merchant_id, id, customer_id },
        {
          entry,
          source_type: isCredential(address) ? "credential" : "deposit_address",
          source_id: address.id,
          payin_id: event.payin_id,
          provider: provider.name,
          customer_id,
          wallet_id: address.data.wallet_id,
          amount,
          currency: event.currency,
          transaction_hash: event.transaction_hash,
          hold_reason: hold,
          failure_reason: entry === "failed" ? "failed" : null,
          reference: null,
          metadata: payer(event),
          observed_at: event.observed_at,
          confirmed_at: entry === "confirmed" && exchange === undefined ? at : null,
          parent_transaction_id: null,
          ...(exchange === undefined ? {} : { exchange })
        },
        at,
        `payin.${event.stage}`
      ).pipe(Effect.provideService(Ids, ids))
      const carried = yield* conversions.carry(deposit.row, at)
      return {
        parts: [deposit.parts, ...parts, holds(event, DepositKind.kind, id), ...carried],
        result: "moved"
      } as Decision<PayinHeard>
    })

    /** Where a known pay-in was first told to be made to, whatever a later word names. */
    const placeOf = Effect.fnUntraced(function* ({ data: d, merchant_id }: Row<DepositData>, named: Row<Place>) {
      if (d.source_id === named.id) return named
      const kind = d.source_type === "credential" ? WalletCredentialKind.kind : DepositAddressKind.kind
      const [first] = yield* storage.get([{ merchant_id, kind, id: d.source_id }])
      return (first as Row<Place> | undefined) ?? named
    })

    /** A later word on a pay-in that is known. */
    const follow = Effect.fnUntraced(function* (
      merchant_id: string,
      address: Row<Place>,
      deposit: Row<DepositData>,
      event: PayinEvent,
      amount: string,
      at: number
    ) {
      switch (event.stage) {
        case "detected":
          return nothing
        case "failed": {
          if (deposit.state === "failed") return nothing
          const next = yield* host.step(DepositKind, deposit, { type: "payin.failed", at }, at)
          if (next === undefined) return yield* except(merchant_id, event, "contradicts_state", at, { row: deposit })
          return { parts: [next.parts], result: "moved" } as Decision<PayinHeard>
        }
        case "confirmed": {
          if (deposit.data.turned_away === true) return nothing
          if (deposit.state === "failed") {
            const { exchange, source_id, wallet_id } = deposit.data
            const owner = exchange === undefined ? { wallet_id } : { credit_account: credentialBalance(source_id) }
            return yield* except(merchant_id, event, "contradicts_state", at, {
              row: deposit,
              scope: "late_arrival",
              ...owner
            })
          }
          if (deposit.state !== "detected" && deposit.state !== "sighted") return nothing
          const money = { customer_id: deposit.data.customer_id, amount, currency: event.currency }
          const { hold, parts } = yield* gate(merchant_id, address, money, at)
          const { transaction_hash } = event
          const exchange = isCredential(address)
            ? yield* conversions.exchange(address, hold === null ? amount : null)
            : undefined
          const heard = {
            type: "payin.confirmed",
            at,
            hold,
            amount,
            transaction_hash,
            ...(exchange === undefined ? {} : { exchange })
          } as const
          const next = yield* host.step(DepositKind, deposit, heard, at)
          if (next === undefined) return nothing
          return {
            parts: [next.parts, ...parts, ...(yield* conversions.carry(next.row, at))],
            result: "moved"
          } as Decision<PayinHeard>
        }
      }
    })

    /**
     * Money on an onramp's deposit reference. The first that is confirmed in time funds it; whatever else comes is kept
     * in suspense, for the operator to send back (decisions 9.6).
     */
    const fund = Effect.fnUntraced(function* (
      merchant_id: string,
      onramp: Row<OnrampData>,
      event: PayinEvent,
      holder: string | undefined,
      amount: string,
      at: number
    ) {
      const itself = { row: onramp }
      if (event.stage === "failed" && holder === onramp.id)
        return yield* except(merchant_id, event, "contradicts_state", at, itself)
      if (event.stage !== "confirmed" || holder !== undefined) return nothing
      if (event.currency !== onramp.data.source_currency)
        return yield* except(merchant_id, event, "wrong_currency", at, itself)
      const { payin_id } = event
      const next = yield* host.step(OnrampKind, onramp, { type: "payin.confirmed", at, payin_id, amount }, at)
      if (next !== undefined) {
        return {
          parts: [next.parts, holds(event, OnrampKind.kind, onramp.id)],
          result: "moved"
        } as Decision<PayinHeard>
      }
      // Its deadline may have come before the timer has.
      const expired = yield* host.step(OnrampKind, onramp, { type: "timer.quote_expiry", at }, at)
      const late = expired !== undefined || OnrampKind.ended.includes(onramp.status)
      const { parts, result } = yield* except(merchant_id, event, late ? "late_funding" : "already_funded", at, itself)
      return { parts: expired === undefined ? parts : [expired.parts, ...parts], result }
    })

    return {
      /** The transaction a pay-in became, or funded, if it did. */
      transactionOf: (merchant_id: string, payin_id: string): Effect.Effect<string | undefined, StorageFault> =>
        Effect.map(holderOf(payin_id), (holder) =>
          holder === undefined || holder.merchant_id !== merchant_id || holder.kind === ExceptionKind.kind
            ? undefined
            : transactionId(holder.id)
        ),

      /** Hears a pay-in. Law: each (provider, payin_id) is credited at most once, whatever is reported of it. */
      receive: Effect.fnUntraced(function* (
        told: PayinEvent,
        source: Source
      ): Effect.fn.Return<PayinHeard, Unavailable> {
        const event = { ...told, sender: curtailed(told.sender) }
        const named = yield* storage.alias("payin", event.target)
        const merchant_id = named?.merchant_id ?? HOUSE
        const applied = yield* host.apply(
          merchant_id,
          source,
          Effect.gen(function* () {
            const at = yield* Clock.currentTimeMillis
            const holder = yield* holderOf(event.payin_id)
            const held = holder !== undefined && holder.kind !== ExceptionKind.kind
            if (
              held &&
              (holder.merchant_id !== merchant_id ||
                (holder.kind === OnrampKind.kind) !== (named?.kind === OnrampKind.kind))
            ) {
              return event.stage === "detected" ? nothing : yield* except(merchant_id, event, "another_target", at)
            }
            if (named === undefined) return yield* except(HOUSE, event, "unknown_target", at)
            const [address] = yield* storage.get([named])
            const amount = minorOf(event)
            if (address === undefined || amount === null)
              return yield* except(merchant_id, event, "unreadable_amount", at)
            if (isAnothers(address, provider.name))
              return yield* except(merchant_id, event, "another_provider", at, { row: address })
            if (named.kind === OnrampKind.kind)
              return weighed(
                address,
                yield* fund(merchant_id, address as Row<OnrampData>, event, holder?.id, amount, at)
              )
            const place = address as Row<Place>
            if (
              place.data.currency !== event.currency ||
              (event.network !== null && place.data.network !== event.network)
            ) {
              return yield* except(merchant_id, event, "wrong_currency", at, { row: address })
            }
            if (holder === undefined) return yield* arrive(merchant_id, place, event, amount, at)
            if (!held) return nothing
            // A deposit that is not there is ours to explain; a store that cannot be asked is asked again.
            const deposit = yield* Effect.catchTag(
              host.load(DepositKind, merchant_id, holder.id),
              "NotFound",
              Effect.die
            )
            return weighed(
              deposit,
              yield* follow(merchant_id, yield* placeOf(deposit, place), deposit, event, amount, at)
            )
          })
        )
        return applied._tag === "applied" ? applied.result : "repeated"
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
