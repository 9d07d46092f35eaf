import { Context, Effect, Layer } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import { decodeSecret as simulatedKeyOf } from "../../../src/adapters/provider/simulated/callback.ts"
import { RetentionPolicy } from "../../../src/engine/settings/retention.ts"
import { makeEngineLayer, formatStore } from "../../../src/http/serve/composition.ts"
import type { Config } from "../../../src/http/config/config.ts"
import { decodeConfig } from "../../../src/http/config/decode.ts"
import type { Env } from "../../../src/http/config/resolve.ts"
import { covers } from "../../support/repository/covers.ts"

const read = (env: Env): Config => {
  const decoded = decodeConfig(env)
  if ("faults" in decoded) throw new Error(decoded.faults.join("\n"))
  return decoded.config
}
const faults = (env: Env): ReadonlyArray<string> => {
  const decoded = decodeConfig(env)
  return "faults" in decoded ? decoded.faults : []
}

const encryption = Buffer.alloc(32, 1).toString("base64")

describe("settings", () => {
  covers("SANDBOX-12", "LIMIT-4", "DELIVERY-10", "DELIVERY-11", "PAYSHAP-6")
  it("have their documented defaults", () => {
    expect(read({})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      database: { _tag: "pglite", dir: ".corridor" },
      environment: "test",
      api_key: undefined,
      operator_token: undefined,
      metrics_token: undefined,
      metrics_interval_seconds: 15,
      dispatcher: true,
      console: true,
      sandbox_mode: "auto",
      sandbox_delay_ms: 1000,
      rate_per_second: 25,
      max_writes: 256,
      max_reads: 256,
      public_url: undefined,
      docs_url: undefined,
      webhook_retry_seconds: [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400],
      webhook_timeout_ms: 15000,
      keep_deliveries: 30,
      keep_provider_events: 90,
      keep_events: null,
      statement_timeout_ms: 10000,
      keep_alive_seconds: 130,
      send_timeout_seconds: 120,
      open_metrics: true,
      lease_seconds: 45,
      log_level: "Info",
      telemetry: undefined,
      payshap: true,
      name_match: "show",
      encryption_keys: undefined
    })
  })

  it("treat an empty variable as unset", () => {
    expect(read({ PORT: "", CORRIDOR_API_KEY: "" })).toEqual(read({}))
  })

  it.each([
    [{ CORRIDOR_METRICS_TOKEN: "0123456789abcdef" }, { metrics_token: "0123456789abcdef" }],
    [{ CORRIDOR_METRICS_INTERVAL_SECONDS: "60" }, { metrics_interval_seconds: 60 }],
    [{ PORT: "0" }, { port: 0 }],
    [{ HOST: "::" }, { host: "::" }],
    [{ DATABASE_URL: "memory:" }, { database: { _tag: "memory" } }],
    [{ DATABASE_URL: "pglite:memory" }, { database: { _tag: "pglite", dir: null } }],
    [{ DATABASE_URL: "pglite:/var/x" }, { database: { _tag: "pglite", dir: "/var/x" } }],
    [{ DATABASE_URL: "postgres://u:p@h:5432/d" }, { database: { _tag: "postgres", url: "postgres://u:p@h:5432/d" } }],
    [
      { DATABASE_URL: "postgres://u:p@h:5432,i:5433/d?sslmode=require" },
      { database: { _tag: "postgres", url: "postgres://u:p@h:5432,i:5433/d?sslmode=require" } }
    ],
    [
      { DATABASE_URL: "postgres://u:p@h:5432,i/d?cells=8" },
      { database: { _tag: "cells", url: "postgres://u:p@h:5432,i/d", cells: 8 } }
    ],
    [
      { DATABASE_URL: "postgres://u:p@h/d?cells=8" },
      { database: { _tag: "cells", url: "postgres://u:p@h/d", cells: 8 } }
    ],
    [
      { DATABASE_URL: "postgres://u:p@h/d?a=1&cells=8" },
      { database: { _tag: "cells", url: "postgres://u:p@h/d?a=1", cells: 8 } }
    ],
    [
      { DATABASE_URL: "postgres://u:p@h/d?cells=8&a=1" },
      { database: { _tag: "cells", url: "postgres://u:p@h/d?a=1", cells: 8 } }
    ],
    [{ CORRIDOR_RATE_LIMIT_PER_SECOND: "0" }, { rate_per_second: 0 }],
    [{ CORRIDOR_PUBLIC_URL: "https://pay.example.com/" }, { public_url: "https://pay.example.com" }],
    [{ CORRIDOR_WEBHOOK_RETRY_SECONDS: "1, 2,3" }, { webhook_retry_seconds: [1, 2, 3] }],
    [{ CORRIDOR_KEEP_ALIVE_SECONDS: "620" }, { keep_alive_seconds: 620 }],
    [{ CORRIDOR_OPEN_METRICS: "off" }, { open_metrics: false }],
    [{ CORRIDOR_SEND_TIMEOUT_SECONDS: "30" }, { send_timeout_seconds: 30 }],
    [{ CORRIDOR_LEASE_SECONDS: "5" }, { lease_seconds: 5 }],
    [
      { CORRIDOR_MAX_WRITES: "9", CORRIDOR_MAX_READS: "8" },
      { max_writes: 9, max_reads: 8 }
    ],
    [{ CORRIDOR_PAYSHAP: "off" }, { payshap: false }],
    [{ CORRIDOR_NAME_MATCH: "refuse" }, { name_match: "refuse" }],
    [{ CORRIDOR_SANDBOX_MODE: "manual" }, { sandbox_mode: "manual" }],
    [{ CORRIDOR_DISPATCHER: "off" }, { dispatcher: false }],
    [{ CORRIDOR_CONSOLE: "off" }, { console: false }],
    [{ CORRIDOR_LOG_LEVEL: "warn" }, { log_level: "Warn" }],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" },
      {
        telemetry: {
          traces: { url: "http://collector:4318/v1/traces", headers: {} },
          metrics: { url: "http://collector:4318/v1/metrics", headers: {} },
          logs: { url: "http://collector:4318/v1/logs", headers: {} },
          protocol: "http/json",
          service_name: "corridor",
          resource: {},
          trace_interval_ms: 5000,
          metric_interval_ms: 60_000,
          sampler: "parentbased_always_on",
          share: 1
        }
      }
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: "https://c/otlp",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20abc, x-tenant=lagos",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=payments,deployment.environment.name=eu%2Cwest",
        OTEL_TRACES_EXPORTER: "none",
        OTEL_LOGS_EXPORTER: "otlp",
        OTEL_TRACES_SAMPLER: "traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "0.25",
        OTEL_BSP_SCHEDULE_DELAY: "100",
        OTEL_METRIC_EXPORT_INTERVAL: "200"
      },
      {
        telemetry: {
          service_name: "payments",
          resource: { "deployment.environment.name": "eu,west" },
          traces: undefined,
          logs: { url: "https://c/otlp/v1/logs", headers: { authorization: "Basic abc", "x-tenant": "lagos" } },
          sampler: "traceidratio",
          share: 0.25,
          trace_interval_ms: 100,
          metric_interval_ms: 200
        }
      }
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_SDK_DISABLED: "TRUE" }, { telemetry: undefined }],
    [
      { CORRIDOR_KEEP_DELIVERIES_DAYS: "7", CORRIDOR_KEEP_PROVIDER_EVENTS_DAYS: "0", CORRIDOR_KEEP_EVENTS_DAYS: "400" },
      { keep_deliveries: 7, keep_provider_events: null, keep_events: 400 }
    ],
    [{ CORRIDOR_STATEMENT_TIMEOUT_MS: "0" }, { statement_timeout_ms: 0 }],
    [{ CORRIDOR_API_KEY: `sk_test_${"a".repeat(43)}` }, { api_key: `sk_test_${"a".repeat(43)}` }],
    [{ CORRIDOR_API_KEY: `sk_test_${"a".repeat(16)}` }, { api_key: `sk_test_${"a".repeat(16)}` }],
    [
      { CORRIDOR_ENVIRONMENT: "live", CORRIDOR_ENCRYPTION_KEY: encryption },
      { environment: "live", encryption_keys: [encryption] }
    ]
  ])("read %j", (env, expected) => {
    expect(read(env as Env)).toMatchObject(expected)
  })

  covers("CELLS-4")
  it.each([
    ["postgres://u:hunter2@h/d?cells=0", "a URL with cells=0"],
    ["postgres://u:hunter2@h/d?cells=65", "a URL with cells=65"],
    ["postgres://u:hunter2@h/d?cells=", "a URL with cells="],
    ["postgres://u:hunter2@h/d?cells=-1", "a URL with cells=-1"],
    ["postgres://u:hunter2@h/d?cells=1.5", "a URL with cells=1.5"],
    ["postgres://u:hunter2@h/d?cells=eight", "a URL with cells=eight"],
    ["postgres://u:hunter2@h/d?cells=2&cells=3", "a URL with cells=2 and cells=3"],
    ["postgres://u:hunter2@h/d?cells=2,postgres://u:hunter2@h/e", "a list of 2"],
    ["postgres://u:hunter2@h:1,i:2/d, postgresql://u:hunter2@h/e,postgres://u:hunter2@h/f", "a list of 3"]
  ])("%s is refused with what was found", (url, found) => {
    const [line, ...more] = faults({ DATABASE_URL: url })
    expect(more).toEqual([])
    expect(line).toMatch(
      /^DATABASE_URL is .*; it takes .*, a single one, with \?cells=N from 1 to 64 if it has cells\.$/
    )
    expect(line).toContain(`DATABASE_URL is ${found}; `)
    expect(line).not.toContain("hunter2")
  })

  covers("SERVICE-9")
  it.each([
    [{ PORT: "http" }, 'PORT is "http"; it takes a port from 0 to 65535.'],
    [{ PORT: "65536" }, 'PORT is "65536"; it takes a port from 0 to 65535.'],
    [{ CORRIDOR_ENVIRONMENT: "prod" }, 'CORRIDOR_ENVIRONMENT is "prod"; it takes test or live.'],
    [{ CORRIDOR_DISPATCHER: "no" }, 'CORRIDOR_DISPATCHER is "no"; it takes on or off.'],
    [{ CORRIDOR_SANDBOX_MODE: "x" }, 'CORRIDOR_SANDBOX_MODE is "x"; it takes auto or manual.'],
    [{ CORRIDOR_PAYSHAP: "yes" }, 'CORRIDOR_PAYSHAP is "yes"; it takes on or off.'],
    [{ CORRIDOR_NAME_MATCH: "on" }, 'CORRIDOR_NAME_MATCH is "on"; it takes show or refuse.'],
    [
      { CORRIDOR_LOG_LEVEL: "verbose" },
      'CORRIDOR_LOG_LEVEL is "verbose"; it takes trace, debug, info, warn, error, fatal or none.'
    ],
    [{ OTEL_SDK_DISABLED: "yes" }, 'OTEL_SDK_DISABLED is "yes"; it takes true or false.'],
    [{ OTEL_TRACES_EXPORTER: "console" }, 'OTEL_TRACES_EXPORTER is "console"; it takes otlp or none.'],
    [{ OTEL_TRACES_SAMPLER_ARG: "1.5" }, 'OTEL_TRACES_SAMPLER_ARG is "1.5"; it takes a number from 0 to 1.'],
    [
      { OTEL_TRACES_SAMPLER: "jaeger_remote" },
      'OTEL_TRACES_SAMPLER is "jaeger_remote"; it takes always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or parentbased_traceidratio.'
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
      'OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4318"; it takes an http or https URL without credentials and a query.'
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "https://user:hunter2@collector:4318" },
      'OTEL_EXPORTER_OTLP_ENDPOINT is "https://…@collector:4318"; it takes an http or https URL without credentials and a query.'
    ],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: "authorization" },
      "OTEL_EXPORTER_OTLP_HEADERS is a string of 13 characters; it takes name=text, separated by commas, percent-encoded."
    ],
    [
      { OTEL_RESOURCE_ATTRIBUTES: "a=%zz" },
      'OTEL_RESOURCE_ATTRIBUTES is "a=%zz"; it takes name=text, separated by commas, percent-encoded.'
    ],
    [{ OTEL_BSP_SCHEDULE_DELAY: "0" }, 'OTEL_BSP_SCHEDULE_DELAY is "0"; it takes milliseconds from 1 to 3600000.'],
    [
      { CORRIDOR_PUBLIC_URL: "pay.example.com" },
      'CORRIDOR_PUBLIC_URL is "pay.example.com"; it takes an http or https URL without credentials and a query.'
    ],
    [
      { CORRIDOR_PUBLIC_URL: "https://pay.example.com/?" },
      'CORRIDOR_PUBLIC_URL is "https://pay.example.com/?"; it takes an http or https URL without credentials and a query.'
    ],
    [
      { CORRIDOR_DOCS_URL: "https://docs.example.com/#" },
      'CORRIDOR_DOCS_URL is "https://docs.example.com/#"; it takes an http or https URL without credentials and a query.'
    ],
    [
      { CORRIDOR_DOCS_URL: "https:docs.example.com" },
      'CORRIDOR_DOCS_URL is "https:docs.example.com"; it takes an http or https URL without credentials and a query.'
    ],
    [
      { CORRIDOR_WEBHOOK_RETRY_SECONDS: "5,x" },
      'CORRIDOR_WEBHOOK_RETRY_SECONDS is "5,x"; it takes seconds from 1 to 2592000, separated by commas.'
    ],
    [
      { CORRIDOR_KEEP_PROVIDER_EVENTS_DAYS: "29" },
      'CORRIDOR_KEEP_PROVIDER_EVENTS_DAYS is "29"; it takes days from 30 to 36500, or 0 (forever).'
    ],
    [
      { DATABASE_URL: "postgres://h/a,postgres://i/b" },
      "DATABASE_URL is a list of 2; it takes memory:, pglite:memory, pglite:DIR, or postgres://USER:PASSWORD@HOST:PORT/DATABASE, a single one, with ?cells=N from 1 to 64 if it has cells."
    ],
    [
      { CORRIDOR_SANDBOX_DELAY_MS: "-1" },
      'CORRIDOR_SANDBOX_DELAY_MS is "-1"; it takes milliseconds from 0 to 86400000.'
    ]
  ])("report %j in one line", (env, line) => {
    expect(faults(env as Env)).toEqual([line])
  })

  it("never print a secret", () => {
    const env = {
      CORRIDOR_API_KEY: "hunter2-api",
      CORRIDOR_OPERATOR_TOKEN: "hunter2",
      CORRIDOR_ENCRYPTION_KEY: "hunter2-enc",
      DATABASE_URL: "mysql://root:hunter2@h/d"
    }
    const lines = faults(env)
    expect(lines.map((line) => line.split(" ")[0]).sort()).toEqual(Object.keys(env).sort())
    expect(lines.join()).not.toContain("hunter2")
    expect(lines.every((line) => !line.includes("\n"))).toBe(true)
  })

  covers("KEY-4")
  it("reject a key of another environment", () => {
    expect(faults({ CORRIDOR_API_KEY: `sk_test_${"a".repeat(15)}` })[0]).toMatch(
      /^CORRIDOR_API_KEY is a string of 23 characters; it takes an API key of the test environment/
    )
    expect(faults({ CORRIDOR_API_KEY: `sk_live_${"a".repeat(43)}` })[0]).toMatch(
      /^CORRIDOR_API_KEY is a string of 51 characters; it takes an API key of the test environment/
    )
  })

  covers("SERVICE-7")
  it("require an encryption key in live", () => {
    expect(faults({ CORRIDOR_ENVIRONMENT: "live" })).toEqual([
      "CORRIDOR_ENCRYPTION_KEY is not set; it takes 32 bytes in base64, and is required in the live environment."
    ])
  })
})

