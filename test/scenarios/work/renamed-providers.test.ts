/** A connector that gets another name: what the store has of it is found under both, and nothing is credited again. */
import type { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { assert, describe, it } from "vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { AesGcmCipher } from "../../../src/adapters/cipher/aes-gcm.ts"
import { SimulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import * as MovableClock from "../../../src/adapters/clock/movable.ts"
import { Corridor } from "../../../src/embedded/Corridor.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { Provider, Providers } from "../../../src/engine/ports/Provider.ts"
import type { ProviderIdentity } from "../../../src/engine/ports/provider-registry.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { receiveToldEvent } from "../../../src/engine/work/providers/provider-inputs.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { ProviderReports } from "../../../src/engine/reports/providers.ts"
import { Brakes } from "../../../src/engine/resources/movements/brake.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { makeScriptedProvider } from "../../support/engines/scripted-provider.ts"
import { payinEvent } from "../../support/merchants/payins.ts"
import { covers } from "../../support/repository/covers.ts"

const key = { id: "test", key: new Uint8Array(32).fill(7) }
const x: ProviderIdentity = { id: "connector:x", address: null }
const y: ProviderIdentity = { id: "connector:y", address: null }

interface Named {
  readonly name: string
  readonly formerly?: ReadonlyArray<string>
  /** Default: x. Undefined: it cannot say now. */
  readonly identity?: () => ProviderIdentity | undefined
}

/** A store, the connector behind the names, and the starts of an engine over them. */
const world = Effect.gen(function* () {
  const storage = Context.get(yield* Layer.build(MemoryStorage.layer), Storage)
  const bank = makeScriptedProvider("bank", "lost")
  const named = ({ formerly, identity = () => x, name }: Named) =>
    Layer.succeed(
      Provider,
      Provider.of({
        ...bank.provider,
        name,
        ...(formerly && { formerly }),
        identity: Effect.suspend(() => {
          const found = identity()
          return found === undefined ? Effect.fail(new ProviderFault({ message: "away" })) : Effect.succeed(found)
        })
      })
    )
  const start = (...names: ReadonlyArray<Named>) =>
    Corridor.layer({
      storage: Layer.succeed(Storage, storage),
      provider: SimulatedProvider.layer({ mode: "manual", delay_ms: 1000, payshap: true }),
      // Only the simulated provider has a sandbox.
      providers: names.map(named) as unknown as ReadonlyArray<Layer.Layer<Provider | Sandbox>>,
      routing: { priorities: Object.fromEntries(names.map(({ name }) => [name, -1])) },
      webhooks: MemoryWebhookSink.layer(),
      cipher: AesGcmCipher.layer({ keys: [key as never] }),
      clock: MovableClock.layer,
      dispatcher: false
    })
  /** Runs in an engine that ends with it. */
  const during = <A, E, R>(names: ReadonlyArray<Named>, work: Effect.Effect<A, E, R>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(start(...names))
        return yield* Effect.provideContext(work, context as unknown as Context.Context<R>)
      })
    )
  /** Why an engine does not start. */
  const refusal = Effect.fnUntraced(function* (...names: ReadonlyArray<Named>) {
    const scope = yield* Scope.make()
    const exit = yield* Effect.exit(Layer.buildWithScope(start(...names), scope))
    yield* Scope.close(scope, Exit.void)
    const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
    const defect = (reason as { readonly defect?: unknown } | undefined)?.defect
    return defect instanceof TypeError ? defect.message : `no refusal: ${JSON.stringify(exit)}`
  })
  return { bank, during, refusal, storage }
})
const inWorld = (work: (w: Effect.Success<typeof world>) => Effect.Effect<unknown, unknown, Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(world, work)) as Effect.Effect<unknown>)

const alpha = { name: "alpha" }
const renamed = { name: "alpha2", formerly: ["alpha"] }
const ofBoth = ["alpha", "alpha2"] as const

describe("a provider under another name", () => {
  covers("IDENTITY-2")
  it("does not start without formerly, nor another connector under its name; both start when it is said", () =>
    inWorld(({ during, refusal }) =>
      Effect.gen(function* () {
        yield* during([alpha], Effect.void)
        assert.match(
          yield* refusal({ name: "alpha2" }),
          /^provider alpha2 is connector:x, which this store knows as alpha: [^\n]*formerly: \["alpha"\]\.$/
        )
        assert.match(
          yield* refusal({ ...alpha, identity: () => y }),
          /^provider alpha is connector:y, but in this store alpha is connector:x: [^\n]*$/
        )
        yield* during([renamed], Effect.void)
        yield* during([{ name: "alpha3", formerly: ["alpha2"] }], Effect.void)
        // A node of before the renaming starts again.
        yield* during([alpha], Effect.void)
        // Of two names for one connector in one configuration, the second is refused.
        assert.match(
          yield* refusal({ name: "one", identity: () => y }, { name: "two", identity: () => y }),
          /^provider (one|two) is connector:y, which this store knows as (one|two)/
        )
      })
    ))

  it("is refused where formerly names a live provider, where two name the same, and where the store knows them as one", () =>
    inWorld(({ during, refusal }) =>
      Effect.gen(function* () {
        assert.match(yield* refusal(alpha, renamed), /^provider alpha2: formerly names alpha, which is configured too/)
        assert.match(
          yield* refusal({ name: "one", formerly: ["alpha"] }, { name: "two", formerly: ["alpha"], identity: () => y }),
          /^providers one and two both name alpha in formerly/
        )
        assert.match(yield* refusal({ name: "alpha", formerly: ["alpha"] }), /which is its present name/)
        yield* during([renamed], Effect.void)
        assert.match(
          yield* refusal(alpha, { name: "alpha2" }),
          /^providers alpha and alpha2 are one: this store has both/
        )
        assert.match(yield* refusal(alpha, alpha), /two providers have the name alpha/)
      })
    ))

  it("of several nodes that start at once with another name each, one starts", () =>
    inWorld(({ during }) =>
      Effect.gen(function* () {
        const names = ["one", "two", "three", "four"]
        const exits = yield* Effect.forEach(names, (name) => Effect.exit(during([{ name }], Effect.void)), {
          concurrency: "unbounded"
        })
        assert.lengthOf(exits.filter(Exit.isSuccess), 1)
      })
    ))
})

