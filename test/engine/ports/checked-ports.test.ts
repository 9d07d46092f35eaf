/** Ports whose implementation breaks their shapes: the call is the provider's fault, and nothing of it is kept. */
import { methodsOf, withMethods } from "../../support/engines/provider-methods.ts"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { wrapRates } from "../../../src/engine/ports/asked.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { wrapPricing, wrapProvider } from "../../../src/engine/ports/checked-ports.ts"
import type { Provider } from "../../../src/engine/ports/Provider.ts"
import { type SubmissionResult, type ProviderEvent, type CommandStatus } from "../../../src/engine/ports/Provider.ts"
import { Rates } from "../../../src/engine/ports/Rates.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { onrampsOf, merchantConverting } from "../../support/merchants/ramps.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { booksBalance } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

const capabilities = new Set(["payouts", "payins", "directory", "screening", "verification", "liquidity", "events"])

/** Members of a provider that are no methods, and that this one does not have. */
const others = new Set(["admission", "identity", "check", "formerly", "cautions"])

/** A port, and a provider's capabilities, of which every method is `method`. */
const rude = (method: unknown): any =>
  new Proxy({ name: "rude" } as any, {
    get: (port, name) =>
      others.has(name as string)
        ? undefined
        : (port[name as keyof typeof port] ?? (capabilities.has(name as string) ? rude(method) : method)),
    ownKeys: () => ["name"]
  })

/** Every method of a port, answering with one value whatever it is asked. */
const answering = (value: unknown): any => rude(() => Effect.succeed(value))
const throwing: any = rude(() => {
  throw new Error("a bug")
})

const asked = (port: any, method: string): Effect.Effect<unknown, { readonly _tag: string }> =>
  method.split(".").reduce((part, name) => part[name], port)({}, {})

const amounts = { minimum: "1", maximum: "2" }
const settled = { outcome: "success", reason: null, transaction_hash: null }
const nonsense = [undefined, null, 0, -1, NaN, "", "yes", [], {}, { _tag: "done" }, { _tag: "settled" }]
const decimals = ["0", "0.000", "-1", "NaN", "Infinity", "1e3", "1,5", " 1", "1.", ".5", "+1", 1500, 1n]
const tables = {
  rates: [
    wrapRates,
    {
      rate: { good: ["1492.5", "0.000663349917081", "1"], bad: [...decimals, "1234567890123", "0.12345678901234"] },
      perUsd: { good: ["1500", "0.92"], bad: decimals }
    }
  ],
  pricing: [
    wrapPricing,
    {
      fees: {
        good: [
          { gateway: "0", network: "0" },
          { gateway: "0.005", network: "50" }
        ],
        bad: [
          ...["-0.1", "1", "1.0", "1.5", "NaN", "0.5%", 0.005, undefined].map((gateway) => ({ gateway, network: "0" })),
          ...["-1", "0.5", "NaN", "", 1, 1n, null].map((network) => ({ gateway: "0", network }))
        ]
      },
      outbound: {
        good: [amounts, { minimum: null, maximum: null }, { minimum: "2", maximum: "2" }],
        bad: [
          { minimum: "2", maximum: "1" },
          { minimum: "-1", maximum: null },
          { minimum: 1, maximum: 2 },
          { minimum: null }
        ]
      }
    }
  ],
  provider: [
    wrapProvider,
    {
      ready: { good: [true, false], bad: ["true"] },
      "payouts.submit": {
        good: [{ _tag: "accepted" }, { _tag: "unavailable" }, { _tag: "rejected", reason: "no", refundable: false }],
        bad: [
          { _tag: "rejected" },
          { _tag: "rejected", reason: "no" },
          { _tag: "rejected", reason: 1, refundable: true },
          true
        ]
      },
      "payins.refund": { good: [{ _tag: "accepted" }], bad: [{ _tag: "absent" }, true] },
      "payouts.lookup": {
        good: [{ _tag: "absent" }, { _tag: "pending" }, { _tag: "settled", outcome: settled }],
        bad: [
          { _tag: "settled", outcome: "success" },
          { _tag: "settled", outcome: { ...settled, outcome: "done" } },
          { _tag: "accepted" },
          true
        ]
      },
      "payins.lookupRefund": { good: [{ _tag: "settled", outcome: settled }], bad: [{ _tag: "unknown" }, true] },
      "payins.instruct": {
        good: [{ accountName: "a", accountNumber: "1", bankName: "b", bankCode: "c", depositReference: "r" }],
        bad: [
          { accountName: "a", accountNumber: "1", bankName: "b", bankCode: "c" },
          { accountName: "a", accountNumber: "1", bankName: "b", bankCode: "c", depositReference: "" },
          true
        ]
      },
      "screening.screen": { good: ["cleared", "held", "refused"], bad: [true, "yes"] },
      "liquidity.submit": { good: [{ _tag: "settled", outcome: settled }], bad: [{ _tag: "settled" }] },
      "liquidity.lookup": { good: [{ _tag: "absent" }], bad: [{ _tag: "accepted" }] },
      "payins.issue": {
        good: [
          { _tag: "pending" },
          {
            _tag: "issued",
            issued: { provider_resource_id: "1", target: "a", details: { network: "base", address: "a" } }
          },
          { _tag: "rejected", reason: "no" }
        ],
        bad: [
          { _tag: "issued" },
          { _tag: "issued", issued: { provider_resource_id: "1", target: "a", details: { account_number: "1" } } },
          { _tag: "rejected" },
          true
        ]
      },
      "verification.start": {
        good: [{ hosted_url: "https://verify.example/1", expires_at: 1 }],
        bad: [{ hosted_url: "https://verify.example/1" }, true]
      },
      "verification.lookup": {
        good: [{ _tag: "opened" }, { _tag: "rejected", reason: null }],
        bad: [{ _tag: "rejected" }]
      },
      "events.after": { good: [{ events: [null], cursor: "" }], bad: [{ events: [] }, { cursor: "1" }, true] },
      "directory.resolveAccount": {
        good: [{ _tag: "resolved", account_name: "A" }, { _tag: "unresolved" }],
        bad: [{ _tag: "resolved" }, true]
      },
      "directory.resolveProxy": {
        good: [{ _tag: "no_answer" }, { _tag: "switched_off" }],
        bad: [{ _tag: "resolved" }, true]
      },
      "directory.banks": {
        good: [[{ id: "prov_1", name: "A", code: "1", country_code: "NG" }]],
        bad: [
          [{ id: "prov_1" }],
          ...["gtb", "prov_", "1_prov_1"].map((id) => [{ id, name: "A", code: "1", country_code: "NG" }]),
          true
        ]
      }
    }
  ]
} as const

