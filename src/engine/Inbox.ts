/**
 * The door through which the outside comes in: provider events, each heard once by (provider, event id). What fits no
 * resource is kept as an exception and acknowledged; it is never an error to the provider and never lost.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { begin, claim, type Parts, unchanged } from "./Change.ts"
import type { StorageFault, Unavailable } from "./errors.ts"
import { type Applied, Host, type Source } from "./Host.ts"
import { Ids } from "./Ids.ts"
import type { Kind } from "./Kind.ts"
import { kindOfId, kinds } from "./kinds.ts"
import {
  isAnothers,
  Provider,
  type MovementEvent,
  type MovementOutcome,
  type ProviderEvent,
  type ScreenedEvent
} from "./Provider.ts"
import type { BeneficiaryData } from "../machines/beneficiary.ts"
import { ExceptionKind, raised } from "./resources/exception.ts"
import { DepositAddressKind } from "./resources/deposit-address.ts"
import { BeneficiaryKind } from "./resources/beneficiary.ts"
import { Payins } from "./resources/payin.ts"
import { heldVerdict } from "./resources/screening.ts"
import { VerificationKind } from "./resources/verification.ts"
import { VerificationOutcomes } from "./resources/verification-outcome.ts"
import { daysMs, RetentionPolicy } from "./Retention.ts"
import { HOUSE, type Row, Storage } from "./Storage.ts"

/** What a step rests on beside its row, read with it: other rows as checks, and the event that is heard instead. */
export interface Weighed {
  readonly parts: ReadonlyArray<Parts>
  readonly event?: { readonly type: string }
}

type Weigh = (row: Row, at: number) => Effect.Effect<Weighed | undefined, StorageFault>

/** How something heard was taken. `refused`: the resource's state has no use for it. */
export type Heard = "moved" | "refused" | "repeated"

/** The machine's word for what a provider reports of a movement. */
export const outcomeEvent = ({ outcome, reason, transaction_hash }: MovementOutcome, at: number) => {
  switch (outcome) {
    case "success":
      return { type: "provider.succeeded", at, transaction_hash } as const
    case "failed":
      return { type: "provider.failed", at, reason } as const
    case "cancelled":
      return { type: "provider.cancelled", at } as const
    case "reversed":
      return { type: "provider.reversed", at } as const
    case "returned":
      return { type: "provider.returned", at } as const
    case "refund_failed":
      return { type: "provider.refund_failed", at } as const
    case "temporarily_unavailable":
      return { type: "provider.unavailable", at } as const
  }
}

/** Whether a provider's word says what is so already: told by a look-up first, or by two callbacks of its own. */
const echoes = (kind: Kind, { state, status, data }: Row, { outcome }: MovementEvent): boolean => {
  const stranded = (data as { readonly failure_reason?: string | null }).failure_reason === "refund_failed"
  switch (outcome) {
    case "success":
      return status === "success"
    case "failed":
    case "cancelled":
      // What is on its way back to its payer has been refused already.
      return (status === "failed" && !stranded) || state === "refunding"
    case "reversed":
      return status === "failed" && !stranded && kind.kind === "transfer"
    case "refund_failed":
      return status === "failed" && stranded
    case "temporarily_unavailable":
      return state === "waiting"
    case "returned":
      return false
  }
}

export class Inbox extends Context.Service<
  Inbox,
  {
    /**
     * Hears a provider event. Law: the same event id, however often and in whatever order, has one effect. An id is
     * remembered for as long as {@link RetentionPolicy} says; after that no money moves by it again, see there.
     * Errors: `ExternalServiceUnavailable` while what it brings cannot be priced; nothing is written then, and it is to be
     * told again.
     */
    readonly receive: (event: ProviderEvent) => Effect.Effect<Heard, Unavailable>
    /**
     * Gives a resource an event, from a job or an answer of the provider's. What its state does not accept is dropped
     * with the job that brought it, but for what `otherwise` writes. `weigh` is asked in the decision of the step.
     */
    readonly hear: (
      kind: Kind,
      merchant_id: string,
      id: string,
      event: (at: number) => { readonly type: string },
      source: Source,
      otherwise?: (row: Row | undefined, at: number) => ReadonlyArray<Parts>,
      weigh?: Weigh
    ) => Effect.Effect<{ readonly heard: Heard; readonly row: Row | undefined }, Unavailable>
  }
