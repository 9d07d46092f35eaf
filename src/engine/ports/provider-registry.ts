/**
 * Which connector stands behind a provider's name, as the store remembers it (IDENTITY-1).
 *
 * Pay-ins, commands, cursors and accounts are stored under the first name that a provider had in a store: its *key*. Another name
 * leads to the same key only where the configuration says that it is the same (`formerly`). Otherwise the pay-ins that a connector
 * lists would be credited again under its new name.
 */
import { Clock, Effect } from "effect"
import { StorageFault } from "./errors.ts"
import { EMPTY, PLATFORM_MERCHANT, Storage } from "./Storage.ts"

/** What stands behind a name. Both null: it tells nothing of itself. */
export interface ProviderIdentity {
  /** The id of its books: that of a connector's manifest, or its account on a chain. Two providers never have one. */
  readonly id: string | null
  /** Where it is reached. It counts only where one side has no id. */
  readonly address: string | null
}

/** `names`: oldest first; the first is the key. */
interface RegisteredProvider {
  readonly names: readonly [key: string, ...others: ReadonlyArray<string>]
  readonly identity: ProviderIdentity
}
export type Registry = ReadonlyArray<RegisteredProvider>

/** The names of a configured provider. `formerly`: not set, it is not known whether it had another; empty, it had none. */
interface ProviderNames {
  readonly name: string
  readonly formerly?: ReadonlyArray<string> | undefined
}

/** The simulated provider is what its name says, in every store. */
export const simulatedId = "simulated"

export const noIdentity: ProviderIdentity = { id: null, address: null }

const namePattern = /^[a-z][a-z0-9_-]{0,63}$/

/** Says why the configured earlier names of a provider are invalid. Undefined: they are valid. */
export const formerlyFault = ({ name, formerly }: { readonly name: string; readonly formerly?: unknown }) => {
  if (formerly === undefined) return undefined
  const takes = "it takes a list of the provider's earlier names"
  if (!Array.isArray(formerly)) return `formerly is ${JSON.stringify(formerly)}; ${takes}`
  const wrong = formerly.find((one) => typeof one !== "string" || !namePattern.test(one))
  if (wrong !== undefined) return `formerly has ${JSON.stringify(wrong)}, which is no name of a provider; ${takes}`
  if (formerly.includes(name)) return `formerly has ${JSON.stringify(name)}, which is its present name; ${takes}`
  return new Set(formerly).size < formerly.length ? `formerly has a name twice; ${takes}` : undefined
}

const keepOwnEntries = (registry: Registry, { name, formerly = [] }: ProviderNames): Registry =>
  registry.filter(({ names }) => [name, ...formerly].some((one) => names.includes(one)))

/** The name under which a provider has its books: the first that the store knows, or else its oldest one. */
export const findBooksKey = (registry: Registry, provider: ProviderNames): string =>
  keepOwnEntries(registry, provider)[0]?.names[0] ?? provider.formerly?.[0] ?? provider.name

const describeIdentity = ({ address, id }: ProviderIdentity): string =>
  id ?? address ?? "a provider that told no identity"

/** Whether two names lead to one connector: the ids are equal or, where one has none, the addresses. */
const isSameConnector = (known: ProviderIdentity, found: ProviderIdentity): boolean => {
  if (known.id !== null && found.id !== null) return known.id === found.id
  return known.address !== null && known.address === found.address
}

/** Whether a connector may be the one that is registered under its name. A connector without an id may have moved to another address. */
const isContinuation = (known: ProviderIdentity, found: ProviderIdentity): boolean => {
  if (known.id === null) return known.address === null || found.address !== null
  return found.id === null ? isSameConnector(known, found) : found.id === known.id
}

const hasNoIdentity = ({ id, address }: ProviderIdentity): boolean => id === null && address === null

const quoteNames = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(", ")

/**
 * Adds a provider to the registry, or says in one line why the provider must not be used. `configured`: the names of all configured
 * providers, the earlier ones too.
 *
 * Law: no two entries have a name or an id in common, and an entry keeps its key, its names and its id for ever.
 */