for (const [port, [check, methods]] of Object.entries(tables)) {
  describe.each(
    Object.entries(methods as Record<string, { good: ReadonlyArray<unknown>; bad: ReadonlyArray<unknown> }>)
  )(`${port}.%s`, (method, { good, bad }) => {
    it("takes what the port says, as it is", async () => {
      for (const value of good)
        assert.deepEqual(await Effect.runPromise(asked((check as any)(answering(value)), method)), value)
    })

    it("fails as the provider's fault for anything else, and for who throws", async () => {
      const isFine = method.endsWith("banks") ? [[]] : []
      const wrong = [
        ...bad,
        ...nonsense.filter((value) => !isFine.some((fine) => JSON.stringify(fine) === JSON.stringify(value)))
      ]
      for (const value of wrong) {
        const fault = await Effect.runPromise(Effect.flip(asked((check as any)(answering(value)), method)))
        assert.strictEqual(fault._tag, "ProviderFault", String(value))
      }
      const fault = await Effect.runPromise(Effect.flip(asked((check as any)(throwing), method)))
      assert.strictEqual(fault._tag, "ProviderFault")
    })
  })
}

describe("in an engine", () => {
  it.each([undefined, null, "accepted", { _tag: "done" }, { _tag: "rejected" }])(
    "a submission answered with %j is unknown, is looked up, and ends as the look-up says",
    async (answer) => {
      const around = (inner: Provider["Service"]) =>
        withMethods(inner, {
          submit: (command) => Effect.as(methodsOf(inner).submit(command), answer as unknown as SubmissionResult)
        })
      await Effect.runPromise(
        Effect.gen(function* () {
          const m = yield* merchantAtWork("100")
          const { id } = yield* m.transfer("10")
          yield* m.settle
          assert.strictEqual((yield* m.rowOf(id)).state, "unknown")
          yield* m.advance(10)
          assert.strictEqual((yield* m.rowOf(id)).state, "submitting")
          yield* m.says(id, "success")
          assert.strictEqual(yield* m.executions(id), 1)
          assert.strictEqual((yield* booksBalance).get("clearing/USDC"), "0")
        }).pipe(Effect.provide(makeSimulatedEngine({ around })))
      )
    }
  )

  it("a look-up answered with nonsense leaves the payout unknown, and it is asked again", async () => {
    let n = 0
    const around = (inner: Provider["Service"]) =>
      withMethods(inner, {
        lookup: (command) =>
          ++n < 3 ? Effect.succeed({ _tag: "settled" } as unknown as CommandStatus) : methodsOf(inner).lookup(command)
      })
    await Effect.runPromise(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        yield* m.behaves("timeout")
        const { id } = yield* m.transfer("10")
        yield* m.advance(60)
        assert.strictEqual((yield* m.rowOf(id)).state, "unknown")
        yield* m.advance(600)
        assert.strictEqual((yield* m.rowOf(id)).state, "submitting")
      }).pipe(Effect.provide(makeSimulatedEngine({ around })))
    )
  })

  it("a rate of zero, or none, quotes nothing and opens nothing; the default fees that rest on it neither", async () => {
    for (const rate of ["0", "NaN", "-3", undefined as unknown as string]) {
      const rates = Layer.succeed(Rates, { rate: () => Effect.succeed("1492.5"), perUsd: () => Effect.succeed(rate) })
      const none = Layer.succeed(Rates, { rate: () => Effect.succeed(rate), perUsd: () => Effect.succeed("1500") })
      for (const market of [rates, none])
        await Effect.runPromise(
          Effect.gen(function* () {
            const m = yield* merchantAtWork("100")
            const refused = yield* Effect.flip(m.quote("10"))
            assert.strictEqual(refused._tag, "ExternalServiceUnavailable")
          }).pipe(Effect.provide(makeSimulatedEngine({ rates: market })))
        )
    }
  })

  it("an onramp whose account the provider leaves out is not made, and its quote stays active", async () => {
    const around = (inner: Provider["Service"]) => withMethods(inner, { instruct: () => Effect.succeed({} as never) })
    await Effect.runPromise(
      Effect.gen(function* () {
        const ramps = yield* onrampsOf(yield* merchantConverting())
        const quote = yield* ramps.price("150000")
        assert.strictEqual((yield* Effect.flip(ramps.collect(quote.id)))._tag, "ExternalServiceUnavailable")
      }).pipe(Effect.provide(makeSimulatedEngine({ around })))
    )
  })

  it("an event that is none moves nothing, is kept once for the operator, and is acknowledged", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const exceptions = yield* Exceptions
        const m = yield* merchantAtWork("100")
        const { id } = yield* m.transfer("10")
        yield* m.settle
        const before = yield* m.rowOf(id)
        const movement = {
          _tag: "movement",
          event_id: "e",
          merchant_id: null,
          resource_id: id,
          outcome: "success",
          reason: null,
          transaction_hash: null
        }
        const payin = {
          _tag: "payin",
          event_id: "p",
          payin_id: "1",
          stage: "confirmed",
          target: "t",
          amount: "1",
          currency: "USDC",
          network: null,
          transaction_hash: null,
          from_address: null,
          sender: { account_number: "0123456789" },
          narration: null,
          observed_at: 0
        }
        const broken: ReadonlyArray<unknown> = [
          undefined,
          "success",
          { ...movement, outcome: "done" },
          { ...movement, outcome: undefined },
          { ...movement, resource_id: 7 },
          { ...movement, _tag: "movements" },
          ...["-1", "0", "NaN", "1e9", 1, "1.0.0"].map((amount) => ({ ...payin, amount })),
          { ...payin, stage: "landed" },
          { ...payin, observed_at: NaN },
          { ...payin, observed_at: 8.64e15 + 1 },
          { ...payin, target: null }
        ]
        for (const event of [...broken, ...broken]) {
          const received = yield* inbox.receive("simulated", event as ProviderEvent)
          assert.notStrictEqual(received, "applied")
        }
        assert.deepEqual(yield* m.rowOf(id), before)
        const { items } = yield* exceptions.list({ per_page: 200 })
        const kept = items.filter(({ reason }) => reason === "unreadable_event")
        assert.strictEqual(kept.length, broken.length)
        assert.notInclude(JSON.stringify(kept), "0123456789")
        assert.strictEqual((yield* booksBalance).get("suspense/USDC") ?? "0", "0")
        // Told as it should be, it is heard.
        yield* inbox.receive("simulated", movement as ProviderEvent)
        assert.strictEqual(yield* m.status(id), "success")
      }).pipe(Effect.provide(makeSimulatedEngine()))
    ))
})
