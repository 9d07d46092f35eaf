/** The settings of a process, as they were decoded. */
import type { LogLevel } from "effect"
import type { ProviderAdapter } from "../../engine/ports/adapter.ts"
import type { PricingPolicy, RateBand, RateSource, RateTable, RoutingPolicy } from "../../index.ts"
import type { Telemetry } from "./telemetry.ts"
import type { Database } from "./values.ts"

export interface Config {
  readonly host: string
  readonly port: number
  readonly database: Database
  readonly environment: "test" | "live"
  readonly api_key: string | undefined
  readonly operator_token: string | undefined
  /** `undefined`: `/metrics` takes an operator's token, unless `open_metrics` says that it takes none. */
  readonly metrics_token: string | undefined
  /** Whether `/metrics` without a token of its own needs none on loopback. */
  readonly open_metrics: boolean
  readonly metrics_interval_seconds: number
  /** Whether this process runs jobs. If false, it serves requests only. */
  readonly dispatcher: boolean
  /** Whether `/console` is served. */
  readonly console: boolean
  readonly sandbox_mode: "auto" | "manual"
  readonly sandbox_delay_ms: number
  /** 0: no limit. */
  readonly rate_per_second: number
  /** The maximum numbers of concurrent requests. */
  readonly max_writes: number
  readonly max_reads: number
  /** Without a trailing slash. `undefined`: the listening address. */
  readonly public_url: string | undefined
  readonly docs_url: string | undefined
  readonly webhook_retry_seconds: ReadonlyArray<number>
  readonly webhook_timeout_ms: number
  /** In days. `null`: forever. */
  readonly keep_deliveries: number | null
  readonly keep_provider_events: number | null
  readonly keep_events: number | null
  /** 0: no limit. */
  readonly statement_timeout_ms: number
  /** How long an idle connection is kept. */
  readonly keep_alive_seconds: number
  /** How long a peer may take to read a response. */
  readonly send_timeout_seconds: number
  /** The duration of the lease of a claimed job. */
  readonly lease_seconds: number
  readonly log_level: LogLevel.LogLevel
  /** `undefined`: nothing is exported. */
  readonly telemetry: Telemetry | undefined
  readonly payshap: boolean
  /** Whether a beneficiary whose name has nothing in common with the account's holder is refused. */
  readonly name_match: "show" | "refuse"
  /** `undefined`: `required` in `live`, `none` in `test`. */
  readonly screening: "required" | "none" | undefined
  /** The secret of the simulated provider's callbacks (`whsec_…`). `undefined`: all callbacks are rejected. */
  readonly provider_secret: string | undefined
  /** 32 bytes each, in base64, the current key first. `undefined`: the fixed development key of `test`. */
  readonly encryption_keys: ReadonlyArray<string> | undefined
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
