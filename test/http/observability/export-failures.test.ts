/** What the log says of telemetry that does not arrive. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Console, Effect, Exit, Fiber, Layer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { decodeConfig } from "../../../src/http/config/decode.ts"
import { makeExportClient, makeObservability } from "../../../src/http/observability/layer.ts"
import { covers } from "../../support/repository/covers.ts"
import { until } from "../../support/repository/poll-timeout.ts"

/**
 * The lines of a server that logs twice, and stops: it sends what is buffered. Its console is its own, since what the files
 * before this one left running in the process may log, too.
 */
const linesOf = async (endpoint: string, level = "info"): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const lines: Array<string> = []
  const own: Console.Console = Object.assign(Object.create(console), {
    log: (line: unknown) => void lines.push(String(line))
  })
  const decoded = decodeConfig({
    CORRIDOR_LOG_LEVEL: level,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_EXPORTER: "none",
    OTEL_METRICS_EXPORTER: "none",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20of-the-collector"
  })
  if ("faults" in decoded) throw new Error(decoded.faults.join())
  await Effect.runPromise(
    Effect.provide(
      Effect.andThen(Effect.logWarning("one"), Effect.logWarning("two")),
      makeObservability(decoded.config)
    ).pipe(Effect.provideService(Console.Console, own))
  )
  expect(lines.join("\n")).not.toContain("of-the-collector")
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

const answering = async (status: number) => {
  const server = createServer((_, response) => void response.writeHead(status).end()).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

covers("TELEMETRY-8")
it("names the URL and the status of a collector that refuses, once", async () => {
  const { server, url } = await answering(401)
  const lines = await linesOf(url)
  server.close()
  expect(lines.map(({ level, message, url: of }) => ({ level, message, of }))).toEqual([
    { level: "warn", message: "one", of: undefined },
    { level: "warn", message: "two", of: undefined },
    { level: "warn", message: "telemetry is not exported: HTTP status 401", of: `${url}/v1/logs` }
  ])
})

covers("TELEMETRY-8")
it("names why a collector cannot be reached", async () => {
  const { server, url } = await answering(200)
  await new Promise((resolve) => server.close(resolve))
  expect((await linesOf(url)).map(({ message }) => message)).toEqual([
    "one",
    "two",
    "telemetry is not exported: ECONNREFUSED"
  ])
})

covers("TELEMETRY-8")
it("is quiet where the exports arrive, and above its level", async () => {
  const accepting = await answering(200)
  expect(await linesOf(accepting.url)).toHaveLength(2)
  accepting.server.close()
  const refusing = await answering(500)
  expect(await linesOf(refusing.url, "error")).toEqual([])
  refusing.server.close()
})

covers("TELEMETRY-10")
it.each([
  ["does not answer", () => {}],
  ["does not end its answer", (response: ServerResponse) => void response.writeHead(200).write("{")]
])("gives up a collector that %s, after ten seconds or four exports", async (_, answer) => {
  let asked = 0
  const server = createServer((_request, response) => {
    asked++
    answer(response)
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const request = HttpClientRequest.post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`)
  await Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const exports = yield* Effect.forEach(Array.from({ length: 4 }), () => Effect.forkChild(client.execute(request)))
    yield* Effect.promise(() => until(() => asked === 4))
    const fifth = yield* Effect.exit(client.execute(request))
    expect(Exit.isFailure(fifth)).toBe(true)
    yield* TestClock.adjust("9 seconds")
    for (const one of exports) expect(one.pollUnsafe()).toBe(undefined)
    yield* TestClock.adjust("1 second")
    for (const one of exports) expect(Exit.isFailure(yield* Fiber.await(one))).toBe(true)
    // There is room again.
    yield* Effect.forkChild(client.execute(request))
    yield* Effect.promise(() => until(() => asked === 5))
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.mergeAll(makeExportClient(Layer.empty, "None"), TestClock.layer())),
    Effect.runPromise
  )
  server.close()
  server.closeAllConnections()
})
