/**
 * The settings of a process, decoded from environment variables and a configuration. Pure: the caller passes both.
 *
 * A variable that is set overrides the member of the configuration, so that one file serves several processes.
 */
import { nearest } from "../../engine/input/member-names.ts"
import { keepAliveSeconds, sendSeconds } from "../keep-alive.ts"
import type { Config } from "./config.ts"
import { liveFaults } from "./live.ts"
import { type Policies, policiesOf } from "./policies.ts"
import type { Env, Resolved } from "./resolve.ts"
import { shown } from "./shown.ts"
import { telemetryOf } from "./telemetry.ts"
import * as value from "./values.ts"

/** Either the settings, or one line for each fault. */
export type DecodedConfig = { readonly config: Config } | { readonly faults: ReadonlyArray<string> }

const retrySeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]

const none: Resolved = {
  source: "",
  members: {},
  providers: undefined,
  isSecret: () => false,
  isMissing: () => false,
  faults: []
}

const isObject = (given: unknown): given is { readonly [name: string]: unknown } =>
  typeof given === "object" && given !== null && !Array.isArray(given)

/** A value, or those in a list or an object. */
const partsOf = (given: unknown): ReadonlyArray<unknown> =>
  Array.isArray(given) ? given : isObject(given) ? Object.values(given) : [given]

/** A database without a password may be a literal. */
const hasPassword = (given: unknown): boolean => typeof given === "string" && (URL.parse(given)?.password ?? "") !== ""

interface Setting<A, B> {
  readonly kind: value.SettingKind<A>
  readonly unset: B
  /** Its value is never shown, and in a file it comes from `secret`. */
  readonly secret?: boolean
}

/** Reads settings from both sources, and collects what is wrong with them. */
const reader = (env: Env, { isMissing, isSecret, members, source }: Resolved, literals: "allowed" | "refused") => {
  const faults: Array<string> = []
  const names = new Set<string>()
  const fault = (name: string, found: string, takes: string): void =>
    void faults.push(`${name} is ${found}; it takes ${takes}.`)
  const masked = (given: unknown): string =>
    typeof given === "string" ? `a string of ${given.length} characters` : shown(given)

  const at = (path: string): unknown => {
    names.add(path)
    const [group = "", name] = path.split(".")
    const outer = Object.hasOwn(members, group) ? members[group] : undefined
    if (name === undefined) return outer
    return isObject(outer) && Object.hasOwn(outer, name) ? outer[name] : undefined
  }

  const member = <A>(path: string, { kind, secret }: Setting<A, unknown>): A | undefined => {
    const given = at(path)
    if (given === undefined || partsOf(given).some(isMissing)) return undefined
    const parts = partsOf(given)
    const isLiteral = !parts.every(isSecret) || parts.length === 0
    if (secret === true && literals === "refused" && isLiteral && (path !== "database" || parts.some(hasPassword))) {
      fault(path, "a literal", 'secret("NAME"), the name of an environment variable')
      return undefined
    }
    const read = kind.member(given)
    if (read === undefined)
      fault(path, kind.found?.(given) ?? (secret === true ? masked(given) : shown(given)), kind.takes.member)
    return read
  }

  const variable = <A>(name: string, { kind, secret }: Setting<A, unknown>): A | undefined => {
    const given = env[name] ?? ""
    if (given === "") return undefined
    const read = kind.text(given)
    if (read === undefined)
      fault(name, kind.found?.(given) ?? (secret === true ? masked(given) : shown(given)), kind.takes.text)
    return read
  }

  return {
    faults,
    at,
    member,
    variable,
    /** The variable if it is set, otherwise the member, otherwise `unset`. Both are checked. */
    read: <A, B>(name: string, path: string, setting: Setting<A, B>): A | B => {
      const configured = member(path, setting)
      const overriding = variable(name, setting)
      return overriding !== undefined ? overriding : configured !== undefined ? configured : setting.unset
    },
    /** Reports the members that no setting has read, with the nearest name. */
    checkNames: (): void => {
      const outer = new Set([...names].map((path) => path.split(".")[0]!))
      const unknown = (path: string, name: string, known: Iterable<string>, prefix: string): void => {
        const near = nearest(name, known)
        const proposal = near === undefined ? "" : ` Did you mean \`${prefix}${near}\`?`
        faults.push(`\`${path}\` is not a member of the configuration.${proposal}`)
      }
      for (const [group, given] of Object.entries(members)) {
        if (given === undefined) continue
        const inner = [...names].flatMap((path) => (path.startsWith(`${group}.`) ? [path.slice(group.length + 1)] : []))
        if (!outer.has(group)) unknown(group, group, [...outer, "providers"], "")
        else if (inner.length > 0 && !isObject(given)) fault(group, shown(given), `an object of ${inner.join(", ")}`)
        else if (inner.length > 0)
          for (const [name, one] of Object.entries(given as object))
            if (one !== undefined && !inner.includes(name)) unknown(`${group}.${name}`, name, inner, `${group}.`)
      }
    },
    /** Reports a variable and a member that contradict each other. */
    checkAlike: (name: string, path: string, overriding: unknown, configured: unknown): void => {
      if (overriding === undefined || configured === undefined || overriding === configured) return
      faults.push(`${name} is ${shown(overriding)}, but ${path} is ${shown(configured)} in ${source}; set only one.`)
    }
  }
}

