/** The options of Bridge, what the start refuses, and what doctor says. No message contains the key. */
import { Cause, Effect, Exit } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { bridge, type BridgeOptions } from "../../../../src/adapters/provider/bridge.ts"
import { bridgeWorld, type BridgeWorld, routingNumber, usdOf } from "../../../support/companies/bridge-world.ts"
import { bridgeKey, customerId, walletId, webhookKey } from "../../../support/companies/fake-bridge.ts"
import { covers } from "../../../support/repository/covers.ts"

const liveKey = "sk-live-ccccccccccccccccdddddddd"
const test = { environment: "test", key: bridgeKey, customer: customerId, wallet: walletId }

const refusal = (options: unknown): string => {
  try {
    bridge(options as BridgeOptions)
    return "nothing"
  } catch (error) {
    assert.instanceOf(error, TypeError)
    return (error as TypeError).message
  }
}

describe("an option that cannot be used", () => {
  covers("BRIDGE-9", "COMPANY-11")
  for (const [what, options, says] of [
    ["no key", { ...test, key: undefined }, "bridge: key is not set; it takes a string"],
    ["no environment", { ...test, environment: undefined }, "bridge: environment is not set; it takes test or live"],
    [
      "no key of Bridge",
      { ...test, key: "(BRIDGE)" },
      "bridge: key is no API key of Bridge; it takes sk-test-… or sk-live-…"
    ],
    ["a live key in test", { ...test, key: liveKey }, "bridge: key is one of live, and environment is test"],
    ["a sandbox key in live", { ...test, environment: "live" }, "bridge: key is one of test, and environment is live"],
    ["a customer", { ...test, customer: "../x" }, 'bridge: customer is "../x"; it takes an id of Bridge\'s'],
    ["a wallet", { ...test, wallet: "" }, 'bridge: wallet is ""; it takes an id of Bridge\'s'],
    ["a currency", { ...test, currencies: ["MXN"] }, 'bridge: currencies has "MXN"; it takes USD and EUR'],
    ["no currency", { ...test, currencies: [] }, 'bridge: currencies has "nothing"; it takes USD and EUR'],
    ["a rail", { ...test, usd_rail: "swift" }, 'bridge: usd_rail is "swift"; it takes ach or wire'],
    [
      "a bank",
      { ...test, us_banks: [{ routing_number: "021000022", name: "A" }] },
      'bridge: us_banks has {"routing_number":"021000022","name":"A"}; it takes { routing_number: "021000021", name: "…" }'
    ],
    [
      "a kind of owner",
      { ...test, account_owner_type: "bank" },
      'bridge: account_owner_type is "bank"; it takes individual or business'
    ],
    ["a public key", { ...test, webhook_keys: ["x"] }, "bridge: webhook_keys has no public key of RSA in PEM"],
    ["a short grace", { ...test, grace_ms: 1 }, "bridge: grace_ms is 1; it takes whole milliseconds, at least 1800000"],
    [
      "HTTP",
      { ...test, url: "http://api.bridge.xyz/v0" },
      "bridge: the url must be https, or http to a loopback address; it is http://api.bridge.xyz"
    ],
    [
      "a name",
      { ...test, name: "Bridge!" },
      'bridge: name is "Bridge!"; it takes a lower-case letter and up to 39 letters, digits, - or _'
    ],
    [
      "a misspelt one",
      { ...test, currency: ["USD"] },
      "`currency` is not an option of bridge. Did you mean `currencies`?"
    ]
  ] as const)
    it(`is refused: ${what}`, () => {
      assert.strictEqual(refusal(options), says)
    })

  it("is none of a whole configuration", () => {
    const us_banks = [{ routing_number: routingNumber, name: "A Bank" }]
    const options = { ...test, us_banks, usd_rail: "wire", account_owner_type: "business", webhook_keys: [webhookKey] }
    assert.strictEqual(refusal(options), "nothing")
    assert.strictEqual(refusal({ ...test, environment: "live", key: liveKey }), "nothing")
  })
})

