/** The brakes that are active now (BRAKE-1). */
import { Context, Deferred, Effect, Exit, Layer } from "effect"
import type { BrakeData } from "../../machines/movements/brake.ts"
import type { StorageFault } from "../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../ports/Storage.ts"
import { wallNow } from "../ports/Time.ts"

/** The kind of the rows of brakes, which are the platform's. */
export const brakeKind = "brake"

/** How long a node uses the brakes that it has read. */
const freshMs = 1000

const isFresh = (age: number): boolean => age >= 0 && age < freshMs

type Read = Exit.Exit<ReadonlyArray<BrakeData>, StorageFault>

/** The most brakes that can be active. */
export const activeBrakesMax = 200

/** Work that sends money out. A null currency is not known, and only brakes of any currency cover it. */
export interface BrakedWork {
  readonly provider: string
  readonly merchant_id: string
  readonly source_currency: string | null
  readonly destination_currency: string | null
}

const isAny = (braked: string | null, currency: string | null): boolean => braked === null || braked === currency

/** Whether a brake covers the work. */
export const isBraked = (brake: BrakeData, work: BrakedWork): boolean => {
  switch (brake.scope) {
    case "all":
      return true
    case "provider":
      return brake.provider === work.provider
    case "merchant":
      return brake.merchant_id === work.merchant_id
    case "corridor":
      return (
        isAny(brake.source_currency, work.source_currency) &&
        isAny(brake.destination_currency, work.destination_currency)
      )
  }
}

/** The work of a row's command: its provider, and the currencies of its movement or of its refund. */
export const workOf = ({ data, merchant_id }: Row, provider: string): BrakedWork => {
  const {
    currency = null,
    destination_currency,
    source_currency
  } = data as {
    readonly currency?: string | null
    readonly source_currency?: string
    readonly destination_currency?: string
  }
  return {
    provider,
    merchant_id,
    source_currency: source_currency ?? currency,
    destination_currency: destination_currency ?? currency
  }
}

export class ActiveBrakes extends Context.Service<
  ActiveBrakes,
  {
    /**
     * The active brakes, as they were at most a second ago. While they cannot be read, those that were read last are used.
     * Errors: `StorageFault` when none were ever read.
     */
    readonly current: Effect.Effect<ReadonlyArray<BrakeData>, StorageFault>
    /** The active brakes, as they are now. */
    readonly refreshed: Effect.Effect<ReadonlyArray<BrakeData>, StorageFault>
  }
>()("corridor/engine/ActiveBrakes") {
  static readonly layer = Layer.effect(
    ActiveBrakes,
    Effect.gen(function* () {
      const storage = yield* Storage
      let known: ReadonlyArray<BrakeData> | undefined
      let readAt = 0

      const readFrom = Effect.fnUntraced(function* (began: number) {
        const { items } = yield* storage.list({
          merchant_id: PLATFORM_MERCHANT,
          kinds: [brakeKind],
          index_keys: ["status=active"],
          offset: 0,
          limit: activeBrakesMax
        })
        readAt = began
        known = items.map(({ data }) => data as BrakeData)
        return known
      })

      const refreshed = Effect.flatMap(wallNow, readFrom)

      /** The read that is under way. Its result is undefined when its fiber was interrupted or has died. */
      let reading: { readonly began: number; readonly result: Deferred.Deferred<Read | undefined> } | undefined

      /**
       * Reads for all that wait. Under load the brakes that were read last grow old for every job of the node at once, and
       * a list is no cheap read.
       */
      const readOnce = Effect.fnUntraced(function* (began: number) {
        while (reading !== undefined && isFresh(began - reading.began)) {
          const result = yield* Deferred.await(reading.result)
          if (result !== undefined) return yield* result
        }
        const own = { began, result: Deferred.makeUnsafe<Read | undefined>() }
        reading = own
        return yield* Effect.onExit(readFrom(began), (exit) =>
          Effect.sync(() => {
            if (reading === own) reading = undefined
            const isAnswer = Exit.isSuccess(exit) || exit.cause.reasons.every(({ _tag }) => _tag === "Fail")
            Deferred.doneUnsafe(own.result, Exit.succeed(isAnswer ? exit : undefined))
          })
        )
      })

      return ActiveBrakes.of({
        refreshed,
        current: Effect.gen(function* () {
          const now = yield* wallNow
          if (known !== undefined && isFresh(now - readAt)) return known
          return yield* Effect.catchTag(readOnce(now), "StorageFault", (fault) =>
            known === undefined ? Effect.fail(fault) : Effect.succeed(known)
          )
        })
      })
    })
  )
}
