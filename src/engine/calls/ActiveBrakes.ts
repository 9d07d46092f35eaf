/** The pauses that are active now (BRAKE-1). */
import { Context, Effect, Layer } from "effect"
import type { BrakeData } from "../../machines/movements/brake.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../ports/Storage.ts"
import { type LastRead, makeLastRead } from "./last-read.ts"

/** The kind of the rows of pauses, which are the platform's. */
export const brakeKind = "brake"

/** How long a node caches pauses. */
const freshMs = 1000

/** The most pauses that can be active. */
export const activeBrakesMax = 200

/** Work that sends money out. A null currency is not known, and only pauses of any currency cover it. */
interface BrakedWork {
  readonly provider: string
  readonly merchant_id: string
  readonly source_currency: string | null
  readonly destination_currency: string | null
}

/** Whether a pause of this currency, or of any (null), covers a currency. */
const isCurrencyCovered = (braked: string | null, currency: string | null): boolean =>
  braked === null || braked === currency

/** Whether a pause covers the work. */
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
        isCurrencyCovered(brake.source_currency, work.source_currency) &&
        isCurrencyCovered(brake.destination_currency, work.destination_currency)
      )
  }
}

/** Reads what a pause can cover of a row's command: its provider, and the currencies of its movement or of its refund. */
export const toBrakedWork = ({ data, merchant_id }: Row, provider: string): BrakedWork => {
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

export class ActiveBrakes extends Context.Service<ActiveBrakes, LastRead<ReadonlyArray<BrakeData>>>()(
  "corridor/engine/ActiveBrakes"
) {
  static readonly layer = Layer.effect(
    ActiveBrakes,
    Effect.gen(function* () {
      const storage = yield* Storage
      const read = Effect.map(
        storage.list({
          merchant_id: PLATFORM_MERCHANT,
          kinds: [brakeKind],
          index_keys: ["status=active"],
          offset: 0,
          limit: activeBrakesMax
        }),
        ({ items }) => items.map(({ data }) => data as BrakeData)
      )
      return ActiveBrakes.of(makeLastRead<ReadonlyArray<BrakeData>>(read, freshMs))
    })
  )
}
