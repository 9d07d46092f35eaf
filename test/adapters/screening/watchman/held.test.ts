/** What becomes of a screening that is held: other lists, the desk, and processes that end meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Provider } from "../../../../src/engine/ports/Provider.ts"
import { signatureOf } from "../../../support/companies/desk.ts"
import { describeScreening, screeningOf, watchmanWorld } from "../../../support/companies/watchman-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
const other = "whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWY="

/** Its name is near one of a list. */
const near = screeningOf(1, "Ivan Petrovich Sidorov Gray White Stone Hill")

const read = (provider: Provider["Service"], cursor: string | null) => provider.events!.after!(cursor)

describe("a screening that is held", () => {
  covers("WATCHMAN-5")
  it.live("is searched for again when the lists change, and told once, also by another process", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start, storage } = yield* watchmanWorld()
      const first = yield* start()
      assert.strictEqual(yield* inWorld(describeScreening(first.provider, near)), "held")
      assert.strictEqual(yield* inWorld(describeScreening(first.provider, near)), "held")
      const before = fake.requests.length
      const unchanged = yield* inWorld(read(first.provider, null))
      assert.deepStrictEqual(unchanged, { events: [], cursor: "0", fault: undefined })
      assert.strictEqual(fake.requests.length, before + 1)
      yield* first.end

      fake.listed = fake.listed.filter(({ id }) => id !== "4")
      fake.refresh()
      fake.generation++
      const { provider } = yield* start()
      const changed = yield* inWorld(read(provider, "0"))
      assert.deepStrictEqual(changed.events, [
        {
          ...{ _tag: "screened", event_id: "scr_1/0", merchant_id: "mer_1", resource_id: "ben_1" },
          ...{ screening_id: "scr_1", cleared: true }
        }
      ])
      assert.deepStrictEqual(yield* inWorld(read(provider, "0")), changed)
      assert.deepStrictEqual((yield* inWorld(read(provider, changed.cursor))).events, [])
      assert.strictEqual(yield* inWorld(describeScreening(provider, near)), "cleared")
      const kept = yield* storage.find("watchman_held", "watchman/scr_1")
      assert.notInclude(JSON.stringify(kept), "Sidorov")
    }).pipe(Effect.scoped)
  )

  covers("WATCHMAN-5")
  it.live("is refused by lists that have it now, and stays held by lists that still may", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start } = yield* watchmanWorld()
      const { provider } = yield* start()
      yield* inWorld(describeScreening(provider, near))
      fake.generation++
      assert.deepStrictEqual((yield* inWorld(read(provider, null))).events, [])
      const before = fake.requests.length
      yield* inWorld(read(provider, null))
      assert.strictEqual(fake.requests.length, before + 1, "the same lists are not searched again")
      fake.listed.push({ list: "us_ofac", id: "8", type: "person", name: near.name })
      fake.generation++
      const { events } = yield* inWorld(read(provider, null))
      assert.deepStrictEqual(
        events.map((event) => "cleared" in event && event.cleared),
        [false]
      )
    }).pipe(Effect.scoped)
  )

  covers("WATCHMAN-2", "WATCHMAN-5")
  it.live("stays held while the lists clear nobody, and the reading says why", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start } = yield* watchmanWorld()
      const { provider } = yield* start()
      yield* inWorld(describeScreening(provider, near))
      fake.isLoading = true
      const { events, fault } = yield* inWorld(read(provider, null))
      assert.deepStrictEqual(events, [])
      assert.match(fault ?? "", /^watchman clears nobody: it has no entries of us_ofac/)
      fake.isLoading = false
      fake.generation++
      fake.listed = fake.listed.filter(({ id }) => id !== "4")
      fake.goWrong("html")
      const wrong = yield* inWorld(read(provider, null))
      assert.deepStrictEqual(wrong.events, [])
      assert.match(wrong.fault ?? "", /watchman does not screen scr_1/)
      assert.strictEqual((yield* inWorld(read(provider, null))).events.length, 1)
    }).pipe(Effect.scoped)
  )
})

