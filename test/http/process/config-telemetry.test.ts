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
          metrics: false,
          logs: false,
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
          endpoint: "http://127.0.0.1:4318",
          headers: { authorization: "Basic abc" },
          service_name: "payments",
          resource: { "host.name": "a" },
          traces: true,
          metrics: false,
          logs: false,
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

  it("names the variable of a header that is not set", async () => {
    const decoded = await decode(({ secret }) => ({ telemetry: { headers: { authorization: secret("COLLECTOR") } } }))
    expect(decoded).toEqual({
      faults: ["telemetry.headers.authorization reads COLLECTOR, which is not set in the environment."]
    })
  })
})
