import { Context, type Effect } from "effect"
import type { StorageFault } from "./errors.ts"

/** The latest time that the service's clock can show, epoch milliseconds: 2100-01-01T00:00:00Z (SANDBOX-10). */
export const LAST_INSTANT = Date.UTC(2100, 0, 1)

/**
 * Moves the service's clock, in the test environment only (SANDBOX-8). The offset is in the store, so it survives a
 * restart and applies to all nodes.
 */
export class ServiceClock extends Context.Service<
  ServiceClock,
  {
    /**
     * Moves the clock forward so that it shows `at` (epoch milliseconds) now. Law: it never moves backwards, and not
     * past {@link LAST_INSTANT}.
     */
    readonly moveTo: (at: number) => Effect.Effect<void, StorageFault>
  }
>()("corridor/engine/ServiceClock") {}
