/** The configuration of a server: what `corridor.config.ts` exports, and what `serve` takes. */
import type { ProviderAdapter } from "../../engine/ports/adapter.ts"
import type { PricingPolicy, RateBand, RateSource, RateTable, RoutingPolicy } from "../../index.ts"
import type { ServerMembers } from "./generated/members.ts"

/**
 * Every member is optional in the test environment. `live` requires `encryptionKeys`, `providers`, `rates`, `pricing` and a
 * database that lasts. An environment variable that is set overrides its member.
 */
export interface ServerConfig extends ServerMembers {
  /**
   * The providers, or functions that make them. A function is called once; if it throws, the faults of the other members
   * are still reported. Default in `test`: the simulated provider.
   */
  readonly providers?: ReadonlyArray<ProviderAdapter | (() => ProviderAdapter)>
  /**
   * How the providers that serve a request are ordered: `priorities` by name, a lower number first, 0 if not named; or `order`,
   * a pure function. Default: by priority, then by lowest cost, then as configured.
   */
  readonly routing?: Partial<RoutingPolicy>
  /** Default in `test`: simulated rates. */
  readonly rates?: RateSource | RateTable
  /**
   * How far rates may move before an operator has to accept them. Default: 10 % in a minute, 30 % in a day. `off`: every rate is
   * used.
   */
  readonly rateBand?: RateBand | "off"
  /** Default in `test`: default fees and ranges. */
  readonly pricing?: PricingPolicy
}

/** What a configuration is made from. */
export interface ConfigSources {
  /** The value of an environment variable. If it is not set, the start is refused, with one line for each such variable. */
  readonly secret: (name: string) => string
}

/** A configuration, or a function that makes it from the secrets of the environment. */
export type ConfigDefinition = ServerConfig | ((sources: ConfigSources) => ServerConfig | Promise<ServerConfig>)

/**
 * Types the configuration of a file, and returns it unchanged:
 * `export default defineConfig(({ secret }) => ({ … }))`.
 */
export const defineConfig = (definition: ConfigDefinition): ConfigDefinition => definition
