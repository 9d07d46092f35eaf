/** The options of Circle, what the start refuses, and what doctor says. No message contains the key. */
import { Cause, Effect, Exit } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { circle, type CircleOptions } from "../../../../src/adapters/provider/circle.ts"
import { circleWorld, type CircleWorld, transferOf } from "../../../support/companies/circle-world.ts"
import { circleKey, topicArn } from "../../../support/companies/fake-circle.ts"
import { covers } from "../../../support/repository/covers.ts"

const liveKey = "LIVE_API_KEY:cccccccccccccccc:dddddddddddddddd"
const test = { environment: "test", key: circleKey }

const refusal = (options: unknown): string => {
  try {
    circle(options as CircleOptions)
    return "nothing"
  } catch (error) {
    assert.instanceOf(error, TypeError)
    return (error as TypeError).message
  }
}

describe("an option that cannot be used", () => {
  covers("CIRCLE-10")
  for (const [what, options, says] of [
    ["no key", { environment: "test" }, "circle: key is not set; it takes a string"],
    ["no environment", { key: circleKey }, "circle: environment is not set; it takes test or live"],
    [
      "another environment",
      { ...test, environment: "sandbox" },
      'circle: environment is "sandbox"; it takes test or live'
    ],
    [
      "no key of Circle",
      { ...test, key: "(CIRCLE is not set)" },
      "circle: key is no API key of Circle; it takes PREFIX:ID:SECRET"
    ],
    ["a live key in test", { ...test, key: liveKey }, "circle: key is one of live, and environment is test"],
    ["a sandbox key in live", { ...test, environment: "live" }, "circle: key is one of test, and environment is live"],
    [
      "another network",
      { ...test, networks: ["tron"] },
      'circle: networks has "tron"; it takes base, ethereum, solana'
    ],
    [
      "another country",
      { ...test, bank_countries: ["usa"] },
      'circle: bank_countries has "usa"; it takes countries such as US'
    ],
    [
      "a topic",
      { ...test, notifications: { topic_arn: "arn:aws:sqs:us-east-1:908968368384:x" } },
      'circle: notifications.topic_arn is "arn:aws:sqs:us-east-1:908968368384:x"; it takes the ARN of an SNS topic, arn:aws:sns:REGION:ACCOUNT:NAME'
    ],
    [
      "an address of SNS",
      { ...test, notifications: { topic_arn: topicArn, sns_url: "http://sns.example.com" } },
      "circle: notifications.sns_url: the url must be https, or http to a loopback address; it is http://sns.example.com"
    ],
    [
      "HTTP",
      { ...test, url: "http://api.circle.com" },
      "circle: the url must be https, or http to a loopback address; it is http://api.circle.com"
    ],
    ["a short grace", { ...test, grace_ms: 1 }, "circle: grace_ms is 1; it takes whole milliseconds, at least 1800000"],
    ["a timeout", { ...test, timeout_ms: 0 }, "circle: timeout_ms is 0; it takes whole milliseconds, at least 1"],
    [
      "a name",
      { ...test, name: "Circle Mint" },
      'circle: name is "Circle Mint"; it takes a lower-case letter and up to 39 letters, digits, - or _'
    ],
    ["a misspelt one", { ...test, network: ["base"] }, "`network` is not an option of circle. Did you mean `networks`?"]
  ] as const)
    it(`is refused: ${what}`, () => {
      assert.strictEqual(refusal(options), says)
    })

  it("is none of a key of its environment, nor of a key that does not say which", () => {
    for (const key of [circleKey, "TEST_API_KEY:cccccccccccccccc:dddddddddddddddd", "QVBJX0tFWTphYWFhYWFhYWFh"])
      assert.strictEqual(circle({ environment: "test", key }).environment, "test")
    assert.strictEqual(circle({ environment: "live", key: liveKey }).environment, "live")
  })
})

const inWorld = <A>(run: (world: CircleWorld) => Effect.Effect<A, unknown>) =>
  Effect.scoped(Effect.flatMap(circleWorld(), (world) => world.inWorld(run(world))))

const refused =
  "key is refused by Circle (401: Malformed authorization. Are the credentials properly encoded? (1)): take an API key of the Mint Console, in the environment of the provider"

describe("a start", () => {
  covers("CIRCLE-10")
  it.live("is refused for a key that Circle refuses", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.fake.keys.clear()
        const exit = yield* Effect.exit(world.start())
        assert.strictEqual(
          Exit.isSuccess(exit) ? "" : (Cause.squash(exit.cause) as Error).message,
          `circle: ${refused}`
        )
      })
    )
  )

  covers("CIRCLE-10")
  for (const mishap of ["html", "error_500", "refused", "silent", "limited_html", "forbidden_html"] as const)
    it.live(`goes on when Circle is away (${mishap}), with one line`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          world.fake.mishap = () => mishap
          const { provider } = yield* world.start({ timeout_ms: 400 })
          assert.strictEqual(provider.cautions?.length, 1)
          assert.match(provider.cautions![0]!, /^circle: the key is not checked, because Circle does not answer: /)
        })
      )
    )

  it.live("says which account stands behind the name", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* world.start()
        assert.deepStrictEqual(yield* provider.identity!, { id: "circle/test/1000038499", address: null })
      })
    )
  )
})

describe("a check", () => {
  covers("CIRCLE-10")
  it.live("says of the key that it is accepted or refused, which addresses wait, and that nothing is subscribed", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { fake } = world
        fake.subscriptions.push({ status: "confirmed" })
        const { provider } = yield* world.start()
        assert.deepStrictEqual(yield* provider.check!, [{ status: "ok", sentence: "key is accepted" }])
        assert.deepStrictEqual(provider.cautions, [])
        fake.addRecipient("0x2", "BASE", "pending_verification")
        fake.subscriptions.splice(0, 1, { status: "pending" })
        const [, waiting, unsubscribed] = yield* provider.check!
        assert.match(waiting!.sentence, /^1 recipient addresses are not active: an administrator approves them/)
        assert.match(unsubscribed!.sentence, /^notifications: no subscription is confirmed/)
        fake.keys.clear()
        assert.deepStrictEqual(yield* provider.check!, [{ status: "fail", sentence: refused }])
        assert.isTrue(fake.requests.every(({ method }) => method === "GET"))
      })
    )
  )
})

describe("the key", () => {
  covers("COMPANY-11")
  it.live("is in no error, whatever Circle answers", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* world.start({ timeout_ms: 400 })
        const texts: Array<string> = []
        for (const mishap of [
          "lost",
          "silent",
          "html",
          "done_truncated",
          "redirect",
          "error_500",
          "limited"
        ] as const) {
          world.fake.mishap = () => mishap
          const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
            provider.payouts!.submit(transferOf(1)),
            provider.payouts!.lookup(transferOf(1)),
            provider.directory!.banks(null),
            provider.statements!.balances,
            provider.statements!.lines(null),
            provider.events!.after!(null),
            provider.check!
          ]
          for (const call of calls) texts.push(JSON.stringify(yield* Effect.exit(call)))
          world.pass(5 * 60_000)
        }
        assert.isFalse(texts.some((text) => text.includes("aaaaaaaa") || text.includes("bbbbbbbb")))
        assert.isTrue(texts.some((text) => text.includes("Circle")))
      })
    )
  )
})
