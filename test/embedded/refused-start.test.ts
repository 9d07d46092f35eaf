/** A start that is refused leaves its store as it was: the nodes of the right configuration start as before. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../src/adapters/clock/movable.ts"
import { defineProvider } from "../../src/adapters/provider/custom.ts"
import { simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { localSigner } from "../../src/adapters/signer/local.ts"
import { memoryWebhooks } from "../../src/adapters/webhook/memory.ts"
import { adapter, layerOf, type ProviderAdapter } from "../../src/engine/ports/adapter.ts"
import { Provider } from "../../src/engine/ports/Provider.ts"
import { Signer } from "../../src/engine/ports/Signer.ts"
import { PLATFORM_MERCHANT, Storage } from "../../src/engine/ports/Storage.ts"
import { developmentKey } from "../../src/http/config/live.ts"
import { Corridor, type StartOptions } from "../../src/index.ts"
import { covers } from "../support/repository/covers.ts"
import { stores } from "../support/engines/every-store.ts"

const keyOf = (n: number) => aesKey(Buffer.alloc(32, n).toString("base64"))
const [right, wrong, newer] = [keyOf(1), keyOf(9), keyOf(2)]
type Keys = readonly [typeof right, ...ReadonlyArray<typeof right>]

const bank = defineProvider({
  name: "bank",
  payouts: { submit: () => ({ _tag: "accepted" }), lookup: () => ({ _tag: "pending" }) }
})

/** A bank of another name, which asks for the public key of a wallet when it is built. */
const chain = (keyRef: string, addresses: Array<string> = []): ProviderAdapter =>
  adapter(
    "provider",
    Layer.effect(
      Provider,
      Effect.gen(function* () {
        const { bytes } = yield* (yield* Signer).publicKey(keyRef).pipe(Effect.orDie)
        addresses.push(Buffer.from(bytes).toString("hex"))
        return { ...(yield* Provider), name: "chain" }
      })
    ).pipe(
      Layer.provide(layerOf("provider", bank) as never),
      Layer.provide(layerOf("signer", localSigner({ keys: { [keyRef]: { curve: "ed25519" } } })) as never)
    ) as never
  )

describe.each(Object.entries(stores))("a start that is refused, on %s", (_, open) => {
  let runtime: ManagedRuntime.ManagedRuntime<Storage, unknown>
  let store: Storage["Service"]
  beforeAll(async () => {
    runtime = ManagedRuntime.make(await open())
    const { volatile: _volatile, ...lasting } = await runtime.runPromise(Storage)
    store = lasting
  })
  afterAll(() => runtime.dispose())

  const ofEither = { webhooks: memoryWebhooks(), dispatcher: false } as const
  const options = (environment: "test" | "live", ...keys: Keys): StartOptions => ({
    ...ofEither,
    storage: adapter("storage", Layer.succeed(Storage, store)),
    cipher: aesGcmCipher({ keys }),
    ...(environment === "test"
      ? { provider: simulatedProvider() }
      : {
          environment,
          provider: bank,
          rates: { mids: { USD: "1", USDC: "1", NGN: "1500" }, spread: "0" },
          pricing: { fees: () => ({ gateway: "0", network: "0" }), outbound: () => ({ minimum: null, maximum: null }) },
          screening: "none"
        })
  })
  const starts = async (over: StartOptions) => (await Corridor.start(over)).close()
  const refusal = (over: StartOptions) =>
    Corridor.start(over).then(
      async (started) => (await started.close(), "it started"),
      (error: Error) => error.message
    )
  /** Everything that a start can have written. */
  const written = () =>
    Effect.runPromise(
      Effect.all([
        store.setting("encryption_keys"),
        store.setting("environment"),
        store.setting("providers"),
        store.find("signer_key", "hot"),
        store.get(["hot", "cold"].map((id) => ({ merchant_id: PLATFORM_MERCHANT, kind: "signer_key", id }))),
        Effect.map(
          store.list({ kinds: ["signer_key", "provider_registry"], index_keys: [], offset: 0, limit: 50 }),
          ({ items }) => items
        )
      ])
    )

  covers("SERVICE-8", "SERVICE-21", "SIGNER-2")
  it("writes nothing, whatever refuses it, and the right one then starts", async () => {
    await starts(options("live", right))
    const before = await written()
    const refused: ReadonlyArray<readonly [StartOptions, string]> = [
      [{ ...options("live", wrong), providers: [chain("hot")] }, "which is not configured"],
      [{ ...options("test", newer, right), providers: [chain("hot")] }, "written in the live environment"],
      [options("test", newer, right), "written in the live environment"],
      [
        { ...options("live", newer, right), clock: movableClock(), providers: [chain("hot")] },
        "a clock that can be moved"
      ],
      [
        { ...options("live", aesKey(developmentKey), right), providers: [chain("hot")] },
        "the fixed encryption key of the test environment"
      ],
      [{ ...options("live", newer, right), provider: simulatedProvider() }, "a simulated provider"],
      [{ ...options("live", newer, right), screening: undefined }, "requires a provider that screens"]
    ]
    for (const [over, why] of refused) {
      expect(await refusal(over)).toContain(why)
      expect(await written()).toEqual(before)
    }
    await starts(options("live", right))
    const addresses: Array<string> = []
    await starts({ ...options("live", right), providers: [chain("hot", addresses)] })
    await starts({ ...options("live", newer, right), providers: [chain("hot", addresses)] })
    expect([addresses.length, new Set(addresses).size]).toEqual([2, 1])
  })

  it("is refused when its signer does not open a key: no address of it is told", async () => {
    const cold = await Effect.runPromise(store.find("signer_key", "cold"))
    expect(cold).toBeUndefined()
    const addresses: Array<string> = []
    await starts({ ...options("live", newer, right), providers: [chain("cold", addresses)] })
    // The record does not know the key that sealed it.
    await Effect.runPromise(
      Effect.flatMap(store.setting("encryption_keys"), (text) =>
        store.assign(
          "encryption_keys",
          JSON.stringify((JSON.parse(text!) as Array<string>).filter((probe) => !probe.startsWith(newer.id)))
        )
      )
    )
    expect(await refusal({ ...options("live", right), providers: [chain("cold", addresses)] })).toContain(
      `the signer cannot open its key cold: it was sealed under the encryption key ${newer.id}, which is not configured`
    )
    expect(addresses).toHaveLength(1)
  })
})