describe("what a store has of a renamed provider", () => {
  covers("IDENTITY-3")
  it("is found under both names: pay-ins are credited once, whenever and under whichever name they are told", () =>
    inWorld(({ during, storage }) =>
      Effect.gen(function* () {
        const payin = (target: string, n: number, stage: "detected" | "confirmed") =>
          payinEvent({ target, payin_id: `pay-${n}`, event_id: `${stage}-${n}`, stage, amount: "100.00" })
        const reported = (events: ReadonlyArray<ReturnType<typeof payin>>, as: string) =>
          Effect.forEach(events, (event) => Effect.map(receiveToldEvent(as, event), ({ result }) => result))
        let history: ReadonlyArray<ReturnType<typeof payin>> = []
        yield* during(
          [alpha],
          Effect.gen(function* () {
            history = [payin("nobody", 1, "detected"), payin("nobody", 1, "confirmed"), payin("nobody", 2, "detected")]
            assert.deepEqual(yield* reported(history, "alpha"), ["ignored", "ignored", "ignored"])
          })
        )
        const booked = storage.platformBalances(["world", "clearing", "suspense"])
        const before = yield* booked
        yield* during(
          [renamed],
          Effect.gen(function* () {
            for (const name of ofBoth)
              assert.deepEqual(yield* reported(history, name), ["duplicate", "duplicate", "duplicate"])
            assert.deepEqual(yield* booked, before)
            // Detected under the one name, confirmed under the other.
            yield* reported([payin("nobody", 2, "confirmed")], "alpha2")
            const after = yield* booked
            assert.deepEqual(
              after.map(({ account }) => account),
              before.map(({ account }) => account)
            )
            const ledger = yield* LedgerReports
            const totals = yield* Effect.forEach(ofBoth, (name) => ledger.entries(`world:${name}`, {}))
            assert.deepEqual(totals[0], totals[1])
            assert.strictEqual(totals[0]!.total, 2)
            const { items } = yield* (yield* ProviderReports).list({})
            assert.deepInclude(items[1], { name: "alpha", configured_name: "alpha2", names: ["alpha2", "alpha"] })
            const operator = yield* call(PLATFORM_MERCHANT)
            const brake = yield* (yield* Brakes).create(operator, { scope: "provider", provider: "alpha2" })
            assert.strictEqual(brake.provider, "alpha")
            assert.isTrue((yield* (yield* ProviderReports).list({})).items[1]!.paused)
          })
        )
      })
    ))

  it("goes on: a command that was submitted under the old name is looked up under the new one, and never submitted again", () =>
    inWorld(({ bank, during }) =>
      Effect.gen(function* () {
        const id = yield* during(
          [alpha],
          Effect.gen(function* () {
            const m = yield* merchantAtWork()
            const transfer = yield* m.transfer("10")
            yield* (yield* Dispatcher).drain()
            return transfer.id
          })
        )
        assert.lengthOf(bank.submitted, 1)
        yield* during(
          [renamed],
          Effect.gen(function* () {
            const { byName: named } = yield* Providers
            assert.strictEqual(named("alpha"), named("alpha2"))
            yield* (yield* Inbox).receive(named("alpha2")!.name, {
              _tag: "movement",
              event_id: "done",
              merchant_id: null,
              resource_id: id,
              outcome: "success",
              reason: null,
              transaction_hash: null
            })
            const { provider, status } = yield* (yield* LedgerReports).history(id)
            assert.deepEqual([provider, status], ["alpha", "success"])
          })
        )
        assert.lengthOf(bank.submitted, 1)
      })
    ))
})

describe("a provider that cannot say who it is", () => {
  covers("IDENTITY-4")
  it("does not stop the start; nothing is asked of it and nothing of it is taken before it has said so", () =>
    inWorld(({ bank, during }) =>
      Effect.gen(function* () {
        let found: ProviderIdentity | undefined = x
        const away = { ...alpha, identity: () => found }
        yield* during([away], Effect.void)
        found = undefined
        yield* during(
          [away],
          Effect.gen(function* () {
            const event = payinEvent({ target: "nobody", payin_id: "pay-1", event_id: "one", stage: "confirmed" })
            assert.strictEqual(
              (yield* Effect.flip(receiveToldEvent("alpha", event)))._tag,
              "ExternalServiceUnavailable"
            )
            const { admission } = (yield* Providers).byName("alpha")!
            assert.match((yield* Effect.flip(admission!)).message, /away/)
            const m = yield* merchantAtWork()
            yield* m.transfer("10")
            yield* (yield* Dispatcher).drain()
            assert.lengthOf(bank.submitted, 0)
            // Another connector came up in its place.
            found = y
            assert.match(
              (yield* Effect.flip(admission!)).message,
              /is connector:y, but in this store alpha is connector:x/
            )
            found = x
            yield* admission!
            assert.strictEqual((yield* receiveToldEvent("alpha", event)).result, "ignored")
          })
        )
      })
    ))
})
