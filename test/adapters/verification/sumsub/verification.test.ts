/** Verifications over a fake Sumsub on a socket: links, look-ups, and what goes wrong on the way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { secretKey, type SumsubMishap } from "../../../support/companies/fake-sumsub.ts"
import { describeLookup, sumsubWorld, verificationOf } from "../../../support/companies/sumsub-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const faultOf = <A>(effect: Effect.Effect<A, { readonly message: string }>) =>
  Effect.match(effect, { onFailure: ({ message }) => message, onSuccess: () => "no fault" })

describe("a verification", () => {
  covers("SUMSUB-1", "SUMSUB-6")
  it.live("is a link of the level of the tier, until its time is over", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start, time } = yield* sumsubWorld({ link_ttl_seconds: 7200 })
      const { provider } = yield* start()
      const command = verificationOf(1, { redirect_url: "https://shop.example/done?a=1&b=ü" })
      const link = yield* inWorld(provider.verification!.start(command))
      assert.deepStrictEqual(link, { hosted_url: fake.links[0]!.url, expires_at: time.now + 7_200_000 })
      assert.deepStrictEqual(fake.links[0]!.body, {
        levelName: "basic-kyc",
        userId: "kyc_1",
        applicantIdentifiers: { email: "ada@example.com" },
        redirect: { successUrl: "https://shop.example/done?a=1&b=ü", rejectUrl: "https://shop.example/done?a=1&b=ü" },
        ttlInSecs: 7200
      })
      const of = (tier: string, type: "individual" | "business") =>
        inWorld(provider.verification!.start(verificationOf(2, { tier }, 1, type)))
      yield* of("tier_2", "individual")
      yield* of("tier_1", "business")
      yield* of("tier_2", "business")
      assert.deepStrictEqual(
        fake.links.map(({ body }) => (body as { levelName: string }).levelName),
        ["basic-kyc", "full-kyc", "basic-kyb", "full kyb & more"]
      )
      assert.isFalse("redirect" in (fake.links[1]!.body as object))
      assert.match(yield* faultOf(of("tier_3", "individual")), /verifies no individual for tier_3/)
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-1")
  it.live("is the same applicant for a second link, and another one for another session", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start } = yield* sumsubWorld()
      const { provider } = yield* start()
      for (const command of [verificationOf(1), verificationOf(1), verificationOf(1, {}, 2), verificationOf(2)])
        yield* inWorld(provider.verification!.start(command))
      assert.deepStrictEqual(
        fake.links.map(({ user }) => user),
        ["kyc_1", "kyc_1", "kyc_1", "kyc_2"]
      )
      fake.review("kyc_1", { answer: "GREEN" })
      assert.strictEqual(yield* inWorld(describeLookup(provider, verificationOf(1, {}, 2))), "approved")
      assert.strictEqual(yield* inWorld(describeLookup(provider, verificationOf(2))), "absent")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-2", "SUMSUB-3")
  it.live("goes from unknown to a verdict, and RETRY is none", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start } = yield* sumsubWorld()
      const { provider } = yield* start()
      const command = verificationOf(1)
      const status = inWorld(describeLookup(provider, command))
      assert.strictEqual(yield* status, "absent")
      yield* inWorld(provider.verification!.start(command))
      assert.strictEqual(yield* status, "absent")
      fake.open("kyc_1")
      assert.strictEqual(yield* status, "opened")
      fake.review("kyc_1", { status: "awaitingService", answer: "GREEN" })
      assert.strictEqual(yield* status, "opened")
      fake.review("kyc_1", { answer: "RED", rejectType: "RETRY", labels: ["FORGERY"] })
      assert.strictEqual(yield* status, "opened")
      fake.review("kyc_1", { answer: "RED", rejectType: "FINAL", labels: ["FORGERY"] })
      assert.strictEqual(yield* status, "rejected document_invalid")
      fake.applicants.get("kyc_1")!.level = "full-kyc"
      assert.match(yield* status, /not at the level of its tier, "basic-kyc"/)
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-2")
  it.live("is asked for at the level at which it began, whatever the options are later", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start } = yield* sumsubWorld()
      const first = yield* start()
      yield* inWorld(first.provider.verification!.start(verificationOf(1)))
      fake.review("kyc_1", { answer: "GREEN" })
      yield* first.end
      const { provider } = yield* start({ levels: { individual: { tier_1: "full-kyc", tier_2: "full-kyc" } } })
      assert.strictEqual(yield* inWorld(describeLookup(provider, verificationOf(1))), "approved")
      assert.match(
        yield* faultOf(inWorld(provider.verification!.start(verificationOf(2, {}, 1, "business")))),
        /verifies no business for tier_1/
      )
    }).pipe(Effect.scoped)
  )

  const mishaps: ReadonlyArray<readonly [SumsubMishap, RegExp]> = [
    ["html", /status 200 with a body that is not its own/],
    ["html_404", /status 404 with a body that is not its own/],
    ["truncated", /not its own/],
    ["redirect", /status 307/],
    ["error_500", /status 500: Internal error/],
    ["limited", /status 429: Too many requests/],
    ["silent", /no answer within 1000 ms/],
    ["lost", /disconnected/],
    ["other", /another applicant/]
  ]
  covers("SUMSUB-2", "SUMSUB-3", "SUMSUB-6")
  it.live.each(mishaps)("decides nothing by a look-up whose answer is %s", ([kind, why]) =>
    Effect.gen(function* () {
      const { fake, inWorld, start, time } = yield* sumsubWorld()
      const { provider } = yield* start()
      const command = verificationOf(1)
      yield* inWorld(provider.verification!.start(command))
      fake.review("kyc_1", { answer: "GREEN" })
      fake.goWrong(kind)
      const word = yield* inWorld(describeLookup(provider, command))
      assert.match(word, /^fault: /)
      assert.match(word, why)
      assert.notInclude(word, secretKey)
      assert.notInclude(word, "sbx:")
      assert.isFalse(fake.requests.some((one) => one.includes("/elsewhere")))
      time.now += 60_000
      assert.strictEqual(yield* inWorld(describeLookup(provider, command)), "approved")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-1")
  it.live.each([...mishaps.filter(([kind]) => kind !== "other"), ["http_link", /./] as const])(
    "makes no link of an answer that is %s, and one of the next",
    ([kind]) =>
      Effect.gen(function* () {
        const { fake, inWorld, start, time } = yield* sumsubWorld()
        const { provider } = yield* start()
        fake.goWrong(kind)
        assert.notStrictEqual(yield* faultOf(inWorld(provider.verification!.start(verificationOf(1)))), "no fault")
        time.now += 60_000
        const { hosted_url } = yield* inWorld(provider.verification!.start(verificationOf(1)))
        assert.strictEqual(hosted_url, fake.links.at(-1)!.url)
        fake.review("kyc_1", { answer: "GREEN" })
        assert.strictEqual(fake.applicants.size, 1)
      }).pipe(Effect.scoped)
  )

  covers("SUMSUB-6")
  it.live("is refused by Sumsub with a wrong key or a wrong clock, and nothing follows from that", () =>
    Effect.gen(function* () {
      const { fake, inWorld, start } = yield* sumsubWorld()
      const { provider } = yield* start()
      yield* inWorld(provider.verification!.start(verificationOf(1)))
      fake.review("kyc_1", { answer: "RED", rejectType: "FINAL" })
      const { now, secret } = fake
      fake.secret = "another-secret-of-the-token"
      assert.match(
        yield* inWorld(describeLookup(provider, verificationOf(1))),
        /status 401: Request signature mismatch/
      )
      fake.secret = secret
      fake.now = () => now() + 3_600_000
      assert.match(yield* inWorld(describeLookup(provider, verificationOf(1))), /status 401/)
      fake.now = now
      assert.strictEqual(yield* inWorld(describeLookup(provider, verificationOf(1))), "rejected declined")
    }).pipe(Effect.scoped)
  )
})

describe("what is kept of a customer", () => {
  const personal = /Ada|Obi|NG|1990/
  const begun = Effect.gen(function* () {
    const world = yield* sumsubWorld()
    const { provider } = yield* world.start()
    yield* world.inWorld(provider.verification!.start(verificationOf(1)))
    return { ...world, provider }
  })

  covers("SUMSUB-10")
  for (const [what, review, says] of [
    ["approves", { answer: "GREEN" }, "approved"],
    ["rejects", { answer: "RED", rejectType: "FINAL" }, "rejected declined"]
  ] as const)
    it.live(`is nothing once Sumsub ${what}`, () =>
      Effect.gen(function* () {
        const { fake, inWorld, keptOf, provider } = yield* begun
        assert.match(yield* keptOf("kyc_1"), personal)
        fake.review("kyc_1", { answer: "RED", rejectType: "RETRY" })
        assert.strictEqual(yield* inWorld(describeLookup(provider, verificationOf(1))), "opened")
        assert.match(yield* keptOf("kyc_1"), personal)
        fake.review("kyc_1", review)
        assert.strictEqual(yield* inWorld(describeLookup(provider, verificationOf(1))), says)
        assert.notMatch(yield* keptOf("kyc_1"), personal)
      }).pipe(Effect.scoped)
    )

  covers("SUMSUB-10")
  it.live("is nothing a month after the latest link, also where nobody started anything for weeks", () =>
    Effect.gen(function* () {
      const { inWorld, keptOf, provider, time } = yield* begun
      const dayMs = 24 * 3_600_000
      const start = (n: number) => inWorld(provider.verification!.start(verificationOf(n)))
      time.now += 10 * dayMs
      yield* start(2)
      time.now += 21 * dayMs
      yield* start(3)
      yield* start(3)
      assert.match(yield* keptOf("kyc_1"), personal)
      time.now += dayMs
      for (let n = 0; n < 4; n++) yield* start(3)
      assert.notMatch(yield* keptOf("kyc_1"), personal)
      assert.match(yield* keptOf("kyc_2"), personal)
      time.now += 60 * dayMs
      for (let n = 0; n < 9; n++) yield* start(4)
      assert.notMatch(yield* keptOf("kyc_2"), personal)
      assert.match(yield* keptOf("kyc_4"), personal)
    }).pipe(Effect.scoped)
  )
})
