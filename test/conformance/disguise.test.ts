/** A connector cannot tell the kit from Corridor, and a seed makes the same run again. */
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { cases } from "../../src/conformance/cases.ts"
import * as draw from "../../src/conformance/draw.ts"
import { Wire } from "../../src/conformance/exchange.ts"
import { planCases } from "../../src/conformance/run.ts"
import { makeClient } from "../../src/protocol/client.ts"
import { makeRequest } from "../../src/protocol/messages.ts"
import type { InputOf, Operation } from "../../src/protocol/operations.ts"
import { makeTransport } from "../../src/protocol/transport.ts"
import { Chance } from "../../src/testing/program/random.ts"
import { check } from "../support/connectors/conformance.ts"
import { connectorSecret } from "../support/connectors/launcher.ts"
import { type Recorded, type Recorder, startRecorder } from "../support/connectors/recorder.ts"
import { covers } from "../support/repository/covers.ts"

let recorder: Recorder
beforeEach(async () => {
  recorder = await startRecorder(connectorSecret)
})
afterEach(() => recorder.close())

const terms = {
  offer: { operation: "payout", currency: "NGN", destination_currency: null, country_code: "NG", network: "bank" },
  currency: "NGN",
  range: { decimals: 2, least: 10n ** 19n, most: 10n ** 21n, offered: { least: null, most: null } },
  destinations: [{ type: "fiat", country_code: "NG", network: "bank", account_number: "0690000031" }]
} as unknown as Parameters<typeof draw.drawPayout>[1]

const command = draw.drawPayout(new Chance("a"), terms)
const asked: ReadonlyArray<readonly [Operation, string | null, object]> = [
  ["payout", command.id, command.members],
  ["payout_status", command.id, {}],
  ["manifest", null, {}],
  ["statements", null, { after: "7" }]
]

/** What a connector sees of a request, without what is new in each. */
const shape = ({ body, headers, method, path }: Recorded) => ({
  method,
  path,
  body,
  headers: headers.map(([name, value]) => [name, name.startsWith("webhook-") ? value.replace(/[\w+/=]+$/, "…") : value])
})

describe("a request of the kit", () => {
  covers("CONFORMANCE-2")
  it("has the headers of Corridor's, in their order, also where its connection is cut", async () => {
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const client = makeClient({
            url: recorder.url,
            secrets: [connectorSecret],
            transport: yield* makeTransport(),
            now: Effect.sync(() => Date.now()),
            request_id: Effect.succeed("req_1")
          })
          for (const [operation, id, input] of asked)
            yield* Effect.ignore(client.call(operation, id, input as InputOf<Operation>))
        })
      )
    )
    const corridor = recorder.requests.map(shape)
    const wire = new Wire({
      url: new URL(recorder.url),
      secret: connectorSecret,
      timeout_ms: 5000,
      max_calls: 100,
      deadline: Date.now() + 60_000
    })
    const made = () =>
      asked.map(([operation, id, input]) =>
        makeRequest(operation, id, input as InputOf<Operation>, "req_1", {
          secrets: [connectorSecret],
          now_ms: Date.now()
        })
      )
    try {
      for (const request of made()) await wire.send(request)
      for (const request of made().slice(0, 1)) await wire.cut(request, 1, 50)
      await wire.slowly(made()[0]!, 50)
    } finally {
      await wire.close()
    }
    const kit = recorder.requests.slice(asked.length).map(shape)
    expect(kit.slice(0, asked.length)).toEqual(corridor)
    expect(kit[asked.length]).toEqual(corridor[0])
    expect(kit[asked.length + 1]).toEqual(corridor[0])
    expect(kit).toHaveLength(asked.length + 2)
  })

  it("has ids of Corridor's forms, and nothing that names the kit", async () => {
    await check([
      "--url",
      recorder.url,
      "--secret",
      connectorSecret,
      "--only",
      "payouts,conversions",
      "--settle-within",
      "1",
      "--json"
    ])
    const ulid = "[0-9a-hjkmnp-tv-z]{26}"
    const paths = recorder.requests.map(({ path }) => path).filter((path) => /^\/(?:payouts|conversions)\//.test(path))
    expect(paths.length).toBeGreaterThan(10)
    const wrong = paths.filter((path) => !new RegExp(`^/\\w+/(?:tfr|ofr|con|onr)_${ulid}\\.payout`).test(path))
    expect(wrong).toEqual([])
    const text = JSON.stringify(recorder.requests)
    expect(text).not.toMatch(/conformance|check-provider|undici|\bkit\b|user-agent/i)
    const ids = recorder.requests.map(({ headers }) => headers.find(([name]) => name === "webhook-id")?.[1] ?? "")
    expect(ids.filter((id) => !new RegExp(`^req_${ulid}$`).test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe("a seed", () => {
  covers("CONFORMANCE-3")
  const order = (seed: string) => planCases(cases, [], seed).map(({ id }) => id)

  it("gives the cases one order, which is another for another seed", () => {
    expect(order("one")).toEqual(order("one"))
    expect(order("one")).not.toEqual(order("two"))
    expect(order("one").toSorted()).toEqual(cases.map(({ id }) => id).toSorted())
  })

  it("gives each case its requests again, under other ids: the connector may remember those of the first run", async () => {
    const args = ["--url", recorder.url, "--secret", connectorSecret, "--settle-within", "1", "--json", "--seed"]
    /** What was sent, without times and what is signed with them. How often something is looked up depends on the machine. */
    const sent = async (seed: string) => {
      const before = recorder.requests.length
      await check([...args, seed])
      const texts = recorder.requests.slice(before).map(({ body, method, path }) =>
        `${method} ${path} ${body}`
          .replace(/([a-z]+_)[0-9a-z]{10}([0-9a-z]{16})/g, "$1$2")
          .replace(/("statement_reference":")[0-9A-Z]{10}/g, "$1")
          .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "")
      )
      return [...new Set(texts)].toSorted()
    }
    const first = await sent("one")
    const ids = new Set(recorder.requests.map(({ path }) => path).filter((path) => path.includes("_")))
    const count = recorder.requests.length
    expect(first.length).toBeGreaterThan(60)
    expect(await sent("one")).toEqual(first)
    expect(recorder.requests.slice(count).filter(({ path }) => ids.has(path))).toEqual([])
    expect(await sent("two")).not.toEqual(first)
  })
})