describe("what a setting takes, the part takes that it is for", () => {
  const bytes = (min: number, max: number) =>
    fc.uint8Array({ minLength: min, maxLength: max }).map((some) => Buffer.from(some).toString("base64"))
  /** A text with one character too many, too few, or another one. */
  const mistyped = (of: fc.Arbitrary<string>) =>
    fc
      .tuple(of, fc.nat(99), fc.constantFrom("", "A", "B", "9", "/", "=", "-", " ", "\n", "é"), fc.boolean())
      .map(([text, at, given, isMore]) => text.slice(0, at) + given + text.slice(isMore ? at : at + 1))
      .filter((text) => text.trim() !== "")
  const isTaken = (use: () => unknown): boolean => {
    try {
      use()
      return true
    } catch {
      return false
    }
  }

  covers("SERVICE-9")
  it("an encryption key", () => {
    const one = fc.oneof(bytes(32, 32), mistyped(bytes(32, 32)), bytes(31, 33))
    fc.assert(
      fc.property(one, (text) => {
        const found = faults({ CORRIDOR_ENCRYPTION_KEY: text })
        expect(found.length === 0).toBe(text.split(",").every((key) => isTaken(() => aesKey(key.trim()))))
        for (const line of found) expect(line).toMatch(/^CORRIDOR_ENCRYPTION_KEY is /)
      }),
      { numRuns: 500 }
    )
  })

  covers("SERVICE-9")
  it("the secret of callbacks", () => {
    const one = fc.oneof(bytes(24, 64), mistyped(bytes(24, 64))).map((text) => `whsec_${text}`)
    fc.assert(
      fc.property(fc.oneof(one, mistyped(one)), (text) => {
        const found = faults({ CORRIDOR_PROVIDER_SECRET: text })
        if (found.length === 0) expect(() => simulatedKeyOf(text)).not.toThrow()
        else expect(found[0]).toMatch(/^CORRIDOR_PROVIDER_SECRET is /)
      }),
      { numRuns: 500 }
    )
  })
})

