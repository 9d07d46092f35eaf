/** Screenings over a fake Watchman on a socket: what clears, what holds, and what goes wrong on the way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { WatchmanMishap } from "../../../support/companies/fake-watchman.ts"
import {
  bankAccount,
  hours,
  onChain,
  describeScreening,
  screeningOf,
  watchmanWorld
} from "../../../support/companies/watchman-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const listedAddress = "0x7f367cc41522ce07553e823bf3be79a889debe1b"
const otherAddress = "0x1111111111111111111111111111111111111111"

describe("a screening", () => {
  covers("WATCHMAN-3")
  it.live.each([
    ["clears whom no list has", "Ada Obi", bankAccount(), "cleared"],
    ["refuses a person that a list has", "viktor BLACK", bankAccount(), "refused"],
    ["refuses a business that a list has", "Northern Cargo Trading House", bankAccount(), "refused"],
    ["refuses an organization that a list has", "Red Harbour Front", bankAccount(), "refused"],
    ["holds whom a list may have", "Ivan Petrovich Sidorov Gray White Stone Hill", bankAccount(), "held"],
    ["refuses the holder of an account that a list has", "Ada Obi", bankAccount("Viktor Black"), "refused"],
    ["clears a holder that no list has", "Ada Obi", bankAccount("ADA OBI"), "cleared"],
    ["refuses a listed address", "Ada Obi", onChain(listedAddress), "refused"],
    [
      "refuses an address that a list has of another network",
      "Ada Obi",
      onChain("1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "solana"),
      "refused"
    ],
    ["clears another address", "Ada Obi", onChain(otherAddress), "cleared"],
    ["searches for the name of whom an address is of", "Viktor Black", onChain(otherAddress), "refused"],
    ["holds a name of another script", "Виктор Черный", bankAccount(), "held"],
    ["refuses a listed name in full-width letters", "Ｖｉｋｔｏｒ Ｂｌａｃｋ", bankAccount(), "refused"],
    ["refuses a listed name with invisible characters", "Vik\u200Btor Bla\u00ADck", bankAccount(), "refused"],
    ["refuses a listed name with letters of its own", "Viktør Błack", bankAccount(), "refused"],
    ["holds a name in small capitals", "ᴠɪᴋᴛᴏʀ ʙʟᴀᴄᴋ", bankAccount(), "held"],
    ["holds a name in full-width letters that no list has", "Ａｄａ Ｏｂｉ", bankAccount(), "held"],
    ["holds a holder with invisible characters that no list has", "Ada Obi", bankAccount("Ada\u200B Obi"), "held"],
    ["holds a name of which nothing is seen", "\u200B\u200B", bankAccount(), "held"]
  ] as const)("%s", ([_, name, destination, result]) =>
    Effect.gen(function* () {
      const { inWorld, start } = yield* watchmanWorld()
      const { provider } = yield* start()
      assert.strictEqual(yield* inWorld(describeScreening(provider, screeningOf(1, name, destination))), result)
    }).pipe(Effect.scoped)
  )

  covers("WATCHMAN-3", "WATCHMAN-4")
  it.live("holds a strong match where that is chosen, and takes names of all scripts where Watchman does", () =>
    Effect.gen(function* () {
      const { inWorld, start } = yield* watchmanWorld({ on_strong_match: "held", cross_script: true })
      const { provider } = yield* start()
      assert.strictEqual(yield* inWorld(describeScreening(provider, screeningOf(1, "Viktor Black"))), "held")
      assert.strictEqual(
        yield* inWorld(describeScreening(provider, screeningOf(2, "Ada Obi", onChain(listedAddress)))),
        "refused"
      )
      assert.strictEqual(yield* inWorld(describeScreening(provider, screeningOf(3, "Виктор Черный"))), "cleared")
    }).pipe(Effect.scoped)
  )

  const mishaps: ReadonlyArray<readonly [WatchmanMishap, RegExp]> = [
    ["html", /status 200 with a body that is not its own/],
    ["truncated", /status 200 with a body that is not its own/],
    ["redirect", /status 302/],
    ["error_500", /status 500/],
    ["error_json", /status 400: v2 search: context canceled/],
    ["limited", /status 429: too many|limit of requests/],
    ["silent", /no answer within 300 ms/],
    ["reset", /disconnected/],
    ["empty_object", /not its own/],
    ["stripped", /another search/],
    ["other", /another search/]
  ]
  covers("WATCHMAN-1")
  it.live.each(mishaps)("clears nobody by an answer to a search that is %s", ([kind, why]) =>
    Effect.gen(function* () {
      const { fake, inWorld, start, time } = yield* watchmanWorld(kind === "silent" ? { timeout_ms: 300 } : {})
      const { provider } = yield* start()
      fake.goWrong(kind)
      assert.match(yield* inWorld(describeScreening(provider, screeningOf(1, "Ada Obi"))), why)
      assert.notInclude(fake.requests, "/elsewhere")
      time.now += 60_000
      assert.strictEqual(yield* inWorld(describeScreening(provider, screeningOf(1, "Ada Obi"))), "cleared")
    }).pipe(Effect.scoped)
  )

  covers("WATCHMAN-1", "WATCHMAN-2")
  it.live.each(mishaps.filter(([kind]) => kind !== "stripped" && kind !== "other"))(
    "clears nobody by lists whose answer is %s, before the search or after it",
    ([kind]) =>
      Effect.gen(function* () {
        const { fake, inWorld, start, time } = yield* watchmanWorld(kind === "silent" ? { timeout_ms: 300 } : {})
        const { provider } = yield* start()
        for (const passed of [0, 1]) {
          let left = passed
          fake.before = (path) => {
            if (path === "/v2/listinfo" && left-- === 0) fake.goWrong(kind, /listinfo/)
          }
          assert.match(
            yield* inWorld(describeScreening(provider, screeningOf(1, "Ada Obi"))),
            /^fault: watchman does not screen/
          )
          time.now += 60_000
        }
      }).pipe(Effect.scoped)
  )

  covers("WATCHMAN-1")
  it.live("clears nobody while Watchman is away, and says so without a name in it", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start } = yield* watchmanWorld()
      const { provider } = yield* start()
      yield* Effect.promise(() => fake.stop())
      const word = yield* inWorld(describeScreening(provider, screeningOf(1, "Ada Obi")))
      assert.match(word, /^fault: watchman does not screen scr_1: GET \/v2\/listinfo/)
      assert.notMatch(word, /Ada|Obi/)
      yield* Effect.promise(() => fake.start())
    }).pipe(Effect.scoped)
  )

  covers("WATCHMAN-2")
  it.live("clears nobody by lists that are old, empty or loading, and says which", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start, time } = yield* watchmanWorld({ lists: ["us_ofac", "un_csl"] })
      const { provider } = yield* start()
      const screen = inWorld(describeScreening(provider, screeningOf(1, "Ada Obi")))
      assert.match(yield* screen, /no entries of un_csl/)
      fake.lists.push("un_csl")
      assert.match(yield* screen, /no entries of un_csl/)
      fake.listed.push({ list: "un_csl", id: "9", type: "person", name: "Some Name" })
      assert.strictEqual(yield* screen, "cleared")
      time.now += hours(49)
      assert.match(yield* screen, /its lists are old: they were refreshed 49 hours ago/)
      fake.refresh()
      assert.strictEqual(yield* screen, "cleared")
      fake.isLoading = true
      assert.match(yield* screen, /no entries of us_ofac, un_csl/)
    }).pipe(Effect.scoped)
  )

  covers("WATCHMAN-2")
  it.live("does not believe an index that was empty between two looks at its lists", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start } = yield* watchmanWorld()
      const { provider } = yield* start()
      // It restarts before the first search, and has its lists again before the second look.
      let restarts = 1
      fake.before = (path) => {
        if (path === "/v2/search" && restarts > 0) {
          restarts = 0
          fake.isLoading = true
        } else if (path === "/v2/listinfo" && fake.isLoading) {
          fake.isLoading = false
          fake.generation++
        }
      }
      assert.strictEqual(yield* inWorld(describeScreening(provider, screeningOf(1, "Viktor Black"))), "refused")
      // It does so at each search.
      fake.before = (path) => {
        fake.isLoading = path === "/v2/search"
        if (path === "/v2/listinfo") fake.generation++
      }
      assert.match(yield* inWorld(describeScreening(provider, screeningOf(2, "Viktor Black"))), /changed twice/)
    }).pipe(Effect.scoped)
  )

  covers("WATCHMAN-1")
  it.live("asks for each type by name, and only what its document has", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start } = yield* watchmanWorld()
      const { provider } = yield* start()
      fake.requests.length = 0
      yield* inWorld(describeScreening(provider, screeningOf(1, "Ada & Söhne", onChain(otherAddress))))
      const searches = fake.requests
        .map((one) => new URL(one, fake.url))
        .filter(({ pathname }) => pathname === "/v2/search")
      assert.deepStrictEqual(
        searches.map(({ searchParams }) => [searchParams.get("type"), searchParams.get("name")]).toSorted(),
        [
          ["business", "Ada & Söhne"],
          ["organization", "Ada & Söhne"],
          ["person", "Ada & Söhne"],
          [null, null]
        ].toSorted()
      )
      const [address] = searches.filter(({ searchParams }) => searchParams.has("cryptoAddress"))
      assert.includeMembers(address!.searchParams.getAll("cryptoAddress"), [`:${otherAddress}`, `ETH:${otherAddress}`])
      assert.isTrue(searches.every(({ searchParams }) => searchParams.get("minMatch") === "0.85"))
    }).pipe(Effect.scoped)
  )
})
