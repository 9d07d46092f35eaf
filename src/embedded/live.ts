/** What the live environment never has (SERVICE-3), and what keeps a store of `test` out of it. */
import { Context, Effect, Option } from "effect"
import { checkKeys, developmentKeyId } from "../engine/crypto/EncryptionKeys.ts"
import { Cipher } from "../engine/ports/Cipher.ts"
import { StorageFault } from "../engine/ports/errors.ts"
import { Pricing } from "../engine/ports/Pricing.ts"
import { Providers } from "../engine/ports/Provider.ts"
import { Rates } from "../engine/ports/Rates.ts"
import { Sandbox } from "../engine/ports/Sandbox.ts"
import { ServiceClock } from "../engine/ports/ServiceClock.ts"
import { Storage } from "../engine/ports/Storage.ts"
import { Environment, ScreeningSetting } from "../engine/settings/settings.ts"

/**
 * Refuses an unknown environment, which would run as `test`, and the default rates and fees in the live environment.
 *
 * Errors: throws `TypeError`.
 */
export const checkEnvironment = ({
  environment,
  pricing,
  rates
}: {
  readonly environment?: Environment | undefined
  readonly pricing?: unknown
  readonly rates?: unknown
}): void => {
  if (environment !== undefined && environment !== "test" && environment !== "live")
    throw new TypeError(`environment is ${JSON.stringify(environment)}; it takes test or live`)
  if (environment !== "live") return
  const missing = [
    ...(rates === undefined || rates === Rates.layer ? ["rates"] : []),
    ...(pricing === undefined || pricing === Pricing.layer ? ["pricing"] : [])
  ]
  if (missing.length === 0) return
  throw new TypeError(
    `the live environment requires ${missing.join(" and ")}: the defaults are those of the simulated market`
  )
}

/**
 * Checks that somebody screens beneficiaries (SERVICE-29).
 *
 * Errors: dies with a `TypeError` if screening is `required` and no provider screens.
 */
const checkScreening = Effect.gen(function* () {
  // What a connector offers is not known before it has answered once.
  const isScreened = (yield* Providers).all.some(
    ({ manifest: { offers }, screening }) =>
      screening !== undefined && (offers.length === 0 || offers.some(({ operation }) => operation === "screening"))
  )
  if (isScreened) return
  if ((yield* ScreeningSetting) === "none")
    return yield* Effect.logWarning(
      'screening is "none", and no provider screens beneficiaries: every beneficiary is cleared'
    )
  return yield* Effect.die(
    new TypeError(
      'the live environment requires a provider that screens beneficiaries: without one, each of them would be cleared. If this is meant, set screening to "none"'
    )
  )
})

const hasService = (context: Context.Context<never>, service: typeof Sandbox | typeof ServiceClock): boolean =>
  Option.isSome(Context.getOption(context, service as typeof Sandbox))

const dieIfRefused = (refused: ReadonlyArray<string>): Effect.Effect<void> =>
  refused.length === 0
    ? Effect.void
    : Effect.die(new TypeError(`the live environment does not accept ${refused.join(", or ")}`))

/** Adapters that the live environment refuses, whatever the providers are. */
const checkFoundation = Effect.gen(function* () {
  if ((yield* Environment) !== "live") return
  const context = yield* Effect.context<Storage | Cipher>()
  yield* dieIfRefused([
    ...(hasService(context as Context.Context<never>, ServiceClock) ? ["a clock that can be moved"] : []),
    ...(Context.get(context, Storage).volatile === true ? ["a store that ends with the process"] : []),
    ...(Context.get(context, Cipher).keys.includes(developmentKeyId)
      ? ["the fixed encryption key of the test environment, which is public"]
      : [])
  ])
})

/**
 * Checks the providers of an engine.
 *
 * Errors: dies with a `TypeError` if the environment is `live` and some are not real, and where keys are of the other environment: it
 * names all of them.
 */
export const checkProviders = Effect.gen(function* () {
  const environment = yield* Environment
  const context = yield* Effect.context<Providers>()
  const others = Context.get(context, Providers).all.filter(
    (provider) => provider.environment !== undefined && provider.environment !== environment
  )
  if (environment !== "live") {
    if (others.length === 0) return
    const named = others.map(({ name }) => name).join(", ")
    return yield* Effect.die(
      new TypeError(`the test environment does not accept live keys, which move real money (${named})`)
    )
  }
  const simulated = Context.get(context, Providers).all.filter(({ sandbox }) => sandbox !== undefined)
  yield* dieIfRefused([
    ...simulated.map(({ name }) => `a simulated provider (${name})`),
    ...others.map(({ name }) => `keys of a test mode (${name})`),
    ...(simulated.length === 0 && hasService(context as Context.Context<never>, Sandbox)
      ? ["a simulated provider"]
      : [])
  ])
  yield* checkScreening
})

const setting = "environment"

const checkStoredEnvironment = Effect.fnUntraced(function* (stored: string) {
  const environment = yield* Environment
  if (stored === environment) return
  return yield* new StorageFault({
    message: `it was written in the ${stored} environment; the ${environment} environment takes a store of its own`,
    retryable: false
  })
})

/**
 * Checks the store and the cipher, and writes nothing (SERVICE-8, SERVICE-21). Runs before providers and signers are built, because those
 * may write.
 *
 * Errors: a `StorageFault` that is not retryable, for a store of the other environment or of a key that the cipher does not have. Dies with
 * a `TypeError` if the environment is `live` and the store, the clock or a key is not real: it names all of them.
 */
export const checkStore = Effect.gen(function* () {
  yield* checkFoundation
  const recorded = yield* Effect.flatMap(Storage, (storage) => storage.setting(setting))
  yield* checkStoredEnvironment(recorded ?? (yield* Environment))
  yield* checkKeys
})

/** Records the environment of a store at its first start. Its money is real or simulated for ever. Errors: as of {@link checkStore}. */
export const rememberEnvironment = Effect.gen(function* () {
  const environment = yield* Environment
  yield* checkStoredEnvironment(yield* Effect.flatMap(Storage, (storage) => storage.define(setting, environment)))
})