covers("SERVICE-9")
it("a database of several hosts is named without its password, and every host is checked", () => {
  const named = (DATABASE_URL: string) => formatStore(read({ DATABASE_URL }))
  expect(named("postgres://u:hunter2@h:5432,i:5433/d?sslmode=require")).toBe("postgres://h:5432,i:5433/d")
  for (const hosts of ["h:5432,i:99999", "h:x,i:1", "h:1,,i:1", "h:1,"])
    expect([hosts, faults({ DATABASE_URL: `postgres://u:hunter2@${hosts}/d` })[0]]).toEqual([
      hosts,
      expect.stringMatching(/^DATABASE_URL is a string of \d+ characters; it takes memory:/)
    ])
})

it("the three settings of retention reach the engine, each its own", async () => {
  const config = read({
    DATABASE_URL: "memory:",
    CORRIDOR_KEEP_DELIVERIES_DAYS: "7",
    CORRIDOR_KEEP_PROVIDER_EVENTS_DAYS: "91",
    CORRIDOR_KEEP_EVENTS_DAYS: "400"
  })
  const policy = Effect.scoped(
    Effect.map(Layer.build(makeEngineLayer(config, "http://127.0.0.1", "http://127.0.0.1/docs")), (context) =>
      Context.get(context as Context.Context<never>, RetentionPolicy)
    )
  )
  expect(await Effect.runPromise(policy)).toEqual({ deliveries: 7, providerEvents: 91, events: 400 })
})
