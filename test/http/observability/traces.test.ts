import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { version } from "../../../src/version.ts"
import { serve } from "../../../src/http/serve/serve.ts"
import { covers } from "../../support/repository/covers.ts"
import { callerOf, makeOfframp } from "../../support/telemetry/offramp.ts"
import { type OtlpReceiver, type Span, startOtlpReceiver } from "../../support/telemetry/otlp-receiver.ts"
import { until } from "../../support/repository/poll-timeout.ts"

interface Posted {
  readonly headers: IncomingHttpHeaders
  readonly event: { readonly event_type: string; readonly event_object_id: string }
}

const posted: Array<Posted> = []
const hook = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    posted.push({ headers: request.headers, event: JSON.parse(Buffer.concat(chunks).toString()) as Posted["event"] })
    response.writeHead(204).end()
  })
})

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
const refusedTrace = "0af7651916cd43dd8448eb211c80319c"
const caller = "00f067aa0ba902b7"
let otlp: OtlpReceiver
let id: string
let returned: string
const began = Date.now()

beforeAll(async () => {
  otlp = await startOtlpReceiver()
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve))
  const server = await serve({
    port: 0,
    database: "memory:",
    logLevel: "none",
    sandbox: { mode: "auto", delayMs: 0 },
    telemetry: { endpoint: otlp.url, headers: { "x-tenant": "lagos" }, serviceName: "corridor-test" }
  })
  const call = callerOf(server.url, server.apiKey!)
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`
  const made = await makeOfframp(call, {
    hook: url,
    headers: { traceparent: `00-${trace}-${caller}-01` }
  })
  id = made.id
  const isPosted = (of: string, event_type: string) => () =>
    posted.some(({ event }) => event.event_object_id === of && event.event_type === event_type)
  await until(isPosted(id, "offramp.success"))
  // Its account number has the provider return the money after three days.
  returned = (await makeOfframp(call, { hook: url, account_number: "0123450006" })).id
  await until(isPosted(returned, "offramp.success"))
  await call("/sandbox/clock/advance", { seconds: 4 * 86_400 })
  await until(isPosted(returned, "offramp.returned"))
  const refused = { traceparent: `00-${refusedTrace}-${caller}-01` }
  await call("/v1/wallets/wal_00000000000000000000000000", undefined, refused)
  // What is buffered is exported now.
  await server.close()
})

afterAll(async () => {
  hook.closeAllConnections()
  await new Promise((resolve) => hook.close(resolve))
  await otlp.close()
})

const ofOfframp = (): ReadonlyArray<Span> => otlp.spans.filter(({ traceId }) => traceId === trace)
const above = (span: Span): Span | undefined => otlp.spans.find(({ spanId }) => spanId === span.parentSpanId)
const pathTo = (span: Span | undefined): ReadonlyArray<string> =>
  span === undefined ? [] : [...pathTo(above(span)), span.name]
const named = (name: string, attributes: Readonly<Record<string, unknown>> = {}): ReadonlyArray<Span> =>
  ofOfframp().filter(
    (span) => span.name === name && Object.entries(attributes).every(([key, value]) => span.attributes[key] === value)
  )

const events = ["offramp.created", "offramp.funds_received", "offramp.processing", "offramp.success"]

describe("the trace of an offramp", () => {
  covers("TELEMETRY-1", "TELEMETRY-2")
  it("begins with the request, which continues the caller's", () => {
    const requests = named("corridor.request")
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ parentSpanId: caller, kind: 2, status: { code: 1 } })
    expect(requests[0]!.attributes).toMatchObject({
      "http.request.method": "POST",
      "http.route": "/v1/offramps",
      "http.response.status_code": 200,
      "corridor.operation": "createOfframp",
      "corridor.resource_id": id,
      "corridor.movement_id": id
    })
  })

  it("leads over the commit, the job and the call of the provider to the delivery of each event", () => {
    const toCommit = ["corridor.request", "corridor.commit"]
    const toSubmission = [...toCommit, "corridor.job"]
    const ways: Readonly<Record<string, ReadonlyArray<string>>> = {
      "offramp.created": toCommit,
      "offramp.funds_received": [...toSubmission, "corridor.commit"],
      "offramp.processing": [...toSubmission, "corridor.commit"],
      "offramp.success": [...toSubmission, "corridor.provider.submit", "corridor.job", "corridor.commit"]
    }
    for (const event_type of events) {
      const deliveries = named("corridor.delivery", { "corridor.event_type": event_type })
      expect(deliveries.map(pathTo), event_type).toEqual([[...ways[event_type]!, "corridor.job", "corridor.delivery"]])
      expect(deliveries[0]).toMatchObject({ kind: 3, attributes: { "http.response.status_code": 204 } })
    }
  })

  it("has the movement's id on each span, and no link within itself", () => {
    const without = ofOfframp().filter(({ attributes }) => attributes["corridor.movement_id"] !== id)
    expect(without).toEqual([])
    expect(ofOfframp().filter(({ links }) => links.length > 0)).toEqual([])
    expect(ofOfframp().length).toBeGreaterThan(15)
  })

  it("says of each commit what it wrote, and with which verdict", () => {
    const commits = named("corridor.commit")
    const [first] = commits.filter((span) => above(span)?.name === "corridor.request")
    expect(first!.attributes).toMatchObject({
      "corridor.merchant_id": expect.stringMatching(/^mer_/),
      "corridor.movement_id": id,
      "corridor.request_id": expect.stringMatching(/^req_/),
      "corridor.commit.verdict": "Committed",
      // The quote and the offramp; the reservation; the event; the submission and the delivery.
      "corridor.commit.rows": 2,
      "corridor.commit.postings": 1,
      "corridor.commit.events": 1,
      "corridor.commit.jobs": 2
    })
    expect(first!.attributes).not.toHaveProperty("corridor.job_id")
    const [last] = commits.filter((span) => span.attributes["corridor.commit.postings"] === 5)
    expect(last!.attributes).toMatchObject({
      "corridor.resource_id": id,
      "corridor.commit.rows": 1,
      "corridor.commit.events": 1,
      "corridor.commit.jobs": 0
    })
    const withJob = commits.filter((span) => typeof span.attributes["corridor.job_id"] === "string")
    expect(withJob.map((span) => above(span)?.name)).toContain("corridor.job")
  })

  it("is handed to the receiver of the webhook as the span of the delivery", () => {
    for (const event_type of events) {
      const [delivery] = named("corridor.delivery", { "corridor.event_type": event_type })
      const received = posted.filter(({ event }) => event.event_object_id === id && event.event_type === event_type)
      expect(received.map(({ headers }) => headers["traceparent"])).toEqual([`00-${trace}-${delivery!.spanId}-01`])
    }
  })

  it("takes place within the trace's request and jobs: times are those of the wall clock", () => {
    for (const span of ofOfframp()) {
      const [began, ended] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)]
      expect(ended >= began).toBe(true)
      expect(began >= BigInt(above(span)?.startTimeUnixNano ?? "0")).toBe(true)
    }
  })
})

describe("a commit under a request that names no movement", () => {
  it("names its own", () => {
    const commits = otlp.spans.filter(
      ({ attributes, name, parentSpanId }) =>
        name === "corridor.commit" &&
        String(attributes["corridor.resource_id"]).startsWith("txn_") &&
        otlp.spans.some(
          (span) => span.spanId === parentSpanId && span.attributes["corridor.operation"] === "sandboxDeposit"
        )
    )
    expect(commits).not.toEqual([])
    for (const { attributes } of commits)
      expect(attributes["corridor.movement_id"]).toBe(attributes["corridor.resource_id"])
  })
})

describe("the trace of a request that is refused", () => {
  it("has its status and code, and is no failure of the server", () => {
    const [request] = otlp.spans.filter(({ name, traceId }) => traceId === refusedTrace && name === "corridor.request")
    expect(request).toMatchObject({ parentSpanId: caller, status: { code: 1 } })
    expect(request!.attributes).toMatchObject({
      "http.request.method": "GET",
      "http.route": "/v1/wallets/:id",
      "http.response.status_code": 404,
      "corridor.operation": "getWallet",
      "corridor.error_code": "not_found"
    })
    expect(request!.attributes).not.toHaveProperty("corridor.movement_id")
  })
})

describe("work that is due later", () => {
  covers("TELEMETRY-3")
  it("has a trace of its own, with a link to the span that caused it", () => {
    const jobs = otlp.spans.filter(
      ({ attributes, name, traceId }) =>
        name === "corridor.job" &&
        attributes["corridor.movement_id"] === returned &&
        attributes["corridor.queue"] === "simulated" &&
        traceId !== ""
    )
    const late = jobs.find(({ links }) => links.length > 0)
    expect(late?.parentSpanId).toBeUndefined()
    const cause = otlp.spans.find(({ spanId }) => spanId === late!.links[0]!.spanId)
    expect(cause).toMatchObject({ name: "corridor.provider.submit", traceId: late!.links[0]!.traceId })
    expect(cause!.traceId).not.toBe(late!.traceId)
    const delivered = otlp.spans.filter(
      ({ name, traceId }) => name === "corridor.delivery" && traceId === late!.traceId
    )
    expect(delivered.map(({ attributes }) => attributes["corridor.event_type"])).toContain("offramp.returned")
    // The clock of the sandbox is three days ahead, spans are not.
    expect(Number(BigInt(late!.startTimeUnixNano) / 1_000_000n) - began).toBeLessThan(600_000)
  })
})

describe("an export", () => {
  it("has the name of the service, the version and the configured headers, and metrics and logs beside the spans", () => {
    for (const resource of otlp.resources)
      expect(resource).toMatchObject({ "service.name": "corridor-test", "service.version": version })
    expect(otlp.resources.length).toBeGreaterThan(0)
    expect(otlp.headers.every((headers) => headers["x-tenant"] === "lagos")).toBe(true)
    expect([...otlp.metrics]).toContain("corridor_http_requests_total")
  })
})
