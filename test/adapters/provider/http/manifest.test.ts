/** What a connector serves, when it is there, away, and back. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Scope } from "effect"
import { httpProvider } from "../../../../src/adapters/provider/http.ts"
import { wrapProvider } from "../../../../src/engine/ports/checked-ports.ts"
import { examples } from "../../../../scripts/provider-protocol/examples.ts"
import { eventually, fullManifest, memoryStore, startProvider } from "../../../support/protocol/http-provider.ts"
import { makeScriptedConnector, secret, secretOf } from "../../../support/protocol/scripted-connector.ts"
import { covers } from "../../../support/repository/covers.ts"

const naira = { operation: "payout", currency: "NGN" } as const
const manifestOf = (...offers: ReadonlyArray<object>) => ({ ...fullManifest, offers })
const PINNED = "prov_s1gjba3b2xcz00zx32pdx0ttwm"
/** An address where nobody listens. */
const nobody = "http://127.0.0.1:1"

describe("the manifest of a connector", () => {
  covers("PROTOCOL-6")

  it.live("says what is served, with the members that are stated", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) => answer(examples.manifest.results["manifest"]))
        const provider = yield* startProvider(connector.url)
        assert.deepStrictEqual(provider.manifest.offers as unknown, [
          {
            operation: "payout",
            currency: "NGN",
            country_code: "NG",
            network: "bank",
            minimum: "100",
            maximum: "5000000",
            cost: { fixed: "52.50", share: "0" }
          },
          { operation: "directory", country_code: "NG" }
        ])
      })
    )
  )

  it.live("names services of the protocol that the port has no operation for, and they are left out", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) => answer(fullManifest))
        const { manifest } = yield* startProvider(connector.url)
        assert.deepStrictEqual(
          manifest.offers.map(({ operation }) => operation),
          ["payout", "conversion", "payin", "issue", "directory", "screening", "verification"]
        )
      })
    )
  )

  it.live(
    "says whether there are balances and statements: an absent capability is absent, also once it is withdrawn",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const connector = yield* makeScriptedConnector(({ request, answer }) =>
            answer(request.operation === "manifest" ? manifestOf(naira) : { status: "unsupported" })
          )
          const provider = wrapProvider(yield* startProvider(connector.url, { manifest_interval_ms: 50 }))
          assert.isUndefined(provider.statements)
          connector.script = ({ request, answer }) =>
            answer(request.operation === "manifest" ? fullManifest : { balances: [] })
          yield* eventually(() => provider.statements !== undefined)
          const { balances } = provider.statements!
          assert.deepStrictEqual(yield* balances, [])
          connector.script = ({ answer }) => answer(manifestOf(naira))
          yield* eventually(() => provider.statements === undefined)
          assert.match((yield* Effect.flip(balances)).message, /reports no statements any more/)
          // One that was never read may report them.
          assert.isDefined((yield* startProvider(nobody)).statements)
        })
      )
  )

  it.live("is that of the configuration while the connector was never reached; without one, nothing is served", () =>
    Effect.scoped(
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* startProvider(nobody, { offers: [naira] })).manifest.offers, [naira])
        assert.deepStrictEqual((yield* startProvider(nobody)).manifest.offers, [])
      })
    )
  )

  it.live("is that of the last answer after a restart without the connector, of this provider alone", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const storage = yield* memoryStore
        const connector = yield* makeScriptedConnector(({ answer }) => answer(manifestOf(naira)))
        const first = yield* Scope.make()
        yield* startProvider(connector.url, {}, storage).pipe(Effect.provideService(Scope.Scope, first))
        yield* Scope.close(first, Exit.void)
        const again = yield* startProvider(nobody, { offers: [] }, storage)
        assert.deepStrictEqual(again.manifest.offers, [naira])
        const other = yield* startProvider(nobody, { name: "other" }, storage)
        assert.deepStrictEqual(other.manifest.offers, [])
      })
    )
  )

  it.live.each([
    ["unsigned", { secrets: [secretOf(2)] }],
    ["of the future protocol", { resign: (body: string) => body.replace('"protocol":"1"', '"protocol":"2"') }],
    ["with the status 503", { status: 503 }]
  ] as const)("is not taken from an answer that is %s", ([, options]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) =>
          answer(manifestOf({ operation: "payin" }), options)
        )
        assert.deepStrictEqual((yield* startProvider(connector.url, { offers: [naira] })).manifest.offers, [naira])
      })
    )
  )

  it.live("follows the connector: it is read again after the interval, and soon after a failure", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ response }) => response.writeHead(503).end())
        // As the engine has it, which validates every result.
        const provider = wrapProvider(yield* startProvider(connector.url, { manifest_interval_ms: 50 }))
        assert.deepStrictEqual(provider.manifest.offers, [])
        connector.script = ({ answer }) => answer(manifestOf(naira))
        yield* eventually(() => provider.manifest.offers.length === 1)
        connector.script = ({ answer }) => answer(manifestOf(naira, { operation: "payin" }))
        yield* eventually(() => provider.manifest.offers.length === 2)
        connector.script = ({ incoming }) => incoming.socket.destroy()
        const asked = connector.received.length
        yield* eventually(() => connector.received.length > asked + 1)
        assert.lengthOf(provider.manifest.offers, 2)
      })
    )
  )

  it.live("does not hold up the start: a connector that is silent is waited for a few seconds", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(() => {})
        const began = Date.now()
        const provider = yield* startProvider(connector.url, { offers: [naira] })
        assert.isBelow(Date.now() - began, 20_000)
        assert.deepStrictEqual(provider.manifest.offers, [naira])
      })
    )
  )
})

