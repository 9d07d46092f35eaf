/** The parties of a merchant over the memory store and the simulated provider, whose answers a test may replace. */
import { methodsOf, type ProviderMethods, withMethods } from "../engines/provider-methods.ts"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import { SimulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { mergeChanges, type ChangeSet } from "../../../src/engine/commit/changeset.ts"
import { begin } from "../../../src/engine/commit/steps.ts"
import { Kinds } from "../../../src/engine/commit/kind.ts"
import { kinds } from "../../../src/engine/registry.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Provider, Providers } from "../../../src/engine/ports/Provider.ts"
import { CurrentTerms } from "../../../src/engine/calls/CurrentTerms.ts"
import { ActiveBrakes } from "../../../src/engine/calls/ActiveBrakes.ts"
import { ActiveLimits } from "../../../src/engine/calls/ActiveLimits.ts"
import { ProviderHealth, Routes } from "../../../src/engine/calls/Routes.ts"
import { prices } from "../../../src/engine/Engine.ts"
import { Access } from "../../../src/engine/resources/access/access.ts"
import { AutoConversions } from "../../../src/engine/resources/deposits/auto-conversion.ts"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"
import { Payshap } from "../../../src/engine/resources/parties/beneficiary-details.ts"
import { beginDefaultCustomer, CustomerKind, Customers } from "../../../src/engine/resources/parties/customer.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { HeldDeposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Payins } from "../../../src/engine/resources/deposits/payin.ts"
import { Reference } from "../../../src/engine/resources/reference/reference.ts"
import { Tiers } from "../../../src/engine/resources/parties/tiers.ts"
import { VerificationOutcomes } from "../../../src/engine/resources/parties/verification-outcome.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { type NameMatching, NameMatchPolicy } from "../../../src/engine/settings/settings.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { call, MERCHANT } from "./caller.ts"

export { call, MERCHANT }

export const OTHER = "mer_01j9z3k4m5n6p7q8r9s0t1v2w4"
export const DEFAULT = "cust_01j9z3k4m5n6p7q8r9s0t1v2w3"
export const START = Date.UTC(2026, 0, 15, 12)

/** What a test may change of the engine's environment, and what it can see of it. */
export interface Strings {
  /** Answers in place of the simulated provider's. */
  readonly provider: {
    -readonly [K in "banks" | "resolveAccount" | "resolveProxy" | "screen"]?: ProviderMethods[K]
  }
  /** The questions the provider was asked, in order. */
  readonly asked: Array<string>
  /** How many Changes were committed. */
  commits: number
  /** Before the next commit is looked at, once: what somebody else does meanwhile. */
  meanwhile: Effect.Effect<unknown, unknown> | undefined
}

const watchStore = (strings: Strings) =>
  Layer.effect(
    Storage,
    Effect.map(Storage, (storage) =>
      Storage.of({
        ...storage,
        commit: Effect.fnUntraced(function* (change) {
          const { meanwhile } = strings
          strings.meanwhile = undefined
          if (meanwhile !== undefined) yield* Effect.orDie(meanwhile)
          const verdict = yield* storage.commit(change)
          if (verdict._tag === "Committed") strings.commits++
          return verdict
        })
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))

const watchQuestions = (strings: Strings) =>
  Layer.effect(
    Provider,
    Effect.map(Provider, (provider) => {
      const asks =
        <Q, A>(name: keyof Strings["provider"], answer: (question: Q) => A) =>
        (question: Q): A => {
          strings.asked.push(name)
          return answer(question)
        }
      const inner = methodsOf(provider)
      return withMethods(provider, {
        banks: asks("banks", (country) => (strings.provider.banks ?? inner.banks)(country)),
        resolveAccount: asks("resolveAccount", (account) =>
          (strings.provider.resolveAccount ?? inner.resolveAccount)(account)
        ),
        resolveProxy: asks("resolveProxy", (proxy) => (strings.provider.resolveProxy ?? inner.resolveProxy)(proxy)),
        screen: asks("screen", (beneficiary) => (strings.provider.screen ?? inner.screen)(beneficiary))
      })
    })
  )

export interface Options {
  /** What the composition root says of payshap. */
  readonly payshap?: boolean
  /** What the provider says of it. */
  readonly provider_payshap?: boolean
  readonly name_match?: NameMatching
}

const makePartyEngine = (
  strings: Strings,
  { payshap = true, provider_payshap = true, name_match = "show" }: Options
) => {
  const simulated = SimulatedProvider.layer({ mode: "manual", delay_ms: 0, payshap: provider_payshap })
  const ports = Layer.mergeAll(
    Ids.layer,
    JobNotifier.layer,
    prices,
    AesGcmCipher.layer({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] })
  ).pipe(Layer.provideMerge(watchStore(strings)))
  const outside = watchQuestions(strings).pipe(Layer.provideMerge(simulated), Layer.provideMerge(ports))
  const services = Layer.mergeAll(
    Customers.layer,
    Beneficiaries.layer,
    DepositAddresses.layer,
    Reference.layer,
    Wallets.layer,
    Inbox.layer
  )
  return services.pipe(
    Layer.provide(Layer.mergeAll(Layer.succeed(Payshap, payshap), Layer.succeed(NameMatchPolicy, name_match))),
    Layer.provide(Layer.mergeAll(Payins.layer, VerificationOutcomes.layer)),
    Layer.provide(HeldDeposits.layer),
    Layer.provide(AutoConversions.layer),
    Layer.provide(CurrentTerms.layer),
    Layer.provide(Tiers.layer),
    Layer.provideMerge(Access.layer),
    Layer.provideMerge(Routes.layer),
    Layer.provide(Layer.mergeAll(ActiveBrakes.layer, ActiveLimits.layer, ProviderHealth.layer)),
    Layer.provideMerge(Providers.only),
    Layer.provideMerge(UnitOfWork.layer),
    Layer.provideMerge(Layer.succeed(Kinds, kinds)),
    Layer.provide(Layer.succeed(Kinds, kinds)),
    Layer.provideMerge(outside)
  )
}

let written = 0

/** Writes what no operation of the parties writes: a grant, an approval. */
export const put = Effect.fnUntraced(function* (merchant_id: string, changes: ReadonlyArray<ChangeSet>) {
  const storage = yield* Storage
  const verdict = yield* storage.commit({
    merchant_id,
    at: yield* Clock.currentTimeMillis,
    idempotency: { key: `test/${++written}`, fingerprint: "", response: null, expires_at: null },
    ...mergeChanges(changes)
  })
  assert.strictEqual(verdict._tag, "Committed")
})

/** Opens a gated currency to the merchant. */
export const grant = Effect.fnUntraced(function* (currency_id: string) {
  const { changes, row } = yield* begin(
    CustomerKind,
    { merchant_id: MERCHANT, id: currency_id },
    { type: "business" } as never,
    START
  )
  yield* put(MERCHANT, [{ ...changes, rows: [{ ...row, kind: "access_grant", status: "approved", index_keys: [] }] }])
})

const merchants = Effect.gen(function* () {
  for (const merchant_id of [MERCHANT, OTHER]) {
    const { changes } = yield* beginDefaultCustomer({
      merchant_id,
      name: "Lagos Trading",
      country_code: "NG",
      at: START
    })
    yield* put(merchant_id, [changes])
  }
})

type SimulatedEngine = Layer.Success<ReturnType<typeof makePartyEngine>>

/** A test in a fresh engine that has two merchants with their default customers. */
export const scenario = <A, E>(
  name: string,
  body: (strings: Strings) => Effect.Effect<A, E, SimulatedEngine>,
  options: Options = {}
): void =>
  it.effect(name, () => {
    const strings: Strings = { provider: {}, asked: [], commits: 0, meanwhile: undefined }
    return Effect.gen(function* () {
      yield* TestClock.setTime(START)
      yield* merchants
      strings.commits = 0
      return yield* body(strings)
    }).pipe(Effect.provide(makePartyEngine(strings, options)))
  })

/** The refusal of an effect, and that nothing was written for it. */
export const refusal = Effect.fnUntraced(function* <A, E, R>(strings: Strings, effect: Effect.Effect<A, E, R>) {
  const before = strings.commits
  const error = yield* Effect.flip(effect)
  assert.strictEqual(strings.commits, before, "a refusal wrote something")
  return error as E & {
    readonly _tag: string
    readonly message: string
    readonly errors?: ReadonlyArray<{ field: string; code: string }>
  }
})

/** `Tag` and the fields it names: `InvalidInput details.network`. */
export const messageOf = (error: {
  readonly _tag: string
  readonly errors?: ReadonlyArray<{ readonly field: string }>
}): string => [error._tag, ...(error.errors ?? []).map(({ field }) => field)].join(" ")

/** Runs `effect` while `other` commits just before it does: its first decision is stale. */
export const overtaken = Effect.fnUntraced(function* <A, E, R, B, E2>(
  strings: Strings,
  effect: Effect.Effect<A, E, R>,
  other: Effect.Effect<B, E2, R>
) {
  strings.meanwhile = Effect.provideContext(other, yield* Effect.context<R>())
  const running = yield* Effect.forkChild(effect)
  yield* TestClock.adjust("1 second")
  return yield* Fiber.join(running)
})