const inWorld = <A>(run: (world: BridgeWorld) => Effect.Effect<A, unknown>, options = {}) =>
  Effect.scoped(Effect.flatMap(bridgeWorld(options), (world) => world.inWorld(run(world))))

const failure = <A, E>(exit: Exit.Exit<A, E>): string =>
  Exit.isSuccess(exit) ? "" : (Cause.squash(exit.cause) as Error).message

describe("a start", () => {
  covers("BRIDGE-9")
  it.live("is refused for a key that Bridge refuses, and for a wallet that is none of the customer's", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        assert.strictEqual(
          failure(yield* Effect.exit(world.start({ wallet: "bw_other" }))),
          `bridge: wallet is none that the customer ${customerId} has at Bridge (404: Not found. (not_found)): take the ids of both from its dashboard`
        )
        world.fake.keys.clear()
        assert.strictEqual(
          failure(yield* Effect.exit(world.start())),
          "bridge: key is refused by Bridge (401: Missing or invalid API key. (invalid_credentials)): take an API key of its dashboard, in the environment of the provider"
        )
      })
    )
  )

  covers("BRIDGE-9")
  for (const mishap of ["html", "error_500", "refused", "silent", "limited_html", "forbidden_html"] as const)
    it.live(`goes on when Bridge is away (${mishap}), with one line`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          world.fake.mishap = () => mishap
          const { provider } = yield* world.start({ timeout_ms: 400 })
          assert.strictEqual(provider.cautions?.length, 1)
          assert.match(provider.cautions![0]!, /^bridge: the key is not checked, because Bridge does not answer: /)
        })
      )
    )

  covers("BRIDGE-9")
  it.live("says which wallet stands behind the name, and a check what it has", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* world.start()
        assert.deepStrictEqual(yield* provider.identity!, {
          ...{ id: `bridge/test/${customerId}/${walletId}`, address: null }
        })
        assert.deepStrictEqual(yield* provider.check!, [
          { status: "ok", sentence: "key is accepted, and the wallet has 1000000.0 USDC" }
        ])
        world.fake.instead = ({ path }) =>
          path.includes("/wallets/") ? [200, { id: walletId, balances: [] }] : undefined
        assert.deepStrictEqual(yield* provider.check!, [
          { status: "warn", sentence: `the wallet ${walletId} has no USDC: nothing is paid until it is funded` }
        ])
      })
    )
  )

  covers("COMPANY-13")
  it.live("has the banks of the configuration, of whose accounts nobody is told the holder", () =>
    inWorld(
      (world) =>
        Effect.gen(function* () {
          const { provider } = yield* world.start()
          const banks = yield* provider.directory!.banks("US")
          assert.deepStrictEqual(
            banks.map(({ code, name }) => [code, name]),
            [
              ["021000021", "A Bank"],
              ["121000248", "Another"]
            ]
          )
          assert.deepStrictEqual(yield* provider.directory!.banks("DE"), [])
          const query = { country_code: "US", bank: banks[0]!, account_number: "1", account_name: null }
          assert.deepStrictEqual(yield* provider.directory!.resolveAccount(query), { _tag: "unchecked" })
        }),
      {
        us_banks: [
          { routing_number: "121000248", name: "Another" },
          { routing_number: routingNumber, name: "A Bank" }
        ]
      }
    )
  )
})

describe("the key", () => {
  covers("COMPANY-11")
  it.live("is in no error, whatever Bridge answers", () =>
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
          world.fake.mishap = ({ path }) => (path.includes("external_accounts") ? undefined : mishap)
          const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
            provider.payouts!.submit(usdOf(1)),
            provider.payouts!.lookup(usdOf(1)),
            provider.events!.after!(null),
            provider.check!
          ]
          for (const call of calls) texts.push(JSON.stringify(yield* Effect.exit(call)))
          world.pass(5 * 60_000)
        }
        assert.isFalse(texts.some((text) => text.includes("aaaaaaaa") || text.includes("bbbbbbbb")))
        assert.isTrue(texts.some((text) => text.includes("Bridge")))
      })
    )
  )
})