describe("many screenings that are held", () => {
  covers("WATCHMAN-5")
  it.live("have their turn, also behind as many as one reading searches for and that cannot be searched for", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start } = yield* watchmanWorld()
      const { provider } = yield* start()
      assert.strictEqual(yield* inWorld(describeScreening(provider, near)), "held")
      for (let n = 2; n <= 21; n++) {
        const name = `Bad${n} Petrovich Sidorov Gray White Stone Hill Lake`
        assert.strictEqual(yield* inWorld(describeScreening(provider, screeningOf(n, name))), "held")
      }
      fake.listed = fake.listed.filter(({ id }) => id !== "4")
      fake.generation++
      fake.goWrong("html", /name=Bad/, Number.POSITIVE_INFINITY)
      const first = yield* inWorld(read(provider, null))
      const second = yield* inWorld(read(provider, first.cursor))
      assert.deepStrictEqual(
        [...first.events, ...second.events].map((event) => "event_id" in event && event.event_id),
        ["scr_1/0"]
      )
      assert.match(second.fault ?? "", /does not screen scr_/)
    }).pipe(Effect.scoped)
  )
})

describe("the desk", () => {
  const decision = (over: object = {}) =>
    JSON.stringify({
      ...{ operation: "event", id: "desk_1", type: "screened", merchant_id: "mer_1", resource_id: "ben_1" },
      ...{ screening_id: "scr_1", cleared: true, ...over }
    })

  covers("WATCHMAN-5")
  it.live("decides once on what is held, by the new secret or the old one", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start, time } = yield* watchmanWorld({ desk_secret: [secret, other] })
      const { provider } = yield* start()
      yield* inWorld(describeScreening(provider, near))
      const body = decision()
      const sent = (key: string) => inWorld(provider.events!.decode!(signatureOf(key, body, time.now), body))
      const event = yield* sent(secret)
      assert.deepStrictEqual(event, {
        ...{ _tag: "screened", event_id: "desk_1", merchant_id: "mer_1", resource_id: "ben_1" },
        ...{ screening_id: "scr_1", cleared: true }
      })
      assert.deepStrictEqual(yield* sent(other), event)
      // Lists that would refuse it are not asked any more.
      fake.listed.push({ list: "us_ofac", id: "8", type: "person", name: near.name })
      fake.generation++
      assert.deepStrictEqual((yield* inWorld(read(provider, null))).events, [])
    }).pipe(Effect.scoped)
  )

  covers("WATCHMAN-5")
  it.live.each([
    ["another secret", "whsec_enp6enp6enp6enp6enp6enp6enp6enp6enp6enp6eno=", 0],
    ["a signature of an hour ago", secret, -3_600_000]
  ] as const)("is not believed with %s", ([_, key, ago]) =>
    Effect.gen(function* () {
      const { inWorld, start, time } = yield* watchmanWorld({ desk_secret: secret })
      const { provider } = yield* start()
      const body = decision()
      const headers = signatureOf(key, body, time.now + ago)
      assert.isUndefined(yield* inWorld(provider.events!.decode!(headers, body)))
    }).pipe(Effect.scoped)
  )

  covers("WATCHMAN-5")
  it.live("sends nothing else", () =>
    Effect.gen(function* () {
      const { inWorld, start, time } = yield* watchmanWorld({ desk_secret: secret })
      const { provider } = yield* start()
      const decodedTag = (body: string) =>
        inWorld(provider.events!.decode!(signatureOf(secret, body, time.now), body)).pipe(
          Effect.map((event) => event?._tag)
        )
      assert.strictEqual(yield* decodedTag(decision({ cleared: "yes" })), "unreadable")
      const verification = { type: "verification", screening_id: undefined, cleared: undefined, outcome: "approved" }
      assert.strictEqual(yield* decodedTag(decision(verification)), "unreadable")
      assert.strictEqual(yield* decodedTag("not JSON"), "unreadable")
      assert.isUndefined((yield* start({ desk_secret: undefined as never })).provider.events!.decode)
    }).pipe(Effect.scoped)
  )
})
