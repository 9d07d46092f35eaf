/** The settings of a process, as they were decoded. */
import type { ProviderAdapter } from "../../engine/ports/adapter.ts"
import type { PricingPolicy, RateBand, RateSource, RateTable, RoutingPolicy } from "../../index.ts"
import type { makeSettings, ValuesOf } from "./settings.ts"
import type { Telemetry } from "./telemetry.ts"

export interface Config extends ValuesOf<ReturnType<typeof makeSettings>> {
  readonly environment: "test" | "live"
  /** Writes the log's lines for a person at a terminal. Absent: one JSON object a line, on the standard output. */
  readonly terminal?: (line: string) => void
  /** `undefined`: nothing is exported. */
  readonly telemetry: Telemetry | undefined
  /** `undefined`: the simulated provider of `test`. */
  readonly providers: ReadonlyArray<ProviderAdapter> | undefined
  /** `undefined`: by lowest cost, then as configured. */
  readonly routing: Partial<RoutingPolicy> | undefined
  /** `undefined`: the simulated market of `test`. */
  readonly rates: RateSource | RateTable | undefined
  /** `undefined`: the default band. */
  readonly rate_band: RateBand | "off" | undefined
  /** `undefined`: the default fees and ranges of `test`. */
  readonly pricing: PricingPolicy | undefined
}
