/** Spans and logs of an embedded engine, which are those of its host. */
import { Context, Effect, Layer, Logger, References, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import { AesGcmCipher, aesGcmCipher, aesKey } from "../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../src/adapters/clock/movable.ts"
import { SimulatedProvider, simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink, memoryWebhooks } from "../../src/adapters/webhook/memory.ts"
import { adapter } from "../../src/engine/ports/adapter.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { ActivityLog, Corridor } from "../../src/index.ts"
import { covers } from "../support/repository/covers.ts"
import { makeCollectedSpans, pathTo } from "../support/telemetry/collected-spans.ts"
import { until } from "../support/repository/poll-timeout.ts"

const key = aesKey(Buffer.alloc(32, 7).toString("base64"))

describe("an embedded engine", () => {
  covers("TELEMETRY-5")
  it("makes its spans with the Tracer of the Effect that calls it, below that Effect's span", async () => {
    const { named, tracer } = makeCollectedSpans()
    const engine = Corridor.layer({
      storage: MemoryStorage.layer,
      provider: SimulatedProvider.layer({ mode: "manual", delay_ms: 0, payshap: true }),
      webhooks: MemoryWebhookSink.layer(),
      cipher: AesGcmCipher.layer({ keys: [key] })
    })
    const created = Corridor.merchants.create({ name: "Accra", country_code: "GH", status: "active" })
    const { merchant } = await Effect.runPromise(
      created.pipe(Effect.withSpan("host"), Effect.provideService(Tracer.Tracer, tracer), Effect.provide(engine))
    )
    const commits = named("corridor.commit").filter(
      ({ attributes }) => attributes.get("corridor.resource_id") !== undefined
    )
    expect(commits.map(pathTo)).toContainEqual(["host", "corridor.commit"])
    expect(commits.map(({ attributes }) => attributes.get("corridor.resource_id"))).toContain(merchant.id)
  })

  it("takes a Tracer and Loggers as a layer, and logs state changes if the host asks for them", async () => {
    const { named, tracer } = makeCollectedSpans()
    const lines: Array<object> = []
    const logger = Logger.make(
      ({ fiber, message }) => void lines.push({ message, ...fiber.getRef(References.CurrentLogAnnotations) })
    )
    const corridor = await Corridor.start({
      storage: adapter("storage", MemoryStorage.layer),
      provider: simulatedProvider({ mode: "auto", delay_ms: 0 }),
      webhooks: memoryWebhooks(),
      cipher: aesGcmCipher({ keys: [key] }),
      clock: movableClock(),
      observability: Layer.mergeAll(
        Layer.succeed(Tracer.Tracer, tracer),
        Logger.layer([logger]),
        Layer.succeed(ActivityLog, true)
      )
    })
    const { merchant } = await corridor.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
    const wallet = await corridor.as(merchant.id).wallets.create({ currency: "USDC" })
    const address = await corridor.as(merchant.id).depositAddresses.create(wallet.id, { network: "base" })
    await until(() => named("corridor.provider.issue").length > 0)
    await corridor.sandbox.as(merchant.id).deposit({ wallet_id: wallet.id, amount: "100.00" })
    await corridor.close()
    const commit = named("corridor.commit").find(
      ({ attributes }) => attributes.get("corridor.resource_id") === address.id
    )
    expect(pathTo(named("corridor.provider.issue")[0]!)).toEqual([
      commit!.spanId,
      "corridor.job",
      "corridor.provider.issue"
    ])
    const deposits = lines.filter((line) => "kind" in line && line.kind === "deposit")
    expect(deposits).toHaveLength(1)
    expect(deposits[0]).toMatchObject({
      message: ["state change"],
      from: null,
      to: "confirmed",
      merchant_id: merchant.id,
      movement_id: expect.stringMatching(/^txn_/),
      cause: "event"
    })
  })
})

describe("the delivery of an event", () => {
  covers("TELEMETRY-3")
  it("continues the trace of the commit that published it, also on another node", async () => {
    const store = Effect.runSync(Effect.scoped(Layer.build(MemoryStorage.layer)))
    const storage = adapter("storage", Layer.succeed(Storage, Context.get(store, Storage)))
    const node = (tracer: Tracer.Tracer, dispatcher: boolean) =>
      Corridor.start({
        storage,
        provider: simulatedProvider({ mode: "manual" }),
        webhooks: memoryWebhooks(),
        cipher: aesGcmCipher({ keys: [key] }),
        clock: movableClock(),
        dispatcher,
        observability: Layer.succeed(Tracer.Tracer, tracer)
      })
    const [publishing, delivering] = [makeCollectedSpans(), makeCollectedSpans()]
    const first = await node(publishing.tracer, false)
    const { merchant } = await first.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
    const lagos = first.as(merchant.id)
    const endpoint = await lagos.webhooks.create({ url: "http://127.0.0.1:9/" })
    await lagos.webhooks.update(endpoint.id, { active: true })
    const wallet = await lagos.wallets.create({ currency: "USDC" })
    await first.sandbox.as(merchant.id).deposit({ wallet_id: wallet.id, amount: "100.00" })
    await first.close()

    const second = await node(delivering.tracer, true)
    await until(() => delivering.named("corridor.delivery").length > 0)
    await second.close()
    for (const delivery of delivering.named("corridor.delivery")) {
      const [parent] = pathTo(delivery)
      const commit = publishing.named("corridor.commit").find(({ spanId }) => spanId === parent)
      expect(pathTo(delivery)).toEqual([commit!.spanId, "corridor.job", "corridor.delivery"])
      expect(delivery.traceId).toBe(commit!.traceId)
      expect(Number(commit!.attributes.get("corridor.commit.events"))).toBeGreaterThan(0)
    }
  })
})
