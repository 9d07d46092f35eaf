/** A fake Sumsub, and providers over it that share a store: each is a process of its own. */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { type SumsubOptions, SumsubVerification } from "../../../src/adapters/verification/sumsub.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { Provider, type VerificationCommand } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { WallTime } from "../../../src/engine/ports/Time.ts"
import { appToken, FakeSumsub, hookSecret, secretKey } from "./fake-sumsub.ts"

export const sumsubOptions = {
  app_token: appToken,
  secret_key: secretKey,
  levels: {
    individual: { tier_1: "basic-kyc", tier_2: "full-kyc" },
    business: { tier_1: "basic-kyb", tier_2: "full kyb & more" }
  },
  webhook_secret: hookSecret
} as const satisfies SumsubOptions

/** The `starts`-th link of the n-th session. */
export const verificationOf = (
  n: number,
  over: Partial<VerificationCommand> = {},
  starts = 1,
  type: "individual" | "business" = "individual"
): VerificationCommand => ({
  ...{ id: `kyc_${n}.start_${starts}`, merchant_id: "mer_1", resource_id: `kyc_${n}`, tier: "tier_1" },
  customer: {
    ...{ id: "cust_1", type, name: "Ada Obi", email: "ada@example.com", country_code: "NG" },
    date_of_birth: type === "individual" ? "01/31/1990" : null
  },
  redirect_url: null,
  ...over
})

const began = Date.UTC(2026, 10, 29)

/** A fake, a store, and a clock that moves by hand. All end with the scope. */
export const sumsubWorld = (options: Partial<SumsubOptions> = {}) =>
  Effect.gen(function* () {
    const fake = yield* Effect.acquireRelease(
      Effect.promise(() => new FakeSumsub().start()),
      (one) => Effect.promise(() => one.stop())
    )
    const time = { now: began }
    fake.now = () => time.now
    const shared = yield* Layer.build(Layer.mergeAll(Layer.fresh(MemoryStorage.layer), Ids.layer, JobNotifier.layer))
    const wall = Context.make(
      WallTime,
      Effect.sync(() => time.now)
    )
    /** A process over the store. */
    const start = (over: Partial<SumsubOptions> = {}) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const layer = SumsubVerification.layer({
          ...sumsubOptions,
          url: fake.url,
          timeout_ms: 1000,
          ...options,
          ...over
        })
        const context = yield* Layer.buildWithScope(layer.pipe(Layer.provide(Layer.succeedContext(shared))), scope)
        return { provider: Context.get(context, Provider), end: Scope.close(scope, Exit.void) }
      }).pipe(Effect.provideContext(wall))
    return {
      fake,
      time,
      start,
      /** All that the adapter has of a session, as text. */
      keptOf: (id: string) =>
        Effect.map(Context.get(shared, Storage).find("sumsub_session", `sumsub/${id}`), (row) => JSON.stringify(row)),
      inWorld: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, wall)
    }
  })

/** The status of a look-up in a word or two; what failed, with the reason. */
export const describeLookup = (provider: Provider["Service"], command: VerificationCommand) =>
  Effect.match(provider.verification!.lookup(command), {
    onFailure: ({ message }) => `fault: ${message}`,
    onSuccess: (status): string => (status._tag === "rejected" ? `rejected ${status.reason}` : status._tag)
  })
