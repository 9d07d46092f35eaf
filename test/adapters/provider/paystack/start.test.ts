/** The options of Paystack, what the start refuses, and what doctor says. No message contains a key. */
import { Cause, Effect, Exit } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { paystack, type PaystackOptions } from "../../../../src/adapters/provider/paystack.ts"
import { payoutOf, paystackWorld, type PaystackWorld, wordOf } from "../../../support/companies/paystack-world.ts"
import { ngnKey } from "../../../support/companies/fake-paystack.ts"
import { covers } from "../../../support/repository/covers.ts"

const liveKey = "sk_live_eeeeeeeeeeeeeeeeeeee"

const refusal = (options: unknown): string => {
  try {
    paystack(options as PaystackOptions)
    return "nothing"
  } catch (error) {
    assert.instanceOf(error, TypeError)
    return (error as TypeError).message
  }
}

describe("an option that cannot be used", () => {
  covers("COMPANY-11")
  for (const [what, options, says] of [
    ["no key", { keys: {} }, "paystack: keys is empty; it takes the key of at least one currency"],
    [
      "a public key",
      { keys: { NGN: "pk_test_aaaaaaaaaaaaaaaaaaaa" } },
      "paystack: keys.NGN is no secret key of Paystack; it takes sk_test_… or sk_live_…"
    ],
    [
      "a variable that is not set",
      { keys: { NGN: "(PAYSTACK_NGN is not set)" } },
      "paystack: keys.NGN is no secret key of Paystack; it takes sk_test_… or sk_live_…"
    ],
    [
      "one of two keys",
      { keys: { NGN: [ngnKey, "x"] } },
      "paystack: keys.NGN is no secret key of Paystack; it takes sk_test_… or sk_live_…"
    ],
    [
      "another currency",
      { keys: { USD: ngnKey } },
      "paystack: keys.USD is for no currency; it takes NGN, GHS, KES, ZAR"
    ],
    [
      "keys of two modes",
      { keys: { NGN: ngnKey, GHS: liveKey } },
      "paystack: keys has keys of test and of live; it takes keys of one mode"
    ],
    [
      "HTTP",
      { keys: { NGN: ngnKey }, url: "http://api.paystack.co" },
      "paystack: the url must be https, or http to a loopback address; it is http://api.paystack.co"
    ],
    [
      "a short grace",
      { keys: { NGN: ngnKey }, grace_ms: 1000 },
      "paystack: grace_ms is 1000; it takes whole milliseconds, at least 1800000"
    ],
    [
      "no domain",
      { keys: { NGN: ngnKey }, payins: { email_domain: "me" } },
      'paystack: payins.email_domain is "me"; it takes a domain, such as pay.example.com'
    ],
    [
      "a name",
      { keys: { NGN: ngnKey }, name: "Pay Stack" },
      'paystack: name is "Pay Stack"; it takes a lower-case letter and up to 39 letters, digits, - or _'
    ],
    [
      "a misspelt one",
      { keys: { NGN: ngnKey }, timeout: 1 },
      "`timeout` is not an option of paystack. Did you mean `timeout_ms`?"
    ]
  ] as const)
    it(`is refused: ${what}`, () => {
      assert.strictEqual(refusal(options), says)
    })

  it("is none of a key of either mode, which the adapter says", () => {
    assert.strictEqual(paystack({ keys: { NGN: ngnKey } }).environment, "test")
    assert.strictEqual(paystack({ keys: { NGN: liveKey } }).environment, "live")
  })
})

const inWorld = <A>(test: (world: PaystackWorld) => Effect.Effect<A, unknown>) =>
  Effect.scoped(Effect.flatMap(paystackWorld({ keys: { NGN: ngnKey } }), (world) => world.inWorld(test(world))))

const startOf = (world: PaystackWorld) =>
  Effect.map(Effect.exit(world.start()), (exit) =>
    Exit.isSuccess(exit) ? "started" : (Cause.squash(exit.cause) as Error).message
  )

const refused =
  "paystack: keys.NGN is refused by Paystack (401: Invalid key (invalid_Key)): take the secret key of the dashboard, under Settings, API Keys & Webhooks"

describe("a start", () => {
  covers("COMPANY-11")
  it.live("is refused for a key that Paystack refuses", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.fake.integrations.clear()
        assert.strictEqual(yield* startOf(world), refused)
      })
    )
  )

  covers("COMPANY-11")
  it.live("is refused for the key of another country's integration", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.fake.integrations.set(ngnKey, {
          number: 1,
          currency: "KES",
          domain: "test",
          balance: 0n,
          first: "success"
        })
        assert.strictEqual(
          yield* startOf(world),
          "paystack: keys.NGN is the key of an integration that has no balance in NGN, but in KES: one integration is one country"
        )
      })
    )
  )

  for (const mishap of ["html", "error_500", "refused", "silent", "limited_html"] as const)
    it.live(`goes on when Paystack is away (${mishap}), with one line`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          world.fake.mishap = () => mishap
          const { provider } = yield* world.start({ timeout_ms: 1_500 })
          assert.strictEqual(provider.cautions?.length, 1)
          assert.match(provider.cautions![0]!, /^paystack: keys.NGN is not checked, because Paystack does not answer: /)
        })
      )
    )

  covers("COMPANY-7")
  it.live("says that a transfer waits for a code", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const before = yield* world.start()
        assert.deepStrictEqual(before.provider.cautions, [])
        world.fake.integrations.get(ngnKey)!.first = "otp"
        yield* before.provider.payouts!.submit(payoutOf(1))
        const { provider } = yield* world.start()
        assert.match(provider.cautions![0]!, /^paystack: keys.NGN: a transfer waits for a code \(OTP\)\. Switch off/)
        const [found] = yield* provider.check!
        assert.strictEqual(found?.status, "warn")
      })
    )
  )
})

describe("a check", () => {
  covers("COMPANY-11")
  it.live("makes the cheapest read, and says what it found of each key", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* world.start()
        assert.deepStrictEqual(yield* provider.check!, [
          { status: "ok", sentence: "keys.NGN is accepted, and has a balance in NGN" }
        ])
        world.fake.integrations.clear()
        assert.deepStrictEqual(yield* provider.check!, [
          { status: "fail", sentence: refused.replace("paystack: ", "") }
        ])
      })
    )
  )
})

describe("a key", () => {
  covers("COMPANY-11")
  it.live("is in no error and no log, whatever Paystack answers", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* world.start()
        const texts: Array<string> = []
        for (const mishap of [
          "lost",
          "html",
          "done_truncated",
          "redirect",
          "error_500",
          "false_200",
          "limited"
        ] as const) {
          world.fake.mishap = ({ path }) => (path === "/transferrecipient" ? undefined : mishap)
          const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
            provider.payouts!.submit(payoutOf(1)),
            provider.payouts!.lookup(payoutOf(1)),
            provider.directory!.banks(null),
            provider.statements!.balances,
            provider.statements!.lines(null),
            provider.events!.after!(null),
            provider.check!
          ]
          for (const call of calls) texts.push(JSON.stringify(yield* Effect.exit(call)))
        }
        assert.isFalse(texts.some((text) => text.includes(ngnKey) || text.includes(ngnKey.slice(8))))
        assert.isTrue(texts.some((text) => text.includes("Paystack answered")))
        assert.include(["ProviderFault", "settled success"], yield* wordOf(provider.payouts!.lookup(payoutOf(1))))
      })
    )
  )
})