describe("the banks of a connector", () => {
  covers("PROTOCOL-7")
  const list = [
    { code: "058", name: "GTB", country_code: "NG" },
    { code: "011", name: "First Bank", country_code: "NG" },
    { code: "058", name: "Another", country_code: "GH" },
    { code: "011", name: "First Bank again", country_code: "NG" }
  ]

  it.live(
    "have ids that depend on provider, country and code alone; one that is unreadable does not hide the others",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const connector = yield* makeScriptedConnector(({ request, answer }) =>
            request.operation === "manifest"
              ? answer(fullManifest)
              : answer({ banks: list }, { resign: (body) => body.replace("[", `[{"code":58,"name":"No text"},null,`) })
          )
          const { directory } = yield* startProvider(connector.url)
          const banks = yield* directory!.banks(null)
          assert.deepStrictEqual(
            banks.map(({ code, country_code, name }) => [country_code, code, name]),
            [
              ["NG", "011", "First Bank"],
              ["GH", "058", "Another"],
              ["NG", "058", "GTB"]
            ]
          )
          // An id that is stored in beneficiaries never changes.
          assert.strictEqual(banks[2]!.id, PINNED)
          for (const { id } of banks) assert.match(id, /^prov_[0-9a-hjkmnp-tv-z]{26}$/)
          assert.lengthOf([...new Set(banks.map(({ id }) => id))], 3)
          assert.deepStrictEqual(
            (yield* directory!.banks("GH")).map(({ name }) => name),
            ["Another"]
          )
          const other = yield* startProvider(connector.url, { name: "other" })
          const others = yield* other.directory!.banks(null)
          assert.isFalse(others.some(({ id }) => banks.some((bank) => bank.id === id)))
        })
      )
  )

  it.live("are asked for once by many callers, and stay while the connector is away", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ request, answer }) =>
          answer(request.operation === "manifest" ? fullManifest : { banks: list })
        )
        const { directory } = yield* startProvider(connector.url)
        yield* Effect.all(
          Array.from({ length: 20 }, () => directory!.banks("NG")),
          { concurrency: "unbounded" }
        )
        const asked = () => connector.received.filter(({ operation }) => operation === "banks").length
        assert.strictEqual(asked(), 1)
        connector.script = ({ incoming }) => incoming.socket.destroy()
        assert.lengthOf(yield* directory!.banks("NG"), 2)
      })
    )
  )

  it.live("are those of the last list after a restart without the connector, with the same ids", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const storage = yield* memoryStore
        const connector = yield* makeScriptedConnector(({ request, answer }) =>
          answer(request.operation === "manifest" ? fullManifest : { banks: list })
        )
        const first = yield* startProvider(connector.url, {}, storage)
        const banks = yield* first.directory!.banks(null)
        const again = yield* startProvider(nobody, {}, storage)
        assert.deepStrictEqual(yield* again.directory!.banks(null), banks)
        const other = yield* startProvider(nobody, { name: "other", offers: [{ operation: "directory" }] }, storage)
        assert.strictEqual((yield* Effect.flip(other.directory!.banks(null)))._tag, "ProviderFault")
      })
    )
  )

  it.live("are those of the last list for all who ask, a moment after a connector is asked that does not answer", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const storage = yield* memoryStore
        const connector = yield* makeScriptedConnector(({ request, answer }) =>
          answer(request.operation === "manifest" ? fullManifest : { banks: list })
        )
        const banks = yield* (yield* startProvider(connector.url, {}, storage)).directory!.banks(null)
        connector.script = ({ request, answer }) => {
          if (request.operation === "manifest") answer(fullManifest)
        }
        const { directory } = yield* startProvider(connector.url, {}, storage)
        const asked = () => connector.received.filter(({ operation }) => operation === "banks").length
        const before = asked()
        const [took, found] = yield* Effect.timed(
          Effect.all(
            Array.from({ length: 3 }, () => directory!.banks(null)),
            { concurrency: "unbounded" }
          )
        )
        assert.deepStrictEqual(found, [banks, banks, banks])
        assert.isBelow(Duration.toMillis(took), 5_000)
        assert.deepStrictEqual(yield* directory!.banks(null), banks)
        assert.strictEqual(asked(), before + 1)
      })
    )
  )

  it.live("are none where the connector has no directory, and a fault where they were never read", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const without = yield* makeScriptedConnector(({ answer }) => answer(manifestOf(naira)))
        assert.deepStrictEqual(yield* (yield* startProvider(without.url)).directory!.banks(null), [])
        assert.lengthOf(without.received, 1)
        const away = yield* startProvider(nobody, { offers: [{ operation: "directory" }] })
        assert.strictEqual((yield* Effect.flip(away.directory!.banks(null)))._tag, "ProviderFault")
      })
    )
  )

  it.live("give a payout the code of its bank: the command's own, else that of the list", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ request, answer }) =>
          answer(
            request.operation === "manifest"
              ? fullManifest
              : request.operation === "banks"
                ? { banks: list }
                : { status: "accepted" }
          )
        )
        const { payouts } = yield* startProvider(connector.url)
        const { bank_code: _, ...destination } = examples.payout.input.destination as { bank_code: string }
        const codes: Array<unknown> = []
        for (const given of [
          { ...destination, bank_code: "070", provider_id: "prov_of_another" },
          { ...destination, provider_id: PINNED },
          { ...destination, provider_id: "prov_nobody" },
          { ...destination, provider_id: null }
        ]) {
          yield* payouts!.submit({ id: "off_1.payout", ...examples.payout.input, destination: given } as never)
          const { input } = connector.received.at(-1)!
          codes.push((input as { destination: { bank_code: unknown } }).destination.bank_code)
        }
        assert.deepStrictEqual(codes, ["070", "058", null, null])
      })
    )
  )
})

