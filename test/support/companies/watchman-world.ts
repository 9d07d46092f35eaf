/** A fake Watchman, and providers over it that share a store: each is a process of its own. */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { type WatchmanOptions, WatchmanScreening } from "../../../src/adapters/screening/watchman.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { Provider, type ScreeningCommand } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { WallTime } from "../../../src/engine/ports/Time.ts"
import { FakeWatchman } from "./fake-watchman.ts"

export const hours = (count: number): number => count * 3_600_000

export const bankAccount = (account_name: string | null = null): ScreeningCommand["destination"] => ({
  ...{ type: "fiat", country_code: "NG", network: "bank", account_number: "0001234567", account_name },
  ...{ bank_code: "044", provider_id: "prov_1", rail: null }
})

export const onChain = (address: string, network = "base"): ScreeningCommand["destination"] => ({
  type: "crypto",
  network,
  address,
  memo: null
})

export const screeningOf = (n: number, name: string, destination = bankAccount()): ScreeningCommand => ({
  merchant_id: "mer_1",
  resource_id: `ben_${n}`,
  screening_id: `scr_${n}`,
  name,
  destination
})

const began = Date.UTC(2026, 10, 29)

/** A fake with one list, a store, and a clock that moves by hand. All end with the scope. */
export const watchmanWorld = (options: Partial<WatchmanOptions> = {}) =>
  Effect.gen(function* () {
    const fake = yield* Effect.acquireRelease(
      Effect.promise(() => new FakeWatchman().start()),
      (one) => Effect.promise(() => one.stop())
    )
    const time = { now: began }
    fake.now = () => time.now
    fake.refresh()
    fake.listed = [
      { list: "us_ofac", id: "1", type: "person", name: "Viktor Black" },
      { list: "us_ofac", id: "2", type: "business", name: "Northern Cargo Trading House" },
      { list: "us_ofac", id: "3", type: "organization", name: "Red Harbour Front" },
      { list: "us_ofac", id: "4", type: "person", name: "Ivan Petrovich Sidorov Gray White Stone Hill Lake" },
      {
        ...{ list: "us_ofac", id: "5", type: "person", name: "Someone Unrelated" },
        addresses: ["XBT:1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "ETH:0x7F367cC41522cE07553e823bf3be79A889DEbe1B"]
      }
    ]
    const shared = yield* Layer.build(Layer.mergeAll(Layer.fresh(MemoryStorage.layer), Ids.layer, JobNotifier.layer))
    const wall = Context.make(
      WallTime,
      Effect.sync(() => time.now)
    )
    /** A process over the store. */
    const start = (over: Partial<WatchmanOptions> = {}) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const layer = WatchmanScreening.layer({ url: fake.url, timeout_ms: 9_000, ...options, ...over })
        const context = yield* Layer.buildWithScope(layer.pipe(Layer.provide(Layer.succeedContext(shared))), scope)
        return { provider: Context.get(context, Provider), end: Scope.close(scope, Exit.void) }
      }).pipe(Effect.provideContext(wall))
    return {
      fake,
      time,
      start,
      storage: Context.get(shared, Storage),
      inWorld: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, wall)
    }
  })

/** The result of a screening in a word; what failed, with the reason. */
export const describeScreening = (provider: Provider["Service"], command: ScreeningCommand) =>
  Effect.match(provider.screening!.screen(command), {
    onFailure: ({ message }) => `fault: ${message}`,
    onSuccess: (result): string => result
  })
