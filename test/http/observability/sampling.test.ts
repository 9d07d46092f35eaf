import { Clock, Context, Effect, Exit, Option, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import { parseTraceparent, formatTraceparent } from "../../../src/engine/ports/tracing.ts"
import { isSampled, type Sampler, makeSampledTracer } from "../../../src/http/observability/sampled-tracer.ts"
import { covers } from "../../support/repository/covers.ts"

const clock = Effect.runSync(Clock.clockWith(Effect.succeed))

const above = (sampled: boolean, traceId = "4bf92f3577b34da6a3ce929d0e0e4736"): Tracer.ExternalSpan =>
  Tracer.externalSpan({ traceId, spanId: "00f067aa0ba902b7", sampled })

const made = (
  sampler: Sampler,
  {
    parent,
    link,
    share = 0.5
  }: { readonly parent?: Tracer.AnySpan; readonly link?: Tracer.AnySpan; readonly share?: number } = {}
): Tracer.Span =>
  makeSampledTracer(Tracer.make({ span: (options) => new Tracer.NativeSpan(options) }), { sampler, share }, clock).span(
    {
      name: "one",
      parent: Option.fromUndefinedOr(parent),
      annotations: Context.empty(),
      links: link === undefined ? [] : [{ span: link, attributes: {} }],
      startTime: 0n,
      kind: "internal",
      root: parent === undefined,
      sampled: true
    }
  )

describe("a sampler", () => {
  covers("TELEMETRY-4")
  it.each([
    ["always_on", undefined, true],
    ["always_on", false, true],
    ["always_off", undefined, false],
    ["always_off", true, false],
    ["parentbased_always_on", undefined, true],
    ["parentbased_always_on", false, false],
    ["parentbased_always_on", true, true],
    ["parentbased_always_off", undefined, false],
    ["parentbased_always_off", true, true],
    ["parentbased_traceidratio", true, true],
    ["parentbased_traceidratio", false, false]
  ] as const)("%s with a parent that is sampled: %s, samples: %s", (sampler, parent, sampled) => {
    expect(made(sampler, parent === undefined ? {} : { parent: above(parent), share: 0 }).sampled).toBe(sampled)
  })

  it("follows the span that a span without a parent links to, if it is parent-based", () => {
    expect(made("parentbased_always_off", { link: above(true) }).sampled).toBe(true)
    expect(made("parentbased_always_on", { link: above(false) }).sampled).toBe(false)
    expect(made("always_on", { link: above(false) }).sampled).toBe(true)
  })

  it("takes a share of the traces, by their ids: a span and all that decide on the same trace agree", () => {
    const spans = Array.from({ length: 2000 }, () => made("parentbased_traceidratio", { share: 0.25 }))
    for (const span of spans) {
      expect(span.sampled).toBe(isSampled(span.traceId, 0.25))
      expect(made("traceidratio", { parent: span, share: 0.25 }).sampled).toBe(span.sampled)
    }
    const taken = spans.filter(({ sampled }) => sampled).length
    expect(taken).toBeGreaterThan(350)
    expect(taken).toBeLessThan(650)
    expect(made("traceidratio", { share: 1 }).sampled).toBe(true)
    expect(made("traceidratio", { share: 0 }).sampled).toBe(false)
  })

  it("gives spans the times of the wall clock", () => {
    const span = made("always_on")
    span.end(1n, Exit.void)
    const { status } = span
    expect(status._tag === "Ended" && status.startTime > 1_700_000_000_000_000_000n).toBe(true)
    expect(status._tag === "Ended" && status.endTime >= status.startTime).toBe(true)
  })
})

describe("a traceparent", () => {
  covers("TELEMETRY-2")
  it("is read and written as W3C Trace Context says", () => {
    const text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    expect(formatTraceparent(parseTraceparent(text)!)).toBe(text)
    expect(parseTraceparent(text.replace(/01$/, "00"))).toMatchObject({ sampled: false })
    expect(parseTraceparent(text.replace(/01$/, "03"))).toMatchObject({ sampled: true })
    // A later version may have more fields.
    expect(parseTraceparent(`${text.replace(/^00/, "01")}-more`)).toMatchObject({ spanId: "00f067aa0ba902b7" })
  })

  it.each([
    undefined,
    "",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01"
  ])("%j is none", (text) => {
    expect(parseTraceparent(text)).toBeUndefined()
  })
})
