/** What `corridor listen` and `corridor events tail` follow: which events, in which order, up to where, and from where on. */
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { CommandFailure, runFailure } from "../../src/cli/failure.ts"
import { Process } from "../../src/cli/process.ts"
import type { ServerApi } from "../../src/cli/server/api.ts"
import { type FeedEvent, type Follow, followEvents } from "../../src/cli/server/feed.ts"

const eventOf = (n: number, event_type: string): FeedEvent => ({
  event_id: `evt_${n}`,
  event_type,
  event_object_id: `tfr_${n}`,
  event_object_status: "success",
  event_created_at: "2026-01-31T09:30:00.000Z"
})

const eventsOf = (types: ReadonlyArray<string>): ReadonlyArray<FeedEvent> =>
  types.map((type, at) => eventOf(at + 1, type))

/** A server with these events. `failures`: the requests, counted from 0, that do not reach it. */
const serving = (events: ReadonlyArray<FeedEvent>, failures: ReadonlySet<number> = new Set()) => {
  const asked: Array<string | null> = []
  const api = {
    url: "http://corridor.test",
    credential: "merchant",
    secret: "sk_test_x",
    ask: (_method: string, path: string) =>
      Effect.suspend(() => {
        const { pathname, searchParams } = new URL(path, "http://corridor.test")
        if (!pathname.endsWith("/feed")) return Effect.succeed({ data: events.slice(-1), meta: {} })
        const after = searchParams.get("after")
        asked.push(after)
        if (failures.has(asked.length - 1)) return Effect.fail(runFailure("http://corridor.test cannot be reached"))
        const from = after === null ? 0 : events.findIndex(({ event_id }) => event_id === after) + 1
        return Effect.succeed({ data: events.slice(from, from + Number(searchParams.get("limit"))), meta: {} })
      })
  } as unknown as ServerApi
  return { api, asked }
}

const nothing: Follow = { events: Option.none(), fromStart: true, after: Option.none(), count: Option.none() }

/** Follows with a time that is moved on, and returns the ids that were used, the result and what was complained about. */
const followed = (api: ServerApi, given: Partial<Follow>, seconds = 30) => {
  const used: Array<string> = []
  const complaints: Array<string> = []
  const process = {
    env: {},
    directory: "/",
    say: () => {},
    complain: (line: string) => void complaints.push(line),
    readInput: Effect.succeed(""),
    status: undefined,
    colors: false,
    columns: 100,
    stopped: () => Effect.sleep(`${seconds} seconds`)
  }
  const following = followEvents(api, { ...nothing, ...given }, ({ event_id }) =>
    Effect.sync(() => void used.push(event_id))
  ).pipe(Effect.provideService(Process, process))
  return Effect.runPromise(
    Effect.gen(function* () {
      const last = yield* Effect.raceFirst(
        following,
        Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("100 millis")))
      )
      return { used, complaints, last }
    }).pipe(Effect.provide(TestClock.layer()))
  )
}

describe("a feed that is followed", () => {
  it("goes on behind pages of unwanted events", async () => {
    const types = [...Array.from({ length: 250 }, () => "deposit.confirmed"), "transfer.success", "deposit.confirmed"]
    const { api, asked } = serving(eventsOf(types))
    const { used, last } = await followed(api, { events: Option.some("transfer"), count: Option.some(1) })
    expect([used, last]).toEqual([["evt_251"], "evt_251"])
    expect(asked).toEqual([null, "evt_100", "evt_200"])
  })

  it("returns the last event that it read, wanted or not, so that a later run does not read it again", async () => {
    const { api } = serving(eventsOf(["transfer.success", "deposit.confirmed"]))
    const { used, last } = await followed(api, { events: Option.some("transfer") })
    expect([used, last]).toEqual([["evt_1"], "evt_2"])
  })

  it.each([
    ["offramp", ["evt_2", "evt_3"]],
    ["offramp.success", ["evt_3"]],
    ["offramp, transfer.success", ["evt_1", "evt_2", "evt_3"]],
    ["offramp.created,kyc", ["evt_2", "evt_4"]],
    ["off", []]
  ])("takes %s for types and whole categories", async (events, expected) => {
    const { api } = serving(eventsOf(["transfer.success", "offramp.created", "offramp.success", "kyc.approved"]))
    expect((await followed(api, { events: Option.some(events) })).used).toEqual(expected)
  })

  it("ends after exactly as many wanted events as it was asked for", async () => {
    const { api } = serving(eventsOf(["a.b", "x.y", "a.b", "a.b"]))
    const { used, last } = await followed(api, { events: Option.some("a"), count: Option.some(2) })
    expect([used, last]).toEqual([["evt_1", "evt_3"], "evt_3"])
  })

  it("begins with the next event, after a given one, or with the first", async () => {
    const { api } = serving(eventsOf(["a.b", "a.b", "a.b"]))
    expect((await followed(api, { fromStart: false })).used).toEqual([])
    expect((await followed(api, { fromStart: false, after: Option.some("evt_2") })).used).toEqual(["evt_3"])
    expect((await followed(api, {})).used).toEqual(["evt_1", "evt_2", "evt_3"])
    const failure = await followed(api, { after: Option.some("evt_2") }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(CommandFailure)
    expect((failure as CommandFailure).exit).toBe(2)
  })

  it("complains once that the server is away, once that it is back, and reads on", async () => {
    const { api } = serving(eventsOf(["a.b"]), new Set([1, 2, 3]))
    const { used, complaints } = await followed(api, {})
    expect(used).toEqual(["evt_1"])
    expect(complaints).toEqual(["http://corridor.test cannot be reached; trying again", "http://corridor.test is back"])
  })
})