>()("corridor/engine/Inbox") {
  static readonly layer = Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const host = yield* Host
      const storage = yield* Storage
      const provider = yield* Provider
      const payins = yield* Payins
      const verifications = yield* VerificationOutcomes
      const ids = yield* Ids

      const one = Effect.fnUntraced(function* (kind: Kind, merchant_id: string, id: string) {
        const [row] = yield* storage.get([{ merchant_id, kind: kind.kind, id }])
        return row
      })

      const taken = <A>(applied: Applied<A>): A | undefined => (applied._tag === "applied" ? applied.result : undefined)

      /** What a provider says of another's resource is not believed. */
      const isOurs = (row: Row): boolean => !isAnothers(row, provider.name)

      /** Steps a resource, or leaves it and writes what `otherwise` says. */
      const deliver = (
        kind: Kind,
        merchant_id: string,
        id: string,
        event: (at: number) => { readonly type: string },
        source: Source,
        otherwise: (row: Row | undefined, at: number) => Effect.Effect<ReadonlyArray<Parts>, StorageFault>,
        believes: (row: Row) => boolean = () => true,
        weigh?: Weigh
      ) =>
        host
          .apply(
            merchant_id,
            source,
            Effect.gen(function* () {
              const at = yield* Clock.currentTimeMillis
              const row = yield* one(kind, merchant_id, id)
              const isDeaf = row === undefined || !believes(row)
              const weighed = isDeaf ? undefined : yield* weigh?.(row, at) ?? Effect.void
              const said = weighed?.event ?? event(at)
              const next = isDeaf ? undefined : yield* host.step(kind, row, said, at)
              if (next === undefined) {
                const parts = [unchanged({ kind: kind.kind, id }, row), ...(yield* otherwise(row, at))]
                return { parts, result: { heard: "refused" as Heard, row } }
              }
              return {
                parts: [next.parts, ...(weighed?.parts ?? [])],
                result: { heard: "moved" as Heard, row: next.row as Row | undefined }
              }
            })
          )
          .pipe(Effect.map((applied) => taken(applied) ?? { heard: "repeated" as Heard, row: undefined }))

      const nothing = () => Effect.succeed([])

      const ownerOf = Effect.fnUntraced(function* (kind: Kind, merchant_id: string | null, id: string) {
        if (merchant_id !== null) return merchant_id
        return (yield* storage.find(kind.kind, id))?.merchant_id ?? HOUSE
      })

      /** Money comes back once: a second word of it is kept without any. */
      const except = (merchant_id: string, at: number, said: Parameters<typeof raised>[0]) =>
        Effect.gen(function* () {
          const id = yield* ids.make("exc")
          const data = raised(said)
          const key = data.resource_id ?? id
          const brings = data.amount !== null && (yield* storage.claimed(merchant_id, "arrival", key)) === undefined
          const kept = brings ? data : { ...data, amount: null, currency: null }
          const exception = yield* begin(ExceptionKind, { merchant_id, id }, kept, at)
          return brings ? [exception.parts, claim("arrival", key, id)] : [exception.parts]
        }).pipe(Effect.provideService(Ids, ids))

      const disbelieved = (row: Row, event: ProviderEvent, at: number) =>
        except(row.merchant_id, at, { provider: provider.name, event, reason: "another_provider", row })

      const remembered = daysMs((yield* RetentionPolicy).providerEvents)
      const onceOf = (event_id: string): Source => ({
        once: `provider/${provider.name}/${event_id}`,
        ...(remembered === null ? {} : { once_ms: remembered })
      })

      const movement = Effect.fnUntraced(function* (event: MovementEvent) {
        const kind = kindOfId(event.resource_id)
        if (kind?.payout === undefined) {
          const applied = yield* host.apply(
            HOUSE,
            onceOf(event.event_id),
            Effect.gen(function* () {
              const at = yield* Clock.currentTimeMillis
              return {
                parts: yield* except(HOUSE, at, { provider: provider.name, event, reason: "unknown_resource" }),
                result: undefined
              }
            })
          )
          return applied._tag === "applied" ? ("refused" as Heard) : ("repeated" as Heard)
        }
        const merchant_id = yield* ownerOf(kind, event.merchant_id, event.resource_id)
        const { heard } = yield* deliver(
          kind,
          merchant_id,
          event.resource_id,
          (at) => outcomeEvent(event, at),
          onceOf(event.event_id),
          (row, at) =>
            row !== undefined && isOurs(row) && echoes(kind, row, event)
              ? nothing()
              : except(merchant_id, at, {
                  provider: provider.name,
                  event,
                  reason:
                    row === undefined ? "unknown_resource" : isOurs(row) ? "contradicts_state" : "another_provider",
                  ...(row === undefined ? {} : { row, kind })
                }),
          isOurs
        )
        return heard
      })

      const issued = Effect.fnUntraced(function* (event: Extract<ProviderEvent, { _tag: "issued" }>) {
        const kind: Kind = kinds.get(event.kind) ?? DepositAddressKind
        const merchant_id = yield* ownerOf(kind, event.merchant_id, event.resource_id)
        const applied = yield* host.apply(
          merchant_id,
          onceOf(event.event_id),
          Effect.gen(function* () {
            const at = yield* Clock.currentTimeMillis
            const row = yield* one(kind, merchant_id, event.resource_id)
            if (row === undefined) {
              return { parts: [unchanged({ kind: kind.kind, id: event.resource_id }, row)], result: "refused" as Heard }
            }
            const heard = {
              type: "provider.issued",
              target: event.target,
              provider_resource_id: event.provider_resource_id,
              details: event.details,
              at
            }
            if (!isOurs(row))
              return {
                parts: [unchanged(row, row), ...(yield* disbelieved(row, event, at))],
                result: "refused" as Heard
              }
            const next = yield* host.step(kind, row, heard, at)
            if (next === undefined) return { parts: [unchanged(row, row)], result: "refused" as Heard }
            const named = { scope: "payin", key: event.target, kind: kind.kind, id: row.id }
            return { parts: [next.parts, { aliases: [named] }], result: "moved" as Heard }
          })
        )
        return taken(applied) ?? "repeated"
      })

      /** A verdict on what the beneficiary is not, or no longer, is kept; a contradicting one is for the operator too. */
      const screened = Effect.fnUntraced(function* (event: ScreenedEvent) {
        const { cleared, screening_id } = event
        const merchant_id = yield* ownerOf(BeneficiaryKind, event.merchant_id, event.resource_id)
        const { heard } = yield* deliver(
          BeneficiaryKind,
          merchant_id,
          event.resource_id,
          () => ({ type: "provider.screened", screening_id, cleared }),
          onceOf(event.event_id),
          Effect.fnUntraced(function* (row, at) {
            if (row !== undefined && !isOurs(row)) return yield* disbelieved(row, event, at)
            const isCurrent = (row?.data as BeneficiaryData | undefined)?.screening_id === screening_id
            const kept = isCurrent ? [] : yield* heldVerdict(storage, merchant_id, event)
            const contradicts = row !== undefined && (isCurrent ? cleared && row.status === "blocked" : !cleared)
            if (!contradicts) return kept
            const reason = isCurrent ? "contradicts_state" : "refused_screening"
            return [...kept, ...(yield* except(merchant_id, at, { provider: provider.name, event, reason, row }))]
          }),
          isOurs
        )
        return heard
      })

      const receive = (event: ProviderEvent): Effect.Effect<Heard, Unavailable> => {
        switch (event._tag) {
          case "movement":
            return movement(event)
          case "issued":
            return issued(event)
          case "screened":
            return screened(event)
          case "payin":
            return payins.receive(event, onceOf(event.event_id))
          case "verification":
            return Effect.flatMap(ownerOf(VerificationKind, event.merchant_id, event.resource_id), (merchant_id) =>
              verifications.hear(merchant_id, event.resource_id, { _tag: "word", word: event }, onceOf(event.event_id))
            )
        }
      }

      return Inbox.of({
        receive,
        hear: (kind, merchant_id, id, event, source, otherwise = () => [], weigh) =>
          kind.kind === VerificationKind.kind
            ? Effect.map(
                verifications.hear(merchant_id, id, { _tag: "timer", type: event(0).type }, source),
                (heard) => ({ heard, row: undefined })
              )
            : deliver(
                kind,
                merchant_id,
                id,
                event,
                source,
                (row, at) => Effect.succeed(otherwise(row, at)),
                undefined,
                weigh
              )
      })
    })
  )
}