/**
 * `literals`: whether secrets may stand in the configuration itself. In a file, they may not. `isServing`: whether a server is
 * to start, which has more requirements in `live`.
 */
export interface Decoding {
  readonly literals: "allowed" | "refused"
  readonly isServing: boolean
}

/**
 * Decodes the settings. An empty variable counts as unset.
 *
 * Law: each fault has one line, with the name of the variable or the path of the member, what was found and what is taken.
 */
export const decodeConfig = (
  env: Env,
  resolved: Resolved = none,
  { isServing, literals }: Decoding = { literals: "refused", isServing: false }
): DecodedConfig => {
  const { at, checkAlike, checkNames, faults, member, read, variable } = reader(env, resolved, literals)

  const environments = { kind: value.oneOf("test", "live"), unset: "test" } as const
  const overriding = variable("CORRIDOR_ENVIRONMENT", environments)
  const configured = member("environment", environments)
  checkAlike("CORRIDOR_ENVIRONMENT", "environment", overriding, configured)
  const environment = overriding ?? configured ?? "test"

  const key = { kind: value.apiKey(environment), unset: undefined, secret: true }
  const limit = { kind: value.whole(1, 1_000_000, "a whole number from 1 to 1000000"), unset: 256 }
  const policies: Policies = policiesOf(at("rates"), at("pricing"), at("routing"), at("rateBand"))
  const config: Config = {
    host: read("HOST", "host", { kind: value.host, unset: "127.0.0.1" }),
    port: read("PORT", "port", { kind: value.whole(0, 65_535, "a port from 0 to 65535"), unset: 8080 }),
    database: read("DATABASE_URL", "database", {
      kind: value.database,
      unset: { _tag: "pglite", dir: ".corridor" },
      secret: true
    }),
    environment,
    api_key: read("CORRIDOR_API_KEY", "apiKey", key),
    operator_token: read("CORRIDOR_OPERATOR_TOKEN", "operatorToken", {
      kind: value.operatorToken,
      unset: undefined,
      secret: true
    }),
    metrics_token: read("CORRIDOR_METRICS_TOKEN", "metricsToken", {
      kind: value.operatorToken,
      unset: undefined,
      secret: true
    }),
    open_metrics: read("CORRIDOR_OPEN_METRICS", "openMetrics", { kind: value.flag, unset: environment === "test" }),
    metrics_interval_seconds: read("CORRIDOR_METRICS_INTERVAL_SECONDS", "metricsIntervalSeconds", {
      kind: value.whole(1, 3600, "seconds from 1 to 3600"),
      unset: 15
    }),
    console: read("CORRIDOR_CONSOLE", "console", { kind: value.flag, unset: true }),
    dispatcher: read("CORRIDOR_DISPATCHER", "dispatcher", { kind: value.flag, unset: true }),
    sandbox_mode: read("CORRIDOR_SANDBOX_MODE", "sandbox.mode", { kind: value.oneOf("auto", "manual"), unset: "auto" }),
    sandbox_delay_ms: read("CORRIDOR_SANDBOX_DELAY_MS", "sandbox.delayMs", {
      kind: value.whole(0, 86_400_000, "milliseconds from 0 to 86400000"),
      unset: 1000
    }),
    rate_per_second: read("CORRIDOR_RATE_LIMIT_PER_SECOND", "limits.ratePerSecond", {
      kind: value.whole(0, 1_000_000, "a whole number from 0 (no limit) to 1000000"),
      unset: 25
    }),
    max_writes: read("CORRIDOR_MAX_WRITES", "limits.writes", limit),
    max_reads: read("CORRIDOR_MAX_READS", "limits.reads", limit),
    public_url: read("CORRIDOR_PUBLIC_URL", "baseUrl", { kind: value.url, unset: undefined }),
    docs_url: read("CORRIDOR_DOCS_URL", "docsUrl", { kind: value.url, unset: undefined }),
    webhook_retry_seconds: read("CORRIDOR_WEBHOOK_RETRY_SECONDS", "webhooks.retrySeconds", {
      kind: value.delays,
      unset: retrySeconds
    }),
    webhook_timeout_ms: read("CORRIDOR_WEBHOOK_TIMEOUT_MS", "webhooks.timeoutMs", {
      kind: value.whole(1, 600_000, "milliseconds from 1 to 600000"),
      unset: 15_000
    }),
    keep_deliveries: read("CORRIDOR_KEEP_DELIVERIES_DAYS", "retention.deliveries", { kind: value.days(1), unset: 30 }),
    keep_provider_events: read("CORRIDOR_KEEP_PROVIDER_EVENTS_DAYS", "retention.providerEvents", {
      kind: value.days(30),
      unset: 90
    }),
    keep_events: read("CORRIDOR_KEEP_EVENTS_DAYS", "retention.events", { kind: value.days(30), unset: null }),
    statement_timeout_ms: read("CORRIDOR_STATEMENT_TIMEOUT_MS", "statementTimeoutMs", {
      kind: value.whole(0, 600_000, "milliseconds from 0 (no limit) to 600000"),
      unset: 10_000
    }),
    keep_alive_seconds: read("CORRIDOR_KEEP_ALIVE_SECONDS", "keepAliveSeconds", {
      kind: value.whole(1, 7200, "seconds from 1 to 7200"),
      unset: keepAliveSeconds
    }),
    send_timeout_seconds: read("CORRIDOR_SEND_TIMEOUT_SECONDS", "sendTimeoutSeconds", {
      kind: value.whole(1, 3600, "seconds from 1 to 3600"),
      unset: sendSeconds
    }),
    lease_seconds: read("CORRIDOR_LEASE_SECONDS", "leaseSeconds", {
      kind: value.whole(1, 3600, "seconds from 1 to 3600"),
      unset: 45
    }),
    log_level: read("CORRIDOR_LOG_LEVEL", "logLevel", { kind: value.logLevel, unset: "Info" }),
    telemetry: telemetryOf({ read, variable }),
    payshap: read("CORRIDOR_PAYSHAP", "payshap", { kind: value.flag, unset: true }),
    name_match: read("CORRIDOR_NAME_MATCH", "nameMatch", { kind: value.oneOf("show", "refuse"), unset: "show" }),
    screening: read("CORRIDOR_SCREENING", "screening", { kind: value.oneOf("required", "none"), unset: undefined }),
    provider_secret: read("CORRIDOR_PROVIDER_SECRET", "sandbox.callbackSecret", {
      kind: value.callbackSecret,
      unset: undefined,
      secret: true
    }),
    encryption_keys: read("CORRIDOR_ENCRYPTION_KEY", "encryptionKeys", {
      kind: value.encryptionKeys,
      unset: undefined,
      secret: true
    }),
    providers: resolved.providers,
    rates: policies.rates,
    rate_band: policies.rateBand,
    pricing: policies.pricing,
    routing: policies.routing
  }
  checkNames()
  const given = (name: string): boolean =>
    name === "providers" ? resolved.providers !== undefined : at(name) !== undefined
  if (environment === "live" && !given("encryptionKeys") && (env["CORRIDOR_ENCRYPTION_KEY"] ?? "") === "")
    faults.push(
      "CORRIDOR_ENCRYPTION_KEY is not set; it takes 32 bytes in base64, and is required in the live environment."
    )
  if (isServing) faults.push(...liveFaults(config, env, given))
  const all = [...resolved.faults, ...faults, ...policies.faults]
  return all.length > 0 ? { faults: all } : { config }
}
