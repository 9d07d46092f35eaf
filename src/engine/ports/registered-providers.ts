/**
 * The configured providers under the names that they have in the store, each behind a check of who it is (IDENTITY-2).
 *
 * Nothing is asked of a provider, and nothing of it is taken, before it has said which connector it is and the store has agreed.
 */
import { Effect } from "effect"
import { ProviderFault, type StorageFault } from "./errors.ts"
import { type Provider, Providers } from "./Provider.ts"
import { formerlyFault, findBooksKey, noIdentity, readRegistry, registerInStore } from "./provider-registry.ts"
import { Storage } from "./Storage.ts"

type Port = Provider["Service"]

/** Another connector stands behind a name than the store remembers, or the connector has another name there. One line. */
class AnotherConnector extends TypeError {}

/** Throws `TypeError` if the earlier names of a provider are invalid, or are names of another provider too. */
const checkNames = (all: ReadonlyArray<Port>): void => {
  const names = new Set(all.map(({ name }) => name))
  const claimed = new Map<string, string>()
  for (const { formerly = [], name } of all) {
    const fault = formerlyFault({ name, formerly })
    if (fault !== undefined) throw new TypeError(`provider ${name}: ${fault}`)
    for (const former of formerly) {
      if (names.has(former))
        throw new TypeError(
          `provider ${name}: formerly names ${former}, which is configured too; remove one of the two`
        )
      if (claimed.has(former))
        throw new TypeError(
          `providers ${claimed.get(former)} and ${name} both name ${former} in formerly; one of them can have been it`
        )
      claimed.set(former, name)
    }
  }
}

/**
 * Makes the check before each call of a provider: it registers the connector at the first call and whenever its identity changes.
 *
 * Errors: `ProviderFault` if the store knows another connector under the name.
 */
const makeIdentityCheck = (
  provider: Port,
  key: string,
  configured: ReadonlySet<string>,
  storage: Storage["Service"]
) => {
  const { name } = provider
  let admitted: string | undefined
  let refusal: string | undefined
  const refused = (line: string) =>
    Effect.gen(function* () {
      if (line !== refusal) yield* Effect.logError(line)
      refusal = line
      return yield* new ProviderFault({ message: line, cause: new AnotherConnector(line) })
    })
  return Effect.gen(function* () {
    const found = yield* provider.identity ?? Effect.succeed(noIdentity)
    const text = `${found.id ?? ""} ${found.address ?? ""}`
    if (text === admitted) return
    const entry = yield* registerInStore(provider, found, configured).pipe(
      Effect.provideService(Storage, storage),
      Effect.mapError(
        (cause) => new ProviderFault({ message: `${name}: the store does not say which connector it is`, cause })
      )
    )
    if (typeof entry === "string") return yield* refused(entry)
    if (entry.names[0] !== key)
      return yield* refused(
        `provider ${name} has its books under ${entry.names[0]} since another node started: start again`
      )
    admitted = text
  })
}

/** A copy of a provider with `members` in place of its own. Getters stay getters. */
const withMembers = (provider: Port, members: Partial<Port>): Port =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(provider), ...Object.getOwnPropertyDescriptors(members) }
  ) as Port

/**
 * The providers of a configuration, over a store.
 *
 * Errors: dies with a `TypeError`, in one line, for names that contradict one another.
 */
export const registerProviders = Effect.fnUntraced(function* (
  all: ReadonlyArray<Port>
): Effect.fn.Return<Providers["Service"], StorageFault, Storage> {
  checkNames(all)
  const storage = yield* Storage
  const registry = yield* readRegistry
  const configured = new Set(all.flatMap(({ formerly = [], name }) => [name, ...formerly]))
  const keysByName = new Map(registry.flatMap(({ names }) => names.map((name) => [name, names[0]] as const)))
  const owners = new Map<string, string>()
  const providers = all.map((provider) => {
    const { formerly = [], name } = provider
    const key = findBooksKey(registry, provider)
    const owner = owners.get(key)
    if (owner !== undefined && owner !== name)
      throw new TypeError(`providers ${owner} and ${name} are one: this store has both as names of ${key}`)
    owners.set(key, name)
    for (const one of [name, ...formerly]) keysByName.set(one, key)
    const known = [...keysByName].flatMap(([one, of]) => (of === key ? [one] : []))
    return withMembers(provider, {
      name: key,
      names: [name, ...new Set([...known, key])].filter((one, at) => at === 0 || one !== name),
      admission: makeIdentityCheck(provider, key, configured, storage)
    })
  })
  return Providers.from(providers, keysByName)
})

/** The longest wait of a start for a provider to say who it is. */
const startMs = 5_000

/**
 * Asks each provider who it is. One that is away is asked again when it is needed, and only then.
 *
 * Errors: dies with an {@link AnotherConnector}.
 */
export const admitProviders = Effect.gen(function* () {
  const { all } = yield* Providers
  const results = yield* Effect.forEach(
    all,
    ({ admission = Effect.void }) => Effect.result(Effect.timeout(admission, startMs)),
    { concurrency: "unbounded" }
  )
  for (const [at, result] of results.entries()) {
    if (result._tag === "Success") continue
    const { cause, message } = result.failure
    if (cause instanceof AnotherConnector) return yield* Effect.die(cause)
    yield* Effect.logWarning(
      `the provider ${all[at]!.name} has not said which connector it is, and is not used before it has: ${message}`
    )
  }
})
