import { Context, type Effect } from "effect"
import type { StorageFault } from "./errors.ts"

/**
 * Moves the service's clock, in the test environment only (decisions 12). How far it was moved lives in the store, so
 * that a restart and other nodes keep the time.
 */
export class ServiceClock extends Context.Service<
  ServiceClock,
  {
    /** Moves the clock forward so that it shows `at` (epoch milliseconds) now. Never backwards. */
    readonly moveTo: (at: number) => Effect.Effect<void, StorageFault>
  }
>()("corridor/engine/ServiceClock") {}