export const registerProvider = (
  registry: Registry,
  provider: ProviderNames,
  found: ProviderIdentity,
  configured: ReadonlySet<string>
): Registry | string => {
  const { name, formerly } = provider
  const [own, second] = keepOwnEntries(registry, provider)
  if (own !== undefined && second !== undefined)
    return `provider ${name}: this store has books of ${own.names[0]} and of ${second.names[0]}, so they are two providers: formerly cannot make them one.`
  const same = registry.find((one) => one !== own && isSameConnector(one.identity, found))
  if (same !== undefined) {
    const last = same.names.at(-1)!
    const was = own === undefined ? "" : ` ${own.names.at(-1)} was ${describeIdentity(own.identity)}.`
    if (found.id === null && same.names.some((one) => configured.has(one)))
      return `provider ${name} is ${describeIdentity(found)}, and so is provider ${last}: if they are two connectors, the manifest of each tells an id.`
    return own === undefined
      ? `provider ${name} is ${describeIdentity(found)}, which this store knows as ${last}: under another name its pay-ins would be credited again. Name it ${last}, or set formerly: [${quoteNames([last])}].`
      : `provider ${name} is ${describeIdentity(found)}, which this store knows as ${last}.${was}`
  }
  if (own === undefined) {
    const gone = registry.filter(
      ({ identity, names }) =>
        !names.some((one) => configured.has(one)) && hasNoIdentity(identity) && hasNoIdentity(found)
    )
    if (formerly === undefined && gone.length > 0) {
      const names = gone.map((one) => one.names.at(-1)!)
      return `provider ${name} is new in this store, and ${names.join(", ")}, of which no identity is recorded, is not configured: set formerly: [${quoteNames(names.slice(0, 1))}] if it is the same provider, or formerly: [] if it is not.`
    }
    const [key = name, ...others] = formerly ?? []
    return [
      ...registry,
      { names: [key, ...others.filter((one) => one !== key), ...(key === name ? [] : [name])], identity: found }
    ]
  }
  if (!isContinuation(own.identity, found)) {
    const known = own.names.includes(name) ? name : own.names.at(-1)!
    return `provider ${name} is ${describeIdentity(found)}, but in this store ${known} is ${describeIdentity(own.identity)}: another connector takes a name of its own${known === name ? "" : ", without formerly"}.`
  }
  const [key, ...others] = own.names
  const names = [key, ...new Set([...others, ...(formerly ?? []), name].filter((one) => one !== key))] as const
  const identity = { id: found.id ?? own.identity.id, address: found.address ?? own.identity.address }
  return registry.map((one) => (one === own ? { names, identity } : one))
}

/** Each lost race means that another node made progress. */
const attemptsMax = 20

const row = { merchant_id: PLATFORM_MERCHANT, kind: "provider_registry", id: "providers" } as const

interface Stored {
  readonly registry: Registry
  readonly version: number
  readonly created_at: number | undefined
}

const read: Effect.Effect<Stored, StorageFault, Storage> = Effect.gen(function* () {
  const storage = yield* Storage
  const [found] = yield* storage.get([row])
  if (found === undefined) return { registry: [], version: 0, created_at: undefined }
  const { providers } = found.data as { readonly providers: Registry }
  return { registry: providers, version: found.version, created_at: found.created_at }
})

export const readRegistry: Effect.Effect<Registry, StorageFault, Storage> = Effect.map(read, ({ registry }) => registry)

/** The members of an entry as a list, to compare two entries: stores do not keep the order of members. */
const comparableOf = ({ identity, names }: RegisteredProvider) => [names, identity.id, identity.address]

/**
 * Registers a provider in the store, against all other nodes. Returns its entry, or why it must not be used.
 *
 * Errors: `StorageFault` when the store does not answer; nothing is known then, and it may be repeated.
 */
export const registerInStore = Effect.fnUntraced(function* (
  provider: ProviderNames,
  found: ProviderIdentity,
  configured: ReadonlySet<string>
): Effect.fn.Return<RegisteredProvider | string, StorageFault, Storage> {
  const storage = yield* Storage
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const { created_at, registry, version } = yield* read
    const next = registerProvider(registry, provider, found, configured)
    if (typeof next === "string") return next
    const entry = keepOwnEntries(next, provider)[0]!
    if (version > 0 && JSON.stringify(next.map(comparableOf)) === JSON.stringify(registry.map(comparableOf)))
      return entry
    const at = yield* Clock.currentTimeMillis
    const { _tag } = yield* storage.commit({
      ...EMPTY,
      merchant_id: PLATFORM_MERCHANT,
      at,
      // The version prevents two writes. The key only detects a commit whose reply was lost.
      idempotency: { key: `${row.kind}@${version + 1}`, fingerprint: row.kind, response: null, expires_at: null },
      rows: [
        {
          ...row,
          version: version + 1,
          machine: "1",
          state: "kept",
          status: "kept",
          customer_id: null,
          root_id: null,
          created_at: created_at ?? at,
          updated_at: at,
          hidden: false,
          event_count: 0,
          index_keys: [],
          data: { providers: next },
          via: "registered",
          from: version === 0 ? null : "kept"
        }
      ]
    })
    if (_tag === "Committed") return entry
  }
  return yield* new StorageFault({ message: `the providers changed during ${attemptsMax} attempts`, retryable: true })
})
