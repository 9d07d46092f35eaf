import { describe, expect, it } from "vitest"
import { decodeConfig } from "../../../src/http/config/decode.ts"
import type { ConfigDefinition } from "../../../src/http/config/define.ts"
import { type Env, resolveConfig } from "../../../src/http/config/resolve.ts"
import { covers } from "../../support/repository/covers.ts"

const decode = async (definition: ConfigDefinition, env: Env = {}) =>
  decodeConfig(env, await resolveConfig(definition, env, "corridor.config.ts"))
const faults = async (telemetry: unknown): Promise<ReadonlyArray<string>> => {
  const decoded = await decode({ telemetry } as never)
  return "faults" in decoded ? decoded.faults : []
}

describe("the member telemetry", () => {
  covers("SERVICE-17")
  it("has a member for every setting, and its headers are secrets", async () => {
    const decoded = await decode(
      ({ secret }) => ({
        telemetry: {
          endpoint: "http://127.0.0.1:4318",
          headers: { authorization: secret("COLLECTOR") },
          serviceName: "payments",
          resource: { "host.name": "a" },
          disabled: false,
          traces: true,
          metrics: true,
          metricsEndpoint: "https://m.example/in/",
          metricsHeaders: { "x-key": secret("COLLECTOR") },
          logs: false,
          protocol: "http/protobuf",
          traceIntervalMs: 11,
          metricIntervalMs: 12,
          sampler: "always_off",
          samplerArg: 0.5
        }
      }),
      { COLLECTOR: "Basic abc", OTEL_METRIC_EXPORT_INTERVAL: "13" }
    )
    expect(decoded).toMatchObject({
      config: {
        telemetry: {
          service_name: "payments",
          resource: { "host.name": "a" },
          traces: { url: "http://127.0.0.1:4318/v1/traces", headers: { authorization: "Basic abc" } },
          metrics: { url: "https://m.example/in/", headers: { "x-key": "Basic abc" } },
          logs: undefined,
          protocol: "http/protobuf",
          trace_interval_ms: 11,
          metric_interval_ms: 13,
          sampler: "always_off",
          share: 0.5
        }
      }
    })
  })

  it("exports nothing without an endpoint, or if it is disabled", async () => {
    expect(await decode({ telemetry: { traces: true } })).toMatchObject({ config: { telemetry: undefined } })
    expect(await decode({ telemetry: { endpoint: "http://c", disabled: true } })).toMatchObject({
      config: { telemetry: undefined }
    })
  })

  it.each([
    [{ protocol: "grpc" }, 'telemetry.protocol is "grpc"; it takes http/json or http/protobuf.'],
    [{ endpoint: 4318 }, "telemetry.endpoint is 4318; it takes an http or https URL without credentials and a query."],
    [{ traces: "otlp" }, 'telemetry.traces is "otlp"; it takes true or false.'],
    [{ samplerArg: 2 }, "telemetry.samplerArg is 2; it takes a number from 0 to 1."],
    [{ resource: { a: 1 } }, "telemetry.resource is an object; it takes an object of texts."],
    [
      { headers: { authorization: "Basic abc" } },
      'telemetry.headers is a literal; it takes secret("NAME"), the name of an environment variable.'
    ],
    [
      { endpont: "http://c" },
      "`telemetry.endpont` is not a member of the configuration. Did you mean `telemetry.endpoint`?"
    ]
  ])("is refused as %j", async (telemetry, fault) => {
    expect(await faults(telemetry)).toEqual([fault])
  })

  covers("TELEMETRY-11")
  it("sends a signal to its own URL with its own headers, and the others where the endpoint says", () => {
    const general = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=all"
    }
    const all = { authorization: "all" }
    const urls = {
      traces: "http://c:4318/v1/traces",
      metrics: "http://c:4318/v1/metrics",
      logs: "http://c:4318/v1/logs"
    }
    for (const signal of ["traces", "metrics", "logs"] as const) {
      const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}`
      const special = { [`${own}_ENDPOINT`]: "http://own/in/", [`${own}_HEADERS`]: "x-key=one" }
      const receivers = Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, { url, headers: all }]))
      expect(decodeConfig({ ...general, ...special })).toMatchObject({
        config: { telemetry: { ...receivers, [signal]: { url: "http://own/in/", headers: { "x-key": "one" } } } }
      })
      const nowhere = { traces: undefined, metrics: undefined, logs: undefined }
      expect(decodeConfig(special)).toMatchObject({
        config: { telemetry: { ...nowhere, [signal]: { url: "http://own/in/", headers: { "x-key": "one" } } } }
      })
    }
  })

  it.each([
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", 'is "grpc"; it takes http/json or http/protobuf.'],
    [
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
      "c:4318",
      'is "c:4318"; it takes an http or https URL without credentials and a query.'
    ],
    [
      "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL",
      "http/json",
      "is set; it takes no value: OTEL_EXPORTER_OTLP_PROTOCOL is that of every signal."
    ],
    [
      "OTEL_EXPORTER_OTLP_CERTIFICATE",
      "/ca.pem",
      "is set; it takes no value: NODE_EXTRA_CA_CERTS names further authorities."
    ],
    [
      "OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY",
      "/key.pem",
      "is set; it takes no value: exports have no client certificate."
    ]
  ])("is refused as %s=%s, which would not be followed", (name, text, fault) => {
    expect(decodeConfig({ [name]: text })).toEqual({ faults: [`${name} ${fault}`] })
  })

  it("names the variable of a header that is not set", async () => {
    const decoded = await decode(({ secret }) => ({ telemetry: { headers: { authorization: secret("COLLECTOR") } } }))
    expect(decoded).toEqual({
      faults: ["telemetry.headers.authorization reads COLLECTOR, which is not set in the environment."]
    })
  })
})