describe("the options of a connector's provider", () => {
  const valid = { name: "bank", url: "https://bank.example/corridor", secret }
  it.each([
    [{ name: "Bank" }, /name of a provider is "Bank"/],
    [{ name: "" }, /name/],
    [{ name: "../x" }, /name/],
    [{ url: "http://bank.example" }, /provider bank: the url must be https/],
    [{ url: "bank" }, /absolute URL/],
    [{ secret: "whsec_short" }, /provider bank: the secret must be whsec_ followed by base64/],
    [{ secret: [] }, /a secret is required/],
    [{ secret: [secret, "x"] }, /whsec_ followed by base64/],
    [{ timeout_ms: 0 }, /timeout_ms is 0; it takes whole milliseconds/],
    [{ manifest_interval_ms: 1.5 }, /manifest_interval_ms is 1.5/],
    [{ events_interval_ms: Number.NaN }, /events_interval_ms is NaN/]
  ])("that cannot be used are refused at once, in words: %j", (options, message) => {
    assert.throws(() => httpProvider({ ...valid, ...options }), TypeError)
    assert.throws(() => httpProvider({ ...valid, ...options }), message)
  })

  it("that are right make a provider that moves real money", () => {
    assert.deepInclude(httpProvider(valid), { port: "provider", simulated: false })
  })
})
